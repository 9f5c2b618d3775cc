//! What the user sees.

pub mod bar;
pub mod number;
pub mod progress;
pub mod recording;
pub mod table;

use std::{
    borrow::Cow,
    io::{self, Write},
    path::Path,
};

use stickslip_record::same_file;

use crate::failure::Failure;

/// Text without what a terminal obeys: names in files may hold anything. The escapes are also those
/// of JSON.
fn tame(text: &str) -> Cow<'_, str> {
    let wild = |c: char| {
        // Marks that turn the direction of writing hide what is written.
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (c.is_control() && !matches!(c, '\n' | '\t'))
    };
    if !text.contains(wild) {
        return text.into();
    }
    let text = text.replace("\r\n", "\n");
    let one = |c: char| match wild(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(one).collect::<String>().into()
}

/// No file to write may be one to read, nor another one to write: nothing is overwritten unseen.
pub fn distinct(outputs: &[&Path], inputs: &[&Path]) -> Result<(), Failure> {
    for (k, out) in outputs.iter().enumerate() {
        let shown = out.display();
        if inputs.iter().any(|input| same_file(out, input)) {
            return Err(Failure::Input(format!(
                "{shown}: it is read by this command, so it cannot be written; choose another name"
            )));
        }
        if outputs[..k].iter().any(|other| same_file(out, other)) {
            return Err(Failure::Input(format!("{shown}: two outputs cannot go to one file")));
        }
    }
    Ok(())
}

/// Writes to standard output; a reader that has gone is an error, not a panic.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(tame(text).as_bytes())?;
    out.flush()
}

/// Writes a line to standard error. When that fails there is nobody left to tell.
pub fn notice(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", tame(text));
}

#[cfg(test)]
mod tests {
    use super::tame;

    #[test]
    fn terminals_are_not_commanded_by_names() {
        assert_eq!(tame("plain, größer\n\tyes"), "plain, größer\n\tyes");
        assert_eq!(tame("\u{1b}[2Jx\u{9b}1m\u{202e}"), "\\u001b[2Jx\\u009b1m\\u202e");
        assert_eq!(tame("a\r\nb\u{7}"), "a\nb\\u0007");
        assert_eq!(tame("a\rb"), "a\\u000db");
    }
}
