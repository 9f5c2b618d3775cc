//! Smooth motion of a tree in joint coordinates.
//!
//! ```text
//! y = (q, w),   y' = (w, M⁻¹ (tau(q, w, t) - C(q, w)))
//!
//! Gauss    Y_i = y + h sum_j a_ij f(Y_j)                three stages, order 6, symmetric
//! SDIRK2   Y_1 = y + g h f(Y_1)                         g = 1 - 1 / sqrt(2), order 2,
//!          Y_2 = y + (1-g) h f(Y_1) + g h f(Y_2)        L-stable, ends at Y_2
//! ```
//!
//! Joints are closed by construction, and there is nothing to project. The second method is for
//! motors, springs and dampers of joints that are stiff over a step: the equation of a stage is solved with the inertia
//! `g h d + (g h)² k` added to the coordinates that they drive, which is Newton's method for them.

use std::f64::consts::PI;

use super::{collocation::Table, smooth::turning};
use crate::{
    dynamics::reduced::{CoordinateForce, Coordinates, Implicit, JointSpace, Placed},
    model::{ForceKind, Joint, JointId, MotorTarget},
    state::State,
};
use stickslip_geometry::{
    Vec3,
    tolerance::{ROUND_OFF, TOUCH},
};

/// Rounds of an iteration. Its error goes with that of the method: what takes more is not only slow to
/// find, but not near the truth either, and the step is too long.
const ROUNDS: usize = 14;
/// Parts in which a step is tried at the most, by doubling; a spring between bodies may swing by half a
/// radian in each.
const PARTS: usize = 32;
/// Motors and dampers are stiff whose force over a step changes the velocity by more than this part.
const STIFF: f64 = 0.2;

/// Where a tree is at the end of a step.
pub(super) struct Arrived {
    pub x: Coordinates,
    pub placed: Placed,
}

/// Rates of positions and velocities.
#[derive(Clone)]
struct Rate {
    q: Vec<f64>,
    w: Vec<f64>,
}

/// A step of one tree.
pub(super) struct TreeStep<'a> {
    pub space: JointSpace<'a>,
    pub h: f64,
}

