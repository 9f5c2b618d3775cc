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

/// Speeds that have lost their digits to underflow are solved by whatever is as small.
#[test]
fn underflow_is_no_failure() {
    let problem = block(Law::Polygon { mu: 0.5, corners: 7 }, [-1.5e-323, 1e-323, 0.0]);
    for p in [[0.0; 3], [1e-323, 0.0, 0.0]] {
        let error = residual::contacts(&problem, &[p]);
        assert!(
            error > 0.0 && residual::accepts_contacts(&problem, &[p], error, 1e-8),
            "{error:e}"
        );
    }
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

/// Two contacts that push one body to either side, and are to open: nothing does that. The larger the
/// impulses, the larger their round-off; it must not excuse what is left.
fn squeezed() -> ContactProblem {
    let mut problem = ContactProblem::new(1);
    for side in [1.0, -1.0] {
        problem.push(Law::FRICTIONLESS, &[0], &[side], [-1.0, 0.0, 0.0]).unwrap();
    }
    problem
}

#[test]
fn round_off_excuses_no_failure() {
    let (problem, p) = (squeezed(), [[1e15, 0.0, 0.0]; 2]);
    let error = residual::contacts(&problem, &p);
    assert_eq!(error, 1.0);
    assert!(residual::accepts_contacts(&problem, &p, error, 1e-8));
    assert!(error > residual::contacts_excused(&problem));
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

const NATIVE: [&str; 3] = ["nsgs", "proximal-newton", "auto"];

/// Pushed down by 1 and sideways: sticks inside the cone, slides with mu p_n outside it.
#[test]
fn a_contact_sticks_slides_and_parts() {
    for name in NATIVE {
        for law in [Law::Disc { mu: 0.5 }, Law::Polygon { mu: 0.5, corners: 7 }] {
            let impulses = |b| {
                let found = solve(name, &block(law, b), &[]);
                assert_eq!(found.status, Status::Solved, "{name} {law:?}");
                found.impulses[0]
            };
            let close = |p: [f64; 3], q: [f64; 3]| apart(&p, &q) < 1e-9;
            let sticks = impulses([-1.0, 0.2, 0.1]);
            assert!(close(sticks, [1.0, -0.2, -0.1]), "{name} {law:?} {sticks:?}");
            // the polygon has a corner along +t1
            let slides = impulses([-1.0, -2.0, 0.0]);
            assert!(close(slides, [1.0, 0.5, 0.0]), "{name} {law:?} {slides:?}");
            assert_eq!(impulses([1.0, -2.0, 0.0]), [0.0; 3], "{name} {law:?}");
        }
        let round = solve(name, &block(Law::Disc { mu: 0.5 }, [-2.0, 3.0, 4.0]), &[]);
        assert!(apart(&round.impulses[0], &[2.0, -0.6, -0.8]) < 1e-8, "{name} {round:?}");
    }
}

/// One contact in the plane, by a disc and by a polygon of two corners.
#[test]
fn contacts_in_the_plane() {
    for name in NATIVE {
        for law in [Law::Disc { mu: 0.5 }, Law::Polygon { mu: 0.5, corners: 2 }] {
            let mut problem = ContactProblem::new(2);
            problem.push(law, &[1, 0], &[1.0, 0.0, 0.3, 1.0], [-1.0, 2.0, 0.0]).unwrap();
            // slides: W = [[1, 0.3], [0.3, 1.09]], p_t = -p_n / 2, p_n (1 - 0.15) = 1
            let found = solve(name, &problem, &[]);
            let expected = [1.0 / 0.85, -0.5 / 0.85, 0.0];
            assert!(apart(&found.impulses[0], &expected) < 1e-8, "{name} {law:?} {found:?}");
        }
    }
}

/// The same contact three times: impulses may be shared in any way, the motion is one.
#[test]
fn repeated_contacts_do_no_harm() {
    for name in NATIVE {
        let mut problem = ContactProblem::new(3);
        let eye = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        for _ in 0..3 {
            problem.push(Law::Disc { mu: 0.5 }, &[0, 1, 2], &eye, [-2.0, 3.0, 4.0]).unwrap();
        }
        let found = solve(name, &problem, &[]);
        assert_eq!(found.status, Status::Solved, "{name}");
        let v = problem.motion(&found.impulses);
        assert!(apart(&v, &[2.0, -0.6, -0.8]) < 1e-8, "{name} {v:?}");
    }
}

/// Without friction there is one motion, whoever finds it.
#[test]
fn frictionless_motions_agree() {
    for seed in 0..12 {
        let mut rng = StdRng::seed_from_u64(300 + seed);
        let (problem, _) = pile(&mut rng, (6, 2), |_| Law::FRICTIONLESS);
        let motions = NATIVE.map(|name| {
            let found = solve(name, &problem, &[]);
            let error = residual::contacts(&problem, &found.impulses);
            assert!(error < 1e-8, "seed {seed} {name} {error} {:?}", found.status);
            problem.motion(&found.impulses)
        });
        for v in &motions {
            let apart = apart(v, &motions[1]);
            assert!(apart < 1e-5, "seed {seed}: {apart}");
        }
    }
}

/// With friction: what `nsgs` finds, Newton's method takes for a solution too and stays there; the
/// energy falls by at least that of the change, `|v0 + v|² <= |v0|² - |v|²`; twice gives the same bits.
#[test]
fn frictional_solutions_hold_for_all_and_lose_energy() {
    let mut solved = [0; 3];
    for seed in 0..12 {
        for law in [any_law, round_law] {
            let mut rng = StdRng::seed_from_u64(400 + seed);
            let (problem, free) = pile(&mut rng, (5, 3), law);
            let rough = (0..problem.len())
                .all(|c| !matches!(problem.law(c), Law::Interval { lower, .. } if lower < 0.0));
            for (name, solved) in NATIVE.iter().zip(&mut solved) {
                let found = solve(name, &problem, &[]);
                assert_eq!(found, solve(name, &problem, &[]), "seed {seed} {name}");
                let error = residual::contacts(&problem, &found.impulses);
                if found.status != Status::Solved {
                    continue;
                }
                *solved += 1;
                let limit = 1e-9;
                assert!(error < limit, "seed {seed} {name}: {error}");
                let v = problem.motion(&found.impulses);
                let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
                let after: Vec<f64> = free.iter().zip(&v).map(|(a, b)| a + b).collect();
                let gain = square(&after) + square(&v) - square(&free);
                assert!(!rough || gain < 10.0 * limit, "seed {seed} {name}: {gain}");
                let onward = solve("proximal-newton", &problem, &found.impulses);
                let moved = apart(&problem.motion(&onward.impulses), &v);
                assert!(moved < 1e3 * limit, "seed {seed} {name}: {moved}");
            }
        }
    }
    // of 24; where bodies are so close that slips feed on each other sweeps do not reach 1e-10
    assert!(solved[0] >= 8 && solved[1] >= 23 && solved[2] >= 23, "{solved:?}");
}

/// The start that solves is returned; one that nearly does is mended to round-off.
#[test]
fn a_start_that_rests_is_kept() {
    let mut rng = StdRng::seed_from_u64(7);
    let (mut problem, _) = pile(&mut rng, (3, 4), |_| Law::Disc { mu: 4.0 });
    // everything falls straight down onto rough ground
    let down: Vec<f64> = (0..18).map(|i| if i % 6 == 2 { -1.0 } else { 0.0 }).collect();
    for c in 0..problem.len() {
        *problem.b_mut(c) = problem.times(c, &down);
    }
    let first = solve("auto", &problem, &[]);
    let error = residual::contacts(&problem, &first.impulses);
    assert!(error < 1e-10, "{error} {:?}", first.status);
    for c in 0..problem.len() {
        *problem.b_mut(c) = problem.b(c).map(|b| 1.0001 * b);
    }
    let second = solve("auto", &problem, &first.impulses);
    let error = residual::contacts(&problem, &second.impulses);
    assert!(error < 1e-13, "{error} {}", second.solver);
    let third = solve("auto", &problem, &second.impulses);
    assert_eq!(third.solver, "warm-start");
    let moved = apart(third.impulses.as_flattened(), second.impulses.as_flattened());
    assert!(moved < 1e-14, "{moved}");
}

/// Two piles that do not touch are solved as if the other were not there.
#[test]
fn islands_do_not_see_each_other() {
    let mut rng = StdRng::seed_from_u64(11);
    let piles = [pile(&mut rng, (3, 3), round_law).0, pile(&mut rng, (4, 2), round_law).0];
    let mut both = ContactProblem::new(18 + 24);
    for (problem, shift) in piles.iter().zip([0, 18]) {
        for c in 0..problem.len() {
            let columns: Vec<u32> = problem.columns(c).iter().map(|v| v + shift).collect();
            both.push(problem.law(c), &columns, problem.rows(c), problem.b(c)).unwrap();
        }
    }
    let together = solve("auto", &both, &[]).impulses;
    let apart: Vec<[f64; 3]> =
        piles.iter().flat_map(|problem| solve("auto", problem, &[]).impulses).collect();
    assert_eq!(together, apart);
}

/// What a solver keeps from call to call is memory only: the same bits whatever came before.
#[test]
fn solves_do_not_depend_on_earlier_ones() {
    let mut rng = StdRng::seed_from_u64(17);
    let problems = [(40, 3), (2, 2), (5, 3)].map(|size| pile(&mut rng, size, round_law).0);
    let ask = Ask { sweeps: Some(40), factorizations: Some(5), ..Ask::default() };
    for name in NATIVE {
        let mut kept = registry::make(name, &Options::new()).unwrap();
        for _ in 0..2 {
            for problem in &problems {
                let found = kept.solve_contacts(problem, &[], &ask, &mut NoWatch).unwrap();
                let mut fresh = registry::make(name, &Options::new()).unwrap();
                let expected = fresh.solve_contacts(problem, &[], &ask, &mut NoWatch).unwrap();
                assert_eq!(found, expected, "{name}");
                kept.reuse(found);
            }
        }
    }
}

/// Nobody works more than asked, and no result is worse than its start.
#[test]
fn the_budget_bounds_the_work() {
    let mut rng = StdRng::seed_from_u64(21);
    let (problem, _) = pile(&mut rng, (60, 3), round_law);
    let mut solver = registry::make("auto", &Options::new()).unwrap();
    let mut last = residual::contacts(&problem, &vec![[0.0; 3]; problem.len()]);
    for (sweeps, factorizations) in [(0, 0), (10, 0), (40, 0), (40, 3)] {
        let ask =
            Ask { sweeps: Some(sweeps), factorizations: Some(factorizations), ..Ask::default() };
        let found = solver.solve_contacts(&problem, &[], &ask, &mut NoWatch).unwrap();
        assert!(found.iterations <= sweeps + factorizations, "{found:?}");
        assert_ne!(found.status, Status::Solved);
        let error = residual::contacts(&problem, &found.impulses);
        assert!(error <= last, "{sweeps} {factorizations}: {error} {last}");
        last = error;
        let ask = Ask { sweeps: Some(2), factorizations: Some(0), ..Ask::default() };
        let onward = solver.solve_contacts(&problem, &found.impulses, &ask, &mut NoWatch).unwrap();
        assert!(residual::contacts(&problem, &onward.impulses) <= error);
    }
    let ask = Ask { accuracy: 1e-3, ..Ask::default() };
    let found = solver.solve_contacts(&problem, &[], &ask, &mut NoWatch).unwrap();
    assert_eq!(found.status, Status::Solved, "{}", found.solver);
}

/// Recorded piles of a hundred hulls: 1e-3 within 200 sweeps from nothing.
#[test]
fn piles_are_solved_by_sweeps() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems/piles");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no problems in {}", folder.display());
        return;
    };
    for file in files {
        let path = file.unwrap().path();
        let problem = complementarity::file::read(&path).unwrap();
        let problem = complementarity::reduce::read(&problem).unwrap();
        let mut solver = registry::make("nsgs", &Options::new()).unwrap();
        let ask = Ask { accuracy: 1e-3, sweeps: Some(200), ..Ask::default() };
        let found = solver.solve_contacts(&problem, &[], &ask, &mut NoWatch).unwrap();
        let error = residual::contacts(&problem, &found.impulses);
        assert!(error <= 1e-3, "{}: {error} after {}", path.display(), found.iterations);
    }
}

