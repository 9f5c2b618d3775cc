//! Commands as anybody might send them.

#![allow(clippy::unwrap_used)]

#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

use std::sync::mpsc::sync_channel;

use stickslip::{
    BodyId, BodyInit, Dimension, ModelBuilder,
    geometry::Solid,
    model::{JointInit, Motor, MotorTarget},
};

use super::*;
use crate::command::STEPS;

const COMMANDS: [&str; 12] = [
    r#"{"command": "play"}"#,
    r#"{"command": "pause"}"#,
    r#"{"command": "step"}"#,
    r#"{"command": "reset"}"#,
    r#"{"command": "settings", "step": 0.01, "formulation": "separation", "solver": "auto"}"#,
    r#"{"command": "drag", "body": 0, "point": [0.1, 0.2, 0.3], "target": [1.0, 2.0, 3.0]}"#,
    r#"{"command": "release"}"#,
    r#"{"command": "settings", "gravity": [0.0, 0.5, -9.81], "judge": false}"#,
    r#"{"command": "settings", "friction": 0.5, "restitution": 0.25}"#,
    r#"{"command": "motor", "joint": 0, "target": 1.5}"#,
    r#"{"command": "speed", "speed": 0.5}"#,
    r#"{"command": "restore"}"#,
];

fn simulation() -> Simulation {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let cube = Solid::cuboid(Vec3::ONE).unwrap();
    builder.add(BodyInit::new(&cube).named("cube").spin(Vec3::Z)).unwrap();
    let wheel = builder.add(BodyInit::new(&cube).named("wheel").at(Vec3::X * 9.0)).unwrap();
    let mut init = JointInit::revolute(None, wheel).along(Vec3::Z).at(Vec3::X * 9.0);
    init.motor = Some(Motor::new(MotorTarget::Velocity(1.0), None));
    builder.joint(init).unwrap();
    of(builder)
}

fn of(builder: ModelBuilder) -> Simulation {
    let (model, state) = builder.build();
    let settings = Settings { threads: 1, ..Settings::default() };
    let simulator = Simulator::new(model, state, settings).unwrap();
    let session = Session::new(Replay::begin("cube", &simulator));
    let (_, commands) = sync_channel(1);
    Simulation::new("cube", simulator, session, (commands, Arc::default()))
}

fn obey(simulation: &mut Simulation, text: &str) {
    simulation.obey(serde_json::from_str(text).unwrap());
}

