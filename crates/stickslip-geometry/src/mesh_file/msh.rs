//! Binary meshes of MuJoCo: the counts of vertices, normals, texture coordinates and faces, then
//! those arrays in single precision, faces as three indices.

use super::{Fault, Place, Raw};
use crate::Vec3;

pub(super) fn parse(bytes: &[u8]) -> Result<Raw, Fault> {
    let word = |k: usize| {
        let b = bytes.get(4 * k..4 * k + 4)?;
        Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    let short = || {
        let what = format!("{} bytes, fewer than its counts announce", bytes.len());
        Fault::new(Place::File, what, "give a complete file")
    };
    let count = |k: usize| word(k).map(|n| n as usize).ok_or_else(short);
    let [vertices, normals, textures, faces] = [count(0)?, count(1)?, count(2)?, count(3)?];
    if [vertices, normals, textures, faces].iter().any(|n| *n > bytes.len()) {
        return Err(short());
    }
    let mut raw = Raw::default();
    for k in 0..vertices {
        let x = |i: usize| word(4 + 3 * k + i).map(|w| f64::from(f32::from_bits(w)));
        let (Some(x), Some(y), Some(z)) = (x(0), x(1), x(2)) else { return Err(short()) };
        raw.vertices.push(Vec3::new(x, y, z));
    }
    let start = 4 + 3 * vertices + 3 * normals + 2 * textures;
    for k in 0..faces {
        let corner = |i: usize| word(start + 3 * k + i).ok_or_else(short);
        let place = Place::Byte(4 * (start + 3 * k));
        raw.faces.push((vec![corner(0)?, corner(1)?, corner(2)?], place));
    }
    Ok(raw)
}
