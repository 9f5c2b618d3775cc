//! Contacts that are not of two hulls (balls, capsules, cylinders, cones, half-spaces, surfaces) at
//! the end of a motion.
//!
//! The rows of the detector are linear in the motion. A body that turns by `t` in a step ends deeper
//! than they have it by up to `r t² / 2`: a capsule tipping over sank 0.5 mm into its floor. Where
//! that matters the detector is asked again at the end of the motion, and the rows are held to the
//! gaps found there. Points and normals stay those of the start, as for hulls; features that come
//! into play at the end only are taken as they are there, relative to their bodies.
//!
//! As for hulls, contacts hold two parts that are apart along axes that separate them, and along no
//! others: the detector reports faces that a body is beside as well.

use crate::{
    collide::{Contact, Exact, Feature, PartId, Query, Side},
    formulate::standard,
    frame::Frame,
    model::Model,
    state::State,
};
use stickslip_geometry::{Convex, Pose, Shape};

use stickslip_geometry::tolerance::TOUCH;

/// The contacts of one step that are not of two hulls.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// As the detector found them at the start of the step.
    start: Vec<Contact>,
    /// The parts that they are between, each pair once, with the deepest overlap at the start \[m\].
    parts: Vec<([PartId; 2], f64)>,
    /// Those that have rows now.
    pub rows: Vec<Contact>,
    /// Asked at the end of the motion; it knows the features of surfaces.
    detector: Exact,
    /// Whether they were evaluated at the end of a motion before.
    evaluated: bool,
}

/// These contacts at the end of a motion.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// What gets rows next.
    pub rows: Vec<Contact>,
    /// The gap of each at the end that its row must make up for \[m\]; `None`: as at the start.
    pub gaps: Vec<Option<f64>>,
    /// By how much the worst is off, in tolerances.
    pub off: f64,
    /// Deepest overlap beyond what is accepted \[m\].
    pub deepest: f64,
}

/// What tells a contact from others of its step.
type Key = (PartId, Feature, PartId, Feature);

fn key(c: &Contact) -> Key {
    ((c.a.body, c.a.part), c.a.feature, (c.b.body, c.b.part), c.b.feature)
}

/// Finds contacts by their key; a list of a pile is long.
struct Lookup<'a> {
    all: &'a [Contact],
    /// Places in `all`, by key; those of one key as they stand.
    order: Vec<(Key, usize)>,
}

impl<'a> Lookup<'a> {
    fn new(all: &'a [Contact]) -> Self {
        let mut order: Vec<(Key, usize)> = all.iter().map(key).zip(0..).collect();
        // contacts mostly come by parts and features: a sort that knows runs is short
        order.sort();
        Self { all, order }
    }

    /// Place of the first contact with the key of `c`.
    fn place(&self, c: &Contact) -> Option<usize> {
        let key = key(c);
        let at = self.order.partition_point(|x| x.0 < key);
        self.order.get(at).filter(|x| x.0 == key).map(|x| x.1)
    }

    /// The first contact with the key of `c`.
    fn find(&self, c: &Contact) -> Option<&'a Contact> {
        self.place(c).map(|i| &self.all[i])
    }
}

impl Others {
    /// The contacts of the frame that the standard model enforces. `detector` found them, or one
    /// like it.
    pub fn new(frame: &Frame, detector: Exact) -> Self {
        let chosen = standard::select(frame.model, frame.contacts).into_iter();
        let start: Vec<Contact> = chosen.map(|i| frame.contacts[i]).collect();
        let beside = beside_axes(frame, frame.state, &start);
        let along = start.into_iter().zip(beside).filter(|x| x.1.is_none());
        let start: Vec<Contact> = along.map(|x| x.0).collect();
        // All that are near, also where another part has the same contact: on the way theirs may become
        // others (a disc that rolls over the corner of two parts, soak seed 26).
        let near = frame.contacts.iter().map(|c| (c, 0.0));
        let deep = start.iter().map(|c| (c, (-c.gap).max(0.0)));
        let mut parts: Vec<_> = near.chain(deep).map(|(c, depth)| (c.parts(), depth)).collect();
        parts.sort_by(|x, y| x.0.cmp(&y.0).then(y.1.total_cmp(&x.1)));
        parts.dedup_by_key(|x| x.0);
        Self { rows: start.clone(), start, parts, detector, evaluated: false }
    }

    /// Gives the detector back for the next step.
    pub fn into_detector(self) -> Exact {
        self.detector
    }

    /// Whether no body turns so far on its way that it matters, as for pairs of hulls. A surface is
    /// hollow: on their way bodies come to facets that held nothing at the start. Without that balls
    /// sank into the valleys of heightfields by a hundredth of their radius (soak seed 143).
    pub fn is_straight(&self, frame: &Frame, nu: &[f64], accepted: f64) -> bool {
        if !frame.exact {
            return true;
        }
        self.parts.iter().all(|(pair, _)| {
            let [a, b] = pair.map(|(body, _)| {
                let drift = super::places::drift(frame, body, Some(nu));
                let turns = !frame.model.body(body).is_ball();
                let turn = if turns { drift.angular.length() * frame.h } else { 0.0 };
                let radius = frame.model.body(body).radius;
                (turn, if turn == 0.0 { 0.0 } else { turn * radius }, drift.linear)
            });
            let way = (a.2 - b.2).length() * frame.h;
            let hollow = pair.iter().any(|p| is_hollow(frame.model, *p));
            let turn = if hollow { 1.0 } else { a.0 + b.0 };
            let tolerance = TOUCH * frame.size(pair.map(|p| p.0));
            turn * (a.1 + b.1 + way) <= accepted * tolerance
        })
    }

