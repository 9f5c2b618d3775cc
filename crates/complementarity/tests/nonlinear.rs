//! Classic nonlinear problems from all their starts, judged by a residual of this file's own.

#![allow(clippy::unwrap_used)] // helpers of tests may

#[path = "support/classics.rs"]
mod classics;

use classics::Classic;
use complementarity::nonlinear::{Function, Map, Ncp, NonlinearSettings};
use complementarity::problem::{Csc, Matrix};
use complementarity::{Status, Watch, solver::NoWatch};
use std::ops::ControlFlow;

/// The largest violation of: inside the bounds, F >= 0 off the upper bound, F <= 0 off the lower.
fn violation(problem: &Classic, z: &[f64]) -> f64 {
    let mut f = vec![0.0; problem.n];
    (problem.f)(z, &mut f);
    let mut worst = 0.0_f64;
    for i in 0..problem.n {
        let (below, above) = (z[i] - problem.lower[i], problem.upper[i] - z[i]);
        let pushes = if f[i] > 0.0 { f[i].min(below) } else { (-f[i]).min(above) };
        worst = worst.max(-below).max(-above).max(pushes);
        assert!(f[i].is_finite() && z[i].is_finite(), "{}: row {i}", problem.name);
    }
    worst
}

#[test]
fn classics_are_solved_from_every_start() {
    let all = classics::all();
    assert!(all.len() >= 30, "{} problems", all.len());
    let mut failed = vec![];
    for problem in &all {
        for (k, start) in problem.starts.iter().enumerate() {
            let (lower, upper) = (problem.lower.clone(), problem.upper.clone());
            let ncp = Ncp { map: problem, lower, upper };
            let found = ncp.solve(start, &NonlinearSettings::default(), &mut NoWatch).unwrap();
            let error = violation(problem, &found.z);
            let near =
                problem.known.iter().zip(&found.z).all(|(x, z)| (x - z).abs() <= problem.within);
            let size = found.z.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            if found.status != Status::Solved || error > 1e-9 * size || !near {
                failed.push(format!(
                    "{} from start {k}: {} violation {error:e} z {:?}",
                    problem.name,
                    found.reason,
                    &found.z[..problem.n.min(8)]
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// `z_i + exp(z_i) + sum of neighbours - 2`, with the sparse Jacobian it has.
fn chain(n: usize) -> impl Map {
    let f = move |z: &[f64], f: &mut [f64]| {
        for i in 0..n {
            let left = if i > 0 { z[i - 1] } else { 0.0 };
            let right = if i + 1 < n { z[i + 1] } else { 0.0 };
            f[i] = 4.0 * z[i] + z[i].exp() - left - right - 2.0 * ((i % 7) as f64 - 3.0);
        }
    };
    Function::new(n, f).with_jacobian(move |z| {
        let mut entries = vec![];
        for (i, z) in z.iter().enumerate() {
            entries.push((i, i, 4.0 + z.exp()));
            if i > 0 {
                entries.push((i, i - 1, -1.0));
                entries.push((i - 1, i, -1.0));
            }
        }
        Matrix::Sparse(Csc::from_triplets(n, n, &entries))
    })
}

/// A Jacobian that is given and one by differences lead to the same solution; many unknowns too.
#[test]
fn sparse_jacobians_are_used_as_they_are() {
    let n = 40;
    let given = chain(n);
    let plain = Function::new(n, |z: &[f64], f: &mut [f64]| given.value(z, f));
    let solve = |map: &dyn Map| {
        let (lower, upper) = (vec![0.0; map.size()], vec![0.6; map.size()]);
        let ncp = Ncp { map, lower, upper };
        ncp.solve(&[], &NonlinearSettings::default(), &mut NoWatch).unwrap()
    };
    let (a, b) = (solve(&given), solve(&plain));
    assert_eq!((a.status, b.status), (Status::Solved, Status::Solved));
    a.z.iter().zip(&b.z).for_each(|(x, y)| assert!((x - y).abs() < 1e-9, "{x} {y}"));
    let large = solve(&chain(5000));
    assert_eq!(large.status, Status::Solved, "{}", large.reason);
    assert!(large.residual < 1e-10 && large.iterations < 8, "{}", large.reason);
}

/// The watcher sees every linearisation and can end it.
#[test]
fn a_watcher_stops_it() {
    struct Third(usize);
    impl Watch for Third {
        fn iterate(&mut self, _: usize, _: &[f64]) -> ControlFlow<()> {
            self.0 += 1;
            if self.0 == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let f = Function::new(1, |z: &[f64], f: &mut [f64]| f[0] = z[0].powi(9) - 1e-9);
    let ncp = Ncp { map: &f, lower: vec![-1.0], upper: vec![1e3] };
    let mut watch = Third(0);
    let found = ncp.solve(&[900.0], &NonlinearSettings::default(), &mut watch).unwrap();
    assert_eq!((found.status, watch.0), (Status::Stopped, 3));
    assert!(found.reason.contains("stopped"), "{}", found.reason);
}

/// Wants no more at the hundredth question, whoever asks it.
struct Hundredth(usize);

impl Watch for Hundredth {
    fn iterate(&mut self, _: usize, _: &[f64]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stops(&mut self) -> bool {
        self.0 += 1;
        self.0 >= 100
    }
}

/// A single linearisation may take long: its solver asks as well. Entries on both sides of zero, seed 11: paths of pivots
/// through 200 unknowns.
#[test]
fn a_watcher_stops_it_within_a_linearisation() {
    let n = 200;
    let mut seed = 11_u64;
    let mut draw = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let a: Vec<f64> = (0..n * n).map(|_| draw() - 0.5).collect();
    let f = Function::new(n, move |z: &[f64], f: &mut [f64]| {
        for (f, row) in f.iter_mut().zip(a.chunks(n)) {
            *f = row.iter().zip(z).map(|(a, z)| a * z).sum::<f64>() - 1.0;
        }
    });
    let ncp = Ncp { map: &f, lower: vec![0.0; n], upper: vec![f64::INFINITY; n] };
    let mut watch = Hundredth(0);
    let found = ncp.solve(&[], &NonlinearSettings::default(), &mut watch).unwrap();
    assert_eq!((found.status, found.iterations), (Status::Stopped, 1), "{}", found.reason);
}

/// Nor does it begin anew elsewhere where nobody wants that: `z² + 1 = 0` has no solution.
#[test]
fn a_watcher_stops_it_between_runs() {
    let f = Function::new(1, |z: &[f64], f: &mut [f64]| f[0] = z[0] * z[0] + 1.0);
    let ncp = Ncp { map: &f, lower: vec![f64::NEG_INFINITY], upper: vec![f64::INFINITY] };
    let settings = NonlinearSettings { restarts: usize::MAX - 2, ..NonlinearSettings::default() };
    let found = ncp.solve(&[3.0], &settings, &mut Hundredth(0)).unwrap();
    assert_eq!(found.status, Status::Stopped, "{}", found.reason);
}

/// A start where F is finite but its square is not is named, without three hundred digits.
#[test]
fn a_start_too_far_away_is_named() {
    let f = Function::new(2, |z: &[f64], f: &mut [f64]| f.copy_from_slice(z));
    let ncp = Ncp { map: &f, lower: vec![f64::NEG_INFINITY; 2], upper: vec![f64::INFINITY; 2] };
    let error = ncp.solve(&[1.0, 1e300], &NonlinearSettings::default(), &mut NoWatch).unwrap_err();
    assert_eq!(error.to_string(), "F is 1e300 in row 1 at the start; start where F is defined");
}

/// F that is undefined beyond a line: steps stay on this side of it.
#[test]
fn steps_stay_where_the_function_is_defined() {
    let f = Function::new(2, |z: &[f64], f: &mut [f64]| {
        f[0] = z[0].ln() + z[1];
        f[1] = z[1].sqrt() - 0.5 * z[0];
    });
    let ncp = Ncp { map: &f, lower: vec![0.0; 2], upper: vec![f64::INFINITY; 2] };
    for start in [[1.0, 1.0], [1e-3, 5.0], [0.0, 0.0]] {
        let found = ncp.solve(&start, &NonlinearSettings::default(), &mut NoWatch).unwrap();
        assert_eq!(found.status, Status::Solved, "{start:?}: {}", found.reason);
        assert!((found.z[0].ln() + found.z[1]).abs() < 1e-9, "{:?}", found.z);
    }
}
