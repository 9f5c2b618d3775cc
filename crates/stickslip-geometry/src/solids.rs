//! Polytopes with a name: Platonic solids, prisms, pyramids.

use std::f64::consts::TAU;

use crate::{GeometryError, Polytope, Vec3, error::positive};

/// Most sides a prism or pyramid may have.
pub const MAX_SIDES: usize = 1 << 16;

impl Polytope {
    /// Regular tetrahedron around the origin with that edge \[m\].
    pub fn tetrahedron(edge: f64) -> Result<Self, GeometryError> {
        let s = positive("size", edge)? / 8_f64.sqrt();
        let corners = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]];
        Self::from_points(&corners.map(|c| Vec3::from(c.map(f64::from)) * s))
    }

    /// Regular octahedron around the origin with that edge \[m\].
    pub fn octahedron(edge: f64) -> Result<Self, GeometryError> {
        let s = positive("size", edge)? / 2_f64.sqrt();
        Self::from_points(&Vec3::AXES.into_iter().flat_map(|a| [a * s, -a * s]).collect::<Vec<_>>())
    }

    /// Regular dodecahedron around the origin with that edge \[m\].
    pub fn dodecahedron(edge: f64) -> Result<Self, GeometryError> {
        // Corners (±1, ±1, ±1) and the cyclic (0, ±1/φ, ±φ): edge 2/φ.
        let phi = golden();
        let s = positive("size", edge)? * phi / 2.0;
        let mut corners = cyclic(1.0 / phi, phi);
        for k in 0..8 {
            let sign = |bit: i32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            corners.push(Vec3::new(sign(0), sign(1), sign(2)));
        }
        Self::from_points(&corners.iter().map(|&c| c * s).collect::<Vec<_>>())
    }

    /// Regular icosahedron around the origin with that edge \[m\].
    pub fn icosahedron(edge: f64) -> Result<Self, GeometryError> {
        // The cyclic (0, ±1, ±φ): edge 2.
        let s = positive("size", edge)? / 2.0;
        Self::from_points(&cyclic(1.0, golden()).iter().map(|&c| c * s).collect::<Vec<_>>())
    }

    /// Upright prism around the origin: corners on the circle of that radius, the first at +x;
    /// z from `-height / 2` to `height / 2` \[m\].
    pub fn prism(radius: f64, height: f64, sides: usize) -> Result<Self, GeometryError> {
        let ring = ring(radius, sides)?;
        let up = Vec3::Z * (0.5 * positive("height", height)?);
        let n = sides as u32;
        let vertices = ring.iter().map(|&p| p - up).chain(ring.iter().map(|&p| p + up)).collect();
        let mut loops = vec![(0..n).rev().collect(), (n..2 * n).collect()];
        loops.extend((0..n).map(|k| {
            let next = (k + 1) % n;
            vec![k, next, n + next, n + k]
        }));
        Self::from_faces(vertices, loops)
    }

    /// Upright pyramid (polygonal cone): corners of the base on the circle of that radius at
    /// z = `-height / 2`, apex at `height / 2` \[m\].
    pub fn pyramid(radius: f64, height: f64, sides: usize) -> Result<Self, GeometryError> {
        let ring = ring(radius, sides)?;
        let up = Vec3::Z * (0.5 * positive("height", height)?);
        let n = sides as u32;
        let vertices = ring.iter().map(|&p| p - up).chain([up]).collect();
        let mut loops: Vec<Vec<u32>> = vec![(0..n).rev().collect()];
        loops.extend((0..n).map(|k| vec![k, (k + 1) % n, n]));
        Self::from_faces(vertices, loops)
    }
}

/// Golden ratio.
fn golden() -> f64 {
    0.5 * (1.0 + 5_f64.sqrt())
}

/// The twelve points (0, ±a, ±b), (±b, 0, ±a), (±a, ±b, 0).
fn cyclic(a: f64, b: f64) -> Vec<Vec3> {
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let turn = |p: f64, q: f64| [Vec3::new(0.0, p, q), Vec3::new(q, 0.0, p), Vec3::new(p, q, 0.0)];
    signs.iter().flat_map(|[s, t]| turn(s * a, t * b)).collect()
}

/// Points on a circle in the plane z = 0, counter-clockwise, the first at +x.
pub(crate) fn ring(radius: f64, sides: usize) -> Result<Vec<Vec3>, GeometryError> {
    positive("radius", radius)?;
    if sides < 3 {
        return Err(GeometryError::TooFew { what: "sides", given: sides, needed: 3 });
    }
    if sides > MAX_SIDES {
        return Err(GeometryError::TooMany { what: "sides", given: sides, limit: MAX_SIDES });
    }
    let point = |k: usize| {
        let (sin, cos) = quarter_exact(k, sides);
        Vec3::new(radius * cos, radius * sin, 0.0)
    };
    Ok((0..sides).map(point).collect())
}

/// Sine and cosine of k/n of a turn, exact at quarters, so that square prisms are exact boxes.
fn quarter_exact(k: usize, n: usize) -> (f64, f64) {
    match (4 * k).checked_rem(n) {
        Some(0) => [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][4 * k / n % 4],
        _ => (TAU * k as f64 / n as f64).sin_cos(),
    }
}
