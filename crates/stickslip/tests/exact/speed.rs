//! Continuous safety: nothing passes through anything, whatever the speed.

use stickslip::{
    BodyInit, Dimension, Runner,
    geometry::{Quat, Solid, Vec3},
};

use super::scene::{EXACT, G, Met, Wrong, cube, run, settings, simulate, square};

const H: f64 = 0.01;

/// A plate of 1 mm across x = 0.
fn plate(dimension: Dimension) -> BodyInit {
    let solid = match dimension {
        Dimension::Two => Solid::rectangle(1e-3, 1.0),
        Dimension::Three => Solid::cuboid(Vec3::new(1e-3, 1.0, 1.0)),
    };
    BodyInit::new(&solid.unwrap()).friction(0.0).fixed()
}

fn bullets(dimension: Dimension) -> Vec<(&'static str, BodyInit)> {
    let ball = match dimension {
        Dimension::Two => Solid::disc(0.005),
        Dimension::Three => Solid::sphere(0.005),
    };
    let (block, turned) = match dimension {
        Dimension::Two => (square(0.01), square(0.01).angle(0.4)),
        Dimension::Three => {
            let turn = Quat::from_axis_angle(Vec3::new(0.3, -0.8, 0.5).normalize(), 1.1);
            (cube(0.01), cube(0.01).turned(turn))
        }
    };
    let ball = BodyInit::new(&ball.unwrap()).friction(0.0);
    vec![
        ("ball", ball.clone()),
        ("block", block.clone()),
        ("turned block", turned),
        ("spinning block", block.spin(Vec3::Z * 700.0)),
    ]
}

/// A bullet at 1000 m/s against a plate of 1 mm travels ten thousand times its thickness in a
/// step: it stops there, wherever in the step it meets it, and the report says that the step was
/// cut where it was.
#[test]
fn bullet_does_not_pass_a_plate() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for dimension in [Dimension::Two, Dimension::Three] {
            for (name, bullet) in bullets(dimension) {
                for (start, speed) in [(0.02, 1000.0), (0.3, 1000.0), (4.6, 1000.0), (7.0, 3e4)] {
                    let bullet = bullet.clone().at(Vec3::X * -start).velocity(Vec3::X * speed);
                    let bodies = vec![plate(dimension), bullet];
                    let sim = simulate(dimension, Vec3::ZERO, bodies, settings(formulation, H));
                    let mut runner = Runner::new(sim);
                    for _ in 0..4 {
                        runner.step().unwrap();
                    }
                    let x = runner.simulator.state.q[1].position.x;
                    let v = runner.simulator.state.nu[1].linear.x;
                    let summary = runner.summary("bullet").diagnostics;
                    let depth = summary.max_penetration.unwrap();
                    let fine = x < -4e-3 && v <= 1e-9 && depth < 1e-4;
                    let solved = formulation == "peg" || summary.solver.failures == 0;
                    wrong.check(fine && solved, || {
                        let n = summary.substeps;
                        format!("{formulation}, {dimension:?}, {name} from {start} at {speed}: x {x}, v {v}, depth {depth:e}, {n} substeps")
                    });
                    wrong.check(name == "ball" || summary.substeps > 0, || {
                        format!("{formulation}, {dimension:?}, {name} from {start}: not counted")
                    });
                }
            }
        }
    }
    wrong.none();
}

/// A bullet that fits between two plates passes, and a scene where nothing is fast is not cut.
#[test]
fn free_way_is_not_cut() {
    for formulation in EXACT {
        let shift = |y: f64| plate(Dimension::Three).at(Vec3::Y * y);
        let bullet = cube(0.01).at(Vec3::X * -3.0).velocity(Vec3::X * 1000.0);
        let bodies = vec![shift(0.506), shift(-0.506), bullet];
        let mut sim = simulate(Dimension::Three, Vec3::ZERO, bodies, settings(formulation, H));
        let report = sim.step().unwrap();
        let x = sim.state.q[2].position.x;
        assert!((x - 7.0).abs() < 1e-12 && report.substeps == 0, "{formulation}: {x}, {report:?}");
        let bodies = vec![cube(1.0).fixed(), cube(1.0).at(Vec3::Z * 1.3)];
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(formulation, H));
        let cut: usize = (0..50).map(|_| sim.step().unwrap().substeps).sum();
        assert_eq!(cut, 0, "{formulation}");
    }
}

/// A bar that turns by 10 rad in a step does not reach through a plate beside it, and one that
/// turns freely beside one out of its reach keeps turning.
#[test]
fn spinning_bar_does_not_pass_a_plate() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for dimension in [Dimension::Two, Dimension::Three] {
            let solid = match dimension {
                Dimension::Two => Solid::rectangle(4e-3, 0.4),
                Dimension::Three => Solid::cuboid(Vec3::new(4e-3, 0.4, 4e-3)),
            };
            for omega in [20.0, 200.0, 1000.0] {
                let bar = BodyInit::new(&solid.clone().unwrap()).friction(0.0);
                let bodies = vec![plate(dimension), bar.at(Vec3::X * -0.1).spin(Vec3::Z * omega)];
                let mut sim = simulate(dimension, Vec3::ZERO, bodies, settings(formulation, H));
                let start = sim.state.energy(&sim.model);
                let (mut met, mut high) = (Met::default(), f64::NEG_INFINITY);
                for k in 1..=10 {
                    let part = run(&mut sim, k as f64 * H, 1);
                    met.depth = met.depth.max(part.depth);
                    // Highest point of the bar: it must not reach beyond the plate.
                    let pose = sim.state.q[1];
                    for end in [-0.2, 0.2] {
                        high = high.max(pose.point(Vec3::Y * end).x);
                    }
                }
                let gained = sim.state.energy(&sim.model) / start - 1.0;
                let fine = high < 2.1e-3 && met.depth < 1e-4 && gained < 1e-6;
                wrong.check(fine, || {
                    format!("{formulation}, {dimension:?}, {omega}: reaches {high}, gained {gained:e}, {met:?}")
                });
            }
        }
    }
    wrong.none();
}

