//! Restitution on top of an inelastic solution.
//!
//! Contacts that push in the inelastic pass and were approaching faster than a threshold are
//! impacts. They get further passes:
//!
//! - Newton: their end speed is at least `-e` times the approach speed;
//! - Poisson: a compression pass brings them to rest, an expansion pass adds `e` times the
//!   compression impulse.

use complementarity::Solution;

use super::{ConstraintCounts, ContactSystem, FormulateError, Frame, Pass, StepMotion};
use crate::settings::Impact;

/// The passes of one step on a fixed set of contacts.
#[derive(Debug)]
pub struct Passes {
    /// The contacts and their rows.
    pub system: ContactSystem,
    /// Constraints of each kind, for the report.
    pub constraints: ConstraintCounts,
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

/// What follows a solved pass.
#[derive(Debug)]
pub enum Next {
    /// Solve with these velocities before the impulses and these targets of the normal rows.
    Solve {
        /// Velocities before the impulses.
        nu0: Vec<f64>,
        /// Constants of the normal rows.
        target: Vec<f64>,
    },
    /// The motion is found.
    Done(StepMotion),
}

impl Passes {
    /// Starts with the inelastic pass.
    pub fn new(frame: &Frame, system: ContactSystem) -> Self {
        let nu = crate::state::gather(frame.model, frame.state);
        let n = system.len();
        let drive = |i| system.jacobian.drive(i);
        let settings = frame.settings;
        Self {
            constraints: ConstraintCounts { unilateral: n, ..ConstraintCounts::default() },
            target: (0..n).map(|i| frame.closing(system.contacts[i].gap) + drive(i)).collect(),
            approach: (0..n).map(|i| system.jacobian.times(i, &nu) + drive(i)).collect(),
            restitution: system
                .contacts
                .iter()
                .map(|c| frame.model.material(c.a.body, c.b.body).restitution)
                .collect(),
            stage: Stage::Inelastic,
            impact: settings.impact,
            threshold: settings
                .restitution_threshold
                .unwrap_or_else(|| frame.model.gravity().length() * frame.h),
            system,
        }
    }

    /// Holds the contacts to their speeds and not to their gaps.
    pub fn at_velocity_level(mut self) -> Self {
        let jacobian = &self.system.jacobian;
        self.target = (0..self.system.len()).map(|i| jacobian.drive(i)).collect();
        self
    }

    /// The same with other constants of the normal rows.
    pub fn with_target(mut self, target: Vec<f64>) -> Self {
        self.target = target;
        self
    }

    /// Constants of the normal rows: `psi / h + drive`.
    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// Whether the pass handed out last is the inelastic one.
    pub fn is_inelastic(&self) -> bool {
        matches!(self.stage, Stage::Inelastic)
    }

    /// The inelastic pass.
    pub fn first(&self) -> Next {
        Next::Solve { nu0: self.system.free.clone(), target: self.target.clone() }
    }

    /// Takes the impulses of the pass handed out last.
    pub fn next(&mut self, impulses: &[f64]) -> Next {
        match std::mem::replace(&mut self.stage, Stage::Rebound) {
            Stage::Inelastic => {
                let impacts = self.impacts(impulses);
                if !impacts.contains(&true) {
                    return self.done(impulses);
                }
                let newton = self.impact == Impact::Newton;
                let target = self.impact_target(&impacts, newton);
                if !newton {
                    self.stage = Stage::Compression { impacts };
                }
                Next::Solve { nu0: self.system.free.clone(), target }
            }
            Stage::Rebound => self.done(impulses),
            Stage::Compression { impacts } => {
                // The part of the expansion that is known: e times the compression impulse.
                let mut before = impulses.to_vec();
                for i in (0..self.system.len()).filter(|&i| impacts[i]) {
                    before[i] *= 1.0 + self.restitution[i];
                }
                // Joint rows start anew: their bounds hold for the whole step.
                before[self.system.first_joint_row()..].fill(0.0);
                let nu0 = self.system.velocity(&self.system.free, &before);
                self.stage = Stage::Expansion { before, nu0: nu0.clone() };
                Next::Solve { nu0, target: self.target.clone() }
            }
            Stage::Expansion { before, nu0 } => {
                let nu = self.system.velocity(&nu0, impulses);
                let total: Vec<f64> = before.iter().zip(impulses).map(|(a, b)| a + b).collect();
                self.finish(nu, &total)
            }
        }
    }

    /// The problem of a pass, ready for the loop.
    pub fn pass(
        &self,
        nu0: &[f64],
        target: &[f64],
        name: &'static str,
    ) -> Result<Pass, FormulateError> {
        let problem = self
            .system
            .problem(nu0, target)
            .map_err(|source| FormulateError::Problem { formulation: name, source })?;
        Ok(Pass::Solve { problem, keys: self.system.keys() })
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
                (true, true) => {
                    self.system.jacobian.drive(i) + self.restitution[i] * self.approach[i]
                }
                (true, false) => self.system.jacobian.drive(i),
            })
            .collect()
    }

    fn done(&self, impulses: &[f64]) -> Next {
        self.finish(self.system.velocity(&self.system.free, impulses), impulses)
    }

    fn finish(&self, nu: Vec<f64>, impulses: &[f64]) -> Next {
        Next::Done(StepMotion {
            nu,
            contacts: self.system.contacts.clone(),
            forces: self.system.forces(impulses),
            joint_impulses: impulses[self.system.first_joint_row()..].to_vec(),
            constraints: self.constraints,
            ..StepMotion::default()
        })
    }
}

/// The passes of a step on contacts that are chosen once, by `begin`: what
/// [`Formulation::formulate`](super::Formulation::formulate) of such a formulation returns. `kept`
/// holds the passes between its calls.
pub fn advance(
    kept: &mut Option<Passes>,
    last: Option<&Solution>,
    name: &'static str,
    begin: impl FnOnce() -> Passes,
) -> Result<Pass, FormulateError> {
    let (next, passes) = match (last, kept.take()) {
        (Some(solution), Some(mut passes)) => {
            let impulses = passes.system.impulses(&solution.z);
            (passes.next(&impulses), passes)
        }
        _ => {
            let passes = begin();
            if passes.system.is_empty() {
                let nu = passes.system.free;
                return Ok(Pass::Done(StepMotion { nu, ..Default::default() }));
            }
            (passes.first(), passes)
        }
    };
    match next {
        Next::Done(motion) => Ok(Pass::Done(motion)),
        Next::Solve { nu0, target } => {
            let pass = passes.pass(&nu0, &target, name)?;
            *kept = Some(passes);
            Ok(pass)
        }
    }
}
