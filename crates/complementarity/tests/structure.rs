//! Families with a structure of their own: sparse M-matrices (obstacles, bearings, options), games, and
//! semidefinite plus positive matrices.

#![allow(clippy::unwrap_used)] // helpers of tests may

#[path = "../../../bench/complementarity/families.rs"]
mod families;

use complementarity::problem::Csc;
use complementarity::solver::NoWatch;
use complementarity::{Matrix, Mlcp, Options, Problem, Solution, Status, registry, residual};

fn solve(name: &str, problem: &Problem) -> Solution {
    let mut solver = registry::make(name, &Options::new()).unwrap();
    solver.solve(problem, &[], &mut NoWatch).unwrap()
}

/// Active sets and an interior point share no code but agree; `auto` chooses the former.
#[test]
fn active_sets_agree_with_an_interior_point() {
    let problems = [
        ("obstacle", families::obstacle(40)),
        ("bearing 0.1", families::bearing(30, 0.1)),
        ("bearing 0.9", families::bearing(30, 0.9)),
        ("option", families::option(1500)),
        ("bending", families::bending(40)),
    ];
    for (name, problem) in problems {
        let (a, b) = (solve("auto", &problem), solve("interior-point", &problem));
        assert_eq!((a.status, a.solver), (Status::Solved, "active-set"), "{name}");
        assert!(residual::solved(&problem, &a.z, 1e-8), "{name}");
        let size = b.z.iter().fold(0.0_f64, |m, x| m.max(*x));
        for (x, y) in a.z.iter().zip(&b.z) {
            assert!((x - y).abs() < 1e-5 * size, "{name}: {x} {y}");
        }
    }
}

/// The work does not grow faster than the problem: rounds stay few.
#[test]
fn rounds_do_not_grow_with_the_size() {
    for n in [20, 60, 180] {
        for (name, problem) in
            [("obstacle", families::obstacle(n)), ("bearing", families::bearing(n, 0.5))]
        {
            let found = solve("active-set", &problem);
            assert_eq!(found.status, Status::Solved, "{name} {n}");
            assert!(found.iterations <= 8, "{name} {n}: {} rounds", found.iterations);
        }
    }
    for n in [100, 3000, 90_000, 1_000_000] {
        let found = solve("active-set", &families::option(n));
        assert_eq!(found.status, Status::Solved, "option {n}");
        assert!(found.iterations <= 12, "option {n}: {} rounds", found.iterations);
    }
}

/// Two obstacles, free unknowns and a wind: not symmetric, mixed.
#[test]
fn bounds_on_both_sides_and_wind() {
    let n = 50;
    let mut entries = vec![];
    for k in 0..n * n {
        let (i, j) = (k % n, k / n);
        entries.push((k, k, 4.6));
        let mut side = |inside: bool, other: usize, a: f64| {
            if inside {
                entries.push((k, other, a));
            }
        };
        side(i > 0, k.wrapping_sub(1), -1.5);
        side(i + 1 < n, k + 1, -1.0);
        side(j > 0, k.wrapping_sub(n), -1.1);
        side(j + 1 < n, k + n, -1.0);
    }
    let matrix = Matrix::Sparse(Csc::from_triplets(n * n, n * n, &entries));
    let b = (0..n * n).map(|k| 0.3 * ((k % n) as f64 * 0.2).sin()).collect();
    let bound = |x: f64| {
        (0..n * n).map(|k| if k % 7 == 0 { f64::INFINITY * x } else { x }).collect::<Vec<f64>>()
    };
    let problem = Problem::Mlcp(Mlcp::new(matrix, b, bound(-0.2), bound(0.3)).unwrap());
    let (a, b) = (solve("active-set", &problem), solve("interior-point", &problem));
    assert_eq!((a.status, b.status), (Status::Solved, Status::Solved));
    a.z.iter().zip(&b.z).for_each(|(x, y)| assert!((x - y).abs() < 1e-6, "{x} {y}"));
    let held = a.z.iter().filter(|z| **z == -0.2 || **z == 0.3).count();
    assert!(held > 100 && held < n * n - 100, "{held}");
}

/// A warm start that is the solution takes no round; what is no M-matrix is not called solved.
#[test]
fn warm_starts_and_other_matrices() {
    let problem = families::obstacle(30);
    let first = solve("active-set", &problem);
    let mut solver = registry::make("active-set", &Options::new()).unwrap();
    let again = solver.solve(&problem, &first.z, &mut NoWatch).unwrap();
    assert_eq!((again.status, again.iterations), (Status::Solved, 0));
    for problem in [families::murty(40), families::game(30, 3), families::qp(60, 1)] {
        let found = solve("active-set", &problem);
        let solved = residual::solved(&problem, &found.z, 1e-8);
        assert_eq!(found.status == Status::Solved, solved);
    }
}

/// Games of two players, two moves each of which mix: paths of pivots through them may take minutes.
#[test]
fn large_games_are_solved() {
    for (n, seed) in [(200, 0), (200, 1), (400, 2), (1000, 0), (1000, 1)] {
        let problem = families::game(n, seed);
        for solver in ["auto", "pivotal"] {
            let found = solve(solver, &problem);
            assert_eq!(found.status, Status::Solved, "{solver}, n {n}, seed {seed}");
            assert!(residual::solved(&problem, &found.z, 1e-8), "{solver}, n {n}, seed {seed}");
        }
    }
}

/// Strictly copositive, far from monotone: the curve can only end at a solution.
#[test]
fn a_curve_leads_through_copositive_matrices() {
    for (n, seed) in [(50, 0), (50, 1), (120, 2), (180, 0), (250, 1)] {
        let problem = families::raised(n, seed);
        let found = solve("homotopy", &problem);
        assert_eq!(found.status, Status::Solved, "n {n}, seed {seed}");
        assert!(residual::solved(&problem, &found.z, 1e-8), "n {n}, seed {seed}");
    }
    let found = solve("auto", &families::raised(400, 3));
    assert_eq!(found.status, Status::Solved, "{}", found.solver);
}

/// Where the curve leads away or the problem is too large, it says so, and in time.
#[test]
fn a_curve_that_leads_nowhere_is_given_up() {
    for problem in [families::game(40, 1), families::game(60, 2)] {
        let found = solve("homotopy", &problem);
        let solved = residual::solved(&problem, &found.z, 1e-8);
        assert_eq!(found.status == Status::Solved, solved, "{:?}", found.status);
    }
    let mut solver = registry::make("homotopy", &Options::new()).unwrap();
    let error = solver.solve(&families::option(2001), &[], &mut NoWatch).unwrap_err();
    assert!(error.to_string().contains("2001 unknowns"), "{error}");
}
