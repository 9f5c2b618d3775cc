//! The oracle on whole shapes: surfaces of triangles and compounds.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::f64::consts::PI;

use common::pose;
use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{
    Convex, Dimension, Polytope, Pose, Quat, Shape, Solid, Vec3,
    overlap::{intersection_volume, shape_depth, shape_overlap},
};

const SPACE: Dimension = Dimension::Three;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::IDENTITY)
}

/// A box sunk into a floor of triangles by d, wherever it stands on it.
#[test]
fn box_sunk_into_a_heightfield() {
    let floor = Solid::heightfield(&[0.0; 36], 6, [5.0, 5.0]).unwrap();
    let cube = Solid::cuboid(Vec3::new(0.6, 0.8, 1.0)).unwrap();
    for seed in 0..40 {
        let mut rng = StdRng::seed_from_u64(seed);
        let sink = 10_f64.powf(rng.random_range(-9.0..-1.0));
        let frame = pose(&mut rng, 1.0);
        let [x, y] = [0; 2].map(|_| rng.random_range(-1.9..1.9));
        let turn = Quat::from_rotation_z(rng.random_range(-3.0..3.0));
        let there = frame.compose(&Pose::new(Vec3::new(x, y, 0.5 - sink), turn));
        let found = shape_overlap(SPACE, &floor.shape, &frame, &cube.shape, &there);
        assert!((found.depth - sink).abs() < 1e-12, "seed {seed}: {} {sink}", found.depth);
        assert!((found.volume - sink * 0.48).abs() < 1e-12, "seed {seed}: {} {sink}", found.volume);
        let lifted = frame.compose(&Pose::new(Vec3::new(x, y, 0.5 + sink), turn));
        let found = shape_overlap(SPACE, &cube.shape, &lifted, &floor.shape, &frame);
        assert_eq!((found.depth, found.volume), (0.0, 0.0), "seed {seed}");
    }
}

/// A solid mesh of a box measures like the box itself: on top, over a ridge, at a corner.
#[test]
fn closed_surface_measures_like_its_polytope() {
    let p = Polytope::cuboid(Vec3::new(2.0, 2.0, 1.0)).unwrap();
    let fan = |f: &stickslip_geometry::polytope::Face| {
        let v = f.vertices.clone();
        (2..v.len()).map(move |k| [v[0], v[k - 1], v[k]]).collect::<Vec<_>>()
    };
    let triangles = p.faces.iter().flat_map(fan).collect();
    let mesh = stickslip_geometry::TriMesh::new(p.vertices.clone(), triangles).unwrap();
    let surface = Solid::surface(&mesh).unwrap().shape;
    let solid = Solid::polytope(&p).shape;
    let cube = Solid::cuboid(Vec3::splat(0.5)).unwrap().shape;
    let ball = Solid::sphere(0.3).unwrap().shape;
    let cylinder = Solid::cylinder(0.3, 0.6, 0).unwrap().shape;
    let mut deep = 0;
    for seed in 0..120 {
        let mut rng = StdRng::seed_from_u64(400 + seed);
        let mut there = pose(&mut rng, 1.0);
        // Over the top or over its edge along y, shallow.
        there.position.z = 0.5;
        there.position.x += 0.5 * f64::from(u8::from(rng.random_bool(0.5)));
        there.position.y *= 0.3;
        for shape in [&cube, &ball, &cylinder] {
            let raise = shape.parts()[0]
                .convex
                .support(&Pose { position: Vec3::ZERO, ..there }, -Vec3::Z)
                .z;
            let there = Pose::new(there.position - Vec3::Z * (raise + 0.02), there.orientation);
            let expected = shape_overlap(SPACE, &solid, &Pose::IDENTITY, shape, &there);
            let found = shape_overlap(SPACE, &surface, &Pose::IDENTITY, shape, &there);
            for (own, all) in [(&solid, &expected), (&surface, &found)] {
                let depth = shape_depth(SPACE, own, &Pose::IDENTITY, shape, &there);
                assert_eq!(depth, all.depth);
            }
            assert!(
                (found.depth - expected.depth).abs() < 1e-7,
                "seed {seed}: {found:?} {expected:?} {shape:?} {there:?}"
            );
            deep += usize::from(expected.depth > 0.019);
        }
    }
    assert!(deep > 100, "{deep}");
    // Wholly inside.
    let found = shape_overlap(
        SPACE,
        &surface,
        &Pose::IDENTITY,
        &Solid::sphere(0.1).unwrap().shape,
        &at(0.2, 0.0, 0.1),
    );
    assert!((found.depth - 0.4).abs() < 1e-12, "{found:?}");
    assert!((found.volume - 4.0 / 3.0 * PI * 1e-3).abs() < 1e-12);
}

