//! The seal of a recording: a checksum of the whole file, behind its end.
//!
//! HDF5 keeps no checksums of most of what it writes, and its library may crash or never come back
//! from a file with a single wrong byte. So the last thing that a run does is to append 24 bytes
//! beyond the end that HDF5 knows of, which other readers never look at: a mark, the length and the
//! CRC-32 of all before. A recording that is sealed is opened only if nothing in it has changed.

use std::{
    fs::{File, OpenOptions},
    io::{BufReader, Read, Result, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use flate2::Crc;

const MARK: &[u8; 8] = b"STICKEND";
const LENGTH: u64 = 24;

/// What the seal of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seal {
    /// Every byte is as it was written.
    Whole,
    /// None: the run was killed or goes on, or another program made the file.
    None,
    /// The file has changed since it was written.
    Broken,
}

/// Checksum of the first `length` bytes.
fn sum(file: &mut File, length: u64) -> Result<u32> {
    file.seek(SeekFrom::Start(0))?;
    let mut crc = Crc::new();
    let mut reader = BufReader::with_capacity(1 << 20, file).take(length);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(crc.sum()),
            n => crc.update(&buffer[..n]),
        }
    }
}

/// Length and sum that the last bytes of a file tell, if they are a seal.
fn told(file: &mut File, size: u64) -> Result<Option<(u64, u32, u32)>> {
    if size < LENGTH {
        return Ok(None);
    }
    let mut end = [0; LENGTH as usize];
    file.seek(SeekFrom::Start(size - LENGTH))?;
    file.read_exact(&mut end)?;
    let (mark, numbers) = end.split_at(8);
    let word = |i: usize| numbers[i..i + 4].iter().rev().fold(0_u32, |n, b| n << 8 | u32::from(*b));
    let length = u64::from(word(0)) | u64::from(word(4)) << 32;
    Ok((mark == MARK).then_some((length, word(8), word(12))))
}

/// What the seal of a file says.
pub(crate) fn check(path: &Path) -> Result<Seal> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let Some((length, crc, complement)) = told(&mut file, size)? else { return Ok(Seal::None) };
    let whole = length == size - LENGTH && crc == !complement && sum(&mut file, length)? == crc;
    Ok(if whole { Seal::Whole } else { Seal::Broken })
}

/// Seals a file that is complete; an earlier seal is replaced.
pub(crate) fn close(path: &Path) -> Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut length = file.metadata()?.len();
    if told(&mut file, length)?.is_some() {
        length -= LENGTH;
        file.set_len(length)?;
    }
    let crc = sum(&mut file, length)?;
    let mut end = MARK.to_vec();
    end.extend(length.to_le_bytes());
    end.extend(crc.to_le_bytes());
    end.extend((!crc).to_le_bytes());
    file.seek(SeekFrom::Start(length))?;
    file.write_all(&end)
}

/// Takes the seal off a file that is written again: a write that fails later must not leave a seal that
/// does not hold.
pub(crate) fn open(path: &Path) -> Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    match told(&mut file, length)? {
        Some(_) => file.set_len(length - LENGTH),
        None => Ok(()),
    }
}

/// Seals a file when dropped, if told to.
pub(crate) struct SealAtEnd {
    pub path: PathBuf,
    pub ready: bool,
}

impl Drop for SealAtEnd {
    fn drop(&mut self) {
        if self.ready {
            // Without a seal the file can be read as well.
            let _ = close(&self.path);
        }
    }
}
