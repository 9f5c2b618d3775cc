//! Results of runs: in a folder, and as a table.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::Point;

/// What the table shows of each run, as places in its summary.
const MEASURED: [&str; 9] = [
    "/steps",
    "/diagnostics/max_penetration",
    "/diagnostics/max_overlap",
    "/diagnostics/max_joint_error",
    "/diagnostics/energy/final",
    "/diagnostics/energy/max_increase",
    "/diagnostics/solver/failures",
    "/diagnostics/sm_traps",
    "/wall/per_step_median",
];

/// The results of a sweep in a folder, one file each.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
}

impl Results {
    /// In this folder, which is made where it is not there.
    pub fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn file(&self, k: usize) -> PathBuf {
        self.folder.join(format!("{k:06}.json"))
    }

    /// The result of run `k`, if there is one.
    pub fn load(&self, k: usize) -> Option<Value> {
        serde_json::from_str(&fs::read_to_string(self.file(k)).ok()?).ok()
    }

    /// Writes the result of run `k`: the file appears whole or not at all.
    pub fn keep(&self, k: usize, result: &Value) -> io::Result<()> {
        let part = self.folder.join(format!("{k:06}.part"));
        fs::write(&part, result.to_string())?;
        fs::rename(&part, self.file(k))
    }

    /// Runs whose result is there and is of the same point.
    pub fn finished(&self, points: &[Point]) -> BTreeSet<usize> {
        let same = |k: &usize| self.load(*k).is_some_and(|v| v["run"] == json!(points[*k].label()));
        (0..points.len()).filter(same).collect()
    }
}

/// What the table shows of a result: the values of its point, `seed`, what was measured, and `error`.
pub fn row(point: &Point, result: &Value) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> =
        point.shown().map(|(key, value)| (key.to_owned(), json!(value))).collect();
    out.push(("seed".into(), json!(point.seed)));
    for place in MEASURED {
        let name = place.trim_start_matches('/').replace("diagnostics/", "").replace('/', ".");
        out.push((name, result["summary"].pointer(place).cloned().unwrap_or(Value::Null)));
    }
    out.push(("error".into(), result["error"].clone()));
    out
}

/// Results of points as CSV.
pub fn csv<'a>(results: impl IntoIterator<Item = (&'a Point, Value)>) -> String {
    let mut text = String::new();
    for (point, result) in results {
        let row = row(point, &result);
        if text.is_empty() {
            text.push_str(&line(row.iter().map(|(key, _)| key.clone())));
        }
        text.push_str(&line(row.iter().map(|(_, value)| match value {
            Value::Null => String::new(),
            Value::String(s) => s.clone(),
            other => other.to_string(),
        })));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |c: String| match c.contains([',', '"', '\n']) {
        true => format!("\"{}\"", c.replace('"', "\"\"")),
        false => c,
    };
    format!("{}\n", cells.map(quoted).collect::<Vec<_>>().join(","))
}
