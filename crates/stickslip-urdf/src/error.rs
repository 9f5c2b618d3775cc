//! What can be wrong with a URDF file.

use std::path::PathBuf;

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
    #[error("{file}:{line}: {what}")]
    At {
        /// The file.
        file: String,
        /// The line, from 1.
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
    /// A link that moves has no mass or no inertia.
    #[error(
        "link {link:?} moves but its {what}; give it an <inertial> with a mass and an inertia of more than 0, or hold it by a fixed joint"
    )]
    Massless {
        /// The link.
        link: String,
        /// What is missing or zero.
        what: String,
    },
    /// A mesh that is not there or cannot be used.
    #[error("link {link:?}: mesh {name:?}: {reason}")]
    Mesh {
        /// The link.
        link: String,
        /// The name in the file.
        name: String,
        /// What is wrong and where it was looked for.
        reason: String,
    },
    /// A shape that makes no sense.
    #[error("link {link:?}: {reason}")]
    Shape {
        /// The link.
        link: String,
        /// Why.
        reason: String,
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
}
