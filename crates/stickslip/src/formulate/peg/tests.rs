//! The written constraints against the truth: random convex pairs, displaced on a grid.

use stickslip_geometry::{Solid as Shape, Vec3, overlap};

use super::{
    Contents,
    pair::Pair,
    work::{solid, write},
};
use crate::{
    collide::{self, Query},
    formulate::Frame,
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
        model: &model,
        state: &state,
        contacts: &contacts,
        query: &query,
        h: 0.01,
        settings: &settings,
    };
    let parts = [0, 1].map(|k| (crate::model::BodyId::new(k), 0));
    let [a, b] = parts.map(|p| solid(&frame, p).unwrap());
    let mut pair = Pair::new([&a, &b], parts, reach, contacts.iter().copied());
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
