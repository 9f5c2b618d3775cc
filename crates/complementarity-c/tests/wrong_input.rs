//! What no caller should hand over is an error that says what is wrong, never the end of the program.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use complementarity_c::*;

fn result(z: &mut [f64]) -> CResult {
    CResult {
        z: z.as_mut_ptr(),
        w: null_mut(),
        warm: 0,
        tolerance: 0.0,
        iterations: 0,
        residual: 0.0,
        stop: None,
        stop_data: null_mut(),
    }
}

/// The message that belongs to a refused call.
fn refused(code: i32) -> String {
    assert_eq!(code, WRONG_INPUT);
    // SAFETY: a text of the library, valid until the next call
    unsafe { CStr::from_ptr(complementarity_message()) }.to_str().unwrap().to_owned()
}

/// Dense, with these sizes and pointers.
fn dense(n: usize, m: *const f64, q: *const f64, u: *const f64, tolerance: f64) -> i32 {
    let mut z = [0.0; 2];
    let mut result = CResult { tolerance, ..result(&mut z) };
    // SAFETY: sizes that are wrong are refused before anything is read
    unsafe { complementarity_solve_dense(n, m, q, null(), u, null(), &raw mut result) }
}

#[test]
fn sizes_and_numbers_of_dense_problems() {
    let (m, q) = ([2.0, 1.0, 1.0, 2.0], [-5.0, -6.0]);
    let (m, q) = (m.as_ptr(), q.as_ptr());
    assert_eq!(dense(2, m, q, null(), 0.0), 0);
    assert!(refused(dense(0, m, q, null(), 0.0)).contains("n is 0"));
    assert!(refused(dense(2, null(), q, null(), 0.0)).contains("m is null"));
    assert!(refused(dense(2, m, null(), null(), 0.0)).contains("q is null"));
    // what overflows, and what does not but is more than an array can have
    assert!(refused(dense(usize::MAX, m, q, null(), 0.0)).contains("n is too large"));
    assert!(refused(dense(1 << 31, m, q, null(), 0.0)).contains("m cannot have"));
    assert!(refused(dense(2, m.cast::<u8>().wrapping_add(1).cast(), q, null(), 0.0)).contains("m"));
    assert!(refused(dense(2, m, q, null(), f64::NAN)).contains("tolerance"));
    assert!(refused(dense(2, m, q, null(), -1.0)).contains("tolerance"));
    let below = [1.0, -1.0];
    assert!(refused(dense(2, m, q, below.as_ptr(), 0.0)).contains("row 1"));
    let infinite = [f64::INFINITY, 1.0];
    assert!(refused(dense(2, m, infinite.as_ptr(), null(), 0.0)).contains("row 0"));
}

#[test]
fn columns_that_make_no_sense() {
    let sparse = |start: &[i64], row: &[i64]| {
        let (value, q, mut z) = ([1.0; 4], [-1.0, -1.0], [0.0; 2]);
        let m = CColumns { column_start: start.as_ptr(), row: row.as_ptr(), value: value.as_ptr() };
        let mut result = result(&mut z);
        let (q, free) = (q.as_ptr(), null());
        // SAFETY: columns that are wrong are refused before more is read than there is
        unsafe {
            complementarity_solve_sparse(2, &raw const m, q, free, free, null(), &raw mut result)
        }
    };
    assert_eq!(sparse(&[0, 1, 2], &[0, 1]), 0);
    assert!(refused(sparse(&[0, 1, i64::MAX], &[0, 1])).contains("more than n * n"));
    assert!(refused(sparse(&[0, 2, 1], &[0, 1])).contains("never fall"));
    assert!(refused(sparse(&[1, 2, 2], &[0, 1])).contains("begin with 0"));
    assert!(refused(sparse(&[0, 1, 2], &[0, -1])).contains("negative"));
    assert!(refused(sparse(&[0, 1, 2], &[0, 2])).contains("row inside the matrix"));
}

unsafe extern "C" fn falls(n: usize, _: *const f64, f: *mut f64, _: *mut c_void) -> i32 {
    // SAFETY: the library gives n numbers
    unsafe { std::slice::from_raw_parts_mut(f, n) }.fill(f64::NAN);
    0
}

/// F = z.
unsafe extern "C" fn stays(n: usize, z: *const f64, f: *mut f64, _: *mut c_void) -> i32 {
    // SAFETY: the library gives n numbers of each
    unsafe { std::ptr::copy_nonoverlapping(z, f, n) };
    0
}

/// A Jacobian, column by column, that is infinite in row 1, column 0.
unsafe extern "C" fn steep(n: usize, _: *const f64, j: *mut f64, _: *mut c_void) -> i32 {
    // SAFETY: the library gives n * n numbers
    let j = unsafe { std::slice::from_raw_parts_mut(j, n * n) };
    j[1] = f64::INFINITY;
    0
}

#[test]
fn jacobians_that_are_not_finite() {
    let (mut z, l) = ([2.0; 2], [f64::NEG_INFINITY; 2]);
    let map = CMap { f: Some(stays), jacobian: Some(steep), data: null_mut() };
    let mut result = CResult { warm: 1, ..result(&mut z) };
    let result = &raw mut result;
    // SAFETY: two numbers each
    let code =
        unsafe { complementarity_solve_nonlinear(2, &raw const map, l.as_ptr(), null(), result) };
    let message = refused(code);
    assert!(message.contains("inf in row 1, column 0"), "{message}");
}

#[test]
fn functions_and_settings_of_nonlinear_problems() {
    let solve = |n: usize, f: Option<_>, tolerance: f64| {
        let mut z = [0.0; 2];
        let map = CMap { f, jacobian: None, data: null_mut() };
        let mut result = CResult { tolerance, ..result(&mut z) };
        let result = &raw mut result;
        // SAFETY: as above
        unsafe { complementarity_solve_nonlinear(n, &raw const map, null(), null(), result) }
    };
    assert!(refused(solve(0, Some(falls), 0.0)).contains("n is 0"));
    assert!(refused(solve(2, None, 0.0)).contains("map.f is null"));
    assert!(refused(solve(2, Some(falls), 0.0)).contains("F is NaN in row 0"));
    for wrong in [f64::NAN, f64::INFINITY, -1.0, 1.0] {
        assert!(refused(solve(2, Some(falls), wrong)).contains("tolerance"), "{wrong}");
    }
}
