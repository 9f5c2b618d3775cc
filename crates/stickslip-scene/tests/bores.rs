//! Round pegs in round holes: two smooth surfaces.
#![allow(clippy::unwrap_used)]

use stickslip::{Simulator, geometry::Vec3, oracle};
use stickslip_scene::{Override, Scene};

const LENGTH: f64 = 0.03;
const DEPTH: f64 = 0.02;

/// A hole of 10 mm in a plate over a floor, and a steel peg of that radius, askew by `tilt` \[rad\] with the
/// middle of its tip over that of the hole, 0.1 mm above it.
fn round(radius: f64, tilt: f64, friction: f64) -> Simulator {
    let (s, c) = tilt.sin_cos();
    let at = [0.5 * LENGTH * s, DEPTH + 0.5 * LENGTH * c + radius * s.abs() + 1e-4];
    let text = format!(
        "[simulation]\nstep = 0.002\nsleep = false\nthreads = 1\n\
         [[body]]\nname = \"floor\"\nfriction = {friction}\nshape = {{ type = \"plane\" }}\n\
         [[body]]\nname = \"hole\"\nfriction = {friction}\nstatic = true\nposition = [0, 0, {}]\n\
         shape = {{ type = \"tube\", inner_radius = 0.005, outer_radius = 0.012, height = {DEPTH} }}\n\
         [[body]]\nname = \"peg\"\nfriction = {friction}\ndensity = 7800\nposition = [{}, 0, {}]\n\
         orientation = {{ axis = [0, 1, 0], angle = {tilt} }}\n\
         shape = {{ type = \"cylinder\", radius = {radius}, height = {LENGTH} }}\n",
        0.5 * DEPTH,
        at[0],
        at[1],
    );
    let scene = Scene::parse("round.toml", &text).unwrap();
    Simulator::new(scene.model, scene.state, scene.settings).unwrap()
}

/// Height of the peg's centre and its vertical speed.
fn peg(sim: &Simulator) -> (f64, f64) {
    let id = sim.model.find("peg").unwrap();
    (sim.state.pose(id).position.z, sim.state.twist(id).linear.z)
}

/// A peg that is upright and in the middle falls freely to the floor, and rests on it.
#[test]
fn an_upright_peg_falls_freely() {
    for clearance in [5e-4, 1e-4, 2e-5] {
        let mut sim = round(5e-3 - 0.5 * clearance, 0.0, 0.5);
        let start = peg(&sim).0;
        let mut steps = 0;
        while peg(&sim).0 > 0.5 * LENGTH + 2e-3 {
            let report = sim.step().unwrap();
            assert_eq!(report.solves.failures, 0);
            steps += 1;
            let fallen = 9.81 * 0.002 * f64::from(steps);
            assert!((peg(&sim).1 + fallen).abs() < 1e-12, "step {steps}: {}", peg(&sim).1);
        }
        assert!(start - peg(&sim).0 > 0.9 * DEPTH);
        (0..50).for_each(|_| assert_eq!(sim.step().unwrap().solves.failures, 0));
        assert!((peg(&sim).0 - 0.5 * LENGTH).abs() < 1e-9, "{}", peg(&sim).0);
    }
}

/// A peg that leans rights itself on the rim, goes in, and ends upright on the floor; nothing overlaps on
/// the way.
#[test]
fn a_leaning_peg_goes_in() {
    for (clearance, tilt) in [(1e-4, 1.0_f64), (1e-4, 3.0), (2e-5, 0.5), (2e-5, 1.0)] {
        let mut sim = round(5e-3 - 0.5 * clearance, tilt.to_radians(), 0.1);
        let (mut deepest, mut failures) = (0.0_f64, 0);
        for k in 0..400 {
            failures += sim.step().unwrap().solves.failures;
            if k % 10 == 0 {
                deepest = deepest.max(oracle::deepest(&sim.model, &sim.state).0);
            }
        }
        let (z, what) = (peg(&sim).0, format!("{clearance} m, {tilt} degrees"));
        assert!((z - 0.5 * LENGTH).abs() < 1e-9, "{what}: {z}");
        assert!(deepest < 1e-8, "{what}: overlap {deepest}");
        assert_eq!(failures, 0, "{what}");
    }
}

/// The built-in scene at the sizes of Factory, and with 0.5, 0.1 and 0.02 mm of clearance on 10 mm, three
/// degrees askew: it ends upright on the floor, nothing overlaps in any step, and no step takes more
/// than a bounded number of solves: three where there is 0.1 mm, and some hundred at 0.02 mm, where the normal
/// at a rim goes around by a right angle within a step and rounds run out.
#[test]
fn the_round_peg_goes_in_at_every_clearance() {
    for [hole, radius] in [[4.05e-3, 3.993e-3], [5e-3, 4.75e-3], [5e-3, 4.95e-3], [5e-3, 4.99e-3]] {
        let sets = [
            format!("body.hole.shape.inner_radius={hole}"),
            format!("body.peg.shape.radius={radius}"),
            "sleep=false".to_owned(),
            "threads=1".to_owned(),
        ];
        let sets: Vec<Override> = sets.iter().map(|s| Override::parse(s).unwrap()).collect();
        let scene = Scene::open("round-peg", &sets).unwrap();
        let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
        let what = format!("peg of {radius} m in a hole of {hole} m");
        let mut deepest = 0.0_f64;
        for k in 0..300 {
            let report = sim.step().unwrap();
            assert_eq!(report.solves.failures, 0, "{what}, step {k}");
            assert!(report.substeps <= 10, "{what}, step {k}: {} substeps", report.substeps);
            assert!(
                report.solves.count <= if radius > 4.98e-3 { 250 } else { 12 },
                "{what}, step {k}: {}",
                report.solves.count
            );
            deepest = deepest.max(oracle::deepest(&sim.model, &sim.state).0);
        }
        let z = peg(&sim).0;
        assert!((z - 0.5 * LENGTH).abs() < 1e-9, "{what}: {z}");
        let up = sim.state.pose(sim.model.find("peg").unwrap()).orientation * Vec3::Z;
        assert!(up.z > 1.0 - 1e-12, "{what}: {up}");
        assert!(deepest < 1e-7, "{what}: overlap {deepest}");
    }
}

/// A peg that is thicker than the hole by 10 um stays out, and falls over.
#[test]
fn a_peg_too_thick_stays_out() {
    let mut sim = round(5.005e-3, 0.02, 0.1);
    let mut deepest = 0.0_f64;
    for _ in 0..300 {
        sim.step().unwrap();
        deepest = deepest.max(oracle::deepest(&sim.model, &sim.state).0);
    }
    // It lies on the floor beside the plate.
    let z = peg(&sim).0;
    assert!((z - 5.005e-3).abs() < 1e-8 && deepest < 1e-7, "{z}, overlap {deepest}");
}
