//! Smooth motion of a tree in joint coordinates.
//!
//! ```text
//! y = (q, w),   y' = (w, M⁻¹ (tau(q, w, t) - C(q, w)))
//!
//! smooth   RK4 where that is exact enough, else Gauss   three stages, order 6, symmetric
//! SDIRK2   Y_1 = y + g h f(Y_1)                         g = 1 - 1 / sqrt(2), order 2,
//!          Y_2 = y + (1-g) h f(Y_1) + g h f(Y_2)        L-stable, ends at Y_2
//! ```
//!
//! Joints are closed by construction, and there is nothing to project. The second method is for
//! motors, springs and dampers that are stiff over a step: the equation of a stage is solved with the inertia
//! `g h d + (g h)² k` added to the coordinates or along the lines that they act on, which is Newton's method for them.

use super::{
    collocation::Table,
    held::Hold,
    smooth::turning,
    tree_motion::{COLLOCATION_ROUNDS, PartWork, Rate, combine},
};
use crate::{
    dynamics::reduced::{
        Coordinates, Implicit, JointSpace, Link, Workspace, keeps_velocity, motor_force,
    },
    model::{ForceKind, JointId, Motor, MotorTarget},
    state::State,
};
use stickslip_geometry::{
    Vec3,
    tolerance::{ROUND_OFF, TOUCH},
};

/// Parts in which a step is tried at the most, by doubling; a spring between bodies may swing by half a
/// radian in each.
const PARTS: usize = 32;
/// Motors and dampers are stiff whose force over a step changes the velocity by more than this part.
const STIFF: f64 = 0.2;

/// Buffers of a step of a tree, and where it ends.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeWork {
    /// The links; at the end of a step taken, where it ends.
    pub dynamics: Workspace,
    pub(super) start: Coordinates,
    pub(super) part: PartWork,
    x: Coordinates,
    stages: [Rate; 2],
    acceleration: Vec<f64>,
    /// What limits and friction hold, and with which forces they can.
    pub(super) held: Vec<usize>,
    pub(super) holds: Vec<Hold>,
}

impl TreeWork {
    /// The end of the step.
    pub fn end(&self) -> &Coordinates {
        &self.part.end
    }
}

/// A step of one tree.
pub(super) struct TreeStep<'a> {
    pub space: JointSpace<'a>,
    pub h: f64,
}

