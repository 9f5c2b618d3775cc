//! Volume, centre of mass and inertia by the divergence theorem.
//!
//! The integral over a polyhedron is the sum over the signed simplices that its triangles form
//! with one reference point. For a simplex with corners `0, a, b, c` and volume `V`
//!
//! ```text
//!  ∫ x dV   = V/4  (a + b + c)
//!  ∫ x xᵀ dV = V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),   s = a + b + c
//! ```
//!
//! and in the plane, with corners `0, a, b` and area `A`, the factors are 1/3 and 1/12. The
//! inertia at unit density is `tr(C) 1 - C` with `C = ∫ x xᵀ dV`, so a planar shape has its
//! lamina inertia: entry (z,z) is the one that counts in 2D.

use crate::{GeometryError, Mat3, Polygon, Polytope, Pose, Vec3};

/// Integrals over a shape at unit density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume \[m³\]; area \[m²\] in 2D.
    pub volume: f64,
    /// Centre of mass \[m\].
    pub center: Vec3,
    /// Inertia about the centre of mass, axes of the frame \[m⁵\]; in 2D entry (z,z) \[m⁴\].
    pub inertia: Mat3,
}

/// `v vᵀ`.
pub(crate) fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// `tr(C) 1 - C`.
fn inertia_of(c: Mat3) -> Mat3 {
    let trace = c.x_axis.x + c.y_axis.y + c.z_axis.z;
    Mat3::from_diagonal(Vec3::splat(trace)) - c
}

/// Running sums of the integrals about a reference point.
struct Sums {
    volume: f64,
    first: Vec3,
    second: Mat3,
}

impl Sums {
    fn new() -> Self {
        Self { volume: 0.0, first: Vec3::ZERO, second: Mat3::ZERO }
    }

    /// The simplex of the reference point and these corners.
    fn tetrahedron(&mut self, a: Vec3, b: Vec3, c: Vec3) {
        let volume = a.dot(b.cross(c)) / 6.0;
        let s = a + b + c;
        self.volume += volume;
        self.first += s * (volume / 4.0);
        self.second += (outer(a) + outer(b) + outer(c) + outer(s)) * (volume / 20.0);
    }

    fn triangle(&mut self, a: Vec3, b: Vec3) {
        let area = 0.5 * (a.x * b.y - a.y * b.x);
        let s = a + b;
        self.volume += area;
        self.first += s * (area / 3.0);
        self.second += (outer(a) + outer(b) + outer(s)) * (area / 12.0);
    }

    fn finish(self, reference: Vec3) -> MassProperties {
        let offset = self.first / self.volume;
        let second = self.second - outer(offset) * self.volume;
        MassProperties {
            volume: self.volume,
            center: reference + offset,
            inertia: inertia_of(second),
        }
    }
}

impl MassProperties {
    /// Of a closed surface of triangles, counter-clockwise from outside. The volume is negative
    /// if they are inside out; a surface without volume is refused.
    pub fn of_triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, GeometryError> {
        let reference = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f64;
        let mut sums = Sums::new();
        for t in triangles {
            let [a, b, c] = t.map(|i| vertices[i as usize] - reference);
            sums.tetrahedron(a, b, c);
        }
        if sums.volume == 0.0 || !sums.volume.is_finite() {
            return Err(GeometryError::NotPositive { what: "volume", value: sums.volume });
        }
        Ok(sums.finish(reference))
    }

    /// Of a ball.
    pub fn ball(radius: f64) -> Self {
        let volume = std::f64::consts::PI * radius.powi(3) * 4.0 / 3.0;
        let inertia = Mat3::from_diagonal(Vec3::splat(0.4 * volume * radius * radius));
        Self { volume, center: Vec3::ZERO, inertia }
    }

    /// Of a disc in the plane.
    pub fn disc(radius: f64) -> Self {
        let volume = std::f64::consts::PI * radius * radius;
        let quarter = 0.25 * volume * radius * radius;
        let inertia = Mat3::from_diagonal(Vec3::new(quarter, quarter, 2.0 * quarter));
        Self { volume, center: Vec3::ZERO, inertia }
    }

