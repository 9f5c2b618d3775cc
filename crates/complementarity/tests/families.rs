//! Random problems with known solutions, and agreement of methods that share no code.

#![allow(clippy::unwrap_used)] // helpers of tests may

#[path = "support/random.rs"]
mod random;

use complementarity::problem::{ConeRows, Csc, Dense, Factored};
use complementarity::solver::NoWatch;
use complementarity::{
    Cone, ContactRows, Lcp, Matrix, Options, Problem, Solution, Status, registry, residual,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use random::{FAMILIES, chain, copositive, gram, raised, with_solution};

fn solve(name: &str, problem: &Problem) -> Solution {
    let mut solver = registry::make(name, &Options::new()).unwrap();
    solver.solve(problem, &[], &mut NoWatch).unwrap()
}

#[test]
fn auto_and_pivotal_solve_every_family() {
    for (family, make) in FAMILIES {
        for seed in 0..24 {
            let mut rng = StdRng::seed_from_u64(seed);
            let n = [1, 2, 5, 12, 30, 61][seed as usize % 6];
            let matrix = make(&mut rng, n);
            let (problem, _) = with_solution(&mut rng, matrix, seed % 2 == 1);
            for solver in ["auto", "pivotal"] {
                let found = solve(solver, &problem);
                let error = residual::natural(&problem, &found.z);
                let what =
                    format!("{solver}, {family}, n {n}, seed {seed}: {:?} {error:e}", found.status);
                assert!(found.status == Status::Solved && error < 1e-9, "{what}");
            }
        }
    }
}

/// The same at the sizes that tests can afford; `examples/random.rs` goes up to 2000.
#[test]
fn larger_problems_of_every_family_are_solved_to_1e_9() {
    for (family, make) in FAMILIES {
        for (n, degenerate) in [(150, false), (151, true), (250, false), (251, true)] {
            let mut rng = StdRng::seed_from_u64(n as u64);
            let matrix = make(&mut rng, n);
            let (problem, _) = with_solution(&mut rng, matrix, degenerate);
            for solver in ["auto", "pivotal"] {
                let options = Options::new().with("tolerance", 1e-9);
                let mut method = registry::make(solver, &options).unwrap();
                let found = method.solve(&problem, &[], &mut NoWatch).unwrap();
                let error = residual::natural(&problem, &found.z);
                let what = format!("{solver}, {family}, n {n}: {:?} {error:e}", found.status);
                assert!(found.status == Status::Solved && error < 1e-9, "{what}");
            }
        }
    }
}

/// Full matrices that are not monotone: games, where paths may be long, and their symmetric sums
/// with semidefinite ones. What is found is a solution, if seldom the one planted.
#[test]
fn copositive_problems_do_not_get_lost() {
    for seed in 0..8 {
        let n = 160 + 30 * seed as usize;
        for make in [copositive, raised] {
            let mut rng = StdRng::seed_from_u64(300 + seed);
            let matrix = make(&mut rng, n);
            let (problem, _) = with_solution(&mut rng, matrix, seed % 2 == 1);
            let found = solve("auto", &problem);
            let error = residual::natural(&problem, &found.z);
            assert!(
                found.status == Status::Solved && error < 1e-9,
                "seed {seed}, n {n}: {error:e}"
            );
        }
    }
}

/// Where the solution is unique, methods that share no code find the same one.
#[test]
fn independent_methods_agree_on_larger_unique_problems() {
    for (n, seed) in [(60, 1), (200, 2)] {
        let mut rng = StdRng::seed_from_u64(seed);
        let matrix = gram(&mut rng, n, n, (1.0, 0.3));
        let (problem, z) = with_solution(&mut rng, matrix, true);
        for solver in ["auto", "pivotal", "lemke", "interior-point", "fischer-newton"] {
            let found = solve(solver, &problem);
            for (x, y) in found.z.iter().zip(&z) {
                assert!((x - y).abs() < 1e-7, "{solver}, n {n}: {x} {y}");
            }
        }
    }
}

#[test]
fn large_chains_are_solved_exactly() {
    for (n, seed) in [(500, 1), (2000, 2)] {
        let mut rng = StdRng::seed_from_u64(seed);
        let matrix = chain(&mut rng, n);
        let (problem, z) = with_solution(&mut rng, matrix, false);
        for solver in ["auto", "pivotal", "interior-point"] {
            let found = solve(solver, &problem);
            for (x, y) in found.z.iter().zip(&z) {
                assert!((x - y).abs() < 1e-9, "{solver}, n {n}: {x} {y}");
            }
        }
    }
}

#[test]
fn independent_methods_agree_where_the_solution_is_unique() {
    let solvers = [
        "auto",
        "pivotal",
        "lemke",
        "pgs",
        "psor",
        "jacobi",
        "fixed-point",
        "interior-point",
        "fischer-newton",
        "minmap-newton",
        "homotopy",
        "enumerate",
    ];
    for seed in 0..20 {
        let mut rng = StdRng::seed_from_u64(700 + seed);
        let n = rng.random_range(1..=12);
        let matrix = gram(&mut rng, n, n, (1.0, 0.0));
        let (problem, z) = with_solution(&mut rng, matrix, seed % 2 == 0);
        for solver in solvers {
            let found = solve(solver, &problem);
            assert_eq!(found.status, Status::Solved, "{solver}, seed {seed}");
            for (x, y) in found.z.iter().zip(&z) {
                assert!((x - y).abs() < 1e-7, "{solver}, seed {seed}: {x} {y}");
            }
        }
    }
}

/// A box on a plane, four corners, four friction directions, pushed sideways: the classic
/// redundant problem, with its factors. Mass 1, unit cube; velocities (v, omega).
fn box_on_plane(push: f64, mu: f64) -> Lcp {
    let corners = [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [-0.5, 0.5, -0.5], [0.5, 0.5, -0.5]];
    let directions = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    let (nc, nd) = (4, 4);
    let n = nc * (nd + 2);
    let inverse_mass = [1.0, 1.0, 1.0, 6.0, 6.0, 6.0];
    let mut wrenches = vec![vec![0.0; 6]; n];
    let wrench = |r: [f64; 3], d: [f64; 3]| {
        let c = [r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]];
        vec![d[0], d[1], d[2], c[0], c[1], c[2]]
    };
    for (c, r) in corners.into_iter().enumerate() {
        wrenches[c] = wrench(r, [0.0, 0.0, 1.0]);
        for (k, d) in directions.into_iter().enumerate() {
            wrenches[nc + c * nd + k] = wrench(r, [d[0], d[1], 0.0]);
        }
    }
    let (mut left, mut right, mut d_block, mut contacts) = (vec![], vec![], vec![], vec![]);
    for (i, wrench) in wrenches.iter().enumerate() {
        for (v, &x) in wrench.iter().enumerate().filter(|e| *e.1 != 0.0) {
            left.push((i, v, x));
            right.push((v, i, x * inverse_mass[v]));
        }
    }
    for c in 0..nc {
        let (friction, slip) = (nc + c * nd..nc + (c + 1) * nd, nc + nc * nd + c);
        d_block.push((slip, c, mu));
        for f in friction.clone() {
            d_block.push((f, slip, 1.0));
            d_block.push((slip, f, -1.0));
        }
        contacts.push(ContactRows { normal: c, friction, slip: Some(slip), mu });
    }
    let free = [push, 0.0, -0.0981, 0.0, 0.0, 0.0];
    let b = wrenches.iter().map(|w| w.iter().zip(free).map(|(w, v)| w * v).sum()).collect();
    let factored = Factored {
        left: Csc::from_triplets(n, 6, &left),
        right: Csc::from_triplets(6, n, &right),
        d_block: Csc::from_triplets(n, n, &d_block),
    };
    Lcp::new(Matrix::Factored(Box::new(factored)), b).unwrap().with_contacts(contacts)
}

