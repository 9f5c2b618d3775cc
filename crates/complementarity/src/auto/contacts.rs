//! Contacts as they are. The table, in order; islands are contacts that share bodies, directly or
//! through others:
//!
//! | applies to | method | budget |
//! | --- | --- | --- |
//! | nothing pushes | no impulses | |
//! | the start solves, far below the tolerance | the start | |
//! | an island whose contacts go on resting | one linear system | 4 rounds |
//! | up to 60 unknowns as an LCP or MLCP | active set of the start | 3 corrections |
//! | more than 20 blocks, of a `rough` caller who allows no factorization | `nsgs` to `acceptable` | sweeps |
//! | up to 60 blocks in motion, of a `rough` caller | `nsgs` to `acceptable`, and three digits from the start | sweeps |
//! | up to 60 blocks | `proximal-newton` from the start, then without | 100, then 200 factorizations |
//! | up to 60 blocks, not yet solved | the chain for LCP, MLCP and cones | its own |
//! | heaps of a `rough` caller, the start is near | `proximal-newton` from the start | 8 factorizations |
//! | heaps of a `rough` caller, not in motion, the start solves to the tolerance | `proximal-newton` from the start | 8 factorizations |
//! | the same without a start | as for others without bounds | those of 1,000 steps |
//! | other islands of a `rough` caller, in motion | `nsgs` to `acceptable` | sweeps |
//! | all others, the start is near | `proximal-newton` from the start | 8 factorizations |
//! | all others | `nsgs` to `acceptable` | sweeps |
//! | without round cones, factorizations cost little, sweeps lead nowhere | `interior-point` | factorizations |
//! | not yet at the tolerance | `proximal-newton` from there | what is left of those |
//! | without round cones, factorizations cost little | `interior-point` | what is left of those |
//!
//! The best impulses by [`residual::contacts`] are returned. The work of large islands is bounded by
//! what the caller asks for, or 240 sweeps and 100 factorizations.

use std::ops::ControlFlow;

use super::chain::Chain;
use super::islands::Islands;
use super::large;
use super::stick::Stick;
use super::stick_rows::{self, FINE};
use super::{Auto, SMALL, multiplied_out, resting};
use crate::contact::{EXACT, FACTORIZATIONS, has_discs};
use crate::nsgs::Nsgs;
use crate::problem::{ContactProblem, Problem};
use crate::reduce::Reduced;
use crate::residual;
use crate::solver::{Ask, ContactSolution, Inside, SolveError, Status, Watch};

/// Blocks up to which an island is solved to the tolerance by Newton's method.
const FEW: usize = 60;

/// What is kept from call to call.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    islands: Islands,
    part: ContactProblem,
    start: Vec<[f64; 3]>,
    /// Memory of a solution that is no longer needed.
    spare: Vec<[f64; 3]>,
    tools: Tools,
}

impl Memory {
    pub(super) fn reuse(&mut self, impulses: Vec<[f64; 3]>) {
        self.spare = impulses;
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tools {
    stick: Stick,
    pub(super) nsgs: Nsgs,
    /// The best impulses so far, and their residual.
    pub(super) p: Vec<[f64; 3]>,
    pub(super) error: f64,
    v: Vec<f64>,
    /// The structure last seen, and what a factorization of it costs.
    costly: (u64, f64),
}

/// An island and what is asked for.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) problem: &'a ContactProblem,
    /// Impulses of every block, or none, and their residual.
    pub(super) start: &'a [[f64; 3]],
    pub(super) start_error: f64,
    pub(super) tolerance: f64,
    /// The tolerance of large islands; at least that of all.
    pub(super) acceptable: f64,
    pub(super) ask: Ask,
    /// What a tolerance of 1 asks for, see [`residual::contacts_target`].
    pub(super) scale: f64,
}

/// How the impulses in [`Tools`] were found.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) status: Status,
    pub(super) iterations: usize,
    pub(super) solver: &'static str,
    pub(super) fallbacks: usize,
}

impl Found {
    pub(super) fn solved(solver: &'static str, iterations: usize) -> Self {
        Self { status: Status::Solved, iterations, solver, fallbacks: 0 }
    }
}

impl Found {
    /// After one more method, whose impulses were taken or not.
    pub(super) fn add(&mut self, solver: &'static str, iterations: usize, taken: bool) {
        self.iterations += iterations;
        self.fallbacks += usize::from(self.status != Status::Solved);
        if taken {
            self.solver = solver;
        }
    }
}

