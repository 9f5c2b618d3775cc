//! Rows of the constraint Jacobian, shared by every formulation.
//!
//! A unit impulse along `d` at a contact pushes body B by `+d` and body A by `-d`. Its row is the
//! wrench on both, and its product with the velocities is the relative speed along `d`:
//!
//! ```text
//! [-d, -rA x d | d, rB x d] · [vA, wA | vB, wB] = d · (vB + wB x rB - vA - wA x rA)
//! ```
//!
//! With `d = n`, from A to B, this is the rate of the gap; with a tangent, a slip speed. Williams
//! 2014, eq. 2.22 and 2.26. Bodies that forces do not move have no columns: their velocity enters
//! as the row's `drive`.

use complementarity::problem::Csc;
use stickslip_geometry::Vec3;

use super::{JointTree, MassMatrix};
use crate::{
    collide::Contact,
    model::{Block, BodyId, Dimension, Model},
    state::State,
};

/// The part of a row that belongs to some consecutive velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JacobianBlock {
    /// Index of the first velocity.
    pub dof: usize,
    /// The entries; only as many count as a body has velocities.
    pub value: Block,
}

/// Rows of `Gᵀ`, each touching any number of blocks of velocities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobian {
    /// Velocities per block, 3 or 6.
    width: usize,
    start: Vec<usize>,
    blocks: Vec<JacobianBlock>,
    drive: Vec<f64>,
}

impl Jacobian {
    /// No rows yet.
    pub fn new(model: &Model) -> Self {
        Self::with_room(model, 0)
    }

    /// No rows yet, but room for this many between two bodies.
    pub fn with_room(model: &Model, rows: usize) -> Self {
        let mut start = Vec::with_capacity(rows + 1);
        start.push(0);
        let (blocks, drive) = (Vec::with_capacity(2 * rows), Vec::with_capacity(rows));
        Self { width: model.dimension().dof(), start, blocks, drive }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.drive.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.drive.is_empty()
    }

