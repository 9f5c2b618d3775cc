//! The library against the shared collection of problem files. The collection is no part of this
//! repository: where it is absent these tests say so and pass.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::path::{Path, PathBuf};

use complementarity::solver::NoWatch;
use complementarity::{Options, Problem, Solution, Status, file, registry, residual};

fn folder(name: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("STICKSLIP_SHARED").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = shared.unwrap_or(root).join("problems").join(name);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

fn files(name: &str, extension: &str) -> Vec<PathBuf> {
    let Some(folder) = folder(name) else { return vec![] };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

fn solve(solver: &str, problem: &Problem, options: &Options) -> Solution {
    registry::make(solver, options).unwrap().solve(problem, &[], &mut NoWatch).unwrap()
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Solved by the absolute natural residual of 1e-8, whatever the solver says.
fn assert_solved(solver: &str, path: &Path, problem: &Problem) {
    let found = solve(solver, problem, &Options::new());
    let error = residual::natural(problem, &found.z);
    let what = format!("{solver} on {}: {} {error:e}", name(path), found.status.as_str());
    assert!(found.status == Status::Solved && error <= 1e-8, "{what}");
}

#[test]
fn every_lcp_with_a_solution_is_solved_and_the_other_is_proved_to_have_none() {
    for path in files("lcp", "dat") {
        let problem = file::read(&path).unwrap();
        if name(&path) == "lcp_Pang_isolated_sol_perturbed" {
            let found = solve("auto", &problem, &Options::new());
            assert_eq!(found.status, Status::NoSolution);
            let found = solve("pivotal", &problem, &Options::new());
            assert_eq!(found.status, Status::Ray);
        } else {
            for solver in ["auto", "pivotal", "lemke"] {
                assert_solved(solver, &path, &problem);
            }
        }
    }
}

#[test]
fn a_dense_file_and_its_block_twin_hold_the_same_problem() {
    for path in files("lcp", "dat") {
        let twin = path.with_file_name(format!("{}_block.dat", name(&path)));
        if twin.exists() {
            let (a, b) = (file::read(&path).unwrap(), file::read(&twin).unwrap());
            assert_eq!(a.matrix().to_dense(), b.matrix().to_dense(), "{}", name(&path));
            assert_eq!(a.b(), b.b());
        }
    }
}

#[test]
fn every_mixed_problem_is_solved() {
    for path in files("mlcp", "dat") {
        let problem = file::read(&path).unwrap();
        for solver in ["auto", "pivotal"] {
            assert_solved(solver, &path, &problem);
        }
    }
}

#[test]
fn every_stack_and_packing_is_solved() {
    for path in files("stacks", "npz") {
        let problem = file::read(&path).unwrap();
        // the packing of 343 spheres with friction is for benchmarks: it takes seconds
        if problem.size() <= 3000 {
            assert_solved("auto", &path, &problem);
        }
        if problem.size() <= 500 {
            assert_solved("pivotal", &path, &problem);
        }
    }
}

#[test]
fn the_ancestors_problems_are_solved_by_independent_methods() {
    for path in files("ancestor", "npz") {
        let problem = file::read(&path).unwrap();
        for solver in ["auto", "pivotal", "lemke", "interior-point"] {
            assert_solved(solver, &path, &problem);
        }
    }
}

/// The error relative to the size of b, as it is usual for these problems.
fn cone_error(problem: &Problem, z: &[f64]) -> f64 {
    let size = problem.b().iter().map(|x| x * x).sum::<f64>().sqrt();
    residual::natural(problem, z) / if size > 0.0 { size } else { 1.0 }
}

#[test]
fn every_cone_problem_is_solved_to_1e_6() {
    let options = Options::new().with("tolerance", 1e-6);
    for path in files("friction", "dat") {
        let problem = file::read(&path).unwrap();
        let found = solve("auto", &problem, &options);
        let error = cone_error(&problem, &found.z);
        assert!(error <= 1e-6 && found.status == Status::Solved, "{}: {error:e}", name(&path));
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn every_fclib_problem_is_solved_to_1e_6() {
    let options = Options::new().with("tolerance", 1e-6);
    for path in files("friction", "hdf5") {
        let problem = file::read(&path).unwrap();
        let found = solve("auto", &problem, &options);
        let error = cone_error(&problem, &found.z);
        assert!(error <= 1e-6 && found.status == Status::Solved, "{}: {error:e}", name(&path));
    }
}

#[test]
fn text_files_survive_a_round_trip() {
    let folder = std::env::temp_dir().join(format!("complementarity-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (group, extension) in
        [("lcp", "dat"), ("lcp", "npz"), ("lcp", "mtx"), ("mlcp", "dat"), ("mlcp", "npz")]
    {
        for path in files(group, "dat") {
            let problem = file::read(&path).unwrap();
            let copy = folder.join(format!("{}.{extension}", name(&path)));
            file::write(&copy, &problem).unwrap();
            let back = file::read(&copy).unwrap();
            assert_eq!(problem.matrix().to_dense(), back.matrix().to_dense(), "{}", copy.display());
            assert_eq!((problem.b(), problem.bounds()), (back.b(), back.bounds()));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