/// The work on a chain has a bound for a caller who wants no digits while bodies move: its sweeps, and 8 steps
/// of Newton's method before and after them where there is a start and nothing is fast.
#[test]
fn the_work_on_chains_is_bounded() {
    let mut seed = 17_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for speed in [1.0, 1e-3] {
        let mut problem = ContactProblem::new(6 * 21);
        for k in 0..80_u32 {
            let columns: Vec<u32> = (6 * (k / 4)..6 * (k / 4) + 12).collect();
            let rows: Vec<f64> = (0..36).map(|_| random()).collect();
            let b = std::array::from_fn(|_| speed * (random() - 0.5));
            problem.push(Law::Polygon { mu: 0.5, corners: 7 }, &columns, &rows, b).unwrap();
        }
        let start: Vec<[f64; 3]> =
            (0..80).map(|_| [0.1 * speed * (1.0 + random()), 0.0, 0.0]).collect();
        let ask = Ask {
            acceptable: 1e-4,
            sweeps: Some(20),
            factorizations: Some(100),
            rough: 0.1,
            ..Ask::default()
        };
        let mut solver = registry::make("auto", &Options::new()).unwrap();
        let found = solver.solve_contacts(&problem, &start, &ask, &mut NoWatch).unwrap();
        let most = if speed > ask.rough { 20 } else { 36 };
        assert!(
            found.iterations <= most,
            "seed 17: {} at {speed} m/s, {}",
            found.iterations,
            found.solver
        );
    }
}

