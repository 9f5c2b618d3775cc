//! The exact detector against brute force on polytopes and polygons.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod collide_support;

use std::collections::BTreeMap;

use collide_support::*;
use rand::{Rng, rngs::StdRng};
use stickslip::{
    Dimension,
    collide::{Contact, Feature, Role},
    geometry::{Polytope, Pose, Quat, Vec3},
};

/// Nearest point of a convex polygon in space to `c`, by trying inside, then every side.
fn nearest_on_face(corners: &[Vec3], c: Vec3) -> Vec3 {
    let n = corners.len();
    let mut normal = Vec3::ZERO;
    for k in 0..n {
        normal += (corners[k] - corners[0]).cross(corners[(k + 1) % n] - corners[0]);
    }
    let normal = normal.normalize();
    let foot = c - normal * normal.dot(c - corners[0]);
    let over = (0..n).all(|k| {
        let e = corners[(k + 1) % n] - corners[k];
        e.cross(foot - corners[k]).dot(normal) >= 0.0
    });
    if over {
        return foot;
    }
    let sides = (0..n).map(|k| nearest_on_segment(corners[k], corners[(k + 1) % n], c));
    sides.min_by(|p, q| p.distance(c).total_cmp(&q.distance(c))).unwrap()
}

fn nearest_on_segment(a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let t = (c - a).dot(b - a) / (b - a).dot(b - a);
    a + (b - a) * t.clamp(0.0, 1.0)
}

/// Distance of two segments: the smallest of end-to-segment and, where it exists, the crossing.
fn segment_distance(a: [Vec3; 2], b: [Vec3; 2]) -> f64 {
    let mut d = f64::INFINITY;
    for k in 0..2 {
        d = d.min(nearest_on_segment(b[0], b[1], a[k]).distance(a[k]));
        d = d.min(nearest_on_segment(a[0], a[1], b[k]).distance(b[k]));
    }
    if let Some((s, t)) = crossing(a, b)
        && (0.0..=1.0).contains(&s)
        && (0.0..=1.0).contains(&t)
    {
        d = d.min((a[0] + (a[1] - a[0]) * s).distance(b[0] + (b[1] - b[0]) * t));
    }
    d
}

/// Where two lines are closest: Cramer's rule on `a + s u + r n = b + t v` with n = u x v.
fn crossing(a: [Vec3; 2], b: [Vec3; 2]) -> Option<(f64, f64)> {
    let (u, v, d) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let n = u.cross(v);
    let nn = n.dot(n);
    (nn > 1e-12 * u.dot(u) * v.dot(v)).then(|| (d.cross(v).dot(n) / nn, d.cross(u).dot(n) / nn))
}

type Key = (Feature, Feature);

/// A polytope at its place.
type At<'a> = (&'a Polytope, &'a Pose);

/// Gap and normal; `None` where round-off decides whether the pair is within reach.
type Expected = BTreeMap<Key, Option<(f64, Vec3)>>;

/// Distances this close to a threshold may fall on either side of it.
const UNSURE: f64 = 1e-9;

fn points((p, pose): At) -> Vec<Vec3> {
    p.vertices.iter().map(|&v| pose.point(v)).collect()
}

/// All feature pairs within reach.
fn brute(a: At, b: At, reach: f64) -> Expected {
    let mut all = BTreeMap::new();
    brute_faces(a, b, reach, false, &mut all);
    brute_faces(b, a, reach, true, &mut all);
    brute_edges(a, b, reach, &mut all);
    all
}

fn brute_faces(own: At, other: At, reach: f64, flip: bool, all: &mut Expected) {
    let corners_of = points(other);
    for (k, v) in points(own).into_iter().enumerate() {
        for (f, face) in other.0.faces.iter().enumerate() {
            let corners: Vec<Vec3> =
                face.vertices.iter().map(|&c| corners_of[c as usize]).collect();
            let d = nearest_on_face(&corners, v).distance(v);
            if d > reach + UNSURE {
                continue;
            }
            let n = other.1.vector(face.normal);
            let sure = (d - reach).abs() > UNSURE;
            let gap = n.dot(v - corners[0]);
            let (vertex, side) = (Feature::Vertex(k as u32), Feature::Face(f as u32));
            if flip {
                all.insert((side, vertex), sure.then_some((gap, n)));
            } else {
                all.insert((vertex, side), sure.then_some((gap, -n)));
            }
        }
    }
}

