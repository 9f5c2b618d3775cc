//! Sizes of the problems, thesis (4.52)-(4.55).

use stickslip::{
    BodyInit, Dimension, StepReport,
    geometry::{Solid, Vec3},
    settings::ProblemForm,
};

use super::scene::{G, cube, settings, simulate};

/// A row of boxes on a slab that ends at x = 0, the first across its edge or not; the mixed
/// problem with velocities kept, `directions` edges of the friction cone.
fn first_step(formulation: &str, n_boxes: usize, across: bool, directions: usize) -> StepReport {
    let slab = Solid::cuboid(Vec3::new(20.0, 4.0, 1.0)).unwrap();
    let mut bodies =
        vec![BodyInit::new(&slab).fixed().friction(0.5).at(Vec3::new(-10.0, 0.0, -0.5))];
    let first = if across { -0.2 } else { -1.0 };
    for i in 0..n_boxes {
        let at = Vec3::new(first - i as f64, 0.0, 0.2);
        bodies.push(cube(0.4).friction(0.5).at(at));
    }
    let mut setup = settings(formulation, 0.01);
    setup.problem_form = ProblemForm::Full;
    setup.friction_directions = directions;
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, setup);
    let report = sim.step().unwrap();
    assert_eq!(report.solves.failures, 0);
    report
}

/// Without corners nearby every model writes (4.52): `6 n_B + n_u (2 + n_d)`.
#[test]
fn sizes_agree_away_from_corners() {
    for formulation in ["stewart-trinkle", "lnc", "peg", "peg-several"] {
        for (n, d) in [(1, 4), (3, 7)] {
            let report = first_step(formulation, n, false, d);
            assert_eq!(report.constraints.unilateral, 4 * n, "{formulation}");
            assert_eq!(report.solves.size, 6 * n + 4 * n * (2 + d), "{formulation}");
        }
    }
}

/// With `n_s` contacts in I constraints of two each, (4.53):
/// `6 n_B + (n_u - n_s)(2 + n_d) + n_s + n_s / 2 (n_d + 1)`, less than (4.52) for all `n_u`.
#[test]
fn inter_contact_constraints_make_problems_smaller() {
    for (n, d) in [(1, 4), (3, 7)] {
        let report = first_step("lnc", n, true, d);
        let n_s = 2 * report.constraints.inter;
        let n_u = report.constraints.unilateral + n_s;
        assert_eq!(n_s, 4);
        let expected = 6 * n + (n_u - n_s) * (2 + d) + n_s + n_s / 2 * (d + 1);
        assert_eq!(report.solves.size, expected);
        assert!(expected < 6 * n + n_u * (2 + d), "not below the standard model's (4.52)");
        // X constraints take one row for each of their contacts and add no friction where an I
        // constraint pushes already.
        let peg = first_step("peg", n, true, d);
        assert!(peg.solves.size <= expected + 3 * peg.constraints.cross, "{peg:?}");
    }
}
