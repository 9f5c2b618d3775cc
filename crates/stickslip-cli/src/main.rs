//! The `stickslip` command: reads options, calls the library, prints what it says.
//!
//! Each sub-command has its file in `commands/`.

mod commands;
mod failure;
mod output;

use std::process::ExitCode;

use clap::{
    CommandFactory, Parser, Subcommand,
    error::{ContextKind, ContextValue},
};
use stickslip_scene::closest;

use commands::{
    check, compare, experiment, export, new, plot, probe, problems, render, run, scenes, shell,
    soak, stability, sweep, view,
};
use failure::Failure;

/// Rigid bodies in contact, with exact geometry and true Coulomb friction.
#[derive(Debug, Parser)]
#[command(name = "stickslip", version, about, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  stickslip scenes                          list the built-in scenes
  stickslip run peg-in-hole                 simulate one and print a table of results
  stickslip run my.toml --json              the same as one JSON object
  stickslip run my.toml --set step=0.002 --set body.peg.friction=0.2
  stickslip new my                          write my.toml, a commented scene to begin with
  stickslip scenes peg-in-hole > my.toml    or start from a built-in one
  stickslip check my.toml                   say what is wrong with it
  stickslip view peg-in-hole                watch it live in the browser
  stickslip render arm -o arm.mp4           a film of it; .gif and .png too
  stickslip run my.toml --record my.h5 && stickslip plot my.h5 --what position.z --body peg -o z.svg
  stickslip problems record box-stack --every 20 --out problems/
  stickslip compare problems/ --html report.html
  stickslip stability arch --tilt y         can these blocks rest, and what brings them down
  stickslip experiment all --quick          repeat the papers' experiments

Exit codes: 0 done, 1 the simulation failed, 2 bad input, 130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    New(new::New),
    Check(check::Check),
    Scenes(scenes::Scenes),
    View(view::View),
    Render(render::Render),
    Export(export::Export),
    Plot(plot::Plot),
    Problems(problems::Problems),
    Compare(compare::Compare),
    Experiment(experiment::RunExperiment),
    Sweep(sweep::Sweep),
    Soak(soak::Soak),
    Stability(stability::Judge),
    Completions(shell::Completions),
    Man(shell::Man),
    #[command(hide = true)]
    Probe(probe::Probe),
}

/// Names the command that was meant where letters of a short one were swapped: clap itself finds no such.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let arguments = Arguments::command();
    let names = arguments.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| c.get_name());
    let meant = closest(given, names).map(str::to_owned);
    if let (Some(name), None) = (meant, error.get(ContextKind::SuggestedSubcommand)) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![name]));
    }
    error
}

fn main() -> ExitCode {
    probe::register();
    let done = match Arguments::try_parse().unwrap_or_else(|e| with_tip(e).exit()).command {
        Command::Run(command) => command.execute(),
        Command::New(command) => command.execute(),
        Command::Check(command) => command.execute(),
        Command::Scenes(command) => command.execute(),
        Command::View(command) => command.execute(),
        Command::Render(command) => command.execute(),
        Command::Export(command) => command.execute(),
        Command::Plot(command) => command.execute(),
        Command::Problems(command) => command.execute(),
        Command::Compare(command) => command.execute(),
        Command::Experiment(command) => command.execute(),
        Command::Sweep(command) => command.execute(),
        Command::Soak(command) => command.execute(),
        Command::Stability(command) => command.execute(),
        Command::Completions(command) => command.execute(Arguments::command()),
        Command::Man(command) => command.execute(Arguments::command()),
        Command::Probe(command) => command.execute(),
    };
    done.map_or_else(Failure::exit, |()| ExitCode::SUCCESS)
}
