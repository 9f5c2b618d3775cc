//! Backtracking along a Newton direction.

/// Halves the step until `merit` falls by Armijo's rule, or 20 times; returns the accepted point
/// with its merit.
pub(crate) fn search(
    z: &[f64],
    d: &[f64],
    now: f64,
    merit: impl Fn(&[f64]) -> f64,
) -> Option<(Vec<f64>, f64)> {
    let mut t = 1.0;
    for _ in 0..20 {
        let next: Vec<f64> = z.iter().zip(d).map(|(z, d)| z + t * d).collect();
        let value = merit(&next);
        if value <= (1.0 - 2e-4 * t) * now {
            return Some((next, value));
        }
        t *= 0.5;
    }
    None
}
