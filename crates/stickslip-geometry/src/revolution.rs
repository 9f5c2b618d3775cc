//! Solids of revolution about z and what follows from their profile: slices, volume, the largest ball
//! inside, polytopes that stand for them. A new smooth shape says here what it is.

use std::f64::consts::PI;

use crate::{Convex, Dimension, MassProperties, Polytope, Vec3};

impl Convex {
    /// Whether it is a solid of revolution that is not a ball or a thickened segment.
    pub(crate) fn is_revolution(&self) -> bool {
        matches!(self, Self::Cylinder { .. } | Self::Cone { .. })
    }

    /// Corners of the section through the axis, (distance from the axis, z), counter-clockwise;
    /// `None` where it has none: not of revolution, or round.
    pub fn profile(&self) -> Option<Vec<[f64; 2]>> {
        match *self {
            Self::Cylinder { half, radius: r } => {
                Some(vec![[-r, -half], [r, -half], [r, half], [-r, half]])
            }
            Self::Cone { half, radius: r } => Some(vec![[-r, -half], [r, -half], [0.0, half]]),
            _ => None,
        }
    }

    /// Radius of the slice at height z of its frame \[m\]; zero outside.
    pub fn radius_at(&self, z: f64) -> f64 {
        match *self {
            Self::Ball { radius } => (radius * radius - z * z).max(0.0).sqrt(),
            Self::Capsule { half, radius } => {
                let over = (z.abs() - half).max(0.0);
                (radius * radius - over * over).max(0.0).sqrt()
            }
            Self::Cylinder { half, radius } if z.abs() <= half => radius,
            Self::Cone { half, radius } if z.abs() <= half => radius * (half - z) / (2.0 * half),
            _ => 0.0,
        }
    }

    /// Heights between which the solid lies, with those where its profile has a kink \[m\].
    pub fn kinks(&self) -> Vec<f64> {
        match *self {
            Self::Ball { radius } => vec![-radius, radius],
            Self::Capsule { half, radius } => vec![-half - radius, -half, half, half + radius],
            Self::Cylinder { half, .. } | Self::Cone { half, .. } => vec![-half, half],
            _ => vec![],
        }
    }

    /// A polytope that stands for a solid of revolution: circles of `wider` times its radius become
    /// polygons with that many sides. `None` for balls, and for what is not of revolution.
    pub fn tessellated(&self, sides: usize, wider: f64) -> Option<Polytope> {
        match *self {
            Self::Cylinder { half, radius } => {
                Polytope::prism(radius * wider, 2.0 * half, sides).ok()
            }
            Self::Cone { half, radius } => {
                Polytope::pyramid(radius * wider, 2.0 * half, sides).ok()
            }
            Self::Capsule { half, radius } => rounded(half, radius, (sides, wider)),
            _ => None,
        }
    }

    /// Radius of a ball inside \[m\], for round shapes the largest; of a polytope the one around the
    /// mean of its corners. Infinite for a half-space.
    pub fn inscribed_radius(&self) -> f64 {
        let mean = |points: &[Vec3]| points.iter().copied().sum::<Vec3>() / points.len() as f64;
        match self {
            Self::Polytope(p) => {
                let c = mean(&p.vertices);
                p.faces.iter().map(|f| f.offset - f.normal.dot(c)).fold(f64::INFINITY, f64::min)
            }
            Self::Polygon(p) => {
                let c = mean(&p.vertices);
                let sides = p.normals.iter().zip(&p.vertices);
                sides.map(|(n, v)| n.dot(*v - c)).fold(f64::INFINITY, f64::min)
            }
            Self::Ball { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Cylinder { half, radius } => half.min(*radius),
            // The largest ball on the axis touches base and mantle.
            Self::Cone { half, radius } => {
                2.0 * half * radius / (radius + (4.0 * half * half + radius * radius).sqrt())
            }
            Self::Bored(b) => b.half.min(0.5 * b.wall()),
            Self::HalfSpace => f64::INFINITY,
        }
    }

    /// Volume \[m³\], area in 2D \[m²\]; infinite for a half-space.
    pub fn volume(&self, dimension: Dimension) -> f64 {
        match *self {
            Self::Polytope(ref p) => p.volume(),
            Self::Polygon(ref p) => p.area(),
            Self::Ball { radius } if dimension == Dimension::Two => PI * radius * radius,
            Self::Ball { radius } => MassProperties::ball(radius).volume,
            Self::Capsule { half, radius } => MassProperties::capsule(half, radius).volume,
            Self::Cylinder { half, radius } => MassProperties::cylinder(half, radius).volume,
            Self::Cone { half, radius } => MassProperties::cone(half, radius).volume,
            Self::Bored(ref b) => b.volume(b.hull.volume(dimension)),
            Self::HalfSpace => f64::INFINITY,
        }
    }
}

/// Rings around a capsule, from below to above, between two poles.
fn rounded(half: f64, radius: f64, (sides, wider): (usize, f64)) -> Option<Polytope> {
    let quarter = sides / 4;
    let mut vertices = vec![-Vec3::Z * (half + radius)];
    let latitude = |k: usize| std::f64::consts::FRAC_PI_2 * k as f64 / quarter as f64;
    for (end, levels) in
        [(-half, (0..quarter).rev().collect::<Vec<_>>()), (half, (0..quarter).collect())]
    {
        for level in levels {
            let (s, c) = latitude(level).sin_cos();
            let up = Vec3::Z * (end + radius * s.copysign(end));
            vertices.extend(
                crate::solids::ring(radius * wider * c, sides).ok()?.iter().map(|&p| p + up),
            );
        }
    }
    vertices.push(Vec3::Z * (half + radius));
    let (n, rings, top) = (sides as u32, 2 * quarter as u32, vertices.len() as u32 - 1);
    let at = |ring: u32, k: u32| 1 + ring * n + k % n;
    let mut loops = vec![];
    for k in 0..n {
        loops.push(vec![0, at(0, k + 1), at(0, k)]);
        loops.push(vec![top, at(rings - 1, k), at(rings - 1, k + 1)]);
        loops.extend(
            (1..rings).map(|r| vec![at(r - 1, k), at(r - 1, k + 1), at(r, k + 1), at(r, k)]),
        );
    }
    Polytope::from_faces(vertices, loops).ok()
}
