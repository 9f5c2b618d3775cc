//! The library for C and whoever can call C; `include/complementarity.h` documents it.
//!
//! Pointers are what the header says they are, or null where it allows that; nothing else is
//! believed: sizes, numbers and names are checked as everywhere.

mod nonlinear;
mod slices;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ops::ControlFlow;

use complementarity::problem::{Csc, Dense};
use complementarity::{Matrix, Mlcp, Options, Problem, Status, Watch, registry, residual};

pub use nonlinear::{CMap, complementarity_solve_nonlinear};

use slices::{bounds, not_empty, slice, slice_mut};

/// Input and output of a solve, as in the header.
#[repr(C)]
#[derive(Debug)]
pub struct CResult {
    /// The unknowns.
    pub z: *mut f64,
    /// `M z + q` or `F(z)`; may be null.
    pub w: *mut f64,
    /// Whether z holds a start.
    pub warm: i32,
    /// Residual accepted; 0 for the default.
    pub tolerance: f64,
    /// How many iterations there were.
    pub iterations: usize,
    /// The natural residual.
    pub residual: f64,
    /// Asked in every iteration; anything but 0 ends the solve.
    pub stop: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// Handed to `stop`.
    pub stop_data: *mut c_void,
}

/// Asks C whether to end.
pub(crate) struct Stop {
    function: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    data: *mut c_void,
}

impl Stop {
    pub(crate) fn of(result: &CResult) -> Self {
        Self { function: result.stop, data: result.stop_data }
    }

    pub(crate) fn asked(&self) -> bool {
        // SAFETY: the header says what it is called with
        self.function.is_some_and(|f| unsafe { f(self.data) } != 0)
    }
}

impl Watch for Stop {
    fn iterate(&mut self, _: usize, _: &[f64]) -> ControlFlow<()> {
        if self.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stops(&mut self) -> bool {
        self.asked()
    }
}

/// Compressed columns, as in the header.
#[repr(C)]
#[derive(Debug)]
pub struct CColumns {
    /// n + 1 numbers.
    pub column_start: *const i64,
    /// Row of each entry.
    pub row: *const i64,
    /// Value of each entry.
    pub value: *const f64,
}

/// The code for input that makes no sense.
pub const WRONG_INPUT: i32 = -1;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

/// Keeps the text for [`complementarity_message`].
fn say(text: &str) {
    let clean: Vec<u8> = text.bytes().filter(|b| *b != 0).collect();
    MESSAGE.with(|m| *m.borrow_mut() = CString::new(clean).unwrap_or_default());
}

/// The code of a result, or of a mistake, whose text is kept. A panic is a mistake of ours, and
/// must not cross into C.
fn code(work: impl FnOnce() -> Result<Status, String> + std::panic::UnwindSafe) -> i32 {
    say("");
    match std::panic::catch_unwind(work) {
        Ok(Ok(status)) => match status {
            Status::Solved => 0,
            Status::IterationLimit => 1,
            Status::Ray => 2,
            Status::Stalled => 3,
            Status::Numerical => 4,
            Status::Stopped => 5,
            Status::NoSolution => 6,
        },
        Ok(Err(text)) => {
            say(&text);
            WRONG_INPUT
        }
        Err(_) => {
            say("the library broke down");
            WRONG_INPUT
        }
    }
}

/// What went wrong in the last call of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn complementarity_message() -> *const c_char {
    MESSAGE.with(|m| m.borrow().as_ptr())
}

/// M, q and bounds as pointers.
struct Parts {
    n: usize,
    q: *const f64,
    l: *const f64,
    u: *const f64,
    solver: *const c_char,
}

