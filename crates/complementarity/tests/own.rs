//! Every solver on every problem of `problems/`, which are recorded from this project's scenes.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::path::{Path, PathBuf};

use complementarity::solver::NoWatch;
use complementarity::{Options, Problem, ProblemClass, Status, file, registry, residual};

fn problems() -> Vec<(String, Problem)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|p| file::is_known(p));
    paths.sort();
    let name = |p: &Path| p.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|p| (name(p), file::read(p).unwrap())).collect()
}

/// Where a method may fail, and why. `auto` and `pivotal` are not in it.
const MAY_FAIL: &[(&[&str], &str, &str)] = &[
    (
        &["pgs", "psor", "colored-pgs", "jacobi"],
        "-peg-",
        "rows with a zero diagonal; not copositive",
    ),
    (
        &["pgs", "psor", "colored-pgs", "jacobi", "fixed-point"],
        "box-stack",
        "forces travel one box per sweep",
    ),
    (&["fixed-point", "staggered"], "", "first order, or no proof of convergence"),
    (&["lemke"], "pile", "rounding on the dense tableau"),
    (&["nsgs"], "box-stack", "forces travel one box per sweep"),
    (&["proximal-newton", "nsgs"], "-peg-", "rows that are no contacts' laws, not symmetric"),
    (&["interior-point"], "-peg-", "not monotone"),
    (&["interior-point"], "joints", "a motor's bounds against a limit"),
    (&["interior-point"], "sphere-cube-0", "stops just above the tolerance"),
    (&["fischer-newton", "minmap-newton"], "", "local minima of the merit function"),
    (&["active-set"], "", "for M-matrices; those of contacts are not"),
    (&["homotopy"], "", "for strictly copositive matrices; redundant contacts are not"),
    (&["ncp-pgs"], "box-stack", "forces travel one box per sweep"),
    (&["admm", "prox"], "", "first order"),
];

fn may_fail(solver: &str, problem: &str) -> bool {
    MAY_FAIL.iter().any(|(solvers, part, _)| solvers.contains(&solver) && problem.contains(part))
}

#[test]
fn every_solver_solves_every_problem_or_fails_where_the_table_says_so() {
    let problems = problems();
    assert!(problems.len() >= 15, "{}", problems.len());
    for (name, problem) in &problems {
        for info in registry::info().iter().filter(|i| i.classes.contains(&problem.class())) {
            // the first-order methods only show that they fail: few iterations do
            let few = ["pgs", "psor", "colored-pgs", "jacobi", "fixed-point", "prox", "admm"];
            let mut options = Options::new();
            if info.name == "enumerate" || (problem.size() > 1000 && info.name == "lemke") {
                continue;
            }
            if few.contains(&info.name) && may_fail(info.name, name) {
                options.set("max_iterations", 100_usize);
            }
            if info.name == "active-set" {
                options.set("max_iterations", 5_usize);
            }
            if info.name == "homotopy" {
                options.set("max_iterations", 20_usize);
                options.set("max_size", 300_usize);
            }
            let solved = registry::make(info.name, &options)
                .unwrap()
                .solve(problem, &[], &mut NoWatch)
                .is_ok_and(|found| {
                    let solved = residual::solved(problem, &found.z, 1e-8);
                    let claims = found.status == Status::Solved;
                    assert!(solved || !claims, "{} on {name} claims to be done", info.name);
                    solved
                });
            assert!(solved || may_fail(info.name, name), "{} on {name}", info.name);
        }
    }
}

/// The problems are what they are there for.
#[test]
fn the_collection_has_every_class_and_the_hard_kinds() {
    let problems = problems();
    for class in [ProblemClass::Lcp, ProblemClass::Mlcp, ProblemClass::Cone] {
        assert!(problems.iter().any(|(_, p)| p.class() == class), "{class:?}");
    }
    // not copositive: some z >= 0 with z'Az < 0; one negative diagonal entry or pair shows it
    let negative = |problem: &Problem| {
        let a = problem.matrix().to_dense();
        let n = a.rows;
        (0..n).any(|i| {
            (0..n).any(|j| {
                let (d, e, f) = (a.get(i, i), a.get(j, j), 0.5 * (a.get(i, j) + a.get(j, i)));
                d < -1e-9 || (d >= 0.0 && e >= 0.0 && f + (d * e).sqrt() < -1e-9)
            })
        })
    };
    let peg = problems.iter().filter(|(name, _)| name.contains("momentum-peg"));
    assert!(peg.into_iter().all(|(_, p)| negative(p)));
    let size: u64 = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems"))
        .unwrap()
        .map(|e| e.unwrap().metadata().unwrap().len())
        .sum();
    assert!(size < 500_000, "{size} bytes");
}

/// The same bits for any number of threads, and the solution of plain Gauss-Seidel.
#[test]
fn colored_sweeps_do_not_depend_on_the_number_of_threads() {
    let (_, problem) =
        problems().into_iter().find(|(name, _)| name == "sphere-cube-000005").unwrap();
    let solve = |threads: usize| {
        let options = Options::new().with("threads", threads).with("max_iterations", 30_usize);
        registry::make("colored-pgs", &options).unwrap().solve(&problem, &[], &mut NoWatch).unwrap()
    };
    let one = solve(1);
    assert!(one.iterations > 1);
    for threads in [0, 2, 3, 7] {
        let bits = |z: &[f64]| z.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&solve(threads).z), bits(&one.z), "{threads} threads");
    }
    let mut long = registry::make("colored-pgs", &Options::new()).unwrap();
    let found = long.solve(&problem, &[], &mut NoWatch).unwrap();
    assert_eq!(found.status, Status::Solved);
    assert!(residual::solved(&problem, &found.z, 1e-8));
}
