//! The .off format: `OFF`, the counts of vertices, faces and edges, a line for each vertex, a line
//! for each face that begins with the number of its corners.

use super::{Fault, Place, Raw, number, shown};
use crate::Vec3;

const FORM: &str =
    "write `OFF`, the counts of vertices, faces and edges, the vertices, then faces as `3 0 1 2`";

pub(super) fn parse(text: &str) -> Result<Raw, Fault> {
    let lines = text.lines().enumerate().map(|(k, line)| (Place::Line(k + 1), line));
    let mut words = lines.flat_map(|(place, line)| {
        let data = line.split('#').next().unwrap_or_default();
        data.split_whitespace().map(move |word| (place, word))
    });
    let mut next =
        || words.next().ok_or_else(|| Fault::new(Place::File, "the file ends too early", FORM));
    let (place, mut word) = next()?;
    let mut first = None;
    // `OFF` may stand on the line of the counts, or be left out.
    if let Some(rest) = word.strip_prefix("OFF") {
        word = rest;
    }
    if !word.is_empty() {
        first = Some((place, word));
    }
    let mut counts = [0; 3];
    for count in &mut counts {
        let (place, word) = match first.take() {
            Some(found) => found,
            None => next()?,
        };
        *count = whole(word, place)?;
    }
    let mut raw = Raw::default();
    for _ in 0..counts[0] {
        let mut at = [0.0; 3];
        for x in &mut at {
            let (place, word) = next()?;
            *x = number(word, place)?;
        }
        raw.vertices.push(Vec3::from(at));
    }
    for _ in 0..counts[1] {
        let (place, word) = next()?;
        let corners = whole(word, place)?;
        if corners < 3 {
            return Err(Fault::new(place, format!("a face with {corners} corners"), FORM));
        }
        let mut face = vec![];
        for _ in 0..corners {
            let (place, word) = next()?;
            face.push(whole(word, place)? as u32);
        }
        raw.faces.push((face, place));
    }
    Ok(raw)
}

fn whole(word: &str, place: Place) -> Result<usize, Fault> {
    let found = word.parse::<u32>().ok();
    found
        .map(|n| n as usize)
        .ok_or_else(|| Fault::new(place, format!("`{}` is not a whole number", shown(word)), FORM))
}
