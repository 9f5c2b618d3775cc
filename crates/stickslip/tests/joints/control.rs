//! Controllers, kinematics of chains, and a gripper.

use stickslip::{
    BodyId, BodyInit, Dimension, JointId, JointInit, Model, ModelBuilder, Settings, Simulator,
    State,
    control::{Chain, ComputedTorque, PdController, Trajectory},
    geometry::{Mat3, Quat, Solid, Vec3},
    hook::Hook,
    model::{Motor, MotorTarget},
};

use super::scene::{G, Random, bob, run, simulator};

/// An arm of six hinges with axes that favour no direction.
fn arm(settings: Settings) -> (Simulator, Vec<JointId>) {
    arm_in(Vec3::Z * -G, settings)
}

fn arm_in(gravity: Vec3, settings: Settings) -> (Simulator, Vec<JointId>) {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(gravity);
    let axes = [Vec3::Z, Vec3::Y, Vec3::Y, Vec3::X, Vec3::Y, Vec3::X];
    let (mut joints, mut last) = (Vec::new(), None);
    for (k, axis) in axes.into_iter().enumerate() {
        let base = Vec3::new(0.3 * k as f64, 0.05 * k as f64, 1.0);
        let link = builder.add(bob(&format!("link-{k}"), base + Vec3::X * 0.15)).unwrap();
        joints.push(builder.joint(JointInit::revolute(last, link).at(base).along(axis)).unwrap());
        last = Some(link);
    }
    let tip = BodyId::new(5);
    for k in 0..5 {
        builder.ignore(BodyId::new(k), tip);
        (0..k).for_each(|j| {
            builder.ignore(BodyId::new(j), BodyId::new(k));
        });
    }
    (simulator(builder, settings), joints)
}

const GOAL: [f64; 6] = [0.8, -0.6, 0.9, 0.5, -0.7, 0.4];

/// Pose from the coordinates, and pose of the body itself, agree wherever the arm has gone; so
/// does the Jacobian with differences of the forward kinematics.
#[test]
fn forward_kinematics_and_jacobian_match_the_bodies() {
    let settings = Settings { stabilization: "shake".into(), ..Settings::default() };
    let (mut sim, _) = arm(settings);
    let tip = BodyId::new(5);
    let chain = Chain::to(&sim.model, tip).unwrap();
    assert_eq!(chain.n_coordinates(&sim.model), 6);
    assert_eq!(chain.base, None);
    let mut random = Random::new(17);
    for _ in 0..20 {
        for wrench in &mut sim.state.applied {
            wrench.torque = random.vector(Dimension::Three);
        }
        let until = sim.state.time + 0.02;
        run(&mut sim, until);
        let q = chain.positions(&sim.model, &sim.state);
        let (found, pose) = (chain.forward(&sim.model, &sim.state, &q), sim.state.pose(tip));
        assert!((found.position - pose.position).length() < 1e-10);
        assert!(found.orientation.dot(pose.orientation).abs() > 1.0 - 1e-12);
        // A point off the centre of the last link.
        let point = pose.point(Vec3::new(0.1, 0.2, 0.3));
        let local = pose.inverse_point(point);
        let jacobian = chain.jacobian(&sim.model, &sim.state, point);
        for i in 0..6 {
            let moved = |e: f64| {
                let mut q = q.clone();
                q[i] += e;
                chain.forward(&sim.model, &sim.state, &q)
            };
            let (a, b) = (moved(-1e-5), moved(1e-5));
            let slope = (b.point(local) - a.point(local)) / 2e-5;
            assert!((slope - jacobian.linear[i]).length() < 1e-8, "seed 17, {i}");
            let turn = (b.orientation * a.orientation.conjugate()).to_scaled_axis() / 2e-5;
            assert!((turn - jacobian.angular[i]).length() < 1e-7, "seed 17, {i}");
        }
    }
}

