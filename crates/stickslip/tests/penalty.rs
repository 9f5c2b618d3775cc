//! The penalty method against what its equations say.

#![allow(clippy::unwrap_used)]

use stickslip::{
    BodyId, BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    formulate::{PenaltyPoints, StaticFriction},
    geometry::{Quat, Solid, TriMesh, Vec3},
};

const G: f64 = 9.81;
const DIMENSIONS: [Dimension; 2] = [Dimension::Two, Dimension::Three];

fn settings(integrator: &str) -> Settings {
    let (formulation, integrator) = ("penalty".into(), integrator.into());
    Settings { step: 1e-3, formulation, integrator, ..Settings::default() }
}

fn up(dimension: Dimension) -> Vec3 {
    if dimension == Dimension::Two { Vec3::Y } else { Vec3::Z }
}

/// A block of 10 kg and edge 1 m, its centre at `height`, over the ground.
fn block_on_ground(dimension: Dimension, height: f64, gravity: Vec3, s: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(gravity);
    let (ground, block) = match dimension {
        Dimension::Two => (Solid::half_plane(Vec3::Y), Solid::rectangle(1.0, 1.0)),
        Dimension::Three => (Solid::half_space(Vec3::Z), Solid::cuboid(Vec3::ONE)),
    };
    builder.add(BodyInit::new(&ground.unwrap()).named("ground")).unwrap();
    let block = BodyInit::new(&block.unwrap()).named("block").mass(10.0);
    builder.add(block.at(up(dimension) * height)).unwrap();
    let (model, state) = builder.build();
    Simulator::new(model, state, s).unwrap()
}

fn steps(sim: &mut Simulator, n: usize) -> Vec<stickslip::StepReport> {
    (0..n).map(|_| sim.step().unwrap()).collect()
}

/// Total normal force that acts during the next step \[N\].
fn next_force(sim: &mut Simulator) -> f64 {
    struct Sum(std::sync::Arc<std::sync::Mutex<f64>>);
    impl stickslip::hook::Hook for Sum {
        fn after_step(
            &mut self,
            _: &stickslip::Model,
            _: &stickslip::State,
            data: &stickslip::hook::StepData,
        ) -> Result<(), stickslip::hook::HookError> {
            *self.0.lock().unwrap() = data.motion.forces.iter().map(|f| f.normal).sum();
            Ok(())
        }
    }
    let sum = std::sync::Arc::new(std::sync::Mutex::new(0.0));
    sim.pipeline.hooks.push(Box::new(Sum(sum.clone())));
    sim.step().unwrap();
    sim.pipeline.hooks.pop();
    let total = *sum.lock().unwrap();
    total / sim.settings.step
}

/// At rest the forces carry the weight, and the depth is `m g / (k_p + k_i / (1 - lambda))`: the
/// forgotten integral of a constant depth d is `d / (1 - lambda)` (a geometric series).
#[test]
fn resting_block_is_carried_at_the_predicted_depth() {
    for dimension in DIMENSIONS {
        for integrator in ["rk4", "semi-implicit"] {
            let mut sim = block_on_ground(dimension, 0.5, up(dimension) * -G, settings(integrator));
            steps(&mut sim, 9000);
            let force = next_force(&mut sim);
            assert!((force - 10.0 * G).abs() < 1e-6, "{dimension:?} {integrator}: {force}");
            let depth = 0.5 - sim.state.pose(BodyId::new(1)).position.dot(up(dimension));
            let wanted = 10.0 * G / (5000.0 + 100.0 / 0.15);
            assert!((depth - wanted).abs() < 1e-8, "{dimension:?} {integrator}: {depth} {wanted}");
            assert!(sim.state.nu[1].linear.length() < 1e-8);
        }
    }
}

/// More memory (lambda nearer to 1) means less depth, by the same formula.
#[test]
fn integral_term_takes_the_depth_back() {
    let mut last = f64::INFINITY;
    for forgetting in [0.0, 0.85, 0.98] {
        let mut s = settings("rk4");
        s.penalty.forgetting = forgetting;
        let mut sim = block_on_ground(Dimension::Three, 0.5, Vec3::Z * -G, s);
        steps(&mut sim, 9000);
        let depth = 0.5 - sim.state.pose(BodyId::new(1)).position.z;
        let wanted = 10.0 * G / (5000.0 + 100.0 / (1.0 - forgetting));
        assert!((depth - wanted).abs() < 1e-7, "{forgetting}: {depth} {wanted}");
        assert!(depth < last);
        last = depth;
    }
}

