//! The lengths and angles that count as none: three parts of a body's size, for all stages.
//!
//! A length is compared with one of them times the size of the smaller body, an angle with one of them
//! in radians, a sum with one of them times its largest term.

/// What arithmetic leaves of a difference that is zero, as a part of its terms: some hundred units of
/// the last place.
pub const ROUND_OFF: f64 = 1e-13;

/// Lengths that are zero, as a part of a body's size: what coordinates that were rounded when a scene was
/// written, and turned step after step, are off. Points of a hull within it are one plane, bodies
/// within it touch.
pub const TOUCH: f64 = 1e-9;

/// Lengths that do not matter, as a part of a body's size, and angles \[rad\]: points within it are one
/// point, edges within it are parallel. Meshes are convex up to it.
pub const MERGE: f64 = 1e-6;
