//! glTF 2.0: meshes, one node per body, and an animation of their poses. Opens in Blender.
//!
//! glTF has y up; a root node turns our z up (3D) into it.

use serde_json::{Value, json};

use crate::{RecordError, Replay, view::ViewBody};

mod mesh;

use mesh::triangles;

const FLOAT: u32 = 5126;
const ARRAY_BUFFER: u32 = 34962;
/// Drawn size of a half-space \[m\], times the size of the scene.
const GROUND: f64 = 4.0;

/// Collects the binary part and its directory.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Adds numbers, `width` to an element; gives the index of the accessor.
    fn add(&mut self, data: &[f32], width: usize, target: Option<u32>) -> usize {
        let mut view = json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * data.len(),
        });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        data.iter().for_each(|x| self.bytes.extend(x.to_le_bytes()));
        self.views.push(view);
        let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let column = |i: usize| data.iter().skip(i).step_by(width).copied().reduce(pick);
            (0..width).map(|i| column(i).unwrap_or(0.0)).collect()
        };
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1,
            "componentType": FLOAT,
            "count": data.len() / width,
            "type": match width { 1 => "SCALAR", 3 => "VEC3", _ => "VEC4" },
            "min": bound(f32::min),
            "max": bound(f32::max),
        }));
        self.accessors.len() - 1
    }
}

/// The replay as a binary glTF file (.glb).
pub fn gltf(replay: &Replay) -> Result<Vec<u8>, RecordError> {
    if replay.frames() == 0 {
        return Err(RecordError::Empty);
    }
    let mut buffer = Buffer::default();
    let size = extent(replay);
    let geometry: Vec<Option<[usize; 2]>> = replay
        .model
        .shapes
        .iter()
        .map(|shape| {
            let (points, normals) = triangles(shape, replay.model.dimension, GROUND * size);
            let add = |b: &mut Buffer, d: &[f32]| b.add(d, 3, Some(ARRAY_BUFFER));
            (!points.is_empty()).then(|| [add(&mut buffer, &points), add(&mut buffer, &normals)])
        })
        .collect();
    let (mut meshes, mut materials, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
    let n = replay.model.bodies.len();
    for (b, body) in replay.model.bodies.iter().enumerate() {
        materials.push(material(body, b));
        let mut children = Vec::new();
        for part in body.parts.iter().filter(|_| body.visible) {
            let Some([points, normals]) = geometry[part.shape] else { continue };
            meshes.push(json!({ "primitives": [{
                "attributes": { "POSITION": points, "NORMAL": normals }, "material": b,
            }] }));
            let [w, x, y, z] = part.orientation;
            // Parts come after the root and the bodies.
            children.push(1 + n + nodes.len());
            nodes.push(json!({
                "mesh": meshes.len() - 1, "translation": part.position, "rotation": [x, y, z, w],
            }));
        }
        materials[b]["extras"] = json!({ "parts": children });
    }
    let document =
        document(replay, buffer_parts(replay, &mut buffer), &mut materials, meshes, nodes);
    glb(document, &buffer)
}

/// Accessors of time, and of translation and rotation of every body that moves.
fn buffer_parts(replay: &Replay, buffer: &mut Buffer) -> (usize, Vec<Option<[usize; 2]>>) {
    let times: Vec<f32> = replay.time.iter().map(|&t| t as f32).collect();
    let time = buffer.add(&times, 1, None);
    let n = replay.model.bodies.len();
    let of = |b: usize, body: &ViewBody, buffer: &mut Buffer| {
        if body.motion == "static" || replay.frames() < 2 {
            return None;
        }
        let (mut x, mut q) = (Vec::new(), Vec::new());
        for k in 0..replay.frames() {
            let (i, j) = (3 * (k * n + b), 4 * (k * n + b));
            x.extend(replay.position[i..i + 3].iter().map(|&v| v as f32));
            let o = &replay.orientation[j..j + 4];
            q.extend([o[1], o[2], o[3], o[0]].map(|v| v as f32));
        }
        Some([buffer.add(&x, 3, None), buffer.add(&q, 4, None)])
    };
    let bodies = replay.model.bodies.iter().enumerate();
    let tracks = bodies.map(|(b, body)| of(b, body, buffer)).collect();
    (time, tracks)
}

fn document(
    replay: &Replay,
    (time, tracks): (usize, Vec<Option<[usize; 2]>>),
    materials: &mut [Value],
    meshes: Vec<Value>,
    parts: Vec<Value>,
) -> Value {
    let n = replay.model.bodies.len();
    // Minus a quarter turn about x: z up becomes y up.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turn =
        if replay.model.dimension == 3 { [-half, 0.0, 0.0, half] } else { [0.0, 0.0, 0.0, 1.0] };
    let mut nodes = vec![json!({
        "name": replay.model.scene, "rotation": turn, "children": (1..=n).collect::<Vec<_>>(),
    })];
    for (b, body) in replay.model.bodies.iter().enumerate() {
        let children = materials[b]["extras"]["parts"].take();
        if let Some(fields) = materials[b].as_object_mut() {
            fields.remove("extras");
        }
        let o = &replay.orientation[4 * b..4 * b + 4];
        let mut node = json!({
            "name": body.name,
            "translation": replay.position[3 * b..3 * b + 3],
            "rotation": [o[1], o[2], o[3], o[0]],
        });
        if children.as_array().is_some_and(|c| !c.is_empty()) {
            node["children"] = children;
        }
        nodes.push(node);
    }
    nodes.extend(parts);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (b, track) in tracks.iter().enumerate() {
        let Some(outputs) = track else { continue };
        for (output, path) in outputs.iter().zip(["translation", "rotation"]) {
            channels.push(json!({
                "sampler": samplers.len(), "target": { "node": 1 + b, "path": path },
            }));
            samplers.push(json!({ "input": time, "output": output, "interpolation": "LINEAR" }));
        }
    }
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "Stickslip" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": nodes,
    });
    let optional = [
        ("meshes", meshes.clone()),
        ("materials", if meshes.is_empty() { vec![] } else { materials.to_vec() }),
    ];
    for (key, list) in optional.into_iter().filter(|(_, list)| !list.is_empty()) {
        document[key] = Value::Array(list);
    }
    if !channels.is_empty() {
        document["animations"] =
            json!([{ "name": "motion", "samplers": samplers, "channels": channels }]);
    }
    document
}

