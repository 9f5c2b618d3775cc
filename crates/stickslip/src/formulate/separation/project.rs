//! Piles: one problem with friction, then positions by normal impulses alone.
//!
//! In a pile some pair always sits where two axes meet, and taking all of them anew until none is
//! wrong has no bound. So the axes are those of the start, kept from step to step, and what overlap
//! that leaves at the end is taken away by the nearest velocities, in the metric of the masses, that
//! end without: a convex problem, linearised where the bodies then are, a few times at the most.
//!
//! ```text
//! min |nu' - nu|_M    psi_end + h G_endᵀ (nu' - nu) >= 0
//! ```

use std::sync::Arc;

use super::{
    ContactSystem, End, FormulateError, Frame, Pairs, Solve, StepMotion,
    along_motion::AlongMotion,
    directions::{Axis, Direction, direction, is_extremal, is_nearest},
    hull::{Drift, Hull},
    pair::{Pair, View},
    places::{end_state, hulls_at},
};
use crate::{
    collide::Contact,
    parallel,
    settings::{Accuracy, Settings},
    state::State,
};

/// Whether there are so many near pairs that the work on them is bounded. Those of bodies at rest count: a pile
/// whose bodies come to rest one after the other stays a pile. Without them thirty boxes took twice the time of
/// their landing for the last ones that move.
pub(super) fn is_bounded(settings: &Settings, near: usize) -> bool {
    near > settings.separation.pile && !settings.implicit && settings.accuracy != Accuracy::Exact
}

/// Speed above which contacts are in motion \[m/s\]: bodies at rest approach what holds them at `g h`.
pub(super) fn motion(frame: &Frame) -> f64 {
    let falls = frame.model.gravity().length() * frame.h;
    (frame.settings.separation.motion * falls).max(f64::MIN_POSITIVE)
}

/// Angle between the normals of a face and of two edges below which, in a pile, the face stands in for them
/// \[rad\]. With 1e-5 rods that lie across a rim rock from end to end, and piles take 4 % more iterations;
/// with 0.1 a pile of twenty leaves a solve unsolved.
const FLAT: f64 = 1e-3;

impl Pair {
    /// The axis of the last step where it parts the bodies still, now and at the end of the motion
    /// that they have, and they come nearest to each other on its features.
    pub(super) fn goes_on(
        &self,
        course: &AlongMotion,
        view: &View,
        last: &[Axis],
    ) -> Option<Direction> {
        let &[axis] = last else { return None };
        let [a, b] = view.hulls;
        let d = direction(a, b, axis)?;
        let least = -self.merge();
        let parts = !d.remote && d.start >= least && course.separation(&d, view.h) >= least;
        (parts && is_extremal(a, b, &d) && is_nearest(a, b, &d)).then_some(d)
    }

    /// The face that takes the place of a direction of edges: its normal is nearly theirs, and it has
    /// a row where they touch. A rod that lies across the rim of a face touches it along a line, and
    /// one pair of edges is but an end of that: with it alone the rod rocks from end to end, step after
    /// step, and a pile of such rods never comes to rest.
    pub(super) fn flattened(&self, view: &View, k: usize) -> usize {
        let d = &self.directions[k];
        if !self.bounded || !matches!(d.axis, Axis::Edges(..)) {
            return k;
        }
        let stands_in = |&f: &usize| {
            let face = &self.directions[f];
            !matches!(face.axis, Axis::Edges(..))
                && face.normal.dot(d.normal) > 0.0
                && face.normal.cross(d.normal).length() <= FLAT
                && self.lowest_row(view, f) <= d.start + self.merge()
        };
        let along = |f: &usize| self.directions[*f].normal.dot(d.normal);
        let faces = (0..self.directions.len()).filter(stands_in);
        faces.max_by(|x, y| along(x).total_cmp(&along(y))).unwrap_or(k)
    }

