//! Contacts as they are: their reduction to the other classes, and the methods that know them.

#![allow(clippy::unwrap_used)] // helpers of tests may

#[path = "support/contacts.rs"]
mod contacts;

use complementarity::problem::{ContactProblem, Law};
use complementarity::reduce::Reduced;
use complementarity::solver::NoWatch;
use complementarity::{
    Ask, ContactSolution, Options, Problem, ProblemClass, Status, registry, residual,
};
use contacts::{any_law, apart, pile, round_law};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn solve(name: &str, problem: &ContactProblem, start: &[[f64; 3]]) -> ContactSolution {
    let options = Options::new().with("tolerance", 1e-10);
    let mut solver = registry::make(name, &options).unwrap();
    solver.solve_contacts(problem, start, &Ask::default(), &mut NoWatch).unwrap()
}

/// One contact over its own three velocities: `W = I`.
fn block(law: Law, b: [f64; 3]) -> ContactProblem {
    let mut problem = ContactProblem::new(3);
    let eye = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    problem.push(law, &[0, 1, 2], &eye, b).unwrap();
    problem
}

/// Three rows become nine unknowns: a normal, seven corners and a slip.
#[test]
fn a_contact_of_three_rows_is_an_lcp_of_nine_unknowns() {
    let problem = block(Law::Polygon { mu: 0.5, corners: 7 }, [-1.0, -2.0, 0.3]);
    let reduced = Reduced::new(&problem).unwrap();
    let Problem::Lcp(lcp) = &reduced.problem else { panic!("{:?}", reduced.problem.class()) };
    assert_eq!((lcp.b.len(), lcp.contacts.len()), (9, 1));
    let contact = &lcp.contacts[0];
    assert_eq!((contact.normal, contact.friction.clone(), contact.slip), (0, 1..8, Some(8)));
    let a = lcp.matrix.to_dense();
    for k in 0..7 {
        let angle = std::f64::consts::TAU * k as f64 / 7.0;
        assert!((lcp.b[1 + k] - (-2.0 * angle.cos() + 0.3 * angle.sin())).abs() < 1e-15);
        assert_eq!((a.get(1 + k, 8), a.get(8, 1 + k)), (1.0, -1.0));
        for l in 0..7 {
            let between = std::f64::consts::TAU * (k as f64 - l as f64) / 7.0;
            assert!((a.get(1 + k, 1 + l) - between.cos()).abs() < 1e-15);
        }
    }
    assert_eq!((a.get(0, 0), a.get(8, 0), a.get(8, 8), a.get(0, 8)), (1.0, 0.5, 0.0, 0.0));
}

#[test]
fn classes_follow_the_laws() {
    let class = |law| Reduced::new(&block(law, [-1.0; 3])).map(|r| r.problem.class());
    assert_eq!(class(Law::Disc { mu: 0.5 }), Ok(ProblemClass::Cone));
    assert_eq!(class(Law::Disc { mu: 0.0 }), Ok(ProblemClass::Lcp));
    assert_eq!(class(Law::Polygon { mu: 0.5, corners: 5 }), Ok(ProblemClass::Lcp));
    let mut plane = ContactProblem::new(1);
    plane.push(Law::Disc { mu: 0.5 }, &[0], &[1.0, 1.0], [-1.0, 0.0, 0.0]).unwrap();
    assert_eq!(Reduced::new(&plane).unwrap().problem.class(), ProblemClass::Lcp);
    let spring = Law::Interval { lower: 0.0, upper: f64::INFINITY, compliance: 0.5 };
    plane.push(spring, &[0], &[1.0], [-1.0, 0.0, 0.0]).unwrap();
    assert_eq!(Reduced::new(&plane).unwrap().problem.class(), ProblemClass::Lcp);
    let free = Law::Interval { lower: f64::NEG_INFINITY, upper: 1.0, compliance: 0.0 };
    plane.push(free, &[0], &[1.0], [-1.0, 0.0, 0.0]).unwrap();
    assert_eq!(Reduced::new(&plane).unwrap().problem.class(), ProblemClass::Mlcp);
    // a polygon and a round cone
    let mut both = block(Law::Disc { mu: 0.5 }, [-1.0; 3]);
    let eye = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    both.push(Law::Polygon { mu: 0.5, corners: 5 }, &[0, 1, 2], &eye, [0.0; 3]).unwrap();
    assert!(Reduced::new(&both).unwrap_err().to_string().contains("contact 1"));
}

