//! Bodies at rest.
//!
//! Bodies that hold each other up without moving need no new problem in every step. An island (the
//! bodies that near pairs connect, without those that no force moves) comes to rest when all its bodies
//! have been slower for [`SeparationSettings::quiet`](super::SeparationSettings) than their own solve can tell from zero:
//!
//! ```text
//! |v|, r |omega|  <=  max(1e-9 g h, 50 e),   e the residual that the solve left at the island
//! ```
//!
//! So an island that is solved to the last digit rests when its forces balance to 1e-9 of its weight,
//! and a heap that is solved as far as the budget goes when nothing but the rest of the residual moves
//! it. From then on its bodies stay where they are, bit for bit, with the impulses that held them, and
//! a step costs them their detection. Anything new wakes the whole island: a body that comes near, a
//! force, a moved support, a near pair that is gone, other settings.

use complementarity::sets::Sets;
use stickslip_geometry::{Pose, Quat, Vec3, tolerance::TOUCH};

use super::{
    super::{ContactForce, Frame, Name, Solve, StepMotion, names},
    memory,
};
use crate::{
    collide::{Contact, PartId},
    model::{BodyId, Material, Model},
    state::Twist,
};

/// Layout: the first word of the memory; no axis begins like that.
pub(super) const BEGINS: u64 = u64::MAX;
/// Layout: words of a body in the memory.
const BODY_WORDS: usize = 10;

/// Which bodies rest, and what holds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rest {
    pub(super) bodies: Vec<Body>,
    /// Contacts of resting islands, with the forces there \[N\] in place of impulses.
    pub(super) contacts: Vec<Contact>,
    pub(super) forces: Vec<ContactForce>,
    /// What the forces depend on beside the state; `None`: not evaluated yet.
    world: Option<u64>,
    /// Near pairs of every body, in memory that is kept.
    near: Vec<u32>,
}

/// What is known of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Body {
    /// The time since which it is still \[s\].
    pub since: Option<f64>,
    /// Residual at its contacts.
    pub error: f64,
    /// Where it rests; for a body that no force moves, where it supports others.
    pub pose: Option<Pose>,
    /// Near pairs that it then had; `None`: not counted yet.
    pub near: Option<u32>,
}

/// What is near each other and does not rest.
#[derive(Debug, Default)]
pub(super) struct Awake {
    pub pairs: Vec<[PartId; 2]>,
    pub contacts: Vec<Contact>,
}

