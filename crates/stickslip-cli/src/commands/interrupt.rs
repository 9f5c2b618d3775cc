//! Ctrl-C.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::failure::Failure;

/// Set by Ctrl-C; a second Ctrl-C ends the program at once.
pub fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::Simulation(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(flag)
}
