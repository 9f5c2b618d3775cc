//! What clients are told of a run beside its frames.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use stickslip::{
    Model, Simulator, State,
    formulate::FORMULATIONS,
    model::{Freedom, Joint, JointId, Motor, MotorTarget},
    solve::registry,
};

use crate::command::{GRAVITY, STEPS};

/// Over how long the real-time factor is measured.
const SPAN: Duration = Duration::from_secs(1);

/// Simulated seconds in a second of the clock, over the last second.
#[derive(Default)]
pub(crate) struct Rate(VecDeque<(Instant, f64)>);

impl Rate {
    /// The run is at `time` \[s\] now.
    pub fn note(&mut self, now: Instant, time: f64) {
        self.0.push_back((now, time));
        // One that is older than the span stays as the beginning.
        while self.0.get(1).is_some_and(|(then, _)| now.duration_since(*then) >= SPAN) {
            self.0.pop_front();
        }
    }

    /// It stands still, or has jumped.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// The factor, with three digits; none before a quarter of the span is over.
    pub fn factor(&self) -> Option<f64> {
        let ((begin, from), (now, to)) = (self.0.front()?, self.0.back()?);
        let seconds = now.duration_since(*begin).as_secs_f64();
        let rough = (to - from) / seconds;
        let digits = |x: f64| format!("{x:.2e}").parse().ok();
        if seconds < 0.25 * SPAN.as_secs_f64() { None } else { digits(rough) }
    }
}

/// What went wrong since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Solves that did not reach what was asked.
    pub failed: usize,
    /// Contacts that the formulation imagines; none where nobody counts.
    pub spurious: Option<usize>,
}

/// Settings, and what can be chosen; the same from one change to the next.
pub(crate) fn settings(simulator: &Simulator) -> Value {
    let (settings, model) = (&simulator.settings, &simulator.model);
    let [friction, restitution] = model.common_material();
    json!({
        "h": settings.step,
        "formulation": settings.formulation,
        "solver": settings.solver,
        "formulations": FORMULATIONS.iter().map(|f| f.name).collect::<Vec<_>>(),
        "solvers": registry::names(),
        "controls": {
            "steps": STEPS,
            "gravity": model.gravity().to_array(),
            "most_gravity": GRAVITY,
            // None where contacts differ.
            "friction": friction,
            "restitution": restitution,
        },
    })
}

/// The motors with an aim, and where it is now.
pub(crate) fn motors(model: &Model, state: &State) -> Vec<Value> {
    let one = |id: JointId| {
        let (joint, motor) = (model.joint(id), state.motors.get(id.index()).copied()??);
        let target = aim(&motor.at(joint.path.as_ref(), state.time))?;
        let (unit, range) = unit_and_range(model, joint, &motor);
        let near = [range[0].min(target), range[1].max(target)];
        Some(json!({ "joint": id.index(), "name": joint.name, "target": target, "unit": unit,
                     "range": near }))
    };
    model.joint_ids().filter_map(one).collect()
}

/// The number that a motor aims at; none for a mere damper.
fn aim(motor: &Motor) -> Option<f64> {
    match motor.target {
        MotorTarget::Velocity(velocity) => Some(velocity),
        MotorTarget::Position { position, stiffness, .. } => (stiffness > 0.0).then_some(position),
    }
}

/// The motor with another aim, which stays.
pub(crate) fn aimed(motor: Motor, aim: f64) -> Motor {
    let target = match motor.target {
        MotorTarget::Velocity(_) => MotorTarget::Velocity(aim),
        MotorTarget::Position { stiffness, damping, .. } => {
            MotorTarget::Position { position: aim, stiffness, damping }
        }
    };
    Motor { target, follows: false, ..motor }
}

/// Unit of a motor's aim, and a range for its slider: the joint's own limits, else half a turn or a
/// metre to each side; of a velocity ten rad/s or two m/s.
fn unit_and_range(model: &Model, joint: &Joint, motor: &Motor) -> (&'static str, [f64; 2]) {
    let first = joint.coordinates(model.dimension()).next();
    let turns = first.is_some_and(|i| i >= 3);
    let both = |x: f64| [-x, x];
    match (motor.target, first.map(|i| joint.freedoms[i])) {
        (MotorTarget::Velocity(_), _) if turns => ("rad/s", both(10.0)),
        (MotorTarget::Velocity(_), _) => ("m/s", both(2.0)),
        (_, Some(Freedom::Limited(range))) if range.iter().all(|x| x.is_finite()) => {
            (if turns { "rad" } else { "m" }, range)
        }
        _ if turns => ("rad", both(std::f64::consts::PI)),
        _ => ("m", both(1.0)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The factor is that of the last second alone.
    #[test]
    fn the_rate_is_that_of_the_last_second() {
        let (begin, mut rate) = (Instant::now(), Rate::default());
        let mut time = 0.0;
        assert_eq!(rate.factor(), None);
        for k in 0..300 {
            // Two seconds at half the pace of the clock, then one at thrice.
            rate.note(begin + Duration::from_millis(10 * k), time);
            if k == 190 {
                assert!((rate.factor().unwrap() - 0.5).abs() < 1e-9, "{:?}", rate.factor());
            }
            time += if k < 195 { 0.005 } else { 0.03 };
        }
        assert!((rate.factor().unwrap() - 3.0).abs() < 1e-9, "{:?}", rate.factor());
        rate.forget();
        assert_eq!(rate.factor(), None);
    }
}
