//! Convex parts that fill closed meshes exactly: parts of machines, and solids without any order.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::f64::consts::TAU;

use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{GeometryError, Polytope, Quat, TriMesh, Vec3, math::EulerRot};

/// A closed surface over a grid that comes round in `i`; in `j` too, or with its first and last rows
/// closed by fans around the means of these rows.
fn sheet(n: u32, m: u32, ring: bool, point: impl Fn(u32, u32) -> Vec3) -> TriMesh {
    let mut vertices: Vec<Vec3> = (0..n * m).map(|k| point(k % n, k / n)).collect();
    let at = |i: u32, j: u32| (i % n) + n * (j % m);
    let mut triangles = vec![];
    for j in 0..if ring { m } else { m - 1 } {
        for i in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    if !ring {
        for (row, low) in [(0, true), (m - 1, false)] {
            let mean = (0..n).map(|i| point(i, row)).sum::<Vec3>() / f64::from(n);
            let middle = vertices.len() as u32;
            vertices.push(mean);
            for i in 0..n {
                let [a, b] = [at(i, row), at(i + 1, row)];
                triangles.push(if low { [b, a, middle] } else { [a, b, middle] });
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// The point at a radius, an angle \[turns\] and a height.
fn polar(radius: f64, turns: f64, z: f64) -> Vec3 {
    let (s, c) = (TAU * turns).sin_cos();
    Vec3::new(radius * c, radius * s, z)
}

fn torus(n: u32, m: u32) -> TriMesh {
    sheet(n, m, true, |i, j| {
        let (s, c) = (TAU * f64::from(j) / f64::from(m)).sin_cos();
        polar(1.0 + 0.3 * c, f64::from(i) / f64::from(n), 0.3 * s)
    })
}

/// A gear whose teeth turn by `twist` \[turns\] from one end to the other.
fn helical_gear(teeth: u32, twist: f64) -> TriMesh {
    let n = 4 * teeth;
    sheet(n, 2, false, |i, j| {
        let radius = if i % 4 < 2 { 1.0 } else { 0.8 };
        let up = f64::from(j);
        polar(radius, f64::from(i) / f64::from(n) + twist * up, 0.3 * up)
    })
}

/// A screw: the radius at a height and an angle is that of a thread of trapezoids, cut into `steps` a
/// turn, between plain ends. Right-handed, of lead 0.5.
fn screw(steps: u32, turns: u32) -> TriMesh {
    let profile = [1.0, 1.0, 0.7, 0.7];
    let rows = steps.max(4) * turns + 1;
    sheet(steps, rows, false, |i, j| {
        let (turn, z) = (f64::from(i) / f64::from(steps), 0.5 * f64::from(j) / f64::from(steps));
        let phase = (4.0 * (2.0 * z - turn)).rem_euclid(4.0);
        let k = phase.floor() as usize % 4;
        let radius = profile[k] + (phase - phase.floor()) * (profile[(k + 1) % 4] - profile[k]);
        polar(radius, turn, z)
    })
}

/// A hexagonal nut with a round bore of `sides`, chamfered at both ends.
fn nut(sides: u32) -> TriMesh {
    let n = 6 * sides;
    sheet(n, 6, true, |i, j| {
        let turn = f64::from(i) / f64::from(n);
        let across = (turn * 6.0 - (turn * 6.0).floor() - 0.5) / 6.0;
        let hexagon = 1.0 / (TAU * across).cos();
        match j {
            0 => polar(0.7, turn, 0.0),
            1 => polar(hexagon, turn, 0.0),
            2 => polar(hexagon, turn, 0.8),
            3 => polar(0.7, turn, 0.8),
            4 => polar(0.55, turn, 0.65),
            _ => polar(0.55, turn, 0.15),
        }
    })
}

/// A prism over a planar outline, its top moved and shrunk so that it is none.
fn tapered(outline: &[[f64; 2]], height: f64, taper: f64) -> TriMesh {
    let n = outline.len() as u32;
    sheet(n, 2, false, |i, j| {
        let factor = 1.0 - taper * f64::from(j);
        let [x, y] = outline[i as usize];
        Vec3::new(x * factor, y * factor, height * f64::from(j))
    })
}

/// The tail of a dovetail: a bar with a wedge below it, star-shaped about the origin.
const DOVETAIL: [[f64; 2]; 8] = [
    [-0.4, -1.0],
    [0.4, -1.0],
    [0.2, 0.1],
    [1.0, 0.1],
    [1.0, 0.6],
    [-1.0, 0.6],
    [-1.0, 0.1],
    [-0.2, 0.1],
];

/// The bit of a key: star-shaped about the origin.
const KEY: [[f64; 2]; 8] = [
    [-1.0, -0.3],
    [0.3, -0.3],
    [0.5, -1.0],
    [1.0, -0.3],
    [1.0, 0.3],
    [0.2, 0.3],
    [-0.2, 0.9],
    [-1.0, 0.3],
];

/// A ball whose corners are moved in and out at random: every other edge is a notch.
fn rock(n: u32, m: u32, seed: u64) -> TriMesh {
    let mut rng = StdRng::seed_from_u64(seed);
    let radii: Vec<f64> = (0..n * m).map(|_| rng.random_range(0.7..1.3)).collect();
    sheet(n, m, false, |i, j| {
        let angle = 0.5 * TAU * (f64::from(j) + 1.0) / (f64::from(m) + 1.0);
        let radius = radii[(i + n * j) as usize];
        polar(radius * angle.sin(), f64::from(i) / f64::from(n), -radius * angle.cos())
    })
}

/// How often a ray from a point passes out of the mesh, less how often it passes in: 1 inside, 0
/// outside. Plain intersection of a ray with every triangle (Möller and Trumbore 1997).
fn crossings(mesh: &TriMesh, origin: Vec3, ray: Vec3) -> i32 {
    let mut found = 0;
    for t in 0..mesh.triangles.len() as u32 {
        let [a, b, c] = mesh.corners(t);
        let (e, f) = (b - a, c - a);
        let p = ray.cross(f);
        let det = e.dot(p);
        if det == 0.0 {
            continue;
        }
        let s = origin - a;
        let u = s.dot(p) / det;
        let q = s.cross(e);
        let v = ray.dot(q) / det;
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && f.dot(q) / det > 0.0 {
            found -= det.signum() as i32;
        }
    }
    found
}

/// The parts have the volume of the mesh, and a random point is in exactly one part if a ray from it
/// says that it is inside the mesh, and in none if not.
fn check(name: &str, mesh: &TriMesh, volume_within: f64) -> usize {
    let parts = mesh.decompose_exactly().expect(name);
    let own = mesh.mass_properties().unwrap().volume;
    let sum: f64 = parts.iter().map(Polytope::volume).sum();
    let error = (sum / own - 1.0).abs();
    println!(
        "{name}: {} triangles, {} parts, volume {error:.1e}",
        mesh.triangles.len(),
        parts.len()
    );
    assert!(error < volume_within, "{name}: {sum} of {own}, {error:e}");
    for part in &parts {
        part.check().expect(name);
    }
    let seed = 7;
    let mut rng = StdRng::seed_from_u64(seed);
    let b = mesh.bounds();
    let margin = 1e-8 * mesh.extent();
    for _ in 0..2000 {
        let t: Vec3 = [0; 3].map(|_| rng.random_range(0.0..1.0)).into();
        let p = b.min + t * (b.max - b.min);
        let ray: Vec3 = [0; 3].map(|_| rng.random_range(-1.0..1.0)).into();
        let inside = crossings(mesh, p, ray);
        assert!(inside == 0 || inside == 1, "{name}: the oracle counts {inside}");
        let holds = |by: f64| {
            let holds = |q: &&Polytope| q.faces.iter().all(|f| f.normal.dot(p) < f.offset + by);
            parts.iter().filter(holds).count()
        };
        // Points within round-off of a face may count either way.
        assert!(holds(-margin) <= inside as usize, "{name}, seed {seed}: {p} twice, or outside");
        assert!(holds(margin) >= inside as usize, "{name}, seed {seed}: {p} is not covered");
    }
    parts.len()
}

fn turned(mesh: &TriMesh) -> TriMesh {
    let q = Quat::from_euler(EulerRot::XYZ, 0.3, -1.1, 0.7);
    mesh.mapped(|v| q * v + Vec3::new(3.0, 1.0, -2.0)).unwrap()
}

/// A torus of flat quadrilaterals falls into as many convex parts as it has along its circle: no
/// fewer are possible, since every cross-section has notches on its inner side.
#[test]
fn a_torus_is_as_many_parts_as_it_has_segments() {
    assert_eq!(check("torus", &torus(24, 12), 1e-12), 24);
    assert_eq!(check("torus, turned", &turned(&torus(24, 12)), 1e-12), 24);
}

#[test]
fn parts_of_machines_are_filled_exactly() {
    for (name, mesh) in [
        ("helical gear", helical_gear(12, 0.02)),
        ("helical gear of 30 teeth", helical_gear(30, 0.01)),
        ("nut", nut(4)),
        ("dovetail", tapered(&DOVETAIL, 0.5, 0.2)),
        ("key", tapered(&KEY, 0.3, 0.3)),
        ("screw", screw(16, 2)),
        ("torus of 2304 triangles", torus(48, 24)),
    ] {
        check(name, &mesh, 1e-12);
        check(name, &turned(&mesh), 1e-12);
    }
}

/// Solids without any two faces in one plane.
#[test]
fn rocks_are_filled_exactly() {
    for seed in 0..8 {
        check(&format!("rock {seed}"), &rock(12, 7, seed), 1e-12);
    }
}

/// Numbers of single precision, as in an STL file: faces are flat, and the volume is right, to 1e-6.
#[test]
fn meshes_with_rounded_numbers_are_filled() {
    let rounded = |m: TriMesh| m.mapped(|v| v.as_vec3().as_dvec3()).unwrap();
    assert_eq!(check("dovetail", &rounded(turned(&tapered(&DOVETAIL, 0.5, 0.2))), 1e-6), 2);
    assert_eq!(check("key", &rounded(turned(&tapered(&KEY, 0.5, 0.2))), 1e-6), 3);
}

/// Two solids that pass through each other fill no volume exactly, and a mesh that needs more parts
/// than a body may have is left to the approximate way; both are told.
#[test]
fn what_cannot_be_filled_is_told() {
    let one = tapered(&KEY, 0.3, 0.3);
    let shift = Vec3::new(0.4, 0.1, 0.1);
    let n = one.vertices.len() as u32;
    let vertices = one.vertices.iter().chain(&one.vertices).enumerate();
    let vertices = vertices.map(|(k, v)| if (k as u32) < n { *v } else { *v + shift }).collect();
    let second = one.triangles.iter().map(|t| t.map(|v| v + n));
    let triangles = one.triangles.iter().copied().chain(second).collect();
    let twice = TriMesh::new(vertices, triangles).unwrap();
    let error = twice.decompose_exactly().unwrap_err();
    assert!(matches!(error, GeometryError::NoExactParts { triangles: 64 }), "{error}");
    let rough = rock(60, 40, 1).decompose_exactly().unwrap_err();
    assert!(matches!(rough, GeometryError::NoExactParts { .. }), "{rough}");
}