    /// Velocities per block.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Blocks of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[JacobianBlock] {
        &self.blocks[self.start[i]..self.start[i + 1]]
    }

    /// Rate of row `i` caused by bodies with prescribed motion \[m/s\].
    pub fn prescribed(&self, i: usize) -> f64 {
        self.drive[i]
    }

    /// Adds the row of direction `d` at a contact.
    pub fn push_contact(&mut self, model: &Model, state: &State, contact: &Contact, d: Vec3) {
        self.push_directions(model, state, contact, &[d]);
    }

    /// Adds the rows of several directions at a contact.
    pub fn push_directions(
        &mut self,
        model: &Model,
        state: &State,
        contact: &Contact,
        directions: &[Vec3],
    ) {
        let Contact { a, b, .. } = contact;
        let arms = [a, b].map(|side| Arm::new(model, state, side.body, side.point));
        for &d in directions {
            self.push_arms(model.dimension(), [(&arms[0], -d), (&arms[1], d)]);
        }
    }

    /// Adds the row of a unit impulse that acts on two bodies: direction and world point for each.
    pub fn push_pair(
        &mut self,
        model: &Model,
        state: &State,
        a: (BodyId, Vec3, Vec3),
        b: (BodyId, Vec3, Vec3),
    ) {
        let [x, y] = [a, b].map(|(body, _, point)| Arm::new(model, state, body, point));
        self.push_arms(model.dimension(), [(&x, a.1), (&y, b.1)]);
    }

    #[inline]
    fn push_arms(&mut self, dimension: Dimension, arms: [(&Arm, Vec3); 2]) {
        let mut drive = 0.0;
        for (arm, d) in arms {
            match arm.dof {
                Some(dof) => {
                    let value = dimension.block(d, arm.r.cross(d));
                    self.blocks.push(JacobianBlock { dof, value });
                }
                None => drive += d.dot(arm.speed),
            }
        }
        self.start.push(self.blocks.len());
        self.drive.push(drive);
    }

    /// Adds a row of any blocks, one per body at most.
    pub fn push_blocks(&mut self, blocks: impl IntoIterator<Item = JacobianBlock>, drive: f64) {
        self.blocks.extend(blocks);
        self.start.push(self.blocks.len());
        self.drive.push(drive);
    }

    /// `Gᵀ nu` of row `i`, without the drive.
    #[inline]
    pub fn times(&self, i: usize, nu: &[f64]) -> f64 {
        self.row(i).iter().fold(0.0, |sum, block| {
            let nu = &nu[block.dof..block.dof + self.width];
            sum + block.value.iter().zip(nu).map(|(g, v)| g * v).sum::<f64>()
        })
    }

    /// `nu += x G` of row `i`: the impulse `x` along that row.
    pub fn add_transposed(&self, i: usize, x: f64, nu: &mut [f64]) {
        for block in self.row(i) {
            for (v, g) in nu[block.dof..block.dof + self.width].iter_mut().zip(&block.value) {
                *v += g * x;
            }
        }
    }

    /// `M⁻¹ G`: every row multiplied by the inverse mass.
    pub fn weighted(&self, mass: &MassMatrix) -> Self {
        let mut out = self.clone();
        for block in &mut out.blocks {
            block.value = mass.inverse_times(block.dof, &block.value);
        }
        out
    }

    /// `M⁻¹ G` with the inverse mass of the mechanisms that the joints make: a row reaches every
    /// body that hangs together with those it acts on.
    pub fn weighted_by(&self, tree: &JointTree, mass: &MassMatrix) -> Self {
        let mut out = Self { width: self.width, start: vec![0], ..Self::default() };
        let mut buffer = tree.buffer();
        for i in 0..self.len() {
            tree.weighted(mass, self.row(i), &mut buffer, &mut out.blocks);
            out.start.push(out.blocks.len());
            out.drive.push(self.drive[i]);
        }
        out
    }

    /// The rows in another order: row `i` of the result is row `order[i]`.
    pub fn reordered(&self, order: &[usize]) -> Self {
        let mut out = Self { width: self.width, start: vec![0], ..Self::default() };
        for &i in order {
            out.blocks.extend_from_slice(self.row(i));
            out.start.push(out.blocks.len());
            out.drive.push(self.drive[i]);
        }
        out
    }

    /// As a sparse matrix with one *column* per row of this Jacobian: `n_dof` by `n_columns`,
    /// columns beyond the last row empty.
    pub fn to_columns(&self, n_dof: usize, n_columns: usize) -> Csc {
        self.columns_of(n_dof, n_columns, |block| block.value)
    }

    /// `Uᵀ G` as [`Self::to_columns`], with `U Uᵀ = M⁻¹`: the rows of bodies of unit mass.
    pub fn whitened_columns(&self, mass: &MassMatrix, n_columns: usize) -> Csc {
        let roots = mass.roots();
        let width = self.width;
        let n_dof = roots.len() * width;
        self.columns_of(n_dof, n_columns, |block| roots[block.dof / width].times(&block.value))
    }

    fn columns_of(
        &self,
        n_dof: usize,
        n_columns: usize,
        value: impl Fn(&JacobianBlock) -> Block,
    ) -> Csc {
        let room = self.blocks.len() * self.width + 6;
        let mut start = Vec::with_capacity(n_columns + 1);
        start.push(0);
        let (mut index, mut values) = (vec![0; room], vec![0.0; room]);
        let mut end = 0;
        let mut put = |block: &JacobianBlock| {
            let (rows, numbers) = (&mut index[end..end + 6], &mut values[end..end + 6]);
            let mut filled = 0;
            for (j, x) in value(block).into_iter().enumerate() {
                // a zero, as all beyond the width are, is overwritten by what follows
                (rows[filled], numbers[filled]) = (block.dof + j, x);
                filled += usize::from(x != 0.0);
            }
            end += filled;
            end
        };
        let mut order: Vec<&JacobianBlock> = Vec::new();
        for i in 0..self.len() {
            let row = self.row(i);
            let last = start[i];
            // Row indices must grow: blocks come in any order.
            start.push(if row.is_sorted_by_key(|block| block.dof) {
                row.iter().fold(last, |_, block| put(block))
            } else {
                order.clear();
                order.extend(row);
                order.sort_unstable_by_key(|block| block.dof);
                order.iter().fold(last, |_, block| put(block))
            });
        }
        start.resize(n_columns + 1, end);
        index.truncate(end);
        values.truncate(end);
        Csc { rows: n_dof, cols: n_columns, start, index, values }
    }
}

/// Where an impulse acts on a body.
struct Arm {
    /// From the centre of mass to the point \[m\].
    r: Vec3,
    /// First velocity of a body that forces move.
    dof: Option<usize>,
    /// Speed of the point of any other \[m/s\].
    speed: Vec3,
}

impl Arm {
    fn new(model: &Model, state: &State, body: BodyId, point: Vec3) -> Self {
        let (r, dof) = (point - state.pose(body).position, model.dof(body));
        let speed = if dof.is_none() { state.twist(body).at(r) } else { Vec3::ZERO };
        Self { r, dof, speed }
    }
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::Vec3;

    use crate::{
        collide::{Contact, Feature, Role, Side},
        dynamics::Jacobian,
        model::BodyId,
        state::Twist,
        testing::{Random, random_bodies},
    };

    fn contact(point: Vec3, normal: Vec3) -> Contact {
        let side = |i| Side { body: BodyId::new(i), part: 0, feature: Feature::Face(0), point };
        let (a, b) = (side(0), side(1));
        Contact { a, b, normal, gap: 0.0, applicability: 1.0, role: Role::Primary }
    }

    /// Two bodies that move as one rigid piece neither slip nor part: `Gᵀ nu = 0` for any `d`.
    #[test]
    fn shared_rigid_motion_has_no_relative_speed() {
        let mut random = Random::new(7);
        for dimension in [crate::Dimension::Two, crate::Dimension::Three] {
            for _ in 0..100 {
                let (model, mut state) = random_bodies(&mut random, dimension, 2);
                let (v, w) = (random.vector(dimension), random.spin(dimension));
                for (pose, nu) in state.q.iter().zip(&mut state.nu) {
                    *nu = Twist { linear: v + w.cross(pose.position), angular: w };
                }
                let nu = crate::state::gather(&model, &state);
                let d = random.vector(dimension).normalize();
                let mut jacobian = Jacobian::new(&model);
                let point = random.vector(dimension);
                jacobian.push_contact(&model, &state, &contact(point, d), d);
                let speed = jacobian.times(0, &nu);
                assert!(speed.abs() < 1e-12, "seed 7, {dimension:?}: {speed}");
            }
        }
    }

