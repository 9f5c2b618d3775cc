//! An independent method for arches: the polyhedron of their lines of thrust.
//!
//! All forces in a planar arch follow from three numbers, the force and the moment in its first
//! joint. In every joint the resultant must act between the two ends of the joint and within
//! friction: four half-spaces of these three numbers for each joint. The arch can rest iff they have
//! a point in common, and then (the set is closed, and bounded as soon as there are weights and
//! joints that are not parallel) a corner: all triples of planes are tried. No forces at corners, no
//! contact detection, no interior point.

#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use stickslip::{
    BodyInit, Dimension, Model, ModelBuilder, Settings, State,
    geometry::{Solid, Vec3},
};
use stickslip_stability::can_rest;

type Point = [f64; 2];

/// Joints from left to right, each from its inner to its outer end.
struct Arch {
    joints: Vec<[Point; 2]>,
    friction: f64,
}

/// Area and centre of mass.
fn area(corners: &[Point]) -> (f64, Point) {
    let (mut area, mut x, mut y) = (0.0, 0.0, 0.0);
    for (p, q) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        let cross = p[0] * q[1] - q[0] * p[1];
        area += 0.5 * cross;
        x += cross * (p[0] + q[0]) / 6.0;
        y += cross * (p[1] + q[1]) / 6.0;
    }
    (area, [x / area, y / area])
}

impl Arch {
    fn stones(&self) -> impl Iterator<Item = [Point; 4]> {
        self.joints.windows(2).map(|j| [j[0][0], j[1][0], j[1][1], j[0][1]])
    }

