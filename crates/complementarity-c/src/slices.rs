//! Pointers as slices.

/// `n` numbers at a pointer.
///
/// # Safety
/// The pointer is null, or points to `n` values that nobody changes meanwhile.
pub(crate) unsafe fn slice<'a, T>(at: *const T, n: usize, what: &str) -> Result<&'a [T], String> {
    if n == 0 {
        return Ok(&[]);
    }
    if at.is_null() {
        return Err(format!("{what} is null"));
    }
    // SAFETY: not null, and the caller's promise
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
    if at.is_null() {
        return Err(format!("{what} is null"));
    }
    // SAFETY: not null, and the caller's promise
    Ok(unsafe { std::slice::from_raw_parts_mut(at, n) })
}

/// Lower and upper bounds; null means 0 and infinity.
///
/// # Safety
/// As [`slice`].
pub(crate) unsafe fn bounds(l: *const f64, u: *const f64, n: usize) -> (Vec<f64>, Vec<f64>) {
    // SAFETY: the caller's promise
    let lower = unsafe { slice(l, n, "l") }.map_or_else(|_| vec![0.0; n], <[f64]>::to_vec);
    let upper =
        unsafe { slice(u, n, "u") }.map_or_else(|_| vec![f64::INFINITY; n], <[f64]>::to_vec);
    (lower, upper)
}
