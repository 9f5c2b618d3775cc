//! One page that holds the viewer and the data.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use super::{Message, Replay};
use crate::RecordError;

/// The viewer as `npm run build` makes it; a copy is kept in the repository, and
/// `viewer/check-dist.sh` tells whether it is up to date.
const PAGE: &str = include_str!("../../assets/viewer.html");

const SLOT: &str = "<!--stickslip:data-->";

/// What a live server replaces to make the page connect: the root element.
pub const LIVE_PAGE_MARK: &str = "<html lang=\"en\">";

/// The viewer without data.
pub fn page() -> &'static str {
    PAGE
}

/// The viewer with these recordings, side by side if there are several. It opens from a file,
/// without a network.
pub fn html(replays: &[Replay]) -> Result<String, RecordError> {
    let mut elements = String::new();
    for replay in replays {
        let mut packer = GzEncoder::new(Vec::new(), Compression::new(6));
        packer.write_all(&replay.container(Message::Recording, 0)?)?;
        elements.push_str("<script type=\"application/x-stickslip\" data-encoding=\"gzip\">");
        push_base64(&mut elements, &packer.finish()?);
        elements.push_str("</script>\n");
    }
    Ok(PAGE.replacen(SLOT, &elements, 1))
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the base64 of `bytes` (RFC 4648, padded).
pub(crate) fn push_base64(out: &mut String, bytes: &[u8]) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(*chunk.get(i).unwrap_or(&0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(LETTERS[(word >> (18 - 6 * i)) as usize & 63] as char);
            } else {
                out.push('=');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648.
    #[test]
    fn base64_of_the_rfc() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in cases {
            let mut out = String::new();
            push_base64(&mut out, plain.as_bytes());
            assert_eq!(out, coded);
        }
    }

    #[test]
    fn the_page_has_one_place_for_data_and_asks_nothing_of_the_network() {
        assert_eq!(PAGE.matches(SLOT).count(), 1);
        assert_eq!(PAGE.matches(LIVE_PAGE_MARK).count(), 1);
        for tag in ["<script src", "<link rel=\"stylesheet\"", "@import"] {
            assert!(!PAGE.contains(tag), "{tag}");
        }
        assert!(PAGE.len() < 1_000_000, "{} bytes", PAGE.len());
    }
}
