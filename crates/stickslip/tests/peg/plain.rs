//! The simpler formulations: Anitescu-Potra, corrective, LNC.

use stickslip::{
    BodyInit, Dimension, Simulator,
    complementarity::options::Options,
    geometry::{Solid, Vec3},
};

use super::scene::{G, cube, run, settings, simulate, square};

fn on_the_ground(formulation: &str, mu: f64, height: f64, v: Vec3) -> Simulator {
    let bodies = vec![
        BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).friction(mu),
        cube(1.0).friction(mu).at(Vec3::Z * (0.5 + height)).velocity(v),
    ];
    simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(formulation, 0.01))
}

/// A box on the ground slides `v² / (2 mu g)` (in the scheme's own steps) and stays there.
#[test]
fn anitescu_potra_slides_and_stops() {
    let mut sim = on_the_ground("anitescu-potra", 0.4, 0.0, Vec3::X * 2.0);
    run(&mut sim, 1.0, 0);
    let (h, a, mut x, mut v) = (0.01, 0.4 * G, 0.0, 2.0_f64);
    for _ in 0..100 {
        v = (v - a * h).max(0.0);
        x += h * v;
    }
    let off = sim.state.q[1].position.distance(Vec3::new(x, 0.0, 0.5));
    assert!(off < 1e-9, "off by {off:e}");
}

/// What has sunk in neither sinks further nor comes out; what falls is not stopped before it
/// touches, and sinks in by less than a step's travel.
#[test]
fn anitescu_potra_knows_velocities_alone() {
    let mut sim = on_the_ground("anitescu-potra", 0.0, -1e-3, Vec3::ZERO);
    run(&mut sim, 0.5, 0);
    assert!((sim.state.q[1].position.z - 0.499).abs() < 1e-9, "{}", sim.state.q[1].position);
    let mut sim = on_the_ground("anitescu-potra", 0.0, 0.1, Vec3::ZERO);
    let met = run(&mut sim, 0.5, 1);
    let travel = (2.0 * G * 0.1_f64).sqrt() * 0.01;
    assert!(met.depth > 1e-4 && met.depth < 1.1 * travel, "sank in by {}", met.depth);
}

/// The corrective method lets a body sink in, then throws it out with depth / h.
#[test]
fn corrective_method_bounces() {
    let mut sim = on_the_ground("corrective", 0.0, 0.1, Vec3::ZERO);
    let mut rise = 0.0_f64;
    let mut depth = 0.0_f64;
    for _ in 0..60 {
        let before = 0.5 - sim.state.q[1].position.z;
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0);
        // below that the detector may see it touch
        if before > 1e-12 {
            let v = sim.state.nu[1].linear.z;
            assert!((v - before / 0.01).abs() < 1e-9, "left with {v} from a depth of {before}");
        }
        depth = depth.max(before);
        rise = rise.max(sim.state.nu[1].linear.z);
    }
    assert!(depth > 1e-4 && rise > 0.05, "sank by {depth}, rose with {rise}");
}

/// LNC and both forms of PEG pass a tight hole.
#[test]
fn lnc_passes_a_tight_hole() {
    let end = |formulation: &str| {
        let block = |x: f64| square(2.0).fixed().at(Vec3::new(x, -1.0, 0.0));
        let bodies = vec![block(-1.5005), block(1.5005), square(1.0).at(Vec3::Y * 0.7)];
        let mut sim = simulate(Dimension::Two, -Vec3::Y * G, bodies, settings(formulation, 0.01));
        run(&mut sim, 0.5, 0);
        sim.state.q[2].position.y
    };
    let free = 0.7 - G * 0.5 * 0.51 / 2.0;
    for formulation in ["lnc", "peg", "peg-several"] {
        let y = end(formulation);
        assert!((y - free).abs() < 1e-9, "{formulation}: at {y}, not {free}");
    }
}

/// A problem that the solver cannot solve (here: it may not even begin) is given up in favour of
/// simpler ones, and the report says so; the run goes on with finite numbers.
#[test]
fn unsolved_problems_are_reported() {
    let bodies = vec![
        square(4.0).fixed().at(-Vec3::Y * 2.0),
        square(1.0).at(Vec3::new(1.6, 0.5, 0.0)),
        square(1.0).at(Vec3::new(1.7, 1.5, 0.0)),
    ];
    let mut setup = settings("peg", 0.01);
    setup.solver = "lemke".into();
    setup.solver_options = Options::new().with("max_iterations", 1_usize);
    let mut sim = simulate(Dimension::Two, -Vec3::Y * G, bodies, setup);
    let report = sim.step().unwrap();
    assert!(report.fallbacks >= 1 && report.solves.failures == 1, "{report:?}");
    assert!(sim.state.q.iter().all(|q| q.position.is_finite()));
}
