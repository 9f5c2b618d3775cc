//! The header of a .ply file: which elements follow, and how they are stored.

use super::{Fault, Place, shown};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl Scalar {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::Signed(1),
            "short" | "int16" => Self::Signed(2),
            "int" | "int32" => Self::Signed(4),
            "uchar" | "uint8" => Self::Unsigned(1),
            "ushort" | "uint16" => Self::Unsigned(2),
            "uint" | "uint32" => Self::Unsigned(4),
            "float" | "float32" => Self::Float(4),
            "double" | "float64" => Self::Float(8),
            _ => return None,
        })
    }

    /// Bytes of one value.
    pub(super) fn size(self) -> usize {
        let (Self::Signed(n) | Self::Unsigned(n) | Self::Float(n)) = self;
        n
    }

    /// The value of so many bytes, most significant first.
    pub(super) fn value(self, bytes: &[u8]) -> f64 {
        let bits = bytes.iter().fold(0_u64, |n, &b| n << 8 | u64::from(b));
        match self {
            Self::Unsigned(_) => bits as f64,
            Self::Signed(n) => {
                let unused = 64 - 8 * n as u32;
                ((bits << unused) as i64 >> unused) as f64
            }
            Self::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Self::Float(_) => f64::from_bits(bits),
        }
    }
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    /// Type of the count that precedes a list.
    pub(super) count: Option<Scalar>,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Bytes up to the data.
    pub(super) length: usize,
    /// Lines up to the data.
    pub(super) lines: usize,
}

const REMEDY: &str = "begin with `ply`, `format ascii 1.0` (or binary_little_endian, \
                      binary_big_endian), `element` and `property` lines, `end_header`";

pub(super) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    let mut header = Header { encoding: Encoding::Text, elements: vec![], length: 0, lines: 0 };
    let mut format = false;
    loop {
        let rest = &bytes[header.length..];
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            let place = Place::Line(header.lines + 1);
            return Err(Fault::new(place, "the header has no end", REMEDY));
        };
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        header.length += end + 1;
        header.lines += 1;
        let place = Place::Line(header.lines);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ply"] if header.lines == 1 => {}
            _ if header.lines == 1 => {
                return Err(Fault::new(place, "the file does not begin with `ply`", REMEDY));
            }
            ["format", name, _] => {
                header.encoding = encoding(name, place)?;
                format = true;
            }
            [] | ["comment" | "obj_info", ..] => {}
            ["element", name, count] => header.elements.push(element(name, count, place)?),
            ["property", rest @ ..] => property(&mut header.elements, rest, place)?,
            ["end_header"] if format => return Ok(header),
            _ => {
                let what = format!("`{}` does not fit here", shown(&line));
                return Err(Fault::new(place, what, REMEDY));
            }
        }
    }
}

fn encoding(name: &str, place: Place) -> Result<Encoding, Fault> {
    match name {
        "ascii" => Ok(Encoding::Text),
        "binary_little_endian" => Ok(Encoding::Little),
        "binary_big_endian" => Ok(Encoding::Big),
        _ => Err(Fault::new(place, format!("unknown format `{}`", shown(name)), REMEDY)),
    }
}

fn element(name: &str, count: &str, place: Place) -> Result<Element, Fault> {
    let count = count.parse().map_err(|_| {
        let what = format!("`{}` is not a number of elements", shown(count));
        Fault::new(place, what, "write a whole number")
    })?;
    Ok(Element { name: name.into(), count, properties: vec![] })
}

fn property(elements: &mut [Element], words: &[&str], place: Place) -> Result<(), Fault> {
    let scalar = |name: &str| {
        Scalar::of(name).ok_or_else(|| {
            let what = format!("unknown type `{}`", shown(name));
            Fault::new(place, what, "use char, uchar, short, ushort, int, uint, float or double")
        })
    };
    let (name, kind, count) = match words {
        ["list", count, kind, name] => (name, scalar(kind)?, Some(scalar(count)?)),
        [kind, name] => (name, scalar(kind)?, None),
        _ => return Err(Fault::new(place, "a property without type or name", REMEDY)),
    };
    let Some(element) = elements.last_mut() else {
        return Err(Fault::new(place, "a property before any element", REMEDY));
    };
    element.properties.push(Property { name: (*name).into(), scalar: kind, count });
    Ok(())
}
