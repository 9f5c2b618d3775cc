//! Where to start, and where else.

use super::merit::Point;
use super::{Ncp, NonlinearError};

impl Ncp<'_> {
    /// The start, moved a little away from bounds where F is not finite on them.
    pub(super) fn first(&self, z0: Vec<f64>) -> Result<Point, NonlinearError> {
        let start = self.point(z0);
        if start.theta.is_finite() {
            return Ok(start);
        }
        for step in [1e-8, 1e-4, 1e-2, 0.1, 1.0] {
            let inside = |i: usize, z: f64| {
                let (l, u) = (self.lower[i], self.upper[i]);
                let room = if (u - l).is_finite() { step * 0.5 * (u - l).min(2.0) } else { step };
                let low = if l.is_finite() { z.max(l + room) } else { z };
                if u.is_finite() { low.min(u - room) } else { low }
            };
            let z = start.z.iter().enumerate().map(|(i, z)| inside(i, *z)).collect();
            let near = self.point(z);
            if near.theta.is_finite() {
                return Ok(near);
            }
        }
        let largest =
            || (0..start.f.len()).max_by(|&i, &j| start.f[i].abs().total_cmp(&start.f[j].abs()));
        let row = start.f.iter().position(|f| !f.is_finite()).or_else(largest).unwrap_or(0);
        let value = start.f.get(row).copied().unwrap_or(f64::NAN);
        Err(NonlinearError::Start { row, value })
    }
}

/// Another start, the `k`-th: further away from `z0` every time; `None` where all unknowns are
/// fixed.
pub(super) fn another(ncp: &Ncp<'_>, z0: &[f64], (k, seed): (usize, &mut u64)) -> Option<Vec<f64>> {
    let far = [0.1, 1.0, 3.0, 10.0][k % 4];
    if ncp.lower.iter().zip(&ncp.upper).all(|(l, u)| l == u) {
        return None;
    }
    let z: Vec<f64> = (0..z0.len())
        .map(|i| {
            let (l, u) = (ncp.lower[i], ncp.upper[i]);
            let r = draw(seed);
            if u - l <= 2.0 * far {
                return l + r * (u - l);
            }
            // above a lower bound, below an upper one, around a free unknown
            let size = far * z0[i].abs().max(1.0);
            match (l.is_finite(), u.is_finite()) {
                (true, false) => (z0[i] + (2.0 * r - 0.5) * size).max(l + 0.1 * r * far),
                (false, true) => (z0[i] - (2.0 * r - 0.5) * size).min(u - 0.1 * r * far),
                _ => z0[i] + (2.0 * r - 1.0) * size,
            }
        })
        .collect();
    Some(ncp.inside(&z))
}

/// A number in [0, 1): the upper bits of Knuth's linear congruential generator.
fn draw(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}
