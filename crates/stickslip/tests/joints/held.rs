//! Limits and friction that hold coordinates of trees, which stay in joint coordinates.

use stickslip::{
    BodyInit, Dimension, JointInit, Model, ModelBuilder, Settings, Simulator, State,
    collide::{self, Candidates, CollideError, CollisionDetector, Contact, Query},
    dynamics::reactions,
    geometry::{Solid, Vec3},
    model::{JointId, Motor, MotorTarget},
};

use super::scene::{G, Random, bob, run, simulator};

fn spring(position: f64, stiffness: f64, damping: f64) -> Option<Motor> {
    Some(Motor::new(MotorTarget::Position { position, stiffness, damping }, None))
}

/// Two rods about y; the first is pressed on its limit, or fixed, and the second swings.
fn two_rods(held: bool) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let rod = Solid::cuboid(Vec3::new(0.5, 0.05, 0.05)).unwrap();
    let first = builder.add(BodyInit::new(&rod).mass(1.0).at(Vec3::X * 0.25)).unwrap();
    let second = builder.add(BodyInit::new(&rod).mass(0.5).at(Vec3::X * 0.75)).unwrap();
    let mut shoulder = match held {
        true => JointInit::revolute(None, first).along(Vec3::Y).limits(-1.0, 0.0),
        false => JointInit::fixed(None, first),
    };
    // Gravity turns the rods to positive angles: onto the limit, the motor does so as well.
    shoulder.motor = if held { spring(0.3, 200.0, 5.0) } else { None };
    builder.joint(shoulder).unwrap();
    builder.joint(JointInit::revolute(first, second).at(Vec3::X * 0.5).along(Vec3::Y)).unwrap();
    simulator(builder, Settings { step: 2e-3, ..Settings::default() })
}

/// An axis pressed on its limit is a fixed one: the rest of the arm follows the same equation, to all
/// digits, and no problem is solved.
#[test]
fn what_a_limit_holds_is_as_if_fixed() {
    let (mut pressed, mut fixed) = (two_rods(true), two_rods(false));
    for _ in 0..1000 {
        let report = pressed.step().unwrap();
        assert_eq!(report.solves.count, 0, "step {}", report.step);
        fixed.step().unwrap();
    }
    let angle = |sim: &Simulator, k| sim.model.joint_position(&sim.state, JointId::new(k))[0];
    assert_eq!(angle(&pressed, 0), 0.0);
    let (a, b) = (angle(&pressed, 1), angle(&fixed, 1));
    assert!(b.abs() > 0.1 && (a - b).abs() < 1e-9, "{a} {b}");
}

/// A slider rests on its limit under its weight. The spring that lifts it grows slowly: it leaves when
/// that carries the weight, and then follows the spring.
#[test]
fn a_limit_lets_go_when_it_would_pull() {
    for k in [100.0, 1e5] {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let body = builder.add(bob("slider", Vec3::ZERO).mass(1.0)).unwrap();
        let mut rail = JointInit::prismatic(None, body).along(Vec3::Z).limits(0.0, 1.0);
        rail.motor = spring(0.0, k, 20.0);
        let joint = builder.joint(rail).unwrap();
        let mut sim = simulator(builder, Settings { step: 1e-3, ..Settings::default() });
        let mut left = None;
        for step in 0..1000 {
            let target = 2e-4 * f64::from(step);
            sim.state.motors[joint.index()] = spring(target, k, 20.0);
            sim.step().unwrap();
            let z = sim.model.joint_position(&sim.state, joint)[0];
            assert!(z >= -1e-9, "{z}");
            if z > 1e-7 && left.is_none() {
                left = Some(target);
            }
        }
        let lifted = left.unwrap();
        // what the spring has to be stretched by, and a few steps on
        assert!((lifted - G / k).abs() < 2e-3, "k = {k}: left at {lifted}, {}", G / k);
    }
}

