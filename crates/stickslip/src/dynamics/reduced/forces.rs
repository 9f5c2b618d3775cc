//! Forces along joint coordinates: motors, springs, damping, friction that slides.

use super::{Coordinates, Tree};
use crate::{
    model::{ForceKind, Freedom, Joint, JointId, Model, Motor, MotorTarget},
    state::State,
};
use stickslip_geometry::tolerance::TOUCH;

/// A force along a coordinate and how it depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CoordinateForce {
    /// \[N or N m\].
    pub force: f64,
    /// Minus its change per position; zero at a bound of the force.
    pub stiffness: f64,
    /// Minus its change per rate; zero at a bound of the force.
    pub damping: f64,
    /// Whether a motor keeps the rate as it is, whatever force that takes.
    pub driven: bool,
}

/// Whether a motor keeps the velocity of a joint.
pub fn keeps_velocity(state: &State, id: JointId) -> bool {
    let motor = state.motors[id.index()];
    motor.is_some_and(|m| matches!(m.target, MotorTarget::Velocity(_)))
}

/// The forces with which limits and friction can hold a joint of one coordinate that is at `value` and does
/// not move; `None` where nothing can.
pub fn holding(joint: &Joint, (value, rate): (f64, f64), freedom: &Freedom) -> Option<[f64; 2]> {
    let [lower, upper] = match *freedom {
        Freedom::Limited([lower, upper]) => [value <= lower + TOUCH, value >= upper - TOUCH],
        _ => [false; 2],
    };
    let most = |limit: bool| if limit { f64::INFINITY } else { joint.friction };
    let holds = rate.abs() <= TOUCH && (joint.friction > 0.0 || lower || upper);
    holds.then(|| [-most(upper), most(lower)])
}

/// A rate within this part of what a motor keeps is there.
const KEPT: f64 = 1e-11;

/// The force `stiffness (position - q) - damping q'` of a motor, within its bounds; `None` for a motor
/// that keeps a velocity.
pub fn motor_force(motor: &Motor, value: f64, rate: f64) -> Option<CoordinateForce> {
    let MotorTarget::Position { position, stiffness, damping } = motor.target else { return None };
    let force = stiffness * (position - value) - damping * rate;
    match motor.max_force {
        Some(most) if force.abs() > most => {
            Some(CoordinateForce { force: most.copysign(force), ..CoordinateForce::default() })
        }
        _ => Some(CoordinateForce { force, stiffness, damping, driven: false }),
    }
}

impl CoordinateForce {
    /// Of all coordinates of a tree into `out`, the motors at the time `t`, friction against the rates `sliding`.
    /// `None` where a motor has yet to reach its velocity or gears share its force, or where one drives a
    /// ball or friction holds it.
    pub fn all(
        model: &Model,
        tree: &Tree,
        (x, sliding): (&Coordinates, &[f64]),
        (state, t): (&State, f64),
        out: &mut Vec<Self>,
    ) -> Option<()> {
        out.clear();
        out.resize(tree.n, Self::default());
        for link in &tree.links {
            let (Some(id), false) = (link.joint, link.axes.is_empty()) else { continue };
            let joint = model.joint(id);
            if let Some(motor) = state.motors[id.index()] {
                if link.ball && link.axes[0] >= 3 {
                    return None;
                }
                let follows = motor.follows;
                let motor = joint.motor_at(motor, t);
                let (value, rate) = (x.q[link.first] + joint.start, x.w[link.first]);
                out[link.first] = match (motor_force(&motor, value, rate), motor.target) {
                    (Some(force), _) => force,
                    (None, MotorTarget::Velocity(v))
                        if !follows
                            && tree.gears.is_empty()
                            && (rate - v).abs() <= KEPT * (1.0 + v.abs()) =>
                    {
                        Self { driven: true, ..Self::default() }
                    }
                    _ => return None,
                };
            }
            if joint.friction > 0.0 {
                if link.ball {
                    return None;
                }
                let own = link.first..link.first + link.axes.len();
                for (force, w) in out[own.clone()].iter_mut().zip(&sliding[own]) {
                    // What a motor keeps going is its own to overcome; what does not move is held.
                    let slides = !force.driven && *w != 0.0;
                    force.force -= if slides { joint.friction.copysign(*w) } else { 0.0 };
                }
            }
        }
        for element in model.force_elements() {
            let Some(k) = tree.spring_at(model, element) else { continue };
            let ForceKind::JointSpring { joint, position, stiffness, damping } = element.kind
            else {
                continue;
            };
            let off = x.q[k] + model.joint(joint).start - position;
            out[k].force -= stiffness * off + damping * x.w[k];
            out[k].stiffness += stiffness;
            out[k].damping += damping;
        }
        Some(())
    }
}
