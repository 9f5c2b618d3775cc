//! Exact geometry: bodies pass where there is room and nowhere else.

use stickslip::{
    BodyInit, Dimension, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
    settings::Epsilon,
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

/// A spurious contact is counted whether it pushes or not: a peg of edge 0.99999 sticks over its
/// hole with the standard model and falls through with exact geometry, and both runs say so; a
/// cube on a floor meets none.
#[test]
fn spurious_contacts_are_counted() {
    let spurious = |formulation: &str| {
        let mut sim = peg_in_hole(0.99999, Vec3::ZERO, Quat::IDENTITY, 0.01);
        let settings = Settings { formulation: formulation.into(), ..sim.settings.clone() };
        sim = Simulator::new(sim.model, sim.state, settings).unwrap();
        sim.pipeline.count_spurious = true;
        let spurious: usize = (0..60).map(|_| sim.step().unwrap().spurious.unwrap()).sum();
        (spurious, sim.state.q[4].position.z)
    };
    let (stuck, z) = spurious("stewart-trinkle");
    assert!(stuck > 0 && z > 0.9, "{stuck} spurious contacts, peg at {z}");
    let (passed, z) = spurious("separation");
    assert!(passed > 0 && z < 0.0, "{passed} spurious contacts, peg at {z}");
    let bodies =
        vec![super::scene::ground(Dimension::Three), cube(1.0).at(Vec3::new(0.0, 0.0, 0.6))];
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, exact(0.01));
    // Nobody asked, nothing was counted.
    assert_eq!(sim.step().unwrap().spurious, None);
    sim.pipeline.count_spurious = true;
    let none: usize = (0..60).map(|_| sim.step().unwrap().spurious.unwrap()).sum();
    assert_eq!(none, 0);
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

/// A plank of 1 by 0.5 on one of 3 by 0.5, each spinning at 1 rad/s: after one step the linearised scheme
/// leaves the overlap areas that Williams 2014, figure 5.25, prints for these steps; with
/// `implicit` there is none.
#[test]
fn implicit_geometry_removes_the_rotation_error() {
    let printed =
        [(0.01, 0.000025), (0.1, 0.0025), (0.2, 0.01), (0.3, 0.0223), (0.4, 0.0395), (0.5, 0.0612)];
    for (h, area) in printed {
        for implicit in [false, true] {
            let plank = |width: f64, y: f64| {
                let solid = Solid::rectangle(width, 0.5).unwrap();
                BodyInit::new(&solid).friction(0.0).at(Vec3::Y * y).spin(Vec3::Z)
            };
            // A fixed contact distance, as in the thesis: steps are not cut.
            let some = Settings {
                implicit,
                rotation_tolerance: f64::INFINITY,
                epsilon: Epsilon::Fixed(1.0),
                ..exact(h)
            };
            let bodies = vec![plank(3.0, 0.0), plank(1.0, 0.5)];
            let mut sim = simulate(Dimension::Two, Vec3::ZERO, bodies, some);
            sim.step().unwrap();
            let overlap = stickslip::oracle::measure(&sim.model, &sim.state);
            if implicit {
                assert!(overlap.depth < 1e-9, "h = {h}: {overlap:?}");
            } else {
                let digits = if h < 0.05 { 5e-7 } else { 5e-5 };
                let error = (overlap.volume - area).abs();
                assert!(error <= digits, "h = {h}: {} against {area}", overlap.volume);
            }
        }
    }
}

/// Random polygons and polyhedra thrown into a box: no failed solve, nobody leaves, and with
/// `implicit` no overlap beyond round-off at any step.
#[test]
fn box_of_polytopes_never_overlaps() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for seed in [1, 2] {
            let mut random = Random(seed);
            let mut sim = thrown(dimension, 6, &mut random, true);
            for k in 0..80 {
                let report = sim.step().unwrap();
                assert_eq!(report.solves.failures, 0, "seed {seed}, step {k}");
                let depth = stickslip::oracle::measure(&sim.model, &sim.state).depth;
                assert!(depth < 1e-8, "{dimension:?}, seed {seed}, step {k}: depth {depth:e}");
            }
            for (body, pose) in sim.model.bodies().iter().zip(&sim.state.q) {
                let inside = pose.position.abs().max_element() < 1.5;
                assert!(body.motion == stickslip::Motion::Static || inside, "seed {seed}");
            }
        }
    }
}

