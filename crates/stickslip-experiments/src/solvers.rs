//! Solvers on problems taken from a run: convergence of each.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use complementarity::{
    Decorator, Problem, ProblemClass, Watch,
    metric::Metric,
    options::Options,
    registry::{self, Info},
    residual,
};
use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    settings::Friction,
};

use stickslip_record::plot::Curve;

use crate::{
    Context, ExperimentError, Report,
    draw::{around, snapshot},
    report::{curve, number, over},
    scene::{settings, wrong},
};

/// The error after each iteration.
struct Errors<'a> {
    problem: &'a Problem,
    measure: &'a dyn Fn(&Problem, &[f64]) -> f64,
    values: Vec<f64>,
}

impl Watch for Errors<'_> {
    fn iterate(&mut self, _k: usize, z: &[f64]) -> ControlFlow<()> {
        self.values.push((self.measure)(self.problem, z));
        ControlFlow::Continue(())
    }
}

/// `n³` balls of radius 0.5 m stacked as a cube on a plane.
pub fn spheres_cube(n: usize, s: Settings) -> Result<Simulator, ExperimentError> {
    let mut b = ModelBuilder::new(Dimension::Three);
    b.add(BodyInit::new(&Solid::half_space(Vec3::Z).map_err(wrong)?)).map_err(wrong)?;
    let ball = BodyInit::new(&Solid::sphere(0.5).map_err(wrong)?);
    for k in 0..n * n * n {
        let at = Vec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64 + 0.5);
        b.add(ball.clone().at(at)).map_err(wrong)?;
    }
    let (model, state) = b.build();
    Simulator::new(model, state, s).map_err(wrong)
}

/// Problems of a run, one in `every` solves.
pub fn collect(
    c: &Context,
    sim: &mut Simulator,
    steps: usize,
    every: usize,
) -> Result<Vec<Problem>, ExperimentError> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let (mut call, keep) = (0_usize, Arc::clone(&kept));
    Decorator::put(&mut sim.pipeline.solver, move |inner, problem, z0, watch| {
        if call.is_multiple_of(every) {
            keep.lock().unwrap_or_else(PoisonError::into_inner).push(problem.clone());
        }
        call += 1;
        inner.solve(problem, z0, watch)
    });
    for _ in 0..steps {
        c.go_on()?;
        sim.step().map_err(wrong)?;
    }
    let found = kept.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(found.clone())
}

/// What a solver did on one problem.
struct Run {
    errors: Vec<f64>,
    seconds: f64,
    iterations: usize,
    status: &'static str,
    last: f64,
}

impl Run {
    /// Its errors over the iterations.
    fn curve(&self, name: &str) -> Curve {
        let x = (1..=self.errors.len()).map(|i| i as f64).collect();
        curve(name, x, self.errors.iter().map(|e| e.max(1e-17)).collect())
    }
}

fn solve(
    info: &Info,
    problem: &Problem,
    (iterations, tolerance): (usize, f64),
    measure: &dyn Fn(&Problem, &[f64]) -> f64,
) -> Result<Option<Run>, ExperimentError> {
    let mut options = Options::new();
    for setting in info.settings {
        match setting.key {
            "max_iterations" => options.set("max_iterations", iterations as f64),
            "tolerance" => options.set("tolerance", tolerance),
            _ => {}
        }
    }
    let mut solver = registry::make(info.name, &options).map_err(wrong)?;
    let mut watch = Errors { problem, measure, values: Vec::new() };
    let begin = Instant::now();
    let Ok(solution) = solver.solve(problem, &[], &mut watch) else { return Ok(None) };
    Ok(Some(Run {
        seconds: begin.elapsed().as_secs_f64(),
        errors: watch.values,
        iterations: solution.iterations,
        status: solution.status.as_str(),
        last: measure(problem, &solution.z),
    }))
}

/// Solvers of a class, but for those that take any and those for tiny problems.
fn of_class(class: ProblemClass) -> impl Iterator<Item = &'static Info> {
    let fits =
        move |i: &&Info| i.classes.contains(&class) && !["auto", "enumerate"].contains(&i.name);
    registry::info().iter().filter(fits)
}

/// A solver on many problems.
#[derive(Default)]
struct Total {
    solved: usize,
    seconds: f64,
    iterations: usize,
    worst: f64,
    /// Iterations and errors on each problem.
    curves: Vec<(Vec<f64>, Vec<f64>)>,
}

