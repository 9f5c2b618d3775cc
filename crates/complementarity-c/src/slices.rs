//! Pointers as slices.

/// Not null, aligned, and no more bytes than an array can have: a wrong size is an error, not the end of the program.
fn check<T>(at: *const T, n: usize, what: &str) -> Result<(), String> {
    if at.is_null() {
        return Err(format!("{what} is null"));
    }
    if !at.is_aligned() {
        return Err(format!("{what} does not lie where numbers of its kind can"));
    }
    if n.checked_mul(size_of::<T>()).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(format!("{what} cannot have {n} numbers"));
    }
    Ok(())
}

/// A problem has unknowns.
pub(crate) fn not_empty(n: usize) -> Result<(), String> {
    if n == 0 { Err("n is 0: a problem has at least one unknown".to_owned()) } else { Ok(()) }
}

/// `n` numbers at a pointer.
///
/// # Safety
/// The pointer is null, or points to `n` values that nobody changes meanwhile.
pub(crate) unsafe fn slice<'a, T>(at: *const T, n: usize, what: &str) -> Result<&'a [T], String> {
    if n == 0 {
        return Ok(&[]);
    }
    check(at, n, what)?;
    // SAFETY: not null, no more than can be, and the caller's promise
    Ok(unsafe { std::slice::from_raw_parts(at, n) })
}

/// The same to write to.
///
/// # Safety
/// The pointer is null, or points to `n` values that nobody else uses meanwhile.
pub(crate) unsafe fn slice_mut<'a>(
    at: *mut f64,
    n: usize,
    what: &str,
) -> Result<&'a mut [f64], String> {
    if n == 0 {
        return Ok(&mut []);
    }
    check(at, n, what)?;
    // SAFETY: not null, no more than can be, and the caller's promise
    Ok(unsafe { std::slice::from_raw_parts_mut(at, n) })
}

/// Lower and upper bounds; null means 0 and infinity.
///
/// # Safety
/// As [`slice`].
pub(crate) unsafe fn bounds(
    l: *const f64,
    u: *const f64,
    n: usize,
) -> Result<(Vec<f64>, Vec<f64>), String> {
    let read = |at: *const f64, what: &str, none: f64| {
        if at.is_null() {
            return Ok(vec![none; n]);
        }
        // SAFETY: the caller's promise
        unsafe { slice(at, n, what) }.map(<[f64]>::to_vec)
    };
    Ok((read(l, "l", 0.0)?, read(u, "u", f64::INFINITY)?))
}
