//! Mechanisms that touch: joints and contacts in one problem.

use stickslip::{
    BodyId, BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    settings::ProblemForm,
};

use super::scene::{G, run, simulator};

/// A cart of two wheels (2 kg, radius 0.25) and a chassis (5 kg) on a slope of 15 degrees, seen
/// from the slope: gravity leans.
fn cart(settings: Settings) -> Simulator {
    let slope = 15f64.to_radians();
    let mut builder = ModelBuilder::new(Dimension::Two);
    builder.gravity(Vec3::new(G * slope.sin(), -G * slope.cos(), 0.0));
    builder.add(BodyInit::new(&Solid::half_plane(Vec3::Y).unwrap()).named("ground")).unwrap();
    let chassis = BodyInit::new(&Solid::rectangle(1.4, 0.2).unwrap()).named("chassis").mass(5.0);
    let chassis = builder.add(chassis.at(Vec3::Y * 0.25)).unwrap();
    for (name, x) in [("rear", -0.5), ("front", 0.5)] {
        let at = Vec3::new(x, 0.25, 0.0);
        let wheel = BodyInit::new(&Solid::disc(0.25).unwrap()).named(name).mass(2.0).at(at);
        let wheel = builder.add(wheel.friction(0.8)).unwrap();
        builder.joint(JointInit::revolute(chassis, wheel).at(at)).unwrap();
    }
    simulator(builder, settings)
}

/// The cart rolls down at `g sin (M + 2 m) / (M + 2 m + 2 J / r²)`: the wheels turn and do not
/// slip, in both forms of the problem and with every formulation that knows joints.
#[test]
fn cart_rolls_down_at_the_analytic_rate() {
    let expected = G * 15f64.to_radians().sin() * 9.0 / (9.0 + 2.0);
    for formulation in ["stewart-trinkle", "separation"] {
        for form in [ProblemForm::Condensed, ProblemForm::Full] {
            let settings = Settings {
                formulation: formulation.into(),
                problem_form: form,
                stabilization: "shake".into(),
                ..Settings::default()
            };
            let mut sim = cart(settings);
            let error = run(&mut sim, 1.0);
            let chassis = sim.state.twist(sim.model.find("chassis").unwrap());
            let wheel = sim.state.twist(sim.model.find("rear").unwrap());
            let off = (chassis.linear.x / expected - 1.0).abs();
            assert!(off < 1e-6, "{formulation} {form:?}: {} {expected}", chassis.linear.x);
            let slip = wheel.linear.x + 0.25 * wheel.angular.z;
            assert!(slip.abs() < 1e-9, "{formulation} {form:?}: slips at {slip}");
            assert!(error < 1e-9, "{formulation} {form:?}: {error:e}");
        }
    }
}

/// With the true friction cone the cart rolls the same.
#[test]
fn cart_rolls_with_the_true_cone() {
    let expected = G * 15f64.to_radians().sin() * 9.0 / (9.0 + 2.0);
    let friction = stickslip::settings::Friction::Quadratic;
    let mut sim = cart(Settings { friction, stabilization: "shake".into(), ..Settings::default() });
    run(&mut sim, 0.5);
    let speed = sim.state.twist(sim.model.find("chassis").unwrap()).linear.x;
    assert!((speed / (0.5 * expected) - 1.0).abs() < 1e-6, "{speed}");
}

/// A double pendulum whose lower link lands on the ground, with a limit and a motor: the full form
/// (velocities and joint impulses as unknowns) and the condensed one give the same motion.
#[test]
fn full_and_condensed_forms_agree() {
    let end = |form| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let ground = Solid::half_space(Vec3::Z).unwrap();
        builder.add(BodyInit::new(&ground).at(Vec3::Z * -0.8)).unwrap();
        let link = |x: f64| {
            let solid = Solid::cuboid(Vec3::new(0.6, 0.1, 0.1)).unwrap();
            BodyInit::new(&solid).at(Vec3::X * x)
        };
        let upper = builder.add(link(0.3)).unwrap();
        let lower = builder.add(link(0.9)).unwrap();
        let hinge =
            |a: Option<BodyId>, b, x: f64| JointInit::revolute(a, b).at(Vec3::X * x).along(Vec3::Y);
        builder.joint(hinge(None, upper, 0.0).velocity_motor(0.5, 2.0)).unwrap();
        builder.joint(hinge(Some(upper), lower, 0.6).limits(-0.3, 0.4).friction(0.1)).unwrap();
        // The same hinge once more: repeated rows must not make the full form singular.
        builder.joint(hinge(Some(upper), lower, 0.6)).unwrap();
        let settings = Settings { problem_form: form, ..Settings::default() };
        let mut sim = simulator(builder, settings);
        run(&mut sim, 0.8);
        sim.state.q
    };
    let (a, b) = (end(ProblemForm::Condensed), end(ProblemForm::Full));
    for (a, b) in a.iter().zip(&b) {
        let off = (a.position - b.position).length();
        assert!(off < 1e-7, "{off:e}");
    }
}

