//! Performance profiles (Dolan and Moré 2002).
//!
//! ```text
//! r_ps = t_ps / min_s t_ps   (infinite where s did not solve p)
//! rho_s(tau) = share of the problems with r_ps <= tau
//! ```
//! At tau = 1 a profile shows how often a solver is the fastest, far to the right how many problems
//! it solves at all.

use std::collections::BTreeMap;

use crate::trial::Row;

/// The profile of one solver: a step function.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The solver.
    pub solver: String,
    /// The ratios at which it rises, ascending, and the share reached there.
    pub steps: Vec<(f64, f64)>,
}

/// The profiles of `solvers` over the problems of `rows`. A problem that no solver solved counts
/// for the share and against everybody.
pub fn profiles(rows: &[&Row], solvers: &[&str]) -> Vec<Profile> {
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows {
        let time = if row.solved { row.seconds.max(1e-9) } else { f64::INFINITY };
        let least = best.entry(&row.problem).or_insert(f64::INFINITY);
        *least = least.min(time);
    }
    let count = best.len().max(1) as f64;
    let one = |solver: &&str| {
        let mut ratios: Vec<f64> = rows
            .iter()
            .filter(|r| r.solver == **solver && r.solved)
            .filter_map(|r| Some(r.seconds.max(1e-9) / best.get(r.problem.as_str())?))
            .collect();
        ratios.sort_by(f64::total_cmp);
        let steps = ratios.iter().enumerate().map(|(k, r)| (*r, (k + 1) as f64 / count)).collect();
        Profile { solver: (*solver).to_owned(), steps }
    };
    solvers.iter().map(one).collect()
}

impl Profile {
    /// The share of the problems solved within `tau` times the best time.
    pub fn at(&self, tau: f64) -> f64 {
        self.steps.iter().take_while(|s| s.0 <= tau).last().map_or(0.0, |s| s.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(problem: &str, solver: &str, seconds: f64, solved: bool) -> Row {
        Row {
            problem: problem.into(),
            class: "lcp",
            size: 1,
            contacts: None,
            solver: solver.into(),
            status: String::new(),
            solved,
            error: 0.0,
            iterations: 1,
            seconds,
        }
    }

    /// Four problems by hand: a is fastest on two, twice as slow on one, fails on one; b is fastest
    /// on two, three times as slow on one, fails on one.
    #[test]
    fn profiles_by_hand() {
        let rows = [
            row("1", "a", 1.0, true),
            row("1", "b", 3.0, true),
            row("2", "a", 1.0, true),
            row("2", "b", 0.1, false),
            row("3", "a", 4.0, true),
            row("3", "b", 2.0, true),
            row("4", "a", 1.0, false),
            row("4", "b", 5.0, true),
        ];
        let all: Vec<&Row> = rows.iter().collect();
        let found = profiles(&all, &["a", "b"]);
        let at = |k: usize, tau: f64| found[k].at(tau);
        assert_eq!((at(0, 1.0), at(0, 1.9), at(0, 2.0), at(0, 1e9)), (0.5, 0.5, 0.75, 0.75));
        assert_eq!((at(1, 1.0), at(1, 2.9), at(1, 3.0), at(1, 1e9)), (0.5, 0.5, 0.75, 0.75));
    }

    /// A problem that nobody solves lowers every share.
    #[test]
    fn unsolved_problems_count() {
        let rows = [row("1", "a", 1.0, true), row("2", "a", 1.0, false)];
        let all: Vec<&Row> = rows.iter().collect();
        assert_eq!(profiles(&all, &["a"])[0].at(1e12), 0.5);
    }
}
