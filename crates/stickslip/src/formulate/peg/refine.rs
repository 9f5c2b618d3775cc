//! Gaps at the end of the step as they truly are, not as the linear model of the step has them.
//!
//! After a solution the same features are evaluated where the motion takes them. Where a constraint
//! is violated there, or pushes without touching, its gaps are written anew,
//!
//! ```text
//! psi(q_end) + h G (nu' - nu) >= 0
//! ```
//!
//! and the problem is solved again: Newton's method with the rates of the first problem.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    clause::Clause,
    pair::PartId,
    solid::{Solid, Topology},
    work::StepPlan,
};
use crate::{
    collide::{Contact, Feature, Side},
    formulate::separation::end_state,
    frame::Frame,
};

/// Solves after which the motion is taken as it is.
const MAX_REFINED: usize = 16;
/// What is left of a gap with `implicit`, as a fraction of the pair's size.
pub(super) const EXACT: f64 = 1e-10;

/// The constraints at the end of a motion.
pub(super) struct Measured {
    /// Gap of every contact \[m\].
    pub gaps: Vec<f64>,
    /// Which of them are the true ones.
    exact: Vec<bool>,
    /// What a part of a step leaves of an overlap, contact by contact \[m\].
    kept_open: Vec<f64>,
    /// How far the worst constraint is off, as a part of the pair's size.
    pub off: f64,
    /// How far it may be.
    pub accepted: f64,
}

impl StepPlan {
    /// Writes the gaps anew if some constraint is off by more than the settings allow; false when
    /// none is, or when it has been tried too often. `z` is the solution, `None` for the free
    /// motion.
    pub fn refine(&mut self, frame: &Frame, z: Option<&[f64]>) -> bool {
        let (nu, pushes) = match z {
            Some(z) => (self.program.velocity(z), self.program.clause_pushes(z)),
            None => (self.program.free().to_vec(), vec![0.0; self.program.clauses.len()]),
        };
        let held: Vec<usize> = z.map_or_else(Vec::new, |z| self.program.pushing(z));
        let mut pushes = pushes.into_iter();
        let measured =
            self.measure(frame, &nu, |_, _| pushes.next().is_some_and(|push| push > 0.0));
        if !measured.accepted.is_finite() {
            return false;
        }
        if measured.off <= measured.accepted || self.refined == MAX_REFINED {
            self.unsettled = measured.off > measured.accepted
                || held.iter().any(|&k| self.is_misplaced(frame, k, &measured))
                || self.astray(frame, &nu, measured.accepted, held.into_iter());
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
        let (mut off, mut kept_open) = (0.0_f64, vec![0.0_f64; n]);
        for clause in &self.program.clauses {
            let start = clause.widest(&|k| self.program.contacts[k].gap);
            // A part of a step need not undo all of an overlap.
            let kept = (-start).max(0.0) * (1.0 - frame.h / settings.step).max(0.0);
            clause.literals.iter().for_each(|&k| kept_open[k] = kept_open[k].max(kept));
            let gap = |k: usize| gaps[k];
            let value = clause.widest(&gap) + kept;
            let c = &self.program.contacts[clause.active];
            let size = [&c.a, &c.b].map(|s| frame.model.body(s.body).radius);
            let error = if pushes(clause, &gap) { value.abs() } else { (-value).max(0.0) };
            off = off.max(error / size[0].min(size[1]));
        }
        if accepted.is_infinite() {
            off = 0.0;
        }
        Measured { gaps, exact, kept_open, off, accepted }
    }

    /// Whether a contact pushes although in every constraint that it pushes for another gap is
    /// wider: the one that touches has been tried before.
    fn is_misplaced(&self, frame: &Frame, k: usize, measured: &Measured) -> bool {
        let c = &self.program.contacts[k];
        let size = [&c.a, &c.b].map(|s| frame.model.body(s.body).radius);
        let off = self.tolerance + 2.0 * measured.accepted * size[0].min(size[1]);
        let gap = |k: usize| measured.gaps[k];
        let mut clauses = self.program.clauses_of(k);
        !clauses.any(|clause| clause.widest(&gap) <= gap(k) + off)
    }

    /// Takes the gaps from the end of the motion.
    pub fn rewrite(&mut self, frame: &Frame, nu: &[f64], measured: &Measured) {
        for k in (0..measured.gaps.len()).filter(|&k| measured.exact[k]) {
            let rate = self.program.normals.times(k, nu);
            self.program.targets[k] = (measured.gaps[k] + measured.kept_open[k]) / frame.h - rate;
        }
    }
}

impl StepPlan {
    /// Parts with corners where a step of `nu` takes them.
    pub(super) fn placed(&self, frame: &Frame, nu: &[f64]) -> BTreeMap<PartId, Solid> {
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
}

/// The gap of a contact with its parts at these places \[m\].
pub(super) fn gap(c: &Contact, a: &Solid, b: &Solid) -> Option<f64> {
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
