//! Bad scenes: for each kind of mistake the line, the column, the key and the remedy.

use stickslip_scene::{Scene, SceneText, Severity};

/// A mistake: the text, where it must be found, the key, and what the message must hold.
struct Bad {
    what: &'static str,
    text: &'static str,
    at: (usize, usize),
    key: &'static str,
    says: &'static [&'static str],
}

const fn bad(
    what: &'static str,
    text: &'static str,
    at: (usize, usize),
    key: &'static str,
    says: &'static [&'static str],
) -> Bad {
    Bad { what, text, at, key, says }
}

/// A good body, in one line, to stand before or after the mistake.
macro_rules! scene {
    ($text:literal) => {
        concat!($text, "\n[[body]]\nname = \"ok\"\nshape = { type = \"box\", size = [1, 1, 1] }\n")
    };
}

/// A body named peg, whose lines the mistake is in; line 4 is the first free one.
macro_rules! peg {
    ($text:literal) => {
        concat!(
            "[[body]]\nname = \"peg\"\nshape = { type = \"box\", size = [1, 1, 1] }\n",
            $text,
            "\n"
        )
    };
}

/// Another body, three lines that follow the four of `peg!("")`.
macro_rules! peg_two {
    () => {
        "[[body]]\nname = \"two\"\nshape = { type = \"sphere\", radius = 1 }\n"
    };
}

/// A body named peg with that shape, in line 3.
macro_rules! shaped {
    ($text:literal) => {
        concat!("[[body]]\nname = \"peg\"\nshape = ", $text, "\nstatic = true\n")
    };
}

/// The same in 2D; the shape is in line 5.
macro_rules! flat {
    ($text:literal) => {
        concat!(
            "[simulation]\ndimension = 2\n[[body]]\nname = \"peg\"\nshape = ",
            $text,
            "\nstatic = true\n"
        )
    };
}

/// Two bodies and a joint, whose lines start at 8.
macro_rules! jointed {
    ($text:literal) => {
        concat!(
            "[[body]]\nname = \"a\"\nshape = { type = \"sphere\", radius = 1 }\n",
            "[[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 1 }\nposition = [5, 0, 0]\n",
            "[[joint]]\nname = \"axle\"\n",
            $text,
            "\n"
        )
    };
}

const SYNTAX: &[Bad] = &[
    bad("not TOML", scene!("[simulation]\nstep = = 1"), (2, 8), "", &[]),
    bad(
        "an open bracket",
        "[[body]]\nshape = { type = \"box\", size = [1, 1, 1 }\n",
        (2, 41),
        "",
        &["missing comma"],
    ),
    bad("a key twice", scene!("[simulation]\nstep = 1\nstep = 2"), (3, 1), "", &["duplicate key"]),
    bad("no bodies", "[simulation]\nstep = 0.1\n", (1, 1), "body", &["no bodies", "[[body]]"]),
    bad(
        "an unknown table",
        scene!("[simulaton]\nstep = 1"),
        (1, 2),
        "simulaton",
        &["did you mean `simulation`"],
    ),
    bad(
        "one table for a list of bodies",
        "[body]\nshape = 1\n",
        (1, 1),
        "body",
        &["a list of tables"],
    ),
];

