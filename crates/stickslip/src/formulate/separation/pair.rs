//! A pair of convex parts during the passes of one step: its directions, separating axis and points.

use super::{
    along_motion::AlongMotion,
    directions::{Axis, Direction, candidates, direction, is_extremal, is_nearest, least_slope},
    hull::{Drift, Hull},
    polygon::{Point, points},
};
use stickslip_geometry::{Pose, tolerance::MERGE};

use stickslip_geometry::tolerance::TOUCH;

use crate::{
    collide::{Feature, PartId},
    frame::Frame,
};

#[derive(Debug)]
pub(super) struct Pair {
    pub parts: [PartId; 2],
    pub(super) directions: Vec<Direction>,
    pub(super) chosen: usize,
    pub(super) points: Vec<Point>,
    /// Where the hulls were when the points were found.
    pub(super) placed: [Pose; 2],
    /// Whether the work on the pair is bounded.
    pub(super) bounded: bool,
    /// Modes tried in this step and left.
    seen: Vec<usize>,
    /// How often the direction changed between linearisations at the end of the step.
    changes: usize,
    /// The directions it changed from, once it has changed too often.
    extra_axes: Vec<Axis>,
    /// Rows of further directions, for a pair that sits where several meet.
    pub(super) beside: Vec<(Direction, Vec<Point>)>,
    /// Gaps beyond this cannot close in the step \[m\].
    pub(super) reach: f64,
    /// Lengths below this are round-off \[m\].
    pub(super) tolerance: f64,
    /// Overlap at the start of the step \[m\].
    overlap: f64,
    /// Corners that had rows of a face in earlier linearisations at the end of the step.
    held: Vec<(Axis, u32)>,
}

/// By how much a pair is not where it should be \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Off {
    /// The bodies overlap, or its rows are pushed without being closed.
    pub overlap: f64,
    /// The bodies are pushed although they are apart.
    pub pushed: f64,
}

/// What a pair judges a motion by.
pub(super) struct View<'a> {
    pub hulls: [&'a Hull; 2],
    pub drifts: [Drift; 2],
    pub h: f64,
}

impl Pair {
    /// Directions, and the separating axis along the motion that the bodies already have.
    ///
    /// Where the work is `bounded`, the axis of the last step goes on as long as the bodies come
    /// nearest to each other on its features, and faces stand in for edges that nearly lie in them.
    pub fn new(
        parts: [PartId; 2],
        view: &View,
        (reach, bounded): (f64, bool),
        last: &[Axis],
    ) -> Self {
        let [a, b] = view.hulls;
        let size = a.radius(a.pose.position).min(b.radius(b.pose.position));
        let mut pair = Self {
            parts,
            directions: Vec::new(),
            bounded,
            placed: [a.pose, b.pose],
            chosen: 0,
            points: Vec::new(),
            seen: Vec::new(),
            changes: 0,
            extra_axes: Vec::new(),
            beside: Vec::new(),
            reach,
            tolerance: TOUCH * size,
            overlap: 0.0,
            held: Vec::new(),
        };
        let course = AlongMotion::new(a, b, view.drifts);
        if bounded && let Some(d) = pair.goes_on(&course, view, last) {
            pair.overlap = (-d.start).max(0.0);
            pair.directions.push(d);
            pair.adopt(view, 0, view.h);
            return pair;
        }
        // Contact may speed a body up beyond what its own motion lets it travel.
        pair.directions = candidates(a, b, 4.0 * reach + pair.merge(), last.first().copied());
        pair.overlap = pair.directions.iter().fold(f64::INFINITY, |m, d| m.min(-d.start)).max(0.0);
        let (chosen, t) = course.separating_axis(&pair.directions, view.h, pair.tolerance);
        let end = |k: usize| course.separation(&pair.directions[k], view.h);
        // Bodies that lie flat on each other are parted alike by a face of each. The axis of the last step
        // goes on, or the pair changes between the two as it trembles, and the solver starts from
        // impulses at other points.
        let least = end(chosen) - pair.merge();
        let as_before = |&k: &usize| end(k) >= least && !pair.directions[k].remote;
        let place = |axis: &Axis| pair.directions.iter().position(|d| d.axis == *axis);
        let known: Vec<usize> = last.iter().filter_map(place).filter(as_before).collect();
        let (chosen, others) =
            known.split_first().map_or((chosen, &[][..]), |(&m, rest)| (m, rest));
        let chosen = pair.flattened(view, chosen);
        pair.adopt(view, chosen, t);
        // A pair that sat where several axes meet does so still: it gets the rows of all of them.
        for d in others.iter().map(|&k| pair.directions[k]) {
            let points = points(&d, view.hulls, view.drifts, t, pair.merge());
            pair.extra_axes.push(d.axis);
            pair.beside.push((d, points));
            pair.changes = 2;
        }
        pair
    }

