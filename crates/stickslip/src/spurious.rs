//! Spurious contacts, the "traps" of the thesis: contacts that the standard model gets wrong.
//!
//! The standard model lets no gap of its contacts end negative. Where the motion found does let
//! one end so although the two bodies are apart, the standard model would have pushed a pair that
//! another direction separates: a peg held up by the rim of a hole that it fits into. And where a
//! contact did push, but the bodies end farther apart than its own gap says, such a push has
//! happened.

use stickslip_geometry::{Convex, Pose, Vec3, overlap};

use crate::{
    collide::{
        Contact, Feature, Role, Side,
        pairs::edge_edge::{self, Segment},
    },
    formulate::{StepMotion, standard},
    model::Model,
    state::State,
};

/// Distances below this fraction of the bodies' size are round-off.
const TOLERANCE: f64 = 1e-9;
/// How far points of contacts are moved inward before they are looked for in their bodies, as a
/// fraction of the way to the centre.
const INWARD: f64 = 1e-7;

/// Number of spurious contacts of a step: of the standard model's contacts, and of those that pushed.
/// `before` are the poses at the start of the step, where the contacts were found.
pub fn count(
    model: &Model,
    before: &[Pose],
    after: &State,
    contacts: &[Contact],
    motion: &StepMotion,
) -> usize {
    let view = View { model, before, after };
    let pushed = motion.forces.iter().filter(|f| f.normal > 0.0);
    let wrong = pushed.filter(|f| view.pushed_apart(&motion.contacts[f.contact])).count();
    // Which contacts the standard model takes is asked only where one of them might be passed.
    let passed = contacts.iter().any(|c| c.role == Role::Primary && view.is_behind(c));
    let selected = if passed { standard::select(model, contacts) } else { Vec::new() };
    wrong + selected.into_iter().filter(|&i| view.passed_freely(&contacts[i])).count()
}

/// A contact after the step: its points, the gap along its own direction, and how far that may be
/// off. Its normal and points are those of the start, which matters to second order in the motion.
struct End {
    a: Vec3,
    b: Vec3,
    gap: f64,
    error: f64,
}

struct View<'a> {
    model: &'a Model,
    before: &'a [Pose],
    after: &'a State,
}

