//! NumPy's .npz: a zip archive of .npy arrays. Only numbers, little endian; stored or deflated.

use std::collections::BTreeMap;

use super::{Trouble, format};

/// An array of numbers, the last index fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Extent along each axis; empty for a single number.
    pub shape: Vec<usize>,
    /// The numbers.
    pub values: Vec<f64>,
}

/// The arrays of an archive by name (without `.npy`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Npz {
    /// By name.
    pub arrays: BTreeMap<String, Array>,
}

/// No array of a problem is larger than this (bytes): a corrupt header must not eat the memory.
const LARGEST: usize = 1 << 31;

fn number(bytes: &[u8], at: usize, width: usize) -> Result<usize, Trouble> {
    let field = bytes.get(at..at + width).ok_or_else(|| format("the archive is cut off"))?;
    Ok(field.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b)))
}

impl Npz {
    /// Reads an archive from memory.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Trouble> {
        let end = (0..bytes.len().saturating_sub(21))
            .rev()
            .take(66_000)
            .find(|&i| bytes[i..].starts_with(b"PK\x05\x06"))
            .ok_or_else(|| format("not an npz archive (no end of central directory)"))?;
        let (count, mut at) = (number(bytes, end + 10, 2)?, number(bytes, end + 16, 4)?);
        let mut arrays = BTreeMap::new();
        for _ in 0..count {
            if !bytes.get(at..).is_some_and(|b| b.starts_with(b"PK\x01\x02")) {
                return Err(format("the central directory of the archive is damaged"));
            }
            let method = number(bytes, at + 10, 2)?;
            let (packed, size) = (number(bytes, at + 20, 4)?, number(bytes, at + 24, 4)?);
            let name_length = number(bytes, at + 28, 2)?;
            let skip = number(bytes, at + 30, 2)? + number(bytes, at + 32, 2)?;
            let header = number(bytes, at + 42, 4)?;
            let name = bytes
                .get(at + 46..at + 46 + name_length)
                .ok_or_else(|| format("the archive is cut off"))?;
            let name = String::from_utf8_lossy(name).trim_end_matches(".npy").to_owned();
            at += 46 + name_length + skip;
            let start =
                header + 30 + number(bytes, header + 26, 2)? + number(bytes, header + 28, 2)?;
            let data = bytes
                .get(start..start.saturating_add(packed))
                .ok_or_else(|| format(format!("array {name} is cut off")))?;
            if let Some(array) = member(&name, data, method, size)? {
                arrays.insert(name, array);
            }
        }
        Ok(Self { arrays })
    }

    /// The numbers of an array that must be there.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.arrays.get(name).map(|a| a.values.as_slice())
    }

    /// The archive as bytes, arrays deflated.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (mut out, mut directory) = (vec![], vec![]);
        for (name, array) in &self.arrays {
            let (file, data) = (format!("{name}.npy"), npy_bytes(array));
            let packed = miniz_oxide::deflate::compress_to_vec(&data, 8);
            let offset = out.len() as u32;
            let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0];
            for field in [crc32(&data), packed.len() as u32, data.len() as u32] {
                common.extend(field.to_le_bytes());
            }
            common.extend((file.len() as u16).to_le_bytes());
            common.extend([0, 0]);
            out.extend(b"PK\x03\x04");
            out.extend(&common);
            out.extend(file.as_bytes());
            out.extend(packed);
            directory.extend(b"PK\x01\x02\x14\x00");
            directory.extend(&common);
            directory.extend([0; 10]);
            directory.extend(offset.to_le_bytes());
            directory.extend(file.as_bytes());
        }
        let (start, count) = (out.len() as u32, self.arrays.len() as u16);
        out.extend(&directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend(count.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend((directory.len() as u32).to_le_bytes());
        out.extend(start.to_le_bytes());
        out.extend([0, 0]);
        out
    }
}

/// One member of the archive; `None` when it holds no numbers (text, objects).
fn member(name: &str, data: &[u8], method: usize, size: usize) -> Result<Option<Array>, Trouble> {
    // Deflate gains a factor of 1032 at most.
    if size > LARGEST || size / 1100 > data.len() {
        return Err(format(format!("array {name} claims {size} bytes")));
    }
    match method {
        0 => npy(name, data),
        8 => {
            let unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(data, size)
                .map_err(|e| format(format!("array {name}: {e}")))?;
            npy(name, &unpacked)
        }
        other => Err(format(format!("array {name} is compressed by unknown method {other}"))),
    }
}

fn npy(name: &str, data: &[u8]) -> Result<Option<Array>, Trouble> {
    let bad = |what: &str| format(format!("array {name}: {what}"));
    if !data.starts_with(b"\x93NUMPY") {
        return Err(bad("not a .npy array"));
    }
    let wide = data.get(6).is_some_and(|v| *v >= 2);
    let (length, start) = if wide { (number(data, 8, 4)?, 12) } else { (number(data, 8, 2)?, 10) };
    let header = data.get(start..start + length).ok_or_else(|| bad("the header is cut off"))?;
    let header = String::from_utf8_lossy(header).into_owned();
    let kind = between(&header, "'descr': '", "'").ok_or_else(|| bad("no type in the header"))?;
    let fortran = header.contains("'fortran_order': True");
    let shape = between(&header, "'shape': (", ")").ok_or_else(|| bad("no shape"))?;
    let shape: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().map_err(|_| bad("the shape is no list of whole numbers")))
        .collect::<Result<_, _>>()?;
    let count = shape.iter().try_fold(1_usize, |n, d| n.checked_mul(*d));
    let count = count.ok_or_else(|| bad("the shape is too large"))?;
    let Some(width) = width_of(kind) else { return Ok(None) };
    let body = &data[start + length..];
    if body.len() / width < count {
        return Err(bad("fewer numbers than the shape says"));
    }
    let values: Vec<f64> = body.chunks_exact(width).take(count).map(|b| decode(kind, b)).collect();
    let values = if fortran && shape.len() == 2 { transpose(&values, &shape) } else { values };
    Ok(Some(Array { shape, values }))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find(after)?])
}

fn width_of(kind: &str) -> Option<usize> {
    match kind {
        "<f8" | "<i8" | "<u8" => Some(8),
        "<f4" | "<i4" | "<u4" => Some(4),
        "<i2" | "<u2" => Some(2),
        "|i1" | "|u1" | "|b1" => Some(1),
        _ => None,
    }
}

fn decode(kind: &str, bytes: &[u8]) -> f64 {
    let bits = bytes.iter().rev().fold(0_u64, |n, b| n << 8 | u64::from(*b));
    match kind {
        "<f8" => f64::from_bits(bits),
        "<f4" => f64::from(f32::from_bits(bits as u32)),
        "<i8" => bits as i64 as f64,
        "<i4" => f64::from(bits as u32 as i32),
        "<i2" => f64::from(bits as u16 as i16),
        "|i1" => f64::from(bits as u8 as i8),
        _ => bits as f64,
    }
}

/// Column-major to row-major.
fn transpose(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let (rows, cols) = (shape[0], shape[1]);
    (0..rows).flat_map(|i| (0..cols).map(move |j| values[j * rows + i])).collect()
}

fn npy_bytes(array: &Array) -> Vec<u8> {
    let shape: String = array.shape.iter().map(|d| format!("{d},")).collect();
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    array.values.iter().for_each(|x| out.extend(x.to_le_bytes()));
    out
}

/// The checksum of zip.
fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0_u32, |mut c, b| {
        c ^= u32::from(*b);
        for _ in 0..8 {
            c = if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 };
        }
        c
    })
}
