//! No input makes a detector panic or report nonsense.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod collide_support;

use std::sync::Arc;

use collide_support::*;
use rand::{Rng, rngs::StdRng};
use stickslip::{
    Dimension,
    collide::{Contact, Role},
    geometry::{Convex, Polygon, Polytope, Pose, Quat, Shape, TriMesh, Vec3},
};

/// All kinds of shapes of space, of about that size.
fn shapes(size: f64) -> Vec<Shape> {
    let s = size;
    let heights: Vec<f64> = (0..25).map(|k| s * 0.1 * f64::from(k * 7 % 5)).collect();
    vec![
        solid(cuboid(s, s, s)),
        solid(cuboid(10.0 * s, s, 0.01 * s)),
        solid(Polytope::tetrahedron(s).unwrap()),
        solid(Polytope::dodecahedron(0.4 * s).unwrap()),
        solid(Polytope::prism(0.5 * s, s, 24).unwrap()),
        part(Convex::Ball { radius: 0.5 * s }),
        part(Convex::Capsule { half: 0.5 * s, radius: 0.3 * s }),
        part(Convex::Cylinder { half: 0.5 * s, radius: 0.5 * s }),
        part(Convex::Cylinder { half: 0.01 * s, radius: s }),
        part(Convex::Cone { half: 0.5 * s, radius: 0.5 * s }),
        part(Convex::HalfSpace),
        Shape::Surface(Arc::new(TriMesh::heightfield(&heights, 5, [3.0 * s, 3.0 * s]).unwrap())),
        Shape::Surface(Arc::new(TriMesh::heightfield(&[0.0; 9], 3, [3.0 * s, 3.0 * s]).unwrap())),
    ]
}

fn is_fixed(shape: &Shape) -> bool {
    shape.parts().iter().all(|p| p.convex == Convex::HalfSpace)
}

/// Poses that make things coincide: multiples of half the size, quarter turns, or random.
fn pose(rng: &mut StdRng, size: f64) -> Pose {
    let mut half = || f64::from(rng.random_range(-3..=3)) * 0.5 * size;
    let at = Vec3::new(half(), half(), half());
    let jitter = vector(rng, 1.0) * size * [0.0, 1e-16, 1e-9, 0.1][rng.random_range(0..4)];
    let quarter = f64::from(rng.random_range(0..4)) * std::f64::consts::FRAC_PI_2;
    let turned = match rng.random_range(0..3) {
        0 => Quat::IDENTITY,
        1 => Quat::from_axis_angle(Vec3::AXES[rng.random_range(0..3)], quarter),
        _ => turn(rng),
    };
    Pose::new(at + jitter, turned)
}

fn check(c: &Contact, scale: f64, what: &str) {
    let finite = c.normal.is_finite() && c.a.point.is_finite() && c.b.point.is_finite();
    assert!(finite && c.gap.is_finite() && c.applicability.is_finite(), "{what}: {c:?}");
    assert!((c.normal.length() - 1.0).abs() < 1e-9, "{what}: {c:?}");
    assert!(c.applicability <= 1.0 + 1e-9, "{what}: {c:?}");
    let off = c.b.point - c.a.point - c.normal * c.gap;
    // The library's points are each on its own body, not exactly across from each other.
    let along = if what.starts_with("parry") { off.dot(c.normal).abs() } else { off.length() };
    assert!(along <= 1e-7 * scale, "{what}: points and gap disagree by {along}: {c:?}");
}

