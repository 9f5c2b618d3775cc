//! The nearest points, or the direction of least depth, of two convex parts, by search.
//!
//! Used where no pair of features tells them: sides that meet close to an apex, rims of smooth
//! cylinders and cones that cut into each other. Apart, projecting to and fro leads to the nearest
//! points. Overlapping, the separation along a unit direction n is `min_B n · y - max_A n · x`,
//! and its largest value over all directions is the (negative) depth: a polytope that grows in the set of
//! differences finds it to a thousandth, and a search from there the rest.

use stickslip_geometry::{Convex, Vec3};

use super::{Found, nearest::nearest};
use crate::collide::{Feature, depth, placed::Placed};

/// First and last step of the search \[rad\].
const STEPS: [f64; 2] = [0.3, 1e-11];
/// Turns of the search at the most. Along a ridge every turn must be smaller than the one before: where a peg
/// leaned in a hole a step took 5 s.
const TURNS: usize = 300;

/// Projections that settle on nearest points.
const ROUNDS: usize = 1000;

/// The contact that features left out: where the parts are apart and none of `sure` contacts is
/// without doubt, at the nearest points; where they overlap and none of `primary` contacts is
/// there, along the least depth. `None` if farther apart than `reach` \[m\].
pub(crate) fn contact(
    parts: [(&Convex, &Placed); 2],
    seeds: &[Vec3],
    reach: f64,
    primary: bool,
) -> Option<Found> {
    match apart(parts) {
        Some(found) => (found.gap <= reach).then_some(found),
        None if primary => None,
        None => overlapping(parts, seeds, reach),
    }
}

/// The nearest points of parts that are apart.
fn apart(parts: [(&Convex, &Placed); 2]) -> Option<Found> {
    let [a, b] = parts;
    let size = (a.1.bounds.max - a.1.bounds.min).length();
    let to = |part: (&Convex, &Placed), p: Vec3| {
        let at = nearest(part.0, part.1, p, size);
        (at.distance > 0.0).then_some(at.point)
    };
    let mut p = to(a, b.1.pose.position)?;
    let mut q = to(b, p)?;
    for _ in 0..ROUNDS {
        let next = to(a, q)?;
        let moved = next.distance_squared(p);
        p = next;
        q = to(b, p)?;
        if moved <= (1e-15 * size).powi(2) {
            break;
        }
    }
    let gap = p.distance(q);
    (gap > 1e-9 * size).then(|| Found {
        features: [Feature::Smooth(u32::MAX); 2],
        points: [p, q],
        normal: (q - p) / gap,
        gap,
        applicability: 1.0,
        primary: true,
    })
}

/// The contact along the direction of least depth, from the first part to the second.
fn overlapping(parts: [(&Convex, &Placed); 2], seeds: &[Vec3], reach: f64) -> Option<Found> {
    let supports = |n: Vec3| {
        let [a, b] = parts;
        [a.0.support(&a.1.pose, n), b.0.support(&b.1.pose, -n)]
    };
    let between = parts[1].1.pose.position - parts[0].1.pose.position;
    let (gap, normal) = least_depth(seeds, between, supports);
    let [p, q] = supports(normal);
    // At the best direction the supports lie across from each other, up to flat places.
    let middle = 0.5 * (p + q);
    let on = |height: f64| middle + normal * (height - normal.dot(middle));
    (gap <= reach).then_some(Found {
        features: [Feature::Smooth(u32::MAX); 2],
        points: [on(normal.dot(p)), on(normal.dot(q))],
        normal,
        gap,
        applicability: 1.0,
        primary: true,
    })
}

/// The largest gap along a direction \[m\], and that direction, from points of both parts that are farthest
/// towards each other along one.
fn least_depth(seeds: &[Vec3], between: Vec3, supports: impl Fn(Vec3) -> [Vec3; 2]) -> (f64, Vec3) {
    let gap = |n: Vec3| {
        let [p, q] = supports(n);
        n.dot(q - p)
    };
    let difference = |n: Vec3| {
        let [p, q] = supports(-n);
        q - p
    };
    let axes = Vec3::AXES.into_iter().flat_map(|d| [d, -d]);
    let starts = seeds.iter().copied().chain(between.try_normalize()).chain(axes);
    let grown = depth::least(difference).map(|(n, depth)| (-depth, -n));
    let best = starts
        .map(|n| (gap(n), n))
        .chain(grown)
        .fold((f64::NEG_INFINITY, Vec3::Y), |best, next| if next.0 > best.0 { next } else { best });
    climb(best, gap)
}

/// Goes uphill from a direction by turns about two axes, ever smaller.
fn climb(start: (f64, Vec3), value: impl Fn(Vec3) -> f64) -> (f64, Vec3) {
    let (mut best, mut n) = start;
    let mut step = STEPS[0];
    for _ in 0..TURNS {
        let u = n.any_orthonormal_vector();
        let v = n.cross(u);
        let rotated =
            [u, -u, v, -v, u + v, -u - v, u - v, v - u].map(|d| (n + d * step).normalize());
        let next = rotated
            .into_iter()
            .map(|d| (value(d), d))
            .fold((best, n), |best, next| if next.0 > best.0 { next } else { best });
        if next.0 > best {
            (best, n) = next;
        } else {
            step *= 0.5;
        }
        if step <= STEPS[1] {
            break;
        }
    }
    (best, n)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use stickslip_geometry::{Dimension, Pose, Quat, Vec3};

    use super::*;
    use crate::testing::Random;

    /// A peg that leans in what a plate with a hole is without it: the least depth is found with a bounded
    /// number of support points, and no direction of many has less.
    #[test]
    fn the_least_depth_is_found_with_a_bounded_number_of_points() {
        let mut random = Random::new(3);
        let plate = Convex::Cylinder { half: 10e-3, radius: 12e-3 };
        let peg = Convex::Cylinder { half: 15e-3, radius: 4.75e-3 };
        let pin = Convex::Capsule { half: 15e-3, radius: 4.75e-3 };
        for round in 0..300 {
            let body = if round % 3 == 2 { &pin } else { &peg };
            let lean = [1e-9, 1e-3, 0.05, 1.0][round % 4];
            let turn = Quat::from_scaled_axis(random.vector(Dimension::Three) * lean);
            let at = random.vector(Dimension::Three) * Vec3::new(2e-4, 2e-4, 8e-3);
            let poses = [Pose::IDENTITY, Pose::new(at, turn)];
            let asked = Cell::new(0);
            let supports = |n: Vec3| {
                asked.set(asked.get() + 1);
                [plate.support(&poses[0], n), body.support(&poses[1], -n)]
            };
            let (gap, normal) = least_depth(&[], at, supports);
            assert!(asked.get() <= 8 * TURNS + 130, "round {round}: {} points", asked.get());
            let along = |n: Vec3| {
                let [p, q] = supports(n);
                n.dot(q - p)
            };
            assert!((along(normal) - gap).abs() < 1e-15);
            for _ in 0..300 {
                let other = (normal + random.vector(Dimension::Three) * 0.1).normalize();
                for n in [other, random.vector(Dimension::Three).normalize()] {
                    let less = along(n) - gap;
                    assert!(less < 1e-3 * gap.abs(), "round {round}: {less} m less than {gap}");
                }
            }
        }
    }
}
