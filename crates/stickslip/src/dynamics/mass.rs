//! The mass matrix `M` of the bodies that forces move, and the velocity they would have without
//! contact.

use stickslip_geometry::{Mat3, Vec3};

use crate::{
    integrate::{free_spin, world_inertia},
    model::{Block, BodyId, Dimension, Model},
    state::State,
};

/// Mass, inertia and their inverses, body by body, world frame.
#[derive(Clone, Debug)]
pub struct MassMatrix {
    dimension: Dimension,
    bodies: Vec<BodyMass>,
}

#[derive(Clone, Copy, Debug)]
struct BodyMass {
    id: BodyId,
    mass: f64,
    inertia: Mat3,
    inverse: Mat3,
}

impl MassMatrix {
    /// At the present poses.
    pub fn new(model: &Model, state: &State) -> Self {
        let dimension = model.dimension();
        let bodies = model
            .ids()
            .filter(|&id| model.dof(id).is_some())
            .map(|id| {
                let mass = model.body(id).mass;
                let (inertia, inverse) = match dimension {
                    Dimension::Two => {
                        let j = model.body(id).inertia;
                        (j, Mat3::from_diagonal(Vec3::new(0.0, 0.0, 1.0 / j.z_axis.z)))
                    }
                    Dimension::Three => {
                        let j = world_inertia(model, state, id);
                        (j, j.inverse())
                    }
                };
                BodyMass { id, mass, inertia, inverse }
            })
            .collect();
        Self { dimension, bodies }
    }

    /// The same with every mass scaled to 1 kg: each body keeps its radii of gyration.
    pub fn geometric(mut self) -> Self {
        for body in &mut self.bodies {
            body.inertia *= 1.0 / body.mass;
            body.inverse *= body.mass;
            body.mass = 1.0;
        }
        self
    }

    /// World inertia of the body whose velocities start at `dof` \[kg m²\].
    pub fn inertia(&self, dof: usize) -> Mat3 {
        self.of(dof).inertia
    }

    /// Adds to the inertia of the body whose velocities start at `dof`.
    pub(super) fn add_inertia(&mut self, dof: usize, extra: Mat3) {
        let body = &mut self.bodies[dof / self.dimension.dof()];
        body.inertia += extra;
        body.inverse = match self.dimension {
            Dimension::Two => Mat3::from_diagonal(Vec3::new(0.0, 0.0, 1.0 / body.inertia.z_axis.z)),
            Dimension::Three => body.inertia.inverse(),
        };
    }

    /// The velocities that have the momentum `lighter nu` with these masses.
    pub(super) fn carry_momentum(&self, lighter: &Self, nu: &mut [f64]) {
        let d = self.dimension.dof();
        for k in (0..self.bodies.len()).filter(|&k| self.inertia(k * d) != lighter.inertia(k * d)) {
            let mut block = [0.0; 6];
            block[..d].copy_from_slice(&nu[k * d..(k + 1) * d]);
            let block = self.inverse_times(k * d, &lighter.times(k * d, &block));
            nu[k * d..(k + 1) * d].copy_from_slice(&block[..d]);
        }
    }

    fn of(&self, dof: usize) -> &BodyMass {
        &self.bodies[dof / self.dimension.dof()]
    }

    /// `M⁻¹ x` for the body whose velocities start at `dof`.
    #[inline]
    pub fn inverse_times(&self, dof: usize, x: &Block) -> Block {
        let body = self.of(dof);
        let (f, t) = self.dimension.split(x);
        self.dimension.block(f / body.mass, body.inverse * t)
    }

    /// `Uᵀ` of every body, with `U Uᵀ = M⁻¹`, U lower triangular.
    pub(crate) fn roots(&self) -> Vec<Root> {
        self.bodies.iter().map(|body| Root::new(self.dimension, body)).collect()
    }

    /// `M⁻¹ f` in place of `f`.
    pub fn solve(&self, f: &mut [f64]) {
        let d = self.dimension.dof();
        for (k, part) in f.chunks_exact_mut(d).enumerate() {
            let mut block = [0.0; 6];
            block[..d].copy_from_slice(part);
            part.copy_from_slice(&self.inverse_times(k * d, &block)[..d]);
        }
    }

    /// `M x` for the body whose velocities start at `dof`.
    pub fn times(&self, dof: usize, x: &Block) -> Block {
        let body = self.of(dof);
        let (v, w) = self.dimension.split(x);
        self.dimension.block(v * body.mass, body.inertia * w)
    }

    /// `M` of the body whose velocities start at `dof`, by rows.
    pub fn block(&self, dof: usize) -> [Block; 6] {
        let mut out = [[0.0; 6]; 6];
        for (j, column) in out.iter_mut().enumerate().take(self.dimension.dof()) {
            let mut unit = [0.0; 6];
            unit[j] = 1.0;
            *column = self.times(dof, &unit);
        }
        // Symmetric: columns are rows.
        out
    }