#[test]
fn every_pair_in_awkward_poses() {
    for (k, size) in [1.0, 1e-4, 100.0].into_iter().enumerate() {
        let all = shapes(size);
        for seed in 0..25 {
            for (i, a) in all.iter().enumerate() {
                for (j, b) in all.iter().enumerate().filter(|(_, b)| !(is_fixed(a) && is_fixed(b)))
                {
                    let seed = ((seed * 20 + i) * 20 + j) * 3 + k;
                    let rng = &mut rng(seed as u64);
                    // Far from the origin coordinates have few digits to spare.
                    let far = Vec3::X * [0.0, 1e3][rng.random_range(0..2)] * size;
                    let mut two = [pose(rng, size), pose(rng, size)];
                    two.iter_mut().for_each(|p| p.position += far);
                    let reach = size * [0.0, 1e-6, 0.1, 3.0][rng.random_range(0..4)];
                    let bodies = vec![(a.clone(), two[0]), (b.clone(), two[1])];
                    let scene = scene(Dimension::Three, bodies);
                    for name in ["exact", "parry"] {
                        let what = format!("{name}: seed {seed}, shapes {i} and {j}, size {size}");
                        for c in contacts(name, &scene, reach) {
                            check(&c, 10.0 * size, &what);
                            let low = if name == "exact" { reach * (1.0 + 1e-9) } else { reach };
                            assert!(c.gap <= low + 1e-9 * size, "{what}: {c:?} beyond {reach}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_planar_pair_in_awkward_poses() {
    let all = [
        flat(Polygon::rectangle(1.0, 1.0).unwrap()),
        flat(Polygon::regular(3, 0.5).unwrap()),
        flat(Polygon::regular(40, 0.5).unwrap()),
        part(Convex::Ball { radius: 0.5 }),
        part(Convex::HalfSpace),
    ];
    for seed in 0..100 {
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate().filter(|(_, b)| !(is_fixed(a) && is_fixed(b))) {
                let seed = (seed * 10 + i) * 10 + j;
                let rng = &mut rng(seed as u64);
                let place = |rng: &mut StdRng| {
                    let p = pose(rng, 1.0).position;
                    let quarter = f64::from(rng.random_range(0..4)) * std::f64::consts::FRAC_PI_2;
                    let angle = [0.0, quarter, 1.234][rng.random_range(0..3)];
                    Pose::planar(p.x, p.y, angle)
                };
                let bodies = vec![(a.clone(), place(rng)), (b.clone(), place(rng))];
                let reach = [0.0, 1e-6, 0.1, 3.0][rng.random_range(0..4)];
                let scene = scene(Dimension::Two, bodies);
                for name in ["exact", "parry"] {
                    let what = format!("{name}: seed {seed}, shapes {i} and {j}");
                    for c in contacts(name, &scene, reach) {
                        check(&c, 1.0, &what);
                        assert_eq!((c.normal.z, c.a.point.z, c.b.point.z), (0.0, 0.0, 0.0));
                    }
                }
            }
        }
    }
}

/// The distance of two convex shapes by the library's own search (zero if they overlap).
fn library_distance(a: (&Shape, Pose), b: (&Shape, Pose)) -> f64 {
    use parry3d_f64::{math::Pose as Isometry, query, shape::SharedShape};
    let upright = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let make = |s: &Shape| match &s.parts()[0].convex {
        Convex::Polytope(p) => (SharedShape::convex_hull(&p.vertices).unwrap(), Quat::IDENTITY),
        Convex::Ball { radius } => (SharedShape::ball(*radius), Quat::IDENTITY),
        Convex::Capsule { half, radius } => (SharedShape::capsule_y(*half, *radius), upright),
        Convex::Cylinder { half, radius } => (SharedShape::cylinder(*half, *radius), upright),
        Convex::Cone { half, radius } => (SharedShape::cone(*half, *radius), upright),
        other => panic!("{other:?}"),
    };
    let place = |p: Pose, q: Quat| Isometry::from_parts(p.position, p.orientation * q);
    let ((x, qx), (y, qy)) = (make(a.0), make(b.0));
    query::distance(&place(a.1, qx), &*x.0, &place(b.1, qy), &*y.0).unwrap().distance
}

#[test]
fn near_bodies_have_a_contact_at_their_distance() {
    let all: Vec<Shape> = shapes(1.0).into_iter().filter(|s| !is_fixed(s)).collect();
    let polytope = |s: &Shape| matches!(s.parts()[0].convex, Convex::Polytope(_));
    let mut exact = 0;
    for seed in 0..100 {
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let seed = (seed * 20 + i) * 20 + j;
                let rng = &mut rng(seed as u64);
                let pa = Pose::new(vector(rng, 1.0), turn(rng));
                let q = turn(rng);
                // Moved along a direction until supports nearly meet, then a little aside.
                let d = unit(rng);
                let top = d.dot(a.parts()[0].convex.support(&pa, d));
                let low = d.dot(b.parts()[0].convex.support(&Pose::new(Vec3::ZERO, q), -d));
                let side = vector(rng, 0.3).reject_from(d);
                let at = d * (top - low + rng.random_range(-0.05..0.1)) + side;
                let aside = pa.position - d * d.dot(pa.position);
                let pb = Pose::new(at + aside, q);
                let distance = library_distance((a, pa), (b, pb));
                let reach = 0.15;
                if distance > 0.9 * reach {
                    continue;
                }
                let what = format!("seed {seed}, shapes {i} and {j}, distance {distance}");
                let found = between(Dimension::Three, (a, pa), (b, pb), reach);
                let primary: Vec<&Contact> =
                    found.iter().filter(|c| c.role == Role::Primary).collect();
                assert!(!primary.is_empty(), "{what}: {found:?}");
                let both_sharp = polytope(a) && polytope(b);
                if distance > 1e-6 && !both_sharp {
                    let off = primary.iter().map(|c| (c.gap - distance).abs());
                    let off = off.fold(f64::INFINITY, f64::min);
                    // The library's search stops early on round shapes, by a few 1e-6.
                    assert!(off < 1e-5, "{what}: off by {off}: {primary:?}");
                    exact += 1;
                }
            }
        }
    }
    assert!(exact > 1_000, "{exact}");
}
