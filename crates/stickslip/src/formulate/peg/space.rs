//! PEG in space (algorithms 12-17).

use stickslip_geometry::Vec3;

use super::pair::{Pair, RELAXED, SLIVER, STRICT};
use crate::{
    collide::{Feature, Role},
    formulate::ConstraintKind,
};

/// All constraints beyond those of single vertices: vertex-vertex and vertex-edge configurations
/// first, then the edge pairs that belong to none.
pub(super) fn cross(pair: &mut Pair) {
    for va in pair.near_vertices(0) {
        for vb in pair.near_vertices(1) {
            let [a, b] = pair.solids;
            if b.vertices[vb].distance(a.vertices[va]) <= pair.reach {
                vertex_vertex(pair, va, vb);
            }
        }
    }
    for own in 0..2 {
        for v in pair.near_vertices(own) {
            let at = pair.solids[own].vertices[v];
            let other = pair.solids[1 - own];
            for e in 0..other.edges.len() {
                let ends = other.edges[e].0.map(|k| other.vertices[k].distance(at));
                let beyond = ends[0].min(ends[1]) <= pair.reach;
                if !beyond && other.edge_distance(e, at) <= pair.reach {
                    vertex_edge(pair, own, v, e);
                }
            }
        }
    }
    crossings(pair);
}

/// The end of an edge near another edge belongs to a vertex configuration; two edges that cross
/// farther from their ends than the bodies can move are a unilateral constraint (4.19).
fn crossings(pair: &mut Pair) {
    let edges: Vec<(usize, usize, Vec3)> = pair
        .found
        .iter()
        .filter(|(_, c)| c.role == Role::Primary)
        .filter_map(|(k, c)| match *k {
            (Feature::Edge(i), Feature::Edge(j)) => Some((i as usize, j as usize, c.normal)),
            _ => None,
        })
        .collect();
    for (i, j, normal) in edges {
        let [a, b] = pair.solids;
        let near = |own: &super::solid::Solid, k: usize, other: &super::solid::Solid, e: usize| {
            own.edges[k].0.iter().any(|&v| other.edge_distance(e, own.vertices[v]) <= pair.reach)
        };
        if near(a, i, b, j) || near(b, j, a, i) {
            continue;
        }
        if let Some(k) = pair.edges(i, j, normal) {
            pair.add(ConstraintKind::Unilateral, vec![k]);
        }
    }
}

/// Every edge pair as a unilateral constraint: what a model without cross-contact constraints
/// can say about edges.
pub(super) fn edges_alone(pair: &mut Pair) {
    let primary: Vec<(usize, usize, Vec3)> = pair
        .found
        .iter()
        .filter(|(_, c)| c.role == Role::Primary)
        .filter_map(|(k, c)| match *k {
            (Feature::Edge(i), Feature::Edge(j)) => Some((i as usize, j as usize, c.normal)),
            _ => None,
        })
        .collect();
    for (i, j, normal) in primary {
        if let Some(k) = pair.edges(i, j, normal) {
            pair.add(ConstraintKind::Unilateral, vec![k]);
        }
    }
}

/// The cross-contact constraint of two near vertices, (4.22).
///
/// The two cones at the vertices overlap iff `v_a - v_b` lies in the cone spanned by B's edges
/// and A's reversed ones. Its facets are the applicable contacts among `(v_a, f_b)`, `(v_b, f_a)`
/// and `(e_a, e_b)`, so that one constraint over all of them says all: at least one of them must
/// not be violated. Algorithm 16 takes the constraints of each edge at the vertex as if the edge
/// had no end, which forbids free places beyond the vertex.
fn vertex_vertex(pair: &mut Pair, va: usize, vb: usize) {
    let [a, b] = pair.solids;
    let mut local = Vec::new();
    for &f in &b.faces_at[vb] {
        if pair.vertex_applicability(0, va, f) >= -STRICT {
            local.push(pair.vertex_face(0, va, f));
        }
    }
    let of_a = local.len();
    for &f in &a.faces_at[va] {
        if pair.vertex_applicability(1, vb, f) >= -STRICT {
            local.push(pair.vertex_face(1, vb, f));
        }
    }
    let faces = local.len();
    for &i in &a.edges_at[va] {
        for &j in &b.edges_at[vb] {
            local.extend(applicable_edges(pair, i, j, STRICT));
        }
    }
    // Faces against one vertex alone: its inter-contact constraint says so already.
    if local.is_empty() || (local.len() == faces && (of_a == 0 || of_a == faces)) {
        return;
    }
    local.extend(pair.far_sides(b.vertices[vb] - a.vertices[va]));
    pair.add(ConstraintKind::Cross, local);
}

