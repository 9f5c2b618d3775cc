//! The signed distance of a point from a convex part, with the direction in which it grows.

use stickslip_geometry::{Convex, Polytope, Vec3};

use super::vertex_face::point_segment;
use crate::collide::{Feature, placed::Placed};

/// Where a part is nearest to a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// The nearest point of the surface \[m\].
    pub point: Vec3,
    /// Unit outward normal there, towards the point if that is outside.
    pub normal: Vec3,
    /// Signed distance \[m\], negative inside.
    pub distance: f64,
    /// The feature that holds the nearest point.
    pub feature: Feature,
}

/// Direction used where symmetry leaves every one equally good; lies in the plane in 2D too.
const ANY: Vec3 = Vec3::Y;

/// Nearest point of the part to `c`. `size` \[m\] is a length of the other body: below 1e-9 of it
/// the direction from surface to point is not trusted and that of the nearest face is taken.
pub(crate) fn nearest(convex: &Convex, placed: &Placed, c: Vec3, size: f64) -> Nearest {
    let smooth = |core: Vec3, radius: f64| round(core, radius, c);
    match convex {
        Convex::Polytope(p) => on_polytope(p, placed, c, size),
        Convex::Polygon(_) => on_polygon(placed, c, size),
        Convex::Ball { radius } => smooth(placed.pose.position, *radius),
        Convex::Capsule { half, radius } => {
            let [a, b] = core(placed, *half);
            smooth(point_segment(a, b, c), *radius)
        }
        Convex::Cylinder { half, radius } => revolution(placed, c, |rho, z| {
            let (side, end) = (rho - radius, z.abs() - half);
            let up = if z >= 0.0 { 1.0 } else { -1.0 };
            if side <= 0.0 && end <= 0.0 {
                if side > end { (side, 1.0, 0.0) } else { (end, 0.0, up) }
            } else {
                outside(rho - rho.min(*radius), z - z.clamp(-half, *half))
            }
        }),
        Convex::Cone { half, radius } => {
            revolution(placed, c, |rho, z| on_cone(*half, *radius, rho, z))
        }
        Convex::Bored(b) => nearest(&b.hull, placed, c, size),
        Convex::HalfSpace => {
            let n = placed.normals[0];
            let psi = n.dot(c - placed.pose.position);
            Nearest { point: c - n * psi, normal: n, distance: psi, feature: Feature::Face(0) }
        }
    }
}

/// The two ends of a capsule's core \[m\].
pub(crate) fn core(placed: &Placed, half: f64) -> [Vec3; 2] {
    let up = placed.pose.vector(Vec3::Z) * half;
    [placed.pose.position - up, placed.pose.position + up]
}

/// A ball of that radius around `core`.
fn round(core: Vec3, radius: f64, c: Vec3) -> Nearest {
    let away = c - core;
    let length = away.length();
    let normal = if length > 0.0 && length.is_normal() { away / length } else { ANY };
    Nearest {
        point: core + normal * radius,
        normal,
        distance: length - radius,
        feature: Feature::Smooth(0),
    }
}

/// A solid of revolution about the part's z: `profile` maps (ρ, z) to the signed distance and
/// the normal's radial and axial part.
fn revolution(placed: &Placed, c: Vec3, profile: impl Fn(f64, f64) -> (f64, f64, f64)) -> Nearest {
    let local = placed.pose.inverse_point(c);
    let rho = local.x.hypot(local.y);
    let radial = if rho > 0.0 && rho.is_normal() {
        Vec3::new(local.x / rho, local.y / rho, 0.0)
    } else {
        Vec3::X
    };
    let (distance, along, up) = profile(rho, local.z);
    let normal = placed.pose.vector(radial * along + Vec3::Z * up);
    Nearest { point: c - normal * distance, normal, distance, feature: Feature::Smooth(0) }
}

/// Distance and direction of an outside point from its foot, in (ρ, z).
fn outside(along: f64, up: f64) -> (f64, f64, f64) {
    let d = along.hypot(up);
    if d > 0.0 { (d, along / d, up / d) } else { (0.0, 0.0, 1.0) }
}

/// The triangle (0, half), (radius, -half), (0, -half) in (ρ, z).
fn on_cone(half: f64, radius: f64, rho: f64, z: f64) -> (f64, f64, f64) {
    let slant = (2.0 * half).hypot(radius);
    let (n_rho, n_z) = (2.0 * half / slant, radius / slant);
    let (base, side) = (-half - z, rho * n_rho + (z - half) * n_z);
    if base <= 0.0 && side <= 0.0 {
        return if side > base { (side, n_rho, n_z) } else { (base, 0.0, -1.0) };
    }
    let p = Vec3::new(rho, z, 0.0);
    let rim = Vec3::new(radius, -half, 0.0);
    let on_base = point_segment(Vec3::new(0.0, -half, 0.0), rim, p);
    let on_side = point_segment(rim, Vec3::new(0.0, half, 0.0), p);
    let foot =
        if p.distance_squared(on_base) < p.distance_squared(on_side) { on_base } else { on_side };
    outside(p.x - foot.x, p.y - foot.y)
}

