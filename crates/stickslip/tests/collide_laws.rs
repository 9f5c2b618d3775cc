//! Laws that every detector's answer obeys: rates, exchange, rigid motion, threads, errors.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod collide_support;

use std::{collections::BTreeMap, sync::Arc};

use collide_support::*;
use rand::{Rng, rngs::StdRng};
use stickslip::{
    BodyId, Dimension, Model, Motion, State, Twist,
    collide::{CollideError, Contact, DETECTORS, Feature, Query, Role, make, margin},
    geometry::{Convex, Pose, Quat, Shape, TriMesh, Vec3},
    model::BodyInit,
};

/// Shapes whose contacts come from exact formulas.
fn shape(rng: &mut StdRng, kind: usize) -> Shape {
    match kind {
        0 => solid(hull(rng, 8)),
        1 => solid(cuboid(0.9, 0.8, 0.7)),
        2 => part(Convex::Ball { radius: 0.4 }),
        3 => part(Convex::Capsule { half: 0.3, radius: 0.25 }),
        4 => part(Convex::Cylinder { half: 0.4, radius: 0.3 }),
        5 => part(Convex::Cone { half: 0.4, radius: 0.4 }),
        6 => part(Convex::HalfSpace),
        _ => bumps(rng),
    }
}

/// Hills and valleys around z = 0.
fn bumps(rng: &mut StdRng) -> Shape {
    let heights: Vec<f64> = (0..49).map(|_| rng.random_range(-0.1..0.1)).collect();
    Shape::Surface(Arc::new(TriMesh::heightfield(&heights, 7, [3.0, 3.0]).unwrap()))
}

const KINDS: usize = 8;

/// A pair near contact, with random velocities.
fn random_pair(rng: &mut StdRng, kinds: [usize; 2]) -> (Model, State) {
    let [a, b] = kinds.map(|k| shape(rng, k));
    let whole = Pose::new(vector(rng, 0.5), turn(rng));
    let ground = kinds[0] >= 6;
    let q = turn(rng);
    let d = if ground { Vec3::Z } else { unit(rng) };
    let top = |s: &Shape, d: Vec3, q: Quat| {
        let pose = Pose::new(Vec3::ZERO, q);
        let of = |p: &stickslip::geometry::Part| d.dot(p.convex.support(&pose.compose(&p.pose), d));
        s.parts().iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    };
    let height = if ground { 0.0 } else { top(&a, d, Quat::IDENTITY) };
    let gap = rng.random_range(-0.02..0.05);
    let side = vector(rng, 0.15).reject_from(d);
    let at = d * (height + top(&b, -d, q) + gap) + side;
    let bodies = vec![(a, whole), (b, whole.compose(&Pose::new(at, q)))];
    let (model, mut state) = scene(Dimension::Three, bodies);
    for k in 0..2 {
        state.nu[k] = Twist { linear: vector(rng, 1.0), angular: vector(rng, 1.0) };
    }
    (model, state)
}

type Key = (u32, Feature, u32, Feature);

fn by_feature(found: &[Contact]) -> BTreeMap<Key, Contact> {
    let key = |c: &Contact| (c.a.part, c.a.feature, c.b.part, c.b.feature);
    found.iter().map(|c| (key(c), *c)).collect()
}

fn moved(model: &Model, state: &State, h: f64) -> State {
    let mut next = state.clone();
    for id in model.ids() {
        next.advance(model.dimension(), id, &state.nu[id.index()], h);
    }
    next
}

/// `n · (v_B + w_B x r_B - v_A - w_A x r_A)`.
fn rate(state: &State, c: &Contact) -> f64 {
    let at = |id: BodyId, p: Vec3| state.twist(id).at(p - state.pose(id).position);
    c.normal.dot(at(c.b.body, c.b.point) - at(c.a.body, c.a.point))
}

