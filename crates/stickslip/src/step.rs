//! One time step. Read this file, then one folder per stage.
//!
//! ```text
//! before_step -> detect -> formulate, solve -> integrate -> stabilize -> after_step
//! ```

use std::ops::ControlFlow;

use complementarity::{
    ProblemClass,
    solver::{NoWatch, SolveError, Watch},
};
use stickslip_geometry::tolerance::ROUND_OFF;

use crate::{
    clear::Clear,
    clock::Clock,
    collide::{
        self, Candidates, CollideError, CollisionDetector, Contact, Margin, PartId, Query, margin,
    },
    dynamics::{AddedConstraints, Attempts, SharedMechanism},
    formulate::{self, ContactForce, FormulateError, Formulation, Frame, StepMotion},
    hook::{Hook, HookError, Last, StepData},
    integrate::{self, Integrator},
    model::Model,
    report::{SolveReport, StepReport},
    settings::{Epsilon, Settings},
    solve::{Solver, Solving, WarmStart},
    spurious,
    stabilize::{self, Stabilizer, Taken},
    state::{State, change_velocities},
    substep::{self, Substep},
    sweep,
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
    /// Whether spurious contacts are counted ([`StepReport::spurious`]). That is a diagnosis and
    /// may take longer than the step itself. Default false; hooks may ask for it as well.
    pub count_spurious: bool,
    /// What stage 1 found last: pairs that may touch, and contacts.
    pub candidates: Candidates,
    /// How far it looked, and its buffers.
    query: (Query, Margin),
    /// Whether nothing can be near.
    pub(crate) clear: Clear,
    /// Memory of a state that is no longer needed.
    pub(crate) spare: Option<State>,
    /// Memory of velocities, for steps without a problem.
    pub(crate) spare_nu: Vec<f64>,
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
            candidates: Candidates::default(),
            query: Default::default(),
            clear: Clear::default(),
            spare: None,
            spare_nu: Vec::new(),
            count_spurious: false,
        };
        // Joint friction and motors have bounds of their own.
        let class = match pipeline.formulation.class(&settings) {
            ProblemClass::Lcp if model.has_bounded_joints() => ProblemClass::Mlcp,
            class => class,
        };
        formulate::check_torques(&model, &settings, pipeline.formulation.as_ref())?;
        if !pipeline.solver.accepts().contains(&class) {
            return Err(SetupError::Solver(SolveError::Class {
                solver: pipeline.solver.name(),
                class,
            }));
        }
        Ok(Self { model, state, pipeline, settings })
    }

    /// Advances the state by one step: as a whole, or in several substeps where a body would pass
    /// through another on its way.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let (start, time) = (self.state.step, self.state.time);
        let Self { model, state, pipeline, settings } = self;
        pipeline.last.solve = None;
        pipeline.hooks.iter_mut().for_each(|hook| hook.before_step(model, state));

        let (mut clock, mut left) = (Clock::start(), settings.step);
        let mut taken = self.substep((left, left), true, &mut clock)?;
        let mut substeps = 0;
        let mut last = taken.h;
        left -= last;
        while left > ROUND_OFF * self.settings.step {
            substeps += 1;
            self.state.step = start;
            let cut = substeps + clock.solves < substep::MAX_TRIALS;
            let next = self.substep((left, 2.0 * last), cut, &mut clock)?;
            last = next.h;
            left -= last;
            taken.join(next);
        }

        let Self { model, state, pipeline, .. } = self;
        (state.step, state.time) = (start + 1, time + self.settings.step);
        state.applied.fill(Default::default());
        let Part { start: begin, contacts, motion, solves, spurious, .. } = taken;
        let report = StepReport {
            step: state.step,
            time: state.time,
            contacts: contacts.len().max(motion.contacts.len()),
            constraints: motion.constraints,
            fallbacks: motion.fallbacks,
            spurious,
            substeps,
            solves,
            joint_error: model.max_joint_error(state),
            judging: clock.judging,
            seconds: clock.times,
        };
        let asked = pipeline.hooks.iter().any(|hook| hook.wants_memory(state.step));
        let memory = asked.then(|| pipeline.memory());
        let data = StepData { start: begin, contacts, motion, report, memory };
        let mut hooks = pipeline.hooks.iter_mut();
        let outcome = hooks.try_for_each(|hook| hook.after_step(model, state, &data));
        let report = data.report.clone();
        if let Some(mut old) = pipeline.last.data.replace(data) {
            if pipeline.spare_nu.capacity() == 0 {
                pipeline.spare_nu = std::mem::take(&mut old.motion.nu);
            }
            pipeline.formulation.reuse(old.motion);
            pipeline.spare = Some(old.start);
        }
        let fail =
            |e: HookError| StepError { step: start + 1, stage: Stage::Hook, cause: e.into() };
        outcome.map_err(fail).map(|()| report)
    }

    /// The stages one after the other, over `left` seconds; over less if the motion found passes
    /// through something and `cut` allows to stop before it. A substep that may be cut is tried with no more
    /// than `longest` seconds.
    fn substep(
        &mut self,
        (left, longest): (f64, f64),
        cut: bool,
        clock: &mut Clock,
    ) -> Result<Part, StepError> {
        let Self { model, state, pipeline: run, settings } = self;
        let step = state.step + 1;
        let fail = |stage| move |cause| StepError { step, stage, cause };
        // Published formulations keep the steps that they were published with.
        let may = (cut, !run.formulation.starts_from_features());
        let mut length = Substep::new((model, state), settings, (left, longest), may);
        let mut solves = SolveReport::default();
        let (mut query, mut margin) = std::mem::take(&mut run.query);
        let (motion, h) = loop {
            // Detect.
            let scene = (&*model, &*state, &*settings);
            let found = run.search_for(&mut length, scene, (&mut query, &mut margin));
            let clear = found.map_err(|e| fail(Stage::Detect)(e.into()))?;
            clock.charge(Stage::Detect);
            if let Some(part) = run.free_motion(model, state, settings, length.h) {
                clock.charge(Stage::Integrate);
                integrate::check(model, state).map_err(|e| fail(Stage::Integrate)(e.into()))?;
                run.query = (query, margin);
                return Ok(part);
            }
            // Formulate and solve.
            if clear {
                query.renew(&mut margin, (model, state), settings, length.h);
            }
            let scene = (&*model, &*state, &*settings);
            let motion = plan_in_reach(scene, &mut query, length.h, run, (clock, &mut solves))?;
            clock.charge(Stage::Formulate);
            // A trial whose motion passes through something is not used.
            let found = (&run.candidates, &motion);
            let rejected = length.rejects((model, state), settings, found, clock.solves);
            clock.charge(Stage::Detect);
            if !rejected {
                break (motion, length.h);
            }
            (solves.failures, solves.residual) = (0, 0.0);
        };
        // Integrate.
        let start = run.spare.take().map_or_else(|| state.clone(), |old| old.with(state));
        let short = (h != settings.step).then(|| Settings { step: h, ..settings.clone() });
        let over = short.as_ref().unwrap_or(settings);
        run.integrator.integrate(model, state, &motion, over);
        if let Some(after) = &motion.after {
            change_velocities(model, (&motion.nu, after), state);
        }
        clock.charge(Stage::Integrate);
        // Stabilize joints.
        let taken = Taken { before: &start.q, motion: &motion, h };
        let stabilized = run.stabilizer.stabilize(model, state, &taken);
        stabilized.map_err(|e| fail(Stage::Stabilize)(e.into()))?;
        integrate::check(model, state).map_err(|e| fail(Stage::Integrate)(e.into()))?;
        model.track_joints(state);
        model.track_bonds(state);
        clock.charge(Stage::Stabilize);
        // Diagnosis for hooks and reports; its time is not charged to a stage.
        let failed = solves.failures > 0;
        let counts = run.count_spurious || run.hooks.iter().any(|hook| hook.wants_spurious(model));
        let asked = counts || run.hooks.iter().any(|hook| hook.wants_contacts(step, failed));
        let contacts = match asked && !run.formulation.starts_from_features() {
            true => run.detector.detect(model, &start, &query),
            false => Ok(std::mem::take(&mut run.candidates.contacts)),
        };
        let contacts = contacts.map_err(|e| fail(Stage::Detect)(e.into()))?;
        let count = || spurious::count(model, &start.q, state, &contacts, &motion);
        let spurious = counts.then(count);
        clock.judge();
        run.query = (query, margin);
        Ok(Part { start, contacts, motion, solves, spurious, h })
    }
}