    /// The features of its separating axes, the one in use first.
    pub fn axes(&self) -> Vec<Axis> {
        let own = self.directions[self.chosen].axis;
        let others = self.extra_axes.iter().copied().filter(|axis| *axis != own);
        std::iter::once(own).chain(others).collect()
    }

    /// Points closer than this are one \[m\].
    pub(super) fn merge(&self) -> f64 {
        self.tolerance * (MERGE / TOUCH)
    }

    fn adopt(&mut self, view: &View, chosen: usize, t: f64) {
        self.points = points(&self.directions[chosen], view.hulls, view.drifts, t, self.merge());
        self.placed = view.hulls.map(|hull| hull.pose);
        self.chosen = chosen;
    }

    /// Takes another of the directions, and remembers the one in use.
    fn change(&mut self, view: &View, chosen: usize, t: f64) {
        if !self.seen.contains(&self.chosen) {
            self.seen.push(self.chosen);
        }
        self.adopt(view, chosen, t);
    }

    /// Judges the motion that a pass found; `push` is the pair's total normal impulse. Returns
    /// whether the pair changed and another pass is needed.
    pub fn judge(&mut self, view: &View, push: f64) -> bool {
        let course = AlongMotion::new(view.hulls[0], view.hulls[1], view.drifts);
        let held = course.separation(&self.directions[self.chosen], view.h);
        if push > 0.0
            && let Some(k) = self.way_out(&course, view.h)
        {
            self.change(view, k, view.h);
            return true;
        }
        if held >= -self.tolerance {
            return false;
        }
        let (k, t) = course.separating_axis(&self.directions, view.h, self.tolerance);
        if course.separation(&self.directions[k], view.h) >= -self.tolerance {
            // Apart along another direction: nothing to do.
            return false;
        }
        if k != self.chosen {
            // A direction that was left before and is wanted again: the pair sits where two
            // directions meet, and needs the rows of both.
            if self.seen.contains(&k) {
                let points = std::mem::take(&mut self.points);
                self.beside.push((self.directions[self.chosen], points));
            }
            self.change(view, k, t);
            return true;
        }
        self.add_missed(view, &course)
    }

    /// Adds points of the separating axis that its polygon missed: the polygon at the end of the step, and
    /// corners that end on the wrong side above the face. Whether there were any.
    fn add_missed(&mut self, view: &View, course: &AlongMotion) -> bool {
        let (d, merge) = (self.directions[self.chosen], self.merge());
        let mut more = points(&d, view.hulls, view.drifts, view.h, merge);
        more.extend(
            course
                .violators(&d, view.h, self.tolerance)
                .into_iter()
                .map(|(v, at)| Point { at, feature: Feature::Vertex(v as u32) }),
        );
        let before = self.points.len();
        for p in more {
            if self.points.iter().all(|q| (q.at - p.at).length() > merge) {
                self.points.push(p);
            }
        }
        self.points.len() > before
    }

    /// A direction, other than the separating axis and not tried before, along which the bodies end apart
    /// although the separating axis pushes them: truly, not by the linear model alone.
    fn way_out(&self, course: &AlongMotion, h: f64) -> Option<usize> {
        let chosen = &self.directions[self.chosen];
        let (n, held) = (chosen.normal, course.true_separation(chosen, h).max(0.0));
        (0..self.directions.len())
            .filter(|k| *k != self.chosen && !self.seen.contains(k))
            .filter(|&k| self.directions[k].normal.dot(n) < 1.0 - MERGE)
            .filter_map(|k| {
                let d = &self.directions[k];
                let parts = |s: f64| match d.is_trusted(self.tolerance) {
                    true => s >= -self.tolerance,
                    false => s > held + self.merge(),
                };
                let s = Some(course.separation(d, h)).filter(|s| parts(*s))?;
                let s = s.min(course.true_separation(d, h));
                parts(s).then_some((k, s))
            })
            .max_by(|x, y| x.1.total_cmp(&y.1))
            .map(|(k, _)| k)
    }