/// What a start gains at the least where its caller is content with less than the tolerance.
const GAIN: f64 = 1e-3;

impl Job<'_> {
    /// The tolerance of a rough caller: `acceptable`, and less where the start is better than that.
    pub(super) fn goal(&self) -> f64 {
        // as a tolerance, that is before it is scaled
        let scale = self.scale;
        let gained = if scale > 0.0 { GAIN * self.start_error / scale } else { f64::INFINITY };
        gained.clamp(0.01 * self.tolerance, self.acceptable)
    }

    /// Whether a rough caller has contacts here that approach or slip faster than it says.
    pub(super) fn moves(&self) -> bool {
        let fast = |c: usize| {
            let [n, s, t] = self.problem.b(c);
            n < 0.0 && (-n).max(s.abs()).max(t.abs()) > self.ask.rough
        };
        self.ask.rough > 0.0 && (0..self.problem.len()).any(fast)
    }

    /// Whether the start is solved to the tolerance of a problem that nobody bounds: heaps never are, walls that
    /// stand are. Taken as it is from step to step such a start is off by 2.6 times as much in each: what
    /// the last step left of the speeds stays, and so does what it left of the gaps.
    pub(super) fn is_fine(&self) -> bool {
        self.start_error <= self.asked(self.tolerance)
    }

    /// Whether digits would be wasted on a rough caller: bodies move, or did before.
    fn is_rough(&self) -> bool {
        let changed = || {
            let error = self.start_error;
            error.is_finite() && error > self.asked(large::NEAR)
        };
        self.ask.rough > 0.0 && (self.moves() || changed())
    }

    /// The same from the best impulses so far.
    pub(super) fn from<'b>(&self, p: &'b [[f64; 3]], error: f64) -> Job<'b>
    where
        Self: 'b,
    {
        Job { start: p, start_error: error, ..*self }
    }

    /// The residual that a tolerance asks for, round-off aside.
    pub(super) fn asked(&self, tolerance: f64) -> f64 {
        tolerance * self.scale
    }

    pub(super) fn accepts(&self, p: &[[f64; 3]], error: f64, tolerance: f64) -> bool {
        error <= self.asked(tolerance)
            || (error.is_finite() && residual::accepts_contacts(self.problem, p, error, tolerance))
    }
}

impl Tools {
    /// What an island gets of the factorizations that its caller asks for.
    pub(super) fn affordable(&mut self, job: &Job<'_>) -> usize {
        let structure = large::structure(job.problem);
        if self.costly.0 != structure {
            self.costly = (structure, large::cost(job.problem));
        }
        large::affordable(job.ask.factorizations, self.costly.1)
    }

    /// Whether an island can afford its digits with what the first step of a scene gets.
    pub(super) fn may_stand(&mut self, job: &Job<'_>) -> bool {
        self.is_affordable(job, large::first(job.ask.factorizations))
    }

    /// Whether factorizations of an island cost so much that its digits are not worth them.
    pub(super) fn is_heap(&mut self, job: &Job<'_>) -> bool {
        !self.is_affordable(job, job.ask.factorizations)
    }

    fn is_affordable(&mut self, job: &Job<'_>, factorizations: Option<usize>) -> bool {
        let job = Job { ask: Ask { factorizations, ..job.ask }, ..*job };
        self.affordable(&job) >= large::AFFORDED
    }

    /// Takes impulses that are better than those at hand; whether they are.
    pub(super) fn take(&mut self, p: &[[f64; 3]], error: f64) -> bool {
        let better = error < self.error;
        if better {
            self.p.clear();
            self.p.extend_from_slice(p);
            self.error = error;
        }
        better
    }
}

impl Auto {
    /// The table on a checked problem.
    pub(super) fn contacts(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        let tolerance = if ask.accuracy > 0.0 { ask.accuracy } else { self.tolerance };
        let acceptable =
            tolerance.max(if ask.acceptable > 0.0 { ask.acceptable } else { self.acceptable });
        let finite = start.as_flattened().iter().all(|x| x.is_finite());
        let start = if finite { start } else { &[] };
        let (start_error, scale) = (f64::INFINITY, 0.0);
        let job = Job { problem, start, start_error, tolerance, acceptable, ask: *ask, scale };
        let mut memory = std::mem::take(&mut self.memory);
        let outcome = self.by_islands(&job, &mut memory, watch);
        self.memory = memory;
        outcome
    }

