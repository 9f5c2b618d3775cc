//! Box of polygons and box of polyhedra (Williams 2014, 5.2.3 and 5.2.4): random convex bodies are
//! poured into a container, one after the other, without friction.

use std::time::Instant;

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Polygon, Solid, Vec3},
    oracle,
};

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Pour {
    /// 2D or 3D.
    pub dimension: Dimension,
    /// Name of the formulation; `-implicit` at its end sets that.
    pub formulation: &'static str,
    /// Step \[s\].
    pub h: f64,
    /// Which bodies.
    pub seed: u64,
    /// How many.
    pub bodies: usize,
    /// How long \[s\].
    pub duration: f64,
}

/// What a run met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poured {
    /// Total overlap, mean over the steps \[m² or m³\].
    pub overlap: f64,
    /// Largest overlap of one step as a fraction of the smallest body.
    pub share: f64,
    /// Largest depth \[m\].
    pub depth: f64,
    /// Solves without a solution.
    pub failures: usize,
    /// Constraints given up.
    pub fallbacks: usize,
    /// Steps cut short.
    pub substeps: usize,
    /// Bodies that ended outside.
    pub lost: usize,
    /// Wall time of a step, mean \[s\].
    pub seconds: f64,
}

/// Evenly spread over -1 .. 1.
fn signed(seed: &mut u64) -> f64 {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    let x = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
    x as f64 / (1u64 << 52) as f64 - 1.0
}

/// Walls that overlap the floor, inner width 1.5 m in the plane and 1 m in space.
fn container(dimension: Dimension) -> Vec<BodyInit> {
    let flat = dimension == Dimension::Two;
    let block = |x: f64, y: f64, z: f64| {
        let solid = if flat { Solid::rectangle(x, z) } else { Solid::cuboid(Vec3::new(x, y, z)) };
        BodyInit::new(&solid.unwrap_or_else(|e| unreachable!("{e}"))).fixed().friction(0.0)
    };
    let w = inner(dimension);
    if flat {
        return vec![
            block(6.0, 0.0, 1.0).at(Vec3::new(0.0, -0.5, 0.0)),
            block(1.0, 0.0, 30.0).at(Vec3::new(-w - 0.5, 14.0, 0.0)),
            block(1.0, 0.0, 30.0).at(Vec3::new(w + 0.5, 14.0, 0.0)),
        ];
    }
    let wide = 2.0 * w + 1.0;
    vec![
        block(6.0, 6.0, 1.0).at(Vec3::new(0.0, 0.0, -0.5)),
        block(1.0, 6.0, 30.0).at(Vec3::new(-w - 0.5, 0.0, 14.0)),
        block(1.0, 6.0, 30.0).at(Vec3::new(w + 0.5, 0.0, 14.0)),
        block(wide, 1.0, 30.0).at(Vec3::new(0.0, -w - 0.5, 14.0)),
        block(wide, 1.0, 30.0).at(Vec3::new(0.0, w + 0.5, 14.0)),
    ]
}

/// Half the inner width of the container \[m\].
fn inner(dimension: Dimension) -> f64 {
    if dimension == Dimension::Two { 0.75 } else { 0.5 }
}

/// The hull of ten points within 0.25 m, above the others.
fn random_body(dimension: Dimension, seed: &mut u64, height: f64) -> BodyInit {
    let points: Vec<Vec3> =
        (0..10).map(|_| Vec3::new(signed(seed), signed(seed), signed(seed)) * 0.25).collect();
    let (solid, up) = match dimension {
        Dimension::Two => {
            let flat: Vec<Vec3> = points.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
            (Polygon::from_points(&flat).and_then(|p| Solid::polygon(&p.vertices)), Vec3::Y)
        }
        Dimension::Three => (Solid::convex(&points), Vec3::Z),
    };
    let solid = solid.unwrap_or_else(|e| unreachable!("{e}"));
    // No body is wider than 0.87 m, so that none starts in a wall.
    let room = if dimension == Dimension::Two { 0.3 } else { 0.06 };
    let aside = Vec3::X * (room * signed(seed));
    BodyInit::new(&solid).friction(0.0).at(up * height + aside)
}

