//! Regular polygons, the cross sections of friction pyramids.

use std::borrow::Cow;

/// Directions of the corners of a regular polygon and of the middles of its edges.
#[derive(Clone)]
pub(super) struct Ring {
    pub(super) corners: Vec<[f64; 2]>,
    /// The edge after each corner.
    pub(super) middles: Vec<[f64; 2]>,
    pub(super) half_sin: f64,
    pub(super) half_cos: f64,
}

/// Speed: polygons with up to this many corners are looked up.
const LOOKED_UP: usize = 2048;

/// The polygon of so many corners.
#[inline]
pub(super) fn ring(corners: usize) -> Cow<'static, Ring> {
    static RINGS: [std::sync::OnceLock<Ring>; LOOKED_UP] =
        [const { std::sync::OnceLock::new() }; LOOKED_UP];
    match RINGS.get(corners) {
        Some(slot) => Cow::Borrowed(slot.get_or_init(|| Ring::new(corners))),
        None => Cow::Owned(Ring::new(corners)),
    }
}

impl Ring {
    fn new(corners: usize) -> Self {
        let half = std::f64::consts::PI / corners as f64;
        let at = |k: usize| {
            let (sin, cos) = (k as f64 * half).sin_cos();
            [cos, sin]
        };
        let (half_sin, half_cos) = half.sin_cos();
        Self {
            corners: (0..corners).map(|k| at(2 * k)).collect(),
            middles: (0..corners).map(|k| at(2 * k + 1)).collect(),
            half_sin,
            half_cos,
        }
    }

    /// The edge that a direction points at.
    #[inline]
    pub(super) fn edge(&self, t: [f64; 2]) -> usize {
        let n = self.middles.len();
        if n <= 16 {
            // the lower half mirrors the upper one: edge k is edge n - 1 - k there
            let (mut best, mut most) = (0, f64::NEG_INFINITY);
            for (k, [cos, sin]) in self.middles[..n.div_ceil(2)].iter().enumerate() {
                let along = t[0] * cos + t[1].abs() * sin;
                if along > most {
                    (best, most) = (k, along);
                }
            }
            return if t[1] < 0.0 { n - 1 - best } else { best };
        }
        let along = |k: usize| t[0] * self.middles[k][0] + t[1] * self.middles[k][1];
        let best = |a: usize, b: usize| if along(b) > along(a) { b } else { a };
        let turn = t[1].atan2(t[0]).rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU;
        let k = (turn * n as f64) as usize % n;
        best(best(k, (k + 1) % n), (k + n - 1) % n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of all edges the one found reaches farthest, in the lower half plane too and on the axis between the two.
    #[test]
    fn the_edge_is_the_one_that_a_direction_points_at() {
        for corners in 3..40 {
            let ring = ring(corners);
            for k in 0..720 {
                let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 720.0).sin_cos();
                for t in [[cos, sin], [cos, 0.0], [cos, -0.0]] {
                    let along = |m: &[f64; 2]| t[0] * m[0] + t[1] * m[1];
                    let most = ring.middles.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
                    let found = along(&ring.middles[ring.edge(t)]);
                    assert!(found >= most - 1e-15, "{corners} corners, {t:?}");
                }
            }
        }
    }
}
