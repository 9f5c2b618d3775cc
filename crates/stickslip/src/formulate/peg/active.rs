//! The problem at the active alternatives alone: one gap of each constraint, the others checked afterwards.
//!
//! With `psi_h` in place of `max(psi_1, ..., psi_n)` and the force at the same contact the rows are
//! those of the standard model: symmetric, always solvable while the active alternatives have room, with either
//! friction cone. Its solution solves the whole problem as well if at every contact that pushes
//! some constraint has no gap wider than that contact's: then `max = psi_h = 0` there, and
//! `max >= psi_h >= 0` elsewhere. Where another gap is wider, the contact held what could have
//! passed; the wider one becomes the active one, or, if it has been, pushes as well (4.12, 4.13). The
//! whole problem is written only where this does not settle.
//!
//! Rates of the gaps belong to the middle of the step and forces to its start. Here both are those
//! of the start, and the difference is a constant taken from the motion found before.

use std::collections::BTreeMap;

use complementarity::Status;

use super::{clause::Clause, program::Program, work::StepPlan};
use crate::formulate::{
    ConstraintKind, ContactForce, ContactSystem, FormulateError, Solve, StepMotion,
    contact_system::Solved,
};
use crate::frame::Frame;

/// Solves after which active alternatives that still change are left to the whole problem.
const MAX_SOLVES: usize = 16;

/// The rows of the active alternatives.
#[derive(Debug)]
pub(super) struct Active {
    system: ContactSystem,
    /// Which contact of the program each one of the system is; ascending.
    numbers: Vec<usize>,
    /// The motion that the constants are taken from.
    nu: Vec<f64>,
    solves: usize,
}

/// What a solution at the active alternatives says.
pub(super) struct Outcome {
    impulses: Vec<f64>,
    pub nu: Vec<f64>,
}

/// How far a solution at the active alternatives has come.
pub(super) enum Progress {
    /// Active alternatives or gaps changed.
    Changed,
    /// The motion solves the whole problem.
    Settled,
    /// The active alternatives cycle.
    Cycling,
}

impl Active {
    pub fn new(frame: &Frame, program: &Program) -> Self {
        let numbers = numbers(&program.clauses);
        let contacts = numbers.iter().map(|&k| program.contacts[k]).collect();
        let system = ContactSystem::new(frame, contacts);
        Self { system, numbers, nu: crate::state::gather(frame.model, frame.state), solves: 0 }
    }

