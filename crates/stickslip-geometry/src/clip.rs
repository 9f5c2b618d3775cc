//! A convex polygon cut by a plane: the one clipper.

use crate::Vec3;

/// Sutherland and Hodgman: keeps the part of a convex polygon where `height` is not positive. Where a
/// side passes through zero, `cut(from, to, share)` makes the new corner, `share` of the way along it.
/// Not `closed`, it is a chain of segments without the last side.
pub fn clip<T: Copy>(
    corners: &mut Vec<T>,
    closed: bool,
    height: impl Fn(&T) -> f64,
    cut: impl Fn(&T, &T, f64) -> T,
) {
    clip_with(corners, &mut Vec::new(), closed, height, cut);
}

/// [`clip`] with memory for what is kept, for cuts by several planes.
pub fn clip_with<T: Copy>(
    corners: &mut Vec<T>,
    kept: &mut Vec<T>,
    closed: bool,
    height: impl Fn(&T) -> f64,
    cut: impl Fn(&T, &T, f64) -> T,
) {
    let Some(first) = corners.first().map(&height) else { return };
    if corners.iter().all(|c| height(c) <= 0.0) {
        return;
    }
    let n = corners.len();
    kept.clear();
    kept.reserve(n + 1);
    let mut here = first;
    for k in 0..n {
        let last = k + 1 == n;
        let next = if last { 0 } else { k + 1 };
        let there = if last { first } else { height(&corners[next]) };
        if here <= 0.0 {
            kept.push(corners[k]);
        }
        let crosses = (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0);
        if crosses && (closed || !last) {
            kept.push(cut(&corners[k], &corners[next], here / (here - there)));
        }
        here = there;
    }
    std::mem::swap(corners, kept);
}

/// The part of a flat convex polygon with `normal · x <= offset`. Corners within `tolerance` of the
/// plane count as on it \[m\].
pub fn behind(mut corners: Vec<Vec3>, normal: Vec3, offset: f64, tolerance: f64) -> Vec<Vec3> {
    let height = |c: &Vec3| {
        let h = normal.dot(*c) - offset;
        if h.abs() <= tolerance { 0.0 } else { h }
    };
    clip(&mut corners, true, height, |a, b, share| a.lerp(*b, share));
    corners
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;

    fn area(corners: &[Vec3]) -> f64 {
        let n = corners.len();
        (0..n).map(|k| 0.5 * corners[k].cross(corners[(k + 1) % n]).z).sum()
    }

    /// Both sides of a cut make up the whole, and each lies on its side of the line.
    #[test]
    fn the_two_parts_are_the_whole() {
        for seed in 0..200 {
            let rng = &mut StdRng::seed_from_u64(seed);
            let n = rng.random_range(3..12);
            let mut angles: Vec<f64> =
                (0..n).map(|_| rng.random_range(0.0..std::f64::consts::TAU)).collect();
            angles.sort_by(f64::total_cmp);
            let corners: Vec<Vec3> =
                angles.iter().map(|a| Vec3::new(a.cos(), a.sin(), 0.0)).collect();
            let direction: f64 = rng.random_range(0.0..std::f64::consts::TAU);
            let normal = Vec3::new(direction.cos(), direction.sin(), 0.0);
            // Now and then the line passes through a corner.
            let offset = match seed % 4 {
                0 => normal.dot(corners[seed as usize % n]),
                _ => rng.random_range(-1.2..1.2),
            };
            let below = behind(corners.clone(), normal, offset, 0.0);
            let above = behind(corners.clone(), -normal, -offset, 0.0);
            let sum = area(&below) + area(&above);
            assert!((sum - area(&corners)).abs() < 1e-12, "seed {seed}: {sum}");
            assert!(below.iter().all(|c| normal.dot(*c) <= offset + 1e-14), "seed {seed}");
            assert!(above.iter().all(|c| normal.dot(*c) >= offset - 1e-14), "seed {seed}");
        }
    }

    /// A segment keeps its end below the line; there is no side from the last point to the first.
    #[test]
    fn a_segment_is_cut_once() {
        let mut ends = vec![Vec3::ZERO, Vec3::X * 4.0];
        clip(&mut ends, false, |p| p.x - 1.0, |a, b, s| a.lerp(*b, s));
        assert_eq!(ends, [Vec3::ZERO, Vec3::X]);
    }
}
