//! dvc3D's two scenes: a ramp with a hairline crack, and a hole that fits by five thousandths.

use stickslip::{
    BodyInit, Dimension, Model, Simulator, State,
    collide::{self, CollideError, CollisionDetector, Contact, Feature, Query},
    geometry::{Quat, Vec3},
};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, around, snapshot},
    report::{curve, number, over_time},
    scene::{self, G, STANDARD, cuboid, rectangle, settings, simulate, wrong},
};

/// The paper's contact is "a vertex in the first body" and "a polygonal convex subset of the second":
/// it knows no pairs of edges.
const NEW: &str = "lnc without edge pairs";

const MODELS: [(&str, &str); 6] = [
    (NEW, "new model (LNC)"),
    ("lnc", "LNC with pairs of edges"),
    (STANDARD, "old model (all contacts)"),
    ("stewart-trinkle", "stewart-trinkle"),
    ("peg", "PEG"),
    ("separation", "separation"),
];

const NOTES: [&str; 2] = [
    "The paper shows both scenes in the plane and calls the extension to space straightforward. Its \
     contact is a vertex against a convex set of faces; pairs of edges, which exist in space alone, \
     have no place in it. The new model is run like that; `lnc` of Stickslip keeps pairs of edges \
     as half-spaces, so that edges cannot cross, and is shown beside it.",
    "Old model: every contact within reach by itself; a problem without solution ends the run. \
     `stewart-trinkle` takes one face for each vertex.",
];

/// Contacts of vertices alone.
struct Vertices(Box<dyn CollisionDetector>);

impl CollisionDetector for Vertices {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        let mut contacts = self.0.detect(model, state, query)?;
        let edge = |f: Feature| matches!(f, Feature::Edge(_));
        contacts.retain(|c| !(edge(c.a.feature) && edge(c.b.feature)));
        Ok(contacts)
    }
}

/// A simulator of a model by its name here.
fn modelled(
    dimension: Dimension,
    gravity: Vec3,
    bodies: Vec<BodyInit>,
    (name, step): (&str, f64),
) -> Result<Simulator, ExperimentError> {
    let formulation = if name == NEW { "lnc" } else { name };
    let mut sim = simulate(dimension, gravity, bodies, settings(formulation, step))?;
    if name == NEW {
        let inner = collide::make(&sim.settings.detector).map_err(wrong)?;
        sim.pipeline.detector = Box::new(Vertices(inner));
    }
    Ok(sim)
}

const PLACES: [(Dimension, &str); 2] = [(Dimension::Two, "plane"), (Dimension::Three, "space")];

/// Every model in the plane, then in space.
fn runs() -> Vec<(Dimension, &'static str)> {
    PLACES.iter().flat_map(|place| MODELS.map(|model| (place.0, model.0))).collect()
}

fn up(dimension: Dimension) -> Vec3 {
    if dimension == Dimension::Two { Vec3::Y } else { Vec3::Z }
}

/// A box or rectangle of that width, depth (in space) and height.
fn block(
    dimension: Dimension,
    width: f64,
    depth: f64,
    height: f64,
) -> Result<BodyInit, ExperimentError> {
    let body = match dimension {
        Dimension::Two => rectangle(width, height)?,
        Dimension::Three => cuboid(Vec3::new(width, depth, height))?,
    };
    Ok(body.friction(0.0))
}

/// A box on a ramp of two slabs that leans by 0.5 rad, 1 mm apart; gravity leans instead.
fn cracked(dimension: Dimension, name: &str) -> Result<Simulator, ExperimentError> {
    let up = up(dimension);
    let slab = |x: f64| -> Result<_, ExperimentError> {
        Ok(block(dimension, 3.0, 2.0, 0.5)?.fixed().at(Vec3::X * x - up * 0.25))
    };
    let body = block(dimension, 0.5, 0.5, 0.5)?.at(Vec3::X + up * 0.35);
    let gravity = (Vec3::X * 0.5_f64.sin() - up * 0.5_f64.cos()) * G;
    let bodies = vec![slab(1.5)?, slab(4.501)?, body];
    modelled(dimension, gravity, bodies, (name, 0.008))
}