impl View<'_> {
    /// Where a point of a body is after the step.
    fn carried(&self, side: &Side) -> Vec3 {
        let (start, end) = (&self.before[side.body.index()], self.after.pose(side.body));
        if start == end { side.point } else { end.point(start.inverse_point(side.point)) }
    }

    /// A contact at the end of the step.
    fn end(&self, c: &Contact) -> End {
        let (a, b) = (self.carried(&c.a), self.carried(&c.b));
        let size = self.model.body(c.a.body).radius.min(self.model.body(c.b.body).radius);
        let travel = (a - c.a.point).length() + (b - c.b.point).length();
        let error = TOLERANCE * size + travel * travel / size;
        End { a, b, gap: (b - a).dot(c.normal), error }
    }

    /// True distance of the two parts at the end; negative when they overlap.
    fn apart(&self, c: &Contact) -> Option<f64> {
        let place = |side: &Side| {
            let part = self.model.body(side.body).shape.parts().get(side.part as usize)?;
            Some((&part.convex, self.after.pose(side.body).compose(&part.pose)))
        };
        let ((a, pose_a), (b, pose_b)) = (place(&c.a)?, place(&c.b)?);
        Some(-overlap::depth(self.model.dimension(), a, &pose_a, b, &pose_b))
    }

    /// Whether the contact's own features show that the parts are at most `distance` apart at the
    /// end: a point of one belongs to its part and is over a face of the other, or two edges are
    /// that near.
    fn seen_near(&self, c: &Contact, end: &End, distance: f64) -> bool {
        if let [Some(a), Some(b)] = [self.edge(&c.a), self.edge(&c.b)] {
            // points of the two parts, whichever they are, are no nearer than the parts
            let (s, t) = edge_edge::closest_on_lines(&a, &b).unwrap_or((0.5, 0.5));
            let on = |e: &Segment, s: f64| e.tail + e.along * s.clamp(0.0, 1.0);
            return on(&a, s).distance(on(&b, t)) <= distance;
        }
        let near = |(mine, point): (&Side, Vec3), other: &Side| {
            if let Some(corner) = self.corner(mine) {
                return self.within(other, corner, distance);
            }
            // contact polygons reach a little beyond the edges of their faces
            let center = self.after.pose(mine.body).position;
            let point = point + (center - point).reject_from_normalized(c.normal) * INWARD;
            self.within(mine, point, 0.0) && self.within(other, point, distance)
        };
        near((&c.a, end.a), &c.b) || near((&c.b, end.b), &c.a)
    }

    /// The corner of a contact at the end.
    fn corner(&self, side: &Side) -> Option<Vec3> {
        let Feature::Vertex(k) = side.feature else { return None };
        let part = self.model.body(side.body).shape.parts().get(side.part as usize)?;
        let Convex::Polytope(polytope) = &part.convex else { return None };
        let pose = self.after.pose(side.body).compose(&part.pose);
        polytope.vertices.get(k as usize).map(|&v| pose.point(v))
    }

    /// The edge of a contact at the end.
    fn edge(&self, side: &Side) -> Option<Segment> {
        let Feature::Edge(k) = side.feature else { return None };
        let part = self.model.body(side.body).shape.parts().get(side.part as usize)?;
        let Convex::Polytope(polytope) = &part.convex else { return None };
        let edge = polytope.edges.get(k as usize)?;
        let pose = self.after.pose(side.body).compose(&part.pose);
        let [tail, head] = edge.vertices.map(|v| pose.point(polytope.vertices[v as usize]));
        Some(Segment { tail, along: head - tail, normals: [Vec3::ZERO; 2] })
    }

    /// Whether a point is in a part, or over one of its faces by at most `distance`.
    fn within(&self, side: &Side, point: Vec3, distance: f64) -> bool {
        let Some(part) = self.model.body(side.body).shape.parts().get(side.part as usize) else {
            return false;
        };
        let local = self.after.pose(side.body).compose(&part.pose).inverse_point(point);
        let polytope = match &part.convex {
            Convex::Polytope(polytope) => polytope,
            // sizes of both bodies are in the round-off of `distance`
            Convex::HalfSpace => {
                return local.dot(self.model.dimension().half_space_normal()) <= distance;
            }
            _ => return false,
        };
        let above = |x: Vec3| polytope.faces.iter().map(move |f| (f.normal.dot(x) - f.offset, f));
        let higher = |x: (f64, _), y: (f64, _)| if y.0 >= x.0 { y } else { x };
        let Some((height, face)) = above(local).reduce(higher) else { return false };
        let round_off = TOLERANCE * polytope.extent();
        let foot = local - face.normal * height.max(0.0);
        height <= distance + round_off && above(foot).all(|(h, _)| h <= round_off)
    }

    /// Pushed, yet apart along another direction.
    fn pushed_apart(&self, c: &Contact) -> bool {
        let end = self.end(c);
        let near = end.gap.max(0.0) + end.error;
        // the true distance takes long to find, and mostly is known to be small
        !self.seen_near(c, &end, near) && self.apart(c).is_some_and(|apart| apart > near)
    }

    /// Ends behind the contact's plane.
    fn is_behind(&self, c: &Contact) -> bool {
        let End { gap, error, .. } = self.end(c);
        gap < -error
    }

    /// Ends behind the contact's plane, yet apart.
    fn passed_freely(&self, c: &Contact) -> bool {
        let End { gap, error, .. } = self.end(c);
        gap < -error && self.apart(c).is_some_and(|apart| apart > gap + error && apart >= -error)
    }
}