fn settings(run: &Pour) -> Settings {
    Settings {
        step: run.h,
        formulation: run.formulation.trim_end_matches("-implicit").into(),
        implicit: run.formulation.ends_with("-implicit"),
        threads: 1,
        ..Settings::default()
    }
}

/// Pours.
pub fn pour(run: Pour) -> Poured {
    let Pour { dimension, h, .. } = run;
    let mut seed = run.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let settings = settings(&run);
    let mut bodies = container(dimension);
    let fixed = bodies.len();
    let up = if dimension == Dimension::Two { Vec3::Y } else { Vec3::Z };
    let every = if dimension == Dimension::Two { 0.25 } else { 0.5 };
    let (mut met, mut time, mut steps) = (Poured::default(), 0.0, 0);
    let mut smallest = f64::INFINITY;
    let begin = Instant::now();
    let mut judging = 0.0;
    for k in 0..run.bodies {
        let last = k + 1 == run.bodies;
        let until = if last { run.duration } else { (k + 1) as f64 * every };
        let tallest = bodies[fixed..].iter().map(|b| up.dot(b.pose.position)).fold(0.0, f64::max);
        let mut body = random_body(dimension, &mut seed, (tallest + 1.0).max(2.0));
        if dimension == Dimension::Three {
            body.twist.linear = -Vec3::X;
        }
        let volume = body.body.shape.parts().iter().map(|p| size(&p.convex)).sum();
        smallest = f64::min(smallest, volume);
        bodies.push(body);
        let mut sim = simulator(dimension, &bodies, settings.clone());
        while time < until - 0.5 * h {
            let Ok(report) = sim.step() else {
                met.failures += 1;
                break;
            };
            (time, steps) = (time + h, steps + 1);
            met.failures += report.solves.failures;
            met.fallbacks += report.fallbacks;
            met.substeps += report.substeps;
            let clock = Instant::now();
            let found = oracle::measure(&sim.model, &sim.state);
            judging += clock.elapsed().as_secs_f64();
            met.overlap += found.volume;
            met.depth = met.depth.max(found.depth);
            met.share = met.share.max(found.volume / smallest);
        }
        for (i, body) in bodies.iter_mut().enumerate() {
            (body.pose, body.twist) = (sim.state.q[i], sim.state.nu[i]);
            body.angle = sim.state.angle[i];
        }
    }
    met.seconds = (begin.elapsed().as_secs_f64() - judging) / f64::from(steps.max(1));
    met.overlap /= f64::from(steps.max(1));
    let w = inner(dimension);
    let inside = |p: Vec3| {
        p.x.abs() < w
            && up.dot(p) > 0.0
            && up.dot(p) < 20.0
            && (dimension == Dimension::Two || p.y.abs() < w)
    };
    met.lost = bodies[fixed..].iter().filter(|b| !inside(b.pose.position)).count();
    met
}

/// Area or volume.
fn size(convex: &stickslip::geometry::Convex) -> f64 {
    use stickslip::geometry::Convex;
    let solid = match convex {
        Convex::Polytope(p) => Some(Solid::polytope(p)),
        Convex::Polygon(p) => Solid::polygon(&p.vertices).ok(),
        _ => None,
    };
    solid.map_or(f64::INFINITY, |s| s.volume)
}

fn simulator(dimension: Dimension, bodies: &[BodyInit], settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(if dimension == Dimension::Two { -Vec3::Y } else { -Vec3::Z } * 9.81);
    for body in bodies {
        builder.add(body.clone()).unwrap_or_else(|e| unreachable!("{e}"));
    }
    let (model, state) = builder.build();
    Simulator::new(model, state, settings).unwrap_or_else(|e| unreachable!("{e}"))
}
