//! One time step. Read this file, then one folder per line.
//!
//! ```text
//! before_step -> detect -> formulate <-> solve -> integrate -> stabilize -> after_step
//! ```

use std::time::Instant;

use complementarity::{
    ProblemClass, residual,
    solver::{NoWatch, SolveError, Watch},
};

use crate::{
    collide::{self, CollisionDetector, Contact, Query},
    formulate::{self, Attempts, ContactForce, Formulation, Frame, Pass, StepMotion, Verdict},
    hook::{Hook, HookError, Last, Solve, StepData},
    integrate::{self, Integrator},
    model::Model,
    report::{SolveReport, StageTimes, StepReport},
    settings::{Epsilon, OnUnsolved, Settings},
    solve::{Solver, WarmStart},
    stabilize::{self, Stabilizer, Taken},
    state::{Retry, State},
    sweep, trap,
};

pub use crate::fault::{Cause, SetupError, Stage, StepError};

/// The stages in use. Each may be replaced between steps.
pub struct Pipeline {
    /// Stage 1.
    pub detector: Box<dyn CollisionDetector>,
    /// Stage 2.
    pub formulation: Box<dyn Formulation>,
    /// Stage 3.
    pub solver: Box<dyn Solver>,
    /// What stage 3 starts from.
    pub warm_start: WarmStart,
    /// Sees every iterate of stage 3.
    pub watch: Box<dyn Watch + Send>,
    /// Stage 4.
    pub integrator: Box<dyn Integrator>,
    /// Stage 5.
    pub stabilizer: Box<dyn Stabilizer>,
    /// Around each step.
    pub hooks: Vec<Box<dyn Hook>>,
    /// What the last step solved and did.
    pub last: Last,
}

/// A scene in motion.
pub struct Simulator {
    /// What stays.
    pub model: Model,
    /// What changes.
    pub state: State,
    /// The stages.
    pub pipeline: Pipeline,
    /// How to simulate.
    pub settings: Settings,
}

impl Simulator {
    /// Resolves every name of the settings once; an unknown one lists the known.
    pub fn new(model: Model, state: State, settings: Settings) -> Result<Self, SetupError> {
        settings.validate()?;
        let pipeline = Pipeline {
            detector: collide::make(&settings.detector)?,
            formulation: formulate::make(&settings.formulation)?,
            solver: settings.make_solver()?,
            warm_start: WarmStart::default(),
            watch: Box::new(NoWatch),
            integrator: integrate::make(&settings.integrator)?,
            stabilizer: stabilize::make(&settings.stabilization)?,
            hooks: Vec::new(),
            last: Last::default(),
        };
        // Joint friction and motors have bounds of their own.
        let class = match pipeline.formulation.class(&settings) {
            ProblemClass::Lcp if model.has_bounded_joints() => ProblemClass::Mlcp,
            class => class,
        };
        if !pipeline.solver.accepts().contains(&class) {
            return Err(SetupError::Solver(SolveError::Class {
                solver: pipeline.solver.name(),
                class,
            }));
        }
        Ok(Self { model, state, pipeline, settings })
    }

    /// Advances the state by one step: as a whole, or in several stretches where a body would pass
    /// through another on its way.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let (start, time) = (self.state.step, self.state.time);
        let Self { model, state, pipeline, settings } = self;
        pipeline.last.solve = None;
        pipeline.hooks.iter_mut().for_each(|hook| hook.before_step(model, state));
        let (mut clock, mut left) = (Clock::start(), settings.step);
        let mut taken = self.stretch(left, true, &mut clock)?;
        let mut substeps = 0;
        left -= taken.h;
        while left > SLIVER * self.settings.step {
            substeps += 1;
            self.state.step = start;
            let next = self.stretch(left, substeps < MAX_SUBSTEPS, &mut clock)?;
            left -= next.h;
            taken.join(next);
        }
        let Self { model, state, pipeline, .. } = self;
        (state.step, state.time) = (start + 1, time + self.settings.step);
        state.applied.fill(Default::default());