    fn by_islands(
        &self,
        job: &Job<'_>,
        memory: &mut Memory,
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        let problem = job.problem;
        let Memory { islands, part, start, spare, tools } = memory;
        let mut impulses = std::mem::take(spare);
        impulses.clear();
        impulses.resize(problem.len(), [0.0; 3]);
        let (mut whole, mut largest) = (Found::solved("auto", 0), 0);
        islands.split(problem);
        for island in 0..islands.len() {
            let found = if islands.is_whole(problem) {
                let found = self.island(job, tools, watch);
                impulses.copy_from_slice(&tools.p);
                found
            } else {
                islands.cut(problem, island, part)?;
                let set = islands.blocks(island);
                start.clear();
                start.extend(set.iter().filter_map(|&c| job.start.get(c as usize)));
                let job = Job { problem: part, start, ..*job };
                let offset = whole.iterations;
                let mut shown = PartWatch { whole: &mut impulses, set, offset, watch };
                let found = self.island(&job, tools, &mut shown);
                set.iter().zip(&tools.p).for_each(|(&c, p)| impulses[c as usize] = *p);
                found
            };
            let Some(found) = found else { continue };
            whole.iterations += found.iterations;
            whole.fallbacks += found.fallbacks;
            if tools.p.len() > largest {
                (largest, whole.solver) = (tools.p.len(), found.solver);
            }
            if found.status != Status::Solved {
                whole.status = found.status;
            }
            if found.status == Status::Stopped {
                break;
            }
        }
        let Found { status, iterations, solver, fallbacks } = whole;
        Ok(ContactSolution { impulses, status, iterations, solver, fallbacks })
    }

