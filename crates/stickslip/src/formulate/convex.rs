//! The convex relaxation of contact with friction: impulse and velocity in dual cones.
//!
//! ```text
//! K ∋ p ⟂ u + (psi / h) n ∈ K*,   u = Gᵀ nu,   K = { |p_t| <= mu p_n }
//! ```
//!
//! Without the term `mu |u_t| n` of the true law this is the optimality condition of a convex
//! quadratic program, so it always has a solution and every solver for such programs applies
//! (Anitescu 2006; Todorov 2011). The price: a contact that slides with speed `v_t` opens as if
//! the surface were tilted, `u_n = mu v_t`, and bodies slide at a gap of `h mu v_t`.
//!
//! The cone is written by its edges, `K = { sum_j b_j (n + mu d_j), b_j >= 0 }`:
//!
//! ```text
//! 0 <= b_j ⟂ (n + mu d_j) · u + psi / h >= 0
//! ```
//!
//! one unknown for each edge. With `friction = "quadratic"` an edge along the slip that was found
//! is added and the problem solved again until the slip lies along an edge.

use complementarity::ProblemClass;
use stickslip_geometry::Vec3;

use super::{
    ConstraintCounts, ConstraintKind, ContactForce, ContactSystem, FormulateError, Formulation,
    Frame, Solve, StepMotion, contact_system::slip_velocity, friction_cone, standard,
};
use crate::{
    collide::Contact,
    settings::{Friction, Settings},
    state::gather,
};

/// The relaxed cone complementarity problem on the standard contact model.
#[derive(Debug, Default)]
pub struct ConvexCone;

const NAME: &str = "convex";
/// Solves of one step with the true cone; the angle between slip and edge falls fast.
const MAX_SOLVES: usize = 12;
/// Sine of the angle between slip and edge that counts as none.
const ALIGNED: f64 = 1e-6;

/// The problem of a step.
#[derive(Debug)]
struct Edges {
    contacts: Vec<Contact>,
    mu: Vec<f64>,
    /// Contact and direction (zero without friction) of each unknown.
    edges: Vec<(usize, Vec3)>,
    system: ContactSystem,
    target: Vec<f64>,
    /// Whether the rebound has been asked for.
    rebounds: bool,
    solves: usize,
}

impl Formulation for ConvexCone {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(&Settings { friction: Friction::None, ..settings.clone() })
    }

    fn sees_free_motion(&self) -> bool {
        false
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let mut edges = Edges::new(frame);
        if edges.system.is_empty() {
            return Ok(StepMotion { nu: edges.system.free().to_vec(), ..StepMotion::default() });
        }
        loop {
            edges.solves += 1;
            let (system, how) = (&edges.system, (&frame.settings.ask(), false));
            let found = system.solve((system.free(), &edges.target), how, solve, NAME)?;
            let impulses = found.impulses;
            if !edges.refine(frame, &impulses) && !edges.rebound(frame, &impulses) {
                return Ok(edges.motion(&impulses));
            }
        }
    }
}

impl Edges {
    fn new(frame: &Frame) -> Self {
        let Frame { model, settings, .. } = *frame;
        let chosen = standard::select(model, frame.contacts);
        let contacts: Vec<Contact> = chosen.into_iter().map(|i| frame.contacts[i]).collect();
        let mechanism = frame.mechanism();
        let (mut mu, mut edges) = (Vec::new(), Vec::new());
        for (i, c) in contacts.iter().enumerate() {
            let coefficient = match settings.friction {
                Friction::None => 0.0,
                _ => model.material(c.a.body, c.b.body).friction,
            };
            mu.push(coefficient);
            if coefficient == 0.0 {
                edges.push((i, Vec3::ZERO));
                continue;
            }
            let slip = slip_velocity(frame, &mechanism.free, c);
            let n = settings.friction_directions;
            let along = friction_cone::directions(model.dimension(), c.normal, slip, n);
            edges.extend(along.into_iter().map(|d| (i, d)));
        }
        let system = assemble(frame, &contacts, &mu, &edges);
        let mut out =
            Self { contacts, mu, edges, system, target: Vec::new(), rebounds: false, solves: 0 };
        out.target = out.gap_target(frame);
        out
    }

