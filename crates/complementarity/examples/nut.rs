#![allow(missing_docs)]
use std::path::Path;
use complementarity::solver::NoWatch;
use complementarity::{Ask, Options, Solver, file, reduce, registry, residual};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let solver_name = std::env::args().nth(1).unwrap();
    let (mut cold, mut warm, mut n) = (0, 0, 0);
    let mut solver = registry::make(&solver_name, &Options::new())?;
    let mut last: Vec<[f64; 3]> = vec![];
    let mut names: Vec<_> = std::env::args().skip(2).collect();
    names.sort();
    for path in names {
        let whole = file::read(Path::new(&path))?;
        let Some(problem) = reduce::read(&whole) else { continue };
        n += 1;
        let ask = Ask { enough: 1e-4, sweeps: Some(160), factorizations: Some(100), ..Ask::default() };
        let mut start = last.clone();
        start.resize(problem.len(), [0.0; 3]);
        let shift = std::env::var("SHIFT").ok().and_then(|s| s.parse().ok()).unwrap_or(0_usize);
        let k = shift.min(start.len()); start.rotate_left(k);
        let w = solver.solve_contacts(&problem, &start, &ask, &mut NoWatch)?;
        let c = registry::make(&solver_name, &Options::new())?.solve_contacts(&problem, &[], &ask, &mut NoWatch)?;
        let (ec, ew) = (residual::contacts(&problem, &c.impulses), residual::contacts(&problem, &w.impulses));
        let (bc, bw) = (ec > 1e-6, ew > 1e-6);
        cold += usize::from(bc); warm += usize::from(bw);
        if bc || bw {
            println!("{path} {} blocks: cold {ec:.2e} {} {} it {}; warm {ew:.2e} {} {} it {}", problem.len(), c.status.as_str(), c.solver, c.iterations, w.status.as_str(), w.solver, w.iterations);
        }
        last = if ew < ec { w.impulses } else { c.impulses };
    }
    println!("{n} problems: {cold} cold, {warm} warm above 1e-6");
    Ok(())
}
