//! A page that follows a simulation which somebody else steps.
//!
//! The program that owns the simulation shows its state after each step ([`Passive::show`]), asks
//! whether it may go on ([`Passive::poll`]) and lets the mouse pull ([`Passive::pull`]).

use std::{
    sync::mpsc::{Receiver, sync_channel},
    time::{Duration, Instant},
};

use serde_json::json;
use stickslip::{
    Model, State,
    geometry::Vec3,
    hook::{Hook, StepData},
};
use stickslip_record::Replay;

use crate::{
    COMMANDS, Server, ViewError,
    command::Command,
    drag::{Drag, Grip},
    session::Session,
    status::{Rate, Tally},
};

/// A page that was closed for so long is not opened again.
const GONE: Duration = Duration::from_secs(2);

/// Whether the program may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Step.
    Go,
    /// Somebody paused it.
    Wait,
    /// The page was closed.
    Closed,
}

/// The page, and what its user asked for.
pub struct Passive {
    server: Server,
    session: Session,
    commands: Receiver<Command>,
    drag: Drag,
    /// Step, time, step size and stages, as the page shows them.
    shown: (u64, f64, f64, [String; 2]),
    bodies: usize,
    running: bool,
    /// Single steps that were asked for.
    granted: u32,
    /// The last thing that was refused, and how many there were.
    error: (Option<String>, u64),
    /// The pace that the user of the page chose.
    speed: Option<f64>,
    rate: Rate,
    tally: Tally,
    /// Somebody has opened the page.
    seen: bool,
    /// Since when nobody looks.
    alone: Option<Instant>,
    /// The step for which the mouse has pulled.
    pulled: Option<u64>,
}

impl Passive {
    /// Serves a page that begins with this replay; `port` 0 takes a free one.
    pub fn start(replay: Replay, port: u16) -> Result<Self, ViewError> {
        let (sender, commands) = sync_channel(COMMANDS);
        let stages = [replay.model.formulation.clone(), replay.model.solver.clone()];
        let (step, time) = (replay.step.last().copied(), replay.time.last().copied());
        let shown = (step.unwrap_or(0), time.unwrap_or(0.0), replay.model.step, stages);
        let bodies = replay.model.bodies.len();
        let session = Session::new(replay);
        let server = Server::connected(session.clone(), sender, port)?;
        let passive = Self {
            server,
            session,
            commands,
            drag: Drag::default(),
            shown,
            bodies,
            running: true,
            granted: 0,
            error: (None, 0),
            speed: None,
            rate: Rate::default(),
            tally: Tally::default(),
            seen: false,
            alone: None,
            pulled: None,
        };
        passive.tell();
        Ok(passive)
    }

    /// Where the page is, with the token that opens it.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Whether somebody looks.
    pub fn watched(&self) -> bool {
        self.session.watched()
    }

    /// Seconds of the run in a second of the clock, if the user of the page chose.
    pub fn speed(&self) -> Option<f64> {
        self.speed
    }

    /// Whether a state cannot follow those shown: it is of an earlier time, or of other bodies.
    pub fn restarts(&self, model: &Model, state: &State) -> bool {
        state.time < self.shown.1 || model.bodies().len() != self.bodies
    }

    /// Shows a state, with the contacts of the step that led to it. One that cannot follow those
    /// before starts the page over with a replay of its own.
    pub fn show(
        &mut self,
        (model, state): (&Model, &State),
        data: Option<&StepData>,
        again: Option<Replay>,
    ) {
        match again {
            Some(replay) => {
                self.bodies = replay.model.bodies.len();
                self.session.restart(replay);
                self.rate.forget();
                self.tally = Tally::default();
            }
            None if self.restarts(model, state) => return,
            None => self.session.extend(|replay| replay.push(model, state, data)),
        }
        let new = data.filter(|_| state.step != self.shown.0);
        (self.shown.0, self.shown.1) = (state.step, state.time);
        self.rate.note(Instant::now(), state.time);
        if let Some(data) = new {
            self.tally.failed += data.report.solves.failures;
            let spurious = |n: usize| n + self.tally.spurious.unwrap_or(0);
            self.tally.spurious = data.report.spurious.map(spurious).or(self.tally.spurious);
        }
        self.tell();
    }

    /// Does what the user of the page asked for; whether the program may go on. A single step is
    /// granted once.
    pub fn poll(&mut self) -> Leave {
        while let Ok(command) = self.commands.try_recv() {
            self.obey(command);
        }
        let leave = match (self.is_open(), self.running, self.granted) {
            (false, ..) => Leave::Closed,
            (true, true, _) => Leave::Go,
            (true, false, 0) => Leave::Wait,
            (true, false, n) => {
                self.granted = n - 1;
                Leave::Go
            }
        };
        self.tell();
        leave
    }

    /// Whether the page can still be seen: it has not been opened yet, or is open, or was closed
    /// just now, as when it is loaded again.
    pub fn is_open(&mut self) -> bool {
        if self.session.watched() {
            self.seen = true;
            self.alone = None;
        } else if self.seen {
            return self.alone.get_or_insert_with(Instant::now).elapsed() < GONE;
        }
        true
    }

