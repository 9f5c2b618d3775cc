//! Hulls against brute force and Euler's formula.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;
use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{GeometryError, Polygon, Polytope, Vec3};

fn counts(p: &Polytope) -> [usize; 3] {
    p.check().expect("a valid polytope");
    [p.vertices.len(), p.edges.len(), p.faces.len()]
}

/// Vertices, edges and faces of the five Platonic solids.
#[test]
fn platonic_solids_have_their_features() {
    assert_eq!(counts(&Polytope::tetrahedron(1.3).unwrap()), [4, 6, 4]);
    assert_eq!(counts(&Polytope::cuboid(Vec3::splat(1.3)).unwrap()), [8, 12, 6]);
    assert_eq!(counts(&Polytope::octahedron(1.3).unwrap()), [6, 12, 8]);
    assert_eq!(counts(&Polytope::dodecahedron(1.3).unwrap()), [20, 30, 12]);
    assert_eq!(counts(&Polytope::icosahedron(1.3).unwrap()), [12, 30, 20]);
    for p in [
        Polytope::tetrahedron(1.3),
        Polytope::octahedron(1.3),
        Polytope::dodecahedron(1.3),
        Polytope::icosahedron(1.3),
    ] {
        let p = p.unwrap();
        for e in &p.edges {
            let [a, b] = e.vertices.map(|v| p.vertices[v as usize]);
            assert!((a.distance(b) - 1.3).abs() < 1e-14);
        }
    }
}

#[test]
fn prisms_and_pyramids_have_their_features() {
    for n in [3, 4, 7, 64] {
        assert_eq!(counts(&Polytope::prism(0.4, 2.0, n).unwrap()), [2 * n, 3 * n, n + 2]);
        assert_eq!(counts(&Polytope::pyramid(0.4, 2.0, n).unwrap()), [n + 1, 2 * n, n + 1]);
    }
}

/// The hull of a grid of points is the cuboid, whatever lies inside, on faces and on edges.
#[test]
fn grid_of_points_has_the_box_as_hull() {
    let mut points = vec![];
    for k in 0..1000_i32 {
        points.push(Vec3::new((k % 10).into(), (k / 10 % 10).into(), (k / 100).into()) / 9.0);
        points.push(points[0]);
    }
    let p = Polytope::from_points(&points).unwrap();
    assert_eq!(counts(&p), [8, 12, 6]);
    for f in &p.faces {
        assert_eq!(f.normal.abs().max_element(), 1.0, "{:?}", f.normal);
    }
}

/// A box turned at random has flat faces only up to rounding, and still six of them.
#[test]
fn turned_boxes_keep_six_faces() {
    let mut rng = StdRng::seed_from_u64(7);
    for _ in 0..300 {
        let mut unit = || rng.random_range(-1.0..1.0);
        let q = stickslip_geometry::Quat::from_xyzw(unit(), unit(), unit(), unit()).normalize();
        let shift = Vec3::new(unit(), unit(), unit()) * 100.0;
        let size = Vec3::new(unit().abs() + 0.01, unit().abs() + 0.01, 1.0);
        let cube = Polytope::cuboid(size).unwrap();
        let mut points: Vec<Vec3> = cube.vertices.iter().map(|&v| q * v + shift).collect();
        // Points on the faces, rounded either way.
        for _ in 0..30 {
            let (s, t) = (unit(), unit());
            points.push(q * (size * Vec3::new(0.5, 0.5 * s, 0.5 * t)) + shift);
            points.push(q * (size * Vec3::new(0.5 * s, -0.5, 0.5 * t)) + shift);
            points.push(q * (size * Vec3::new(0.5 * s, 0.5, 0.5)) + shift);
        }
        assert_eq!(counts(&Polytope::from_points(&points).unwrap()), [8, 12, 6], "{size} {q}");
    }
}

#[test]
fn cuboid_planes_are_exact() {
    let size = Vec3::new(0.3, 0.1, 0.7);
    let p = Polytope::cuboid(size).unwrap();
    for f in &p.faces {
        assert_eq!(f.normal.abs().element_sum(), 1.0);
        assert_eq!(f.normal.abs().dot(size) / 2.0, f.offset);
        for &v in &f.vertices {
            assert_eq!(f.normal.dot(p.vertices[v as usize]), f.offset);
        }
    }
}

