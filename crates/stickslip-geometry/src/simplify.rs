//! Polytopes with fewer corners.
//!
//! Corners of the given polytope are taken one by one, each the farthest outside the hull of those
//! taken before, until there are as many as allowed. The result lies inside the original; the
//! distance of the farthest corner that was left out bounds what was cut off (every point of the
//! original is a mean of its corners, and the distance from a convex set is a convex function).

use crate::{Polytope, Vec3, polytope::Face};

impl Polytope {
    /// The hull of at most `corners` (6 or more) of its corners, and the largest distance by
    /// which the original reaches beyond it \[m\]; itself if it has no more.
    pub fn simplified(&self, corners: usize) -> (Self, f64) {
        let corners = corners.max(6);
        if self.vertices.len() <= corners {
            return (self.clone(), 0.0);
        }
        let mut taken = vec![false; self.vertices.len()];
        for axis in Vec3::AXES {
            taken[self.support(axis)] = true;
            taken[self.support(-axis)] = true;
        }
        let mut found: Option<Self> = None;
        loop {
            let points: Vec<Vec3> =
                self.vertices.iter().zip(&taken).filter_map(|(v, t)| t.then_some(*v)).collect();
            let full = points.len() >= corners;
            // Extreme points may all lie in a plane: then any other corner helps.
            if let Ok(hull) = Self::from_points(&points) {
                found = Some(hull);
            }
            let outside = |v: Vec3| match &found {
                Some(hull) => {
                    let height = |f: &Face| f.normal.dot(v) - f.offset;
                    hull.faces.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
                }
                None => flatness(&points, v),
            };
            let rest = (0..taken.len()).filter(|&k| !taken[k]);
            let farthest = rest
                .map(|k| (k, outside(self.vertices[k])))
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .filter(|(_, d)| *d > 0.0 || found.is_none());
            match (farthest, &found) {
                (Some((k, _)), _) if !full || found.is_none() => taken[k] = true,
                (Some((_, _)), Some(hull)) => return (hull.clone(), self.beyond(hull)),
                (None, Some(hull)) => return (hull.clone(), self.beyond(hull)),
                _ => return (self.clone(), 0.0),
            }
        }
    }

    /// Largest distance of a corner from `inner` \[m\].
    fn beyond(&self, inner: &Self) -> f64 {
        self.vertices.iter().map(|&v| inner.distance_to(v)).fold(0.0, f64::max)
    }

    /// Distance of a point from the polytope \[m\]: its projection onto the faces it sees, then
    /// onto those as well that the projection sees, until there are none.
    fn distance_to(&self, point: Vec3) -> f64 {
        let mut seen: Vec<&Face> = Vec::new();
        let mut x = point;
        for _ in 0..self.faces.len() {
            let room = 1e-9 * (point.distance(x) + f64::MIN_POSITIVE);
            let sees = |f: &&Face| f.normal.dot(x) - f.offset > room;
            let more: Vec<&Face> =
                self.faces.iter().filter(sees).filter(|f| !seen.contains(f)).collect();
            if more.is_empty() {
                break;
            }
            seen.extend(more);
            x = projected(point, &seen);
        }
        x.distance(point)
    }
}

/// The point nearest to `point` behind all of these faces, by Dykstra's alternating projections.
fn projected(point: Vec3, faces: &[&Face]) -> Vec3 {
    let mut x = point;
    let mut corrections = vec![Vec3::ZERO; faces.len()];
    for _ in 0..200 {
        let before = x;
        for (face, correction) in faces.iter().zip(&mut corrections) {
            let y = x + *correction;
            let height = (face.normal.dot(y) - face.offset).max(0.0);
            x = y - face.normal * height;
            *correction = face.normal * height;
        }
        if (x - before).length() <= 1e-12 * x.distance(point) {
            break;
        }
    }
    x
}

/// Distance of a point from the plane, line or point that three or fewer others span.
fn flatness(points: &[Vec3], v: Vec3) -> f64 {
    let origin = points[0];
    let far = points
        .iter()
        .copied()
        .max_by(|a, b| a.distance_squared(origin).total_cmp(&b.distance_squared(origin)));
    let along = far.map_or(Vec3::ZERO, |f| (f - origin).normalize_or_zero());
    let across = |p: Vec3| (p - origin) - along * along.dot(p - origin);
    let side = points
        .iter()
        .map(|&p| across(p))
        .fold(Vec3::ZERO, |a, b| if b.length() > a.length() { b } else { a });
    let normal = along.cross(side).normalize_or_zero();
    match normal == Vec3::ZERO {
        true => across(v).length(),
        false => normal.dot(v - origin).abs(),
    }
}
