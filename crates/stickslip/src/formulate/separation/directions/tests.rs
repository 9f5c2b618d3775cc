//! Directions against brute force.

use stickslip_geometry::{Pose, Quat, Solid};

use super::*;
use crate::{Dimension, testing::Random};

const SEED: u64 = 5;

fn hull(random: &mut Random, size: f64, at: Vec3) -> Hull {
    let points: Vec<Vec3> = (0..10).map(|_| random.vector(Dimension::Three) * size).collect();
    placed(random, &points, at)
}

/// A round one with many corners.
fn large(random: &mut Random, corners: usize, shape: Vec3, at: Vec3) -> Hull {
    let on_sphere = |_| random.vector(Dimension::Three).normalize() * shape;
    let points: Vec<Vec3> = (0..corners).map(on_sphere).collect();
    placed(random, &points, at)
}

fn placed(random: &mut Random, points: &[Vec3], at: Vec3) -> Hull {
    let solid = Solid::convex(points).unwrap();
    let turn = Quat::from_scaled_axis(random.vector(Dimension::Three));
    let pose = Pose { position: at, orientation: turn };
    Hull::new(&solid.shape.parts()[0].convex, pose).unwrap()
}

/// Every direction with its separation, from the definition: all corners against all faces, and
/// all edge pairs along whose common normal no other corner reaches farther.
fn all_directions(a: &Hull, b: &Hull) -> Vec<(Axis, f64)> {
    let low = |h: &Hull, n: Vec3| h.vertices.iter().map(|v| v.dot(n)).fold(1e9, f64::min);
    let mut all: Vec<(Axis, f64)> = vec![];
    let of_a = a.faces.iter().enumerate();
    all.extend(of_a.map(|(k, f)| (Axis::FaceA(k), low(b, f.0) - f.1)));
    let of_b = b.faces.iter().enumerate();
    all.extend(of_b.map(|(k, f)| (Axis::FaceB(k), low(a, f.0) - f.1)));
    for i in 0..a.edges().len() {
        for j in 0..b.edges().len() {
            let ([a0, a1], [b0, b1]) = (a.ends(i), b.ends(j));
            let n = (a1 - a0).cross(b1 - b0).normalize();
            for n in [n, -n] {
                let extremal = -low(a, -n) < n.dot(a0) + 1e-12 && low(b, n) > n.dot(b0) - 1e-12;
                all.extend(extremal.then_some((Axis::Edges(i, j), n.dot(b0 - a0))));
            }
        }
    }
    all
}

/// No direction that matters is left out, and none that does not is kept: near bodies and far
/// ones, that overlap or not, of like and of unlike size.
#[test]
fn candidates_are_all_directions_in_the_window() {
    let mut random = Random::new(SEED);
    let mut edges = 0;
    for case in 0..300 {
        let size = if case % 3 == 0 { 20.0 } else { 1.0 };
        let way = random.vector(Dimension::Three).normalize();
        let distance = (0.6 + 0.6 * size) * (1.0 + random.signed());
        let (a, b) = (hull(&mut random, size, Vec3::ZERO), hull(&mut random, 1.0, way * distance));
        let all = all_directions(&a, &b);
        let best = all.iter().fold(-1e9, |m: f64, d| m.max(d.1));
        for window in [0.0, 1e-3, 0.1, 1.0] {
            let found = candidates(&a, &b, window, None);
            for &(axis, s) in all.iter().filter(|d| d.1 > best - window + 1e-12) {
                let d = found.iter().find(|d| d.axis == axis);
                let d = d.unwrap_or_else(|| panic!("seed {SEED}, case {case}: {axis:?} at {s}"));
                assert!((d.start - s).abs() < 1e-12, "seed {SEED}, case {case}: {d:?} {s}");
                edges += usize::from(matches!(axis, Axis::Edges(..)));
            }
            for d in &found {
                assert!(d.start > best - window - 1e-12, "seed {SEED}, case {case}: {d:?}");
                assert!(all.iter().any(|x| x.0 == d.axis), "seed {SEED}, case {case}: {d:?}");
            }
            // What was evaluated last changes the cost alone, be it good or bad.
            let edges = Axis::Edges(case % a.edges().len(), case % b.edges().len());
            let good = found.last().map_or(edges, |d| d.axis);
            for last in [good, edges, Axis::FaceA(0), Axis::FaceB(case), Axis::Edges(999, 0)] {
                let again = candidates(&a, &b, window, Some(last));
                let pairs = again.iter().zip(&found);
                let same = pairs.clone().all(|(x, y)| x.axis == y.axis && x.start == y.start);
                assert!(same && again.len() == found.len(), "seed {SEED}, case {case}: {last:?}");
            }
        }
    }
    assert!(edges > 300, "{edges} edge pairs");
}

