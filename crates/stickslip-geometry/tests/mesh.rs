//! Triangle meshes: what is accepted, what they enclose, how they are cut.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{Aabb, Bend, GeometryError, Polytope, Quat, Shape, Solid, TriMesh, Vec3};

/// Prism over a planar outline (counter-clockwise, star-shaped triangulation given).
fn extruded(outline: &[[f64; 2]], cap: &[[u32; 3]], height: f64) -> TriMesh {
    let n = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |p| Vec3::new(p[0], p[1], z));
    let vertices = at(0.0).chain(at(height)).collect();
    let mut triangles = vec![];
    for &[a, b, c] in cap {
        triangles.push([a, c, b]);
        triangles.push([a + n, b + n, c + n]);
    }
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.push([k, next, next + n]);
        triangles.push([k, next + n, k + n]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

fn l_shape() -> TriMesh {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    extruded(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], 0.5)
}

fn u_shape() -> TriMesh {
    let outline = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 2.0],
        [2.0, 2.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let cap = [[0, 1, 4], [1, 2, 3], [1, 3, 4], [0, 4, 5], [0, 5, 6], [0, 6, 7]];
    extruded(&outline, &cap, 0.7)
}

fn polytope_mesh(p: &Polytope) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let fan = |f: &stickslip_geometry::polytope::Face| {
        let v = f.vertices.clone();
        (2..v.len()).map(move |k| [v[0], v[k - 1], v[k]]).collect::<Vec<_>>()
    };
    (p.vertices.clone(), p.faces.iter().flat_map(fan).collect())
}

