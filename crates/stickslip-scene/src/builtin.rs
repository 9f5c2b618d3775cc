//! The scenes that come with the program.

/// A scene that needs no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal: $summary:literal,)*) => {
        /// All built-in scenes, the simplest first.
        pub const BUILTIN: &[Builtin] = &[$(Builtin {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../../scenes/", $name, ".toml")),
        }),*];
    };
}

scenes! {
    "hello-world": "a cube falls onto the floor and comes to rest",
    "peg-in-hole": "a cube falls into a square hole with 5 um of clearance on every side",
    "sliding-block": "a block slides to a stop after v^2 / (2 mu g)",
    "box-stack": "ten aligned cubes stand still",
    "momentum": "five cubes collide one after the other and end with one common speed",
    "seams": "a cube slides over forty flush floor boxes without noticing the seams",
    "cracked-ramp": "a box slides down a ramp with a hairline crack",
    "tight-hole": "a box 9.99 wide falls to the bottom of a hole 10 wide",
    "sphere-cube": "125 balls stacked as a cube, a benchmark for solvers",
    "cascading-polyhedra": "Platonic solids tumble down a flight of steps",
    "pachinko": "fifty balls fall through a field of pegs",
}

/// The built-in scene of that name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|b| b.name == name)
}
