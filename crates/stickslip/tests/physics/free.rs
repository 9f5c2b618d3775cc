//! Motion without contact.

use stickslip::{
    BodyId, Dimension,
    geometry::{Solid, Vec3},
};

use super::scene::{G, cube, run, settings, simulate};

/// Semi-implicit Euler has `z_n = z0 - g h² n (n + 1) / 2`, to round-off.
#[test]
fn free_fall_is_exact_for_the_scheme() {
    for h in [0.1, 0.01, 0.001] {
        let gravity = Vec3::new(0.0, 0.0, -G);
        let start = Vec3::new(0.1, -0.2, 5.0);
        let mut sim = simulate(Dimension::Three, gravity, vec![cube(1.0).at(start)], settings(h));
        run(&mut sim, 1.0);
        let n = sim.state.step as f64;
        let x = sim.state.q[0].position;
        assert!((x.z - (5.0 - G * h * h * n * (n + 1.0) / 2.0)).abs() < 1e-12, "h = {h}: {x}");
        assert_eq!((x.x, x.y), (0.1, -0.2));
    }
}

/// A projectile lands where `x = v t`, `z = v_z t - g t²/2 - g h t / 2` says.
#[test]
fn projectile_follows_its_parabola() {
    let (h, v) = (0.005, Vec3::new(3.0, -1.0, 8.0));
    let body = cube(1.0).velocity(v).spin(Vec3::new(1.0, 2.0, 3.0));
    let mut sim = simulate(Dimension::Three, Vec3::new(0.0, 0.0, -G), vec![body], settings(h));
    run(&mut sim, 1.5);
    let t = 1.5;
    let expected = v * t - Vec3::Z * (0.5 * G * t * (t + h));
    assert!((sim.state.q[0].position - expected).length() < 1e-11);
}

/// A constant force accelerates, a constant torque spins up: `v = F t / m`, `w = T t / J`.
#[test]
fn forces_and_torques_act_in_both_dimensions() {
    let disc = stickslip::BodyInit::new(&Solid::disc(0.5).unwrap()).mass(2.0);
    let planar = disc.force(Vec3::X * 3.0).torque(Vec3::Z * 0.7);
    let mut sim = simulate(Dimension::Two, Vec3::ZERO, vec![planar], settings(0.01));
    run(&mut sim, 1.0);
    let (v, w) = (sim.state.nu[0].linear.x, sim.state.nu[0].angular.z);
    assert!((v - 1.5).abs() < 1e-12 && (w - 0.7 / (0.5 * 2.0 * 0.25)).abs() < 1e-11, "{v} {w}");

    let spatial = cube(1.0).mass(2.0).force(Vec3::Y * 3.0).torque(Vec3::X * 0.7);
    let mut sim = simulate(Dimension::Three, Vec3::ZERO, vec![spatial], settings(0.01));
    run(&mut sim, 1.0);
    let (v, w) = (sim.state.nu[0].linear.y, sim.state.nu[0].angular.x);
    assert!((v - 1.5).abs() < 1e-12 && (w - 0.7 * 6.0 / 2.0).abs() < 1e-11, "{v} {w}");
}

/// A box spun about its middle axis: the angular momentum stays to round-off over a minute, the
/// energy error stays bounded, and the axis flips over and over (Dzhanibekov).
#[test]
fn tumbling_box_keeps_its_momentum_and_flips() {
    let solid = Solid::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let body = stickslip::BodyInit::new(&solid).mass(6.0).spin(Vec3::new(0.01, 5.0, 0.01));
    let mut sim = simulate(Dimension::Three, Vec3::ZERO, vec![body], settings(0.01));
    let id = BodyId::new(0);
    let start = sim.state.momentum(&sim.model).1;
    let energy = sim.state.energy(&sim.model);
    let (mut flips, mut side, mut drift, mut spread) = (0, 1.0, 0.0_f64, 0.0_f64);
    for _ in 0..6000 {
        sim.step().unwrap();
        let along = sim.state.pose(id).vector(Vec3::Y).dot(Vec3::Y);
        if along * side < -0.8 {
            (flips, side) = (flips + 1, -side);
        }
        drift = drift.max((sim.state.momentum(&sim.model).1 - start).length() / start.length());
        spread = spread.max((sim.state.energy(&sim.model) / energy - 1.0).abs());
    }
    assert!(drift < 1e-11, "angular momentum drifted by {drift:e}");
    assert!(flips >= 4, "only {flips} flips in a minute");
    // (h w)² / 12 = 2e-4 is the size of the scheme's energy oscillation.
    assert!(spread < 1e-3, "energy off by {spread:e}");
}

