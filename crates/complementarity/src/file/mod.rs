//! Problems on disk: npz, Siconos' text files, MatrixMarket, FCLIB.

mod dat;
#[cfg(feature = "hdf5")]
mod fclib;
mod market;
mod npz;
mod npz_problem;
mod text;

pub use dat::Family;
pub use npz::{Array, Npz};

use std::path::{Path, PathBuf};

use crate::problem::{Lcp, Mlcp, Problem, ProblemError};

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
        Some("mtx") => read_market(path),
        #[cfg(feature = "hdf5")]
        Some("hdf5" | "h5") => fclib::read(path),
        _ => Err(format(UNKNOWN).at(path)),
    }
}

#[cfg(feature = "hdf5")]
const UNKNOWN: &str = "unknown extension; known: .npz, .dat, .mtx, .hdf5";
#[cfg(not(feature = "hdf5"))]
const UNKNOWN: &str = "unknown extension; known: .npz, .dat, .mtx (.hdf5 needs the feature hdf5)";

/// `NAME_part.mtx` beside `NAME.mtx`.
fn beside(path: &Path, part: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{part}.mtx"))
}

fn read_market(path: &Path) -> Result<Problem, FileError> {
    let text = |path: &Path| Ok(String::from_utf8_lossy(&read_bytes(path)?).into_owned());
    let vector = |part: &str| {
        let path = beside(path, part);
        market::read_vector(&text(&path)?).map_err(|t| t.at(&path))
    };
    let matrix = market::read(&text(path)?).map_err(|t| t.at(path))?;
    let b = vector("b")?;
    let problem = if beside(path, "lower").exists() || beside(path, "upper").exists() {
        Mlcp::new(matrix, b, vector("lower")?, vector("upper")?).map(Problem::Mlcp)
    } else {
        Lcp::new(matrix, b).map(Problem::Lcp)
    };
    problem.map_err(|error| Trouble::Problem(error).at(path))
}

fn write_market(path: &Path, problem: &Problem) -> Result<(), FileError> {
    let put = |path: &Path, text: String| {
        std::fs::write(path, text)
            .map_err(|error| FileError::Io { path: path.to_path_buf(), error })
    };
    put(path, market::write(&problem.matrix().to_sparse()))?;
    put(&beside(path, "b"), market::write_vector(problem.b()))?;
    if let Problem::Mlcp(p) = problem {
        put(&beside(path, "lower"), market::write_vector(&p.lower))?;
        put(&beside(path, "upper"), market::write_vector(&p.upper))?;
    }
    Ok(())
}

/// Writes a problem by the extension of the file: LCP and mixed problems as .npz or .mtx, what the
/// text formats can say as .dat, cone problems as .hdf5 (FCLIB, with the feature `hdf5`).
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
        Some("mtx") if !matches!(problem, Problem::Cone(_)) => return write_market(path, problem),
        #[cfg(feature = "hdf5")]
        Some("hdf5" | "h5") => return fclib::write(path, problem),
        _ => return Err(format(UNKNOWN).at(path)),
    };
    std::fs::write(path, bytes).map_err(|error| FileError::Io { path: path.to_path_buf(), error })
}
