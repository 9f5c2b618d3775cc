//! The written constraints against the truth: random convex pairs, displaced on a grid.

use stickslip_geometry::{Solid as Shape, Vec3, overlap};

use super::{
    Contents,
    pair::Pair,
    work::{StepPlan, solid, write},
};
use crate::{
    collide::{self, Feature, Query, Side},
    dynamics::AddedConstraints,
    frame::Frame,
    model::{BodyInit, Dimension, Model, ModelBuilder},
    settings::Settings,
    state::State,
    testing::Random,
};

/// A random convex body: the hull of `n` points in a box, stretched now and then to a needle or
/// a plate.
fn random_shape(random: &mut Random, dimension: Dimension, n: usize) -> Shape {
    loop {
        let mut stretch = Vec3::ONE;
        if random.signed() > 0.3 {
            stretch.x = 0.15 + 0.1 * random.signed();
        }
        let points: Vec<Vec3> = (0..n).map(|_| random.vector(dimension) * stretch).collect();
        let shape = match dimension {
            Dimension::Two => Shape::polygon(&hull(&points)),
            Dimension::Three => Shape::convex(&points),
        };
        if let Ok(shape) = shape {
            return shape;
        }
    }
}

fn hull(points: &[Vec3]) -> Vec<Vec3> {
    stickslip_geometry::Polygon::from_points(points).map(|p| p.vertices).unwrap_or_default()
}

fn depth(model: &Model, state: &State, shift: Vec3) -> f64 {
    let mut moved = state.q[1];
    moved.position += shift;
    let part = |k: usize| &model.bodies()[k].shape.parts()[0];
    overlap::depth(
        model.dimension(),
        &part(0).convex,
        &state.q[0].compose(&part(0).pose),
        &part(1).convex,
        &moved.compose(&part(1).pose),
    )
}

/// Two bodies at random orientations, `gap` apart along a random direction.
fn near_pair(random: &mut Random, dimension: Dimension, gap: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new(dimension);
    for _ in 0..2 {
        let n = if dimension == Dimension::Two { 6 } else { 8 };
        let turn = random.vector(Dimension::Three).normalize();
        let init = BodyInit::new(&random_shape(random, dimension, n))
            .turned(stickslip_geometry::Quat::from_axis_angle(turn, 3.0 * random.signed()))
            .angle(3.0 * random.signed());
        builder.add(init).unwrap();
    }
    let (model, mut state) = builder.build();
    let d = random.vector(dimension).normalize();
    // Bisection for the distance along d at which they are `gap` apart.
    let (mut near, mut far) = (0.0, 6.0);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        if depth(&model, &state, d * middle) > -gap {
            near = middle;
        } else {
            far = middle;
        }
    }
    state.q[1].position += d * far;
    (model, state)
}

/// Compares the constraints with the truth for displacements within `reach`: (free places that
/// they forbid, overlaps that they allow, free places, overlaps).
fn compare(
    random: &mut Random,
    dimension: Dimension,
    contents: Contents,
    [gap, reach]: [f64; 2],
) -> [usize; 4] {
    let (model, state) = near_pair(random, dimension, gap);
    let settings = Settings::default();
    let query = Query { reach: vec![0.5 * reach; 2], threads: 1 };
    let contacts = collide::make("exact").unwrap().detect(&model, &state, &query).unwrap();
    let frame = Frame {
        pairs: &[],
        added: AddedConstraints::NONE,
        shared: &Default::default(),
        exact: true,
        model: &model,
        state: &state,
        contacts: &contacts,
        query: &query,
        h: 0.01,
        settings: &settings,
    };
    let parts = [0, 1].map(|k| (crate::model::BodyId::new(k), 0));
    let [a, b] = parts.map(|p| solid(&frame, p).unwrap().1);
    let mut pair = Pair::new(&frame, [&a, &b], parts, reach, contacts.iter().copied());
    write(&mut pair, dimension, contents);
    let mut counts = [0; 4];
    for _ in 0..300 {
        let shift = random.vector(dimension) * reach;
        let overlap = depth(&model, &state, shift);
        if shift.length() > reach || overlap.abs() < 1e-6 * reach {
            continue;
        }
        let end = |k: usize| pair.contacts[k][0].gap + pair.contacts[k][0].normal.dot(shift);
        let allowed = pair.clauses.iter().all(|c| c.literals.iter().any(|&k| end(k) >= 0.0));
        counts[0] += usize::from(!allowed && overlap < 0.0);
        counts[1] += usize::from(allowed && overlap > 0.0);
        counts[2] += usize::from(overlap < 0.0);
        counts[3] += usize::from(overlap > 0.0);
    }
    counts
}

