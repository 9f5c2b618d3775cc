//! Problems for other programs, and their answers.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use complementarity::{Problem, file, residual};

use super::{Family, HEAD, row};

type Done = Result<(), Box<dyn Error>>;

/// Writes every problem as `.npz`, and a list of them: family, problem, file without its end.
pub fn write<'a>(folder: &Path, families: impl Iterator<Item = &'a Family>) -> Done {
    std::fs::create_dir_all(folder)?;
    let mut list = String::new();
    for (family, cases) in families {
        for (k, (case, make)) in cases.iter().enumerate() {
            let stem = format!("{family}-{k}");
            file::write(&folder.join(format!("{stem}.npz")), &make())?;
            writeln!(list, "{family},{case},{stem}")?;
        }
    }
    Ok(std::fs::write(folder.join("problems.csv"), list)?)
}

/// Measures the answers that `answers.csv` lists: family, problem, file of the problem, solver,
/// seconds, file with the unknowns.
pub fn judge(folder: &Path) -> Done {
    println!("{HEAD}");
    let mut last: Option<(String, Problem)> = None;
    for line in std::fs::read_to_string(folder.join("answers.csv"))?.lines() {
        let [family, case, stem, solver, seconds, answer] = line.split(',').collect::<Vec<_>>()[..]
        else {
            return Err(format!("answers.csv: {line}: six parts are needed").into());
        };
        if last.as_ref().is_none_or(|(name, _)| name != stem) {
            let problem = file::read(&folder.join(format!("{stem}.npz")))?;
            last = Some((stem.to_owned(), problem));
        }
        let Some((_, problem)) = &last else { continue };
        let text = std::fs::read_to_string(folder.join(answer))?;
        let z = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let error =
            if z.len() == problem.size() { residual::natural(problem, &z) } else { f64::INFINITY };
        let solved = error.is_finite() && residual::solved(problem, &z, 1e-8);
        row((family, case, problem.size()), solver, (solved, seconds.parse()?, error, 0, None));
    }
    Ok(())
}
