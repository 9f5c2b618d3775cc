//! `complementarity-ampl stub [-AMPL] [key=value ..]`: solves `stub.nl`, writes `stub.sol`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use complementarity::nonlinear::NonlinearSettings;
use complementarity::solver::NoWatch;
use complementarity_ampl::{Model, Nl, sol};

const USAGE: &str = "usage: complementarity-ampl stub[.nl] [-AMPL] [key=value ..]
Solves the complementarity problem in stub.nl (text format) and writes stub.sol.
keys: tolerance (default 1e-10), max_iterations (100), restarts (12), seed (1);
also from the environment variable complementarity_options";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("complementarity-ampl: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    if arguments.iter().any(|a| a == "-v" || a == "--version") {
        println!("complementarity-ampl {}", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    if arguments.iter().any(|a| a == "-h" || a == "--help" || a == "-=") {
        println!("{USAGE}");
        return Ok(());
    }
    let mut settings = NonlinearSettings::default();
    let from_outside = std::env::var("complementarity_options").unwrap_or_default();
    let words = from_outside.split_whitespace().chain(arguments.iter().map(String::as_str));
    let mut stub = None;
    for word in words {
        match word.split_once('=') {
            _ if word == "-AMPL" || word == "-s" => {}
            Some((key, value)) => set(&mut settings, key, value)?,
            None if word.starts_with('-') => return Err(format!("unknown {word}\n{USAGE}").into()),
            None => stub = Some(PathBuf::from(word)),
        }
    }
    solve(&stub.ok_or(USAGE)?, &settings)
}

fn set(settings: &mut NonlinearSettings, key: &str, value: &str) -> Result<(), Box<dyn Error>> {
    let wrong = |range: &str| format!("{key} = {value}, but it must be {range}");
    let count = || value.parse::<usize>().map_err(|_| wrong("a whole number >= 0"));
    match key {
        "tolerance" => {
            let x: f64 = value.parse().map_err(|_| wrong("in (0, 1)"))?;
            if !(x > 0.0 && x < 1.0) {
                return Err(wrong("in (0, 1)").into());
            }
            settings.tolerance = x;
        }
        "max_iterations" => settings.max_iterations = count()?,
        "restarts" => settings.restarts = count()?,
        "seed" => settings.seed = count()? as u64,
        _ => return Err(format!("no key {key:?}\n{USAGE}").into()),
    }
    Ok(())
}

fn solve(stub: &Path, settings: &NonlinearSettings) -> Result<(), Box<dyn Error>> {
    let named = stub.extension().is_some_and(|e| e == "nl");
    // a stub may have dots of its own
    let with = |ending: &str| {
        if named {
            return stub.with_extension(ending);
        }
        PathBuf::from(format!("{}.{ending}", stub.display()))
    };
    let path = with("nl");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        format!("{}: binary .nl files are not supported, only text", path.display())
    })?;
    let nl = Nl::read(&text).map_err(|e| format!("{}, {e}", path.display()))?;
    let model = Model::new(nl).map_err(|e| format!("{}: {e}", path.display()))?;
    let found =
        model.solve(settings, &mut NoWatch).map_err(|e| format!("{}: {e}", path.display()))?;
    let message = format!("complementarity {}: {}", env!("CARGO_PKG_VERSION"), found.reason);
    println!("{message}");
    let out = with("sol");
    let text = sol::write(model.nl(), &message, &found.z, sol::code(found.status));
    std::fs::write(&out, text).map_err(|e| format!("{}: {e}", out.display()))?;
    Ok(())
}
