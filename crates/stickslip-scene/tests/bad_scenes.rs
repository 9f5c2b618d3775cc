//! Bad scenes: for each kind of mistake the line, the column, the key and the remedy.
#![allow(clippy::unwrap_used, clippy::panic)]

use stickslip_scene::{Diagnostic, Scene, SceneText, Severity};

/// A mistake: the text, where it must be found, the key, and what the message must hold.
#[derive(Debug, Default)]
struct Bad {
    what: &'static str,
    at: (usize, usize),
    key: &'static str,
    says: Vec<&'static str>,
    text: &'static str,
}

fn cases() -> Vec<Bad> {
    include_str!("bad_scenes.txt").split("=== ").skip(1).map(case).collect()
}

fn case(entry: &'static str) -> Bad {
    let (head, text) = entry.split_once("\n---\n").unwrap();
    let mut lines = head.lines();
    let mut bad = Bad { what: lines.next().unwrap(), text, ..Bad::default() };
    for line in lines {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("says", fragment) => bad.says.push(fragment),
            ("at", place) => {
                let (at, key) = place.split_once(' ').unwrap_or((place, ""));
                let (line, column) = at.split_once(':').unwrap();
                (bad.at, bad.key) = ((line.parse().unwrap(), column.parse().unwrap()), key);
            }
            _ => panic!("{}: what does {line:?} mean?", bad.what),
        }
    }
    bad
}

fn tells(d: &Diagnostic, bad: &Bad) -> bool {
    let line = d.to_string();
    d.severity == Severity::Error
        && d.position == Some(bad.at)
        && d.key == bad.key
        && line.starts_with(&format!("scene.toml:{}:{}: ", bad.at.0, bad.at.1))
        && bad.says.iter().all(|s| line.contains(s))
}

#[test]
fn every_mistake_is_told_with_place_key_and_remedy() {
    let (cases, mut wrong) = (cases(), Vec::new());
    assert!(cases.len() >= 90, "{}", cases.len());
    for bad in cases {
        match Scene::parse("scene.toml", bad.text) {
            Ok(_) => wrong.push(format!("{}: accepted", bad.what)),
            Err(error) if error.diagnostics.iter().any(|d| tells(d, &bad)) => {}
            Err(error) => {
                let keys: Vec<&str> = error.diagnostics.iter().map(|d| d.key.as_str()).collect();
                wrong.push(format!("{bad:?}\ngot {keys:?}\n{error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
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
