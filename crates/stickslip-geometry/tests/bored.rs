//! Pieces with a round hole: mass against closed forms, depth and volume against the wedges and the points
//! that they consist of.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::f64::consts::{PI, TAU};

use common::{holds, pose, vector};
use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{
    Aabb, Convex, Dimension, Polytope, Pose, Quat, Shape, Solid, Vec3,
    overlap::{depth, intersection_volume},
};

const SPACE: Dimension = Dimension::Three;

fn only(solid: &Solid) -> Convex {
    let Shape::Parts(parts) = &solid.shape else { panic!("no parts") };
    parts[0].convex.clone()
}

#[test]
fn tubes_and_bored_boxes_weigh_what_is_left() {
    let tube = Solid::tube(0.3, 0.5, 2.0).unwrap();
    let area = PI * (0.25 - 0.09);
    assert!((tube.volume - 2.0 * area).abs() < 1e-15);
    let across = 2.0 * area * ((0.25 + 0.09) / 4.0 + 1.0 / 3.0);
    assert!((tube.inertia.x_axis.x - across).abs() < 1e-15);
    assert!((tube.inertia.z_axis.z - area * (0.25 + 0.09)).abs() < 1e-15);
    let bored = Solid::bored_cuboid(Vec3::new(1.0, 2.0, 0.5), 0.4).unwrap();
    assert!((bored.volume - (1.0 - 0.5 * PI * 0.16)).abs() < 1e-15);
    assert!((only(&bored).volume(SPACE) - bored.volume).abs() < 1e-15);
    assert!(Solid::tube(0.5, 0.5, 1.0).is_err());
    assert!(Solid::bored_cuboid(Vec3::ONE, 0.5).is_err());
    assert!(Solid::tube(-0.1, 0.5, 1.0).is_err());
}

/// A body near a hole: anything bounded that may be in it.
fn near(rng: &mut StdRng, k: u64) -> (Convex, Pose) {
    let size = rng.random_range(0.05..0.5);
    let convex = match k % 5 {
        0 => Convex::Ball { radius: size },
        1 => Convex::Capsule { half: 0.8, radius: 0.7 * size },
        2 => Convex::Cylinder { half: 0.6, radius: 0.8 * size },
        3 => Convex::Cone { half: 0.7, radius: size },
        _ => {
            let points: Vec<Vec3> = (0..12).map(|_| vector(rng, size)).collect();
            Convex::Polytope(Polytope::from_points(&points).unwrap().into())
        }
    };
    let turn = Quat::from_scaled_axis(vector(rng, [0.1, 0.5, 3.0][(k / 5 % 3) as usize]));
    (convex, Pose::new(vector(rng, 1.0) * Vec3::new(0.4, 0.4, 0.9), turn))
}

/// The depth in the piece is that in the deepest of a thousand wedges; apart, the distance is that of the
/// nearest.
#[test]
fn depth_is_that_of_the_wedges_around_the_hole() {
    let (inner, outer, half, count) = (0.4, 0.8, 0.3, 120);
    let tube = only(&Solid::tube(inner, outer, 2.0 * half).unwrap());
    let step = TAU / f64::from(count);
    // Each reaches over its neighbours: the whole chord is in the tube.
    let chord = (outer * outer - inner * inner).sqrt();
    let across = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let corners: Vec<Vec3> = (0..8)
        .map(|b| {
            let pick = |bit: u32, low: f64, high: f64| if b >> bit & 1 == 0 { low } else { high };
            across(inner, pick(0, -0.5, 0.5) * chord, pick(1, -half, half))
                + Vec3::X * pick(2, 0.0, 0.75 * outer - inner)
        })
        .collect();
    let wedge = Convex::Polytope(Polytope::from_points(&corners).unwrap().into());
    let mut inside = 0;
    for seed in 0..90 {
        let mut rng = StdRng::seed_from_u64(seed);
        let frame = pose(&mut rng, 1.0);
        let (body, at) = near(&mut rng, seed);
        let at = frame.compose(&at);
        let found = depth(SPACE, &tube, &frame, &body, &at);
        let turned = |k: i32| Pose::new(Vec3::ZERO, Quat::from_rotation_z(f64::from(k) * step));
        let of = |k: i32| depth(SPACE, &wedge, &frame.compose(&turned(k)), &body, &at);
        let wedges = (0..count).map(of).fold(f64::NEG_INFINITY, f64::max);
        // Wedges leave out what is far outside, so a body may be farther from them.
        assert!(found >= wedges - 1e-9, "seed {seed}: {found}, wedges {wedges}");
        let reverse = depth(SPACE, &body, &at, &tube, &frame);
        assert!((reverse - found).abs() < 1e-9, "seed {seed}: {found}, reversed {reverse}");
        // Of what no part is as far out as the wedges end, the nearest point of the tube is in them.
        let turn = frame.orientation.conjugate() * at.orientation;
        let local = Pose::new(frame.inverse_point(at.position), turn);
        let bounds: Aabb = body.aabb(&local);
        let most = bounds.max.abs().max(bounds.min.abs());
        if found < 0.0 && found > -0.15 && most.x.hypot(most.y) < 0.75 * outer {
            // Between two wedges of the fan a body is nearer to the wall by r (1 - cos(step / 2)).
            assert!(found < wedges + 2e-4, "seed {seed}: {found}, wedges {wedges}");
            inside += 1;
        }
    }
    assert!(inside > 3, "{inside} in or over the hole");
}

/// What is shared is what random points are in both; nothing is shared where the depth is not positive.
#[test]
fn volume_is_that_of_the_points_in_both() {
    let pieces = [
        only(&Solid::tube(0.4, 0.8, 0.6).unwrap()),
        only(&Solid::bored_cuboid(Vec3::new(1.2, 1.6, 0.6), 0.4).unwrap()),
    ];
    let mut shared = 0;
    for seed in 0..30 {
        let mut rng = StdRng::seed_from_u64(seed);
        let piece = &pieces[(seed % 2) as usize];
        let (body, at) = near(&mut rng, seed / 2);
        let frame = Pose::IDENTITY;
        let found = intersection_volume(SPACE, piece, &frame, &body, &at);
        let d = depth(SPACE, piece, &frame, &body, &at);
        let bounds: Aabb = body.aabb(&at);
        let (size, count) = (bounds.max - bounds.min, 40_000);
        let hits = (0..count).filter(|_| {
            let unit = Vec3::new(rng.random(), rng.random(), rng.random());
            let x = bounds.min + size * unit;
            holds(SPACE, piece, &frame, x) && holds(SPACE, &body, &at, x)
        });
        let (n, whole) = (hits.count() as f64, size.element_product());
        let expected = whole * n / f64::from(count);
        let spread = whole * (n.max(10.0)).sqrt() / f64::from(count);
        assert!((found - expected).abs() < 5.0 * spread, "seed {seed}: {found}, points {expected}");
        assert_eq!(found > 1e-12, d > 1e-9, "seed {seed}: {found} m³ shared, {d} m deep");
        shared += usize::from(found > 0.0);
    }
    assert!(shared > 8, "{shared} share something");
}
