//! glTF 2, binary (.glb) or text (.gltf) with its buffers inside: the triangles of every mesh that
//! the scene shows, where it shows them, turned from y up to z up. Skins and animations are passed
//! over.

use serde_json::Value;

use super::{Fault, Place, Raw};
use crate::{Mat3, Quat, Vec3};

/// Nodes within nodes up to this depth; deeper ones refer to themselves.
const DEEPEST: usize = 64;
/// Nodes shown, those shown twice counted twice.
const MOST: usize = 100_000;

fn wrong(what: impl Into<String>) -> Fault {
    Fault::new(Place::File, what, "give a complete glTF 2 file with its buffers inside")
}

pub(super) fn parse(bytes: &[u8]) -> Result<Raw, Fault> {
    let (text, chunk) = match bytes.starts_with(b"glTF") {
        true => chunks(bytes)?,
        false => (bytes, None),
    };
    let json: Value =
        serde_json::from_slice(text).map_err(|e| wrong(format!("its JSON is wrong: {e}")))?;
    let mut reader = Reader { json: &json, chunk, raw: Raw::default(), visits: 0 };
    // From y up to z up.
    let turn = Mat3::from_cols(Vec3::X, Vec3::Z, -Vec3::Y);
    let scene = json["scene"].as_u64().unwrap_or(0);
    let roots = json["scenes"][scene as usize]["nodes"].as_array();
    match roots {
        Some(roots) => {
            for node in roots {
                reader.node(node, (turn, Vec3::ZERO), 0)?;
            }
        }
        None => {
            for mesh in json["meshes"].as_array().into_iter().flatten() {
                reader.mesh(mesh, (turn, Vec3::ZERO))?;
            }
        }
    }
    Ok(reader.raw)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// The JSON and the binary chunk of a .glb file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let mut at = 12;
    let (mut text, mut binary) = (None, None);
    while let (Some(length), Some(kind)) = (u32_at(bytes, at), u32_at(bytes, at + 4)) {
        let end = (at + 8).saturating_add(length as usize);
        let data = bytes.get(at + 8..end).ok_or_else(|| {
            let what = format!("{} bytes, but a chunk ends at {end}", bytes.len());
            Fault::new(Place::Byte(at), what, "give a complete .glb file")
        })?;
        match kind {
            0x4E4F_534A => text = text.or(Some(data)),
            0x004E_4942 => binary = binary.or(Some(data)),
            _ => {}
        }
        at = end;
    }
    Ok((text.ok_or_else(|| wrong("no chunk of JSON"))?, binary))
}

/// `R x + t`.
type Affine = (Mat3, Vec3);

struct Reader<'a> {
    json: &'a Value,
    chunk: Option<&'a [u8]>,
    raw: Raw,
    visits: usize,
}

