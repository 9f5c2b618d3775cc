//! A structure: its blocks, the corners at which they touch, and the loads.
//!
//! Rows are scaled by the masses, `D = M^(-1/2)`, so that all have one unit: the unbalanced
//! resultant `r = G f + w` of a block gives `|D r|² = m a² + I alpha²`, twice the kinetic energy
//! that it would have after a second.

use stickslip::{
    BodyId, Dimension, Model, Settings, State,
    collide::CollideError,
    formulate::touching,
    geometry::{Block, Mat3, Vec3},
};

/// A corner of a contact polygon.
#[derive(Clone, Debug)]
pub struct Corner {
    /// The bodies A and B.
    pub bodies: [BodyId; 2],
    /// Where it is, world frame \[m\].
    pub point: Vec3,
    /// Normal from A to B, then one or two tangents.
    pub axes: [Vec3; 3],
    /// Coefficient of friction of the pair.
    pub friction: f64,
}

/// A force and a torque about the centre of mass on every block, world frame.
pub type Loads = Vec<(Vec3, Vec3)>;

/// What the programs are written for.
#[derive(Debug)]
pub struct Structure<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    /// The bodies that forces move.
    pub blocks: Vec<BodyId>,
    pub corners: Vec<Corner>,
    /// Pairs that touch where the normal is not unique.
    pub ambiguous: usize,
    scales: Vec<Scale>,
}

/// `D` of a block.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// Square root of the mass.
    mass: f64,
    /// Cholesky factor of the inertia about the centre of mass, world axes: lower, by rows.
    inertia: [[f64; 3]; 3],
}

impl<'a> Structure<'a> {
    /// Finds the corners; bodies no farther apart than `gap` \[m\] touch.
    pub fn new(
        model: &'a Model,
        state: &'a State,
        settings: &Settings,
        gap: f64,
    ) -> Result<Self, CollideError> {
        let found = touching(model, state, settings, gap)?;
        let dimension = model.dimension();
        let corner = |c: &stickslip::collide::Contact| {
            let [t, o] = dimension.tangents(c.normal, Vec3::ZERO);
            Corner {
                bodies: [c.a.body, c.b.body],
                point: (c.a.point + c.b.point) * 0.5,
                axes: [c.normal, t, o],
                friction: model.material(c.a.body, c.b.body).friction,
            }
        };
        let corners = found.contacts.iter().map(corner).collect();
        let blocks: Vec<BodyId> = model.ids().filter(|&id| model.dof(id).is_some()).collect();
        let scales = blocks.iter().map(|&id| Scale::new(model, state, id)).collect();
        Ok(Self { model, state, blocks, corners, ambiguous: found.ambiguous, scales })
    }

    /// Rows per block.
    pub fn width(&self) -> usize {
        self.model.dimension().dof()
    }

    /// Rows of equilibrium.
    pub fn rows(&self) -> usize {
        self.model.n_dof()
    }

    /// Gravity as given, the constant forces of the bodies, and what mortar presses them together with.
    pub fn dead_loads(&self, gravity: Vec3) -> Loads {
        let load = |&id: &BodyId| {
            let body = self.model.body(id);
            (gravity * body.mass + body.force, body.torque)
        };
        let mut all: Loads = self.blocks.iter().map(load).collect();
        let width = self.model.dimension().dof();
        for bond in self.model.bonds() {
            let wrenches = self.model.bond_wrenches(self.state, bond);
            for (body, wrench) in wrenches.into_iter().flatten() {
                let Some(first) = self.model.dof(body) else { continue };
                all[first / width].0 += wrench.force;
                all[first / width].1 += wrench.torque;
            }
        }
        all
    }

    /// The force and torque of a force at a point.
    pub fn at(&self, body: BodyId, force: Vec3, point: Option<Vec3>) -> (Vec3, Vec3) {
        let arm = point.map_or(Vec3::ZERO, |p| p - self.state.pose(body).position);
        (force, arm.cross(force))
    }

