//! The C example, compiled against the header and run.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::path::PathBuf;
use std::process::Command;

/// The folder with the shared library, next to this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().to_path_buf()
}

#[test]
fn the_example_compiles_and_runs() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let library = ["libcomplementarity_c.so", "libcomplementarity_c.dylib"]
        .iter()
        .map(|name| built().join(name))
        .find(|path| path.exists());
    let Some(library) = library else {
        eprintln!("skipped: no shared library in {}", built().display());
        return;
    };
    let out = std::env::temp_dir().join(format!("complementarity-c-{}", std::process::id()));
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&out)
        .arg(root.join("examples/cournot.c"))
        .arg(format!("-I{}", root.join("include").display()))
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", built().display()))
        .arg("-lm")
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("skipped: there is no cc");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let done = Command::new(&out).output().unwrap();
    std::fs::remove_file(&out).unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "cournot 0: 4.000000 1.000000",
            "dense 0: 1.333333 2.333333",
            "sparse 0: 0.500000 6.000000, w -4.500000",
            "bad -1: A is NaN at row 1; every number must be finite",
        ]
    );
}
