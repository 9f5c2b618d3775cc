//! The scalars that every recording keeps for each step.

use stickslip::{Model, State, hook::StepData};

/// Name, label and unit of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesInfo {
    /// Name in files.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Unit, empty for counts.
    pub unit: &'static str,
}

const fn info(name: &'static str, label: &'static str, unit: &'static str) -> SeriesInfo {
    SeriesInfo { name, label, unit }
}

/// How many scalars there are.
pub const COUNT: usize = 18;

/// All of them, in the order of [`measure`].
pub const SERIES: [SeriesInfo; COUNT] = [
    info("energy", "Energy", "J"),
    info("momentum.x", "Momentum x", "kg m/s"),
    info("momentum.y", "Momentum y", "kg m/s"),
    info("momentum.z", "Momentum z", "kg m/s"),
    info("angular_momentum.x", "Angular momentum x", "kg m²/s"),
    info("angular_momentum.y", "Angular momentum y", "kg m²/s"),
    info("angular_momentum.z", "Angular momentum z", "kg m²/s"),
    info("contacts", "Contacts", ""),
    info("penetration", "Penetration", "m"),
    info("joint_error", "Joint error", "m"),
    info("residual", "Residual", ""),
    info("iterations", "Iterations", ""),
    info("traps", "Spurious contacts", ""),
    info("time.detect", "Time of detection", "s"),
    info("time.formulate", "Time of formulation", "s"),
    info("time.solve", "Time of solving", "s"),
    info("time.integrate", "Time of integration", "s"),
    info("time.stabilize", "Time of stabilization", "s"),
];

/// The scalars of one step; NaN where a thing was not measured. `penetration` is the true
/// overlap \[m\] where somebody measured it.
pub fn measure(
    model: &Model,
    state: &State,
    data: Option<&StepData>,
    penetration: Option<f64>,
) -> [f64; COUNT] {
    let (p, l) = state.momentum(model);
    let mut out = [f64::NAN; COUNT];
    let place = [state.energy(model), p.x, p.y, p.z, l.x, l.y, l.z];
    out[..7].copy_from_slice(&place);
    out[8] = penetration.unwrap_or(f64::NAN);
    if let Some(data) = data {
        let report = &data.report;
        out[7] = report.contacts as f64;
        out[9] = report.joint_error;
        out[10] = report.solves.residual;
        out[11] = report.solves.iterations as f64;
        out[12] = report.spurious.map_or(f64::NAN, |n| n as f64);
        let t = report.seconds;
        let seconds = [t.detect, t.formulate, t.solve, t.integrate, t.stabilize];
        out[13..].copy_from_slice(&seconds);
    }
    out
}
