//! `stickslip stability` from outside.
#![allow(clippy::unwrap_used)]

mod common;

use std::{
    fs,
    process::{Command, Output},
};

use common::Folder;

fn stickslip(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stickslip")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The arch stands: exit code 0, angle, force and friction in the text, a page with a drawing.
#[test]
fn an_arch_that_stands_ends_with_zero() {
    let folder = Folder::new("arch");
    let page = folder.file("arch.html");
    let output = stickslip(&[
        "stability",
        "arch",
        "--tilt",
        "y",
        "--push",
        "stone-14=0,0,-1",
        "--friction-critical",
        "--simulate",
        "0.1",
        "--html",
        &page,
    ]);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}{}", text(&output.stderr));
    for part in [
        "arch can rest: 27 blocks",
        "tilt about",
        "push on stone-14",
        "least friction: 0.3",
        "0 of 27 blocks moved",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg") && page.contains("arch can rest") && !page.contains("<script"));
}

/// A block on a steep slope cannot rest: exit code 1, what is missing, and JSON that says so.
#[test]
fn a_block_that_cannot_rest_ends_with_one() {
    let folder = Folder::new("slope");
    let scene = folder.file("slope.toml");
    let body = "[simulation]\ngravity = [5, 0, -8]\n[[body]]\nname = \"floor\"\nfriction = 0.3\n\
                shape = { type = \"plane\", normal = [0, 0, 1] }\n[[body]]\nname = \"cube\"\n\
                friction = 0.3\nshape = { type = \"box\", size = [1, 1, 1] }\nposition = [0, 0, 0.5]\n";
    fs::write(&scene, body).unwrap();
    let output = stickslip(&["stability", &scene, "--simulate", "0.2"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("cannot rest") && told.contains("cube: force"), "{told}");
    assert!(told.contains("1 of 1 blocks moved"), "{told}");
    assert!(text(&output.stderr).contains("slope cannot rest"));
    let output = stickslip(&["stability", &scene, "--json", "--friction-critical"]);
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stands"], false);
    let least = found["friction"]["coefficient"].as_f64().unwrap();
    assert!((least - 5.0 / 8.0).abs() < 1e-6, "{least}");
    assert_eq!(found["dynamic"]["moved"][0]["body"], "cube");
}

/// Wedged between walls it could rest, but Coulomb's friction does not hold it: exit code 1.
#[test]
fn a_wedged_cube_could_rest_but_does_not() {
    let folder = Folder::new("wedged");
    let scene = folder.file("wedged.toml");
    let wall = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nstatic = true\nshape = {{ type = \"rectangle\", size = [1, 4] }}\n\
             position = [{x}, 0]\n"
        )
    };
    let body = format!(
        "[simulation]\ndimension = 2\n{}{}[[body]]\nname = \"cube\"\n\
         shape = {{ type = \"rectangle\", size = [1, 1] }}\n",
        wall("left", -1.0),
        wall("right", 1.0)
    );
    fs::write(&scene, body).unwrap();
    let output = stickslip(&["stability", &scene]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("wedged can rest"));
    assert!(text(&output.stderr).contains("could rest, but does not"));
    assert_eq!(stickslip(&["stability", &scene, "--simulate", "0"]).status.code(), Some(0));
}

/// What is wrong is told, with exit code 2.
#[test]
fn wrong_questions_end_with_two() {
    for (arguments, part) in [
        (&["stability", "arch", "--tilt", "w"][..], "x, y, z or three numbers"),
        (&["stability", "arch", "--load", "stone-1"], "BODY=FORCE"),
        (&["stability", "arch", "--load", "stone-99=0,0,1"], "there are: left, right, stone-1"),
        (&["stability", "arch", "--push", "left=0,0,1"], "is static"),
        (&["stability", "arch", "--push", "stone-1=0,0,0"], "not zero"),
        (&["stability", "arch", "--gap", "-1"], "0 or more"),
        (&["stability", "arch", "--pyramid", "2"], "3 or more"),
        (&["stability", "hanging-rod"], "joints"),
        (&["stability", "no-such-scene"], "no built-in scene"),
    ] {
        let output = stickslip(arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(part), "{arguments:?}: {told}");
    }
}
