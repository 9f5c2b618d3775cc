//! What a step leaves to look at.

use complementarity::{Decorator, Problem, ProblemClass, SolveError, residual};
use stickslip::{Dimension, geometry::Vec3, hook::Solve};

use crate::scene::{G, cube, ground, settings, simulate};

/// The problem and the solution kept are those of the step: the impulses carry the weight, and
/// the residual measured again is the one reported.
#[test]
fn the_last_problem_is_kept_with_its_solution() {
    let bodies = vec![ground(Dimension::Three), cube(1.0).at(Vec3::Z * 0.5)];
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(0.01));
    for k in 0..3 {
        let report = sim.step().unwrap();
        let last = &sim.pipeline.last;
        let solve = last.solve.as_ref().unwrap();
        let Solve::Contacts { problem, solution: Some(found), .. } = solve else {
            panic!("{solve:?}")
        };
        assert_eq!(residual::contacts(problem, &found.impulses), report.solves.residual);
        let (general, _, solution) = solve.general().unwrap();
        let solution = solution.unwrap();
        assert!(residual::natural(&general, &solution.z) < 1e-12);
        let Problem::Lcp(lcp) = &general else { panic!("{:?}", general.class()) };
        let push: f64 = lcp.contacts.iter().map(|c| solution.z[c.normal]).sum();
        assert!((push - 0.01 * G).abs() < 1e-12, "{push}");
        let data = last.data.as_ref().unwrap();
        assert_eq!((&data.report, data.start.step), (&report, k));
        let push: f64 = data.motion.forces.iter().map(|f| f.normal).sum();
        assert!((push - 0.01 * G).abs() < 1e-12, "{push}");
    }
    // up in the air there is nothing to solve
    sim.state.q[1].position.z = 5.0;
    sim.step().unwrap();
    assert!(sim.pipeline.last.solve.is_none());
    assert_eq!(sim.pipeline.last.data.as_ref().unwrap().start.step, 3);
}

/// A problem that no solver could take is kept without a solution, and the step before it stays
/// what was done last.
#[test]
fn a_problem_that_failed_is_kept() {
    let bodies = vec![ground(Dimension::Three), cube(1.0).at(Vec3::Z * 0.5)];
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(0.01));
    sim.step().unwrap();
    Decorator::put(&mut sim.pipeline.solver, |_, _, _, _| {
        Err(SolveError::Class { solver: "none", class: ProblemClass::Lcp })
    });
    sim.step().unwrap_err();
    let last = &sim.pipeline.last;
    assert!(last.solve.as_ref().unwrap().general().unwrap().2.is_none());
    assert_eq!(last.data.as_ref().unwrap().report.step, 1);
}
