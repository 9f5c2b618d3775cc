//! Continuous collision detection: whether the motion of a step passes through something on its way.
//!
//! A step is solved for its end. A body that travels farther in a step than it or its obstacle is
//! thick may be apart from the obstacle at both and have been inside in between. Two convex
//! bodies of widths `w_a` and `w_b` cannot trade sides along a straight line in less than
//! `w_a + w_b`, so only pairs with a body that travels more than half its own width are
//! checked: one comparison for each body when nothing is fast. Such a pair is followed along its rigid
//! motion by conservative advancement: bodies `d` apart whose points approach each other with at
//! most `u` cannot touch before `d / u`. Spheres around the bodies tell most pairs that are too far
//! apart, one separating axis nearly all others.
//!
//! The same check along the velocities that the bodies have tells beforehand how far to plan: rows
//! for all that a bullet may meet within ten metres are many, and mostly wrong. Few bodies are stopped
//! where they meet something, which is nearer to the truth. Where there are many, one that is no more
//! than half its width in what it meets when the step ends is held by the rows of the side that it came
//! from: only who goes farther is stopped on the way. Without this a pile of a hundred that lands takes
//! twice the solves, and 2,000 bodies are stopped in every step; with all that end inside, dominoes that
//! fall gained a hundredth of their energy in a step.

use stickslip_geometry::{
    Aabb, BoxTree, Part, Pose, Quat, Shape, TriMesh, Vec3, overlap, tolerance::MERGE,
};

use crate::{
    collide::{Candidates, depth, placed},
    formulate::StepMotion,
    model::{BodyId, Dimension, Model, Motion},
    state::{State, Twist},
    substep::MAX_TRIALS,
};

/// Depth on the way that is a passage, as a part of the smaller width of the two.
const DEEP: f64 = 0.1;

/// A lower bound of the width of the thinnest part \[m\]: that of a ball inside. Zero for a surface.
pub(crate) fn thickness(shape: &Shape) -> f64 {
    let widths = shape.parts().iter().map(|p| 2.0 * p.convex.inscribed_radius());
    widths.reduce(f64::min).unwrap_or(0.0)
}

/// The time \[s\] after which a step of `h` should be cut: two bodies that move along the motion
/// are then deep in each other, although they were not at its start. `None` when the way is free. Fast
/// is who is fast in a whole step, `whole` seconds.
pub(crate) fn cut(
    (model, state): (&Model, &State),
    (candidates, motion): (&Candidates, &StepMotion),
    h: f64,
    whole: f64,
) -> Option<f64> {
    let (nu, candidates) = (Some(&motion.nu[..]), Some(candidates));
    let scene = Scene { model, state, nu, candidates, stops: Stops::AtAll };
    let fast: Vec<BodyId> = model.ids().filter(|&id| scene.is_fast(id, whole)).collect();
    if fast.is_empty() {
        return None;
    }
    scene.first_passage(&fast, h)
}

/// Whether two bodies are in each other after `h` seconds of a motion by more than rotations may leave.
pub(crate) fn ends_in(
    (model, state): (&Model, &State),
    nu: &[f64],
    h: f64,
    [a, b]: [BodyId; 2],
) -> bool {
    let scene = Scene { model, state, nu: Some(nu), candidates: None, stops: Stops::AtAll };
    let radii = [a, b].map(|id| model.body(id).radius);
    scene.depth(a, b, h, 0.0) > MERGE * radii[0].min(radii[1])
}

/// For what a plan ends early.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stops {
    /// Bodies that get deep into another.
    AtAll,
    /// Those that pass its middle, or their own.
    AtPassages,
}

/// How far to plan \[s\], at most `h`: up to where fast bodies meet something if they keep their
/// velocities.
pub(crate) fn horizon(
    (model, state): (&Model, &State),
    (h, whole): (f64, f64),
    stops: Stops,
) -> f64 {
    let scene = Scene { model, state, nu: None, candidates: None, stops };
    let fast: Vec<BodyId> = model.ids().filter(|&id| scene.is_fast(id, whole)).collect();
    if fast.is_empty() {
        return h;
    }
    scene.first_passage(&fast, h).unwrap_or(h)
}

/// What following two bodies met.
enum Way {
    /// They are not deep in each other at any time.
    Free,
    /// The time at which they first are \[s\].
    Deep(f64),
    /// They are so at the end alone.
    EndsDeep,
    /// Free up to this time \[s\], and not evaluated beyond.
    Long(f64),
}

#[derive(Clone, Copy)]
struct Scene<'a> {
    model: &'a Model,
    state: &'a State,
    /// Velocities; those that the bodies have if there are none.
    nu: Option<&'a [f64]>,
    /// What the detector found at the start.
    candidates: Option<&'a Candidates>,
    stops: Stops,
}

