//! Gaps at the end of the step as they truly are, not as the linear model of the step has them.
//!
//! After a solution the same features are looked at where the motion takes them. Where a constraint
//! is violated there, or pushes without touching, its gaps are written anew,
//!
//! ```text
//! psi(q_end) + h G (nu' - nu) >= 0
//! ```
//!
//! and the problem is solved again: Newton's method with the rates of the first problem.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Contents,
    clause::Clause,
    pair::PartId,
    solid::{Solid, Topology},
    work::Work,
};
use crate::{
    collide::{Contact, Feature, Side},
    formulate::{
        Frame,
        separation::{apart, end_state},
    },
};

/// Solves after which the motion is taken as it is.
const MAX_REFINED: usize = 8;
/// What is left of a gap with `implicit`, as a fraction of the pair's size.
const EXACT: f64 = 1e-10;
/// Gap from which a contact may come to push in the wrong place, as a fraction of the pair's size.
const CLOSED: f64 = 1e-3;
/// Distance of bodies that do not touch, as a fraction of the pair's size.
const CLEARLY: f64 = 1e-6;

/// The constraints at the end of a motion.
pub(super) struct Measured {
    /// Gap of every contact \[m\].
    pub gaps: Vec<f64>,
    /// Which of them are the true ones.
    exact: Vec<bool>,
    /// What a part of a step leaves of an overlap, contact by contact \[m\].
    spared: Vec<f64>,
    /// How far the worst constraint is off, as a part of the pair's size.
    pub off: f64,
    /// How far it may be.
    pub accepted: f64,
}

impl Work {
    /// Writes the gaps anew if some constraint is off by more than the settings allow; false when
    /// none is, or when it has been tried too often. `z` is the solution, `None` for the free
    /// motion.
    pub fn refine(&mut self, frame: &Frame, z: Option<&[f64]>) -> bool {
        let (nu, pushes) = match z {
            Some(z) => (self.program.velocity(z), self.program.clause_pushes(z)),
            None => (self.program.free().to_vec(), vec![0.0; self.program.clauses.len()]),
        };
        let held: Vec<usize> = z.map_or_else(Vec::new, |z| self.program.pushing(z));
        let held = held.into_iter();
        let mut pushes = pushes.into_iter();
        let measured =
            self.measure(frame, &nu, |_, _| pushes.next().is_some_and(|push| push > 0.0));
        if !measured.accepted.is_finite() {
            return false;
        }
        if measured.off <= measured.accepted || self.refined == MAX_REFINED {
            self.unsettled = measured.off > measured.accepted
                || self.astray(frame, &nu, measured.accepted, held);
            return false;
        }
        self.rewrite(frame, &nu, &measured);
        self.refined += 1;
        true
    }

    /// Looks at the end of a motion. `pushes` tells whether a constraint pushes there, given the
    /// gaps; it is asked about each in turn.
    pub fn measure(
        &self,
        frame: &Frame,
        nu: &[f64],
        mut pushes: impl FnMut(&Clause, &dyn Fn(usize) -> f64) -> bool,
    ) -> Measured {
        let settings = frame.settings;
        let accepted = if settings.implicit { EXACT } else { settings.rotation_tolerance };
        let n = self.program.contacts.len();
        let found = match accepted.is_finite() {
            true => self.true_gaps(frame, nu),
            false => vec![None; n],
        };
        let exact: Vec<bool> = found.iter().map(Option::is_some).collect();
        let gaps: Vec<f64> = found
            .into_iter()
            .enumerate()
            .map(|(k, gap)| gap.unwrap_or_else(|| self.program.end_gap(k, nu)))
            .collect();
        let (mut off, mut spared) = (0.0_f64, vec![0.0_f64; n]);
        for clause in &self.program.clauses {
            let start = clause.widest(&|k| self.program.contacts[k].gap);
            // A part of a step need not undo all of an overlap.
            let kept = (-start).max(0.0) * (1.0 - frame.h / settings.step).max(0.0);
            clause.literals.iter().for_each(|&k| spared[k] = spared[k].max(kept));
            let gap = |k: usize| gaps[k];
            let value = clause.widest(&gap) + kept;
            let c = &self.program.contacts[clause.head];
            let size = [&c.a, &c.b].map(|s| frame.model.body(s.body).radius);
            let error = if pushes(clause, &gap) { value.abs() } else { (-value).max(0.0) };
            off = off.max(error / size[0].min(size[1]));
        }
        if accepted.is_infinite() {
            off = 0.0;
        }
        Measured { gaps, exact, spared, off, accepted }
    }

    /// Takes the gaps from the end of the motion.
    pub fn rewrite(&mut self, frame: &Frame, nu: &[f64], measured: &Measured) {
        for k in (0..measured.gaps.len()).filter(|&k| measured.exact[k]) {
            let rate = self.program.normals.times(k, nu);
            self.program.targets[k] = (measured.gaps[k] + measured.spared[k]) / frame.h - rate;
        }
    }
}

