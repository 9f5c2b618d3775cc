//! The path of pivots from one complementary basis to a solution.
//!
//! ```text
//! A z - w = -b + t r,   l <= z <= u ⟂ w
//! ```
//! r is chosen so that at t = 1 the given basis is strictly inside its bounds; then t goes down.
//! At every kink a variable reaches a bound, leaves, and its complement moves on. t = 0 is a
//! solution. A direction in which nothing ever blocks is a ray. The entries of r carry small
//! seeded random factors: a line in a general direction meets no corner of two kinks at once
//! except at t = 0 itself, so the path does not cycle. Among rows that block within the rounding
//! error the one with the largest pivot leaves (Harris).

use super::basis::{Basis, Var};
use super::model::Model;
use crate::solver::Status;

/// Where a nonbasic z stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Lower,
    Upper,
    /// A free unknown whose column depended on the others: held at zero, its w pinned at zero.
    Zero,
}

/// Which variables are basic and where the others are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) var: Vec<Var>,
    pub(crate) at: Vec<At>,
}

/// How far outside its bounds a basic value may be, relative to the size of b.
const FEASIBLE: f64 = 1e-11;
/// Smaller entries, relative to the largest of the column, are no pivots.
const PIVOT: f64 = 1e-10;

/// The walk.
pub(crate) struct Path<'a> {
    model: &'a Model,
    basis: Basis,
    at: Vec<At>,
    x: Vec<f64>,
    /// Bounds of the basic variables: those of w_i do not change while it is basic.
    range: Vec<(f64, f64)>,
    r: Vec<f64>,
    slack: f64,
    /// Pivots made.
    pub(crate) pivots: usize,
}

/// What stops the entering variable.
enum Block {
    /// Nothing.
    Ray,
    /// Its own other bound, after that distance.
    Own(f64),
    /// A basic variable: position, distance, whether at its upper bound.
    Basic(usize, f64, bool),
}

impl<'a> Path<'a> {
    /// Factors the basis of `point`; dependent columns are replaced by slacks.
    pub(crate) fn new(model: &'a Model, point: Point) -> Option<Self> {
        let Point { var, mut at } = point;
        let basis = Basis::factor(model, var, &[])?;
        at.iter_mut().enumerate().for_each(|(i, at)| *at = valid(model, i, *at));
        let slack = FEASIBLE * model.size;
        let (x, range, r) = (vec![], vec![], vec![]);
        let mut path = Self { model, basis, at, x, range, r, slack, pivots: 0 };
        path.recompute();
        Some(path)
    }

    /// Largest distance of a basic value from its bounds.
    pub(crate) fn infeasibility(&self) -> f64 {
        let basic = self.x.iter().zip(&self.range);
        basic.fold(0.0_f64, |worst, (x, (lo, hi))| worst.max(lo - x).max(x - hi))
    }

    /// The basis and the places of the nonbasic unknowns.
    pub(crate) fn point(&self) -> Point {
        Point { var: self.basis.aligned(), at: self.at.clone() }
    }

    /// z and w of the basis.
    pub(crate) fn values(&self) -> (Vec<f64>, Vec<f64>) {
        let n = self.model.n();
        let mut z: Vec<f64> = (0..n).map(|i| self.resting(i)).collect();
        let mut w = vec![0.0; n];
        for (&var, &x) in self.basis.var.iter().zip(&self.x) {
            match var {
                Var::Z(i) => z[i] = x,
                Var::W(i) => w[i] = x,
                Var::T => {}
            }
        }
        (z, w)
    }

    /// Chooses r with strength `cover` and follows the path.
    pub(crate) fn run(
        &mut self,
        cover: &mut Cover,
        max_pivots: usize,
        see: &mut dyn FnMut(&Self) -> bool,
    ) -> Status {
        let v = self.direction(cover);
        self.r = self.times_basis(&v);
        for (p, x) in self.x.iter_mut().enumerate() {
            *x += v[p];
        }
        let mut column: Vec<f64> = v.iter().map(|v| -v).collect();
        let (mut entering, mut sigma) = (Var::T, -1.0);
        loop {
            let block = self.ratio_test(entering, sigma, &column);
            let theta = match block {
                Block::Ray => return Status::Ray,
                Block::Own(theta) | Block::Basic(_, theta, _) => theta,
            };
            let value = self.entry_value(entering) + sigma * theta;
            for (x, a) in self.x.iter_mut().zip(&column) {
                *x -= theta * sigma * a;
            }
            self.pivots += 1;
            let next = match block {
                Block::Own(_) => self.reach_own_bound(entering, sigma),
                Block::Basic(p, _, high) => {
                    let falling = sigma * column[p] > 0.0;
                    let leaving = self.basis.var[p];
                    self.basis.replace(p, entering, &column);
                    self.x[p] = value;
                    self.range[p] = self.bounds(entering);
                    self.complement(leaving, high, falling)
                }
                Block::Ray => None,
            };
            if see(self) {
                return Status::Stopped;
            }
            let Some((var, direction)) = next else { return Status::Solved };
            (entering, sigma) = (var, direction);
            if self.pivots >= max_pivots {
                return Status::IterationLimit;
            }
            if self.basis.is_stale() && !self.refactor() {
                return Status::Numerical;
            }
            self.column_of(entering, &mut column);
            if !column.iter().all(|x| x.is_finite()) {
                return Status::Numerical;
            }
        }
    }

