//! One separating direction per convex pair.
//!
//! Two convex bodies are apart iff some direction separates them: a face of one, a face of the
//! other, or an edge pair. Each pair gets one such direction, its *mode*, and the contact polygon
//! of that direction as ordinary unilateral constraints; the problem is a plain Stewart-Trinkle
//! problem, which always has a solution. The mode is the direction that separates at the end of
//! the predicted motion, or else the one that separated last. After a solve, a pair that is
//! pushed although another direction keeps it apart (a false contact) takes that direction, and a
//! pair that ends up overlapping gets its mode anew from the new motion; all others stay. Mostly
//! one solve is enough.
//!
//! The first prediction is the velocity that the bodies already have: it obeys the contacts of
//! the last step, so a block that slides over a seam is not seen sinking into its floor and
//! tripping over the next tile.

mod directions;
mod hull;
mod pair;
mod polygon;

use std::collections::BTreeMap;

use complementarity::{ProblemClass, Solution};
use stickslip_geometry::Convex;

use self::{
    hull::{Drift, Hull},
    pair::{Pair, PartId, View},
};
use super::{
    ContactSystem, FormulateError, Formulation, Frame, Pass, StepMotion,
    impact::{Next, Passes},
    standard,
};
use crate::{
    collide::{Contact, Side},
    model::BodyId,
    settings::Settings,
};

/// The formulation of one separating direction per pair.
#[derive(Debug, Default)]
pub struct Separation {
    work: Option<Work>,
}

#[derive(Debug)]
struct Work {
    hulls: Vec<Hull>,
    index: BTreeMap<PartId, usize>,
    pairs: Vec<Pair>,
    /// Contacts of shapes without corners, and with surfaces.
    others: Vec<Contact>,
    passes: Passes,
    /// Which pair each contact of the system belongs to.
    owner: Vec<usize>,
    settled: bool,
    rounds: usize,
}

const NAME: &str = "separation";
/// Passes after which the pairs' modes are taken as they are.
const MAX_ROUNDS: usize = 12;

impl Formulation for Separation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(settings)
    }

    fn formulate(
        &mut self,
        frame: &Frame,
        last: Option<&Solution>,
    ) -> Result<Pass, FormulateError> {
        let mut work = match (last, self.work.take()) {
            (Some(solution), Some(work)) => match work.next(frame, solution) {
                Step::Again(work) => *work,
                Step::Done(motion) => return Ok(Pass::Done(motion)),
                Step::Solve(work, nu0, target) => {
                    let pass = work.passes.pass(&nu0, &target, NAME)?;
                    self.work = Some(*work);
                    return Ok(pass);
                }
            },
            _ => Work::begin(frame),
        };
        if work.passes.system.is_empty() {
            let nu = std::mem::take(&mut work.passes.system.free);
            return Ok(Pass::Done(StepMotion { nu, ..Default::default() }));
        }
        let Next::Solve { nu0, target } = work.passes.first() else {
            return Ok(Pass::Done(StepMotion::default()));
        };
        let pass = work.passes.pass(&nu0, &target, NAME)?;
        self.work = Some(work);
        Ok(pass)
    }
}

/// What follows a solution.
enum Step {
    /// Modes changed: write the inelastic problem again.
    Again(Box<Work>),
    /// Modes stand: a restitution pass.
    Solve(Box<Work>, Vec<f64>, Vec<f64>),
    Done(StepMotion),
}

impl Work {
    fn begin(frame: &Frame) -> Self {
        let (hulls, index, near) = near_pairs(frame);
        let pairs: Vec<Pair> = near
            .into_iter()
            .map(|parts| {
                let drifts = parts.map(|(body, _)| drift(frame, body, None));
                let view = View { hulls: parts.map(|p| &hulls[index[&p]]), drifts, h: frame.h };
                let reach = parts.iter().map(|p| frame.query.reach[p.0.index()]).sum();
                Pair::new(parts, &view, reach)
            })
            .collect();
        let chosen = standard::select(frame.model, frame.contacts);
        let others = chosen
            .into_iter()
            .map(|i| frame.contacts[i])
            .filter(|c| !(index.contains_key(&part(&c.a)) && index.contains_key(&part(&c.b))))
            .collect();
        let mut work = Self {
            passes: Passes::new(frame, ContactSystem::new(frame, Vec::new())),
            hulls,
            index,
            pairs,
            others,
            owner: Vec::new(),
            settled: false,
            rounds: 0,
        };
        work.write(frame);
        work
    }