impl Rest {
    /// What is left for the step to do; `None` where no body rests.
    pub fn awake(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Option<Awake> {
        if self.bodies.iter().all(|b| b.pose.is_none()) {
            return None;
        }
        self.wake(frame, solve);
        let sleeps = |ids: [BodyId; 2]| ids.iter().any(|&id| self.rests(frame.model, id));
        let pairs = frame.pairs.iter().filter(|p| !sleeps(p.map(|(body, _)| body)));
        let contacts = frame.contacts.iter().filter(|c| !sleeps([c.a.body, c.b.body]));
        Some(Awake { pairs: pairs.copied().collect(), contacts: contacts.copied().collect() })
    }

    /// Opaque serialised state; nothing where no body is still.
    pub fn words(&self) -> Vec<u64> {
        if self.bodies.iter().all(|b| *b == Body::default()) {
            return Vec::new();
        }
        let mut words = vec![BEGINS, self.bodies.len() as u64, self.forces.len() as u64];
        for body in &self.bodies {
            let pose = body.pose.map_or([f64::NAN; 7], |p| {
                let [x, y, z] = p.position.to_array();
                let [i, j, k, w] = p.orientation.to_array();
                [x, y, z, i, j, k, w]
            });
            let since = body.since.unwrap_or(f64::NAN);
            words.extend([since, body.error].map(f64::to_bits));
            words.push(body.near.map_or(0, |n| u64::from(n) + 1));
            words.extend(pose.map(f64::to_bits));
        }
        for force in &self.forces {
            words.extend(memory::contact_words(&self.contacts[force.contact], force));
        }
        words
    }

    /// From what [`Rest::words`] gave; `None` where that is something else.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let [BEGINS, bodies, forces, words @ ..] = words else {
            return words.is_empty().then(Self::default);
        };
        let split = usize::try_from(*bodies).ok()?.checked_mul(BODY_WORDS)?;
        let (first, second) = words.split_at_checked(split)?;
        let body = |w: &[u64; BODY_WORDS]| {
            let x = |i: usize| f64::from_bits(w[i]);
            let orientation = Quat::from_xyzw(x(6), x(7), x(8), x(9));
            let pose = Pose::new(Vec3::new(x(3), x(4), x(5)), orientation);
            Body {
                since: Some(x(0)).filter(|t| !t.is_nan()),
                error: x(1),
                near: w[2].checked_sub(1).map(|n| n as u32),
                pose: Some(pose).filter(|p| !p.position.x.is_nan()),
            }
        };
        let bodies = first.as_chunks().0.iter().map(body).collect();
        let (groups, rest) = second.as_chunks();
        let mut out = Self { bodies, ..Self::default() };
        for (i, group) in groups.iter().enumerate() {
            let (contact, force) = memory::contact_from(group)?;
            let known = |id: BodyId| id.index() < out.bodies.len();
            if !known(contact.a.body) || !known(contact.b.body) {
                return None;
            }
            out.contacts.push(contact);
            out.forces.push(ContactForce { contact: i, ..force });
        }
        (rest.is_empty() && groups.len() as u64 == *forces).then_some(out)
    }

    /// Whether forces move the body, and it rests.
    fn rests(&self, model: &Model, id: BodyId) -> bool {
        model.dof(id).is_some() && self.bodies.get(id.index()).is_some_and(|b| b.pose.is_some())
    }

    /// Whether two bodies are at rest on each other.
    pub fn holds(&self, ids: [BodyId; 2]) -> bool {
        ids.iter().all(|id| self.bodies.get(id.index()).is_some_and(|b| b.pose.is_some()))
    }

    /// Wakes the islands to which something happened.
    fn wake(&mut self, frame: &Frame, solve: &mut dyn Solve) {
        let model = frame.model;
        let world = Some(fingerprint(frame));
        if self.bodies.len() != model.bodies().len()
            || (self.world.is_some() && self.world != world)
        {
            *self = Self::default();
            return;
        }
        self.world = world;
        self.near.clear();
        self.near.resize(self.bodies.len(), 0);
        near_bodies(frame).flatten().for_each(|id| self.near[id.index()] += 1);
        if !model.ids().any(|id| self.is_disturbed(frame, id)) {
            let near = self.bodies.iter_mut().zip(&self.near).filter(|(b, _)| b.pose.is_some());
            near.for_each(|(body, &n)| _ = body.near.get_or_insert(n));
            return;
        }
        self.wake_islands(frame);
        let woken = self.drop_contacts(frame);
        if !woken.is_empty() {
            solve.know(&woken);
        }
    }

    /// Whether a body is not as it was when it came to rest, or does not rest.
    fn is_disturbed(&self, frame: &Frame, id: BodyId) -> bool {
        let Frame { model, state, .. } = *frame;
        let (i, still) = (id.index(), *state.twist(id) == Twist::default());
        let body = &self.bodies[i];
        match body.pose {
            Some(pose) => {
                let fewer = body.near.is_some_and(|n| self.near[i] < n);
                let pushed = state.applied[i] != Default::default() || model.has_force_elements(id);
                !still || pose != *state.pose(id) || pushed || fewer
            }
            None => !still || model.dof(id).is_some(),
        }
    }

    /// Wakes the islands of disturbed bodies.
    fn wake_islands(&mut self, frame: &Frame) {
        let model = frame.model;
        let mut islands = Islands::new(model);
        near_bodies(frame).for_each(|[a, b]| islands.join(a, b));
        let disturbed: Vec<bool> = model.ids().map(|id| self.is_disturbed(frame, id)).collect();
        let mut wakes = vec![false; self.bodies.len()];
        let moved = model.ids().filter(|&id| model.dof(id).is_some() && disturbed[id.index()]);
        moved.for_each(|id| wakes[islands.root(id)] = true);
        for [a, b] in near_bodies(frame) {
            for (id, other) in [(a, b), (b, a)] {
                wakes[islands.root(id)] |= model.dof(other).is_none() && disturbed[other.index()];
            }
        }
        for id in model.ids() {
            let wakes = match model.dof(id) {
                Some(_) => wakes[islands.root(id)],
                None => disturbed[id.index()],
            };
            let body = &mut self.bodies[id.index()];
            if wakes {
                (body.pose, body.near) = (None, None);
            } else if body.pose.is_some() {
                body.near.get_or_insert(self.near[id.index()]);
            }
        }
    }

    /// Whether all bodies rest that forces move.
    pub fn covers(&self, model: &Model) -> bool {
        let rests = |id| model.dof(id).is_none() || self.rests(model, id);
        self.bodies.len() == model.bodies().len() && model.ids().all(rests)
    }

    /// The motion of a step in which all rest, in the memory of another.
    pub fn hold(&self, frame: &Frame, mut motion: StepMotion) -> StepMotion {
        let (mut nu, mut contacts, mut forces) = (motion.nu, motion.contacts, motion.forces);
        nu.clear();
        nu.resize(frame.model.n_dof(), 0.0);
        contacts.clear();
        forces.clear();
        motion = StepMotion { nu, contacts, forces, ..StepMotion::default() };
        self.add_held(frame.h, self.contacts.len(), &mut motion);
        motion
    }

    /// Adds the first `n` contacts at rest and the impulses there to a motion over `h` seconds.
    fn add_held(&self, h: f64, n: usize, motion: &mut StepMotion) {
        let first = motion.contacts.len();
        motion.contacts.extend_from_slice(&self.contacts[..n]);
        let held = self.forces.iter().filter(|f| f.contact < n);
        motion.forces.extend(held.map(|f| ContactForce {
            contact: first + f.contact,
            normal: f.normal * h,
            friction: f.friction * h,
            torque: f.torque * h,
            ..*f
        }));
        motion.constraints.unilateral += n;
    }

    /// Forgets the contacts of bodies that no longer rest; they are returned with their impulses over the
    /// step. Without these a hundred bodies that wake at once are solved as if they had just been put there.
    fn drop_contacts(&mut self, frame: &Frame) -> Vec<(Name, Vec3)> {
        let (contacts, forces) =
            (std::mem::take(&mut self.contacts), std::mem::take(&mut self.forces));
        let (mut woken, mut impulses) = (Vec::new(), Vec::new());
        for force in forces {
            let c = contacts[force.contact];
            if [c.a.body, c.b.body].iter().any(|&id| self.rests(frame.model, id)) {
                self.forces.push(ContactForce { contact: self.contacts.len(), ..force });
                self.contacts.push(c);
            } else {
                woken.push(c);
                impulses.push((c.normal * force.normal + force.friction) * frame.h);
            }
        }
        names::of(&woken).into_iter().zip(impulses).collect()
    }

    /// Holds the bodies that rest, and lets those come to rest that have been still; `errors` are what
    /// the solve left at each of its contacts.
    pub fn settle(&mut self, frame: &Frame, motion: &mut StepMotion, errors: &[f64]) {
        let Frame { model, h, .. } = *frame;
        self.bodies.resize(model.bodies().len(), Body::default());
        let slept = self.contacts.len();
        self.lay_down(frame, motion, errors);
        for id in model.ids().filter(|&id| self.rests(model, id)) {
            let Some(dof) = model.dof(id) else { continue };
            let all = dof..dof + model.dimension().dof();
            motion.nu[all.clone()].fill(0.0);
            motion.after.iter_mut().for_each(|nu| nu[all.clone()].fill(0.0));
        }
        // Those that rested before are not among the contacts of this step.
        self.add_held(h, slept, motion);
    }

    /// Takes in the islands that have been still for long enough.
    fn lay_down(&mut self, frame: &Frame, motion: &StepMotion, errors: &[f64]) {
        let Frame { model, state, h, .. } = *frame;
        for body in &mut self.bodies {
            body.error = 0.0;
        }
        for (i, c) in motion.contacts.iter().enumerate().take(errors.len()) {
            for id in [c.a.body, c.b.body] {
                let error = &mut self.bodies[id.index()].error;
                *error = error.max(errors[i]);
            }
        }
        let limits = self.limits(frame, motion);
        let Some((limits, mut islands)) = limits else {
            self.bodies.iter_mut().for_each(|b| b.since = None);
            return;
        };
        let mut rests = vec![true; self.bodies.len()];
        for id in model.ids().filter(|&id| model.dof(id).is_some()) {
            let (i, root) = (id.index(), islands.root(id));
            let quiet = limits[root].is_some_and(|limit| speed(frame, motion, id) <= limit);
            let since = &mut self.bodies[i].since;
            *since = if quiet { since.or(Some(state.time)) } else { None };
            rests[root] &= since.is_some_and(|t| state.time - t >= frame.settings.separation.quiet);
        }
        for force in &motion.forces {
            let c = motion.contacts[force.contact];
            let ids = [c.a.body, c.b.body];
            let mover = ids.into_iter().find(|&id| model.dof(id).is_some());
            if mover.is_some_and(|id| rests[islands.root(id)] && !self.rests(model, id)) {
                let (normal, friction, torque) =
                    (force.normal / h, force.friction / h, force.torque / h);
                let contact = self.contacts.len();
                self.forces.push(ContactForce { contact, normal, friction, torque, ..*force });
                self.contacts.push(c);
            }
        }
        let pushed = self.contacts.iter().flat_map(|c| [c.a.body, c.b.body]);
        for id in pushed.collect::<Vec<_>>() {
            let body = &mut self.bodies[id.index()];
            if body.pose.is_none() {
                (body.pose, body.near) = (Some(*state.pose(id)), None);
            }
        }
    }

    /// The speed below which each island is still \[m/s\], at its root; `None` for an island that
    /// cannot rest. Nothing at all where no body is slow.
    fn limits(&self, frame: &Frame, motion: &StepMotion) -> Option<(Vec<Option<f64>>, Islands)> {
        let Frame { model, h, settings, .. } = *frame;
        let levers = settings.separation.levers;
        let most = levers * settings.ask().acceptable;
        let moving = || model.ids().filter(|&id| model.dof(id).is_some());
        if !moving().any(|id| speed(frame, motion, id) <= most) {
            return None;
        }
        let mut islands = Islands::new(model);
        near_bodies(frame).for_each(|[a, b]| islands.join(a, b));
        let n = model.bodies().len();
        let mut limits = vec![Some(TOUCH * model.gravity().length() * h); n];
        for id in moving() {
            let (root, error) = (islands.root(id), self.bodies[id.index()].error);
            limits[root] = limits[root].map(|limit| limit.max(levers * error).min(most));
        }
        let mut pushed = vec![false; n];
        for force in motion.forces.iter().filter(|f| f.normal > 0.0) {
            let c = &motion.contacts[force.contact];
            [c.a.body, c.b.body].iter().for_each(|id| pushed[id.index()] = true);
        }
        // Nothing holds a body that nothing pushes; joints are not checked.
        let free = moving().filter(|id| !pushed[id.index()]);
        let jointed = model.joints().iter().flat_map(|joint| joint.bodies).flatten();
        free.chain(jointed).for_each(|id| limits[islands.root(id)] = None);
        // Nor does anything rest on what moves by itself.
        for [a, b] in near_bodies(frame) {
            for (id, other) in [(a, b), (b, a)] {
                if model.dof(other).is_none() && *frame.state.twist(other) != Twist::default() {
                    limits[islands.root(id)] = None;
                }
            }
        }
        Some((limits, islands))
    }
}

