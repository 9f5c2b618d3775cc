//! Stereolithography files: loose triangles, in text or in binary.

use super::{Fault, Place, Raw, number, shown};
use crate::Vec3;

const HEADER: usize = 80;
const RECORD: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<Raw, Fault> {
    // Binary files may begin with `solid` too; only their length tells.
    let count = bytes.get(HEADER..HEADER + 4).map(|b| u32_of(b) as usize);
    let length = count.and_then(|n| n.checked_mul(RECORD)).map(|n| n + HEADER + 4);
    if length == Some(bytes.len()) {
        return binary(bytes);
    }
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    // Some writers leave bytes after the last triangle.
    let fits = length.is_some_and(|l| l <= bytes.len()) && count != Some(0);
    if bytes[start..].starts_with(b"solid") {
        let found = text(&String::from_utf8_lossy(bytes));
        let binary_too = fits && bytes[..HEADER + 4].contains(&0);
        return if found.is_err() && binary_too { binary(bytes) } else { found };
    }
    if fits {
        return binary(bytes);
    }
    let what = match (count, length) {
        (Some(n), Some(l)) => {
            format!("{} bytes, but {n} triangles, as announced, take {l}", bytes.len())
        }
        _ => format!("{} bytes, too short for a binary file", bytes.len()),
    };
    let place = Place::Byte(HEADER.min(bytes.len()));
    Err(Fault::new(place, what, "give a complete binary file or a text that begins with `solid`"))
}

fn u32_of(b: &[u8]) -> u32 {
    b.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte))
}

fn binary(bytes: &[u8]) -> Result<Raw, Fault> {
    let mut raw = Raw::default();
    let count = u32_of(&bytes[HEADER..HEADER + 4]) as usize;
    for (k, record) in bytes[HEADER + 4..].chunks_exact(RECORD).take(count).enumerate() {
        let place = Place::Byte(HEADER + 4 + k * RECORD);
        // Twelve bytes of normal come first; the corners tell it better.
        let mut corners = record[12..48].chunks_exact(4).map(|b| f32::from_bits(u32_of(b)));
        for _ in 0..3 {
            let mut next = || f64::from(corners.next().unwrap_or(f32::NAN));
            let v = Vec3::new(next(), next(), next());
            if !v.is_finite() {
                let what = format!("triangle {k} has a corner at ({}, {}, {})", v.x, v.y, v.z);
                return Err(Fault::new(place, what, "coordinates must be finite"));
            }
            raw.vertices.push(v);
        }
        push_face(&mut raw, place);
    }
    Ok(raw)
}

/// The last three vertices are a triangle.
fn push_face(raw: &mut Raw, place: Place) {
    let n = raw.vertices.len() as u32;
    raw.faces.push((vec![n - 3, n - 2, n - 1], place));
}

fn text(text: &str) -> Result<Raw, Fault> {
    let mut raw = Raw::default();
    let mut corners = 0;
    let mut in_facet = false;
    for (k, line) in text.lines().enumerate() {
        let place = Place::Line(k + 1);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["facet", ..] if !in_facet => (corners, in_facet) = (0, true),
            ["vertex", x, y, z] if in_facet && corners < 3 => {
                raw.vertices.push(Vec3::new(
                    number(x, place)?,
                    number(y, place)?,
                    number(z, place)?,
                ));
                corners += 1;
            }
            ["endfacet"] if in_facet && corners == 3 => {
                push_face(&mut raw, place);
                in_facet = false;
            }
            [] | ["solid" | "endsolid", ..] if !in_facet => {}
            [] | ["outer", "loop"] | ["endloop"] if in_facet => {}
            _ => {
                let what = format!("`{}` does not fit here", shown(line.trim()));
                let remedy = "each triangle reads `facet normal x y z`, `outer loop`, three lines \
                              `vertex x y z`, `endloop`, `endfacet`";
                return Err(Fault::new(place, what, remedy));
            }
        }
    }
    if in_facet {
        let place = Place::Line(text.lines().count());
        return Err(Fault::new(
            place,
            "the file ends within a triangle",
            "close it with `endfacet`",
        ));
    }
    Ok(raw)
}
