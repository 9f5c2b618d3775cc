//! `stickslip run`: simulates a scene.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use stickslip::{
    Simulator,
    collide::CollideError,
    formulate::FormulateError,
    run::Runner,
    step::{Cause, StepError},
};
use stickslip_scene::Scene;

use super::{interrupt, select::Select};
use crate::{
    failure::Failure,
    output::{self, progress::Progress, recording::Files, table},
};

/// Simulate a scene and report what happened.
///
/// A progress bar shows on a terminal; a table of results follows at the end. Ctrl-C finishes the
/// step under way and reports what was done.
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    select: Select,
    #[command(flatten)]
    files: Files,
    /// Print one JSON object on standard output in place of the table
    #[arg(long)]
    json: bool,
    /// Print errors and, with --json, the result; nothing else
    #[arg(long, short)]
    quiet: bool,
    /// Do not measure true overlap after every step: faster, and max_penetration is not known
    #[arg(long)]
    no_oracle: bool,
}

/// How a run came to its end.
enum End {
    Done,
    Interrupted,
    Failed(StepError),
}

impl Run {
    pub fn execute(&self) -> Result<(), Failure> {
        let interrupted = interrupt::flag()?;
        self.files.check(&self.select.scene)?;
        let scene = self.select.open(self.quiet)?;
        let mut simulator = self.simulator(&scene)?;
        self.files.resume(&mut simulator)?;
        let recording = self.files.attach(&scene, &mut simulator)?;
        let mut runner = Runner::new(simulator);
        runner.judge = !self.no_oracle;

        let end = drive(&mut runner, self.quiet, &interrupted);
        if let End::Failed(error) = &end
            && is_bad_input(error)
        {
            return Err(Failure::Input(format!("{}: {}", self.select.scene, error.cause)));
        }
        // What cannot be written must not hide what was simulated: the report comes first.
        let failed = match &end {
            End::Failed(error) => recording.failed(&mut runner.simulator, &error.to_string()),
            _ => Ok(()),
        };
        let (files, finished) = recording.finish();
        self.report(&runner, &scene.name, &files)?;

        let (steps, time) = (runner.simulator.state.step, runner.simulator.state.time);
        match end {
            End::Done => Ok(finished?),
            End::Interrupted => {
                let message = format!("interrupted after step {steps}, at time {time} s");
                Err(Failure::Interrupted(message))
            }
            End::Failed(error) => {
                let mut done = format!("{error}; {steps} steps were done, up to time {time} s");
                // Where recording itself was what failed, the reason is there already.
                if let Some(more) = failed.and(finished).err().map(|e| e.to_string())
                    && !matches!(error.cause, Cause::Hook(_))
                {
                    done.push_str(&format!("; {more}"));
                }
                Err(Failure::Simulation(done))
            }
        }
    }

    fn simulator(&self, scene: &Scene) -> Result<Simulator, Failure> {
        let (model, state) = (scene.model.clone(), scene.state.clone());
        Simulator::new(model, state, scene.settings.clone())
            .map_err(|error| Failure::Input(format!("{}: {error}", self.select.scene)))
    }

    /// Prints what was done, and which files were written.
    fn report(&self, runner: &Runner, scene: &str, files: &[String]) -> Result<(), Failure> {
        let summary = runner.summary(scene);
        if self.json {
            let json = serde_json::to_string(&summary)
                .map_err(|error| Failure::Simulation(format!("cannot write JSON: {error}")))?;
            output::print(&format!("{json}\n"))?;
        } else if !self.quiet {
            let mut text = table::render(&summary, &runner.simulator.model);
            files.iter().for_each(|line| text.push_str(&format!("{line}\n")));
            output::print(&text)?;
        }
        Ok(())
    }
}

/// A combination of settings that no step can serve is the user's to change.
fn is_bad_input(error: &StepError) -> bool {
    let unsupported = matches!(
        &error.cause,
        Cause::Formulate(FormulateError::Unsupported { .. })
            | Cause::Collide(CollideError::Unsupported { .. })
    );
    unsupported && error.step == 1
}

fn drive(runner: &mut Runner, quiet: bool, interrupted: &AtomicBool) -> End {
    let steps = runner.simulator.settings.steps();
    let progress = Progress::start(steps, quiet);
    while runner.simulator.state.step < steps {
        if interrupted.load(Ordering::SeqCst) {
            return End::Interrupted;
        }
        match runner.step() {
            Ok(report) => progress.show(&report),
            Err(error) => return End::Failed(error),
        }
    }
    End::Done
}