impl<'a> Reader<'a> {
    fn node(&mut self, index: &Value, outer: Affine, depth: usize) -> Result<(), Fault> {
        self.visits += 1;
        if depth > DEEPEST || self.visits > MOST {
            let what = format!("nodes lie more than {DEEPEST} deep, or there are more than {MOST}");
            return Err(wrong(what));
        }
        let node = &self.json["nodes"][whole(index)];
        let inner = transform(node);
        let here = (outer.0 * inner.0, outer.0 * inner.1 + outer.1);
        if node["mesh"].is_u64() {
            self.mesh(&self.json["meshes"][whole(&node["mesh"])], here)?;
        }
        for child in node["children"].as_array().into_iter().flatten() {
            self.node(child, here, depth + 1)?;
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: &Value, at: Affine) -> Result<(), Fault> {
        for primitive in mesh["primitives"].as_array().into_iter().flatten() {
            let base = self.raw.vertices.len() as u32;
            let positions = &primitive["attributes"]["POSITION"];
            if !positions.is_u64() {
                continue;
            }
            let points = self.accessor(positions, 3)?;
            self.raw
                .vertices
                .extend(points.chunks_exact(3).map(|p| at.0 * Vec3::new(p[0], p[1], p[2]) + at.1));
            let count = (points.len() / 3) as u32;
            let corners: Vec<u32> = match primitive["indices"].is_u64() {
                true => {
                    let numbers = self.accessor(&primitive["indices"], 1)?;
                    numbers.iter().map(|&k| base.saturating_add(k as u32)).collect()
                }
                false => (base..base + count).collect(),
            };
            let mirrored = at.0.determinant() < 0.0;
            for mut face in faces(&corners, primitive["mode"].as_u64().unwrap_or(4)) {
                if mirrored {
                    face.reverse();
                }
                self.raw.faces.push((face, Place::File));
            }
        }
        Ok(())
    }

    /// The numbers of an accessor, `width` for each element.
    fn accessor(&self, index: &Value, width: usize) -> Result<Vec<f64>, Fault> {
        let accessor = &self.json["accessors"][whole(index)];
        let view = &self.json["bufferViews"][whole(&accessor["bufferView"])];
        let bytes = self.buffer(&view["buffer"])?;
        let kind = accessor["componentType"].as_u64().unwrap_or(0);
        let size = match kind {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            _ => return Err(wrong(format!("component type {kind}, which glTF does not have"))),
        };
        let number = |v: &Value| v.as_u64().unwrap_or(0) as usize;
        let start = number(&view["byteOffset"]).saturating_add(number(&accessor["byteOffset"]));
        let stride = match number(&view["byteStride"]) {
            0 => size * width,
            stride => stride,
        };
        let count = number(&accessor["count"]);
        if count > bytes.len() {
            return Err(wrong(format!("an accessor of {count} elements in {} bytes", bytes.len())));
        }
        let mut found = Vec::with_capacity(count * width);
        for k in 0..count {
            for i in 0..width {
                let at = start.saturating_add(k.saturating_mul(stride)).saturating_add(i * size);
                let end = at.saturating_add(size);
                let b = bytes.get(at..end).ok_or_else(|| {
                    wrong(format!("an accessor ends at byte {end} of {}", bytes.len()))
                })?;
                found.push(match (kind, b) {
                    (5126, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
                    (_, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
                    (_, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
                    _ => f64::from(b[0]),
                });
            }
        }
        match found.iter().all(|x| x.is_finite()) {
            true => Ok(found),
            false => Err(wrong("an accessor with a number that is not finite")),
        }
    }

    fn buffer(&self, index: &Value) -> Result<std::borrow::Cow<'a, [u8]>, Fault> {
        match self.json["buffers"][whole(index)]["uri"].as_str() {
            None => self.chunk.map(Into::into).ok_or_else(|| wrong("a buffer that is not there")),
            Some(uri) => {
                let data = uri.strip_prefix("data:").and_then(|d| d.split_once("base64,"));
                let Some((_, text)) = data else {
                    let short: String = uri.chars().take(40).collect();
                    let what = format!("its buffer is another file, `{short}`");
                    return Err(Fault::new(Place::File, what, "save it as .glb"));
                };
                base64(text).map(Into::into).ok_or_else(|| wrong("a buffer that is not base64"))
            }
        }
    }
}

/// An index; out of every range if it is none.
fn whole(index: &Value) -> usize {
    index.as_u64().map_or(usize::MAX, |k| k as usize)
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let list: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    list?.try_into().ok()
}

fn transform(node: &Value) -> Affine {
    if let Some(m) = numbers::<16>(&node["matrix"]) {
        let column = |k: usize| Vec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
        return (Mat3::from_cols(column(0), column(1), column(2)), column(3));
    }
    let shift = numbers::<3>(&node["translation"]).map_or(Vec3::ZERO, Vec3::from);
    let scale = numbers::<3>(&node["scale"]).map_or(Vec3::ONE, Vec3::from);
    let turn = numbers::<4>(&node["rotation"]).map(Quat::from_array);
    let turn = turn.filter(|q| q.length() > 1e-9).map_or(Quat::IDENTITY, Quat::normalize);
    (Mat3::from_quat(turn) * Mat3::from_diagonal(scale), shift)
}

fn faces(corners: &[u32], mode: u64) -> Vec<Vec<u32>> {
    match mode {
        4 => corners.chunks_exact(3).map(Vec::from).collect(),
        5 => {
            let face = |(k, w): (usize, &[u32])| match k % 2 {
                0 => vec![w[0], w[1], w[2]],
                _ => vec![w[1], w[0], w[2]],
            };
            corners.windows(3).enumerate().map(face).collect()
        }
        6 => corners.windows(2).skip(1).map(|w| vec![corners[0], w[0], w[1]]).collect(),
        // Points and lines.
        _ => vec![],
    }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = vec![];
    let (mut bits, mut held) = (0_u32, 0);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    Some(out)
}
