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
            text: include_str!(concat!("../scenes/", $name, ".toml")),
        }),*];
    };
}

scenes! {
    "hello-world": "a cube falls onto the floor and comes to rest",
    "peg-in-hole": "a cube falls into a square hole with 5 um of clearance on every side",
    "square-peg": "a square peg drops into a hole with chamfers and 0.1 mm of clearance",
    "round-peg": "a smooth round peg of 7.986 mm drops askew into a hole of 8.1 mm",
    "rectangular-peg": "a rectangular peg of 7.986 mm drops askew into a hole of 8.1 mm",
    "sliding-block": "a block slides to a stop after v^2 / (2 mu g)",
    "box-stack": "ten aligned cubes stand still",
    "momentum": "five cubes collide one after the other and end with one common speed",
    "seams": "a cube slides over forty flush floor boxes without noticing the seams",
    "cracked-ramp": "a box slides down a ramp with a hairline crack",
    "tight-hole": "a box 9.99 wide falls to the bottom of a hole 10 wide",
    "sphere-cube": "125 balls stacked as a cube, a benchmark for solvers",
    "hanging-rod": "a rod swings from a ball joint",
    "rolling-cart": "a chassis on four wheels rolls down a slope",
    "four-bar": "a crank, a coupler and a rocker swing in a closed loop",
    "joint-tree": "127 bars in seven generations hang from one hinge",
    "ragdolls": "two dolls of ten parts fall down a flight of steps",
    "gripper": "two jaws lift 2 kg by friction alone",
    "grasp-2d": "two fingers of two links each close on a polygon (2D)",
    "arm": "an arm of six hinges picks up a block and carries it, under PD control",
    "differential-drive": "a robot on two driven wheels and a ball drives a curve",
    "gears": "a gear of 20 teeth drives one of 40 against a brake",
    "nut-and-bolt": "a nut of M16 runs down its bolt by one pitch a turn",
    "nut-m4": "a nut of M4 runs down its bolt by one pitch a turn",
    "nut-m8": "a nut of M8 runs down its bolt by one pitch a turn",
    "gear-on-shaft": "a gear with a bore drops onto its shaft and between the teeth of another",
    "factory-gears": "a gear goes onto its shaft and into mesh with two others, as in Factory and IndustReal",
    "l-peg": "a peg with the section of an L drops into a hole with 0.1 mm of clearance",
    "connector": "a plug of three pins finds its socket by the chamfers",
    "dovetail": "a slider in a dovetail is lifted and pulled: it rises by its play and slides",
    "jigsaw": "a piece of a jigsaw is held by its knob",
    "jigsaw-2d": "a piece with a tapered tongue falls into the groove of its neighbour (2D)",
    "snap-fit": "a tube with a slot snaps onto a pin, its jaws on springs (2D)",
    "lock": "a key with a notch passes the ward of a lock and throws its bolt",
    "cascading-polyhedra": "Platonic solids tumble down a flight of steps",
    "arch": "27 dry stones in a half circle stand, 0.12 of its radius thick",
    "flat-arch": "a level lintel of seven wedges stands",
    "dome": "sixty stones in five courses stand, open at the top",
    "wall": "52 bricks in a running bond stand",
    "pachinko": "fifty balls fall through a field of pegs",
}

macro_rules! meshes {
    ($($file:literal,)*) => {
        /// Mesh files of built-in scenes (.obj), by their path from the scenes.
        const MESHES: &[(&str, &str)] =
            &[$(($file, include_str!(concat!("../scenes/", $file)))),*];
    };
}

meshes! {
    "meshes/arm/base.obj",
    "meshes/arm/turret.obj",
    "meshes/arm/upper.obj",
    "meshes/arm/fore.obj",
    "meshes/arm/roll.obj",
    "meshes/arm/wrist.obj",
    "meshes/arm/hand.obj",
    "meshes/arm/finger.obj",
}

/// The text of a mesh file that comes with the program.
pub(crate) fn mesh(file: &str) -> Option<&'static str> {
    MESHES.iter().find(|m| m.0 == file).map(|m| m.1)
}

/// The built-in scene of that name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|b| b.name == name)
}
