//! What a part is without its rounding: a ball is a point, a capsule a segment.

use crate::{Convex, Polygon, Polytope, Vec3};

use super::Placed;

/// A flat side with its corners.
pub(super) struct Side {
    pub(super) normal: Vec3,
    /// `normal · x` on the side.
    pub(super) offset: f64,
    /// Corners, counter-clockwise from outside; empty in the plane.
    pub(super) corners: Vec<u32>,
}

/// Two corners and the outward normals of the sides that meet there.
pub(super) struct Ridge {
    pub(super) ends: [u32; 2],
    /// `None` for a bare segment and in the plane.
    pub(super) sides: Option<[Vec3; 2]>,
}

/// Points, sides and ridges of the set that, thickened by `radius`, is the part.
pub(super) struct Core {
    pub(super) points: Vec<Vec3>,
    pub(super) sides: Vec<Side>,
    pub(super) ridges: Vec<Ridge>,
    pub(super) radius: f64,
    /// Whether it lies in the plane z = 0, so that directions out of it do not count.
    pub(super) planar: bool,
}

impl Core {
    /// In world axes, relative to `origin`. Parts without corners give a point.
    pub(super) fn new(part: Placed, origin: Vec3) -> Self {
        let at = |x: Vec3| part.pose.vector(x) + (part.pose.position - origin);
        match part.convex {
            Convex::Polytope(p) => Self::polytope(p, at, |n| part.pose.vector(n)),
            Convex::Polygon(p) => Self::polygon(p, at, |n| part.pose.vector(n)),
            Convex::Ball { radius } => Self::bare(vec![at(Vec3::ZERO)], *radius),
            Convex::Capsule { half, radius } => {
                Self::bare(vec![at(-Vec3::Z * *half), at(Vec3::Z * *half)], *radius)
            }
            _ => Self::bare(vec![at(Vec3::ZERO)], 0.0),
        }
    }

    /// One point or one segment.
    pub(super) fn bare(points: Vec<Vec3>, radius: f64) -> Self {
        let ridges = match points.len() {
            2 => vec![Ridge { ends: [0, 1], sides: None }],
            _ => vec![],
        };
        Self { points, sides: vec![], ridges, radius, planar: false }
    }

    pub(super) fn polytope(
        p: &Polytope,
        at: impl Fn(Vec3) -> Vec3,
        turn: impl Fn(Vec3) -> Vec3,
    ) -> Self {
        let points: Vec<Vec3> = p.vertices.iter().map(|&v| at(v)).collect();
        let sides: Vec<Side> = p
            .faces
            .iter()
            .map(|f| {
                let normal = turn(f.normal);
                let on: f64 = f.vertices.iter().map(|&v| normal.dot(points[v as usize])).sum();
                let offset = on / f.vertices.len() as f64;
                Side { normal, offset, corners: f.vertices.clone() }
            })
            .collect();
        let ridge = |e: &crate::polytope::Edge| Ridge {
            ends: e.vertices,
            sides: Some(e.faces.map(|f| sides[f as usize].normal)),
        };
        let ridges = p.edges.iter().map(ridge).collect();
        Self { points, sides, ridges, radius: 0.0, planar: false }
    }

    fn polygon(p: &Polygon, at: impl Fn(Vec3) -> Vec3, turn: impl Fn(Vec3) -> Vec3) -> Self {
        let points: Vec<Vec3> = p.vertices.iter().map(|&v| at(v)).collect();
        let side = |(&n, &v): (&Vec3, &Vec3)| {
            let normal = turn(n);
            Side { normal, offset: normal.dot(v), corners: vec![] }
        };
        let sides = p.normals.iter().zip(&points).map(side).collect();
        let count = points.len() as u32;
        let ridges =
            (0..count).map(|k| Ridge { ends: [k, (k + 1) % count], sides: None }).collect();
        Self { points, sides, ridges, radius: 0.0, planar: true }
    }

    /// Largest `n · x`.
    pub(super) fn reach(&self, n: Vec3) -> f64 {
        self.points.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Ends of a ridge.
    pub(super) fn ends(&self, ridge: &Ridge) -> [Vec3; 2] {
        ridge.ends.map(|k| self.points[k as usize])
    }

    /// Corners of a side.
    pub(super) fn corners(&self, side: &Side) -> Vec<Vec3> {
        side.corners.iter().map(|&k| self.points[k as usize]).collect()
    }
}