/// A block set askew into the ground comes to lie flat with several points; the deepest point
/// alone leaves it rocking with far more kinetic energy (the paper's figure 8).
#[test]
fn several_points_settle_what_one_point_rocks() {
    let kinetic = |points| {
        let mut s = settings("rk4");
        s.penalty.points = points;
        let mut sim = block_on_ground(Dimension::Three, 0.55, Vec3::Z * -G, s);
        sim.state.q[1].orientation = Quat::from_axis_angle(Vec3::new(0.6, 0.8, 0.0), 0.2);
        steps(&mut sim, 8000);
        let twist = sim.state.nu[1];
        let j = 10.0 / 6.0;
        5.0 * twist.linear.length_squared() + 0.5 * j * twist.angular.length_squared()
    };
    let (several, one) = (kinetic(PenaltyPoints::Bottom), kinetic(PenaltyPoints::Deepest));
    assert!(several < 1e-6, "{several}");
    assert!(one > 1e3 * several, "{one} {several}");
}

/// On a slope of angle a with mu = 0.5 the block stays below atan(0.5) and slides above with
/// `g (sin a - mu cos a)`.
#[test]
fn friction_holds_up_to_the_cone_and_slides_beyond() {
    for variant in [StaticFriction::Spring, StaticFriction::LinearSystem] {
        for (excess, dimension) in
            [-0.02_f64, 0.02].into_iter().flat_map(|e| DIMENSIONS.map(|d| (e, d)))
        {
            let angle = 0.5_f64.atan() + excess;
            let gravity = Vec3::X * (G * angle.sin()) - up(dimension) * (G * angle.cos());
            let mut s = settings("semi-implicit");
            s.penalty.static_friction = variant;
            let depth = 10.0 * G * angle.cos() / (5000.0 + 100.0 / 0.15);
            let mut sim = block_on_ground(dimension, 0.5 - depth, gravity, s);
            // The spring settles with k_v / k_p = 0.5 s.
            steps(&mut sim, if excess < 0.0 { 9000 } else { 3000 });
            let speed = sim.state.nu[1].linear.x;
            let wanted = match excess < 0.0 {
                true => 0.0,
                false => 3.0 * G * (angle.sin() - 0.5 * angle.cos()),
            };
            // A spring takes a moment to load; both start from rest.
            let slack = if wanted == 0.0 { 1e-6 } else { 0.05 };
            assert!(
                (speed - wanted).abs() < slack,
                "{variant:?} {dimension:?} {excess}: {speed} {wanted}"
            );
        }
    }
}

/// A block let go at speed stops after `v² / (2 mu g)`.
#[test]
fn sliding_block_stops_where_friction_says() {
    for variant in [StaticFriction::Spring, StaticFriction::LinearSystem, StaticFriction::None] {
        let mut s = settings("rk4");
        s.penalty.static_friction = variant;
        let depth = 10.0 * G / (5000.0 + 100.0 / 0.15);
        let mut sim = block_on_ground(Dimension::Two, 0.5 - depth, Vec3::Y * -G, s);
        sim.state.nu[1].linear.x = 1.0;
        steps(&mut sim, 8000);
        let (x, v) = (sim.state.q[1].position.x, sim.state.nu[1].linear.x);
        let wanted = 1.0 / (2.0 * 0.5 * G);
        assert!((x - wanted).abs() < 0.05 * wanted, "{variant:?}: {x} {wanted}");
        assert!(v.abs() < 1e-6, "{variant:?}: {v}");
    }
}

/// Forces between two bodies change neither momentum nor angular momentum, through impact and
/// contact; and inelastic impacts with dampers never add energy.
#[test]
fn contact_keeps_momentum_and_adds_no_energy() {
    for dimension in DIMENSIONS {
        let mut builder = ModelBuilder::new(dimension);
        builder.gravity(Vec3::ZERO);
        let solid = match dimension {
            Dimension::Two => Solid::rectangle(1.0, 1.0),
            Dimension::Three => Solid::cuboid(Vec3::ONE),
        };
        let solid = solid.unwrap();
        let spin = Vec3::Z * 0.4;
        builder.add(BodyInit::new(&solid).mass(2.0).velocity(Vec3::X).spin(spin)).unwrap();
        let at = Vec3::new(1.3, 0.35, 0.0);
        builder.add(BodyInit::new(&solid).mass(5.0).at(at).velocity(Vec3::X * -1.0)).unwrap();
        let (model, state) = builder.build();
        let s = Settings { step: 2e-4, ..settings("rk4") };
        let mut sim = Simulator::new(model, state, s).unwrap();
        let (p0, l0) = sim.state.momentum(&sim.model);
        let e0 = sim.state.energy(&sim.model);
        let mut touched = false;
        for _ in 0..5000 {
            let report = sim.step().unwrap();
            touched |= report.constraints.unilateral > 0;
            assert!(sim.state.energy(&sim.model) < e0 + 1e-9);
        }
        let (p, l) = sim.state.momentum(&sim.model);
        assert!(touched);
        assert!((p - p0).length() < 1e-12, "{dimension:?}: {p} {p0}");
        // The bodies turn while they push: kept up to the error of the integrator.
        assert!((l - l0).length() < 1e-7, "{dimension:?}: {l} {l0}");
    }
}