/// A cube at rest on a floor.
fn resting() -> Simulation {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder
        .add(BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor").fixed())
        .unwrap();
    let cube = Solid::cuboid(Vec3::ONE).unwrap();
    builder.add(BodyInit::new(&cube).named("cube").at(Vec3::Z * 0.5)).unwrap();
    of(builder)
}

/// Steps n times and returns the velocity of the second body.
fn go(simulation: &mut Simulation, steps: usize) -> Vec3 {
    (0..steps).for_each(|_| simulation.step());
    assert_eq!(simulation.error.0, None);
    simulation.simulator.state.twist(BodyId::new(1)).linear
}

/// A cube on a floor, asleep or not, begins to slide as soon as gravity leans by more than friction
/// holds: with the acceleration `g_x - mu g_z`. What was shown stays.
#[test]
fn gravity_and_friction_act_at_once() {
    let mut simulation = resting();
    assert!(go(&mut simulation, 30).length() < 1e-9);
    obey(&mut simulation, r#"{"command": "settings", "friction": 0.2, "gravity": [3, 0, -10]}"#);
    let v = go(&mut simulation, 50);
    assert!((v.x - (3.0 - 0.2 * 10.0) * 0.5).abs() < 1e-6, "{v}");
    // Twice the friction that gravity needs stops it: v = 0.5 after 0.125 s at 4 m/s².
    obey(&mut simulation, r#"{"command": "settings", "friction": 0.7}"#);
    assert!(go(&mut simulation, 20).length() < 1e-6);
    simulation.session.extend(|replay| {
        assert_eq!(replay.frames(), 101);
        assert!(replay.time.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(replay.model.gravity, [3.0, 0.0, -10.0]);
    });
    // As in the scene: gravity straight down, and it stays.
    obey(&mut simulation, r#"{"command": "restore"}"#);
    assert!(go(&mut simulation, 20).length() < 1e-6);
    assert_eq!(simulation.simulator.model.gravity(), Vec3::new(0.0, 0.0, -9.81));
    assert_eq!(simulation.tally, Tally { failed: 0, spurious: Some(0) });
}

/// A dropped cube leaves the floor with `e` times the speed it came with.
#[test]
fn restitution_acts_at_once() {
    let mut simulation = resting();
    obey(&mut simulation, r#"{"command": "settings", "restitution": 0.5, "step": 0.001}"#);
    simulation.simulator.state.nu[1].linear.z = -2.0;
    let v = go(&mut simulation, 1);
    assert!((v.z - 1.0).abs() < 0.02, "{v}");
}

/// The joint turns as fast as it is told, also after a reset; the scene's own speed comes back.
#[test]
fn motors_follow_their_aims() {
    let mut simulation = simulation();
    let spin = |s: &mut Simulation| {
        s.step();
        s.simulator.state.twist(BodyId::new(1)).angular.z
    };
    assert!((spin(&mut simulation) - 1.0).abs() < 1e-9);
    obey(&mut simulation, r#"{"command": "motor", "joint": 0, "target": 2.5}"#);
    assert!((spin(&mut simulation) - 2.5).abs() < 1e-9);
    let motors = status::motors(&simulation.simulator.model, &simulation.simulator.state);
    assert_eq!((&motors[0]["target"], &motors[0]["unit"]), (&json!(2.5), &json!("rad/s")));
    obey(&mut simulation, r#"{"command": "reset"}"#);
    assert!((spin(&mut simulation) - 2.5).abs() < 1e-9);
    obey(&mut simulation, r#"{"command": "restore"}"#);
    assert!((spin(&mut simulation) - 1.0).abs() < 1e-9);
    obey(&mut simulation, r#"{"command": "motor", "joint": 3, "target": 2.5}"#);
    assert!(simulation.error.0.unwrap().contains("no motor"));
}

/// Numbers beyond all sense are refused, one by one.
#[test]
fn absurd_values_are_refused() {
    let mut simulation = resting();
    for (wrong, said) in [
        (r#""settings", "step": 1e308"#, "a step"),
        (r#""settings", "friction": -0.1"#, "friction"),
        (r#""settings", "friction": 1e9"#, "friction"),
        (r#""settings", "restitution": 1.01"#, "restitution"),
        (r#""settings", "gravity": [0, 1e300, 0]"#, "gravity"),
        (r#""motor", "joint": 0, "target": 1e200"#, "motor"),
        (r#""speed", "speed": 0"#, "speed"),
    ] {
        let before = simulation.error.1;
        obey(&mut simulation, &format!("{{\"command\": {wrong}}}"));
        assert!(simulation.error.0.as_ref().unwrap().contains(said), "{wrong}");
        assert_eq!(simulation.error.1, before + 1);
        simulation.error.0 = None;
        assert!(go(&mut simulation, 1).length() < 1e-9, "{wrong}");
    }
}

/// A defect is told, and the run can be started again.
#[test]
fn a_defect_is_told() {
    struct Broken;
    impl Hook for Broken {
        fn before_step(&mut self, _model: &Model, state: &mut State) {
            assert!(state.step != 3, "step three is broken");
        }
    }
    let mut simulation = resting();
    simulation.simulator.pipeline.hooks.push(Box::new(Broken));
    (0..6).for_each(|_| simulation.step());
    assert!(!simulation.running && simulation.simulator.state.step == 3);
    assert!(simulation.error.0.as_ref().unwrap().contains("step three is broken"));
    obey(&mut simulation, r#"{"command": "reset"}"#);
    go(&mut simulation, 2);
    assert_eq!(simulation.simulator.state.step, 2);
}

/// Whatever a client sends, the simulation goes on and its state stays finite.
#[test]
fn damaged_commands_do_no_harm() {
    let originals: Vec<Vec<u8>> = COMMANDS.map(|c| c.as_bytes().to_vec()).into();
    let simulation = std::cell::RefCell::new(simulation());
    mutate::read_all(&originals, mutate::cases(500), |bytes| {
        let Ok(command) = serde_json::from_slice::<Command>(bytes) else { return };
        let mut simulation = simulation.borrow_mut();
        simulation.obey(command);
        simulation.step();
        let settings = &simulation.simulator.settings;
        assert!((STEPS[0]..=STEPS[1]).contains(&settings.step), "{settings:?}");
        let state = &simulation.simulator.state;
        assert!(state.q.iter().all(|q| q.position.is_finite()), "{state:?}");
        simulation.obey(Command::Reset);
    });
}

/// What the cases are made from is understood.
#[test]
fn the_originals_are_commands() {
    for text in COMMANDS {
        serde_json::from_str::<Command>(text).unwrap();
    }
}
