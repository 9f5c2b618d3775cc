//! Housner's rocking block: the time to impact and the loss of speed in it.

use stickslip::{Simulator, geometry::Vec3};

use crate::{
    Context, ExperimentError, Report,
    masonry::{brick, ground, scene, tilted},
    report::{curve, number, over},
    scene::{G, wrong},
};

/// Width and height of the block \[m\].
const SIZE: (f64, f64) = (0.5, 2.0);
/// Angle from which it is let go, as a part of the slenderness angle.
const START: f64 = 0.4;

/// Half diagonal and slenderness angle.
fn shape() -> (f64, f64) {
    let (b, h) = (0.5 * SIZE.0, 0.5 * SIZE.1);
    (b.hypot(h), b.atan2(h))
}

/// Time to impact and the ratio of angular speeds by Housner (1963): `cosh(p t) = 1 / (1 - s)` with
/// `p² = 3 g / 4 R` for slender blocks, here with the full equation; and `1 - 1.5 sin² alpha`.
fn housner() -> (f64, f64) {
    let (r, alpha) = shape();
    // theta'' = -p² sin(alpha - theta): integrated with Runge-Kutta of order 4, steps of 1 us
    let p2 = 0.75 * G / r;
    let (h, mut theta, mut omega, mut t) = (1e-5, START * alpha, 0.0_f64, 0.0);
    let turn = |theta: f64| -p2 * (alpha - theta).sin();
    while theta > 0.0 {
        let k1 = (omega, turn(theta));
        let k2 = (omega + 0.5 * h * k1.1, turn(theta + 0.5 * h * k1.0));
        let k3 = (omega + 0.5 * h * k2.1, turn(theta + 0.5 * h * k2.0));
        let k4 = (omega + h * k3.1, turn(theta + h * k3.0));
        let (old, slope) = (theta, (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0) / 6.0);
        theta += h * slope;
        omega += h * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1) / 6.0;
        t += if theta > 0.0 { h } else { h * old / (old - theta) };
    }
    (t, 1.0 - 1.5 * alpha.sin().powi(2))
}

/// The block, leaning on its right corner.
fn leaning(h: f64) -> Result<Simulator, ExperimentError> {
    let (r, alpha) = shape();
    let theta = START * alpha;
    let block = brick("block", (0.0, 0.0), SIZE, 10.0)?;
    let at = Vec3::new(-r * (alpha - theta).sin(), r * (alpha - theta).cos(), 0.0);
    scene(vec![ground(10.0)?, block.at(at).angle(-theta)], tilted(0.0), h)
}

/// Time to the first impact and the ratio of the speeds across it. Speeds are those of the middles of
/// the steps; both sides are extrapolated to the time at which the block is upright.
fn measure(h: f64) -> Result<(f64, f64), ExperimentError> {
    let mut sim = leaning(h)?;
    let (mut angle, mut speed) = (vec![sim.state.angle[1]], vec![0.0]);
    let mut hit = None;
    for k in 1..(3.0 / h) as usize {
        sim.step().map_err(wrong)?;
        angle.push(sim.state.angle[1]);
        speed.push(sim.state.nu[1].angular.z);
        // the speed falls at once where the other corner lands
        if hit.is_none() && k > 3 && speed[k] < speed[k - 1] {
            hit = Some(k);
        }
        if hit.is_some_and(|hit| k >= hit + 4) {
            break;
        }
    }
    let Some(k) = hit else { return Ok((f64::NAN, f64::NAN)) };
    // step i ends at i h and has the speed of (i - 1/2) h
    let time = (k - 1) as f64 * h - angle[k - 1] / speed[k - 1];
    let extrapolated = |i: usize| {
        let (a, b) = (speed[i], speed[i + 1]);
        a + (b - a) * (time - (i as f64 - 0.5) * h) / h
    };
    Ok((time, extrapolated(k + 2) / extrapolated(k - 3)))
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A slender block on a rough floor is let go while it leans on one corner. It turns back, \
         lands on the other corner and goes on with a lower speed. Without bouncing, the angular \
         momentum about the new corner is kept, which gives the loss of speed; Housner's equation \
         gives the time.",
    );
    let (r, alpha) = shape();
    let (time, ratio) = housner();
    report.set("0.5 x 2 m, let go at 0.4 of the angle at which it would stand on one corner.");
    report.set("Friction 10, no restitution, default settings.");
    report.set(format!("R = {} m, alpha = {} rad.", number(r), number(alpha)));
    let steps: &[f64] =
        c.pick(&[4e-3, 1e-3, 2.5e-4], &[8e-3, 4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4]);
    let found = c.each(steps, |&h| {
        (c.note)(&format!("masonry-rocking: h = {h}"));
        measure(h)
    })?;
    let rows = steps.iter().zip(&found).map(|(h, (t, e))| {
        vec![
            number(*h),
            format!("{t:.6}"),
            format!("{e:.6}"),
            number((t - time).abs()),
            number((e - ratio).abs()),
        ]
    });
    let head = ["h [s]", "time [s]", "ratio", "error of time [s]", "error of ratio"];
    report.table("impact", "The first impact", &head, rows.collect());
    let error = |k: fn(&(f64, f64)) -> f64, right: f64| -> Vec<f64> {
        found.iter().map(|f| (k(f) - right).abs().max(1e-9)).collect()
    };
    report.figure(
        "errors",
        "Errors of the time to impact and of the ratio of speeds",
        vec![
            curve("time [s]", steps.to_vec(), error(|f| f.0, time)),
            curve("ratio", steps.to_vec(), error(|f| f.1, ratio)),
        ],
        over("Rocking block", "h [s]", "error", (true, true)),
    );
    let (t, e) = found.last().copied().unwrap_or((f64::NAN, f64::NAN));
    let h = steps.last().copied().unwrap_or(f64::NAN);
    report.claim(
        &format!("Time to impact {time:.6} s (Housner's equation, not linearised)."),
        format!("{t:.6} s with h = {} s", number(h)),
        (t - time).abs() < 2.0 * h,
    );
    report.claim(
        &format!("Ratio of speeds 1 - 1.5 sin² alpha = {ratio:.6} (Housner 1963)."),
        format!("{e:.6}"),
        (e - ratio).abs() < 1e-3,
    );
    Ok(report)
}
