//! Work on bands of rows, by several threads.

use std::sync::{Mutex, PoisonError};

/// Calls `work(k, chunk)` for every chunk of that length, on `threads` threads. What a chunk gets
/// does not depend on which thread works on it.
pub(crate) fn in_bands<T: Send>(
    data: &mut [T],
    length: usize,
    threads: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let chunks = Mutex::new(data.chunks_mut(length).enumerate());
    let take = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let all = || {
        while let Some((k, chunk)) = take() {
            work(k, chunk);
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
