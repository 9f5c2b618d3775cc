//! One problem of a ladder of coarser and coarser ones.

use crate::linalg::csr::{Band, Csr};
use crate::linalg::multigrid::{Multigrid, fours, galerkin};

/// `l <= z <= u ⟂ A z + b` with sparse rows.
pub(super) struct Level {
    a: Csr,
    b: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    symmetric: bool,
    band: usize,
}

/// How rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    Stopped,
    Stuck,
    Limit,
}

/// When rounds end.
pub(super) enum Goal<'a> {
    /// The natural residual is at most this.
    Residual(&'a dyn Fn(&[f64]) -> f64),
    /// Hardly any unknown changes its place.
    Sets,
}

/// Where an unknown is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Lower,
    Between,
    Upper,
}

/// Narrower bands are solved directly.
const NARROW: usize = 4;
/// Smaller problems are started by sweeps alone.
const SMALL: usize = 300;
/// Cycles of multigrid for one system.
const CYCLES: usize = 150;
/// Rounds without a smaller residual before giving up.
const PATIENCE: usize = 25;

impl Level {
    pub(super) fn new(a: Csr, b: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        let (symmetric, band) = (is_symmetric(&a), a.band());
        Self { a, b, lower, upper, symmetric, band }
    }

    fn n(&self) -> usize {
        self.b.len()
    }

    /// Whether the method applies at all: it divides by the diagonal.
    pub(super) fn is_positive(&self) -> bool {
        self.a.diagonal.iter().all(|d| *d > 0.0)
    }

    pub(super) fn inside(&self, z: &[f64]) -> Vec<f64> {
        let bounds = self.lower.iter().zip(&self.upper);
        z.iter().zip(bounds).map(|(z, (l, u))| z.max(*l).min(*u)).collect()
    }

    /// Every unknown as near to zero as its bounds allow.
    pub(super) fn resting(&self) -> Vec<f64> {
        self.inside(&vec![0.0; self.n()])
    }

    /// `A z + b`.
    fn w(&self, z: &[f64]) -> Vec<f64> {
        (0..self.n()).map(|i| self.b[i] + self.a.row_times(i, z)).collect()
    }

    fn natural(&self, z: &[f64], w: &[f64]) -> f64 {
        (0..self.n()).fold(0.0, |e, i| {
            let mid = (z[i] - self.lower[i]).min((z[i] - self.upper[i]).max(w[i])) + 0.0 * w[i];
            if mid.is_nan() { f64::INFINITY } else { e.max(mid.abs()) }
        })
    }

    /// Sweeps of projected Gauss-Seidel, there and back.
    fn sweep(&self, z: &mut [f64], sweeps: usize) {
        let n = self.n();
        for k in 0..sweeps * n {
            let i = if (k / n).is_multiple_of(2) { k % n } else { n - 1 - k % n };
            let w = self.b[i] + self.a.row_times(i, z);
            z[i] = (z[i] - w / self.a.diagonal[i]).max(self.lower[i]).min(self.upper[i]);
        }
    }

    /// Where a coarser problem says that the solution is.
    pub(super) fn start(&self) -> Vec<f64> {
        let mut z = self.resting();
        let sweeps = |z: &mut [f64], count| self.sweep(z, count);
        if self.n() <= SMALL {
            sweeps(&mut z, 20);
            return z;
        }
        let (group, coarse) = fours(&self.a);
        if 10 * coarse.len() > 9 * self.n() {
            sweeps(&mut z, 20);
            return z;
        }
        let coarse = self.coarser(&group, coarse);
        let mut above = coarse.start();
        coarse.improve(&mut above, &Goal::Sets, 40, &mut |_| false);
        if above.iter().all(|x| x.is_finite()) {
            z.iter_mut().zip(&group).for_each(|(z, &g)| *z = above[g as usize]);
            z = self.inside(&z);
        }
        sweeps(&mut z, 4);
        z
    }

    /// The same problem for groups of unknowns that move together. Steps between groups are too steep:
    /// of two groups that are k unknowns long where they meet, the coupling is that of one step out of
    /// k, so its symmetric part is divided by that; drift, and what is held to the ground, stay.
    fn coarser(&self, group: &[u32], mut a: Csr) -> Self {
        let m = a.len();
        let mut count = vec![0.0; m];
        group.iter().for_each(|&g| count[g as usize] += 1.0_f64);
        let mut steps = self.a.clone();
        steps.values.fill(1.0);
        let (steps, stiff) = (galerkin(&steps, group, m), a.clone());
        for g in 0..m {
            let range = a.start[g]..a.start[g + 1];
            let coupling: f64 = a.values[range.clone()].iter().sum();
            let ground = (a.diagonal[g] + coupling).max(0.0);
            let mut left = 0.0;
            for at in range {
                let other = a.index[at] as usize;
                let entry = |m: &Csr, i: usize, j: usize| m.row(i).find(|e| e.0 == j).map(|e| e.1);
                let side = entry(&steps, g, other).unwrap_or(1.0);
                let twin = entry(&stiff, other, g).unwrap_or(0.0);
                let (even, odd) =
                    (0.5 * (stiff.values[at] + twin), 0.5 * (stiff.values[at] - twin));
                let soft = (side / (count[g] * count[other]).sqrt()).min(1.0);
                a.values[at] = (soft * even + odd).min(0.0);
                left += a.values[at];
            }
            a.diagonal[g] = ground - left;
            if a.diagonal[g] <= 0.0 {
                a.diagonal[g] = 1.0;
            }
        }
        let mut b = vec![0.0; m];
        let (mut lower, mut upper) = (vec![0.0; m], vec![0.0; m]);
        for (i, &g) in group.iter().enumerate() {
            let g = g as usize;
            b[g] += self.b[i];
            lower[g] += self.lower[i];
            upper[g] += self.upper[i];
        }
        lower.iter_mut().zip(&count).for_each(|(l, c)| *l /= c);
        upper.iter_mut().zip(&count).for_each(|(u, c)| *u /= c);
        Self::new(a, b, lower, upper)
    }

