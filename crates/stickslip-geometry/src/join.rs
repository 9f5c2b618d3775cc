//! Convex parts joined where their union is convex.

use std::collections::BTreeSet;

use crate::{Aabb, Polytope, Vec3, tolerance::TOUCH};

/// Joins parts for as long as the union of two is convex: the hull of both has no more volume than
/// the two, but for the fraction `more`, and its faces are flat within the fraction `flat` of it.
pub(crate) fn joined(parts: Vec<Polytope>, flat: f64, more: f64) -> Vec<Polytope> {
    let mut boxes: Vec<Aabb> = parts.iter().map(bounds).collect();
    let mut volumes: Vec<f64> = parts.iter().map(Polytope::volume).collect();
    let mut parts: Vec<Option<Polytope>> = parts.into_iter().map(Some).collect();
    let mut tried: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut queue: Vec<(usize, usize)> = vec![];
    for j in 0..parts.len() {
        queue.extend((0..j).map(|i| (i, j)).filter(|&(i, j)| near(&boxes[i], &boxes[j])));
    }
    while let Some((i, j)) = queue.pop() {
        let (Some(a), Some(b)) = (&parts[i], &parts[j]) else { continue };
        if !tried.insert((i, j)) {
            continue;
        }
        let most = (volumes[i] + volumes[j]) * (1.0 + more);
        let Some(both) = union(a, b, flat).filter(|both| both.volume() <= most) else { continue };
        // The union is a new part: pairs with it have not been tried.
        let k = parts.len();
        boxes.push(bounds(&both));
        volumes.push(both.volume());
        parts[i] = None;
        parts[j] = None;
        let alive = (0..k).filter(|&m| parts[m].is_some() && near(&boxes[m], &boxes[k]));
        queue.extend(alive.map(|m| (m, k)));
        parts.push(Some(both));
    }
    parts.into_iter().flatten().collect()
}

fn bounds(p: &Polytope) -> Aabb {
    Aabb::of(p.vertices.iter().copied())
}

fn near(a: &Aabb, b: &Aabb) -> bool {
    let margin = TOUCH * (a.max - a.min).max_element().max((b.max - b.min).max_element());
    a.inflated(margin).overlaps(b)
}

/// The hull of two parts that share a face.
fn union(a: &Polytope, b: &Polytope, flat: f64) -> Option<Polytope> {
    let points = || a.vertices.iter().chain(&b.vertices).copied().collect::<Vec<Vec3>>();
    share_a_face(a, b, flat).then(|| Polytope::from_points_within(&points(), flat).ok())?
}

/// Whether two faces lie in one plane, back to back.
fn share_a_face(a: &Polytope, b: &Polytope, flat: f64) -> bool {
    let reach = a.extent().max(b.extent());
    a.faces.iter().any(|f| {
        b.faces.iter().any(|g| {
            let tip = b.vertices[g.vertices[0] as usize];
            f.normal.dot(g.normal) < -1.0 + 1e-9
                && (f.normal.dot(tip) - f.offset).abs() <= 100.0 * flat * reach
        })
    })
}