fn brute_edges(a: At, b: At, reach: f64, all: &mut Expected) {
    let (pa, pb) = (points(a), points(b));
    for (i, ea) in a.0.edges.iter().enumerate() {
        for (j, eb) in b.0.edges.iter().enumerate() {
            let sa = ea.vertices.map(|v| pa[v as usize]);
            let sb = eb.vertices.map(|v| pb[v as usize]);
            let Some((s, t)) = crossing(sa, sb) else { continue };
            let (u, v) = (sa[1] - sa[0], sb[1] - sb[0]);
            let beyond = |s: f64, e: Vec3| (-s).max(s - 1.0).max(0.0) * e.length();
            let worst = segment_distance(sa, sb).max(beyond(s, u)).max(beyond(t, v));
            let sine = u.cross(v).length() / (u.length() * v.length());
            if worst > reach + UNSURE || sine < 0.9e-3 {
                continue;
            }
            let out = |p: At, f: [u32; 2]| {
                let sum = p.0.faces[f[0] as usize].normal + p.0.faces[f[1] as usize].normal;
                p.1.vector(sum.normalize())
            };
            let n = u.cross(v).normalize();
            let sign = n.dot(out(a, ea.faces) - out(b, eb.faces));
            let n = n * sign.signum();
            let threshold = sine < 1.1e-3 || (sign.abs() - 1e-6).abs() < 1e-7;
            if sign.abs() < 1e-6 && !threshold {
                continue;
            }
            let sure = !threshold && (worst - reach).abs() > UNSURE;
            let value = sure.then(|| (n.dot(sb[0] - sa[0]), n));
            all.insert((Feature::Edge(i as u32), Feature::Edge(j as u32)), value);
        }
    }
}

fn check_against_brute(
    a: (&Polytope, Pose),
    b: (&Polytope, Pose),
    reach: f64,
    what: &str,
) -> usize {
    let found =
        between(Dimension::Three, (&solid(a.0.clone()), a.1), (&solid(b.0.clone()), b.1), reach);
    let mut all = brute((a.0, &a.1), (b.0, &b.1), reach);
    let n = found.len();
    for c in &found {
        check_contact(c, what);
        let expected = all.remove(&(c.a.feature, c.b.feature));
        let Some(expected) = expected else { panic!("{what}: {c:?} is not within {reach}") };
        if let Some((gap, normal)) = expected {
            assert!((c.gap - gap).abs() < 1e-12, "{what}: {c:?}, expected gap {gap}");
            assert!(c.normal.distance(normal) < 1e-9, "{what}: {c:?}, expected {normal}");
        }
    }
    all.retain(|_, v| v.is_some());
    assert!(all.is_empty(), "{what}: missed {all:?}");
    n
}

/// Unit normal, and the gap is the distance of the two points along it.
fn check_contact(c: &Contact, what: &str) {
    assert!(c.a.body < c.b.body, "{what}: {c:?}");
    assert!((c.normal.length() - 1.0).abs() < 1e-12, "{what}: {c:?}");
    let along = c.normal.dot(c.b.point - c.a.point);
    assert!((along - c.gap).abs() < 1e-12, "{what}: {c:?}");
    let across = (c.b.point - c.a.point) - c.normal * along;
    assert!(across.length() < 1e-9, "{what}: {c:?}");
}

