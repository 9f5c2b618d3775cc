//! Wavefront .obj: vertices and faces; all else (normals, textures, materials) is passed over.

use super::{Fault, Place, Raw, number, shown};
use crate::Vec3;

/// Faces of fewer than three corners are an error if `strict`, and passed over otherwise.
pub(super) fn parse(text: &str, strict: bool) -> Result<Raw, Fault> {
    let mut raw = Raw::default();
    let mut joined = String::new();
    for (k, line) in text.lines().enumerate() {
        let place = Place::Line(k + 1);
        let line = line.split('#').next().unwrap_or_default().trim_end();
        // A backslash at the end continues the line.
        if let Some(begun) = line.strip_suffix('\\') {
            joined.push_str(begun);
            joined.push(' ');
            continue;
        }
        joined.push_str(line);
        let mut words = joined.split_whitespace();
        match words.next() {
            Some("v") => raw.vertices.push(vertex(words, place)?),
            Some("f") => {
                let corner = |w| corner(w, raw.vertices.len(), place);
                let corners = words.map(corner).collect::<Result<Vec<u32>, _>>()?;
                if corners.len() < 3 && strict {
                    let what = format!("a face with {} corners", corners.len());
                    return Err(Fault::new(place, what, "write `f` and three or more corners"));
                }
                if corners.len() >= 3 {
                    raw.faces.push((corners, place));
                }
            }
            _ => {}
        }
        joined.clear();
    }
    Ok(raw)
}

fn vertex<'a>(words: impl Iterator<Item = &'a str>, place: Place) -> Result<Vec3, Fault> {
    let found: Vec<&str> = words.collect();
    let &[x, y, z, ..] = found.as_slice() else {
        let what = format!("a vertex with {} coordinates", found.len());
        return Err(Fault::new(place, what, "write `v x y z`"));
    };
    Ok(Vec3::new(number(x, place)?, number(y, place)?, number(z, place)?))
}

/// `7`, `7/1`, `7//3`, `7/1/3`, or counted back from the last vertex: `-1`.
fn corner(word: &str, count: usize, place: Place) -> Result<u32, Fault> {
    let index = word.split('/').next().unwrap_or_default().parse::<i64>().ok();
    let found = match index {
        Some(k) if k > 0 => k.checked_sub(1),
        Some(k) if k < 0 => k.checked_add(count as i64),
        _ => None,
    };
    found.and_then(|k| u32::try_from(k).ok()).ok_or_else(|| {
        let what = format!("`{}` is not the index of a vertex", shown(word));
        Fault::new(place, what, "vertices are counted from 1, or back from -1")
    })
}
