//! Problems on disk: .npz, Siconos' text files (.dat), MatrixMarket (.mtx), FCLIB (.hdf5), and our
//! own HDF5 files (.h5), which hold any number of them.
//!
//! [`load`] keeps the form that a file has, [`read`] turns it into a [`Problem`] for the solvers;
//! [`save`] and [`write()`] are their opposites.

#[cfg(feature = "hdf5")]
mod collection;
mod contacts;
mod dat;
mod dat_write;
#[cfg(feature = "hdf5")]
mod fclib;
mod layout;
mod market;
mod npz;
mod npz_problem;
mod text;

pub use dat::Family;
pub use npz::{Array, Npz};

use std::path::{Path, PathBuf};

use crate::{
    problem::{Cone, ConeRows, ContactProblem, Global, Lcp, Mlcp, Problem, ProblemError},
    reduce::Reduced,
};

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

/// What a file can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A problem as the solvers take it.
    Problem(Problem),
    /// A contact problem with the velocities as unknowns.
    Global(Global),
    /// Contacts as they are, block by block.
    Contacts(ContactProblem),
}

impl From<Problem> for Content {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl Content {
    /// The problem for the solvers; the global form is condensed, contacts are reduced.
    pub fn into_problem(self) -> Result<Problem, ProblemError> {
        match self {
            Self::Problem(problem) => Ok(problem),
            Self::Global(global) => global.condensed().map(Problem::Cone),
            Self::Contacts(contacts) => Reduced::new(&contacts).map(|reduced| reduced.problem),
        }
    }

    /// "lcp", "mlcp", "cone", "global" or "contacts".
    pub fn class_name(&self) -> &'static str {
        match self {
            Self::Problem(problem) => problem.class().as_str(),
            Self::Global(_) => "global",
            Self::Contacts(_) => "contacts",
        }
    }

    /// The friction cones, if any.
    pub(crate) fn cones(&self) -> &[ConeRows] {
        match self {
            Self::Problem(Problem::Cone(cone)) => &cone.contacts,
            Self::Problem(_) | Self::Contacts(_) => &[],
            Self::Global(global) => &global.contacts,
        }
    }
}

/// A problem and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name; of a file with one problem, that of the file.
    pub name: String,
    /// The problem.
    pub content: Content,
}

/// Rows per contact where all contacts have 2, 3 or 5 of them and fill the rows in order.
fn uniform(contacts: &[ConeRows], rows: usize) -> Option<usize> {
    let d = contacts.first().map_or(3, |c| c.rows.len());
    let in_line = contacts.iter().enumerate().all(|(k, c)| c.rows == (k * d..(k + 1) * d));
    (in_line && d > 1 && d * contacts.len() == rows).then_some(d)
}

fn refused(path: &Path, error: std::io::Error) -> FileError {
    FileError::Io { path: path.to_path_buf(), error }
}

/// Has a file written under another name, and renames it when it is complete: what is there stays
/// until then.
fn as_whole(
    target: &Path,
    write: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    // A pipe or a terminal is written as it is; a link is kept.
    if std::fs::symlink_metadata(target).is_ok_and(|data| !data.is_file()) {
        return write(target);
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let part = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let done = write(&part)
        .and_then(|()| std::fs::rename(&part, target).map_err(|error| refused(target, error)));
    let back = |error: FileError| match error {
        FileError::Io { path, error } if path == part => refused(target, error),
        FileError::Format { path, reason } if path == part => format(reason).at(target),
        other => other,
    };
    done.map_err(|error| {
        let _ = std::fs::remove_file(&part);
        back(error)
    })
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    // Reading a pipe might never end.
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(format("it is no plain file").at(path));
    }
    std::fs::read(path).map_err(|error| refused(path, error))
}

/// Reads a problem from an .npz file.
pub fn read_npz(path: &Path) -> Result<Problem, FileError> {
    condensed(path, load_npz(path)?)
}

fn load_npz(path: &Path) -> Result<Content, FileError> {
    let bytes = read_bytes(path)?;
    Npz::parse(&bytes).and_then(|npz| npz_problem::read(&npz)).map_err(|t| t.at(path))
}

/// Reads a text file of that family.
pub fn read_dat(path: &Path, family: Family) -> Result<Problem, FileError> {
    condensed(path, load_dat(path, family)?)
}

fn load_dat(path: &Path, family: Family) -> Result<Content, FileError> {
    let bytes = read_bytes(path)?;
    dat::read(&String::from_utf8_lossy(&bytes), family).map_err(|t| t.at(path))
}

fn condensed(path: &Path, content: Content) -> Result<Problem, FileError> {
    content.into_problem().map_err(|error| Trouble::Problem(error).at(path))
}

/// Reads any file that holds one problem, by its extension (and a .dat file by its name).
pub fn read(path: &Path) -> Result<Problem, FileError> {
    condensed(path, load(path)?)
}

/// The same in the form that the file has.
pub fn load(path: &Path) -> Result<Content, FileError> {
    let mut all = load_all(path)?;
    match (all.pop(), all.len()) {
        (Some(one), 0) => Ok(one.content),
        (_, others) => {
            let count = if others == 0 { 0 } else { others + 1 };
            Err(format(format!("it holds {count} problems where one is wanted")).at(path))
        }
    }
}

