//! Damaged problem files are read or refused: no panic, no more memory than the file is worth.

#![allow(clippy::unwrap_used)] // helpers of tests may

#[path = "support/mutate.rs"]
mod mutate;

use std::path::PathBuf;

use complementarity::{Lcp, Matrix, Mlcp, Problem, file, problem::Csc};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("corpus-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn problems() -> Vec<Problem> {
    let entries = [(0, 0, 2.0), (1, 1, 3.5), (0, 1, -0.25), (2, 2, 1.0)];
    let a = || Matrix::Sparse(Csc::from_triplets(3, 3, &entries));
    let b = vec![-1.0, 0.5, -2.0];
    let mlcp = Mlcp::new(a(), b.clone(), vec![0.0; 3], vec![1.0, 2.0, f64::INFINITY]).unwrap();
    vec![Problem::Lcp(Lcp::new(a(), b).unwrap()), Problem::Mlcp(mlcp)]
}

fn read_damaged(name: &str) {
    let folder = Folder::new(name);
    let path = folder.0.join(format!("lcp.{name}"));
    let mut originals = vec![];
    for problem in problems() {
        if file::write(&path, &problem).is_ok() {
            originals.push(std::fs::read(&path).unwrap());
        }
    }
    assert!(!originals.is_empty());
    mutate::read_all(&originals, mutate::cases(400), |bytes| {
        std::fs::write(&path, bytes).unwrap();
        if let Err(error) = file::read(&path) {
            assert!(error.to_string().contains("lcp"), "no name: {error}");
        }
    });
}

#[test]
fn npz_files() {
    read_damaged("npz");
}

#[test]
fn text_files() {
    read_damaged("dat");
}

#[test]
fn market_files() {
    read_damaged("mtx");
}

/// A header of a hundred million squared does not get that memory.
#[test]
fn sizes_are_held_against_the_length_of_the_file() {
    let folder = Folder::new("sizes");
    let path = folder.0.join("huge.mtx");
    for (storage, size) in [
        ("array", "99999999 99999999\n1\n"),
        ("array", "99999999 1\n1\n"),
        ("coordinate", "99999999 99999999 1\n1 1 1\n"),
    ] {
        let text = format!("%%MatrixMarket matrix {storage} real general\n{size}");
        std::fs::write(&path, text).unwrap();
        let said = file::read(&path).unwrap_err().to_string();
        assert!(said.contains("huge.mtx") && said.contains("99999999"), "{said}");
    }
}

/// A pipe is no file of problems; reading it might never end.
#[cfg(unix)]
#[test]
fn pipes_are_refused() {
    let folder = Folder::new("pipe");
    let path = folder.0.join("pipe.npz");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let said = file::read(&path).unwrap_err().to_string();
    assert!(said.contains("no plain file"), "{said}");
}
