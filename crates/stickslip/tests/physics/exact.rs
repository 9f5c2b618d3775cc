//! Exact geometry: bodies pass where there is room and nowhere else.

use stickslip::{
    BodyInit, Dimension, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
};

use super::scene::{G, cube, odd_rotation, run, settings, simulate, square, up};

fn exact(step: f64) -> Settings {
    Settings { formulation: "separation".into(), ..settings(step) }
}

/// Four fixed unit cubes around a unit hole, and a cube of edge `e` above it; the whole turned by
/// `turn`.
fn peg_in_hole(e: f64, offset: Vec3, turn: Quat, step: f64) -> Simulator {
    let mut bodies: Vec<BodyInit> = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y]
        .map(|x| cube(1.0).fixed().friction(0.0).at(turn * x).turned(turn))
        .to_vec();
    let peg = cube(e).friction(0.0).at(turn * (Vec3::Z * 1.5 + offset)).turned(turn);
    bodies.push(peg);
    simulate(Dimension::Three, turn * (-Vec3::Z * G), bodies, exact(step))
}

/// A peg that fits falls as if nothing were there; one that does not rests on the rim. Clearance
/// from 0.1 to 10 µm, centred and off-centre, in an odd orientation too.
#[test]
fn peg_enters_iff_it_fits() {
    for turn in [Quat::IDENTITY, odd_rotation()] {
        for e in [0.9, 0.99, 0.999, 0.99999, 1.00001, 1.01] {
            for off in [0.0, 0.3] {
                let offset = Vec3::new(off * (1.0 - e), -0.7 * off * (1.0 - e), 0.0);
                let mut sim = peg_in_hole(e, offset, turn, 0.01);
                run(&mut sim, 0.8);
                let z = (turn.inverse() * sim.state.q[4].position).z;
                let free = 1.5 - G * 0.8 * 0.81 / 2.0;
                let expected = if e < 1.0 { free } else { 0.5 + 0.5 * e };
                assert!(
                    (z - expected).abs() < 1e-9,
                    "edge {e}, off-centre {off}, {turn}: at {z}, not {expected}"
                );
            }
        }
    }
}

/// A block slides over forty flush tiles as over one plane: no loss, no lift, no turn; for
/// starting points that put its face on a seam exactly at a step, and others.
#[test]
fn block_does_not_notice_seams() {
    for (start, angle) in [(1.3, 0.0), (1.3137, 0.0), (1.25, 0.0), (1.3, 0.013)] {
        let tile = BodyInit::new(&Solid::cuboid(Vec3::new(1.0, 2.0, 0.2)).unwrap()).fixed();
        let mut bodies: Vec<BodyInit> = (0..40)
            .map(|i| tile.clone().friction(0.0).at(Vec3::new(i as f64 + 0.5, 0.0, -0.1)))
            .collect();
        let v = Quat::from_rotation_z(angle) * (Vec3::X * 3.0);
        let turned = Quat::from_rotation_z(angle);
        let at = Vec3::new(start, 0.0, 0.25);
        bodies.push(cube(0.5).friction(0.0).at(at).turned(turned).velocity(v));
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, exact(0.01));
        run(&mut sim, 5.0);
        let (pose, nu) = (sim.state.q[40], sim.state.nu[40]);
        let loss = (nu.linear - v).length() / 3.0;
        assert!(loss < 1e-9, "from {start} at {angle}: lost {loss:e}");
        assert!((pose.position.z - 0.25).abs() < 1e-9, "from {start}: at {}", pose.position);
        assert!(pose.orientation.angle_between(turned) < 1e-7, "from {start}: turned");
    }
}

/// The same in the plane.
#[test]
fn square_does_not_notice_seams() {
    for start in [1.3, 1.3137] {
        let tile = BodyInit::new(&Solid::rectangle(1.0, 0.2).unwrap()).fixed().friction(0.0);
        let mut bodies: Vec<BodyInit> =
            (0..40).map(|i| tile.clone().at(Vec3::new(i as f64 + 0.5, -0.1, 0.0))).collect();
        let at = Vec3::new(start, 0.25, 0.0);
        bodies.push(square(0.5).friction(0.0).at(at).velocity(Vec3::X * 3.0));
        let mut sim = simulate(Dimension::Two, -Vec3::Y * G, bodies, exact(0.01));
        run(&mut sim, 5.0);
        let loss = (sim.state.nu[40].linear - Vec3::X * 3.0).length() / 3.0;
        assert!(loss < 1e-9, "from {start}: lost {loss:e}");
    }
}

/// Ten boxes, each shifted against the one below, stand still without friction.
#[test]
fn staggered_stack_stands_without_friction() {
    let shifts = [0.03, -0.07, 0.09, -0.02, 0.06, -0.09, 0.01, 0.08, -0.05, 0.04];
    for dimension in [Dimension::Two, Dimension::Three] {
        for h in [0.005, 0.02] {
            let mut bodies: Vec<BodyInit> = Vec::new();
            for (i, &x) in shifts.iter().enumerate() {
                let body = if dimension == Dimension::Two { square(1.0) } else { cube(1.0) };
                let y = if dimension == Dimension::Two { 0.0 } else { shifts[9 - i] };
                let sideways = Vec3::new(x, 0.0, 0.0) + Vec3::Y * y;
                let body = body.friction(0.0).at(sideways + up(dimension) * i as f64);
                bodies.push(if i == 0 { body.fixed() } else { body });
            }
            let mut sim = simulate(dimension, -up(dimension) * G, bodies, exact(h));
            let start = sim.state.clone();
            run(&mut sim, 10.0);
            for (after, before) in sim.state.q.iter().zip(&start.q) {
                let drift = (after.position - before.position).length();
                assert!(drift < 1e-9, "{dimension:?}, h = {h}: drifted {drift:e} m");
            }
        }
    }
}

/// A box tips off an edge iff its centre is beyond it.
#[test]
fn box_tips_iff_its_centre_is_over_the_edge() {
    for (x, tips) in [(0.499, false), (0.501, true)] {
        for dimension in [Dimension::Two, Dimension::Three] {
            let body = || if dimension == Dimension::Two { square(1.0) } else { cube(1.0) };
            let top = Vec3::X * x + up(dimension);
            let bodies = vec![body().fixed(), body().friction(0.8).at(top)];
            let mut sim = simulate(dimension, -up(dimension) * G, bodies, exact(0.01));
            run(&mut sim, 2.0);
            let moved = (sim.state.q[1].position - top).length();
            assert_eq!(moved > 0.1, tips, "{dimension:?}, centre at {x}: moved {moved}");
            assert!(tips || moved < 1e-9, "{dimension:?}, centre at {x}: crept {moved:e}");
        }
    }
}