    /// The table on one island; its impulses are left in the tools. `None` where nothing pushes.
    fn island(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Option<Found> {
        let problem = job.problem;
        tools.p.clear();
        tools.p.extend((0..problem.len()).map(|c| problem.law(c).project([0.0; 3]).p));
        // anything finite is better
        tools.error = f64::INFINITY;
        let pushes = |(c, p): (usize, &[f64; 3])| {
            *p != [0.0; 3] || residual::contact_map(&problem.law(c), p, &problem.b(c)) != [0.0; 3]
        };
        if !tools.p.iter().enumerate().any(pushes) {
            return None;
        }
        if job.ask.rough > 0.0 && job.ask.factorizations == Some(0) && 3 * problem.len() > SMALL {
            return Some(self.sweep(job, tools, job.acceptable, watch));
        }
        // infinite without a start
        let start_error = residual::contacts_in(problem, job.start, &mut tools.v);
        let scale = residual::contacts_asked(problem, 1.0);
        let job = &Job { start_error, scale, ..*job };
        if let Some(found) = as_before(job, tools) {
            return Some(found);
        }
        Some(match problem.len() {
            ..=FEW => self.few(job, tools, watch),
            _ => self.many(job, tools, watch),
        })
    }

    /// Newton's method to the tolerance; for very few contacts with safeguards.
    fn few(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Found {
        let rough = job.is_rough();
        if !rough && self.by_active_set_of(job, tools) {
            return Found::solved("warm-start", 1);
        }
        if rough {
            let found = self.sweep(job, tools, job.goal(), watch);
            let acceptable = job.accepts(&tools.p, tools.error, job.acceptable);
            let status = if acceptable { Status::Solved } else { found.status };
            return Found { status, ..found };
        }
        let mut found = Found::solved("proximal-newton", 0);
        let most = job.ask.factorizations.map_or(usize::MAX, |most| most.max(FACTORIZATIONS));
        let warm = job.start.as_flattened().iter().any(|x| *x != 0.0);
        let cold = job.from(&[], f64::INFINITY);
        let tries = [(job, FACTORIZATIONS), (&cold, usize::MAX)];
        for &(job, limit) in if warm { &tries[..] } else { &tries[1..] } {
            let left = most.saturating_sub(found.iterations).min(limit);
            let (status, steps, _) = self.newton(job, tools, (job.tolerance, left), watch);
            (found.status, found.iterations) = (status, found.iterations + steps);
            if matches!(status, Status::Solved | Status::Stopped) {
                return found;
            }
            found.fallbacks += 1;
        }
        if !job.ask.gives_up
            && let Some(next) = self.by_chain(job, tools, watch)
        {
            let (iterations, fallbacks) =
                (found.iterations + next.iterations, found.fallbacks + next.fallbacks);
            return Found { iterations, fallbacks, ..next };
        }
        let next = self.many(job, tools, watch);
        let (iterations, fallbacks) =
            (found.iterations + next.iterations, found.fallbacks + next.fallbacks);
        Found { iterations, fallbacks, ..next }
    }

    /// The active set of the start, of very few contacts, where that solves far below the tolerance.
    fn by_active_set_of(&self, job: &Job<'_>, tools: &mut Tools) -> bool {
        let few = Reduced::size(job.problem) <= SMALL;
        if !few || job.start.is_empty() || has_discs(job.problem) {
            return false;
        }
        let Ok(reduced) = Reduced::new(job.problem) else { return false };
        let Some(dense) = multiplied_out(&reduced.problem) else { return false };
        let own = Self { tolerance: job.tolerance, ..Self::default() };
        let Some(z) = own.by_active_set(&dense, &reduced.start(job.start)) else { return false };
        let p = reduced.impulses(&z);
        let error = residual::contacts(job.problem, &p);
        job.accepts(&p, error, EXACT * job.tolerance) && tools.take(&p, error)
    }

    /// The chain for other classes, on the island reduced to one of them.
    fn by_chain(&self, job: &Job<'_>, tools: &mut Tools, watch: &mut dyn Watch) -> Option<Found> {
        let reduced = Reduced::new(job.problem).ok()?;
        let problem = &reduced.problem;
        let (tolerance, max_iterations) = (job.tolerance, self.max_iterations);
        let own = Self { tolerance, max_iterations, ..Self::default() };
        let z = resting(problem);
        let (error, mut watch) = (residual::natural(problem, &z), Inside(watch));
        let chain = Chain::new(&own, problem, (z, error), &mut watch);
        let z0 = reduced.start(&tools.p);
        let found = match problem {
            Problem::Cone(_) => own.cones(chain, &z0),
            _ => own.linear(chain, &z0, true),
        };
        let p = reduced.impulses(&found.z);
        let error = residual::contacts(job.problem, &p);
        let (solver, fallbacks) = (found.solver, found.fallbacks);
        tools.take(&p, error);
        let solved = job.accepts(&tools.p, tools.error, job.tolerance);
        let status = if solved { Status::Solved } else { found.status };
        solved.then_some(Found { status, iterations: found.iterations, solver, fallbacks })
    }
}

/// The start where it solves, or what it leads to where all contacts go on resting.
fn as_before(job: &Job<'_>, tools: &mut Tools) -> Option<Found> {
    let Job { problem, start, .. } = *job;
    if start.is_empty() {
        return None;
    }
    let (error, exact) = (job.start_error, EXACT * job.tolerance);
    // nothing goes on resting where a contact moves
    if error > job.acceptable && job.moves() {
        return None;
    }
    let heap = job.ask.rough > 0.0 && problem.len() > FEW && tools.is_heap(job);
    if heap && error > job.acceptable {
        return None;
    }
    // errors add up from step to step: what is taken as it is must be better, where that costs little
    let better = if problem.velocities() <= stick_rows::FEW { FINE } else { 0.1 };
    let round_off = residual::contacts_target_in(problem, start, 0.0, &mut tools.v);
    let fine = better * job.asked(exact).max(round_off);
    if error <= fine || (heap && !(job.is_fine() && tools.may_stand(job))) {
        tools.take(start, error);
        return Some(Found::solved("warm-start", 0));
    }
    if !tools.stick.at_rest(problem, start, fine) {
        return None;
    }
    let p = std::mem::take(&mut tools.stick.p);
    let error = residual::contacts_in(problem, &p, &mut tools.v);
    // the round-off of a large start does not excuse a small solution
    let limit = residual::contacts_target_in(problem, &p, exact, &mut tools.v);
    let rests = error <= limit && tools.take(&p, error);
    tools.stick.p = p;
    rests.then(|| Found::solved("warm-start", 1))
}

/// Shows the impulses of an island as those of all contacts.
struct PartWatch<'a> {
    whole: &'a mut [[f64; 3]],
    set: &'a [u32],
    offset: usize,
    watch: &'a mut dyn Watch,
}

impl Watch for PartWatch<'_> {
    fn iterate(&mut self, k: usize, p: &[f64]) -> ControlFlow<()> {
        for (&c, p) in self.set.iter().zip(p.chunks_exact(3)) {
            self.whole[c as usize].copy_from_slice(p);
        }
        self.watch.iterate(self.offset + k, self.whole.as_flattened())
    }

    fn wants_iterates(&self) -> bool {
        self.watch.wants_iterates()
    }

    fn stops(&mut self) -> bool {
        self.watch.stops()
    }
}