const SIMULATION: &[Bad] = &[
    bad(
        "an unknown key",
        scene!("[simulation]\nstpe = 0.01"),
        (2, 1),
        "simulation.stpe",
        &["unknown key `stpe`", "did you mean `step`?"],
    ),
    bad(
        "an unknown key far from all",
        scene!("[simulation]\nwhatever = 1"),
        (2, 1),
        "simulation.whatever",
        &["keys of [simulation]", "`duration`"],
    ),
    bad(
        "a text for a number",
        scene!("[simulation]\nstep = \"fast\""),
        (2, 8),
        "simulation.step",
        &["a number above 0", "the text \"fast\""],
    ),
    bad(
        "a step of zero",
        scene!("[simulation]\nstep = 0"),
        (2, 8),
        "simulation.step",
        &["a number above 0, but is 0"],
    ),
    bad(
        "an infinite duration",
        scene!("[simulation]\nduration = inf"),
        (2, 12),
        "simulation.duration",
        &["0 or more", "inf"],
    ),
    bad(
        "a dimension of 4",
        scene!("[simulation]\ndimension = 4"),
        (2, 13),
        "simulation.dimension",
        &["2 or 3, but is 4"],
    ),
    bad(
        "2D gravity in 3D",
        scene!("[simulation]\ngravity = [0, -9.81]"),
        (2, 11),
        "simulation.gravity",
        &["3 finite numbers", "a list of 2 items"],
    ),
    bad(
        "an unknown formulation",
        scene!("[simulation]\nformulation = \"stewart-trinkel\""),
        (2, 15),
        "simulation.formulation",
        &["did you mean \"stewart-trinkle\"?"],
    ),
    bad(
        "an unknown solver",
        scene!("[simulation]\nsolver = \"lemk\""),
        (2, 10),
        "simulation.solver",
        &["did you mean \"lemke\"?"],
    ),
    bad(
        "an unknown detector",
        scene!("[simulation]\ndetector = \"exakt\""),
        (2, 12),
        "simulation.detector",
        &["did you mean \"exact\"?"],
    ),
    bad(
        "two friction directions",
        scene!("[simulation]\nfriction_directions = 2"),
        (2, 23),
        "simulation.friction_directions",
        &["3 or more"],
    ),
    bad(
        "half a thread",
        scene!("[simulation]\nthreads = 0.5"),
        (2, 11),
        "simulation.threads",
        &["a whole number"],
    ),
    bad(
        "a word for epsilon",
        scene!("[simulation]\nepsilon = \"small\""),
        (2, 11),
        "simulation.epsilon",
        &["\"auto\" or a number above 0"],
    ),
    bad(
        "an unknown friction rule",
        scene!("[simulation]\nfriction_rule = \"average\""),
        (2, 17),
        "simulation.friction_rule",
        &["geometric-mean"],
    ),
    bad(
        "a number for a flag",
        scene!("[simulation]\ngyroscopic = 1"),
        (2, 14),
        "simulation.gyroscopic",
        &["true or false"],
    ),
    bad(
        "a date for a number",
        scene!("[simulation]\nstep = 2020-01-01"),
        (2, 8),
        "simulation.step",
        &["the date 2020-01-01"],
    ),
    bad(
        "an unknown solver setting",
        scene!("[solver]\ntolerence = 1e-8"),
        (2, 1),
        "solver.tolerence",
        &["did you mean `tolerance`?"],
    ),
    bad(
        "a solver setting out of range",
        scene!("[solver]\ntolerance = 2.0"),
        (2, 13),
        "solver.tolerance",
        &["in (0, 1)"],
    ),
    bad(
        "a list as solver setting",
        scene!("[solver]\ntolerance = [1]"),
        (2, 13),
        "solver.tolerance",
        &["a number, true or false, or a text"],
    ),
];

