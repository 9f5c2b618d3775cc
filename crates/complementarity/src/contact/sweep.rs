//! A first guess of the impulses: a few sweeps of Gauss and Seidel's method over the contacts.

use crate::problem::{ContactProblem, Law};

/// Impulses after `sweeps` sweeps from none: contact by contact the normal impulse that its velocity
/// asks for, then the friction, cut to the cone. Far from exact, but most contacts then press, stick
/// or slide as they do in the solution, and Newton's method has little to sort out.
pub(super) fn guess(problem: &ContactProblem, sweeps: usize) -> Vec<[f64; 3]> {
    let mut p = vec![[0.0; 3]; problem.len()];
    let mut v = vec![0.0; problem.velocities()];
    let mass: Vec<[f64; 3]> = (0..problem.len()).map(|c| inverse_mass(problem, c)).collect();
    for _ in 0..sweeps {
        for (c, (p, mass)) in p.iter_mut().zip(&mass).enumerate() {
            visit(problem, c, (mass, p), &mut v);
        }
    }
    p
}

/// `|J_i|²` of every row, the two tangents alike.
fn inverse_mass(problem: &ContactProblem, c: usize) -> [f64; 3] {
    let mut out = [1.0; 3];
    let m = problem.columns(c).len().max(1);
    for (row, x) in problem.rows(c).chunks_exact(m).zip(&mut out) {
        *x = row.iter().map(|j| j * j).sum::<f64>().max(f64::MIN_POSITIVE);
    }
    if problem.dim(c) == 3 {
        out[1] = out[1].max(out[2]);
        out[2] = out[1];
    }
    out
}

fn visit(problem: &ContactProblem, c: usize, (mass, p): (&[f64; 3], &mut [f64; 3]), v: &mut [f64]) {
    let (mut next, b) = (*p, problem.b(c));
    match problem.law(c) {
        Law::Interval { lower, upper, compliance } => {
            let u = problem.times(c, v)[0] + b[0] + compliance * p[0];
            next[0] = (p[0] - u / (mass[0] + compliance)).max(lower).min(upper);
            problem.add_motion(c, &[next[0] - p[0], 0.0, 0.0], v);
        }
        law => {
            next[0] = (p[0] - (problem.times(c, v)[0] + b[0]) / mass[0]).max(0.0);
            problem.add_motion(c, &[next[0] - p[0], 0.0, 0.0], v);
            let u = problem.times(c, v);
            let radius = law.mu() * next[0];
            (1..problem.dim(c)).for_each(|i| next[i] -= (u[i] + b[i]) / mass[i]);
            let length = next[1].hypot(next[2]);
            if length > radius {
                next[1] *= radius / length;
                next[2] *= radius / length;
            }
            problem.add_motion(c, &[0.0, next[1] - p[1], next[2] - p[2]], v);
        }
    }
    *p = next;
}