/// A heavy box pressed between the ground and a link whose joint has drifted: the plain projection
/// pushes it into the ground, the one that knows the contacts does not.
#[test]
fn contact_aware_projection_keeps_bodies_apart() {
    let depth = |stabilization: &str| {
        let mut builder = ModelBuilder::new(Dimension::Two);
        builder.add(BodyInit::new(&Solid::half_plane(Vec3::Y).unwrap())).unwrap();
        // A bar that rests on its end and swings about a hinge above: the hinge drifts upwards
        // as it turns, and pulling it back pushes the bar down.
        let bar = BodyInit::new(&Solid::rectangle(0.2, 1.0).unwrap()).at(Vec3::Y * 0.5);
        let bar = builder.add(bar.friction(0.0)).unwrap();
        let slide = BodyInit::new(&Solid::disc(0.05).unwrap()).mass(50.0).at(Vec3::Y * 0.9);
        let slide = builder.add(slide).unwrap();
        builder.joint(JointInit::revolute(slide, bar).at(Vec3::Y * 0.9)).unwrap();
        let settings = Settings { stabilization: stabilization.into(), ..Settings::default() };
        let mut sim = simulator(builder, settings);
        // Apart by 2 mm at the start: pushed 25 times more down than up by the masses.
        sim.state.q[2].position.y -= 2e-3;
        let mut deepest = 0.0_f64;
        let report = sim.step().unwrap();
        for corner in [-0.1, 0.1] {
            let y = sim.state.q[1].point(Vec3::new(corner, -0.5, 0.0)).y;
            deepest = deepest.max(-y);
        }
        assert!(report.joint_error < 1e-12, "{stabilization}: {:e}", report.joint_error);
        deepest
    };
    let (plain, aware) = (depth("post-step"), depth("post-step-contacts"));
    assert!(plain > 1e-3, "{plain}");
    assert!(aware < 1e-9, "{aware:e}");
}

/// A doll of eleven boxes: ball joints with cones, hinges with limits.
fn ragdoll(settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let ground = Solid::half_space(Vec3::Z).unwrap();
    builder.add(BodyInit::new(&ground).named("ground").friction(0.6)).unwrap();
    let mut part = |name: &str, size: Vec3, at: Vec3| {
        let solid = Solid::cuboid(size).unwrap();
        let mass = 1000.0 * size.x * size.y * size.z;
        let at = at + Vec3::Z * 0.6;
        builder.add(BodyInit::new(&solid).named(name).mass(mass).friction(0.6).at(at)).unwrap()
    };
    let torso = part("torso", Vec3::new(0.35, 0.2, 0.5), Vec3::Z * 1.2);
    let head = part("head", Vec3::splat(0.2), Vec3::Z * 1.57);
    let mut pairs = Vec::new();
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let at = |x: f64, z: f64| Vec3::new(sign * x, 0.0, z);
        let arm = part(&format!("{side} arm"), Vec3::new(0.3, 0.08, 0.08), at(0.34, 1.4));
        let hand = part(&format!("{side} hand"), Vec3::new(0.3, 0.07, 0.07), at(0.66, 1.4));
        let thigh = part(&format!("{side} thigh"), Vec3::new(0.12, 0.12, 0.4), at(0.1, 0.73));
        let shin = part(&format!("{side} shin"), Vec3::new(0.1, 0.1, 0.4), at(0.1, 0.31));
        pairs.push((torso, arm, at(0.18, 1.4), None));
        pairs.push((arm, hand, at(0.5, 1.4), Some((Vec3::Z, [-0.1, 2.2]))));
        pairs.push((torso, thigh, at(0.1, 0.94), None));
        pairs.push((thigh, shin, at(0.1, 0.52), Some((Vec3::X, [-2.2, 0.1]))));
    }
    pairs.push((torso, head, Vec3::Z * 1.46, None));
    for (a, b, at, hinge) in pairs {
        let at = at + Vec3::Z * 0.6;
        let joint = match hinge {
            Some((axis, [lower, upper])) => {
                JointInit::revolute(a, b).along(axis).limits(lower, upper).friction(0.2)
            }
            None => JointInit::spherical(a, b).limits(0.0, 1.0).friction(0.2),
        };
        builder.joint(joint.at(at)).unwrap();
    }
    simulator(builder, settings)
}

