//! What can be wrong with a URDF file.

use std::path::PathBuf;

use crate::notes::MOST;

/// A robot that cannot be read or built; says where and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UrdfError {
    /// The file cannot be read.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Not well-formed XML.
    #[error("{file}: not XML: {reason}")]
    Xml {
        /// The file.
        file: String,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// Something in the file is not as it should be.
    #[error("{file}{}: {what}", at(*line))]
    At {
        /// The file.
        file: String,
        /// The line, from 1; 0 if unknown.
        line: u32,
        /// What is wrong and what would be right.
        what: String,
    },
    /// The links do not form a tree.
    #[error("{file}: {what}")]
    Tree {
        /// The file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// A start position for a joint that does not exist or has none.
    #[error("no joint named {name:?} can be given a position; there are: {known}")]
    Position {
        /// The name asked for.
        name: String,
        /// Joints that have positions.
        known: String,
    },
    /// The scene refuses it.
    #[error("{0}")]
    Model(String),
    /// Several of these.
    #[error("{}", lines(.0))]
    Many(Vec<UrdfError>),
}

impl UrdfError {
    /// `Ok` if there is none; ten at most are kept.
    pub(crate) fn all(mut errors: Vec<Self>) -> Result<(), Self> {
        errors.truncate(MOST);
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(Self::Many(errors)),
        }
    }

    /// The errors that it consists of: itself, or several.
    pub fn each(&self) -> &[Self] {
        match self {
            Self::Many(errors) => errors,
            one => std::slice::from_ref(one),
        }
    }
}

fn at(line: u32) -> String {
    if line == 0 { String::new() } else { format!(":{line}") }
}

fn lines(errors: &[UrdfError]) -> String {
    let lines: Vec<String> = errors.iter().map(UrdfError::to_string).collect();
    lines.join("\n")
}
