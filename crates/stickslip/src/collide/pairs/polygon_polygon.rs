//! Two convex polygons in the plane: every vertex-side pair within reach (thesis 3.5).

use stickslip_geometry::Vec3;

use super::{
    Found, Sink,
    vertex_face::{applicability, point_segment},
};
use crate::collide::{Feature, placed::Placed, settings::Rules};

/// All contacts between two polygons closer than `reach` \[m\].
pub(crate) fn contacts(pair: [&Placed; 2], reach: f64, rules: &Rules, sink: &mut Sink) {
    let mut best = f64::NEG_INFINITY;
    for k in 0..2 {
        let (own, other) = (pair[k], pair[1 - k]);
        for (&n, &p) in own.normals.iter().zip(&own.vertices) {
            let gap = other.vertices.iter().map(|&v| n.dot(v - p)).fold(f64::INFINITY, f64::min);
            if gap > reach {
                return;
            }
            best = best.max(gap);
        }
    }
    let depth = (-best).max(0.0);
    let rules = if depth > rules.epsilon { rules.at_depth(depth) } else { *rules };
    // A pair deeper than its reach must still be found, or it would never part again.
    let reach = [reach, if depth > reach { reach + depth } else { reach }];
    one_way(pair, false, reach, &rules, sink);
    one_way([pair[1], pair[0]], true, reach, &rules, sink);
}

/// Vertices of the first against sides of the second, up to a gap and up to a distance \[m\].
fn one_way(
    pair: [&Placed; 2],
    swapped: bool,
    [limit, reach]: [f64; 2],
    rules: &Rules,
    sink: &mut Sink,
) {
    let (points, sides) = (&pair[0].vertices, &pair[1].vertices);
    let near = pair[1].bounds.inflated(reach);
    for (f, &n) in pair[1].normals.iter().enumerate() {
        let (a, b) = (sides[f], sides[(f + 1) % sides.len()]);
        for (k, &v) in points.iter().enumerate() {
            let psi = n.dot(v - a);
            let inside = v.cmpge(near.min).all() && v.cmple(near.max).all();
            if psi.abs() > reach || psi > limit || !inside {
                continue;
            }
            let nearest = point_segment(a, b, v).distance_squared(v);
            if nearest > reach * reach {
                continue;
            }
            let neighbor = |step: usize| points[(k + step) % points.len()];
            let ends: [Vec3; 2] = [neighbor(1), neighbor(points.len() - 1)];
            let applicability = applicability(v, n, ends.into_iter());
            let beside = (nearest - psi * psi).max(0.0).sqrt();
            let mut found = Found {
                features: [Feature::Vertex(k as u32), Feature::Face(f as u32)],
                points: [v, v - n * psi],
                normal: -n,
                gap: psi,
                applicability,
                primary: applicability >= rules.applicable && rules.feasible(psi, beside),
            };
            if swapped {
                found.features.swap(0, 1);
                found.points.swap(0, 1);
                found.normal = n;
            }
            sink.push(&found);
        }
    }
}
