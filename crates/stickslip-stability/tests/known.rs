//! Structures whose answers are known from formulas or from published numbers.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::f64::consts::PI;

use stickslip::{
    BodyInit, Dimension, Model, ModelBuilder, Settings, State,
    geometry::{Quat, Solid, Vec3},
};
use stickslip_stability::{Cone, Load, Options, Stability, analyze, can_rest};

fn build(dimension: Dimension, bodies: Vec<BodyInit>) -> (Model, State) {
    let mut builder = ModelBuilder::new(dimension);
    for body in bodies {
        builder.add(body).unwrap();
    }
    builder.build()
}

fn ask((model, state): &(Model, State), options: &Options) -> Stability {
    analyze(model, state, &Settings::default(), options).unwrap()
}

fn rests((model, state): &(Model, State)) -> bool {
    can_rest(model, state, &Settings::default()).unwrap().0
}

/// A convex block in the plane, its mass its area.
fn block(name: &str, corners: &[(f64, f64)], friction: f64) -> BodyInit {
    let points: Vec<Vec3> = corners.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
    let solid = Solid::polygon(&points).unwrap();
    let n = corners.len();
    let cross = |k: usize| {
        let (p, q) = (corners[k], corners[(k + 1) % n]);
        (p.0 * q.1 - q.0 * p.1, p.0 + q.0, p.1 + q.1)
    };
    let area: f64 = (0..n).map(|k| 0.5 * cross(k).0).sum();
    let x: f64 = (0..n).map(|k| cross(k).0 * cross(k).1).sum::<f64>() / (6.0 * area);
    let y: f64 = (0..n).map(|k| cross(k).0 * cross(k).2).sum::<f64>() / (6.0 * area);
    BodyInit::new(&solid).named(name).mass(area).at(Vec3::new(x, y, 0.0)).friction(friction)
}

/// A semicircular arch of mean radius 1 with `n` stones of thickness `t` between two supports.
fn arch(n: usize, t: f64, friction: f64) -> (Model, State) {
    let (inner, outer) = (1.0 - 0.5 * t, 1.0 + 0.5 * t);
    let at = |r: f64, k: usize| {
        let (s, c) = (PI * (1.0 - k as f64 / n as f64)).sin_cos();
        (r * c, if k == 0 || k == n { 0.0 } else { r * s })
    };
    let support = |name: &str, x: f64| {
        BodyInit::new(&Solid::rectangle(1.0, 1.0).unwrap())
            .named(name)
            .at(Vec3::new(x, -0.5, 0.0))
            .friction(friction)
            .fixed()
    };
    let mut bodies = vec![support("left", -1.0), support("right", 1.0)];
    for k in 0..n {
        let corners = [at(inner, k), at(inner, k + 1), at(outer, k + 1), at(outer, k)];
        bodies.push(block(&format!("stone-{}", k + 1), &corners, friction));
    }
    build(Dimension::Two, bodies)
}

