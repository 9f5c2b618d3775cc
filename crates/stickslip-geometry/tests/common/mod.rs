//! What several test files need.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{Convex, Dimension, Polytope, Pose, Quat, Vec3, overlap::separation};

pub fn vector(rng: &mut StdRng, reach: f64) -> Vec3 {
    [0; 3].map(|_| rng.random_range(-reach..reach)).into()
}

pub fn direction(rng: &mut StdRng) -> Vec3 {
    loop {
        let v = vector(rng, 1.0);
        if (0.01..1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

pub fn pose(rng: &mut StdRng, reach: f64) -> Pose {
    let q = [0; 4].map(|_| rng.random_range(-1.0..1.0));
    Pose::new(vector(rng, reach), Quat::from_array(q).normalize())
}

pub fn hull(rng: &mut StdRng, n: usize) -> Convex {
    let points: Vec<Vec3> = (0..n).map(|_| vector(rng, 0.7)).collect();
    Convex::Polytope(Polytope::from_points(&points).unwrap().into())
}

/// Signed depth along one direction: `max_A n·x - min_B n·x`.
pub fn depth_along((a, pose_a): (&Convex, &Pose), (b, pose_b): (&Convex, &Pose), n: Vec3) -> f64 {
    n.dot(a.support(pose_a, n) - b.support(pose_b, -n))
}

/// Checks a signed depth from both sides: its direction attains it, and none of thousands of
/// sampled directions, refined by random steps, has less.
pub fn check_depth(
    dimension: Dimension,
    a: (&Convex, &Pose),
    b: (&Convex, &Pose),
    (seed, tolerance): (u64, f64),
) -> f64 {
    let found = separation(dimension, a.0, a.1, b.0, b.1);
    let attained = depth_along(a, b, found.direction);
    let say = || format!("seed {seed}: {found:?} of {a:?} {b:?}");
    assert!((found.direction.length() - 1.0).abs() < 1e-14, "{}", say());
    assert!((attained - found.depth).abs() < 1e-13, "{}: attains {attained}", say());
    let mut rng = StdRng::seed_from_u64(seed);
    let flat = |n: Vec3| match dimension {
        Dimension::Two => n.with_z(0.0).normalize_or(Vec3::X),
        Dimension::Three => n,
    };
    let measured = |n: Vec3| (depth_along(a, b, n), n);
    let mut starts: Vec<(f64, Vec3)> =
        (0..2000).map(|_| measured(flat(direction(&mut rng)))).collect();
    starts.push(measured(found.direction));
    starts.sort_by(|x, y| x.0.total_cmp(&y.0));
    for &start in starts.iter().take(6) {
        let (mut best, mut step) = (start, 0.1);
        while step > 1e-9 {
            let n = flat((best.1 + direction(&mut rng) * step).normalize());
            let next = measured(n);
            step *= if next.0 < best.0 { 1.3 } else { 0.95 };
            best = if next.0 < best.0 { next } else { best };
        }
        assert!(best.0 > found.depth - tolerance, "{}: less is {best:?}", say());
    }
    found.depth
}

/// Whether a world point lies in a placed part, from the definition of the part.
pub fn holds(dimension: Dimension, convex: &Convex, pose: &Pose, x: Vec3) -> bool {
    let p = pose.inverse_point(x);
    let r = p.x.hypot(p.y);
    match convex {
        Convex::Polytope(q) => q.faces.iter().all(|f| f.normal.dot(p) <= f.offset),
        Convex::Polygon(q) => q.vertices.iter().zip(&q.normals).all(|(v, n)| n.dot(p - *v) <= 0.0),
        Convex::Ball { radius } => p.length() <= *radius,
        Convex::Capsule { half, radius } => {
            p.distance(Vec3::Z * p.z.clamp(-half, *half)) <= *radius
        }
        Convex::Cylinder { half, radius } => p.z.abs() <= *half && r <= *radius,
        Convex::Cone { half, radius } => {
            p.z.abs() <= *half && r <= radius * (half - p.z) / (2.0 * half)
        }
        Convex::Bored(b) => r >= b.radius && holds(dimension, &b.hull, pose, x),
        Convex::HalfSpace => p.dot(dimension.half_space_normal()) <= 0.0,
    }
}