    /// Entries `(row, column, value)` of M.
    pub fn entries(&self) -> Vec<(usize, usize, f64)> {
        let d = self.dimension.dof();
        let mut entries = Vec::new();
        for k in 0..self.bodies.len() {
            for j in 0..d {
                let mut unit = [0.0; 6];
                unit[j] = 1.0;
                let column = self.times(k * d, &unit);
                let filled = column.iter().enumerate().take(d).filter(|(_, x)| **x != 0.0);
                entries.extend(filled.map(|(i, &x)| (k * d + i, k * d + j, x)));
            }
        }
        entries
    }

    /// Velocities at the end of the step if nothing touched:
    /// `nu + h M⁻¹ (external forces - gyroscopic torque)`.
    pub fn free_velocity(
        &self,
        model: &Model,
        state: &State,
        h: f64,
        gyroscopic: bool,
    ) -> Vec<f64> {
        let mut nu = Vec::with_capacity(model.n_dof());
        let d = self.dimension.dof();
        for m in &self.bodies {
            let (body, twist) = (model.body(m.id), state.twist(m.id));
            let applied = state.applied[m.id.index()];
            let force = body.force + applied.force;
            let impulse = (body.torque + applied.torque) * h;
            let linear = twist.linear + (model.gravity() + force / m.mass) * h;
            let angular = match self.dimension {
                Dimension::Three if gyroscopic => {
                    free_spin(state, m.id, (&m.inertia, &m.inverse), impulse, h)
                }
                _ => twist.angular + m.inverse * impulse,
            };
            nu.extend_from_slice(&self.dimension.block(linear, angular)[..d]);
        }
        nu
    }
}

/// `Uᵀ` of one body, with `U Uᵀ = M⁻¹`.
pub(crate) struct Root {
    dimension: Dimension,
    /// `1 / sqrt(m)`.
    scale: f64,
    /// Upper triangular.
    turn: Mat3,
}

impl Root {
    fn new(dimension: Dimension, body: &BodyMass) -> Self {
        let (a, scale) = (body.inverse, 1.0 / body.mass.sqrt());
        let turn = match dimension {
            Dimension::Two => Mat3::from_diagonal(Vec3::Z * a.z_axis.z.sqrt()),
            Dimension::Three => {
                let l11 = a.x_axis.x.sqrt();
                let (l21, l31) = (a.x_axis.y / l11, a.x_axis.z / l11);
                let l22 = (a.y_axis.y - l21 * l21).sqrt();
                let l32 = (a.y_axis.z - l21 * l31) / l22;
                let l33 = (a.z_axis.z - l31 * l31 - l32 * l32).sqrt();
                let columns = [[l11, 0.0, 0.0], [l21, l22, 0.0], [l31, l32, l33]];
                Mat3::from_cols_array_2d(&columns)
            }
        };
        Self { dimension, scale, turn }
    }

    /// `Uᵀ x`.
    #[inline]
    pub(crate) fn times(&self, x: &Block) -> Block {
        let (f, t) = self.dimension.split(x);
        self.dimension.block(f * self.scale, self.turn * t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dynamics::Jacobian,
        testing::{Random, random_bodies},
    };

    /// `(Uᵀ G)ᵀ (Uᵀ G) = Gᵀ M⁻¹ G`, the right side both by rows of `M⁻¹ G` and by impulses along
    /// single rows.
    #[test]
    fn roots_and_impulses_agree_with_the_inverse_mass() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let mut random = Random::new(31);
            let (model, state) = random_bodies(&mut random, dimension, 3);
            let mass = MassMatrix::new(&model, &state);
            let mut rows = Jacobian::with_room(&model, 6);
            for k in 0..6 {
                let (a, b) = (BodyId::new(k % 3), BodyId::new((k + 1) % 3));
                let (d, x) = (random.vector(dimension), random.vector(dimension));
                rows.push_pair(&model, &state, (b, -d, x), (a, d, x));
            }
            let root = rows.whitened_columns(&mass, 7);
            assert_eq!((root.rows, root.cols, root.start[6]), (model.n_dof(), 7, root.start[7]));
            let weighted = rows.weighted(&mass);
            for j in 0..6 {
                let (mut pushed, mut summed) = (vec![0.0; root.rows], vec![0.0; root.rows]);
                // a power of two: no rounding, whichever product comes first
                rows.add_transposed(j, 2.0, &mut pushed);
                mass.solve(&mut pushed);
                weighted.add_transposed(j, 2.0, &mut summed);
                assert_eq!(pushed, summed, "seed 31");
                let mut column = vec![0.0; root.rows];
                root.col(j).for_each(|(i, x)| column[i] = 2.0 * x);
                for i in 0..6 {
                    let product: f64 = root.col(i).map(|(k, x)| x * column[k]).sum();
                    let expected = rows.times(i, &pushed);
                    assert!((product - expected).abs() < 1e-13, "seed 31: {product} {expected}");
                }
            }
        }
    }
}