impl Work {
    /// Parts with corners where a step of `nu` takes them.
    fn placed(&self, frame: &Frame, nu: &[f64]) -> BTreeMap<PartId, Solid> {
        let end = end_state(frame, nu);
        let place = |(&(body, k), topology): (&PartId, &Arc<Topology>)| {
            let part = frame.model.body(body).shape.parts().get(k as usize)?;
            let pose = end.pose(body).compose(&part.pose);
            Some(((body, k), Solid::new(topology, &part.convex, pose)))
        };
        self.topologies.iter().filter_map(place).collect()
    }

    /// The gaps of the contacts between features after a step of `nu`; `None` for smooth ones.
    fn true_gaps(&self, frame: &Frame, nu: &[f64]) -> Vec<Option<f64>> {
        let solids = self.placed(frame, nu);
        let of = |s: &Side| solids.get(&(s.body, s.part));
        self.program.contacts.iter().map(|c| gap(c, of(&c.a)?, of(&c.b)?)).collect()
    }

    /// Whether the end of a motion is not what the constraints should have made it: parts overlap,
    /// or one of these contacts pushes although its parts are apart.
    pub(super) fn astray(
        &self,
        frame: &Frame,
        nu: &[f64],
        accepted: f64,
        pushing: impl Iterator<Item = usize>,
    ) -> bool {
        self.missed(frame, nu, accepted) || self.held_apart(frame, nu, accepted, pushing)
    }

    /// Whether two parts are pushed although they are clearly apart in the end: the direction that
    /// parts them belongs to features that were not expected to meet.
    fn held_apart(
        &self,
        frame: &Frame,
        nu: &[f64],
        accepted: f64,
        pushing: impl Iterator<Item = usize>,
    ) -> bool {
        if accepted.is_infinite() || self.contents == Contents::Vertices {
            return false;
        }
        let end = end_state(frame, nu);
        let size = |c: &Contact| {
            let radius = [&c.a, &c.b].map(|s| frame.model.body(s.body).radius);
            radius[0].min(radius[1])
        };
        let mut pairs: Vec<[PartId; 2]> = pushing
            .map(|k| &self.program.contacts[k])
            // What touched before is known to be near.
            .filter(|c| c.gap.abs() > CLOSED * size(c))
            .map(|c| [&c.a, &c.b].map(|s| (s.body, s.part)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.into_iter().any(|pair| {
            let radius = pair.map(|(body, _)| frame.model.body(body).radius);
            let limit = CLEARLY.max(2.0 * accepted) * radius[0].min(radius[1]);
            apart(frame.model, &end, pair).is_some_and(|s| s > limit)
        })
    }

    /// Whether two parts overlap in the end although no constraint says so: features meet that
    /// were not expected to.
    fn missed(&self, frame: &Frame, nu: &[f64], accepted: f64) -> bool {
        if accepted.is_infinite() {
            return false;
        }
        let (end, solids) = (end_state(frame, nu), self.placed(frame, nu));
        self.near.iter().copied().any(|pair| {
            let radius = pair.map(|(body, _)| frame.model.body(body).radius);
            let size = radius[0].min(radius[1]);
            // Twice, since what the constraints leave is measured along other directions.
            let limit = 2.0 * accepted.max(EXACT) * size;
            let by_face = |a: &Solid, b: &Solid| {
                let lowest =
                    |f: usize| b.vertices.iter().fold(f64::INFINITY, |m, &v| m.min(a.height(f, v)));
                (0..a.normals.len()).any(|f| lowest(f) >= -limit)
            };
            if let [Some(a), Some(b)] = pair.map(|p| solids.get(&p))
                && (by_face(a, b) || by_face(b, a))
            {
                return false;
            }
            let overlaps = |s: f64| {
                let before = || apart(frame.model, frame.state, pair).unwrap_or(0.0).min(0.0);
                s < -limit && s < before() - limit
            };
            apart(frame.model, &end, pair).is_some_and(overlaps)
        })
    }
}

fn gap(c: &Contact, a: &Solid, b: &Solid) -> Option<f64> {
    match (c.a.feature, c.b.feature) {
        (Feature::Vertex(v), Feature::Face(f)) => {
            Some(b.height(f as usize, a.vertices[v as usize]))
        }
        (Feature::Face(f), Feature::Vertex(v)) => {
            Some(a.height(f as usize, b.vertices[v as usize]))
        }
        (Feature::Edge(i), Feature::Edge(j)) => {
            let (e, f) = (a.edge(i as usize), b.edge(j as usize));
            let n = e.along.cross(f.along).normalize_or_zero();
            let n = if n.dot(c.normal) >= 0.0 { n } else { -n };
            (n.length_squared() > 0.0).then(|| n.dot(f.tail - e.tail))
        }
        _ => None,
    }
}
