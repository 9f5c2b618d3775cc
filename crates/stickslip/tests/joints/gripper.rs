//! A gripper holds by friction as long as `2 mu F >= m g`.

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
};

const MU: f64 = 0.5;
const MASS: f64 = 0.4;
const G: f64 = 9.81;

/// Two fingers on sliders, geared as those of a Panda, press on the load with the force `part` times
/// the least that holds it.
fn gripper(load: &Solid, part: f64, step: f64) -> Simulator {
    let force = part * MASS * G / (2.0 * MU);
    let mut builder = ModelBuilder::new(Dimension::Three);
    let load = builder.add(BodyInit::new(load).named("load").mass(MASS).friction(MU)).unwrap();
    assert_eq!(load.index(), 0);
    let finger = Solid::cuboid(Vec3::new(0.01, 0.02, 0.04)).unwrap();
    let sliders = [-1.0, 1.0].map(|side| {
        let at = Vec3::X * (0.03 * side);
        let body = BodyInit::new(&finger).mass(0.05).friction(MU).at(at);
        let body = builder.add(body).unwrap();
        let joint = JointInit::prismatic(None, body).along(Vec3::X * -side).at(at);
        builder.joint(joint.velocity_motor(0.05, force).limits(0.0, 0.04)).unwrap()
    });
    builder.joint(JointInit::gear(sliders[0], sliders[1], -1.0)).unwrap();
    let (model, state) = builder.build();
    Simulator::new(model, state, Settings { step, ..Settings::default() }).unwrap()
}

fn loads() -> [(&'static str, Solid); 2] {
    let cube = Solid::cuboid(Vec3::splat(0.05)).unwrap();
    [("cube", cube), ("cylinder", Solid::cylinder(0.025, 0.05, 0).unwrap())]
}

/// Minutes of holding do not let it creep.
#[test]
fn what_is_held_does_not_creep() {
    for (name, solid) in loads() {
        let mut sim = gripper(&solid, 1.01, 0.02);
        sim.step().unwrap();
        let start = sim.state.q[0].position;
        for _ in 0..3000 {
            sim.step().unwrap();
        }
        let moved = (sim.state.q[0].position - start).length();
        assert!(moved < 1e-7, "{name}: {moved:e} m in 60 s");
    }
}

/// One percent less than the law asks for drops it, at the rate of what is left of gravity.
#[test]
fn one_percent_less_drops_it() {
    for (name, solid) in loads() {
        let mut sim = gripper(&solid, 0.99, 0.01);
        for _ in 0..50 {
            sim.step().unwrap();
        }
        let speed = -sim.state.nu[0].linear.z;
        let expected = 0.01 * G * 0.5;
        assert!((speed / expected - 1.0).abs() < 0.02, "{name}: {speed} {expected}");
    }
}
