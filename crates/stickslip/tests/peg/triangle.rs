//! The triangle drop of the thesis (5.2.1).

use stickslip::{
    BodyInit, Dimension,
    geometry::{Mat3, Solid, Vec3},
    settings::Epsilon,
};

use super::scene::{G, Wrong, run, settings, simulate};

/// Corners of an equilateral triangle with a corner up.
fn triangle(side: f64) -> Solid {
    let r = side / 3.0_f64.sqrt();
    let corner = |k: usize| {
        let t = std::f64::consts::TAU * k as f64 / 3.0;
        Vec3::new(r * t.sin(), r * t.cos(), 0.0)
    };
    Solid::polygon(&[corner(0), corner(2), corner(1)]).unwrap()
}

/// Final (x, y, theta) of the small triangle after 1.6 s, and the largest true depth on the way.
/// A name that ends in `-implicit` takes geometry at the end of the step. It starts with
/// `g h / 2` upward, which makes the scheme's free fall exact, so that what is left
/// is the error of the contact.
pub fn drop(formulation: &str, h: f64) -> (Vec3, f64) {
    let height = 4.9 / 3.0_f64.sqrt() + 2.45 / (2.0 * 3.0_f64.sqrt()) + 0.5;
    let small = BodyInit::new(&triangle(2.45)).mass(1.0).inertia(Mat3::IDENTITY * 0.6495);
    let bodies = vec![
        BodyInit::new(&triangle(4.9)).friction(0.0).fixed(),
        small.friction(0.0).at(Vec3::new(0.6, height, 0.0)).velocity(Vec3::Y * (0.5 * G * h)),
    ];
    let mut setup = settings(formulation.trim_end_matches("-implicit"), h);
    if formulation.ends_with("-every") {
        setup.epsilon = Epsilon::Fixed(10.0 * h);
    }
    setup.implicit = formulation.ends_with("-implicit");
    let mut sim = simulate(Dimension::Two, -Vec3::Y * G, bodies, setup);
    let met = run(&mut sim, 1.6, 1);
    assert_eq!(met.failures, 0, "{formulation}, h {h}: {met:?}");
    let at = sim.state.q[1].position;
    (Vec3::new(at.x, at.y, sim.state.angle[1]), met.depth)
}

/// The end state converges linearly to that of a fine run, at least ten times closer than with
/// the corrective method, also where the geometry is taken at the end of the step.
#[test]
fn triangle_drop_is_first_order() {
    let mut wrong = Wrong::default();
    let steps = [0.001, 0.002, 0.004, 0.008, 0.016];
    let truth = drop("peg", 1e-4).0;
    let off = |f: &str, h: f64| (drop(f, h).0 - truth).abs().max_element();
    let corrective = steps.iter().fold(0.0_f64, |m, &h| m.max(off("corrective", h)));
    for formulation in ["peg", "peg-implicit", "separation", "separation-implicit"] {
        for h in steps {
            let error = off(formulation, h);
            println!("{formulation}, h {h}: {:.2} mm", 1e3 * error);
            wrong.check(error < 2.0 * h && 10.0 * error < corrective, || {
                format!("{formulation}, h {h}: off by {error}, corrective by {corrective}")
            });
        }
    }
    wrong.none();
}

/// The standard model as the thesis has it, every contact within `10 h` a half-space, holds a
/// corner of the small triangle between the two upper sides of the large one: figure 5.6. With
/// the choice of one face for each vertex, `stewart-trinkle` does not.
#[test]
fn standard_model_sticks() {
    let mut wrong = Wrong::default();
    let free = drop("peg", 0.001).0;
    for h in [0.001, 0.002, 0.004, 0.008, 0.016] {
        let stuck = drop("stewart-trinkle-every", h).0;
        wrong.check(stuck.y - free.y > 1.5, || format!("h {h}: ends at {stuck}, free at {free}"));
        let off = (drop("stewart-trinkle", h).0 - free).abs().max_element();
        wrong.check(off < 2.0 * 0.016, || format!("h {h}: stewart-trinkle is off by {off}"));
    }
    wrong.none();
}
