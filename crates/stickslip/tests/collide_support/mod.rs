//! Scenes of two bodies for the tests of detectors.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip::{
    Body, Dimension, Model, ModelBuilder, Motion, State, Twist,
    collide::{Contact, Query, make},
    geometry::{Convex, Mat3, Part, Polygon, Polytope, Pose, Quat, Shape, Vec3},
    model::{BodyInit, Material},
};

pub fn body(shape: Shape, motion: Motion) -> Body {
    Body {
        name: String::new(),
        shape,
        motion,
        mass: 1.0,
        inertia: Mat3::IDENTITY,
        material: Material { friction: 0.5, restitution: 0.0, rolling: 0.0, torsional: 0.0 },
        collides: true,
        force: Vec3::ZERO,
        torque: Vec3::ZERO,
        color: None,
        visible: true,
        radius: 1.0,
        thickness: 1.0,
    }
}

pub fn part(convex: Convex) -> Shape {
    Shape::Parts(vec![Part { pose: Pose::IDENTITY, convex }])
}

pub fn solid(p: Polytope) -> Shape {
    part(Convex::Polytope(Arc::new(p)))
}

pub fn flat(p: Polygon) -> Shape {
    part(Convex::Polygon(Arc::new(p)))
}

pub fn cuboid(x: f64, y: f64, z: f64) -> Polytope {
    Polytope::cuboid(Vec3::new(x, y, z)).unwrap()
}

pub fn angle_of(pose: &Pose) -> f64 {
    2.0 * pose.orientation.z.atan2(pose.orientation.w)
}

/// A model of bodies that all move unless they are infinite or surfaces.
pub fn scene(dimension: Dimension, bodies: Vec<(Shape, Pose)>) -> (Model, State) {
    let mut builder = ModelBuilder::new(dimension);
    for (shape, pose) in bodies {
        let infinite = match &shape {
            Shape::Parts(p) => p.iter().any(|p| p.convex == Convex::HalfSpace),
            Shape::Surface(_) => true,
        };
        let motion = if infinite { Motion::Static } else { Motion::Dynamic };
        let angle = angle_of(&pose);
        let init = BodyInit { body: body(shape, motion), pose, angle, twist: Twist::default() };
        builder.add(init).unwrap();
    }
    builder.build()
}

pub fn query(model: &Model, reach: f64) -> Query {
    Query { reach: vec![0.5 * reach; model.bodies().len()], threads: 1 }
}

/// Contacts of a scene; `reach` is that of a pair.
pub fn contacts(name: &str, (model, state): &(Model, State), reach: f64) -> Vec<Contact> {
    make(name).unwrap().detect(model, state, &query(model, reach)).unwrap()
}

/// Contacts between two shapes with the detector "exact".
pub fn between(
    dimension: Dimension,
    a: (&Shape, Pose),
    b: (&Shape, Pose),
    reach: f64,
) -> Vec<Contact> {
    let bodies = vec![(a.0.clone(), a.1), (b.0.clone(), b.1)];
    contacts("exact", &scene(dimension, bodies), reach)
}

pub fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

pub fn unit(rng: &mut StdRng) -> Vec3 {
    loop {
        let v = vector(rng, 1.0);
        let l = v.length();
        if l > 0.1 && l < 1.0 {
            return v / l;
        }
    }
}

pub fn vector(rng: &mut StdRng, size: f64) -> Vec3 {
    Vec3::new(
        rng.random_range(-size..size),
        rng.random_range(-size..size),
        rng.random_range(-size..size),
    )
}

pub fn turn(rng: &mut StdRng) -> Quat {
    Quat::from_axis_angle(unit(rng), rng.random_range(-3.0..3.0))
}

/// A random hull with about `n` corners, size about one.
pub fn hull(rng: &mut StdRng, n: usize) -> Polytope {
    loop {
        let points: Vec<Vec3> = (0..n).map(|_| unit(rng) * rng.random_range(0.4..0.6)).collect();
        if let Ok(p) = Polytope::from_points(&points) {
            return p;
        }
    }
}

/// A random convex polygon, size about one.
pub fn polygon(rng: &mut StdRng, n: usize) -> Polygon {
    loop {
        let points: Vec<Vec3> = (0..n)
            .map(|_| {
                let (s, c) = rng.random_range(-3.1_f64..3.1).sin_cos();
                Vec3::new(c, s, 0.0) * 0.5
            })
            .collect();
        if let Ok(p) = Polygon::from_points(&points) {
            return p;
        }
    }
}
