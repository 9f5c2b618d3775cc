//! A first guess of the impulses: a few sweeps of Gauss and Seidel's method over the contacts.

use super::system::{System, Unit};
use crate::problem::Law;

/// Impulses after `sweeps` sweeps from none: contact by contact the normal impulse that its velocity
/// asks for, then the friction, cut to the cone. Far from exact, but most contacts then press, stick
/// or slide as they do in the solution, and Newton's method has little to sort out.
pub(super) fn guess(system: &System, sweeps: usize) -> Vec<[f64; 3]> {
    let mut p = vec![[0.0; 3]; system.units.len()];
    let mut v = vec![0.0; system.velocities];
    let mass: Vec<[f64; 3]> = system.units.iter().map(inverse_mass).collect();
    for _ in 0..sweeps {
        for ((unit, p), mass) in system.units.iter().zip(&mut p).zip(&mass) {
            visit(unit, mass, p, &mut v);
        }
    }
    p
}

/// `|J_i|²` of every row, the two tangents alike.
fn inverse_mass(unit: &Unit) -> [f64; 3] {
    let mut out = [1.0; 3];
    for (row, x) in unit.j.chunks_exact(unit.columns.len().max(1)).zip(&mut out) {
        *x = row.iter().map(|j| j * j).sum::<f64>().max(f64::MIN_POSITIVE);
    }
    if unit.dim() == 3 {
        out[1] = out[1].max(out[2]);
        out[2] = out[1];
    }
    out
}

fn visit(unit: &Unit, mass: &[f64; 3], p: &mut [f64; 3], v: &mut [f64]) {
    let mut next = *p;
    match unit.law {
        Law::Interval { lower, upper, compliance } => {
            let u = unit.times(v)[0] + unit.b[0] + compliance * p[0];
            next[0] = (p[0] - u / (mass[0] + compliance)).max(lower).min(upper);
            unit.push(&next, p, 0..1, v);
        }
        _ => {
            next[0] = (p[0] - (unit.times(v)[0] + unit.b[0]) / mass[0]).max(0.0);
            unit.push(&next, p, 0..1, v);
            let u = unit.times(v);
            let radius = unit.law.mu() * next[0];
            (1..unit.dim()).for_each(|i| next[i] -= (u[i] + unit.b[i]) / mass[i]);
            let length = next[1].hypot(next[2]);
            if length > radius {
                next[1] *= radius / length;
                next[2] *= radius / length;
            }
            unit.push(&next, p, 1..unit.dim(), v);
        }
    }
}
