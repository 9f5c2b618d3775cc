//! Limits of what a state may be: beyond them numbers have lost their meaning, and a run that goes
//! on would only hide it.

use stickslip_geometry::Vec3;

use crate::{
    model::{Model, Motion},
    state::State,
};

/// Largest speed of a body \[m/s\]: that of light.
pub const MAX_SPEED: f64 = 3e8;
/// Largest angular speed of a body \[rad/s\].
pub const MAX_SPIN: f64 = 1e9;
/// Largest distance of a body from the origin \[m\]: positions have a tenth of a millimetre there.
pub const MAX_DISTANCE: f64 = 1e12;

/// A body beyond the limits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "body {body:?} has {what} of {value:.3e} {unit}, beyond the limit of {limit:.0e} {unit}: \
     a smaller step, or less extreme masses, forces and speeds, may keep it"
)]
pub struct Beyond {
    /// The body.
    pub body: String,
    /// What is too large.
    pub what: &'static str,
    /// How large it is.
    pub value: f64,
    /// What it may be.
    pub limit: f64,
    /// Unit of both.
    pub unit: &'static str,
}

/// Whether every body that moves is within the limits.
pub(crate) fn check(model: &Model, state: &State) -> Result<(), Beyond> {
    for id in model.ids().filter(|&id| model.body(id).motion != Motion::Static) {
        let (pose, twist) = (state.pose(id), state.twist(id));
        let all: [(&str, Vec3, f64, &str); 3] = [
            ("a speed", twist.linear, MAX_SPEED, "m/s"),
            ("an angular speed", twist.angular, MAX_SPIN, "rad/s"),
            ("a distance from the origin", pose.position, MAX_DISTANCE, "m"),
        ];
        for (what, vector, limit, unit) in all {
            let value = vector.length();
            // NaN is not within them either.
            let within = value <= limit;
            if !within || !pose.orientation.is_finite() {
                let body = model.body(id).name.clone();
                return Err(Beyond { body, what, value, limit, unit });
            }
        }
    }
    Ok(())
}
