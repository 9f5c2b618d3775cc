//! Seams and cracks.

use stickslip::{
    BodyInit, Dimension,
    geometry::{Quat, Solid, Vec3},
};

use super::scene::{EXACT, G, Met, Wrong, cube, run, settings, simulate, square};

/// A block slides over forty flush tiles: its relative loss of speed, how far it rose \[m\] and
/// turned \[rad\].
pub fn seams(formulation: &str, start: f64, angle: f64, h: f64) -> ([f64; 3], Met) {
    let tile = BodyInit::new(&Solid::cuboid(Vec3::new(1.0, 6.0, 0.2)).unwrap()).fixed();
    let mut bodies: Vec<BodyInit> = (0..40)
        .map(|i| tile.clone().friction(0.0).at(Vec3::new(i as f64 + 0.5, 0.0, -0.1)))
        .collect();
    let turned = Quat::from_rotation_z(angle);
    let v = turned * (Vec3::X * 3.0);
    let at = Vec3::new(start, -2.0, 0.25);
    bodies.push(cube(0.5).at(at).turned(turned).velocity(v));
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(formulation, h));
    let met = run(&mut sim, 3.0, 0);
    let (pose, nu) = (sim.state.q[40], sim.state.nu[40]);
    let loss = (nu.linear - v).length() / 3.0;
    let lift = (pose.position.z - 0.25).abs();
    ([loss, lift, pose.orientation.angle_between(turned)], met)
}

/// A block slides over the tiles as over one plane: no loss, no lift, no turn; for starting points
/// that put its face on a seam exactly at a step, and others.
#[test]
fn block_does_not_notice_seams() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for (start, angle, h) in [
            (1.3, 0.0, 0.01),
            (1.3137, 0.0, 0.01),
            (1.25, 0.0, 0.01),
            (1.3, 0.013, 0.01),
            (1.3, 0.3, 0.004),
        ] {
            let ([loss, lift, turn], met) = seams(formulation, start, angle, h);
            let fine = loss < 1e-9 && lift < 1e-9 && turn < 1e-7 && met.failures == 0;
            wrong.check(fine, || {
                format!(
                    "{formulation}, {start}, {angle}, h {h}: {loss:e}, {lift:e}, {turn:e}, {met:?}"
                )
            });
        }
    }
    wrong.none();
}

/// The same in the plane.
#[test]
fn square_does_not_notice_seams() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for start in [1.3, 1.3137, 1.25] {
            let tile = BodyInit::new(&Solid::rectangle(1.0, 0.2).unwrap()).fixed().friction(0.0);
            let mut bodies: Vec<BodyInit> =
                (0..40).map(|i| tile.clone().at(Vec3::new(i as f64 + 0.5, -0.1, 0.0))).collect();
            let at = Vec3::new(start, 0.25, 0.0);
            bodies.push(square(0.5).at(at).velocity(Vec3::X * 3.0));
            let mut sim =
                simulate(Dimension::Two, -Vec3::Y * G, bodies, settings(formulation, 0.01));
            let met = run(&mut sim, 5.0, 0);
            let loss = (sim.state.nu[40].linear - Vec3::X * 3.0).length() / 3.0;
            wrong.check(loss < 1e-9 && met.failures == 0, || {
                format!("{formulation}, from {start}: lost {loss:e}, {met:?}")
            });
        }
    }
    wrong.none();
}

/// A box slides down a ramp of two slabs with a crack of 1 cm between them, at exactly
/// `g sin(angle)` (dvc3D, figure 6).
#[test]
fn crack_in_a_ramp_is_not_felt() {
    let mut wrong = Wrong::default();
    let angle = 0.5_f64;
    for formulation in EXACT {
        for dimension in [Dimension::Two, Dimension::Three] {
            for h in [0.008, 0.01] {
                let flat = dimension == Dimension::Two;
                let slab = || match flat {
                    true => BodyInit::new(&Solid::rectangle(3.0, 0.5).unwrap()),
                    false => BodyInit::new(&Solid::cuboid(Vec3::new(3.0, 2.0, 0.5)).unwrap()),
                };
                let up = super::scene::up(dimension);
                let body = if flat { square(0.5) } else { cube(0.5) };
                let bodies = vec![
                    slab().friction(0.0).fixed().at(Vec3::X * 1.5 - up * 0.25),
                    slab().friction(0.0).fixed().at(Vec3::X * 4.51 - up * 0.25),
                    body.at(Vec3::X * 2.0 + up * 0.25),
                ];
                let gravity = (Vec3::X * angle.sin() - up * angle.cos()) * G;
                let mut sim = simulate(dimension, gravity, bodies, settings(formulation, h));
                let time = (0.8 / h).round() * h;
                let met = run(&mut sim, time, 1);
                let expected = 2.0 + G * angle.sin() * time * (time + h) / 2.0;
                let error = (sim.state.q[2].position - Vec3::X * expected - up * 0.25).length();
                wrong.check(error < 1e-9 && met.depth < 1e-9 && met.failures == 0, || {
                    format!("{formulation}, {dimension:?}, h {h}: off by {error:e}, {met:?}")
                });
            }
        }
    }
    wrong.none();
}
