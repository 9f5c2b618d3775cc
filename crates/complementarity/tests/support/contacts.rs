//! Random bodies in contact.

use complementarity::problem::{ContactProblem, Law};
use rand::Rng;
use rand::rngs::StdRng;

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// The free velocities of `bodies` bodies of unit mass and unit inertia, and their contacts: each
/// touches the ground or an earlier body in one to `points` points. `b = J v0`, so that all bodies
/// at rest are allowed and a solution exists; energy can only be lost.
pub fn pile(
    rng: &mut StdRng,
    (bodies, points): (usize, usize),
    mut law: impl FnMut(&mut StdRng) -> Law,
) -> (ContactProblem, Vec<f64>) {
    let mut problem = ContactProblem::new(6 * bodies);
    let free: Vec<f64> = (0..6 * bodies)
        .map(|i| rng.random_range(-1.0..1.0) - if i % 6 == 2 { 1.0 } else { 0.0 })
        .collect();
    for body in 0..bodies {
        for _ in 0..2 {
            let below = rng.random_range(0..=body);
            let tilt = [rng.random_range(-0.5..0.5), rng.random_range(-0.5..0.5), 1.0];
            let normal = unit(tilt);
            let first = unit(cross(normal, [0.3, 1.0, 0.2]));
            let axes = [normal, first, cross(normal, first)];
            for _ in 0..rng.random_range(1..=points) {
                let law = law(rng);
                let dim = if matches!(law, Law::Interval { .. }) { 1 } else { 3 };
                let mut arm =
                    || -> [f64; 3] { std::array::from_fn(|_| rng.random_range(-0.5..0.5)) };
                let (upper, lower) = (arm(), arm());
                let (mut columns, mut rows) = (vec![], vec![]);
                if below < body {
                    columns.extend(6 * below as u32..6 * below as u32 + 6);
                }
                columns.extend(6 * body as u32..6 * body as u32 + 6);
                for axis in axes.iter().take(dim) {
                    if below < body {
                        rows.extend(axis.map(|x| -x));
                        rows.extend(cross(lower, *axis).map(|x| -x));
                    }
                    rows.extend(axis);
                    rows.extend(cross(upper, *axis));
                }
                problem.push(law, &columns, &rows, [0.0; 3]).unwrap();
            }
        }
    }
    for c in 0..problem.len() {
        *problem.b_mut(c) = problem.times(c, &free);
    }
    (problem, free)
}

/// Friction in space and rows of their own.
pub fn any_law(rng: &mut StdRng) -> Law {
    match rng.random_range(0..8) {
        0 => Law::FRICTIONLESS,
        1 => Law::Interval { lower: -0.2, upper: 0.3, compliance: 0.1 },
        2 => Law::Polygon { mu: 0.5, corners: 4 },
        _ => Law::Polygon { mu: rng.random_range(0.0..1.0), corners: 7 },
    }
}

/// Round friction cones and rows of their own.
pub fn round_law(rng: &mut StdRng) -> Law {
    match rng.random_range(0..8) {
        0 => Law::FRICTIONLESS,
        1 => Law::Interval { lower: -0.2, upper: 0.3, compliance: 0.1 },
        _ => Law::Disc { mu: rng.random_range(0.0..0.8) },
    }
}

/// Largest difference between two lists.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}
