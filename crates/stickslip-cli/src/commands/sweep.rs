//! `stickslip sweep`: many runs over a grid of settings and seeds.

use std::{
    collections::BTreeSet,
    fs,
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use clap::Args;
use serde_json::{Value, json};
use stickslip::{Motion, Simulator, geometry::Vec3, run::Runner};
use stickslip_scene::Scene;

use super::sweep_plan::{Plan, Point};
use crate::{failure::Failure, output};

/// Run a scene many times over a grid of settings and seeds.
///
/// The sweep file names a scene and lists of values:
///
///   scene = "peg-in-hole"
///   seeds = [1, 2, 3]          # each shifts the moving bodies by up to `jitter`
///   jitter = 1e-6              # metres
///   [grid]
///   step = [0.01, 0.005]
///   formulation = ["peg", "separation"]
///   body.peg.friction = [0.1, 0.5]
///
/// Every run writes one JSON file; a sweep that was stopped goes on where it was. All runs
/// together are in sweep.csv.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Sweep {
    /// The sweep file
    #[arg(value_name = "SWEEP.toml")]
    file: PathBuf,
    /// Where the results go
    #[arg(long, value_name = "DIR", default_value = "sweep")]
    out: PathBuf,
    /// Runs at the same time; 0 means one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
}

impl Sweep {
    pub fn execute(&self) -> Result<(), Failure> {
        let plan = Plan::read(&self.file)?;
        let points = plan.points();
        // What is wrong with the scene or a value shows before anything runs.
        for point in &points {
            Scene::open(&plan.scene, &point.overrides()?)?;
        }
        let folder = self.out.join("runs");
        fs::create_dir_all(&folder)?;
        let done = finished(&folder, &points);
        let left: Vec<usize> = (0..points.len()).filter(|k| !done.contains(k)).collect();
        output::notice(&format!("{} runs, {} of them done before", points.len(), done.len()));
        let failures = self.work(&plan, &points, &left, &folder)?;
        let table = table(&folder, &points)?;
        let path = self.out.join("sweep.csv");
        stickslip_record::write_whole(&path, table.as_bytes())?;
        output::print(&format!(
            "{} runs, {failures} failed; see {}\n",
            points.len(),
            path.display()
        ))?;
        Ok(())
    }

    /// All runs that are left, on all cores; how many failed.
    fn work(
        &self,
        plan: &Plan,
        points: &[Point],
        left: &[usize],
        folder: &Path,
    ) -> Result<usize, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if self.jobs == 0 { cores } else { self.jobs }.min(left.len().max(1));
        let (next, failures) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let trouble: Mutex<Option<Failure>> = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some(&k) = left.get(next.fetch_add(1, Ordering::SeqCst)) {
                        let result = one(plan, &points[k]).and_then(|value| {
                            failures.fetch_add(
                                usize::from(!value["error"].is_null()),
                                Ordering::SeqCst,
                            );
                            // A file appears whole or not at all.
                            let part = folder.join(format!("{k:06}.part"));
                            fs::write(&part, value.to_string())?;
                            Ok(fs::rename(&part, file(folder, k))?)
                        });
                        if let Err(failure) = result {
                            *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                            return;
                        }
                        if std::io::stderr().is_terminal() {
                            eprint!("\r\x1b[K{} of {}: {}", k + 1, points.len(), points[k].label());
                        }
                    }
                });
            }
        });
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
        match trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(failures.into_inner()),
        }
    }
}

fn file(folder: &Path, k: usize) -> PathBuf {
    folder.join(format!("{k:06}.json"))
}

fn load(folder: &Path, k: usize) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(file(folder, k)).ok()?).ok()
}

/// Runs whose file is there and is of the same settings.
fn finished(folder: &Path, points: &[Point]) -> BTreeSet<usize> {
    let same = |k: &usize| load(folder, *k).is_some_and(|v| v["run"] == json!(points[*k].label()));
    (0..points.len()).filter(same).collect()
}

/// One run. A simulation that fails is a result, not the end of the sweep.
fn one(plan: &Plan, point: &Point) -> Result<Value, Failure> {
    let scene = Scene::open(&plan.scene, &point.overrides()?)?;
    let mut settings = scene.settings.clone();
    settings.threads = 1;
    let mut simulator = Simulator::new(scene.model, scene.state, settings)
        .map_err(|e| Failure::Input(format!("{}: {e}", plan.scene)))?;
    shift(&mut simulator, point.seed, plan.jitter);
    let mut runner = Runner::new(simulator);
    let ended = runner.run().err().map(|e| e.to_string());
    let summary = serde_json::to_value(runner.summary(&scene.name))
        .map_err(|e| Failure::Simulation(format!("cannot write JSON: {e}")))?;
    let values: serde_json::Map<String, Value> =
        point.values.iter().map(|(k, v)| (k.clone(), json!(v.trim_matches('"')))).collect();
    Ok(json!({
        "run": point.label(), "settings": values, "seed": point.seed, "error": ended, "summary": summary,
    }))
}

/// Moves every body that forces move by up to `jitter` along each axis. Seed 0 moves nothing.
fn shift(simulator: &mut Simulator, seed: u64, jitter: f64) {
    if seed == 0 {
        return;
    }
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut signed = || {
        // xorshift64*.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let x = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        x as f64 / (1u64 << 52) as f64 - 1.0
    };
    let flat = simulator.model.dimension() == stickslip::Dimension::Two;
    for (body, pose) in simulator.model.bodies().iter().zip(&mut simulator.state.q) {
        let by = Vec3::new(signed(), signed(), signed()) * jitter;
        if body.motion == Motion::Dynamic {
            pose.position += if flat { by.with_z(0.0) } else { by };
        }
    }
}

/// All runs as CSV: settings, then what was measured.
fn table(folder: &Path, points: &[Point]) -> Result<String, Failure> {
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
    let keys: Vec<&str> =
        points.first().map_or(Vec::new(), |p| p.values.iter().map(|v| v.0.as_str()).collect());
    let mut head: Vec<String> = keys.iter().map(|k| (*k).to_owned()).collect();
    head.push("seed".into());
    head.extend(
        MEASURED.map(|m| m.trim_start_matches('/').replace("diagnostics/", "").replace('/', ".")),
    );
    head.push("error".into());
    let mut text = row(&head);
    for (k, point) in points.iter().enumerate() {
        let Some(value) = load(folder, k) else { continue };
        let mut cells: Vec<String> =
            point.values.iter().map(|v| v.1.trim_matches('"').to_owned()).collect();
        cells.push(point.seed.to_string());
        let shown = |v: Option<&Value>| match v {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(s)) => s.clone(),
            Some(other) => other.to_string(),
        };
        cells.extend(MEASURED.map(|m| shown(value["summary"].pointer(m))));
        cells.push(shown(value.get("error")));
        text.push_str(&row(&cells));
    }
    Ok(text)
}

fn row(cells: &[String]) -> String {
    let quoted = |c: &String| match c.contains([',', '"', '\n']) {
        true => format!("\"{}\"", c.replace('"', "\"\"")),
        false => c.clone(),
    };
    format!("{}\n", cells.iter().map(quoted).collect::<Vec<_>>().join(","))
}
