//! Static friction by a linear system: the tangential forces that stop every resting point.
//!
//! ```text
//! A x = b,   A = Gtᵀ M⁻¹ Gt,   b = -(Gtᵀ nu_free) / h
//! ```
//!
//! with the rows `Gt` of all points whose slip is no faster than what friction can stop in a step,
//! as in the paper's section III-B. Several points of one face make A singular; conjugate
//! gradients started from zero find the solution of least norm. If a force is beyond `mu |f|`, the
//! system is solved again within these bounds, by projected Gauss-Seidel.

use stickslip_geometry::Vec3;

use super::{force::PointForce, touch::Touch};
use crate::dynamics::Jacobian;
use crate::frame::Frame;

/// Sets the friction of resting points; `frame` already has the other penalty forces applied.
pub(super) fn hold(frame: &Frame, touches: &[Touch], forces: &mut [PointForce]) {
    let mechanism = frame.mechanism();
    let dimension = frame.model.dimension();
    let mut rows = Jacobian::new(frame.model);
    let mut owners: Vec<(usize, Vec3)> = Vec::new();
    for (k, force) in forces.iter().enumerate().filter(|(_, f)| f.mu > 0.0) {
        let touch = &touches[force.touch];
        let point = &touch.points[force.point];
        let contact = touch.contact(force.point, point.at, point.depth);
        for t in
            dimension.tangents(touch.normal, Vec3::ZERO).into_iter().filter(|t| *t != Vec3::ZERO)
        {
            rows.push_contact(frame.model, frame.state, &contact, t);
            owners.push((k, t));
        }
    }
    if owners.is_empty() {
        return;
    }
    let weighted = mechanism.weighted(&rows);
    let b: Vec<f64> = (0..owners.len())
        .map(|r| -(rows.times(r, &mechanism.free) + rows.prescribed(r)) / frame.h)
        .collect();
    let times = |x: &[f64]| -> Vec<f64> {
        let mut nu = vec![0.0; frame.model.n_dof()];
        x.iter().enumerate().for_each(|(r, &p)| weighted.add_transposed(r, p, &mut nu));
        (0..x.len()).map(|r| rows.times(r, &nu)).collect()
    };
    let x = conjugate_gradients(&times, &b);
    forces.iter_mut().for_each(|f| f.friction = Vec3::ZERO);
    for (&(k, t), f) in owners.iter().zip(x) {
        forces[k].friction += t * f;
    }
    let within = |f: &PointForce| f.friction.length() <= f.mu * f.normal;
    if !forces.iter().all(within) {
        bounded(&rows, &weighted, (&owners, &b), forces);
    }
}

/// Sweeps of the bounded solve: forces of one pair settle in a few.
const SWEEPS: usize = 50;

/// `A x = b` as far as the bounds `mu |f|` let it.
fn bounded(
    rows: &Jacobian,
    weighted: &Jacobian,
    (owners, b): (&[(usize, Vec3)], &[f64]),
    forces: &mut [PointForce],
) {
    let width = rows.width();
    let n_dof = (0..rows.len()).flat_map(|r| rows.row(r)).map(|x| x.dof + width).max().unwrap_or(0);
    let mut nu = vec![0.0; n_dof];
    let stiffness: Vec<f64> = (0..rows.len())
        .map(|r| {
            nu.fill(0.0);
            weighted.row(r).iter().filter(|x| x.dof < n_dof).for_each(|x| {
                (0..width).for_each(|j| nu[x.dof + j] += x.value[j]);
            });
            rows.times(r, &nu)
        })
        .collect();
    nu.fill(0.0);
    forces.iter_mut().for_each(|f| f.friction = Vec3::ZERO);
    let mut x = vec![0.0; rows.len()];
    let change = |r: usize, dx: f64, nu: &mut [f64]| {
        for block in weighted.row(r).iter().filter(|x| x.dof < n_dof) {
            (0..width).for_each(|j| nu[block.dof + j] += dx * block.value[j]);
        }
    };
    for _ in 0..SWEEPS {
        for r in (0..rows.len()).filter(|&r| stiffness[r] > 0.0) {
            let (k, t) = owners[r];
            let force = &forces[k];
            let wish = x[r] + (b[r] - rows.times(r, &nu)) / stiffness[r];
            // The other tangential force of the point leaves this much of the circle.
            let other = (force.friction - t * x[r]).length();
            let most = (force.mu * force.normal).powi(2) - other * other;
            let next = wish.clamp(-most.max(0.0).sqrt(), most.max(0.0).sqrt());
            change(r, next - x[r], &mut nu);
            forces[k].friction += t * (next - x[r]);
            x[r] = next;
        }
    }
}

/// The least-norm solution of `A x = b` for symmetric A without negative eigenvalues.
fn conjugate_gradients(times: &dyn Fn(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
    let mut x = vec![0.0; b.len()];
    let (mut r, mut p) = (b.to_vec(), b.to_vec());
    let start = dot(&r, &r);
    let mut size = start;
    for _ in 0..4 * b.len() {
        if size <= 1e-24 * start || size == 0.0 {
            break;
        }
        let ap = times(&p);
        let curve = dot(&p, &ap);
        // What is left lies where A vanishes: no force can reach it.
        if curve <= 0.0 {
            break;
        }
        let step = size / curve;
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
        r.iter_mut().zip(&ap).for_each(|(r, a)| *r -= step * a);
        let next = dot(&r, &r);
        let ratio = next / size;
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + ratio * *p);
        size = next;
    }
    x
}
