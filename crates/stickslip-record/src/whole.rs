//! Files that are there as a whole or not at all: written under a temporary name beside their own,
//! and renamed when they are complete.

use std::{
    fs::{self, File},
    io::{Result, Write},
    path::{Path, PathBuf},
};

/// A file being written. What was there before stays until [`WholeFile::finish`].
#[derive(Debug)]
pub struct WholeFile {
    target: PathBuf,
    /// `None` for what is no plain file (a pipe, a terminal): it is written as it is.
    temporary: Option<PathBuf>,
    file: File,
}

impl WholeFile {
    /// Makes the temporary file: if that fails, so would writing.
    pub fn create(path: &Path) -> Result<Self> {
        // A link is kept, and what it points to replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if let Ok(data) = fs::metadata(&target) {
            if data.is_dir() {
                return Err(std::io::Error::other("it is a folder"));
            }
            if !data.is_file() {
                let file = File::options().write(true).open(&target)?;
                return Ok(Self { target, temporary: None, file });
            }
            // A file that must not be written is not replaced either.
            File::options().append(true).open(&target)?;
        }
        let temporary = temporary_name(&target);
        let file = File::create(&temporary)?;
        Ok(Self { target, temporary: Some(temporary), file })
    }

    /// Writes the contents and gives the file its name.
    pub fn finish(mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes)?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        self.file.sync_data()?;
        fs::rename(temporary, &self.target)?;
        self.temporary = None;
        Ok(())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a file as a whole.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    WholeFile::create(path)?.finish(bytes)
}

/// A hidden name beside `target` that no other process uses.
pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    target.with_file_name(format!(".{name}.{}-{n}.part", std::process::id()))
}

/// Whether two names mean the same file, through links too.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let (Ok(x), Ok(y)) = (fs::metadata(a), fs::metadata(b)) else { return a == b };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (x.dev(), x.ino()) == (y.dev(), y.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = (x, y);
        fs::canonicalize(a).ok() == fs::canonicalize(b).ok()
    }
}
