//! Binary `.nl` files, which AMPL's `solve` writes: the same header and the same segments as text, with numbers
//! as they lie in memory. They are turned into text, record by record, so that one reader knows what they mean.

use std::fmt::Write;

use super::ReadError;

/// Lines of the header, which are text in both.
const HEADER: usize = 10;

/// Bytes and how far they are read.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn wrong(&self, text: &str) -> ReadError {
        ReadError { place: super::Place::Byte(self.at), text: text.to_owned() }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(self.wrong("the file ends within a segment")) };
        let found = &self.bytes[self.at..end];
        self.at = end;
        Ok(found)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    fn letter(&mut self) -> Result<char, ReadError> {
        let [letter] = self.array()?;
        Ok(char::from(letter))
    }

    fn int(&mut self) -> Result<i32, ReadError> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    fn double(&mut self) -> Result<f64, ReadError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// How many records follow; each has at least `size` bytes, so that a wrong number is found here.
    fn count(&mut self, size: usize) -> Result<usize, ReadError> {
        let count = self.int()?;
        match usize::try_from(count) {
            Ok(count) if count <= (self.bytes.len() - self.at) / size => Ok(count),
            _ => Err(self.wrong(&format!("{count} records do not fit the file"))),
        }
    }

    /// Length and letters; names are not needed.
    fn skip_name(&mut self) -> Result<(), ReadError> {
        let length = self.count(1)?;
        self.take(length).map(|_| ())
    }
}

/// The text of a binary file.
pub(super) fn text(bytes: &[u8]) -> Result<String, ReadError> {
    let mut from = Bytes { bytes, at: 0 };
    let mut out = String::new();
    let mut sizes = (0, 0);
    for k in 0..HEADER {
        let rest = &bytes[from.at..];
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            return Err(from.wrong("the file ends within the header"));
        };
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        let number = |k: usize| line.split_whitespace().nth(k).and_then(|w| w.parse().ok());
        match k {
            // as in text, so that it is read as that
            0 => writeln!(out, "g{}", line.get(1..).unwrap_or("")).unwrap_or(()),
            1 => sizes = (number(0).unwrap_or(0), number(1).unwrap_or(0)),
            5 if number(2) == Some(2) => {
                return Err(from.wrong("a binary file of a big-endian machine; write text (g)"));
            }
            _ => {}
        }
        if k > 0 {
            out.push_str(&line);
            out.push('\n');
        }
        from.at += end + 1;
    }
    while from.at < bytes.len() {
        record(&mut from, sizes, &mut out)?;
    }
    Ok(out)
}

/// A segment, or one part of an expression: their letters differ.
fn record(
    from: &mut Bytes<'_>,
    (variables, constraints): (usize, usize),
    out: &mut String,
) -> Result<(), ReadError> {
    let letter = from.letter()?;
    let line = match letter {
        'n' => format!("n{:?}", from.double()?),
        's' => format!("s{}", i16::from_le_bytes(from.array()?)),
        'l' | 'v' | 'C' | 'L' => format!("{letter}{}", from.int()?),
        'o' => match from.int()? {
            // sums, minima and other lists say how many operands they have
            code @ (11 | 12 | 54) => format!("o{code}\n{}", from.int()?),
            code => format!("o{code}"),
        },
        'O' => format!("O{} {}", from.int()?, from.int()?),
        'V' => {
            let (i, terms, last) = (from.int()?, from.count(12)?, from.int()?);
            return pairs(from, &format!("V{i} {terms} {last}"), terms, out);
        }
        'J' | 'G' => {
            let (i, terms) = (from.int()?, from.count(12)?);
            return pairs(from, &format!("{letter}{i} {terms}"), terms, out);
        }
        'x' | 'd' => {
            let terms = from.count(12)?;
            return pairs(from, &format!("{letter}{terms}"), terms, out);
        }
        'k' | 'K' => {
            let columns = from.count(4)?;
            from.take(4 * columns)?;
            return Ok(());
        }
        'S' => {
            let (kind, terms) = (from.int()?, from.count(8)?);
            from.skip_name()?;
            // bit 4: real numbers, else whole ones
            from.take(terms * if kind & 4 == 0 { 8 } else { 12 })?;
            return Ok(());
        }
        'r' => return bounds(from, 'r', constraints, out),
        'b' => return bounds(from, 'b', variables, out),
        'f' | 'F' | 'h' => return Err(from.wrong("functions of one's own are not supported")),
        _ => return Err(from.wrong(&format!("no segment begins with {letter:?}"))),
    };
    out.push_str(&line);
    out.push('\n');
    Ok(())
}

/// A head, and so many lines of an index and a number.
fn pairs(
    from: &mut Bytes<'_>,
    head: &str,
    count: usize,
    out: &mut String,
) -> Result<(), ReadError> {
    out.push_str(head);
    out.push('\n');
    for _ in 0..count {
        let (i, x) = (from.int()?, from.double()?);
        writeln!(out, "{i} {x:?}").unwrap_or(());
    }
    Ok(())
}

/// Segments r and b: a digit and what it calls for, for each constraint or variable.
fn bounds(
    from: &mut Bytes<'_>,
    letter: char,
    count: usize,
    out: &mut String,
) -> Result<(), ReadError> {
    out.push(letter);
    out.push('\n');
    for _ in 0..count {
        let code = from.letter()?;
        let line = match code {
            '0' => format!("0 {:?} {:?}", from.double()?, from.double()?),
            '1' | '2' | '4' => format!("{code} {:?}", from.double()?),
            '3' => "3".to_owned(),
            '5' => format!("5 {} {}", from.int()?, from.int()?),
            _ => return Err(from.wrong(&format!("{code:?} is no code of segment {letter}"))),
        };
        out.push_str(&line);
        out.push('\n');
    }
    Ok(())
}