fn bisect(mut low: f64, mut high: f64, to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    assert!(!holds(low) && holds(high), "not between {low} and {high}");
    while high - low > to {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// 27 stones, mu = 0.7: the linear program of Livesley (1978), solved by HiGHS, has 0.1067209 R.
#[test]
fn an_arch_of_27_stones_has_its_critical_thickness() {
    let t = bisect(0.10, 0.12, 2e-9, |t| rests(&arch(27, t, 0.7)));
    assert!((t - 0.1067209).abs() < 1e-7, "{t:.9}");
}

/// Milankovitch (1907): t / R = 0.1075 as the stones get many (0.10748).
#[test]
fn many_stones_approach_milankovitch() {
    let t = bisect(0.10, 0.12, 1e-6, |t| rests(&arch(201, t, 0.9)));
    assert!((t - 0.10748).abs() < 1e-4, "{t:.6}");
}

/// The least friction of a thick arch is that of its springing joints.
#[test]
fn an_arch_needs_friction() {
    let found = ask(&arch(27, 0.2, 0.7), &Options { friction: true, ..Options::default() });
    let mu = found.friction.unwrap().coefficient.unwrap();
    assert!((mu - 0.30899).abs() < 2e-3, "{mu:.7}");
}

/// A block on a plane in space tilts until it slides (tan = mu) or topples (tan = b / h).
#[test]
fn a_block_slides_or_topples() {
    for (mu, size, tangent) in [
        (0.3, Vec3::new(1.0, 2.0, 1.0), 0.3_f64),
        (0.9, Vec3::new(1.0, 2.0, 3.0), 1.0 / 3.0),
        (0.9, Vec3::new(2.0, 1.0, 8.0), 0.25),
    ] {
        let bodies = vec![
            BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor").friction(mu),
            BodyInit::new(&Solid::cuboid(size).unwrap())
                .named("block")
                .at(Vec3::Z * (0.5 * size.z))
                .friction(mu),
        ];
        let options = Options { tilt: vec![Vec3::Y], friction: true, ..Options::default() };
        let found = ask(&build(Dimension::Three, bodies), &options);
        assert!(found.stands && found.tilt.len() == 2);
        for tilt in &found.tilt {
            let angle = tilt.angle.unwrap();
            assert!((angle.tan() - tangent).abs() < 1e-7, "{angle} for {tangent}");
            assert_eq!(tilt.mechanism.len(), 1);
        }
        assert!(found.friction.unwrap().coefficient.unwrap() < 1e-7);
    }
}

/// A block on a slope: it rests up to the angle of friction, and needs its tangent.
#[test]
fn a_slope_asks_for_its_tangent() {
    let slope = |angle: f64, mu: f64| {
        let q = Quat::from_rotation_y(angle);
        let n = q * Vec3::Z;
        let bodies = vec![
            BodyInit::new(&Solid::half_space(n).unwrap()).named("slope").friction(mu),
            BodyInit::new(&Solid::cuboid(Vec3::ONE).unwrap())
                .named("block")
                .at(n * 0.5)
                .turned(q)
                .friction(mu),
        ];
        build(Dimension::Three, bodies)
    };
    let options = Options { friction: true, ..Options::default() };
    let found = ask(&slope(0.4, 0.5), &options);
    let mu = found.friction.unwrap().coefficient.unwrap();
    assert!(found.stands && (mu - 0.4_f64.tan()).abs() < 1e-6, "{mu}");
    // Where it cannot rest, what is missing is the difference to the friction there is.
    let found = ask(&slope(0.4, 0.3), &options);
    assert!(!found.stands && found.mechanism.len() == 1);
    let v = Vec3::from_array(found.mechanism[0].velocity);
    assert!(v.x > 0.0 && v.z < 0.0, "{v}");
    // A pyramid inside the cone needs more friction, by 1 / cos(pi / 4) at the most.
    let pyramid = Options { cone: Cone::Pyramid(4), ..options };
    let more = ask(&slope(0.4, 0.5), &pyramid).friction.unwrap().coefficient.unwrap();
    assert!(more > mu - 1e-6 && more < mu * 2.0_f64.sqrt() + 1e-6, "{more}");
}

/// A column of drums topples as one block, whatever the number of drums; friction must not be less
/// than b / h, or the drums slide.
#[test]
fn a_column_of_drums_topples_as_one() {
    let column = |mu: f64| {
        let mut bodies =
            vec![BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor").friction(mu)];
        for k in 0..6 {
            let drum = Solid::cylinder(0.5, 0.8, 4).unwrap();
            let at = Vec3::Z * (0.4 + 0.8 * k as f64);
            bodies.push(BodyInit::new(&drum).named(&format!("drum-{k}")).at(at).friction(mu));
        }
        build(Dimension::Three, bodies)
    };
    // a prism of four sides: half its width across the corners of the square is 0.5 / sqrt(2)
    let options = Options { tilt: vec![Vec3::Y], ..Options::default() };
    let found = ask(&column(0.7), &options);
    let angles: Vec<f64> = found.tilt.iter().map(|t| t.angle.unwrap().tan()).collect();
    let half = [0.5, 0.5_f64.sqrt() * 0.5];
    assert!(half.iter().any(|b| (angles[0] - b / 2.4).abs() < 1e-7) && found.stands, "{angles:?}");
    let found = ask(&column(0.1), &options);
    assert!((found.tilt[0].angle.unwrap().tan() - 0.1).abs() < 1e-7);
}

/// A push on the top of a block: it slides at mu m g or topples at m g b / h.
#[test]
fn a_push_is_borne_up_to_the_formula() {
    let bodies = vec![
        BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor").friction(0.6),
        BodyInit::new(&Solid::cuboid(Vec3::new(1.0, 1.0, 2.0)).unwrap())
            .named("block")
            .mass(3.0)
            .at(Vec3::Z)
            .friction(0.6),
    ];
    let scene = build(Dimension::Three, bodies);
    let push =
        |at: f64, x: f64| Load { body: "block".into(), force: Vec3::X * x, at: Some(Vec3::Z * at) };
    let pushes = vec![push(0.1, 7.0), push(2.0, -1.0)];
    let options = Options { pushes, loads: vec![push(2.0, 1.0)], ..Options::default() };
    let found = ask(&scene, &options);
    let weight = 3.0 * 9.81;
    assert!((found.load.unwrap().factor.unwrap() - weight * 0.25).abs() < 1e-6);
    // the load of 1 N at the top acts along with the pushes
    assert!((found.push[0].force.unwrap() - (0.6 * weight - 1.0)).abs() < 1e-6);
    assert!((found.push[1].force.unwrap() - (weight * 0.25 + 1.0)).abs() < 1e-6);
}

/// A lintel on two posts, a block that hangs over: moments about the edge decide.
#[test]
fn an_overhang_stands_while_its_center_is_supported() {
    let stack = |offset: f64| {
        let bodies = vec![
            block("base", &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], 0.5).fixed(),
            block(
                "top",
                &[(offset, 1.0), (1.0 + offset, 1.0), (1.0 + offset, 1.5), (offset, 1.5)],
                0.5,
            ),
        ];
        build(Dimension::Two, bodies)
    };
    let most = bisect(0.4, 0.6, 1e-9, |x| !rests(&stack(x)));
    assert!((most - 0.5).abs() < 1e-7, "{most}");
    // Where it fails, it turns about the edge: the torque of the weight is what is missing.
    let found = ask(&stack(0.6), &Options::default());
    assert_eq!(found.mechanism.len(), 1);
    assert!(found.mechanism[0].angular_velocity[2] < 0.0, "{:?}", found.mechanism);
    assert_eq!(found.missing.len(), 1);
}

/// A flat arch of one keystone between fixed wedges: without friction it rests on the two faces; its
/// thrust is w / (2 tan) of the slope.
#[test]
fn a_keystone_thrusts_as_the_slope_says() {
    let slope = 0.25;
    let key =
        block("key", &[(-1.0, 0.0), (1.0, 0.0), (1.0 + slope, 1.0), (-1.0 - slope, 1.0)], 0.0);
    let weight = key.body.mass * 9.81;
    let left = [(-3.0, 0.0), (-1.0, 0.0), (-1.0 - slope, 1.0), (-3.0, 1.0)];
    let right = [(1.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0 + slope, 1.0)];
    let bodies = vec![block("left", &left, 0.0).fixed(), block("right", &right, 0.0).fixed(), key];
    let found = ask(&build(Dimension::Two, bodies), &Options::default());
    assert!(found.stands, "{}", found.imbalance);
    assert_eq!(found.forces.len(), 2);
    let thrust = found.forces[0].force[0];
    assert!((thrust - 0.5 * weight / slope).abs() < 1e-5 * weight, "{thrust}");
}

/// What is asked wrongly is told, with the names there are.
#[test]
fn wrong_questions_are_errors() {
    let scene = arch(3, 0.3, 0.7);
    let load = |body: &str, force: Vec3| Options {
        loads: vec![Load { body: body.into(), force, at: None }],
        ..Options::default()
    };
    for (options, part) in [
        (load("stone-9", Vec3::X), "there are: left, right, stone-1"),
        (load("left", Vec3::X), "is static"),
        (load("stone-1", Vec3::ZERO), "not zero"),
        (Options { tilt: vec![Vec3::NAN], ..Options::default() }, "axis"),
        (Options { gap: Some(-1.0), ..Options::default() }, "the gap is -1"),
        (Options { simulate: Some(0.0), ..Options::default() }, "time to simulate"),
        (Options { cone: Cone::Pyramid(2), ..Options::default() }, "3 or more"),
    ] {
        let error = analyze(&scene.0, &scene.1, &Settings::default(), &options).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}

/// Beside the static answer stands the dynamic one: they agree above and below the critical
/// thickness of an arch.
#[test]
fn the_simulator_agrees_about_the_arch() {
    let options = Options { simulate: Some(1.0), ..Options::default() };
    for (t, stands) in [(0.1067209 * 1.001, true), (0.1067209 * 0.99, false)] {
        let found = ask(&arch(27, t, 0.7), &options);
        assert_eq!((found.stands, found.agrees()), (stands, Some(true)), "{:?}", found.dynamic);
    }
}
