//! Inverse kinematics: joint positions that put a point of a body where it is wanted.
//!
//! ```text
//! dq = Jᵀ (J Jᵀ + lambda² 1)⁻¹ e        damped least squares
//! ```
//!
//! `e` is the error of the position, and of the orientation if one is wanted, each step no more than
//! a tenth of a turn. Positions stay within the limits of their joints: what a limit holds back the
//! others make up for in the next round.

use stickslip_geometry::{Pose, Quat, Vec3};

use super::joint_system::{CoordinateError, JointSystem};
use crate::{
    model::{BodyId, Freedom, Model},
    state::{State, rotate},
};

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The body.
    pub body: BodyId,
    /// A point of it, in its own frame \[m\].
    pub point: Vec3,
    /// Where the point should be, world frame \[m\].
    pub position: Vec3,
    /// How the body should be turned; `None` does not matter.
    pub orientation: Option<Quat>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Positions, as [`JointSystem::read`] has them.
    pub q: Vec<f64>,
    /// Distance of the point from where it should be \[m\].
    pub error: f64,
    /// Angle between the orientation and the one wanted \[rad\]; zero where none is.
    pub turn_error: f64,
    /// Rounds taken.
    pub rounds: usize,
}

/// Largest change of a coordinate in a round \[m or rad\].
const LONGEST: f64 = 0.5;
/// Largest part of an error that a round goes for: angle \[rad\], and length in parts of the reach.
const FAR: f64 = 0.6;

/// Moves the joints that lead to a body, from the positions of `state` on, until the goal is met to
/// `tolerance` or the rounds are used up. Free bodies stay where they are.
pub fn ik(
    model: &Model,
    state: &State,
    goal: &Goal,
    (tolerance, max_rounds): (f64, usize),
) -> Result<Found, CoordinateError> {
    let system = JointSystem::new(model)?;
    let (mut q, v) = system.read(model, state);
    let still = vec![0.0; v.len()];
    let mut at = state.clone();
    let mut best =
        Found { q: q.clone(), error: f64::INFINITY, turn_error: f64::INFINITY, rounds: 0 };
    let mut lambda = 1e-3;
    let mut last = f64::INFINITY;
    for round in 0..=max_rounds {
        system.write(model, &mut at, (&q, &still))?;
        let (slip, turn) = errors(at.pose(goal.body), goal);
        let size = slip.length_squared() + turn.length_squared();
        if size < best.error * best.error + best.turn_error * best.turn_error {
            best = Found {
                q: q.clone(),
                error: slip.length(),
                turn_error: turn.length(),
                rounds: round,
            };
        }
        if best.error <= tolerance && best.turn_error <= tolerance {
            break;
        }
        // Where a round did not help the next is more careful.
        lambda = if size < last { (lambda * 0.5_f64).max(1e-6) } else { (lambda * 4.0).min(1.0) };
        last = size;
        let point = at.pose(goal.body).point(goal.point);
        let rows = system.jacobian(model, &at, goal.body, point);
        let moved = Moves { model, system: &system, rows: &rows, lambda };
        moved.round(&mut q, (slip.clamp_length_max(FAR), turn.clamp_length_max(FAR)), goal);
    }
    Ok(best)
}

/// From where the body is to where it should be: position and rotation vector, world frame.
fn errors(pose: &Pose, goal: &Goal) -> (Vec3, Vec3) {
    let turn = goal.orientation.map_or(Vec3::ZERO, |wanted| {
        let q = wanted * pose.orientation.conjugate();
        (if q.w < 0.0 { -q } else { q }).to_scaled_axis()
    });
    (goal.position - pose.point(goal.point), turn)
}

struct Moves<'a> {
    model: &'a Model,
    system: &'a JointSystem,
    /// The Jacobian, six rows.
    rows: &'a [f64],
    lambda: f64,
}

impl Moves<'_> {
    /// One round. Coordinates that a limit would stop are put there, and the rest is done without
    /// them.
    fn round(&self, q: &mut [f64], (slip, turn): (Vec3, Vec3), goal: &Goal) {
        let n = self.system.nv;
        let error = [slip.x, slip.y, slip.z, turn.x, turn.y, turn.z];
        let m = if goal.orientation.is_some() { 6 } else { 3 };
        let mut free: Vec<bool> = vec![false; n];
        for place in self.system.places().iter().filter(|p| p.joint.is_some()) {
            free[place.v..place.v + place.nv].fill(true);
        }
        for _ in 0..=n {
            let step = self.least_squares(&error[..m], &free);
            let mut stopped = false;
            for place in self.system.places().iter().filter(|p| p.nq == p.nv) {
                for k in 0..place.nv {
                    let (dof, at) = (place.v + k, place.q + k);
                    let Some([lower, upper]) = self.limits(place.joint, k).filter(|_| free[dof])
                    else {
                        continue;
                    };
                    let next = q[at] + step[dof];
                    let at_end =
                        (next < lower && q[at] <= lower) || (next > upper && q[at] >= upper);
                    if at_end {
                        (free[dof], stopped) = (false, true);
                    }
                }
            }
            if !stopped {
                return self.apply(q, &step);
            }
        }
    }

    fn limits(&self, joint: Option<crate::JointId>, k: usize) -> Option<[f64; 2]> {
        let joint = self.model.joint(joint?);
        let i = joint.coordinates(self.model.dimension()).nth(k)?;
        match joint.freedoms[i] {
            Freedom::Limited(limits) => Some(limits),
            _ => None,
        }
    }

    fn apply(&self, q: &mut [f64], step: &[f64]) {
        for place in self.system.places() {
            let slides = if place.nq == place.nv { place.nv } else { place.nv - 3 };
            for k in 0..slides {
                let at = place.q + k;
                q[at] += step[place.v + k].clamp(-LONGEST, LONGEST);
                if let Some([lower, upper]) = self.limits(place.joint, k) {
                    q[at] = q[at].clamp(lower, upper);
                }
            }
            if place.nq != place.nv {
                let (at, v) = (place.q + slides, place.v + slides);
                let r = Quat::from_xyzw(q[at + 1], q[at + 2], q[at + 3], q[at]);
                let phi = Vec3::new(step[v], step[v + 1], step[v + 2]).clamp_length_max(LONGEST);
                let r = rotate(r, phi);
                q[at..at + 4].copy_from_slice(&[r.w, r.x, r.y, r.z]);
            }
        }
    }

    /// `Jᵀ (J Jᵀ + lambda² 1)⁻¹ e` over the free coordinates.
    fn least_squares(&self, e: &[f64], free: &[bool]) -> Vec<f64> {
        let (n, m) = (self.system.nv, e.len());
        let row = |i: usize| &self.rows[i * n..(i + 1) * n];
        let (mut a, mut b) = ([[0.0; 6]; 6], [0.0; 6]);
        for i in 0..m {
            b[i] = e[i];
            for (j, entry) in a[i].iter_mut().enumerate().take(m) {
                let products = row(i).iter().zip(row(j)).zip(free).filter(|(_, f)| **f);
                *entry = products.map(|((x, y), _)| x * y).sum();
            }
            a[i][i] += self.lambda * self.lambda;
        }
        crate::dynamics::solve_small(m, &a, &mut b);
        let sum = |k: usize| (0..m).map(|i| row(i)[k] * b[i]).sum::<f64>();
        (0..n).map(|k| if free[k] { sum(k) } else { 0.0 }).collect()
    }
}