/// The larger of the speeds of a body before and after the motion, `max(|v|, r |omega|)` \[m/s\].
fn speed(frame: &Frame, motion: &StepMotion, id: BodyId) -> f64 {
    let Frame { model, state, .. } = *frame;
    let of = |v: Vec3, w: Vec3| v.length().max(model.body(id).radius * w.length());
    let before = state.twist(id);
    let d = model.dimension();
    let after = match model.dof(id) {
        Some(dof) => d.split(&motion.nu[dof..dof + d.dof()]),
        None => (Vec3::ZERO, Vec3::ZERO),
    };
    of(before.linear, before.angular).max(of(after.0, after.1))
}

/// The bodies of all near pairs.
fn near_bodies<'a>(frame: &Frame<'a>) -> impl Iterator<Item = [BodyId; 2]> + use<'a> {
    let pairs = frame.pairs.iter().map(|p| p.map(|(body, _)| body));
    pairs.chain(frame.contacts.iter().map(|c| [c.a.body, c.b.body]))
}

/// Mixes what the forces at rest depend on, beside the state.
fn fingerprint(frame: &Frame) -> u64 {
    let Frame { model, settings, .. } = *frame;
    let [x, y, z] = model.gravity().to_array().map(f64::to_bits);
    let friction = [settings.friction as u64, settings.friction_directions as u64];
    let bodies = model.bodies().iter().flat_map(|body| {
        let ([fx, fy, fz], [tx, ty, tz]) = (body.force.to_array(), body.torque.to_array());
        let Material { friction, rolling, torsional, .. } = body.material;
        [body.mass, friction, rolling, torsional, fx, fy, fz, tx, ty, tz].map(f64::to_bits)
    });
    super::super::names::key([x, y, z].into_iter().chain(friction).chain(bodies))
}

/// Bodies that near pairs connect.
struct Islands {
    sets: Sets,
    moves: Vec<bool>,
}

impl Islands {
    fn new(model: &Model) -> Self {
        let moves = model.ids().map(|id| model.dof(id).is_some()).collect();
        Self { sets: Sets::new(model.bodies().len()), moves }
    }

    /// The number of an island: one of its bodies.
    fn root(&mut self, id: BodyId) -> usize {
        self.sets.root(id.index())
    }

    /// Bodies that no force moves part islands.
    fn join(&mut self, a: BodyId, b: BodyId) {
        if self.moves[a.index()] && self.moves[b.index()] {
            self.sets.join(a.index(), b.index());
        }
    }
}