/// Distances of two polytopes that are apart: the smallest over a corner above a face or two
/// edges that cross, and the smallest over corners and edges.
fn distances(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> (f64, f64) {
    let (mut flat, mut sharp) = (f64::INFINITY, f64::INFINITY);
    let edges = |p: (&Polytope, &Pose)| -> Vec<[Vec3; 2]> {
        let corner = |v: u32| p.1.point(p.0.vertices[v as usize]);
        p.0.edges.iter().map(|e| e.vertices.map(corner)).collect()
    };
    for (x, y) in [(a, b), (b, a)] {
        for v in x.0.vertices.iter().map(|&v| x.1.point(v)) {
            for face in &y.0.faces {
                let corner = |&c: &u32| y.1.point(y.0.vertices[c as usize]);
                let corners: Vec<Vec3> = face.vertices.iter().map(corner).collect();
                let (foot, n) = (nearest_on_face(&corners, v), y.1.vector(face.normal));
                if (v - foot).cross(n).length() < 1e-9 {
                    flat = flat.min(foot.distance(v));
                }
            }
            for [t, h] in edges(y) {
                sharp = sharp.min(nearest_on_segment(t, h, v).distance(v));
            }
        }
    }
    for sa in edges(a) {
        for sb in edges(b) {
            if let Some((s, t)) = crossing(sa, sb)
                && (0.0..=1.0).contains(&s)
                && (0.0..=1.0).contains(&t)
            {
                flat = flat.min(segment_distance(sa, sb));
            }
        }
    }
    (flat, sharp)
}

/// Whether some face or edge-pair direction separates two polytopes, by all supports.
fn separation(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> f64 {
    let points = |p: (&Polytope, &Pose)| -> Vec<Vec3> {
        p.0.vertices.iter().map(|&v| p.1.point(v)).collect()
    };
    let (pa, pb) = (points(a), points(b));
    let mut directions: Vec<Vec3> = a.0.faces.iter().map(|f| a.1.vector(f.normal)).collect();
    directions.extend(b.0.faces.iter().map(|f| b.1.vector(f.normal)));
    for ea in &a.0.edges {
        for eb in &b.0.edges {
            let u = pa[ea.vertices[1] as usize] - pa[ea.vertices[0] as usize];
            let v = pb[eb.vertices[1] as usize] - pb[eb.vertices[0] as usize];
            if let Some(n) = u.cross(v).try_normalize() {
                directions.push(n);
            }
        }
    }
    let top = |points: &[Vec3], d: Vec3| {
        points.iter().map(|p| d.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
    };
    directions
        .iter()
        .flat_map(|&d| [d, -d])
        .map(|d| -top(&pb, -d) - top(&pa, d))
        .fold(f64::NEG_INFINITY, f64::max)
}

/// A second pose such that the two polytopes have about that gap along a random direction.
fn place(rng: &mut StdRng, a: (&Polytope, &Pose), b: &Polytope, gap: f64) -> Pose {
    let d = unit(rng);
    let pose = Pose::new(Vec3::ZERO, turn(rng));
    let top = a.0.vertices.iter().map(|&v| d.dot(a.1.point(v))).fold(f64::NEG_INFINITY, f64::max);
    let low = b.vertices.iter().map(|&v| d.dot(pose.point(v))).fold(f64::INFINITY, f64::min);
    let side = (vector(rng, 0.3)).reject_from(d);
    Pose::new(a.1.position + d * (top - low + gap - d.dot(a.1.position)) + side, pose.orientation)
}

#[test]
fn random_polytopes_match_brute_force() {
    let mut total = 0;
    for seed in 0..1500 {
        let rng = &mut rng(seed);
        let (na, nb) = (rng.random_range(4..14), rng.random_range(4..14));
        let (a, b) = (hull(rng, na), hull(rng, nb));
        let pa = Pose::new(vector(rng, 2.0), turn(rng));
        let gap = rng.random_range(-0.05..0.05);
        let pb = place(rng, (&a, &pa), &b, gap);
        let reach = rng.random_range(0.01..0.3);
        if separation((&a, &pa), (&b, &pb)) > -reach {
            total += check_against_brute((&a, pa), (&b, pb), reach, &format!("seed {seed}"));
        }
    }
    assert!(total > 10_000, "only {total} contacts seen");
}

#[test]
fn aligned_boxes_match_brute_force() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let mut total = 0;
    for seed in 0..1000 {
        let rng = &mut rng(seed);
        let mut size = || [0.5, 1.0, 1.0, 2.0][rng.random_range(0..4)];
        let (sa, sb) = (Vec3::new(size(), size(), size()), Vec3::new(size(), size(), size()));
        let (a, b) = (Polytope::cuboid(sa).unwrap(), Polytope::cuboid(sb).unwrap());
        // Multiples of a quarter: faces flush, edges shared, corners on corners, overlaps.
        let mut shift = || f64::from(rng.random_range(-4..=4)) * 0.25;
        let mut at = Vec3::new(shift(), shift(), shift());
        let axis = rng.random_range(0..3);
        at[axis] = 0.5 * (sa[axis] + sb[axis]) + [0.0, 1e-9, -1e-9][rng.random_range(0..3)];
        // The whole is turned by quarters, where rounding differs from body to body.
        let k = f64::from(rng.random_range(0..4));
        let turned = Quat::from_axis_angle(Vec3::AXES[rng.random_range(0..3)], k * quarter);
        let whole = Pose::new(vector(rng, 1.0), turned);
        let pb = whole.compose(&Pose::new(at, Quat::IDENTITY));
        let reach = [1e-6, 1e-3, 0.1][rng.random_range(0..3)];
        total += check_against_brute((&a, whole), (&b, pb), reach, &format!("seed {seed}"));
    }
    assert!(total > 5_000, "only {total} contacts seen");
}

#[test]
fn vertex_on_vertex_and_parallel_edges_match_brute_force() {
    for seed in 0..500 {
        let rng = &mut rng(seed);
        let (a, b) = (hull(rng, 8), hull(rng, 8));
        let pa = Pose::new(vector(rng, 1.0), turn(rng));
        let d = unit(rng);
        // The farthest vertices along a direction, put on each other.
        let far = |p: &Polytope, q: Quat, d: Vec3| {
            let c = p.vertices.iter().map(|&v| q * v);
            c.max_by(|x, y| d.dot(*x).total_cmp(&d.dot(*y))).unwrap()
        };
        let qb = turn(rng);
        let at = pa.position + far(&a, pa.orientation, d) - far(&b, qb, -d);
        check_against_brute(
            (&a, pa),
            (&b, Pose::new(at, qb)),
            0.05,
            &format!("vertex, seed {seed}"),
        );
        // A box turned about an edge direction of the other: parallel edges, nearly and exactly.
        let (a, b) = (cuboid(1.0, 1.0, 1.0), cuboid(1.0, 1.0, 1.0));
        let tilt = Quat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let yaw = Quat::from_rotation_z([0.0, 1e-5, 0.01, 0.3][rng.random_range(0..4)]);
        let z = 0.5 + 0.5 * 2_f64.sqrt() + [0.0, 1e-9, -1e-9, 1e-3][rng.random_range(0..4)];
        let shift = Vec3::new(rng.random_range(-0.4..0.4), 0.0, z);
        let whole = Pose::new(vector(rng, 1.0), turn(rng));
        let pb = whole.compose(&Pose::new(shift, yaw * tilt));
        check_against_brute((&a, whole), (&b, pb), 0.02, &format!("edge, seed {seed}"));
    }
}

#[test]
fn smallest_primary_gap_is_the_distance() {
    let mut seen = 0;
    for seed in 0..1000 {
        let rng = &mut rng(10_000 + seed);
        let (na, nb) = (rng.random_range(4..16), rng.random_range(4..16));
        let (a, b) = (hull(rng, na), hull(rng, nb));
        let pa = Pose::new(vector(rng, 1.0), turn(rng));
        let gap = rng.random_range(1e-6..0.05);
        let pb = place(rng, (&a, &pa), &b, gap);
        let d = {
            let (flat, sharp) = distances((&a, &pa), (&b, &pb));
            flat.min(sharp)
        };
        let shapes = (solid(a.clone()), solid(b.clone()));
        let found = between(Dimension::Three, (&shapes.0, pa), (&shapes.1, pb), 0.2);
        let primary: Vec<&Contact> = found.iter().filter(|c| c.role == Role::Primary).collect();
        if d > 0.19 {
            continue;
        }
        assert!(!primary.is_empty(), "seed {seed}: distance {d} and no primary contact");
        for c in primary.iter().filter(|c| on_both(c, (&a, &pa), (&b, &pb))) {
            assert!(c.gap >= d - 1e-12, "seed {seed}: {c:?} is closer than {d}");
        }
        // Two corners, or a corner and an edge, are nearest along no normal of a contact.
        let (flat, sharp) = distances((&a, &pa), (&b, &pb));
        if flat < sharp - 1e-9 {
            let smallest = primary.iter().map(|c| (c.gap - d).abs()).fold(f64::INFINITY, f64::min);
            assert!(smallest < 1e-12, "seed {seed}: no primary gap is {d}");
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

/// Whether the points of a contact lie on the features themselves, not beyond them.
fn on_both(c: &Contact, a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> bool {
    let on = |p: (&Polytope, &Pose), feature: Feature, x: Vec3| {
        let corner = |v: u32| p.1.point(p.0.vertices[v as usize]);
        let foot = match feature {
            Feature::Face(f) => {
                let corners = p.0.faces[f as usize].vertices.iter().map(|&v| corner(v));
                nearest_on_face(&corners.collect::<Vec<_>>(), x)
            }
            Feature::Edge(e) => {
                let [t, h] = p.0.edges[e as usize].vertices.map(corner);
                nearest_on_segment(t, h, x)
            }
            _ => x,
        };
        foot.distance(x) < 1e-9
    };
    on(a, c.a.feature, c.a.point) && on(b, c.b.feature, c.b.point)
}

#[test]
fn a_box_rests_on_a_box() {
    let top = Pose::new(Vec3::Z, Quat::IDENTITY);
    let cube = solid(cuboid(1.0, 1.0, 1.0));
    let found = between(Dimension::Three, (&cube, Pose::IDENTITY), (&cube, top), 1e-6);
    for c in found.iter().filter(|c| c.role == Role::Primary) {
        assert_eq!((c.normal, c.gap), (Vec3::Z, 0.0), "{c:?}");
    }
    let faces = found
        .iter()
        .filter(|c| c.role == Role::Primary && !matches!(c.a.feature, Feature::Edge(_)));
    assert_eq!(faces.count(), 8);
}