        let Stretch { start: begin, contacts, motion, solves, traps, .. } = taken;
        let report = StepReport {
            step: state.step,
            time: state.time,
            contacts: contacts.len(),
            constraints: motion.constraints,
            fallbacks: motion.fallbacks,
            traps,
            substeps,
            solves,
            joint_error: model.max_joint_error(state),
            seconds: clock.times,
        };
        let asked = pipeline.hooks.iter().any(|hook| hook.wants_memory(state.step));
        let memory = asked.then(|| pipeline.memory());
        let data = StepData { start: begin, contacts, motion, report, memory };
        let mut hooks = pipeline.hooks.iter_mut();
        let outcome = hooks.try_for_each(|hook| hook.after_step(model, state, &data));
        let report = data.report.clone();
        pipeline.last.data = Some(data);
        let fail =
            |e: HookError| StepError { step: start + 1, stage: Stage::Hook, cause: e.into() };
        outcome.map_err(fail).map(|()| report)
    }

    /// The stages, over `left` seconds; over less if the motion found passes through something
    /// and `cut` allows to stop before it.
    fn stretch(&mut self, left: f64, cut: bool, clock: &mut Clock) -> Result<Stretch, StepError> {
        let Self { model, state, pipeline: run, settings } = self;
        let step = state.step + 1;
        let fail = |stage| move |cause| StepError { step, stage, cause };
        let (mut h, mut solves) = (left, SolveReport::default());
        let jointed = model.joint_ids().next().is_some();
        let mut cuts = if cut && settings.epsilon == Epsilon::Auto { MAX_CUTS } else { 0 };
        if cuts > 0 {
            let look = || sweep::horizon(model, state, left, settings.step);
            h = clock.time(Stage::Detect, look);
        }
        let (contacts, motion) = loop {
            let (query, contacts) = clock
                .time(Stage::Detect, || {
                    let query = collide::query_over(model, state, settings, h);
                    run.detector.detect(model, state, &query).map(|contacts| (query, contacts))
                })
                .map_err(|e| fail(Stage::Detect)(e.into()))?;
            let found = (contacts.as_slice(), &query);
            let motion = settle((model, state, settings), found, h, run, (clock, &mut solves))?;
            let look = || sweep::cut((model, state), &motion, h, settings.step);
            let passed = (cuts > 0).then(|| clock.time(Stage::Detect, look)).flatten();
            // With joints the passes may run out for their sake, which shorter steps do not mend.
            let shortest = MIN_UNSETTLED[usize::from(contacts.len() > FEW)] * settings.step;
            let halve = cuts > 0 && motion.unsettled && h > shortest && !jointed;
            match shortened(h, passed, halve, motion.unsettled) {
                Some(t) => {
                    (h, cuts) = (t, cuts - 1);
                    // What was found is not used.
                    solves.failures = 0;
                }
                None => break (contacts, motion),
            }
        };
        let start = state.clone();
        state.retry = Retry::default();
        let short = (h != settings.step).then(|| Settings { step: h, ..settings.clone() });
        let over = short.as_ref().unwrap_or(settings);
        clock.time(Stage::Integrate, || run.integrator.integrate(model, state, &motion, over));
        let taken = Taken { before: &start.q, motion: &motion, h };
        clock
            .time(Stage::Stabilize, || run.stabilizer.stabilize(model, state, &taken))
            .map_err(|e| fail(Stage::Stabilize)(e.into()))?;
        integrate::check(model, state).map_err(|e| fail(Stage::Integrate)(e.into()))?;
        model.track_joints(state);
        let traps = trap::count(model, &start.q, state, &contacts, &motion);
        Ok(Stretch { start, contacts, motion, solves, traps, h })
    }
}

/// How long a stretch is to be planned instead of one of `h` seconds whose motion passes through
/// something after `passed`. A motion whose passes ran out may be any: where it passes through
/// something says little. So such a stretch is halved where it may be, else cut by no more than
/// [`MOST_CUT`].
fn shortened(h: f64, passed: Option<f64>, halve: bool, unsettled: bool) -> Option<f64> {
    match passed {
        _ if halve => Some(0.5 * h),
        Some(t) if unsettled => Some(t.max(MOST_CUT * h)),
        t => t,
    }
}

/// What is left at the least of a stretch whose passes ran out.
const MOST_CUT: f64 = 0.1;
/// What is left of a step below this part of it is round-off.
const SLIVER: f64 = 1e-12;
/// Stretches after which the rest of a step is taken unseen.
const MAX_SUBSTEPS: usize = 4096;
/// The part of a step down to which one is halved whose passes ran out: with few potential contacts,
/// and in piles, where short steps are dear and some pair always is in two minds.
const MIN_UNSETTLED: [f64; 2] = [1e-3, 0.1];
/// Potential contacts that are few.
const FEW: usize = 100;
/// How often one stretch may be cut shorter.
const MAX_CUTS: usize = 32;

/// A step, or a part of one.
struct Stretch {
    /// The state before it.
    start: State,
    /// Potential contacts at its start.
    contacts: Vec<Contact>,
    motion: StepMotion,
    solves: SolveReport,
    traps: usize,
    /// Its length \[s\].
    h: f64,
}

impl Stretch {
    /// Takes in the stretch that follows. Impulses are listed one stretch after the other.
    fn join(&mut self, next: Self) {
        let Self { motion, solves, traps, h, .. } = self;
        let first = motion.contacts.len();
        motion.nu = next.motion.nu;
        motion.contacts.extend(next.motion.contacts);
        motion.forces.extend(
            next.motion
                .forces
                .into_iter()
                .map(|f| ContactForce { contact: first + f.contact, ..f }),
        );
        if motion.joint_impulses.len() == next.motion.joint_impulses.len() {
            let more = next.motion.joint_impulses;
            motion.joint_impulses.iter_mut().zip(more).for_each(|(p, q)| *p += q);
        }
        let (sum, more) = (&mut motion.constraints, next.motion.constraints);
        sum.unilateral += more.unilateral;
        sum.inter += more.inter;
        sum.cross += more.cross;
        motion.fallbacks += next.motion.fallbacks;
        motion.unsettled |= next.motion.unsettled;
        solves.join(next.solves);
        *traps += next.traps;
        *h += next.h;
    }
}

