//! Polygon file format: a header that describes the data, then the data in text or binary.

use super::{
    Fault, Place, Raw, number,
    ply_header::{self, Element, Encoding, Property, Scalar},
};
use crate::Vec3;

pub(super) fn parse(bytes: &[u8]) -> Result<Raw, Fault> {
    let header = ply_header::parse(bytes)?;
    let data = &bytes[header.length..];
    let text = String::from_utf8_lossy(data);
    let mut source: Box<dyn Source> = match header.encoding {
        Encoding::Text => Box::new(Words::new(&text, header.lines)),
        encoding => Box::new(Bytes { data, at: 0, start: header.length, encoding }),
    };
    let mut raw = Raw::default();
    for element in &header.elements {
        // Elements without data would be counted to no end.
        if element.properties.is_empty() {
            continue;
        }
        for _ in 0..element.count {
            read(element, source.as_mut(), &mut raw)?;
        }
    }
    Ok(raw)
}

/// Reads one vertex or face, or passes over something else.
fn read(element: &Element, source: &mut dyn Source, raw: &mut Raw) -> Result<(), Fault> {
    let mut point = [f64::NAN; 3];
    let mut corners = None;
    let place = source.place();
    for property in &element.properties {
        let values = values(property, source)?;
        let axis = ["x", "y", "z"].iter().position(|n| *n == property.name);
        match (element.name.as_str(), axis, values.as_slice()) {
            ("vertex", Some(axis), &[value]) => point[axis] = value,
            ("face", _, _) if property.name.starts_with("vertex_ind") => corners = Some(values),
            _ => {}
        }
    }
    match element.name.as_str() {
        "vertex" => {
            let v = Vec3::from(point);
            if !v.is_finite() {
                let what = format!("a vertex at ({}, {}, {})", v.x, v.y, v.z);
                let remedy = "every vertex needs finite properties x, y and z";
                return Err(Fault::new(place, what, remedy));
            }
            raw.vertices.push(v);
        }
        "face" => {
            let index = |x: &f64| (x.fract() == 0.0 && (0.0..4e9).contains(x)).then_some(*x as u32);
            let corners: Option<Vec<u32>> =
                corners.and_then(|c| c.iter().map(index).collect::<Option<Vec<u32>>>());
            match corners {
                Some(c) if c.len() >= 3 => raw.faces.push((c, place)),
                _ => {
                    let what = "a face without three or more vertex indices";
                    let remedy = "faces need a list `vertex_indices` of whole numbers from 0";
                    return Err(Fault::new(place, what, remedy));
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn values(property: &Property, source: &mut dyn Source) -> Result<Vec<f64>, Fault> {
    let Some(count) = property.count else { return Ok(vec![source.next(property.scalar)?]) };
    let place = source.place();
    let length = source.next(count)?;
    if !(0.0..=1e6).contains(&length) || length.fract() != 0.0 {
        let what = format!("a list of length {length}");
        return Err(Fault::new(place, what, "lengths are whole numbers from 0"));
    }
    (0..length as usize).map(|_| source.next(property.scalar)).collect()
}

/// Where values come from.
trait Source {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault>;
    fn place(&self) -> Place;
}

struct Bytes<'a> {
    data: &'a [u8],
    at: usize,
    start: usize,
    encoding: Encoding,
}

impl Source for Bytes<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        let end = self.at + scalar.size();
        let Some(bytes) = self.data.get(self.at..end) else {
            let what = "the file ends before all elements";
            return Err(Fault::new(self.place(), what, "store as many as the header announces"));
        };
        self.at = end;
        let mut bytes = bytes.to_vec();
        if self.encoding == Encoding::Little {
            bytes.reverse();
        }
        Ok(scalar.value(&bytes))
    }

    fn place(&self) -> Place {
        Place::Byte(self.start + self.at)
    }
}

struct Words<'a> {
    words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str, lines_before: usize) -> Self {
        let words = text.lines().enumerate().flat_map(move |(k, line)| {
            line.split_whitespace().map(move |w| (lines_before + k + 1, w))
        });
        Self { words: Box::new(words), line: lines_before }
    }
}

impl Source for Words<'_> {
    fn next(&mut self, _: Scalar) -> Result<f64, Fault> {
        let Some((line, word)) = self.words.next() else {
            let what = "the file ends before all elements";
            return Err(Fault::new(self.place(), what, "list as many as the header announces"));
        };
        self.line = line;
        number(word, Place::Line(line))
    }

    fn place(&self) -> Place {
        Place::Line(self.line)
    }
}
