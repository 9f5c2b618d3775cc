//! The forces of force elements at a state, row by row.
//!
//! ```text
//! f = f0 - stiffness (q - q0) - damping q'     along a row G, with q' = Gᵀ nu
//! F = sum of G f                               wrenches on the bodies
//! -dF/dq = sum of G stiffness Gᵀ,  -dF/dnu = sum of G damping Gᵀ     but for turning rows
//! ```
//!
//! Across a spring under the tension T of length l the second row of the stiffness is `T / l`.

use std::borrow::Cow;

use stickslip_geometry::{Pose, Vec3};

use super::{
    BodyId, Dimension, ForceElement, ForceKind, JointRow, Model,
    joint_frame::{Placed, distance, locked_rotations, translation},
};
use crate::state::{State, Wrench};

/// A force along a row and how it depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceRow {
    /// Bodies A and B; `None` is the world.
    pub bodies: [Option<BodyId>; 2],
    /// Direction of the force on B at its point, minus that on A at its own.
    pub direction: Vec3,
    /// Where it acts on A and on B, world frame \[m\].
    pub points: [Vec3; 2],
    /// Direction of a torque on B, minus that on A.
    pub turn: Vec3,
    /// Rate of its quantity \[m/s or rad/s\].
    pub rate: f64,
    /// The force \[N or N m\].
    pub force: f64,
    /// Minus its change per position.
    pub stiffness: f64,
    /// Minus its change per rate.
    pub damping: f64,
}

impl ForceRow {
    /// Force and torque about the centre on body A (0) or B (1), per unit of the row.
    pub fn wrench(&self, state: &State, side: usize) -> Option<(BodyId, Wrench)> {
        let body = self.bodies[side]?;
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let arm = self.points[side] - state.pose(body).position;
        let torque = (arm.cross(self.direction) + self.turn) * sign;
        Some((body, Wrench { force: self.direction * sign, torque }))
    }

    /// The row that a joint's row makes.
    fn of(bodies: [Option<BodyId>; 2], row: &JointRow, points: [Vec3; 2]) -> Self {
        Self {
            bodies,
            direction: row.force,
            points,
            turn: row.torque,
            rate: 0.0,
            force: 0.0,
            stiffness: 0.0,
            damping: 0.0,
        }
    }

    /// With a spring and a damper; `off` is how far it is from rest.
    fn sprung(mut self, state: &State, off: f64, [stiffness, damping]: [f64; 2]) -> Self {
        let rate = |side: usize| {
            self.wrench(state, side).map_or(0.0, |(body, w)| {
                let nu = state.twist(body);
                w.force.dot(nu.linear) + w.torque.dot(nu.angular)
            })
        };
        self.rate = rate(0) + rate(1);
        self.force = -stiffness * off - damping * self.rate;
        (self.stiffness, self.damping) = (stiffness, damping);
        self
    }
}

impl Model {
    /// All force elements, in the order they were added.
    pub fn force_elements(&self) -> &[ForceElement] {
        &self.forces
    }

    /// Whether a force element may push that body.
    pub fn has_force_elements(&self, id: BodyId) -> bool {
        let acts = |f: &ForceElement| {
            matches!(f.kind, ForceKind::Function(_)) || f.bodies.contains(&Some(id))
        };
        self.forces.iter().any(acts)
    }

    /// The rows of one element; none where it gives its forces otherwise.
    pub fn force_rows(&self, state: &State, element: &ForceElement) -> Vec<ForceRow> {
        match &element.kind {
            ForceKind::Spring { .. } => self.spring_rows(state, element),
            ForceKind::Bushing { stiffness, damping } => {
                let gains = |i: usize| [stiffness[i], damping[i]];
                self.bushing_rows(state, element, gains)
            }
            ForceKind::JointSpring { joint, position, stiffness, damping } => {
                let rows = self.joint_coordinates(state, *joint);
                let row = rows.first().map(|row| {
                    ForceRow::of(self.joint(*joint).bodies, row, [row.point; 2]).sprung(
                        state,
                        row.value - position,
                        [*stiffness, *damping],
                    )
                });
                row.into_iter().collect()
            }
            ForceKind::GravityCompensation { .. }
            | ForceKind::Bond { .. }
            | ForceKind::Function(_) => Vec::new(),
        }
    }

    pub(super) fn element_frames(&self, state: &State, element: &ForceElement) -> Placed {
        self.placed_frames(state, element.bodies, &element.frames, element.angle0)
    }

    fn spring_rows(&self, state: &State, element: &ForceElement) -> Vec<ForceRow> {
        let ForceKind::Spring { rest_length, stiffness, damping } = element.kind else {
            return Vec::new();
        };
        let at = self.element_frames(state, element);
        let along = distance(&at);
        let points = [at.a.pose.position, at.b.pose.position];
        let row = |direction: Vec3| {
            let row = JointRow { force: direction, torque: Vec3::ZERO, ..along };
            ForceRow::of(element.bodies, &row, points)
        };
        let axial = row(along.force).sprung(state, along.value - rest_length, [stiffness, damping]);
        // Where its ends meet it has no direction, and pushes into none.
        if along.value < 1e-12 {
            let push = if rest_length > 0.0 { axial.force } else { 0.0 };
            let isotropic =
                |d| ForceRow { force: 0.0, ..row(d).sprung(state, 0.0, [stiffness, 0.0]) };
            let mut rows = vec![ForceRow { force: push, ..axial }];
            rows.extend([Vec3::Y, Vec3::Z].map(isotropic));
            return rows;
        }
        let tension = stiffness * (along.value - rest_length);
        if tension <= 0.0 {
            return vec![axial];
        }
        let across = |d: Vec3| row(d).sprung(state, 0.0, [tension / along.value, 0.0]);
        let n = along.force;
        let mut rows = vec![axial];
        match self.dimension() {
            Dimension::Two => rows.push(across(Vec3::new(-n.y, n.x, 0.0))),
            Dimension::Three => {
                let t = n.any_orthonormal_vector();
                rows.extend([across(t), across(n.cross(t))]);
            }
        }
        rows
    }