fn on_polytope(shape: &Polytope, placed: &Placed, c: Vec3, size: f64) -> Nearest {
    let corner = |k: u32| placed.vertices[k as usize];
    let mut top = (f64::NEG_INFINITY, 0);
    let mut best: Option<(f64, Vec3, Feature)> = None;
    for (f, (face, &n)) in shape.faces.iter().zip(&placed.normals).enumerate() {
        let psi = n.dot(c - corner(face.vertices[0]));
        if psi > top.0 {
            top = (psi, f);
        }
        if psi <= 0.0 || best.is_some_and(|b| psi * psi > b.0) {
            continue;
        }
        let mut over = true;
        for (k, &tail) in face.vertices.iter().enumerate() {
            let head = corner(face.vertices[(k + 1) % face.vertices.len()]);
            let tail = corner(tail);
            if (head - tail).cross(n).dot(c - tail) > 0.0 {
                over = false;
                let foot = point_segment(tail, head, c);
                keep(&mut best, c, foot, Feature::Edge(face.edges[k]));
            }
        }
        if over {
            keep(&mut best, c, c - n * psi, Feature::Face(f as u32));
        }
    }
    let face = Feature::Face(top.1 as u32);
    let mut found = finish(c, best, (top.0, placed.normals[top.1], face), size);
    if let Feature::Edge(e) = found.feature {
        let ends = shape.edges[e as usize].vertices;
        if let Some(&v) = ends.iter().find(|&&v| corner(v) == found.point) {
            found.feature = Feature::Vertex(v);
        }
    }
    found
}

fn on_polygon(placed: &Placed, c: Vec3, size: f64) -> Nearest {
    let points = &placed.vertices;
    let mut top = (f64::NEG_INFINITY, 0);
    let mut best = None;
    for (k, (&n, &a)) in placed.normals.iter().zip(points).enumerate() {
        let psi = n.dot(c - a);
        if psi > top.0 {
            top = (psi, k);
        }
        if psi > 0.0 {
            let next = (k + 1) % points.len();
            let foot = point_segment(a, points[next], c);
            let feature = if foot == a {
                Feature::Vertex(k as u32)
            } else if foot == points[next] {
                Feature::Vertex(next as u32)
            } else {
                Feature::Face(k as u32)
            };
            keep(&mut best, c, foot, feature);
        }
    }
    finish(c, best, (top.0, placed.normals[top.1], Feature::Face(top.1 as u32)), size)
}

fn keep(best: &mut Option<(f64, Vec3, Feature)>, c: Vec3, foot: Vec3, feature: Feature) {
    let d = foot.distance_squared(c);
    if best.is_none_or(|b| d < b.0) {
        *best = Some((d, foot, feature));
    }
}

/// Chooses between the nearest point outside and, on or inside the surface, the nearest face
/// `(psi, normal, feature)`.
fn finish(
    c: Vec3,
    best: Option<(f64, Vec3, Feature)>,
    face: (f64, Vec3, Feature),
    size: f64,
) -> Nearest {
    let (psi, n, flat) = face;
    match best {
        Some((square, point, feature)) if square > (1e-9 * size).powi(2) => {
            // Over a face its own normal is exact; elsewhere the direction to the point is.
            if feature == flat {
                return Nearest { point, normal: n, distance: psi, feature };
            }
            let distance = square.sqrt();
            Nearest { point, normal: (c - point) / distance, distance, feature }
        }
        _ => Nearest { point: c - n * psi, normal: n, distance: psi, feature: flat },
    }
}

/// The inner point of the segment from `p` to `q` at which a part is nearest, with its place in
/// 0..=1; `None` if an end is nearest or the distance is sure to exceed `reach` \[m\].
///
/// The signed distance of a convex set is convex along a line and grows as its normal says.
pub(crate) fn least_inside(
    [p, q]: [Vec3; 2],
    reach: f64,
    at: impl Fn(Vec3) -> Nearest,
) -> Option<(f64, Nearest)> {
    let along = q - p;
    let slope = |near: &Nearest| near.normal.dot(along);
    let (first, last) = (at(p), at(q));
    let (down, up) = (slope(&first), slope(&last));
    if down >= 0.0 || up <= 0.0 {
        return None;
    }
    // The tangents at both ends bound the distance from below.
    let s = (last.distance - up - first.distance) / (down - up);
    if first.distance + down * s.clamp(0.0, 1.0) > reach {
        return None;
    }
    let s = bisect(0.0, 1.0, |s| slope(&at(p + along * s)));
    let near = at(p + along * s);
    (near.distance <= reach).then_some((s, near))
}

/// Halvings of an interval that leave round-off only.
const HALVINGS: usize = 54;

/// Where a rising function changes sign between two places.
pub(crate) fn bisect(low: f64, high: f64, slope: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