/// For displacements without rotation the constraints are the truth: they forbid every overlap
/// and, while the bodies travel little compared with their faces, nothing else. Random polygons
/// and polytopes, needles and plates among them. A polytope that may pass two edges in one step
/// is kept from a few free places.
#[test]
fn constraints_are_exact_for_translations() {
    for (dimension, gap, reach, lost) in [
        (Dimension::Two, 0.001, 0.02, 0.0),
        (Dimension::Two, 0.02, 0.1, 0.0),
        (Dimension::Three, 0.001, 0.02, 0.0),
        (Dimension::Three, 0.02, 0.1, 1e-4),
    ] {
        let (mut total, mut bad) = ([0; 4], Vec::new());
        for seed in 0..200 {
            let counts = compare(&mut Random::new(seed), dimension, Contents::All, [gap, reach]);
            (0..4).for_each(|k| total[k] += counts[k]);
            if counts[0] + counts[1] > 0 {
                bad.push((seed, counts));
            }
        }
        let [forbidden, overlaps, free, touching] = total;
        assert_eq!(overlaps, 0, "{dimension:?}, reach {reach}: overlaps allowed: {bad:?}");
        assert!(
            forbidden as f64 <= lost * free as f64,
            "{dimension:?}, reach {reach}: free places forbidden: {bad:?}"
        );
        assert!(free > 5_000 && touching > 5_000, "{free} free places, {touching} overlaps");
    }
}

/// Without cross-contact constraints no free place is forbidden in the plane either, but corners
/// pass through each other (thesis, figure 4.4).
#[test]
fn vertices_alone_let_corners_through() {
    let mut total = [0; 4];
    for seed in 0..200 {
        let (contents, reach) = (Contents::Vertices, [0.001, 0.02]);
        let counts = compare(&mut Random::new(seed), Dimension::Two, contents, reach);
        (0..4).for_each(|k| total[k] += counts[k]);
    }
    assert_eq!(total[0], 0, "free places forbidden");
    assert!(total[1] > 20, "overlaps allowed: {total:?}");
}

/// Two bodies that spin near each other, and move if so asked.
fn spinning(random: &mut Random, dimension: Dimension, speed: f64) -> (Model, State) {
    let (model, mut state) = near_pair(random, dimension, 0.005);
    for twist in &mut state.nu {
        twist.linear = speed * random.vector(dimension);
        twist.angular = 4.0 * random.spin(dimension);
    }
    (model, state)
}

