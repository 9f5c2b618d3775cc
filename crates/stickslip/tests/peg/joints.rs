//! Joints and exact contacts in one problem.

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    settings::ProblemForm,
};

use super::scene::{G, Wrong, settings};

/// A cart of two wheels (2 kg, radius 0.25) and a chassis (5 kg) on a slope of 15 degrees rolls at
/// `g sin (M + 2 m) / (M + 2 m + 2 J / r²)`.
#[test]
fn cart_rolls_down_at_the_analytic_rate() {
    let slope = 15f64.to_radians();
    let expected = G * slope.sin() * 9.0 / (9.0 + 2.0);
    for formulation in ["peg", "peg-several", "lnc"] {
        let mut builder = ModelBuilder::new(Dimension::Two);
        builder.gravity(Vec3::new(G * slope.sin(), -G * slope.cos(), 0.0));
        builder.add(BodyInit::new(&Solid::half_plane(Vec3::Y).unwrap())).unwrap();
        let chassis = BodyInit::new(&Solid::rectangle(1.4, 0.2).unwrap()).mass(5.0);
        let chassis = builder.add(chassis.at(Vec3::Y * 0.25)).unwrap();
        for x in [-0.5, 0.5] {
            let at = Vec3::new(x, 0.25, 0.0);
            let wheel = BodyInit::new(&Solid::disc(0.25).unwrap()).mass(2.0).friction(0.8);
            let wheel = builder.add(wheel.at(at)).unwrap();
            builder.joint(JointInit::revolute(chassis, wheel).at(at)).unwrap();
        }
        let setup = Settings { stabilization: "shake".into(), ..settings(formulation, 0.01) };
        let (model, state) = builder.build();
        let mut sim = Simulator::new(model, state, setup).unwrap();
        for _ in 0..100 {
            let report = sim.step().unwrap();
            assert_eq!(report.solves.failures, 0);
            assert!(report.joint_error < 1e-9, "{formulation}: {:e}", report.joint_error);
        }
        let v = sim.state.nu[1].linear.x;
        assert!((v / expected - 1.0).abs() < 1e-6, "{formulation}: {v}, not {expected}");
    }
}

/// A double pendulum with a limit in its elbow whose lower link lands on the corner of a box: joints
/// and limit hold, nothing overlaps beyond the error of the rotation, and both forms of the problem
/// agree.
#[test]
fn pendulum_lands_on_a_corner() {
    let end = |form| {
        let mut builder = ModelBuilder::new(Dimension::Two);
        builder.gravity(-Vec3::Y * G);
        let block = BodyInit::new(&Solid::rectangle(1.0, 1.0).unwrap()).fixed().friction(0.3);
        builder.add(block.at(Vec3::new(0.9, -1.4, 0.0))).unwrap();
        let link = || BodyInit::new(&Solid::rectangle(0.6, 0.1).unwrap()).friction(0.3);
        let upper = builder.add(link().at(Vec3::X * 0.3)).unwrap();
        let lower = builder.add(link().at(Vec3::X * 0.9)).unwrap();
        builder.joint(JointInit::revolute(None, upper)).unwrap();
        let elbow = JointInit::revolute(upper, lower).at(Vec3::X * 0.6);
        builder.joint(elbow.limits(-0.5, 0.5)).unwrap();
        let setup = Settings {
            stabilization: "shake".into(),
            problem_form: form,
            ..settings("peg", 0.002)
        };
        let (model, state) = builder.build();
        let mut sim = Simulator::new(model, state, setup).unwrap();
        let (mut wrong, mut pushed) = (Wrong::default(), 0);
        for step in 0..500 {
            let report = sim.step().unwrap();
            pushed += usize::from(report.contacts > 0);
            let depth = stickslip::oracle::measure(&sim.model, &sim.state).depth;
            let bend = sim.state.angle[2] - sim.state.angle[1];
            let fine = report.solves.failures == 0
                && report.joint_error < 1e-8
                && depth < 1e-3
                && bend.abs() < 0.5 + 1e-6;
            wrong.check(fine, || format!("step {step}: depth {depth}, bend {bend}, {report:?}"));
        }
        wrong.none();
        assert!(pushed > 10, "it never landed");
        sim.state.q[2].position
    };
    let (condensed, full) = (end(ProblemForm::Condensed), end(ProblemForm::Full));
    assert!(condensed.distance(full) < 1e-6, "{condensed} {full}");
}
