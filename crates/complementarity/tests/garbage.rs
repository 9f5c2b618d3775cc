//! Bad input gives errors that say what is wrong; empty problems are solved in no iterations.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::ops::ControlFlow;

use complementarity::problem::{ConeRows, Csc, Dense};
use complementarity::solver::{NoWatch, SolveError, Watch};
use complementarity::{
    Cone, Lcp, Matrix, Mlcp, Options, Problem, ProblemClass, ProblemError, Status, file, registry,
};

fn identity(n: usize) -> Matrix {
    let entries: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    Matrix::Sparse(Csc::from_triplets(n, n, &entries))
}

#[test]
fn numbers_that_are_none_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = Lcp::new(identity(2), vec![1.0, bad]).unwrap_err();
        assert!(matches!(error, ProblemError::NotFinite { what: "b", row: 1, .. }), "{error}");
        let mut a = Dense::zeros(2, 2);
        a.values[3] = bad;
        assert!(matches!(
            Lcp::new(Matrix::Dense(a), vec![0.0; 2]).unwrap_err(),
            ProblemError::NotFinite { what: "A", .. }
        ));
    }
}

/// One bad number among many, at any place; the largest and smallest numbers there are pass.
#[test]
fn a_bad_number_is_found_wherever_it_is() {
    let fine = [f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -0.0];
    for n in 1..20 {
        let b: Vec<f64> = (0..n).map(|i| fine[i % fine.len()]).collect();
        assert!(Lcp::new(identity(n), b.clone()).is_ok());
        for row in 0..n {
            let mut b = b.clone();
            b[row] = f64::NEG_INFINITY;
            let error = Lcp::new(identity(n), b).unwrap_err();
            assert!(matches!(error, ProblemError::NotFinite { row: r, .. } if r == row), "{error}");
            for bad in [n, n + 1, usize::MAX] {
                let Matrix::Sparse(mut a) = identity(n) else { unreachable!() };
                a.index[row] = bad;
                let error = Lcp::new(Matrix::Sparse(a), vec![0.0; n]).unwrap_err();
                assert!(matches!(error, ProblemError::Sparse(_)), "{error}");
            }
        }
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let flat = Matrix::Dense(Dense::zeros(2, 3));
    assert!(matches!(Lcp::new(flat, vec![0.0; 2]).unwrap_err(), ProblemError::Size { .. }));
    let (l, u) = (vec![0.0; 3], vec![1.0; 2]);
    let error = Mlcp::new(identity(2), vec![0.0; 2], l, u).unwrap_err();
    assert_eq!(error, ProblemError::Size { what: "lower", found: 3, expected: 2 });
    let torn = Csc { rows: 2, cols: 2, start: vec![0, 2, 1], index: vec![0], values: vec![1.0] };
    let error = Lcp::new(Matrix::Sparse(torn), vec![0.0; 2]).unwrap_err();
    assert!(matches!(error, ProblemError::Sparse(_)));
}

#[test]
fn contradictory_bounds_are_refused() {
    let inf = f64::INFINITY;
    for (l, u) in [(1.0, 0.0), (f64::NAN, 1.0), (inf, inf), (-inf, -inf)] {
        let error = Mlcp::new(identity(1), vec![0.0], vec![l], vec![u]).unwrap_err();
        assert!(matches!(error, ProblemError::Bounds { row: 0, .. }), "{error}");
    }
}

#[test]
fn contacts_that_cannot_be_are_refused() {
    let contact = |rows, mu| ConeRows { rows, mu, rolling: 0.0 };
    for contacts in [
        vec![contact(0..4, 0.5)],
        vec![contact(0..3, 0.5), contact(2..4, 0.5)],
        vec![contact(3..6, 0.5)],
        vec![contact(0..3, -0.1)],
        vec![contact(0..3, f64::NAN)],
    ] {
        let error = Cone::new(identity(4), vec![0.0; 4], contacts).unwrap_err();
        assert!(matches!(error, ProblemError::Contact { .. }), "{error}");
    }
}

#[test]
fn empty_problems_need_no_iterations() {
    let lcp = Problem::Lcp(Lcp::new(identity(0), vec![]).unwrap());
    let mlcp = Problem::Mlcp(Mlcp::new(identity(0), vec![], vec![], vec![]).unwrap());
    let cone = Problem::Cone(Cone::new(identity(0), vec![], vec![]).unwrap());
    for info in registry::info() {
        let mut solver = registry::make(info.name, &Options::new()).unwrap();
        for problem in [&lcp, &mlcp, &cone] {
            if info.classes.contains(&problem.class()) {
                let found = solver.solve(problem, &[], &mut NoWatch).unwrap();
                let outcome = (found.status, found.iterations, found.z.len());
                assert_eq!(outcome, (Status::Solved, 0, 0), "{}", info.name);
            }
        }
    }
}

#[test]
fn the_wrong_class_or_start_is_an_error() {
    let cone = Problem::Cone(Cone::new(identity(3), vec![0.0; 3], vec![]).unwrap());
    let lcp = Problem::Lcp(Lcp::new(identity(3), vec![-1.0; 3]).unwrap());
    for info in registry::info() {
        let mut solver = registry::make(info.name, &Options::new()).unwrap();
        for problem in [&cone, &lcp] {
            let class = problem.class();
            if info.classes.contains(&class) {
                let error = solver.solve(problem, &[1.0], &mut NoWatch).unwrap_err();
                assert_eq!(error, SolveError::Start { found: 1, expected: 3 }, "{}", info.name);
            } else {
                let error = solver.solve(problem, &[], &mut NoWatch).unwrap_err();
                assert_eq!(error, SolveError::Class { solver: info.name, class });
            }
        }
    }
}

#[test]
fn a_start_full_of_nan_does_no_harm() {
    let lcp = Problem::Lcp(Lcp::new(identity(3), vec![-1.0, 2.0, -3.0]).unwrap());
    for info in registry::info().iter().filter(|i| i.classes.contains(&ProblemClass::Lcp)) {
        let mut solver = registry::make(info.name, &Options::new()).unwrap();
        let found = solver.solve(&lcp, &[f64::NAN; 3], &mut NoWatch).unwrap();
        assert_eq!(found.status, Status::Solved, "{}", info.name);
        for (x, y) in found.z.iter().zip([1.0, 0.0, 3.0]) {
            assert!((x - y).abs() < 1e-6, "{}: {:?}", info.name, found.z);
        }
    }
}

#[test]
fn a_zero_diagonal_is_named() {
    let a = Dense::from_rows(&[&[1.0, 1.0], &[-1.0, 0.0]]);
    let lcp = Problem::Lcp(Lcp::new(Matrix::Dense(a), vec![-1.0, 0.5]).unwrap());
    let error =
        registry::make("pgs", &Options::new()).unwrap().solve(&lcp, &[], &mut NoWatch).unwrap_err();
    assert_eq!(error, SolveError::ZeroDiagonal { solver: "pgs", row: 1, value: 0.0 });
}

/// Stops at the second call and remembers how many there were.
struct StopAtTwo(usize);

impl Watch for StopAtTwo {
    fn iterate(&mut self, _k: usize, z: &[f64]) -> ControlFlow<()> {
        assert!(z.iter().all(|x| x.is_finite()));
        self.0 += 1;
        if self.0 >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn every_method_shows_its_iterates_and_can_be_stopped() {
    // strongly coupled, so that nothing is done in one iteration
    let n = 6;
    let mut a = Dense::zeros(n, n);
    for j in 0..n {
        for i in 0..n {
            a.values[j * n + i] = if i == j { 1.0 } else { 0.9 };
        }
    }
    let b: Vec<f64> = (0..n).map(|i| -1.0 - 0.02 * i as f64).collect();
    let lcp = Problem::Lcp(Lcp::new(Matrix::Dense(a), b).unwrap());
    for name in [
        "lemke",
        "pgs",
        "psor",
        "jacobi",
        "fixed-point",
        "interior-point",
        "fischer-newton",
        "enumerate",
    ] {
        let mut watch = StopAtTwo(0);
        let mut solver = registry::make(name, &Options::new()).unwrap();
        let found = solver.solve(&lcp, &[], &mut watch).unwrap();
        assert_eq!((found.status, watch.0), (Status::Stopped, 2), "{name}");
        assert!(found.z.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn broken_files_are_errors_not_panics() {
    let folder =
        std::env::temp_dir().join(format!("complementarity-garbage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let texts: [(&str, &[u8]); 9] = [
        ("a.dat", b""),
        ("lcp.dat", b"2\n0\n2\n2\n2 2\n1 0 0 1\n-1"),
        ("lcp2.dat", b"2\n0\n2\n2\n2 2\n1 0 x 1\n-1 1"),
        ("lcp3.dat", b"99999999999999\n0"),
        ("fc3d.dat", b"4\n1\n0\n4\n4\n4 4\n"),
        ("fc3d2.dat", b"3\n1\n2\n3\n3\n2\nCSparse\n3-by-3, nzmax: 1 nnz: 1\n    col 7 : locations"),
        ("a.npz", b"PK\x05\x06garbage"),
        ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n"),
        ("a.xyz", b"1"),
    ];
    for (name, text) in texts {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let error = file::read(&path).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    assert!(file::read(&folder.join("absent.dat")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}
