//! Mass properties against closed forms, Monte-Carlo and the parallel-axis theorem.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::f64::consts::PI;

use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{
    Convex, Dimension, GeometryError, MassProperties, Mat3, Polygon, Polytope, Pose, Quat, Shape,
    Solid, Vec3,
};

fn close(a: Mat3, b: Mat3, tolerance: f64) -> bool {
    (a - b).to_cols_array().iter().all(|d| d.abs() <= tolerance)
}

fn assert_solid(solid: &Solid, volume: f64, diagonal: [f64; 3], center: Vec3) {
    let scale = Mat3::from_diagonal(Vec3::from(diagonal));
    assert!((solid.volume / volume - 1.0).abs() < 1e-13, "{} not {volume}", solid.volume);
    let largest = diagonal.into_iter().fold(0.0, f64::max);
    assert!(close(solid.inertia, scale, 1e-13 * largest), "{} not {scale}", solid.inertia);
    assert!(solid.center.distance(center) < 1e-14, "{} not {center}", solid.center);
}

#[test]
fn boxes_balls_and_round_solids_have_their_textbook_values() {
    let (a, b, c) = (0.3, 0.7, 1.1);
    let v = a * b * c;
    let cuboid =
        [(b * b + c * c) * v / 12.0, (a * a + c * c) * v / 12.0, (a * a + b * b) * v / 12.0];
    assert_solid(&Solid::cuboid(Vec3::new(a, b, c)).unwrap(), v, cuboid, Vec3::ZERO);
    let (r, h): (f64, f64) = (0.4, 1.5);
    let v = 4.0 / 3.0 * PI * r.powi(3);
    assert_solid(&Solid::sphere(r).unwrap(), v, [0.4 * v * r * r; 3], Vec3::ZERO);
    let v = PI * r * r * h;
    let across = v * (3.0 * r * r + h * h) / 12.0;
    let cylinder = Solid::cylinder(r, h, 0).unwrap();
    assert_solid(&cylinder, v, [across, across, 0.5 * v * r * r], Vec3::ZERO);
    let v = PI * r * r * h / 3.0;
    let across = v * (3.0 / 20.0 * r * r + 3.0 / 80.0 * h * h);
    let cone = Solid::cone(r, h, 0).unwrap();
    assert_solid(&cone, v, [across, across, 0.3 * v * r * r], Vec3::new(0.0, 0.0, -h / 4.0));
    let v = PI * r * r;
    let lamina = [v * r * r / 4.0, v * r * r / 4.0, v * r * r / 2.0];
    assert_solid(&Solid::disc(r).unwrap(), v, lamina, Vec3::ZERO);
}

/// Tetrahedron, octahedron, dodecahedron, icosahedron of edge a: volume and I / (V a²).
#[test]
fn platonic_solids_have_their_textbook_values() {
    let a: f64 = 1.7;
    let phi = 0.5 * (1.0 + 5_f64.sqrt());
    let cases = [
        (Solid::tetrahedron(a), a.powi(3) / (6.0 * 2_f64.sqrt()), 1.0 / 20.0),
        (Solid::octahedron(a), a.powi(3) * 2_f64.sqrt() / 3.0, 1.0 / 10.0),
        (
            Solid::dodecahedron(a),
            a.powi(3) * (15.0 + 7.0 * 5_f64.sqrt()) / 4.0,
            (39.0 * phi + 28.0) / 150.0,
        ),
        (Solid::icosahedron(a), a.powi(3) * 5.0 * (3.0 + 5_f64.sqrt()) / 12.0, phi * phi / 10.0),
    ];
    for (solid, volume, factor) in cases {
        assert_solid(&solid.unwrap(), volume, [factor * volume * a * a; 3], Vec3::ZERO);
    }
}

/// Polygonal cylinders and cones approach the smooth ones as 1/n²: the error falls sixteenfold
/// when n is four times as large.
#[test]
fn many_sides_approach_the_smooth_solid_with_order_two() {
    let (r, h) = (0.4, 1.5);
    type Make = fn(f64, f64, usize) -> Result<Solid, GeometryError>;
    for make in [Solid::cylinder as Make, Solid::cone] {
        let smooth = make(r, h, 0).unwrap();
        let error = |n| 1.0 - make(r, h, n).unwrap().volume / smooth.volume;
        let ratio = error(64) / error(256);
        assert!((ratio - 16.0).abs() < 0.1, "{ratio}");
        let fine = make(r, h, 1024).unwrap();
        assert!(close(fine.inertia, smooth.inertia, 1e-4 * smooth.inertia.x_axis.x));
        assert!(fine.center.distance(smooth.center) < 1e-14);
    }
}

