//! Scenes that several tests use.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
};

pub const G: f64 = 9.81;

/// Earth's gravity, everything else by default, but for sleep: drift must show.
pub fn settings(step: f64) -> Settings {
    Settings { step, sleep: false, ..Settings::default() }
}

/// A simulator of some bodies.
pub fn simulate(
    dimension: Dimension,
    gravity: Vec3,
    bodies: Vec<BodyInit>,
    settings: Settings,
) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(gravity);
    for body in bodies {
        builder.add(body).unwrap();
    }
    let (model, state) = builder.build();
    Simulator::new(model, state, settings).unwrap()
}

/// Steps until `time`, insisting that every solve succeeds.
pub fn run(simulator: &mut Simulator, time: f64) {
    let steps = (time / simulator.settings.step).round() as u64;
    while simulator.state.step < steps {
        let report = simulator.step().unwrap();
        assert_eq!(report.solves.failures, 0, "step {}: {:?}", report.step, report.solves);
    }
}

pub fn cube(edge: f64) -> BodyInit {
    BodyInit::new(&Solid::cuboid(Vec3::splat(edge)).unwrap())
}

pub fn square(edge: f64) -> BodyInit {
    BodyInit::new(&Solid::rectangle(edge, edge).unwrap())
}

/// Gravity seen from a frame that leans by `angle`: a slope becomes the plane z = 0 (or y = 0).
pub fn leaning_gravity(dimension: Dimension, angle: f64) -> Vec3 {
    match dimension {
        Dimension::Two => Vec3::new(G * angle.sin(), -G * angle.cos(), 0.0),
        Dimension::Three => Vec3::new(G * angle.sin(), 0.0, -G * angle.cos()),
    }
}

/// The half-space below the plane through the origin.
pub fn ground(dimension: Dimension) -> BodyInit {
    let solid = match dimension {
        Dimension::Two => Solid::half_plane(Vec3::Y),
        Dimension::Three => Solid::half_space(Vec3::Z),
    };
    BodyInit::new(&solid.unwrap()).named("ground")
}

/// "Up" of the dimension.
pub fn up(dimension: Dimension) -> Vec3 {
    match dimension {
        Dimension::Two => Vec3::Y,
        Dimension::Three => Vec3::Z,
    }
}

/// A box (square) of that edge resting on the ground.
pub fn resting_box(dimension: Dimension, edge: f64) -> BodyInit {
    let body = match dimension {
        Dimension::Two => square(edge),
        Dimension::Three => cube(edge),
    };
    body.named("box").at(up(dimension) * (0.5 * edge))
}

/// A rotation that favours no axis.
pub fn odd_rotation() -> Quat {
    Quat::from_axis_angle(Vec3::new(0.3, -0.8, 0.5).normalize(), 1.1)
}