/// Friction of 2 N holds a slider against 1.5 N without a trace of motion, tells that force, and gives
/// way to 3 N: then it accelerates by the difference.
#[test]
fn friction_holds_and_gives_way() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let body = builder.add(bob("slider", Vec3::ZERO).mass(1.0)).unwrap();
    let mut rail = JointInit::prismatic(None, body).along(Vec3::X).friction(2.0);
    rail.motor = spring(1.5e3, 1e-3, 0.0);
    let joint = builder.joint(rail).unwrap();
    let settings = Settings { step: 1e-2, ..Settings::default() };
    let mut sim = simulator(builder, settings.clone());
    for _ in 0..100 {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.count, 0);
    }
    assert_eq!(sim.state.q[0].position, Vec3::ZERO);
    let data = sim.pipeline.last.data.as_ref().unwrap();
    let told = reactions(&sim.model, &settings, data, &sim.state)[0];
    // the motor pulls, friction holds against it: together nothing
    assert!((told.motor - 1.5).abs() < 1e-9 && told.force.length() < 1e-9, "{told:?}");
    sim.state.motors[joint.index()] = spring(3e3, 1e-3, 0.0);
    let start = sim.state.time;
    run(&mut sim, start + 1.0);
    let speed = sim.state.nu[0].linear.x;
    assert!((speed - 1.0).abs() < 0.02, "{speed}");
}

/// The detector, under another name: it is asked in every step.
struct Asked(Box<dyn CollisionDetector>);

impl CollisionDetector for Asked {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn detect(&mut self, m: &Model, s: &State, q: &Query) -> Result<Vec<Contact>, CollideError> {
        self.0.detect(m, s, q)
    }

    fn candidates(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
        found: &mut Candidates,
    ) -> Result<(), CollideError> {
        self.0.candidates(model, state, query, found)
    }
}

/// Where nothing can be near the detector is not asked, and that changes no bit: an arm swings into boxes
/// that fly towards each other.
#[test]
fn not_asking_the_detector_changes_nothing() {
    let seed = 7;
    println!("seed {seed}");
    let make = || {
        let mut random = Random::new(seed);
        let mut builder = ModelBuilder::new(Dimension::Three);
        let rod = Solid::cuboid(Vec3::new(0.5, 0.05, 0.05)).unwrap();
        let mut last = None;
        for k in 0..3 {
            let at = Vec3::X * (0.5 * f64::from(k));
            let link = builder.add(BodyInit::new(&rod).mass(1.0).at(at + Vec3::X * 0.25)).unwrap();
            let hinge = JointInit::revolute(last, link).at(at).along(Vec3::Y);
            builder.joint(hinge).unwrap();
            last = Some(link);
        }
        for k in 0..6 {
            let at =
                Vec3::new(f64::from(k) - 2.5, 0.0, -3.0) + random.vector(Dimension::Three) * 0.3;
            let mut flying = bob(&format!("box {k}"), at).mass(1.0);
            flying.twist.linear = Vec3::new(-0.6 * at.x, -at.y, 7.0);
            flying.twist.angular = random.vector(Dimension::Three) * 3.0;
            builder.add(flying).unwrap();
        }
        simulator(builder, Settings { step: 5e-3, threads: 1, ..Settings::default() })
    };
    let (mut quick, mut slow) = (make(), make());
    let inner = std::mem::replace(&mut slow.pipeline.detector, collide::make("exact").unwrap());
    slow.pipeline.detector = Box::new(Asked(inner));
    let mut touched = 0;
    for _ in 0..300 {
        touched += usize::from(quick.step().unwrap().solves.count > 0);
        slow.step().unwrap();
        assert_eq!(quick.state.q, slow.state.q, "step {}", quick.state.step);
        assert_eq!(quick.state.nu, slow.state.nu, "step {}", quick.state.step);
    }
    assert!(touched > 5, "{touched}");
}
