//! Ten staggered squares fall onto each other and must stay.

use stickslip::{Dimension, Simulator, geometry::Vec3, settings::Epsilon};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, snapshot},
    report::{curve, number, over_time},
    scene::{self, G, MODELS, MODELS_NOTE, Random, STANDARD, rectangle, settings, simulate},
};

const SEED: u64 = 10;

/// Where the boxes stand sideways \[m\].
fn offsets() -> Vec<f64> {
    let mut random = Random::new(SEED);
    (0..10).map(|_| 0.1 * random.signed()).collect()
}

fn build(formulation: &str) -> Result<Simulator, ExperimentError> {
    let mut bodies = Vec::new();
    for (k, x) in offsets().into_iter().enumerate() {
        let body = rectangle(1.0, 1.0)?.friction(0.0).at(Vec3::new(x, 1.25 * k as f64, 0.0));
        bodies.push(if k == 0 { body.fixed() } else { body });
    }
    let mut s = settings(formulation, 0.005);
    s.epsilon = Epsilon::Fixed(0.07);
    simulate(Dimension::Two, -Vec3::Y * G, bodies, s)
}

/// How far the boxes are from where they would stand \[m\].
fn off(sim: &Simulator, offsets: &[f64]) -> f64 {
    let places = offsets.iter().enumerate().map(|(k, &x)| Vec3::new(x, k as f64, 0.0));
    places.zip(&sim.state.q).map(|(p, q)| (q.position - p).length()).fold(0.0, f64::max)
}

fn intro(time: f64) -> Report {
    let mut report = Report::about(
        "Ten unit squares, each a little aside and 0.25 m above the one below, fall onto a static \
         one. Their centres stay over each other, so that the stack must stand without friction.",
    );
    report
        .set("h = 0.005 s, epsilon = 0.07 m, offsets even in ±0.1 m, gaps of 0.25 m, as printed.");
    report.set(format!("Mass 1 kg, friction 0, {time} s (ours)."));
    report.set(MODELS_NOTE);
    report.seeds = vec![SEED];
    report
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let time = c.pick(5.0, 20.0);
    let mut report = intro(time);
    let offsets = offsets();
    let (mut rows, mut curves, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let window = Window { x: (-2.5, 2.5), y: (-1.0, 12.0) };
    let models: Vec<_> = MODELS.into_iter().chain([("lnc", "LNC")]).collect();
    let runs = c.each(&models, |(name, _)| {
        (c.note)(&format!("box-stack: {name}"));
        let mut sim = build(name)?;
        let trace = scene::run(c, &mut sim, (time, true), |s| off(s, &offsets))?;
        Ok((sim, trace))
    })?;
    for ((name, label), (sim, trace)) in models.into_iter().zip(runs) {
        let end = off(&sim, &offsets);
        ends.push((name, end));
        rows.push(vec![
            label.into(),
            number(end),
            number(trace.depth),
            trace.spurious.to_string(),
            trace.ended.clone().unwrap_or_else(|| "no".into()),
        ]);
        curves.push(curve(label, trace.time, trace.value.iter().map(|v| v.max(1e-16)).collect()));
        let caption = format!("{label} after {} s", number(sim.state.time));
        report.picture(&format!("stack-{name}"), caption, snapshot(&sim, window));
    }
    let title = format!("Box stack: largest distance from the place of rest, seed {SEED}");
    report.figure(
        "drift",
        "How far the boxes are from where they come to rest",
        curves,
        over_time(&title, "distance [m]", true),
    );
    let head = ["model", "off at the end [m]", "depth [m]", "spurious", "failed"];
    report.table("ends", "The stack at the end", &head, rows);
    let of = |name: &str| ends.iter().find(|e| e.0 == name).map_or(f64::NAN, |e| e.1);
    judge(&mut report, &of, time);
    Ok(report)
}

fn judge(report: &mut Report, of: &dyn Fn(&str) -> f64, time: f64) {
    report.claim(
        "With PEG all boxes come to rest in contact and stay for thousands of steps.",
        format!("off by {} m after {} steps", number(of("peg")), (time / 0.005) as u64),
        of("peg") < 1e-6,
    );
    report.claim(
        "The corrective method rebounds and the stack falls apart.",
        format!("off by {} m", number(of("corrective"))),
        of("corrective") > 1.0,
    );
    report.claim(
        "The standard model shifts boxes sideways by false contacts at the corners.",
        format!(
            "off by {} m; with one face for each vertex (stewart-trinkle) {} m",
            number(of(STANDARD)),
            number(of("stewart-trinkle"))
        ),
        of(STANDARD) > 1e-3,
    );
    report.claim(
        "(Ours) `separation` stands as well.",
        format!("off by {} m", number(of("separation"))),
        of("separation") < 1e-6,
    );
}
