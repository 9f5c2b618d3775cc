//! Whitney's diagram: where a peg jams in its hole, and where it can be wedged.
//!
//! A peg leans in a hole: a corner of its tip touches one wall, its side the rim across. It slides in
//! if the force and the moment on its tip are within a parallelogram (Whitney 1982); at the edge both
//! contacts are at the limit of friction.

use stickslip::{
    BodyInit, Dimension, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
    settings::Friction,
};
use stickslip_stability::Options;

use crate::{
    Context, ExperimentError, Report,
    masonry::{bisect, block, drift, scene, statics},
    report::{curve, number, over},
    scene::{settings, simulate, wrong},
};

/// Half width of the peg \[m\].
const R: f64 = 5e-3;
/// Its length \[m\].
const LENGTH: f64 = 0.05;
/// The force along the hole \[N\].
const PUSH: f64 = 10.0;
/// A peg that moved by this slides \[m\].
const STILL: f64 = 1e-9;

/// A peg in contact at two points.
#[derive(Clone, Copy, Debug)]
struct Peg {
    /// Depth along the side that touches the rim \[m\].
    depth: f64,
    /// How far it leans \[rad\].
    angle: f64,
    friction: f64,
    /// A smooth cylinder in a smooth round hole; else a rectangle in the plane.
    round: bool,
}

impl Peg {
    /// Half width of the hole: the tip's left corner is at one wall, the right side at the rim.
    fn hole(&self) -> f64 {
        let (s, c) = self.angle.sin_cos();
        R * c + 0.5 * self.depth * s
    }

    /// Middle of the tip.
    fn tip(&self) -> (f64, f64) {
        let (s, c) = self.angle.sin_cos();
        (R * c - self.hole(), R * s - self.depth * c)
    }

    /// `l / (2 r mu)`.
    fn lambda(&self) -> f64 {
        self.depth / (2.0 * R * self.friction)
    }

    /// Points and unit normals of the contacts, on the peg.
    fn contacts(&self) -> [([f64; 2], [f64; 2]); 2] {
        let (s, c) = self.angle.sin_cos();
        let (x, y) = self.tip();
        [([x - R * c, y + R * s], [1.0, 0.0]), ([self.hole(), 0.0], [-c, s])]
    }

    /// The moment at which both contacts are at the limit of friction, as `M / (r F)`, for a sideways
    /// force as a part of the push; from the balance of forces at the true angle.
    fn moment(&self, sideways: f64) -> f64 {
        let (s, c) = self.angle.sin_cos();
        let (mu, (x, y)) = (self.friction, self.tip());
        // the peg slides along the wall at the first contact, along its own side at the second
        let slides = [[0.0, 1.0], [s, c]];
        let contacts = self.contacts();
        let force = |k: usize| {
            let n = contacts[k].1;
            [n[0] + mu * slides[k][0], n[1] + mu * slides[k][1]]
        };
        let (a, b) = (force(0), force(1));
        // p a + q b + (sideways, -1) = 0
        let det = a[0] * b[1] - a[1] * b[0];
        let p = (-sideways * b[1] - b[0]) / det;
        let q = (a[0] + sideways * a[1]) / det;
        let turn = |k: usize, f: [f64; 2]| {
            let at = contacts[k].0;
            (at[0] - x) * f[1] - (at[1] - y) * f[0]
        };
        -(p * turn(0, a) + q * turn(1, b)) / R
    }

    /// Whitney's line.
    fn line(&self, sideways: f64) -> f64 {
        -self.lambda() - self.friction * (1.0 + self.lambda()) * sideways
    }

    /// The scene in the plane, with force and moment on the tip in units of the push.
    fn scene(&self, sideways: f64, moment: f64) -> Result<Simulator, ExperimentError> {
        let (s, c) = self.angle.sin_cos();
        let ((x, y), hole, mu) = (self.tip(), self.hole(), self.friction);
        let deep = 2.0 * LENGTH;
        let wall = |a: f64, b: f64| [(a, -deep), (b, -deep), (b, 0.0), (a, 0.0)];
        let left = block("left", &wall(-hole - LENGTH, -hole), mu)?.fixed();
        let right = block("right", &wall(hole, hole + LENGTH), mu)?.fixed();
        let at = |u: f64, v: f64| (x + u * c + v * s, y - u * s + v * c);
        let corners = [at(-R, 0.0), at(R, 0.0), at(R, LENGTH), at(-R, LENGTH)];
        let mut peg = block("peg", &corners, mu)?.mass(0.1);
        let force = Vec3::new(sideways * PUSH, -PUSH, 0.0);
        let arm = Vec3::new(-0.5 * LENGTH * s, -0.5 * LENGTH * c, 0.0);
        peg.body.force = force;
        peg.body.torque = Vec3::Z * (moment * R * PUSH) + arm.cross(force);
        scene(vec![left, right, peg], Vec3::ZERO, 1e-3)
    }

