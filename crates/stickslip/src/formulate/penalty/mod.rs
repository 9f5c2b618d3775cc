//! The penalty method with several points and an integral term.
//!
//! Bodies may overlap a little. Each overlapping pair is pushed apart by springs, dampers and an
//! integral of past depths at the points on the bottom of the shared volume; impacts are handled
//! by impulses first. Drumwright 2007, "A fast and stable penalty method for rigid body
//! simulation"; one file per section of it:
//!
//! | file | what | paper |
//! |---|---|---|
//! | `memory.rs` | contact states | figure 2 |
//! | `impact.rs` | impulses | III |
//! | `volume.rs` | points and contact normal | appendix, eq. 4 |
//! | `field.rs`, `surface.rs` | distance fields of meshes | appendix |
//! | `bottom.rs` | points on the bottom | III-A |
//! | `force.rs`, `hold.rs` | PID forces, friction | III-B, eq. 1-3 |
//!
//! Nothing is solved unless joints have limits, friction or motors. The integrator `rk4` evaluates
//! contacts and forces four times a step; any other takes them at its start.

mod bottom;
mod field;
mod force;
mod hold;
mod impact;
mod memory;
mod settings;
mod solid;
mod surface;
mod touch;
mod volume;

#[cfg(test)]
mod field_tests;
#[cfg(test)]
mod tests;

pub use settings::{PenaltyPoints, PenaltySettings, StaticFriction};

use complementarity::ProblemClass;
use stickslip_geometry::Convex;

use super::{
    ConstraintCounts, ConstraintKind, ContactForce, ContactSystem, FormulateError, Formulation,
    Frame, Solve, StepMotion,
};
use crate::{
    dynamics::SharedMechanism,
    integrate::{self, rk4},
    model::Body,
    settings::Settings,
    state::{State, Wrench, scatter},
};
use force::PointForce;
use impact::Impacts;
use memory::Memory;
use solid::Prisms;
use touch::{Fields, Touch};

const NAME: &str = "penalty";

/// The penalty formulation.
#[derive(Debug, Default)]
pub struct Penalty {
    memory: Memory,
    prisms: Prisms,
    fields: Fields,
}

/// The motion of a step but for joint rows with bounds.
#[derive(Debug)]
struct Planned {
    nu: Vec<f64>,
    displacement: Option<Vec<f64>>,
    motion: StepMotion,
}

impl Formulation for Penalty {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(settings)
    }

    fn starts_from_features(&self) -> bool {
        false
    }

    fn sees_free_motion(&self) -> bool {
        // Its forces remember contacts.
        true
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let bored = |body: &Body| {
            body.shape.parts().iter().any(|part| matches!(part.convex, Convex::Bored(_)))
        };
        if let Some(body) = frame.model.bodies().iter().find(|body| bored(body)) {
            let what = format!("the round hole in body {:?}", body.name);
            return Err(FormulateError::Unsupported { formulation: NAME, what });
        }
        let (system, planned) = self.forces_and_motion(frame);
        if system.is_empty() {
            let nu = planned.nu.clone();
            return Ok(planned.finish(nu, frame.h, Vec::new()));
        }
        let how = (&frame.settings.ask(), false);
        let impulses = system.solve((&planned.nu, &[]), how, solve, NAME)?.impulses;
        let nu = system.velocity(&planned.nu, &impulses);
        Ok(planned.finish(nu, frame.h, impulses))
    }

    fn memory(&self) -> Vec<u64> {
        self.memory.words()
    }

    fn recall(&mut self, memory: &[u64]) -> bool {
        let found = Memory::from_words(memory);
        self.memory = found.clone().unwrap_or_default();
        found.is_some()
    }
}

impl Planned {
    fn finish(self, nu: Vec<f64>, h: f64, joint_impulses: Vec<f64>) -> StepMotion {
        // What the joint rows changed acts over the whole step.
        let displacement = self.displacement.map(|d| {
            let change = nu.iter().zip(&self.nu).map(|(a, b)| h * (a - b));
            d.iter().zip(change).map(|(d, x)| d + x).collect()
        });
        StepMotion { nu, displacement, joint_impulses, acts_on_overlap: true, ..self.motion }
    }
}

