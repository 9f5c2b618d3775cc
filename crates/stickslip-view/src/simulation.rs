//! The thread that simulates.

use std::{
    any::Any,
    collections::BTreeMap,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use stickslip::{
    Model, Settings, Simulator, State,
    complementarity::solver::Watch,
    geometry::Vec3,
    hook::{Hook, HookError, StepData},
    oracle,
    step::SetupError,
};
use stickslip_record::{Replay, series};

use crate::{
    command::{Change, Command},
    drag::{Drag, Grip},
    session::Session,
    status::{self, Rate, Tally},
};

/// Longest time without looking for commands or at the clock.
const NAP: Duration = Duration::from_millis(20);
/// With more bodies than this, depth and spurious contacts are measured only if asked for: a step would take
/// several times as long.
const FEW: usize = 200;

/// The simulator, its start, and what it was told.
pub(crate) struct Simulation {
    scene: String,
    simulator: Simulator,
    /// As the scene has them.
    start: (Model, State, Settings),
    session: Session,
    commands: Receiver<Command>,
    /// Ends the solve under way.
    stop: Arc<AtomicBool>,
    drag: Drag,
    running: bool,
    /// The last thing that went wrong, and how many there were.
    error: (Option<String>, u64),
    /// Clock and simulated time at which the pace was set.
    pace: (Instant, f64),
    speed: f64,
    rate: Rate,
    tally: Tally,
    /// Whether depth is measured and spurious contacts are counted.
    judge: Arc<AtomicBool>,
    /// Aims of motors that a client has set.
    aims: BTreeMap<usize, f64>,
    /// What clients are told of the settings.
    told: Value,
}

/// Puts every step into the session, with the true depth where somebody wants it.
struct Tell(Session, Arc<AtomicBool>);

impl Hook for Tell {
    fn after_step(
        &mut self,
        model: &Model,
        state: &State,
        data: &StepData,
    ) -> Result<(), HookError> {
        let judge = self.1.load(Ordering::SeqCst);
        let depth = judge.then(|| oracle::measure(model, state).depth);
        self.0.extend(|replay| {
            replay.push(model, state, Some(data));
            let place = series::SERIES.iter().position(|s| s.name == "penetration");
            if let (Some(last), Some(k), Some(depth)) = (replay.series.last_mut(), place, depth) {
                last[k] = depth;
            }
        });
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

    fn wants_iterates(&self) -> bool {
        // Where iterates must be made for the watcher alone: only at the end.
        self.0.load(Ordering::SeqCst)
    }

    fn stops(&mut self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Simulation {
    pub fn new(
        scene: &str,
        simulator: Simulator,
        session: Session,
        (commands, stop): (Receiver<Command>, Arc<AtomicBool>),
    ) -> Self {
        let few = simulator.model.bodies().len() <= FEW;
        let (model, state) = (simulator.model.clone(), simulator.state.clone());
        let mut simulation = Self {
            scene: scene.to_owned(),
            start: (model, state, simulator.settings.clone()),
            told: status::settings(&simulator),
            simulator,
            session,
            commands,
            stop,
            drag: Drag::default(),
            running: true,
            error: (None, 0),
            pace: (Instant::now(), 0.0),
            speed: 1.0,
            rate: Rate::default(),
            tally: Tally::default(),
            judge: Arc::new(AtomicBool::new(few)),
            aims: BTreeMap::new(),
        };
        let tell = Tell(simulation.session.clone(), simulation.judge.clone());
        // The spring pulls before the other hooks look.
        let drag = Box::new(simulation.drag.with_step(simulation.simulator.settings.step));
        simulation.simulator.pipeline.hooks.insert(0, drag);
        simulation.simulator.pipeline.hooks.push(Box::new(tell));
        simulation.simulator.pipeline.watch = Box::new(Stopper(simulation.stop.clone()));
        simulation
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
        let ahead = (self.simulator.state.time - time) / self.speed - clock.elapsed().as_secs_f64();
        if ahead < -0.5 {
            // Too slow for the clock: do not try to catch up.
            self.pace = (Instant::now(), self.simulator.state.time);
        }
        Duration::try_from_secs_f64(ahead.max(0.0)).unwrap_or(NAP)
    }

    fn set_pace(&mut self) {
        self.pace = (Instant::now(), self.simulator.state.time);
        self.rate.forget();
    }

    fn step(&mut self) {
        self.simulator.pipeline.count_spurious = self.judge.load(Ordering::SeqCst);
        // A defect must not leave people in front of a picture that stands still without a word.
        match catch_unwind(AssertUnwindSafe(|| self.simulator.step())) {
            Ok(Ok(report)) => {
                self.tally.failed += report.solves.failures;
                if let Some(spurious) = report.spurious {
                    self.tally.spurious = Some(self.tally.spurious.unwrap_or(0) + spurious);
                }
                self.rate.note(Instant::now(), self.simulator.state.time);
            }
            Ok(Err(error)) => {
                self.fail(error.to_string());
                self.running = false;
            }
            Err(panic) => {
                // Its stages may be in any state; bodies are where they are.
                let Simulator { model, settings, .. } = &self.simulator;
                self.rebuild(model.clone(), settings.clone());
                self.fail(format!("a defect of Stickslip ended the step: {}", said(&*panic)));
                self.running = false;
            }
        }
    }

    fn fail(&mut self, reason: String) {
        self.error = (Some(reason), self.error.1 + 1);
    }

    fn obey(&mut self, command: Command) {
        if let Some(reason) = command.refused() {
            return self.fail(reason);
        }
        match command {
            Command::Play => {
                self.error.0 = None;
                self.running = true;
                self.set_pace();
            }
            Command::Pause => self.running = false,
            Command::Step => {
                self.running = false;
                self.error.0 = None;
                self.step();
            }
            Command::Reset => self.reset(),
            Command::Settings(change) => self.change(change),
            Command::Restore => {
                self.aims.clear();
                let (model, state, settings) = self.start.clone();
                self.simulator.state.motors = state.motors;
                self.rebuild(model, settings);
            }
            Command::Motor { joint, target } => self.aim(joint, target),
            Command::Speed { speed } => {
                self.speed = speed;
                self.set_pace();
            }
            Command::Drag { body, point, target } => {
                let grip = Grip { body, point: Vec3::from(point), target: Vec3::from(target) };
                self.drag.hold(Some(grip));
            }
            Command::Release => self.drag.hold(None),
        }
    }

    /// From the start again, with the settings and aims of now.
    fn reset(&mut self) {
        self.simulator.state = self.start.1.clone();
        for (&joint, &aim) in &self.aims {
            if let Some(Some(motor)) = self.simulator.state.motors.get_mut(joint) {
                *motor = status::aimed(*motor, aim);
            }
        }
        self.tally = Tally::default();
        self.rebuild(self.simulator.model.clone(), self.simulator.settings.clone());
        self.session.restart(Replay::begin(&self.scene, &self.simulator));
        self.set_pace();
    }

    fn change(&mut self, change: Change) {
        if let Some(judge) = change.judge {
            self.judge.store(judge, Ordering::SeqCst);
            self.tally.spurious = None;
        }
        let mut settings = self.simulator.settings.clone();
        settings.step = change.step.unwrap_or(settings.step);
        settings.formulation = change.formulation.unwrap_or(settings.formulation);
        settings.solver = change.solver.unwrap_or(settings.solver);
        let mut model = self.simulator.model.clone();
        let gravity = change.gravity.map_or(Ok(()), |g| model.set_gravity(Vec3::from(g)));
        let friction = change.friction.map_or(Ok(()), |mu| model.set_friction(mu));
        let restitution = change.restitution.map_or(Ok(()), |e| model.set_restitution(e));
        match gravity.and(friction).and(restitution) {
            Ok(()) => self.rebuild(model, settings),
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn aim(&mut self, joint: usize, aim: f64) {
        let Some(Some(motor)) = self.simulator.state.motors.get_mut(joint) else {
            return self.fail(format!("joint number {joint} has no motor"));
        };
        *motor = status::aimed(*motor, aim);
        self.aims.insert(joint, aim);
        self.rebuild(self.simulator.model.clone(), self.simulator.settings.clone());
    }

    /// Goes on from the present state with another model and settings, such that nothing sleeps; refused
    /// ones change nothing. What has been shown stays.
    fn rebuild(&mut self, model: Model, settings: Settings) {
        if let Err(error) = self.try_rebuild(model, settings) {
            self.fail(error.to_string());
        }
    }

    fn try_rebuild(&mut self, model: Model, settings: Settings) -> Result<(), SetupError> {
        let mut next = Simulator::new(model, self.simulator.state.clone(), settings)?;
        let last = &mut self.simulator.pipeline;
        std::mem::swap(&mut next.pipeline.hooks, &mut last.hooks);
        std::mem::swap(&mut next.pipeline.watch, &mut last.watch);
        next.pipeline.hooks[0] = Box::new(self.drag.with_step(next.settings.step));
        self.simulator = next;
        self.error.0 = None;
        self.told = status::settings(&self.simulator);
        let run = &self.simulator;
        self.session.extend(|replay| {
            let view = &mut replay.model;
            (view.step, view.gravity) = (run.settings.step, run.model.gravity().to_array());
            view.formulation = run.pipeline.formulation.name().to_owned();
            view.solver = run.pipeline.solver.name().to_owned();
        });
        Ok(())
    }

    fn tell_status(&self) {
        let mut status = self.told.clone();
        let now = json!({
            "type": "status",
            "running": self.running,
            "step": self.simulator.state.step,
            "time": self.simulator.state.time,
            "speed": self.speed,
            "rate": self.rate.factor(),
            "failed": self.tally.failed,
            "traps": self.tally.spurious,
            "judge": self.judge.load(Ordering::SeqCst),
            "error": self.error.0,
            "errors": self.error.1,
        });
        if let (Value::Object(status), Value::Object(now)) = (&mut status, now) {
            status.extend(now);
        }
        let motors = status::motors(&self.simulator.model, &self.simulator.state);
        status["controls"]["motors"] = motors.into();
        self.session.set_status(status.to_string());
    }
}

/// The words of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given")
}

#[cfg(test)]
#[path = "simulation_tests.rs"]
mod tests;
