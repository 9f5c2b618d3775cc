//! The standard contact model: which of the potential contacts are enforced, each by itself.
//!
//! One half-space per feature: of the faces near a vertex only one may hold it, and the standard
//! model takes the one it is farthest in front of. That choice is sometimes wrong (a peg over its
//! hole is held up by the rim); formulations with exact geometry do not make it.
//!
//! A surface may be hollow. There the vertex is held by the nearest plane and by all that it is farther
//! in front of: in a valley both sides hold it, on a ridge the side that it is over.

use stickslip_geometry::{
    Shape,
    tolerance::{MERGE, ROUND_OFF},
};

use crate::{
    collide::{Contact, Feature, Role},
    model::{BodyId, Model},
};

/// A vertex near a part of another body.
type Corner = (BodyId, u32, Feature, BodyId, u32);

/// Indices of the contacts that the standard model enforces, ascending.
pub fn select(model: &Model, contacts: &[Contact]) -> Vec<usize> {
    // Of the faces near one vertex keep the one with the largest gap.
    let mut corners: Vec<(Corner, usize)> = Vec::with_capacity(contacts.len());
    let mut kept = Vec::with_capacity(contacts.len());
    for (i, c) in contacts.iter().enumerate().filter(|(_, c)| c.role == Role::Primary) {
        match (c.a.feature, c.b.feature) {
            (Feature::Vertex(_), _) => {
                corners.push(((c.a.body, c.a.part, c.a.feature, c.b.body, c.b.part), i));
            }
            (_, Feature::Vertex(_)) => {
                corners.push(((c.b.body, c.b.part, c.b.feature, c.a.body, c.a.part), i));
            }
            _ => kept.push(i),
        }
    }
    corners.sort_unstable();
    for faces in corners.chunk_by(|x, y| x.0 == y.0) {
        let surface = matches!(model.body(faces[0].0.3).shape, Shape::Surface(_));
        if surface {
            // The detector has the nearest first. The one farthest in front let bodies sink into
            // valleys, by 2 % of their size.
            let least = contacts[faces[0].1].gap;
            kept.extend(faces.iter().map(|x| x.1).filter(|&i| contacts[i].gap >= least));
            continue;
        }
        let farther = |x: usize, y: usize| if contacts[x].gap < contacts[y].gap { y } else { x };
        kept.extend(faces.iter().map(|x| x.1).reduce(farther));
    }
    kept.sort_unstable();
    merge(model, contacts, kept)
}

/// Indices of all contacts within reach, ascending: whether they face each other or not, however
/// many of them hold one vertex, and behind their planes too. "Simply includes all contacts within
/// epsilon", the thesis says (5.2); its figure 5.11 shows negative gaps among those enforced, and
/// only these can shift the boxes of its figure 5.8 sideways.
pub fn every(model: &Model, contacts: &[Contact]) -> Vec<usize> {
    merge(model, contacts, (0..contacts.len()).collect())
}

/// Drops contacts that repeat another: same bodies, same normal, same point. Two rows for one point only
/// make the problem singular. Vertices go before
/// edges, since they stay where they are as the bodies move.
fn merge(model: &Model, contacts: &[Contact], mut kept: Vec<usize>) -> Vec<usize> {
    let pair = |i: usize| (contacts[i].a.body, contacts[i].b.body);
    let is_edge = |i: usize| matches!(contacts[i].a.feature, Feature::Edge(_));
    kept.sort_unstable_by_key(|&i| (pair(i), is_edge(i), i));
    let mut out: Vec<usize> = Vec::with_capacity(kept.len());
    let mut first = 0;
    for i in kept {
        if out.get(first).is_some_and(|&j| pair(j) != pair(i)) {
            first = out.len();
        }
        let c = &contacts[i];
        let size = model.body(c.a.body).radius.min(model.body(c.b.body).radius);
        let repeated = out[first..].iter().any(|&j| {
            let d = &contacts[j];
            c.normal.dot(d.normal) > 1.0 - ROUND_OFF
                && (c.a.point - d.a.point).length() < MERGE * size
                && (c.b.point - d.b.point).length() < MERGE * size
        });
        if !repeated {
            out.push(i);
        }
    }
    out.sort_unstable();
    out
}
