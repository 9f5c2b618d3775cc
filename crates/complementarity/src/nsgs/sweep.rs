//! Sweeps, their acceleration, and when to stop.

use super::blocks::{Block, Blocks, WINDOW};
use crate::problem::ContactProblem;
use crate::residual;
use crate::solver::{Status, Watch};

/// Sweeps between two evaluations of the residual, at the most.
const LOOKS: usize = 10;
/// Residual \[m/s\] below which the round-off that sweeps leave in the velocities may matter.
const FINE: f64 = 1e-9;

/// All that is kept from call to call, for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    blocks: Blocks,
    /// Impulses and the velocities they give.
    p: Vec<[f64; 3]>,
    v: Vec<f64>,
    /// The impulses after the sweep before.
    last: Vec<[f64; 3]>,
    /// Where the sweep began.
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
        self.best.clone_from(&self.p);
        self.last.clone_from(&self.p);
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

    /// Measures the present impulses, and finds the blocks that sweeps must visit. The velocities have the
    /// round-off of all sweeps since they were renewed.
    fn look(&mut self, asked: f64) -> f64 {
        if asked < FINE {
            self.renew();
        }
        let first = self.best_error.is_infinite();
        let Self { blocks, p, v, visited, last, .. } = self;
        visited.clear();
        let mut error = 0.0_f64;
        for &c in &blocks.order {
            let (block, p) = (&blocks.list[c as usize], &p[c as usize]);
            let row = |r: usize| {
                let each = |(first, rows): (usize, &[[f64; WINDOW]; 3])| {
                    v[first..].first_chunk().map_or(0.0, |x| dot(&rows[r], x))
                };
                blocks.windows(block).map(each).sum::<f64>() + block.b[r]
            };
            let normal = row(0);
            // nothing is wrong with what opens without an impulse, whatever its slip
            if *p == [0.0; 3] && normal >= 0.0 && block.parts {
                // it does not go on with what it had when sweeps come back to it
                last[c as usize] = *p;
                continue;
            }
            let off = residual::contact_map(&block.law, p, &[normal, row(1), row(2)]);
            // a NaN must not be hidden by max
            error = off
                .iter()
                .fold(error, |e, x| if x.is_nan() { f64::INFINITY } else { e.max(x.abs()) });
            visited.push(c);
        }
        // in falling dominoes half of all contacts are open: sweeps leave them out until the next evaluation
        if first {
            visited.clear();
            visited.extend_from_slice(&blocks.order);
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
        self.look(asked);
        let (mut theta, mut sweeps) = (1.0_f64, 0);
        // the residual over the change of the impulses, when it was last measured
        let mut ratio = 2.0;
        while !self.accepted(problem, asked, tolerance) {
            if sweeps >= limit {
                return (Status::IterationLimit, sweeps, self.best_error);
            }
            self.begin.clear();
            self.begin.extend_from_slice(&self.p);
            let change = self.sweep();
            sweeps += 1;
            if watch.looks() && watch.iterate(sweeps, self.p.as_flattened()).is_break() {
                self.look(asked);
                return (Status::Stopped, sweeps, self.best_error);
            }
            if sweeps % LOOKS == 0 || sweeps >= limit || ratio * change <= asked {
                let error = self.look(asked);
                ratio = if change > 0.0 { error / change } else { ratio };
            }
            theta = self.accelerate(theta);
        }
        (Status::Solved, sweeps, self.best_error)
    }

    fn accepted(&self, problem: &ContactProblem, asked: f64, tolerance: f64) -> bool {
        self.best_error <= asked
            // round-off is asked for only where it may decide
            || (self.best_error <= FINE
                && residual::accepts_contacts(problem, &self.best, self.best_error, tolerance))
    }

    /// Visits the blocks; the largest change of an impulse.
    fn sweep(&mut self) -> f64 {
        let Self { blocks, p, v, visited, .. } = self;
        let each = |c: &u32| match (blocks.list.get(*c as usize), p.get_mut(*c as usize)) {
            (Some(block), Some(p)) => visit(blocks, block, p, v),
            _ => 0.0,
        };
        visited.iter().map(each).fold(0.0, f64::max)
    }

    /// Goes on in the direction of the last sweep, but for contacts that turned round; starts
    /// anew where most did. The next theta.
    fn accelerate(&mut self, theta: f64) -> f64 {
        let Self { blocks, p, v, last, begin, visited, .. } = self;
        let each = |&c: &u32| {
            let c = c as usize;
            turn(&begin[c], &p[c], &last[c])
        };
        let turns = visited.iter().map(each).sum::<f64>() > 0.0;
        let theta = if turns { 1.0 } else { theta };
        let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let beta = (theta - 1.0) / next;
        for &c in visited.iter() {
            let c = c as usize;
            let (before, x) = (std::mem::replace(&mut last[c], p[c]), p[c]);
            if beta > 0.0 && x != before && turn(&begin[c], &x, &before) <= 0.0 {
                let block = &blocks.list[c];
                let ahead: [f64; 3] = std::array::from_fn(|i| x[i] + beta * (x[i] - before[i]));
                let ahead = block.nearest(ahead);
                p[c] = ahead;
                push(blocks, block, std::array::from_fn(|i| ahead[i] - x[i]), v);
            }
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
