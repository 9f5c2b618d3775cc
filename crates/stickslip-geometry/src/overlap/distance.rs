//! Distance of two cores that are apart, by their closest features.

use crate::Vec3;

use super::{Gap, closest, core::Core};

/// The shortest vector found so far, and a direction from A to B along which everything farther
/// than that can be left out.
struct Search {
    best: Vec3,
    along: Vec3,
}

impl Search {
    fn take(&mut self, v: Vec3) {
        if v.length_squared() < self.best.length_squared() {
            self.best = v;
        }
    }

    /// Whether these points of A and those of B may be closer than the best.
    fn promising(&self, a: &[Vec3], b: &[Vec3]) -> bool {
        let top = a.iter().map(|p| self.along.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        let low = b.iter().map(|p| self.along.dot(*p)).fold(f64::INFINITY, f64::min);
        low - top <= self.best.length()
    }
}

/// Shortest vector from `a` to `b`: over all corners against sides and all pairs of ridges.
fn between(a: &Core, b: &Core, along: Vec3) -> Vec3 {
    let mut search = Search { best: b.points[0] - a.points[0], along };
    let near = |n: Vec3, core: &Core| {
        let mut order: Vec<usize> = (0..core.ridges.len()).collect();
        let low = |k: &usize| {
            core.ends(&core.ridges[*k]).map(|p| n.dot(p)).into_iter().fold(f64::INFINITY, f64::min)
        };
        order.sort_by(|i, j| low(i).total_cmp(&low(j)));
        order
    };
    // Facing ridges first, so that most others are left out at once.
    let (near_a, near_b) = (near(-along, a), near(along, b));
    for p in near_a.iter().map(|&k| a.ends(&a.ridges[k])) {
        for q in near_b.iter().map(|&k| b.ends(&b.ridges[k])) {
            if search.promising(&p, &q) {
                search.take(closest::between_segments(p, q));
            }
        }
        if b.ridges.is_empty() {
            search.take(b.points[0] - closest::on_segment(b.points[0], p));
        }
    }
    if a.ridges.is_empty() {
        for r in &b.ridges {
            search.take(closest::on_segment(a.points[0], b.ends(r)) - a.points[0]);
        }
    }
    to_sides(a, b, &mut search);
    search = Search { best: -search.best, along: -along };
    to_sides(b, a, &mut search);
    -search.best
}

/// Vectors from the corners of `a` to the sides of `b` that they see.
fn to_sides(a: &Core, b: &Core, search: &mut Search) {
    for side in b.sides.iter().filter(|s| !s.corners.is_empty()) {
        let corners = b.corners(side);
        for &p in a.points.iter().filter(|p| side.normal.dot(**p) >= side.offset) {
            if search.promising(&[p], &corners) {
                search.take(closest::on_polygon(p, &corners, side.normal) - p);
            }
        }
    }
}

/// The gap along the shortest vector; `seen` stands in where the two touch.
pub(super) fn gap(a: &Core, b: &Core, seen: Vec3) -> Gap {
    let v = between(a, b, seen);
    let length = v.length();
    Gap { gap: length, normal: if length > 0.0 { v / length } else { seen } }
}