pub fn ramp(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A box falls 0.1 m onto a ramp and slides down over a crack of 1 mm between two slabs. The \
         crack is far too narrow to hold anything: the box must go on as on one plane.",
    );
    report.set(
        "h = 0.008 s as printed; ramp of 0.5 rad, crack 1 mm, box of 0.5 m, no friction (ours).",
    );
    report.set("Speeds along the ramp; the exact one is g sin(0.5) t.");
    NOTES.iter().for_each(|note| report.set(*note));
    let (mut rows, mut curves, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut done = c
        .each(&runs(), |&(dimension, name)| {
            (c.note)(&format!("cracked-ramp: {name}, {dimension:?}"));
            let mut sim = cracked(dimension, name)?;
            let trace = scene::run(c, &mut sim, (1.2, true), |s| s.state.nu[2].linear.x)?;
            Ok((sim, trace))
        })?
        .into_iter();
    for (dimension, place) in PLACES {
        for ((name, label), (sim, trace)) in MODELS.into_iter().zip(&mut done) {
            let v = sim.state.nu[2].linear.x;
            let lost = 1.0 - v / (G * 0.5_f64.sin() * sim.state.time);
            let turned = sim.state.q[2].orientation.angle_between(Quat::IDENTITY);
            ends.push((place, name, lost, turned));
            let ended = trace.ended.as_ref().map_or("no", |_| "yes");
            rows.push(vec![
                place.into(),
                label.into(),
                number(lost),
                number(turned),
                number(trace.depth),
                trace.spurious.to_string(),
                ended.into(),
            ]);
            if dimension == Dimension::Two {
                curves.push(curve(label, trace.time, trace.value));
            } else {
                let window = Window { x: (-1.0, 6.5), y: (-2.5, 3.5) };
                let caption = format!("{label}, t = {} s", number(sim.state.time));
                report.picture(
                    &format!("ramp-{}", name.replace(' ', "-")),
                    caption,
                    snapshot(&sim, window),
                );
            }
        }
    }
    let title = "Cracked ramp in the plane: speed along the ramp, h = 0.008 s";
    report.figure("speed", "Speed along the ramp", curves, over_time(title, "v [m/s]", false));
    let head =
        ["in", "model", "share of speed lost", "turned [rad]", "depth [m]", "spurious", "failed"];
    report.table("ends", "After 1.2 s", &head, rows);
    let of = |place: &str, name: &str| {
        let found = ends.iter().find(|e| e.0 == place && e.1 == name);
        found.map_or((f64::NAN, f64::NAN), |e| (e.2, e.3))
    };
    judge_ramp(&mut report, &of);
    Ok(report)
}

fn judge_ramp(report: &mut Report, of: &dyn Fn(&str, &str) -> (f64, f64)) {
    let says = |(lost, turned): (f64, f64)| {
        format!("lost {} of its speed, turned by {} rad", number(lost), number(turned))
    };
    let fine = |(lost, turned): (f64, f64)| lost.abs() < 1e-6 && turned < 1e-6;
    let (flat, deep) = (of("plane", NEW), of("space", NEW));
    report.claim(
        "With the new contact model the box slides to the end.",
        format!(
            "in the plane: {}; in space: {}; with pairs of edges as half-spaces (`lnc`) in space: {}",
            says(flat),
            says(deep),
            says(of("space", "lnc"))
        ),
        fine(flat) && fine(deep),
    );
    let (flat, deep) = (of("plane", STANDARD), of("space", STANDARD));
    report.claim(
        "With the old contact model the crack makes the box tumble.",
        format!("in the plane: {}; in space: {}", says(flat), says(deep)),
        !fine(flat) && !fine(deep),
    );
    let (flat, deep) = (of("plane", "separation"), of("space", "separation"));
    report.claim(
        "(Ours) `separation` slides over as over one plane.",
        format!("in the plane: {}; in space: {}", says(flat), says(deep)),
        fine(flat) && fine(deep),
    );
}

