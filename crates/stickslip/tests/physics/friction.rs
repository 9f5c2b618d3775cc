//! Coulomb friction.

use std::f64::consts::FRAC_PI_6;

use stickslip::{
    BodyInit, Dimension, Settings,
    geometry::{Solid, Vec3},
};

use super::scene::{G, ground, leaning_gravity, resting_box, run, settings, simulate, up};

const BOTH: [Dimension; 2] = [Dimension::Two, Dimension::Three];

/// A block at `v` on a floor loses `mu g h` a step until it stops: after `n = floor(v / (mu g h))`
/// steps it has gone `h (n v - mu g h n (n + 1) / 2)`, and stays there. As h falls this tends to
/// v² / (2 mu g).
#[test]
fn sliding_block_stops_where_coulomb_says() {
    let (v, mu) = (3.0, 0.3);
    for dimension in BOTH {
        for h in [0.01, 0.002] {
            let block = resting_box(dimension, 0.5).friction(mu).velocity(Vec3::X * v);
            let floor = ground(dimension).friction(mu);
            let mut sim = simulate(dimension, -up(dimension) * G, vec![floor, block], settings(h));
            run(&mut sim, 2.0);
            let n = (v / (mu * G * h)).floor();
            let scheme = h * (n * v - mu * G * h * n * (n + 1.0) / 2.0);
            let x = sim.state.q[1].position.x;
            assert!((x - scheme).abs() < 1e-9, "{dimension:?}, h = {h}: {x} against {scheme}");
            let coulomb = v * v / (2.0 * mu * G);
            assert!((x - coulomb).abs() < v * h, "{dimension:?}, h = {h}: {x} against {coulomb}");
            assert!(sim.state.nu[1].linear.length() < 1e-12);
        }
    }
}

/// The same block sent off at an odd angle runs straight: the cone follows the slip.
#[test]
fn sliding_block_runs_straight_at_any_angle() {
    let (v, mu, angle) = (3.0, 0.3, 0.3_f64);
    let direction = Vec3::new(angle.cos(), angle.sin(), 0.0);
    let block = resting_box(Dimension::Three, 0.5).friction(mu).velocity(direction * v);
    let floor = ground(Dimension::Three).friction(mu);
    let gravity = -Vec3::Z * G;
    let mut sim = simulate(Dimension::Three, gravity, vec![floor, block], settings(0.01));
    run(&mut sim, 2.0);
    let x = sim.state.q[1].position - Vec3::Z * 0.25;
    assert!(x.cross(direction).length() < 1e-9, "off the line by {}", x.cross(direction).length());
}

/// Just below the friction angle a block stays where it is.
#[test]
fn block_sticks_below_the_friction_angle() {
    let mu = 0.5_f64;
    let angle = mu.atan() - 0.1_f64.to_radians();
    for dimension in BOTH {
        let bodies = vec![ground(dimension).friction(mu), resting_box(dimension, 0.5).friction(mu)];
        let mut sim =
            simulate(dimension, leaning_gravity(dimension, angle), bodies, settings(0.01));
        let start = sim.state.q[1].position;
        run(&mut sim, 10.0);
        let creep = (sim.state.q[1].position - start).length();
        assert!(creep < 1e-10, "{dimension:?}: crept {creep:e} m in 10 s");
    }
}

/// Just above it, the block slides with `g (sin a - mu cos a)`, exact for the scheme.
#[test]
fn block_slides_above_the_friction_angle() {
    let mu = 0.5_f64;
    let angle = mu.atan() + 0.5_f64.to_radians();
    for dimension in BOTH {
        let bodies = vec![ground(dimension).friction(mu), resting_box(dimension, 0.5).friction(mu)];
        let mut sim =
            simulate(dimension, leaning_gravity(dimension, angle), bodies, settings(0.01));
        run(&mut sim, 2.0);
        let a = G * (angle.sin() - mu * angle.cos());
        let v = sim.state.nu[1].linear.x;
        assert!((v - 2.0 * a).abs() < 1e-9, "{dimension:?}: {v} against {}", 2.0 * a);
    }
}

/// Rolling down a slope without slipping: `a = g sin(t) / (1 + J / (m r²))`.
#[test]
fn balls_and_discs_roll_at_the_right_rate() {
    let cases = [
        (Dimension::Three, Solid::sphere(0.3).unwrap(), 0.4),
        (Dimension::Two, Solid::disc(0.3).unwrap(), 0.5),
    ];
    for (dimension, solid, ratio) in cases {
        let ball = BodyInit::new(&solid).at(up(dimension) * 0.3).friction(0.9);
        let bodies = vec![ground(dimension).friction(0.9), ball];
        let gravity = leaning_gravity(dimension, FRAC_PI_6);
        let mut sim = simulate(dimension, gravity, bodies, settings(0.005));
        run(&mut sim, 1.0);
        let v = sim.state.nu[1].linear.x;
        let expected = G * FRAC_PI_6.sin() / (1.0 + ratio);
        assert!((v - expected).abs() < 1e-9, "{dimension:?}: {v} against {expected}");
        let rim = v - sim.state.nu[1].angular.length() * 0.3;
        assert!(rim.abs() < 1e-9, "{dimension:?}: slips by {rim}");
    }
}

