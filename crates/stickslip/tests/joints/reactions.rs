//! Forces that joints exert, as hooks see them.

use std::sync::{Arc, Mutex};

use stickslip::{
    BodyInit, Dimension, JointInit, Model, ModelBuilder, Settings, Simulator, State,
    dynamics::{Reaction, reactions},
    geometry::{Mat3, Solid, Vec3},
    hook::{Hook, HookError, StepData},
};

use super::scene::{G, Random, bob, rod_pendulum, simulator};

type Seen = Arc<Mutex<Vec<Reaction>>>;

/// Keeps the forces of the last step.
struct Probe(Settings, Seen);

impl Hook for Probe {
    fn after_step(&mut self, m: &Model, end: &State, data: &StepData) -> Result<(), HookError> {
        *self.1.lock().unwrap() = reactions(m, &self.0, data, end);
        Ok(())
    }
}

/// Makes a step and tells the forces in it.
pub fn last(sim: &mut Simulator) -> Vec<Reaction> {
    let seen = Seen::default();
    sim.pipeline.hooks.push(Box::new(Probe(sim.settings.clone(), Arc::clone(&seen))));
    sim.step().unwrap();
    sim.pipeline.hooks.pop();
    let seen = seen.lock().unwrap();
    seen.clone()
}

fn probed(mut sim: Simulator) -> (Simulator, Seen) {
    let seen = Seen::default();
    sim.pipeline.hooks.push(Box::new(Probe(sim.settings.clone(), Arc::clone(&seen))));
    (sim, seen)
}

/// A beam of 3 kg on two hinges on the world, one of them on rollers: each carries its share of
/// the weight by the lever rule, whatever the formulation.
#[test]
fn beam_on_two_supports_shares_its_weight() {
    for formulation in ["separation", "stewart-trinkle", "peg"] {
        let mut builder = ModelBuilder::new(Dimension::Two);
        let beam = BodyInit::new(&Solid::rectangle(2.0, 0.1).unwrap()).mass(3.0);
        let beam = builder.add(beam).unwrap();
        let roller = builder.add(bob("roller", Vec3::X * 0.8).mass(1.0)).unwrap();
        builder.joint(JointInit::revolute(None, beam).at(Vec3::X * -0.9)).unwrap();
        builder.joint(JointInit::revolute(roller, beam).at(Vec3::X * 0.8)).unwrap();
        builder.joint(JointInit::prismatic(None, roller).at(Vec3::X * 0.8)).unwrap();
        let formulation = formulation.into();
        let sim = simulator(builder, Settings { formulation, ..Settings::default() });
        let (mut sim, seen) = probed(sim);
        sim.step().unwrap();
        let seen = seen.lock().unwrap();
        let near = |a: Vec3, b: Vec3| assert!((a - b).length() < 1e-10, "{a} {b}");
        near(seen[0].force, Vec3::Y * (3.0 * G * 0.8 / 1.7));
        near(seen[1].force, Vec3::Y * (3.0 * G * 0.9 / 1.7));
        near(seen[2].force, Vec3::Y * (3.0 * G * 0.9 / 1.7 + G));
        near(seen[0].torque, Vec3::ZERO);
    }
}

/// A clamped arm in 3D: the fixed joint carries weight and moment `m g l`, on whichever side of
/// the joint the world is.
#[test]
fn clamp_carries_force_and_moment() {
    for swapped in [false, true] {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let arm = builder.add(bob("arm", Vec3::X * 0.7).mass(2.0)).unwrap();
        let joint = match swapped {
            false => JointInit::fixed(None, arm),
            true => JointInit::fixed(arm, None),
        };
        builder.joint(joint).unwrap();
        let (mut sim, seen) = probed(simulator(builder, Settings::default()));
        sim.step().unwrap();
        let found = seen.lock().unwrap()[0];
        let sign = if swapped { -1.0 } else { 1.0 };
        assert!((found.force - Vec3::Z * (sign * 2.0 * G)).length() < 1e-10, "{found:?}");
        // The force at the far end would turn it down about y: the clamp turns it up.
        let moment = Vec3::Y * (-sign * 2.0 * G * 0.7);
        assert!((found.torque - moment).length() < 1e-10, "{found:?} {moment}");
    }
}

/// The rod pendulum, released horizontal, passes its lowest point with the pull
/// `m g (1 + 2 (L/2) m (L/2) / J)` in the hinge, to the accuracy of the smooth integrator.
#[test]
fn pendulum_pulls_hardest_at_the_bottom() {
    let settings = Settings { integrator: "gauss".into(), step: 1e-3, ..Settings::default() };
    let (mut sim, seen) = probed(rod_pendulum(settings));
    let mut most = 0.0_f64;
    while sim.state.time < 1.0 {
        sim.step().unwrap();
        most = most.max(seen.lock().unwrap()[0].force.length());
    }
    let inertia = (1.0 + 0.01) / 12.0 + 0.25;
    let expected = G * (1.0 + 2.0 * 0.5 * 0.5 / inertia);
    assert!((most / expected - 1.0).abs() < 1e-5, "{most} {expected}");
}