/// A capsule is the limit of hulls of two tessellated half-balls; here by integration of discs.
#[test]
fn capsule_agrees_with_integration_over_discs() {
    let (r, h): (f64, f64) = (0.4, 1.5);
    let solid = Solid::capsule(r, h).unwrap();
    let (mut volume, mut across, mut along) = (0.0, 0.0, 0.0);
    let n = 200_000;
    let length = h + 2.0 * r;
    for k in 0..n {
        let z = (f64::from(k) + 0.5) / f64::from(n) * length - 0.5 * length;
        let over = (z.abs() - 0.5 * h).max(0.0);
        let disc = PI * (r * r - over * over) * length / f64::from(n);
        let r2 = r * r - over * over;
        volume += disc;
        across += disc * (r2 / 4.0 + z * z);
        along += disc * r2 / 2.0;
    }
    assert!((solid.volume / volume - 1.0).abs() < 1e-9);
    let expected = Mat3::from_diagonal(Vec3::new(across, across, along));
    assert!(close(solid.inertia, expected, 1e-8), "{} {expected}", solid.inertia);
}

fn random_points(rng: &mut StdRng, n: usize) -> Vec<Vec3> {
    (0..n).map(|_| Vec3::from([0; 3].map(|_| rng.random_range(-1.0..1.0)))).collect()
}

fn random_pose(rng: &mut StdRng) -> Pose {
    let q = [0; 4].map(|_| rng.random_range(-1.0..1.0));
    let p = [0; 3].map(|_| rng.random_range(-5.0..5.0));
    Pose::new(p.into(), Quat::from_array(q).normalize())
}

/// Volume, centre and inertia of random hulls by counting random points: within 5 standard
/// deviations of the count.
#[test]
fn random_hulls_agree_with_monte_carlo() {
    for seed in 0..6 {
        let mut rng = StdRng::seed_from_u64(seed);
        let hull = Polytope::from_points(&random_points(&mut rng, 25)).unwrap();
        let mass = hull.mass_properties();
        let n = 200_000;
        let (mut count, mut first, mut second) = (0.0_f64, Vec3::ZERO, 0.0);
        for p in random_points(&mut rng, n) {
            if hull.faces.iter().all(|f| f.normal.dot(p) <= f.offset) {
                count += 1.0;
                first += p;
                second += (p - mass.center).length_squared();
            }
        }
        let cell = 8.0 / n as f64;
        let sigma = 5.0 * count.sqrt();
        assert!((mass.volume / cell - count).abs() < sigma, "seed {seed}");
        assert!((first / count).distance(mass.center) < sigma / count, "seed {seed}");
        // tr I = 2 ∫ |x|².
        let trace = mass.inertia.x_axis.x + mass.inertia.y_axis.y + mass.inertia.z_axis.z;
        assert!((0.5 * trace / cell - second).abs() < sigma, "seed {seed}");
    }
}

/// Volume by tetrahedra from one corner, an independent decomposition, is the same.
#[test]
fn hull_volume_agrees_with_tetrahedra_from_a_corner() {
    let mut rng = StdRng::seed_from_u64(11);
    for _ in 0..50 {
        let hull = Polytope::from_points(&random_points(&mut rng, 40)).unwrap();
        let apex = hull.vertices[0];
        let mut volume = 0.0;
        for f in &hull.faces {
            let at = |k: usize| hull.vertices[f.vertices[k] as usize];
            let area: f64 = (2..f.vertices.len())
                .map(|k| 0.5 * (at(k - 1) - at(0)).cross(at(k) - at(0)).length())
                .sum();
            volume += area * (f.offset - f.normal.dot(apex)) / 3.0;
        }
        assert!((hull.volume() / volume - 1.0).abs() < 1e-13);
    }
}

/// A turned and moved hull has the turned inertia and the moved centre; its inertia about the
/// old origin follows from the parallel-axis theorem.
#[test]
fn mass_properties_follow_rigid_motions() {
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..50 {
        let hull = Polytope::from_points(&random_points(&mut rng, 20)).unwrap();
        let pose = random_pose(&mut rng);
        let expected = hull.mass_properties().placed(&pose);
        let found = hull.placed(&pose).mass_properties();
        assert!((found.volume / expected.volume - 1.0).abs() < 1e-12);
        assert!(found.center.distance(expected.center) < 1e-12);
        assert!(close(found.inertia, expected.inertia, 1e-12));
        let d = found.center;
        let about = found.inertia_about(Vec3::ZERO).x_axis.x;
        let by_hand = found.inertia.x_axis.x + found.volume * (d.y * d.y + d.z * d.z);
        assert!((about - by_hand).abs() < 1e-12 * by_hand);
    }
}

