//! Every method on families of problems, one line of CSV each: family, problem, size, solver, solved,
//! seconds, natural residual, iterations. `bench/complementarity.sh` draws profiles from it.
//!
//! Arguments: names of families and of solvers, in any order (default: all), `--limit SECONDS` for each solve
//! (default 20), `--large` for the growth of time up to a million unknowns and for
//! large games.

#[path = "../clock/mod.rs"]
mod clock;
#[path = "../../../../bench/complementarity/families.rs"]
mod families;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use complementarity::{Options, Problem, ProblemClass, Watch, registry, residual};

/// Stops a method after some time on a processor.
struct Deadline {
    elapsed: Instant,
    cpu: f64,
}

impl Watch for Deadline {
    fn iterate(&mut self, _: usize, _: &[f64]) -> ControlFlow<()> {
        // the first is quick to ask, the second counts
        let late = Instant::now() > self.elapsed && clock::cpu_seconds() > self.cpu;
        if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
    vec![
        family("murty", [10, 20, 50, 100], families::murty),
        family("fathi", [10, 20, 50, 100], families::fathi),
        family("obstacle", [10, 20, 40, 70, 100], families::obstacle),
        family("bearing", [(10, 0.1), (20, 0.5), (40, 0.9), (70, 0.5)], |(n, e)| {
            families::bearing(n, e)
        }),
        family("option", [50, 200, 1000, 4000], families::option),
        family("bending", [10, 20, 40, 70], families::bending),
        family("game", seeds(&[20, 60, 200, 400]), |(n, seed)| families::game(n, seed)),
        family("qp", seeds(&[30, 90, 300, 900]), |(n, seed)| families::qp(n, seed)),
        family("plate", [(2, 0.1), (3, 0.5), (4, 1.0), (6, 0.3), (8, 1.5)], |(k, mu)| {
            families::plate(k, mu, 1)
        }),
        family("multibody", seeds(&[4, 10, 20, 40]), |(n, seed)| families::multibody(n, seed)),
        family("raised", seeds(&[50, 120, 250]), |(n, seed)| families::raised(n, seed)),
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut limit = 20.0;
    if let Some(at) = words.iter().position(|w| w == "--limit") {
        limit = words.get(at + 1).ok_or("--limit needs seconds")?.parse()?;
        words.drain(at..at + 2);
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
    println!("family,problem,size,solver,solved,seconds,residual,iterations");
    for (name, cases) in families.iter().filter(|f| chosen(f.0, &names)) {
        for (case, make) in cases {
            let problem = make();
            for solver in solvers.iter().filter(|s| chosen(s, &solvers)) {
                let mut method = registry::make(solver, &Options::new())?;
                if !method.accepts().contains(&problem.class()) {
                    continue;
                }
                let begin = clock::cpu_seconds();
                let elapsed = Instant::now() + Duration::from_secs_f64(limit);
                let mut watch = Deadline { elapsed, cpu: begin + limit };
                let found = method.solve(&problem, &[], &mut watch);
                let seconds = clock::cpu_seconds() - begin;
                let Ok(found) = found else { continue };
                let error = residual::natural(&problem, &found.z);
                let solved = residual::solved(&problem, &found.z, 1e-8);
                println!(
                    "{name},{case},{},{solver},{},{seconds:.6},{error:.1e},{}",
                    problem.size(),
                    u8::from(solved),
                    found.iterations
                );
            }
        }
    }
    Ok(())
}
