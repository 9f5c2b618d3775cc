//! Block structures that the masonry experiments share, in the plane.

use std::f64::consts::PI;

use stickslip::{
    BodyInit, Dimension, Simulator, State,
    geometry::{Solid, Vec3},
};
use stickslip_stability::{Options, Stability, analyze};

use crate::{
    Context, ExperimentError,
    scene::{G, settings, simulate, wrong},
};

/// A point in the plane \[m\].
pub type Point = (f64, f64);

/// A convex block of that outline, counter-clockwise; its mass is its area.
pub fn block(name: &str, corners: &[Point], friction: f64) -> Result<BodyInit, ExperimentError> {
    let points: Vec<Vec3> = corners.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
    let solid = Solid::polygon(&points).map_err(wrong)?;
    let next = corners.iter().cycle().skip(1);
    let (mut area, mut x, mut y) = (0.0, 0.0, 0.0);
    for (p, q) in corners.iter().zip(next) {
        let cross = p.0 * q.1 - q.0 * p.1;
        area += 0.5 * cross;
        x += cross * (p.0 + q.0) / 6.0;
        y += cross * (p.1 + q.1) / 6.0;
    }
    let at = Vec3::new(x / area, y / area, 0.0);
    Ok(BodyInit::new(&solid).named(name).mass(area).at(at).friction(friction))
}

/// A rectangle by its lower left corner and size.
pub fn brick(
    name: &str,
    (x, y): Point,
    (w, h): Point,
    mu: f64,
) -> Result<BodyInit, ExperimentError> {
    block(name, &[(x, y), (x + w, y), (x + w, y + h), (x, y + h)], mu)
}

/// The ground: everything below y = 0.
pub fn ground(friction: f64) -> Result<BodyInit, ExperimentError> {
    let solid = Solid::half_plane(Vec3::Y).map_err(wrong)?;
    Ok(BodyInit::new(&solid).named("ground").friction(friction))
}

/// A semicircular arch of mean radius 1 m, `n` stones of thickness `t`, on two supports.
pub fn arch(n: usize, t: f64, friction: f64) -> Result<Vec<BodyInit>, ExperimentError> {
    let (inner, outer) = (1.0 - 0.5 * t, 1.0 + 0.5 * t);
    let at = |r: f64, k: usize| {
        let (s, c) = (PI * (1.0 - k as f64 / n as f64)).sin_cos();
        (r * c, if k == 0 || k == n { 0.0 } else { r * s })
    };
    let mut bodies = vec![
        brick("left", (-1.5, -0.5), (1.0, 0.5), friction)?.fixed(),
        brick("right", (0.5, -0.5), (1.0, 0.5), friction)?.fixed(),
    ];
    for k in 0..n {
        let corners = [at(inner, k), at(inner, k + 1), at(outer, k + 1), at(outer, k)];
        bodies.push(block(&format!("stone-{}", k + 1), &corners, friction)?);
    }
    Ok(bodies)
}

/// Gravity turned by an angle \[rad\]: as on a table tilted the other way.
pub fn tilted(angle: f64) -> Vec3 {
    Vec3::new(angle.sin(), -angle.cos(), 0.0) * G
}

/// A simulator with a step of `h` seconds.
pub fn scene(bodies: Vec<BodyInit>, gravity: Vec3, h: f64) -> Result<Simulator, ExperimentError> {
    simulate(Dimension::Two, gravity, bodies, settings("separation", h))
}

/// The static answer.
pub fn statics(sim: &Simulator, options: &Options) -> Result<Stability, ExperimentError> {
    analyze(&sim.model, &sim.state, &sim.settings, options).map_err(wrong)
}

/// How far any block is from where it started, after `time` seconds or as soon as that is more than
/// `limit` \[m\].
pub fn drift(
    c: &Context,
    sim: &mut Simulator,
    time: f64,
    limit: f64,
) -> Result<f64, ExperimentError> {
    let start = sim.state.clone();
    drift_from(c, sim, &start, (time, limit))
}

/// The same, from where it was in another state.
fn drift_from(
    c: &Context,
    sim: &mut Simulator,
    start: &State,
    (time, limit): (f64, f64),
) -> Result<f64, ExperimentError> {
    let off = |sim: &Simulator| {
        let turn = |k: usize| (sim.state.angle[k] - start.angle[k]).abs();
        let moves = sim.model.ids().filter(|&id| sim.model.dof(id).is_some()).map(|id| {
            let k = id.index();
            let way = (sim.state.q[k].position - start.q[k].position).length();
            way + turn(k) * sim.model.body(id).radius
        });
        moves.fold(0.0, f64::max)
    };
    let steps = (time / sim.settings.step).round() as u64;
    for _ in 0..steps {
        c.go_on()?;
        sim.step().map_err(wrong)?;
        if off(sim) > limit {
            break;
        }
    }
    Ok(off(sim))
}

/// Time of a run that decides whether a structure rests \[s\].
const LONG: f64 = 8.0;
/// Displacement from which on it certainly falls \[m\].
const FALLEN: f64 = 1e-3;

/// Whether a structure rests. A structure at rest creeps by round-off at most; one that falls grows:
/// the displacement of its second half of the time is more than twice that of the first, and more than
/// 1e-7 m.
pub fn rests(c: &Context, sim: &mut Simulator) -> Result<bool, ExperimentError> {
    let start = sim.state.clone();
    let first = drift(c, sim, 0.5 * LONG, FALLEN)?;
    if first >= FALLEN {
        return Ok(false);
    }
    let second = drift_from(c, sim, &start, (0.5 * LONG, FALLEN))?;
    Ok(second < FALLEN && (second < 1e-7 || second < 2.0 * first))
}

/// The value at which something that stands above and falls below changes, to `to`.
pub fn bisect(
    (mut low, mut high): (f64, f64),
    to: f64,
    stands: impl Fn(f64) -> Result<bool, ExperimentError>,
) -> Result<f64, ExperimentError> {
    while high - low > to {
        let middle = 0.5 * (low + high);
        match stands(middle)? {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(0.5 * (low + high))
}
