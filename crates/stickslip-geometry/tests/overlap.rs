//! The oracle against closed forms, brute force and Monte-Carlo.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::f64::consts::PI;

use common::{check_depth, holds, hull, pose, vector};
use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{
    Aabb, Convex, Dimension, Polygon, Polytope, Pose, Quat, Vec3,
    overlap::{depth, intersection_volume},
};

const SPACE: Dimension = Dimension::Three;
const PLANE: Dimension = Dimension::Two;

fn cuboid(size: Vec3) -> Convex {
    Convex::Polytope(Polytope::cuboid(size).unwrap().into())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::IDENTITY)
}

/// Aligned boxes: the overlap is a box; its smallest edge is the depth. In the world and turned
/// together.
#[test]
fn aligned_boxes_overlap_in_a_box() {
    for seed in 0..300 {
        let mut rng = StdRng::seed_from_u64(seed);
        let sizes = [0; 2].map(|_| vector(&mut rng, 1.0).abs() + Vec3::splat(0.05));
        let shift = vector(&mut rng, 1.0);
        let frame = pose(&mut rng, 3.0);
        let [a, b] = sizes.map(cuboid);
        let edges = (sizes[0] + sizes[1]) * 0.5 - shift.abs();
        let edges = edges.min(sizes[0]).min(sizes[1]);
        let reach = (sizes[0] + sizes[1]) * 0.5 - shift.abs();
        let apart = (-reach).max(Vec3::ZERO).length();
        let expected = if apart > 0.0 { -apart } else { reach.min_element() };
        let volume = edges.max(Vec3::ZERO).element_product();
        for frame in [Pose::IDENTITY, frame] {
            let there = frame.compose(&at(shift.x, shift.y, shift.z));
            let d = depth(SPACE, &a, &frame, &b, &there);
            assert!((d - expected).abs() < 1e-14, "seed {seed}: {d} {expected}");
            let v = intersection_volume(SPACE, &a, &frame, &b, &there);
            assert!((v - volume).abs() < 1e-14, "seed {seed}: {v} {volume}");
        }
    }
}

/// Flush boxes: sides of both lie in common planes, looking the same way or at each other.
#[test]
fn flush_boxes_are_measured_exactly() {
    let a = cuboid(Vec3::ONE);
    let v =
        |x: f64, y: f64, z: f64| intersection_volume(SPACE, &a, &Pose::IDENTITY, &a, &at(x, y, z));
    assert!((v(0.0, 0.0, 0.0) - 1.0).abs() < 1e-15);
    assert!((v(0.25, 0.0, 0.0) - 0.75).abs() < 1e-15);
    assert!((v(0.25, 0.5, 0.0) - 0.375).abs() < 1e-15);
    assert_eq!(v(1.0, 0.0, 0.0), 0.0);
    assert_eq!(depth(SPACE, &a, &Pose::IDENTITY, &a, &at(1.0, 0.3, 0.0)), 0.0);
    assert_eq!(depth(SPACE, &a, &Pose::IDENTITY, &a, &at(1.0, 1.0, 1.0)), 0.0);
    // A thin overlap keeps its digits.
    let thin = v(1.0 - 1e-9, 0.0, 0.0);
    assert!((thin / (1.0 - (1.0 - 1e-9)) - 1.0).abs() < 1e-6, "{thin}");
}

/// A peg with 5 micrometres of clearance in a hole of four blocks is not in contact.
#[test]
fn peg_with_clearance_is_apart() {
    let (block, peg) = (cuboid(Vec3::ONE), cuboid(Vec3::splat(0.99999)));
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let d = depth(SPACE, &block, &at(x, y, 0.0), &peg, &at(0.0, 0.0, 0.1));
        assert!((d + 5e-6).abs() < 1e-15, "{d}");
    }
}

/// Signed depth of random hulls, overlapping and apart, against sampled directions; the same
/// with the roles exchanged.
#[test]
fn depth_of_hulls_agrees_with_brute_force() {
    let (mut over, mut apart) = (0, 0);
    for seed in 0..60 {
        let mut rng = StdRng::seed_from_u64(seed);
        let (a, b) = (hull(&mut rng, 14), hull(&mut rng, 9));
        let (pa, pb) = (pose(&mut rng, 0.6), pose(&mut rng, 0.6));
        let d = check_depth(SPACE, (&a, &pa), (&b, &pb), (seed, 1e-13));
        assert!((depth(SPACE, &b, &pb, &a, &pa) - d).abs() < 1e-13, "seed {seed}");
        if d > 0.0 { over += 1 } else { apart += 1 }
    }
    assert!(over > 10 && apart > 10, "{over} {apart}");
}

