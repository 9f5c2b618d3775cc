//! Where something was written: a range of the scene's text, or an option of the command line.

use std::{ops::Range, sync::Arc};

/// Where a key or value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Bytes of the scene's text.
    Text(Range<usize>),
    /// An option such as `--set step=0.002`.
    Given(Arc<str>),
}

impl Place {
    /// The beginning of the text: where what is missing altogether is missing.
    pub const START: Self = Self::Text(0..0);
}

/// The text of a scene and the name of the file it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// As the user named it.
    pub file: String,
    /// The TOML text.
    pub text: String,
}

impl Source {
    /// Line and column of a byte, both from 1; columns count characters.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let before = self.before(byte);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |k| k + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The line of text that holds a byte, without its end.
    pub fn line(&self, byte: usize) -> &str {
        let start = self.before(byte).rfind('\n').map_or(0, |k| k + 1);
        self.text[start..].lines().next().unwrap_or("")
    }

    fn before(&self, byte: usize) -> &str {
        let mut end = byte.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        &self.text[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one_in_characters() {
        let source = Source { file: "s".into(), text: "a = 1\nb\u{e9} = 2\n".into() };
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(6), (2, 1));
        assert_eq!(source.position(9), (2, 3));
        assert_eq!(source.position(1000), (3, 1));
        assert_eq!(source.line(7), "b\u{e9} = 2");
        // Inside the two bytes of a letter.
        assert_eq!(source.position(8), (2, 2));
    }
}
