//! One hinge.

use stickslip::{JointId, Settings};

use super::scene::{G, rod_pendulum, run};

/// Without correction the joint drifts apart (thesis figure 2.6): visible after a second, and
/// halving the step halves it.
#[test]
fn uncorrected_joint_drifts_in_proportion_to_the_step() {
    let drift = |step| {
        let stabilization = "none".into();
        let mut sim = rod_pendulum(Settings { step, stabilization, ..Settings::default() });
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

/// Period of the physical pendulum released from rest at `amplitude` from hanging, by the
/// arithmetic-geometric mean: `T = 2 pi / (w0 agm(1, cos(amplitude / 2)))`.
fn period(w0: f64, amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::TAU / (w0 * a)
}

/// `w0² = m g (L/2) / J` about the hinge of [`rod_pendulum`].
fn w0() -> f64 {
    (G * 0.5 / ((1.0 + 0.01) / 12.0 + 0.25)).sqrt()
}

/// Energy and joint over a minute with the collocation integrator, the pendulum released
/// horizontal: both at round-off.
#[test]
fn smooth_pendulum_keeps_energy_and_joint() {
    let mut sim = rod_pendulum(Settings { integrator: "gauss".into(), ..Settings::default() });
    // The energy that swings: from the height of release to the lowest point.
    let scale = G * 0.5;
    let start = sim.state.energy(&sim.model);
    let (mut spread, mut error) = (0.0_f64, 0.0_f64);
    for _ in 0..6000 {
        let report = sim.step().unwrap();
        error = error.max(report.joint_error);
        spread = spread.max((sim.state.energy(&sim.model) - start).abs() / scale);
    }
    assert!(error < 1e-12, "joint error {error:e}");
    assert!(spread < 1e-10, "energy off by {spread:e}");
}

/// After a whole number of periods the pendulum is back: the time of the n-th return against the
/// elliptic integral, to 1e-4 %.
#[test]
fn smooth_pendulum_has_the_right_period() {
    let mut sim = rod_pendulum(Settings { integrator: "gauss".into(), ..Settings::default() });
    let hinge = JointId::new(0);
    let expected = period(w0(), std::f64::consts::FRAC_PI_2);
    let (mut crossings, mut last) = (Vec::new(), (0.0, 0.0));
    for _ in 0..3000 {
        sim.step().unwrap();
        let (t, q) = (sim.state.time, sim.model.joint_position(&sim.state, hinge)[0]);
        let low = std::f64::consts::FRAC_PI_2;
        if last.1 < low && q >= low {
            // Hermite-free estimate: near the lowest point the acceleration vanishes and the
            // motion is a straight line up to the third order.
            let rate = sim.model.joint_velocity(&sim.state, hinge)[0];
            crossings.push(
                t - (q - low) / rate - (q - low).powi(3) * w0().powi(2) / (6.0 * rate.powi(3)),
            );
        }
        last = (t, q);
    }
    let n = crossings.len() - 1;
    let measured = (crossings[n] - crossings[0]) / n as f64;
    let off = (measured / expected - 1.0).abs();
    assert!(off < 1e-6, "period {measured} against {expected}: {off:e}");
}

/// Largest joint error, and smallest and largest energy against the start, in parts of `m g L/2`.
fn energy_range(name: &str, step: f64, time: f64) -> (f64, f64, f64) {
    let mut sim = rod_pendulum(Settings {
        step,
        stabilization: name.into(),
        integrator: "semi-implicit".into(),
        ..Settings::default()
    });
    let start = sim.state.energy(&sim.model);
    let (mut error, mut low, mut high) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..(time / step).round() as usize {
        let report = sim.step().unwrap();
        error = error.max(report.joint_error);
        let change = (sim.state.energy(&sim.model) - start) / (G * 0.5);
        (low, high) = (low.min(change), high.max(change));
    }
    (error, low, high)
}

/// With the projection after each step the joint holds to round-off, and the energy that the
/// projection of the velocities takes shrinks with the step.
#[test]
fn post_step_projection_holds_the_joint() {
    let (error, low, _) = energy_range("post-step", 0.01, 1.0);
    let (fine_error, fine_low, _) = energy_range("post-step", 0.005, 1.0);
    assert!(error < 1e-12 && fine_error < 1e-12, "{error:e} {fine_error:e}");
    assert!(low < 0.0 && (low / fine_low - 2.0).abs() < 0.3, "{low} {fine_low}");
}

/// Joints closed at the end of each step by the impulses of its start: over a minute the joint
/// holds to round-off, and the energy stays within a band of the size of h that does not widen.
#[test]
fn shake_holds_the_joint_without_energy_drift() {
    let (error, low, high) = energy_range("shake", 0.01, 60.0);
    assert!(error < 1e-12, "{error:e}");
    let (_, short_low, short_high) = energy_range("shake", 0.01, 3.0);
    assert!(high - low < 1.02 * (short_high - short_low), "{low} {high}");
    let (_, fine_low, fine_high) = energy_range("shake", 0.005, 3.0);
    let ratio = (short_high - short_low) / (fine_high - fine_low);
    assert!((ratio - 2.0).abs() < 0.2, "{short_low} {short_high}, {fine_low} {fine_high}");
}

/// Baumgarte's rows keep the drift bounded where without them it grows.
#[test]
fn baumgarte_bounds_the_drift() {
    let drift = |name: &str| {
        let settings = Settings { stabilization: name.into(), ..Settings::default() };
        run(&mut rod_pendulum(settings), 10.0)
    };
    let (with, without) = (drift("baumgarte"), drift("none"));
    assert!(with < 0.02 && without > 10.0 * with, "{with} {without}");
}

/// Figure 2.6 of the thesis, 4000 steps: without correction the error swings with the pendulum and
/// its peaks grow; with Algorithm 1 position and velocity errors stay below its 1e-5.
#[test]
fn drift_grows_without_correction_and_not_with_it() {
    let peaks = |name: &str| -> Vec<(f64, f64)> {
        let settings = Settings { stabilization: name.into(), ..Settings::default() };
        let mut sim = rod_pendulum(settings);
        let hinge = JointId::new(0);
        let mut windows = vec![(0.0_f64, 0.0_f64); 4];
        for k in 0..4000 {
            let error = sim.step().unwrap().joint_error;
            let joint = sim.model.joint(hinge);
            let rows = sim.model.joint_errors(&sim.state, hinge);
            let rate = rows.iter().map(|row| sim.model.row_rate(&sim.state, joint, row).abs());
            let window = &mut windows[k / 1000];
            *window = (window.0.max(error), window.1.max(rate.fold(0.0, f64::max)));
        }
        windows
    };
    let loose = peaks("none");
    assert!(loose.windows(2).all(|w| w[1].0 > 1.1 * w[0].0), "{loose:?}");
    assert!(loose[0].0 > 1e-2, "{loose:?}");
    let held = peaks("post-step");
    assert!(held.iter().all(|w| w.0 < 1e-5 && w.1 < 1e-5), "{held:?}");
}
