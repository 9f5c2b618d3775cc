//! Armature: rotors that turn with a joint.

use stickslip::{
    BodyId, Dimension, JointId, JointInit, ModelBuilder, Settings, Simulator,
    dynamics::acceleration::inverse_dynamics,
    geometry::{Mat3, Vec3},
    model::{Motor, MotorTarget},
};

use super::scene::{bob, run, simulator};

/// A pendulum of 1 kg on a rod of 0.5 m with the inertia `about` its centre.
fn pendulum(about: f64, armature: f64, integrator: &str) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let mut bob = bob("bob", Vec3::X * 0.5).inertia(Mat3::from_diagonal(Vec3::splat(about)));
    bob.body.collides = false;
    let bob = builder.add(bob).unwrap();
    let mut joint = JointInit::revolute(None, bob).along(Vec3::Y);
    (joint.armature, joint.damping) = (armature, 0.1);
    builder.joint(joint).unwrap();
    simulator(builder, Settings { integrator: integrator.into(), ..Settings::default() })
}

/// On a fixed axis a rotor is an inertia like any other, for every integrator, with a motor and without.
#[test]
fn a_rotor_on_a_fixed_axis_is_inertia_of_the_body() {
    let motor = MotorTarget::Position { position: 0.4, stiffness: 30.0, damping: 2.0 };
    for integrator in ["auto", "gauss", "midpoint", "semi-implicit"] {
        for motor in [None, Some(Motor::new(motor, None)), Some(Motor::new(motor, Some(1.0)))] {
            let angle = |about: f64, armature: f64| {
                let mut sim = pendulum(about, armature, integrator);
                sim.state.motors[0] = sim.model.joint(JointId::new(0)).motor_with(motor);
                run(&mut sim, 0.5);
                sim.model.joint_position(&sim.state, JointId::new(0))[0]
            };
            let (rotor, heavy, light) = (angle(0.01, 0.3), angle(0.31, 0.0), angle(0.01, 0.0));
            assert!((rotor - heavy).abs() < 1e-9, "{integrator}, {motor:?}: {rotor} {heavy}");
            assert!((rotor - light).abs() > 1e-3, "{integrator}: {rotor} {light}");
        }
    }
}

/// A slider of mass m with a rotor of mass c on a rail that turns at w:
/// `q = q0 cosh(w sqrt(m / (m + c)) t)`.
#[test]
fn a_slider_on_a_turning_rail_is_held_back_by_its_rotor() {
    let at = |integrator: &str, step: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        let mut rail = bob("rail", Vec3::ZERO).spin(Vec3::Z * 2.0).kinematic();
        rail.body.collides = false;
        let rail = builder.add(rail).unwrap();
        let mut slider = bob("slider", Vec3::X * 0.3).velocity(Vec3::Y * 0.6).spin(Vec3::Z * 2.0);
        slider.body.collides = false;
        let slider = builder.add(slider).unwrap();
        let mut joint = JointInit::prismatic(rail, slider).along(Vec3::X).starting(0.3);
        joint.armature = 3.0;
        let id = builder.joint(joint).unwrap();
        let settings = Settings { step, integrator: integrator.into(), ..Settings::default() };
        let mut sim = simulator(builder, settings);
        run(&mut sim, 1.0);
        sim.model.joint_position(&sim.state, id)[0]
    };
    let exact = 0.3 * (2.0_f64 * 0.5).cosh();
    for (integrator, step, tolerance) in
        [("auto", 0.01, 1e-9), ("gauss", 0.01, 1e-9), ("semi-implicit", 1e-3, 1e-3)]
    {
        let q = at(integrator, step);
        assert!((q - exact).abs() < tolerance, "{integrator}: {q} {exact}");
    }
}

/// What hits something feels its rotor: 1 kg with a rotor of 3 kg against 4 kg, elastic.
#[test]
fn an_elastic_impact_hands_on_the_speed_of_the_rotor() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let add = |builder: &mut ModelBuilder, name: &str, x: f64, mass: f64, v: f64| -> BodyId {
        let mut init = bob(name, Vec3::X * x).mass(mass).velocity(Vec3::X * v);
        init.body.material.restitution = 1.0;
        builder.add(init).unwrap()
    };
    let slider = add(&mut builder, "slider", 0.0, 1.0, 0.8);
    let other = add(&mut builder, "other", 0.2, 4.0, 0.0);
    let mut joint = JointInit::prismatic(None, slider).along(Vec3::X);
    joint.armature = 3.0;
    builder.joint(joint).unwrap();
    let mut sim = simulator(builder, Settings::default());
    let energy = sim.state.energy(&sim.model);
    run(&mut sim, 0.3);
    let [a, b] = [slider, other].map(|id| sim.state.twist(id).linear.x);
    assert!(a.abs() < 1e-6 && (b - 0.8).abs() < 1e-6, "{a} {b}");
    assert!((sim.state.energy(&sim.model) - energy).abs() < 1e-6 * energy);
}

/// Inverse dynamics and the motor of a joint supply what the rotor takes.
#[test]
fn drives_accelerate_their_rotor() {
    for integrator in ["auto", "semi-implicit"] {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        let slider = builder.add(bob("slider", Vec3::ZERO)).unwrap();
        let mut joint = JointInit::prismatic(None, slider).along(Vec3::X);
        joint.armature = 3.0;
        let id = builder.joint(joint).unwrap();
        let integrator = integrator.to_owned();
        let mut sim = simulator(builder, Settings { integrator, ..Settings::default() });
        let force = inverse_dynamics(&sim.model, &sim.state, &[(id, 2.0)])[0];
        assert!((force - 8.0).abs() < 1e-12, "{force}");
        // a spring far away pulls with all that the motor has, with a bound and without
        let pull = |most| {
            let target = MotorTarget::Position { position: 8e6, stiffness: 1e-6, damping: 0.0 };
            Some(Motor::new(target, most))
        };
        for most in [Some(8.0), None] {
            sim.state.motors[0] = pull(most);
            let before = sim.state.twist(slider).linear.x;
            let seen = super::reactions::last(&mut sim);
            let gained = sim.state.twist(slider).linear.x - before;
            assert!((gained - 0.02).abs() < 1e-9, "{gained}");
            assert!((seen[0].motor - 8.0).abs() < 1e-6, "{:?}", seen[0]);
            assert!((seen[0].force.x - 2.0).abs() < 1e-6, "{:?}", seen[0]);
        }
        // a motor that keeps a velocity, from that to twice as much
        let v = sim.state.twist(slider).linear.x;
        sim.state.motors[0] = Some(Motor::new(MotorTarget::Velocity(2.0 * v), None));
        let seen = super::reactions::last(&mut sim);
        assert!((seen[0].motor - 4.0 * v / 0.01).abs() < 1e-6, "{:?}", seen[0]);
    }
}

/// A joint whose rate is no single number has none.
#[test]
fn joints_of_several_directions_have_no_armature() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let body = builder.add(bob("body", Vec3::ZERO)).unwrap();
    for joint in [JointInit::spherical(None, body), JointInit::fixed(None, body)] {
        let error = builder.joint(JointInit { armature: 1.0, ..joint }).unwrap_err();
        assert!(error.to_string().contains("one free direction"), "{error}");
    }
}
