//! Friction and restitution on the contacts that push.

use stickslip::{
    BodyInit, Dimension, Settings, StepReport,
    geometry::{Solid, Vec3},
    settings::{Friction, Impact},
};

use super::scene::{G, Wrong, cube, run, settings, simulate, square, up};

const ALL: [&str; 5] = ["peg", "peg-whole", "peg-several", "separation", "lnc"];

/// A fixed slab with its upper face in the plane through the origin, ending at x = `end`.
fn slab(dimension: Dimension, end: f64) -> BodyInit {
    let solid = match dimension {
        Dimension::Two => Solid::rectangle(8.0, 1.0),
        Dimension::Three => Solid::cuboid(Vec3::new(8.0, 4.0, 1.0)),
    };
    BodyInit::new(&solid.unwrap()).fixed().at(Vec3::X * (end - 4.0) - up(dimension) * 0.5)
}

/// On a slope of `angle` a box sticks iff `tan(angle) < mu`, else it slides with
/// `g (sin(angle) - mu cos(angle))`; in the middle of the slope, and across its edge, where two of
/// its corners have the side of the slope before them.
#[test]
fn box_sticks_or_slides_as_coulomb_says() {
    let mut wrong = Wrong::default();
    let (angle, h, time) = (0.5_f64, 0.01, 0.3);
    for formulation in ALL {
        for (dimension, friction) in [
            (Dimension::Two, Friction::Linear),
            (Dimension::Three, Friction::Linear),
            (Dimension::Two, Friction::Quadratic),
            (Dimension::Three, Friction::Quadratic),
        ] {
            for (mu, end) in [(0.6, 4.0), (0.3, 4.0), (0.6, 0.15)] {
                let flat = dimension == Dimension::Two;
                let body = if flat { square(0.4) } else { cube(0.4) };
                let bodies = vec![
                    slab(dimension, end).friction(mu),
                    body.friction(mu).at(up(dimension) * 0.2),
                ];
                let gravity = (Vec3::X * angle.sin() - up(dimension) * angle.cos()) * G;
                let setup = Settings { friction, ..settings(formulation, h) };
                let mut sim = simulate(dimension, gravity, bodies, setup);
                let met = run(&mut sim, time, 0);
                let a = (G * (angle.sin() - mu * angle.cos())).max(0.0);
                let expected = Vec3::X * (a * time * (time + h) / 2.0) + up(dimension) * 0.2;
                let error = sim.state.q[1].position.distance(expected);
                wrong.check(error < 1e-9 && met.failures == 0, || {
                    format!("{formulation}, {dimension:?}, {friction:?}, mu {mu}, end {end}: {error:e}, {met:?}")
                });
            }
        }
    }
    wrong.none();
}

/// A box that lands flat leaves with `e` times the speed it came with, by either law.
#[test]
fn box_rebounds() {
    let mut wrong = Wrong::default();
    for formulation in ALL {
        for impact in [Impact::Newton, Impact::Poisson] {
            for dimension in [Dimension::Two, Dimension::Three] {
                let flat = dimension == Dimension::Two;
                let body = if flat { square(0.4) } else { cube(0.4) };
                let (e, up) = (0.6, up(dimension));
                let bodies = vec![
                    slab(dimension, 4.0).friction(0.0).restitution(e),
                    body.restitution(e).at(up * 0.5).velocity(-up * 2.0),
                ];
                let mut setup = settings(formulation, 0.01);
                setup.impact = impact;
                let mut sim = simulate(dimension, Vec3::ZERO, bodies, setup);
                let met = run(&mut sim, 0.5, 1);
                let v = sim.state.nu[1].linear;
                let error = v.distance(up * 2.0 * e);
                wrong.check(error < 1e-9 && met.depth < 1e-9 && met.failures == 0, || {
                    format!("{formulation}, {impact:?}, {dimension:?}: left with {v}, {met:?}")
                });
            }
        }
    }
    wrong.none();
}

/// The report tells U, I and X apart: a box in the middle of a slab has unilateral constraints
/// alone; one across its edge has inter-contact ones as well.
#[test]
fn report_counts_kinds() {
    let counts = |end: f64| -> StepReport {
        let bodies = vec![slab(Dimension::Three, end).friction(0.0), cube(0.4).at(Vec3::Z * 0.2)];
        let setup = settings("peg", 0.01);
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, setup);
        sim.step().unwrap()
    };
    let middle = counts(4.0).constraints;
    assert_eq!((middle.unilateral, middle.inter, middle.cross), (4, 0, 0));
    let edge = counts(0.2).constraints;
    assert_eq!((edge.unilateral, edge.inter), (2, 2), "{edge:?}");
}

/// With the true cone a box that slides at an odd angle slows down by `mu g` along its way and keeps
/// to it, in every formulation that writes the cones of its contacts.
#[test]
fn true_cone_slows_down_along_the_way() {
    let mut wrong = Wrong::default();
    for formulation in ALL.into_iter().chain(["stewart-trinkle", "anitescu-potra"]) {
        let along = Vec3::new(17f64.to_radians().cos(), 17f64.to_radians().sin(), 0.0);
        let bodies = vec![
            slab(Dimension::Three, 4.0).friction(0.3),
            cube(0.4).friction(0.3).at(Vec3::Z * 0.2).velocity(along * 3.0),
        ];
        let mut setup = settings(formulation, 0.01);
        setup.friction = Friction::Quadratic;
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, setup);
        let met = run(&mut sim, 0.5, 0);
        let v = sim.state.nu[1].linear;
        let error = v.distance(along * (3.0 - 0.3 * G * 0.5));
        let aside = sim.state.q[1].position.dot(along.cross(Vec3::Z)).abs();
        wrong.check(error < 1e-7 && aside < 1e-9 && met.failures == 0, || {
            format!("{formulation}: off by {error:e} m/s and {aside:e} m aside, {met:?}")
        });
    }
    wrong.none();
}