    /// Factors afresh and recomputes the values; false when the basis turned out singular.
    fn refactor(&mut self) -> bool {
        let var = self.basis.aligned();
        match Basis::factor(self.model, var.clone(), &self.r) {
            Some(basis) if basis.var == var => {
                self.basis = basis;
                self.recompute();
                true
            }
            _ => false,
        }
    }

    /// Values of the basic variables from the factors, with one step of refinement.
    pub(crate) fn recompute(&mut self) {
        let mut rhs: Vec<f64> = self.model.b.iter().map(|b| -b).collect();
        for i in self.nonbasic_z() {
            let z = self.resting(i);
            if z != 0.0 {
                self.model.a.col(i).for_each(|(row, a)| rhs[row] -= a * z);
            }
        }
        let mut x = rhs.clone();
        self.basis.solve(&mut x);
        let mut error = self.times_basis(&x);
        error.iter_mut().zip(&rhs).for_each(|(e, r)| *e = r - *e);
        self.basis.solve(&mut error);
        x.iter_mut().zip(&error).for_each(|(x, e)| *x += e);
        self.x = x;
        self.range = self.basis.var.iter().map(|v| self.bounds(*v)).collect();
    }

    fn nonbasic_z(&self) -> Vec<usize> {
        let mut basic = vec![false; self.model.n()];
        for var in &self.basis.var {
            if let Var::Z(i) = var {
                basic[*i] = true;
            }
        }
        (0..self.model.n()).filter(|&i| !basic[i]).collect()
    }

    /// `B x`.
    fn times_basis(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for (&var, &x) in self.basis.var.iter().zip(x) {
            match var {
                Var::Z(i) => self.model.a.col(i).for_each(|(row, a)| y[row] += a * x),
                Var::W(i) => y[i] -= x,
                Var::T => y.iter_mut().zip(&self.r).for_each(|(y, r)| *y -= r * x),
            }
        }
        y
    }

    fn column_of(&mut self, var: Var, out: &mut [f64]) {
        out.fill(0.0);
        match var {
            Var::Z(i) => self.model.a.col(i).for_each(|(row, a)| out[row] = a),
            Var::W(i) => out[i] = -1.0,
            Var::T => out.iter_mut().zip(&self.r).for_each(|(o, r)| *o = -r),
        }
        self.basis.solve(out);
    }

    /// Value of unknown `i` while it is nonbasic.
    fn resting(&self, i: usize) -> f64 {
        match self.at[i] {
            At::Lower => self.model.lower[i],
            At::Upper => self.model.upper[i],
            At::Zero => 0.0,
        }
    }

    fn bounds(&self, var: Var) -> (f64, f64) {
        let m = self.model;
        match var {
            Var::T => (0.0, f64::INFINITY),
            Var::Z(i) => (m.lower[i], m.upper[i]),
            Var::W(i) if m.lower[i] == m.upper[i] => (f64::NEG_INFINITY, f64::INFINITY),
            Var::W(i) => match self.at[i] {
                At::Lower => (0.0, f64::INFINITY),
                At::Upper => (f64::NEG_INFINITY, 0.0),
                At::Zero => (0.0, 0.0),
            },
        }
    }

    /// What to add to each basic value so that it lies strictly inside its bounds.
    fn direction(&self, cover: &mut Cover) -> Vec<f64> {
        let size = self.model.size;
        let worst = self.infeasibility() + size * cover.inside;
        (0..self.x.len())
            .map(|p| {
                let ((lo, hi), x) = (self.range[p], self.x[p]);
                if lo == hi {
                    return lo - x;
                }
                // Lemke's covering vector: nearly the same for all
                match (cover.even, lo.is_finite(), hi.is_finite()) {
                    (Some(s), true, false) => return worst * (1.0 + s * cover.unit()),
                    (Some(s), false, true) => return -worst * (1.0 + s * cover.unit()),
                    _ => {}
                }
                let outside = x < lo || x > hi;
                let mut room = size * cover.next(outside);
                if lo.is_finite() && hi.is_finite() {
                    room = room.min(0.4 * (hi - lo));
                }
                if x < lo + room && lo.is_finite() && (x < lo || hi == f64::INFINITY) {
                    x.max(lo) + room - x
                } else if x > hi - room && hi.is_finite() {
                    x.min(hi) - room - x
                } else if lo.is_finite() && x < lo + room {
                    lo + room - x
                } else {
                    0.0
                }
            })
            .collect()
    }