/// A box cut in two and put together again as a compound weighs what the box weighs.
#[test]
fn compound_of_two_halves_is_the_whole() {
    let whole = Solid::cuboid(Vec3::new(2.0, 0.6, 0.8)).unwrap();
    let half = Solid::cuboid(Vec3::new(1.0, 0.6, 0.8)).unwrap();
    let turn = Quat::from_rotation_x(std::f64::consts::PI);
    let at = |x: f64, q| (Pose::new(Vec3::new(x, 3.0, 4.0), q), half.clone());
    let both = Solid::compound(&[at(6.5, turn), at(7.5, Quat::IDENTITY)]).unwrap();
    assert!((both.volume - whole.volume).abs() < 1e-14);
    assert!(close(both.inertia, whole.inertia, 1e-14));
    assert!(both.center.distance(Vec3::new(7.0, 3.0, 4.0)) < 1e-14);
    assert_eq!(both.shape.parts().len(), 2);
    let bounds = both.shape.aabb(Dimension::Three, &Pose::IDENTITY);
    assert!(bounds.max.distance(Vec3::new(1.0, 0.3, 0.4)) < 1e-14, "{bounds:?}");
}

#[test]
fn planes_cannot_move_and_face_along_their_normal() {
    // Nearly up and nearly down, too: a tilt of 1e-9 is a tilt.
    for n in [[1.0, -2.0, 0.5], [1e-9, 0.0, 1.0], [1e-9, 2e-9, -1.0], [0.0, 0.0, -3.0]] {
        let n = Vec3::from(n);
        let space = Solid::half_space(n).unwrap();
        assert!(!space.is_movable());
        let turned = space.shape.parts()[0].pose.vector(Vec3::Z);
        assert!(turned.distance(n.normalize()) < 4e-16, "{n}: {turned}");
    }
    let planar = [[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0], [0.3, -0.4], [1e-9, -1.0]];
    for n in planar.map(|[x, y]| Vec3::new(x, y, 0.0)) {
        let plane = Solid::half_plane(n * 3.0).unwrap();
        let turned = plane.shape.parts()[0].pose.vector(Vec3::Y);
        assert!(turned.distance(n.normalize()) < 1e-15, "{n}: {turned}");
    }
    for n in [-Vec3::Z, Vec3::Z, Vec3::X] {
        let space = Solid::half_space(n).unwrap();
        let bounds = space.shape.aabb(Dimension::Three, &Pose::IDENTITY);
        let k = n.abs().max_position();
        assert_eq!(bounds.max[k].is_finite(), n.element_sum() > 0.0);
        assert_eq!(bounds.min[k].is_finite(), n.element_sum() < 0.0);
    }
    let zero = Solid::half_space(Vec3::ZERO);
    assert!(matches!(zero, Err(GeometryError::NoDirection { .. })));
    assert!(matches!(Solid::half_plane(Vec3::NAN), Err(GeometryError::NoDirection { .. })));
}

/// Area and polar moment of regular polygons: n/2 r² sin(2π/n), A r² (2 + cos(2π/n)) / 6.
#[test]
fn regular_polygons_have_their_textbook_values() {
    for n in [3, 4, 5, 12] {
        let r: f64 = 0.8;
        let angle = 2.0 * PI / n as f64;
        let solid = Solid::regular(n, r).unwrap();
        let area = 0.5 * n as f64 * r * r * angle.sin();
        let polar = area * r * r * (2.0 + angle.cos()) / 6.0;
        assert_solid(&solid, area, [polar / 2.0, polar / 2.0, polar], Vec3::ZERO);
    }
}

fn flat(points: &[[f64; 2]]) -> Vec<Vec3> {
    points.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).collect()
}

/// An L of two rectangles: area, centre and inertia by the parallel-axis theorem by hand.
#[test]
fn l_polygon_has_its_values_in_either_direction() {
    let mut l = flat(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]);
    for _ in 0..2 {
        let solid = Solid::polygon(&l).unwrap();
        assert_eq!(solid.shape.parts().len(), 2);
        // Rectangles 2x1 at (1, 0.5) and 1x2 at (0.5, 2).
        let center = Vec3::new((2.0 * 1.0 + 2.0 * 0.5) / 4.0, (2.0 * 0.5 + 2.0 * 2.0) / 4.0, 0.0);
        assert!((solid.volume - 4.0).abs() < 1e-14);
        assert!(solid.center.distance(center) < 1e-14);
        let own = 2.0 * (4.0 + 1.0) / 12.0;
        let d = |x: f64, y: f64| (Vec3::new(x, y, 0.0) - center).length_squared();
        let polar = 2.0 * own + 2.0 * d(1.0, 0.5) + 2.0 * d(0.5, 2.0);
        assert!((solid.inertia.z_axis.z - polar).abs() < 1e-13);
        l.reverse();
    }
}

