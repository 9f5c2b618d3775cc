//! Every method on families of problems, one line of CSV each: family, problem, size, solver, solved,
//! seconds, natural residual, iterations, peak memory with `--large`. `bench/complementarity.sh` draws profiles from it.
//!
//! Arguments: names of families and of solvers, in any order (default: all), `--limit SECONDS` for each solve
//! (default 20), `--large` for the growth of time up to a million unknowns and for
//! large games. `--write FOLDER` writes the problems for other programs instead, `--judge FOLDER` measures
//! their answers (`bench/complementarity/peers.py`).

#[path = "../clock/mod.rs"]
mod clock;
#[path = "../../../../bench/complementarity/families.rs"]
mod families;

mod exchange;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use complementarity::{
    Options, Problem, ProblemClass, Solution, SolveError, Watch, registry, residual,
};

/// Stops a method after some time on a processor.
struct Deadline {
    elapsed: Instant,
    cpu: f64,
}

impl Watch for Deadline {
    fn iterate(&mut self, _: usize, _: &[f64]) -> ControlFlow<()> {
        if self.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stops(&mut self) -> bool {
        // the first is quick to ask, the second counts
        Instant::now() > self.elapsed && clock::cpu_seconds() > self.cpu
    }
}

/// Problems of one family: name and maker of each.
type Family = (&'static str, Vec<(String, Box<dyn Fn() -> Problem>)>);

fn family<T: Copy + std::fmt::Debug + 'static>(
    name: &'static str,
    cases: impl IntoIterator<Item = T>,
    make: fn(T) -> Problem,
) -> Family {
    let case = |t: T| {
        let maker: Box<dyn Fn() -> Problem> = Box::new(move || make(t));
        (format!("{t:?}").replace(", ", "/"), maker)
    };
    (name, cases.into_iter().map(case).collect())
}

fn all(large: bool) -> Vec<Family> {
    if large {
        return vec![
            family("obstacle", [125, 250, 500, 1000], families::obstacle),
            family("bearing", [125, 250, 500, 1000], |n| families::bearing(n, 0.5)),
            family("option", [15_625, 62_500, 250_000, 1_000_000], families::option),
            family("game", [(1000, 0), (2000, 0), (2000, 1), (2000, 2)], |(n, seed)| {
                families::game(n, seed)
            }),
            family("raised", [(500, 0), (500, 1), (500, 2)], |(n, seed)| families::raised(n, seed)),
        ];
    }
    let seeds = |sizes: &'static [usize]| {
        sizes.iter().flat_map(|&n| (0..3_u64).map(move |seed| (n, seed))).collect::<Vec<_>>()
    };
    let fives: Vec<usize> = (1..=20).map(|k| 5 * k).collect();
    let plates = (2..=8).flat_map(|k| [0.1, 0.3, 0.5, 1.0, 1.5].map(|mu| (k, mu)));
    let bearings = [10, 20, 40, 70].into_iter().flat_map(|n| [0.1, 0.5, 0.9].map(|e| (n, e)));
    vec![
        family("murty", fives.clone(), families::murty),
        family("fathi", fives, families::fathi),
        family(
            "obstacle",
            [5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 100],
            families::obstacle,
        ),
        family("bearing", bearings, |(n, e)| families::bearing(n, e)),
        family("option", [50, 100, 200, 300, 500, 700, 1000, 2000, 4000, 8000], families::option),
        family("bending", [10, 15, 20, 30, 40, 70], families::bending),
        family("game", seeds(&[20, 40, 60, 100, 150, 200, 300, 400]), |(n, seed)| {
            families::game(n, seed)
        }),
        family("qp", seeds(&[30, 60, 90, 300, 600, 900]), |(n, seed)| families::qp(n, seed)),
        family("plate", plates, |(k, mu)| families::plate(k, mu, 1)),
        family("multibody", seeds(&[4, 6, 10, 15, 20, 30, 40, 60]), |(n, seed)| {
            families::multibody(n, seed)
        }),
        family("raised", seeds(&[50, 80, 120, 180, 250]), |(n, seed)| families::raised(n, seed)),
    ]
}

/// Columns of the table.
const HEAD: &str = "family,problem,size,solver,solved,seconds,residual,iterations,megabytes";

