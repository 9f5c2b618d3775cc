//! Runs solvers on problem files and prints one line for each: `survey SOLVERS FILE...`, with
//! solver names separated by commas, each with an optional tolerance (`auto@1e-10`).

mod clock;

use std::path::Path;

use clock::cpu_seconds;
use complementarity::solver::NoWatch;
use complementarity::{Options, Problem, file, registry, residual};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let solvers = arguments.next().unwrap_or_default();
    for path in arguments {
        let problem = file::read(Path::new(&path))?;
        for name in solvers.split(',') {
            let (name, tolerance) = name.split_once('@').unwrap_or((name, "1e-8"));
            let options = Options::new().with("tolerance", tolerance.parse::<f64>()?);
            let mut solver = registry::make(name, &options)?;
            let begin = cpu_seconds();
            let mut runs = 1.0;
            let mut outcome = solver.solve(&problem, &[], &mut NoWatch);
            // the clock ticks in milliseconds, and to read it takes time: repeat what is short
            let mut batch = 1;
            while cpu_seconds() - begin < 0.02 {
                (0..batch).for_each(|_| outcome = solver.solve(&problem, &[], &mut NoWatch));
                runs += f64::from(batch);
                batch *= 2;
            }
            let solution = match outcome {
                Ok(solution) => solution,
                Err(error) => {
                    println!("{path} {name} {error}");
                    continue;
                }
            };
            let seconds = (cpu_seconds() - begin) / runs;
            let mut error = residual::natural(&problem, &solution.z);
            if matches!(problem, Problem::Cone(_)) {
                error /= problem.b().iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
            }
            println!(
                "{:<32} n {:5} {:<10} {:<15} {:9.2e} {:6} it {:10.5} ms  {} +{}",
                Path::new(&path).file_stem().unwrap_or_default().to_string_lossy(),
                problem.size(),
                name,
                solution.status.as_str(),
                error,
                solution.iterations,
                1e3 * seconds,
                solution.solver,
                solution.fallbacks,
            );
        }
    }
    Ok(())
}
