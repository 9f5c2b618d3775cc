//! Damaged scenes, bytes and all, are read or refused: no panic, and what is read can be set up.

#![allow(clippy::unwrap_used)]

#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

use stickslip::Simulator;
use stickslip_scene::{BUILTIN, Scene};

#[test]
fn scenes() {
    let small = BUILTIN.iter().filter(|b| b.text.len() < 4000);
    let originals: Vec<Vec<u8>> = small.map(|b| b.text.as_bytes().to_vec()).collect();
    mutate::read_all(&originals, mutate::cases(600), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        match Scene::parse("scene.toml", &text) {
            Err(error) => assert!(error.to_string().contains("scene.toml"), "no name: {error}"),
            Ok(scene) => drop(Simulator::new(scene.model, scene.state, scene.settings)),
        }
    });
}

/// Absurd motors are told when the scene is read.
#[test]
fn motors_beyond_all_measure_are_refused() {
    let scene = |motor: &str| {
        format!(
            "[[body]]\nname = \"a\"\nshape = {{ type = \"box\", size = [1, 1, 1] }}\n\
             [[joint]]\nname = \"j\"\ntype = \"revolute\"\nbodies = [\"world\", \"a\"]\n\
             anchor = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = {{ {motor} }}\n"
        )
    };
    let fine = Scene::parse("scene.toml", &scene("target_velocity = 3.0"));
    assert!(fine.is_ok(), "{}", fine.unwrap_err());
    for motor in [
        "target_velocity = 1e300",
        "target_velocity = -1e300",
        "target_position = 1e300, stiffness = 1.0",
        "target_position = 1.0, stiffness = 1e300",
        "target_position = 1.0, stiffness = 1.0, damping = 1e300",
        "target_velocity = [[0, 0], [1, 1e300]]",
    ] {
        let said = Scene::parse("scene.toml", &scene(motor)).err().map(|e| e.to_string());
        let said = said.unwrap_or_else(|| panic!("{motor} was taken"));
        assert!(said.contains("beyond all motors") && said.contains("1e300"), "{said}");
    }
}
