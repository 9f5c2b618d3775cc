//! Problems on disk: npz, Siconos' text files, MatrixMarket.

mod dat;
mod npz;
mod npz_problem;
mod text;

pub use dat::Family;
pub use npz::{Array, Npz};

use std::path::{Path, PathBuf};

use crate::problem::{Problem, ProblemError};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The contents are not what the format says.
    #[error("{}: {reason}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// The contents are readable but no problem.
    #[error("{}: {error}", .path.display())]
    Problem {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: ProblemError,
    },
}

/// What went wrong inside a file, before its name is known.
#[derive(Debug)]
pub(crate) enum Trouble {
    Format(String),
    Problem(ProblemError),
}

impl From<ProblemError> for Trouble {
    fn from(error: ProblemError) -> Self {
        Self::Problem(error)
    }
}

impl Trouble {
    fn at(self, path: &Path) -> FileError {
        let path = path.to_path_buf();
        match self {
            Self::Format(reason) => FileError::Format { path, reason },
            Self::Problem(error) => FileError::Problem { path, error },
        }
    }
}

pub(crate) fn format(reason: impl Into<String>) -> Trouble {
    Trouble::Format(reason.into())
}

/// Reads a problem from an .npz file.
pub fn read_npz(path: &Path) -> Result<Problem, FileError> {
    let bytes = read_bytes(path)?;
    Npz::parse(&bytes).and_then(|npz| npz_problem::read(&npz)).map_err(|t| t.at(path))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    std::fs::read(path).map_err(|error| FileError::Io { path: path.to_path_buf(), error })
}

/// Reads a text file of that family.
pub fn read_dat(path: &Path, family: Family) -> Result<Problem, FileError> {
    let bytes = read_bytes(path)?;
    dat::read(&String::from_utf8_lossy(&bytes), family).map_err(|t| t.at(path))
}

/// Reads any file this library knows, by its extension (and a .dat file by its name).
pub fn read(path: &Path) -> Result<Problem, FileError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match path.extension().and_then(|e| e.to_str()) {
        Some("npz") => read_npz(path),
        Some("dat") => read_dat(path, Family::from_name(&name)),
        _ => Err(format("unknown extension; known: .npz, .dat").at(path)),
    }
}

/// Writes an LCP or mixed problem as .npz, or any problem the text formats can say as .dat.
pub fn write(path: &Path, problem: &Problem) -> Result<(), FileError> {
    let bytes = match path.extension().and_then(|e| e.to_str()) {
        Some("npz") if !matches!(problem, Problem::Cone(_)) => {
            npz_problem::write(problem).to_bytes()
        }
        Some("npz") => return Err(format("cone problems are written as .dat").at(path)),
        Some("dat") => match dat::write(problem) {
            Some(text) => text.into_bytes(),
            None => return Err(format("the text format cannot hold this problem").at(path)),
        },
        _ => return Err(format("unknown extension; known: .npz, .dat").at(path)),
    };
    std::fs::write(path, bytes).map_err(|error| FileError::Io { path: path.to_path_buf(), error })
}