    /// Solves the problem of the present active alternatives; with `attempt` a failure leads to another one.
    pub fn solve(
        &mut self,
        frame: &Frame,
        (program, name): (&Program, &'static str),
        attempt: bool,
        solve: &mut dyn Solve,
    ) -> Result<(Outcome, Status), FormulateError> {
        let numbers = numbers(&program.clauses);
        if numbers != self.numbers {
            let contacts = numbers.iter().map(|&k| program.contacts[k]).collect();
            self.system = ContactSystem::new(frame, contacts);
            self.numbers = numbers;
        }
        let (system, nu) = (&self.system, &self.nu);
        let target: Vec<f64> = self
            .numbers
            .iter()
            .enumerate()
            .map(|(i, &k)| {
                program.targets[k] + program.normals.times(k, nu) - system.jacobian.times(i, nu)
            })
            .collect();
        let how = (&frame.settings.ask(), attempt);
        let Solved { impulses, status } =
            system.solve((system.free(), &target), how, solve, name)?;
        self.solves += 1;
        Ok((Outcome { nu: system.velocity(system.free(), &impulses), impulses }, status))
    }

    /// Normal impulses at the contacts that push, by number.
    fn pushing(&self, outcome: &Outcome) -> BTreeMap<usize, f64> {
        let all = self.numbers.iter().copied().zip(outcome.impulses.iter().copied());
        all.filter(|(_, p)| *p > 0.0).collect()
    }
}

/// The contacts that are active alternatives, ascending.
fn numbers(clauses: &[Clause]) -> Vec<usize> {
    let mut all: Vec<usize> = clauses.iter().flat_map(Clause::active_ones).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl StepPlan {
    /// Checks every constraint along the motion of a solution at the active alternatives.
    pub fn check(&mut self, frame: &Frame, outcome: &Outcome) -> Progress {
        let Some(mut active) = self.active.take() else { return Progress::Settled };
        let pushing = active.pushing(outcome);
        let measured = self.measure(frame, &outcome.nu, |clause, gap| {
            clause.active_ones().any(|k| pushing.contains_key(&k) && gap(k) >= clause.widest(gap))
        });
        let lag = self.lag(&active, outcome);
        active.nu.clone_from(&outcome.nu);
        let late = active.solves >= MAX_SOLVES;
        let rewritten = measured.off > measured.accepted;
        let changed = self.exchange(&measured.gaps, &pushing, rewritten);
        if rewritten && !late {
            self.rewrite(frame, &outcome.nu, &measured);
        }
        // True gaps leave nothing to correct.
        let lagging = measured.accepted.is_infinite() && lag > self.tolerance;
        self.active = Some(active);
        match (changed || rewritten || lagging, late) {
            (true, false) => Progress::Changed,
            (true, true) if changed => Progress::Cycling,
            _ => {
                let (nu, held) = (&outcome.nu, pushing.keys().copied());
                self.unsettled =
                    changed || rewritten || self.astray(frame, nu, measured.accepted, held);
                Progress::Settled
            }
        }
    }

    /// How far the rates of the start leave the gaps of the active alternatives from those of the middle \[m\].
    fn lag(&self, active: &Active, outcome: &Outcome) -> f64 {
        let change: Vec<f64> = outcome.nu.iter().zip(&active.nu).map(|(a, b)| a - b).collect();
        let of = |(i, &k): (usize, &usize)| {
            let rates = self.program.normals.times(k, &change);
            (rates - active.system.jacobian.times(i, &change)).abs() * self.program.h
        };
        active.numbers.iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// Gives the push to the contact that touches, where another one has it. Whether any changed.
    /// `rough` gaps will be written anew: what a push is off from touching then tells how far to
    /// trust them.
    fn exchange(&mut self, gaps: &[f64], pushing: &BTreeMap<usize, f64>, rough: bool) -> bool {
        let gap = |k: usize| gaps[k];
        let holds = |clause: &Clause, k: usize| {
            let off = if rough { gap(k).abs() } else { 0.0 };
            clause.widest(&gap) <= off + gap(k).max(0.0) + self.tolerance
        };
        let clauses = &self.program.clauses;
        let is_held =
            |k: usize| clauses.iter().any(|c| c.active_ones().any(|h| h == k) && holds(c, k));
        let wrong: Vec<usize> = pushing.keys().copied().filter(|&k| !is_held(k)).collect();
        let mut changed = false;
        for clause in &mut self.program.clauses {
            if !clause.active_ones().any(|k| wrong.binary_search(&k).is_ok()) {
                continue;
            }
            let widest = clause.largest(gap);
            if clause.active_ones().any(|k| k == widest) {
                // It may hold alone: the others were wrong to join it.
                continue;
            }
            changed = true;
            if clause.seen.contains(&widest) {
                clause.other_active.push(widest);
            } else {
                clause.active = widest;
                clause.seen.push(widest);
            }
        }
        changed
    }

    /// The motion of a solution at the active alternatives.
    pub fn motion_of(&self, outcome: &Outcome) -> StepMotion {
        let motion = self.program.motion(None);
        let Some(active) = &self.active else { return motion };
        let kind = |k: usize| {
            let all = self.program.clauses.iter().filter(|c| c.active_ones().any(|h| h == k));
            all.map(|c| c.kind).next().unwrap_or(ConstraintKind::Unilateral)
        };
        let forces = active.system.forces(&outcome.impulses).into_iter().map(|f| {
            let contact = active.numbers[f.contact];
            ContactForce { contact, kind: kind(contact), ..f }
        });
        StepMotion {
            forces: forces.collect(),
            nu: outcome.nu.clone(),
            joint_impulses: outcome.impulses[active.system.first_joint_row()..].to_vec(),
            fallbacks: self.fallbacks,
            unsettled: self.unsettled,
            ..motion
        }
    }

    /// Normal impulse of every clause: what its active alternatives push that are its widest gap.
    pub fn pushes_of(&self, outcome: &Outcome) -> Vec<f64> {
        let Some(active) = &self.active else { return Vec::new() };
        let pushing = active.pushing(outcome);
        let gap = |k: usize| self.program.end_gap(k, &outcome.nu);
        let of = |clause: &Clause| -> f64 {
            let widest = clause.widest(&gap);
            let held = clause.active_ones().filter(|&k| gap(k) >= widest - self.tolerance);
            held.filter_map(|k| pushing.get(&k)).sum()
        };
        self.program.clauses.iter().map(of).collect()
    }
}