/// Joints of several freedoms and joints passed from B to A in one chain.
#[test]
fn chains_pass_every_kind_either_way() {
    use stickslip::JointKind::{Cylindrical, Planar, Prismatic, Spherical, Universal};
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let mut random = Random::new(71);
    let mut last = None;
    for (k, kind) in [Cylindrical, Universal, Planar, Spherical, Prismatic].into_iter().enumerate()
    {
        let init = bob(&format!("b{k}"), random.vector(Dimension::Three))
            .turned(Quat::from_rotation_y(random.signed()));
        let body = builder.add(init).unwrap();
        let (a, b) = if k % 2 == 0 { (last, Some(body)) } else { (Some(body), last) };
        let joint = JointInit::new(kind, a, b)
            .at(random.vector(Dimension::Three))
            .along(random.vector(Dimension::Three))
            .second(random.vector(Dimension::Three));
        builder.joint(joint).unwrap();
        last = Some(body);
    }
    let mut sim = simulator(builder, Settings::default());
    for twist in &mut sim.state.nu {
        (twist.linear, twist.angular) =
            (random.vector(Dimension::Three), random.vector(Dimension::Three));
    }
    sim.settings.integrator = "gauss".into();
    let mut sim = Simulator::new(sim.model, sim.state, sim.settings).unwrap();
    stickslip::stabilize::project(&sim.model, &mut sim.state).unwrap();
    run(&mut sim, 0.3);
    let tip = BodyId::new(4);
    let chain = Chain::to(&sim.model, tip).unwrap();
    let q = chain.positions(&sim.model, &sim.state);
    assert_eq!(q.len(), 2 + 2 + 3 + 3 + 1);
    let (found, pose) = (chain.forward(&sim.model, &sim.state, &q), sim.state.pose(tip));
    assert!((found.position - pose.position).length() < 1e-10, "seed 71");
    // The velocity of the tip is the Jacobian times the rates.
    let jacobian = chain.jacobian(&sim.model, &sim.state, pose.position);
    let v = chain.velocities(&sim.model, &sim.state);
    let linear: Vec3 = jacobian.linear.iter().zip(&v).map(|(j, v)| *j * *v).sum();
    let angular: Vec3 = jacobian.angular.iter().zip(&v).map(|(j, v)| *j * *v).sum();
    let twist = sim.state.twist(tip);
    assert!((linear - twist.linear).length() < 1e-9, "seed 71: {linear} {}", twist.linear);
    assert!((angular - twist.angular).length() < 1e-9, "seed 71: {angular} {}", twist.angular);
}

/// Computed torque makes the arm follow a smooth trajectory, gravity and all; the error shrinks
/// with the step.
#[test]
fn computed_torque_follows_the_trajectory() {
    let worst = |step: f64| {
        let settings = Settings { step, stabilization: "shake".into(), ..Settings::default() };
        let (mut sim, joints) = arm(settings);
        let path = Trajectory::between(vec![0.0; 6], GOAL.to_vec(), 0.0, 1.0);
        let control = ComputedTorque::critical(joints.clone(), path.clone(), 20.0, step);
        sim.pipeline.hooks.push(Box::new(control));
        let mut worst = 0.0_f64;
        while sim.state.time < 1.2 {
            let until = sim.state.time + step;
            run(&mut sim, until);
            for (i, &joint) in joints.iter().enumerate() {
                let q = sim.model.joint_position(&sim.state, joint)[0];
                worst = worst.max((q - path.at(i, sim.state.time).position).abs());
            }
        }
        worst
    };
    let (coarse, fine) = (worst(0.01), worst(0.005));
    assert!(coarse < 0.02 && fine < 0.7 * coarse, "{coarse} {fine}");
}

/// PD control brings every joint to its goal but for what gravity takes, `tau / kp`, which is
/// known from the forces that hold the arm there.
#[test]
fn pd_control_settles_where_its_spring_carries_the_arm() {
    let settings = Settings { stabilization: "shake".into(), ..Settings::default() };
    let (mut sim, joints) = arm(settings);
    let path = Trajectory::between(vec![0.0; 6], GOAL.to_vec(), 0.0, 1.0);
    let kp = 400.0;
    sim.pipeline.hooks.push(Box::new(PdController::new(joints.clone(), path, (kp, 40.0), 0.01)));
    run(&mut sim, 6.0);
    let still: Vec<(JointId, f64)> = joints.iter().map(|&j| (j, 0.0)).collect();
    let hold = stickslip::dynamics::acceleration::inverse_dynamics(&sim.model, &sim.state, &still);
    for ((&joint, goal), force) in joints.iter().zip(GOAL).zip(hold) {
        let q = sim.model.joint_position(&sim.state, joint)[0];
        assert!((goal - q - force / kp).abs() < 1e-4, "{q} {goal} {}", force / kp);
        assert!((goal - q).abs() < 0.2);
    }
}

