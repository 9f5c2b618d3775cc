//! Sweeps, their acceleration, and when to stop.

use super::blocks::{Block, Blocks, WINDOW};
use crate::problem::ContactProblem;
use crate::residual;
use crate::solver::{Status, Watch};

/// Pairs of sweeps between two evaluations of the residual.
const LOOKS: usize = 5;

/// All that is kept from call to call, for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    blocks: Blocks,
    /// Impulses and the velocities they give.
    p: Vec<[f64; 3]>,
    v: Vec<f64>,
    /// The impulses after the pair of sweeps before.
    last: Vec<[f64; 3]>,
    /// Where the pair of sweeps began.
    begin: Vec<[f64; 3]>,
    best: Vec<[f64; 3]>,
    best_error: f64,
    /// The blocks that sweeps visit.
    visited: Vec<u32>,
}

impl Work {
    /// Takes up a problem and a start; what is missing of that or not finite is zero.
    pub(super) fn begin(&mut self, problem: &ContactProblem, start: &[[f64; 3]]) {
        self.blocks.fill(problem);
        self.p.clear();
        for (c, block) in self.blocks.list.iter().enumerate() {
            let p = start.get(c).copied().filter(|p| p.iter().all(|x| x.is_finite()));
            self.p.push(block.law.project(p.unwrap_or_default()).p);
        }
        self.best.clear();
        self.best.extend_from_slice(&self.p);
        self.best_error = f64::INFINITY;
        self.renew();
    }

    /// The best impulses so far.
    pub(super) fn best(&self) -> &[[f64; 3]] {
        &self.best
    }

    /// The velocities of the present impulses, without what round-off has added to them.
    fn renew(&mut self) {
        self.v.clear();
        self.v.resize(self.blocks.room, 0.0);
        for (block, p) in self.blocks.list.iter().zip(&self.p) {
            if *p != [0.0; 3] {
                push(&self.blocks, block, *p, &mut self.v);
            }
        }
    }

    /// Measures the present impulses, and finds the blocks that sweeps must visit.
    fn look(&mut self) -> f64 {
        self.renew();
        let first = self.best_error.is_infinite();
        let Self { blocks, p, v, visited, .. } = self;
        visited.clear();
        let mut error = 0.0_f64;
        for (c, (block, p)) in blocks.list.iter().zip(p.iter()).enumerate() {
            let row = |r: usize| {
                let each = |(first, rows): (usize, &[[f64; WINDOW]; 3])| {
                    v[first..].first_chunk().map_or(0.0, |x| dot(&rows[r], x))
                };
                blocks.windows(block).map(each).sum::<f64>() + block.b[r]
            };
            let normal = row(0);
            // nothing is wrong with what opens without an impulse, whatever its slip
            if *p == [0.0; 3] && normal >= 0.0 && block.parts {
                continue;
            }
            let off = residual::contact_map(&block.law, p, &[normal, row(1), row(2)]);
            // a NaN must not be hidden by max
            error = off
                .iter()
                .fold(error, |e, x| if x.is_nan() { f64::INFINITY } else { e.max(x.abs()) });
            visited.push(c as u32);
        }
        // in falling dominoes half of all contacts are open: sweeps leave them out until the next evaluation
        if first {
            visited.clear();
            visited.extend(0..p.len() as u32);
        }
        if error < self.best_error {
            self.best_error = error;
            self.best.clear();
            self.best.extend_from_slice(&self.p);
        }
        error
    }

    /// Sweeps until the residual is accepted: how it ended, sweeps, the residual.
    pub(super) fn run(
        &mut self,
        problem: &ContactProblem,
        (tolerance, limit): (f64, usize),
        watch: &mut dyn Watch,
    ) -> (Status, usize, f64) {
        let asked = residual::contacts_asked(problem, tolerance);
        self.look();
        let mut theta = 1.0_f64;
        let mut sweeps = 0;
        while !self.accepted(problem, asked, tolerance) {
            if sweeps >= limit {
                return (Status::IterationLimit, sweeps, self.best_error);
            }
            self.begin.clear();
            self.begin.extend_from_slice(&self.p);
            if sweeps == 0 {
                self.last.clone_from(&self.p);
            }
            let change = self.sweep_pair();
            sweeps += 2;
            if watch.looks() && watch.iterate(sweeps, self.p.as_flattened()).is_break() {
                self.look();
                return (Status::Stopped, sweeps, self.best_error);
            }
            let due = sweeps % (2 * LOOKS) == 0 || sweeps >= limit || change <= 0.5 * asked;
            if due {
                self.look();
            }
            theta = self.accelerate(theta);
        }
        (Status::Solved, sweeps, self.best_error)
    }

    fn accepted(&self, problem: &ContactProblem, asked: f64, tolerance: f64) -> bool {
        self.best_error <= asked
            // round-off is asked for only where it may decide
            || (self.best_error <= 1e-10
                && residual::accepts_contacts(problem, &self.best, self.best_error, tolerance))
    }

    /// Forward and backward; the largest change of an impulse on the way back.
    fn sweep_pair(&mut self) -> f64 {
        let Self { blocks, p, v, visited, .. } = self;
        let mut each = |c: &u32| match (blocks.list.get(*c as usize), p.get_mut(*c as usize)) {
            (Some(block), Some(p)) => visit(blocks, block, p, v),
            _ => 0.0,
        };
        visited.iter().for_each(|c| {
            each(c);
        });
        visited.iter().rev().map(each).fold(0.0, f64::max)
    }

