//! The token stream and the matrix section of Siconos' text files.

use super::{Trouble, format};
use crate::problem::{Csc, Dense, Matrix};

/// Reads numbers, and whole lines where the format asks for them.
pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

/// No problem of the family is larger; a misread count must not eat the memory.
const LARGEST: usize = 10_000_000;

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn place(&self) -> String {
        let line = 1 + self.text[..self.at].bytes().filter(|b| *b == b'\n').count();
        format!("line {line}")
    }

    fn token(&mut self) -> Result<&'a str, Trouble> {
        let rest = &self.text[self.at..];
        let skip = rest.len() - rest.trim_start().len();
        let rest = &rest[skip..];
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(format(format!("{}: the file ends where a number is due", self.place())));
        }
        self.at += skip + length;
        Ok(&rest[..length])
    }

    pub(crate) fn number(&mut self) -> Result<f64, Trouble> {
        let token = self.token()?;
        token.parse().map_err(|_| format(format!("{}: {token:?} is no number", self.place())))
    }

    pub(crate) fn count(&mut self) -> Result<usize, Trouble> {
        let token = self.token()?;
        match token.parse::<usize>() {
            Ok(n) if n <= LARGEST => Ok(n),
            _ => Err(format(format!("{}: {token:?} is no sensible count", self.place()))),
        }
    }

    pub(crate) fn numbers(&mut self, n: usize) -> Result<Vec<f64>, Trouble> {
        (0..n).map(|_| self.number()).collect()
    }

    pub(crate) fn counts(&mut self, n: usize) -> Result<Vec<usize>, Trouble> {
        (0..n).map(|_| self.count()).collect()
    }

    /// The next line that is not blank.
    fn line(&mut self) -> Result<&'a str, Trouble> {
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let end = rest.find('\n').map_or(rest.len(), |e| e + 1);
            self.at += end;
            if !rest[..end].trim().is_empty() {
                return Ok(rest[..end].trim());
            }
        }
        Err(format(format!("{}: the file ends inside a matrix", self.place())))
    }

    /// `storage rows columns` and what the storage asks for.
    pub(crate) fn matrix(&mut self) -> Result<Matrix, Trouble> {
        let (storage, rows, cols) = (self.count()?, self.count()?, self.count()?);
        match storage {
            0 => {
                if (self.count()?, self.count()?) != (rows, cols) {
                    return Err(format(format!("{}: the size of a matrix changed", self.place())));
                }
                if rows.saturating_mul(cols) > 100 * LARGEST {
                    return Err(format(format!("{}: a matrix of {rows} by {cols}", self.place())));
                }
                let values = self.numbers(rows * cols)?;
                Ok(Matrix::Dense(Dense { rows, cols, values }))
            }
            1 => self.blocks(rows, cols).map(Matrix::Sparse),
            2 => self.sparse(rows, cols).map(Matrix::Sparse),
            other => Err(format(format!("{}: unknown matrix storage {other}", self.place()))),
        }
    }

    /// Storage 1: dense blocks in a compressed block-row layout, block ends cumulative.
    fn blocks(&mut self, rows: usize, cols: usize) -> Result<Csc, Trouble> {
        let n_blocks = self.count()?;
        if n_blocks == 0 {
            return Ok(Csc::from_triplets(rows, cols, &[]));
        }
        let (block_rows, block_cols) = (self.count()?, self.count()?);
        let (row_ends, col_ends) = (self.counts(block_rows)?, self.counts(block_cols)?);
        let (filled1, filled2) = (self.count()?, self.count()?);
        let (starts, columns) = (self.counts(filled1)?, self.counts(filled2)?);
        let mut entries = vec![];
        for block_row in 0..filled1.saturating_sub(1) {
            for k in starts[block_row]..starts[block_row + 1] {
                self.count()?;
                let range = |ends: &[usize], i: usize| {
                    let begin = if i == 0 { Some(0) } else { ends.get(i - 1).copied() };
                    Some(begin?..*ends.get(i)?)
                };
                let column = columns.get(k).copied().unwrap_or(usize::MAX - 1);
                let (Some(r), Some(c)) = (range(&row_ends, block_row), range(&col_ends, column))
                else {
                    return Err(format(format!(
                        "{}: block {k} is outside the matrix",
                        self.place()
                    )));
                };
                for j in c {
                    for i in r.clone() {
                        let x = self.number()?;
                        if i >= rows || j >= cols {
                            return Err(format(format!(
                                "{}: block {k} is too large",
                                self.place()
                            )));
                        }
                        entries.push((i, j, x));
                    }
                }
            }
        }
        Ok(Csc::from_triplets(rows, cols, &entries))
    }

    /// Storage 2: what CSparse prints, line by line.
    fn sparse(&mut self, rows: usize, cols: usize) -> Result<Csc, Trouble> {
        let origin = self.count()?;
        self.line()?; // the rest of this line, or the banner
        let mut header = self.line()?;
        if !header.contains("-by-") {
            header = self.line()?;
        }
        let bad = |t: &Self| format(format!("{}: not a matrix as CSparse prints it", t.place()));
        let mut entries = vec![];
        if header.starts_with("triplet") {
            let nnz = header.split("nnz:").nth(1).and_then(|s| s.trim().parse::<usize>().ok());
            for _ in 0..nnz.ok_or_else(|| bad(self))? {
                let (place, value) = split(self.line()?).ok_or_else(|| bad(self))?;
                let mut place = place.split_whitespace().map(str::parse::<usize>);
                let (Some(Ok(i)), Some(Ok(j))) = (place.next(), place.next()) else {
                    return Err(bad(self));
                };
                entries.push((i, j, value));
            }
        } else {
            let by_row = header.starts_with("csr");
            for major in 0..if by_row { rows } else { cols } {
                let line = self.line()?;
                let range = line.split("locations").nth(1).ok_or_else(|| bad(self))?;
                let mut ends = range.split("to").map(|s| s.trim().parse::<i64>());
                let (Some(Ok(first)), Some(Ok(last))) = (ends.next(), ends.next()) else {
                    return Err(bad(self));
                };
                for _ in first..=last {
                    let (minor, value) = split(self.line()?).ok_or_else(|| bad(self))?;
                    let minor: usize = minor.trim().parse().map_err(|_| bad(self))?;
                    entries.push(if by_row {
                        (major, minor, value)
                    } else {
                        (minor, major, value)
                    });
                }
            }
        }
        if !(1..=4).contains(&origin) || entries.iter().any(|e| e.0 >= rows || e.1 >= cols) {
            return Err(bad(self));
        }
        Ok(Csc::from_triplets(rows, cols, &entries))
    }
}

/// `WHERE : VALUE`.
fn split(line: &str) -> Option<(&str, f64)> {
    let (place, value) = line.split_once(':')?;
    Some((place, value.trim().parse().ok()?))
}
