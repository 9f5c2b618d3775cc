//! Every pair of shapes, in configurations whose answer is known.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod collide_support;

use std::sync::Arc;

use collide_support::*;
use stickslip::{
    Dimension,
    collide::{Contact, Role},
    geometry::{Convex, Part, Polygon, Polytope, Pose, Quat, Shape, TriMesh, Vec3},
};

const EXACT: f64 = 1e-12;

fn upright(convex: Convex) -> (Shape, Quat) {
    (part(convex), Quat::IDENTITY)
}

fn lying(convex: Convex) -> (Shape, Quat) {
    (part(convex), Quat::from_rotation_y(std::f64::consts::FRAC_PI_2))
}

/// Bounded shapes of space with an orientation in which their lowest and highest point or face
/// is straight below and above the origin of the body.
fn solids() -> Vec<(&'static str, Shape, Quat)> {
    let capsule = || Convex::Capsule { half: 0.5, radius: 0.2 };
    let cylinder = || Convex::Cylinder { half: 0.5, radius: 0.3 };
    let cone = || Convex::Cone { half: 0.5, radius: 0.4 };
    let pieces = vec![
        Part {
            pose: Pose::new(Vec3::X * 0.3, Quat::IDENTITY),
            convex: Convex::Ball { radius: 0.3 },
        },
        Part {
            pose: Pose::new(Vec3::X * -0.3, Quat::IDENTITY),
            convex: Convex::Ball { radius: 0.3 },
        },
        Part { pose: Pose::IDENTITY, convex: Convex::Polytope(Arc::new(cuboid(0.5, 0.5, 0.6))) },
    ];
    let with = |name, (shape, q): (Shape, Quat)| (name, shape, q);
    vec![
        with("box", (solid(cuboid(1.0, 0.8, 0.6)), Quat::IDENTITY)),
        with("octahedron", (solid(Polytope::octahedron(0.8).unwrap()), Quat::IDENTITY)),
        with("prism", (solid(Polytope::prism(0.5, 0.7, 7).unwrap()), Quat::IDENTITY)),
        with("ball", upright(Convex::Ball { radius: 0.4 })),
        with("capsule", upright(capsule())),
        with("lying capsule", lying(capsule())),
        with("cylinder", upright(cylinder())),
        with("lying cylinder", lying(cylinder())),
        with("cone", upright(cone())),
        with("compound", (Shape::Parts(pieces), Quat::IDENTITY)),
    ]
}

/// Highest and lowest z of a shape turned by `q` about its origin.
fn heights(shape: &Shape, q: Quat) -> (f64, f64) {
    let pose = Pose::new(Vec3::ZERO, q);
    let support = |p: &Part, d: Vec3| p.convex.support(&pose.compose(&p.pose), d).z;
    let top = shape.parts().iter().map(|p| support(p, Vec3::Z)).fold(f64::NEG_INFINITY, f64::max);
    let low = shape.parts().iter().map(|p| support(p, -Vec3::Z)).fold(f64::INFINITY, f64::min);
    (top, low)
}

fn floor_mesh() -> Shape {
    // A flat floor of 32 triangles around the origin.
    Shape::Surface(Arc::new(TriMesh::heightfield(&[0.0; 25], 5, [3.0, 3.0]).unwrap()))
}

/// The deepest contact has this gap and this normal (up to the sign that the order gives).
fn check_deepest(found: &[Contact], gap: f64, normal: Vec3, tolerance: f64, what: &str) {
    let primary = found.iter().filter(|c| c.role == Role::Primary);
    let Some(c) = primary.min_by(|x, y| x.gap.total_cmp(&y.gap)) else {
        panic!("{what}: no primary contact in {found:?}");
    };
    assert!((c.gap - gap).abs() <= tolerance, "{what}: gap {} is not {gap}: {c:?}", c.gap);
    assert!(c.normal.distance(normal) <= 1e3 * tolerance, "{what}: {c:?}");
    for c in found {
        assert!(c.a.body < c.b.body && c.normal.is_finite() && c.gap.is_finite(), "{what}: {c:?}");
        assert!((c.normal.length() - 1.0).abs() < 1e-9, "{what}: {c:?}");
        let along = c.normal.dot(c.b.point - c.a.point);
        assert!((along - c.gap).abs() <= 1e-9, "{what}: {c:?} has points {along} apart");
    }
}

fn parried(name: &str) -> bool {
    name.contains("cylinder") || name.contains("cone")
}

