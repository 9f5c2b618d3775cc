//! Pegs in holes.

use stickslip::{
    BodyInit, Dimension, Simulator,
    geometry::{Quat, Solid, Vec3},
    settings::Epsilon,
};

use super::scene::{EXACT, G, Met, Wrong, cube, odd_rotation, run, settings, simulate};

/// Four fixed unit cubes around a unit hole, and a cube of edge `e` above it, shifted by `offset`
/// and tilted by `tilt`; the whole turned by `turn`.
pub fn peg_in_hole(
    formulation: &str,
    step: f64,
    e: f64,
    offset: Vec3,
    [turn, tilt]: [Quat; 2],
) -> Simulator {
    let mut bodies: Vec<BodyInit> = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y]
        .map(|x| cube(1.0).fixed().at(turn * x).turned(turn))
        .to_vec();
    bodies.push(cube(e).at(turn * (Vec3::Z * 1.5 + offset)).turned(turn * tilt));
    simulate(Dimension::Three, turn * (-Vec3::Z * G), bodies, settings(formulation, step))
}

/// A peg that fits falls as if nothing were there; one that does not rests on the rim.
#[test]
fn peg_enters_iff_it_fits() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for (turn, step) in [
            (Quat::IDENTITY, 0.01),
            (odd_rotation(), 0.01),
            (Quat::IDENTITY, 0.001),
            (odd_rotation(), 0.001),
        ] {
            for e in [0.9, 0.99, 0.999, 0.99999, 1.00001, 1.01] {
                for off in [0.0, 0.3] {
                    let offset = Vec3::new(off * (1.0 - e), -0.7 * off * (1.0 - e), 0.0);
                    let mut sim = peg_in_hole(formulation, step, e, offset, [turn, Quat::IDENTITY]);
                    let met = run(&mut sim, 0.8, if step > 0.005 { 1 } else { 8 });
                    let z = (turn.inverse() * sim.state.q[4].position).z;
                    let free = 1.5 - G * 0.8 * (0.8 + step) / 2.0;
                    let expected = if e < 1.0 { free } else { 0.5 + 0.5 * e };
                    let fine = (z - expected).abs() < 1e-9 && met.depth < 1e-8;
                    wrong.check(fine && met.failures == 0 && met.fallbacks == 0, || {
                        let error = z - expected;
                        format!("{formulation}, h {step}, edge {e}, off {off}, {turn}: {error:e}, {met:?}")
                    });
                }
            }
        }
    }
    wrong.none();
}

/// A peg that is tilted by a little touches the walls, slides in and never penetrates beyond the
/// error of a rotation that the step takes as linear, `(omega h)² r / 2`.
#[test]
fn tilted_peg_slides_in() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for turn in [Quat::IDENTITY, odd_rotation()] {
            for (e, angle) in [(0.99, 0.004), (0.99, 0.008), (0.9, 0.05)] {
                for axis in [Vec3::X, Vec3::new(1.0, 0.4, 0.0).normalize()] {
                    let tilt = Quat::from_axis_angle(axis, angle);
                    for (implicit, limit) in [(false, 2e-6), (true, 1e-9)] {
                        let mut sim = peg_in_hole(formulation, 0.005, e, Vec3::ZERO, [turn, tilt]);
                        sim.settings.implicit = implicit;
                        let met = run(&mut sim, 0.8, 1);
                        let z = (turn.inverse() * sim.state.q[4].position).z;
                        wrong.check(z < 0.0 && met.depth < limit && met.failures == 0, || {
                            format!("{formulation}, {implicit}, edge {e}, tilt {angle} about {axis}, {turn}: {z}, {met:?}")
                        });
                    }
                }
            }
        }
    }
    wrong.none();
}

/// A box of 9.99 m above a hole of 10 m, in steps of `h`: the height it ends at, and the floor's.
fn tight_hole(formulation: &str, h: f64, off: f64) -> (f64, Met) {
    let block = |w: f64, t: f64| BodyInit::new(&Solid::rectangle(w, t).unwrap()).friction(0.0);
    let bodies = vec![
        block(20.0, 2.0).fixed().at(Vec3::new(-15.0, -1.0, 0.0)),
        block(20.0, 2.0).fixed().at(Vec3::new(15.0, -1.0, 0.0)),
        block(40.0, 1.0).fixed().at(Vec3::new(0.0, -2.5, 0.0)),
        block(9.99, 1.0).at(Vec3::new(off, 2.0, 0.0)),
    ];
    let mut setup = settings(formulation, h);
    if formulation.ends_with("-every") {
        setup.epsilon = Epsilon::Fixed(10.0 * h);
    }
    let mut sim = simulate(Dimension::Two, -Vec3::Y * G, bodies, setup);
    let met = run(&mut sim, 2.0, 1);
    (sim.state.q[3].position.y, met)
}

/// A box of 9.99 m falls into a hole of 10 m and reaches the floor (dvc3D, figure 8); where every
/// contact is a half-space it hangs on the rim, as it does there.
#[test]
fn tight_hole_is_entered() {
    let mut wrong = Wrong::default();
    for h in [0.008, 0.01, 0.02] {
        for off in [0.0, 0.003] {
            for formulation in EXACT {
                let (y, met) = tight_hole(formulation, h, off);
                let fine = (y + 1.5).abs() < 1e-9 && met.depth < 1e-9 && met.failures == 0;
                wrong.check(fine, || format!("{formulation}, h {h}, off {off}: {y}, {met:?}"));
            }
            let (y, met) = tight_hole("stewart-trinkle-every", h, off);
            wrong.check(y > 0.0, || format!("every contact, h {h}, off {off}: {y}, {met:?}"));
        }
    }
    wrong.none();
}