/// A surface has no thickness at all, and a plate that can move is pushed along: a block at
/// 1000 m/s does not pass either.
#[test]
fn bullet_does_not_pass_a_surface_or_a_loose_plate() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        let ground = Solid::heightfield(&[0.0; 25], 5, [4.0, 4.0]).unwrap();
        for start in [0.3, 4.6] {
            let bullet = cube(0.05).at(Vec3::Z * start).velocity(Vec3::Z * -1000.0);
            let bodies = vec![BodyInit::new(&ground).friction(0.0), bullet];
            let mut sim = simulate(Dimension::Three, Vec3::ZERO, bodies, settings(formulation, H));
            let met = run(&mut sim, 3.0 * H, 1);
            let z = sim.state.q[1].position.z;
            wrong.check(z > 0.0249 && met.depth < 1e-4, || {
                format!("{formulation}, surface, from {start}: z {z}, {met:?}")
            });
        }
        for dimension in [Dimension::Two, Dimension::Three] {
            let bullet = if dimension == Dimension::Two { square(0.01) } else { cube(0.01) };
            let mut loose = plate(dimension);
            loose.body.motion = stickslip::Motion::Dynamic;
            let bodies = vec![loose, bullet.at(Vec3::X * -4.6).velocity(Vec3::X * 1000.0)];
            let mut sim = simulate(dimension, Vec3::ZERO, bodies, settings(formulation, H));
            let met = run(&mut sim, 3.0 * H, 1);
            let ahead = sim.state.q[0].position.x - sim.state.q[1].position.x;
            // Both masses are 1 kg: the common speed is half, in the line of the centres.
            let speed = sim.state.nu[1].linear.x;
            let fine = ahead > 0.0054 && (speed - 500.0).abs() < 1e-3 && met.depth < 1e-4;
            wrong.check(fine, || {
                format!(
                    "{formulation}, {dimension:?}, loose plate: {ahead} ahead, {speed}, {met:?}"
                )
            });
        }
    }
    wrong.none();
}

/// Among many bodies a step is not cut for one that lands fast and goes in by less than half its width: it
/// is held by the side that it came from. What would come out on the other side is stopped all the same.
#[test]
fn many_bodies_are_stopped_for_a_passage_alone() {
    let floor = BodyInit::new(&Solid::cuboid(Vec3::new(40.0, 40.0, 1.0)).unwrap()).fixed();
    let mut bodies = vec![floor.at(-Vec3::Z * 0.5)];
    // Cubes of 0.2 m at 12 m/s go 0.12 m in a step, and meet the floor at all parts of it.
    for k in 0..30 {
        let at = Vec3::new(f64::from(k % 6), f64::from(k / 6), 0.105 + 0.01 * f64::from(k));
        bodies.push(cube(0.2).at(at).velocity(Vec3::Z * -12.0));
    }
    let sim = simulate(Dimension::Three, Vec3::ZERO, bodies.clone(), settings("separation", H));
    let mut runner = Runner::new(sim);
    for _ in 0..4 {
        runner.step().unwrap();
    }
    let summary = runner.summary("landing").diagnostics;
    assert_eq!((summary.substeps, summary.solver.failures), (0, 0));
    assert!(summary.max_penetration.unwrap() < 1e-5, "{:?}", summary.max_penetration);
    let lowest = |runner: &Runner, n: usize| {
        let bodies = runner.simulator.state.q[1..=n].iter();
        bodies.map(|q| q.position.z).fold(f64::INFINITY, f64::min)
    };
    assert!(lowest(&runner, 30) > 0.1 - 1e-5, "{}", lowest(&runner, 30));

    let far = Vec3::new(0.0, 0.0, 5.0);
    bodies.push(plate(Dimension::Three).at(far));
    bodies.push(cube(0.01).at(far - Vec3::X * 4.6).velocity(Vec3::X * 1000.0));
    let sim = simulate(Dimension::Three, Vec3::ZERO, bodies, settings("separation", H));
    let mut runner = Runner::new(sim);
    for _ in 0..4 {
        runner.step().unwrap();
    }
    let x = runner.simulator.state.q[32].position.x;
    let summary = runner.summary("bullet").diagnostics;
    assert!(x < -4e-3 && summary.substeps > 0, "x {x}, {} substeps", summary.substeps);
    assert!(summary.max_penetration.unwrap() < 1e-4, "{:?}", summary.max_penetration);
}