#[test]
fn degenerate_points_are_refused() {
    let line: Vec<Vec3> = (0..9).map(|k| Vec3::new(1.0, 2.0, 3.0) * f64::from(k)).collect();
    let plane: Vec<Vec3> =
        (0..9).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), 0.3)).collect();
    let tilted: Vec<Vec3> =
        plane.iter().map(|p| stickslip_geometry::Quat::from_rotation_x(0.3) * *p).collect();
    for points in [line, plane, tilted, vec![Vec3::ONE; 5]] {
        let found = Polytope::from_points(&points);
        assert!(matches!(found, Err(GeometryError::Flat { .. })), "{found:?}");
    }
    assert!(matches!(Polytope::from_points(&[]), Err(GeometryError::TooFew { given: 0, .. })));
    let nan = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NAN];
    assert!(matches!(Polytope::from_points(&nan), Err(GeometryError::NotFinite { index: 3, .. })));
    let thin: Vec<Vec3> = (0..8)
        .map(|k| Vec3::new((k & 1).into(), (k >> 1 & 1).into(), f64::from(k >> 2) * 1e-11))
        .collect();
    assert!(matches!(Polytope::from_points(&thin), Err(GeometryError::Flat { .. })));
    assert!(matches!(
        Polytope::cuboid(Vec3::new(1.0, -1.0, 1.0)),
        Err(GeometryError::NotPositive { .. })
    ));
    assert!(matches!(
        Polygon::from_points(&[Vec3::X, Vec3::ZERO, -Vec3::X]),
        Err(GeometryError::Flat { .. })
    ));
}

fn coordinate() -> impl Strategy<Value = f64> {
    // Grid coordinates make coplanar, collinear and doubled points; the others general position.
    prop_oneof![
        (-3..=3_i32).prop_map(f64::from),
        -3.0..3.0_f64,
        (-3..=3_i32).prop_map(|k| 0.1 * f64::from(k) + 1e-13)
    ]
}

fn points(n: usize) -> impl Strategy<Value = Vec<Vec3>> {
    prop::collection::vec(
        (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z)),
        4..n,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    /// Every point is inside every face, every corner is one of the points, Euler's formula holds.
    #[test]
    fn hulls_hold_their_points(points in points(60)) {
        match Polytope::from_points(&points) {
            Ok(p) => {
                p.check_within(1e-7).map_err(|e| TestCaseError::fail(e.to_string()))?;
                for f in &p.faces {
                    for q in &points {
                        prop_assert!(f.normal.dot(*q) - f.offset < 1e-7);
                    }
                }
                for v in &p.vertices {
                    prop_assert!(points.contains(v));
                }
            }
            Err(GeometryError::Flat { .. }) => {}
            Err(e) => prop_assert!(false, "{e}"),
        }
    }

    #[test]
    fn planar_hulls_hold_their_points(points in points(40)) {
        if let Ok(p) = Polygon::from_points(&points) {
            p.check().map_err(|e| TestCaseError::fail(e.to_string()))?;
            for (v, n) in p.vertices.iter().zip(&p.normals) {
                for q in &points {
                    prop_assert!(n.dot(*q - *v) < 1e-7);
                }
            }
        }
    }
}

/// One point of a cloud of that kind: general, on a grid, on a sphere, in a thin plate, on a
/// cylinder, on a cube up to rounding noise, in a thin tilted bar.
fn cloud(kind: u64, v: Vec3, noise: f64) -> Vec3 {
    match kind {
        0 => v,
        1 => (v * 4.0).round() / 4.0,
        2 => v.normalize_or(Vec3::X),
        3 => Vec3::new(v.x, v.y, v.z * 1e-6),
        4 => {
            let (s, c) = ((v.x * 24.0).round() / 24.0 * std::f64::consts::TAU).sin_cos();
            Vec3::new(c, s, (v.y * 2.0).round())
        }
        5 => v / v.abs().max_element().max(1e-3) * (1.0 + 1e-10 * noise),
        _ => Vec3::new(v.x, v.y * 1e-4, (v.z * 2.0).round() * 1e-4 + v.x * 0.3),
    }
}

/// Awkward clouds at scales from a micrometre to a thousand kilometres, turned, far from the
/// origin: the hull is valid and holds every point within 1e-7 of its extent.
#[test]
fn awkward_clouds_have_valid_hulls() {
    let mut built = 0;
    for seed in 0..7000 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut unit = || rng.random_range(-0.5..0.5);
        let scale = 10_f64.powf(unit() * 12.0);
        let q = stickslip_geometry::Quat::from_xyzw(unit(), unit(), unit(), unit()).normalize();
        let far = if seed % 3 == 0 { 1e3 * scale } else { 0.0 };
        let shift = Vec3::new(unit(), unit(), unit()) * far;
        let points: Vec<Vec3> = (0..4 + seed % 60)
            .map(|_| cloud(seed % 7, Vec3::new(unit(), unit(), unit()), unit()))
            .map(|v| q * (v * scale) + shift)
            .collect();
        match Polytope::from_points(&points) {
            Ok(p) => {
                built += 1;
                let extent = p.extent();
                p.check_within(1e-7 * extent).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                for f in &p.faces {
                    for x in &points {
                        let outside = f.normal.dot(*x) - f.offset;
                        assert!(outside < 1e-7 * extent, "seed {seed}: {outside} of {extent}");
                    }
                }
            }
            Err(GeometryError::Flat { .. }) => {}
            Err(e) => panic!("seed {seed}: {e}"),
        }
    }
    assert!(built > 6000, "{built}");
}