    fn scene(&self) -> (Model, State) {
        let mut builder = ModelBuilder::new(Dimension::Two);
        let mut add = |name: &str, corners: &[Point], fixed: bool| {
            let points: Vec<Vec3> = corners.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).collect();
            let (mass, at) = area(corners);
            let solid = Solid::polygon(&points).unwrap();
            let body = BodyInit::new(&solid).named(name).mass(mass).friction(self.friction);
            let body = body.at(Vec3::new(at[0], at[1], 0.0));
            builder.add(if fixed { body.fixed() } else { body }).unwrap();
        };
        let n = self.joints.len() - 1;
        for (name, [a, b], side) in [("left", self.joints[0], 1.0), ("right", self.joints[n], -1.0)]
        {
            // a block behind the joint, on the side away from the arch
            let d = [(b[1] - a[1]) * side, (a[0] - b[0]) * side];
            let back = |p: Point| [p[0] - d[0], p[1] - d[1]];
            let corners =
                if side > 0.0 { [a, b, back(b), back(a)] } else { [b, a, back(a), back(b)] };
            let turned = [corners[3], corners[2], corners[1], corners[0]];
            add(name, if area(&corners).0 > 0.0 { &corners } else { &turned }, true);
        }
        for (k, stone) in self.stones().enumerate() {
            add(&format!("stone-{k}"), &stone, false);
        }
        builder.build()
    }

    /// The half-spaces `n . u + d >= 0` of `u = (H, V, M)`: the force on the first stone in the first
    /// joint, and its moment about the origin.
    fn half_spaces(&self) -> Vec<[f64; 4]> {
        let (mut weight, mut moment) = (0.0, 0.0);
        let mut out = Vec::new();
        let stones: Vec<_> = self.stones().collect();
        for (k, [a, b]) in self.joints.iter().enumerate() {
            if k > 0 {
                let (w, at) = area(&stones[k - 1]);
                weight += w;
                moment += w * at[0];
            }
            // the force that the left part puts on the right one: (H, V - W), moment M - Wx
            let length = (b[0] - a[0]).hypot(b[1] - a[1]);
            let t = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
            // into the part on the right
            let n = [t[1], -t[0]];
            let normal = [n[0], n[1], 0.0, -n[1] * weight];
            let shear = [t[0], t[1], 0.0, -t[1] * weight];
            for side in [-1.0, 1.0] {
                out.push([0, 1, 2, 3].map(|i| self.friction * normal[i] + side * shear[i]));
            }
            // the moment about either end must not open the joint there
            for (p, side) in [(a, -1.0), (b, 1.0)] {
                // M_p = M - p x F, with M counted counter-clockwise
                let m = [p[1], -p[0], 1.0, p[0] * weight - moment];
                out.push(m.map(|x| side * x));
            }
        }
        out
    }

    fn rests(&self) -> bool {
        let planes = self.half_spaces();
        let scale: Vec<f64> = planes.iter().map(|p| p[0].hypot(p[1]).hypot(p[2])).collect();
        let inside = |u: [f64; 3]| {
            planes
                .iter()
                .zip(&scale)
                .all(|(p, s)| p[0] * u[0] + p[1] * u[1] + p[2] * u[2] + p[3] >= -1e-11 * s)
        };
        let n = planes.len();
        for i in 0..n {
            for j in 0..i {
                let (p, q) = (&planes[i], &planes[j]);
                let c = [
                    p[1] * q[2] - p[2] * q[1],
                    p[2] * q[0] - p[0] * q[2],
                    p[0] * q[1] - p[1] * q[0],
                ];
                for r in &planes[..j] {
                    let det = c[0] * r[0] + c[1] * r[1] + c[2] * r[2];
                    if det.abs() < 1e-9 {
                        continue;
                    }
                    if inside(solve([p, q, r], det)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Cramer's rule.
fn solve(rows: [&[f64; 4]; 3], det: f64) -> [f64; 3] {
    let minor = |a: usize, b: usize, c: usize| {
        let m = |i: usize, j: usize| rows[i][j];
        m(0, a) * (m(1, b) * m(2, c) - m(1, c) * m(2, b))
            - m(0, b) * (m(1, a) * m(2, c) - m(1, c) * m(2, a))
            + m(0, c) * (m(1, a) * m(2, b) - m(1, b) * m(2, a))
    };
    [-minor(3, 1, 2) / det, -minor(0, 3, 2) / det, -minor(0, 1, 3) / det]
}

fn arc(n: usize, t: f64, (from, to): (f64, f64), friction: f64) -> Arch {
    let joint = |k: usize| {
        let (s, c) = (from + (to - from) * k as f64 / n as f64).sin_cos();
        [1.0 - 0.5 * t, 1.0 + 0.5 * t].map(|r| [r * c, r * s])
    };
    Arch { joints: (0..=n).map(joint).collect(), friction }
}

/// Two arcs of radius 1 with their centres `shift` beyond the middle.
fn pointed(n: usize, t: f64, shift: f64, friction: f64) -> Arch {
    let last = (-shift).acos();
    let ends = [1.0 - 0.5 * t, 1.0 + 0.5 * t];
    let mut joints: Vec<[Point; 2]> = (0..n)
        .map(|k| {
            let (s, c) = (PI + (last - PI) * k as f64 / n as f64).sin_cos();
            ends.map(|r| [shift + r * c, r * s])
        })
        .collect();
    let right: Vec<[Point; 2]> = joints.iter().rev().map(|j| j.map(|p| [-p[0], p[1]])).collect();
    joints.push(ends.map(|r| [0.0, (r * r - shift * shift).sqrt()]));
    joints.extend(right);
    Arch { joints, friction }
}

fn flat(n: usize, h: f64, below: f64, friction: f64) -> Arch {
    let joint = |k: usize| {
        let x = 2.0 * (k as f64 / n as f64 - 0.5);
        [[x, 0.0], [x * (below + h) / below, h]]
    };
    Arch { joints: (0..=n).map(joint).collect(), friction }
}

/// Both methods find the same critical value, to 1e-6.
fn compare(what: &str, (mut low, mut high): (f64, f64), make: impl Fn(f64) -> Arch) {
    let by_program = |x: f64| {
        let (model, state) = make(x).scene();
        can_rest(&model, &state, &Settings::default()).unwrap().0
    };
    assert!(!make(low).rests() && make(high).rests(), "{what}: not between {low} and {high}");
    while high - low > 1e-8 {
        let middle = 0.5 * (low + high);
        if make(middle).rests() { high = middle } else { low = middle }
    }
    let found = 0.5 * (low + high);
    assert!(by_program(found + 1e-6 * found), "{what}: {found:.8}, the program needs more");
    assert!(!by_program(found - 1e-6 * found), "{what}: {found:.8}, the program needs less");
}

#[test]
fn thickness_of_a_round_arch() {
    compare("round", (0.09, 0.12), |t| arc(15, t, (PI, 0.0), 0.7));
}

#[test]
fn thickness_of_a_segmental_arch() {
    compare("segmental", (0.005, 0.12), |t| arc(11, t, (2.6, PI - 2.6), 0.7));
}

#[test]
fn thickness_of_a_pointed_arch() {
    compare("pointed", (0.03, 0.15), |t| pointed(7, t, 0.3, 0.7));
}

#[test]
fn friction_of_a_round_arch() {
    compare("friction", (0.2, 0.6), |mu| arc(15, 0.25, (PI, 0.0), mu));
}

#[test]
fn friction_of_a_flat_arch() {
    compare("flat", (0.02, 0.7), |mu| flat(7, 0.1, 2.5, mu));
}

#[test]
fn height_of_a_flat_arch() {
    compare("flat", (0.05, 0.6), |h| flat(7, h, 2.5, 0.05));
}
