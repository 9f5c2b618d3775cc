//! `.sol` files: what AMPL and Pyomo read back.

use std::fmt::Write;

use complementarity::Status;

use crate::nl::Nl;

/// AMPL's code for a result.
pub fn code(status: Status) -> u32 {
    match status {
        Status::Solved => 0,
        Status::NoSolution => 200,
        Status::IterationLimit => 400,
        Status::Stopped => 401,
        _ => 500,
    }
}

/// The text of a file with the values of all variables.
pub fn write(nl: &Nl, message: &str, z: &[f64], code: u32) -> String {
    let mut text = format!("{message}\n\nOptions\n{}\n", nl.options.len());
    // writing to a string cannot fail
    for option in &nl.options {
        let _ = writeln!(text, "{option}");
    }
    let _ = write!(text, "{}\n0\n{}\n{}\n", nl.constraints.len(), z.len(), z.len());
    for x in z {
        let _ = writeln!(text, "{x:?}");
    }
    let _ = writeln!(text, "objno 0 {code}");
    text
}
