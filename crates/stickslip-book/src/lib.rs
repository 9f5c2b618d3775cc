//! Compiles the Rust of the book: each page of `docs/` with code of its own is a doctest here.
//!
//! Programs that a page shows whole are examples of the crates instead.

/// `docs/problem-files.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/problem-files.md")]
pub struct ProblemFiles;