struct Random(u64);

impl Random {
    /// Evenly spread over -1 .. 1.
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, dimension: Dimension) -> Vec3 {
        let (x, y, z) = (self.signed(), self.signed(), self.signed());
        Vec3::new(x, y, if dimension == Dimension::Two { 0.0 } else { z })
    }
}

/// A closed box of side 3 around the origin with some random convex bodies thrown about in it.
fn thrown(dimension: Dimension, n: usize, random: &mut Random, implicit: bool) -> Simulator {
    let mut bodies = Vec::new();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for side in [-1.0, 1.0] {
            let wall = match dimension {
                Dimension::Two if axis == Vec3::Z => continue,
                Dimension::Two => {
                    let size = Vec3::splat(4.0) - axis * 3.0;
                    Solid::rectangle(size.x, size.y)
                }
                Dimension::Three => Solid::cuboid(Vec3::splat(4.0) - axis * 3.0),
            };
            let wall = BodyInit::new(&wall.unwrap()).fixed().friction(0.3);
            bodies.push(wall.at(axis * (side * 2.0)));
        }
    }
    for k in 0..n {
        let points: Vec<Vec3> = (0..8).map(|_| random.vector(dimension) * 0.4).collect();
        let solid = match dimension {
            Dimension::Two => Solid::polygon(
                &stickslip::geometry::Polygon::from_points(&points).unwrap().vertices,
            ),
            Dimension::Three => Solid::convex(&points),
        };
        let spin = random.vector(Dimension::Three) * 4.0;
        let spin = if dimension == Dimension::Two { Vec3::Z * spin.z } else { spin };
        let cell = Vec3::new((k % 3) as f64 - 1.0, (k / 3 % 2) as f64 - 0.5, 0.0);
        let body = BodyInit::new(&solid.unwrap()).at(cell * 0.9).spin(spin).friction(0.3);
        bodies.push(body.velocity(random.vector(dimension) * 3.0));
    }
    let some = Settings { implicit, friction_directions: 4, ..exact(0.01) };
    simulate(dimension, -up(dimension) * G, bodies, some)
}

/// Platonic solids thrown down a flight of steps at ordinary speeds, rotations linearised: the
/// overlap stays of the order of the rotation error, and no energy appears.
#[test]
fn solids_tumble_down_steps_without_sinking_in() {
    let mut bodies: Vec<BodyInit> = (0..4)
        .map(|i| {
            let height = 2.5 - 0.5 * i as f64;
            let size = Vec3::new(1.0, 4.0, height);
            let at = Vec3::new(i as f64 + 0.5, 0.0, 0.5 * height - 2.5);
            BodyInit::new(&Solid::cuboid(size).unwrap()).fixed().at(at)
        })
        .collect();
    let shapes = [Solid::tetrahedron(0.6), Solid::octahedron(0.5), Solid::cuboid(Vec3::splat(0.4))];
    for (i, solid) in shapes.into_iter().enumerate() {
        let at = Vec3::new(0.4, i as f64 - 1.0, 0.8 + 0.3 * i as f64);
        let turned = Quat::from_axis_angle(Vec3::new(0.3, 0.5, 0.8).normalize(), 0.7 * i as f64);
        let body = BodyInit::new(&solid.unwrap()).at(at).turned(turned);
        bodies.push(body.velocity(Vec3::X * 1.5).spin(Vec3::Y * 3.0));
    }
    let some = Settings { friction_directions: 4, ..exact(0.01) };
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, some);
    let mut energy = sim.state.energy(&sim.model);
    for k in 0..200 {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0, "step {k}");
        let overlap = stickslip::oracle::measure(&sim.model, &sim.state);
        assert!(overlap.depth < 1e-4, "step {k}: {overlap:?}");
        let now = sim.state.energy(&sim.model);
        assert!(now < energy + 0.2, "step {k}: energy from {energy} to {now}");
        energy = now;
    }
}
