//! Random problems with known solutions: `random [LARGEST [SOLVERS]]`, solver names separated by
//! commas, sizes 10, 20, 50, .. up to LARGEST (default 50). One line for each problem and solver.

#[path = "../tests/support/random.rs"]
mod random;

mod clock;

use std::time::Instant;

use clock::cpu_seconds;
use complementarity::solver::NoWatch;
use complementarity::{Options, registry, residual};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let largest: usize = arguments.next().map_or(Ok(50), |n| n.parse())?;
    let solvers = arguments.next().unwrap_or_else(|| "auto,pivotal".into());
    let only = arguments.next().unwrap_or_default();
    for n in [10, 20, 50, 100, 200, 500, 1000, 2000].into_iter().filter(|n| *n <= largest) {
        for (family, make) in random::FAMILIES.into_iter().filter(|f| f.0.contains(&only)) {
            for degenerate in [false, true] {
                let mut rng = StdRng::seed_from_u64(n as u64);
                let matrix = make(&mut rng, n);
                let (problem, _) = random::with_solution(&mut rng, matrix, degenerate);
                for solver in solvers.split(',') {
                    let mut method = registry::make(solver, &Options::new())?;
                    let (begin, from) = (Instant::now(), cpu_seconds());
                    let found = method.solve(&problem, &[], &mut NoWatch)?;
                    let wall = begin.elapsed().as_secs_f64();
                    // a clock of processor time ticks in milliseconds
                    let seconds = if wall < 0.04 { wall } else { cpu_seconds() - from };
                    println!(
                        "{family:17} {:10} n {n:5} {solver:10} {:15} {:9.2e} {:6} it {:10.2} ms  {}",
                        if degenerate { "degenerate" } else { "" },
                        found.status.as_str(),
                        residual::natural(&problem, &found.z),
                        found.iterations,
                        1e3 * seconds,
                        found.solver,
                    );
                }
            }
        }
    }
    Ok(())
}