impl TreeStep<'_> {
    /// The end of a smooth step; `None` where none is found: friction holds or turns round, a motor
    /// has yet to reach its velocity, or the step is too long.
    pub fn take(&self, table: &Table) -> Option<Arrived> {
        let start = self.space.coordinates()?;
        if !self.slides(&start.w, &start.w) {
            return None;
        }
        let end = match self.is_stiff(&start)? {
            true => self.stiff(&start)?,
            false if self.swings_too_fast(&start)? => return None,
            false => {
                let doubled = |&parts: &usize| Some(2 * parts).filter(|&n| n <= PARTS);
                let mut parts = std::iter::successors(Some(1), doubled);
                parts.find_map(|parts| self.in_parts(&start, table, parts))?
            }
        };
        let keeps = |x: &Coordinates, t: f64| self.motors_keep((x, &start.w), t) == Some(true);
        let smooth = self.slides(&start.w, &end.w) && keeps(&start, 0.0) && keeps(&end, self.h);
        smooth.then(|| self.arrive(end))
    }

    /// Whether motors that keep a velocity have the force for it, `t` seconds after the start.
    fn motors_keep(&self, (x, sliding): (&Coordinates, &[f64]), t: f64) -> Option<bool> {
        let JointSpace { model, tree, state, .. } = self.space;
        let limit = |l: &crate::dynamics::reduced::Link| {
            let joint = l.joint?;
            let motor = state.motors[joint.index()]?;
            let keeps = matches!(motor.target, MotorTarget::Velocity(_));
            Some((l.first, model.joint(joint), motor.max_force.filter(|_| keeps)?))
        };
        let limited: Vec<_> = tree.links.iter().filter_map(limit).collect();
        if limited.is_empty() {
            return Some(true);
        }
        let qdd = self.space.acceleration((x, sliding), t, None)?;
        let needed = self.space.inverse_dynamics(x, &qdd);
        let within = |&(k, joint, most): &(usize, &Joint, f64)| {
            let passive = joint.damping * x.w[k].abs() + joint.friction;
            needed[k].abs() + passive <= most
        };
        Some(limited.iter().all(within))
    }

    /// Whether friction acts the same way all along: rates keep their sign, and none is zero.
    fn slides(&self, before: &[f64], after: &[f64]) -> bool {
        let (tree, model) = (self.space.tree, self.space.model);
        let driven = |id: JointId| {
            let motor = self.space.state.motors[id.index()];
            motor.is_some_and(|m| matches!(m.target, MotorTarget::Velocity(_)))
        };
        let rubs = |l: &&crate::dynamics::reduced::Link| {
            l.joint.is_some_and(|id| model.joint(id).friction > 0.0 && !driven(id))
        };
        let mut coordinates =
            tree.links.iter().filter(rubs).flat_map(|l| l.first..l.first + l.axes.len());
        coordinates.all(|k| before[k].abs() > TOUCH && before[k] * after[k] > 0.0)
    }

    fn forces(&self, x: &Coordinates, sliding: &[f64], t: f64) -> Option<Vec<CoordinateForce>> {
        let JointSpace { model, tree, state, .. } = self.space;
        CoordinateForce::all(model, tree, (x, sliding), (state, state.time + t))
    }

    fn is_stiff(&self, x: &Coordinates) -> Option<bool> {
        // At rest in the middle of its range a motor is as stiff as it gets.
        let forces = self.forces(x, &x.w, 0.0)?;
        let unbounded = self.space.tree.links.iter().filter_map(|l| {
            let motor = self.space.state.motors[l.joint?.index()]?;
            let free = crate::model::Motor { max_force: None, ..motor };
            let found = crate::dynamics::reduced::motor_force(&free, 0.0, 0.0)?;
            Some((l.first, found))
        });
        let mut added: Vec<(usize, f64)> =
            unbounded.map(|(k, f)| (k, self.h * (f.damping + self.h * f.stiffness))).collect();
        let JointSpace { model, tree, .. } = self.space;
        for element in model.force_elements() {
            if let (Some(k), ForceKind::JointSpring { stiffness, damping, .. }) =
                (tree.spring_at(model, element), &element.kind)
            {
                added.push((k, self.h * (damping + self.h * stiffness)));
            }
        }
        if added.is_empty() || forces.is_empty() {
            return Some(false);
        }
        let felt = self.space.felt(x)?;
        Some(added.iter().any(|&(k, m)| m > STIFF * felt[k]))
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

    /// The rate of positions at rates `w`.
    fn moves(&self, x: &Coordinates) -> Vec<f64> {
        let mut out = x.w.clone();
        for link in self.space.tree.links.iter().filter(|l| l.ball) {
            let k = link.first + link.axes.len() - 3;
            let three = |v: &[f64]| Vec3::new(v[k], v[k + 1], v[k + 2]);
            let rate = turning(three(&x.q), three(&x.w));
            out[k..k + 3].copy_from_slice(&rate.to_array());
        }
        out
    }

    fn rate(&self, x: &Coordinates, sliding: &[f64], t: f64) -> Option<Rate> {
        let w = self.space.acceleration((x, sliding), t, None)?;
        Some(Rate { q: self.moves(x), w })
    }

    /// The step in several parts, where it is too long for the iteration as a whole.
    fn in_parts(&self, start: &Coordinates, table: &Table, parts: usize) -> Option<Coordinates> {
        let h = self.h / parts as f64;
        let step = |x: Option<Coordinates>, k: usize| {
            self.gauss((&x?, &start.w), table, (k as f64 * h, h))
        };
        (0..parts).fold(Some(start.clone()), step)
    }

    /// Collocation from the time `from` of the step on, iterated to round-off.
    fn gauss(
        &self,
        (start, sliding): (&Coordinates, &[f64]),
        table: &Table,
        (from, h): (f64, f64),
    ) -> Option<Coordinates> {
        let first = self.rate(start, sliding, from)?;
        let scale = start.q.iter().chain(&start.w).fold(1.0_f64, |m, y| m.max(y.abs()));
        let mut rates = vec![first; table.b.len()];
        let mut before = f64::INFINITY;
        for _ in 0..ROUNDS {
            let mut change = 0.0_f64;
            for i in 0..rates.len() {
                let x = combine(start, &rates, &table.a[i], h);
                let rate = self.rate(&x, sliding, from + table.c[i] * h)?;
                let moved = rate.w.iter().zip(&rates[i].w).chain(rate.q.iter().zip(&rates[i].q));
                change = moved.fold(change, |m, (a, b)| m.max((a - b).abs()));
                rates[i] = rate;
            }
            // The next round would change the result by less than this one by a factor of h / T,
            // with T the time in which the motion changes.
            let small = change * h <= 1e-10 * scale;
            if change * h <= ROUND_OFF * scale || (small && change >= 0.5 * before) {
                return Some(combine(start, &rates, &table.b, h));
            }
            if change.is_nan() || change * h > 1e3 * scale {
                return None;
            }
            before = change;
        }
        None
    }

    /// Two stages that are each implicit in themselves.
    fn stiff(&self, start: &Coordinates) -> Option<Coordinates> {
        let g = 1.0 - 0.5_f64.sqrt();
        let first = self.stage((start, None), g * self.h, g * self.h, &start.w)?;
        let second = self.stage((start, Some(&first)), g * self.h, self.h, &start.w)?;
        let rates = [first, second];
        Some(combine(start, &rates, &[1.0 - g, g], self.h))
    }

    /// The rate at the end of a stage of length `part` that ends at the time `t`; before it the rate
    /// was `earlier`.
    fn stage(
        &self,
        (start, earlier): (&Coordinates, Option<&Rate>),
        part: f64,
        t: f64,
        sliding: &[f64],
    ) -> Option<Rate> {
        let base = match earlier {
            Some(rate) => combine(start, std::slice::from_ref(rate), &[1.0], t - part),
            None => start.clone(),
        };
        let mut rate = match earlier {
            Some(rate) => rate.clone(),
            None => Rate { q: start.w.clone(), w: vec![0.0; start.w.len()] },
        };
        let scale = base.w.iter().fold(1.0_f64, |m, y| m.max(y.abs()));
        let mut before = f64::INFINITY;
        for _ in 0..ROUNDS {
            let x = combine(&base, std::slice::from_ref(&rate), &[1.0], part);
            let forces = self.forces(&x, sliding, t)?;
            let added: Vec<f64> =
                forces.iter().map(|f| part * (f.damping + part * f.stiffness)).collect();
            let implicit = Implicit { added: &added, last: &rate.w };
            let w = self.space.acceleration((&x, sliding), t, Some(implicit))?;
            let change = w.iter().zip(&rate.w).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            rate = Rate { q: rate.q, w };
            // The rate of positions is that of the velocities at the end of the stage.
            let x = combine(&base, std::slice::from_ref(&rate), &[1.0], part);
            rate.q = self.moves(&x);
            let small = change * part <= 1e-11 * scale;
            if change * part <= ROUND_OFF * scale || (small && change >= 0.5 * before) {
                return Some(rate);
            }
            if change.is_nan() {
                return None;
            }
            before = change;
        }
        None
    }

    /// The end, with the rotations of balls taken up.
    fn arrive(&self, mut x: Coordinates) -> Arrived {
        let JointSpace { model, tree, state, .. } = self.space;
        for (k, link) in tree.links.iter().enumerate().filter(|(_, l)| l.ball) {
            let j = link.first + link.axes.len() - 3;
            let phi = Vec3::new(x.q[j], x.q[j + 1], x.q[j + 2]);
            x.turned[k] = crate::state::rotate(x.turned[k], phi);
            x.q[j..j + 3].fill(0.0);
        }
        let placed = Placed::new(model, tree, &x, (state, self.h));
        Arrived { x, placed }
    }

    /// Whether no ball turns too far for its coordinates: rotation vectors are unique up to half a turn.
    pub fn turns_little(&self, state: &State) -> bool {
        let slow = |l: &crate::dynamics::reduced::Link| {
            self.h * state.twist(l.body).angular.length() <= PI
        };
        self.space.tree.links.iter().filter(|l| l.ball).all(slow)
    }
}

/// `y + h sum_j w_j k_j`.
fn combine(start: &Coordinates, rates: &[Rate], weights: &[f64], h: f64) -> Coordinates {
    let mut out = start.clone();
    for (rate, weight) in rates.iter().zip(weights) {
        out.q.iter_mut().zip(&rate.q).for_each(|(y, k)| *y += h * weight * k);
        out.w.iter_mut().zip(&rate.w).for_each(|(y, k)| *y += h * weight * k);
    }
    out
}
