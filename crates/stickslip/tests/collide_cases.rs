//! Configurations that break detectors: touching, sunk in, across edges, over seams.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod collide_support;

use std::sync::Arc;

use collide_support::*;
use rand::Rng;
use stickslip::{
    Dimension,
    collide::{Contact, Feature, Role},
    geometry::{Convex, Part, Polytope, Pose, Quat, Shape, TriMesh, Vec3},
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::IDENTITY)
}

fn cube() -> Shape {
    solid(cuboid(1.0, 1.0, 1.0))
}

fn primary(found: &[Contact]) -> Vec<Contact> {
    found.iter().filter(|c| c.role == Role::Primary).copied().collect()
}

fn space(a: (&Shape, Pose), b: (&Shape, Pose), reach: f64) -> Vec<Contact> {
    between(Dimension::Three, a, b, reach)
}

fn lying() -> Quat {
    Quat::from_rotation_y(std::f64::consts::FRAC_PI_2)
}

/// Whether the origin, seen along `up`, is strictly inside the polygon of the contact points.
fn surrounds(found: &[Contact], center: Vec3, up: Vec3) -> bool {
    (0..72).all(|k| {
        let side = Quat::from_axis_angle(up, f64::from(k) * 0.087_27) * up.any_orthonormal_vector();
        found.iter().any(|c| (c.a.point - center).dot(side) > 1e-3)
    })
}

#[test]
fn a_stack_of_aligned_cubes_is_held_at_its_corners() {
    let bodies = (0..5).map(|k| (cube(), at(0.0, 0.0, f64::from(k)))).collect();
    let found = contacts("exact", &scene(Dimension::Three, bodies), 1e-3);
    let found = primary(&found);
    for (a, b) in (0..4).zip(1..5) {
        let joint: Vec<Contact> = found
            .iter()
            .filter(|c| (c.a.body.index(), c.b.body.index()) == (a, b))
            .copied()
            .collect();
        assert!(surrounds(&joint, Vec3::ZERO, Vec3::Z));
        let corner = Vec3::new(0.5, 0.5, a as f64 + 0.5);
        for c in &joint {
            assert_eq!((c.normal, c.gap), (Vec3::Z, 0.0), "{c:?}");
            assert_eq!(c.a.point.abs(), corner, "{c:?}");
        }
        // Each corner as a vertex of either cube.
        let vertices = joint.iter().filter(|c| !matches!(c.a.feature, Feature::Edge(_)));
        assert_eq!(vertices.count(), 8, "{joint:?}");
    }
    assert!(found.iter().all(|c| c.b.body.index() == c.a.body.index() + 1));
}

#[test]
fn boxes_that_sink_in_are_pushed_out_the_way_they_came() {
    let rng = &mut rng(1);
    for depth in [1e-9, 1e-7, 1e-5, 1e-3, 0.05] {
        for turned in [0.0, 0.3] {
            let (x, y) = (rng.random_range(-0.2..0.2), rng.random_range(-0.2..0.2));
            let pose = Pose::new(Vec3::new(x, y, 1.0 - depth), Quat::from_rotation_z(turned));
            let found = space((&cube(), Pose::IDENTITY), (&cube(), pose), 1e-3);
            let pushing = primary(&found);
            assert!(surrounds(&pushing, pose.position, Vec3::Z), "depth {depth}: {pushing:?}");
            for c in &pushing {
                assert!(c.normal.distance(Vec3::Z) < 1e-12, "depth {depth}: {c:?}");
                assert!((c.gap + depth).abs() < 1e-12, "depth {depth}: {c:?}");
            }
        }
    }
}

