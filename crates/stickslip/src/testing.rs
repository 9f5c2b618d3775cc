//! Helpers shared by the unit tests.

use stickslip_geometry::{Mat3, Quat, Solid, Vec3};

use crate::{
    model::{BodyInit, Dimension, Model, ModelBuilder},
    state::State,
};

/// A small generator of random numbers with a seed that can be printed.
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Evenly spread over -1 .. 1.
    pub fn signed(&mut self) -> f64 {
        // xorshift64*.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let x = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        x as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A vector of the dimension.
    pub fn vector(&mut self, dimension: Dimension) -> Vec3 {
        let z = self.signed();
        Vec3::new(self.signed(), self.signed(), if dimension == Dimension::Two { 0.0 } else { z })
    }

    /// An angular velocity of the dimension.
    pub fn spin(&mut self, dimension: Dimension) -> Vec3 {
        let v = self.vector(Dimension::Three);
        if dimension == Dimension::Two { Vec3::new(0.0, 0.0, v.z) } else { v }
    }
}

/// Some moving balls with random masses, inertias and poses.
pub fn random_bodies(random: &mut Random, dimension: Dimension, n: usize) -> (Model, State) {
    let mut builder = ModelBuilder::new(dimension);
    for _ in 0..n {
        let axis = random.vector(Dimension::Three).normalize();
        let angle = 3.0 * random.signed();
        let inertia = Vec3::new(1.0, 1.2, 1.4) + 0.1 * random.vector(Dimension::Three);
        let solid = Solid::sphere(1.0).unwrap();
        let init = BodyInit::new(&solid)
            .mass(2.0 + random.signed())
            .inertia(Mat3::from_diagonal(inertia))
            .at(random.vector(dimension))
            .turned(Quat::from_axis_angle(axis, angle))
            .angle(angle)
            .velocity(random.vector(dimension))
            .spin(random.spin(dimension));
        builder.add(init).unwrap();
    }
    builder.build()
}