impl TreeStep<'_> {
    /// The end of a smooth step; `None` where none is found: friction gives way or turns round, a motor
    /// has yet to reach its velocity, or the step is too long.
    pub fn take(&self, table: &Table, work: &mut TreeWork) -> Option<()> {
        let TreeWork { dynamics, start, .. } = work;
        self.space.coordinates(start, dynamics)?;
        self.find_held(work)?;
        let held = std::mem::take(&mut work.held);
        let space = JointSpace { held: &held, ..self.space.clone() };
        let end = TreeStep { space, h: self.h }.advance(table, work);
        work.held = held;
        end
    }

    /// The same with the coordinates that are held at the start.
    fn advance(&self, table: &Table, work: &mut TreeWork) -> Option<()> {
        let start = &work.start;
        if !self.slides(&start.w, &start.w) {
            return None;
        }
        let placed = match self.is_stiff(work)? || self.swings_too_fast(&work.start)? {
            true => self.stiff(work)?,
            false => self.smooth(table, work)?,
        };
        let TreeWork { start, part, .. } = &mut *work;
        if !self.slides(&start.w, &part.end.w)
            || !self.motors_keep((start, &start.w), 0.0)?
            || !self.motors_keep((&part.end, &start.w), self.h)?
            || !self.still_held(work)?
        {
            return None;
        }
        self.arrive(placed || !work.holds.is_empty(), work);
        Some(())
    }

    /// Whether motors that keep a velocity have the force for it, `t` seconds after the start.
    fn motors_keep(&self, (x, sliding): (&Coordinates, &[f64]), t: f64) -> Option<bool> {
        let JointSpace { model, tree, state, .. } = self.space;
        let limit = |l: &Link| {
            let joint = l.joint?;
            let motor = state.motors[joint.index()]?;
            let keeps = matches!(motor.target, MotorTarget::Velocity(_));
            Some((l.first, model.joint(joint), motor.max_force.filter(|_| keeps)?))
        };
        let mut limited = tree.links.iter().filter_map(limit).peekable();
        if limited.peek().is_none() {
            return Some(true);
        }
        let qdd = self.space.acceleration((x, sliding), t)?;
        let needed = self.space.inverse_dynamics(x, &qdd);
        Some(limited.all(|(k, joint, most)| {
            let passive = joint.damping * x.w[k].abs() + joint.friction;
            needed[k].abs() + passive <= most
        }))
    }

    /// Whether friction acts the same way all along: rates keep their sign, and none is zero.
    fn slides(&self, before: &[f64], after: &[f64]) -> bool {
        let (tree, model) = (self.space.tree, self.space.model);
        let driven = |id: JointId| keeps_velocity(self.space.state, id);
        let rubs =
            |l: &&Link| l.joint.is_some_and(|id| model.joint(id).friction > 0.0 && !driven(id));
        let held = |k: &usize| self.space.held.contains(k);
        let mut coordinates =
            tree.links.iter().filter(rubs).flat_map(|l| l.first..l.first + l.axes.len());
        coordinates.all(|k| held(&k) || { before[k].abs() > TOUCH && before[k] * after[k] > 0.0 })
    }

    /// Whether a motor or a spring of a joint is stiff over the step. The articulated inertias are then
    /// those of the start.
    fn is_stiff(&self, work: &mut TreeWork) -> Option<bool> {
        let JointSpace { model, tree, state, .. } = self.space;
        // At rest in the middle of its range a motor is as stiff as it gets.
        let motors = tree.links.iter().filter_map(|l| {
            let motor = state.motors[l.joint?.index()]?;
            let found = motor_force(&Motor { max_force: None, ..motor }, 0.0, 0.0)?;
            Some((l.first, found.damping, found.stiffness))
        });
        let springs = model.force_elements().iter().filter_map(|element| match element.kind {
            ForceKind::JointSpring { stiffness, damping, .. } => {
                Some((tree.spring_at(model, element)?, damping, stiffness))
            }
            _ => None,
        });
        let free = |(k, _, _): &(usize, f64, f64)| !self.space.held.contains(k);
        let mut all = motors.chain(springs).filter(free).peekable();
        if all.peek().is_none() {
            return Some(false);
        }
        let Workspace { placed, held, .. } = &mut work.dynamics;
        if !held.renew(tree, placed, &[]) {
            return None;
        }
        Some(all.any(|(k, damping, stiffness)| {
            self.h * (damping + self.h * stiffness) > STIFF * held.felt(placed, k)
        }))
    }

    /// Whether a spring or a damper between bodies is too stiff for the step in parts.
    fn swings_too_fast(&self, x: &Coordinates) -> Option<bool> {
        let JointSpace { model, tree, state, .. } = self.space;
        let most = 0.5 * PARTS as f64;
        for element in model.force_elements() {
            if tree.spring_at(model, element).is_some() {
                continue;
            }
            for row in model.force_rows(state, element) {
                let felt = self.space.felt_by(x, &row)?;
                let (swing, decay) = (self.h * self.h * row.stiffness, self.h * row.damping);
                if swing > most * most * felt || decay > most * felt {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// The rate of positions into `out`.
    fn moves(&self, x: &Coordinates, out: &mut Vec<f64>) {
        out.clone_from(&x.w);
        for link in self.space.tree.links.iter().filter(|l| l.ball) {
            let k = link.first + link.axes.len() - 3;
            let three = |v: &[f64]| Vec3::new(v[k], v[k + 1], v[k + 2]);
            let rate = turning(three(&x.q), three(&x.w));
            out[k..k + 3].copy_from_slice(&rate.to_array());
        }
    }

    /// The rate of positions and velocities `t` seconds after the start; the links are there then.
    pub(super) fn rate(
        &self,
        (x, sliding): (&Coordinates, &[f64]),
        t: f64,
        dynamics: &mut Workspace,
        out: &mut Rate,
    ) -> Option<()> {
        let JointSpace { model, tree, state, .. } = self.space;
        dynamics.placed.renew(model, tree, x, (state, t));
        self.space.accelerate((x, sliding), t, None, dynamics, &mut out.w)?;
        self.moves(x, &mut out.q);
        Some(())
    }

    /// The step, in several parts where it is too long as a whole; whether the links are at its end.
    fn smooth(&self, table: &Table, work: &mut TreeWork) -> Option<bool> {
        let TreeWork { dynamics, start, part, .. } = work;
        let sliding = &start.w;
        // The links are at the start.
        self.space.accelerate((start, sliding), 0.0, None, dynamics, &mut part.begin.w)?;
        self.moves(start, &mut part.begin.q);
        let doubled = |&parts: &usize| Some(2 * parts).filter(|&n| n <= PARTS);
        std::iter::successors(Some(1), doubled).find_map(|parts| {
            let h = self.h / parts as f64;
            part.end.copy(start);
            let mut placed = false;
            for k in 0..parts {
                let from = k as f64 * h;
                let PartWork { from: x, end, begin, rates, .. } = &mut *part;
                std::mem::swap(x, end);
                match k {
                    0 => rates[0].copy(begin),
                    _ => self.rate((x, sliding), from, dynamics, &mut rates[0])?,
                }
                placed = self.part(table, (from, h, sliding), (part, dynamics))?;
            }
            Some(placed)
        })
    }

    /// Two stages that are each implicit in themselves; whether the links are at the end.
    fn stiff(&self, work: &mut TreeWork) -> Option<bool> {
        let (g, h) = (1.0 - 0.5_f64.sqrt(), self.h);
        let TreeWork { start, part, stages, .. } = &mut *work;
        part.from.copy(start);
        stages[0].q.clone_from(&start.w);
        stages[0].w.clear();
        stages[0].w.resize(start.w.len(), 0.0);
        self.stage(0, g * h, g * h, work)?;
        let TreeWork { start, part, stages, .. } = &mut *work;
        combine(&mut part.from, start, &stages[..1], &[1.0], h - g * h);
        let (first, second) = stages.split_at_mut(1);
        second[0].copy(&first[0]);
        let there = self.stage(1, g * h, h, work)?;
        let TreeWork { start, part, x, stages, .. } = &mut *work;
        match there {
            true => part.end.copy(x),
            false => combine(&mut part.end, start, stages, &[1.0 - g, g], h),
        }
        Some(there)
    }

    /// The rate at the end of stage `i` of length `h`, which starts at `work.part.from` and ends at the
    /// time `t`; whether `work.x` and the links are at this end.
    fn stage(&self, i: usize, h: f64, t: f64, work: &mut TreeWork) -> Option<bool> {
        let JointSpace { model, tree, state, .. } = self.space;
        let TreeWork { dynamics, start, part, x, stages, acceleration, .. } = work;
        let (base, rate) = (&part.from, &mut stages[i]);
        let scale = base.w.iter().fold(1.0_f64, |m, y| m.max(y.abs()));
        let mut before = f64::INFINITY;
        for _ in 0..COLLOCATION_ROUNDS[0] {
            combine(x, base, std::slice::from_ref(rate), &[1.0], h);
            dynamics.placed.renew(model, tree, x, (state, t));
            let implicit = Some(Implicit { h, last: &rate.w });
            self.space.accelerate((x, &start.w), t, implicit, dynamics, acceleration)?;
            let pairs = acceleration.iter().zip(&rate.w);
            let change = pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            std::mem::swap(&mut rate.w, acceleration);
            if change * h <= ROUND_OFF * scale {
                return Some(true);
            }
            // The rate of positions is that of the velocities at the end of the stage.
            combine(x, base, std::slice::from_ref(rate), &[1.0], h);
            self.moves(x, &mut rate.q);
            if change.is_nan() {
                return None;
            }
            // The next round would change less by the factor that this one did.
            let gain = (change / before).min(1.0);
            let small = change * h <= 1e-11 * scale;
            let left = if before.is_finite() { gain * change } else { change };
            if left * h <= ROUND_OFF * scale || (small && gain >= 0.5) {
                return Some(false);
            }
            before = change;
        }
        None
    }

    /// Takes up the rotations of balls at the end, and puts the links there unless they are.
    fn arrive(&self, placed: bool, work: &mut TreeWork) {
        let JointSpace { model, tree, state, .. } = self.space;
        let (x, dynamics) = (&mut work.part.end, &mut work.dynamics);
        for (k, link) in tree.links.iter().enumerate().filter(|(_, l)| l.ball) {
            let j = link.first + link.axes.len() - 3;
            let phi = Vec3::new(x.q[j], x.q[j + 1], x.q[j + 2]);
            x.turned[k] = crate::state::rotate(x.turned[k], phi);
            x.q[j..j + 3].fill(0.0);
        }
        if !placed {
            dynamics.placed.renew(model, tree, x, (state, self.h));
        }
    }

    /// Whether no ball turns too far for its coordinates: rotation vectors are unique up to half a turn.
    pub fn turns_little(&self, state: &State) -> bool {
        let slow = |l: &Link| self.h * state.twist(l.body).angular.length() <= std::f64::consts::PI;
        self.space.tree.links.iter().filter(|l| l.ball).all(slow)
    }
}
