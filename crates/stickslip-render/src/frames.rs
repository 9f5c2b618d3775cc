//! Work on bands of rows, by several threads.

use std::sync::{Mutex, PoisonError};

/// Calls `work(scratch, k, chunk)` for every chunk of that length, on `threads` threads, each with
/// a scratch of its own. What a chunk gets does not depend on which thread works on it.
pub(crate) fn in_bands<T: Send, S>(
    (data, length): (&mut [T], usize),
    threads: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    let chunks = Mutex::new(data.chunks_mut(length).enumerate());
    let take = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let all = || {
        let mut scratch = scratch();
        while let Some((k, chunk)) = take() {
            work(&mut scratch, k, chunk);
        }
    };
    std::thread::scope(|scope| {
        // A thread that cannot be had leaves its share to the others.
        for _ in 1..threads.max(1) {
            let _ = std::thread::Builder::new().spawn_scoped(scope, all);
        }
        all();
    });
}