    /// `D w`, all rows.
    pub fn scaled(&self, loads: &Loads) -> Vec<f64> {
        let dimension = self.model.dimension();
        let mut out = Vec::with_capacity(self.rows());
        for (scale, &(force, torque)) in self.scales.iter().zip(loads) {
            out.extend_from_slice(&scale.rows(dimension, force, torque)[..dimension.dof()]);
        }
        out
    }

    /// `D r` to the resultant `r` of every block.
    pub fn resultants(&self, rows: &[f64]) -> Loads {
        let dimension = self.model.dimension();
        let chunks = rows.chunks_exact(self.width()).zip(&self.scales);
        chunks.map(|(row, scale)| scale.resultant(dimension, row)).collect()
    }

    /// `D^T z`: velocities of the blocks, linear and angular.
    pub fn velocities(&self, rows: &[f64]) -> Vec<(Vec3, Vec3)> {
        let dimension = self.model.dimension();
        let chunks = rows.chunks_exact(self.width()).zip(&self.scales);
        chunks.map(|(row, scale)| scale.velocity(dimension, row)).collect()
    }

    /// The column of a unit force along an axis of a corner: for each of its blocks the first row
    /// and the entries of `D G`.
    pub fn column(&self, corner: &Corner, axis: usize) -> impl Iterator<Item = (usize, Block)> {
        let (dimension, d) = (self.model.dimension(), corner.axes[axis]);
        let sides = [(corner.bodies[0], -d), (corner.bodies[1], d)];
        sides.into_iter().filter_map(move |(id, force)| {
            let first = self.model.dof(id)?;
            let arm = corner.point - self.state.pose(id).position;
            let scale = &self.scales[first / dimension.dof()];
            Some((first, scale.rows(dimension, force, arm.cross(force))))
        })
    }
}

impl Scale {
    fn new(model: &Model, state: &State, id: BodyId) -> Self {
        let body = model.body(id);
        let r = state.pose(id).rotation();
        let inertia = match model.dimension() {
            Dimension::Two => Mat3::from_diagonal(Vec3::new(1.0, 1.0, body.inertia.z_axis.z)),
            Dimension::Three => r * body.inertia * r.transpose(),
        };
        Self { mass: body.mass.sqrt(), inertia: cholesky(inertia) }
    }

    fn rows(&self, dimension: Dimension, force: Vec3, torque: Vec3) -> Block {
        let l = &self.inertia;
        let x = torque.x / l[0][0];
        let y = (torque.y - l[1][0] * x) / l[1][1];
        let z = (torque.z - l[2][0] * x - l[2][1] * y) / l[2][2];
        dimension.block(force / self.mass, Vec3::new(x, y, z))
    }

    fn resultant(&self, dimension: Dimension, row: &[f64]) -> (Vec3, Vec3) {
        let ((f, t), l) = (dimension.split(row), &self.inertia);
        let torque = Vec3::new(
            l[0][0] * t.x,
            l[1][0] * t.x + l[1][1] * t.y,
            l[2][0] * t.x + l[2][1] * t.y + l[2][2] * t.z,
        );
        (f * self.mass, torque)
    }

    fn velocity(&self, dimension: Dimension, row: &[f64]) -> (Vec3, Vec3) {
        let ((f, t), l) = (dimension.split(row), &self.inertia);
        let z = t.z / l[2][2];
        let y = (t.y - l[2][1] * z) / l[1][1];
        let x = (t.x - l[1][0] * y - l[2][0] * z) / l[0][0];
        (f / self.mass, Vec3::new(x, y, z))
    }
}

/// `L` with `L L^T = a`, by rows.
fn cholesky(a: Mat3) -> [[f64; 3]; 3] {
    let (c0, c1, c2) = (a.x_axis, a.y_axis, a.z_axis);
    let l00 = c0.x.max(f64::MIN_POSITIVE).sqrt();
    let (l10, l20) = (c0.y / l00, c0.z / l00);
    let l11 = (c1.y - l10 * l10).max(f64::MIN_POSITIVE).sqrt();
    let l21 = (c1.z - l20 * l10) / l11;
    let l22 = (c2.z - l20 * l20 - l21 * l21).max(f64::MIN_POSITIVE).sqrt();
    [[l00, 0.0, 0.0], [l10, l11, 0.0], [l20, l21, l22]]
}