fn total(c: &Context, info: &Info, problems: &[Problem]) -> Result<Total, ExperimentError> {
    let measure = |p: &Problem, z: &[f64]| residual::natural(p, z);
    let mut out = Total::default();
    for problem in problems {
        c.go_on()?;
        let Some(run) = solve(info, problem, (300, 1e-12), &measure)? else {
            out.curves.push(Default::default());
            continue;
        };
        out.solved += usize::from(run.last <= 1e-8);
        out.seconds += run.seconds;
        out.iterations += run.iterations;
        out.worst = out.worst.max(run.last);
        let x: Vec<f64> = (1..=run.errors.len()).map(|i| i as f64).collect();
        out.curves.push((x, run.errors.iter().map(|e| e.max(1e-17)).collect()));
    }
    Ok(out)
}

/// The collapse: problems, and pictures of both ends.
fn collapse(
    c: &Context,
    class: ProblemClass,
    (steps, samples): (usize, usize),
    report: &mut Report,
) -> Result<Vec<Problem>, ExperimentError> {
    let mut s = settings("stewart-trinkle", 0.01);
    let cones = class == ProblemClass::Cone;
    s.friction = if cones { Friction::Quadratic } else { Friction::None };
    let mut sim = spheres_cube(5, s)?;
    let mut random = crate::scene::Random::new(5);
    for q in sim.state.q.iter_mut().skip(1) {
        q.position += 1e-3 * (random.vector(Dimension::Three) + Vec3::Z);
    }
    report.seeds = vec![5];
    let (name, what) =
        if cones { ("rough", "with friction") } else { ("smooth", "without friction") };
    if !cones {
        report.picture("start", "125 balls at the start".into(), snapshot(&sim, around(&sim)));
    }
    (c.note)(&format!("sphere-solvers: the run {what}"));
    let problems = collect(c, &mut sim, steps, (steps / samples).max(1))?;
    let caption = format!("after {steps} steps, {what}");
    report.picture(&format!("end-{name}"), caption, snapshot(&sim, around(&sim)));
    Ok(problems)
}

/// What all solvers of a class did.
#[derive(Default)]
struct Convergence {
    rows: Vec<Vec<String>>,
    /// Every solver on the middle problem, and those that show no iterates there.
    middle: Vec<Curve>,
    silent: Vec<&'static str>,
    /// The Fischer-Burmeister solver on every problem, and the mean factor of its errors.
    fischer: Vec<Curve>,
    rates: Vec<f64>,
}

fn converge(
    c: &Context,
    class: ProblemClass,
    problems: &[Problem],
) -> Result<Convergence, ExperimentError> {
    let mut out = Convergence::default();
    let n = problems.len();
    for info in of_class(class) {
        (c.note)(&format!("sphere-solvers: {}", info.name));
        let sum = total(c, info, problems)?;
        let kind = if class == ProblemClass::Lcp { "LCP" } else { "cones" };
        let mut row = vec![kind.into(), info.name.to_owned(), format!("{} of {n}", sum.solved)];
        let each = n.max(1) as f64;
        row.extend([sum.iterations as f64 / each, 1e3 * sum.seconds / each, sum.worst].map(number));
        out.rows.push(row);
        if sum.curves.get(n / 2).is_none_or(|(x, _)| x.is_empty()) {
            out.silent.push(info.name);
        }
        for (k, (x, y)) in sum.curves.into_iter().enumerate().filter(|(_, (x, _))| !x.is_empty()) {
            if k == n / 2 {
                out.middle.push(curve(info.name, x.clone(), y.clone()));
            }
            if info.name == "fischer-newton" {
                out.rates.push(rate(&y));
                out.fischer.push(curve(format!("problem {}", k + 1), x, y));
            }
        }
    }
    Ok(out)
}

pub fn spheres(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "125 balls stacked as a cube collapse, without friction and with it. Problems taken from \
         the runs are solved from zero by every solver for LCPs and every solver for cones; the \
         natural merit function is measured after every iteration.",
    );
    let (steps, samples) = c.pick((60, 4), (400, 50));
    let (rough_steps, rough_samples) = c.pick((20, 2), (100, 10));
    report.set(format!("Without friction {samples} problems out of {steps} steps (paper: 50 out of 400), with friction 0.5 and true cones {rough_samples} out of {rough_steps} (ours); h = 0.01 s."));
    report.set("Tolerance 1e-12, at most 300 iterations; formulation stewart-trinkle. The balls are jittered by up to 1 mm (ours), so that they do collapse.");
    let problems = collapse(c, ProblemClass::Lcp, (steps, samples), &mut report)?;
    let mut smooth = converge(c, ProblemClass::Lcp, &problems)?;
    let problems = collapse(c, ProblemClass::Cone, (rough_steps, rough_samples), &mut report)?;
    let rough = converge(c, ProblemClass::Cone, &problems)?;
    let axes = |title: &str, log_x: bool| over(title, "iteration", "natural merit", (log_x, true));
    let caption = "Fischer-Burmeister-Newton on the sampled problems (figure 9b)";
    smooth.fischer.truncate(12);
    let title = "fischer-newton, 125 spheres, seed 5";
    report.figure("fischer", caption, smooth.fischer, axes(title, false));
    for (name, what, curves, silent) in [
        ("all", "LCPs, 125 spheres", smooth.middle, smooth.silent),
        ("cones", "cones, 125 spheres, friction 0.5", rough.middle, rough.silent),
    ] {
        let title = format!("All solvers for {what}, seed 5");
        let caption = captioned("Every solver on the middle problem", &silent);
        report.figure(name, &caption, curves, axes(&title, true));
    }
    let head = ["class", "solver", "solved to 1e-8", "iterations", "time [ms]", "largest error"];
    let caption = "All solvers on all sampled problems, from zero; time with the errors measured";
    report.table("solvers", caption, &head, [smooth.rows, rough.rows].concat());
    let slowest = smooth.rates.iter().copied().fold(0.0, f64::max);
    report.claim(
        "The Fischer-Burmeister solver converges linearly.",
        format!(
            "the error falls by a factor of {} per iteration or better (mean over each run)",
            number(1.0 / slowest.max(1e-12))
        ),
        !smooth.rates.is_empty() && slowest < 0.9,
    );
    Ok(report)
}

