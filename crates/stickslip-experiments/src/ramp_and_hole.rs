//! dvc3D's two scenes: a ramp with a hairline crack, and a hole that fits by five thousandths.

use stickslip::{Dimension, Simulator, geometry::Vec3};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, around, snapshot},
    report::{curve, number, over_time},
    scene::{self, G, builtin, cuboid, settings, simulate},
};

const MODELS: [(&str, &str); 4] = [
    ("lnc", "new model (LNC)"),
    ("stewart-trinkle", "old model (standard)"),
    ("peg", "PEG"),
    ("separation", "separation"),
];

/// A box on a ramp of two slabs that leans by 0.5 rad, 1 mm apart; gravity leans instead.
fn cracked(formulation: &str, h: f64) -> Result<Simulator, ExperimentError> {
    let slab = |x: f64| -> Result<_, ExperimentError> {
        Ok(cuboid(Vec3::new(3.0, 2.0, 0.5))?.friction(0.0).fixed().at(Vec3::new(x, 0.0, -0.25)))
    };
    let body = cuboid(Vec3::splat(0.5))?.friction(0.0).at(Vec3::new(1.0, 0.0, 0.35));
    let gravity = Vec3::new(0.5_f64.sin(), 0.0, -0.5_f64.cos()) * G;
    simulate(
        Dimension::Three,
        gravity,
        vec![slab(1.5)?, slab(4.501)?, body],
        settings(formulation, h),
    )
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
    let (mut rows, mut curves, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let window = Window { x: (-1.0, 6.5), y: (-2.5, 3.0) };
    for (name, label) in MODELS {
        (c.note)(&format!("cracked-ramp: {name}"));
        let mut sim = cracked(name, 0.008)?;
        let trace = scene::run(&mut sim, 1.2, true, |s| s.state.nu[2].linear.x);
        let v = sim.state.nu[2].linear.x;
        let lost = 1.0 - v / (G * 0.5_f64.sin() * sim.state.time);
        let turned = sim.state.q[2].orientation.angle_between(stickslip::geometry::Quat::IDENTITY);
        ends.push((name, lost, turned));
        rows.push(vec![
            label.into(),
            number(lost),
            number(turned),
            number(trace.depth),
            trace.traps.to_string(),
        ]);
        curves.push(curve(label, trace.time, trace.value));
        report.picture(
            &format!("ramp-{name}"),
            format!("{label}, t = 1.2 s"),
            snapshot(&sim, window),
        );
    }
    let title = "Cracked ramp: speed along the ramp, h = 0.008 s";
    report.figure("speed", "Speed along the ramp", curves, over_time(title, "v [m/s]", false));
    report.table(
        "ends",
        "After 1.2 s",
        &["model", "share of speed lost", "turned [rad]", "depth [m]", "traps"],
        rows,
    );
    let of =
        |name: &str| ends.iter().find(|e| e.0 == name).map_or((f64::NAN, f64::NAN), |e| (e.1, e.2));
    let (lost, turned) = of("lnc");
    report.claim(
        "With the new contact model the box slides to the end.",
        format!("LNC: lost {} of its speed, turned by {} rad", number(lost), number(turned)),
        lost.abs() < 1e-6 && turned < 1e-6,
    );
    let (lost, turned) = of("stewart-trinkle");
    report.claim(
        "With the old contact model the crack makes the box tumble.",
        format!(
            "standard model: lost {} of its speed, turned by {} rad",
            number(lost),
            number(turned)
        ),
        lost.abs() > 0.01 || turned > 0.01,
    );
    let (lost, turned) = of("separation");
    report.claim(
        "(Ours) `separation` slides over as over one plane.",
        format!("lost {} of its speed, turned by {} rad", number(lost), number(turned)),
        lost.abs() < 1e-9 && turned < 1e-7,
    );
    Ok(report)
}

pub fn hole(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A box 9.99 wide falls into a hole 10 wide. It has room and must fall to the floor.",
    );
    report.set("h = 0.0125 s, widths 9.99 and 10, as printed; the rest as in the built-in scene tight-hole.");
    let (mut rows, mut curves, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let scene_of = stickslip_scene::Scene::open("tight-hole", &[]).map_err(scene::wrong)?;
    let falls = scene_of.model.ids().find(|&id| scene_of.model.dof(id).is_some());
    let body = falls.map_or(0, stickslip::BodyId::index);
    let time = scene_of.settings.duration;
    let up = |p: Vec3| if scene_of.model.dimension() == Dimension::Two { p.y } else { p.z };
    for (name, label) in MODELS {
        (c.note)(&format!("tight-hole: {name}"));
        let mut sim = builtin("tight-hole", settings(name, 0.0125))?;
        let window = around(&sim);
        if name == "lnc" {
            report.picture("start", "the start".into(), snapshot(&sim, window));
        }
        let trace = scene::run(&mut sim, time, true, |s| up(s.state.q[body].position));
        ends.push((name, up(sim.state.q[body].position)));
        rows.push(vec![
            label.into(),
            number(up(sim.state.q[body].position)),
            number(trace.depth),
            trace.traps.to_string(),
        ]);
        curves.push(curve(label, trace.time, trace.value));
        report.picture(
            &format!("hole-{name}"),
            format!("{label}, t = {time} s"),
            snapshot(&sim, window),
        );
    }
    let title = "Tight hole: height of the box, h = 0.0125 s";
    report.figure("height", "Height of the box", curves, over_time(title, "height [m]", false));
    report.table("ends", "At the end", &["model", "height [m]", "depth [m]", "traps"], rows);
    let of = |name: &str| ends.iter().find(|e| e.0 == name).map_or(f64::NAN, |e| e.1);
    let floor = ends.iter().map(|e| e.1).fold(f64::INFINITY, f64::min);
    let fell = |name: &str| (of(name) - floor).abs() < 1e-6;
    report.claim(
        "With the new model the box falls to the floor.",
        format!("LNC ends at {} m, the floor holds it at {} m", number(of("lnc")), number(floor)),
        fell("lnc"),
    );
    report.claim(
        "With the old model it is caught at the rim.",
        format!("standard model ends at {} m", number(of("stewart-trinkle"))),
        !fell("stewart-trinkle"),
    );
    report.claim(
        "(Ours) `separation` and PEG fall to the floor.",
        format!("{} m and {} m", number(of("separation")), number(of("peg"))),
        fell("separation") && fell("peg"),
    );
    Ok(report)
}
