//! The classic nonlinear problems from all their starts: ours, and PATH's beside it where its library is
//! named. One line of CSV each: problem, start, unknowns, solver, solved, seconds, residual.
//!
//! ```text
//! cargo run -p complementarity --example classics [-- libpath52.so]
//! ```
//!
//! Both get the same Jacobian, by differences, and are asked for 1e-10. Solved means a natural residual of
//! 1e-9 times the largest unknown or less, measured by [`Ncp::residual`]. Nothing is printed for problems
//! that are larger than PATH's license allows.

#[path = "../../tests/support/classics.rs"]
mod classics;
mod path;

use std::time::Instant;

use complementarity::nonlinear::{Ncp, NonlinearSettings};
use complementarity::solver::NoWatch;

/// The least time of some, and what came of it: others may be at work on the machine.
fn timed<T>(mut solve: impl FnMut() -> T) -> (T, f64) {
    let (begin, mut best, mut count) = (Instant::now(), f64::INFINITY, 0);
    loop {
        let start = Instant::now();
        let found = solve();
        best = best.min(start.elapsed().as_secs_f64());
        count += 1;
        let enough = if best < 0.04 { 20 } else { 3 };
        if count >= enough && begin.elapsed().as_secs_f64() > 0.02 {
            return (found, best);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = std::env::args().nth(1);
    let path = library.map(|file| path::PathSolver::open(file.as_ref())).transpose()?;
    if let Some(path) = &path {
        eprintln!("{}", path.version()?);
    }
    println!("problem,start,unknowns,solver,solved,seconds,residual");
    for problem in classics::all() {
        let (lower, upper) = (problem.lower.clone(), problem.upper.clone());
        let ncp = Ncp { map: &problem, lower, upper };
        for (k, start) in problem.starts.iter().enumerate() {
            let line = |solver: &str, z: &[f64], seconds: f64| {
                let size = z.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                let error = ncp.residual(z);
                let solved = u8::from(error <= 1e-9 * size);
                let (name, n) = (problem.name.replace(", ", " "), problem.n);
                println!("{name},{k},{n},{solver},{solved},{seconds:.7},{error:.1e}");
            };
            let settings = NonlinearSettings::default();
            let (found, seconds) = timed(|| ncp.solve(start, &settings, &mut NoWatch));
            line("complementarity", &found?.z, seconds);
            if let Some(path) = &path {
                let (found, seconds) = timed(|| path.solve(&ncp, start));
                if let Some(z) = found? {
                    line("PATH", &z, seconds);
                }
            }
        }
    }
    Ok(())
}
