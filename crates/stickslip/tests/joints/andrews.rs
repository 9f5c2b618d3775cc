//! Andrews' squeezing mechanism: seven bodies in the plane, three loops, one spring.
//!
//! Data and reference values at t = 0.03 s: Schiehlen, Multibody Systems Handbook (1990); Hairer and
//! Wanner, Solving Ordinary Differential Equations II, VII.7; Test Set for IVP Solvers.

use stickslip::{
    BodyId, BodyInit, Dimension, ForceInit, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Mat3, Solid, Vec3},
};

const START: [f64; 7] = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_88,
    0.487_364_979_543_842_55,
    -0.222_668_390_165_885_88,
    1.230_547_444_549_821_2,
];
/// beta, Theta, gamma, Phi, delta, Omega, epsilon \[rad\].
const END: [f64; 7] = [
    15.810_771_196_299_04,
    -15.756_371_059_842_98,
    0.040_822_240_130_731_01,
    -0.534_730_116_322_694_8,
    0.524_409_965_880_530_4,
    0.534_730_116_322_694_8,
    1.048_080_741_042_263,
];

fn along(angle: f64) -> Vec3 {
    Vec3::new(angle.cos(), angle.sin(), 0.0)
}

fn across(angle: f64) -> Vec3 {
    Vec3::new(angle.sin(), -angle.cos(), 0.0)
}

fn mechanism() -> ModelBuilder {
    let [beta, theta, gamma, phi, delta, omega, epsilon] = START;
    let (a, b) = (Vec3::new(-0.06934, -0.00227, 0.0), Vec3::new(-0.03635, 0.03273, 0.0));
    let crank = along(beta) * 7e-3;
    let meet = crank - along(beta + theta) * 28e-3;
    let (left, right) = (a + along(delta) * 40e-3, a + across(epsilon) * 40e-3);
    let bodies: [(f64, f64, f64, Vec3); 7] = [
        (0.04325, 2.194e-6, beta, along(beta) * 92e-5),
        (0.00365, 4.410e-7, beta + theta, crank - along(beta + theta) * 115e-4),
        (0.02373, 5.255e-6, gamma, b + across(gamma) * 1874e-5 + along(gamma) * 1043e-5),
        (0.00706, 5.667e-7, phi + delta, left + across(phi + delta) * (2e-2 - 1421e-5)),
        (0.07050, 1.169e-5, delta, a + along(delta) * 2308e-5 + across(delta) * 916e-5),
        (0.00706, 5.667e-7, omega + epsilon, right + along(omega + epsilon) * (2e-2 - 1421e-5)),
        (0.05498, 1.912e-5, epsilon, a + across(epsilon) * 1228e-5 - along(epsilon) * 449e-5),
    ];
    let mut builder = ModelBuilder::new(Dimension::Two);
    builder.gravity(Vec3::ZERO);
    let solid = Solid::disc(1e-3).unwrap();
    let mut ids = Vec::new();
    for (k, (mass, inertia, angle, at)) in bodies.into_iter().enumerate() {
        let mut init = BodyInit::new(&solid).mass(mass).inertia(Mat3::IDENTITY * inertia);
        init.body.collides = false;
        let torque = if k == 0 { 0.033 } else { 0.0 };
        ids.push(builder.add(init.at(at).angle(angle).torque(Vec3::Z * torque)).unwrap());
    }
    let mut pin = |x: Option<BodyId>, y: BodyId, at: Vec3| {
        builder.joint(JointInit::revolute(x, y).at(at)).unwrap();
    };
    pin(None, ids[0], Vec3::ZERO);
    pin(Some(ids[0]), ids[1], crank);
    pin(None, ids[2], b);
    pin(Some(ids[1]), ids[2], meet);
    pin(None, ids[4], a);
    pin(Some(ids[4]), ids[3], left);
    pin(Some(ids[3]), ids[1], meet);
    pin(None, ids[6], a);
    pin(Some(ids[6]), ids[5], right);
    pin(Some(ids[5]), ids[1], meet);
    let hook = b + along(gamma) * 2e-2 + across(gamma) * 18e-3;
    let spring = ForceInit::spring(None, ids[2], 4530.0).rest_length(7785e-5);
    builder.force(spring.between(Vec3::new(0.014, 0.072, 0.0), hook)).unwrap();
    builder
}

/// The largest error of the seven angles at the end.
fn error(integrator: &str, steps: u32) -> f64 {
    let (model, state) = mechanism().build();
    let settings = Settings {
        step: 0.03 / f64::from(steps),
        integrator: integrator.into(),
        ..Settings::default()
    };
    let mut sim = Simulator::new(model, state, settings).unwrap();
    for _ in 0..steps {
        sim.step().unwrap();
    }
    let angle = &sim.state.angle;
    let found = [
        angle[0],
        angle[1] - angle[0],
        angle[2],
        angle[3] - angle[4],
        angle[4],
        angle[5] - angle[6],
        angle[6],
    ];
    found.iter().zip(END).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

#[test]
fn andrews_mechanism_converges_to_the_reference() {
    let coarse = error("midpoint", 1000);
    let fine = error("midpoint", 2000);
    assert!((coarse / fine).log2() > 1.9, "midpoint: {coarse:e} {fine:e}");
    for integrator in ["auto", "gauss"] {
        let e = error(integrator, 600);
        assert!(e < 1e-7, "{integrator}: {e:e}");
    }
}