/// The first touch is an impact: a ball with e = 0.5 leaves with half its speed, in one step and
/// whatever the gains; and one without restitution stays.
#[test]
fn impacts_are_impulses() {
    for e in [0.0, 0.5] {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        builder.add(BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).friction(0.0)).unwrap();
        let ball = BodyInit::new(&Solid::sphere(0.5).unwrap()).restitution(e).friction(0.0);
        builder.add(ball.at(Vec3::Z * 0.5005).velocity(Vec3::Z * -2.0)).unwrap();
        let (model, state) = builder.build();
        let mut s = settings("semi-implicit");
        s.penalty.damping = 0.0;
        s.penalty.integral = 0.0;
        let mut sim = Simulator::new(model, state, s).unwrap();
        steps(&mut sim, 2);
        let v = sim.state.nu[1].linear.z;
        // Depth 1.5 mm for one step: k_p d h / m = 500 * 0.0015 * 0.001.
        assert!((v - 2.0 * e).abs() < 1e-3, "{e}: {v}");
    }
}

/// Ten boxes on top of each other stand for two seconds, each pair carrying what is above it.
#[test]
fn stack_stands() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.add(BodyInit::new(&Solid::half_space(Vec3::Z).unwrap())).unwrap();
    for k in 0..5 {
        let cube = Solid::cuboid(Vec3::ONE).unwrap();
        builder.add(BodyInit::new(&cube).at(Vec3::Z * (0.5 + f64::from(k)))).unwrap();
    }
    let (model, state) = builder.build();
    let mut sim = Simulator::new(model, state, settings("semi-implicit")).unwrap();
    steps(&mut sim, 4000);
    for k in 1..=5 {
        let (x, nu) = (sim.state.q[k].position, sim.state.nu[k]);
        assert!(x.x.abs() < 1e-6 && x.y.abs() < 1e-6, "{k}: {x}");
        assert!(nu.linear.length() < 1e-3, "{k}: {}", nu.linear);
    }
}

/// Runge-Kutta falls freely without error and turns a free body with an error of fourth order.
#[test]
fn rk4_is_of_order_four() {
    let end = |h: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let solid = Solid::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        let spin = Vec3::new(1.0, 2.0, 0.5);
        builder.add(BodyInit::new(&solid).spin(spin).velocity(Vec3::X)).unwrap();
        let (model, state) = builder.build();
        let s = Settings { step: h, ..settings("rk4") };
        let mut sim = Simulator::new(model, state, s).unwrap();
        steps(&mut sim, (1.0 / h).round() as usize);
        let fall = sim.state.q[0].position - Vec3::new(1.0, 0.0, -0.5 * G);
        assert!(fall.length() < 1e-12, "{fall}");
        sim.state.nu[0].angular
    };
    let (coarse, fine, exact) = (end(0.02), end(0.01), end(0.001));
    let order = ((coarse - exact).length() / (fine - exact).length()).log2();
    assert!((order - 4.0).abs() < 0.2, "{order}");
}

/// Heights along x, the same for all y: a floor, a valley, two ridges. 4 m by 4 m.
fn profile(heights: &[f64]) -> BodyInit {
    let rows = [heights, heights].concat();
    let mesh = TriMesh::heightfield(&rows, heights.len(), [4.0, 4.0]).unwrap();
    BodyInit::new(&Solid::surface(&mesh).unwrap()).named("ground")
}

fn on_surface(ground: BodyInit, body: BodyInit, s: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::Z * -G);
    builder.add(ground.friction(0.0)).unwrap();
    builder.add(body.friction(0.0).mass(10.0)).unwrap();
    let (model, state) = builder.build();
    Simulator::new(model, state, s).unwrap()
}

