//! A mobile robot and a humanoid on wheels: the time of steps with penalty forces and with LCPs.

use std::time::Instant;

use stickslip::{
    BodyId, BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, snapshot},
    report::number,
    scene::{largest, wrong},
};

/// A base with two driven wheels and a ball that glides; with `arms` a body of 18 more joints.
fn build(settings: Settings, arms: bool) -> Result<Simulator, ExperimentError> {
    let mut b = ModelBuilder::new(Dimension::Three);
    b.add(BodyInit::new(&Solid::half_space(Vec3::Z).map_err(wrong)?)).map_err(wrong)?;
    let solid = |x: f64, y: f64, z: f64| Solid::cuboid(Vec3::new(x, y, z)).map_err(wrong);
    let base = BodyInit::new(&solid(0.6, 0.4, 0.1)?).named("base").mass(10.0);
    let base = b.add(base.at(Vec3::Z * 0.2)).map_err(wrong)?;
    // Ten sides on the ground at most: a wheel of 20 sides stands on one of them.
    let wheel = Solid::cylinder(0.15, 0.05, 20).map_err(wrong)?;
    let turned = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2)
        * Quat::from_rotation_z(std::f64::consts::PI / 20.0);
    for side in [-1.0, 1.0] {
        let at = Vec3::new(0.1, 0.25 * side, 0.15 * (std::f64::consts::PI / 20.0).cos());
        let body = BodyInit::new(&wheel).mass(1.0).friction(0.8).at(at).turned(turned);
        let body = b.add(body).map_err(wrong)?;
        let joint = JointInit::revolute(base, body).at(at).along(Vec3::Y);
        b.joint(joint.velocity_motor(2.0, 5.0)).map_err(wrong)?;
    }
    let ball = BodyInit::new(&Solid::sphere(0.05).map_err(wrong)?).mass(0.5).friction(0.0);
    let at = Vec3::new(-0.22, 0.0, 0.05);
    let ball = b.add(ball.at(at)).map_err(wrong)?;
    b.joint(JointInit::fixed(base, ball).at(at)).map_err(wrong)?;
    if arms {
        let mut last = chain(&mut b, base, Vec3::Z * 0.25, Vec3::Z, 2)?;
        let top = Vec3::Z * 0.65;
        for side in [-1.0, 1.0] {
            chain(&mut b, last, top + Vec3::Y * (0.1 * side), Vec3::Y * side, 7)?;
        }
        last = chain(&mut b, last, top, Vec3::Z, 2)?;
        let _head: BodyId = last;
    }
    let (model, state) = b.build();
    Simulator::new(model, state, settings).map_err(wrong)
}

/// Links of 0.2 m along a direction, each on a hinge with a stiff drive.
fn chain(
    b: &mut ModelBuilder,
    from: BodyId,
    start: Vec3,
    along: Vec3,
    n: usize,
) -> Result<BodyId, ExperimentError> {
    let mut parent = from;
    let size = along.abs() * 0.15 + (Vec3::ONE - along.abs()) * 0.06;
    let link = Solid::cuboid(size).map_err(wrong)?;
    for k in 0..n {
        let joint_at = start + along * (0.2 * k as f64);
        let mut body = BodyInit::new(&link).mass(0.4).at(joint_at + along * 0.1);
        body.body.collides = false;
        let body = b.add(body).map_err(wrong)?;
        let axis = if k % 2 == 0 { Vec3::X } else { Vec3::Z };
        let joint = JointInit::revolute(parent, body).at(joint_at).along(axis);
        b.joint(joint.position_motor(0.1, 100.0, 10.0)).map_err(wrong)?;
        parent = body;
    }
    Ok(parent)
}

/// Steps per second over the steps, and how far the robot came \[m\].
fn speed(c: &Context, sim: &mut Simulator, steps: usize) -> Result<(f64, f64), ExperimentError> {
    let begin = Instant::now();
    for _ in 0..steps {
        c.go_on()?;
        sim.step().map_err(wrong)?;
    }
    Ok((steps as f64 / begin.elapsed().as_secs_f64(), sim.state.q[1].position.x))
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let steps = c.pick(1000, 2500);
    let mut report = Report::about(
        "Two robots drive over a plane: one with two driven wheels and a gliding ball, and a \
         humanoid on the same base with 26 degrees of freedom. The time of the steps is compared.",
    );
    report.set(format!("{steps} steps (paper: 2500), h = 0.001 s; wheels of 20 sides, motors of 2 rad/s and 5 N m, all sizes ours. Joints are held by their velocities alone (stabilization none); the default, which closes them to round-off, costs both methods more, and the penalty method the larger part of its time."));
    report.set("LCP: stewart-trinkle with the solvers auto, pivotal and pgs; the paper's was a \"generic iterative method\". A claim holds if the penalty method is faster than any of them, and by the printed factor than one. Times on one machine in one run; they vary.");
    let (mut rows, mut rates) = (Vec::new(), Vec::new());
    for (arms, robot) in [(false, "mobile robot"), (true, "humanoid")] {
        for (formulation, solver) in [
            ("penalty", "auto"),
            ("stewart-trinkle", "auto"),
            ("stewart-trinkle", "pivotal"),
            ("stewart-trinkle", "pgs"),
        ] {
            (c.note)(&format!("robot-speed: {robot}, {formulation}, {solver}"));
            let settings = Settings {
                step: 1e-3,
                formulation: formulation.into(),
                solver: solver.into(),
                threads: 1,
                stabilization: "none".into(),
                ..Settings::default()
            };
            let mut sim = build(settings, arms)?;
            let (rate, way) = speed(c, &mut sim, steps)?;
            rates.push(rate);
            let method = if formulation == "penalty" {
                "penalty".to_owned()
            } else {
                format!("LCP, {solver}")
            };
            rows.push(vec![robot.into(), method, number(rate), number(1e6 / rate), number(way)]);
            if formulation == "penalty" {
                let window = Window { x: (-1.0, 2.2), y: (-0.5, 1.8) };
                report.picture(
                    &format!("robot-{arms}"),
                    format!(
                        "{robot}, {} degrees of freedom, after {steps} steps",
                        6 + 2 + if arms { 18 } else { 0 }
                    ),
                    snapshot(&sim, window),
                );
            }
        }
    }
    let head = ["robot", "method", "steps per second", "time per step [µs]", "way [m]"];
    report.table("speeds", "Speed", &head, rows);
    judge(&mut report, &rates);
    Ok(report)
}

/// How many times as fast as the LCP method the penalty method is, with each solver for the LCPs.
fn judge(report: &mut Report, rates: &[f64]) {
    for (first, paper, printed) in [
        (
            0,
            "Mobile robot: the penalty method is 2.5 times as fast as the LCP method (80.6 against 32.6 steps per second).",
            2.5,
        ),
        (4, "Humanoid: 7 times as fast (30.7 against 4.4 steps per second).", 7.0),
    ] {
        let times: Vec<f64> = (1..4).map(|k| rates[first] / rates[first + k]).collect();
        let [auto, pivotal, pgs] = [times[0], times[1], times[2]].map(number);
        report.claim(
            paper,
            format!(
                "{auto} times with the solver auto ({} against {} steps per second), {pivotal} times with pivotal, {pgs} times with pgs",
                number(rates[first]),
                number(rates[first + 1])
            ),
            times[0] > 1.0 && largest(&times) >= printed,
        );
    }
    report.claim(
        "(Ours) Both methods are far faster than the paper's, on a newer machine.",
        format!(
            "the LCP method makes {} steps per second on the humanoid, the paper's 4.4",
            number(rates[5])
        ),
        rates[5] > 4.4,
    );
}