const BODIES: &[Bad] = &[
    bad(
        "an unknown key",
        peg!("frictoin = 0.5"),
        (4, 1),
        "body.peg.frictoin",
        &["body \"peg\": unknown key `frictoin`; did you mean `friction`?"],
    ),
    bad(
        "no shape",
        "[[body]]\nname = \"peg\"\n",
        (1, 1),
        "body.peg.shape",
        &["`shape` is missing"],
    ),
    bad(
        "a negative mass",
        peg!("mass = -1"),
        (4, 8),
        "body.peg.mass",
        &["a number above 0, but is -1"],
    ),
    bad(
        "a mass that is not a number",
        peg!("mass = nan"),
        (4, 8),
        "body.peg.mass",
        &["above 0", "NaN"],
    ),
    bad(
        "mass and density",
        peg!("mass = 1\ndensity = 2"),
        (5, 11),
        "body.peg.density",
        &["both given"],
    ),
    bad("negative friction", peg!("friction = -0.1"), (4, 12), "body.peg.friction", &["0 or more"]),
    bad(
        "restitution above 1",
        peg!("restitution = 1.5"),
        (4, 15),
        "body.peg.restitution",
        &["from 0 to 1, but is 1.5"],
    ),
    bad(
        "an infinite position",
        peg!("position = [0, inf, 0]"),
        (4, 16),
        "body.peg.position",
        &["finite", "has inf as item 2"],
    ),
    bad(
        "a word in a position",
        peg!("position = [0, \"up\", 0]"),
        (4, 16),
        "body.peg.position",
        &["\"up\"", "item 2"],
    ),
    bad(
        "a 2D position in 3D",
        peg!("position = [0, 1]"),
        (4, 12),
        "body.peg.position",
        &["3 finite numbers in 3D"],
    ),
    bad(
        "static and kinematic",
        peg!("static = true\nkinematic = true"),
        (5, 13),
        "body.peg.kinematic",
        &["remove one"],
    ),
    bad(
        "a duplicate name",
        concat!(peg!(""), peg!("")),
        (6, 8),
        "body.peg.name",
        &["the name `peg` is taken by the body in line 1"],
    ),
    bad(
        "an empty name",
        "[[body]]\nname = \"\"\nshape = { type = \"sphere\", radius = 1 }\n",
        (2, 8),
        "body.body-1.name",
        &["not empty"],
    ),
    bad(
        "a body named world",
        "[[body]]\nname = \"world\"\nshape = { type = \"sphere\", radius = 1 }\n",
        (2, 8),
        "body.world.name",
        &["reserved"],
    ),
    bad(
        "ignoring nobody",
        peg!("ignore = [\"pog\"]"),
        (4, 11),
        "body.peg.ignore",
        &["names no body: `pog`", "did you mean `peg`?"],
    ),
    bad("a bad color", peg!("color = \"blue\""), (4, 9), "body.peg.color", &["#4477aa"]),
    bad(
        "a zero axis",
        peg!("orientation = { axis = [0, 0, 0], angle = 1 }"),
        (4, 24),
        "body.peg.orientation.axis",
        &["not all zero", "is zero"],
    ),
    bad(
        "an axis without angle",
        peg!("orientation = { axis = [0, 0, 1] }"),
        (4, 15),
        "body.peg.orientation",
        &["both `axis` and `angle`"],
    ),
    bad(
        "two orientations",
        peg!("orientation = { axis = [0, 0, 1], angle = 1, euler = [0, 0, 0] }"),
        (4, 15),
        "body.peg.orientation",
        &["in two ways"],
    ),
    bad(
        "a long quaternion",
        peg!("orientation = { quaternion = [1, 1, 0, 0] }"),
        (4, 30),
        "body.peg.orientation.quaternion",
        &["length 1"],
    ),
    bad(
        "an angle in 3D",
        peg!("orientation = 0.5"),
        (4, 15),
        "body.peg.orientation",
        &["{ axis, angle }"],
    ),
    bad(
        "an impossible inertia",
        peg!("inertia = [1, 1, 3]"),
        (1, 1),
        "body.peg",
        &["triangle inequality"],
    ),
    bad(
        "a skew inertia",
        peg!("inertia = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]"),
        (1, 1),
        "body.peg",
        &["symmetric"],
    ),
    bad(
        "a negative inertia",
        peg!("inertia = [1, -1, 1]"),
        (4, 15),
        "body.peg.inertia",
        &["above 0"],
    ),
    bad(
        "a dynamic plane",
        "[[body]]\nname = \"peg\"\nshape = { type = \"plane\" }\nstatic = false\n",
        (4, 10),
        "body.peg.static",
        &["`static = true`"],
    ),
    bad(
        "a pair of one",
        concat!(peg!(""), "[[pair]]\nbodies = [\"peg\", \"peg\"]\nfriction = 0\n"),
        (6, 10),
        "pair.1.bodies",
        &["the same body twice"],
    ),
    bad(
        "a pair with nobody",
        concat!(peg!(""), "[[pair]]\nbodies = [\"peg\", \"pge\"]\nfriction = 0\n"),
        (6, 18),
        "pair.1.bodies",
        &["did you mean `peg`?"],
    ),
    bad(
        "a pair without values",
        concat!(peg!(""), peg_two!(), "[[pair]]\nbodies = [\"peg\", \"two\"]\n"),
        (8, 1),
        "pair.1",
        &["`friction` or `restitution`"],
    ),
    bad(
        "an import",
        concat!(peg!(""), "[[import]]\nfile = \"arm.urdf\"\n"),
        (6, 8),
        "import.1.file",
        &["not supported yet"],
    ),
];