    /// As at the start: nothing to make up for.
    pub fn unchanged(&self) -> Ends {
        let rows = self.rows.clone();
        Ends { gaps: vec![None; rows.len()], rows, ..Ends::default() }
    }

    /// Whether a motion was evaluated before.
    pub fn is_evaluated(&self) -> bool {
        self.evaluated
    }

    /// The contacts where a motion takes the bodies; `push` are the normal impulses of `rows`, and
    /// overlap up to `accepted` tolerances or `slack` \[m\] is left.
    pub fn at_the_end(&mut self, frame: &Frame, end: &State, push: &[f64], slack: f64) -> Ends {
        let parts: Vec<[PartId; 2]> = self.parts.iter().map(|p| p.0).collect();
        let reach = frame.query.reach.iter().map(|r| 2.0 * r).collect();
        let (query, mut found) = (Query { reach, threads: frame.query.threads }, Vec::new());
        // Poses that are not finite are told of by the integrator.
        if self.detector.between((frame.model, end), &parts, &query, &mut found).is_err() {
            return self.unchanged();
        }
        self.evaluated = true;
        let mut out = Ends::default();
        let (rows, start) = (Lookup::new(&self.rows), Lookup::new(&self.start));
        let chosen = standard::select(frame.model, &found).into_iter();
        let chosen: Vec<Contact> = chosen.map(|i| found[i]).collect();
        for (c, beside) in chosen.iter().zip(beside_axes(frame, end, &chosen)) {
            let bodies = [c.a.body, c.b.body];
            let tolerance = TOUCH * frame.size(bodies);
            let kept = self.overlap_kept(frame, c);
            let pushes = rows.place(c).is_some_and(|j| push.get(j).is_some_and(|p| *p > 0.0));
            let gap = beside.unwrap_or(c.gap);
            let apart = if pushes { gap - slack } else { 0.0 };
            out.off = out.off.max(apart / tolerance);
            if beside.is_some() {
                continue;
            }
            let overlap = -c.gap - kept - slack;
            out.deepest = out.deepest.max(overlap);
            out.off = out.off.max(overlap / tolerance);
            out.rows
                .push(start.find(c).copied().unwrap_or_else(|| moved_back(c, frame.state, end)));
            out.gaps.push(Some(c.gap + kept));
        }
        // What is not there at the end any more is held as at the start.
        let found = Lookup::new(&found);
        let gone = self.start.iter().filter(|s| found.place(s).is_none());
        out.rows.extend(gone);
        out.gaps.resize(out.rows.len(), None);
        out
    }

    /// What a part of a step may leave of the overlap that the parts had at its start \[m\].
    fn overlap_kept(&self, frame: &Frame, c: &Contact) -> f64 {
        let known = self.parts.binary_search_by(|p| p.0.cmp(&c.parts()));
        let size = frame.size([c.a.body, c.b.body]);
        known.map_or(0.0, |k| frame.overlap_kept(self.parts[k].1, size))
    }
}

/// How far the parts of each contact are apart \[m\] if its normal does not separate them and another's
/// does; such contacts must not push. Without this the two ends of a cylinder held a body that was
/// above both of them, by gaps of -3 cm, and threw it off with 1 MJ (two cylinders, one dropped on the
/// other); a cone falling beside an angle lost its spin in the air.
fn beside_axes(frame: &Frame, state: &State, contacts: &[Contact]) -> Vec<Option<f64>> {
    let mut out = Vec::with_capacity(contacts.len());
    for group in contacts.chunk_by(|x, y| x.parts() == y.parts()) {
        let [a, b] = group[0].parts().map(|part| convex(frame.model, state, part));
        let (Some(a), Some(b), true) = (a, b, group.len() > 1) else {
            out.resize(out.len() + group.len(), None);
            continue;
        };
        let separation = |c: &Contact| {
            let [low, high] = [b.0.support(&b.1, -c.normal), a.0.support(&a.1, c.normal)];
            c.normal.dot(low - high)
        };
        let apart: Vec<f64> = group.iter().map(separation).collect();
        let most = apart.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Parts that overlap leave along the axes of about the least depth.
        let tolerance = TOUCH * frame.size([group[0].a.body, group[0].b.body]);
        let least = 2.0 * most.min(0.0) - tolerance;
        out.extend(apart.iter().map(|&x| (x < least).then_some(most)));
    }
    out
}

/// A convex part that has an extent in all directions, and its place.
fn convex<'a>(model: &'a Model, state: &State, (body, part): PartId) -> Option<(&'a Convex, Pose)> {
    let part = model.body(body).shape.parts().get(part as usize)?;
    // The detector itself knows which contacts with a bored part separate.
    let bounded = !matches!(part.convex, Convex::HalfSpace | Convex::Bored(_));
    bounded.then(|| (&part.convex, state.pose(body).compose(&part.pose)))
}

/// Whether it is a surface, or has a hole.
fn is_hollow(model: &Model, (body, part): PartId) -> bool {
    let shape = &model.body(body).shape;
    let bored = |k: &stickslip_geometry::Part| matches!(k.convex, Convex::Bored(_));
    matches!(shape, Shape::Surface(_)) || shape.parts().get(part as usize).is_some_and(bored)
}

/// A contact found at the end, as seen from the centres of its bodies, with these at the start.
fn moved_back(c: &Contact, start: &State, end: &State) -> Contact {
    let back = |side: &Side| {
        let way = end.pose(side.body).position - start.pose(side.body).position;
        Side { point: side.point - way, ..*side }
    };
    let (a, b) = (back(&c.a), back(&c.b));
    Contact { a, b, gap: c.normal.dot(b.point - a.point), ..*c }
}
