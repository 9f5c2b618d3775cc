//! Restitution on top of an inelastic solution.
//!
//! Contacts that push in the inelastic pass and were approaching faster than a threshold are
//! impacts. They get further passes:
//!
//! - Newton: their end speed is at least `-e` times the approach speed;
//! - Poisson: a compression pass brings them to rest, an expansion pass adds `e` times the
//!   compression impulse.
//!
//! Neither is free of gains where friction turns a slip around (Kane's paradox). So the impulses go from
//! the inelastic ones `p0` towards those of restitution `p1` only as far as the contacts take no
//! energy from nowhere:
//!
//! ```text
//! p = p0 + s (p1 - p0),  s in [0, 1] the largest with  Σ p·(u_free + u(p)) <= 0
//! ```
//!
//! where `u` are the relative velocities at the contacts. Half that sum is the work of the contact
//! impulses. It is not positive for the inelastic impulses: there `p_n u_n = -p_n psi / h` and
//! `p_t·u_t <= 0`. Cones, bounds of joints and normal rows are convex, so that all of them hold for `p`.

use std::cell::Cell;

use complementarity::{Ask, Status};
use stickslip_geometry::tolerance::{MERGE, TOUCH};

use super::{
    ConstraintCounts, ContactForce, ContactSystem, FormulateError, Frame, Solve, StepMotion,
};
use crate::{collide::Contact, dynamics::MassMatrix, integrate::TURN, settings::Impact};

/// The problems of one step on a fixed set of contacts.
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
    impact: Impact,
    threshold: f64,
    /// Speed at which the overlap of every contact is undone, and whether it is so large that it must
    /// not stay with the bodies.
    recovery: Vec<(f64, bool)>,
    /// Speed at which bodies that get into each other are jammed \[m/s\], where something moves as prescribed.
    jam: Option<f64>,
    /// How often friction was given up.
    without_friction: Cell<usize>,
    ask: Ask,
    /// Of the formulation, for errors.
    name: &'static str,
}

impl Passes {
    /// For the formulation of this name.
    pub fn new(frame: &Frame, system: ContactSystem, name: &'static str) -> Self {
        let nu = crate::state::gather(frame.model, frame.state);
        let n = system.len();
        let drive = |i| system.jacobian.prescribed(i);
        let settings = frame.settings;
        Self {
            constraints: ConstraintCounts { unilateral: n, ..ConstraintCounts::default() },
            target: (0..n).map(|i| frame.closing_gently(&system.contacts[i]) + drive(i)).collect(),
            approach: (0..n).map(|i| system.jacobian.times(i, &nu) + drive(i)).collect(),
            restitution: system
                .contacts
                .iter()
                .map(|c| frame.model.material(c.a.body, c.b.body).restitution)
                .collect(),
            impact: settings.impact,
            threshold: settings
                .restitution_threshold
                .unwrap_or_else(|| frame.model.gravity().length() * frame.h),
            recovery: system.contacts.iter().map(|c| recovery(frame, c)).collect(),
            jam: jam(frame, &system),
            without_friction: Cell::new(0),
            ask: settings.ask(),
            system,
            name,
        }
    }

    /// Holds the contacts to their speeds and not to their gaps.
    pub fn at_velocity_level(mut self) -> Self {
        let jacobian = &self.system.jacobian;
        self.target = (0..self.system.len()).map(|i| jacobian.prescribed(i)).collect();
        self
    }