impl Pipeline {
    /// Stage 1: what the formulation starts from.
    pub fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<(), CollideError> {
        let Self { detector, formulation, candidates, .. } = self;
        if !formulation.starts_from_features() {
            return detector.candidates(model, state, query, candidates);
        }
        candidates.clear();
        candidates.contacts = detector.detect(model, state, query)?;
        Ok(())
    }
}

/// A step, or a part of one.
pub(crate) struct Part {
    /// The state before it.
    pub(crate) start: State,
    /// Potential contacts at its start.
    pub(crate) contacts: Vec<Contact>,
    pub(crate) motion: StepMotion,
    pub(crate) solves: SolveReport,
    pub(crate) spurious: Option<usize>,
    /// Its length \[s\].
    pub(crate) h: f64,
}

impl Part {
    /// Takes in the substep that follows. Impulses are listed one substep after the other.
    fn join(&mut self, next: Self) {
        let Self { motion, solves, spurious, h, .. } = self;
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
        *spurious = spurious.zip(next.spurious).map(|(sum, more)| sum + more);
        *h += next.h;
    }
}

/// Stages 2 and 3, again where the motion leads into something that stage 1 did not look for.
fn plan_in_reach(
    (model, state, settings): (&Model, &State, &Settings),
    query: &mut Query,
    h: f64,
    run: &mut Pipeline,
    (clock, report): (&mut Clock, &mut SolveReport),
) -> Result<StepMotion, StepError> {
    let scene = (model, state, settings);
    let mut motion = plan(scene, query, h, run, (clock, report))?;
    // Forces that act on overlap alone have nothing to do with what is apart, and a motion whose rounds ran out
    // may lead anywhere.
    while settings.epsilon == Epsilon::Auto
        && !motion.acts_on_overlap
        && !motion.unsettled
        && clock.solves < substep::MAX_TRIALS
        && margin::widen((model, state), &motion.nu, h, &mut query.reach)
    {
        let known = run.candidates.parts();
        let found = run.detect(model, state, query);
        let fail = |e: CollideError| StepError {
            step: state.step + 1,
            stage: Stage::Detect,
            cause: e.into(),
        };
        found.map_err(fail)?;
        // What is merely near changes nothing: a pile of 50 took ten solves in a step, not seven. Only where joints
        // are closed after the step, that leaves open what is among its contacts: without it two chains of a
        // thousand scenes sank into others by 0.1 %.
        let parts = run.candidates.parts();
        let times = |pair: &[PartId; 2]| {
            known.partition_point(|p| p <= pair) - known.partition_point(|p| p < pair)
        };
        let mut more = parts.chunk_by(|p, q| p == q).filter(|pair| pair.len() > times(&pair[0]));
        let matters = |pair: &[PartId; 2]| {
            let ids = pair.map(|part| part.0);
            (times(pair) == 0 && !model.joints().is_empty())
                || sweep::ends_in((model, state), &motion.nu, h, ids)
        };
        if !more.any(|pair| matters(&pair[0])) {
            break;
        }
        (report.failures, report.residual) = (0, 0.0);
        motion = plan(scene, query, h, run, (clock, report))?;
    }
    Ok(motion)
}

