//! Residual reached against work and time on problems of contacts: `contacts FILE...`. Methods that
//! know contacts get the contacts that the file was made of, as they are.

mod clock;

use std::path::Path;

use clock::cpu_seconds;
use complementarity::problem::ContactProblem;
use complementarity::solver::NoWatch;
use complementarity::{Ask, Options, Solver, file, reduce, registry, residual};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let whole = file::read(Path::new(&path))?;
        let Some(problem) = reduce::read(&whole) else { continue };
        let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy();
        println!("{name}: {} blocks, {} velocities", problem.len(), problem.velocities());
        let mut nsgs = registry::make("nsgs", &Options::new())?;
        for sweeps in [20, 40, 80, 120, 160, 240, 500] {
            let ask = Ask { sweeps: Some(sweeps), ..Ask::default() };
            show(nsgs.as_mut(), &problem, &ask, &format!("nsgs {sweeps}"))?;
        }
        for accuracy in [1e-2, 1e-3, 1e-4, 1e-6] {
            let ask = Ask { accuracy, ..Ask::default() };
            show(nsgs.as_mut(), &problem, &ask, &format!("nsgs to {accuracy:e}"))?;
        }
        for solver in ["proximal-newton", "auto"] {
            let mut solver = registry::make(solver, &Options::new())?;
            let label = solver.name();
            show(solver.as_mut(), &problem, &Ask::default(), label)?;
            for accuracy in [1e-3, 1e-4] {
                let ask = Ask { accuracy, ..Ask::default() };
                let label = format!("{label} to {accuracy:e}");
                show(solver.as_mut(), &problem, &ask, &label)?;
            }
            let ask = Ask { acceptable: 1e-3, ..Ask::default() };
            show(solver.as_mut(), &problem, &ask, &format!("{label}, 1e-3 will do"))?;
        }
    }
    Ok(())
}

fn show(
    solver: &mut dyn Solver,
    problem: &ContactProblem,
    ask: &Ask,
    label: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let (begin, mut runs) = (cpu_seconds(), 0.0);
    let mut found = None;
    while runs == 0.0 || cpu_seconds() - begin < 0.02 {
        found = Some(solver.solve_contacts(problem, &[], ask, &mut NoWatch)?);
        runs += 1.0;
    }
    let seconds = (cpu_seconds() - begin) / runs;
    let Some(found) = found else { return Ok(()) };
    let error = residual::contacts(problem, &found.impulses);
    let pressing = found.impulses.iter().filter(|p| p[0] > 0.0).count();
    println!(
        "  {label:<24} {:9.2e} {:6} it {:10.3} ms {:<15} {:<15} +{} {pressing} press, {:.3} us/it/block",
        error,
        found.iterations,
        1e3 * seconds,
        found.status.as_str(),
        found.solver,
        found.fallbacks,
        1e6 * seconds / (found.iterations.max(1) * problem.len()) as f64,
    );
    Ok(())
}