/// The contact of two edges if it is applicable, within an angle, with either sign of its normal.
fn applicable_edges(pair: &mut Pair, i: usize, j: usize, angle: f64) -> Option<usize> {
    let n = pair.edge_normal(i, j)?;
    let sign = [n, -n].into_iter().find(|&n| pair.edge_applicability(i, j, n) >= -angle)?;
    pair.edges(i, j, sign)
}

/// The cross-contact constraints of a vertex near the middle of an edge, (4.20).
///
/// Seen along the edge this is two corners in the plane: the edge between its faces, and the
/// vertex between its edges. An edge `a` of the vertex may pass below the edge only where the
/// vertex is in front of the face that `a` leads away from: X((v, f), (a, e)). It is a fact where
/// `a` leads away from `f`, and `f` falls away from the plane of both edges. Where `a` runs along
/// `f` but away from the body, the two planes are one and the places behind both are a sliver that
/// says nothing.
fn vertex_edge(pair: &mut Pair, own: usize, v: usize, e: usize) {
    let [mine, other] = [pair.solids[own], pair.solids[1 - own]];
    let [tail, head] = other.edges[e].0.map(|k| other.vertices[k]);
    let at = mine.vertices[v];
    let foot = crate::collide::pairs::vertex_face::point_segment(tail, head, at);
    let shift = if own == 0 { foot - at } else { at - foot };
    let faces = other.edges[e].1;
    let far = pair.far_sides(shift);
    for f in faces {
        if pair.vertex_applicability(own, v, f) < RELAXED {
            continue;
        }
        let [turned, base] = [pair.turned[own], pair.turned[1 - own]];
        let (n, inward) = (base.normals[f], base.along_face(e, f));
        let edge = base.from(e, base.edges[e].0[0]);
        for &k in &mine.edges_at[v] {
            let away = turned.from(k, v);
            if n.dot(away) < -pair.turn || sliver(away, inward, edge) {
                continue;
            }
            let (i, j) = if own == 0 { (k, e) } else { (e, k) };
            let m = away.cross(edge).normalize_or_zero();
            // From the other body outward: the face falls away from it.
            let down = m.dot(inward);
            let up = if down.abs() > pair.turn { -down } else { m.dot(n) };
            let m = if up >= 0.0 { m } else { -m };
            let outward = if own == 0 { -m } else { m };
            if pair.edge_applicability(i, j, outward) < RELAXED {
                continue;
            }
            let Some(crossing) = pair.edges(i, j, outward) else { continue };
            let mut all = vec![pair.vertex_face(own, v, f), crossing];
            all.extend(&far);
            pair.add(ConstraintKind::Cross, all);
        }
    }
    // A blunt vertex over a sharp edge: only the vertex's edges meet it.
    if faces.iter().any(|&f| pair.vertex_applicability(own, v, f) >= -STRICT) {
        return;
    }
    let edges: Vec<(usize, usize)> =
        mine.edges_at[v].iter().map(|&k| if own == 0 { (k, e) } else { (e, k) }).collect();
    let within = |pair: &mut Pair, angle: f64| -> Vec<usize> {
        edges.iter().filter_map(|&(i, j)| applicable_edges(pair, i, j, angle)).collect()
    };
    let mut all = within(pair, STRICT);
    if all.is_empty() {
        // An edge flat on a face cuts its corner: the corner's edges meet it, or do not, as an
        // impact turns the two. Now they part the bodies, or they are on the far side.
        all = within(pair, pair.turn);
        if all.iter().all(|&k| pair.contacts[k][0].gap < -pair.tolerance) {
            return;
        }
    }
    all.extend(&far);
    pair.add(ConstraintKind::Cross, all);
}

/// Whether, seen along the edge, the direction `away` is opposite to `inward` within 10°.
fn sliver(away: Vec3, inward: Vec3, edge: Vec3) -> bool {
    let across = away - edge * edge.dot(away);
    across.dot(inward) < SLIVER * across.length()
}