/// A torus of n x m quads, each two triangles.
fn torus(n: u32, m: u32) -> TriMesh {
    let angle = |k: u32, n: u32| std::f64::consts::TAU * f64::from(k) / f64::from(n);
    let point = |k: u32| {
        let ((su, cu), (sv, cv)) = (angle(k / m, n).sin_cos(), angle(k % m, m).sin_cos());
        Vec3::new((1.0 + 0.3 * cv) * cu, (1.0 + 0.3 * cv) * su, 0.3 * sv)
    };
    let mut triangles = vec![];
    for i in 0..n {
        for j in 0..m {
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    TriMesh::new((0..n * m).map(point).collect(), triangles).unwrap()
}

fn check_parts(mesh: &TriMesh, parts: &[Polytope], tolerance: f64) {
    let volume = mesh.mass_properties().unwrap().volume;
    let sum: f64 = parts.iter().map(Polytope::volume).sum();
    assert!((sum / volume - 1.0).abs() < tolerance, "{sum} of {volume}");
    for p in parts {
        p.check_within(1e-6).unwrap();
    }
}

/// Each random point that is clearly inside one part is inside the mesh, and in no second part.
fn check_cover(mesh: &TriMesh, parts: &[Polytope], seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let b = mesh.bounds();
    for _ in 0..3000 {
        let t: Vec3 = [0; 3].map(|_| rng.random_range(0.0..1.0)).into();
        let p = b.min + t * (b.max - b.min);
        let holds = |q: &&Polytope| q.faces.iter().all(|f| f.normal.dot(p) < f.offset - 1e-9);
        let count = parts.iter().filter(holds).count();
        let inside = mesh.winding(p).round() as usize;
        assert!(count <= inside, "seed {seed}: {p} in {count} parts, winding {inside}");
    }
}

#[test]
fn l_and_u_are_cut_exactly_into_the_fewest_parts() {
    for (mesh, count, volume) in [(l_shape(), 2, 4.0 * 0.5), (u_shape(), 3, 5.0 * 0.7)] {
        let parts = mesh.decompose().unwrap();
        assert_eq!(parts.len(), count);
        assert!((mesh.mass_properties().unwrap().volume - volume).abs() < 1e-13);
        check_parts(&mesh, &parts, 1e-12);
        check_cover(&mesh, &parts, 1);
        // Turned, so that no plane is along an axis.
        let q = Quat::from_euler(stickslip_geometry::math::EulerRot::XYZ, 0.3, -1.1, 0.7);
        let turned = mesh.mapped(|v| q * v + Vec3::new(3.0, 1.0, -2.0)).unwrap();
        let parts = turned.decompose().unwrap();
        assert_eq!(parts.len(), count);
        check_parts(&turned, &parts, 1e-10);
        check_cover(&turned, &parts, 2);
    }
}

/// A cube with a cubic cavity: the inner surface is turned inward and the parts leave it free.
#[test]
fn cavity_stays_empty() {
    let (mut vertices, mut triangles) = polytope_mesh(&Polytope::cuboid(Vec3::splat(3.0)).unwrap());
    let (inner, faces) = polytope_mesh(&Polytope::cuboid(Vec3::ONE).unwrap());
    vertices.extend(inner);
    triangles.extend(faces.iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert!((mesh.mass_properties().unwrap().volume - 26.0).abs() < 1e-12);
    let parts = mesh.decompose().unwrap();
    check_parts(&mesh, &parts, 1e-12);
    check_cover(&mesh, &parts, 3);
}

/// Two separate boxes in one file are two parts, exactly those boxes.
#[test]
fn convex_components_are_the_parts() {
    let (mut vertices, mut triangles) = polytope_mesh(&Polytope::cuboid(Vec3::ONE).unwrap());
    let shifted: Vec<Vec3> = vertices.iter().map(|v| *v + Vec3::X * 3.0).collect();
    vertices.extend(shifted);
    let more: Vec<_> = triangles.iter().map(|t| t.map(|v| v + 8)).collect();
    triangles.extend(more);
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    let parts = mesh.decompose().unwrap();
    assert_eq!(parts.len(), 2);
    check_parts(&mesh, &parts, 1e-14);
    let solid = Solid::decomposed(&mesh).unwrap();
    assert!(solid.center.distance(Vec3::X * 1.5) < 1e-14);
    assert!(matches!(Solid::mesh(&mesh), Err(GeometryError::MeshNotConvex { .. })));
}

/// A gear with a bore: a ring between two closed curves of `4 teeth` corners each, `height` high.
fn gear(teeth: u32, height: f64) -> TriMesh {
    let n = 4 * teeth;
    let point = |k: u32| {
        let (ring, level, i) = (k / (2 * n), k / n % 2, k % n);
        let radius = match (ring, i % 4 < 2) {
            (0, _) => 0.3,
            (_, true) => 1.0,
            _ => 0.8,
        };
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(n)).sin_cos();
        Vec3::new(radius * c, radius * s, height * f64::from(level))
    };
    let mut triangles = vec![];
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    for i in 0..n {
        let at = |ring: u32, level: u32, i: u32| 2 * n * ring + n * level + i % n;
        quad([at(1, 0, i), at(1, 0, i + 1), at(1, 1, i + 1), at(1, 1, i)]);
        quad([at(0, 0, i + 1), at(0, 0, i), at(0, 1, i), at(0, 1, i + 1)]);
        quad([at(0, 1, i), at(1, 1, i), at(1, 1, i + 1), at(0, 1, i + 1)]);
        quad([at(0, 0, i), at(0, 0, i + 1), at(1, 0, i + 1), at(1, 0, i)]);
    }
    TriMesh::new((0..4 * n).map(point).collect(), triangles).unwrap()
}

/// A gear of 240 faces along its axis is cut exactly, however it is turned: its parts fill it to
/// round-off and leave the gaps between the teeth and the bore free.
#[test]
fn prisms_are_cut_exactly_whatever_the_number_of_faces() {
    let q = Quat::from_euler(stickslip_geometry::math::EulerRot::XYZ, 0.3, -1.1, 0.7);
    let straight = gear(30, 0.2);
    let turned = straight.mapped(|v| q * v + Vec3::new(3.0, 1.0, -2.0)).unwrap();
    for mesh in [straight, turned] {
        let parts = mesh.decompose().unwrap();
        check_parts(&mesh, &parts, 1e-12);
        check_cover(&mesh, &parts, 5);
        assert_eq!(mesh.overshoot(&parts), 0.0);
        assert!(parts.len() < 200, "{} parts", parts.len());
    }
}

/// The voxel parts of a torus are alike from run to run and cover it to a voxel.
#[test]
fn torus_is_covered_by_voxel_parts() {
    let mesh = torus(24, 12);
    let parts = mesh.decompose_approximately().unwrap();
    assert_eq!(parts, mesh.decompose_approximately().unwrap());
    assert!(parts.len() > 4, "{} parts", parts.len());
    check_parts(&mesh, &parts, 0.15);
    let mut rng = StdRng::seed_from_u64(4);
    let voxel = mesh.extent() / 64.0;
    for _ in 0..2000 {
        let t: Vec3 = [0; 3].map(|_| rng.random_range(-1.4..1.4)).into();
        if mesh.winding(t) > 0.5 {
            let near =
                |q: &Polytope| q.faces.iter().all(|f| f.normal.dot(t) < f.offset + 2.0 * voxel);
            assert!(parts.iter().any(near), "{t} is covered by no part");
        }
    }
}

#[test]
fn convex_meshes_become_polytopes() {
    for p in [Polytope::dodecahedron(1.0), Polytope::prism(1.0, 2.0, 9), Polytope::icosahedron(2.0)]
    {
        let p = p.unwrap();
        // Single precision, as in a binary STL file, off the origin.
        for shift in [Vec3::ZERO, Vec3::new(3.0, -1.0, 2.0)] {
            let (vertices, triangles) = polytope_mesh(&p);
            let single = |v: &Vec3| (*v + shift).as_vec3().as_dvec3();
            let rounded = vertices.iter().map(single).collect();
            let mesh = TriMesh::new(rounded, triangles).unwrap();
            let found = mesh.to_polytope().unwrap();
            assert_eq!(found.faces.len(), p.faces.len());
            assert!((found.volume() / p.volume() - 1.0).abs() < 1e-6);
        }
    }
    let dented = Solid::mesh(&l_shape());
    assert!(matches!(dented, Err(GeometryError::MeshNotConvex { .. })), "{dented:?}");
}

#[test]
fn bad_meshes_are_refused_by_triangle() {
    let (vertices, triangles) = polytope_mesh(&Polytope::cuboid(Vec3::ONE).unwrap());
    let solid = |t: Vec<[u32; 3]>| {
        TriMesh::new(vertices.clone(), t).and_then(|m| Solid::mesh(&m)).unwrap_err()
    };
    let mut open = triangles.clone();
    open.remove(3);
    assert!(matches!(solid(open), GeometryError::Open { .. }));
    let mut turned = triangles.clone();
    turned[5].swap(0, 1);
    assert!(matches!(
        solid(turned),
        GeometryError::Orientation { second: 5, .. } | GeometryError::Orientation { first: 5, .. }
    ));
    let inverted = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(matches!(solid(inverted), GeometryError::InsideOut { volume, .. } if volume == -1.0));
    let mut degenerate = triangles.clone();
    degenerate[7] = [1, 1, 2];
    assert!(matches!(solid(degenerate), GeometryError::DegenerateTriangle { triangle: 7, .. }));
    let mut missing = triangles.clone();
    missing[2][1] = 8;
    assert_eq!(solid(missing), GeometryError::NoSuchVertex { triangle: 2, vertex: 8, count: 8 });
    assert!(matches!(solid(vec![]), GeometryError::TooFew { .. }));
}

/// The edges of a cube are convex or flat, those of the notch of an L concave.
#[test]
fn edges_know_how_they_bend() {
    let (vertices, triangles) = polytope_mesh(&Polytope::cuboid(Vec3::ONE).unwrap());
    let cube = TriMesh::new(vertices, triangles).unwrap();
    let count = |m: &TriMesh, b: Bend| m.bends.iter().flatten().filter(|x| **x == b).count();
    assert_eq!(count(&cube, Bend::Flat), 12);
    assert_eq!(count(&cube, Bend::Convex), 24);
    assert_eq!(count(&l_shape(), Bend::Concave), 2);
    let heights = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let ramp = TriMesh::heightfield(&heights, 3, [2.0, 2.0]).unwrap();
    assert_eq!(count(&ramp, Bend::Concave), 4);
    assert_eq!(count(&ramp, Bend::Border), 8);
    assert!(ramp.normals.iter().all(|n| n.z > 0.0));
}

/// Queries of the tree give what testing every box gives.
#[test]
fn triangles_in_a_box_agree_with_brute_force() {
    let mesh = torus(40, 20);
    let mut rng = StdRng::seed_from_u64(8);
    for _ in 0..300 {
        let p: Vec3 = [0; 3].map(|_| rng.random_range(-1.5..1.5)).into();
        let s: Vec3 = [0; 3].map(|_| rng.random_range(0.0..0.5)).into();
        let query = Aabb { min: p - s, max: p + s };
        let hit = |&t: &u32| Aabb::of(mesh.corners(t)).overlaps(&query);
        let expected: Vec<u32> = (0..mesh.triangles.len() as u32).filter(hit).collect();
        assert_eq!(mesh.triangles_in(&query), expected);
    }
}

#[test]
fn surfaces_of_closed_meshes_are_recentred() {
    let solid = Solid::surface(&l_shape()).unwrap();
    let Shape::Surface(mesh) = &solid.shape else { panic!("parts") };
    assert!(mesh.mass_properties().unwrap().center.length() < 1e-14);
    assert!((solid.volume - 2.0).abs() < 1e-14);
    let field = Solid::heightfield(&[0.0; 12], 4, [3.0, 2.0]).unwrap();
    assert!(!field.is_movable());
    assert!(Solid::heightfield(&[0.0; 11], 4, [3.0, 2.0]).is_err());
    assert!(Solid::heightfield(&[0.0, f64::NAN, 0.0, 0.0], 2, [3.0, 2.0]).is_err());
}

/// Parts that fill a mesh reach nowhere beyond it; the hull of an L does, by the distance of the
/// middle of the face across its notch from the walls.
#[test]
fn parts_say_how_far_they_reach_beyond() {
    let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let at = |z: f64| corners.iter().map(move |[x, y]| Vec3::new(*x, *y, z));
    let vertices: Vec<Vec3> = at(0.0).chain(at(1.0)).collect();
    // The L is two rectangles: fans from corner 0 and corner 3 cover them.
    let flat = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = vec![];
    for [a, b, c] in flat {
        triangles.push([a, c, b]);
        triangles.push([a + 6, b + 6, c + 6]);
    }
    for k in 0..6 {
        let next = (k + 1) % 6;
        triangles.push([k, next, next + 6]);
        triangles.push([k, next + 6, k + 6]);
    }
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert_eq!(mesh.overshoot(&mesh.decompose().unwrap()), 0.0);
    let hull = Polytope::from_points(&mesh.vertices).unwrap();
    // The face across the notch runs from (2, 1) to (1, 2); its middle is half a metre from both walls.
    assert!((mesh.overshoot(&[hull]) - 0.5).abs() < 1e-12);
}