/// Walls around a hole 10 wide and 12 deep, a floor, and a box 9.99 wide above.
fn tight(dimension: Dimension, name: &str) -> Result<Simulator, ExperimentError> {
    let up = up(dimension);
    let mut bodies = Vec::new();
    for side in [-1.0, 1.0] {
        bodies.push(
            block(dimension, 10.0, 30.0, 12.0)?.fixed().at(Vec3::X * (10.0 * side) - up * 6.0),
        );
        if dimension == Dimension::Three {
            let wall = block(dimension, 10.0, 10.0, 12.0)?.fixed();
            bodies.push(wall.at(Vec3::Y * (10.0 * side) - up * 6.0));
        }
    }
    bodies.push(block(dimension, 30.0, 30.0, 2.0)?.fixed().at(up * -13.0));
    bodies.push(block(dimension, 9.99, 9.99, 9.99)?.at(up * 6.0));
    modelled(dimension, up * -G, bodies, (name, 0.0125))
}

/// Height of the last body \[m\].
fn height(sim: &Simulator) -> f64 {
    let up = up(sim.model.dimension());
    sim.state.q.last().map_or(f64::NAN, |q| q.position.dot(up))
}

pub fn hole(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A box 9.99 wide falls into a hole 10 wide. It has room and must fall to the floor.",
    );
    report.set("h = 0.0125 s, widths 9.99 and 10, as printed; hole 12 deep, box let go 1 m above it, no friction (ours).");
    NOTES.iter().for_each(|note| report.set(*note));
    let (mut rows, mut curves, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let floor = -12.0 + 0.5 * 9.99;
    let mut done = c
        .each(&runs(), |&(dimension, name)| {
            (c.note)(&format!("tight-hole: {name}, {dimension:?}"));
            let mut sim = tight(dimension, name)?;
            let window = around(&sim);
            let trace = scene::run(c, &mut sim, (2.5, true), height)?;
            Ok((sim, trace, window))
        })?
        .into_iter();
    for (dimension, place) in PLACES {
        for ((name, label), (sim, trace, window)) in MODELS.into_iter().zip(&mut done) {
            let end = height(&sim);
            ends.push((place, name, end));
            let ended = trace.ended.as_ref().map_or("no", |_| "yes");
            rows.push(vec![
                place.into(),
                label.into(),
                number(end),
                number(trace.depth),
                trace.spurious.to_string(),
                ended.into(),
            ]);
            if dimension == Dimension::Three {
                curves.push(curve(label, trace.time, trace.value));
            } else {
                let caption = format!("{label}, t = {} s", number(sim.state.time));
                report.picture(
                    &format!("hole-{}", name.replace(' ', "-")),
                    caption,
                    snapshot(&sim, window),
                );
            }
        }
    }
    let title = "Tight hole in space: height of the box, h = 0.0125 s";
    report.figure("height", "Height of the box", curves, over_time(title, "height [m]", false));
    let head = ["in", "model", "height [m]", "depth [m]", "spurious", "failed"];
    report.table("ends", "After 2.5 s", &head, rows);
    let of =
        |name: &str| -> Vec<f64> { ends.iter().filter(|e| e.1 == name).map(|e| e.2).collect() };
    let fell = |name: &str| of(name).iter().all(|z| (z - floor).abs() < 1e-6);
    let says = |name: &str| {
        let z: Vec<String> = of(name).iter().map(|z| number(*z)).collect();
        format!("ends at {} m (plane, space); the floor is at {} m", z.join(" and "), number(floor))
    };
    report.claim("With the new model the box falls to the floor.", says(NEW), fell(NEW));
    let held = of(STANDARD).iter().all(|z| (z - floor).abs() > 1e-6);
    report.claim("With the old model it is caught at the rim.", says(STANDARD), held);
    report.claim("(Ours) `separation` falls to the floor.", says("separation"), fell("separation"));
    Ok(report)
}
