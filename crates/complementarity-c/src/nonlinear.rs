//! Nonlinear problems with functions of C.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::ControlFlow;

use complementarity::nonlinear::{Map, Ncp, NonlinearSettings, differences, undefined};
use complementarity::problem::Dense;
use complementarity::{Matrix, Status, Watch};

use crate::slices::{bounds, not_empty, slice_mut};
use crate::{CResult, Stop};

type Function = unsafe extern "C" fn(usize, *const f64, *mut f64, *mut c_void) -> i32;

/// F and its Jacobian, as in the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CMap {
    /// F.
    pub f: Option<Function>,
    /// Its Jacobian; null for differences.
    pub jacobian: Option<Function>,
    /// Handed to both.
    pub data: *mut c_void,
}

/// F as the library sees it.
struct Called {
    n: usize,
    f: Function,
    jacobian: Option<Function>,
    data: *mut c_void,
    stopped: Cell<bool>,
}

impl Map for Called {
    fn size(&self) -> usize {
        self.n
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        f.fill(f64::NAN);
        if self.stopped.get() {
            return;
        }
        // SAFETY: z and f have n numbers, as the header says
        let code = unsafe { (self.f)(self.n, z.as_ptr(), f.as_mut_ptr(), self.data) };
        self.stopped.set(code != 0);
    }

    fn jacobian(&self, z: &[f64]) -> Matrix {
        if self.stopped.get() {
            return undefined(self.n);
        }
        let Some(jacobian) = self.jacobian else { return differences(self, z) };
        let mut a = Dense::zeros(self.n, self.n);
        // SAFETY: n * n numbers, as the header says
        let code = unsafe { jacobian(self.n, z.as_ptr(), a.values.as_mut_ptr(), self.data) };
        self.stopped.set(code != 0);
        Matrix::Dense(a)
    }
}

/// Stops when a function asked for it, or the caller.
struct Asked<'a>(&'a Cell<bool>, Stop);

impl Watch for Asked<'_> {
    fn iterate(&mut self, _: usize, _: &[f64]) -> ControlFlow<()> {
        if self.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stops(&mut self) -> bool {
        if self.1.asked() {
            self.0.set(true);
        }
        self.0.get()
    }
}

/// Solves a nonlinear problem.
///
/// # Safety
/// Pointers as the header says; the functions write no more than they are asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn complementarity_solve_nonlinear(
    n: usize,
    map: *const CMap,
    l: *const f64,
    u: *const f64,
    result: *mut CResult,
) -> i32 {
    crate::code(move || {
        // SAFETY: the caller's promise
        let map = unsafe { map.as_ref() }.ok_or("map is null")?;
        not_empty(n)?;
        let result = unsafe { result.as_mut() }.ok_or("result is null")?;
        let z = unsafe { slice_mut(result.z, n, "result.z") }?;
        let f = map.f.ok_or("map.f is null")?;
        let (jacobian, data, stopped) = (map.jacobian, map.data, Cell::new(false));
        let called = Called { n, f, jacobian, data, stopped };
        let (lower, upper) = unsafe { bounds(l, u, n) }?;
        let mut settings = NonlinearSettings::default();
        if result.tolerance != 0.0 {
            if !(result.tolerance > 0.0 && result.tolerance < 1.0) {
                let text = format!("tolerance = {}, but it must be in (0, 1)", result.tolerance);
                return Err(text);
            }
            settings.tolerance = result.tolerance;
        }
        let start = if result.warm != 0 { z.to_vec() } else { vec![] };
        let ncp = Ncp { map: &called, lower, upper };
        let found = ncp.solve(&start, &settings, &mut Asked(&called.stopped, Stop::of(result)));
        if called.stopped.get() {
            return Ok(Status::Stopped);
        }
        let found = found.map_err(|e| e.to_string())?;
        z.copy_from_slice(&found.z);
        (result.iterations, result.residual) = (found.iterations, found.residual);
        if !result.w.is_null() {
            unsafe { slice_mut(result.w, n, "result.w") }?.copy_from_slice(&found.f);
        }
        Ok(found.status)
    })
}