    /// The separating axis with the bodies at the end of the step, where evaluating it is enough: it
    /// parts them, up to `slack`, and if it pushes they touch on its features.
    pub(super) fn held_by_axis(&self, view: &View, push: f64, slack: f64) -> Option<Direction> {
        let [a, b] = view.hulls;
        let d = direction(a, b, self.directions[self.chosen].axis)?;
        let parts = d.start >= -slack && !self.is_cycling() && is_extremal(a, b, &d);
        (parts && (push == 0.0 || is_nearest(a, b, &d))).then_some(d)
    }

    /// Whether the bodies are where they should be at the end of the step, up to `slack` \[m\], as
    /// far as the separating axis tells.
    pub fn ends_well(&self, view: &View, push: f64, slack: f64) -> bool {
        let held = self.held_by_axis(view, push, slack);
        held.is_some_and(|d| push == 0.0 || d.start <= slack)
    }

    /// Takes directions, separating axis and polygon anew with the bodies at the end of the step, for the
    /// next linearisation there. Returns by how much the pair is off. `start` are the bodies at the
    /// start of the step.
    pub fn relinearize(&mut self, view: &View, start: [&Hull; 2], push: f64) -> Off {
        let [a, b] = view.hulls;
        let axis = self.directions[self.chosen].axis;
        if let Some(d) = self.held_by_axis(view, push, self.tolerance) {
            self.directions.clear();
            self.directions.push(d);
            self.seen.clear();
            self.beside.clear();
            self.adopt(view, 0, 0.0);
            self.hold_corners(view);
            let pushed = if push == 0.0 { 0.0 } else { d.start.abs() };
            return Off { overlap: (-d.start).max(0.0), pushed };
        }
        let found = candidates(a, b, 4.0 * self.reach + self.merge(), Some(axis));
        if found.is_empty() {
            // The motion led nowhere: its numbers are none. The loop refuses it.
            return Off { overlap: f64::INFINITY, pushed: f64::INFINITY };
        }
        self.directions = found;
        let course = AlongMotion::new(a, b, view.drifts);
        let (best, apart) = course.best(&self.directions, 0.0, self.tolerance);
        let kept = self.directions.iter().position(|d| d.axis == axis).unwrap_or(best);
        let held = self.directions[kept].start;
        // A direction that parts the bodies strictly beats the one that holds them; one that
        // fails gives way to one that does not.
        let before = direction(start[0], start[1], self.directions[best].axis);
        let trusted = before.is_some_and(|d| d.start >= -self.tolerance);
        let clearly = if trusted { self.tolerance } else { self.merge() };
        let parted = push > 0.0 && apart > held.max(0.0) + clearly && !self.is_cycling();
        let rescued = held < -self.tolerance && apart >= -self.tolerance;
        // So does one whose violated corners are beside its face, where rows would hold up what
        // may pass.
        let beside = held < -self.tolerance && self.lowest_row(view, kept) > 0.5 * held;
        let chosen = if parted || rescued || beside { best } else { kept };
        let chosen = self.flattened(view, chosen);
        self.seen.clear();
        self.adopt(view, chosen, 0.0);
        self.hold_corners(view);
        // A pair that goes to and fro between directions sits where they meet: a corner that passes
        // the end of an edge, or another corner. From then on it gets the rows of all of them.
        if self.directions[chosen].axis != axis {
            self.changes += 1;
            if self.is_cycling() && !self.extra_axes.contains(&axis) {
                self.extra_axes.push(axis);
            }
        }
        let others = self.extra_axes.iter().filter(|p| **p != self.directions[chosen].axis);
        self.beside = others
            .filter_map(|p| direction(a, b, *p))
            .map(|d| (d, points(&d, view.hulls, view.drifts, 0.0, self.merge())))
            .collect();
        let overlap = (-apart).max(0.0);
        if push == 0.0 {
            return Off { overlap, pushed: 0.0 };
        }
        let starts = self.beside.iter().map(|(d, _)| d.start);
        let held = starts.fold(self.directions[chosen].start, f64::min).abs();
        Off {
            overlap: if self.is_cycling() { overlap.max(held) } else { overlap },
            pushed: apart.abs(),
        }
    }