/// Stages 2 and 3, again where the motion shows that joints need more than the problem knew.
fn settle(
    (model, state, settings): (&Model, &mut State, &Settings),
    (contacts, query): (&[Contact], &Query),
    h: f64,
    run: &mut Pipeline,
    (clock, solves): (&mut Clock, &mut SolveReport),
) -> Result<StepMotion, StepError> {
    let mut attempts = Attempts::default();
    state.retry = Retry::default();
    loop {
        let frame = Frame { model, state, contacts, query, h, settings };
        let motion = plan(&frame, run, clock, solves)?;
        match attempts.judge(&frame, motion) {
            Verdict::Again(retry) => state.retry = retry,
            Verdict::Take(motion, retry) => {
                state.retry = retry;
                return Ok(motion);
            }
        }
    }
}

/// Stages 2 and 3: formulate and solve, as many passes as the formulation asks for.
fn plan(
    frame: &Frame,
    run: &mut Pipeline,
    clock: &mut Clock,
    solves: &mut SolveReport,
) -> Result<StepMotion, StepError> {
    let settings = frame.settings;
    let fail = |stage, cause| StepError { step: frame.state.step + 1, stage, cause };
    let mut again = false;
    loop {
        let last = run.last.solve.as_ref().filter(|_| again);
        let last = last.and_then(|solve| solve.solution.as_ref());
        let pass = clock
            .time(Stage::Formulate, || run.formulation.formulate(frame, last))
            .map_err(|e| fail(Stage::Formulate, e.into()))?;
        let (problem, keys) = match pass {
            Pass::Solve { problem, keys } => (problem, keys),
            Pass::Done(motion) => {
                return check_finite(frame.model, motion, fail);
            }
        };
        let (z0, found) = clock.time(Stage::Solve, || {
            let guess = run.warm_start.guess(&keys);
            let found = run.solver.solve(&problem, &guess, &mut *run.watch);
            (guess, found)
        });
        let solve = run.last.solve.insert(Solve { problem, z0, solution: None });
        let found = found.map_err(|e| fail(Stage::Solve, e.into()))?;
        let (problem, solution) = (&solve.problem, solve.solution.insert(found));
        again = true;
        // The error is measured here, by one function for all solvers.
        let error = residual::natural(problem, &solution.z);
        let close = residual::accepts(problem, &solution.z, error, settings.accept_residual);
        let solved = solves.add(solution, error, close);
        if !solved && error.is_finite() && run.formulation.recovers() {
            // It will hand out a simpler problem, and report that it did.
            solves.failures -= 1;
            continue;
        }
        if !solved && (settings.on_unsolved == OnUnsolved::Stop || !error.is_finite()) {
            let cause = Cause::Unsolved { status: solution.status, residual: error };
            return Err(fail(Stage::Solve, cause));
        }
        run.warm_start.remember(keys, &solution.z);
    }
}

/// No NaN leaves the stage that made it.
fn check_finite(
    model: &Model,
    motion: StepMotion,
    fail: impl Fn(Stage, Cause) -> StepError,
) -> Result<StepMotion, StepError> {
    let width = model.dimension().dof();
    match motion.nu.iter().position(|v| !v.is_finite()) {
        None => Ok(motion),
        Some(i) => {
            let body = model.ids().find(|&id| model.dof(id) == Some(i - i % width));
            let body = body.map_or(String::new(), |id| model.body(id).name.clone());
            Err(fail(Stage::Formulate, Cause::NotFinite { body }))
        }
    }
}

/// Adds up the seconds of each stage. What goes on between two stages counts with the second of
/// them: a look at the clock is dear where a step takes microseconds.
struct Clock {
    times: StageTimes,
    last: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { times: StageTimes::default(), last: Instant::now() }
    }

    fn time<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let out = work();
        let now = Instant::now();
        let seconds = (now - self.last).as_secs_f64();
        self.last = now;
        match stage {
            Stage::Detect => self.times.detect += seconds,
            Stage::Formulate => self.times.formulate += seconds,
            Stage::Solve => self.times.solve += seconds,
            Stage::Integrate => self.times.integrate += seconds,
            Stage::Stabilize => self.times.stabilize += seconds,
            Stage::Hook => {}
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A motion that nothing settled once passed through a wall after 1e-25 s: the step that was
    /// planned up to there threw twenty bodies apart.
    #[test]
    fn a_motion_that_did_not_settle_does_not_say_where_to_cut() {
        assert_eq!(shortened(1.0, Some(1e-25), true, true), Some(0.5));
        assert_eq!(shortened(1.0, Some(1e-25), false, true), Some(0.1));
        assert_eq!(shortened(1.0, Some(1e-3), false, false), Some(1e-3));
        assert_eq!(shortened(1.0, None, true, true), Some(0.5));
        assert_eq!(shortened(1.0, None, false, true), None);
    }
}