/// Solves with a matrix at hand.
///
/// # Safety
/// Pointers as the header says.
unsafe fn linear(parts: &Parts, matrix: Matrix, result: *mut CResult) -> Result<Status, String> {
    let Parts { n, q, l, u, solver } = *parts;
    not_empty(n)?;
    // SAFETY: the caller's promise
    let result = unsafe { result.as_mut() }.ok_or("result is null")?;
    let q = unsafe { slice(q, n, "q") }?.to_vec();
    let (lower, upper) = unsafe { bounds(l, u, n) }?;
    let name = if solver.is_null() {
        "auto"
    } else {
        unsafe { CStr::from_ptr(solver) }
            .to_str()
            .map_err(|_| "the name of the solver is no text")?
    };
    let z = unsafe { slice_mut(result.z, n, "result.z") }?;
    let problem = Problem::Mlcp(Mlcp::new(matrix, q, lower, upper).map_err(|e| e.to_string())?);
    let mut options = Options::new();
    if result.tolerance != 0.0 {
        options.set("tolerance", result.tolerance);
    }
    let mut solver = registry::make(name, &options).map_err(|e| e.to_string())?;
    let start = if result.warm != 0 { z.to_vec() } else { vec![] };
    if let Some(i) = start.iter().position(|x| !x.is_finite()) {
        return Err(format!("the start is {} at row {i}; every number must be finite", start[i]));
    }
    let found = solver.solve(&problem, &start, &mut Stop::of(result)).map_err(|e| e.to_string())?;
    z.copy_from_slice(&found.z);
    result.iterations = found.iterations;
    result.residual = residual::natural(&problem, &found.z);
    if !result.w.is_null() {
        let w = unsafe { slice_mut(result.w, n, "result.w") }?;
        w.copy_from_slice(&problem.matrix().times_plus(&found.z, problem.b()));
    }
    // the library measures; what a method says of itself is not enough
    let tolerance = if result.tolerance == 0.0 { 1e-8 } else { result.tolerance };
    let close = residual::solved(&problem, &found.z, tolerance.max(1e-8));
    Ok(if found.status == Status::Solved && !close { Status::Stalled } else { found.status })
}

/// Solves a linear problem with a dense matrix.
///
/// # Safety
/// Pointers as the header says.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)] // as C libraries do
pub unsafe extern "C" fn complementarity_solve_dense(
    n: usize,
    m: *const f64,
    q: *const f64,
    l: *const f64,
    u: *const f64,
    solver: *const c_char,
    result: *mut CResult,
) -> i32 {
    code(move || {
        let size = n.checked_mul(n).ok_or("n is too large")?;
        // SAFETY: the caller's promise
        let values = unsafe { slice(m, size, "m") }?.to_vec();
        let matrix = Matrix::Dense(Dense { rows: n, cols: n, values });
        unsafe { linear(&Parts { n, q, l, u, solver }, matrix, result) }
    })
}

/// Solves a linear problem with a sparse matrix.
///
/// # Safety
/// Pointers as the header says.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)] // as C libraries do
pub unsafe extern "C" fn complementarity_solve_sparse(
    n: usize,
    m: *const CColumns,
    q: *const f64,
    l: *const f64,
    u: *const f64,
    solver: *const c_char,
    result: *mut CResult,
) -> i32 {
    code(move || {
        // SAFETY: the caller's promise
        let m = unsafe { m.as_ref() }.ok_or("m is null")?;
        let whole = |x: &[i64]| -> Result<Vec<usize>, String> {
            let found: Result<Vec<usize>, _> = x.iter().map(|&i| usize::try_from(i)).collect();
            found.map_err(|_| "an index of m is negative".to_owned())
        };
        let ends = n.checked_add(1).ok_or("n is too large")?;
        let start = whole(unsafe { slice(m.column_start, ends, "m.column_start") }?)?;
        // no more is read than these say, so they are looked at first
        if start.first() != Some(&0) || start.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err("m.column_start must begin with 0 and never fall".to_owned());
        }
        let entries = start.last().copied().unwrap_or(0);
        if n.checked_mul(n).is_none_or(|most| entries > most) {
            return Err(format!("m.column_start ends at {entries}, more than n * n"));
        }
        let index = whole(unsafe { slice(m.row, entries, "m.row") }?)?;
        let values = unsafe { slice(m.value, entries, "m.value") }?.to_vec();
        let matrix = Matrix::Sparse(Csc { rows: n, cols: n, start, index, values });
        unsafe { linear(&Parts { n, q, l, u, solver }, matrix, result) }
    })
}
