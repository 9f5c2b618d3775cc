//! Runs solvers on problem files and prints one line for each: `survey SOLVERS FILE...`, with
//! solver names separated by commas.

use std::path::Path;
use std::time::Instant;

use complementarity::solver::NoWatch;
use complementarity::{Options, file, registry, residual};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let solvers = arguments.next().unwrap_or_default();
    for path in arguments {
        let problem = file::read_npz(Path::new(&path))?;
        for name in solvers.split(',') {
            let mut solver = registry::make(name, &Options::new())?;
            let begin = Instant::now();
            let solution = match solver.solve(&problem, &[], &mut NoWatch) {
                Ok(solution) => solution,
                Err(error) => {
                    println!("{path} {name} {error}");
                    continue;
                }
            };
            let seconds = begin.elapsed().as_secs_f64();
            println!(
                "{:<32} n {:5} {:<10} {:<15} {:9.2e} {:6} it {:10.3} ms  {} +{}",
                Path::new(&path).file_stem().unwrap_or_default().to_string_lossy(),
                problem.size(),
                name,
                solution.status.as_str(),
                residual::natural(&problem, &solution.z),
                solution.iterations,
                1e3 * seconds,
                solution.solver,
                solution.fallbacks,
            );
        }
    }
    Ok(())
}