    /// The same in space: a smooth cylinder in a smooth hole along z that opens upwards at z = 0.
    fn round_scene(&self, sideways: f64, moment: f64) -> Result<Simulator, ExperimentError> {
        let (s, c) = self.angle.sin_cos();
        let ((x, z), hole, mu) = (self.tip(), self.hole(), self.friction);
        let tube = Solid::tube(hole, hole + LENGTH, 4.0 * LENGTH).map_err(wrong)?;
        let tube = BodyInit::new(&tube).named("hole").fixed().friction(mu);
        let middle = Vec3::new(0.5 * LENGTH * s, 0.0, 0.5 * LENGTH * c);
        let solid = Solid::cylinder(R, LENGTH, 0).map_err(wrong)?;
        let peg = BodyInit::new(&solid).named("peg").mass(0.1).friction(mu);
        let at = Vec3::new(x, 0.0, z) + middle;
        let mut peg = peg.at(at).turned(Quat::from_rotation_y(self.angle));
        let force = Vec3::new(sideways * PUSH, 0.0, -PUSH);
        peg.body.force = force;
        // What turns from x to z turns about -y.
        peg.body.torque = -Vec3::Y * (moment * R * PUSH) - middle.cross(force);
        let bodies = vec![tube.at(-Vec3::Z * 2.0 * LENGTH), peg];
        // A pyramid of seven edges holds a tenth less than the cone in some directions.
        let settings = Settings { friction: Friction::Quadratic, ..settings("separation", 1e-3) };
        simulate(Dimension::Three, Vec3::ZERO, bodies, settings)
    }

    /// The moment from which on the simulator's peg moves, by bisection to `to`.
    fn simulated(&self, c: &Context, sideways: f64, to: f64) -> Result<f64, ExperimentError> {
        let width = 0.2 * self.lambda();
        let right = self.moment(sideways);
        bisect((right - width, right + width), to, |moment| {
            let mut sim = match self.round {
                true => self.round_scene(sideways, moment)?,
                false => self.scene(sideways, moment)?,
            };
            Ok(drift(c, &mut sim, 0.05, STILL)? >= STILL)
        })
    }

    /// The least friction that holds a push down the middle: friction of the tip's corner at its limit
    /// upwards, that of the rim downwards, and their lines meet on that of the push.
    fn wedges_from(&self) -> f64 {
        let (s, c) = self.angle.sin_cos();
        let [(corner, _), (rim, _)] = self.contacts();
        let x = self.tip().0;
        // by how much the line from the corner is above that from the rim, rising with friction
        let above = |angle: f64| {
            let up = corner[1] + angle.tan() * (x - corner[0]);
            up - (rim[1] + (angle - s.atan2(c)).tan() * (x - rim[0]))
        };
        let (mut low, mut high) = (0.0_f64, 1.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match above(middle) > 0.0 {
                true => high = middle,
                false => low = middle,
            }
        }
        low.tan()
    }
}

/// Depths as parts of the width, angles, friction, and whether the peg is round.
const PEGS: [(f64, f64, f64, bool); 7] = [
    (1.0, 0.01, 0.3, false),
    (1.0, 0.01, 0.3, true),
    (1.0, 0.001, 0.3, false),
    (1.0, 0.001, 0.3, true),
    (2.0, 0.01, 0.3, false),
    (1.0, 0.01, 0.1, false),
    (1.0, 0.01, 0.1, true),
];

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A peg that touches its hole at two points slides in or jams, depending on the force and the \
         moment on its tip. Whitney's diagram has the boundary as a parallelogram, for small angles. \
         The simulator has no formula for it: the moment at which the peg begins to move is found by \
         bisection, and compared with the balance of forces at the limit of friction, at the true \
         angle. With more friction, where the line between the contacts is in both cones, the peg can be \
         wedged: forces between the walls hold it against any push.",
    );
    report.set(
        "Peg 10 mm wide, 50 mm long, no gravity; 10 N along the hole. Flat ones are in the plane, round ones smooth \
         cylinders in a smooth round hole, with the true friction cone.",
    );
    report.set("h = 1 ms; a peg moves if a point of it is 1 nm away after 50 ms.");
    jamming(c, &mut report)?;
    wedging(&mut report)?;
    Ok(report)
}

/// A peg with the sideways forces at which it was tried, and the moments found.
struct Found {
    peg: Peg,
    sideways: Vec<f64>,
    moments: Vec<f64>,
}

impl Found {
    /// Largest distance of the moments from others, as a part of lambda.
    fn off(&self, right: impl Fn(f64) -> f64) -> f64 {
        let all = self.sideways.iter().zip(&self.moments);
        all.map(|(s, m)| (m - right(*s)).abs() / self.peg.lambda()).fold(0.0, f64::max)
    }

    fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        let peg = &self.peg;
        self.sideways.iter().zip(&self.moments).map(move |(s, m)| {
            vec![
                if peg.round { "round" } else { "flat" }.to_owned(),
                number(peg.depth / (2.0 * R)),
                number(peg.angle),
                number(peg.friction),
                number(*s),
                format!("{m:.7}"),
                format!("{:.7}", peg.moment(*s)),
                format!("{:.5}", peg.line(*s)),
            ]
        })
    }
}

fn jamming(c: &Context, report: &mut Report) -> Result<(), ExperimentError> {
    let sides: &[f64] = c.pick(&[-2.0, 0.0, 2.0], &[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    let to = c.pick(1e-4, 1e-7);
    let mut all = Vec::new();
    for &(depth, angle, friction, round) in &PEGS[..c.pick(3, PEGS.len())] {
        let peg = Peg { depth: 2.0 * R * depth, angle, friction, round };
        (c.note)(&format!("whitney: depth {depth}, angle {angle}, friction {friction}"));
        let inside = sides.iter().copied().filter(|s| s.abs() < 1.0 / friction);
        let sideways: Vec<f64> = inside.collect();
        let moments = c.each(&sideways, |&s| peg.simulated(c, s, to * peg.lambda()))?;
        all.push(Found { peg, sideways, moments });
    }
    let head = [
        "peg",
        "depth / width",
        "angle [rad]",
        "friction",
        "Fx / Fz",
        "M / (r Fz), simulator",
        "balance of forces",
        "Whitney's line",
    ];
    let rows = all.iter().flat_map(Found::rows).collect();
    report.table("moments", "The moment at which the peg begins to slide", &head, rows);
    diagram(report, &all[0]);
    let worst = all.iter().map(|f| f.off(|s| f.peg.moment(s))).fold(0.0, f64::max);
    report.claim(
        "The peg begins to slide where both contacts are at the limit of friction.",
        format!("off by {} of lambda at most", number(worst)),
        worst < c.pick(2e-4, 1e-6),
    );
    let off: Vec<(f64, f64)> =
        all.iter().map(|f| (f.peg.angle, f.off(|s| f.peg.line(s)))).collect();
    let told: Vec<String> =
        off.iter().map(|(a, e)| format!("{} at {} rad", number(*e), number(*a))).collect();
    report.claim(
        "For small angles that is the parallelogram of Whitney (1982).",
        format!("off by, as a part of lambda: {}", told.join(", ")),
        off.iter().all(|(a, e)| *e < 10.0 * a + 2.0 * to),
    );
    Ok(())
}

fn diagram(report: &mut Report, found: &Found) {
    let Found { peg, sideways, moments } = found;
    let ends = [-1.0 / peg.friction, 1.0 / peg.friction];
    let line = ends.map(|s| peg.line(s)).to_vec();
    let negative = |x: &[f64]| x.iter().map(|v| -v).collect::<Vec<f64>>();
    report.figure(
        "diagram",
        "Between the lines the peg slides in; depth of one width, friction 0.3",
        vec![
            curve("Whitney's line", ends.to_vec(), line.clone()),
            curve("the same, other corner", negative(&ends), negative(&line)),
            curve("simulator", sideways.clone(), moments.clone()),
            curve("simulator, mirrored", negative(sideways), negative(moments)),
        ],
        over("Whitney's diagram", "Fx / Fz", "M / (r Fz)", (false, false)),
    );
}

fn wedging(report: &mut Report) -> Result<(), ExperimentError> {
    let (mut rows, mut worst, mut line) = (Vec::new(), 0.0_f64, 0.0_f64);
    for depth in [0.2, 0.4, 0.6] {
        let peg = Peg { depth: 2.0 * R * depth, angle: 0.01, friction: 0.5, round: false };
        let asked = Options { friction: true, ..Options::default() };
        let found = statics(&peg.scene(0.0, 0.0)?, &asked)?;
        let least = found.friction.and_then(|f| f.coefficient).unwrap_or(f64::NAN);
        let right = peg.wedges_from();
        worst = worst.max((least - right).abs());
        line = line.max((least - depth).abs());
        rows.push(vec![number(depth), format!("{least:.6}"), format!("{right:.6}")]);
    }
    let head = ["l / (2 r)", "least friction, static program", "lines of force meet"];
    report.table("wedging", "Friction from which a push down the middle is held", &head, rows);
    report.claim(
        "A peg can be wedged where lambda is below 1: friction above l / (2 r).",
        format!(
            "off by {} from the forces at the limit at the true angle, by {} from l / (2 r)",
            number(worst),
            number(line)
        ),
        worst < 1e-6 && line < 0.01,
    );
    Ok(())
}
