//! What was wrong in a file, and what was assumed instead.

use std::fmt;

use crate::UrdfError;

/// Names listed in a message before the rest is counted.
const SHOWN: usize = 4;
/// Errors of one file told in one run.
pub(crate) const MOST: usize = 10;

/// One thing that a name in the file has wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Which link, joint or element, such as `joint "hip"`.
    pub name: String,
    /// Its line, from 1; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.name),
            line => write!(f, "{} (line {line})", self.name),
        }
    }
}

/// One kind of fault, wherever it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What is wrong and what was assumed.
    pub what: String,
    /// Where.
    pub items: Vec<Item>,
    /// Whether the file is at fault, so that strict reading refuses it.
    pub fault: bool,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.items.iter().take(SHOWN).map(Item::to_string).collect();
        write!(f, "{}: {}", self.what, names.join(", "))?;
        match self.items.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// All that was wrong, one note for each kind, in the order of their first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The notes.
    pub list: Vec<Note>,
}

impl Notes {
    /// A fault of the file, mended as `what` says.
    pub fn fault(&mut self, what: &str, name: impl Into<String>, line: u32) {
        self.push(what, Item { name: name.into(), line }, true);
    }

    /// Something that is as the file says, but perhaps not as meant.
    pub fn remark(&mut self, what: &str, name: impl Into<String>, line: u32) {
        self.push(what, Item { name: name.into(), line }, false);
    }

    fn push(&mut self, what: &str, item: Item, fault: bool) {
        match self.list.iter_mut().find(|n| n.what == what) {
            Some(note) if note.items.contains(&item) => {}
            Some(note) => note.items.push(item),
            None => self.list.push(Note { what: what.into(), items: vec![item], fault }),
        }
    }

    /// Adds those of another.
    pub fn extend(&mut self, other: &Self) {
        for note in &other.list {
            for item in &note.items {
                self.push(&note.what, item.clone(), note.fault);
            }
        }
    }

    /// The faults as errors, for strict reading.
    pub(crate) fn refuse(&self, file: &str) -> Result<(), UrdfError> {
        let faults = self.list.iter().filter(|n| n.fault);
        let errors = faults.flat_map(|note| {
            note.items.iter().map(|item| UrdfError::At {
                file: file.to_owned(),
                line: item.line,
                what: format!("{}: {}", item.name, note.what),
            })
        });
        UrdfError::all(errors.collect())
    }
}