/// A link of 4 kg from a hinge on the world to a disc of 1 kg on the ground: hinge and disc carry
/// half the link each, the ground both.
#[test]
fn hinge_and_ground_share_a_link() {
    for formulation in ["separation", "stewart-trinkle", "peg", "anitescu-potra"] {
        let mut builder = ModelBuilder::new(Dimension::Two);
        builder.add(BodyInit::new(&Solid::half_plane(Vec3::Y).unwrap())).unwrap();
        let link = BodyInit::new(&Solid::rectangle(1.0, 0.1).unwrap()).mass(4.0);
        let link = builder.add(link.at(Vec3::new(0.5, 0.2, 0.0))).unwrap();
        // Without friction, which would leave the shares open.
        let disc = BodyInit::new(&Solid::disc(0.2).unwrap()).mass(1.0).friction(0.0);
        let disc = builder.add(disc.at(Vec3::new(1.0, 0.2, 0.0))).unwrap();
        builder.joint(JointInit::revolute(None, link).at(Vec3::Y * 0.2)).unwrap();
        builder.joint(JointInit::fixed(link, disc).at(Vec3::new(1.0, 0.2, 0.0))).unwrap();
        let formulation: String = formulation.into();
        let settings = Settings { formulation: formulation.clone(), ..Settings::default() };
        let (mut sim, seen) = probed(simulator(builder, settings));
        sim.step().unwrap();
        let seen = seen.lock().unwrap();
        for (found, expected) in seen.iter().zip([2.0 * G, -2.0 * G]) {
            let off = (found.force - Vec3::Y * expected).length();
            assert!(off < 1e-7, "{formulation}: {found:?} {expected}");
        }
    }
}

/// Motors report what they exert: against gravity `m g l`, at most their limit, springs
/// `k (q* - q) - d q'`.
#[test]
fn motors_report_their_torque() {
    let hold = |joint: &dyn Fn(JointInit) -> JointInit| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let arm = builder.add(bob("arm", Vec3::X * 0.5).mass(2.0)).unwrap();
        builder.joint(joint(JointInit::revolute(None, arm).along(-Vec3::Y))).unwrap();
        let (mut sim, seen) = probed(simulator(builder, Settings::default()));
        sim.step().unwrap();
        let id = stickslip::JointId::new(0);
        let q = sim.model.joint_position(&sim.state, id)[0];
        let v = sim.model.joint_velocity(&sim.state, id)[0];
        let reaction = seen.lock().unwrap()[0];
        // What turns the arm about the axis is the motor alone.
        assert!((reaction.torque.dot(-Vec3::Y) - reaction.motor).abs() < 1e-9);
        (reaction.motor, q, v)
    };
    let weight = 2.0 * G * 0.5;
    let (strong, ..) = hold(&|j| j.velocity_motor(0.0, f64::INFINITY));
    assert!((strong - weight).abs() < 1e-9, "{strong}");
    let (limited, ..) = hold(&|j| j.velocity_motor(0.0, 20.0));
    assert!((limited - weight).abs() < 1e-6, "{limited}");
    let (weak, ..) = hold(&|j| j.velocity_motor(0.0, 4.0));
    assert!((weak - 4.0).abs() < 1e-9, "{weak}");
    let (spring, q, v) = hold(&|j| j.position_motor(0.2, 300.0, 7.0));
    assert!((spring - (300.0 * (0.2 - q) - 7.0 * v)).abs() < 1e-6, "{spring}");
}

/// In a random tree of bodies under random forces the joint forces and all others explain the
/// change of every body's momentum.
#[test]
fn joint_forces_explain_the_motion() {
    let mut random = Random::new(29);
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let kinds = [
        stickslip::JointKind::Revolute,
        stickslip::JointKind::Spherical,
        stickslip::JointKind::Universal,
        stickslip::JointKind::Prismatic,
    ];
    let mut bodies = Vec::new();
    for k in 0..8_usize {
        let mut init = bob(&format!("b{k}"), random.vector(Dimension::Three) * 2.0)
            .inertia(Mat3::from_diagonal(Vec3::new(0.02, 0.03, 0.04)));
        init.body.collides = false;
        init.body.force = random.vector(Dimension::Three);
        let body = builder.add(init).unwrap();
        if k > 0 {
            let parent = bodies[(k - 1) / 2];
            let at = random.vector(Dimension::Three);
            let joint = JointInit::new(kinds[k % 4], parent, body);
            let axis = random.vector(Dimension::Three);
            builder.joint(joint.at(at).along(axis).second(axis.any_orthogonal_vector())).unwrap();
        }
        bodies.push(body);
    }
    // Impulses of a problem are means over the step; of smooth steps the forces are those at the end.
    let settings = Settings { integrator: "semi-implicit".into(), ..Settings::default() };
    let (mut sim, seen) = probed(simulator(builder, settings));
    sim.step().unwrap();
    let seen = seen.lock().unwrap();
    for (k, &body) in bodies.iter().enumerate() {
        let mut force = sim.model.body(body).force;
        for (joint, found) in sim.model.joints().iter().zip(seen.iter()) {
            match joint.bodies {
                [_, Some(b)] if b == body => force += found.force,
                [Some(a), _] if a == body => force -= found.force,
                _ => {}
            }
        }
        let gained = sim.state.twist(body).linear * sim.model.body(body).mass / 0.01;
        assert!((force - gained).length() < 1e-8, "seed 29, body {k}: {force} {gained}");
    }
}
