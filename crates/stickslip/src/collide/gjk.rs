//! Whether two convex parts with corners are nearer than a limit, by the method of Gilbert, Johnson
//! and Keerthi (1988).
//!
//! The differences `d = b - a` of points of B and A form a convex set whose distance from the
//! origin is that of the parts. The method walks over simplices of its corners. It needs only
//! support vertices, and ends as soon as the answer is certain:
//!
//! ```text
//! min_d n·d > limit  for a unit n     apart: n is a separating axis
//! |d| <= limit       for one d        near
//! ```
//!
//! Where round-off leaves it open, the parts are near.

use stickslip_geometry::{Convex, Mat3, Polytope, Pose, Vec3, tolerance::ROUND_OFF};

/// The corners of a convex part, in its own frame.
#[derive(Clone, Copy)]
pub(crate) struct Corners<'a> {
    vertices: &'a [Vec3],
    /// Where there are many.
    large: Option<&'a Polytope>,
    /// Of a part without corners, two circles on its axis whose hull it is.
    round: Option<Round>,
}

/// Two circles about the z axis.
#[derive(Clone, Copy)]
struct Round {
    /// The circles are at `-half` and `half` \[m\].
    half: f64,
    /// Radii of the lower and the upper one \[m\].
    radii: [f64; 2],
}

impl Round {
    fn extreme(&self, d: Vec3) -> Vec3 {
        let radial = Vec3::new(d.x, d.y, 0.0).normalize_or_zero();
        let [low, high] = self.radii.map(|r| radial * r);
        let (low, high) = (low - Vec3::Z * self.half, high + Vec3::Z * self.half);
        if d.dot(high) >= d.dot(low) { high } else { low }
    }
}

impl<'a> Corners<'a> {
    /// None for parts without corners.
    pub fn of(convex: &'a Convex) -> Self {
        match convex {
            Convex::Polytope(p) => {
                Self { vertices: &p.vertices, large: p.is_large().then_some(&**p), ..Self::NONE }
            }
            Convex::Polygon(p) => Self { vertices: &p.vertices, ..Self::NONE },
            _ => Self::NONE,
        }
    }

    /// A part without its thickness, and that; `None` for half-spaces.
    pub fn core(convex: &'a Convex) -> Option<(Self, f64)> {
        let (half, radii, thick) = match *convex {
            Convex::Polytope(_) | Convex::Polygon(_) => return Some((Self::of(convex), 0.0)),
            Convex::Ball { radius } => (0.0, [0.0; 2], radius),
            Convex::Capsule { half, radius } => (half, [0.0; 2], radius),
            _ => {
                let corners = convex.profile()?;
                let half = corners.iter().fold(0.0_f64, |m, c| m.max(c[1]));
                let ends =
                    |z: f64| corners.iter().filter(|c| c[1] == z).map(|c| c[0]).reduce(f64::max);
                let rim = |z: f64| ends(z).unwrap_or(0.0);
                (half, [rim(-half), rim(half)], 0.0)
            }
        };
        Some((Self { round: Some(Round { half, radii }), ..Self::NONE }, thick))
    }

    /// No corners.
    pub const NONE: Self = Self { vertices: &[], large: None, round: None };

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// The corner farthest along a direction.
    fn extreme(&self, d: Vec3) -> Vec3 {
        if let Some(round) = &self.round {
            return round.extreme(d);
        }
        if let Some(polytope) = self.large {
            return polytope.vertices[polytope.extreme(d)];
        }
        let mut best = (Vec3::ZERO, f64::NEG_INFINITY);
        for &v in self.vertices {
            let along = v.dot(d);
            if along > best.1 {
                best = (v, along);
            }
        }
        best.0
    }
}

/// Why two parts are near or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Witness {
    /// Apart along this unit vector from A to B, in A's frame.
    Axis(Vec3),
    /// Near: a point of each, in its own frame \[m\].
    Points([Vec3; 2]),
}

/// Two parts as seen from the first.
pub(crate) struct Placement<'a> {
    parts: [Corners<'a>; 2],
    /// Frame of B in the frame of A.
    pub(super) rotation: Mat3,
    position: Vec3,
}

