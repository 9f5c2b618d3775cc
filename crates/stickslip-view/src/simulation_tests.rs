//! Commands as anybody might send them.

#![allow(clippy::unwrap_used)]

#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

use std::sync::mpsc::sync_channel;

use stickslip::{BodyInit, Dimension, ModelBuilder, geometry::Solid};

use super::*;

const COMMANDS: [&str; 7] = [
    r#"{"command": "play"}"#,
    r#"{"command": "pause"}"#,
    r#"{"command": "step"}"#,
    r#"{"command": "reset"}"#,
    r#"{"command": "settings", "step": 0.01, "formulation": "separation", "solver": "auto"}"#,
    r#"{"command": "drag", "body": 0, "point": [0.1, 0.2, 0.3], "target": [1.0, 2.0, 3.0]}"#,
    r#"{"command": "release"}"#,
];

fn simulation() -> Simulation {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let cube = Solid::cuboid(Vec3::ONE).unwrap();
    builder.add(BodyInit::new(&cube).named("cube").spin(Vec3::Z)).unwrap();
    let (model, state) = builder.build();
    let settings = Settings { threads: 1, ..Settings::default() };
    let simulator = Simulator::new(model, state, settings).unwrap();
    let session = Session::new(Replay::begin("cube", &simulator));
    let (_, commands) = sync_channel(1);
    Simulation::new("cube", simulator, session, (commands, Arc::default()))
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