    /// Where a motion takes the pair: takes its rows anew where that is needed, and returns by how much
    /// the bodies overlap there \[m\]. Up to `slack` is as good as none.
    pub(super) fn follow(&mut self, view: &View, start: [&Hull; 2], slack: f64) -> f64 {
        let Some(d) = self.held_by_axis(view, 0.0, slack) else {
            return self.relinearize(view, start, 0.0).overlap;
        };
        let mover = match d.axis {
            Axis::FaceB(_) => 0,
            _ => 1,
        };
        let (from, to) = (self.placed[mover], view.hulls[mover].pose);
        for p in &mut self.points {
            p.at = to.point(from.inverse_point(p.at));
        }
        self.placed = view.hulls.map(|hull| hull.pose);
        self.directions.clear();
        self.directions.push(d);
        self.chosen = 0;
        (-d.start).max(0.0)
    }
}

impl Pairs {
    /// Takes away what overlap a motion ends with.
    pub(super) fn project(
        &mut self,
        frame: &Frame,
        motion: &mut StepMotion,
        solve: &mut dyn Solve,
    ) -> Result<(), FormulateError> {
        let budget = frame.settings.accuracy.budget();
        // What a solve of many contacts may leave of a gap is no reason for another one \[m\].
        let slack = if self.bounded { 2.0 * budget.acceptable * frame.h } else { 0.0 };
        for _ in 0..budget.projections {
            let Some(end) = self.overlaps(frame, &motion.nu, slack) else { break };
            let (mechanism, threads) = (Arc::clone(&self.mechanism), self.threads.clone());
            let system =
                |contacts| ContactSystem::frictionless(&mechanism, frame, contacts).on(&threads);
            let passes = self.end_rows(frame, &motion.nu, end, system);
            let passes = if self.bounded { passes.rough(f64::MIN_POSITIVE) } else { passes };
            // A body that comes down on another in a step in which some overlap was undone once kept the speed
            // that it came with: falling dominoes gained 0.03 of 13 J.
            passes.project(motion, self.bounded, solve)?;
        }
        Ok(())
    }

    /// Rows for the pairs at the end of a motion; `None` where none overlaps by more than `slack` \[m\].
    fn overlaps(&mut self, frame: &Frame, nu: &[f64], slack: f64) -> Option<End> {
        let end = end_state(frame, nu);
        let nothing = vec![0.0; self.others.rows.len()];
        let others = self.others.at_the_end(frame, &end, &nothing, slack);
        let accepted = self.accepted(frame);
        let Self { pairs, index, hulls: before, threads, .. } = self;
        let hulls = hulls_at(frame, &end, (index, before), threads);
        let deepest = if others.off <= accepted { 0.0 } else { others.deepest };
        let follow = |pair: &mut Pair| {
            let view = View {
                hulls: pair.parts.map(|p| &*hulls[index[&p]]),
                drifts: pair.parts.map(|(body, _)| Drift::at_rest(end.pose(body).position)),
                h: frame.h,
            };
            let start = pair.parts.map(|p| &before[index[&p]]);
            let slack = slack.max(accepted * pair.tolerance());
            let allowed = pair.overlap_kept(frame) + slack;
            pair.follow(&view, start, allowed) - allowed
        };
        if deepest.max(parallel::largest(threads, pairs, follow)) <= 0.0 {
            return None;
        }
        let rows = |pair: &Pair, out: &mut Vec<Contact>| {
            let first = out.len();
            pair.contacts(pair.parts.map(|p| &*hulls[index[&p]]), out);
            out[first..].iter_mut().for_each(|c| seen_from_start(c, frame.state, &end));
        };
        let (contacts, owner) = parallel::collect(threads, pairs, rows);
        let gaps = contacts.iter().map(|c| c.gap).collect();
        Some(End { others, rows: (contacts, gaps, owner), ..End::default() })
    }
}

/// Moves the points of a contact so that their levers about the centres of the bodies at the start
/// are those at the end.
fn seen_from_start(c: &mut Contact, start: &State, end: &State) {
    for side in [&mut c.a, &mut c.b] {
        side.point += start.pose(side.body).position - end.pose(side.body).position;
    }
}