#[test]
fn solids_on_solids() {
    for detector in ["exact", "parry"] {
        for (upper_name, upper, qu) in solids() {
            for (lower_name, lower, ql) in solids() {
                // Corner on corner is nearest along no normal of a feature pair.
                if upper_name == "octahedron" && ["octahedron", "cone"].contains(&lower_name) {
                    continue;
                }
                for gap in [1e-3, 5e-6, 0.0, -1e-4] {
                    let what = format!("{detector}: {upper_name} on {lower_name}, gap {gap}");
                    let z = heights(&lower, ql).0 - heights(&upper, qu).1 + gap;
                    let a = (lower.clone(), Pose::new(Vec3::ZERO, ql));
                    let b = (upper.clone(), Pose::new(Vec3::Z * z, qu));
                    let library = detector == "parry" || parried(upper_name) || parried(lower_name);
                    let tolerance = if library { 1e-9 } else { EXACT };
                    let found = contacts(
                        detector,
                        &scene(Dimension::Three, vec![a.clone(), b.clone()]),
                        0.01,
                    );
                    check_deepest(&found, gap, Vec3::Z, tolerance, &what);
                    let found = contacts(detector, &scene(Dimension::Three, vec![b, a]), 0.01);
                    check_deepest(&found, gap, -Vec3::Z, tolerance, &format!("{what}, exchanged"));
                }
            }
        }
    }
}

#[test]
fn solids_on_half_space_and_floor() {
    let grounds = [("half-space", part(Convex::HalfSpace)), ("floor", floor_mesh())];
    for detector in ["exact", "parry"] {
        for (ground_name, ground) in &grounds {
            for (name, shape, q) in solids() {
                for gap in [1e-3, 5e-6, 0.0, -1e-4] {
                    let what = format!("{detector}: {name} on {ground_name}, gap {gap}");
                    let z = gap - heights(&shape, q).1;
                    // Off the inner edges of the floor, then on them.
                    for x in [0.07, 0.0] {
                        let at = Vec3::new(x, 0.5 * x, z);
                        let whole =
                            Pose::new(Vec3::new(0.3, 0.2, -0.4), Quat::from_rotation_x(0.3));
                        let a = (ground.clone(), whole);
                        let b = (shape.clone(), whole.compose(&Pose::new(at, q)));
                        let up = whole.vector(Vec3::Z);
                        let library = detector == "parry" || parried(name);
                        let tolerance = if library { 1e-9 } else { EXACT };
                        let found = contacts(
                            detector,
                            &scene(Dimension::Three, vec![a.clone(), b.clone()]),
                            0.01,
                        );
                        check_deepest(&found, gap, up, tolerance, &what);
                        let found = contacts(detector, &scene(Dimension::Three, vec![b, a]), 0.01);
                        check_deepest(&found, gap, -up, tolerance, &format!("{what}, exchanged"));
                    }
                }
            }
        }
    }
}

#[test]
fn planar_shapes() {
    let square = || flat(Polygon::rectangle(1.0, 0.6).unwrap());
    let disc = || part(Convex::Ball { radius: 0.3 });
    let half = |s: &Shape| match &s.parts()[0].convex {
        Convex::HalfSpace => 0.0,
        _ => 0.3,
    };
    for detector in ["exact", "parry"] {
        for upper in [square(), disc()] {
            for lower in [square(), disc(), part(Convex::HalfSpace)] {
                for gap in [1e-3, 0.0, -1e-4] {
                    let what = format!("{detector}: {upper:?} on {lower:?}, gap {gap}");
                    let whole = Pose::planar(0.3, -0.2, 0.7);
                    let y = half(&lower) + half(&upper) + gap;
                    let a = (lower.clone(), whole);
                    let b = (upper.clone(), whole.compose(&Pose::planar(0.05, y, 0.0)));
                    let up = whole.vector(Vec3::Y);
                    // Discs meet off the middle.
                    let both_round = [&upper, &lower]
                        .iter()
                        .all(|s| matches!(s.parts()[0].convex, Convex::Ball { .. }));
                    let b = if both_round {
                        (upper.clone(), whole.compose(&Pose::planar(0.0, y, 0.0)))
                    } else {
                        b
                    };
                    let found = contacts(
                        detector,
                        &scene(Dimension::Two, vec![a.clone(), b.clone()]),
                        0.01,
                    );
                    check_deepest(&found, gap, up, EXACT * 10.0, &what);
                    assert!(
                        found.iter().all(|c| c.normal.z == 0.0 && c.a.point.z == 0.0),
                        "{what}"
                    );
                    let found = contacts(detector, &scene(Dimension::Two, vec![b, a]), 0.01);
                    check_deepest(&found, gap, -up, EXACT * 10.0, &what);
                }
            }
        }
    }
}
