//! The exact detector against brute force in the plane, and the broad phase against all pairs.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod collide_support;

use std::{collections::BTreeMap, sync::Arc};

use collide_support::*;
use rand::{Rng, rngs::StdRng};
use stickslip::{
    Dimension,
    collide::{Contact, Feature, Role},
    geometry::{Convex, Polygon, Pose, Shape, TriMesh, Vec3},
};

type Key = (Feature, Feature);

/// Distance of `c` from the segment, by sampling ends and the foot of the perpendicular.
fn distance(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    let (e, d) = (b - a, c - a);
    let t = d.dot(e) / e.dot(e);
    let ends = c.distance(a).min(c.distance(b));
    if t > 0.0 && t < 1.0 { ends.min((d - e * t).length()) } else { ends }
}

/// Every vertex-side pair within reach: gap and normal, or `None` where round-off decides.
fn brute(
    a: (&Polygon, &Pose),
    b: (&Polygon, &Pose),
    reach: f64,
) -> BTreeMap<Key, Option<(f64, Vec3)>> {
    let mut all = BTreeMap::new();
    for (own, other, flip) in [(a, b, false), (b, a, true)] {
        for (k, &v) in own.0.vertices.iter().enumerate() {
            let v = own.1.point(v);
            for f in 0..other.0.vertices.len() {
                let corner = |k: usize| other.1.point(other.0.vertices[k % other.0.vertices.len()]);
                let (p, q) = (corner(f), corner(f + 1));
                let d = distance(p, q, v);
                if d > reach + 1e-9 {
                    continue;
                }
                // The side turned by a quarter to the right points out of the polygon.
                let e = (q - p).normalize();
                let n = Vec3::new(e.y, -e.x, 0.0);
                let value = ((d - reach).abs() > 1e-9).then(|| n.dot(v - p));
                let (vertex, side) = (Feature::Vertex(k as u32), Feature::Face(f as u32));
                let (key, n) = if flip { ((side, vertex), n) } else { ((vertex, side), -n) };
                all.insert(key, value.map(|gap| (gap, n)));
            }
        }
    }
    all
}

/// Largest separation over the sides of both.
fn separation(a: (&Polygon, &Pose), b: (&Polygon, &Pose)) -> f64 {
    let one = |a: (&Polygon, &Pose), b: (&Polygon, &Pose)| {
        let sides = a.0.normals.iter().zip(&a.0.vertices);
        let gap = |(n, p): (&Vec3, &Vec3)| {
            let (n, p) = (a.1.vector(*n), a.1.point(*p));
            b.0.vertices.iter().map(|&v| n.dot(b.1.point(v) - p)).fold(f64::INFINITY, f64::min)
        };
        sides.map(gap).fold(f64::NEG_INFINITY, f64::max)
    };
    one(a, b).max(one(b, a))
}

fn check(a: (&Polygon, Pose), b: (&Polygon, Pose), reach: f64, what: &str) -> usize {
    let shapes = (flat(a.0.clone()), flat(b.0.clone()));
    let found = between(Dimension::Two, (&shapes.0, a.1), (&shapes.1, b.1), reach);
    // The model turns angles into rotations of its own; what it holds is what is compared.
    let pose = |p: Pose| Pose::planar(p.position.x, p.position.y, angle_of(&p));
    let mut all = brute((a.0, &pose(a.1)), (b.0, &pose(b.1)), reach);
    for c in &found {
        let Some(expected) = all.remove(&(c.a.feature, c.b.feature)) else {
            panic!("{what}: {c:?} is not within {reach}");
        };
        if let Some((gap, n)) = expected {
            assert!((c.gap - gap).abs() < 1e-12, "{what}: {c:?}, expected {gap}");
            // The oracle takes it from the corners, which short sides do not tell to the last digit.
            assert!(c.normal.distance(n) < 1e-9, "{what}: {c:?}, expected {n}");
        }
        let between = c.b.point - c.a.point - c.normal * c.gap;
        assert!(between.length() < 1e-12, "{what}: {c:?}");
    }
    all.retain(|_, v| v.is_some());
    assert!(all.is_empty(), "{what}: missed {all:?}");
    let s = separation((a.0, &a.1), (b.0, &b.1));
    if s < reach && s > -reach && !found.is_empty() && s < 0.0 {
        let primary = found.iter().filter(|c| c.role == Role::Primary);
        let best = primary.map(|c| (c.gap - s).abs()).fold(f64::INFINITY, f64::min);
        assert!(best < 1e-9, "{what}: overlap {s} has no primary contact: {found:?}");
    }
    found.len()
}