/// Compares every gap's rate with central differences; returns how many were compared.
fn check_rates(model: &Model, state: &State, reach: f64, what: &str) -> usize {
    let h = 1e-6;
    let mut detector = make("exact").unwrap();
    let mut at = |s: &State| by_feature(&detector.detect(model, s, &query(model, reach)).unwrap());
    let now = at(state);
    let (before, after) = (at(&moved(model, state, -h)), at(&moved(model, state, h)));
    let mut compared = 0;
    for (key, c) in &now {
        let (Some(x), Some(y)) = (before.get(key), after.get(key)) else { continue };
        // A smooth point's number may name another place on the next edge or face.
        let still = x.normal.distance(y.normal) < 1e-3;
        if !still {
            continue;
        }
        let slope = (y.gap - x.gap) / (2.0 * h);
        // Third derivatives of edge pairs grow as the edges become parallel; the curvature of
        // the three gaps tells how far to trust the difference.
        let bend = (y.gap - 2.0 * c.gap + x.gap).abs() / h;
        let error = (slope - rate(state, c)).abs();
        assert!(error < 1e-6 + bend, "{what}: {c:?} grows by {slope}, not {}", rate(state, c));
        compared += 1;
    }
    compared
}

#[test]
fn gaps_grow_as_their_contacts_say() {
    let mut compared = BTreeMap::new();
    for seed in 0..80 {
        for first in 0..KINDS {
            for second in 0..6 {
                let rng = &mut rng(seed * 100 + (10 * first + second) as u64);
                let (model, state) = random_pair(rng, [first, second]);
                let what = format!("seed {seed}, kinds {first} and {second}");
                *compared.entry((first, second)).or_insert(0) +=
                    check_rates(&model, &state, 0.1, &what);
            }
        }
    }
    for (kinds, n) in compared {
        assert!(n > 20, "kinds {kinds:?}: only {n} contacts compared");
    }
}

#[test]
fn planar_gaps_grow_as_their_contacts_say() {
    let mut compared = 0;
    for seed in 0..300 {
        let rng = &mut rng(seed);
        let shapes = |rng: &mut StdRng| match rng.random_range(0..3) {
            0 => part(Convex::Ball { radius: 0.4 }),
            _ => flat(polygon(rng, 7)),
        };
        let a = if seed % 4 == 0 { part(Convex::HalfSpace) } else { shapes(rng) };
        let b = shapes(rng);
        let distance = if seed % 4 == 0 { 0.45 } else { 0.9 };
        let angle = rng.random_range(-3.0..3.0_f64);
        let at = Pose::planar(-distance * angle.sin(), distance * angle.cos(), 0.3);
        let pa = Pose::planar(0.0, 0.0, angle);
        let (model, mut state) = scene(Dimension::Two, vec![(a, pa), (b, at)]);
        for k in 0..2 {
            let v = vector(rng, 1.0);
            state.nu[k] =
                Twist { linear: Vec3::new(v.x, v.y, 0.0), angular: Vec3::new(0.0, 0.0, v.z) };
        }
        compared += check_rates(&model, &state, 0.2, &format!("seed {seed}"));
    }
    assert!(compared > 500, "only {compared} contacts compared");
}

#[test]
fn exchange_flips_the_normals_and_changes_nothing_else() {
    let mut total = 0;
    for seed in 0..40 {
        for first in 0..KINDS {
            for second in 0..6 {
                let rng = &mut rng(seed * 100 + (10 * first + second) as u64);
                let (model, state) = random_pair(rng, [first, second]);
                let bodies: Vec<(Shape, Pose)> =
                    model.ids().map(|id| (model.body(id).shape.clone(), *state.pose(id))).collect();
                let there = contacts("exact", &(model, state), 0.1);
                let swapped = scene(Dimension::Three, bodies.into_iter().rev().collect());
                let back = by_feature(&contacts("exact", &swapped, 0.1));
                let what = format!("seed {seed}, kinds {first} and {second}");
                assert_eq!(there.len(), back.len(), "{what}: {there:?} {back:?}");
                for c in &there {
                    let key = (c.b.part, c.b.feature, c.a.part, c.a.feature);
                    let Some(d) = back.get(&key) else { panic!("{what}: no twin of {c:?}") };
                    assert!((c.gap - d.gap).abs() < 1e-12, "{what}: {c:?} {d:?}");
                    assert!((c.normal + d.normal).length() < 1e-9, "{what}: {c:?} {d:?}");
                    assert!((c.applicability - d.applicability).abs() < 1e-9, "{what}");
                    assert_eq!(c.role, d.role, "{what}: {c:?} {d:?}");
                    assert!(c.a.point.distance(d.b.point) < 1e-9, "{what}: {c:?} {d:?}");
                }
                total += there.len();
            }
        }
    }
    assert!(total > 2_000, "{total}");
}