const SHAPES: &[Bad] = &[
    bad(
        "no type",
        shaped!("{ size = [1, 1, 1] }"),
        (3, 9),
        "body.peg.shape.type",
        &["`shape.type` is missing", "`box`"],
    ),
    bad(
        "an unknown shape",
        shaped!("{ type = \"bx\" }"),
        (3, 18),
        "body.peg.shape.type",
        &["did you mean `box`?"],
    ),
    bad(
        "a 2D shape in 3D",
        shaped!("{ type = \"disc\", radius = 1 }"),
        (3, 18),
        "body.peg.shape.type",
        &["in 3D use `sphere`"],
    ),
    bad(
        "a 3D shape in 2D",
        flat!("{ type = \"box\", size = [1, 1, 1] }"),
        (5, 18),
        "body.peg.shape.type",
        &["in 2D use `rectangle`"],
    ),
    bad(
        "a key of another shape",
        shaped!("{ type = \"box\", size = [1, 1, 1], radius = 1 }"),
        (3, 43),
        "body.peg.shape.radius",
        &["unknown key `shape.radius`", "keys of a box"],
    ),
    bad(
        "a missing size",
        shaped!("{ type = \"box\" }"),
        (3, 9),
        "body.peg.shape.size",
        &["`shape.size` is missing"],
    ),
    bad(
        "a negative size",
        shaped!("{ type = \"box\", size = [1, -1, 1] }"),
        (3, 36),
        "body.peg.shape.size",
        &["above 0", "has -1 as item 2"],
    ),
    bad(
        "a zero radius",
        shaped!("{ type = \"sphere\", radius = 0 }"),
        (3, 37),
        "body.peg.shape.radius",
        &["above 0, but is 0"],
    ),
    bad(
        "two sides",
        shaped!("{ type = \"cylinder\", radius = 1, height = 1, sides = 2 }"),
        (3, 62),
        "body.peg.shape.sides",
        &["0 for a smooth shape, or 3 or more"],
    ),
    bad(
        "a zero normal",
        shaped!("{ type = \"plane\", normal = [0, 0, 0] }"),
        (3, 36),
        "body.peg.shape.normal",
        &["is zero"],
    ),
    bad(
        "three points",
        shaped!("{ type = \"convex\", points = [[0,0,0],[1,0,0],[0,1,0]] }"),
        (3, 37),
        "body.peg.shape.points",
        &["at least 4 points"],
    ),
    bad(
        "flat points",
        shaped!("{ type = \"convex\", points = [[0,0,0],[1,0,0],[0,1,0],[1,1,0]] }"),
        (3, 37),
        "body.peg.shape.points",
        &["not all in one plane"],
    ),
    bad(
        "a 2D point in 3D",
        shaped!("{ type = \"convex\", points = [[0,0,0],[1,0,0],[0,1,0],[1,1]] }"),
        (3, 62),
        "body.peg.shape.points",
        &["a point 4 that is a list of 2 items"],
    ),
    bad(
        "a crossing outline",
        flat!("{ type = \"polygon\", points = [[0,0],[1,1],[1,0],[0,1]] }"),
        (5, 38),
        "body.peg.shape.points",
        &["in order along the outline"],
    ),
    bad(
        "a ragged grid",
        shaped!("{ type = \"heightfield\", size = [1, 1], heights = [[0, 0], [0]] }"),
        (3, 67),
        "body.peg.shape.heights",
        &["a row 2"],
    ),
    bad(
        "no parts",
        shaped!("{ type = \"compound\", parts = [] }"),
        (3, 38),
        "body.peg.shape.parts",
        &["at least one part"],
    ),
    bad(
        "a bad part",
        shaped!("{ type = \"compound\", parts = [{ type = \"sphere\", radius = -1 }] }"),
        (3, 67),
        "body.peg.shape.parts[1].radius",
        &["`shape.parts[1].radius`"],
    ),
    bad(
        "an unknown key in a part",
        shaped!(
            "{ type = \"compound\", parts = [{ type = \"sphere\", radius = 1, pos = [0,0,0] }] }"
        ),
        (3, 70),
        "body.peg.shape.parts[1].pos",
        &["`position`"],
    ),
    bad(
        "a mesh file outside any folder",
        shaped!("{ type = \"mesh\", file = \"no.obj\" }"),
        (3, 33),
        "body.peg.shape.file",
        &["absolute path"],
    ),
];

