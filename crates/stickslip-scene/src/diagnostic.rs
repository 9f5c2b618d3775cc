//! What is wrong with a scene, where, and what would be right.

use std::fmt;

use crate::place::{Place, Source};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The scene cannot be simulated.
    Error,
    /// The scene can be simulated, but perhaps not as meant.
    Warning,
}

/// One thing wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file as the user named it, or the option of the command line.
    pub origin: String,
    /// Line and column in the file, from 1; `None` for an option of the command line.
    pub position: Option<(usize, usize)>,
    /// Full path of the key, such as `body.peg.friction`; empty if it is about no key.
    pub key: String,
    /// Whose fault it is, such as `body "peg"`; empty at the top of the file.
    pub subject: String,
    /// What is wrong.
    pub message: String,
    /// What would be right; may be empty.
    pub remedy: String,
    /// The line of text, with the number of characters concerned; empty for an option.
    snippet: (String, usize),
}

/// `file:line:column: subject: message; remedy`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.origin)?;
        if let Some((line, column)) = self.position {
            write!(f, "{line}:{column}:")?;
        }
        if self.severity == Severity::Warning {
            write!(f, " warning:")?;
        }
        if !self.subject.is_empty() {
            write!(f, " {}:", self.subject)?;
        }
        write!(f, " {}", self.message)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

impl Diagnostic {
    /// The message, and below it the line of the file with the place underlined.
    pub fn with_snippet(&self) -> String {
        let (Some((line, column)), false) = (self.position, self.snippet.0.is_empty()) else {
            return self.to_string();
        };
        let (text, length) = &self.snippet;
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs are kept, so that the underline stands below the text whatever their width.
        let indent: String =
            text.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
        let underline = "^".repeat((*length).max(1));
        format!("{self}\n  {number} | {text}\n  {margin} | {indent}{underline}")
    }
}

/// Collects what is wrong with one scene.
#[derive(Debug)]
pub(crate) struct Log<'a> {
    source: &'a Source,
    found: Vec<(usize, Diagnostic)>,
}

/// Whose key it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    /// For people, such as `body "peg"`.
    pub name: String,
    /// Path of keys from the top of the file, such as `body.peg`.
    pub path: String,
    /// Path of keys from the subject, such as `shape`; empty for its own keys.
    pub inner: String,
}

impl Subject {
    /// A subject whose name and path are known.
    pub fn new(name: impl Into<String>, path: impl Into<String>) -> Self {
        Self { name: name.into(), path: path.into(), inner: String::new() }
    }

    /// A table within this subject.
    pub fn within(&self, key: &str) -> Self {
        Self { inner: join(&self.inner, key), ..self.clone() }
    }

    /// How a message names a key: from the subject on.
    pub fn local(&self, key: &str) -> String {
        join(&self.inner, key)
    }

    fn full(&self, key: &str) -> String {
        join(&self.path, &self.local(key))
    }
}

fn join(a: &str, b: &str) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.into(),
        (_, true) => a.into(),
        _ => format!("{a}.{b}"),
    }
}

impl<'a> Log<'a> {
    pub fn new(source: &'a Source) -> Self {
        Self { source, found: Vec::new() }
    }

    /// An error about `key` of `subject`.
    pub fn error(
        &mut self,
        place: &Place,
        subject: &Subject,
        key: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.push(Severity::Error, place, (subject, key), message.into(), remedy.into());
    }

    /// A warning about `key` of `subject`.
    pub fn warning(
        &mut self,
        place: &Place,
        subject: &Subject,
        key: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.push(Severity::Warning, place, (subject, key), message.into(), remedy.into());
    }

    fn push(
        &mut self,
        severity: Severity,
        place: &Place,
        about: (&Subject, &str),
        message: String,
        remedy: String,
    ) {
        let (origin, position, snippet, order) = match place {
            Place::Given(option) => (option.to_string(), None, (String::new(), 0), usize::MAX),
            Place::Text(range) => {
                let (line, column) = self.source.position(range.start);
                let text = self.source.line(range.start).to_owned();
                let room = text.chars().count().saturating_sub(column - 1);
                let length = self.source.text.get(range.clone()).map_or(1, |s| s.chars().count());
                let snippet = (text, length.min(room));
                (self.source.file.clone(), Some((line, column)), snippet, range.start)
            }
        };
        let (subject, key) = (about.0.name.clone(), about.0.full(about.1));
        let found =
            Diagnostic { severity, origin, position, key, subject, message, remedy, snippet };
        // The same fault found on two ways is told once.
        if !self.found.iter().any(|(_, d)| *d == found) {
            self.found.push((order, found));
        }
    }

    /// The line of a place in the text.
    pub fn line(&self, place: &Place) -> Option<usize> {
        match place {
            Place::Text(range) => Some(self.source.position(range.start).0),
            Place::Given(_) => None,
        }
    }

    /// Whether anything found is an error.
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|(_, d)| d.severity == Severity::Error)
    }

    /// Everything found, in the order of the text, options last.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|(order, _)| *order);
        self.found.into_iter().map(|(_, d)| d).collect()
    }
}