/// Impulses go to the reduced problem and come back, and a solution is one on both sides.
#[test]
fn starts_and_solutions_are_mapped_both_ways() {
    for seed in 0..20 {
        let mut rng = StdRng::seed_from_u64(seed);
        let law = if seed % 2 == 0 { any_law } else { round_law };
        let (problem, _) = pile(&mut rng, (4, 3), law);
        let reduced = Reduced::new(&problem).unwrap();
        let found = solve("proximal-newton", &problem, &[]);
        assert_eq!(found.status, Status::Solved, "seed {seed}");
        let error = residual::contacts(&problem, &found.impulses);
        assert!(error < 1e-9, "seed {seed}: {error}");
        let z = reduced.start(&found.impulses);
        let reduced_error = residual::natural(&reduced.problem, &z);
        assert!(reduced_error < 1e-9, "seed {seed}: {reduced_error}");
        let back: Vec<f64> = reduced.impulses(&z).into_iter().flatten().collect();
        let impulses: Vec<f64> = found.impulses.iter().flatten().copied().collect();
        assert!(apart(&back, &impulses) < 1e-12, "seed {seed}");
        // W p is the same on both sides
        let v = problem.motion(&found.impulses);
        let w = reduced.problem.matrix().times_plus(&z, reduced.problem.b());
        let contacts = reduced.problem.contacts().iter();
        let normals = contacts.map(|c| c.normal).zip(problem_normals(&problem));
        for (row, c) in normals {
            assert!((w[row] - problem.speed(c, &v)[0]).abs() < 1e-12, "seed {seed}");
        }
    }
}

/// The blocks that become contacts of an LCP.
fn problem_normals(problem: &ContactProblem) -> Vec<usize> {
    let contact = |law| !matches!(law, Law::Interval { .. }) || law == Law::FRICTIONLESS;
    (0..problem.len()).filter(|&c| contact(problem.law(c))).collect()
}

/// A wrong impulse has a residual on both sides.
#[test]
fn the_residual_sees_what_is_wrong() {
    let problem = block(Law::Disc { mu: 0.5 }, [-1.0, 0.2, 0.0]);
    assert_eq!(residual::contacts(&problem, &[[1.0, -0.2, 0.0]]), 0.0);
    // p = 0: u = b; u~ = (-1 + 0.1, 0.2, 0), P(-u~) = (0.9, -0.2, 0)
    assert!((residual::contacts(&problem, &[[0.0; 3]]) - 0.9).abs() < 1e-15);
    assert_eq!(residual::contacts(&problem, &[[f64::NAN, 0.0, 0.0]]), f64::INFINITY);
    assert_eq!(residual::contacts(&problem, &[]), f64::INFINITY);
    let law = Law::Interval { lower: -1.0, upper: 2.0, compliance: 0.5 };
    let mut row = ContactProblem::new(1);
    row.push(law, &[0], &[2.0], [-3.0, 0.0, 0.0]).unwrap();
    // u = 4 p - 3 + p / 2
    assert_eq!(residual::contacts(&row, &[[1.0, 0.0, 0.0]]), 1.5);
    assert!(residual::contacts(&row, &[[3.0 / 4.5, 0.0, 0.0]]) < 1e-15);
    // the row opens: the impulse should be at its lower bound
    assert_eq!(residual::contacts(&row, &[[2.5, 0.0, 0.0]]), 3.5);
    // tiny problems are held to a tiny tolerance, large ones to round-off
    let tiny = block(Law::Disc { mu: 0.0 }, [-1e-20, 0.0, 0.0]);
    assert!(!residual::accepts_contacts(&tiny, &[[0.0; 3]], 1e-20, 1e-8));
}

/// Methods that know nothing of contacts solve them by way of the reduction.
#[test]
fn reduced_and_unreduced_give_the_same_motion() {
    for seed in 0..10 {
        let mut rng = StdRng::seed_from_u64(100 + seed);
        let law = |_: &mut StdRng| Law::Polygon { mu: 0.3, corners: 5 };
        let (problem, _) = pile(&mut rng, (2, 2), law);
        let native = solve("proximal-newton", &problem, &[]);
        let error = residual::contacts(&problem, &native.impulses);
        assert!(error < 1e-9, "seed {seed}: {error}");
        let lemke = solve("lemke", &problem, &[]);
        if lemke.status != Status::Solved {
            continue;
        }
        let error = residual::contacts(&problem, &lemke.impulses);
        assert!(error < 1e-8, "seed {seed}: {error}");
        // friction has many solutions; from that of the one the other does not move
        let onward = solve("proximal-newton", &problem, &lemke.impulses);
        let apart = apart(&problem.motion(&onward.impulses), &problem.motion(&lemke.impulses));
        assert!(apart < 1e-8, "seed {seed}: {apart}");
    }
}

#[test]
fn a_class_that_is_not_accepted_is_an_error() {
    let mut lemke = registry::make("lemke", &Options::new()).unwrap();
    let problem = block(Law::Disc { mu: 0.5 }, [-1.0; 3]);
    let error = lemke.solve_contacts(&problem, &[], &Ask::default(), &mut NoWatch).unwrap_err();
    assert!(error.to_string().contains("Cone"), "{error}");
    let short = lemke.solve_contacts(&problem, &[[0.0; 3]; 2], &Ask::default(), &mut NoWatch);
    assert!(short.is_err());
}