/// Compounds: the deepest pair counts, volumes add.
#[test]
fn compounds_sum_their_pairs() {
    let cube = Solid::cuboid(Vec3::ONE).unwrap();
    let two =
        Solid::compound(&[(at(0.0, 0.0, 0.0), cube.clone()), (at(2.0, 0.0, 0.0), cube.clone())])
            .unwrap();
    let floor = Solid::half_space(Vec3::Z).unwrap();
    let tilt = Quat::from_rotation_y(-0.1);
    let found = shape_overlap(
        SPACE,
        &two.shape,
        &Pose::new(Vec3::Z * 0.45, tilt),
        &floor.shape,
        &Pose::IDENTITY,
    );
    let lowest = |x: f64| -(0.45 + x * 0.1_f64.sin() - 0.5 * 0.1_f64.cos());
    assert!((found.depth - lowest(-1.5)).abs() < 1e-14, "{found:?}");
    let Shape::Parts(parts) = &two.shape else { panic!("a surface") };
    let each = |k: usize| {
        let p = Pose::new(Vec3::Z * 0.45, tilt).compose(&parts[k].pose);
        intersection_volume(SPACE, &parts[k].convex, &p, &Convex::HalfSpace, &Pose::IDENTITY)
    };
    assert!((found.volume - each(0) - each(1)).abs() < 1e-15);
    let high = Pose::new(Vec3::Z * 5.0, tilt);
    assert_eq!(shape_overlap(SPACE, &two.shape, &high, &floor.shape, &Pose::IDENTITY).depth, 0.0);
}

/// A ball in a valley of two slopes crosses both; the deeper one counts. Raised, it crosses none.
#[test]
fn ball_in_a_valley_is_measured_against_both_slopes() {
    // z = |x|: slopes of 45 degrees, normals (∓1, 0, 1) / √2.
    let heights = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    let valley = Solid::heightfield(&heights, 3, [2.0, 4.0]).unwrap().shape;
    let ball = Solid::sphere(0.2).unwrap().shape;
    let distance = |x: f64, z: f64| (z - x.abs()) / 2_f64.sqrt();
    for (x, z) in [(0.0, 0.27), (0.03, 0.27), (-0.05, 0.25), (0.3, 0.5)] {
        let found = shape_overlap(SPACE, &valley, &Pose::IDENTITY, &ball, &at(x, 0.3, z));
        // The ball is closer to the slope on its own side.
        assert!((found.depth - (0.2 - distance(x, z))).abs() < 1e-12, "{x} {z}: {found:?}");
    }
    let above = shape_overlap(SPACE, &valley, &Pose::IDENTITY, &ball, &at(0.0, 0.3, 0.29));
    assert_eq!(above.depth, 0.0);
}

/// Bodies that lie on a peak, flat on one of its triangles or level on its tip, and sunk into it by d. The triangles
/// around the tip touch them there: what hangs over their planes is not in them. It was told as 2 % of the
/// body, and steps were cut down to 1e-20 s for it.
#[test]
fn bodies_on_a_peak_are_as_deep_as_they_are_sunk() {
    let mut heights = [0.0; 9];
    heights[4] = 0.3;
    let peak = Solid::heightfield(&heights, 3, [2.0, 2.0]).unwrap();
    let Shape::Surface(mesh) = &peak.shape else { panic!("a heightfield is a surface") };
    let tip = Vec3::new(0.0, 0.0, 0.3);
    let around = (0..mesh.triangles.len() as u32)
        .filter(|&t| mesh.corners(t).iter().any(|v| v.distance(tip) < 1e-12))
        .map(|t| mesh.normals[t as usize]);
    let shapes = [
        Solid::cuboid(Vec3::new(0.5, 0.4, 0.2)).unwrap(),
        Solid::cylinder(0.25, 0.2, 0).unwrap(),
        Solid::cone(0.25, 0.8, 0).unwrap(),
    ];
    for (k, normal) in around.chain([Vec3::Z]).enumerate() {
        for (j, solid) in shapes.iter().enumerate() {
            for sink in [1e-9, 1e-6, 1e-3] {
                let lowest = if j == 2 { 0.2 } else { 0.1 };
                let turn = Quat::from_rotation_arc(Vec3::Z, normal);
                let there = Pose::new(tip + normal * (lowest - sink), turn);
                let found = shape_depth(SPACE, &peak.shape, &Pose::IDENTITY, &solid.shape, &there);
                let off = (found - sink).abs();
                assert!(off < 1e-12, "normal {k}, shape {j}: {found:e} m for {sink:e} m");
            }
        }
    }
}