    fn places(&self, z: &[f64], w: &[f64]) -> Vec<Place> {
        let place = |i: usize| {
            let x = z[i] - w[i] / self.a.diagonal[i];
            if x <= self.lower[i] {
                Place::Lower
            } else if x >= self.upper[i] {
                Place::Upper
            } else {
                Place::Between
            }
        };
        (0..self.n()).map(place).collect()
    }

    /// Rounds of active sets until the goal is reached.
    pub(super) fn improve(
        &self,
        z: &mut [f64],
        goal: &Goal<'_>,
        rounds: usize,
        see: &mut dyn FnMut(&[f64]) -> bool,
    ) -> Outcome {
        let mut last: Vec<Place> = vec![];
        let (mut best, mut idle) = (f64::INFINITY, 0);
        // on a line the rim of a set is a single unknown
        let few = if self.band <= NARROW { 0 } else { self.n() / 2000 };
        for _ in 0..rounds {
            let w = self.w(z);
            let error = self.natural(z, &w);
            let enough = match goal {
                Goal::Residual(goal) => goal(z),
                Goal::Sets => 0.0,
            };
            if error <= enough && self.settle(z, enough) {
                return Outcome::Done;
            }
            idle = if error < 0.99 * best { 0 } else { idle + 1 };
            best = best.min(error);
            if !error.is_finite() || idle > PATIENCE {
                return Outcome::Stuck;
            }
            let places = self.places(z, &w);
            let changes = last.iter().zip(&places).filter(|(a, b)| a != b).count();
            let settled = last.len() == places.len() && changes <= few;
            if settled && matches!(goal, Goal::Sets) {
                return Outcome::Done;
            }
            if !self.solve_between(z, &places, (enough, settled)) {
                return Outcome::Stuck;
            }
            last = places;
            if see(z) {
                return Outcome::Stopped;
            }
        }
        match goal {
            Goal::Residual(goal) if self.settle(z, goal(z)) => Outcome::Done,
            _ => Outcome::Limit,
        }
    }

    /// Moves the point into the bounds if it is still good enough there: where entries of A are huge,
    /// the last bit of z is not small in w.
    fn settle(&self, z: &mut [f64], enough: f64) -> bool {
        let inside = self.inside(z);
        let fine = self.natural(&inside, &self.w(&inside)) <= enough;
        if fine {
            z.copy_from_slice(&inside);
        }
        fine
    }

    /// Puts unknowns onto their bounds and solves for the others: to the full accuracy once the sets
    /// have settled, to three digits before.
    fn solve_between(
        &self,
        z: &mut [f64],
        places: &[Place],
        (enough, settled): (f64, bool),
    ) -> bool {
        let mut place = vec![u32::MAX; self.n()];
        let mut set = vec![];
        for (i, p) in places.iter().enumerate() {
            match p {
                Place::Lower => z[i] = self.lower[i],
                Place::Upper => z[i] = self.upper[i],
                Place::Between => {
                    place[i] = set.len() as u32;
                    set.push(i as u32);
                }
            }
        }
        if set.is_empty() {
            return true;
        }
        let r: Vec<f64> =
            set.iter().map(|&i| -(self.b[i as usize] + self.a.row_times(i as usize, z))).collect();
        let block = self.a.block(&set, &place);
        let mut x = vec![0.0; r.len()];
        if self.band <= NARROW {
            let Some(band) = Band::new(&block, self.band) else { return false };
            x.copy_from_slice(&r);
            band.solve(&mut x);
        } else {
            let size = r.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
            let target = if settled { 0.2 * enough } else { (1e-3 * size).max(0.2 * enough) };
            let Some(grid) = Multigrid::new(block, self.symmetric) else { return false };
            // what could not be reached is measured by the caller
            grid.solve(&r, &mut x, target, CYCLES);
        }
        set.iter().zip(&x).for_each(|(&i, x)| z[i as usize] += x);
        true
    }
}

pub(super) fn is_symmetric(a: &Csr) -> bool {
    (0..a.len()).all(|i| {
        a.row(i).all(|(j, x)| {
            let twin = a.row(j).find(|e| e.0 == i).map_or(0.0, |e| e.1);
            (x - twin).abs() <= 1e-12 * (a.diagonal[i] * a.diagonal[j]).abs().sqrt()
        })
    })
}
