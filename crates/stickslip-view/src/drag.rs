//! A spring between the mouse and a point of a body.

use std::sync::{Arc, Mutex, MutexGuard};

use stickslip::{BodyId, Model, State, geometry::Vec3, hook::Hook};

/// Frequency of the spring with the body on it \[rad/s\].
const FREQUENCY: f64 = 12.0;

/// What is held and where it is pulled to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grip {
    pub body: usize,
    /// The point held, body frame \[m\].
    pub point: Vec3,
    /// Where it should go, world frame \[m\].
    pub target: Vec3,
}

/// Pulls during every step. Clones share the grip.
#[derive(Clone, Default)]
pub(crate) struct Drag {
    grip: Arc<Mutex<Option<Grip>>>,
    h: f64,
}

impl Drag {
    /// For steps of size `h` \[s\]; the grip is shared with `self`.
    pub fn with_step(&self, h: f64) -> Self {
        Self { grip: self.grip.clone(), h }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Grip>> {
        self.grip.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn hold(&self, grip: Option<Grip>) {
        *self.lock() = grip;
    }
}

impl Hook for Drag {
    /// `f = m (w² (target - p) - 2 w v)`, a critically damped spring on the mass felt at the
    /// point; its frequency `w` is lowered where the step could not follow it.
    fn before_step(&mut self, model: &Model, state: &mut State) {
        let Some(grip) = *self.lock() else { return };
        if grip.body >= model.bodies().len() {
            return;
        }
        let id = BodyId::new(grip.body);
        if model.dof(id).is_none() {
            return;
        }
        let (body, pose, twist) = (model.body(id), *state.pose(id), *state.twist(id));
        let r = pose.vector(grip.point);
        let inertia = body.inertia.z_axis.z.min(body.inertia.x_axis.x).min(body.inertia.y_axis.y);
        let felt = 1.0 / (1.0 / body.mass + r.length_squared() / inertia.max(1e-12));
        let w = if self.h > 0.0 { FREQUENCY.min(0.3 / self.h) } else { FREQUENCY };
        let stretch = grip.target - (pose.position + r);
        let force = (stretch * (w * w) - twist.at(r) * (2.0 * w)) * felt;
        if force.is_finite() {
            let applied = &mut state.applied[grip.body];
            applied.force += force;
            applied.torque += r.cross(force);
        }
    }
}
