//! Surfaces of revolution about z.

use std::f64::consts::{FRAC_PI_2, PI};

use stickslip::geometry::Vec3;

use crate::mesh::{Facet, Mesh};

/// A circle of a profile: radius and height \[m\], and the normal there (radial, axial).
#[derive(Clone, Copy)]
struct Ring {
    r: f64,
    z: f64,
    normal: (f64, f64),
    /// The circle itself is an edge.
    edge: bool,
}

fn ring(r: f64, z: f64, normal: (f64, f64)) -> Ring {
    Ring { r, z, normal, edge: false }
}

/// A point of the circle: part `i` of `sides`.
fn around(r: f64, z: f64, i: usize, sides: usize) -> Vec3 {
    let angle = 2.0 * PI * (i % sides) as f64 / sides as f64;
    Vec3::new(r * angle.cos(), r * angle.sin(), z)
}

/// The band between two circles, the lower first; `lines` tells at which parts of the circle a
/// line along the profile is drawn, so that one sees the shape turn.
fn band(mesh: &mut Mesh, [a, b]: [Ring; 2], sides: usize, lines: impl Fn(usize) -> bool) {
    for i in 0..sides {
        let j = i + 1;
        let at = |ring: &Ring, k: usize| {
            let (nr, nz) = ring.normal;
            (around(ring.r, ring.z, k, sides), around(nr, nz, k, sides))
        };
        let quad = [at(&a, i), at(&a, j), at(&b, j), at(&b, i)];
        let [bottom, left, right, top] = [a.edge, lines(i), lines(j % sides), b.edge];
        let bits = |s: [bool; 3]| u8::from(s[0]) | u8::from(s[1]) << 1 | u8::from(s[2]) << 2;
        let mut push = |k: [usize; 3], sides: u8| {
            let points = k.map(|i| quad[i].0);
            mesh.facets.push(Facet { points, normals: k.map(|i| quad[i].1), sides });
        };
        if b.r <= 0.0 {
            push([0, 1, 2], bits([bottom, right, left]));
        } else if a.r <= 0.0 {
            push([0, 2, 3], bits([right, top, left]));
        } else {
            push([0, 1, 2], bits([bottom, right, false]));
            push([0, 2, 3], bits([false, top, left]));
        }
    }
}

/// A quarter of a ball from the angle `from` to `to` above the equator, moved up by `shift`.
fn dome(mesh: &mut Mesh, radius: f64, shift: f64, (from, to): (f64, f64), sides: usize) {
    let steps = sides / 4;
    let at = |k: usize| {
        let angle = from + (to - from) * k as f64 / steps as f64;
        let r = if FRAC_PI_2 - angle.abs() < 1e-9 { 0.0 } else { radius * angle.cos() };
        let edge = angle.abs() < 1e-9;
        Ring { edge, ..ring(r, radius * angle.sin() + shift, (angle.cos(), angle.sin())) }
    };
    let quarter = sides / 4;
    for k in 0..steps {
        band(mesh, [at(k), at(k + 1)], sides, |i| i.is_multiple_of(quarter));
    }
}

fn solid() -> Mesh {
    Mesh { closed: true, ..Mesh::default() }
}

/// Three great circles let one see it turn.
pub(crate) fn ball(radius: f64, sides: usize) -> Mesh {
    let mut mesh = solid();
    dome(&mut mesh, radius, 0.0, (-FRAC_PI_2, 0.0), sides);
    dome(&mut mesh, radius, 0.0, (0.0, FRAC_PI_2), sides);
    mesh
}

pub(crate) fn capsule(half: f64, radius: f64, sides: usize) -> Mesh {
    let mut mesh = solid();
    dome(&mut mesh, radius, -half, (-FRAC_PI_2, 0.0), sides);
    let ends = [-half, half].map(|z| Ring { edge: true, ..ring(radius, z, (1.0, 0.0)) });
    band(&mut mesh, ends, sides, |i| i.is_multiple_of(sides / 2));
    dome(&mut mesh, radius, half, (0.0, FRAC_PI_2), sides);
    mesh
}

pub(crate) fn cylinder(half: f64, radius: f64, sides: usize) -> Mesh {
    let mut mesh = solid();
    let rim = |z: f64, normal| Ring { edge: true, ..ring(radius, z, normal) };
    let line = |i: usize| i.is_multiple_of(sides / 2);
    band(&mut mesh, [ring(0.0, -half, (0.0, -1.0)), rim(-half, (0.0, -1.0))], sides, line);
    band(&mut mesh, [rim(-half, (1.0, 0.0)), rim(half, (1.0, 0.0))], sides, line);
    band(&mut mesh, [rim(half, (0.0, 1.0)), ring(0.0, half, (0.0, 1.0))], sides, line);
    mesh
}

pub(crate) fn cone(half: f64, radius: f64, sides: usize) -> Mesh {
    let mut mesh = solid();
    let slope = (2.0 * half).hypot(radius);
    let normal = (2.0 * half / slope, radius / slope);
    let rim = |normal| Ring { edge: true, ..ring(radius, -half, normal) };
    let line = |i: usize| i.is_multiple_of(sides / 2);
    band(&mut mesh, [ring(0.0, -half, (0.0, -1.0)), rim((0.0, -1.0))], sides, line);
    band(&mut mesh, [rim(normal), ring(0.0, half, normal)], sides, line);
    mesh
}

/// A disc in the plane z = 0; a spoke shows its angle.
pub(crate) fn disc(radius: f64, sides: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let rim = Ring { edge: true, ..ring(radius, 0.0, (0.0, 1.0)) };
    band(&mut mesh, [rim, ring(0.0, 0.0, (0.0, 1.0))], sides, |i| i == 0);
    mesh
}