/// Stages 2 and 3, again where the motion shows that joints need more than the problem knew.
fn plan(
    (model, state, settings): (&Model, &State, &Settings),
    query: &Query,
    h: f64,
    run: &mut Pipeline,
    (clock, report): (&mut Clock, &mut SolveReport),
) -> Result<StepMotion, StepError> {
    let (mut attempts, mut added) = (Attempts::default(), AddedConstraints::default());
    let shared = &SharedMechanism::default();
    let Pipeline { detector, formulation, solver, warm_start, watch, last, candidates, .. } = run;
    let (Candidates { pairs, contacts }, exact) = (candidates, detector.is_exact());
    let mut solving = Solving {
        solver: solver.as_mut(),
        warm_start,
        watch: watch.as_mut(),
        last: &mut last.solve,
        settings,
        h,
        report,
        clock,
        errors: Vec::new(),
        cause: None,
    };
    loop {
        let frame = Frame {
            model,
            state,
            contacts,
            pairs,
            added: &added,
            shared,
            exact,
            query,
            h,
            settings,
        };
        let fail = |stage, cause| StepError { step: frame.state.step + 1, stage, cause };
        let motion = match formulation.plan(&frame, &mut solving) {
            Ok(motion) => check_finite(model, motion, fail)?,
            Err(error) => {
                return Err(match (error, solving.cause.take()) {
                    (FormulateError::Interrupted, Some(cause)) => fail(Stage::Solve, cause),
                    (error, _) => fail(Stage::Formulate, error.into()),
                });
            }
        };
        match attempts.check(&frame, motion) {
            ControlFlow::Continue(more) => added = more,
            ControlFlow::Break(motion) => return Ok(motion),
        }
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
