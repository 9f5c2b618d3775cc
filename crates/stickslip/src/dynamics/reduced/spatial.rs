//! Spatial vectors and inertias (Featherstone 2008, chapter 2), all in world axes about one point:
//! so that nothing has to be transformed from link to link.

use std::ops::{Add, AddAssign, Mul, Sub};

use stickslip_geometry::{Mat3, Vec3};

/// A twist (angular velocity, velocity of the point of the body at the origin) or a wrench
/// (moment about the origin, force).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Screw {
    /// Angular velocity, or moment.
    pub angular: Vec3,
    /// Velocity, or force.
    pub linear: Vec3,
}

impl Screw {
    /// From its two parts.
    pub fn new(angular: Vec3, linear: Vec3) -> Self {
        Self { angular, linear }
    }

    /// The power of a wrench along a twist.
    #[inline]
    pub fn dot(&self, other: &Self) -> f64 {
        self.angular.dot(other.angular) + self.linear.dot(other.linear)
    }

    /// The rate of a twist that is carried along by this one.
    #[inline]
    pub fn carry(&self, twist: &Self) -> Self {
        Self {
            angular: self.angular.cross(twist.angular),
            linear: self.angular.cross(twist.linear) + self.linear.cross(twist.angular),
        }
    }

    /// The rate of a wrench that is carried along by this twist.
    #[inline]
    pub fn carry_wrench(&self, wrench: &Self) -> Self {
        Self {
            angular: self.angular.cross(wrench.angular) + self.linear.cross(wrench.linear),
            linear: self.angular.cross(wrench.linear),
        }
    }
}

impl Add for Screw {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { angular: self.angular + other.angular, linear: self.linear + other.linear }
    }
}

impl Sub for Screw {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { angular: self.angular - other.angular, linear: self.linear - other.linear }
    }
}

impl AddAssign for Screw {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f64> for Screw {
    type Output = Self;
    #[inline]
    fn mul(self, x: f64) -> Self {
        Self { angular: self.angular * x, linear: self.linear * x }
    }
}

/// A symmetric inertia `[J B; Bᵀ M]`: of one body, or of all that hangs on it.
#[derive(Clone, Copy, Debug)]
pub struct Inertia {
    turning: Mat3,
    mixed: Mat3,
    mass: Mat3,
}

impl Inertia {
    /// Of a body with the inertia `about` about its centre of mass at `c`.
    pub fn of_body(mass: f64, about: Mat3, c: Vec3) -> Self {
        let cross = Mat3::from_cols(
            Vec3::new(0.0, c.z, -c.y),
            Vec3::new(-c.z, 0.0, c.x),
            Vec3::new(c.y, -c.x, 0.0),
        );
        let turning = about + (Mat3::from_diagonal(Vec3::splat(c.dot(c))) - outer(c, c)) * mass;
        Self { turning, mixed: cross * mass, mass: Mat3::from_diagonal(Vec3::splat(mass)) }
    }

    /// The momentum that goes with a twist.
    #[inline]
    pub fn times(&self, twist: &Screw) -> Screw {
        Screw {
            angular: self.turning * twist.angular + self.mixed * twist.linear,
            linear: self.mixed.transpose() * twist.angular + self.mass * twist.linear,
        }
    }

    /// Takes out what moves freely: `I - u uᵀ / d`.
    #[inline]
    pub fn release(&mut self, u: &Screw, d: f64) {
        let (n, f) = (u.angular / d, u.linear / d);
        self.turning -= outer(u.angular, n);
        self.mixed -= outer(u.angular, f);
        self.mass -= outer(u.linear, f);
    }

    /// Adds what hangs on it.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.turning += other.turning;
        self.mixed += other.mixed;
        self.mass += other.mass;
    }
}

/// `a bᵀ`.
#[inline]
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}
