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

/// A symmetric matrix of three rows: its diagonal, and what stands beside it (yz, xz, xy).
#[derive(Clone, Copy, Debug, Default)]
struct Symmetric {
    diagonal: Vec3,
    beside: Vec3,
}

impl Symmetric {
    #[inline]
    fn times(&self, v: Vec3) -> Vec3 {
        let (d, o) = (self.diagonal, self.beside);
        Vec3::new(
            d.x * v.x + o.z * v.y + o.y * v.z,
            o.z * v.x + d.y * v.y + o.x * v.z,
            o.y * v.x + o.x * v.y + d.z * v.z,
        )
    }

    /// Takes off `x a aᵀ`.
    #[inline]
    fn release(&mut self, a: Vec3, x: f64) {
        let b = a * x;
        self.diagonal -= a * b;
        self.beside -= Vec3::new(a.y * b.z, a.x * b.z, a.x * b.y);
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        self.diagonal += other.diagonal;
        self.beside += other.beside;
    }
}

/// A symmetric inertia `[J B; Bᵀ M]`: of one body, or of all that hangs on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inertia {
    turning: Symmetric,
    mixed: Mat3,
    mass: Symmetric,
}

impl Inertia {
    /// Of a body with the inertia `about` about its centre of mass, in its own axes, which are turned by
    /// `r` and at `c`.
    #[inline]
    pub fn of_body(mass: f64, about: &Mat3, r: &Mat3, c: Vec3) -> Self {
        let ra = *r * *about;
        // Of the product with the transpose of r only what is needed.
        let row = |i: usize| Vec3::new(r.x_axis[i], r.y_axis[i], r.z_axis[i]);
        let part = |i: usize| Vec3::new(ra.x_axis[i], ra.y_axis[i], ra.z_axis[i]);
        let ([x, y, z], [u, v]) = ([row(0), row(1), row(2)], [part(0), part(1)]);
        let mc = c * mass;
        let spread = c * mc;
        let turning = Symmetric {
            diagonal: Vec3::new(
                u.dot(x) + spread.y + spread.z,
                v.dot(y) + spread.x + spread.z,
                part(2).dot(z) + spread.x + spread.y,
            ),
            beside: Vec3::new(v.dot(z) - c.y * mc.z, u.dot(z) - c.x * mc.z, u.dot(y) - c.x * mc.y),
        };
        let mixed = Mat3::from_cols(
            Vec3::new(0.0, mc.z, -mc.y),
            Vec3::new(-mc.z, 0.0, mc.x),
            Vec3::new(mc.y, -mc.x, 0.0),
        );
        let mass = Symmetric { diagonal: Vec3::splat(mass), beside: Vec3::ZERO };
        Self { turning, mixed, mass }
    }

    /// The momentum that goes with a twist.
    #[inline]
    pub fn times(&self, twist: &Screw) -> Screw {
        let (b, w) = (&self.mixed, twist.angular);
        Screw {
            angular: self.turning.times(w) + *b * twist.linear,
            linear: Vec3::new(b.x_axis.dot(w), b.y_axis.dot(w), b.z_axis.dot(w))
                + self.mass.times(twist.linear),
        }
    }

    /// Takes out what moves freely: `I - u uᵀ x`.
    #[inline]
    pub fn release(&mut self, u: &Screw, x: f64) {
        self.turning.release(u.angular, x);
        self.mass.release(u.linear, x);
        let (a, f) = (u.angular, u.linear * x);
        self.mixed.x_axis -= a * f.x;
        self.mixed.y_axis -= a * f.y;
        self.mixed.z_axis -= a * f.z;
    }

    /// Adds what hangs on it.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.turning.add(&other.turning);
        self.mixed += other.mixed;
        self.mass.add(&other.mass);
    }
}
