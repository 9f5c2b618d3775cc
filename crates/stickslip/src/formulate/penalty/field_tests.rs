//! Distance fields against shapes whose distance is known.

use std::sync::Arc;

use stickslip_geometry::{Dimension, TriMesh, Vec3};

use super::{field::Field, surface::direction};
use crate::testing::Random;

/// A sphere of radius 1: an octahedron whose triangles are divided and thrown outward.
fn sphere(levels: usize) -> TriMesh {
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z];
    let mut faces = Vec::new();
    for (a, b) in [(x, y), (y, -x), (-x, -y), (-y, x)] {
        faces.extend([[a, b, z], [b, a, -z]]);
    }
    for _ in 0..levels {
        let parts = faces.into_iter().flat_map(|[a, b, c]| {
            let [d, e, f] = [a + b, b + c, c + a].map(Vec3::normalize);
            [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
        });
        faces = parts.collect();
    }
    let corners: Vec<Vec3> = faces.concat();
    let triangles: Vec<[u32; 3]> =
        (0..faces.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::welded(&corners, &triangles).unwrap()
}

/// A box of half sizes `h`.
fn cuboid(h: Vec3) -> TriMesh {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vec3::new(sign(0), sign(1), sign(2)) * h
    };
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// Signed distance of a box, by its formula.
fn of_cuboid(h: Vec3, p: Vec3) -> f64 {
    let q = p.abs() - h;
    q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
}

/// The mesh lies between the spheres of radius 1 and of its nearest plane, so its distance lies
/// between theirs.
#[test]
fn sphere_mesh() {
    let mesh = Arc::new(sphere(3));
    let plane = |t: usize| mesh.normals[t].dot(mesh.corners(t as u32)[0]);
    let inner = (0..mesh.triangles.len()).map(plane).fold(1.0, f64::min);
    assert!(inner > 0.98 && mesh.is_closed(), "{inner}");
    let mut field = Field::new(&mesh);
    let mut random = Random::new(3);
    for round in 0..2000 {
        let p = random.vector(Dimension::Three) * 1.5;
        let (low, high) = (p.length() - 1.0, p.length() - inner);
        let exact = field.nearest(p).distance;
        assert!(
            (low - 1e-12..=high + 1e-12).contains(&exact),
            "seed 3, round {round}: {p} {exact}"
        );
        let cell = mesh.extent() / 64.0;
        let wrong = (field.interpolated(p) - exact).abs();
        assert!(wrong <= 3.0_f64.sqrt() * cell, "seed 3, round {round}: {p} off by {wrong}");
    }
}

/// Exact to round-off at faces, edges and corners, inside and outside; and the field says the
/// right side everywhere, the right distance near the surface.
#[test]
fn box_mesh() {
    let h = Vec3::new(0.5, 0.8, 0.3);
    let mesh = Arc::new(cuboid(h));
    mesh.check_solid().unwrap();
    let mut field = Field::new(&mesh);
    let mut random = Random::new(4);
    for round in 0..4000 {
        let p = random.vector(Dimension::Three) * 1.2 * h;
        let wanted = of_cuboid(h, p);
        let exact = field.nearest(p).distance;
        assert!((exact - wanted).abs() < 1e-12, "seed 4, round {round}: {p} {exact} {wanted}");
        let found = field.distance(p);
        assert_eq!(found < 0.0, wanted < 0.0, "seed 4, round {round}: {p}");
        let unsure = 3.0_f64.sqrt() * 1.6 / 64.0;
        if wanted.abs() < 1e-3 {
            assert!((found - wanted).abs() < 1e-12, "seed 4, round {round}: {p}");
        }
        assert!((found - wanted).abs() <= unsure, "seed 4, round {round}: {p} {found} {wanted}");
    }
}

/// Behind an open surface is behind it, beside its end is not.
#[test]
fn open_surface() {
    let mesh = TriMesh::heightfield(&[0.0; 9], 3, [2.0, 2.0]).unwrap();
    let mut field = Field::new(&Arc::new(mesh));
    assert!((field.distance(Vec3::new(0.3, 0.1, -0.2)) + 0.2).abs() < 0.06);
    assert!((field.nearest(Vec3::new(0.3, 0.1, -0.2)).distance + 0.2).abs() < 1e-15);
    assert!((field.nearest(Vec3::new(0.3, 0.1, 0.2)).distance - 0.2).abs() < 1e-15);
    assert!((field.nearest(Vec3::new(1.3, 0.0, -0.4)).distance - 0.5).abs() < 1e-15);
}

/// Directions at right angles never share a number; each of the 26 is nearest to itself.
#[test]
fn directions_part_at_right_angles() {
    let mut random = Random::new(6);
    for round in 0..2000 {
        let a = random.vector(Dimension::Three).normalize();
        let b = random.vector(Dimension::Three).cross(a).normalize();
        assert_ne!(direction(a), direction(b), "seed 6, round {round}: {a} {b}");
    }
    let all: std::collections::BTreeSet<u32> =
        (0..2000).map(|_| direction(random.vector(Dimension::Three).normalize())).collect();
    assert_eq!(all.len(), 26);
}