fn planar(rng: &mut StdRng, size: f64) -> Pose {
    let v = vector(rng, size);
    Pose::planar(v.x, v.y, rng.random_range(-3.0..3.0))
}

#[test]
fn random_polygons_match_brute_force() {
    let mut total = 0;
    for seed in 0..4000 {
        let rng = &mut rng(seed);
        let (na, nb) = (rng.random_range(3..9), rng.random_range(3..9));
        let (a, b) = (polygon(rng, na), polygon(rng, nb));
        let pa = planar(rng, 1.0);
        let pb = pa.compose(&planar(rng, 1.0));
        let reach = rng.random_range(0.01..0.3);
        if separation((&a, &pa), (&b, &pb)) > -reach {
            total += check((&a, pa), (&b, pb), reach, &format!("seed {seed}"));
        }
    }
    assert!(total > 3_000, "{total}");
}

#[test]
fn aligned_rectangles_match_brute_force() {
    let mut total = 0;
    for seed in 0..1000 {
        let rng = &mut rng(seed);
        let mut size = || [0.5, 1.0, 2.0][rng.random_range(0..3)];
        let (sa, sb) = ([size(), size()], [size(), size()]);
        let a = Polygon::rectangle(sa[0], sa[1]).unwrap();
        let b = Polygon::rectangle(sb[0], sb[1]).unwrap();
        // Flush, corner on corner, overlapping by round-off.
        let mut at = [0, 1].map(|_| f64::from(rng.random_range(-4..=4)) * 0.25);
        let axis = rng.random_range(0..2);
        at[axis] = 0.5 * (sa[axis] + sb[axis]) + [0.0, 1e-9, -1e-9][rng.random_range(0..3)];
        let whole = planar(rng, 1.0);
        let pb = whole.compose(&Pose::planar(at[0], at[1], 0.0));
        let reach = [1e-6, 1e-3, 0.1][rng.random_range(0..3)];
        total += check((&a, whole), (&b, pb), reach, &format!("seed {seed}"));
    }
    assert!(total > 2_000, "{total}");
}

/// Bodies of all kinds, some touching, some far; a half-space, a surface, compounds.
fn crowd(rng: &mut StdRng) -> Vec<(Shape, Pose)> {
    let heights: Vec<f64> = (0..25).map(|_| rng.random_range(-0.1..0.1)).collect();
    let mesh = TriMesh::heightfield(&heights, 5, [3.0, 3.0]).unwrap();
    let tilted = Pose::new(Vec3::new(0.0, 0.0, -0.5), turn(rng));
    let mut bodies =
        vec![(part(Convex::HalfSpace), tilted), (Shape::Surface(Arc::new(mesh)), Pose::IDENTITY)];
    for k in 0..50 {
        let shape = match k % 5 {
            0 => solid(hull(rng, 8)),
            1 => part(Convex::Ball { radius: 0.3 }),
            2 => part(Convex::Capsule { half: 0.3, radius: 0.2 }),
            3 => part(Convex::Cylinder { half: 0.3, radius: 0.3 }),
            _ => {
                let Shape::Parts(mut parts) = solid(cuboid(0.4, 0.5, 0.6)) else { continue };
                parts.push(parts[0].clone());
                parts[1].pose.position = vector(rng, 0.5);
                Shape::Parts(parts)
            }
        };
        bodies.push((shape, Pose::new(vector(rng, 2.0), turn(rng))));
    }
    bodies
}

#[test]
fn the_whole_scene_has_the_contacts_of_all_its_pairs() {
    let mut total = 0;
    for seed in 0..5 {
        let bodies = crowd(&mut rng(seed));
        let found = contacts("exact", &scene(Dimension::Three, bodies.clone()), 0.1);
        let mut expected = vec![];
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                let pair = scene(Dimension::Three, vec![bodies[i].clone(), bodies[j].clone()]);
                let of_pair = contacts("exact", &pair, 0.1);
                expected.extend(of_pair.into_iter().map(|mut c: Contact| {
                    c.a.body = stickslip::BodyId::new(i);
                    c.b.body = stickslip::BodyId::new(j);
                    c
                }));
            }
        }
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        for (c, d) in found.iter().zip(&expected) {
            assert_eq!(c, d, "seed {seed}");
        }
        total += found.len();
    }
    assert!(total > 300, "{total}");
}
