//! Whatever the file holds, reading it ends with a scene or with errors that have a place.
#![allow(clippy::unwrap_used, clippy::panic)]

use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_scene::{BUILTIN, Scene};

/// Values that break arithmetic, types or grammar.
const NASTY: &[&str] = &[
    "0",
    "-1",
    "nan",
    "-inf",
    "1e308",
    "1e-308",
    "9223372036854775807",
    "99999999999999999999",
    "\"\"",
    "[]",
    "{}",
    "true",
    "1979-05-27",
    "[1, 2]",
    "[[1]]",
    "[1e308, 1e308, 1e308]",
    "=",
    "\"",
    "\u{e9}",
    "\u{1f600}",
    "# x",
    "\n",
    "[[body]]",
    "{ type = \"sphere\", radius = 1e-320 }",
];

fn mutated(text: &str, rng: &mut StdRng) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut out: Vec<&str> = Vec::with_capacity(words.len() + 4);
    let changes = rng.random_range(1..4);
    let places: Vec<usize> = (0..changes).map(|_| rng.random_range(0..words.len())).collect();
    for (k, word) in words.iter().enumerate() {
        let nasty = NASTY[rng.random_range(0..NASTY.len())];
        match (places.contains(&k), rng.random_range(0..4)) {
            (false, _) => out.push(word),
            (true, 0) => {}
            (true, 1) => out.extend([*word, nasty]),
            (true, 2) => out.extend([*word, *word]),
            (true, _) => out.push(nasty),
        }
    }
    out.join(" ")
}

/// The seed of a failing scene is in the message.
#[test]
fn damaged_scenes_are_read_or_refused() {
    let small = BUILTIN.iter().filter(|b| b.text.len() < 4000);
    let (mut read, mut refused) = (0, 0);
    for builtin in small {
        for seed in 0..400 {
            let mut rng = StdRng::seed_from_u64(seed);
            let text = mutated(builtin.text, &mut rng);
            match std::panic::catch_unwind(|| Scene::parse("scene.toml", &text)) {
                Ok(Ok(_)) => read += 1,
                Ok(Err(error)) => {
                    refused += 1;
                    assert!(!error.diagnostics.is_empty());
                    for d in &error.diagnostics {
                        let (line, _) = d.position.unwrap();
                        assert!(line <= text.split('\n').count(), "{d}");
                        assert!(!d.message.is_empty() && !d.with_snippet().is_empty());
                    }
                }
                Err(_) => panic!("{} with seed {seed} panics:\n{text}", builtin.name),
            }
        }
    }
    assert!(read > 50 && refused > 200, "{read} read, {refused} refused");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Scene::parse("scene.toml", &deep).is_err());
}

#[test]
fn nothing_at_all_is_a_scene_without_bodies() {
    for text in ["", "\n", "# comment", "\u{feff}"] {
        let error = Scene::parse("scene.toml", text).unwrap_err();
        assert_eq!(error.diagnostics[0].position, Some((1, 1)), "{text:?}: {error}");
    }
}
