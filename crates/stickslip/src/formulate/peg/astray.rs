//! Whether the end of a motion is what the constraints should have made it.
//!
//! Constraints know the features that may meet as the bodies turn on as they do. Where an impact turns
//! them otherwise, others meet: parts overlap in the end although no constraint says so, or are pushed
//! although they are apart. A shorter step leaves less room for either.

use std::collections::BTreeMap;

use super::{
    Contents,
    pair::PartId,
    refine::{EXACT, gap},
    solid::Solid,
    work::StepPlan,
};
use crate::{
    collide::{Contact, Feature, Side, pairs::edge_edge},
    formulate::separation::{apart, end_state},
    frame::Frame,
    state::State,
};

/// Distance of bodies that do not touch, as a fraction of the pair's size.
const CLEARLY: f64 = 1e-6;

/// Where a motion ends.
struct End<'a> {
    frame: &'a Frame<'a>,
    state: State,
    solids: BTreeMap<PartId, Solid>,
    /// How far constraints may be off, as a part of the pair's size.
    accepted: f64,
}

impl StepPlan {
    /// Whether parts overlap where `nu` takes them, or one of these contacts pushes although its
    /// parts are apart.
    pub(super) fn astray(
        &self,
        frame: &Frame,
        nu: &[f64],
        accepted: f64,
        pushing: impl Iterator<Item = usize>,
    ) -> bool {
        if accepted.is_infinite() {
            return false;
        }
        let (state, solids) = (end_state(frame, nu), self.placed(frame, nu));
        let end = End { frame, state, solids, accepted };
        // Without cross-contact constraints edges hold what could pass: that is the model.
        let whole = self.contents == Contents::All;
        let pushing = pushing.map(|k| &self.program.contacts[k]);
        self.near.iter().any(|&pair| end.overlaps(pair)) || (whole && end.holds_apart(pushing))
    }
}

impl End<'_> {
    /// The radius of the smaller body \[m\].
    fn size(&self, pair: [PartId; 2]) -> f64 {
        let radius = pair.map(|(body, _)| self.frame.model.body(body).radius);
        radius[0].min(radius[1])
    }

    /// Whether two parts overlap by more than they did.
    fn overlaps(&self, pair: [PartId; 2]) -> bool {
        // Twice, since what the constraints leave is measured along other directions.
        let limit = 2.0 * self.accepted.max(EXACT) * self.size(pair);
        let by_face = |a: &Solid, b: &Solid| {
            let lowest =
                |f: usize| b.vertices.iter().fold(f64::INFINITY, |m, &v| m.min(a.height(f, v)));
            (0..a.normals.len()).any(|f| lowest(f) >= -limit)
        };
        if let [Some(a), Some(b)] = pair.map(|p| self.solids.get(&p))
            && (by_face(a, b) || by_face(b, a))
        {
            return false;
        }
        let Frame { model, state, .. } = *self.frame;
        let before = || apart(model, state, pair).unwrap_or(0.0).min(0.0);
        let deeper = |s: f64| s < -limit && s < before() - limit;
        apart(model, &self.state, pair).is_some_and(deeper)
    }

    /// Whether some of these contacts push parts that are clearly apart: what parts them belongs to
    /// features that were not expected to meet.
    fn holds_apart<'b>(&self, pushing: impl Iterator<Item = &'b Contact>) -> bool {
        let mut pairs: BTreeMap<[PartId; 2], bool> = BTreeMap::new();
        for c in pushing {
            let pair = [&c.a, &c.b].map(|s: &Side| (s.body, s.part));
            let touches = pairs.entry(pair).or_default();
            *touches = *touches || self.touches(c, pair);
        }
        pairs.into_iter().filter(|(_, touches)| !touches).any(|(pair, _)| {
            let limit = CLEARLY.max(2.0 * self.accepted) * self.size(pair);
            apart(self.frame.model, &self.state, pair).is_some_and(|s| s > limit)
        })
    }

    /// Whether the features of a contact are seen to touch: a vertex on the face itself, or two
    /// edges between their ends.
    fn touches(&self, c: &Contact, pair: [PartId; 2]) -> bool {
        let [Some(a), Some(b)] = pair.map(|p| self.solids.get(&p)) else { return true };
        let limit = CLEARLY.max(2.0 * self.accepted) * self.size(pair);
        let above = |s: &Solid, x| (0..s.normals.len()).all(|f| s.height(f, x) <= limit);
        match (c.a.feature, c.b.feature) {
            (Feature::Vertex(v), Feature::Face(_)) => above(b, a.vertices[v as usize]),
            (Feature::Face(_), Feature::Vertex(v)) => above(a, b.vertices[v as usize]),
            (Feature::Edge(i), Feature::Edge(j)) => {
                let (e, f) = (a.edge(i as usize), b.edge(j as usize));
                let inside = |s: f64| (0.0..=1.0).contains(&s);
                gap(c, a, b).is_some_and(|g| g <= limit)
                    && edge_edge::closest_on_lines(&e, &f)
                        .is_some_and(|(s, t)| inside(s) && inside(t))
            }
            _ => true,
        }
    }
}
