//! Convex polygons in the plane z = 0.

use crate::{
    Aabb, GeometryError, Pose,
    error::{finite, positive},
    math::Vec3,
    solids::ring,
    tolerance::TOUCH,
};

/// A bounded convex polygon, counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    /// Corner points, body frame, z = 0 \[m\].
    pub vertices: Vec<Vec3>,
    /// `normals[k]`: unit outward normal of the edge from corner `k` to the next.
    pub normals: Vec<Vec3>,
}

impl Polygon {
    /// The convex hull of points (their z is ignored), counter-clockwise.
    ///
    /// Points inside, doubled, or within [`TOUCH`] of the line of their neighbours
    /// are dropped.
    pub fn from_points(points: &[Vec3]) -> Result<Self, GeometryError> {
        finite(points)?;
        if points.len() < 3 {
            let (given, needed) = (points.len(), 3);
            return Err(GeometryError::TooFew { what: "points", given, needed });
        }
        let mut sorted: Vec<Vec3> = points.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
        sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        let bounds = Aabb::of(sorted.iter().copied());
        let extent = (bounds.max - bounds.min).max_element();
        let flat = GeometryError::Flat { extent, thickness: 0.0 };
        if !(extent.is_finite() && extent > f64::MIN_POSITIVE / TOUCH) {
            return Err(flat);
        }
        // Lower chain from left to right, then the upper one back.
        let mut hull = chain(sorted.iter().copied());
        hull.pop();
        hull.extend(chain(sorted.iter().rev().copied()));
        hull.pop();
        let hull = without_straight_turns(hull, TOUCH * extent);
        if hull.len() < 3 { Err(flat) } else { Self::from_corners(hull) }
    }

    /// From the corners of a convex polygon in counter-clockwise order.
    pub(crate) fn from_corners(vertices: Vec<Vec3>) -> Result<Self, GeometryError> {
        let count = vertices.len();
        let mut normals = Vec::with_capacity(count);
        for k in 0..count {
            let along = vertices[(k + 1) % count] - vertices[k];
            let length = along.x.hypot(along.y);
            if !(length > 0.0 && length.is_finite()) {
                return Err(GeometryError::Topology { what: "edge", index: k });
            }
            normals.push(Vec3::new(along.y / length, -along.x / length, 0.0) + Vec3::ZERO);
        }
        Ok(Self { vertices, normals })
    }

    /// A rectangle around the origin with those edge lengths \[m\].
    pub fn rectangle(width: f64, height: f64) -> Result<Self, GeometryError> {
        let (x, y) = (0.5 * positive("size", width)?, 0.5 * positive("size", height)?);
        Self::from_corners(
            [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| Vec3::new(x, y, 0.0)).into(),
        )
    }

    /// A regular polygon around the origin: corners on the circle of that radius, the first
    /// at +x.
    pub fn regular(sides: usize, radius: f64) -> Result<Self, GeometryError> {
        Self::from_corners(ring(radius, sides)?)
    }

    /// The corner farthest along `direction` (the first one of several).
    pub fn support(&self, direction: Vec3) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, v) in self.vertices.iter().enumerate() {
            let along = v.dot(direction);
            if along > best.1 {
                best = (k, along);
            }
        }
        best.0
    }

    /// With its points moved from the frame of `pose` (planar) to the frame around it.
    pub fn placed(&self, pose: &Pose) -> Self {
        Self {
            vertices: self.vertices.iter().map(|&v| pose.point(v)).collect(),
            normals: self.normals.iter().map(|&n| pose.vector(n)).collect(),
        }
    }

    /// Verifies that it is convex, counter-clockwise, flat in z = 0, with unit outward normals,
    /// to [`TOUCH`] of the extent.
    pub fn check(&self) -> Result<(), GeometryError> {
        finite(&self.vertices)?;
        let count = self.vertices.len();
        if count < 3 || self.normals.len() != count {
            return Err(GeometryError::TooFew { what: "corners", given: count, needed: 3 });
        }
        let bounds = Aabb::of(self.vertices.iter().copied());
        let tolerance = TOUCH * (bounds.max - bounds.min).max_element();
        for (k, normal) in self.normals.iter().enumerate() {
            let height = |v: usize| normal.dot(self.vertices[v] - self.vertices[k]);
            let along = self.vertices[(k + 1) % count] - self.vertices[k];
            let unit = (normal.length() - 1.0).abs() < 1e-12 && normal.z == 0.0;
            if !unit || along.cross(*normal).z > 0.0 || self.vertices[k].z != 0.0 {
                return Err(GeometryError::Topology { what: "normal of edge", index: k });
            }
            let end = (k + 1) % count;
            if height(end).abs() > tolerance {
                let distance = height(end);
                return Err(GeometryError::NotPlanar { face: k, vertex: end, distance });
            }
            if let Some(vertex) = (0..count).find(|&v| height(v) > tolerance) {
                let distance = height(vertex);
                return Err(GeometryError::NotConvex { face: k, vertex, distance });
            }
        }
        Ok(())
    }
}

/// Twice the signed area of triangle `abc`.
pub(crate) fn turn(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Andrew's monotone chain: keeps left turns only.
fn chain(points: impl Iterator<Item = Vec3>) -> Vec<Vec3> {
    let mut kept: Vec<Vec3> = vec![];
    for p in points {
        while let [.., a, b] = kept[..]
            && turn(a, b, p) <= 0.0
        {
            kept.pop();
        }
        kept.push(p);
    }
    kept
}

/// Drops corners within `tolerance` of the line through their neighbours, flattest first.
pub(crate) fn without_straight_turns(mut corners: Vec<Vec3>, tolerance: f64) -> Vec<Vec3> {
    loop {
        let count = corners.len();
        if count < 3 {
            return corners;
        }
        let height = |k: usize| {
            let (a, b) = (corners[(k + count - 1) % count], corners[(k + 1) % count]);
            let base = a.distance(b);
            if base > 0.0 { turn(a, corners[k], b).abs() / base } else { 0.0 }
        };
        let flattest = (0..count).min_by(|&i, &j| height(i).total_cmp(&height(j)));
        match flattest {
            Some(k) if height(k) <= tolerance => {
                corners.remove(k);
            }
            _ => return corners,
        }
    }
}
