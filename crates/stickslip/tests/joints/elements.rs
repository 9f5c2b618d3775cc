//! Force elements: springs, dampers, bushings, gravity compensation, forces of one's own.

use stickslip::{
    BodyId, BodyInit, Dimension, ForceInit, JointInit, Model, ModelBuilder, Settings, Simulator,
    State,
    geometry::{Mat3, Quat, Solid, Vec3},
    model::{ForceKind, ForceRow},
    state::Wrench,
};

fn ball(mass: f64) -> BodyInit {
    let mut init = BodyInit::new(&Solid::sphere(0.05).unwrap()).mass(mass);
    init.body.collides = false;
    init
}

fn settings(step: f64, integrator: &str) -> Settings {
    Settings { step, integrator: integrator.into(), ..Settings::default() }
}

fn simulate(builder: ModelBuilder, settings: Settings, duration: f64) -> Simulator {
    let (model, state) = builder.build();
    let steps = (duration / settings.step).round() as usize;
    let mut sim = Simulator::new(model, state, settings).unwrap();
    for _ in 0..steps {
        sim.step().unwrap();
    }
    sim
}

/// A small generator of numbers in -1..1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Two bodies in random places on a hinge each, and one of every element with rows.
fn random_scene(random: &mut Random, damping: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let ids: Vec<BodyId> = (0..2)
        .map(|_| {
            let axis = random.vector();
            let init = ball(1.0 + 0.5 * random.next())
                .inertia(Mat3::from_diagonal(Vec3::new(0.3, 0.4, 0.5)))
                .at(random.vector())
                .turned(Quat::from_axis_angle(axis.normalize(), 0.4))
                .velocity(random.vector())
                .spin(random.vector());
            builder.add(init).unwrap()
        })
        .collect();
    let hinge = builder.joint(JointInit::revolute(ids[0], ids[1]).along(Vec3::X)).unwrap();
    let [a, b, c] = [random.vector(), random.vector(), random.vector()];
    let spring = ForceInit::spring(ids[0], ids[1], 7.0).between(a, b).rest_length(0.3);
    builder.force(spring.damping(damping)).unwrap();
    builder.force(ForceInit::spring(None, ids[1], 3.0).between(b, c)).unwrap();
    builder.force(ForceInit::joint_spring(hinge, 0.7, 5.0).damping(damping)).unwrap();
    let gains = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut bushing = ForceInit::bushing(ids[0], ids[1], gains, gains.map(|g| damping * g)).at(c);
    bushing.orientation = Quat::from_axis_angle(Vec3::Y, 0.3);
    builder.force(bushing).unwrap();
    builder.force(ForceInit::gravity_compensation(ids[1], 0.4)).unwrap();
    let (model, mut state) = builder.build();
    // Away from where the joint holds.
    for id in model.ids() {
        let twist = stickslip::Twist { linear: random.vector(), angular: random.vector() };
        state.advance(Dimension::Three, id, &twist, 0.2);
    }
    (model, state)
}

/// The state `t` seconds on along its velocities.
fn moved(model: &Model, state: &State, t: f64) -> State {
    let mut out = state.clone();
    for id in model.ids() {
        let twist = *state.twist(id);
        out.advance(model.dimension(), id, &twist, t);
    }
    out
}

/// Without dampers the power of all elements is minus the rate of the energy they store.
#[test]
fn forces_are_the_slopes_of_the_energy() {
    let mut random = Random(1234567);
    for _ in 0..40 {
        let (model, state) = random_scene(&mut random, 0.0);
        let pushed = model.pushed(&state);
        let power: f64 = model
            .ids()
            .map(|id| {
                let (w, nu) = (pushed.applied[id.index()], state.twist(id));
                w.force.dot(nu.linear) + w.torque.dot(nu.angular)
            })
            .sum();
        let e = 1e-5;
        let [before, after] = [-e, e].map(|t| model.element_energy(&moved(&model, &state, t)));
        let slope = (after - before) / (2.0 * e);
        assert!(
            (power + slope).abs() < 1e-7 * (1.0 + slope.abs()),
            "seed 1234567: {power} {slope}"
        );
    }
}

/// Every row changes its force as its stiffness and damping say: central differences.
#[test]
fn rows_have_the_jacobians_they_say() {
    let mut random = Random(777);
    for round in 0..40 {
        let damping = if round % 2 == 0 { 0.0 } else { 0.8 };
        let (model, state) = random_scene(&mut random, damping);
        for element in model.force_elements() {
            let rows = |s: &State| -> Vec<ForceRow> {
                let across = |r: &ForceRow| r.force != 0.0;
                model.force_rows(s, element).into_iter().filter(across).collect()
            };
            let e = 1e-5;
            let [low, now, high] = [-e, 0.0, e].map(|t| rows(&moved(&model, &state, t)));
            for (k, row) in now.iter().enumerate() {
                let spring = |r: &ForceRow| r.force + r.damping * r.rate;
                let slope = (spring(&high[k]) - spring(&low[k])) / (2.0 * e);
                let expected = -row.stiffness * row.rate;
                let scale = 1.0 + expected.abs();
                assert!((slope - expected).abs() < 1e-7 * scale, "seed 777: {slope} {expected}");
                let mut faster = state.clone();
                faster.nu.iter_mut().for_each(|nu| {
                    nu.linear *= 2.0;
                    nu.angular *= 2.0;
                });
                let change = rows(&faster)[k].force - row.force;
                assert!((change + row.damping * row.rate).abs() < 1e-12 * scale, "seed 777");
            }
        }
    }
}