/// One line of the table; the result is whether it is solved, seconds, residual, iterations, and the most memory where
/// it was watched.
fn row(
    (family, case, size): (&str, &str, usize),
    solver: &str,
    (solved, seconds, error, iterations, memory): (bool, f64, f64, usize, Option<f64>),
) {
    let solved = u8::from(solved);
    let megabytes = memory.map_or(String::new(), |m| format!("{m:.0}"));
    print!("{family},{case},{size},{solver},{solved},{seconds:.7},{error:.1e},{iterations},");
    println!("{megabytes}");
}

/// Solves, and says how long it took: the least of a few where that is short, else the time on a
/// processor, whose clock is coarse.
fn timed(
    solver: &str,
    problem: &Problem,
    limit: f64,
) -> Result<(Result<Solution, SolveError>, f64), Box<dyn std::error::Error>> {
    const SHORT: f64 = 0.04;
    // others may be at work on the machine
    const LEAST: usize = 20;
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    for count in 1.. {
        let mut method = registry::make(solver, &Options::new())?;
        let (start, cpu) = (Instant::now(), clock::cpu_seconds());
        let elapsed = start + Duration::from_secs_f64(limit);
        let found = method.solve(problem, &[], &mut Deadline { elapsed, cpu: cpu + limit });
        let seconds = start.elapsed().as_secs_f64();
        if seconds > SHORT && best.is_infinite() {
            return Ok((found, clock::cpu_seconds() - cpu));
        }
        best = best.min(seconds);
        if count >= LEAST && begin.elapsed().as_secs_f64() > SHORT {
            return Ok((found, best));
        }
    }
    Err("the count of solves ended".into())
}

/// Takes a word and what follows it off the command line.
fn option(words: &mut Vec<String>, name: &str) -> Result<Option<String>, String> {
    let Some(at) = words.iter().position(|w| w == name) else { return Ok(None) };
    let value = words.get(at + 1).cloned().ok_or(format!("{name} needs a value"))?;
    words.drain(at..at + 2);
    Ok(Some(value))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let limit: f64 = option(&mut words, "--limit")?.map_or(Ok(20.0), |x| x.parse())?;
    let (to, from) = (option(&mut words, "--write")?, option(&mut words, "--judge")?);
    if let Some(folder) = from {
        return exchange::judge(Path::new(&folder));
    }
    let large = words.iter().any(|w| w == "--large");
    words.retain(|w| w != "--large");
    let families = all(large);
    let chosen = |name: &str, among: &[&str]| {
        let mut any = words.iter().filter(|w| among.contains(&w.as_str())).peekable();
        any.peek().is_none() || any.any(|w| w == name)
    };
    let names: Vec<&str> = families.iter().map(|f| f.0).collect();
    let solvers: Vec<&str> = registry::info()
        .iter()
        .filter(|i| {
            i.classes.contains(&ProblemClass::Mlcp) || i.classes.contains(&ProblemClass::Lcp)
        })
        .map(|i| i.name)
        .collect();
    if let Some(word) =
        words.iter().find(|w| ![&names[..], &solvers[..]].concat().contains(&w.as_str()))
    {
        return Err(
            format!("{word} is neither a family ({names:?}) nor a solver ({solvers:?})").into()
        );
    }
    if let Some(folder) = to {
        let chosen = families.iter().filter(|f| chosen(f.0, &names));
        return exchange::write(Path::new(&folder), chosen);
    }
    println!("{HEAD}");
    for (name, cases) in families.iter().filter(|f| chosen(f.0, &names)) {
        for (case, make) in cases {
            let problem = make();
            for solver in solvers.iter().filter(|s| chosen(s, &solvers)) {
                let method = registry::make(solver, &Options::new())?;
                if !method.accepts().contains(&problem.class()) {
                    continue;
                }
                clock::forget_memory();
                let (found, seconds) = timed(solver, &problem, limit)?;
                let memory = large.then(clock::peak_megabytes).flatten();
                let Ok(found) = found else { continue };
                let error = residual::natural(&problem, &found.z);
                let solved = residual::solved(&problem, &found.z, 1e-8);
                let result = (solved, seconds, error, found.iterations, memory);
                row((name, case, problem.size()), solver, result);
            }
        }
    }
    Ok(())
}