impl Scene<'_> {
    fn twist(&self, id: BodyId) -> Twist {
        let d = self.model.dimension();
        match (self.model.dof(id), self.nu) {
            (Some(dof), Some(nu)) => {
                let (linear, angular) = d.split(&nu[dof..dof + d.dof()]);
                Twist { linear, angular }
            }
            (Some(_), None) => *self.state.twist(id),
            _ if self.model.body(id).motion == Motion::Kinematic => *self.state.twist(id),
            _ => Twist::default(),
        }
    }

    /// Speed of the fastest point \[m/s\].
    fn speed(&self, id: BodyId) -> f64 {
        let (twist, body) = (self.twist(id), self.model.body(id));
        let spin = twist.angular.length();
        twist.linear.length() + if spin > 0.0 { spin * body.radius } else { 0.0 }
    }

    /// Whether a body travels more than half its width: two that do not cannot trade sides.
    fn is_fast(&self, id: BodyId, h: f64) -> bool {
        let body = self.model.body(id);
        body.motion != Motion::Static
            && body.collides
            && body.radius.is_finite()
            && 2.0 * h * self.speed(id) > body.thickness
    }

    /// The first time before `h` at which a fast body is deep in another.
    fn first_passage(&self, fast: &[BodyId], h: f64) -> Option<f64> {
        let mut first = h;
        for [a, b] in self.meeting(fast, h) {
            match self.follow(a, b, first) {
                Way::Free => {}
                _ if self.is_left_out(a, b) => {}
                Way::Deep(t) if self.goes_back(a, b, t, first) => {}
                Way::EndsDeep if self.stops == Stops::AtPassages => {}
                Way::Deep(t) | Way::Long(t) => first = t,
                // The motion was to end outside and does not: its rows hold for shorter steps.
                Way::EndsDeep => first *= 0.5,
            }
        }
        (first < h).then_some(first)
    }

    /// Whether two bodies that are deep in each other after `t` seconds are so still at the end `h`, and
    /// the way out that they came is the nearest: they went no farther than half the smaller width.
    fn goes_back(&self, a: BodyId, b: BodyId, t: f64, h: f64) -> bool {
        let (speed, width) = self.approach(a, b);
        let near = self.stops == Stops::AtPassages && speed * (h - t) <= 0.5 * width;
        near && self.depth(a, b, h, 0.0) > 0.0
    }

    /// The fastest that points of two bodies approach each other \[m/s\], and the smaller width \[m\].
    fn approach(&self, a: BodyId, b: BodyId) -> (f64, f64) {
        let widths = [a, b].map(|id| self.model.body(id).thickness);
        let width = match widths {
            [x, y] if x > 0.0 && y > 0.0 => x.min(y),
            [x, y] => x.max(y),
        };
        let relative = self.twist(b).linear - self.twist(a).linear;
        let spin = |id| self.speed(id) - self.twist(id).linear.length();
        (relative.length() + spin(a) + spin(b), width)
    }

    /// Whether two bodies overlap at the start and the detector left them out: they pass through
    /// each other, and no shorter step changes that.
    fn is_left_out(&self, a: BodyId, b: BodyId) -> bool {
        let Some(Candidates { pairs, contacts }) = self.candidates else { return false };
        let same = |x: BodyId, y: BodyId| (x, y) == (a, b) || (y, x) == (a, b);
        let listed = pairs.iter().any(|[x, y]| same(x.0, y.0))
            || contacts.iter().any(|c| same(c.a.body, c.b.body));
        !listed && self.depth(a, b, 0.0, 0.0) > 0.0
    }

    /// Pairs of a fast body, first, and another one that may meet within `h` seconds, as far as
    /// boxes tell; each once, sorted.
    fn meeting(&self, fast: &[BodyId], h: f64) -> Vec<[BodyId; 2]> {
        let is_fast = |id: &BodyId| fast.binary_search(id).is_ok();
        let (mut ids, mut boxes, mut endless) = (vec![], vec![], vec![]);
        for id in self.model.ids().filter(|&id| self.model.body(id).collides) {
            let swept = self.swept(id, h);
            if (swept.max - swept.min).is_finite() {
                ids.push(id);
                boxes.push(swept);
            } else {
                endless.push((id, swept));
            }
        }
        let mut tree = BoxTree::new(boxes);
        let mut pairs = vec![];
        let mut keep = |a: BodyId, b: BodyId| {
            let [a, b] = if is_fast(&a) && (a < b || !is_fast(&b)) { [a, b] } else { [b, a] };
            if is_fast(&a) && self.model.may_touch(a, b) {
                pairs.push([a, b]);
            }
        };
        tree.overlaps(|i, j| keep(ids[i as usize], ids[j as usize]));
        for (k, (id, swept)) in endless.iter().enumerate() {
            tree.search(|b| b.overlaps(swept), |i| keep(ids[i as usize], *id));
            let others = endless[..k].iter().filter(|o| o.1.overlaps(swept));
            others.for_each(|o| keep(o.0, *id));
        }
        pairs.sort_unstable();
        pairs
    }

    /// A box around all places of the body during the step.
    fn swept(&self, id: BodyId, h: f64) -> Aabb {
        let (body, twist, pose) = (self.model.body(id), self.twist(id), self.state.pose(id));
        if twist.linear == Vec3::ZERO && twist.angular == Vec3::ZERO {
            return placed::bounds(&body.shape, pose, self.model.dimension());
        }
        let (x, end) = (pose.position, pose.position + twist.linear * h);
        Aabb::of([x, end]).inflated(body.radius)
    }

    /// Where a body is after `t` seconds.
    fn place(&self, id: BodyId, t: f64) -> Pose {
        let (twist, pose) = (self.twist(id), self.state.pose(id));
        if t == 0.0 {
            return *pose;
        }
        let turn = Quat::from_scaled_axis(twist.angular * t);
        Pose {
            position: pose.position + twist.linear * t,
            orientation: (turn * pose.orientation).normalize(),
        }
    }

    /// Follows two bodies for `h` seconds.
    fn follow(&self, a: BodyId, b: BodyId, h: f64) -> Way {
        let (speed, width) = self.approach(a, b);
        if !(speed > 0.0 && speed.is_finite() && width > 0.0 && width.is_finite()) {
            return Way::Free;
        }
        // Bodies in touch are evaluated again after twice the depth that counts.
        let (deep, stride) = (DEEP * width, 2.0 * DEEP * width);
        // Bodies that cannot come together in the time left need not be followed.
        let mut depth = self.depth(a, b, 0.0, speed * h);
        if depth > deep || depth <= -speed * h {
            return Way::Free;
        }
        let mut t = 0.0;
        for _ in 0..MAX_TRIALS {
            t += (-depth).max(stride) / speed;
            depth = self.depth(a, b, t.min(h), speed * (h - t).max(0.0));
            match (t >= h, depth > deep) {
                (true, true) => return Way::EndsDeep,
                (true, false) => return Way::Free,
                (false, true) => return Way::Deep(t),
                (false, false) if depth <= -speed * (h - t) => return Way::Free,
                (false, false) => {}
            }
        }
        Way::Long(t)
    }

    /// Signed depth of two bodies after `t` seconds \[m\]; of a surface that is not crossed, zero. Of
    /// bodies farther apart than `enough` any value below `-enough`.
    fn depth(&self, a: BodyId, b: BodyId, t: f64, enough: f64) -> f64 {
        let [(body_a, at_a), (body_b, at_b)] =
            [a, b].map(|id| (self.model.body(id), self.place(id, t)));
        let between = at_a.position.distance(at_b.position) - body_a.radius - body_b.radius;
        // A half-space or a surface is no ball; the latter touches at zero.
        if between > enough {
            return -between;
        }
        let dimension: Dimension = self.model.dimension();
        let (parts_a, parts_b) = match (&body_a.shape, &body_b.shape) {
            (Shape::Parts(parts_a), Shape::Parts(parts_b)) => (parts_a, parts_b),
            (Shape::Surface(mesh), Shape::Parts(parts)) => {
                return surface_depth((mesh, &at_a), (parts, &at_b), body_b.radius, enough);
            }
            (Shape::Parts(parts), Shape::Surface(mesh)) => {
                return surface_depth((mesh, &at_b), (parts, &at_a), body_a.radius, enough);
            }
            (Shape::Surface(_), Shape::Surface(_)) => return 0.0,
        };
        let mut deepest = f64::NEG_INFINITY;
        for p in parts_a {
            for q in parts_b {
                let poses = [at_a.compose(&p.pose), at_b.compose(&q.pose)];
                let enough = enough.min((-deepest).max(0.0));
                let depth = depth::of_parts(dimension, [&p.convex, &q.convex], &poses, enough);
                deepest = deepest.max(depth);
            }
        }
        deepest
    }
}

/// Depth of a body of that radius in a surface \[m\], zero where it does not cross it; if no triangle is
/// nearer to it than `enough`, or a part of that, minus as much.
fn surface_depth(
    (mesh, at): (&TriMesh, &Pose),
    (parts, pose): (&[Part], &Pose),
    radius: f64,
    enough: f64,
) -> f64 {
    let center = at.inverse_point(pose.position);
    let free = |d: &f64| {
        let near = Aabb::of([center]).inflated(radius + d);
        !near.overlaps(&mesh.bounds()) || mesh.triangles_in(&near).is_empty()
    };
    let apart = [enough, 0.25 * enough, 0.25 * radius].into_iter().find(free);
    match apart.filter(|_| !mesh.is_closed() && radius.is_finite()) {
        Some(d) => -d.next_up(),
        None => overlap::surface::depth(mesh, at, parts, pose),
    }
}