fn round_shapes() -> Vec<Convex> {
    let (half, radius) = (0.5, 0.3);
    vec![
        Convex::Ball { radius },
        Convex::Capsule { half, radius },
        Convex::Cylinder { half, radius },
        Convex::Cone { half, radius },
    ]
}

/// All pairs of round shapes, and of each with a hull: depth against sampled directions.
#[test]
fn depth_of_round_shapes_agrees_with_brute_force() {
    let mut signs = [0, 0];
    for seed in 0..6 {
        let mut rng = StdRng::seed_from_u64(100 + seed);
        let mut shapes = round_shapes();
        shapes.push(hull(&mut rng, 12));
        for a in &shapes {
            for b in &shapes {
                let (pa, pb) = (pose(&mut rng, 0.4), pose(&mut rng, 0.4));
                let d = check_depth(SPACE, (a, &pa), (b, &pb), (seed, 1e-8));
                signs[usize::from(d > 0.0)] += 1;
            }
        }
    }
    assert!(signs[0] > 10 && signs[1] > 10, "{signs:?}");
}

/// Closed forms: capsules side by side, a ball over the rim of a cylinder, a cone on its tip.
#[test]
fn round_shapes_have_their_closed_forms() {
    let (half, radius) = (0.5, 0.3);
    let capsule = Convex::Capsule { half, radius };
    let cylinder = Convex::Cylinder { half, radius };
    let cone = Convex::Cone { half, radius };
    let ball = Convex::Ball { radius: 0.2 };
    let turn = Pose::new(Vec3::Y * 0.4, Quat::from_rotation_x(PI / 2.0));
    let side = Pose::new(
        Vec3::X * 0.4,
        Quat::from_rotation_y(PI / 2.0).mul_quat(Quat::from_rotation_z(0.3)),
    );
    let d = |a: &Convex, p: &Pose, b: &Convex, q: &Pose| depth(SPACE, a, p, b, q);
    let o = Pose::IDENTITY;
    assert!((d(&capsule, &o, &capsule, &at(0.5, 0.0, 0.2)) - 0.1).abs() < 1e-15);
    assert!((d(&capsule, &o, &capsule, &at(0.0, 0.0, 2.0)) + 0.4).abs() < 1e-15);
    // Crossing axes: no direction parts them sooner than 2 r.
    assert!((d(&capsule, &o, &capsule, &turn) - 0.6).abs() < 1e-9);
    assert!((d(&capsule, &o, &capsule, &side) - 0.6).abs() < 1e-9);
    let rim = 0.2 - 0.1_f64.hypot(0.05);
    assert!((d(&cylinder, &o, &ball, &at(0.4, 0.0, 0.55)) - rim).abs() < 1e-15);
    assert!((d(&ball, &at(0.1, 0.0, 0.0), &cylinder, &o) - 0.4).abs() < 1e-15);
    // The ball sits over the flank: signed distance to the line from (0.3, -0.5) to (0, 0.5).
    let flank = 0.2 - (0.4 + 0.3 * (0.1 - 0.5)) / (1.0 + 0.09_f64).sqrt();
    assert!((d(&cone, &o, &ball, &at(0.4, 0.0, 0.1)) - flank).abs() < 1e-15);
    let floor = Convex::HalfSpace;
    assert!((d(&cone, &at(0.0, 0.0, 0.45), &floor, &o) - 0.05).abs() < 1e-15);
    let lying = Pose::new(Vec3::Z * 0.25, Quat::from_rotation_x(PI / 2.0));
    assert!((d(&floor, &o, &cylinder, &lying) - 0.05).abs() < 1e-15);
    // A cylinder lying on a box by its side, and standing on it.
    let table = cuboid(Vec3::new(4.0, 4.0, 1.0));
    let below = at(0.0, 0.0, -0.5);
    assert!((d(&table, &below, &cylinder, &lying) - 0.05).abs() < 1e-9);
    assert!((d(&table, &below, &cylinder, &at(0.2, 0.1, 0.49)) - 0.01).abs() < 1e-9);
}

/// Volume shared by two polytopes as the hull of all corners of the intersection: every triple
/// of planes, kept if it is inside all of them.
fn volume_by_corners(a: &Polytope, b: &Polytope) -> f64 {
    let planes: Vec<(Vec3, f64)> =
        a.faces.iter().chain(&b.faces).map(|f| (f.normal, f.offset)).collect();
    let mut corners = vec![];
    for (i, (n, d)) in planes.iter().enumerate() {
        for (j, (m, e)) in planes.iter().enumerate().skip(i + 1) {
            for (l, f) in planes.iter().skip(j + 1) {
                let det = n.dot(m.cross(*l));
                if det.abs() < 1e-9 {
                    continue;
                }
                let x = (m.cross(*l) * *d + l.cross(*n) * *e + n.cross(*m) * *f) / det;
                if planes.iter().all(|(n, d)| n.dot(x) <= d + 1e-10) {
                    corners.push(x);
                }
            }
        }
    }
    Polytope::from_points(&corners).map_or(0.0, |p| p.volume())
}

