//! `complementarity-ampl stub [-AMPL] [key=value ..]`: solves `stub.nl`, writes `stub.sol`.

use std::process::ExitCode;

use complementarity::solver::NoWatch;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    match complementarity_ampl::command::run(&words, &mut NoWatch) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("complementarity-ampl: {error}");
            ExitCode::FAILURE
        }
    }
}