/// Without the gyroscopic term a body keeps its angular velocity, whatever its inertia.
#[test]
fn gyroscopic_term_can_be_switched_off() {
    let solid = Solid::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let spin = Vec3::new(1.0, 2.0, 3.0);
    let body = stickslip::BodyInit::new(&solid).spin(spin);
    let off = stickslip::Settings { gyroscopic: false, ..settings(0.01) };
    let mut sim = simulate(Dimension::Three, Vec3::ZERO, vec![body], off);
    run(&mut sim, 1.0);
    assert_eq!(sim.state.nu[0].angular, spin);
}

/// A body without neighbours is stepped all the same, beside two that touch.
#[test]
fn bodies_out_of_contact_move_too() {
    let bodies = vec![
        super::scene::ground(Dimension::Three),
        super::scene::resting_box(Dimension::Three, 1.0),
        cube(1.0).named("far").at(Vec3::new(100.0, 0.0, 50.0)).velocity(Vec3::X),
    ];
    let mut sim = simulate(Dimension::Three, Vec3::new(0.0, 0.0, -G), bodies, settings(0.01));
    run(&mut sim, 1.0);
    let far = sim.state.q[2].position;
    assert!((far.x - 101.0).abs() < 1e-12 && (far.z - (50.0 - G * 0.5 * 1.01)).abs() < 1e-11);
}

/// Bodies that turn by many radians in a step keep energy and momentum, whatever the integrator:
/// a box that tumbles and a long thin one.
#[test]
fn fast_spin_does_not_run_away() {
    for integrator in ["semi-implicit", "midpoint", "rk4", "gauss"] {
        for (size, spin) in [
            (Vec3::new(1.0, 0.6, 0.1), Vec3::new(1.0, 250.0, 1.0)),
            (Vec3::new(1.0, 0.6, 0.1), Vec3::new(20.0, 40.0, 30.0)),
            (Vec3::new(3.0, 0.05, 0.1), Vec3::new(900.0, 30.0, -20.0)),
            (Vec3::new(0.004, 0.003, 0.001), Vec3::new(1e5, -1e4, 2e4)),
        ] {
            let body = stickslip::BodyInit::new(&Solid::cuboid(size).unwrap()).spin(spin);
            let settings = stickslip::Settings { integrator: integrator.into(), ..settings(0.01) };
            let mut sim = simulate(Dimension::Three, Vec3::ZERO, vec![body], settings);
            let (start, energy) = (sim.state.momentum(&sim.model).1, sim.state.energy(&sim.model));
            for _ in 0..500 {
                sim.step().unwrap();
                let momentum = sim.state.momentum(&sim.model).1;
                let ratio = sim.state.energy(&sim.model) / energy;
                let drift = (momentum - start).length() / start.length();
                assert!((0.97..1.03).contains(&ratio), "{integrator}, {spin}: {ratio}");
                assert!(drift < 1e-9, "{integrator}, {spin}: {drift:e}");
            }
        }
    }
}

/// A state beyond the limits is an error that names the body, its speed and the limit.
#[test]
fn bodies_beyond_all_limits_are_told() {
    for body in [cube(1.0).velocity(Vec3::X * 1e9), cube(1.0).spin(Vec3::X * 1e10)] {
        let body = body.named("comet");
        let mut sim = simulate(Dimension::Three, Vec3::ZERO, vec![body], settings(0.01));
        let said = sim.step().unwrap_err().to_string();
        assert!(said.contains("\"comet\"") && said.contains("beyond the limit"), "{said}");
        assert!(said.contains("smaller step"), "{said}");
    }
}

/// Two flat smooth discs that fall side by side, 4.8 mm apart and of any tilt, never solve a problem in vain, and
/// neither pushes the other.
#[test]
fn smooth_discs_fall_side_by_side() {
    let disc = Solid::cylinder(0.1, 0.02, 0).unwrap();
    for tilt in [0.0, 0.3, 1.2] {
        let turn = stickslip::geometry::Quat::from_rotation_x(tilt);
        let at = |k: f64| {
            let place = Vec3::new(0.1, -0.2, 1.0) + turn * Vec3::Z * (k * 0.0248);
            stickslip::BodyInit::new(&disc).at(place).turned(turn)
        };
        let gravity = Vec3::new(0.0, 0.0, -G);
        let bodies = vec![at(0.0), at(1.0)];
        let mut sim = simulate(Dimension::Three, gravity, bodies, settings(0.01));
        let apart = sim.state.q[1].position - sim.state.q[0].position;
        run(&mut sim, 1.8);
        let end = sim.state.q[1].position - sim.state.q[0].position;
        assert!((end - apart).length() < 1e-12, "tilt {tilt}: {apart} to {end}");
    }
}
