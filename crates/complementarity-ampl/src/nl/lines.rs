//! Lines with their numbers.

use super::{Place, ReadError};

/// The lines of a file, without comments.
pub(super) struct Lines<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { lines: text.lines().collect(), at: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The next line, without its comment.
    pub(super) fn next_line(&mut self) -> Option<&'a str> {
        let line = self.lines.get(self.at)?;
        self.at += 1;
        Some(line.split('#').next().unwrap_or("").trim())
    }

    pub(super) fn needed(&mut self, what: &str) -> Result<&'a str, ReadError> {
        self.next_line().ok_or_else(|| self.wrong(&format!("the file ends before {what}")))
    }

    pub(super) fn wrong(&self, text: &str) -> ReadError {
        ReadError { place: Place::Line(self.at), text: text.to_owned() }
    }

    fn word(&self, line: &str, k: usize) -> Result<String, ReadError> {
        let found = line.split_whitespace().nth(k).map(str::to_owned);
        found.ok_or_else(|| self.wrong(&format!("{line:?} has no number {}", k + 1)))
    }

    /// The k-th number of a line, whole and not negative.
    pub(super) fn count(&self, line: &str, k: usize) -> Result<usize, ReadError> {
        let word = self.word(line, k)?;
        word.parse().map_err(|_| self.wrong(&format!("{word:?} is no whole number >= 0")))
    }

    /// The k-th number of a line.
    pub(super) fn number(&self, line: &str, k: usize) -> Result<f64, ReadError> {
        let word = self.word(line, k)?;
        match word.parse::<f64>() {
            Ok(x) if !x.is_nan() => Ok(x),
            _ => Err(self.wrong(&format!("{word:?} is no number"))),
        }
    }

    /// The same, and not infinite: what is no bound.
    pub(super) fn finite(&self, line: &str, k: usize) -> Result<f64, ReadError> {
        match self.number(line, k)? {
            x if x.is_finite() => Ok(x),
            x => Err(self.wrong(&format!("{x} is not finite"))),
        }
    }

    /// The first number of a line as an index below `end`.
    pub(super) fn index(&self, line: &str, end: usize, what: &str) -> Result<usize, ReadError> {
        let i = self.count(line, 0)?;
        if i < end {
            Ok(i)
        } else {
            Err(self.wrong(&format!("there is no {what} {i}: there are {end}")))
        }
    }

    pub(super) fn skip(&mut self, count: usize) -> Result<(), ReadError> {
        (0..count).try_for_each(|_| self.needed("the end of a segment").map(|_| ()))
    }

    /// So many lines of an index and a number.
    pub(super) fn terms(&mut self, count: usize) -> Result<Vec<(usize, f64)>, ReadError> {
        let mut found = vec![];
        for _ in 0..count {
            let line = self.needed("the end of a segment")?;
            found.push((self.count(line, 0)?, self.number(line, 1)?));
        }
        Ok(found)
    }

    /// The same with indices of variables, finite.
    pub(super) fn pairs(&mut self, count: usize, n: usize) -> Result<Vec<(usize, f64)>, ReadError> {
        let found = self.terms(count)?;
        match found.iter().find(|e| e.0 >= n || !e.1.is_finite()) {
            None => Ok(found),
            Some((i, x)) => Err(self
                .wrong(&format!("variable {i} with {x}: there are {n}, and numbers are finite"))),
        }
    }
}