#[test]
fn volume_of_polytopes_agrees_with_corner_enumeration() {
    let mut some = 0;
    for seed in 0..150 {
        let mut rng = StdRng::seed_from_u64(seed);
        let a = Polytope::cuboid(vector(&mut rng, 1.0).abs() + Vec3::splat(0.2)).unwrap();
        let b =
            [Polytope::octahedron(0.9), Polytope::dodecahedron(0.4), Polytope::prism(0.5, 0.8, 5)]
                .into_iter()
                .nth(seed as usize % 3)
                .unwrap()
                .unwrap();
        let (pa, pb) = (pose(&mut rng, 0.4), pose(&mut rng, 0.4));
        let expected = volume_by_corners(&a.placed(&pa), &b.placed(&pb));
        let (a, b) = (Convex::Polytope(a.into()), Convex::Polytope(b.into()));
        let v = intersection_volume(SPACE, &a, &pa, &b, &pb);
        assert!((v - expected).abs() < 1e-9, "seed {seed}: {v} {expected}");
        assert!((v > 0.0) == (depth(SPACE, &a, &pa, &b, &pb) > 0.0), "seed {seed}");
        some += usize::from(v > 1e-3);
    }
    assert!(some > 40, "{some}");
}

/// Counts random points of the box around the smaller part: within 5 standard deviations, plus
/// what the tessellation of the second round part may lose.
fn check_monte_carlo(
    dimension: Dimension,
    (a, pa): (&Convex, &Pose),
    (b, pb): (&Convex, &Pose),
    seed: u64,
    loss: f64,
) -> bool {
    let mut rng = StdRng::seed_from_u64(seed);
    let v = intersection_volume(dimension, a, pa, b, pb);
    let swapped = intersection_volume(dimension, b, pb, a, pa);
    // Twice the surface of the overlap times what the tessellation is off.
    let off = 1e-9 * v + 2.0 * loss * 6.0 * v.powf(2.0 / 3.0);
    assert!((v - swapped).abs() <= off, "seed {seed} {a:?} {b:?}: {v} {swapped}");
    let Aabb { min, max } = if a.is_bounded() { a.aabb(pa) } else { b.aabb(pb) };
    let n = 40_000;
    let mut inside = 0.0_f64;
    for _ in 0..n {
        let t: Vec3 = [0; 3].map(|_| rng.random_range(0.0..1.0)).into();
        let x = min + t * (max - min);
        let x = if dimension == PLANE { x.with_z(0.0) } else { x };
        if holds(dimension, a, pa, x) && holds(dimension, b, pb, x) {
            inside += 1.0;
        }
    }
    let size = max - min;
    let cell =
        if dimension == PLANE { size.x * size.y } else { size.element_product() } / f64::from(n);
    let sigma = 5.0 * inside.sqrt().max(1.0) + off / cell;
    assert!((v / cell - inside).abs() < sigma, "seed {seed} {a:?} {b:?}: {} {inside}", v / cell);
    inside > 400.0
}

#[test]
fn shared_volume_agrees_with_monte_carlo() {
    let mut some = 0;
    for seed in 0..5 {
        let mut rng = StdRng::seed_from_u64(200 + seed);
        let mut shapes = round_shapes();
        shapes.push(hull(&mut rng, 12));
        shapes.push(Convex::HalfSpace);
        for (i, a) in shapes.iter().enumerate() {
            for (j, b) in shapes.iter().enumerate() {
                if matches!((a, b), (Convex::HalfSpace, Convex::HalfSpace)) {
                    continue;
                }
                let (pa, pb) = (pose(&mut rng, 0.25), pose(&mut rng, 0.25));
                // Two of capsule, cylinder and cone: one is tessellated.
                let loss =
                    if (1..4).contains(&i) && (1..4).contains(&j) { 0.0008 * 0.3 } else { 0.0 };
                some += usize::from(check_monte_carlo(SPACE, (a, &pa), (b, &pb), seed, loss));
            }
        }
    }
    assert!(some > 80, "{some}");
}

