//! The command line of `complementarity-ampl`.

use std::error::Error;
use std::path::{Path, PathBuf};

use complementarity::Watch;
use complementarity::nonlinear::NonlinearSettings;

use crate::{Model, Nl, sol};

const USAGE: &str = "usage: complementarity-ampl stub[.nl] [-AMPL] [key=value ..]
Solves the complementarity problem in stub.nl (text or binary) and writes stub.sol.
keys: tolerance (default 1e-10), max_iterations (100), restarts (12), seed (1);
also from the environment variable complementarity_options";

/// Does what the words of a command line say, the first of which is the name of the program; the binary
/// `complementarity-ampl` and the script of the Python package call it. The watch can end a solve.
///
/// Under the name `pathampl` it stands in for PATH: options of PATH that mean nothing here are noted and ignored.
pub fn run(words: &[String], watch: &mut dyn Watch) -> Result<(), Box<dyn Error>> {
    let (program, arguments) = words.split_first().ok_or(USAGE)?;
    if arguments.iter().any(|a| a == "-v" || a == "--version") {
        println!("complementarity-ampl {}", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    if arguments.iter().any(|a| a == "-h" || a == "--help" || a == "-=") {
        println!("{USAGE}");
        return Ok(());
    }
    let for_path =
        Path::new(program).file_stem().is_some_and(|n| n.to_string_lossy().starts_with("path"));
    let variable = if for_path { "path_options" } else { "complementarity_options" };
    let from_outside = std::env::var(variable).unwrap_or_default();
    let mut settings = NonlinearSettings::default();
    let mut stub = None;
    for word in from_outside.split_whitespace().chain(arguments.iter().map(String::as_str)) {
        match word.split_once('=') {
            _ if word == "-AMPL" || word == "-s" => {}
            Some((key, value)) if !set(&mut settings, key, value)? => {
                if !for_path {
                    return Err(format!("no key {key:?}\n{USAGE}").into());
                }
                println!("{key} is an option of PATH without a meaning here: ignored");
            }
            Some(_) => {}
            None if word.starts_with('-') => return Err(format!("unknown {word}\n{USAGE}").into()),
            None => stub = Some(PathBuf::from(word)),
        }
    }
    solve(&stub.ok_or(USAGE)?, &settings, watch)
}

/// Whether there is such a key. PATH's words for the first two are known as well.
fn set(settings: &mut NonlinearSettings, key: &str, value: &str) -> Result<bool, Box<dyn Error>> {
    let wrong = |range: &str| format!("{key} = {value}, but it must be {range}");
    let count = || value.parse::<usize>().map_err(|_| wrong("a whole number >= 0"));
    match key {
        "tolerance" | "convergence_tolerance" => {
            let x: f64 = value.parse().map_err(|_| wrong("in (0, 1)"))?;
            if !(x > 0.0 && x < 1.0) {
                return Err(wrong("in (0, 1)").into());
            }
            settings.tolerance = x;
        }
        "max_iterations" | "major_iteration_limit" => settings.max_iterations = count()?,
        "restarts" => settings.restarts = count()?,
        "seed" => settings.seed = count()? as u64,
        _ => return Ok(false),
    }
    Ok(true)
}

fn solve(
    stub: &Path,
    settings: &NonlinearSettings,
    watch: &mut dyn Watch,
) -> Result<(), Box<dyn Error>> {
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
    let nl = Nl::from_bytes(&bytes).map_err(|e| format!("{}, {e}", path.display()))?;
    let model = Model::new(nl).map_err(|e| format!("{}: {e}", path.display()))?;
    let found = model.solve(settings, watch).map_err(|e| format!("{}: {e}", path.display()))?;
    let message = format!("complementarity {}: {}", env!("CARGO_PKG_VERSION"), found.reason);
    println!("{message}");
    let out = with("sol");
    let text = sol::write(model.nl(), &message, &found.z, sol::code(found.status));
    std::fs::write(&out, text).map_err(|e| format!("{}: {e}", out.display()))?;
    Ok(())
}
