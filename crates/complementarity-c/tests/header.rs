//! The C examples, compiled against the header and run.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::path::PathBuf;
use std::process::Command;

/// The folder with the shared library, next to this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().to_path_buf()
}

/// What an example prints, line by line; `None` where there is no shared library or no compiler.
fn lines_of(example: &str) -> Option<Vec<String>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let library = ["libcomplementarity_c.so", "libcomplementarity_c.dylib"]
        .iter()
        .map(|name| built().join(name))
        .find(|path| path.exists());
    let Some(library) = library else {
        eprintln!("skipped: no shared library in {}", built().display());
        return None;
    };
    let out =
        std::env::temp_dir().join(format!("complementarity-{example}-{}", std::process::id()));
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&out)
        .arg(root.join(format!("examples/{example}.c")))
        .arg(format!("-I{}", root.join("include").display()))
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", built().display()))
        .arg("-lm")
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("skipped: there is no cc");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let done = Command::new(&out).output().unwrap();
    std::fs::remove_file(&out).unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn two_firms_and_what_is_wrong() {
    let Some(lines) = lines_of("cournot") else { return };
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

/// Each end carries `T d / a + w (a - h) / 2` with the peg d = 0.05 m below it at a = 0.4 m, h = 1/40 m:
/// 0.125 + 0.375 N; the peg carries the rest of the weight.
#[test]
fn a_string_over_a_peg_is_in_balance() {
    let Some(lines) = lines_of("string") else { return };
    assert_eq!(lines, ["string 0: peg 0.950000 ends 1.000000 weight 1.950000"]);
}

/// An American put of one year at the money: 9.87 (binomial tree of 10,000 levels); the grid is coarse.
#[test]
fn a_put_has_its_price() {
    let Some(lines) = lines_of("put") else { return };
    let price = lines[0].strip_prefix("put 0: ").unwrap().parse::<f64>().unwrap();
    assert!((price - 9.87).abs() < 0.15, "{price}");
}

/// A signal that the program catches ends the solve within an iteration.
#[test]
fn a_signal_ends_a_solve() {
    let Some(lines) = lines_of("interrupt") else { return };
    assert_eq!(lines, ["interrupted yes after 100 questions"]);
}
