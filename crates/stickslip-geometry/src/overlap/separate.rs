//! The widest gap of two cores over all directions that can be it.
//!
//! For two polytopes that overlap, the shortest way out is along the normal of a face of their
//! Minkowski difference: a face of one of them, or the cross product of two edges whose arcs of
//! normals cross on the sphere of directions. Any direction gives a lower bound of the gap, so
//! a candidate counts only with what both sets reach along it.

use crate::Vec3;

use super::{Gap, core::Core, distance};

/// Collects the widest gap.
struct Search<'a> {
    a: &'a Core,
    b: &'a Core,
    best: Gap,
}

impl Search<'_> {
    /// Measures along a unit vector.
    fn try_along(&mut self, n: Vec3) {
        let gap = -self.b.reach(-n) - self.a.reach(n);
        if gap > self.best.gap {
            self.best = Gap { gap, normal: n };
        }
    }

    fn try_cross(&mut self, u: Vec3, v: Vec3) {
        let n = u.cross(v);
        let length = n.length();
        if length > 0.0 {
            self.try_along(n / length);
            self.try_along(-n / length);
        }
    }
}

/// The widest gap. With `enough`, the first one found that is at least that wide.
pub(super) fn gap(a: &Core, b: &Core, enough: Option<f64>) -> Gap {
    let between = b.points[0] - a.points[0];
    let first = between.try_normalize().unwrap_or(Vec3::X);
    let mut search = Search { a, b, best: Gap { gap: f64::NEG_INFINITY, normal: first } };
    let apart = |s: &Search| enough.is_some_and(|e| s.best.gap >= e);
    if a.sides.is_empty() && b.sides.is_empty() {
        return distance::gap(a, b, first);
    }
    for side in &a.sides {
        let gap = -b.reach(-side.normal) - side.offset;
        if gap > search.best.gap {
            search.best = Gap { gap, normal: side.normal };
        }
    }
    for side in &b.sides {
        let gap = -a.reach(-side.normal) - side.offset;
        if gap > search.best.gap {
            search.best = Gap { gap, normal: -side.normal };
        }
    }
    if !apart(&search) && !a.planar && !b.planar {
        over_edges(&mut search);
    }
    if apart(&search) || search.best.gap < 0.0 {
        return search.best;
    }
    distance::gap(a, b, search.best.normal)
}

fn over_edges(search: &mut Search) {
    let (a, b) = (search.a, search.b);
    for r in &a.ridges {
        let [p, p2] = a.ends(r);
        for s in &b.ridges {
            let [q, q2] = b.ends(s);
            match (r.sides, s.sides) {
                (Some(na), Some(nb)) => {
                    if !arcs_cross(na, nb) {
                        continue;
                    }
                    let n = (p2 - p).cross(q2 - q).normalize_or_zero();
                    let out = if n.dot(na[0] + na[1]) < 0.0 { -n } else { n };
                    // A bound from the two edges alone tells whether the pair must be evaluated.
                    if out.dot(q - p) > search.best.gap && out != Vec3::ZERO {
                        search.try_along(out);
                    }
                }
                _ => search.try_cross(p2 - p, q2 - q),
            }
        }
    }
}

/// Whether the arc from normal `a` to `b` crosses the arc of the negated normals of B.
fn arcs_cross([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> bool {
    let (c, d) = (-c, -d);
    let (across_a, across_b) = (b.cross(a), d.cross(c));
    let (cba, dba) = (c.dot(across_a), d.dot(across_a));
    let (adc, bdc) = (a.dot(across_b), b.dot(across_b));
    cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0
}