/// Lenses and caps in closed form, thin ones too, where counting sees nothing.
#[test]
fn thin_overlaps_of_balls_keep_their_digits() {
    let (r, s): (f64, f64) = (0.7, 0.3);
    let (a, b) = (Convex::Ball { radius: r }, Convex::Ball { radius: s });
    for d in [0.5, 0.9, 0.999, 1.0 - 1e-6] {
        let v = intersection_volume(SPACE, &a, &at(0.0, 0.0, 0.0), &b, &at(d, 0.0, 0.0));
        // Weisstein's formula; it loses digits only through r + s - d, taken exactly.
        let gap = r + s - d;
        let lens =
            PI * gap * gap * (d * d + 2.0 * d * (r + s) - 3.0 * (r - s).powi(2)) / (12.0 * d);
        assert!((v / lens - 1.0).abs() < 1e-9, "{d}: {v} {lens}");
    }
    let table = cuboid(Vec3::new(4.0, 4.0, 1.0));
    for h in [0.2, 1e-3, 1e-6] {
        let v = intersection_volume(SPACE, &a, &at(0.3, 0.1, r - h), &table, &at(0.0, 0.0, -0.5));
        let cap = PI * h * h * (3.0 * r - h) / 3.0;
        assert!((v / cap - 1.0).abs() < 1e-4, "{h}: {v} {cap}");
        let w = intersection_volume(
            SPACE,
            &a,
            &at(0.3, 0.1, r - h),
            &Convex::HalfSpace,
            &Pose::IDENTITY,
        );
        assert!((w / cap - 1.0).abs() < 1e-8, "{h}: {w} {cap}");
    }
    // A cylinder lying in a half-space, in a box, by h: a prism of circular segments.
    let cylinder = Convex::Cylinder { half: 0.5, radius: 0.3 };
    for h in [0.1_f64, 1e-3, 1e-6] {
        let angle = 2.0 * (1.0 - h / 0.3).acos();
        let expected = 0.5 * 0.09 * (angle - angle.sin());
        let lying = Pose::new(Vec3::Z * (0.3 - h), Quat::from_rotation_x(PI / 2.0));
        let v = intersection_volume(SPACE, &cylinder, &lying, &Convex::HalfSpace, &Pose::IDENTITY);
        assert!((v / expected - 1.0).abs() < 1e-3, "{h}: {v} {expected}");
        let w = intersection_volume(SPACE, &cylinder, &lying, &table, &at(0.0, 0.0, -0.5));
        assert!((w / v - 1.0).abs() < 1e-4, "{h}: {w} {v}");
    }
}

fn polygon(rng: &mut StdRng, n: usize) -> Convex {
    let points: Vec<Vec3> = (0..n).map(|_| vector(rng, 0.7)).collect();
    Convex::Polygon(Polygon::from_points(&points).unwrap().into())
}

/// In the plane: polygons, discs and half-planes, depth by sampled directions, area by counting.
#[test]
fn planar_overlap_agrees_with_brute_force() {
    let (mut some, mut apart) = (0, 0);
    for seed in 0..40 {
        let mut rng = StdRng::seed_from_u64(300 + seed);
        let shapes = [
            polygon(&mut rng, 7),
            polygon(&mut rng, 4),
            Convex::Ball { radius: 0.4 },
            Convex::HalfSpace,
        ];
        let mut place = || {
            let [x, y] = [0; 2].map(|_| rng.random_range(-0.6..0.6));
            Pose::planar(x, y, rng.random_range(-3.0..3.0))
        };
        for (i, a) in shapes.iter().enumerate() {
            for b in &shapes[..i] {
                let (pa, pb) = (place(), place());
                some += usize::from(check_monte_carlo(PLANE, (a, &pa), (b, &pb), seed, 0.0));
                if a.is_bounded() && b.is_bounded() {
                    let d = check_depth(PLANE, (a, &pa), (b, &pb), (seed, 1e-13));
                    apart += usize::from(d < 0.0);
                }
            }
        }
    }
    assert!(some > 40 && apart > 10, "{some} {apart}");
}

/// Lens of two discs and segment of one, thin ones too.
#[test]
fn thin_overlaps_of_discs_keep_their_digits() {
    let disc = Convex::Ball { radius: 1.0 };
    for h in [0.5_f64, 1e-3, 1e-6] {
        // Area of the lens of unit discs at distance 2 - h: series for thin ones.
        let half = 0.5 * h;
        let angle = 2.0 * (1.0 - half).acos();
        let direct = angle - angle.sin();
        let series = 2.0 * (4.0 / 3.0) * half * (2.0 * half).sqrt() * (1.0 - 3.0 / 20.0 * half);
        let expected = if h > 0.1 { direct } else { series };
        let v = intersection_volume(
            PLANE,
            &disc,
            &Pose::planar(0.0, 0.0, 0.0),
            &disc,
            &Pose::planar(2.0 - h, 0.0, 0.0),
        );
        assert!((v / expected - 1.0).abs() < 1e-6, "{h}: {v} {expected}");
        let w = intersection_volume(
            PLANE,
            &disc,
            &Pose::planar(0.0, 1.0 - half, 0.3),
            &Convex::HalfSpace,
            &Pose::IDENTITY,
        );
        assert!((2.0 * w / v - 1.0).abs() < 1e-8, "{h}: {w} {v}");
    }
}
