//! The measured depth of solids of revolution against certificates: along any direction, what two bodies
//! overlap is no less than their depth.
#![allow(clippy::unwrap_used)]

mod common;

use common::pose;
use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{Convex, Dimension, Pose, Quat, Solid, Vec3, overlap};

fn convex(solid: &Solid) -> Convex {
    solid.shape.parts()[0].convex.clone()
}

/// The least overlap along a direction that a search from many finds \[m\].
fn along_any([a, b]: [&Convex; 2], [x, y]: [&Pose; 2], count: u32) -> f64 {
    let overlap = |n: Vec3| n.dot(a.support(x, n) - b.support(y, -n));
    let sphere = |k: u32| {
        let z = 1.0 - 2.0 * (f64::from(k) + 0.5) / f64::from(count);
        let (sin, cos) = (f64::from(k) * 2.399_963_229_728_653).sin_cos();
        Vec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + Vec3::Z * z
    };
    let start = (0..count).map(sphere).min_by(|m, n| overlap(*m).total_cmp(&overlap(*n)));
    let mut best = start.unwrap();
    let mut step = 0.1;
    while step > 1e-12 {
        let u = best.any_orthonormal_vector();
        let v = best.cross(u);
        let turned = |k: u32| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 16.0).sin_cos();
            (best + (u * cos + v * sin) * step).normalize()
        };
        match (0..16).map(turned).find(|n| overlap(*n) < overlap(best)) {
            Some(better) => best = better,
            None => step *= 0.5,
        }
    }
    overlap(best)
}

/// A cone beside a hull that it touches, told to be 0.17 mm in it, and a cylinder 15 mm from a capsule, told to be
/// 36 mm in it: the hull of their differences was not found, and with it no direction.
#[test]
fn bodies_that_are_apart_do_not_overlap() {
    let cylinder = Solid::cylinder(5.121542199422061e-1, 9.152251424771811e-1, 0).unwrap();
    let capsule = Solid::capsule(6.36022496353228e-1, 1.559407895310791).unwrap();
    let [a, b] = [convex(&cylinder), convex(&capsule)];
    let x = Pose::new(
        Vec3::new(0.9254862406132435, 1.423706961318102, 0.5121542199420147),
        Quat::from_xyzw(
            -0.21971470698078813,
            0.6721052349928905,
            0.5529841144732978,
            -0.44069101394478255,
        ),
    );
    let y = Pose::new(
        Vec3::new(0.7657968799524154, 2.9889847196618127, 1.1552997909958944),
        Quat::from_xyzw(
            -0.05522998673318442,
            -0.4427577548937896,
            -0.48286877125929817,
            0.7534938412418501,
        ),
    );
    let most = along_any([&a, &b], [&x, &y], 2000);
    assert!((most + 0.015).abs() < 1e-3, "{most}");
    let depth = overlap::depth(Dimension::Three, &a, &x, &b, &y);
    assert!(depth < most + 1e-7, "{depth} m, but along a direction {most}");
}

/// Random pairs that nearly touch: the depth is that of the best direction that a search finds.
#[test]
fn depths_are_those_of_the_best_direction() {
    let solids = [
        Solid::cylinder(0.5, 0.9, 0).unwrap(),
        Solid::capsule(0.6, 1.5).unwrap(),
        Solid::cone(0.8, 0.9, 0).unwrap(),
        Solid::cuboid(Vec3::new(0.7, 1.0, 1.3)).unwrap(),
    ];
    let mut rng = StdRng::seed_from_u64(11);
    for round in 0..100 {
        let [a, b] = [rng.random_range(0..3), rng.random_range(0..4)].map(|k| convex(&solids[k]));
        let (x, mut y) = (pose(&mut rng, 0.1), pose(&mut rng, 1.5));
        // To about where they touch.
        for _ in 0..3 {
            let found = overlap::separation(Dimension::Three, &a, &x, &b, &y);
            y.position += found.direction * (found.depth - 1e-4);
        }
        let most = along_any([&a, &b], [&x, &y], 500);
        let depth = overlap::depth(Dimension::Three, &a, &x, &b, &y);
        assert!(
            depth < most + 1e-7,
            "seed 11, round {round}: {depth} m, but {most}\n{a:?} {x:?}\n{b:?} {y:?}"
        );
    }
}

/// A cylinder whose end lies flat on one side of a roof, to round-off, was told to be 0.26 m in the other side.
#[test]
fn a_flat_end_on_one_side_of_a_roof_is_not_in_the_other() {
    let roof = Solid::heightfield(&[-0.3, 0.0, -0.3, -0.3, 0.0, -0.3], 3, [2.0, 2.0]).unwrap();
    let cylinder = Solid::cylinder(0.35, 0.43, 0).unwrap();
    let pose = Pose::new(
        Vec3::new(0.1758485933181239, 0.17281629354305153, 0.17171201194601896),
        Quat::from_xyzw(
            -0.0016260855400274407,
            0.14520404000981332,
            -0.011079228949146083,
            0.9893383613792289,
        ),
    );
    let there = Pose::IDENTITY;
    let depth = overlap::shape_depth(Dimension::Three, &roof.shape, &there, &cylinder.shape, &pose);
    assert!(depth < 1e-12, "{depth} m");
}