#[test]
fn rigid_motion_of_the_whole_changes_nothing() {
    for seed in 0..40 {
        for first in 0..KINDS {
            for second in 0..6 {
                let rng = &mut rng(7_000 + seed * 100 + (10 * first + second) as u64);
                let (model, state) = random_pair(rng, [first, second]);
                let here = by_feature(&contacts("exact", &(model.clone(), state.clone()), 0.1));
                let by = Pose::new(vector(rng, 2.0), turn(rng));
                let mut there = state.clone();
                for pose in &mut there.q {
                    *pose = by.compose(pose);
                }
                let what = format!("seed {seed}, kinds {first} and {second}");
                let there = by_feature(&contacts("exact", &(model, there), 0.1));
                assert_eq!(here.len(), there.len(), "{what}");
                for (key, c) in &here {
                    let Some(d) = there.get(key) else { panic!("{what}: lost {c:?}") };
                    assert!((c.gap - d.gap).abs() < 1e-9, "{what}: {c:?} {d:?}");
                    assert!(by.vector(c.normal).distance(d.normal) < 1e-6, "{what}: {c:?} {d:?}");
                    assert!(by.point(c.a.point).distance(d.a.point) < 1e-6, "{what}");
                }
            }
        }
    }
}

/// A pile of hulls, balls and capsules over a floor.
fn pile(n: usize, far: bool) -> (Model, State) {
    let rng = &mut rng(5);
    let mut bodies = vec![(part(Convex::HalfSpace), Pose::IDENTITY), (bumps(rng), Pose::IDENTITY)];
    for k in 0..n {
        let at = Vec3::new((k % 6) as f64, (k / 6 % 6) as f64, (k / 36) as f64) * 0.7;
        bodies.push((shape(rng, k % 6), Pose::new(at - Vec3::new(1.5, 1.5, -0.3), turn(rng))));
    }
    if far {
        bodies.push((solid(cuboid(1.0, 1.0, 1.0)), Pose::new(Vec3::Z * 1e3, Quat::IDENTITY)));
    }
    scene(Dimension::Three, bodies)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (model, state) = pile(150, false);
    let mut query = query(&model, 0.1);
    let one = make("exact").unwrap().detect(&model, &state, &query).unwrap();
    assert!(one.len() > 500, "{}", one.len());
    for threads in [0, 2, 3] {
        query.threads = threads;
        let mut detector = make("exact").unwrap();
        for _ in 0..2 {
            let other = detector.detect(&model, &state, &query).unwrap();
            assert_eq!(one.len(), other.len());
            for (x, y) in one.iter().zip(&other) {
                assert_eq!(x, y);
                assert_eq!(x.gap.to_bits(), y.gap.to_bits());
            }
        }
    }
}

#[test]
fn pairs_come_in_order_and_far_bodies_do_not_matter() {
    let found = contacts("exact", &pile(100, false), 0.05);
    let key = |c: &Contact| (c.a.body, c.b.body, c.a.part, c.b.part);
    assert!(found.windows(2).all(|w| key(&w[0]) <= key(&w[1])));
    assert_eq!(found, contacts("exact", &pile(100, true), 0.05));
}

