//! Elements and attributes with errors that know their line.

use std::cell::RefCell;

use roxmltree::{Document, Node};
use stickslip::geometry::{Pose, Quat, Vec3};

use crate::{Notes, UrdfError};

/// A document and the name it is reported under.
pub(crate) struct Source<'a> {
    pub file: &'a str,
    pub document: &'a Document<'a>,
    /// What was mended.
    pub notes: RefCell<Notes>,
}

impl<'a> Source<'a> {
    /// An error at an element.
    pub fn error(&self, node: Node<'a, 'a>, what: impl Into<String>) -> UrdfError {
        let line = self.line(node);
        UrdfError::At { file: self.file.to_owned(), line, what: what.into() }
    }

    /// The line of an element, from 1.
    pub fn line(&self, node: Node<'a, 'a>) -> u32 {
        self.document.text_pos_at(node.range().start).row
    }

    /// `scale`: one number for all axes, or three.
    pub fn scale(&self, node: Node<'a, 'a>) -> Result<Vec3, UrdfError> {
        match node.attribute("scale").map(|s| s.split_whitespace().count()) {
            Some(1) => self.numbers(node, "scale", [1.0]).map(|[s]| Vec3::splat(s)),
            _ => self.numbers(node, "scale", [1.0; 3]).map(Vec3::from_array),
        }
    }

    /// An attribute that must be there.
    pub fn required(&self, node: Node<'a, 'a>, name: &str) -> Result<&'a str, UrdfError> {
        node.attribute(name).ok_or_else(|| {
            self.error(node, format!("<{}> needs the attribute {name}", node.tag_name().name()))
        })
    }

    /// Numbers separated by spaces, as many as `N`.
    pub fn numbers<const N: usize>(
        &self,
        node: Node<'a, 'a>,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], UrdfError> {
        let Some(text) = node.attribute(name) else { return Ok(default) };
        let tag = node.tag_name().name();
        // What xacro should have replaced: the words after the name are its default.
        let unset = text.strip_prefix("$(optenv ").and_then(|t| t.strip_suffix(')'));
        let plain = unset.map_or(text, |t| t.split_once(' ').map_or("", |(_, values)| values));
        let words = plain.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
        let parsed: Option<Vec<(f64, bool)>> = words.map(number).collect();
        let numbers = parsed.filter(|x| x.iter().all(|(v, _)| v.is_finite()));
        let values: Vec<f64> = numbers.iter().flatten().map(|(v, _)| *v).collect();
        let first = values.get(..N).and_then(|x| x.try_into().ok());
        let exact = values.len() == N && numbers.iter().flatten().all(|(_, whole)| *whole);
        if first.is_some() && (!exact || unset.is_some() || text.contains(',')) {
            let what = "numbers with commas or dots too many, more than needed, or left to xacro: read as \
                        far as they make sense";
            let name = format!("<{tag} {name}={text:?}>");
            self.notes.borrow_mut().fault(what, name, self.line(node));
        }
        first.ok_or_else(|| {
            self.error(node, format!("<{tag} {name}={text:?}> must be {N} finite number(s)"))
        })
    }

    /// A number that must be there.
    pub fn number(&self, node: Node<'a, 'a>, name: &str) -> Result<f64, UrdfError> {
        self.required(node, name)?;
        self.numbers(node, name, [0.0]).map(|[x]| x)
    }

    /// `<origin xyz rpy>` inside an element; identity without.
    pub fn origin(&self, node: Node<'a, 'a>) -> Result<Pose, UrdfError> {
        let Some(origin) = child(node, "origin") else { return Ok(Pose::IDENTITY) };
        let xyz = self.numbers(origin, "xyz", [0.0; 3])?;
        let [roll, pitch, yaw] = self.numbers(origin, "rpy", [0.0; 3])?;
        // Fixed axes: roll about x, then pitch about y, then yaw about z.
        let orientation =
            Quat::from_rotation_z(yaw) * Quat::from_rotation_y(pitch) * Quat::from_rotation_x(roll);
        Ok(Pose { position: Vec3::from_array(xyz), orientation })
    }
}

/// The first child element of that name.
pub(crate) fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|c| c.is_element() && c.tag_name().name() == name)
}

/// All child elements of that name.
pub(crate) fn children<'a>(
    node: Node<'a, 'a>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |c| c.is_element() && c.tag_name().name() == name)
}

/// The number that a word begins with, and whether that is all of it.
fn number(word: &str) -> Option<(f64, bool)> {
    if let Ok(x) = word.parse() {
        return Some((x, true));
    }
    let ends = word.char_indices().map(|(k, _)| k).rev().filter(|k| *k > 0);
    ends.filter_map(|k| word[..k].parse().ok()).map(|x| (x, false)).next()
}