impl Penalty {
    /// Impacts, forces and the motion they make.
    fn forces_and_motion(&mut self, frame: &Frame) -> (ContactSystem, Planned) {
        let Frame { model, settings, .. } = *frame;
        let which = settings.penalty.points;
        let near = touch::near(frame, &self.memory);
        let mut find = |state: &State, fields: &mut Fields| {
            touch::find((model, state), &near, (&mut self.prisms, fields), which)
        };
        let touches = find(frame.state, &mut self.fields);
        self.memory.begin(frame.state.step, &touches);
        let impacts = impact::resolve(frame, &self.memory, &touches);
        let mut start = frame.state.clone();
        if let Some(Impacts { nu, .. }) = &impacts {
            scatter(model, nu, &mut start);
            // Velocities after an impact are those of this instant.
            start.last_h = 0.0;
        }
        // Impacts are over: every pair is in resting contact now.
        for touch in &touches {
            self.memory.pairs.entry(touch.id).or_default();
        }
        let forces = forces_at(frame, &start, &self.memory, &touches);
        let parts = (&touches[..], &forces[..]);
        force::drag_anchors(model, &start, &settings.penalty, &mut self.memory, parts);

        let pushed = applied(&start, &force::wrenches(model, &start, &touches, &forces));
        let shared = &SharedMechanism::default();
        let system = ContactSystem::new(&Frame { state: &pushed, shared, ..*frame }, Vec::new());
        let smooth = match integrate::make(&settings.integrator) {
            Ok(integrator) if integrator.evaluates_forces() => {
                let mut stage = |state: &State| {
                    let touches = find(state, &mut self.fields);
                    let forces = forces_at(frame, state, &self.memory, &touches);
                    force::wrenches(model, state, &touches, &forces)
                };
                rk4::advance(model, &start, settings, &mut stage)
            }
            _ => None,
        };
        let (nu, displacement) = match smooth {
            Some((displacement, nu)) => (nu, Some(displacement)),
            None => (system.free().to_vec(), None),
        };
        self.memory.end(frame.state.step, &touches, settings.penalty.forgetting);
        let motion = report(frame.h, &touches, &forces, impacts.as_ref());
        (system, Planned { nu, displacement, motion })
    }
}

/// Forces of all resting pairs at a state.
fn forces_at(frame: &Frame, state: &State, memory: &Memory, touches: &[Touch]) -> Vec<PointForce> {
    let settings = frame.settings;
    let mut forces = force::forces(frame.model, state, settings, memory, touches);
    if settings.penalty.static_friction == StaticFriction::LinearSystem {
        let normal: Vec<PointForce> = forces
            .iter()
            .map(|f| PointForce { friction: stickslip_geometry::Vec3::ZERO, ..*f })
            .collect();
        let pushed = applied(state, &force::wrenches(frame.model, state, touches, &normal));
        let shared = &SharedMechanism::default();
        hold::hold(&Frame { state: &pushed, shared, ..*frame }, touches, &mut forces);
    }
    forces
}

/// The state with more forces on its bodies.
fn applied(state: &State, wrenches: &[Wrench]) -> State {
    let mut out = state.clone();
    for (sum, more) in out.applied.iter_mut().zip(wrenches) {
        sum.force += more.force;
        sum.torque += more.torque;
    }
    out
}

/// Contacts and impulses for those who look on: impacts, and the forces at the start of the step.
fn report(
    h: f64,
    touches: &[Touch],
    forces: &[PointForce],
    impacts: Option<&Impacts>,
) -> StepMotion {
    let (mut contacts, mut out) = (Vec::new(), Vec::new());
    let mut push = |contact, normal, friction| {
        let kind = ConstraintKind::Unilateral;
        out.push(ContactForce {
            contact: contacts.len(),
            kind,
            normal,
            friction,
            torque: stickslip_geometry::Vec3::ZERO,
        });
        contacts.push(contact);
    };
    for f in forces {
        let touch = &touches[f.touch];
        let point = &touch.points[f.point];
        push(touch.contact(f.point, point.at, point.depth), f.normal * h, f.friction * h);
    }
    for &(k, impulse) in impacts.iter().flat_map(|i| &i.impulses) {
        let touch = &touches[k];
        let normal = impulse.dot(touch.normal);
        let contact = touch.contact(touch.points.len(), touch.center, touch.depth());
        push(contact, normal, impulse - touch.normal * normal);
    }
    let constraints = ConstraintCounts { unilateral: out.len(), ..Default::default() };
    StepMotion { contacts, forces: out, constraints, ..StepMotion::default() }
}
