//! A block on a plane held by forces at its corners: the penalty paper's equations 2 and 3 written
//! down once more, with nothing of the simulator in it, to check what it does with them.
//!
//! All forces are vertical, so that the block moves up and down and turns; a cube has one moment of
//! inertia and no gyroscopic moment.

use stickslip::geometry::{Quat, Vec3};

/// Mass \[kg\] and edge \[m\] of the paper's block.
const MASS: f64 = 10.0;
const EDGE: f64 = 1.0;

/// How corners push.
#[derive(Clone, Copy)]
pub struct Law {
    /// Proportional \[N/m\], derivative \[N s/m\] and integral gain \[N/m\].
    pub gains: [f64; 3],
    /// Forgetting factor λ.
    pub forget: f64,
    /// Only the deepest corner.
    pub deepest: bool,
    /// Whether the force is divided by the number of corners that push, as in eq. 3.
    pub divided: bool,
}

impl Law {
    /// Force per depth at rest, one corner or all of them divided \[N/m\]: `k_p + k_i / (1 - λ)`.
    pub fn stiffness(&self) -> f64 {
        self.gains[0] + self.gains[2] / (1.0 - self.forget)
    }
}

/// Height of the centre, orientation, and their rates.
#[derive(Clone, Copy)]
struct State {
    z: f64,
    q: Quat,
    v: f64,
    omega: Vec3,
}

impl State {
    fn moved(self, rate: State, h: f64) -> Self {
        Self {
            z: self.z + h * rate.z,
            q: self.q + rate.q * h,
            v: self.v + h * rate.v,
            omega: self.omega + rate.omega * h,
        }
    }
}

/// The block.
pub struct Block {
    law: Law,
    gravity: f64,
    at: State,
    /// I of eq. 2 \[m\].
    integral: f64,
}

impl Block {
    /// At rest with its centre at a height.
    pub fn new(law: Law, gravity: f64, z: f64, q: Quat) -> Self {
        Self { law, gravity, at: State { z, q, v: 0.0, omega: Vec3::ZERO }, integral: 0.0 }
    }

    /// A step of Runge-Kutta of order 4 under a force that pushes down at a point of the block.
    pub fn step(&mut self, h: f64, push: Option<(Vec3, f64)>) {
        let s = self.at;
        let a = self.rate(s, push);
        let b = self.rate(s.moved(a, 0.5 * h), push);
        let c = self.rate(s.moved(b, 0.5 * h), push);
        let d = self.rate(s.moved(c, h), push);
        let next = s.moved(a, h / 6.0).moved(b, h / 3.0).moved(c, h / 3.0).moved(d, h / 6.0);
        self.at = State { q: next.q.normalize(), ..next };
        self.integral = self.law.forget * self.integral + self.depth();
    }

    /// Depth of the lowest corner \[m\].
    pub fn depth(&self) -> f64 {
        arms(self.at.q).map(|arm| -self.at.z - arm.z).into_iter().fold(0.0, f64::max)
    }

    /// Kinetic energy \[J\].
    pub fn kinetic(&self) -> f64 {
        let inertia = MASS * EDGE * EDGE / 6.0;
        0.5 * MASS * self.at.v * self.at.v + 0.5 * inertia * self.at.omega.length_squared()
    }

    fn rate(&self, s: State, push: Option<(Vec3, f64)>) -> State {
        let Law { gains: [k_p, k_v, k_i], deepest, divided, .. } = self.law;
        let mut touching: Vec<(Vec3, f64)> = arms(s.q)
            .into_iter()
            .map(|arm| (arm, -s.z - arm.z))
            .filter(|(_, depth)| *depth > 0.0)
            .collect();
        touching.sort_by(|a, b| b.1.total_cmp(&a.1));
        touching.truncate(if deepest { 1 } else { 8 });
        let forces: Vec<(Vec3, f64)> = touching
            .into_iter()
            .map(|(arm, depth)| {
                let speed = s.v + s.omega.cross(arm).z;
                (arm, k_p * depth - k_v * speed + k_i * self.integral)
            })
            .filter(|(_, force)| *force > 0.0)
            .collect();
        let share = if divided { 1.0 / forces.len().max(1) as f64 } else { 1.0 };
        let (mut sum, mut moment) = (-MASS * self.gravity, Vec3::ZERO);
        if let Some((point, force)) = push {
            sum -= force;
            moment += (s.q * point).cross(Vec3::Z * -force);
        }
        for (arm, force) in forces {
            sum += share * force;
            moment += arm.cross(Vec3::Z * (share * force));
        }
        let spin = Quat::from_xyzw(s.omega.x, s.omega.y, s.omega.z, 0.0);
        let inertia = MASS * EDGE * EDGE / 6.0;
        State { z: s.v, q: spin * s.q * 0.5, v: sum / MASS, omega: moment / inertia }
    }
}

/// From the centre to the corners.
fn arms(q: Quat) -> [Vec3; 8] {
    std::array::from_fn(|k| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -0.5 * EDGE } else { 0.5 * EDGE };
        q * Vec3::new(sign(0), sign(1), sign(2))
    })
}

#[cfg(test)]
mod tests {
    use super::{Block, Law};
    use stickslip::geometry::{Quat, Vec3};

    /// At rest the forces are the weight: `d = m g / (k_p + k_i / (1 - λ))`, a quarter of it where
    /// four corners push with undivided force.
    #[test]
    fn rests_at_the_depth_that_carries_its_weight() {
        for (deepest, divided, corners) in [(false, true, 1.0), (false, false, 4.0)] {
            let law = Law { gains: [5000.0, 2500.0, 100.0], forget: 0.85, deepest, divided };
            let mut block = Block::new(law, 9.8, 0.49, Quat::from_axis_angle(Vec3::X, 0.01));
            (0..8000).for_each(|_| block.step(1e-3, None));
            let depth = 98.0 / (corners * law.stiffness());
            assert!((block.depth() - depth).abs() < 1e-7, "{} against {depth}", block.depth());
            assert!(block.kinetic() < 1e-12);
        }
    }

    /// Without contact it falls as it should and keeps turning.
    #[test]
    fn falls_freely() {
        let law = Law { gains: [1.0; 3], forget: 0.8, deepest: true, divided: true };
        let mut block = Block::new(law, 9.8, 100.0, Quat::IDENTITY);
        block.step(1e-3, Some((Vec3::new(0.5, 0.0, 0.5), 10.0)));
        let spin = block.at.omega;
        (0..999).for_each(|_| block.step(1e-3, None));
        let height = 100.0 - 4.9 - 1e-3 * (1.0 - 0.5e-3);
        assert!((block.at.z - height).abs() < 1e-9, "{}", block.at.z);
        assert!((spin.y - 0.5 * 10.0 * 1e-3 / (10.0 / 6.0)).abs() < 1e-8, "{spin}");
        assert_eq!(block.at.omega, spin);
    }
}
