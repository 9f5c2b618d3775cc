//! Bodies and their hulls at the poses of a step: at its start, and where a motion takes them.

use std::{borrow::Cow, ops::Index};

use super::{
    directions,
    hull::{Drift, Hull},
    others::Ends,
};
use stickslip_geometry::Convex;

use crate::{
    collide::{Contact, PartId},
    frame::Frame,
    model::{BodyId, Model},
    parallel::{self, Threads},
    state::{State, Twist},
};

/// The widest separation of two parts with the bodies at these poses \[m\], negative if they
/// overlap; `None` for parts without corners.
pub(in crate::formulate) fn apart(model: &Model, place: &State, parts: [PartId; 2]) -> Option<f64> {
    let (a, b) = (hull_of(model, parts[0], place)?, hull_of(model, parts[1], place)?);
    let all = directions::candidates(&a, &b, 0.0, None);
    all.iter().map(|d| d.start).reduce(f64::max)
}

/// Motion of a body with velocities `nu`, or with those it has at the start.
pub(super) fn drift(frame: &Frame, body: BodyId, nu: Option<&[f64]>) -> Drift {
    let center = frame.state.pose(body).position;
    let dimension = frame.model.dimension();
    let (linear, angular) = match (nu, frame.model.dof(body)) {
        (Some(nu), Some(dof)) => dimension.split(&nu[dof..dof + dimension.dof()]),
        _ => (frame.state.twist(body).linear, frame.state.twist(body).angular),
    };
    Drift { linear, angular, center }
}

/// Where the bodies are after moving along `nu`.
pub(in crate::formulate) fn end_state(frame: &Frame, nu: &[f64]) -> State {
    let mut end = frame.state.clone();
    let dimension = frame.model.dimension();
    for id in frame.model.ids() {
        let d = drift(frame, id, Some(nu));
        let twist = Twist { linear: d.linear, angular: d.angular };
        end.advance(dimension, id, &twist, frame.h);
    }
    end
}

/// The hulls of these parts with the bodies at other poses.
pub(super) fn hulls_at<'a>(
    frame: &Frame,
    place: &State,
    (index, old): (&PartIndex, &'a [Hull]),
    threads: &Threads,
) -> Vec<Cow<'a, Hull>> {
    let hull = |p: &PartId| {
        let (body, old) = (p.0, || Cow::Borrowed(&old[index[p]]));
        if place.pose(body) == frame.state.pose(body) {
            return old();
        }
        hull_of(frame.model, *p, place).map_or_else(old, Cow::Owned)
    };
    parallel::map(threads, &index.parts, hull)
}

/// The hull of a part with the bodies at these poses; `None` for one without corners.
fn hull_of(model: &Model, (body, k): PartId, place: &State) -> Option<Hull> {
    let part = model.body(body).shape.parts().get(k as usize)?;
    Hull::new(&part.convex, place.pose(body).compose(&part.pose))
}

/// The hulls of all parts in near pairs, and where each is.
pub(super) fn placed_hulls(frame: &Frame, threads: &Threads) -> (Vec<Hull>, PartIndex) {
    let mut index = PartIndex::new(frame.model);
    let has_corners = |(body, k): PartId| {
        let part = frame.model.body(body).shape.parts().get(k as usize);
        part.is_some_and(|p| matches!(p.convex, Convex::Polytope(_) | Convex::Polygon(_)))
    };
    for &p in frame.pairs.iter().flatten() {
        if has_corners(p) && !index.contains_key(&p) {
            index.push(p);
        }
    }
    let hull = |p: &PartId| hull_of(frame.model, *p, frame.state);
    let hulls = parallel::map(threads, &index.parts, hull).into_iter().flatten().collect();
    (hulls, index)
}

/// Which place among the hulls of a step each part has, two look-ups away.
#[derive(Debug)]
pub(super) struct PartIndex {
    /// The parts that have hulls, by place.
    parts: Vec<PartId>,
    /// Where the parts of each body begin in `places`.
    first: Vec<u32>,
    /// The place of each part of all bodies, or [`NOWHERE`].
    places: Vec<usize>,
}

/// Layout: the place of a part without a hull.
const NOWHERE: usize = usize::MAX;

impl PartIndex {
    fn new(model: &Model) -> Self {
        let mut count = 0;
        let first = model.bodies().iter().map(|body| {
            count += body.shape.parts().len();
            (count - body.shape.parts().len()) as u32
        });
        let first = first.collect();
        Self { parts: Vec::new(), first, places: vec![NOWHERE; count] }
    }

    fn slot(&self, &(body, part): &PartId) -> usize {
        self.first[body.index()] as usize + part as usize
    }

    /// Gives a part the next place.
    fn push(&mut self, part: PartId) {
        let slot = self.slot(&part);
        self.places[slot] = self.parts.len();
        self.parts.push(part);
    }

    /// Whether a part has a hull.
    pub fn contains_key(&self, part: &PartId) -> bool {
        self.places.get(self.slot(part)).is_some_and(|&place| place != NOWHERE)
    }
}

impl Index<&PartId> for PartIndex {
    type Output = usize;

    fn index(&self, part: &PartId) -> &usize {
        &self.places[self.slot(part)]
    }
}

/// The pairs at the end of a motion.
#[derive(Default)]
pub(super) struct End {
    /// Contacts, their gaps there, and the pair of each.
    pub rows: (Vec<Contact>, Vec<f64>, Vec<usize>),
    /// The same of other shapes.
    pub others: Ends,
    /// By how much the worst pair is off, in tolerances.
    pub off: f64,
    /// Whether a pair cycles between axes, and is pushed although it is apart.
    pub cycles: bool,
}