/// The stiffness of a taut spring between two points, across it as well: differences of the force.
#[test]
fn a_taut_spring_has_its_full_stiffness() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let id = builder.add(ball(1.0).at(Vec3::new(1.0, 0.5, -0.3))).unwrap();
    builder.force(ForceInit::spring(None, id, 11.0).rest_length(0.4)).unwrap();
    let (model, state) = builder.build();
    let rows = model.force_rows(&state, &model.force_elements()[0]);
    assert_eq!(rows.len(), 3);
    for direction in Vec3::AXES {
        let force = |x: f64| {
            let mut s = state.clone();
            s.q[0].position += direction * x;
            model.pushed(&s).applied[0].force
        };
        let slope = (force(1e-5) - force(-1e-5)) / 2e-5;
        let stiff = |r: &ForceRow| r.direction * (r.stiffness * r.direction.dot(direction));
        let expected = -rows.iter().map(stiff).sum::<Vec3>();
        assert!((slope - expected).length() < 1e-8, "{slope} {expected}");
    }
}

/// A mass on a spring against `x = cos(omega t)`.
fn swing_error(step: f64, integrator: &str, stiffness: f64) -> f64 {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let id = builder.add(ball(2.0).at(Vec3::X * 3.0)).unwrap();
    builder.force(ForceInit::spring(None, id, stiffness).rest_length(2.0)).unwrap();
    let sim = simulate(builder, settings(step, integrator), 1.0);
    (sim.state.q[0].position.x - 2.0 - (stiffness / 2.0).sqrt().cos()).abs()
}

#[test]
fn a_swing_has_the_order_of_its_integrator() {
    for (integrator, order) in
        [("semi-implicit", 0.9), ("midpoint", 1.9), ("rk4", 3.8), ("auto", 5.5)]
    {
        let errors = [0.1, 0.05].map(|h| swing_error(h, integrator, 8.0));
        let found = (errors[0] / errors[1]).log2();
        assert!(found > order, "{integrator}: {errors:?}, order {found}");
    }
    assert!(swing_error(0.01, "auto", 8.0) < 1e-11);
}

/// No spring is too stiff: what no step resolves comes to rest at its length.
#[test]
fn stiff_springs_stay_bounded() {
    for integrator in ["auto", "semi-implicit", "gauss", "midpoint"] {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let mut last = None;
        for k in 0..4 {
            let at = Vec3::new(1.0 + f64::from(k), 0.0, 0.0);
            let id = builder.add(ball(0.1).at(at)).unwrap();
            let spring = ForceInit::spring(last, id, 1e9).rest_length(1.0).damping(10.0);
            builder.force(spring).unwrap();
            last = Some(id);
        }
        let start = builder.clone().build();
        let energy = start.1.energy(&start.0);
        let sim = simulate(builder, settings(0.01, integrator), 1.0);
        let now = sim.state.energy(&sim.model);
        assert!(now <= energy + 1e-6, "{integrator}: {energy} {now}");
        for element in sim.model.force_elements() {
            let [a, b] = element.ends(&sim.state);
            // 4 masses at a few g on 1e9 N/m
            assert!((a.distance(b) - 1.0).abs() < 1e-3, "{integrator}: {}", a.distance(b));
        }
    }
}

/// Momentum is kept by springs between bodies, however stiff.
#[test]
fn springs_between_bodies_keep_the_momentum() {
    for stiffness in [10.0, 1e7] {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        let a = builder.add(ball(1.0).spin(Vec3::X)).unwrap();
        let b = builder.add(ball(3.0).at(Vec3::X).velocity(Vec3::new(0.0, 1.0, 0.5))).unwrap();
        let ends = [Vec3::Y * 0.02, Vec3::new(1.0, 0.0, 0.03)];
        builder.force(ForceInit::spring(a, b, stiffness).between(ends[0], ends[1])).unwrap();
        let (model, state) = builder.clone().build();
        let before = state.momentum(&model).0;
        for integrator in ["auto", "semi-implicit", "midpoint"] {
            let sim = simulate(builder.clone(), settings(0.01, integrator), 0.5);
            let after = sim.state.momentum(&sim.model).0;
            assert!(
                (after - before).length() < 1e-10,
                "{integrator} {stiffness}: {before} {after}"
            );
        }
    }
}

