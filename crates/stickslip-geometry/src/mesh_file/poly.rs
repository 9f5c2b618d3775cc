//! The .poly format: how many vertices, a line for each (with or without its index), how many
//! faces, a line of vertex indices for each.
//!
//! ```text
//! # a comment; % and // too
//! 4
//! 1 [0; 0; (2/3)^0.5];
//! ...
//! 4
//! 1 3 2
//! ...
//! ```
//!
//! Faces count vertices from 1, or from 0 if one of them names vertex 0. Files without counts
//! are read too: the faces then are the lines of whole numbers at the end whose largest index
//! is the number of lines before them.

use super::{Fault, Place, Raw, formula};
use crate::Vec3;

/// A line of numbers and its number.
type Row = (usize, Vec<f64>);

pub(super) fn parse(text: &str) -> Result<Raw, Fault> {
    let mut rows: Vec<Row> = vec![];
    for (k, line) in text.lines().enumerate() {
        let data = without_comment(line);
        let numbers = formula::list(data).map_err(|what| {
            Fault::new(
                Place::Line(k + 1),
                what,
                "write numbers, or formulas of + - * / ^ ( ) sqrt pi",
            )
        })?;
        if !numbers.is_empty() {
            rows.push((k + 1, numbers));
        }
    }
    let (vertices, faces) = match rows.first() {
        Some((_, numbers)) if numbers.len() == 1 => counted(&rows)?,
        Some(_) => uncounted(&rows)?,
        None => return Err(Fault::new(Place::File, "the file has no data", FORM)),
    };
    Ok(Raw { vertices: points(vertices)?, faces: corners(faces)? })
}

const FORM: &str = "write the number of vertices, one vertex per line, the number of faces, \
                    one face per line";

fn without_comment(line: &str) -> &str {
    let end = ["#", "%", "//"].iter().filter_map(|c| line.find(c)).min();
    &line[..end.unwrap_or(line.len())]
}

fn counted(rows: &[Row]) -> Result<(&[Row], &[Row]), Fault> {
    let count = |at: usize, what: &str| match rows.get(at) {
        Some((_, n)) if n.len() == 1 && n[0] >= 0.0 && n[0].fract() == 0.0 => Ok(n[0] as usize),
        Some((line, n)) => {
            let what = format!("{} numbers where the number of {what} should be", n.len());
            Err(Fault::new(Place::Line(*line), what, FORM))
        }
        None => {
            let what = format!("the file ends before the number of {what}");
            let line = rows.last().map_or(Place::File, |r| Place::Line(r.0));
            Err(Fault::new(line, what, FORM))
        }
    };
    let vertices = count(0, "vertices")?;
    let at = vertices.saturating_add(1);
    let faces = count(at, "faces")?;
    let found = rows.len() - at - 1;
    if found != faces {
        let what = format!("{faces} faces are announced, {found} listed");
        return Err(Fault::new(Place::Line(rows[at].0), what, "correct the number of faces"));
    }
    Ok((&rows[1..at], &rows[at + 1..]))
}

/// Without counts: the last lines of whole numbers whose largest is the number of lines before.
fn uncounted(rows: &[Row]) -> Result<(&[Row], &[Row]), Fault> {
    let whole = |(_, n): &Row| n.len() >= 3 && n.iter().all(|x| x.fract() == 0.0 && *x >= 0.0);
    let integers = rows.iter().rev().take_while(|r| whole(r)).count();
    let fits = |&split: &usize| {
        let numbers = || rows[split..].iter().flat_map(|(_, n)| n.iter().copied());
        let (low, high) = (numbers().fold(f64::INFINITY, f64::min), numbers().fold(0.0, f64::max));
        high == split as f64 - if low == 0.0 { 1.0 } else { 0.0 }
    };
    match (rows.len() - integers..rows.len()).find(fits) {
        Some(split) => Ok(rows.split_at(split)),
        None => Err(Fault::new(Place::Line(rows[0].0), "no number of vertices", FORM)),
    }
}

fn points(rows: &[Row]) -> Result<Vec<Vec3>, Fault> {
    // Either all vertices carry their index or none.
    let indexed = rows.first().is_some_and(|(_, n)| n.len() == 4);
    let point = |(k, (line, n)): (usize, &Row)| {
        let place = Place::Line(*line);
        match *n.as_slice() {
            [index, x, y, z] if indexed && (index == k as f64 || index == k as f64 + 1.0) => {
                Ok(Vec3::new(x, y, z))
            }
            [index, ..] if indexed && n.len() == 4 => {
                let what = format!("vertex {} carries the index {index}", k + 1);
                Err(Fault::new(place, what, "list vertices in order, counted from 1"))
            }
            [x, y, z] if !indexed => Ok(Vec3::new(x, y, z)),
            _ => {
                let needed = if indexed { "an index and three" } else { "three" };
                let what = format!("{} numbers in the line of vertex {}", n.len(), k + 1);
                Err(Fault::new(
                    place,
                    what,
                    format!("write {needed} numbers, as in the first line"),
                ))
            }
        }
    };
    rows.iter().enumerate().map(point).collect()
}

fn corners(rows: &[Row]) -> Result<Vec<(Vec<u32>, Place)>, Fault> {
    let first = if rows.iter().flat_map(|(_, n)| n).any(|x| *x == 0.0) { 0.0 } else { 1.0 };
    let face = |(line, n): &Row| {
        let place = Place::Line(*line);
        let index = |x: &f64| {
            let k = x - first;
            (k.fract() == 0.0 && (0.0..4e9).contains(&k)).then_some(k as u32)
        };
        match n.iter().map(index).collect::<Option<Vec<u32>>>() {
            Some(c) if c.len() >= 3 => Ok((c, place)),
            Some(c) => {
                let what = format!("a face with {} corners", c.len());
                Err(Fault::new(place, what, "list three or more vertex indices"))
            }
            None => {
                let what = format!("{n:?} are not vertex indices");
                Err(Fault::new(place, what, "list whole numbers that count the vertices"))
            }
        }
    };
    rows.iter().map(face).collect()
}