    /// The same where friction of contacts that are faster than `speed` \[m/s\] need not be solved to
    /// the last digit. Overlaps that such solves leave themselves are undone at speeds that they cannot tell
    /// from zero, and need no second solve without them: falling dominoes took one in most steps.
    pub fn rough(mut self, speed: f64) -> Self {
        self.ask.rough = speed;
        let unseen = 2.0 * self.ask.acceptable;
        self.recovery.iter_mut().for_each(|(speed, stays)| *stays &= *speed > unseen);
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

    /// The whole step: inelastic, then restitution.
    pub fn run(&self, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        if self.system.is_empty() {
            return Ok(StepMotion { nu: self.system.free().to_vec(), ..StepMotion::default() });
        }
        let impulses = self.inelastic(solve)?;
        self.rebound(impulses, solve)
    }

    /// Takes gaps below zero of the contacts that `apart` names for what they are: behind a plane that
    /// does not part the bodies yet, without overlap.
    pub fn apart(mut self, frame: &Frame, apart: impl Fn(usize) -> bool) -> Self {
        let Self { system, target, recovery, .. } = &mut self;
        for (i, c) in system.contacts.iter().enumerate().filter(|(i, _)| apart(*i)) {
            target[i] = frame.closing(c.gap) + system.jacobian.prescribed(i);
            recovery[i] = (0.0, false);
        }
        self
    }

    /// Undoes overlaps in one step and lets their speed stay, as the formulations of the literature
    /// do that contacts enter once they are violated.
    pub fn as_published(mut self, frame: &Frame) -> Self {
        let Self { system, target, recovery, .. } = &mut self;
        for (i, c) in system.contacts.iter().enumerate() {
            let closing = frame.closing(c.gap) + system.jacobian.prescribed(i);
            (target[i], recovery[i]) = (closing, (0.0, false));
        }
        self
    }

    /// Impulses of the inelastic problem. Bodies that overlap may be asked to go where there is no
    /// room; then the overlap is left as it is, for which there always is a solution.
    pub fn inelastic(&self, solve: &mut dyn Solve) -> Result<Vec<f64>, FormulateError> {
        let overlaps = self.recovery.iter().any(|r| r.1);
        if overlaps {
            if let Some(found) = self.attempt(solve)? {
                return Ok(found);
            }
            return self.impulses(self.system.free(), &self.without_recovery(), solve);
        }
        self.impulses(self.system.free(), &self.target, solve)
    }

    /// The same for a problem that need not have a solution: none if it was not found.
    pub fn attempt(&self, solve: &mut dyn Solve) -> Result<Option<Vec<f64>>, FormulateError> {
        self.attempt_from((self.system.free(), &self.target), solve)
    }

    /// Bodies that a prescribed one wedges between itself and others may have no motion with Coulomb's law:
    /// the wedge holds whatever the force. The prescribed body goes on all the same, so the others give way as if
    /// there were no friction, which they can wherever there is room.
    fn attempt_from(
        &self,
        (nu0, target): (&[f64], &[f64]),
        solve: &mut dyn Solve,
    ) -> Result<Option<Vec<f64>>, FormulateError> {
        let (system, how) = (&self.system, (&self.ask, true));
        let found = system.solve((nu0, target), how, solve, self.name)?;
        if found.status == Status::Solved {
            return Ok(Some(found.impulses));
        }
        let Some(jam) = self.jam else { return Ok(None) };
        let nu = system.velocity(nu0, &found.impulses);
        let opens = |(i, target): (usize, &f64)| system.jacobian.times(i, &nu) + target >= -jam;
        if target.iter().enumerate().all(opens) {
            return Ok(None);
        }
        let wrong = |source| FormulateError::Problem { formulation: self.name, source };
        let problem = system.problem(nu0, target, false).map_err(wrong)?;
        let found = solve.contacts(problem, Vec::new(), how.0, how.1)?;
        let solved = found.status == Status::Solved;
        self.without_friction.set(self.without_friction.get() + usize::from(solved));
        Ok(solved.then(|| system.flat(&found.impulses)))
    }

    /// The normal rows without the speeds that undo overlaps.
    fn without_recovery(&self) -> Vec<f64> {
        self.target.iter().zip(&self.recovery).map(|(target, r)| target + r.0).collect()
    }

    /// Restitution on top of the inelastic impulses. The speed at which bodies leave an overlap takes
    /// them out of it, and no farther.
    pub fn rebound(
        &self,
        inelastic: Vec<f64>,
        solve: &mut dyn Solve,
    ) -> Result<StepMotion, FormulateError> {
        let motion = self.rebounding(inelastic, solve)?;
        let system = &self.system;
        if !motion.forces.iter().any(|f| f.normal > 0.0 && self.recovery[f.contact].1) {
            return Ok(motion);
        }
        let start = (system.free(), &self.without_recovery()[..]);
        let found = system.solve(start, (&self.ask, false), solve, self.name)?;
        // who asks for no digits gets none, and no speed from an overlap either
        if found.status != Status::Solved && self.ask.factorizations != Some(0) {
            return Ok(motion);
        }
        let after = Some(system.velocity(system.free(), &found.impulses));
        Ok(StepMotion { after, ..motion })
    }

    fn rebounding(
        &self,
        inelastic: Vec<f64>,
        solve: &mut dyn Solve,
    ) -> Result<StepMotion, FormulateError> {
        let (system, free) = (&self.system, self.system.free());
        let impacts = self.impacts(&inelastic);
        if !impacts.contains(&true) {
            return Ok(self.motion(system.velocity(free, &inelastic), &inelastic));
        }
        let newton = self.impact == Impact::Newton;
        let impulses = self.impulses(free, &self.impact_target(&impacts, newton), solve)?;
        if newton {
            let impulses = self.without_gain(&inelastic, impulses);
            return Ok(self.motion(system.velocity(free, &impulses), &impulses));
        }
        // Poisson: that was the compression. The part of the expansion that is known is e times
        // its impulse.
        let mut known = impulses;
        for i in (0..system.len()).filter(|&i| impacts[i]) {
            known[i] *= 1.0 + self.restitution[i] * self.returned(i);
        }
        // Joint rows start anew: their bounds hold for the whole step.
        known[system.first_joint_row()..].fill(0.0);
        let nu0 = system.velocity(free, &known);
        let expansion = self.impulses(&nu0, &self.target, solve)?;
        let total = known.iter().zip(&expansion).map(|(a, b)| a + b).collect();
        let total = self.without_gain(&inelastic, total);
        Ok(self.motion(system.velocity(free, &total), &total))
    }

    /// The impulses of restitution as far as the contacts do no work: see the top.
    fn without_gain(&self, inelastic: &[f64], elastic: Vec<f64>) -> Vec<f64> {
        let between = |s: f64| -> Vec<f64> {
            inelastic.iter().zip(&elastic).map(|(p0, p1)| p0 + s * (p1 - p0)).collect()
        };
        // A quadratic function of s, c + b s + a s².
        let [c, middle, end] = [0.0, 0.5, 1.0].map(|s| self.work(&between(s)));
        let most = c.max(0.0);
        if end <= most {
            return elastic;
        }
        let (a, b) = (2.0 * (end + c - 2.0 * middle), 4.0 * middle - end - 3.0 * c);
        let root = (b * b - 4.0 * a * (c - most)).max(0.0).sqrt();
        // The form that does not cancel; with a = 0 it is the root of the line.
        let s = if b > 0.0 { 2.0 * (most - c) / (b + root) } else { (root - b) / (2.0 * a) };
        between(if s.is_finite() { s.clamp(0.0, 1.0) } else { 0.0 })
    }

    /// Whether contacts do more work than they can where there is no restitution: more than undoes overlaps, and
    /// than the scheme tells of the energy of bodies that turn. Rows for the gaps at the end of a motion that
    /// was far off ask for speeds that no contact gives (an angle of boxes caught by a ridge: 2.5 J of 2.8 J,
    /// soak seed 1614).
    pub fn gains(&self, frame: &Frame, mass: &MassMatrix, impulses: &[f64]) -> bool {
        // Where no row asks for more than to undo an overlap there is no such work.
        let asks = |i: usize| {
            let gap = self.target[i] - self.system.jacobian.prescribed(i);
            impulses[i] > 0.0 && gap + self.recovery[i].0 < 0.0
        };
        if !(0..self.target.len()).any(asks) {
            return false;
        }
        let undone = impulses.iter().zip(&self.recovery).map(|(p, r)| p * r.0).sum::<f64>();
        let gained = 0.5 * self.work(impulses) - undone;
        if gained <= 0.0 {
            return false;
        }
        let (free, d) = (self.system.free(), frame.model.dimension());
        let mut pushed: Vec<usize> = (self.system.contacts.iter().zip(impulses))
            .filter(|(_, p)| **p > 0.0)
            .flat_map(|(c, _)| [c.a.body, c.b.body])
            .filter_map(|id| frame.model.dof(id))
            .collect();
        pushed.sort_unstable();
        pushed.dedup();
        let twice = |dof: usize| {
            let mut nu = [0.0; 6];
            nu[..d.dof()].copy_from_slice(&free[dof..dof + d.dof()]);
            mass.times(dof, &nu).iter().zip(&nu).map(|(p, v)| p * v).sum::<f64>()
        };
        let kinetic = 0.5 * pushed.into_iter().map(twice).sum::<f64>();
        gained > TURN * TURN / 12.0 * kinetic
    }

    /// Twice the work of contact impulses on the bodies, relative to bodies that move as prescribed.
    fn work(&self, impulses: &[f64]) -> f64 {
        let (system, free) = (&self.system, self.system.free());
        let nu = system.velocity(free, impulses);
        let contact_rows = impulses.iter().enumerate().take(system.first_joint_row());
        let rows = contact_rows.filter(|(_, p)| **p != 0.0);
        let speed =
            |r: usize, nu: &[f64]| system.jacobian.times(r, nu) + system.jacobian.prescribed(r);
        rows.map(|(r, &p)| p * (speed(r, free) + speed(r, &nu))).sum()
    }

    /// Adds normal impulses to a motion until its normal rows are open: the nearest velocities, in
    /// the metric of the masses, for which they are. Friction and joint rows stay as they are. Where these
    /// impulses `stay`, they stop the velocities that bodies keep when they have left an overlap as well.
    pub fn project(
        &self,
        motion: &mut StepMotion,
        stay: bool,
        solve: &mut dyn Solve,
    ) -> Result<(), FormulateError> {
        let wrong = |source| FormulateError::Problem { formulation: self.name, source };
        let problem = self.system.normals(&motion.nu, &self.target, TOUCH);
        let problem = problem.map_err(wrong)?;
        let ask = Ask { acceptable: 0.1 * self.ask.acceptable, ..self.ask };
        let found = solve.contacts(problem, Vec::new(), &ask, false)?;
        let mut impulses = vec![0.0; self.system.jacobian.len()];
        impulses.iter_mut().zip(&found.impulses).for_each(|(p, b)| *p = b[0]);
        motion.nu = self.system.velocity(&motion.nu, &impulses);
        if let Some(after) = motion.after.as_mut().filter(|_| stay) {
            self.stop(after, &impulses);
        }
        let first = motion.contacts.len();
        let pushing = self.system.forces(&impulses).into_iter().filter(|f| f.normal > 0.0);
        for (k, force) in pushing.enumerate() {
            motion.contacts.push(self.system.contacts[force.contact]);
            motion.forces.push(ContactForce { contact: first + k, ..force });
        }
        Ok(())
    }

    /// Adds to velocities the part of the impulses that takes the most of their energy: `nu + s d`, `d = M⁻¹ G p`,
    /// with `s = -dᵀ M nu / dᵀ M d` within 0 and 1. Impulses that also undo overlaps once gave bodies their speed.
    fn stop(&self, nu: &mut [f64], impulses: &[f64]) {
        let system = &self.system;
        let pushed = system.velocity(nu, impulses);
        let along = |nu: &[f64]| -> f64 {
            let rows = impulses.iter().enumerate().filter(|(_, p)| **p != 0.0);
            rows.map(|(r, p)| p * system.jacobian.times(r, nu)).sum()
        };
        let (before, after) = (along(nu), along(&pushed));
        let s = if after > before { (before / (before - after)).clamp(0.0, 1.0) } else { 0.0 };
        nu.iter_mut().zip(pushed).for_each(|(v, to)| *v += s * (to - *v));
    }

    /// The impulses that lead from the velocities `nu0` to normal rows `Gnᵀ nu + target >= 0`.
    fn impulses(
        &self,
        nu0: &[f64],
        target: &[f64],
        solve: &mut dyn Solve,
    ) -> Result<Vec<f64>, FormulateError> {
        if self.jam.is_some()
            && let Some(found) = self.attempt_from((nu0, target), solve)?
        {
            return Ok(found);
        }
        let how = (&self.ask, false);
        Ok(self.system.solve((nu0, target), how, solve, self.name)?.impulses)
    }

    /// Which contacts are impacts that rebound.
    fn impacts(&self, impulses: &[f64]) -> Vec<bool> {
        (0..self.system.len())
            .map(|i| {
                self.restitution[i] > 0.0 && impulses[i] > 0.0 && self.approach[i] < -self.threshold
            })
            .collect()
    }

    /// The part of a compression impulse that expands again. Compression also takes up what the
    /// forces of the step add to the approach, `m (|v| + g h)` for a ball; returning e times all of
    /// it would give the ball `e g h` too much at each bounce.
    fn returned(&self, i: usize) -> f64 {
        let jacobian = &self.system.jacobian;
        let closing = jacobian.times(i, self.system.free()) + jacobian.prescribed(i);
        if closing < 0.0 { (self.approach[i] / closing).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Normal rows of an impact pass: impacts are held to a speed, the others to their gap.
    fn impact_target(&self, impacts: &[bool], newton: bool) -> Vec<f64> {
        (0..self.system.len())
            .map(|i| match (impacts[i], newton) {
                (false, _) => self.target[i],
                (true, true) => {
                    self.system.jacobian.prescribed(i) + self.restitution[i] * self.approach[i]
                }
                (true, false) => self.system.jacobian.prescribed(i),
            })
            .collect()
    }

    fn motion(&self, nu: Vec<f64>, impulses: &[f64]) -> StepMotion {
        StepMotion {
            nu,
            contacts: self.system.contacts.clone(),
            forces: self.system.forces(impulses),
            joint_impulses: impulses[self.system.first_joint_row()..].to_vec(),
            constraints: self.constraints,
            fallbacks: self.without_friction.get(),
            ..StepMotion::default()
        }
    }
}

/// The speed at which bodies overlap by the end of the step by more than does not matter \[m/s\], if one at a
/// contact moves as prescribed.
fn jam(frame: &Frame, system: &ContactSystem) -> Option<f64> {
    let driven = (0..system.len()).any(|i| system.jacobian.prescribed(i) != 0.0);
    let sizes = system.contacts.iter().map(|c| frame.size([c.a.body, c.b.body]));
    driven.then(|| MERGE * sizes.fold(f64::INFINITY, f64::min) / frame.h)
}

/// The speed at which the overlap of a contact is undone \[m/s\], and whether it is too large to stay.
fn recovery(frame: &Frame, contact: &Contact) -> (f64, bool) {
    let speed = (-frame.closing_gently(contact)).max(0.0);
    let size = frame.size([contact.a.body, contact.b.body]);
    (speed, speed > 0.0 && -contact.gap > MERGE * size)
}