/// A corner of the set of differences, and the corners of A and B that make it, in A's frame.
#[derive(Clone, Copy)]
struct Corner {
    difference: Vec3,
    points: [Vec3; 2],
}

impl<'a> Placement<'a> {
    pub fn new(parts: [Corners<'a>; 2], [a, b]: [&Pose; 2]) -> Self {
        let rotation = Mat3::from_quat(a.orientation.conjugate() * b.orientation);
        Self { parts, rotation, position: a.inverse_point(b.position) }
    }

    /// The corner of the differences farthest against `n`.
    fn lowest(&self, n: Vec3) -> Corner {
        let a = self.parts[0].extreme(n);
        let b = self.parts[1].extreme(self.rotation.transpose() * -n);
        let b = self.rotation * b + self.position;
        Corner { difference: b - a, points: [a, b] }
    }

    /// The difference `b - a` of points of both that lies farthest against `n`, in the frame of A \[m\].
    pub fn difference(&self, n: Vec3) -> Vec3 {
        self.lowest(n).difference
    }

    /// How far apart the parts are along the unit vector `n` \[m\].
    pub fn separation(&self, n: Vec3) -> f64 {
        n.dot(self.lowest(n).difference)
    }

    /// Distance of two points, each in the frame of its part \[m\].
    pub fn distance(&self, [a, b]: [Vec3; 2]) -> f64 {
        (self.rotation * b + self.position).distance(a)
    }

    /// Whether the parts are nearer than `limit` \[m\], and why.
    pub fn compare(&self, limit: f64) -> Witness {
        let axis = self.position.try_normalize().unwrap_or(Vec3::X);
        let first = self.lowest(axis);
        if axis.dot(first.difference) > limit {
            return Witness::Axis(axis);
        }
        let (mut simplex, mut last) = (Simplex::new(first), f64::INFINITY);
        loop {
            let v = simplex.nearest();
            let distance = v.length();
            // The distance falls until round-off ends it, mostly after two to five rounds.
            let falls = distance < last;
            if distance <= limit || !falls {
                break;
            }
            last = distance;
            let n = v / distance;
            let next = self.lowest(n);
            let bound = n.dot(next.difference);
            if bound > limit {
                return Witness::Axis(n);
            }
            if distance - bound <= ROUND_OFF * distance || !simplex.add(next) {
                break;
            }
        }
        let [a, b] = [0, 1].map(|k| simplex.sum(|c| c.points[k]));
        Witness::Points([a, self.rotation.transpose() * (b - self.position)])
    }

    /// Distance of parts that are apart \[m\], or a lower bound of it that is not below `enough`; of parts
    /// with circles a lower bound within a thousandth. `None` if they touch or overlap.
    pub fn distance_up_to(&self, enough: f64) -> Option<f64> {
        let axis = self.position.try_normalize().unwrap_or(Vec3::X);
        let mut simplex = Simplex::new(self.lowest(axis));
        let (mut size, mut last) = (0.0_f64, f64::INFINITY);
        // No plane between the parts: what round-off leaves of a distance is none.
        let parted = |bound: f64, distance: f64| (bound > 0.0).then_some(distance);
        let mut bound = f64::NEG_INFINITY;
        let curved = |c: &Corners| c.round.is_some_and(|round| round.radii != [0.0; 2]);
        let curved = self.parts.iter().any(curved);
        loop {
            let v = simplex.nearest();
            let distance = v.length();
            size = size.max(distance);
            if distance <= ROUND_OFF * size {
                return None;
            }
            let falls = distance < last;
            if !falls {
                return parted(bound, last);
            }
            last = distance;
            let n = v / distance;
            let next = self.lowest(n);
            bound = n.dot(next.difference);
            if bound > 0.0 && bound >= enough {
                return Some(bound);
            }
            if curved && bound > 0.0 && distance - bound <= 1e-3 * distance {
                return Some(bound);
            }
            if distance - bound <= ROUND_OFF * distance || simplex.has(&next) {
                return parted(bound, distance);
            }
            if !simplex.add(next) {
                return None;
            }
        }
    }
}

/// Up to four corners of the set of differences, and the weights of their point that is nearest to
/// the origin.
struct Simplex {
    corners: [Corner; 4],
    weights: [f64; 4],
    count: usize,
}

impl Simplex {
    fn new(first: Corner) -> Self {
        Self { corners: [first; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    fn sum(&self, of: impl Fn(&Corner) -> Vec3) -> Vec3 {
        let corners = self.corners[..self.count].iter();
        corners.zip(&self.weights).map(|(c, &w)| of(c) * w).sum()
    }

    /// The point that is nearest to the origin.
    fn nearest(&self) -> Vec3 {
        self.sum(|c| c.difference)
    }

    fn has(&self, corner: &Corner) -> bool {
        self.corners[..self.count].iter().any(|c| c.difference == corner.difference)
    }

    /// Takes in a corner and drops those that the nearest point does not need. False if it gains
    /// nothing: the corner is known, or the origin is inside.
    fn add(&mut self, next: Corner) -> bool {
        if self.has(&next) {
            return false;
        }
        self.corners[self.count] = next;
        let weights = nearest_to_origin(&self.corners[..=self.count]);
        let mut kept = 0;
        for (k, &weight) in weights.iter().enumerate() {
            if k <= self.count && weight > 0.0 {
                (self.corners[kept], self.weights[kept]) = (self.corners[k], weight);
                kept += 1;
            }
        }
        self.count = kept;
        kept < 4
    }
}

/// Weights of the point of a simplex that is nearest to the origin. Four weights: it is inside.
fn nearest_to_origin(simplex: &[Corner]) -> [f64; 4] {
    let at = |k: usize| simplex[k].difference;
    match simplex.len() {
        2 => {
            let [s, t] = on_segment(at(0), at(1));
            [s, t, 0.0, 0.0]
        }
        3 => {
            let [r, s, t] = on_triangle([at(0), at(1), at(2)]);
            [r, s, t, 0.0]
        }
        4 => on_tetrahedron([at(0), at(1), at(2), at(3)]),
        _ => [1.0, 0.0, 0.0, 0.0],
    }
}

fn on_segment(a: Vec3, b: Vec3) -> [f64; 2] {
    let along = b - a;
    let t = -a.dot(along) / along.length_squared();
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
    [1.0 - t, t]
}

/// Ericson 2005, section 5.1.5.
fn on_triangle([a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let all = va + vb + vc;
    if va > 0.0 && vb > 0.0 && vc > 0.0 && all.is_finite() {
        return [va / all, vb / all, vc / all];
    }
    // On an edge, or flat: the nearest of the three.
    let [ab, bc, ca] = [on_segment(a, b), on_segment(b, c), on_segment(c, a)];
    let edges = [[ab[0], ab[1], 0.0], [0.0, bc[0], bc[1]], [ca[1], 0.0, ca[0]]];
    let far = |w: &[f64; 3]| (a * w[0] + b * w[1] + c * w[2]).length_squared();
    let [first, second, third] = edges.map(|w| far(&w));
    if first <= second && first <= third {
        edges[0]
    } else if second <= third {
        edges[1]
    } else {
        edges[2]
    }
}

fn on_tetrahedron(p: [Vec3; 4]) -> [f64; 4] {
    let mut best = ([0.0; 4], f64::INFINITY);
    let mut inside = [0.0; 4];
    for k in 0..4 {
        let face = [(k + 1) % 4, (k + 2) % 4, (k + 3) % 4];
        let [a, b, c] = face.map(|i| p[i]);
        let n = (b - a).cross(c - a);
        // Heights of the origin and of the fourth corner above this face.
        let (origin, apex) = (-a.dot(n), (p[k] - a).dot(n));
        inside[k] = origin / apex;
        if origin * apex > 0.0 {
            continue;
        }
        let w = on_triangle([a, b, c]);
        let far = (a * w[0] + b * w[1] + c * w[2]).length_squared();
        if far < best.1 {
            let mut weights = [0.0; 4];
            (0..3).for_each(|i| weights[face[i]] = w[i]);
            best = (weights, far);
        }
    }
    if best.1 < f64::INFINITY {
        return best.0;
    }
    let all: f64 = inside.iter().sum();
    inside.map(|w| w / all)
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::{Dimension, Polygon, Quat, overlap};

    use super::*;
    use crate::testing::Random;

    const SEED: u64 = 7;

    fn part(random: &mut Random, dimension: Dimension, corners: usize) -> Convex {
        let points: Vec<Vec3> =
            (0..corners).map(|_| random.vector(dimension).normalize()).collect();
        match dimension {
            Dimension::Two => Convex::Polygon(Polygon::from_points(&points).unwrap().into()),
            Dimension::Three => Convex::Polytope(Polytope::from_points(&points).unwrap().into()),
        }
    }

    fn pose(random: &mut Random, dimension: Dimension, far: f64) -> Pose {
        let angle = random.spin(dimension) * 3.0;
        Pose::new(random.vector(dimension) * far, Quat::from_scaled_axis(angle))
    }

    /// Boxes that stand in line with their floor, at any depth: round-off once left a distance between
    /// two that overlapped by 75 mm, and a landing cube was taken for one that had passed.
    #[test]
    fn boxes_in_line_that_overlap_are_not_apart() {
        let cuboid = |half: Vec3| {
            let corner = |k: usize| {
                Vec3::from_array(
                    [0, 1, 2].map(|i| if k >> i & 1 == 1 { half[i] } else { -half[i] }),
                )
            };
            let points: Vec<Vec3> = (0..8).map(corner).collect();
            Convex::Polytope(Polytope::from_points(&points).unwrap().into())
        };
        let (floor, cube) = (cuboid(Vec3::new(20.0, 20.0, 0.5)), cuboid(Vec3::splat(0.1)));
        let parts = [Corners::of(&floor), Corners::of(&cube)];
        for k in 0..300 {
            // as after a fall by 15 cm
            let z = 0.105 + 0.01 * f64::from(k % 14) + -15.0 * 0.01;
            let at = Vec3::new(f64::from(k % 6), f64::from(k / 6 % 5), z);
            let poses = [-Vec3::Z * 0.5, at].map(|x| Pose::new(x, Quat::IDENTITY));
            for [i, j] in [[0, 1], [1, 0]] {
                let placement = Placement::new([parts[i], parts[j]], [&poses[i], &poses[j]]);
                let found = [0.0, 0.1].map(|enough| placement.distance_up_to(enough));
                assert_eq!(found, [None; 2], "{at}");
            }
        }
    }

    /// Near is whose true distance is below the limit, and the reason given holds.
    #[test]
    fn parts_are_near_where_their_distance_says_so() {
        let mut random = Random::new(SEED);
        let (mut near, mut apart) = (0, 0);
        for case in 0..2000 {
            let dimension = if case % 4 == 0 { Dimension::Two } else { Dimension::Three };
            let corners = [5, 8, 12, 90][case % 7 % 4];
            let shapes = [corners, 9].map(|n| part(&mut random, dimension, n));
            let poses = [0.2, 2.5].map(|far| pose(&mut random, dimension, far));
            let limit = [1e-9, 1e-4, 0.05, 0.5][case % 5 % 4];
            let [a, b] = &shapes;
            let parts = [Corners::of(a), Corners::of(b)];
            let placement = Placement::new(parts, [&poses[0], &poses[1]]);
            let distance = -overlap::depth(dimension, a, &poses[0], b, &poses[1]);
            let told = format!("seed {SEED}, case {case}: {distance} for {limit}");
            match placement.distance_up_to(f64::INFINITY) {
                Some(d) => assert!((d - distance).abs() < 1e-11, "{told}: {d}"),
                None => assert!(distance < 1e-9, "{told}: not apart"),
            }
            match placement.compare(limit) {
                Witness::Axis(n) => {
                    assert!(distance > limit, "{told}");
                    assert!(placement.separation(n) > limit, "{told}");
                    apart += 1;
                }
                Witness::Points(points) => {
                    assert!(distance <= limit, "{told}");
                    assert!(placement.distance(points) <= limit + 1e-15, "{told}");
                    // The points belong to their parts.
                    for (point, shape) in points.iter().zip(&shapes) {
                        let dot = Convex::Ball { radius: 0.0 };
                        let at = Pose::new(*point, Quat::IDENTITY);
                        let out = -overlap::depth(dimension, shape, &Pose::IDENTITY, &dot, &at);
                        assert!(out < 1e-14, "{told}: {out}");
                    }
                    near += 1;
                }
            }
        }
        assert!(near > 300 && apart > 300, "{near} near, {apart} apart");
    }
}