/// All problems of a file.
pub fn load_all(path: &Path) -> Result<Vec<Named>, FileError> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let content = match path.extension().and_then(|e| e.to_str()) {
        Some("npz") => load_npz(path)?,
        Some("dat") => load_dat(path, Family::from_name(&file))?,
        Some("mtx") => read_market(path)?.into(),
        #[cfg(feature = "hdf5")]
        Some("hdf5" | "h5") if collection::is_ours(path) => return collection::read(path),
        #[cfg(feature = "hdf5")]
        Some("hdf5" | "h5") => fclib::read(path)?,
        _ => return Err(format(UNKNOWN).at(path)),
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(vec![Named { name, content }])
}

/// Whether a file of that name can hold problems.
pub fn is_known(path: &Path) -> bool {
    let known: &[&str] = if cfg!(feature = "hdf5") {
        &["npz", "dat", "mtx", "h5", "hdf5"]
    } else {
        &["npz", "dat", "mtx"]
    };
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| known.contains(&e))
        && !is_part_of_market(path)
}

/// `NAME_b.mtx` and the like belong to `NAME.mtx`.
fn is_part_of_market(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let whole = stem.rsplit_once('_').filter(|(_, part)| MARKET_PARTS.contains(part));
    path.extension().is_some_and(|e| e == "mtx")
        && whole.is_some_and(|(name, _)| path.with_file_name(format!("{name}.mtx")).exists())
}

#[cfg(feature = "hdf5")]
const UNKNOWN: &str = "unknown extension; known: .npz, .dat, .mtx, .h5, .hdf5";
#[cfg(not(feature = "hdf5"))]
const UNKNOWN: &str =
    "unknown extension; known: .npz, .dat, .mtx (.h5 and .hdf5 need the feature hdf5)";

const MARKET_PARTS: [&str; 5] = ["b", "lower", "upper", "mu", "rolling"];

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
    let has = |part: &str| beside(path, part).exists();
    let matrix = market::read(&text(path)?).map_err(|t| t.at(path))?;
    let b = vector("b")?;
    let problem = if has("mu") {
        let mu = vector("mu")?;
        let rolling = if has("rolling") { vector("rolling")? } else { vec![0.0; mu.len()] };
        let d = b.len() / mu.len().max(1);
        if d * mu.len() != b.len() || rolling.len() != mu.len() {
            let reason = format!("{} contacts do not fill {} rows", mu.len(), b.len());
            return Err(format(reason).at(path));
        }
        Cone::new(matrix, b, dat::contact_rows(d, &mu, &rolling)).map(Problem::Cone)
    } else if has("lower") || has("upper") {
        Mlcp::new(matrix, b, vector("lower")?, vector("upper")?).map(Problem::Mlcp)
    } else {
        Lcp::new(matrix, b).map(Problem::Lcp)
    };
    problem.map_err(|error| Trouble::Problem(error).at(path))
}

fn write_market(path: &Path, problem: &Problem) -> Result<(), FileError> {
    let put = |path: &Path, text: String| {
        as_whole(path, |path| std::fs::write(path, &text).map_err(|error| refused(path, error)))
    };
    let vector = |part: &str, x: &[f64]| put(&beside(path, part), market::write_vector(x));
    if let Problem::Cone(p) = problem {
        let d = uniform(&p.contacts, p.b.len()).ok_or_else(|| {
            format("MatrixMarket needs contacts of equal size, one after another").at(path)
        })?;
        vector("mu", &p.contacts.iter().map(|c| c.mu).collect::<Vec<_>>())?;
        if d == 5 {
            vector("rolling", &p.contacts.iter().map(|c| c.rolling).collect::<Vec<_>>())?;
        }
    }
    put(path, market::write(&problem.matrix().to_sparse()))?;
    vector("b", problem.b())?;
    if let Problem::Mlcp(p) = problem {
        vector("lower", &p.lower)?;
        vector("upper", &p.upper)?;
    }
    Ok(())
}

/// Writes a problem by the extension of the file, see [`save`].
pub fn write(path: &Path, problem: &Problem) -> Result<(), FileError> {
    save(path, &Content::Problem(problem.clone()))
}

/// Writes a problem by the extension of the file. .npz and .h5 (ours) hold every problem, .dat what
/// the text formats can say, .hdf5 (FCLIB) cone problems; .mtx has no global form and condenses. All but
/// the first two write contacts as the problem that they are reduced to.
pub fn save(path: &Path, content: &Content) -> Result<(), FileError> {
    let extension = path.extension().and_then(|e| e.to_str());
    if matches!((content, extension), (Content::Contacts(_), Some("dat" | "mtx" | "hdf5"))) {
        return save(path, &condensed(path, content.clone())?.into());
    }
    let bytes = match extension {
        Some("npz") => layout::write(content).to_bytes(),
        Some("dat") => match dat_write::write(content) {
            Some(text) => text.into_bytes(),
            None => return Err(format("the text format cannot hold this problem").at(path)),
        },
        Some("mtx") => return write_market(path, &condensed(path, content.clone())?),
        #[cfg(feature = "hdf5")]
        Some("hdf5") => return fclib::write(path, content),
        #[cfg(feature = "hdf5")]
        Some("h5") => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return save_all(path, &[Named { name, content: content.clone() }]);
        }
        _ => return Err(format(UNKNOWN).at(path)),
    };
    as_whole(path, |path| std::fs::write(path, &bytes).map_err(|error| refused(path, error)))
}

/// Writes problems to one .h5 file of ours.
#[cfg(feature = "hdf5")]
pub fn save_all(path: &Path, problems: &[Named]) -> Result<(), FileError> {
    if path.extension().is_none_or(|e| e != "h5") {
        return Err(format("a file of several problems must end in .h5").at(path));
    }
    collection::write(path, problems)
}