/// A caption that says which solvers have no curve: methods that are done in one go.
fn captioned(caption: &str, silent: &[&str]) -> String {
    match silent {
        [] => caption.into(),
        _ => format!(
            "{caption}; without a curve, since they show no iterates: {}",
            silent.join(", ")
        ),
    }
}

/// Mean factor by which the error changes per iteration, down to round-off.
fn rate(errors: &[f64]) -> f64 {
    let end = errors.iter().position(|e| *e < 1e-13).unwrap_or(errors.len() - 1).max(1);
    (errors[end.min(errors.len() - 1)] / errors[0].max(1e-300)).powf(1.0 / end as f64)
}

pub fn many(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "One problem of a pile of balls with friction, solved by every solver: those for LCPs with \
         the linearised cone, those for cones with the true one. One measure for all of a class.",
    );
    report.set("27 balls, friction 0.5, cone of 4 edges, h = 0.01 s, the problem of step 20 (ours: the guide's file is not public).");
    report.set("At most 100 iterations and tolerance 1e-6 as in the guide's script; error norm_CCK for LCPs, natural map for cones.");
    let metric = Metric::from_name("norm_CCK");
    let (mut rows, mut solved) = (Vec::new(), Vec::new());
    for (friction, class) in
        [(Friction::Linear, ProblemClass::Lcp), (Friction::Quadratic, ProblemClass::Cone)]
    {
        let mut s = settings("stewart-trinkle", 0.01);
        (s.friction, s.friction_directions) = (friction, 4);
        let mut sim = spheres_cube(3, s)?;
        (c.note)("many-solvers: the run");
        let problems = collect(c, &mut sim, 20, 1)?;
        let Some(problem) = problems.last() else { continue };
        if class == ProblemClass::Lcp {
            report.picture("scene", "27 balls after 20 steps".into(), snapshot(&sim, around(&sim)));
        }
        let measure = |p: &Problem, z: &[f64]| match (p, metric) {
            (Problem::Lcp(_), Some(metric)) => metric.measure(p, z),
            _ => residual::natural(p, z),
        };
        let (mut curves, mut silent) = (Vec::new(), Vec::new());
        for info in of_class(class) {
            (c.note)(&format!("many-solvers: {}", info.name));
            let Some(run) = solve(info, problem, (100, 1e-6), &measure)? else { continue };
            match run.errors.is_empty() {
                true => silent.push(info.name),
                false => curves.push(run.curve(info.name)),
            }
            solved.push((info.name, run.last));
            let mut row = vec![format!("{class:?}"), info.name.into(), problem.size().to_string()];
            row.extend([run.status.into(), run.iterations.to_string()]);
            row.extend([run.last, 1e3 * run.seconds].map(number));
            rows.push(row);
        }
        let (name, what) = match class {
            ProblemClass::Lcp => ("lcp", "norm_CCK"),
            _ => ("cone", "natural map"),
        };
        let title = format!("Solvers on one problem ({name}), 27 balls, step 20");
        let axes = over(&title, "iteration", what, (false, true));
        report.figure(name, &captioned("Error after each iteration", &silent), curves, axes);
    }
    let head = ["class", "solver", "unknowns", "status", "iterations", "error", "time [ms]"];
    report.table("solvers", "All solvers", &head, rows);
    let good: Vec<&str> = solved.iter().filter(|s| s.1 < 1e-6).map(|s| s.0).collect();
    report.claim(
        "Many solvers can be compared on one problem by one measure.",
        format!(
            "{} of {} reach 1e-6 in 100 iterations: {}",
            good.len(),
            solved.len(),
            good.join(", ")
        ),
        good.len() >= 8,
    );
    Ok(report)
}