    fn bushing_rows(
        &self,
        state: &State,
        element: &ForceElement,
        gains: impl Fn(usize) -> [f64; 2],
    ) -> Vec<ForceRow> {
        let at = self.element_frames(state, element);
        let point = at.b.pose.position;
        let mut rows: Vec<(usize, JointRow)> = match self.dimension() {
            Dimension::Two => (0..2).map(|i| (i, translation(&at, i))).collect(),
            Dimension::Three => (0..3).map(|i| (i, translation(&at, i))).collect(),
        };
        match self.dimension() {
            Dimension::Two => rows.push((5, JointRow::turn(at.angle, Vec3::Z, 0.0))),
            Dimension::Three => {
                let mut turns = Vec::new();
                locked_rotations(&at, [true; 3], &mut turns);
                rows.extend(turns.into_iter().enumerate().map(|(i, row)| (3 + i, row)));
            }
        }
        let row = |(i, row): (usize, JointRow)| {
            ForceRow::of(element.bodies, &row, [point; 2]).sprung(state, row.value, gains(i))
        };
        rows.into_iter().map(row).collect()
    }

    /// Energy stored in the springs \[J\].
    pub fn element_energy(&self, state: &State) -> f64 {
        let of = |element: &ForceElement| -> f64 {
            let g = self.gravity();
            if let (ForceKind::GravityCompensation { part }, Some(b)) =
                (&element.kind, element.bodies[1])
            {
                return part * self.body(b).mass * g.dot(state.pose(b).position);
            }
            if let ForceKind::Bond { .. } = element.kind {
                return self.bond_energy(state, element);
            }
            let rows = self.force_rows(state, element);
            let energy = |row: &ForceRow| {
                let f = row.force + row.damping * row.rate;
                if row.stiffness > 0.0 { 0.5 * f * f / row.stiffness } else { 0.0 }
            };
            rows.iter().map(energy).sum()
        };
        self.forces.iter().map(of).sum()
    }

    /// The state with the forces of those elements that `takes` names added to the applied ones.
    pub(crate) fn pushed_by<'a>(
        &self,
        state: &'a State,
        takes: impl Fn(&ForceElement) -> bool,
    ) -> Cow<'a, State> {
        if !self.forces.iter().any(&takes) {
            return Cow::Borrowed(state);
        }
        let mut wrenches = vec![Wrench::default(); self.bodies.len()];
        for element in self.forces.iter().filter(|f| takes(f)) {
            match (&element.kind, element.bodies[1]) {
                (ForceKind::GravityCompensation { part }, Some(b)) => {
                    wrenches[b.index()].force -= self.gravity() * (part * self.body(b).mass);
                }
                (ForceKind::Function(function), _) => function.add(self, state, &mut wrenches),
                (ForceKind::Bond { .. }, _) => self.pull(state, element, &mut wrenches),
                _ => {
                    for row in self.force_rows(state, element) {
                        for (body, unit) in (0..2).filter_map(|side| row.wrench(state, side)) {
                            wrenches[body.index()].force += unit.force * row.force;
                            wrenches[body.index()].torque += unit.torque * row.force;
                        }
                    }
                }
            }
        }
        let mut out = state.clone();
        for (sum, more) in out.applied.iter_mut().zip(wrenches) {
            sum.force += more.force;
            sum.torque += more.torque;
        }
        Cow::Owned(out)
    }

    /// The state with the forces of all elements added to the applied ones.
    pub fn pushed<'a>(&self, state: &'a State) -> Cow<'a, State> {
        self.pushed_by(state, |_| true)
    }

    /// The same for the elements without rows, whose forces a semi-implicit step holds.
    pub(crate) fn pushed_by_held<'a>(&self, state: &'a State) -> Cow<'a, State> {
        let held = |f: &ForceElement| {
            matches!(
                f.kind,
                ForceKind::GravityCompensation { .. }
                    | ForceKind::Bond { .. }
                    | ForceKind::Function(_)
            )
        };
        self.pushed_by(state, held)
    }

    /// The same for the elements that can move a body away: what mortar does to a body, its contact
    /// takes back.
    pub(crate) fn pushed_apart<'a>(&self, state: &'a State) -> Cow<'a, State> {
        self.pushed_by(state, |f| !matches!(f.kind, ForceKind::Bond { .. }))
    }
}

impl ForceElement {
    /// Its two ends at a state, world frame \[m\].
    pub fn ends(&self, state: &State) -> [Vec3; 2] {
        [0, 1].map(|i| {
            let frame: &Pose = &self.frames[i];
            self.bodies[i].map_or(frame.position, |b| state.pose(b).point(frame.position))
        })
    }
}