/// The parts of random star-shaped outlines cover the area of the outline and nothing twice.
#[test]
fn random_outlines_are_covered_by_their_parts() {
    for seed in 0..200 {
        let mut rng = StdRng::seed_from_u64(seed);
        let n = rng.random_range(3..40);
        let corner = |k: usize| {
            let r = rng.random_range(0.1..1.0);
            let (s, c) = (2.0 * PI * k as f64 / n as f64).sin_cos();
            Vec3::new(r * c, r * s, 0.0)
        };
        let corners: Vec<Vec3> = (0..n).map(corner).collect();
        let shoelace: f64 = (0..n).map(|k| 0.5 * corners[k].cross(corners[(k + 1) % n]).z).sum();
        let parts = stickslip_geometry::outline::convex_parts(&corners).unwrap();
        parts.iter().for_each(|p| p.check().unwrap());
        let area: f64 = parts.iter().map(Polygon::area).sum();
        assert!((area - shoelace).abs() < 1e-12, "seed {seed}: {area} {shoelace}");
        for _ in 0..200 {
            let p = Vec3::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0), 0.0);
            let holds = |q: &&Polygon| {
                q.vertices.iter().zip(&q.normals).all(|(v, n)| n.dot(p - *v) < -1e-9)
            };
            let crossings = (0..n).filter(|&k| {
                let (a, b) = (corners[k], corners[(k + 1) % n]);
                (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
            });
            let inside = crossings.count() % 2;
            let count = parts.iter().filter(holds).count();
            assert!(count <= inside, "seed {seed}: {p} is in {count} parts");
        }
    }
}

#[test]
fn bad_outlines_are_refused() {
    let bow = flat(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(
        Solid::polygon(&bow).unwrap_err(),
        GeometryError::SelfIntersecting { first: 0, second: 2 }
    );
    let spike = flat(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    assert!(matches!(Solid::polygon(&spike), Err(GeometryError::SelfIntersecting { .. })));
    let line = flat(&[[0.0, 0.0], [1.0, 1e-12], [2.0, 0.0], [1.0, -1e-12]]);
    assert!(matches!(Solid::polygon(&line), Err(GeometryError::Flat { .. })));
    assert!(matches!(Solid::polygon(&line[..2]), Err(GeometryError::TooFew { given: 2, .. })));
}

/// Collinear corners are dropped, and convex outlines keep the order of their corners.
#[test]
fn convex_outline_stays_as_given() {
    let square = flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
    let solid = Solid::polygon(&square).unwrap();
    let Shape::Parts(parts) = &solid.shape else { panic!("a surface") };
    let Convex::Polygon(p) = &parts[0].convex else { panic!("not a polygon") };
    let expected = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    assert_eq!(p.vertices, flat(&expected));
}

/// Boxes and bounding radii hold sampled points of every shape and are reached by support points.
#[test]
fn bounds_hold_the_shape_and_are_tight() {
    let mut rng = StdRng::seed_from_u64(3);
    let (half, radius) = (0.7, 0.3);
    let shapes = [
        Convex::Ball { radius },
        Convex::Capsule { half, radius },
        Convex::Cylinder { half, radius },
        Convex::Cone { half, radius },
        Solid::dodecahedron(0.4).unwrap().shape.parts()[0].convex.clone(),
    ];
    for convex in &shapes {
        let pose = random_pose(&mut rng);
        let bounds = convex.aabb(&pose);
        for k in 0..3 {
            let axis = Vec3::AXES[k];
            assert!((convex.support(&pose, axis)[k] - bounds.max[k]).abs() < 1e-14);
            assert!((convex.support(&pose, -axis)[k] - bounds.min[k]).abs() < 1e-14);
        }
        let origin = Vec3::new(0.2, -0.1, 0.4);
        let mut reach: f64 = 0.0;
        for _ in 0..20_000 {
            let d: Vec3 = [0; 3].map(|_| rng.random_range(-1.0..1.0)).into();
            let p = convex.support(&Pose::IDENTITY, d);
            reach = reach.max(p.distance(origin));
        }
        let bound = convex.bounding_radius(origin);
        assert!(reach <= bound + 1e-14 && reach > 0.999 * bound, "{convex:?} {reach} {bound}");
    }
}

/// The sum of no pieces, or of infinite ones, is an error rather than NaN.
#[test]
fn sums_without_finite_volume_are_refused() {
    assert!(MassProperties::sum(&[]).is_err());
    let space = Solid::half_space(Vec3::Z).unwrap();
    let both = Solid::compound(&[(Pose::IDENTITY, space)]).unwrap();
    assert!(!both.is_movable() && both.center == Vec3::ZERO);
}
