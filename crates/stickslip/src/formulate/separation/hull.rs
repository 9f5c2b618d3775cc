//! The rigid motion of hulls over a step.

use stickslip_geometry::{Quat, Vec3};

pub(super) use stickslip_geometry::{PlacedHull as Hull, placed::HullKind as Kind};

/// The rigid motion of a body during a step: velocity and what it turns about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drift {
    pub linear: Vec3,
    pub angular: Vec3,
    pub center: Vec3,
}

impl Drift {
    /// No motion.
    pub fn at_rest(center: Vec3) -> Self {
        Self { linear: Vec3::ZERO, angular: Vec3::ZERO, center }
    }

    /// Velocity of the point at `x`.
    pub fn at(&self, x: Vec3) -> Vec3 {
        self.linear + self.angular.cross(x - self.center)
    }

    /// The true rigid motion over `t` seconds.
    pub fn over(&self, t: f64) -> Motion {
        let turn = Quat::from_scaled_axis(self.angular * t);
        Motion { turn, back: turn.conjugate(), center: self.center, moved: self.linear * t }
    }
}

/// Where a [`Drift`] takes a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    turn: Quat,
    back: Quat,
    center: Vec3,
    moved: Vec3,
}

impl Motion {
    /// Where the point at `x` comes to.
    pub fn carry(&self, x: Vec3) -> Vec3 {
        self.center + self.moved + self.turn * (x - self.center)
    }

    /// Inverse of [`Motion::carry`].
    pub fn uncarry(&self, x: Vec3) -> Vec3 {
        self.center + self.back * (x - self.center - self.moved)
    }

    /// What becomes of direction `d`, fixed to the body.
    pub fn turn(&self, d: Vec3) -> Vec3 {
        self.turn * d
    }

    /// Inverse of [`Motion::turn`].
    pub fn unturn(&self, d: Vec3) -> Vec3 {
        self.back * d
    }
}