#[test]
fn every_method_finds_the_physics_of_a_pushed_box() {
    let solvers = [
        "auto",
        "pivotal",
        "lemke",
        "pgs",
        "jacobi",
        "fixed-point",
        "interior-point",
        "fischer-newton",
        "minmap-newton",
        "staggered",
    ];
    // weight impulse 0.0981 in all; friction can take mu times that: 0.049 of a push of 0.2 or
    // all of one of 0.02
    for (push, slides) in [(0.2, true), (0.02, false)] {
        let lcp = box_on_plane(push, 0.5);
        let problem = Problem::Lcp(lcp.clone());
        for solver in solvers {
            let found = solve(solver, &problem);
            let error = residual::natural(&problem, &found.z);
            assert!(error < 1e-8, "{solver}, push {push}: {:?} {error:e}", found.status);
            let normal: f64 = found.z[..4].iter().sum();
            assert!((normal - 0.0981).abs() < 1e-6, "{solver}: {normal}");
            let friction: f64 = (0..4).map(|c| found.z[4 + 4 * c] - found.z[4 + 4 * c + 2]).sum();
            let right = if slides { -0.5 * 0.0981 } else { -push };
            assert!((friction - right).abs() < 1e-6, "{solver}, push {push}: {friction} {right}");
        }
    }
}

