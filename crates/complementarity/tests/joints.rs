//! Mixed problems of joints (equations, some of them twice) and contacts, as an engine makes them.

#![allow(clippy::unwrap_used)] // helpers of tests may

use complementarity::problem::{Csc, Factored};
use complementarity::solver::NoWatch;
use complementarity::{Matrix, Mlcp, Options, Problem, Solution, Status, registry, residual};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// `joints` equations, each a second time if `twice`, and `contacts` unilateral rows on bodies of
/// masses up to `ratio`. At rest all rows hold, so there is a solution; the velocities it leaves
/// the bodies with are unique.
fn mechanism(seed: u64, joints: usize, contacts: usize, ratio: f64) -> (Problem, Csc, Vec<f64>) {
    let mut rng = StdRng::seed_from_u64(seed);
    let bodies = 8;
    let nv = 6 * bodies;
    let inverse_mass: Vec<f64> =
        (0..nv).map(|v| ratio.powf(-((v / 6) as f64) / (bodies - 1) as f64)).collect();
    let n = 2 * joints + contacts;
    let mut rows: Vec<Vec<(usize, f64)>> = vec![];
    for k in 0..joints + contacts {
        let (a, b) = (rng.random_range(0..bodies), rng.random_range(0..bodies));
        let mut row = vec![];
        for body in if a == b { vec![a] } else { vec![a, b] } {
            row.extend((0..6).map(|i| (6 * body + i, rng.random_range(-1.0..1.0))));
        }
        if k < joints {
            rows.push(row.clone());
        }
        rows.push(row);
    }
    let (mut left, mut right) = (vec![], vec![]);
    for (i, row) in rows.iter().enumerate() {
        for &(v, x) in row {
            left.push((i, v, x));
            right.push((v, i, x * inverse_mass[v]));
        }
    }
    let free: Vec<f64> = (0..nv).map(|_| rng.random_range(-1.0..1.0)).collect();
    let b = rows.iter().map(|r| r.iter().map(|&(v, x)| x * free[v]).sum()).collect();
    let right = Csc::from_triplets(nv, n, &right);
    let factored = Factored {
        left: Csc::from_triplets(n, nv, &left),
        right: right.clone(),
        d_block: Csc::from_triplets(n, n, &[]),
    };
    let mut lower = vec![0.0; n];
    lower[..2 * joints].fill(f64::NEG_INFINITY);
    let matrix = Matrix::Factored(Box::new(factored));
    let mlcp = Mlcp::new(matrix, b, lower, vec![f64::INFINITY; n]).unwrap();
    (Problem::Mlcp(mlcp), right, free)
}

fn solve(name: &str, problem: &Problem) -> Solution {
    registry::make(name, &Options::new()).unwrap().solve(problem, &[], &mut NoWatch).unwrap()
}

fn velocities(right: &Csc, free: &[f64], z: &[f64]) -> Vec<f64> {
    let mut nu = free.to_vec();
    right.add_times(z, &mut nu);
    nu
}

#[test]
fn redundant_joints_and_many_contacts_give_one_motion() {
    for (seed, joints, contacts) in [(1, 3, 10), (2, 6, 60), (3, 10, 100), (4, 0, 90), (5, 12, 0)] {
        let (problem, right, free) = mechanism(seed, joints, contacts, 10.0);
        let mut first: Option<Vec<f64>> = None;
        for solver in ["auto", "interior-point", "pivotal", "lemke"] {
            let found = solve(solver, &problem);
            let error = residual::natural(&problem, &found.z);
            assert_eq!(found.status, Status::Solved, "{solver}, seed {seed}: {error:e}");
            assert!(error < 1e-9, "{solver}, seed {seed}: {error:e}");
            let nu = velocities(&right, &free, &found.z);
            let reference = first.get_or_insert_with(|| nu.clone());
            for (x, y) in nu.iter().zip(reference.iter()) {
                assert!((x - y).abs() < 1e-6, "{solver}, seed {seed}: {x} {y}");
            }
        }
    }
}

#[test]
fn a_mass_ratio_of_1e8_is_no_obstacle() {
    for seed in 10..14 {
        let (problem, _, _) = mechanism(seed, 4, 70, 1e8);
        for solver in ["auto", "pivotal"] {
            let found = solve(solver, &problem);
            let error = residual::natural(&problem, &found.z);
            assert_eq!(found.status, Status::Solved, "{solver}, seed {seed}: {error:e}");
            let target = residual::target(&problem, &found.z, 1e-8);
            assert!(error <= target, "{solver}, seed {seed}: {error:e} {target:e}");
        }
    }
}

#[test]
fn a_warm_start_keeps_the_joints_exact() {
    let (problem, _, _) = mechanism(7, 8, 80, 100.0);
    let mut auto = registry::make("auto", &Options::new()).unwrap();
    let cold = auto.solve(&problem, &[], &mut NoWatch).unwrap();
    let warm = auto.solve(&problem, &cold.z, &mut NoWatch).unwrap();
    assert_eq!((warm.status, warm.fallbacks), (Status::Solved, 0));
    assert!(warm.iterations <= 1, "the active set of the solution is the right one: {warm:?}");
    let w = problem.matrix().times_plus(&warm.z, problem.b());
    assert!(w[..16].iter().all(|w| w.abs() < 1e-12), "{:?}", &w[..16]);
}