/// Largest separation of two polytopes over all face and edge-pair directions.
fn separation(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> f64 {
    let points = |p: (&Polytope, &Pose)| -> Vec<Vec3> {
        p.0.vertices.iter().map(|&v| p.1.point(v)).collect()
    };
    let (pa, pb) = (points(a), points(b));
    let mut directions: Vec<Vec3> = a.0.faces.iter().map(|f| a.1.vector(f.normal)).collect();
    directions.extend(b.0.faces.iter().map(|f| b.1.vector(f.normal)));
    for ea in &a.0.edges {
        for eb in &b.0.edges {
            let u = pa[ea.vertices[1] as usize] - pa[ea.vertices[0] as usize];
            let v = pb[eb.vertices[1] as usize] - pb[eb.vertices[0] as usize];
            directions.extend(u.cross(v).try_normalize());
        }
    }
    let top = |points: &[Vec3], d: Vec3| {
        points.iter().map(|p| d.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
    };
    let both = directions.iter().flat_map(|&d| [d, -d]);
    both.map(|d| -top(&pb, -d) - top(&pa, d)).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn deep_hulls_keep_a_contact_along_the_least_depth() {
    let mut seen = 0;
    for seed in 0..300 {
        let rng = &mut rng(seed);
        let (a, b) = (hull(rng, 9), hull(rng, 9));
        let pa = Pose::new(vector(rng, 1.0), turn(rng));
        let pb = Pose::new(pa.position + unit(rng) * rng.random_range(0.2..0.9), turn(rng));
        let depth = -separation((&a, &pa), (&b, &pb));
        if depth < 1e-3 {
            continue;
        }
        seen += 1;
        let found = space((&solid(a), pa), (&solid(b), pb), 1e-3);
        let best = primary(&found).iter().map(|c| (c.gap + depth).abs()).fold(1.0, f64::min);
        assert!(best < 1e-9, "seed {seed}: depth {depth}, {found:?}");
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn balls_at_edges_corners_and_inside() {
    let ball = part(Convex::Ball { radius: 0.25 });
    let one = |p: Vec3| {
        let found = space((&cube(), Pose::IDENTITY), (&ball, Pose::new(p, Quat::IDENTITY)), 0.1);
        assert_eq!(found.len(), 1, "{p}: {found:?}");
        found[0]
    };
    let c = one(Vec3::new(0.7, 0.0, 0.7));
    assert!(c.normal.distance(Vec3::new(1.0, 0.0, 1.0).normalize()) < 1e-12);
    assert!((c.gap - (0.2 * 2_f64.sqrt() - 0.25)).abs() < 1e-12);
    assert!(matches!(c.a.feature, Feature::Edge(_)), "{c:?}");
    let c = one(Vec3::new(0.6, 0.6, -0.6));
    assert!(c.normal.distance(Vec3::new(1.0, 1.0, -1.0).normalize()) < 1e-12);
    assert!(matches!(c.a.feature, Feature::Vertex(_)), "{c:?}");
    // The centre on a face, on an edge, on a corner, inside, in the very middle.
    for p in [
        Vec3::new(0.1, 0.2, 0.5),
        Vec3::new(0.5, 0.1, 0.5),
        Vec3::new(0.5, 0.5, 0.5),
        Vec3::new(0.1, 0.2, 0.45),
        Vec3::new(0.5, 0.5 + 1e-17, 0.5 + 1e-13),
        Vec3::ZERO,
    ] {
        let c = one(p);
        let axis = c.normal.abs().max_element();
        assert!((axis - 1.0).abs() < 1e-12, "{p}: the normal of a face, not {}", c.normal);
        let depth = 0.5 - p.abs().max_element();
        assert!((c.gap + depth + 0.25).abs() < 1e-12, "{p}: {c:?}");
    }
    // Two balls in one place.
    let found = space((&ball, Pose::IDENTITY), (&ball, Pose::IDENTITY), 0.1);
    assert!((found[0].gap + 0.5).abs() < 1e-12 && found[0].normal.is_normalized());
}

#[test]
fn a_ball_in_a_corner_touches_both_walls() {
    let ball = part(Convex::Ball { radius: 0.3 });
    let bodies =
        vec![(cube(), at(0.0, 0.0, 0.0)), (cube(), at(1.0, 0.0, 1.0)), (ball, at(0.2, 0.0, 0.8))];
    let found = contacts("exact", &scene(Dimension::Three, bodies), 1e-6);
    let on_ball: Vec<&Contact> = found.iter().filter(|c| c.b.body.index() == 2).collect();
    assert_eq!(on_ball.len(), 2, "{on_ball:?}");
    assert!(on_ball[0].normal.distance(Vec3::Z) < 1e-12 && on_ball[0].gap.abs() < 1e-12);
    assert!(on_ball[1].normal.distance(-Vec3::X) < 1e-12 && on_ball[1].gap.abs() < 1e-12);
}

#[test]
fn capsules_rest_on_two_points() {
    let capsule = part(Convex::Capsule { half: 0.4, radius: 0.1 });
    let bar = solid(cuboid(0.3, 2.0, 1.0));
    // Within the face; across a narrow bar with both ends beyond it; on a half-space; on a floor.
    let floor = Shape::Surface(Arc::new(TriMesh::heightfield(&[0.0; 25], 5, [3.0, 3.0]).unwrap()));
    for (below, top, span) in [
        (cube(), 0.5, 0.4),
        (bar, 0.5, 0.15),
        (part(Convex::HalfSpace), 0.0, 0.4),
        (floor, 0.0, 0.4),
    ] {
        let pose = Pose::new(Vec3::new(0.03, 0.0, top + 0.1 - 1e-5), lying());
        let found = primary(&space((&below, Pose::IDENTITY), (&capsule, pose), 1e-3));
        assert_eq!(found.len(), 2, "{below:?}: {found:?}");
        let mut x: Vec<f64> = found.iter().map(|c| c.a.point.x).collect();
        x.sort_by(f64::total_cmp);
        let shift = if span < 0.4 { 0.0 } else { 0.03 };
        assert!((x[0] + span - shift).abs() < 1e-9 && (x[1] - span - shift).abs() < 1e-9, "{x:?}");
        for c in &found {
            assert!((c.gap + 1e-5).abs() < 1e-12 && c.normal.distance(Vec3::Z) < 1e-9, "{c:?}");
        }
    }
    // Right through a box, both ends out: pushed out by the nearest face.
    let pierced = Pose::new(Vec3::new(0.0, 0.0, 0.45), lying());
    let long = part(Convex::Capsule { half: 2.0, radius: 0.1 });
    let found = primary(&space((&cube(), Pose::IDENTITY), (&long, pierced), 1e-3));
    assert!(found.iter().any(|c| c.normal.distance(Vec3::Z) < 1e-9), "{found:?}");
    assert!(found.iter().all(|c| (c.gap + 0.15).abs() < 1e-9), "{found:?}");
}

#[test]
fn cylinders_and_cones_stand_and_lie() {
    let cylinder = part(Convex::Cylinder { half: 0.5, radius: 0.3 });
    let cone = part(Convex::Cone { half: 0.5, radius: 0.3 });
    let floor = Shape::Surface(Arc::new(TriMesh::heightfield(&[0.0; 25], 5, [3.0, 3.0]).unwrap()));
    let wide = part(Convex::Cylinder { half: 0.5, radius: 1.0 });
    for (below, top) in [
        (solid(cuboid(2.0, 2.0, 1.0)), 0.5),
        (part(Convex::HalfSpace), 0.0),
        (floor, 0.0),
        (wide, 0.5),
    ] {
        for body in [&cylinder, &cone] {
            let stands = at(0.1, 0.05, top + 0.5);
            let found = primary(&space((&below, Pose::IDENTITY), (body, stands), 1e-4));
            assert!(surrounds(&found, stands.position, Vec3::Z), "{below:?}: {found:?}");
            for c in &found {
                assert!(c.gap.abs() < 1e-12 && c.normal.distance(Vec3::Z) < 1e-9, "{c:?}");
            }
        }
        let lies = Pose::new(Vec3::new(0.1, 0.05, top + 0.3), lying());
        let found = primary(&space((&below, Pose::IDENTITY), (&cylinder, lies), 1e-4));
        let x: Vec<f64> = found.iter().map(|c| c.a.point.x).collect();
        assert!(x.iter().any(|x| (x - 0.6).abs() < 1e-9), "{below:?}: {found:?}");
        assert!(x.iter().any(|x| (x + 0.4).abs() < 1e-9), "{below:?}: {found:?}");
        assert!(found.iter().all(|c| c.normal.distance(Vec3::Z) < 1e-9), "{found:?}");
    }
}

#[test]
fn seams_of_a_flat_surface_are_not_felt() {
    let floor = Shape::Surface(Arc::new(TriMesh::heightfield(&[0.0; 49], 7, [3.0, 3.0]).unwrap()));
    let ball = part(Convex::Ball { radius: 0.2 });
    let small = solid(cuboid(1.0, 1.0, 0.4));
    for detector in ["exact", "parry"] {
        for k in 0..20 {
            // Steps of a quarter of a cell: over triangles, on their edges, on their corners.
            let (x, y) = (f64::from(k) * 0.0625 - 0.5, f64::from(k / 2) * 0.0625 - 0.25);
            for gap in [0.0, 1e-6, -1e-6, -1e-4] {
                let what = format!("{detector}: {k}, gap {gap}");
                let on = |shape: &Shape, half: f64| {
                    let bodies = vec![
                        (floor.clone(), Pose::IDENTITY),
                        (shape.clone(), at(x, y, half + gap)),
                    ];
                    contacts(detector, &scene(Dimension::Three, bodies), 1e-3)
                };
                let found = on(&small, 0.2);
                assert_eq!(found.len(), 4, "{what}: {found:?}");
                assert_eq!(primary(&found).len(), 4, "{what}: {found:?}");
                for c in found.iter().chain(&on(&ball, 0.2)) {
                    assert!(c.normal.distance(Vec3::Z) < 1e-9, "{what}: {c:?}");
                    assert!((c.gap - gap).abs() < 1e-9, "{what}: {c:?}");
                }
                assert_eq!(on(&ball, 0.2).len(), 1, "{what}: {:?}", on(&ball, 0.2));
            }
        }
    }
}

#[test]
fn ridges_valleys_and_tips_of_a_surface() {
    // A roof along y: heights over three columns.
    let field = |heights: [f64; 3]| {
        let all: Vec<f64> = (0..3).flat_map(|_| heights).collect();
        Shape::Surface(Arc::new(TriMesh::heightfield(&all, 3, [2.0, 2.0]).unwrap()))
    };
    let (roof, valley) = (field([0.0, 0.5, 0.0]), field([0.5, 0.0, 0.5]));
    let ball = part(Convex::Ball { radius: 0.2 });
    // On the ridge, one contact straight up; in the valley, one on either side.
    let found = space((&roof, Pose::IDENTITY), (&ball, at(0.0, 0.3, 0.7)), 0.01);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].normal.distance(Vec3::Z) < 1e-12 && found[0].gap.abs() < 1e-12);
    let slope = Vec3::new(-0.5, 0.0, 1.0).normalize();
    let found = space((&valley, Pose::IDENTITY), (&ball, at(0.0, 0.3, 0.2 / slope.z)), 0.01);
    assert_eq!(found.len(), 2, "{found:?}");
    for c in &found {
        assert!(c.gap.abs() < 1e-12 && (c.normal.z - slope.z).abs() < 1e-12, "{c:?}");
    }
    // A box across the ridge rests where its lower edges cross it, slightly sunk in too.
    for depth in [0.0, 1e-8, 1e-4] {
        let found = space((&roof, Pose::IDENTITY), (&cube(), at(0.1, 0.0, 1.0 - depth)), 0.01);
        let found = primary(&found);
        let on_edges: Vec<&Contact> =
            found.iter().filter(|c| matches!(c.a.feature, Feature::Edge(_))).collect();
        assert!(on_edges.len() >= 2, "{found:?}");
        for c in &found {
            assert!(c.normal.distance(Vec3::Z) < 1e-9 && (c.gap + depth).abs() < 1e-12, "{c:?}");
        }
        let y: Vec<f64> = on_edges.iter().map(|c| c.a.point.y).collect();
        assert!(
            y.iter().any(|y| (y - 0.5).abs() < 1e-9) && y.iter().any(|y| (y + 0.5).abs() < 1e-9)
        );
    }
    // A tip below the middle of a face.
    let mut heights = [0.0; 25];
    heights[12] = 0.3;
    let tip = Shape::Surface(Arc::new(TriMesh::heightfield(&heights, 5, [2.0, 2.0]).unwrap()));
    let found = primary(&space((&tip, Pose::IDENTITY), (&cube(), at(0.1, 0.1, 0.8)), 0.01));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(matches!(found[0].a.feature, Feature::Vertex(12)), "{found:?}");
    assert!(found[0].normal.distance(Vec3::Z) < 1e-12 && found[0].gap.abs() < 1e-12);
}

#[test]
fn a_compound_is_its_parts() {
    let capsule = || Convex::Capsule { half: 0.3, radius: 0.2 };
    let offset = Pose::new(Vec3::new(0.8, 0.1, 0.0), Quat::from_rotation_x(0.4));
    let cube_part =
        Part { pose: Pose::IDENTITY, convex: Convex::Polytope(Arc::new(cuboid(1.0, 1.0, 1.0))) };
    let both = Shape::Parts(vec![cube_part, Part { pose: offset, convex: capsule() }]);
    let whole = Pose::new(Vec3::new(0.1, 0.0, 1.0), Quat::from_rotation_z(0.2));
    let floor = solid(cuboid(4.0, 4.0, 1.0));
    let found = space((&floor, Pose::IDENTITY), (&both, whole), 0.5);
    for (k, shape, pose) in [(0, cube(), whole), (1, part(capsule()), whole.compose(&offset))] {
        let alone = space((&floor, Pose::IDENTITY), (&shape, pose), 0.5);
        let own: Vec<&Contact> = found.iter().filter(|c| c.b.part == k).collect();
        assert_eq!(own.len(), alone.len());
        assert!(!own.is_empty());
        for (c, d) in own.iter().zip(&alone) {
            assert!((c.gap - d.gap).abs() < 1e-12 && c.normal.distance(d.normal) < 1e-12);
            assert_eq!((c.a.feature, c.b.feature), (d.a.feature, d.b.feature));
        }
    }
}

#[test]
fn library_manifolds_have_no_repeats() {
    // Prisms of four sides are boxes that the library does not know as such.
    let slab = solid(Polytope::prism(2.0, 1.0, 4).unwrap());
    let column = solid(Polytope::prism(0.5, 1.0, 4).unwrap());
    let bodies = vec![(slab, Pose::IDENTITY), (column, at(0.1, 0.05, 1.0 + 1e-5))];
    let found = contacts("parry", &scene(Dimension::Three, bodies), 1e-3);
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(surrounds(&found, Vec3::new(0.1, 0.05, 0.0), Vec3::Z));
    assert!(found.iter().all(|c| (c.gap - 1e-5).abs() < 1e-12 && c.role == Role::Primary));
}
