//! The thread that simulates.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::json;
use stickslip::{
    Model, Settings, Simulator, State,
    complementarity::solver::Watch,
    formulate::FORMULATIONS,
    geometry::Vec3,
    hook::{Hook, HookError, StepData},
    solve::registry,
};
use stickslip_record::Replay;

use crate::{
    drag::{Drag, Grip},
    session::Session,
};

/// Longest time without looking for commands or at the clock.
const NAP: Duration = Duration::from_millis(20);

/// What a client may ask for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Command {
    Play,
    Pause,
    Step,
    Reset,
    Settings { step: Option<f64>, formulation: Option<String>, solver: Option<String> },
    Drag { body: usize, point: [f64; 3], target: [f64; 3] },
    Release,
}

/// The simulator, its start, and what it was told.
pub(crate) struct Simulation {
    scene: String,
    simulator: Simulator,
    start: State,
    session: Session,
    commands: Receiver<Command>,
    /// Ends the solve under way.
    stop: Arc<AtomicBool>,
    drag: Drag,
    running: bool,
    error: Option<String>,
    /// Clock and simulated time at which the pace was set.
    pace: (Instant, f64),
}

/// Puts every step into the session.
struct Tell(Session);

impl Hook for Tell {
    fn after_step(
        &mut self,
        model: &Model,
        state: &State,
        data: &StepData,
    ) -> Result<(), HookError> {
        self.0.extend(|replay| replay.push(model, state, Some(data)));
        Ok(())
    }
}

/// Ends a solve when the server is stopped.
struct Stopper(Arc<AtomicBool>);

impl Watch for Stopper {
    fn iterate(&mut self, _k: usize, _z: &[f64]) -> ControlFlow<()> {
        match self.0.load(Ordering::SeqCst) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn looks(&self) -> bool {
        // Where iterates must be made for the watcher alone: only at the end.
        self.0.load(Ordering::SeqCst)
    }

    fn stops(&mut self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Steps that a client may ask for \[s\], and the farthest point to pull a body to \[m\].
const STEPS: [f64; 2] = [1e-7, 1.0];
const FARTHEST: f64 = 1e6;

impl Command {
    /// Why a command of a client is not obeyed.
    pub fn refused(&self) -> Option<String> {
        match self {
            Self::Settings { step: Some(h), .. } if !(STEPS[0]..=STEPS[1]).contains(h) => {
                Some(format!("a step of {h} s: it must be between {} and {} s", STEPS[0], STEPS[1]))
            }
            Self::Settings { formulation, solver, .. } => {
                let mut names = [formulation, solver].into_iter().flatten();
                names.any(|n| n.len() > 100).then(|| "a name that is no name".into())
            }
            Self::Drag { point, target, .. } => {
                let near = |x: &f64| x.abs() <= FARTHEST;
                let all = point.iter().chain(target).all(near);
                (!all).then(|| format!("pulled beyond {FARTHEST} m"))
            }
            _ => None,
        }
    }
}

impl Simulation {
    pub fn new(
        scene: &str,
        simulator: Simulator,
        session: Session,
        (commands, stop): (Receiver<Command>, Arc<AtomicBool>),
    ) -> Self {
        let mut simulation = Self {
            scene: scene.to_owned(),
            start: simulator.state.clone(),
            simulator,
            session,
            commands,
            stop,
            drag: Drag::default(),
            running: true,
            error: None,
            pace: (Instant::now(), 0.0),
        };
        simulation.add_hooks();
        simulation
    }

    fn add_hooks(&mut self) {
        self.simulator.pipeline.watch = Box::new(Stopper(self.stop.clone()));
        let drag = self.drag.with_step(self.simulator.settings.step);
        // The spring pulls before the other hooks look.
        self.simulator.pipeline.hooks.insert(0, Box::new(drag));
        self.simulator.pipeline.hooks.push(Box::new(Tell(self.session.clone())));
    }

    /// Until told to stop.
    pub fn run(&mut self, stop: &AtomicBool) {
        self.set_pace();
        while !stop.load(Ordering::SeqCst) {
            self.tell_status();
            let wait = self.wait();
            match self.commands.recv_timeout(wait.min(NAP)) {
                Ok(command) => self.obey(command),
                Err(RecvTimeoutError::Timeout) if wait.is_zero() => self.step(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Time until the next step is due; nothing is due while nobody looks.
    fn wait(&mut self) -> Duration {
        if !self.running || !self.session.watched() {
            self.set_pace();
            return NAP;
        }
        let (clock, time) = self.pace;
        let ahead = self.simulator.state.time - time - clock.elapsed().as_secs_f64();
        if ahead < -0.5 {
            // Too slow for the clock: do not try to catch up.
            self.set_pace();
        }
        Duration::try_from_secs_f64(ahead.max(0.0)).unwrap_or(NAP)
    }

    fn set_pace(&mut self) {
        self.pace = (Instant::now(), self.simulator.state.time);
    }

    fn step(&mut self) {
        if let Err(error) = self.simulator.step() {
            self.error = Some(error.to_string());
            self.running = false;
        }
    }

    fn obey(&mut self, command: Command) {
        if let Some(reason) = command.refused() {
            self.error = Some(reason);
            return;
        }
        match command {
            Command::Play => {
                self.error = None;
                self.running = true;
                self.set_pace();
            }
            Command::Pause => self.running = false,
            Command::Step => {
                self.running = false;
                self.error = None;
                self.step();
            }
            Command::Reset => {
                self.error = None;
                self.simulator.state = self.start.clone();
                self.rebuild(self.simulator.settings.clone());
                self.set_pace();
            }
            Command::Settings { step, formulation, solver } => {
                let mut settings = self.simulator.settings.clone();
                settings.step = step.unwrap_or(settings.step);
                settings.formulation = formulation.unwrap_or(settings.formulation);
                settings.solver = solver.unwrap_or(settings.solver);
                self.rebuild(settings);
            }
            Command::Drag { body, point, target } => {
                let grip = Grip { body, point: Vec3::from(point), target: Vec3::from(target) };
                self.drag.hold(Some(grip));
            }
            Command::Release => self.drag.hold(None),
        }
    }

    /// A simulator with these settings from the present state on; refused ones change nothing.
    fn rebuild(&mut self, settings: Settings) {
        let (model, state) = (self.simulator.model.clone(), self.simulator.state.clone());
        match Simulator::new(model, state, settings) {
            Ok(simulator) => {
                self.error = None;
                self.simulator = simulator;
                self.session.restart(Replay::begin(&self.scene, &self.simulator));
                self.add_hooks();
            }
            Err(error) => self.error = Some(error.to_string()),
        }
    }

    fn tell_status(&self) {
        let settings = &self.simulator.settings;
        let status = json!({
            "type": "status",
            "running": self.running,
            "step": self.simulator.state.step,
            "time": self.simulator.state.time,
            "h": settings.step,
            "formulation": settings.formulation,
            "solver": settings.solver,
            "formulations": FORMULATIONS.iter().map(|f| f.name).collect::<Vec<_>>(),
            "solvers": registry::names(),
            "error": self.error,
        });
        self.session.set_status(status.to_string());
    }
}

#[cfg(test)]
#[path = "simulation_tests.rs"]
mod tests;
