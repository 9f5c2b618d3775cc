//! The same input gives the same bits, whatever the number of threads and whichever parts of the C library
//! the processor can run (docs/evidence.md, Same bits).

#![allow(clippy::unwrap_used)]

use std::process::Command;

use serde_json::Value;

/// Where the bodies of a scene end and how they move, every digit.
fn bodies(scene: &str, threads: &str, tunables: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["run", scene, "--duration", "0.3", "--json", "--set"])
        .arg(format!("threads={threads}"))
        .env("GLIBC_TUNABLES", tunables)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut said: Value = serde_json::from_slice(&output.stdout).unwrap();
    said["bodies"].take()
}

/// Scenes whose steps take no sine, cosine or `hypot` from the C library: the program has no fused
/// multiply-add of its own.
#[test]
fn bits_depend_neither_on_threads_nor_on_avx2_and_fma() {
    let plain =
        "glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX2_Usable,-FMA_Usable";
    for scene in ["hello-world", "peg-in-hole", "box-stack", "cascading-polyhedra"] {
        let first = bodies(scene, "1", "");
        assert!(first.as_object().is_some_and(|b| b.len() > 1), "{first}");
        assert_eq!(first, bodies(scene, "2", ""), "{scene} with two threads");
        assert_eq!(first, bodies(scene, "1", plain), "{scene} without AVX2 and FMA");
    }
}
