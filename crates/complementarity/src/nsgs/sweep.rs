//! Sweeps over contacts, and their acceleration.

use super::blocks::{Block, Blocks, WINDOW};
use crate::problem::ContactProblem;
use crate::residual;

/// Some contacts and their impulses, in memory that is kept from call to call. The velocities that these
/// give are with others that touch the same bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Impulses {
    blocks: Blocks,
    p: Vec<[f64; 3]>,
    /// After the sweep before.
    last: Vec<[f64; 3]>,
    /// Where the sweep began.
    begin: Vec<[f64; 3]>,
    best: Vec<[f64; 3]>,
    /// The blocks that sweeps visit.
    visited: Vec<u32>,
}

impl Impulses {
    /// Takes up some contacts of a problem, `place` says where their velocities stand, and a start; what is
    /// missing of that or not finite is zero.
    pub(super) fn begin(
        &mut self,
        problem: &ContactProblem,
        contacts: &[u32],
        place: impl Fn(u32) -> u32,
        start: &[[f64; 3]],
    ) {
        self.blocks.fill(problem, contacts, place);
        self.p.clear();
        for (&c, block) in contacts.iter().zip(&self.blocks.list) {
            let p = start.get(c as usize).copied().filter(|p| p.iter().all(|x| x.is_finite()));
            self.p.push(block.law.project(p.unwrap_or_default()).p);
        }
        self.keep();
        self.last.clone_from(&self.p);
        self.begin.clone_from(&self.p);
        self.visit_all();
    }

    /// The present impulses.
    pub(super) fn present(&self) -> &[[f64; 3]] {
        &self.p
    }

    /// The best impulses so far.
    pub(super) fn best(&self) -> &[[f64; 3]] {
        &self.best
    }

    /// Takes the present impulses for the best.
    pub(super) fn keep(&mut self) {
        self.best.clone_from(&self.p);
    }

    /// Adds the velocities of the present impulses.
    pub(super) fn add_motion(&self, v: &mut [f64]) {
        for (block, p) in self.blocks.list.iter().zip(&self.p) {
            if *p != [0.0; 3] {
                push(&self.blocks, block, *p, v);
            }
        }
    }

    /// Measures the present impulses, and finds the blocks that sweeps must visit.
    pub(super) fn evaluate(&mut self, v: &[f64]) -> f64 {
        let Self { blocks, p, visited, last, .. } = self;
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
        error
    }

    /// Has sweeps visit all blocks: half of all contacts are open in falling dominoes, and sweeps leave those
    /// out until the next evaluation, but for the first ones.
    pub(super) fn visit_all(&mut self) {
        self.visited.clone_from(&self.blocks.order);
    }

    /// Visits the blocks: the largest change of an impulse, and how far the impulses turned against the way
    /// of the sweep before (negative where they went on).
    pub(super) fn sweep(&mut self, v: &mut [f64]) -> (f64, f64) {
        let Self { blocks, p, visited, begin, last, .. } = self;
        begin.clone_from(p);
        let each = |&c: &u32| visit_block(blocks, c, p, v);
        let change = visited.iter().map(each).fold(0.0, f64::max);
        let turns = visited.iter().map(|&c| c as usize).map(|c| turn(&begin[c], &p[c], &last[c]));
        (change, turns.sum())
    }

    /// Goes on in the direction of the last sweep, but for contacts that turned round.
    pub(super) fn accelerate(&mut self, beta: f64, v: &mut [f64]) {
        let Self { blocks, p, last, begin, visited, .. } = self;
        for &c in visited.iter() {
            let c = c as usize;
            let (before, x) = (std::mem::replace(&mut last[c], p[c]), p[c]);
            if beta > 0.0 && x != before && turn(&begin[c], &x, &before) <= 0.0 {
                let block = &blocks.list[c];
                let ahead =
                    block.nearest(std::array::from_fn(|i| x[i] + beta * (x[i] - before[i])));
                p[c] = ahead;
                push(blocks, block, std::array::from_fn(|i| ahead[i] - x[i]), v);
            }
        }
    }
}

/// Solves block `c`; its largest change.
#[inline(always)]
fn visit_block(blocks: &Blocks, c: u32, p: &mut [[f64; 3]], v: &mut [f64]) -> f64 {
    match (blocks.list.get(c as usize), p.get_mut(c as usize)) {
        (Some(block), Some(p)) => visit(blocks, block, p, v),
        _ => 0.0,
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
