//! Stewart and Trinkle's time stepping: no gap of the standard model may be negative at the end
//! of the step, and a contact pushes only where its gap ends at zero.
//!
//! ```text
//! 0 <= p_n ⟂ psi / h + Gnᵀ nu_next + drive >= 0
//! ```
//!
//! Stewart and Trinkle 1996; Williams 2014, eq. 2.36. The scheme alone is inelastic. With
//! restitution, contacts that push in a first pass and were approaching faster than a threshold
//! are impacts and get a second pass:
//!
//! - Newton: their end speed is at least `-e` times the approach speed;
//! - Poisson: a compression pass brings them to rest, an expansion pass adds `e` times the
//!   compression impulse.

use complementarity::{ProblemClass, Solution};

use super::{
    ConstraintCounts, ContactSystem, FormulateError, Formulation, Frame, Pass, StepMotion, standard,
};
use crate::settings::{Friction, Impact, ProblemForm, Settings};

/// The Stewart-Trinkle formulation on the standard contact model.
#[derive(Debug, Default)]
pub struct StewartTrinkle {
    work: Option<Work>,
}

/// What a step's passes share.
#[derive(Debug)]
struct Work {
    system: ContactSystem,
    /// `psi / h + drive` of every contact.
    target: Vec<f64>,
    /// Speed along the normal before the step, negative when approaching.
    approach: Vec<f64>,
    restitution: Vec<f64>,
    stage: Stage,
    impact: Impact,
    threshold: f64,
}

/// Which problem was handed out last.
#[derive(Debug)]
enum Stage {
    Inelastic,
    Rebound,
    Compression { impacts: Vec<bool> },
    Expansion { before: Vec<f64>, nu0: Vec<f64> },
}

const NAME: &str = "stewart-trinkle";

impl Formulation for StewartTrinkle {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        match settings.problem_form {
            ProblemForm::Condensed => ProblemClass::Lcp,
            ProblemForm::Full => ProblemClass::Mlcp,
        }
    }

    fn formulate(
        &mut self,
        frame: &Frame,
        last: Option<&Solution>,
    ) -> Result<Pass, FormulateError> {
        if frame.settings.friction == Friction::Quadratic {
            let what = "friction = \"quadratic\"".to_owned();
            return Err(FormulateError::Unsupported { formulation: NAME, what });
        }
        match (last, self.work.take()) {
            (Some(solution), Some(work)) => self.next(frame, work, solution),
            _ => self.begin(frame),
        }
    }
}

impl StewartTrinkle {
    fn begin(&mut self, frame: &Frame) -> Result<Pass, FormulateError> {
        let selected = standard::select(frame.model, frame.contacts);
        let system = ContactSystem::new(frame, selected);
        if system.is_empty() {
            return Ok(Pass::Done(StepMotion { nu: system.free, ..StepMotion::default() }));
        }
        let work = Work::new(frame, system);
        let (free, target) = (work.system.free.clone(), work.target.clone());
        self.hand_out(frame, work, &free, &target)
    }

    fn hand_out(
        &mut self,
        frame: &Frame,
        work: Work,
        nu0: &[f64],
        target: &[f64],
    ) -> Result<Pass, FormulateError> {
        let problem = work
            .system
            .problem(nu0, target)
            .map_err(|source| FormulateError::Problem { formulation: NAME, source })?;
        let keys = work.system.keys(frame.contacts);
        self.work = Some(work);
        Ok(Pass::Solve { problem, keys })
    }

    fn next(
        &mut self,
        frame: &Frame,
        mut work: Work,
        solution: &Solution,
    ) -> Result<Pass, FormulateError> {
        let impulses = work.system.impulses(&solution.z).to_vec();
        let free = work.system.free.clone();
        match std::mem::replace(&mut work.stage, Stage::Rebound) {
            Stage::Inelastic => {
                let impacts = work.impacts(&impulses);
                if !impacts.contains(&true) {
                    return Ok(work.done(&free, impulses));
                }
                let newton = work.impact == Impact::Newton;
                let target = work.impact_target(&impacts, newton);
                if !newton {
                    work.stage = Stage::Compression { impacts };
                }
                self.hand_out(frame, work, &free, &target)
            }
            Stage::Rebound => Ok(work.done(&free, impulses)),
            Stage::Compression { impacts } => {
                // The part of the expansion that is known: e times the compression impulse.
                let mut before = impulses;
                for i in (0..work.system.len()).filter(|&i| impacts[i]) {
                    before[i] *= 1.0 + work.restitution[i];
                }
                let nu0 = work.system.velocity(&free, &before);
                let target = work.target.clone();
                work.stage = Stage::Expansion { before, nu0: nu0.clone() };
                self.hand_out(frame, work, &nu0, &target)
            }
            Stage::Expansion { before, nu0 } => {
                let nu = work.system.velocity(&nu0, &impulses);
                let total: Vec<f64> = before.iter().zip(&impulses).map(|(a, b)| a + b).collect();
                Ok(work.finish(nu, &total))
            }
        }
    }
}

impl Work {
    fn new(frame: &Frame, system: ContactSystem) -> Self {
        let nu = crate::state::gather(frame.model, frame.state);
        let contact = |i: usize| &frame.contacts[system.selected[i]];
        let n = system.len();
        let drive = |i| system.jacobian.drive(i);
        let settings = frame.settings;
        Self {
            target: (0..n).map(|i| contact(i).gap / frame.h + drive(i)).collect(),
            approach: (0..n).map(|i| system.jacobian.times(i, &nu) + drive(i)).collect(),
            restitution: (0..n)
                .map(|i| frame.model.material(contact(i).a.body, contact(i).b.body).restitution)
                .collect(),
            stage: Stage::Inelastic,
            impact: settings.impact,
            threshold: settings
                .restitution_threshold
                .unwrap_or_else(|| frame.model.gravity().length() * frame.h),
            system,
        }
    }

    /// Which contacts are impacts that rebound.
    fn impacts(&self, impulses: &[f64]) -> Vec<bool> {
        (0..self.system.len())
            .map(|i| {
                self.restitution[i] > 0.0 && impulses[i] > 0.0 && self.approach[i] < -self.threshold
            })
            .collect()
    }

    /// Normal rows of an impact pass: impacts are held to a speed, the others to their gap.
    fn impact_target(&self, impacts: &[bool], newton: bool) -> Vec<f64> {
        (0..self.system.len())
            .map(|i| match (impacts[i], newton) {
                (false, _) => self.target[i],
                // `target` holds the drive already; the approach speed includes it too.
                (true, true) => {
                    self.system.jacobian.drive(i) + self.restitution[i] * self.approach[i]
                }
                (true, false) => self.system.jacobian.drive(i),
            })
            .collect()
    }

    fn done(self, nu0: &[f64], impulses: Vec<f64>) -> Pass {
        let nu = self.system.velocity(nu0, &impulses);
        self.finish(nu, &impulses)
    }

    fn finish(self, nu: Vec<f64>, impulses: &[f64]) -> Pass {
        Pass::Done(StepMotion {
            nu,
            forces: self.system.forces(impulses),
            constraints: ConstraintCounts {
                unilateral: self.system.len(),
                ..ConstraintCounts::default()
            },
        })
    }
}