    /// `psi / h + drive` of every row.
    fn gap_target(&self, frame: &Frame) -> Vec<f64> {
        let of = |(r, &(i, _)): (usize, &(usize, Vec3))| {
            frame.closing_gently(&self.contacts[i]) + self.system.jacobian.prescribed(r)
        };
        self.edges.iter().enumerate().map(of).collect()
    }

    /// Adds edges along the slip where the true cone wants them; whether there were any.
    fn refine(&mut self, frame: &Frame, impulses: &[f64]) -> bool {
        let plane = frame.model.dimension() == crate::Dimension::Two;
        if frame.settings.friction != Friction::Quadratic || plane || self.solves >= MAX_SOLVES {
            return false;
        }
        let nu = self.system.velocity(self.system.free(), impulses);
        let mut added = Vec::new();
        for (i, c) in self.contacts.iter().enumerate().filter(|(i, _)| self.mu[*i] > 0.0) {
            let pushed = self.edges.iter().zip(impulses).any(|(e, &p)| e.0 == i && p > 0.0);
            let slip = slip_velocity(frame, &nu, c);
            let slip = slip - c.normal * slip.dot(c.normal);
            let speed = slip.length();
            if !pushed || speed * frame.h < 1e-12 {
                continue;
            }
            let wanted = slip / -speed;
            let mut own = self.edges.iter().filter(|e| e.0 == i);
            if !own.any(|e| e.1.dot(wanted) > 0.0 && e.1.cross(wanted).length() < ALIGNED) {
                added.push((i, wanted));
            }
        }
        if added.is_empty() {
            return false;
        }
        self.edges.extend(added);
        self.edges.sort_by_key(|e| e.0);
        self.system = assemble(frame, &self.contacts, &self.mu, &self.edges);
        self.target = self.gap_target(frame);
        self.rebounds = false;
        true
    }

    /// Newton restitution: contacts that push and came in fast must leave with `e` times that
    /// speed. Whether there were any, the first time.
    fn rebound(&mut self, frame: &Frame, impulses: &[f64]) -> bool {
        if std::mem::replace(&mut self.rebounds, true) {
            return false;
        }
        let limit = frame.settings.restitution_threshold;
        let limit = limit.unwrap_or_else(|| frame.model.gravity().length() * frame.h);
        let before = gather(frame.model, frame.state);
        let mut any = false;
        for (r, &(i, _)) in self.edges.iter().enumerate() {
            let c = &self.contacts[i];
            let e = frame.model.material(c.a.body, c.b.body).restitution;
            let approach = slip_velocity(frame, &before, c).dot(c.normal);
            let pushed = self.edges.iter().zip(impulses).any(|(edge, &p)| edge.0 == i && p > 0.0);
            if e > 0.0 && pushed && approach < -limit {
                self.target[r] = self.system.jacobian.prescribed(r) + e * approach;
                any = true;
            }
        }
        any
    }

    fn motion(self, impulses: &[f64]) -> StepMotion {
        let kind = ConstraintKind::Unilateral;
        let (normal, friction, torque) = (0.0, Vec3::ZERO, Vec3::ZERO);
        let none = |contact| ContactForce { contact, kind, normal, friction, torque };
        let mut forces: Vec<ContactForce> = (0..self.contacts.len()).map(none).collect();
        for (&(i, d), &p) in self.edges.iter().zip(impulses) {
            forces[i].normal += p;
            forces[i].friction += d * (self.mu[i] * p);
        }
        let unilateral = self.contacts.len();
        StepMotion {
            nu: self.system.velocity(self.system.free(), impulses),
            joint_impulses: impulses[self.edges.len()..].to_vec(),
            contacts: self.contacts,
            forces,
            constraints: ConstraintCounts { unilateral, ..Default::default() },
            ..Default::default()
        }
    }
}

/// One frictionless row for each edge, along `n + mu d`.
fn assemble(
    frame: &Frame,
    contacts: &[Contact],
    mu: &[f64],
    edges: &[(usize, Vec3)],
) -> ContactSystem {
    let tilted = |&(i, d): &(usize, Vec3)| {
        let c = &contacts[i];
        Contact { normal: c.normal + d * mu[i], ..*c }
    };
    let settings = Settings { friction: Friction::None, ..frame.settings.clone() };
    let frame = Frame { settings: &settings, ..*frame };
    ContactSystem::new(&frame, edges.iter().map(tilted).collect())
}
