//! How often each solver is the fastest, and how many problems it solves: performance profiles.

use std::path::{Path, PathBuf};

use complementarity::{Problem, ProblemClass};
use stickslip::settings::Friction;
use stickslip_compare::{
    Comparison, Entry, Progress, Settings,
    profile::profiles,
    source::{self, Rebuild},
};

use stickslip_record::plot::Curve;

use crate::{
    Context, ExperimentError, Report,
    report::{curve, number, over},
    scene::{builtin, settings, wrong},
    solvers::{collect, spheres_cube},
};

/// Where to look for FCLIB and Siconos files, before problems of our own are recorded.
const FOLDERS: [&str; 3] =
    ["problems/friction", "shared/problems/friction", "../shared/problems/friction"];

/// The folder with problem files: that of the environment first.
fn folder() -> Option<PathBuf> {
    let told =
        std::env::var_os("STICKSLIP_SHARED").map(|p| Path::new(&p).join("problems/friction"));
    told.into_iter().chain(FOLDERS.map(PathBuf::from)).find(|p| p.is_dir())
}

/// Cone problems of files; larger ones than `most` contacts are left out.
fn of_files(folder: &Path, most: usize) -> Result<Vec<(Entry, Problem)>, ExperimentError> {
    let mut out = Vec::new();
    for path in source::expand(&[folder.to_path_buf()]).map_err(wrong)? {
        // Files of other kinds lie in such folders too.
        let Ok(entries) = source::load(&path, &Rebuild::default()) else { continue };
        for entry in entries {
            let Ok(problem) = entry.problem() else { continue };
            if problem.class() == ProblemClass::Cone && problem.size() <= 3 * most {
                out.push((entry, problem));
            }
        }
    }
    Ok(out)
}

/// Cone problems recorded from scenes of our own.
fn recorded(c: &Context, steps: usize) -> Result<Vec<(Entry, Problem)>, ExperimentError> {
    let mut out = Vec::new();
    for name in ["balls", "box-stack", "cascading-polyhedra"] {
        let mut s = settings("stewart-trinkle", 0.01);
        s.friction = Friction::Quadratic;
        let mut sim = match name {
            "balls" => spheres_cube(3, s)?,
            _ => builtin(name, &[], s)?,
        };
        for (k, problem) in collect(c, &mut sim, steps, 4)?.into_iter().enumerate() {
            if problem.class() == ProblemClass::Cone && problem.size() > 0 {
                let (name, family) = (format!("{name}-{k}"), name.to_owned());
                out.push((Entry { name, family, content: problem.clone().into() }, problem));
            }
        }
    }
    Ok(out)
}

/// Passes what is being done on to the context.
struct Told<'a, 'b>(&'a Context<'b>);

impl Progress for Told<'_, '_> {
    fn begin(&mut self, done: usize, count: usize, what: &str) {
        (self.0.note)(&format!("solver-profile: {} of {count}, {what}", done + 1));
    }

    fn interrupted(&self) -> bool {
        self.0.cores.stopped()
    }
}

/// A row, a curve and the share solved, for each solver.
type Summed = (Vec<Vec<String>>, Vec<Curve>, Vec<(String, f64)>);

fn summed(done: &Comparison) -> Summed {
    let rows: Vec<_> = done.results.iter().filter(|r| r.class == "cone").collect();
    let solvers = done.solvers(Some("cone"));
    let (mut table, mut curves, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for profile in profiles(&rows, &solvers) {
        let of: Vec<_> = rows.iter().filter(|r| r.solver == profile.solver).collect();
        let solved = of.iter().filter(|r| r.solved).count();
        let slowest = of.iter().filter(|r| r.solved).map(|r| r.seconds).fold(0.0, f64::max);
        let mut row = vec![profile.solver.clone(), format!("{solved} of {}", of.len())];
        row.extend([profile.at(1.0), profile.at(10.0), 1e3 * slowest].map(number));
        table.push(row);
        shares.push((profile.solver.clone(), solved as f64 / of.len().max(1) as f64));
        // A step function: each share holds until the next ratio.
        let (mut x, mut y, mut last) = (vec![1.0], vec![profile.at(1.0)], profile.at(1.0));
        for (ratio, share) in profile.steps {
            x.extend([ratio, ratio]);
            y.extend([last, share]);
            last = share;
        }
        x.push(x.last().copied().unwrap_or(1.0).max(1e4));
        y.push(last);
        curves.push(curve(profile.solver, x, y));
    }
    (table, curves, shares)
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "Every solver for contacts with true friction cones on a collection of problems, with one \
         tolerance and one measure of the error. A curve shows the share of the problems that a \
         solver solves within a multiple of the time of the fastest (Dolan and Moré 2002).",
    );
    let (most, limit) = c.pick((60, 0.5), (2000, 3.0));
    let found = folder();
    let entries = match &found {
        Some(folder) => of_files(folder, most)?,
        None => recorded(c, c.pick(24, 60))?,
    };
    report.set(match &found {
        Some(_) => format!("{} problems of the FCLIB and Siconos collections, at most {most} contacts.", entries.len()),
        None => format!("{} problems recorded from scenes of our own: the FCLIB files are not here (STICKSLIP_SHARED names their folder).", entries.len()),
    });
    report.set(format!(
        "Tolerance 1e-8 (natural map), from zero, at most {limit} s each, wall time of one thread."
    ));
    let how = Settings { tolerance: 1e-8, time_limit: limit, ..Settings::default() };
    let done = Comparison::run(&entries, &how, &mut Told(c)).map_err(wrong)?;
    c.go_on()?;
    let (table, curves, shares) = summed(&done);
    let title = format!("Performance profile, {} cone problems", entries.len());
    let axes = over(&title, "time / best time", "share of the problems", (true, false));
    report.figure(
        "profile",
        "Share of the problems solved within a multiple of the best time",
        curves,
        axes,
    );
    let head = ["solver", "solved", "fastest on", "within 10 times", "slowest solve [ms]"];
    report.table("solvers", "All solvers", &head, table);
    let best = shares.iter().filter(|s| s.0 != "auto").max_by(|a, b| a.1.total_cmp(&b.1));
    let auto = shares.iter().find(|s| s.0 == "auto").map_or(0.0, |s| s.1);
    let (name, most) = best.map_or(("none", 0.0), |b| (b.0.as_str(), b.1));
    report.claim(
        "(Ours) `auto` solves at least as many as any single solver.",
        format!(
            "auto {} %, the best of the others {} % ({name})",
            number(100.0 * auto),
            number(100.0 * most)
        ),
        auto >= most && auto > 0.0,
    );
    Ok(report)
}
