//! The binary as users meet it: exit codes, what goes to which stream, the JSON of a run.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use common::Folder;
use serde_json::Value;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.args(arguments);
    command
}

fn stickslip(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A scene file that vanishes with the test.
struct SceneFile(PathBuf);

impl SceneFile {
    fn new(name: &str, text: &str) -> Self {
        let file = format!("stickslip-{}-{name}.toml", std::process::id());
        let path = std::env::temp_dir().join(file);
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for SceneFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn json(arguments: &[&str]) -> Value {
    let output = stickslip(arguments);
    assert!(output.status.success(), "{}", err(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn sorted<'a>(list: &[&'a str]) -> Vec<&'a str> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list
}

/// No key is missing and none is added; every number is one.
#[test]
fn json_has_exactly_the_keys_that_are_promised() {
    let run = json(&["run", "hello-world", "--json"]);
    let has = |value: &Value, expected: &[&str]| assert_eq!(keys(value), sorted(expected));
    has(
        &run,
        &[
            "scene",
            "formulation",
            "solver",
            "step",
            "steps",
            "time",
            "bodies",
            "diagnostics",
            "wall",
        ],
    );
    has(&run["bodies"], &["cube", "floor"]);
    let cube = &run["bodies"]["cube"];
    has(cube, &["position", "orientation", "velocity", "angular_velocity"]);
    assert_eq!(cube["orientation"].as_array().unwrap().len(), 4);
    let diagnostics = &run["diagnostics"];
    has(
        diagnostics,
        &[
            "max_penetration",
            "max_overlap",
            "max_joint_error",
            "energy",
            "momentum",
            "contacts",
            "constraints",
            "sm_traps",
            "substeps",
            "solver",
        ],
    );
    has(&diagnostics["energy"], &["initial", "final", "max_increase"]);
    has(&diagnostics["momentum"], &["initial", "final"]);
    has(&diagnostics["contacts"], &["mean", "max"]);
    has(&diagnostics["constraints"], &["unilateral", "inter", "cross"]);
    let solver = ["solves", "failures", "fallbacks", "iterations_mean", "residual_max"];
    has(&diagnostics["solver"], &solver);
    let wall =
        ["total", "per_step_median", "detect", "formulate", "solve", "integrate", "stabilise"];
    has(&run["wall"], &wall);
    assert_eq!(run["scene"], "hello-world");
    assert_eq!(run["steps"], 100);
    assert!((run["time"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    // The cube lies on the floor.
    let z = cube["position"][2].as_f64().unwrap();
    assert!((z - 0.5).abs() < 1e-9, "{z}");
}

#[test]
fn json_of_the_plane_has_vectors_of_two_and_angles() {
    let run = json(&["run", "tight-hole", "--json", "--duration", "0.1"]);
    let body = &run["bodies"]["box"];
    assert_eq!(body["position"].as_array().unwrap().len(), 2);
    assert!(body["orientation"].is_number() && body["angular_velocity"].is_number());
}

#[test]
fn without_the_oracle_penetration_is_null() {
    let run = json(&["run", "hello-world", "--json", "--no-oracle", "--duration=0.1"]);
    assert!(run["diagnostics"]["max_penetration"].is_null());
    assert!(run["diagnostics"]["max_overlap"].is_null());
}

/// 2 * 1.5 / 3.67 m/s for all five, to 1e-12.
#[test]
fn momentum_scene_ends_with_the_common_speed() {
    let run = json(&["run", "momentum", "--json"]);
    for k in 1..=5 {
        let v = run["bodies"][format!("cube-{k}")]["velocity"][0].as_f64().unwrap();
        assert!((v - 3.0 / 3.67).abs() < 1e-12, "cube-{k}: {v}");
    }
}

/// v^2 / (2 mu g), short by v h / 2 at first order.
#[test]
fn sliding_block_stops_where_coulomb_says() {
    let exact = 9.0 / (2.0 * 0.3 * 9.81);
    for h in [0.01, 0.001] {
        let run = json(&["run", "sliding-block", "--json", "--step", &h.to_string()]);
        let x = run["bodies"]["block"]["position"][0].as_f64().unwrap();
        assert!((exact - x - 1.5 * h).abs() < 0.1 * h, "h = {h}: {x}, exact {exact}");
    }
}

#[test]
fn options_and_set_change_the_run() {
    let run = json(&[
        "run",
        "hello-world",
        "--json",
        "--solver",
        "lemke",
        "--set",
        "step=0.05",
        "--set",
        "body.cube.position=[0, 0, 30]",
        "--step",
        "0.1",
        "--duration",
        "0.5",
        "--threads",
        "1",
    ]);
    assert_eq!(
        (&run["solver"], &run["step"], &run["steps"]),
        (&"lemke".into(), &0.1.into(), &5.into())
    );
    // Free fall of the scheme: z - g h^2 n (n + 1) / 2.
    let z = run["bodies"]["cube"]["position"][2].as_f64().unwrap();
    assert!((z - (30.0 - 9.81 * 0.01 * 15.0)).abs() < 1e-12, "{z}");
}

#[test]
fn the_table_shows_bodies_diagnostics_and_times() {
    let output = stickslip(&["run", "hello-world"]);
    assert!(output.status.success());
    let text = out(&output);
    for word in ["hello-world: 100 steps", "cube", "0.5000", "max penetration", "energy", "detect"]
    {
        assert!(text.contains(word), "{word} is not in\n{text}");
    }
    // No terminal, no progress bar.
    assert_eq!(err(&output), "");
}

/// The table fits a terminal of 80 columns, for long names and in the plane too.
#[test]
fn the_table_fits_80_columns() {
    let names = ["hello-world", "box-stack", "grasp-2d", "four-bar", "momentum"];
    for name in names {
        let text = out(&stickslip(&["run", name, "--duration", "0.05"]));
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
        }
    }
}

#[test]
fn ten_mistakes_are_shown_and_the_rest_counted() {
    let bodies: String =
        (0..50).map(|k| format!("[[body]]\nname = \"b{k}\"\nshape = 7\n")).collect();
    let file = SceneFile::new("many", &bodies);
    let output = stickslip(&["check", file.path()]);
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    assert_eq!(text.matches("`shape` must be a table").count(), 10, "{text}");
    assert!(text.ends_with("and 40 more\n"), "{text}");
}

/// The scene that `new` writes runs without a warning, and is never written over another.
#[test]
fn new_scenes_run() {
    let folder = Folder::new("new");
    let name = folder.file("mine");
    let output = stickslip(&["new", &name]);
    assert!(output.status.success(), "{}", err(&output));
    let file = format!("{name}.toml");
    assert!(out(&output).contains(&format!("stickslip run {file}")), "{}", out(&output));
    let run = stickslip(&["run", &file]);
    assert!(run.status.success() && err(&run).is_empty(), "{}", err(&run));
    let before = fs::read_to_string(&file).unwrap();
    assert!(before.starts_with("# mine: "), "{before}");
    for again in [&name, &file] {
        let output = stickslip(&["new", again]);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("there is such a file"), "{}", err(&output));
    }
    assert_eq!(before, fs::read_to_string(&file).unwrap());
}

/// Shells and manuals know every command.
#[test]
fn completions_and_manual_pages_name_every_command() {
    let help = out(&stickslip(&["--help"]));
    let commands = help.lines().skip_while(|l| *l != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .take_while(|l| !l.is_empty())
        .filter_map(|l| l.strip_prefix("  ")?.split(' ').next())
        .filter(|c| !c.is_empty() && *c != "help")
        .collect();
    assert!(commands.contains(&"render") && commands.contains(&"run"), "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&stickslip(&["completions", shell]));
        for name in &commands {
            assert!(script.contains(name), "{shell} does not know {name}");
        }
    }
    let folder = Folder::new("man");
    assert!(stickslip(&["man", &folder.file("man1")]).status.success());
    for name in &commands {
        let page = fs::read_to_string(folder.file(&format!("man1/stickslip-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(name), "{page}");
    }
    assert!(fs::exists(folder.file("man1/stickslip.1")).unwrap());
}

/// Pictures and films of scenes and recordings; a wrong option is told before any work.
#[test]
fn runs_are_rendered() {
    let folder = Folder::new("render");
    let (h5, png, gif) = (folder.file("run.h5"), folder.file("at.png"), folder.file("film.gif"));
    let run = stickslip(&["run", "hello-world", "--record", &h5, "--quiet"]);
    assert!(run.status.success(), "{}", err(&run));
    let small = ["--size", "64x48"];
    let of = |what: &str, out: &str, more: &[&str]| {
        stickslip(&[&["render", what, "-o", out], &small[..], more].concat())
    };
    let output = of(&h5, &png, &["--at", "0.3", "--forces", "--camera", "4,-4,2:0,0,0.5:40"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let output =
        of("hello-world", &gif, &["--fps", "10", "--duration", "0.5", "--camera", "follow=cube"]);
    assert_eq!(err(&output), format!("wrote {gif}, 6 frames\n"));
    let cases: &[(&str, &str, &[&str], &str)] = &[
        (&h5, "film.avi", &[], ".png, .gif or .mp4"),
        (&h5, "film.gif", &["--at", "1"], "--at makes one picture"),
        (&h5, "film.gif", &["--set", "step=0.1"], "only scenes can be changed"),
        (&h5, "film.gif", &["--camera", "1,2"], "position:target"),
        (&h5, "film.gif", &["--camera", "follow=cub"], "there are: floor, cube"),
        (&h5, "film.gif", &["--fps", "0"], "frames per second"),
        (&h5, &h5, &[], "it is read by this command"),
        ("hello-world", "film.gif", &["--size", "9x9"], "between 16 and"),
    ];
    for (what, name, more, expected) in cases {
        let path = if *name == h5 { h5.clone() } else { folder.file(name) };
        let output = match more.contains(&"--size") {
            true => stickslip(&[&["render", what, "-o", &path], *more].concat()),
            false => of(what, &path, more),
        };
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{more:?}: {}", err(&output));
    }
}

#[test]
fn many_bodies_are_summed_up() {
    let text = out(&stickslip(&["run", "pachinko", "--duration", "0.01", "--no-oracle"]));
    assert!(text.contains("and 38 more that move, 80 static"), "{text}");
}

#[test]
fn quiet_prints_nothing() {
    let output = stickslip(&["run", "hello-world", "--quiet", "--duration", "0.02"]);
    assert!(output.status.success());
    assert_eq!((out(&output), err(&output)), (String::new(), String::new()));
}

#[test]
fn bad_scenes_end_with_2_and_nothing_on_standard_output() {
    let file = SceneFile::new("bad", "[simulation]\nstpe = 1\n[[body]]\nshape = 7\n");
    for sub in ["run", "check"] {
        let output = stickslip(&[sub, file.path()]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(out(&output), "");
        let text = err(&output);
        let first = format!("{}:2:1: [simulation]: unknown key `stpe`; did you mean", file.path());
        assert!(text.starts_with(&first), "{text}");
        assert!(text.contains(":4:9: body \"body-1\": `shape` must be a table"), "{text}");
    }
}

/// The same bad scenes that the scene crate's own tests judge, through the binary.
#[test]
fn every_bad_scene_ends_with_2_and_nothing_on_standard_output() {
    let scenes = include_str!("../../stickslip-scene/tests/bad_scenes.txt");
    for entry in scenes.split("=== ").skip(1) {
        let (head, text) = entry.split_once("\n---\n").unwrap();
        let file = SceneFile::new("each", text);
        let output = stickslip(&["check", file.path()]);
        assert_eq!(output.status.code(), Some(2), "{head}: {}", err(&output));
        assert_eq!(out(&output), "", "{head}");
        let at = head.lines().find_map(|l| l.strip_prefix("at ")).unwrap();
        let at = format!("{}:{}:", file.path(), at.split(' ').next().unwrap());
        assert!(err(&output).contains(&at), "{head}: {}", err(&output));
    }
}

#[test]
fn bad_arguments_end_with_2() {
    let cases: &[(&[&str], &str)] = &[
        (&["run", "hello-wrld"], "did you mean `hello-world`?"),
        (&["run", "no/such.toml"], "there is no such file"),
        (&["run", "hello-world", "--step", "-1"], "--step -1: [simulation]: `step` must be"),
        (&["run", "hello-world", "--formulation", "stewart"], "did you mean \"stewart-trinkle\"?"),
        (&["scenes", "peg"], "did you mean `peg-in-hole`?"),
        (&["runn", "hello-world"], "a similar subcommand exists: 'run'"),
        (&["rnu", "hello-world"], "a similar subcommand exists: 'run'"),
        (&["run", "hello-world", "--solver", "lemk"], "did you mean \"lemke\"?"),
        (&["run", "hello-world", "--set", "stpe=1"], "--set stpe=1: there is no setting"),
        (&["run", "hello-world", "--set", "step"], "there is no `=`"),
        (&["check", "hello-world", "--set", "body.cub.mass=1"], "did you mean `cube`?"),
        (&["scenes", "peg"], "there is no built-in scene of that name"),
        (&["run"], "Usage"),
        (&["fly"], "unrecognized subcommand"),
    ];
    for (arguments, expected) in cases {
        let output = stickslip(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(out(&output), "", "{arguments:?}");
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn check_says_ok_and_warns_about_overlaps() {
    let output = stickslip(&["check", "peg-in-hole"]);
    assert!(output.status.success());
    let text = out(&output);
    assert!(text.starts_with("ok: peg-in-hole: 5 bodies (1 dynamic, 4 static), 3D"), "{text}");
    let output = stickslip(&["check", "peg-in-hole", "--set", "body.peg.position=[0.5, 0, 0]"]);
    assert!(output.status.success());
    assert!(
        err(&output).contains("warning: body \"peg\": overlaps body \"right\""),
        "{}",
        err(&output)
    );
}

#[test]
fn scenes_lists_and_prints() {
    let list = out(&stickslip(&["scenes"]));
    assert!(list.lines().count() >= 11 && list.contains("peg-in-hole"), "{list}");
    let text = out(&stickslip(&["scenes", "peg-in-hole"]));
    let file = SceneFile::new("copy", &text);
    assert!(stickslip(&["check", file.path()]).status.success());
    assert!(out(&stickslip(&["scenes", "--reference"])).contains("## [[body]]"));
}

#[test]
fn version_and_help() {
    assert!(out(&stickslip(&["--version"])).starts_with("stickslip "));
    let help = out(&stickslip(&["--help"]));
    assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{help}");
}

/// A solver that may not iterate cannot solve; with `on_unsolved = "stop"` the run fails.
#[test]
fn a_run_that_fails_says_step_and_stage_and_keeps_what_was_done() {
    let output = stickslip(&[
        "run",
        "hello-world",
        "--json",
        "--solver",
        "pgs",
        "--set",
        "solver.max_iterations=1",
        "--set",
        "solver.tolerance=1e-14",
        "--set",
        "accept_residual=1e-14",
        "--set",
        "on_unsolved=stop",
        "--set",
        "body.cube.orientation.euler=[0.3, 0.4, 0.5]",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = err(&output);
    assert!(text.contains("failed while in stage solve"), "{text}");
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let steps = run["steps"].as_u64().unwrap();
    assert!(steps > 10, "{steps}");
    assert!(text.contains(&format!("step {} failed", steps + 1)), "{text}");
}

#[test]
fn a_run_is_recorded_with_its_scene_and_becomes_a_page() {
    let folder = Folder::new("record");
    let (h5, html) = (folder.file("run.h5"), folder.file("run.html"));
    let output =
        stickslip(&["run", "hello-world", "--record", &h5, "--html", &html, "--set", "step=0.02"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains(&format!("wrote {h5}: 51 states")), "{}", out(&output));
    let recording = stickslip_record::Recording::open(h5.as_ref()).unwrap();
    assert_eq!(recording.rows(), 51);
    let scene = recording.scene();
    assert!(scene.starts_with("# Hello world"), "{scene}");
    assert!(scene.ends_with("# changed by --set step=0.02\n"), "{scene}");
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("<html") && page.contains("application/x-stickslip"));
}

/// A recording becomes a page, a table whose last row is the end of the run, an animation and a
/// picture; mistakes are bad input and name what there is.
#[test]
fn recordings_are_exported_and_plotted() {
    let folder = Folder::new("export");
    let [h5, html, csv, glb, svg] =
        ["a.h5", "a.html", "a.csv", "a.glb", "a.svg"].map(|name| folder.file(name));
    let run = stickslip(&["run", "hello-world", "--record", &h5, "--quiet"]);
    assert!(run.status.success(), "{}", err(&run));
    let output = stickslip(&["export", &h5, "--html", &html, "--csv", &csv, "--gltf", &glb]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(fs::read_to_string(&html).unwrap().contains("application/x-stickslip"));
    let table = fs::read_to_string(&csv).unwrap();
    assert_eq!(table.lines().count(), 102, "a heading and 101 states");
    assert!(table.lines().last().unwrap().starts_with("100,"), "{table}");
    assert!(fs::read(&glb).unwrap().starts_with(b"glTF"));
    let plot = |what: &str, out: &str| stickslip(&["plot", &h5, "--what", what, "-o", out]);
    assert!(plot("energy", &svg).status.success());
    assert!(fs::read_to_string(&svg).unwrap().contains("energy [J]"));
    for (what, out, fragment) in
        [("enrgy", &svg, "energy, momentum"), ("energy", &csv, ".svg or .png")]
    {
        let output = plot(what, out);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(fragment), "{}", err(&output));
    }
    let missing = stickslip(&["export", "no-such.h5", "--csv", &csv]);
    assert_eq!(missing.status.code(), Some(2), "{}", err(&missing));
    let two = stickslip(&["export", &h5, &h5, "--csv", &csv]);
    assert_eq!(two.status.code(), Some(2), "{}", err(&two));
}

/// Nothing is written for a scene that is wrong; a file that cannot be made is bad input.
#[test]
fn files_are_made_only_for_runs_that_start() {
    let folder = Folder::new("none");
    let h5 = folder.file("run.h5");
    let output = stickslip(&["run", "hello-world", "--set", "step=-1", "--record", &h5]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!fs::exists(&h5).unwrap());
    for option in ["--record", "--html"] {
        let output = stickslip(&["run", "hello-world", option, "/no/such/folder/run"]);
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(err(&output).contains("/no/such/folder/run"), "{}", err(&output));
    }
}

/// Until the process catches SIGINT (bit 2 of its mask), so that the signal cannot come too early.
#[cfg(unix)]
fn wait_for_handler(pid: u32) {
    use std::{thread::sleep, time::Duration};
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:"))?;
        Some(u64::from_str_radix(mask.trim(), 16).ok()? & 2 != 0)
    };
    // Where there is no /proc the best that can be done is to give it time.
    sleep(Duration::from_millis(if catches().is_some() { 10 } else { 2000 }));
    while catches() == Some(false) {
        sleep(Duration::from_millis(10));
    }
}

/// A full run takes minutes; interrupted it ends at once, all its threads with it, and says how far
/// it came.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_all_experiments() {
    let folder = Folder::new("experiments");
    let report = folder.file("report");
    let child = command(&["experiment", "rotation", "grasp", "pile", "--out", &report])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_handler(child.id());
    // Its shortest experiment is done: the others are under way.
    while !fs::exists(folder.file("report/rotation/index.html")).unwrap() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    assert!(err(&output).contains("interrupted after 1 of 3 experiments"), "{}", err(&output));
    assert!(fs::exists(folder.file("report/index.html")).unwrap());
    assert!(!fs::exists(folder.file("report/pile")).unwrap());
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_step_reports_and_ends_with_130() {
    // Long enough that it cannot end by itself before the signal.
    let folder = Folder::new("interrupted");
    let h5 = folder.file("run.h5");
    let arguments =
        ["run", "hello-world", "--json", "--duration", "1e6", "--no-oracle", "--record", &h5];
    let child = command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_handler(child.id());
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let steps = run["steps"].as_u64().unwrap();
    assert!(err(&output).contains(&format!("interrupted after step {steps}")), "{}", err(&output));
    // What was done is in the file.
    let recording = stickslip_record::Recording::open(h5.as_ref()).unwrap();
    assert_eq!(recording.steps().last(), Some(&steps));
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_panic() {
    // `true` closes its end of the pipe without reading.
    let script = format!("{} scenes --reference | true", env!("CARGO_BIN_EXE_stickslip"));
    for _ in 0..5 {
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(err(&output), "");
    }
}