    fn entry_value(&self, var: Var) -> f64 {
        match var {
            Var::T => 1.0,
            Var::Z(i) => self.resting(i),
            Var::W(_) => 0.0,
        }
    }

    fn ratio_test(&self, entering: Var, sigma: f64, column: &[f64]) -> Block {
        let own = match entering {
            Var::T => 1.0,
            Var::Z(i) => self.model.upper[i] - self.model.lower[i],
            Var::W(_) => f64::INFINITY,
        };
        let largest = column.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let small = PIVOT * largest.max(1e-3);
        // distance until the bound is passed by `slack`, and until it is met
        let distance = |p: usize, slack: f64| {
            let rate = -sigma * column[p];
            let (lo, hi) = self.range[p];
            let room = if rate < 0.0 { self.x[p] - lo } else { hi - self.x[p] };
            (room.max(0.0) + slack) / rate.abs()
        };
        let mut able = Vec::with_capacity(column.len());
        able.extend((0..column.len()).filter(|p| column[*p].abs() > small));
        let limit = able.iter().map(|&p| distance(p, self.slack)).fold(f64::INFINITY, f64::min);
        if own <= limit {
            return if own.is_finite() { Block::Own(own) } else { Block::Ray };
        }
        let mut best: Option<usize> = None;
        for p in able.into_iter().filter(|&p| distance(p, 0.0) <= limit) {
            if self.basis.var[p] == Var::T {
                best = Some(p);
                break;
            }
            if best.is_none_or(|b| column[p].abs() > column[b].abs()) {
                best = Some(p);
            }
        }
        match best {
            Some(p) => Block::Basic(p, distance(p, 0.0), sigma * column[p] < 0.0),
            None => Block::Ray,
        }
    }

    /// The entering variable went through to its other bound; `None` when t reached zero.
    fn reach_own_bound(&mut self, entering: Var, sigma: f64) -> Option<(Var, f64)> {
        let Var::Z(i) = entering else { return None };
        self.at[i] = if sigma > 0.0 { At::Upper } else { At::Lower };
        Some((Var::W(i), -sigma))
    }

    /// What enters after `leaving` left, and in which direction; `None` after t.
    fn complement(&mut self, leaving: Var, high: bool, falling: bool) -> Option<(Var, f64)> {
        match leaving {
            Var::T => None,
            Var::Z(i) => {
                self.at[i] = if high { At::Upper } else { At::Lower };
                Some((Var::W(i), if high { -1.0 } else { 1.0 }))
            }
            Var::W(i) => {
                let up = match self.at[i] {
                    At::Lower => true,
                    At::Upper => false,
                    At::Zero => falling,
                };
                Some((Var::Z(i), if up { 1.0 } else { -1.0 }))
            }
        }
    }
}

/// A bound that the unknown really has.
fn valid(model: &Model, i: usize, at: At) -> At {
    match at {
        _ if model.is_free(i) => At::Zero,
        At::Upper if model.upper[i].is_finite() => At::Upper,
        _ if model.lower[i].is_finite() => At::Lower,
        _ => At::Upper,
    }
}

/// The random factors of r.
pub(crate) struct Cover {
    state: u64,
    /// Room given to values outside their bounds, in units of the size of b.
    pub(crate) outside: f64,
    /// Room given to values inside.
    pub(crate) inside: f64,
    /// Add nearly the same to every value with one bound, instead of as much as it needs: at most
    /// this share more.
    even: Option<f64>,
}

impl Cover {
    pub(crate) fn new(seed: u64, outside: f64, inside: f64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, outside, inside, even: None }
    }

    /// Lemke's: the same for all, but for a share of `spread` at most.
    pub(crate) fn even(seed: u64, spread: f64) -> Self {
        Self { even: Some(spread), ..Self::new(seed, 1.0, 1.0) }
    }

    /// A value in [0.5, 1) of the room.
    fn next(&mut self, outside: bool) -> f64 {
        let room = if outside { self.outside } else { self.inside };
        room * (0.5 + 0.5 * self.unit())
    }

    /// xorshift64*, mapped to [0, 1).
    fn unit(&mut self) -> f64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