/// The same of hulls with up to 512 corners: those that touch, that are apart, that overlap, one
/// large and one small. Edge pairs are told by their arcs, and checked against all corners.
#[test]
fn candidates_of_large_hulls_are_all_directions_in_the_window() {
    let mut random = Random::new(SEED);
    let mut edges = 0;
    for (case, corners) in [40, 60, 90, 90, 130, 200, 512, 512].into_iter().enumerate() {
        let shape = if case % 3 == 1 { Vec3::new(1.0, 0.6, 0.1) } else { Vec3::ONE };
        let a = large(&mut random, corners, shape, Vec3::ZERO);
        let n = if case % 3 == 2 { 10 } else { corners };
        let turn = random.vector(Dimension::Three).normalize();
        let b = large(&mut random, n, Vec3::ONE, turn * 3.0);
        let start = candidates(&a, &b, 0.0, None).iter().fold(-1e9, |m: f64, d| m.max(d.start));
        let way = candidates(&a, &b, 0.0, None)[0].normal;
        for gap in [0.0, 1e-3, 0.3, -1e-3, -0.4] {
            let mut b = b.clone();
            b.pose.position += way * (gap - start);
            let Kind::Polytope(p) = &b.kind else { panic!("no polytope") };
            let b = Hull::new(&stickslip_geometry::Convex::Polytope(p.clone()), b.pose);
            let told = format!("seed {SEED}, case {case}, gap {gap}");
            edges += check_large(&a, &b.unwrap(), &told);
        }
    }
    assert!(edges > 100, "{edges} edge pairs");
}

fn check_large(a: &Hull, b: &Hull, told: &str) -> usize {
    let low = |h: &Hull, n: Vec3| h.vertices.iter().map(|v| v.dot(n)).fold(1e9, f64::min);
    let mut all: Vec<(Axis, f64)> = vec![];
    let of_a = a.faces.iter().enumerate();
    all.extend(of_a.map(|(k, f)| (Axis::FaceA(k), low(b, f.0) - f.1)));
    let of_b = b.faces.iter().enumerate();
    all.extend(of_b.map(|(k, f)| (Axis::FaceB(k), low(a, f.0) - f.1)));
    for i in 0..a.edges().len() {
        for j in 0..b.edges().len() {
            let [of_a, of_b] = slopes(a, b, i, j);
            if arcs_cross(of_b, of_a) {
                let d = direction(a, b, Axis::Edges(i, j)).unwrap();
                all.push((d.axis, d.start));
            }
        }
    }
    let best = all.iter().fold(-1e9, |m: f64, d| m.max(d.1));
    let mut edges = 0;
    for window in [0.0, 1e-3, 0.03, 0.3] {
        let found = candidates(a, b, window, None);
        let clear = |d: &&(Axis, f64)| d.1 > best - window + 1e-12;
        for &(axis, s) in all.iter().filter(clear) {
            let d = found.iter().find(|d| d.axis == axis);
            let d = d.unwrap_or_else(|| panic!("{told}: {axis:?} at {s}, best {best}"));
            assert!((d.start - s).abs() < 1e-12, "{told}: {d:?} {s}");
        }
        for d in &found {
            assert!(d.start > best - window - 1e-12, "{told}: {d:?}");
            let apart = low(b, d.normal) + low(a, -d.normal);
            assert!((apart - d.start).abs() < 1e-12, "{told}: {d:?} {apart}");
            edges += usize::from(matches!(d.axis, Axis::Edges(..)));
        }
    }
    edges
}

/// Evaluating one direction tells as much as evaluating all: its separation, where it is extremal,
/// and that no other parts the bodies more, where they come nearest on its features.
#[test]
fn one_direction_tells_what_all_do() {
    let mut random = Random::new(SEED);
    let mut nearest = [0; 2];
    for case in 0..300 {
        let way = random.vector(Dimension::Three).normalize() * (1.2 + 0.6 * random.signed());
        let (a, b) = (hull(&mut random, 1.0, Vec3::ZERO), hull(&mut random, 1.0, way));
        let all = all_directions(&a, &b);
        let best = all.iter().fold(-1e9, |m: f64, d| m.max(d.1));
        let edges =
            (0..a.edges().len()).flat_map(|i| (0..b.edges().len()).map(move |j| Axis::Edges(i, j)));
        let faces = (0..a.faces.len()).map(Axis::FaceA);
        for axis in edges.chain(faces).chain((0..b.faces.len()).map(Axis::FaceB)) {
            let Some(d) = direction(&a, &b, axis) else { continue };
            if !is_extremal(&a, &b, &d) {
                continue;
            }
            let told = |x: &&(Axis, f64)| x.0 == axis && (x.1 - d.start).abs() < 1e-12;
            assert!(all.iter().any(|x| told(&x)), "seed {SEED}, case {case}: {d:?}");
            if d.start >= 0.0 && is_nearest(&a, &b, &d) {
                assert!((d.start - best).abs() < 1e-12, "seed {SEED}, case {case}: {d:?}");
                nearest[usize::from(matches!(axis, Axis::Edges(..)))] += 1;
            }
        }
    }
    assert!(nearest[0] > 20 && nearest[1] > 20, "{nearest:?}");
}
