//! Which points lie on the bottom of the shared volume.
//!
//! Points are taken from the deepest up. Seen along the normal, each is kept if it lies outside
//! the polygon of those kept so far, which is star-shaped about the deepest: the place of a new
//! corner is found by its angle, in a search tree. Drumwright 2007, III-A and figure 5; time
//! `O(n log n)`.

use std::collections::BTreeMap;

use stickslip_geometry::{Dimension, Vec3};

use super::volume::{ROUND, VolumePoint};

/// Indices of the points on the bottom, the deepest first. `normal` is the contact normal.
pub fn bottom(dimension: Dimension, normal: Vec3, points: &[VolumePoint]) -> Vec<usize> {
    let order = descending(dimension, normal, points);
    let Some(&first) = order.first() else { return Vec::new() };
    let flat = Flat::new(dimension, normal, points[first].at, points);
    match dimension {
        Dimension::Two => outside_interval(&order, &flat),
        Dimension::Three => outside_polygon(&order, &flat),
    }
}

/// Indices from the deepest to the shallowest. Of equally deep points the lowest, right-most in
/// the plane goes first; depths equal up to round-off count as equal only in exact arithmetic,
/// which costs nothing but another first point.
fn descending(dimension: Dimension, normal: Vec3, points: &[VolumePoint]) -> Vec<usize> {
    let [x, y] = dimension.tangents(normal, Vec3::ZERO);
    let key = |i: usize| (points[i].at.dot(y), -points[i].at.dot(x));
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| {
        let (a, b) = (key(i), key(j));
        let deeper = points[j].depth.total_cmp(&points[i].depth);
        deeper.then(a.0.total_cmp(&b.0)).then(a.1.total_cmp(&b.1)).then(i.cmp(&j))
    });
    order
}

/// Points projected along the normal, relative to the deepest.
struct Flat {
    at: Vec<[f64; 2]>,
    tolerance: f64,
}

impl Flat {
    fn new(dimension: Dimension, normal: Vec3, origin: Vec3, points: &[VolumePoint]) -> Self {
        let [x, y] = dimension.tangents(normal, Vec3::ZERO);
        let at: Vec<[f64; 2]> =
            points.iter().map(|p| [(p.at - origin).dot(x), (p.at - origin).dot(y)]).collect();
        let extent = at.iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max);
        Self { at, tolerance: ROUND * extent }
    }
}

/// In the plane the polygon is an interval.
fn outside_interval(order: &[usize], flat: &Flat) -> Vec<usize> {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    let mut kept = vec![order[0]];
    for &i in &order[1..] {
        let x = flat.at[i][0];
        if x < low - flat.tolerance || x > high + flat.tolerance {
            (low, high) = (low.min(x), high.max(x));
            kept.push(i);
        }
    }
    kept
}

fn outside_polygon(order: &[usize], flat: &Flat) -> Vec<usize> {
    let mut kept = vec![order[0]];
    // Corners by angle about the deepest point.
    let mut corners: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
    for &i in &order[1..] {
        let p = flat.at[i];
        if p[0].hypot(p[1]) <= flat.tolerance {
            continue;
        }
        let angle = sortable(p[1].atan2(p[0]));
        let before = corners.range(..=angle).next_back().or(corners.iter().next_back());
        let after = corners.range(angle..).next().or(corners.iter().next());
        let inside = match (before, after) {
            (Some((_, &a)), Some((_, &b))) => holds(a, b, p, flat.tolerance),
            _ => false,
        };
        if !inside {
            kept.push(i);
            corners.insert(angle, p);
        }
    }
    kept
}

/// Whether the polygon holds p, which lies in the sector from corner a to the next corner b, both
/// seen from the origin. A sector of half a turn or more is open.
fn holds(a: [f64; 2], b: [f64; 2], p: [f64; 2], tolerance: f64) -> bool {
    let cross = |u: [f64; 2], v: [f64; 2]| u[0] * v[1] - u[1] * v[0];
    let length = |u: [f64; 2]| u[0].hypot(u[1]);
    // On the ray of a corner its distance decides; rays within round-off of p are its own.
    for corner in [a, b] {
        let near = cross(corner, p).abs() <= tolerance * length(corner)
            && corner[0] * p[0] + corner[1] * p[1] > 0.0;
        if near && length(p) <= length(corner) + tolerance {
            return true;
        }
    }
    if cross(a, b) <= 0.0 {
        return false;
    }
    let edge = [b[0] - a[0], b[1] - a[1]];
    let outside = -cross(edge, [p[0] - a[0], p[1] - a[1]]) / length(edge);
    cross(a, p) >= 0.0 && cross(p, b) >= 0.0 && outside <= tolerance
}

/// Numbers whose order is that of the angles.
fn sortable(angle: f64) -> u64 {
    let bits = (angle + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}