/// Header, JSON and binary chunk.
fn glb(mut document: Value, buffer: &Buffer) -> Result<Vec<u8>, RecordError> {
    document["buffers"] = json!([{ "byteLength": buffer.bytes.len() }]);
    document["bufferViews"] = Value::Array(buffer.views.clone());
    document["accessors"] = Value::Array(buffer.accessors.clone());
    let mut text = serde_json::to_vec(&document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = buffer.bytes.clone();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let mut out = b"glTF".to_vec();
    for word in [2, total as u32, text.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    out.extend(b"JSON");
    out.extend(text);
    out.extend((binary.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(binary);
    Ok(out)
}

/// Colors for bodies that have none, as in the viewer.
const PALETTE: [[f32; 3]; 5] = [
    [0.30, 0.50, 0.91],
    [0.94, 0.63, 0.24],
    [0.18, 0.66, 0.53],
    [0.88, 0.38, 0.49],
    [0.54, 0.44, 0.88],
];

fn material(body: &ViewBody, index: usize) -> Value {
    let fixed = body.motion == "static";
    let default = if fixed { [0.72, 0.75, 0.80] } else { PALETTE[index % PALETTE.len()] };
    // glTF wants linear light; colors are given as in style sheets.
    let [r, g, b] = body.color.unwrap_or(default).map(|c| c.powf(2.2));
    json!({
        "pbrMetallicRoughness": {
            "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8,
        },
        "doubleSided": true,
    })
}

/// Largest coordinate of a body at the start \[m\], at least 1.
fn extent(replay: &Replay) -> f64 {
    let n = 3 * replay.model.bodies.len();
    let first = replay.position.iter().take(n).filter(|x| x.is_finite());
    first.fold(1.0, |size: f64, x| size.max(x.abs()))
}
