//! A run is recorded, read back, and summed up.

use stickslip_record::{RecordOptions, Recorder, Recording, RunInfo, plot::Curve};

use crate::{
    Context, ExperimentError, Report,
    draw::{around, snapshot},
    report::{curve, number, over_time},
    scene::{builtin, largest, mean, quartiles, settings, wrong},
};

const SERIES: [&str; 8] = [
    "contacts",
    "iterations",
    "residual",
    "traps",
    "penetration",
    "time.detect",
    "time.formulate",
    "time.solve",
];

/// A row for each series, and curves of the times.
fn summed(recording: &Recording) -> Result<(Vec<Vec<String>>, Vec<Curve>), ExperimentError> {
    let (mut rows, mut times) = (Vec::new(), Vec::new());
    for name in SERIES {
        let values: Vec<f64> =
            recording.series(name)?.into_iter().filter(|v| v.is_finite()).collect();
        if values.is_empty() {
            continue;
        }
        let [a, b, d] = quartiles(&values);
        rows.push(vec![
            name.into(),
            values.len().to_string(),
            number(mean(&values)),
            number(a),
            number(b),
            number(d),
            number(largest(&values)),
        ]);
        if name.starts_with("time.") {
            let ms: Vec<f64> = recording.series(name)?.iter().map(|v| 1e3 * v).collect();
            times.push(curve(name, recording.time().to_vec(), ms));
        }
    }
    Ok((rows, times))
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let time = c.pick(1.0, 4.0);
    let mut report = Report::about(
        "A scene is simulated and recorded to one HDF5 file; what follows is computed from the \
         file alone. Any recording can be summed up like this.",
    );
    report.set(format!(
        "Scene cascading-polyhedra, separation, h = 0.01 s, {time} s; file run.h5 beside this page."
    ));
    (c.note)("statistics: the run");
    let mut sim = builtin("cascading-polyhedra", &[], settings("separation", 0.01))?;
    let window = around(&sim);
    std::fs::create_dir_all(c.out)
        .map_err(|source| ExperimentError::Write { path: c.out.display().to_string(), source })?;
    let path = c.out.join("run.h5");
    let info = RunInfo::default();
    let recorder = Recorder::attach(&path, &mut sim, &info, RecordOptions::default())?;
    let steps = (time / 0.01_f64).round() as usize;
    for _ in 0..steps {
        c.go_on()?;
        sim.step().map_err(wrong)?;
    }
    recorder.finish()?;
    report.picture("end", format!("after {time} s"), snapshot(&sim, window));
    let recording = Recording::open(&path)?;
    let (rows, times) = summed(&recording)?;
    let (contacts, _) = recording.curve("contacts", None)?;
    let (energy, _) = recording.curve("energy", None)?;
    report.figure(
        "contacts",
        "Potential contacts in each step",
        vec![contacts],
        over_time("cascading-polyhedra: contacts", "contacts", false),
    );
    report.figure(
        "energy",
        "Kinetic and potential energy",
        vec![energy.clone()],
        over_time("cascading-polyhedra: energy", "energy [J]", false),
    );
    report.figure(
        "times",
        "Time of the stages in each step",
        times,
        over_time("cascading-polyhedra: time of the stages", "time [ms]", true),
    );
    let head = ["series", "values", "mean", "quartile 1", "median", "quartile 3", "largest"];
    report.table("statistics", "Statistics over the steps of the recording", &head, rows);
    let rise = energy.value.windows(2).map(|w| w[1] - w[0]).fold(f64::NEG_INFINITY, f64::max);
    report.claim(
        "Every step of a recorded run is there to be analysed.",
        format!("{} rows for {} steps and the start", recording.rows(), steps),
        recording.rows() == steps + 1,
    );
    report.claim(
        "(Ours) Inelastic contact adds no energy.",
        format!("the largest rise in one step is {} J", number(rise)),
        rise < 1e-6,
    );
    Ok(report)
}