/// The end gaps of the rows against the true ones after a motion with constant velocities: the
/// error of vertex-face gaps falls as the cube of the step where bodies spin in place, and as its
/// square where they slide along each other as well.
#[test]
fn gaps_are_right_to_second_order_in_the_rotation() {
    for (dimension, speed, ratio) in [
        (Dimension::Two, 0.0, 6.0),
        (Dimension::Two, 1.0, 3.5),
        (Dimension::Three, 0.0, 6.0),
        (Dimension::Three, 1.0, 3.5),
    ] {
        let mut worst = [0.0_f64; 2];
        for seed in 0..40 {
            let (model, state) = spinning(&mut Random::new(seed), dimension, speed);
            let settings = Settings::default();
            let query = Query { reach: vec![0.05; 2], threads: 1 };
            let contacts = collide::make("exact").unwrap().detect(&model, &state, &query).unwrap();
            for (k, h) in [0.02, 0.01].into_iter().enumerate() {
                let frame = Frame {
                    pairs: &[],
                    added: AddedConstraints::NONE,
                    shared: &Default::default(),
                    exact: true,
                    model: &model,
                    state: &state,
                    contacts: &contacts,
                    query: &query,
                    h,
                    settings: &settings,
                };
                let work = StepPlan::begin(&frame, Contents::All, false);
                let nu = crate::state::gather(&model, &state);
                let mut moved = state.clone();
                for id in model.ids() {
                    let twist = *state.twist(id);
                    moved.advance(dimension, id, &twist, h);
                }
                for (i, c) in work.program.contacts.iter().enumerate() {
                    let (Feature::Face(_), Feature::Vertex(_)) = (c.a.feature, c.b.feature) else {
                        continue;
                    };
                    let carried = |side: &Side, x: Vec3| {
                        moved.pose(side.body).point(state.pose(side.body).inverse_point(x))
                    };
                    let turned = state.pose(c.a.body).inverse_vector(c.normal);
                    let normal = moved.pose(c.a.body).vector(turned);
                    let d = carried(&c.b, c.b.point) - carried(&c.a, c.a.point);
                    let error = (work.program.end_gap(i, &nu) - normal.dot(d)).abs();
                    worst[k] = worst[k].max(error);
                }
            }
        }
        assert!(worst[0] > 1e-7, "{dimension:?}: nothing measured: {worst:?}");
        assert!(worst[0] > ratio * worst[1], "{dimension:?}, speed {speed}: {worst:?}");
    }
}

/// In a solution the row of every clause is the largest of its gaps, and where it pushes that is
/// zero: what (4.10) and (4.14) are meant to say.
#[test]
fn rows_say_the_largest_gap() {
    let mut touching = 0;
    for seed in 0..60 {
        let dimension = if seed % 2 == 0 { Dimension::Two } else { Dimension::Three };
        let mut random = Random::new(seed);
        let (model, mut state) = near_pair(&mut random, dimension, 0.002);
        let towards = (state.q[0].position - state.q[1].position).normalize();
        state.nu[1].linear = towards * 2.0 + 0.5 * random.vector(dimension);
        let settings = Settings::default();
        let query = collide::query(&model, &state, &settings);
        let contacts = collide::make("exact").unwrap().detect(&model, &state, &query).unwrap();
        let (model, state) = (&model, &state);
        let (contacts, query) = (&contacts[..], &query);
        let frame = Frame {
            model,
            state,
            contacts,
            pairs: &[],
            added: AddedConstraints::NONE,
            shared: &Default::default(),
            exact: true,
            query,
            h: 0.01,
            settings: &settings,
        };
        let mut work = StepPlan::begin(&frame, Contents::All, false);
        work.program.lay_out(&frame);
        let problem = work.program.problem().unwrap();
        let mut solver = complementarity::registry::make("auto", &Default::default()).unwrap();
        let mut watch = complementarity::solver::NoWatch;
        let solution = solver.solve(&problem, &[], &mut watch).unwrap();
        assert_eq!(solution.status, complementarity::Status::Solved, "seed {seed}");
        let complementarity::Problem::Lcp(lcp) = &problem else { panic!("seed {seed}: no LCP") };
        let (w, z) = (lcp.w(&solution.z), &solution.z);
        let nu = work.program.velocity(z);
        for (k, clause) in work.program.clauses.iter().enumerate() {
            let gap = |i: usize| work.program.end_gap(i, &nu);
            let largest = gap(clause.largest(gap));
            assert!((w[k] * 0.01 - largest).abs() < 1e-9, "seed {seed}: {} {largest}", w[k]);
            assert!(largest > -1e-9 && (z[k] < 1e-9 || largest < 1e-9), "seed {seed}");
            touching += usize::from(z[k] > 1e-6);
        }
    }
    assert!(touching > 20, "only {touching} pushed");
}
