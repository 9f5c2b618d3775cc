//! Random convex pairs at random small distances, one step: do they overlap afterwards?

use stickslip::{
    BodyInit, Dimension, Model, ModelBuilder, Settings, Simulator, State,
    geometry::{Polygon, Pose, Quat, Solid, Vec3, overlap},
};

/// What happened to one pair.
#[derive(Clone, Copy, Debug)]
pub struct Met {
    /// Depth after the step as a fraction of the smaller body's radius.
    pub depth: f64,
    /// How much of a radian the faster of the two turned, before or after.
    pub turned: f64,
    /// Whether every solve succeeded.
    pub solved: bool,
    /// Whether they touched.
    pub pushed: bool,
    /// Least distance on their way if nothing pushes, as a part of the smaller body's radius.
    pub room: f64,
    /// Kinetic energy gained, as a part of what there was; a step without gravity only loses it.
    pub gained: f64,
    /// Parts that the step was cut into, beyond one.
    pub substeps: usize,
    /// Constraints given up.
    pub fallbacks: usize,
    /// Velocities and spins after the step.
    pub motion: [[Vec3; 2]; 2],
}

struct Random(u64);

impl Random {
    /// Evenly spread over -1 .. 1.
    fn signed(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let x = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        x as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, dimension: Dimension) -> Vec3 {
        let (x, y, z) = (self.signed(), self.signed(), self.signed());
        Vec3::new(x, y, if dimension == Dimension::Two { 0.0 } else { z })
    }

    fn body(&mut self, dimension: Dimension) -> Option<BodyInit> {
        let scale = 0.3 * 4f64.powf(self.signed());
        let n = 6 + (self.signed().abs() * 8.0) as usize;
        // Some are flat: plates and needles.
        let flat = Vec3::new(1.0, 1.0, 1.0) - Vec3::Y * (0.9 * self.signed().max(0.0));
        let points: Vec<Vec3> = (0..n).map(|_| self.vector(dimension) * flat * scale).collect();
        let solid = match dimension {
            Dimension::Two => {
                Polygon::from_points(&points).and_then(|p| Solid::polygon(&p.vertices))
            }
            Dimension::Three => Solid::convex(&points),
        };
        let turn = Quat::from_scaled_axis(self.vector(Dimension::Three) * 3.0);
        let mut body = BodyInit::new(&solid.ok()?).friction(0.5 * self.signed().max(0.0));
        body = body.mass(10f64.powf(self.signed()));
        match dimension {
            Dimension::Two => {
                let spin = Vec3::Z * (8.0 * self.signed());
                body = body.angle(3.0 * self.signed()).spin(spin);
            }
            Dimension::Three => body = body.turned(turn).spin(self.vector(dimension) * 8.0),
        }
        Some(body.velocity(self.vector(dimension) * 2.0))
    }
}

/// Two bodies at a small distance, and the radius of the smaller one; `None` where the random points
/// make no body.
pub fn scene(dimension: Dimension, seed: u64) -> Option<(Model, State, f64)> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..4).for_each(|_| {
        random.signed();
    });
    let (a, mut b) = (random.body(dimension)?, random.body(dimension)?);
    let size = a.body.radius.min(b.body.radius);
    let gap = size * 10f64.powf(-4.5 + 3.5 * random.signed());
    let along = random.vector(dimension).normalize_or_zero();
    let pose = |body: &BodyInit, at: Vec3| match dimension {
        Dimension::Two => Pose { position: at, orientation: Quat::from_rotation_z(body.angle) },
        Dimension::Three => Pose { position: at, orientation: body.pose.orientation },
    };
    let (pa, pb) = (&a.body.shape.parts()[0], &b.body.shape.parts()[0]);
    let apart = |x: f64| {
        let (qa, qb) = (pose(&a, Vec3::ZERO), pose(&b, along * x));
        let (qa, qb) = (qa.compose(&pa.pose), qb.compose(&pb.pose));
        -overlap::depth(dimension, &pa.convex, &qa, &pb.convex, &qb)
    };
    // As far out along the line as makes them `gap` apart.
    let (mut low, mut high) = (0.0, 2.0 * (a.body.radius + b.body.radius) + gap);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if apart(middle) < gap { low = middle } else { high = middle }
    }
    b = b.at(along * high);
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(Vec3::ZERO);
    builder.add(a).ok()?;
    builder.add(b).ok()?;
    let (model, state) = builder.build();
    Some((model, state, size))
}

/// One step of one pair.
pub fn pair(dimension: Dimension, settings: &Settings, seed: u64) -> Option<Met> {
    let (model, state, size) = scene(dimension, seed)?;
    let spin = |state: &State| {
        state.nu.iter().map(|t| t.angular.length() * settings.step).fold(0.0, f64::max)
    };
    let (before, coming) = (spin(&state), state.nu[0].linear);
    let energy = state.energy(&model);
    let room = room(&model, &state, settings.step) / size;
    let mut sim = Simulator::new(model, state, settings.clone()).ok()?;
    let report = sim.step().ok()?;
    let depth = stickslip::oracle::measure(&sim.model, &sim.state).depth / size;
    let solved = report.solves.failures == 0;
    let pushed = sim.state.nu[0].linear != coming;
    let motion = [0, 1].map(|k| [sim.state.nu[k].linear, sim.state.nu[k].angular]);
    let turned = before.max(spin(&sim.state));
    let (substeps, fallbacks) = (report.substeps, report.fallbacks);
    let gained = sim.state.energy(&sim.model) / energy - 1.0;
    Some(Met { depth, turned, solved, pushed, room, gained, substeps, fallbacks, motion })
}

/// The least distance of the two bodies at 65 times of a step along the velocities that they have
/// \[m\]; negative if they overlap.
fn room(model: &Model, state: &State, h: f64) -> f64 {
    let gap = |t: f64| {
        let place = |k: usize| {
            let (pose, twist) = (state.q[k], state.nu[k]);
            let orientation = Quat::from_scaled_axis(twist.angular * t) * pose.orientation;
            let part = &model.bodies()[k].shape.parts()[0];
            let moved = Pose { position: pose.position + twist.linear * t, orientation };
            (&part.convex, moved.compose(&part.pose))
        };
        let ((a, qa), (b, qb)) = (place(0), place(1));
        -overlap::depth(model.dimension(), a, &qa, b, &qb)
    };
    (0..=64).map(|k| gap(h * f64::from(k) / 64.0)).fold(f64::INFINITY, f64::min)
}
