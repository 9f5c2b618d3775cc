//! The contact polygon of a separating axis: where the two bodies face each other.

use stickslip_geometry::{
    Vec3, clip, placed,
    tolerance::{MERGE, TOUCH},
};

use super::{
    directions::{Axis, Direction},
    hull::{Drift, Hull, Kind},
};
use crate::collide::Feature;

/// A point that must stay on its side of the separating axis: a material point of the body that
/// does not own the face, given at the start of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Where it is at the start of the step, world frame.
    pub at: Vec3,
    /// The corner or edge it came from.
    pub feature: Feature,
}

/// Speed: corners of a face that need no memory of their own.
const FEW: usize = 8;

/// Points of a face axis, found at the pose after `t` seconds of the motion, or the nearest
/// points of an edge-edge axis (as the point on B).
pub(super) fn points(
    d: &Direction,
    hulls: [&Hull; 2],
    drifts: [Drift; 2],
    t: f64,
    merge: f64,
) -> Vec<Point> {
    let (face, r, o) = match d.axis {
        Axis::Edges(_, j) => {
            return vec![Point { at: d.anchors[1], feature: Feature::Edge(j as u32) }];
        }
        Axis::FaceA(k) => (k, 0, 1),
        Axis::FaceB(k) => (k, 1, 0),
    };
    let (reference, other) = (hulls[r], hulls[o]);
    let (mine, theirs) = (drifts[r].over(t), drifts[o].over(t));
    let n = mine.turn(reference.faces[face].0);
    // The incident face: the one of the other body whose normal is most opposite.
    let back = theirs.unturn(n);
    let incident = other.face_along(-back);
    let incident = incident.unwrap_or_else(|| least(other.faces.iter().map(|f| f.0.dot(back))));
    let corners = other.corners(incident);
    let carried = |v: u32| theirs.carry(other.vertices[v as usize]);
    let mut polygon: Vec<Point> = Vec::with_capacity(corners.len() + 4);
    polygon.extend(corners.iter().map(|&v| Point { at: carried(v), feature: Feature::Vertex(v) }));
    // most faces have few corners
    let (mut few, mut many) = ([Vec3::ZERO; FEW], Vec::new());
    let corners = reference.corners(face);
    let rim = match corners.len() {
        m @ ..=FEW => &mut few[..m],
        m => {
            many.resize(m, Vec3::ZERO);
            &mut many[..]
        }
    };
    let places = corners.iter().map(|&v| mine.carry(reference.vertices[v as usize]));
    rim.iter_mut().zip(places).for_each(|(x, place)| *x = place);
    let mut spare = Vec::new();
    // Edges that coincide up to round-off must not cut each other somewhere in the middle.
    let slack = merge * (TOUCH / MERGE);
    match reference.kind {
        Kind::Polygon(_) => {
            let along = (rim[1] - rim[0]).normalize();
            clip((&mut polygon, &mut spare), rim[0] - along * slack, along, false);
            clip((&mut polygon, &mut spare), rim[1] + along * slack, -along, false);
        }
        Kind::Polytope(_) => {
            for k in 0..rim.len() {
                let side = rim[(k + 1) % rim.len()] - rim[k];
                let inward = n.cross(side).normalize();
                clip((&mut polygon, &mut spare), rim[k] - inward * slack, inward, true);
            }
        }
    }
    // The corner that reaches farthest need not be one of the facing face.
    let v = other.extreme(-back);
    let v = v.unwrap_or_else(|| least(other.vertices.iter().map(|v| v.dot(back))));
    let corner = Point { at: theirs.carry(other.vertices[v]), feature: Feature::Vertex(v as u32) };
    let is_above = |x: Vec3| placed::is_above(x, rim.len(), |i| rim[i], n);
    if polygon.is_empty() || (is_above(corner.at) && !polygon.contains(&corner)) {
        polygon.push(corner);
    }
    thin(&mut polygon, merge);
    for p in &mut polygon {
        p.at = theirs.uncarry(p.at);
        if let Feature::Vertex(v) = p.feature {
            p.at = other.vertices[v as usize];
        }
    }
    polygon
}

/// Place of the smallest number; the first among equals.
fn least(numbers: impl Iterator<Item = f64>) -> usize {
    let smallest = numbers.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    smallest.map_or(0, |(k, _)| k)
}

/// Keeps the part of a polygon (or segment) on the side of the plane through `foot` to which
/// `inward` points.
fn clip(
    (polygon, spare): (&mut Vec<Point>, &mut Vec<Point>),
    foot: Vec3,
    inward: Vec3,
    closed: bool,
) {
    let cut = |from: &Point, to: &Point, share: f64| {
        let edge = match from.feature {
            Feature::Vertex(v) | Feature::Edge(v) => v,
            _ => 0,
        };
        Point { at: from.at + (to.at - from.at) * share, feature: Feature::Edge(edge) }
    };
    clip::clip_with(polygon, spare, closed, |p| -(p.at - foot).dot(inward), cut);
}

/// Drops points closer than `merge` to one kept before; corners are kept before cuts.
fn thin(polygon: &mut Vec<Point>, merge: f64) {
    polygon.sort_by_key(|p| !matches!(p.feature, Feature::Vertex(_)));
    let mut kept = 0;
    for i in 0..polygon.len() {
        let p = polygon[i];
        if polygon[..kept].iter().all(|q| (q.at - p.at).length_squared() > merge * merge) {
            polygon[kept] = p;
            kept += 1;
        }
    }
    polygon.truncate(kept);
}
