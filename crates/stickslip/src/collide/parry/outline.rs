//! Points along one normal: those inside the outline of the others add nothing.

use std::f64::consts::{PI, TAU};

use stickslip_geometry::Vec3;

use super::Point;

/// A corner less sharp than this is none \[rad\].
const STRAIGHT: f64 = 1e-6;

/// Keeps, of the points that share a normal, the corners of their convex outline: where a flat
/// face lies on flat triangles the gap is linear, so that the corners hold for all within.
pub(super) fn corners(points: &[Point], size: f64) -> Vec<Point> {
    let mut kept = vec![];
    let mut done = vec![false; points.len()];
    for first in 0..points.len() {
        if done[first] {
            continue;
        }
        let n = points[first].normal;
        let mut own: Vec<usize> = (first..points.len())
            .filter(|&k| !done[k] && points[k].normal.dot(n) > 1.0 - 1e-9)
            .collect();
        own.iter().for_each(|&k| done[k] = true);
        if own.len() > 2 {
            own = outline(points, &own, n, 1e-9 * size);
        }
        own.sort_unstable();
        kept.extend(own.into_iter().map(|k| points[k]));
    }
    kept
}

/// Drops, one after the other, every point that the others surround: seen from it along `n` they
/// leave no angle open that is wider than half a turn, up to [`STRAIGHT`].
fn outline(points: &[Point], own: &[usize], n: Vec3, tolerance: f64) -> Vec<usize> {
    let u = n.any_orthonormal_vector();
    let v = n.cross(u);
    let mut kept = own.to_vec();
    for &k in own {
        let from = points[k].points[0];
        let mut angles: Vec<f64> = kept
            .iter()
            .filter(|&&l| l != k)
            .map(|&l| points[l].points[0] - from)
            .map(|d| (u.dot(d), v.dot(d)))
            .filter(|d| d.0.hypot(d.1) > tolerance)
            .map(|d| d.1.atan2(d.0))
            .collect();
        angles.sort_by(f64::total_cmp);
        let (Some(first), Some(last)) = (angles.first(), angles.last()) else { continue };
        let around = first + TAU - last;
        let widest = angles.windows(2).map(|w| w[1] - w[0]).fold(around, f64::max);
        if widest <= PI + STRAIGHT {
            kept.retain(|&l| l != k);
        }
    }
    kept
}