    /// The least gap among the points of a direction that are on its face, with the bodies where
    /// they are \[m\]. The corner that stands in for an empty polygon is not one of them.
    pub(super) fn lowest_row(&self, view: &View, k: usize) -> f64 {
        let d = &self.directions[k];
        let (reference, side, face) = match d.axis {
            Axis::FaceA(k) => (view.hulls[0], 1.0, k),
            Axis::FaceB(k) => (view.hulls[1], -1.0, k),
            Axis::Edges(..) => return d.start,
        };
        let all = points(d, view.hulls, view.drifts, 0.0, self.merge());
        let offset = reference.faces[face].1;
        if let [p] = all[..]
            && !reference.is_above(face, p.at)
        {
            return f64::INFINITY;
        }
        let gap = |p: &Point| side * d.normal.dot(p.at) - offset;
        all.iter().map(gap).fold(f64::INFINITY, f64::min)
    }

    /// Keeps the corners that had rows of the separating axis before: where two faces meet along the separating axis alike,
    /// the polygons of the two would replace each other without end.
    fn hold_corners(&mut self, view: &View) {
        let axis = self.directions[self.chosen].axis;
        let (reference, other, k) = match axis {
            Axis::FaceA(k) => (view.hulls[0], view.hulls[1], k),
            Axis::FaceB(k) => (view.hulls[1], view.hulls[0], k),
            Axis::Edges(..) => return,
        };
        for &(_, v) in self.held.iter().filter(|(a, _)| *a == axis) {
            let p = Point { at: other.vertices[v as usize], feature: Feature::Vertex(v) };
            if !self.points.contains(&p) && reference.is_above(k, p.at) {
                self.points.push(p);
            }
        }
        for p in &self.points {
            if let Feature::Vertex(v) = p.feature
                && !self.held.contains(&(axis, v))
            {
                self.held.push((axis, v));
            }
        }
    }

    /// Whether the bodies turn so little on their way that gaps change as the linear model has it, up
    /// to `accepted` tolerances. The model is wrong by what a turn moves a point off
    /// its tangent and a normal off its direction: `(t_a + t_b) (t_a r_a + t_b r_b + d)`, t the turns
    /// and d the way that the bodies go past each other. The common normal of two edges turns `1 / m` times as far as
    /// they do, where the slope m along the faces beside them is small, and is none once the edges have turned away
    /// from each other by m.
    pub fn is_straight(&self, frame: &Frame, nu: &[f64], hulls: [&Hull; 2], accepted: f64) -> bool {
        let [a, b] = self.parts.map(|(body, _)| {
            let drift = super::places::drift(frame, body, Some(nu));
            let radius = frame.model.body(body).radius;
            // a body without bounds that turns is never straight
            let turn = drift.angular.length() * frame.h;
            (turn, if turn == 0.0 { 0.0 } else { turn * radius }, drift.linear)
        });
        let way = (a.2 - b.2).length() * frame.h;
        let (turn, limit) = (a.0 + b.0, accepted * self.tolerance);
        let off = turn * (a.1 + b.1 + way);
        if turn == 0.0 || off > limit {
            return off <= limit;
        }
        let slope = least_slope(hulls[0], hulls[1], self.directions[self.chosen].axis);
        turn < slope && off <= limit * slope
    }

    /// Whether it cycles: it has changed its axis and changed it again, and gets the rows of several.
    pub fn is_cycling(&self) -> bool {
        self.changes > 1
    }

    /// What may be left at the end of an overlap at the start, when this is but a part of a step
    /// \[m\].
    pub fn overlap_kept(&self, frame: &Frame) -> f64 {
        frame.overlap_kept(self.overlap, self.tolerance / TOUCH)
    }

    /// Whether the bodies did not overlap at the start of the step by more than steps leave. More is
    /// undone at a bounded speed which does not stay; rows of bodies that overlap less may be behind
    /// planes by far more, without that.
    pub fn is_apart(&self) -> bool {
        self.overlap <= self.merge()
    }

    /// Lengths below this are round-off \[m\].
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }
}