#[test]
fn names_and_errors() {
    let names: Vec<&str> = DETECTORS.iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["exact", "parry"]);
    for name in names {
        assert_eq!(make(name).unwrap().name(), name);
    }
    let error = make("exaxt").err().unwrap();
    assert!(matches!(&error, CollideError::UnknownName { name, known }
        if name == "exaxt" && known == "exact, parry"));
    let (model, mut state) = pile(3, false);
    let mut detector = make("exact").unwrap();
    let few = Query { reach: vec![0.1], threads: 1 };
    assert!(matches!(
        detector.detect(&model, &state, &few),
        Err(CollideError::Query { given: 1, needed: 5, index: 1, .. })
    ));
    let mut nan = query(&model, 0.1);
    nan.reach[2] = f64::NAN;
    assert!(matches!(
        detector.detect(&model, &state, &nan),
        Err(CollideError::Query { index: 2, .. })
    ));
    state.q[3].position.x = f64::NAN;
    assert!(matches!(
        detector.detect(&model, &state, &query(&model, 0.1)),
        Err(CollideError::NotFinite { body, .. }) if body == "body-4"
    ));
}

#[test]
fn reach_covers_the_step_and_spreads() {
    let cube = || solid(cuboid(1.0, 1.0, 1.0));
    let at = |x: f64| Pose::new(Vec3::X * x, Quat::IDENTITY);
    let bodies = vec![
        (cube(), at(0.0)),
        (cube(), at(1.001)),
        (cube(), at(2.002)),
        (cube(), at(30.0)),
        (part(Convex::HalfSpace), at(0.0)),
    ];
    let (model, mut state) = scene(Dimension::Three, bodies);
    let h = 0.01;
    let g = h * h * 9.81;
    let rest = margin::reach(&model, &state, h, None);
    for r in &rest[..4] {
        assert!((r - g).abs() < 1e-15, "{rest:?}");
    }
    assert_eq!(rest[4], 0.0);
    // The first is fast: its neighbors may be pushed as fast, in a row; the far one is not.
    state.nu[0] = Twist { linear: Vec3::X * 3.0, angular: Vec3::Z * 2.0 };
    let fast = margin::reach(&model, &state, h, None);
    let expected = h * (3.0 + 2.0 * 1.0) + g;
    for r in &fast[..3] {
        assert!((r - expected).abs() < 1e-15, "{fast:?}");
    }
    assert_eq!(fast[3], rest[3]);
    assert_eq!(margin::reach(&model, &state, h, Some(0.2)), vec![0.1; 5]);
    // No point of the body moves farther in a step of free flight.
    let id = BodyId::new(0);
    let mut next = state.clone();
    let mut twist = *state.twist(id);
    twist.linear += model.gravity() * h;
    next.advance(Dimension::Three, id, &twist, h);
    for corner in [Vec3::new(0.5, 0.5, 0.5), Vec3::new(-0.5, 0.5, -0.5)] {
        let moved = next.pose(id).point(corner).distance(state.pose(id).point(corner));
        assert!(moved <= fast[0], "{moved}");
    }
}

#[test]
fn ignored_and_unmoving_pairs_have_no_contacts() {
    let cube = || solid(cuboid(1.0, 1.0, 1.0));
    let mut builder = stickslip::ModelBuilder::new(Dimension::Three);
    let mut add = |motion, z: f64| {
        let pose = Pose::new(Vec3::Z * z, Quat::IDENTITY);
        let twist = Twist::default();
        builder.add(BodyInit { body: body(cube(), motion), pose, angle: 0.0, twist }).unwrap()
    };
    let ids = [
        add(Motion::Static, 0.0),
        add(Motion::Kinematic, 1.0),
        add(Motion::Dynamic, 2.0),
        add(Motion::Dynamic, 3.0),
    ];
    builder.ignore(ids[3], ids[2]);
    let found = contacts("exact", &builder.build(), 0.01);
    assert!(!found.is_empty());
    assert!(found.iter().all(|c| (c.a.body, c.b.body) == (ids[1], ids[2])), "{found:?}");
    assert!(found.iter().any(|c| c.role == Role::Primary));
}
