//! Areas of discs cut by lines, discs and polygons; volumes of balls cut by planes and balls.

use std::f64::consts::PI;

use crate::Vec3;

/// Area of the part of a disc within `height` of its rim: `r²/2 (φ - sin φ)`.
pub(super) fn segment(radius: f64, height: f64) -> f64 {
    if height <= 0.0 {
        return 0.0;
    }
    if height >= 2.0 * radius {
        return PI * radius * radius;
    }
    // The half-angle through its sine, which keeps thin segments accurate.
    let phi = 4.0 * (height / (2.0 * radius)).sqrt().min(1.0).asin();
    0.5 * radius * radius * minus_sine(phi)
}

/// `φ - sin φ` without cancellation.
fn minus_sine(phi: f64) -> f64 {
    if phi.abs() > 0.5 {
        return phi - phi.sin();
    }
    let square = phi * phi;
    let series = |k: f64, rest: f64| 1.0 - square / (k * (k + 1.0)) * rest;
    let rest = [12.0, 10.0, 8.0, 6.0, 4.0].iter().fold(1.0, |rest, &k| series(k, rest));
    phi * square / 6.0 * rest
}

/// How far each of two circles at that distance reaches beyond their common chord.
fn cap_heights(r: f64, s: f64, distance: f64) -> [f64; 2] {
    let overlap = r + s - distance;
    let share = |mine: f64, other: f64| overlap * (other + distance - mine) / (2.0 * distance);
    [share(r, s), share(s, r)]
}

/// Area shared by two discs.
pub(super) fn lens(r: f64, s: f64, distance: f64) -> f64 {
    if distance >= r + s {
        0.0
    } else if distance <= (r - s).abs() {
        PI * r.min(s).powi(2)
    } else {
        let [h, g] = cap_heights(r, s, distance);
        segment(r, h) + segment(s, g)
    }
}

/// Volume of a cap of a ball: `π h² (3 r - h) / 3`.
pub(super) fn cap(radius: f64, height: f64) -> f64 {
    let h = height.clamp(0.0, 2.0 * radius);
    PI * h * h * (3.0 * radius - h) / 3.0
}

/// Volume shared by two balls.
pub(super) fn ball_lens(r: f64, s: f64, distance: f64) -> f64 {
    if distance >= r + s {
        0.0
    } else if distance <= (r - s).abs() {
        4.0 / 3.0 * PI * r.min(s).powi(3)
    } else {
        let [h, g] = cap_heights(r, s, distance);
        cap(r, h) + cap(s, g)
    }
}

/// Area shared by the disc around the origin and a counter-clockwise polygon (x and y only):
/// the sum over its edges of the signed area between the edge and the centre.
pub(super) fn with_polygon(radius: f64, corners: &[Vec3]) -> f64 {
    let count = corners.len();
    let edge = |k: usize| with_edge(radius, corners[k], corners[(k + 1) % count]);
    (0..count).map(edge).sum::<f64>().max(0.0)
}

fn cross(p: Vec3, q: Vec3) -> f64 {
    p.x * q.y - p.y * q.x
}

fn with_edge(radius: f64, p: Vec3, q: Vec3) -> f64 {
    let sector =
        |p: Vec3, q: Vec3| 0.5 * radius * radius * cross(p, q).atan2(p.x * q.x + p.y * q.y);
    let d = q - p;
    let (a, b) = (d.x * d.x + d.y * d.y, p.x * d.x + p.y * d.y);
    let c = p.x * p.x + p.y * p.y - radius * radius;
    let discriminant = b * b - a * c;
    if a == 0.0 || discriminant <= 0.0 {
        return if a == 0.0 { 0.0 } else { sector(p, q) };
    }
    let root = discriminant.sqrt();
    let (enter, leave) = ((-b - root) / a, (-b + root) / a);
    if enter >= 1.0 || leave <= 0.0 {
        return sector(p, q);
    }
    let (first, last) = (p + d * enter.max(0.0), p + d * leave.min(1.0));
    let mut area = 0.5 * cross(first, last);
    if enter > 0.0 {
        area += sector(p, first);
    }
    if leave < 1.0 {
        area += sector(last, q);
    }
    area
}

/// Signed depth of the origin in a counter-clockwise convex polygon (x and y only): distance
/// from the outline, negative outside.
pub(super) fn depth_in_polygon(corners: &[Vec3]) -> f64 {
    let count = corners.len();
    let (mut inside, mut nearest) = (count >= 3, f64::INFINITY);
    for k in 0..count {
        let [a, b] = [k, (k + 1) % count].map(|k| corners[k].with_z(0.0));
        nearest = nearest.min(super::closest::on_segment(Vec3::ZERO, [a, b]).length());
        inside &= cross(a, b) >= 0.0;
    }
    match inside {
        _ if count == 0 => f64::NEG_INFINITY,
        true => nearest,
        false => -nearest,
    }
}
