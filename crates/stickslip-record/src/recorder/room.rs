//! Room on the disk, taken before HDF5 is asked to write.
//!
//! HDF5 that runs out of space halfway leaves a file that does not open. So the space of the next
//! block is filled with zeros first, through another handle: if that fails, the file is still as
//! the last flush left it.
//!
//! And HDF5 that is killed halfway may leave lists that point beyond the end of the file as its
//! head knows it, since the head is written last: such lists cannot be read. So the end in the
//! head is moved first, to the end of the room. HDF5 writes the head anew whenever the true end
//! has moved, and cuts the file only after that, so the file is never shorter than its head says.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Result, Seek, SeekFrom, Write},
    path::Path,
};

/// Beyond the numbers themselves: headers, trees, alignment \[bytes\].
const SLACK: u64 = 256 << 10;

static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

pub(super) struct Room {
    file: File,
}

impl Room {
    pub fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self { file })
    }

    /// Makes sure that the file can grow to `size` and some more.
    pub fn reserve(&mut self, size: u64) -> hdf5_metno::Result<()> {
        let mut take = || {
            self.fill(size + SLACK)?;
            let length = self.file.metadata()?.len();
            self.set_end(length)
        };
        take().map_err(|e| hdf5_metno::Error::from(format!("no room: {e}")))
    }

    fn fill(&mut self, size: u64) -> Result<()> {
        // HDF5 cuts the file to what it uses when it flushes, so its length is asked each time.
        let length = self.file.metadata()?.len();
        self.file.seek(SeekFrom::Start(length))?;
        let mut left = size.saturating_sub(length) as usize;
        while left > 0 {
            let part = left.min(ZEROS.len());
            if let Err(error) = self.file.write_all(&ZEROS[..part]) {
                self.file.set_len(length)?;
                return Err(error);
            }
            left -= part;
        }
        Ok(())
    }

    /// Writes the end of the file into its head.
    fn set_end(&mut self, end: u64) -> Result<()> {
        let mut head = [0; 16];
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_exact(&mut head)?;
        // Superblocks of the versions 0 and 1, with 8-byte addresses; later ones have a checksum,
        // and before the first flush there is none.
        let place = match (&head[..8], head[8], head[13]) {
            (b"\x89HDF\r\n\x1a\n", 0, 8) => 40,
            (b"\x89HDF\r\n\x1a\n", 1, 8) => 44,
            _ => return Ok(()),
        };
        self.file.seek(SeekFrom::Start(place))?;
        self.file.write_all(&end.to_le_bytes())
    }

    /// Gives back what is beyond the end of the data; failing to do so costs only space.
    pub fn release(&mut self, size: u64) {
        if self.set_end(size).is_ok() {
            let _ = self.file.set_len(size);
        }
    }
}