/// Two jaws on sliders press a box of 2 kg from both sides with the force `grip`, the frame
/// standing still. Returns how far the box has sunk after half a second.
fn gripper(dimension: Dimension, grip: f64) -> f64 {
    let mut builder = ModelBuilder::new(dimension);
    let up = if dimension == Dimension::Two { Vec3::Y } else { Vec3::Z };
    let solid = |x: f64, height: f64| match dimension {
        Dimension::Two => Solid::rectangle(x, height).unwrap(),
        Dimension::Three => Solid::cuboid(Vec3::new(x, 0.2, height)).unwrap(),
    };
    let load = BodyInit::new(&solid(0.2, 0.2)).named("load").mass(2.0).friction(0.5);
    let load = builder.add(load).unwrap();
    for side in [-1.0, 1.0] {
        // Each jaw is pushed by a motor that never reaches its speed: a constant force.
        let jaw = BodyInit::new(&solid(0.05, 0.1)).friction(0.5).at(Vec3::X * (side * 0.125));
        let jaw = builder.add(jaw).unwrap();
        let slide = JointInit::prismatic(None, jaw).along(Vec3::X * -side);
        builder.joint(slide.velocity_motor(10.0, grip)).unwrap();
    }
    let mut sim = simulator(builder, Settings::default());
    run(&mut sim, 0.5);
    -sim.state.pose(load).position.dot(up)
}

/// `2 mu N >= m g` decides: held with 1 % more than that, dropped with 1 % less.
#[test]
fn gripper_holds_by_friction_alone() {
    let enough = 2.0 * G / (2.0 * 0.5);
    for dimension in [Dimension::Two, Dimension::Three] {
        let (held, dropped) =
            (gripper(dimension, 1.01 * enough), gripper(dimension, 0.99 * enough));
        assert!(held.abs() < 1e-9, "{dimension:?}: sank by {held}");
        // The net force is 1 % of the weight.
        let expected = 0.5 * 0.01 * G * 0.5 * 0.51;
        assert!((dropped / expected - 1.0).abs() < 1e-6, "{dimension:?}: {dropped} {expected}");
    }
}

/// Script 7 of the user guide: every joint is pulled towards `sin t` by `50 error - 5 rate`.
struct Script7(Vec<JointId>, f64);

impl Hook for Script7 {
    fn before_step(&mut self, _: &Model, state: &mut State) {
        let position = (state.time + self.1).sin();
        for joint in &self.0 {
            let target = MotorTarget::Position { position, stiffness: 50.0, damping: 5.0 };
            state.motors[joint.index()] = Some(Motor::new(target, None));
        }
    }
}

/// One hinge follows as the equation `J q'' = 50 (sin t - q) - 5 q'` says: amplitude
/// `50 / |50 - J + 5 i|` and the lag of that number, once the start is forgotten.
#[test]
fn hinge_follows_the_pd_reference_of_script_7() {
    let inertia = 0.7;
    let off = |step: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        let wheel = bob("wheel", Vec3::ZERO);
        let wheel = builder.add(wheel.inertia(Mat3::from_diagonal(Vec3::splat(inertia)))).unwrap();
        let joint = builder.joint(JointInit::revolute(None, wheel)).unwrap();
        let settings = Settings { step, integrator: "semi-implicit".into(), ..Settings::default() };
        let mut sim = simulator(builder, settings);
        sim.pipeline.hooks.push(Box::new(Script7(vec![joint], step)));
        let amplitude = 50.0 / (50.0 - inertia).hypot(5.0);
        let lag = 5f64.atan2(50.0 - inertia);
        let mut worst = 0.0_f64;
        while sim.state.time < 10.0 {
            sim.step().unwrap();
            if sim.state.time > 4.0 {
                let expected = amplitude * (sim.state.time - lag).sin();
                let q = sim.model.joint_position(&sim.state, joint)[0];
                worst = worst.max((q - expected).abs());
            }
        }
        worst
    };
    let (coarse, fine) = (off(0.01), off(0.005));
    assert!(coarse < 2e-3 && (coarse / fine - 2.0).abs() < 0.2, "{coarse} {fine}");
}

/// The arm of six hinges follows the same reference in every joint, and its path converges with
/// the step to one path.
#[test]
fn arm_follows_the_pd_reference_of_script_7() {
    let end = |step: f64| {
        let settings = Settings { step, stabilization: "shake".into(), ..Settings::default() };
        let (mut sim, joints) = arm_in(Vec3::ZERO, settings);
        sim.pipeline.hooks.push(Box::new(Script7(joints.clone(), step)));
        run(&mut sim, 3.0);
        let q = |&j: &JointId| sim.model.joint_position(&sim.state, j)[0];
        joints.iter().map(q).collect::<Vec<f64>>()
    };
    let (coarse, fine, finest) = (end(0.01), end(0.005), end(0.0025));
    for (i, q) in coarse.iter().enumerate() {
        // The lag of a joint that carries the whole arm is a few tenths.
        assert!((q - 3f64.sin()).abs() < 0.5, "joint {i}: {q}");
        let (a, b) = ((q - finest[i]).abs(), (fine[i] - finest[i]).abs());
        assert!(b < 0.5 * a + 1e-6 && a < 0.05, "joint {i}: {a} {b}");
    }
}