/// On a surface of triangles a block rests as deep as on a half-space, whether its corners are
/// behind a flat floor or two ridges enter its lower face; on a mesh of a box too.
#[test]
fn block_rests_on_triangles() {
    let wanted = 10.0 * G / (5000.0 + 100.0 / 0.15);
    let slab = Solid::cuboid(Vec3::new(3.0, 3.0, 1.0)).unwrap();
    let faces = slab.shape.parts()[0].convex.clone();
    let stickslip::geometry::Convex::Polytope(slab) = faces else { unreachable!() };
    let corners = slab.faces.iter().map(|f| f.vertices.clone());
    let triangles =
        corners.flat_map(|v| (1..v.len() - 1).map(move |k| [v[0], v[k], v[k + 1]])).collect();
    let slab = TriMesh::new(slab.vertices.clone(), triangles).unwrap();
    let slab = BodyInit::new(&Solid::surface(&slab).unwrap()).fixed();
    let cases = [
        ("flat", profile(&[0.0; 3]), 0.0),
        (
            "ridges",
            profile(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0]),
            0.2,
        ),
        ("box", slab, 0.5),
    ];
    for (name, ground, top) in cases {
        let block = BodyInit::new(&Solid::cuboid(Vec3::ONE).unwrap());
        let turn = Quat::from_rotation_z(0.2);
        let start = block.at(Vec3::Z * (top + 0.5)).turned(turn);
        let mut sim = on_surface(ground, start, settings("semi-implicit"));
        steps(&mut sim, 9000);
        let pose = sim.state.pose(BodyId::new(1));
        let depth = top + 0.5 - pose.position.z;
        assert!((depth - wanted).abs() < 1e-7, "{name}: {depth} {wanted}");
        assert!(pose.vector(Vec3::Z).z > 1.0 - 1e-12, "{name}: {pose:?}");
    }
}

/// A ball in a valley of 90 degrees is carried by both walls, each with `m g / sqrt 2` along its
/// normal, at the depth that the gains give; one on a flat floor as a block is.
#[test]
fn ball_rests_in_a_valley() {
    let stiffness = 5000.0 + 100.0 / 0.15;
    let radius = 0.5;
    let ball = || BodyInit::new(&Solid::sphere(radius).unwrap());
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for (name, heights, carried, high) in [
        ("valley", vec![2.0, 0.0, 2.0], 10.0 * G * half, 1.0 / half),
        ("floor", vec![0.0; 3], 10.0 * G, 1.0),
    ] {
        let start = ball().at(Vec3::Z * (radius * high));
        let mut sim = on_surface(profile(&heights), start, settings("semi-implicit"));
        steps(&mut sim, 9000);
        let at = sim.state.pose(BodyId::new(1)).position;
        let wanted = (radius - carried / stiffness) * high;
        assert!((at - Vec3::Z * wanted).length() < 1e-7, "{name}: {at} {wanted}");
    }
}

/// On a wavy ground a heap of boxes, balls and capsules comes to rest, not deep in it.
#[test]
fn heap_rests_on_waves() {
    let (n, size) = (25, 4.0);
    let wave = |k: usize| 0.1 * (0.8 * (k % n) as f64).sin() * (0.6 * (k / n) as f64).cos();
    let heights: Vec<f64> = (0..n * n).map(wave).collect();
    let mesh = TriMesh::heightfield(&heights, n, [size, size]).unwrap();
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::Z * -G);
    builder.add(BodyInit::new(&Solid::surface(&mesh).unwrap()).friction(0.5)).unwrap();
    let shapes = [
        Solid::cuboid(Vec3::splat(0.3)).unwrap(),
        Solid::sphere(0.15).unwrap(),
        Solid::capsule(0.1, 0.3).unwrap(),
    ];
    for k in 0..9 {
        let at = Vec3::new((k % 3) as f64 - 1.0, (k / 3) as f64 - 1.0, 0.4);
        let turn = Quat::from_rotation_x(0.3 * k as f64);
        let body = BodyInit::new(&shapes[k % 3]).mass(1.0).friction(0.5).at(at).turned(turn);
        builder.add(body).unwrap();
    }
    let (model, state) = builder.build();
    let mut sim = Simulator::new(model, state, settings("semi-implicit")).unwrap();
    steps(&mut sim, 4000);
    for k in 1..10 {
        let (at, v) = (sim.state.pose(BodyId::new(k)).position, sim.state.nu[k].linear);
        assert!((-0.1..0.5).contains(&at.z) && v.length() < 0.5, "body {k}: {at} {v}");
    }
}