    /// Goes on in the direction of the last pair of sweeps, but for contacts that turned round; starts
    /// anew where most did. The next theta.
    fn accelerate(&mut self, theta: f64) -> f64 {
        let blocks = self.begin.iter().zip(&self.p).zip(&self.last);
        let turns = blocks.map(|((y, x), last)| turn(y, x, last)).sum::<f64>() > 0.0;
        let theta = if turns { 1.0 } else { theta };
        let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let beta = (theta - 1.0) / next;
        let Self { blocks, p, last, begin, .. } = self;
        for (((block, p), last), y) in blocks.list.iter().zip(p).zip(last).zip(begin) {
            let (before, x) = (std::mem::replace(last, *p), *p);
            if x != before && turn(y, &x, &before) <= 0.0 {
                let ahead: [f64; 3] = std::array::from_fn(|i| x[i] + beta * (x[i] - before[i]));
                *p = if block.law.allows(ahead) { ahead } else { block.law.project(ahead).p };
            }
        }
        if beta > 0.0 {
            // extrapolating the velocities as well would be cheaper, but errors of theirs grow
            self.renew();
        }
        next
    }
}

/// Positive where a step from y to x turns against the way from the last x.
#[inline]
fn turn(y: &[f64; 3], x: &[f64; 3], last: &[f64; 3]) -> f64 {
    (0..3).map(|i| (y[i] - x[i]) * (x[i] - last[i])).sum()
}

/// Solves one block and adds what that changes to the velocities; its largest change.
#[inline(always)]
fn visit(blocks: &Blocks, block: &Block, p: &mut [f64; 3], v: &mut [f64]) -> f64 {
    let begin = block.windows.0 as usize;
    // nearly all contacts are those of one body or of two
    match block.windows.1 - block.windows.0 {
        1 => visit_bodies::<1>(blocks, (block, begin), p, v),
        2 => visit_bodies::<2>(blocks, (block, begin), p, v),
        _ => visit_any(blocks, block, p, v),
    }
}

/// The same for a block of N windows, whose velocities are read once.
#[inline(always)]
fn visit_bodies<const N: usize>(
    blocks: &Blocks,
    (block, begin): (&Block, usize),
    p: &mut [f64; 3],
    v: &mut [f64],
) -> f64 {
    let rows = blocks.rows.get(begin..).and_then(|r| r.first_chunk::<N>());
    let first = blocks.first.get(begin..).and_then(|f| f.first_chunk::<N>());
    let (Some(rows), Some(first)) = (rows, first) else { return 0.0 };
    let mut x = [[0.0; WINDOW]; N];
    for (x, &first) in x.iter_mut().zip(first) {
        let Some(own) = v.get(first as usize..).and_then(|v| v.first_chunk()) else { return 0.0 };
        *x = *own;
    }
    let mut u = block.b;
    for k in 0..N {
        u[0] += dot(&rows[k][0], &x[k]);
    }
    // open, and stays so
    if *p == [0.0; 3] && u[0] >= 0.0 && block.parts {
        return 0.0;
    }
    for k in 0..N {
        u[1] += dot(&rows[k][1], &x[k]);
        u[2] += dot(&rows[k][2], &x[k]);
    }
    let change = block.renewed(u, p);
    for k in 0..N {
        let range = first[k] as usize..;
        let Some(own) = v.get_mut(range).and_then(|v| v.first_chunk_mut::<WINDOW>()) else {
            return 0.0;
        };
        // windows may share velocities
        for i in 0..WINDOW {
            own[i] +=
                rows[k][0][i] * change[0] + rows[k][1][i] * change[1] + rows[k][2][i] * change[2];
        }
    }
    change[0].abs().max(change[1].abs()).max(change[2].abs())
}

/// The same for any block.
fn visit_any(blocks: &Blocks, block: &Block, p: &mut [f64; 3], v: &mut [f64]) -> f64 {
    let mut u = block.b;
    for (first, rows) in blocks.windows(block) {
        let Some(x) = v[first..].first_chunk::<WINDOW>() else { continue };
        (0..3).for_each(|r| u[r] += dot(&rows[r], x));
    }
    if *p == [0.0; 3] && u[0] >= 0.0 && block.parts {
        return 0.0;
    }
    let change = block.renewed(u, p);
    push(blocks, block, change, v);
    change[0].abs().max(change[1].abs()).max(change[2].abs())
}

/// Adds `J_cᵀ p` to the velocities.
#[inline(always)]
fn push(blocks: &Blocks, block: &Block, p: [f64; 3], v: &mut [f64]) {
    for (first, rows) in blocks.windows(block) {
        let Some(x) = v[first..].first_chunk_mut::<WINDOW>() else { continue };
        for k in 0..WINDOW {
            x[k] += rows[0][k] * p[0] + rows[1][k] * p[1] + rows[2][k] * p[2];
        }
    }
}

/// In the order that two lanes add in.
#[inline(always)]
fn dot(a: &[f64; WINDOW], b: &[f64; WINDOW]) -> f64 {
    (a[0] * b[0] + a[2] * b[2] + a[4] * b[4]) + (a[1] * b[1] + a[3] * b[3] + a[5] * b[5])
}
