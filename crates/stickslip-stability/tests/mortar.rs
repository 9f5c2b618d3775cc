//! Mortar: joints that hold tension up to a limit and then break, with answers from statics.

#![allow(clippy::unwrap_used, clippy::panic)]

use stickslip::{
    BodyId, BodyInit, Dimension, Model, ModelBuilder, Settings, Simulator, State,
    geometry::{Solid, Vec3},
    model::{Mortar, PairOverride},
};
use stickslip_stability::{Load, Options, analyze, can_rest};

const G: f64 = 9.81;

/// A fixed beam and a brick of 2 kg beside it, with mortar between them.
fn glued(size: Vec3, at: Vec3, friction: f64, strength: f64) -> (Model, State) {
    let solid = |v: Vec3| Solid::cuboid(v).unwrap();
    let mut builder = ModelBuilder::new(Dimension::Three);
    let beam = BodyInit::new(&solid(Vec3::splat(1.0))).named("beam").friction(friction).fixed();
    let brick = BodyInit::new(&solid(size)).named("brick").mass(2.0).at(at).friction(friction);
    builder.add(beam).unwrap();
    builder.add(brick).unwrap();
    let mortar = Some(Mortar { strength, opening: Mortar::OPENING });
    let values = PairOverride { mortar, ..PairOverride::default() };
    builder.pair(BodyId::new(0), BodyId::new(1), values);
    builder.build()
}

/// A brick of 0.2 x 0.1 x 0.3 m that hangs under the beam.
fn hanging(strength: f64) -> (Model, State) {
    glued(Vec3::new(0.2, 0.1, 0.3), Vec3::new(0.1, 0.2, -0.65), 0.5, strength)
}

/// A brick of length `long` at the side of the beam, its face 0.1 m wide and 0.2 m high.
fn cantilever(long: f64, friction: f64, strength: f64) -> (Model, State) {
    let at = Vec3::new(0.5 + 0.5 * long, 0.0, 0.1);
    glued(Vec3::new(long, 0.1, 0.2), at, friction, strength)
}

/// The strength from which on the program holds the brick, to 1e-7 of `right`.
fn least(right: f64, make: impl Fn(f64) -> (Model, State)) -> f64 {
    let (mut low, mut high) = (0.9 * right, 1.1 * right);
    while high - low > 1e-7 * right {
        let middle = 0.5 * (low + high);
        let (model, state) = make(middle);
        match can_rest(&model, &state, &Settings::default()).unwrap().0 {
            true => high = middle,
            false => low = middle,
        }
    }
    0.5 * (low + high)
}

/// How far the brick gets in some steps, and whether its mortar broke.
fn run((model, state): (Model, State), steps: usize) -> (f64, bool) {
    let settings = Settings { sleep: false, threads: 1, ..Settings::default() };
    let mut sim = Simulator::new(model, state, settings).unwrap();
    let start = sim.state.q[1].position;
    for _ in 0..steps {
        sim.step().unwrap();
    }
    ((sim.state.q[1].position - start).length(), sim.state.broken[0])
}

/// The simulator holds the brick a hundredth above the strength and drops it a hundredth below.
fn holds_and_drops(right: f64, make: impl Fn(f64) -> (Model, State)) {
    let (moved, broken) = run(make(1.01 * right), 100);
    assert!(moved < 1e-8 && !broken, "above: {moved} m, broken {broken}");
    let (moved, broken) = run(make(0.99 * right), 100);
    assert!(moved > 0.05 && broken, "below: {moved} m, broken {broken}");
}

/// Tension: the weight over the area.
#[test]
fn a_brick_hangs_by_the_strength_of_its_mortar() {
    let right = 2.0 * G / (0.2 * 0.1);
    let found = least(right, hanging);
    assert!((found / right - 1.0).abs() < 1e-6, "{found} against {right}");
    holds_and_drops(right, hanging);
}

/// Bending: the whole face in tension against its lower edge, `f_t A d / 2 = W L / 2`.
#[test]
fn a_cantilever_breaks_in_bending() {
    let right = 2.0 * G * 0.6 / (0.1 * 0.2 * 0.2);
    let make = |strength| cantilever(0.6, 0.7, strength);
    let found = least(right, make);
    assert!((found / right - 1.0).abs() < 1e-6, "{found} against {right}");
    holds_and_drops(right, make);
}

/// Shear: a short one slides where `mu f_t A` is less than its weight.
#[test]
fn a_short_cantilever_breaks_in_shear() {
    let right = 2.0 * G / (0.5 * 0.1 * 0.2);
    let make = |strength| cantilever(0.1, 0.5, strength);
    let found = least(right, make);
    assert!((found / right - 1.0).abs() < 1e-6, "{found} against {right}");
    holds_and_drops(right, make);
}

/// A pull on a brick: what its mortar holds beyond its weight.
#[test]
fn a_pull_is_held_up_to_the_strength() {
    let (model, state) = hanging(5000.0);
    let pushes = vec![Load { body: "brick".into(), force: -Vec3::Z, at: None }];
    let asked = Options { pushes, ..Options::default() };
    let found = analyze(&model, &state, &Settings::default(), &asked).unwrap();
    // through the middle of the joint, so that the whole face carries it
    let right = 5000.0 * 0.02 - 2.0 * G;
    let held = found.push[0].force.unwrap();
    assert!((held - right).abs() < 1e-5, "{held} against {right}");
    // the pair carries the weight, in tension
    assert!((found.forces[0].force[2] - 2.0 * G).abs() < 1e-6, "{:?}", found.forces[0].force);
}

/// What is broken stays broken: a brick on the floor is torn off, put back, and weighs on it alone.
#[test]
fn broken_mortar_does_not_heal() {
    let make = |force: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let floor = BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor");
        builder.add(floor).unwrap();
        let brick = Solid::cuboid(Vec3::splat(0.1)).unwrap();
        let mut brick = BodyInit::new(&brick).named("brick").mass(1.0).at(Vec3::Z * 0.05);
        brick.body.force = Vec3::Z * force;
        builder.add(brick).unwrap();
        let mortar = Some(Mortar { strength: 1e4, opening: Mortar::OPENING });
        let values = PairOverride { mortar, ..PairOverride::default() };
        builder.pair(BodyId::new(0), BodyId::new(1), values);
        builder.build()
    };
    // f_t A = 100 N
    let (moved, broken) = run(make(G + 99.0), 50);
    assert!(moved < 1e-9 && !broken, "{moved} m, {broken}");
    let (model, state) = make(G + 101.0);
    let mut sim = Simulator::new(model, state, Settings::default()).unwrap();
    let energy = sim.state.energy(&sim.model);
    for _ in 0..10 {
        sim.step().unwrap();
    }
    assert!(sim.state.broken[0] && sim.state.q[1].position.z > 0.051);
    assert!(energy.is_finite());
    // put back, it is held by nothing but its weight
    sim.state.q[1].position = Vec3::Z * 0.05;
    sim.state.nu[1] = Default::default();
    sim.step().unwrap();
    assert!(sim.state.broken[0] && sim.state.nu[1].linear.z > 0.9, "{:?}", sim.state.nu[1]);
}
