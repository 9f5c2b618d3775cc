//! Large islands of contacts: sweeps first, then factorizations, within the caller's bounds.

use super::contacts::{Found, Job, Tools};
use super::{Auto, FACTORIZATIONS, stick_rows};
use crate::contact::{EXACT, ProximalNewton, has_discs};
use crate::interior_point::InteriorPoint;
use crate::linalg::contact_fronts::ContactFronts;
use crate::problem::ContactProblem;
use crate::reduce::Reduced;
use crate::residual;
use crate::solver::{Ask, Inside, Solver, Status, Watch};

/// Factorizations from which on an island affords them: islands that can afford as many are solved to the last
/// digit, by `interior-point` too, a step of which costs as much as some of Newton's. With 240, for none,
/// a tower of fifty cubes leans by 0.4 mm.
pub(super) const AFFORDED: usize = 60;
/// Residual of a start that is nearly a solution, and of sweeps that lead nowhere.
pub(super) const NEAR: f64 = 1e-3;
/// Steps of Newton's method from such a start.
const STEPS: usize = 8;
/// What Newton's method leaves at the least of the residual of a start that it gains nothing from. Where a rough
/// caller could live with that start, sweeps and more of the method gain nothing either: fallen dominoes at rest kept
/// 0.97 of it (3e-7 m/s) from step to step, and took 176 iterations for that in each.
const STALLS: f64 = 0.5;
/// How many steps' worth of factorizations the first step of a scene gets that is to stand. A wall of a thousand
/// bricks, of 1.3e8 multiplications each, needs 790, and takes 2 s for its first step, 0.25 s for the others.
const FIRST: usize = 1000;
/// Other path: sweeps, where the caller sets no bound.
const SWEEPS: usize = 240;
/// [`cost`] that gets what is asked for: about twice that of a tower of fifty cubes. Thirty boxes that
/// land take 8 ms a step with this, and 18 with eight times as much.
const REFERENCE: f64 = 1e5;

/// What an island gets of the factorizations for one of a hundred blocks: fewer where each costs more.
/// Towers, walls and arches have narrow matrices, stand or fall by the last digit, and get all they
/// may want; in a pile of six hundred contacts sweeps gain more for their time, and it gets none.
pub(super) fn affordable(most: Option<usize>, cost: f64) -> usize {
    let Some(most) = most else { return FACTORIZATIONS };
    let share = most as f64 * REFERENCE / cost.max(1.0);
    (share as usize).min(if most == 0 { 0 } else { FACTORIZATIONS })
}

/// What the first step of a scene gets.
pub(super) fn first(most: Option<usize>) -> Option<usize> {
    most.map(|most| FIRST.saturating_mul(most))
}

