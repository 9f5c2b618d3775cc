//! Room on the disk, taken before HDF5 is asked to write.
//!
//! HDF5 that runs out of space halfway leaves a file that does not open. So the space of the next
//! block is filled with zeros first, through another handle: if that fails, the file is still as
//! the last flush left it.

use std::{
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::Path,
};

/// Beyond the numbers themselves: headers, trees, alignment \[bytes\].
const SLACK: u64 = 256 << 10;

pub(super) struct Room {
    file: File,
}

impl Room {
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().write(true).open(path)?;
        Ok(Self { file })
    }

    /// Makes sure that the file can grow to `size` and some more.
    pub fn reserve(&mut self, size: u64) -> hdf5_metno::Result<()> {
        self.fill(size + SLACK).map_err(|e| hdf5_metno::Error::from(format!("no room: {e}")))
    }

    fn fill(&mut self, size: u64) -> std::io::Result<()> {
        // HDF5 cuts the file to what it uses when it flushes, so its length is asked each time.
        let length = self.file.metadata()?.len();
        let zeros = vec![0; size.saturating_sub(length) as usize];
        self.file.seek(SeekFrom::Start(length))?;
        if let Err(error) = self.file.write_all(&zeros) {
            self.file.set_len(length)?;
            return Err(error);
        }
        Ok(())
    }

    /// Gives back what is beyond the end of the data; failing to do so costs only space.
    pub fn release(&mut self, size: u64) {
        let _ = self.file.set_len(size);
    }
}