    /// Of a cuboid with those edges.
    pub fn cuboid(size: Vec3) -> Self {
        let volume = size.x * size.y * size.z;
        let s = size * size;
        let sums = Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y);
        let inertia = Mat3::from_diagonal(sums * (volume / 12.0));
        Self { volume, center: Vec3::ZERO, inertia }
    }

    /// Of a smooth cylinder along z.
    pub fn cylinder(half: f64, radius: f64) -> Self {
        let r2 = radius * radius;
        let volume = std::f64::consts::PI * r2 * 2.0 * half;
        let across = r2 / 4.0 + half * half / 3.0;
        let inertia = Mat3::from_diagonal(Vec3::new(across, across, r2 / 2.0) * volume);
        Self { volume, center: Vec3::ZERO, inertia }
    }

    /// Of a smooth cone along z whose frame sits at half height: the centre of mass is at
    /// `-half / 2`.
    pub fn cone(half: f64, radius: f64) -> Self {
        let (r2, h2) = (radius * radius, 4.0 * half * half);
        let volume = std::f64::consts::PI * r2 * 2.0 * half / 3.0;
        let across = 3.0 * r2 / 20.0 + 3.0 * h2 / 80.0;
        let inertia = Mat3::from_diagonal(Vec3::new(across, across, 0.3 * r2) * volume);
        Self { volume, center: Vec3::new(0.0, 0.0, -0.5 * half), inertia }
    }

    /// Of a capsule along z: a cylinder and two half-balls.
    pub fn capsule(half: f64, radius: f64) -> Self {
        let cylinder = Self::cylinder(half, radius);
        let ball = Self::ball(radius);
        // Each half-ball has its centre of mass 3/8 r from its flat side.
        let shift = half * half + 0.75 * half * radius;
        let across = ball.volume * shift;
        let inertia =
            cylinder.inertia + ball.inertia + Mat3::from_diagonal(Vec3::new(across, across, 0.0));
        Self { volume: cylinder.volume + ball.volume, center: Vec3::ZERO, inertia }
    }

    /// Seen from the frame around `pose`: `R I Rᵀ`.
    pub fn placed(&self, pose: &Pose) -> Self {
        let r = pose.rotation();
        Self {
            volume: self.volume,
            center: pose.point(self.center),
            inertia: if pose.orientation == crate::Quat::IDENTITY {
                self.inertia
            } else {
                r * self.inertia * r.transpose()
            },
        }
    }

    /// Inertia about another point: `I + V (|d|² 1 - d dᵀ)`, the parallel-axis theorem.
    pub fn inertia_about(&self, point: Vec3) -> Mat3 {
        self.inertia + inertia_of(outer(self.center - point)) * self.volume
    }

    /// Of several pieces in one frame. Where pieces overlap, the overlap counts as often as it
    /// is covered.
    pub fn sum(pieces: &[Self]) -> Result<Self, GeometryError> {
        let volume: f64 = pieces.iter().map(|p| p.volume).sum();
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(GeometryError::NotPositive { what: "volume", value: volume });
        }
        let center = pieces.iter().map(|p| p.center * p.volume).sum::<Vec3>() / volume;
        let inertia = pieces.iter().map(|p| p.inertia_about(center)).fold(Mat3::ZERO, |a, b| a + b);
        Ok(Self { volume, center, inertia })
    }
}

impl Polytope {
    /// Exact volume, centre of mass and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        let reference = self.middle();
        let mut sums = Sums::new();
        for face in &self.faces {
            let at = |k: usize| self.vertices[face.vertices[k] as usize] - reference;
            for k in 2..face.vertices.len() {
                sums.tetrahedron(at(0), at(k - 1), at(k));
            }
        }
        sums.finish(reference)
    }

    /// Volume \[m³\].
    pub fn volume(&self) -> f64 {
        self.mass_properties().volume
    }
}

impl Polygon {
    /// Exact area, centre of mass and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        let count = self.vertices.len();
        let reference = self.vertices.iter().sum::<Vec3>() / count as f64;
        let mut sums = Sums::new();
        for k in 0..count {
            let [a, b] = [k, (k + 1) % count].map(|k| self.vertices[k] - reference);
            sums.triangle(a, b);
        }
        sums.finish(reference)
    }

    /// Area \[m²\].
    pub fn area(&self) -> f64 {
        self.mass_properties().volume
    }
}
