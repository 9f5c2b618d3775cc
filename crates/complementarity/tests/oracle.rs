//! Small random problems against the enumeration of all bases.

#![allow(clippy::unwrap_used)] // helpers of tests may

use complementarity::problem::Dense;
use complementarity::solver::NoWatch;
use complementarity::{Lcp, Matrix, Mlcp, Options, Problem, Solution, Status, registry, residual};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn solve(name: &str, problem: &Problem) -> Solution {
    let mut solver = registry::make(name, &Options::new()).unwrap();
    solver.solve(problem, &[], &mut NoWatch).unwrap()
}

fn random_dense(rng: &mut StdRng, rows: usize, cols: usize) -> Dense {
    let mut a = Dense::zeros(rows, cols);
    a.values.iter_mut().for_each(|x| *x = rng.random_range(-1.0..1.0));
    a
}

/// `G'G + shift I` with `rank` rows in G.
fn psd(rng: &mut StdRng, n: usize, rank: usize, shift: f64) -> Dense {
    let g = random_dense(rng, rank, n);
    let mut a = Dense::zeros(n, n);
    for j in 0..n {
        for i in 0..n {
            a.values[j * n + i] = g.col(i).iter().zip(g.col(j)).map(|(x, y)| x * y).sum::<f64>();
        }
        a.values[j * n + j] += shift;
    }
    a
}

fn random_b(rng: &mut StdRng, n: usize) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

#[test]
fn lemke_finds_the_unique_solution_of_positive_definite_problems() {
    for seed in 0..200 {
        let mut rng = StdRng::seed_from_u64(seed);
        let n = rng.random_range(1..=9);
        let a = psd(&mut rng, n, n, 0.1);
        let b = random_b(&mut rng, n);
        let problem = Problem::Lcp(Lcp::new(Matrix::Dense(a), b).unwrap());
        let oracle = solve("enumerate", &problem);
        let found = solve("lemke", &problem);
        assert_eq!((oracle.status, found.status), (Status::Solved, Status::Solved), "seed {seed}");
        for (x, y) in oracle.z.iter().zip(&found.z) {
            assert!((x - y).abs() < 1e-9, "seed {seed}: {oracle:?} {found:?}");
        }
    }
}

#[test]
fn lemke_solves_every_solvable_semidefinite_problem_and_no_other() {
    for seed in 0..300 {
        let mut rng = StdRng::seed_from_u64(1000 + seed);
        let n = rng.random_range(1..=8);
        let rank = rng.random_range(1..=n.max(2) - 1);
        let mut b = random_b(&mut rng, n);
        // half of them degenerate: several equal and zero entries
        if seed % 2 == 0 {
            b.iter_mut().for_each(|x| *x = (*x * 2.0).round() / 2.0);
        }
        let a = psd(&mut rng, n, rank, 0.0);
        let problem = Problem::Lcp(Lcp::new(Matrix::Dense(a), b).unwrap());
        let oracle = solve("enumerate", &problem);
        let found = solve("lemke", &problem);
        let solvable = oracle.status == Status::Solved;
        assert_eq!(found.status == Status::Solved, solvable, "seed {seed}: {oracle:?} {found:?}");
        if solvable {
            assert!(residual::natural(&problem, &found.z) < 1e-9, "seed {seed}");
        } else {
            assert_eq!((oracle.status, found.status), (Status::NoSolution, Status::Ray));
        }
    }
}

#[test]
fn mixed_problems_agree_with_the_oracle() {
    for seed in 0..300 {
        let mut rng = StdRng::seed_from_u64(5000 + seed);
        let n = rng.random_range(1..=6);
        let a = psd(&mut rng, n, n, 0.05);
        let b = random_b(&mut rng, n);
        let (mut lower, mut upper) = (vec![], vec![]);
        for _ in 0..n {
            let (l, u) = match rng.random_range(0..4) {
                0 => (f64::NEG_INFINITY, f64::INFINITY),
                1 => (-0.3, 0.4),
                2 => (0.1, f64::INFINITY),
                _ => (f64::NEG_INFINITY, 0.2),
            };
            lower.push(l);
            upper.push(u);
        }
        let problem = Problem::Mlcp(Mlcp::new(Matrix::Dense(a), b, lower, upper).unwrap());
        let (oracle, found) = (solve("enumerate", &problem), solve("lemke", &problem));
        assert_eq!((oracle.status, found.status), (Status::Solved, Status::Solved), "seed {seed}");
        assert!(residual::natural(&problem, &found.z) < 1e-10, "seed {seed}");
        for (x, y) in oracle.z.iter().zip(&found.z) {
            assert!((x - y).abs() < 1e-8, "seed {seed}: {oracle:?} {found:?}");
        }
        let swept = solve("pgs", &problem);
        for (x, y) in swept.z.iter().zip(&found.z) {
            assert!((x - y).abs() < 1e-5, "seed {seed}: {swept:?} {found:?}");
        }
    }
}

/// Matrices of no class at all: whenever there is a solution `auto` finds one, and where there is
/// none it says so, as the enumeration of all bases proves.
#[test]
fn auto_agrees_with_the_oracle_on_matrices_of_no_class() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..400 {
        let mut rng = StdRng::seed_from_u64(9000 + seed);
        let n = rng.random_range(1..=12);
        let a = random_dense(&mut rng, n, n);
        let b = random_b(&mut rng, n);
        let problem = Problem::Lcp(Lcp::new(Matrix::Dense(a), b).unwrap());
        let (oracle, found) = (solve("enumerate", &problem), solve("auto", &problem));
        assert_eq!(found.status, oracle.status, "seed {seed}, n {n}");
        if oracle.status == Status::Solved {
            with += 1;
            assert!(residual::natural(&problem, &found.z) < 1e-9, "seed {seed}");
        } else {
            without += 1;
            assert_eq!(oracle.status, Status::NoSolution, "seed {seed}");
        }
    }
    assert!(with > 50 && without > 50, "{with} {without}");
}

#[test]
fn redundant_equations_are_no_obstacle() {
    // two equal joint rows (free unknowns 0 and 1) and one contact row pressed by it
    let a = Dense::from_rows(&[&[2.0, 2.0, 1.0], &[2.0, 2.0, 1.0], &[1.0, 1.0, 1.0]]);
    let (lower, upper) = (vec![f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0], vec![f64::INFINITY; 3]);
    let mlcp = Mlcp::new(Matrix::Dense(a), vec![1.0, 1.0, -2.0], lower, upper).unwrap();
    let problem = Problem::Mlcp(mlcp);
    let found = solve("lemke", &problem);
    assert_eq!(found.status, Status::Solved);
    assert!(residual::natural(&problem, &found.z) < 1e-13);
    // eliminating the joint leaves 0.5 p - 2.5 >= 0
    assert!((found.z[2] - 5.0).abs() < 1e-12);
}