/// A smooth cylinder lying on its side rolls down the same slope with `J = m r² / 2`.
#[test]
fn cylinder_rolls_at_the_right_rate() {
    let solid = Solid::cylinder(0.3, 0.8, 0).unwrap();
    let lying = stickslip::geometry::Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let cylinder = BodyInit::new(&solid).at(Vec3::Z * 0.3).turned(lying).friction(0.9);
    let bodies = vec![ground(Dimension::Three).friction(0.9), cylinder];
    let gravity = leaning_gravity(Dimension::Three, FRAC_PI_6);
    let mut sim = simulate(Dimension::Three, gravity, bodies, settings(0.005));
    run(&mut sim, 1.0);
    let v = sim.state.nu[1].linear;
    let expected = G * FRAC_PI_6.sin() / 1.5;
    assert!((v.x - expected).abs() < 1e-6, "{v} against {expected}");
    assert!(v.y.abs() < 1e-9 && v.z.abs() < 1e-9, "{v}");
}

/// A box dropped onto a conveyor belt is dragged up to its speed with `mu g`, and no further.
#[test]
fn kinematic_belt_drags_a_box_along() {
    let mu = 0.4;
    for dimension in BOTH {
        let belt = ground(dimension).friction(mu).kinematic().velocity(Vec3::X * 2.0);
        let bodies = vec![belt, resting_box(dimension, 0.5).friction(mu)];
        let mut sim = simulate(dimension, -up(dimension) * G, bodies, settings(0.01));
        run(&mut sim, 0.3);
        let v = sim.state.nu[1].linear.x;
        assert!((v - 0.3 * mu * G).abs() < 1e-9, "{dimension:?}: {v}");
        run(&mut sim, 1.0);
        let v = sim.state.nu[1].linear.x;
        assert!((v - 2.0).abs() < 1e-10, "{dimension:?}: {v}");
    }
}

/// After every solve the impulses obey Coulomb: no pull, inside the cone, against the slip.
#[test]
fn impulses_obey_the_law_of_friction() {
    struct Check;
    impl stickslip::hook::Hook for Check {
        fn after_step(
            &mut self,
            _: &stickslip::Model,
            _: &stickslip::State,
            data: &stickslip::hook::StepData,
        ) -> Result<(), stickslip::hook::HookError> {
            for force in &data.motion.forces {
                assert!(force.normal >= 0.0);
                let limit = 0.6 * force.normal * (1.0 + 1e-9) + 1e-12;
                assert!(force.friction.length() <= limit, "{force:?}");
                let n = data.motion.contacts[force.contact].normal;
                assert!(force.friction.dot(n).abs() < 1e-12);
            }
            Ok(())
        }
    }
    let tilted = resting_box(Dimension::Three, 0.5)
        .at(Vec3::new(0.0, 0.0, 1.0))
        .turned(super::scene::odd_rotation())
        .friction(0.6)
        .velocity(Vec3::new(1.0, 0.5, 0.0));
    let bodies = vec![ground(Dimension::Three).friction(0.6), tilted];
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, Settings { ..settings(0.01) });
    sim.pipeline.hooks.push(Box::new(Check));
    run(&mut sim, 2.0);
    let x = sim.state.q[1].position.z;
    assert!((x - 0.25).abs() < 1e-6, "the box should lie flat, its centre is at {x}");
}

/// The true cone: the same stopping distance and a straight run in any direction, and a block
/// turning about its own axis as it slides, which no single direction of a pyramid can follow.
#[test]
fn true_cone_is_isotropic() {
    let (v, mu) = (3.0, 0.3);
    for formulation in ["stewart-trinkle", "separation"] {
        for angle in [0.0_f64, 0.3] {
            let direction = Vec3::new(angle.cos(), angle.sin(), 0.0);
            let block = resting_box(Dimension::Three, 0.5).friction(mu).velocity(direction * v);
            let floor = ground(Dimension::Three).friction(mu);
            let cone = Settings {
                friction: stickslip::settings::Friction::Quadratic,
                formulation: formulation.into(),
                ..settings(0.01)
            };
            let mut sim = simulate(Dimension::Three, -Vec3::Z * G, vec![floor, block], cone);
            run(&mut sim, 2.0);
            let n = (v / (mu * G * 0.01)).floor();
            let scheme = 0.01 * (n * v - mu * G * 0.01 * n * (n + 1.0) / 2.0);
            let x = sim.state.q[1].position - Vec3::Z * 0.25;
            let off = (x - direction * scheme).length();
            assert!(off < 1e-8, "{formulation}, {angle}: off by {off:e}");
        }
    }
}

/// A spinning, sliding puck: pyramids with many edges tend to the true cone. A few edges are near
/// it already, since the first points against the slip that the step begins with; what is left is
/// the turn of the slip during the step, until the edges are closer than that.
#[test]
fn pyramids_tend_to_the_true_cone() {
    let end = |friction, friction_directions| {
        // three contacts: with four, what each of them carries would be indeterminate
        let corner = |k: usize, z: f64| {
            let angle = std::f64::consts::TAU * (k % 3) as f64 / 3.0;
            Vec3::new(0.3 * angle.cos(), 0.3 * angle.sin(), z)
        };
        let corners: Vec<Vec3> =
            (0..6).map(|k| corner(k, if k < 3 { -0.1 } else { 0.1 })).collect();
        let puck = BodyInit::new(&Solid::convex(&corners).unwrap())
            .at(Vec3::Z * 0.1)
            .friction(0.4)
            .velocity(Vec3::X * 2.0)
            .spin(Vec3::Z * 6.0);
        let bodies = vec![ground(Dimension::Three).friction(0.4), puck];
        let some = Settings { friction, friction_directions, ..settings(0.005) };
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, some);
        run(&mut sim, 0.3);
        sim.state.q[1].position
    };
    use stickslip::settings::Friction::{Linear, Quadratic};
    let cone = end(Quadratic, 7);
    let errors = [4, 16, 1024].map(|n| (end(Linear, n) - cone).length());
    assert!(errors[0] < 2e-3 && errors[1] < 2e-3 && errors[2] < 0.2 * errors[0], "{errors:?}");
}