    /// Adds the pull of the mouse to the forces of the next step of size `h` \[s\], once.
    pub fn pull(&mut self, model: &Model, state: &mut State, h: f64) {
        if self.pulled != Some(state.step) {
            self.pulled = Some(state.step);
            self.drag.with_step(h).before_step(model, state);
        }
    }

    fn obey(&mut self, command: Command) {
        if let Some(reason) = command.refused() {
            self.error = (Some(reason), self.error.1 + 1);
            return;
        }
        self.error.0 = None;
        match command {
            Command::Play => (self.running, self.granted) = (true, 0),
            Command::Pause => {
                self.running = false;
                self.rate.forget();
            }
            Command::Step => {
                self.granted = if self.running { 1 } else { (self.granted + 1).min(1000) };
                self.running = false;
            }
            Command::Reset | Command::Settings(_) | Command::Restore | Command::Motor { .. } => {
                let reason = "the program that runs this decides that";
                self.error = (Some(reason.into()), self.error.1 + 1);
            }
            Command::Speed { speed } => {
                self.speed = Some(speed);
                self.rate.forget();
            }
            Command::Drag { body, point, target } => {
                let grip = Grip { body, point: Vec3::from(point), target: Vec3::from(target) };
                self.drag.hold(Some(grip));
            }
            Command::Release => self.drag.hold(None),
        }
    }

    fn tell(&self) {
        let (step, time, h, [formulation, solver]) = &self.shown;
        let status = json!({
            "type": "status",
            "running": self.running,
            "step": step,
            "time": time,
            "h": h,
            "formulation": formulation,
            "solver": solver,
            "formulations": [formulation],
            "solvers": [solver],
            "speed": self.speed,
            "rate": self.rate.factor(),
            "failed": self.tally.failed,
            "traps": self.tally.spurious,
            "error": self.error.0,
            "errors": self.error.1,
        });
        self.session.set_status(status.to_string());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use stickslip::{BodyInit, Dimension, ModelBuilder, Settings, Simulator, geometry::Solid};

    fn ball() -> Simulator {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        builder.add(BodyInit::new(&Solid::sphere(1.0).unwrap()).named("ball")).unwrap();
        let (model, state) = builder.build();
        let settings = Settings { threads: 1, ..Settings::default() };
        Simulator::new(model, state, settings).unwrap()
    }

    /// Pause, single steps and play decide whether the program goes on.
    #[test]
    fn the_page_decides_whether_the_loop_goes_on() {
        let simulator = ball();
        let mut page = Passive::start(Replay::begin("ball", &simulator), 0).unwrap();
        let mut after = |commands: &[Command]| {
            commands.iter().for_each(|c| page.obey(c.clone()));
            [page.poll(), page.poll()]
        };
        assert_eq!(after(&[]), [Leave::Go, Leave::Go]);
        assert_eq!(after(&[Command::Pause]), [Leave::Wait, Leave::Wait]);
        assert_eq!(after(&[Command::Step]), [Leave::Go, Leave::Wait]);
        assert_eq!(after(&[Command::Step, Command::Step]), [Leave::Go, Leave::Go]);
        assert_eq!(after(&[]), [Leave::Wait, Leave::Wait]);
        assert_eq!(after(&[Command::Play]), [Leave::Go, Leave::Go]);
        // A pace is chosen, and one that is none is refused.
        after(&[Command::Speed { speed: 0.5 }, Command::Speed { speed: -1.0 }]);
        // A step while it runs is the last one.
        assert_eq!(after(&[Command::Step]), [Leave::Go, Leave::Wait]);
        assert_eq!(page.speed(), Some(0.5));
    }

    /// The mouse pulls a body to where it points, and lets it go there.
    #[test]
    fn the_mouse_pulls_what_it_holds() {
        let mut simulator = ball();
        let mut page = Passive::start(Replay::begin("ball", &simulator), 0).unwrap();
        let (point, target) = ([0.0; 3], [0.5, 0.0, 0.0]);
        page.obey(Command::Drag { body: 0, point, target });
        let h = simulator.settings.step;
        for _ in 0..200 {
            let (model, state) = (simulator.model.clone(), &mut simulator.state);
            page.pull(&model, state, h);
            // Twice in a step is once.
            page.pull(&model, state, h);
            simulator.step().unwrap();
        }
        let x = simulator.state.q[0].position.x;
        // A critically damped spring of 12 rad/s has come within (1 + 12 t) e^(-12 t) of it.
        let t = simulator.state.time;
        let left = 0.5 * (1.0 + 12.0 * t) * (-12.0 * t).exp();
        assert!((x - 0.5).abs() < left + 1e-3, "{x} after {t} s");
        page.obey(Command::Release);
        let state = &mut simulator.state;
        page.pull(&simulator.model, state, h);
        assert_eq!(state.applied[0].force, Vec3::ZERO);
    }
}
