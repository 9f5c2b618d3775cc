//! What follows the name of an experiment: numbers and names in order, and `--key value`.

use std::{collections::BTreeMap, str::FromStr};

use stickslip::settings::Friction;

/// The arguments after the name.
#[derive(Default)]
pub struct Options {
    /// Those without a key.
    pub plain: Vec<String>,
    named: BTreeMap<String, String>,
}

impl Options {
    /// `--key value`, or `--key` alone before another key and at the end.
    pub fn new(arguments: impl Iterator<Item = String>) -> Self {
        let (mut options, mut arguments) = (Self::default(), arguments.peekable());
        while let Some(argument) = arguments.next() {
            match argument.strip_prefix("--") {
                Some(key) => {
                    let value = arguments.next_if(|a| !a.starts_with("--")).unwrap_or_default();
                    options.named.insert(key.into(), value);
                }
                None => options.plain.push(argument),
            }
        }
        options
    }

    /// The `k`-th argument without a key.
    pub fn number(&self, k: usize, default: f64) -> f64 {
        self.plain.get(k).and_then(|a| a.parse().ok()).unwrap_or(default)
    }

    /// Whether a key was given.
    pub fn has(&self, key: &str) -> bool {
        self.named.contains_key(key)
    }

    /// The value of a key.
    pub fn get<T: FromStr>(&self, key: &str) -> Option<T> {
        self.named.get(key)?.parse().ok()
    }

    /// Whether `value` is among the comma-separated ones of a key, or the key was not given.
    pub fn allows(&self, key: &str, value: &str) -> bool {
        self.named.get(key).is_none_or(|all| all.split(',').any(|one| one == value))
    }

    /// `--friction`, linear unless told.
    pub fn friction(&self) -> Friction {
        match self.named.get("friction").map(String::as_str) {
            Some("none") => Friction::None,
            Some("quadratic") => Friction::Quadratic,
            _ => Friction::Linear,
        }
    }

    /// Threads: `--threads`, or one for each core.
    pub fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.get("threads").unwrap_or_else(all)
    }
}
