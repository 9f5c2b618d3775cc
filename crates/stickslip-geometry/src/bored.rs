//! A convex piece with a smooth round hole: `H \ C`, with `C` the cylinder `ρ < r` about z.
//!
//! It is the union of convex pieces, one for each direction `n(θ)` across the axis:
//!
//! ```text
//! H \ C  =  ∪ { x ∈ H : n(θ)·x ≥ r }        n(θ) = (cos θ, sin θ, 0)
//! ```
//!
//! so that whatever is known of convex pieces holds for it, with one parameter more.

use std::f64::consts::{PI, TAU};

use crate::{Convex, GeometryError, MassProperties, Vec3, error::positive};

/// A convex piece with flat ends at `z = ±half` and a round hole through it along z.
#[derive(Clone, Debug, PartialEq)]
pub struct Bored {
    /// The piece without its hole: a cylinder, or a polytope.
    pub hull: Convex,
    /// Radius of the hole \[m\].
    pub radius: f64,
    /// Half the length of the hole \[m\].
    pub half: f64,
}

impl Bored {
    /// A piece whose ends are flat at `z = ±half`; it must be wider than the hole everywhere.
    pub fn new(hull: Convex, radius: f64, half: f64) -> Result<Self, GeometryError> {
        let bored = Self { hull, radius: positive("radius", radius)?, half };
        match bored.wall() > 0.0 {
            true => Ok(bored),
            false => Err(GeometryError::NoWall { hole: radius, outside: bored.wall() + radius }),
        }
    }

    /// Least thickness of what is around the hole \[m\].
    pub fn wall(&self) -> f64 {
        let outside = match &self.hull {
            Convex::Cylinder { radius, .. } => *radius,
            Convex::Polytope(p) => {
                let sides = p.faces.iter().filter(|f| f.normal.z.abs() < 1.0 - 1e-12);
                sides.map(|f| f.offset).fold(f64::INFINITY, f64::min)
            }
            _ => 0.0,
        };
        outside - self.radius
    }

    /// The hole as a piece of its own.
    pub fn hole(&self) -> Convex {
        Convex::Cylinder { half: self.half, radius: self.radius }
    }

    /// Volume \[m³\].
    pub(crate) fn volume(&self, hull: f64) -> f64 {
        hull - 2.0 * PI * self.half * self.radius * self.radius
    }

    /// Of the piece, given those of its hull; both are centred on the axis at half height.
    pub(crate) fn mass_properties(&self, hull: &MassProperties) -> MassProperties {
        let hole = MassProperties::cylinder(self.half, self.radius);
        MassProperties {
            volume: self.volume(hull.volume),
            center: hull.center,
            inertia: hull.inertia - hole.inertia,
        }
    }
}

/// A surface of triangles that stands for a bored piece in pictures.
#[derive(Clone, Debug, Default)]
pub struct Tessellated {
    /// Corners \[m\].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Bored {
    /// Its surface with circles of that many sides.
    pub fn tessellated(&self, sides: usize) -> Tessellated {
        let mut angles: Vec<f64> = (0..sides).map(|k| TAU * k as f64 / sides as f64).collect();
        if let Convex::Polytope(p) = &self.hull {
            angles.extend(p.vertices.iter().map(|v| v.y.atan2(v.x).rem_euclid(TAU)));
        }
        angles.sort_by(f64::total_cmp);
        angles.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        let mut vertices = Vec::with_capacity(4 * angles.len());
        for (sin, cos) in angles.iter().map(|a| a.sin_cos()) {
            let across = Vec3::new(cos, sin, 0.0);
            let outside = self.outside(across);
            for (radius, z) in [
                (self.radius, -self.half),
                (outside, -self.half),
                (outside, self.half),
                (self.radius, self.half),
            ] {
                vertices.push(across * radius + Vec3::Z * z);
            }
        }
        let n = angles.len() as u32;
        let mut triangles = Vec::with_capacity(8 * angles.len());
        for k in 0..n {
            let (this, next) = (4 * k, 4 * ((k + 1) % n));
            for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
                triangles.push([this + i, this + j, next + j]);
                triangles.push([this + i, next + j, next + i]);
            }
        }
        Tessellated { vertices, triangles }
    }

    /// How far the hull reaches from the axis in a direction across it \[m\].
    fn outside(&self, across: Vec3) -> f64 {
        match &self.hull {
            Convex::Polytope(p) => {
                let sides = p.faces.iter().filter(|f| f.normal.dot(across) > 1e-12);
                sides.map(|f| f.offset / f.normal.dot(across)).fold(f64::INFINITY, f64::min)
            }
            hull => hull.radius_at(0.0),
        }
    }
}
