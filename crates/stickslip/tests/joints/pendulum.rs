//! One hinge.

use stickslip::{JointId, Settings};

use super::scene::{G, rod_pendulum, run};

/// Without correction the joint drifts apart (thesis figure 2.6): visible after a second, and
/// halving the step halves it.
#[test]
fn uncorrected_joint_drifts_in_proportion_to_the_step() {
    let drift = |step| {
        let mut sim = rod_pendulum(Settings { step, ..Settings::default() });
        run(&mut sim, 1.0)
    };
    let (coarse, fine) = (drift(0.01), drift(0.005));
    assert!(coarse > 1e-3, "{coarse}");
    assert!((coarse / fine - 2.0).abs() < 0.2, "{coarse} {fine}");
}

/// The first step from rest: `q'' = m g (L/2) / (J + m L²/4)` about the hinge.
#[test]
fn pendulum_starts_with_the_right_acceleration() {
    let mut sim = rod_pendulum(Settings { step: 1e-3, ..Settings::default() });
    run(&mut sim, 1e-3);
    let inertia = (1.0 + 0.01) / 12.0 + 0.25;
    let expected = G * 0.5 / inertia * 1e-3;
    let rate = sim.model.joint_velocity(&sim.state, JointId::new(0))[0];
    // Positive about y lifts the x end down: right-handed.
    assert!((rate - expected).abs() < 1e-12, "{rate} {expected}");
}