/// A torsion pendulum on a hinge: `theta'' = -k theta / J`, and stiff ones come to rest.
#[test]
fn a_joint_spring_swings_and_a_stiff_one_holds() {
    let build = |stiffness: f64, damping: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        let j = Mat3::from_diagonal(Vec3::splat(0.5));
        let id = builder.add(ball(1.0).inertia(j)).unwrap();
        let hinge = builder.joint(JointInit::revolute(None, id).along(Vec3::Z)).unwrap();
        let spring = ForceInit::joint_spring(hinge, 0.6, stiffness).damping(damping);
        builder.force(spring).unwrap();
        builder
    };
    let angle =
        |sim: &Simulator| sim.model.joint_position(&sim.state, stickslip::JointId::new(0))[0];
    let omega = (2.0_f64 / 0.5).sqrt();
    let sim = simulate(build(2.0, 0.0), settings(0.01, "auto"), 2.0);
    let exact = 0.6 - 0.6 * (omega * 2.0).cos();
    assert!((angle(&sim) - exact).abs() < 1e-10, "{} {exact}", angle(&sim));
    for integrator in ["auto", "semi-implicit"] {
        let sim = simulate(build(1e8, 1e4), settings(0.01, integrator), 1.0);
        assert!((angle(&sim) - 0.6).abs() < 1e-6, "{integrator}: {}", angle(&sim));
    }
}

/// A body without weight stays; one on a bushing sinks by `m g / k` and turns by `torque / k`.
#[test]
fn weights_are_taken_off_and_bushings_give_way() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let light = builder.add(ball(2.0)).unwrap();
    builder.force(ForceInit::gravity_compensation(light, 1.0)).unwrap();
    let heavy = builder.add(ball(2.0).at(Vec3::X).torque(Vec3::X * 0.5)).unwrap();
    let bushing = ForceInit::bushing(None, heavy, [1e4, 1e4, 1e3, 80.0, 90.0, 100.0], [50.0; 6]);
    builder.force(bushing.at(Vec3::X)).unwrap();
    let sim = simulate(builder, settings(0.01, "auto"), 20.0);
    assert!(sim.state.q[0].position.length() < 1e-12, "{}", sim.state.q[0].position);
    let sunk = sim.state.q[1].position.z;
    assert!((sunk + 2.0 * 9.81 / 1e3).abs() < 1e-7, "{sunk}");
    let turned = 2.0 * sim.state.q[1].orientation.x;
    // torque = k 2 sin(angle / 2) cos(angle / 2) = k sin(angle)
    let exact = 2.0 * (0.5 * (0.5_f64 / 80.0).asin()).sin();
    assert!((turned - exact).abs() < 1e-7, "{turned} {exact}");
}

/// A force of the state and the time, `x'' = -x' + sin t`, at the integrator's stages.
#[test]
fn functions_are_evaluated_at_the_stages() {
    let error = |step: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        builder.add(ball(1.0)).unwrap();
        let push = |_: &Model, state: &State, wrenches: &mut [Wrench]| {
            wrenches[0].force.x += state.time.sin() - state.nu[0].linear.x;
        };
        builder.force(ForceInit::function(push)).unwrap();
        let sim = simulate(builder, settings(step, "auto"), 2.0);
        let v = 0.5 * ((-2.0_f64).exp() + 2.0_f64.sin() - 2.0_f64.cos());
        (sim.state.nu[0].linear.x - v).abs()
    };
    assert!(error(0.02) < 1e-11, "{}", error(0.02));
}

#[test]
fn nonsense_is_refused() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let id = builder.add(ball(1.0)).unwrap();
    let fixed = builder.joint(JointInit::fixed(None, id)).unwrap();
    let bad = [
        ForceInit::spring(id, id, 1.0),
        ForceInit::spring(None, id, -1.0),
        ForceInit::spring(None, id, 1.0).rest_length(f64::INFINITY),
        ForceInit::spring(None, BodyId::new(9), 1.0),
        ForceInit::joint_spring(fixed, 0.0, 1.0),
        ForceInit::joint_spring(stickslip::JointId::new(7), 0.0, 1.0),
        ForceInit::gravity_compensation(id, f64::NAN),
        ForceInit::bushing(None, id, [f64::NAN; 6], [0.0; 6]),
    ];
    for init in bad {
        let text = format!("{:?}", init.kind);
        assert!(builder.force(init).is_err(), "{text}");
    }
    builder.force(ForceInit::spring(None, id, 1.0).named("s")).unwrap();
    let again = builder.force(ForceInit::spring(None, id, 1.0).named("s")).unwrap_err();
    assert!(again.to_string().contains("unique"), "{again}");
    let kind = ForceKind::GravityCompensation { part: 1.0 };
    assert!(builder.force(ForceInit::new(kind, None, Some(id))).is_ok());
}