/// A start that is worse than none does no harm to a caller who wants no digits: one body on many redundant
/// contacts, as on the flanks of a thread, whose impulses came from other contacts.
#[test]
fn a_start_that_is_worse_than_none_is_none() {
    let mut seed = 5_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for case in 0..6 {
        let mut problem = ContactProblem::new(4);
        for k in 0..400 {
            // flanks that look up and down by turns, all around
            let (s, c) = (0.1 * f64::from(k)).sin_cos();
            let up = if k % 2 == 0 { 1.0 } else { -1.0 };
            let normal = [0.3 * c, 0.3 * s, up, 0.2 * up + 1e-9 * random()];
            let around = [-s, c, 0.0, 1.0];
            let rise = [c, s, -0.3 * up, 1e-3 * random()];
            let rows: Vec<f64> = [normal, around, rise].concat();
            // it comes down at 1 mm/s, with room above, and turns
            let b = [-1e-3 * up, 1e-2 * (1.0 + 0.1 * random()), 1e-3 * random()];
            let law = Law::Polygon { mu: 0.1, corners: 7 };
            problem.push(law, &[0, 1, 2, 3], &rows, b).unwrap();
        }
        let start: Vec<[f64; 3]> = (0..400).map(|_| [10.0 * (1.0 + random()), 0.0, 0.0]).collect();
        let ask = Ask {
            acceptable: 1e-4,
            sweeps: Some(160),
            factorizations: Some(100),
            rough: 0.05,
            ..Ask::default()
        };
        let mut solver = registry::make("auto", &Options::new()).unwrap();
        let found = solver.solve_contacts(&problem, &start, &ask, &mut NoWatch).unwrap();
        let error = residual::contacts(&problem, &found.impulses);
        assert!(error <= 1e-6, "seed 5, case {case}: {error} by {}", found.solver);
    }
}

/// A problem that is large enough to be swept in parts, most of whose contacts belong to one body that comes after
/// the others: it has to end in a part that is not split again.
#[test]
fn a_body_with_most_of_the_contacts_is_a_part() {
    for light in [1, 40] {
        let mut problem = ContactProblem::new(6 * (light + 1));
        let mut push = |body: u32| {
            problem.push(Law::FRICTIONLESS, &[6 * body + 2], &[1.0], [-1.0, 0.0, 0.0]).unwrap();
        };
        (0..light as u32).for_each(&mut push);
        (0..1200).for_each(|_| push(light as u32));
        let found = solve("nsgs", &problem, &[]);
        assert_eq!(found.status, Status::Solved);
        let most: f64 = found.impulses[light..].iter().map(|p| p[0]).sum();
        assert!((most - 1.0).abs() < 1e-9, "{most}");
        found.impulses[..light].iter().for_each(|p| assert!((p[0] - 1.0).abs() < 1e-9, "{p:?}"));
    }
}
