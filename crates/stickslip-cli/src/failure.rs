//! How a command ends when it does not end well.

use std::{io, path::Path, process::ExitCode};

use stickslip_compare::SourceError;
use stickslip_record::RecordError;
use stickslip_scene::{NoValue, SceneError, sweep::SweepError};

use crate::output;

/// The error with the file it is about, unless it names it itself.
pub fn named(path: &Path, error: &dyn std::fmt::Display) -> String {
    let (path, text) = (path.display().to_string(), error.to_string());
    if text.contains(&path) { text } else { format!("{path}: {text}") }
}

/// Mistakes of a scene that are shown; the rest are counted.
const MOST_MISTAKES: usize = 10;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The input is wrong: exit code 2.
    Input(String),
    /// The simulation failed: exit code 1.
    Simulation(String),
    /// The answer to what was asked is no: exit code 1.
    Answer(String),
    /// The user stopped it: exit code 130.
    Interrupted(String),
    /// Nobody reads the output any more: nothing to say, and not a failure of ours.
    Unread,
    /// The output could not be written: exit code 1.
    Output(io::Error),
}

impl Failure {
    /// Says why on standard error and returns the exit code.
    pub fn exit(self) -> ExitCode {
        let (message, code) = match self {
            Self::Input(message) => (message, 2),
            Self::Simulation(message) => (format!("error: {message}"), 1),
            Self::Answer(message) => (message, 1),
            Self::Interrupted(message) => (message, 130),
            Self::Unread => return ExitCode::SUCCESS,
            Self::Output(error) => (format!("error: cannot write the output: {error}"), 1),
        };
        output::notice(&message);
        ExitCode::from(code)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unread,
            _ => Self::Output(error),
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::Simulation(error.to_string())
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Scene(error) => error.into(),
            SweepError::Value(error) => error.into(),
            SweepError::Stopped => Self::Interrupted(error.to_string()),
            SweepError::Json(_) => Self::Simulation(error.to_string()),
            SweepError::Plan(_) | SweepError::Setup { .. } => Self::Input(error.to_string()),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        let all = &error.diagnostics;
        let mut parts: Vec<String> =
            all.iter().take(MOST_MISTAKES).map(|d| d.with_snippet()).collect();
        if all.len() > MOST_MISTAKES {
            parts.push(format!("and {} more", all.len() - MOST_MISTAKES));
        }
        Self::Input(parts.join("\n"))
    }
}

impl From<NoValue> for Failure {
    fn from(error: NoValue) -> Self {
        Self::Input(error.to_string())
    }
}