/// The doll falls, is held by its joints, loses energy and comes to lie on the ground.
#[test]
fn ragdoll_comes_to_rest_on_the_ground() {
    for stabilization in ["post-step-contacts", "shake"] {
        let settings = Settings { stabilization: stabilization.into(), ..Settings::default() };
        let mut sim = ragdoll(settings);
        // A push, so that it does not land on its feet.
        sim.state.nu[1].angular = Vec3::new(1.0, 0.4, 0.0);
        stickslip::stabilize::project(&sim.model, &mut sim.state).unwrap();
        let start = sim.state.energy(&sim.model);
        let (mut error, mut sunk) = (0.0_f64, 0.0_f64);
        for _ in 0..300 {
            let report = sim.step().unwrap();
            assert_eq!(report.solves.failures, 0, "{stabilization} step {}", report.step);
            error = error.max(report.joint_error);
            sunk = sunk.max(stickslip::oracle::measure(&sim.model, &sim.state).depth);
            let energy = sim.state.energy(&sim.model);
            assert!(energy < 1.02 * start, "{stabilization} step {}: {energy}", report.step);
        }
        assert!(error < 1e-6, "{stabilization}: {error:e}");
        // Closing a joint moves a limb of 0.4 m that turns by 0.1 rad in a step by 0.4 * 0.1² / 2.
        assert!(sunk < 2e-3, "{stabilization}: {sunk:e}");
        assert!(sim.state.energy(&sim.model) < 0.3 * start);
        let deepest = stickslip::oracle::measure(&sim.model, &sim.state).depth;
        assert!(deepest < 1e-3, "{stabilization}: {deepest:e} below the ground");
    }
}

/// A rod on a hinge swings smoothly onto a floor and lies there: smooth steps and steps with
/// contact follow each other, the joint holds in both, and nothing sinks in.
#[test]
fn smooth_pendulum_lands_on_the_floor() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let ground = Solid::half_space(Vec3::Z).unwrap();
    builder.add(BodyInit::new(&ground).at(Vec3::Z * -0.4)).unwrap();
    let rod = Solid::cuboid(Vec3::new(1.0, 0.1, 0.1)).unwrap();
    let rod = builder.add(BodyInit::new(&rod).at(Vec3::X * 0.5)).unwrap();
    builder.joint(JointInit::revolute(None, rod).along(Vec3::Y)).unwrap();
    let settings = Settings {
        integrator: "gauss".into(),
        stabilization: "shake".into(),
        ..Settings::default()
    };
    let mut sim = simulator(builder, settings);
    let (mut smooth, mut deepest) = (0, 0.0_f64);
    for _ in 0..200 {
        let report = sim.step().unwrap();
        assert!(report.joint_error < 1e-9, "step {}: {:e}", report.step, report.joint_error);
        smooth += usize::from(sim.state.last_h == 0.0);
        deepest = deepest.max(stickslip::oracle::measure(&sim.model, &sim.state).depth);
    }
    assert!(smooth > 20 && smooth < 100, "{smooth}");
    assert!(sim.state.twist(rod).angular.length() < 1e-6);
    // The rotation error of the scheme: h² w² / 2 of the length at w = 3.
    assert!(deepest < 5e-4, "{deepest:e}");
}