const JOINTS: &[Bad] = &[
    bad(
        "a joint to nowhere",
        jointed!("type = \"fixed\"\nbodies = [\"a\", \"wold\"]\nanchor = [0, 0, 0]"),
        (11, 16),
        "joint.axle.bodies",
        &["did you mean `world`?"],
    ),
    bad(
        "an unknown type",
        jointed!("type = \"hinge\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]"),
        (10, 8),
        "joint.axle.type",
        &["revolute"],
    ),
    bad(
        "no axis",
        jointed!("type = \"revolute\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]"),
        (8, 1),
        "joint.axle.axis",
        &["`axis` is missing"],
    ),
    bad(
        "crossed limits",
        jointed!(
            "type = \"revolute\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nlimits = [1, -1]"
        ),
        (14, 10),
        "joint.axle.limits",
        &["lower limit comes first"],
    ),
    bad(
        "limits of a ball joint",
        jointed!(
            "type = \"spherical\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]\nlimits = [-1, 1]"
        ),
        (13, 10),
        "joint.axle.limits",
        &["only revolute and prismatic"],
    ),
    bad(
        "a motor without target",
        jointed!(
            "type = \"revolute\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nmotor = { max_force = 1 }"
        ),
        (14, 9),
        "joint.axle.motor",
        &["`target_velocity` or `target_position`"],
    ),
    bad(
        "a motor without stiffness",
        jointed!(
            "type = \"revolute\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nmotor = { target_position = 1 }"
        ),
        (14, 9),
        "joint.axle.motor.stiffness",
        &["is missing"],
    ),
    bad(
        "three bodies",
        jointed!("type = \"fixed\"\nbodies = [\"a\", \"b\", \"a\"]\nanchor = [0, 0, 0]"),
        (11, 10),
        "joint.axle.bodies",
        &["two names"],
    ),
    bad(
        "itself",
        jointed!("type = \"fixed\"\nbodies = [\"a\", \"a\"]\nanchor = [0, 0, 0]"),
        (11, 10),
        "joint.axle.bodies",
        &["the same body twice"],
    ),
    bad(
        "any joint",
        jointed!("type = \"fixed\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]"),
        (8, 1),
        "joint",
        &["not simulated yet"],
    ),
    bad(
        "a freedom that is none",
        jointed!(
            "type = \"generic\"\nbodies = [\"a\", \"b\"]\nanchor = [0, 0, 0]\ndof = { x = \"fre\" }"
        ),
        (13, 13),
        "joint.axle.dof.x",
        &["did you mean \"free\"?"],
    ),
];

#[test]
fn every_mistake_is_told_with_place_key_and_remedy() {
    let all = [SYNTAX, SIMULATION, BODIES, SHAPES, JOINTS].concat_refs();
    assert!(all.len() >= 30);
    let mut wrong = Vec::new();
    for case in all {
        let Err(error) = Scene::parse("scene.toml", case.text) else {
            wrong.push(format!("{}: accepted", case.what));
            continue;
        };
        let hit = error.diagnostics.iter().any(|d| {
            let line = d.to_string();
            d.severity == Severity::Error
                && d.position == Some(case.at)
                && d.key == case.key
                && line.starts_with(&format!("scene.toml:{}:{}: ", case.at.0, case.at.1))
                && case.says.iter().all(|s| line.contains(s))
        });
        if !hit {
            let keys: Vec<&str> = error.diagnostics.iter().map(|d| d.key.as_str()).collect();
            wrong.push(format!(
                "{}: wanted {:?} {:?} {:?}, got {keys:?}\n{error}",
                case.what, case.at, case.key, case.says
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Joins the tables without copying their entries.
trait ConcatRefs {
    fn concat_refs(&self) -> Vec<&'static Bad>;
}

impl<const N: usize> ConcatRefs for [&'static [Bad]; N] {
    fn concat_refs(&self) -> Vec<&'static Bad> {
        self.iter().flat_map(|t| t.iter()).collect()
    }
}

#[test]
fn several_mistakes_are_told_at_once_in_the_order_of_the_file() {
    let text = "[simulation]\nstpe = 1\n[[body]]\nfrictoin = 1\nmass = -1\n";
    let error = Scene::parse("scene.toml", text).unwrap_err();
    let lines: Vec<usize> =
        error.diagnostics.iter().filter_map(|d| d.position).map(|p| p.0).collect();
    assert_eq!(lines, [2, 3, 4, 5], "{error}");
}

#[test]
fn the_place_is_underlined() {
    let error = Scene::parse("s.toml", "[simulation]\n\tstpe = 1\n").unwrap_err();
    let shown = error.diagnostics.iter().find(|d| d.key == "simulation.stpe").unwrap();
    let shown = shown.with_snippet();
    assert!(shown.ends_with("\n  2 | \tstpe = 1\n    | \t^^^^"), "{shown}");
}

#[test]
fn missing_and_unreadable_files_are_errors() {
    let error = SceneText::open("no/such/file.toml").unwrap_err().to_string();
    assert!(error.contains("no such file"), "{error}");
    let error = SceneText::open("hello-word").unwrap_err().to_string();
    assert!(error.contains("did you mean `hello-world`?"), "{error}");
    let folder = std::env::temp_dir();
    let error = SceneText::open(folder.to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("cannot be read"), "{error}");
}

#[test]
fn bytes_that_are_no_text_are_an_error() {
    let path = std::env::temp_dir().join(format!("stickslip-{}.toml", std::process::id()));
    std::fs::write(&path, [b'a', 0xff, b'b']).unwrap();
    let error = SceneText::open(path.to_str().unwrap()).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.contains("byte 2 is not UTF-8"), "{error}");
}