    /// Writes the rows of the present modes.
    fn write(&mut self, frame: &Frame) {
        let (mut contacts, mut owner) = (Vec::new(), Vec::new());
        for (k, pair) in self.pairs.iter().enumerate() {
            pair.contacts(pair.parts.map(|p| &self.hulls[self.index[&p]]), &mut contacts);
            owner.resize(contacts.len(), k);
        }
        contacts.extend(&self.others);
        owner.resize(contacts.len(), usize::MAX);
        self.owner = owner;
        self.passes = Passes::new(frame, ContactSystem::new(frame, contacts));
    }

    fn next(mut self, frame: &Frame, solution: &Solution) -> Step {
        let impulses = self.passes.system.impulses(&solution.z);
        if !self.settled {
            self.rounds += 1;
            let changed = self.rounds < MAX_ROUNDS && self.judge(frame, &impulses);
            if changed {
                self.write(frame);
                return Step::Again(Box::new(self));
            }
            self.settled = true;
        }
        match self.passes.next(&impulses) {
            Next::Done(motion) => Step::Done(motion),
            Next::Solve { nu0, target } => Step::Solve(Box::new(self), nu0, target),
        }
    }

    /// Lets every pair look at the motion; whether any changed.
    fn judge(&mut self, frame: &Frame, impulses: &[f64]) -> bool {
        let nu = self.passes.system.velocity(&self.passes.system.free, impulses);
        let mut push = vec![0.0; self.pairs.len()];
        for (i, &k) in self.owner.iter().enumerate() {
            if let Some(total) = push.get_mut(k) {
                *total += impulses[i];
            }
        }
        let Self { pairs, hulls, index, .. } = self;
        let mut changed = false;
        for (pair, push) in pairs.iter_mut().zip(push) {
            let view = View {
                hulls: pair.parts.map(|p| &hulls[index[&p]]),
                drifts: pair.parts.map(|(body, _)| drift(frame, body, Some(&nu))),
                h: frame.h,
            };
            changed |= pair.judge(&view, push);
        }
        changed
    }
}

fn part(side: &Side) -> PartId {
    (side.body, side.part)
}

/// Motion of a body with velocities `nu`, or with those it has at the start.
fn drift(frame: &Frame, body: BodyId, nu: Option<&[f64]>) -> Drift {
    let center = frame.state.pose(body).position;
    let dimension = frame.model.dimension();
    let (linear, angular) = match (nu, frame.model.dof(body)) {
        (Some(nu), Some(dof)) => dimension.split(&nu[dof..dof + dimension.dof()]),
        _ => (frame.state.twist(body).linear, frame.state.twist(body).angular),
    };
    Drift { linear, angular, center }
}

type NearPairs = (Vec<Hull>, BTreeMap<PartId, usize>, Vec<[PartId; 2]>);

/// Pairs of parts with corners that have potential contacts, and their hulls.
fn near_pairs(frame: &Frame) -> NearPairs {
    let mut near: Vec<[PartId; 2]> =
        frame.contacts.iter().map(|c| [part(&c.a), part(&c.b)]).collect();
    near.dedup();
    near.sort_unstable();
    near.dedup();
    let convex = |(body, k): PartId| -> Option<&Convex> {
        let part = frame.model.body(body).shape.parts().get(k as usize)?;
        matches!(part.convex, Convex::Polytope(_) | Convex::Polygon(_)).then_some(&part.convex)
    };
    near.retain(|p| p.iter().all(|&p| convex(p).is_some()));
    let (mut hulls, mut index) = (Vec::new(), BTreeMap::new());
    for &p in near.iter().flatten() {
        if index.contains_key(&p) {
            continue;
        }
        let shape = &frame.model.body(p.0).shape.parts()[p.1 as usize];
        let pose = frame.state.pose(p.0).compose(&shape.pose);
        if let Some(hull) = Hull::new(&shape.convex, pose) {
            index.insert(p, hulls.len());
            hulls.push(hull);
        }
    }
    (hulls, index, near)
}