/// A number that tells which velocities the blocks couple.
pub(super) fn structure(problem: &ContactProblem) -> u64 {
    let mix = |h: u64, x: u64| (h ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    let all = (0..problem.len()).flat_map(|c| problem.columns(c).iter().step_by(3));
    all.fold(problem.len() as u64, |h, &v| mix(h, u64::from(v)))
}

/// Roughly the multiplications of a factorization.
pub(super) fn cost(problem: &ContactProblem) -> f64 {
    // the contacts of a pair couple the same velocities
    let mut sets: Vec<&[u32]> = (0..problem.len()).map(|c| problem.columns(c)).collect();
    sets.sort_unstable();
    sets.dedup();
    ContactFronts::new(problem.velocities(), &sets).work()
}

impl Auto {
    /// The table for large islands; solved is what the caller accepts, whatever was aimed at.
    pub(super) fn many(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Found {
        let found = match job.ask.rough > 0.0 {
            true => self.rough(job, tools, watch),
            false => self.sweep_and_factor(job, tools, watch),
        };
        let open = !matches!(found.status, Status::Solved | Status::Stopped);
        match open && job.accepts(&tools.p, tools.error, job.acceptable) {
            true => Found { status: Status::Solved, ..found },
            false => found,
        }
    }

    /// For callers who want no more than `acceptable` while bodies move: what nearly rests gets the digits where
    /// factorizations cost little, heaps a few steps of Newton's method by which they come to rest. All
    /// others get sweeps. Newton's method after these would take as long again: with 8
    /// steps of it after 120 sweeps 80 of 745 problems of falling dominoes stay above `acceptable`, with 240
    /// sweeps alone 68.
    fn rough(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Found {
        let (moves, near) = (job.moves(), job.start_error <= job.asked(NEAR));
        // what a factorization costs takes as long to tell as some sweeps
        let left = if moves && !near { 0 } else { tools.affordable(job) };
        if left >= AFFORDED && !moves {
            return self.warm_or_cold(job, tools, watch);
        }
        if !moves && (job.is_fine() || !job.start_error.is_finite()) && tools.may_stand(job) {
            return self.stand(job, tools, watch);
        }
        let mut steps = 0;
        if near && left > 0 {
            let (status, taken, _) =
                self.newton(job, tools, (job.tolerance, left.min(STEPS)), watch);
            steps = taken;
            let done = job.accepts(&tools.p, tools.error, job.acceptable);
            if done || status == Status::Stopped {
                return Found { status, ..Found::solved("proximal-newton", steps) };
            }
        }
        let start = if steps > 0 { tools.p.clone() } else { vec![] };
        let job = &if start.is_empty() { *job } else { job.from(&start, tools.error) };
        let mut found = self.sweep(job, tools, job.goal(), watch);
        found.iterations += steps;
        let open = !matches!(found.status, Status::Solved | Status::Stopped);
        // of few bodies that are in motion factorizations cost little after all
        let few = moves && job.problem.velocities() <= stick_rows::FEW;
        if !(open && few) || job.accepts(&tools.p, tools.error, job.acceptable) {
            return found;
        }
        let swept = tools.p.clone();
        let next = self.warm_or_cold(&job.from(&swept, tools.error), tools, watch);
        Found { iterations: found.iterations + next.iterations, ..next }
    }

    /// What is to stand where it is put. In the first step of a scene it gets the factorizations of many steps, and
    /// where that solves it the steps after go on from there, to the last digit, by a few of Newton's. With
    /// sweeps alone a wall of a thousand bricks creeps by 0.4 mm in 0.2 s.
    fn stand(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Found {
        if job.is_fine() {
            let (status, steps, _) = self.newton(job, tools, (job.tolerance, STEPS), watch);
            return Found { status, ..Found::solved("proximal-newton", steps) };
        }
        let factorizations = first(job.ask.factorizations);
        let ask = Ask { factorizations, rough: 0.0, ..job.ask };
        self.sweep_and_factor(&Job { acceptable: job.tolerance, ask, ..*job }, tools, watch)
    }

    /// From the start; where that leads nowhere and bodies are few, from none. Of redundant contacts whose names
    /// change, as on the flanks of a thread, starts are off by km/s: of a nut of M8 3 of 760 solves stayed above
    /// 1e-5 m/s, in runs whose friction differs in the ninth digit others each time.
    fn warm_or_cold(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Found {
        let found = self.sweep_and_factor(job, tools, watch);
        let done = matches!(found.status, Status::Solved | Status::Stopped);
        let few = job.start_error.is_finite() && job.problem.velocities() <= stick_rows::FEW;
        if done || !few || job.accepts(&tools.p, tools.error, job.acceptable) {
            return found;
        }
        let next = self.sweep_and_factor(&job.from(&[], f64::INFINITY), tools, watch);
        let (iterations, fallbacks) =
            (found.iterations + next.iterations, found.fallbacks + next.fallbacks);
        Found { iterations, fallbacks, ..next }
    }

    /// `nsgs` until that is enough, then the others of the table from there.
    fn sweep_and_factor(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Found {
        let mut left = tools.affordable(job);
        // by their structure, not because nobody counts
        let affords = left >= AFFORDED && job.ask.factorizations.is_some();
        let enough = job.acceptable;
        let acceptable = if affords { job.tolerance } else { enough };
        let job = &Job { acceptable: acceptable.max(job.tolerance), ..*job };
        let before = self.by_near_start(job, tools, &mut left, watch);
        let stalls = before.iterations > 0
            && job.ask.rough > 0.0
            && job.start_error <= job.asked(enough)
            && tools.error > STALLS * job.start_error;
        if stalls || matches!(before.status, Status::Solved | Status::Stopped) {
            return before;
        }
        let start = if before.iterations > 0 { tools.p.clone() } else { vec![] };
        let job = &if start.is_empty() { *job } else { job.from(&start, tools.error) };
        let mut found = self.sweep(job, tools, job.acceptable, watch);
        let status = found.status;
        found.iterations += before.iterations;
        // errors add up from step to step: there is less of them where that is cheap
        let tolerance = if left >= AFFORDED { EXACT * job.tolerance } else { job.acceptable };
        if job.accepts(&tools.p, tools.error, tolerance) || status == Status::Stopped {
            return found;
        }
        // a rough caller that has a start can wait for the digits: the next step goes on from here
        let waits = job.ask.rough > 0.0 && job.start_error.is_finite();
        let interior = left >= AFFORDED && !waits && !has_discs(job.problem);
        // sweeps that lead nowhere: a tower
        let tower = interior && status != Status::Solved && tools.error > job.asked(NEAR);
        if tower {
            self.by_interior_point(job, tools, (&mut left, &mut found), watch);
        }
        if left > 0 && !(tower && found.status == Status::Solved) {
            let most = match (interior, tower) {
                _ if waits => left.min(STEPS),
                (true, false) => left - left / 3,
                _ => left,
            };
            let swept = tools.p.clone();
            let job = &job.from(&swept, tools.error);
            let (status, steps, better) = self.newton(job, tools, (job.acceptable, most), watch);
            found.add("proximal-newton", steps, better);
            left -= steps.min(left);
            if found.status != Status::Solved {
                found.status = status;
            }
        }
        if interior && !tower && !matches!(found.status, Status::Solved | Status::Stopped) {
            self.by_interior_point(job, tools, (&mut left, &mut found), watch);
        }
        found
    }

    /// `nsgs` from the start until the residual is within a tolerance.
    pub(super) fn sweep(
        &self,
        job: &Job<'_>,
        tools: &mut Tools,
        tolerance: f64,
        watch: &mut dyn Watch,
    ) -> Found {
        let sweeps = Some(job.ask.sweeps.unwrap_or(SWEEPS));
        let threads = job.ask.threads;
        let ask = Ask { accuracy: tolerance, sweeps, threads, ..Ask::default() };
        let (status, iterations, error) = tools.nsgs.run(job.problem, job.start, &ask, watch);
        if error < tools.error {
            tools.p.clear();
            tools.p.extend_from_slice(tools.nsgs.best());
            tools.error = error;
        }
        Found { status, iterations, solver: "nsgs", fallbacks: 0 }
    }

    /// A few steps of Newton's method from a start that is nearly a solution.
    fn by_near_start(
        &self,
        job: &Job<'_>,
        tools: &mut Tools,
        left: &mut usize,
        watch: &mut dyn Watch,
    ) -> Found {
        let mut found = Found { status: Status::Stalled, ..Found::solved("proximal-newton", 0) };
        let steps = STEPS.min(*left);
        if steps == 0 || job.start_error > job.asked(NEAR) {
            return found;
        }
        (found.status, found.iterations, _) =
            self.newton(job, tools, (job.acceptable, steps), watch);
        *left -= found.iterations.min(*left);
        found
    }

    /// `interior-point` on the island reduced to an LCP or MLCP, within the factorizations left.
    fn by_interior_point(
        &self,
        job: &Job<'_>,
        tools: &mut Tools,
        (left, found): (&mut usize, &mut Found),
        watch: &mut dyn Watch,
    ) {
        let Ok(reduced) = Reduced::new(job.problem) else { return };
        if *left == 0 {
            return;
        }
        let mut method = InteriorPoint { tolerance: job.tolerance, max_iterations: *left };
        let Ok(next) = method.solve(&reduced.problem, &[], &mut Inside(watch)) else { return };
        let p = reduced.impulses(&next.z);
        let error = residual::contacts(job.problem, &p);
        found.add(next.solver, next.iterations, tools.take(&p, error));
        *left -= next.iterations.min(*left);
        if job.accepts(&tools.p, tools.error, job.acceptable) {
            found.status = Status::Solved;
        }
    }

    /// Newton's method from the start of a job, to its tolerance, or to `acceptable` where that is not
    /// little work, in at most so many factorizations: how it ended, those it took, and whether what it found
    /// is better.
    pub(super) fn newton(
        &self,
        job: &Job<'_>,
        tools: &mut Tools,
        (acceptable, most): (f64, usize),
        watch: &mut dyn Watch,
    ) -> (Status, usize, bool) {
        let (tolerance, max_iterations) = (job.tolerance, self.max_iterations);
        let method = ProximalNewton { tolerance, acceptable, max_iterations };
        let ask = Ask { factorizations: Some(most), ..Ask::default() };
        let start = (job.start, job.start_error);
        let (next, error) = method.contacts(job.problem, start, &ask, watch);
        let better = tools.take(&next.impulses, error);
        (next.status, next.iterations, better)
    }
}