    /// Newton's third law: a contact impulse changes neither total momentum nor total angular
    /// momentum about the origin, whatever the direction.
    #[test]
    fn contact_impulses_conserve_momentum() {
        let mut random = Random::new(11);
        for dimension in [crate::Dimension::Two, crate::Dimension::Three] {
            for _ in 0..100 {
                let (model, state) = random_bodies(&mut random, dimension, 2);
                let (d, point) = (random.vector(dimension).normalize(), random.vector(dimension));
                let mut jacobian = Jacobian::new(&model);
                jacobian.push_contact(&model, &state, &contact(point, d), d);
                let mut wrench = vec![0.0; model.n_dof()];
                jacobian.add_transposed(0, 1.7, &mut wrench);
                let (mut force, mut moment) = (Vec3::ZERO, Vec3::ZERO);
                for id in model.ids() {
                    let dof = model.dof(id).unwrap();
                    let (f, t) = dimension.split(&wrench[dof..dof + dimension.dof()]);
                    force += f;
                    moment += t + state.pose(id).position.cross(f);
                }
                assert!(force.length() < 1e-14 && moment.length() < 1e-13, "{force} {moment}");
            }
        }
    }

    /// The row of a contact is the rate of the gap: compared with central differences of the gap
    /// between a point fixed to B and a plane fixed to A, at random poses.
    #[test]
    fn normal_row_is_the_rate_of_the_gap() {
        let mut random = Random::new(3);
        for dimension in [crate::Dimension::Two, crate::Dimension::Three] {
            for round in 0..200 {
                let (model, mut state) = random_bodies(&mut random, dimension, 2);
                let [a, b] = [BodyId::new(0), BodyId::new(1)];
                for nu in &mut state.nu {
                    let (linear, angular) = (random.vector(dimension), random.spin(dimension));
                    *nu = Twist { linear, angular };
                }
                let n = random.vector(dimension).normalize();
                let (x, p) = (random.vector(dimension), random.vector(dimension));
                let gap0 = (x - p).dot(n);
                let mut row = contact(x, n);
                row.a.point = x - n * gap0;
                let mut jacobian = Jacobian::new(&model);
                jacobian.push_contact(&model, &state, &row, n);
                let rate = jacobian.times(0, &crate::state::gather(&model, &state));
                let (n_a, p_a) = (state.pose(a).inverse_vector(n), state.pose(a).inverse_point(p));
                let x_b = state.pose(b).inverse_point(x);
                let gap = |t: f64| {
                    let mut moved = state.clone();
                    for id in [a, b] {
                        let twist = *state.twist(id);
                        moved.advance(dimension, id, &twist, t);
                    }
                    (moved.pose(b).point(x_b) - moved.pose(a).point(p_a))
                        .dot(moved.pose(a).vector(n_a))
                };
                let t = 1e-5;
                let difference = (gap(t) - gap(-t)) / (2.0 * t);
                assert!(
                    (rate - difference).abs() < 1e-7 * (1.0 + rate.abs()),
                    "seed 3, round {round}, {dimension:?}: {rate} against {difference}"
                );
            }
        }
    }

    /// A friction row is the slip speed: compared with central differences of how far two
    /// material points have moved apart along the direction.
    #[test]
    fn friction_row_is_the_rate_of_slip() {
        let mut random = Random::new(5);
        for dimension in [crate::Dimension::Two, crate::Dimension::Three] {
            for round in 0..200 {
                let (model, state) = random_bodies(&mut random, dimension, 2);
                let ids = [BodyId::new(0), BodyId::new(1)];
                let x = random.vector(dimension);
                let n = random.vector(dimension).normalize();
                let slip = random.vector(dimension);
                for d in crate::formulate::friction_cone::directions(dimension, n, slip, 5) {
                    let mut jacobian = Jacobian::new(&model);
                    jacobian.push_contact(&model, &state, &contact(x, n), d);
                    let rate = jacobian.times(0, &crate::state::gather(&model, &state));
                    let local = ids.map(|id| state.pose(id).inverse_point(x));
                    let apart = |t: f64| {
                        let mut moved = state.clone();
                        for id in ids {
                            let twist = *state.twist(id);
                            moved.advance(dimension, id, &twist, t);
                        }
                        let [a, b] = [0, 1].map(|k| moved.pose(ids[k]).point(local[k]));
                        (b - a).dot(d)
                    };
                    let t = 1e-5;
                    let difference = (apart(t) - apart(-t)) / (2.0 * t);
                    assert!(
                        (rate - difference).abs() < 1e-7 * (1.0 + rate.abs()),
                        "seed 5, round {round}, {dimension:?}: {rate} against {difference}"
                    );
                }
            }
        }
    }
}
