//! RGB pixels as a PNG file (ISO 15948): one header, one compressed block of rows.

use std::io::Write;

use flate2::{Compression, Crc, write::ZlibEncoder};

use crate::RecordError;

/// Each two by two pixels of a picture of even width and height as their mean.
pub(super) fn halved(pixels: &[u8], width: usize) -> Vec<u8> {
    let row = 3 * width;
    let mut out = Vec::with_capacity(pixels.len() / 4);
    for pair in pixels.chunks_exact(2 * row) {
        for at in (0..row).step_by(6).flat_map(|x| x..x + 3) {
            let four = [at, at + 3, at + row, at + row + 3].map(|i| u16::from(pair[i]));
            out.push(((four.iter().sum::<u16>() + 2) / 4) as u8);
        }
    }
    out
}

pub(super) fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, RecordError> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(6));
    for row in pixels.chunks(3 * width as usize) {
        // Filter 0: the row as it is.
        packer.write_all(&[0])?;
        packer.write_all(row)?;
    }
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Eight bits, color, the only compression and filter there are, not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &packer.finish()?);
    chunk(&mut out, b"IEND", &[]);
    Ok(out)
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let mut check = Crc::new();
    check.update(name);
    check.update(data);
    out.extend(name);
    out.extend(data);
    out.extend(check.sum().to_be_bytes());
}