#[test]
fn an_interior_point_shares_the_load_of_redundant_contacts() {
    let problem = Problem::Lcp(box_on_plane(0.0, 0.5));
    let found = solve("interior-point", &problem);
    assert_eq!(found.status, Status::Solved);
    for p_n in &found.z[..4] {
        assert!((p_n - 0.0981 / 4.0).abs() < 1e-6, "{:?}", &found.z[..4]);
    }
}

#[test]
fn factored_sparse_and_dense_forms_are_the_same_problem() {
    let lcp = box_on_plane(0.1, 0.3);
    let (dense, sparse) = (lcp.matrix.to_dense(), lcp.matrix.to_sparse());
    let z: Vec<f64> = (0..lcp.b.len()).map(|i| (i as f64 * 0.7).sin()).collect();
    let w = lcp.w(&z);
    for matrix in [Matrix::Dense(dense), Matrix::Sparse(sparse)] {
        for (x, y) in matrix.times_plus(&z, &lcp.b).iter().zip(&w) {
            assert!((x - y).abs() < 1e-13);
        }
        let problem = Problem::Lcp(Lcp::new(matrix, lcp.b.clone()).unwrap());
        assert_eq!(solve("auto", &problem).status, Status::Solved);
    }
}

#[test]
fn islands_are_solved_one_by_one_and_a_warm_start_is_recognised() {
    // 300 boxes that do not touch each other, as one factored problem
    let one = box_on_plane(0.02, 0.5);
    let Matrix::Factored(f) = &one.matrix else { unreachable!() };
    let (n, count) = (one.b.len(), 300);
    let (mut left, mut right, mut d_block, mut b) = (vec![], vec![], vec![], vec![]);
    for k in 0..count {
        left.extend(f.left.to_triplets().iter().map(|e| (e.0 + k * n, e.1 + 6 * k, e.2)));
        right.extend(f.right.to_triplets().iter().map(|e| (e.0 + 6 * k, e.1 + k * n, e.2)));
        d_block.extend(f.d_block.to_triplets().iter().map(|e| (e.0 + k * n, e.1 + k * n, e.2)));
        b.extend(&one.b);
    }
    let factored = Factored {
        left: Csc::from_triplets(n * count, 6 * count, &left),
        right: Csc::from_triplets(6 * count, n * count, &right),
        d_block: Csc::from_triplets(n * count, n * count, &d_block),
    };
    let problem = Problem::Lcp(Lcp::new(Matrix::Factored(Box::new(factored)), b).unwrap());
    let mut auto = registry::make("auto", &Options::new()).unwrap();
    let cold = auto.solve(&problem, &[], &mut NoWatch).unwrap();
    assert_eq!((cold.status, cold.fallbacks), (Status::Solved, 0));
    assert!(residual::natural(&problem, &cold.z) < 1e-12);
    let warm = auto.solve(&problem, &cold.z, &mut NoWatch).unwrap();
    assert_eq!((warm.status, warm.solver, warm.iterations), (Status::Solved, "warm-start", 0));
    // a start that is a little off is corrected for all of them at once
    let off: Vec<f64> = cold.z.iter().map(|z| z * (1.0 + 1e-4)).collect();
    let warm = auto.solve(&problem, &off, &mut NoWatch).unwrap();
    assert_eq!((warm.status, warm.solver), (Status::Solved, "warm-start"));
    assert!(residual::natural(&problem, &warm.z) < 1e-12);
    for (x, y) in warm.z.iter().zip(&cold.z) {
        assert!((x - y).abs() < 1e-4 * cold.z.iter().fold(0.0_f64, |m, x| m.max(*x)));
    }
}

#[test]
fn cone_methods_agree_on_a_pushed_point() {
    // mass 2, normal z: W = I / 2, pushed at 30 degrees; slides with friction against the motion
    let w = Dense::from_rows(&[&[0.5, 0.0, 0.0], &[0.0, 0.5, 0.0], &[0.0, 0.0, 0.5]]);
    let (sin, cos) = (0.5, 0.75_f64.sqrt());
    let contacts = vec![ConeRows { rows: 0..3, mu: 0.3, rolling: 0.0 }];
    let cone = Cone::new(Matrix::Dense(w), vec![-0.1, 2.0 * cos, 2.0 * sin], contacts).unwrap();
    let problem = Problem::Cone(cone);
    for solver in ["auto", "ncp-pgs", "nonsmooth-newton", "prox", "admm"] {
        let found = solve(solver, &problem);
        assert_eq!(found.status, Status::Solved, "{solver}");
        for (x, y) in found.z.iter().zip([0.2, -0.06 * cos, -0.06 * sin]) {
            assert!((x - y).abs() < 1e-6, "{solver}: {:?}", found.z);
        }
    }
}
