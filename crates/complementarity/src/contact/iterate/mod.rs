//! The state of `proximal-newton` and its steps.

mod rounds;

use super::EXACT;
use super::system::scale;
use crate::linalg::block_cholesky::BlockCholesky;
use crate::linalg::contact_fronts::{ContactFronts, Weights};
use crate::linalg::contact_lu::ContactLu;
use crate::problem::{ContactProblem, Law, Projected};
use crate::residual::ROUND_OFF;

/// The proximal parameter at first, against the inverse mass that a contact feels; at the least it is
/// [`EXACT`] of that. With 10 there are 14 % more factorizations, with 0.001 5 %.
const FIRST: f64 = 1e-1;

/// How often something is tried before it is given up: halvings of a step that follows the
/// non-associated law, and increases of the proximal parameter for it; and rounds that slips are
/// extrapolated from.
pub(super) const TRIES: usize = 6;

/// Errors, as speeds of contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    /// How far the velocities are from those that the impulses give.
    pub(super) inner: f64,
    /// `r (p - y)`: the residual of the proximal point method.
    pub(super) proximal: f64,
    /// How much the slips have changed.
    pub(super) slip: f64,
}

impl Errors {
    /// The largest.
    pub(super) fn worst(&self) -> f64 {
        // a NaN anywhere must not be hidden by max
        self.inner.max(self.proximal).max(self.slip)
            + 0.0 * (self.inner + self.proximal + self.slip)
    }
}

/// The state of the iteration.
pub(super) struct Iterate<'a> {
    problem: &'a ContactProblem,
    /// Inverse of the mass that each contact feels.
    scale: Vec<f64>,
    /// Of the contacts that have pressed so far: most of those that might touch never do.
    fronts: Option<ContactFronts>,
    pressed: Vec<bool>,
    cholesky: BlockCholesky,
    lu: ContactLu,
    /// Whether contacts follow the non-associated law and not, with their slips given, the convex one.
    pub(super) non_associated: bool,
    /// Proximal parameter over the inverse mass.
    epsilon: f64,
    y: Vec<[f64; 3]>,
    /// `mu s` of every block.
    correction: Vec<f64>,
    v: Vec<f64>,
    /// `J v + b`.
    u: Vec<[f64; 3]>,
    at: Vec<Projected>,
    gradient: Vec<f64>,
    /// Slopes that the factor holds, and its epsilon.
    factored: Vec<[f64; 9]>,
    factored_epsilon: f64,
    factored_non_associated: bool,
    pub(super) factorizations: usize,
    /// Largest change of a contact's velocity in the last step.
    pub(super) moved: f64,
    /// Impulses below this are round-off.
    noise: f64,
    /// Slips taken and found in the last rounds, and the factor in the last of them.
    slips: Vec<(Vec<f64>, Vec<f64>)>,
    slips_factor: usize,
    /// What the last round added to y.
    drift: Vec<[f64; 3]>,
}

impl Weights for Iterate<'_> {
    fn size(&self, c: usize) -> usize {
        self.problem.columns(c).len()
    }

    fn block(&self, c: usize, out: &mut [f64]) -> bool {
        let (slope, inverse) = (&self.at[c].slope, 1.0 / self.proximal_parameter(c));
        if slope.iter().all(|x| *x == 0.0) {
            return false;
        }
        let (m, d, j) = (self.problem.columns(c).len(), self.problem.dim(c), self.problem.rows(c));
        for a in 0..m {
            let mut t = [0.0; 3];
            for (r, t) in t.iter_mut().enumerate().take(d) {
                *t = (0..d).map(|k| slope[3 * r + k] * j[k * m + a]).sum::<f64>() * inverse;
            }
            let column = &mut out[a * m..(a + 1) * m];
            for (row, t) in j.chunks_exact(m).zip(t) {
                column.iter_mut().zip(row).for_each(|(x, j)| *x += j * t);
            }
        }
        true
    }
}

impl<'a> Iterate<'a> {
    pub(super) fn new(problem: &'a ContactProblem, y: Vec<[f64; 3]>) -> Self {
        let v = problem.motion(&y);
        let u = problem.speeds(&v);
        let n = problem.len();
        let mut iterate = Self {
            problem,
            scale: (0..n).map(|c| scale(problem.rows(c), problem.columns(c).len())).collect(),
            fronts: None,
            pressed: vec![false; n],
            cholesky: BlockCholesky::default(),
            lu: ContactLu::default(),
            non_associated: false,
            epsilon: FIRST,
            y,
            correction: vec![0.0; n],
            v,
            u,
            at: vec![Projected::default(); n],
            gradient: vec![],
            factored: vec![],
            factored_epsilon: 0.0,
            factored_non_associated: false,
            factorizations: 0,
            moved: f64::INFINITY,
            noise: 0.0,
            slips: vec![],
            slips_factor: 0,
            drift: vec![],
        };
        iterate.correction = iterate.corrections();
        iterate.evaluate();
        iterate
    }

    fn proximal_parameter(&self, c: usize) -> f64 {
        let soft = match self.problem.law(c) {
            Law::Interval { compliance, .. } => compliance,
            _ => 0.0,
        };
        self.epsilon * self.scale[c] + soft
    }

    /// `mu s` at the present velocities.
    pub(super) fn corrections(&self) -> Vec<f64> {
        let correction = |(c, u): (usize, &[f64; 3])| {
            let law = self.problem.law(c);
            law.mu() * law.slip(*u).max(0.0)
        };
        self.u.iter().enumerate().map(correction).collect()
    }

    /// The point that is projected, for velocities `u` of block `c`.
    fn aim(&self, c: usize, u: &[f64; 3]) -> [f64; 3] {
        // a soft row gives way by its whole impulse, not only by what y lacks
        let r = self.proximal_parameter(c);
        let hard = self.epsilon * self.scale[c];
        let inverse = 1.0 / r;
        let mut q = [0.0; 3];
        for i in 0..self.problem.dim(c) {
            q[i] = self.y[c][i] * (hard * inverse) - u[i] * inverse;
        }
        if !self.non_associated {
            q[0] -= self.correction[c] * inverse;
        }
        q
    }

    /// The impulse of block `c` at velocities `u`, and its slope.
    fn project(&self, c: usize, u: &[f64; 3]) -> Projected {
        let (law, q) = (self.problem.law(c), self.aim(c, u));
        // what touches without pressing would flicker between its states by round-off
        if q.iter().all(|x| x.abs() <= self.noise) && law.rests_at_zero() {
            return Projected::default();
        }
        if self.non_associated { law.slide(q) } else { law.project(q) }
    }

    /// Impulses and gradient at the present velocities.
    fn evaluate(&mut self) {
        for c in 0..self.u.len() {
            self.at[c] = self.project(c, &self.u[c]);
        }
        let p: Vec<[f64; 3]> = self.at.iter().map(|a| a.p).collect();
        let largest = p.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.noise = ROUND_OFF * largest;
        let motion = self.problem.motion(&p);
        self.gradient = self.v.iter().zip(&motion).map(|(v, m)| v - m).collect();
    }

    /// Derivative of f along `dv`, at a distance `t`; `du = J dv`.
    fn slope_at(&self, t: f64, dv: &[f64], du: &[[f64; 3]]) -> f64 {
        let mut sum: f64 = self.v.iter().zip(dv).map(|(v, d)| (v + t * d) * d).sum();
        for (c, du) in du.iter().enumerate() {
            let mut u = self.u[c];
            u.iter_mut().zip(du).for_each(|(u, d)| *u += t * d);
            let p = self.project(c, &u).p;
            sum -= p.iter().zip(du).map(|(p, d)| p * d).sum::<f64>();
        }
        sum
    }

    fn solve(&self, x: &mut [f64]) {
        match &self.fronts {
            Some(fronts) if self.factored_non_associated => self.lu.solve(fronts, x),
            Some(fronts) => self.cholesky.solve(fronts, x),
            None => {}
        }
    }

    /// Whether the factors are those of the present slopes.
    fn is_factored(&self) -> bool {
        self.factored_epsilon == self.epsilon
            && self.factored_non_associated == self.non_associated
            && self.factored.iter().zip(&self.at).all(|(old, new)| *old == new.slope)
    }

    /// The fronts, made anew where a contact presses for the first time.
    fn structure(&mut self) -> ContactFronts {
        let mut all_known = true;
        for (known, at) in self.pressed.iter_mut().zip(&self.at) {
            let presses = at.slope.iter().any(|x| *x != 0.0);
            all_known &= *known || !presses;
            *known |= presses;
        }
        match self.fronts.take() {
            Some(fronts) if all_known => fronts,
            _ => {
                let problem: &'a ContactProblem = self.problem;
                let columns = |(c, known): (usize, &bool)| -> &'a [u32] {
                    if *known { problem.columns(c) } else { &[] }
                };
                let sets: Vec<_> = self.pressed.iter().enumerate().map(columns).collect();
                ContactFronts::new(problem.velocities(), &sets)
            }
        }
    }

    /// Factors the matrix of the present slopes; false where that cannot be done.
    fn factor(&mut self) -> bool {
        let fronts = self.structure();
        let sound = if self.non_associated {
            let mut lu = std::mem::take(&mut self.lu);
            let sound = lu.factor(&fronts, self);
            self.lu = lu;
            sound
        } else {
            let mut cholesky = std::mem::take(&mut self.cholesky);
            let sound = cholesky.factor(&fronts, self);
            self.cholesky = cholesky;
            sound
        };
        self.fronts = Some(fronts);
        self.factorizations += 1;
        self.factored.clear();
        self.factored.extend(self.at.iter().map(|a| a.slope));
        (self.factored_epsilon, self.factored_non_associated) = (self.epsilon, self.non_associated);
        sound
    }

    /// One Newton step with line search; false where the matrix cannot be factored.
    pub(super) fn step(&mut self) -> bool {
        if !self.is_factored() && !self.factor() {
            return false;
        }
        let mut dv: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        self.solve(&mut dv);
        if self.non_associated {
            return self.slide(&dv);
        }
        let du: Vec<[f64; 3]> =
            (0..self.problem.len()).map(|c| self.problem.times(c, &dv)).collect();
        let t = self.length(&dv, &du);
        self.moved = du.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        self.go(&dv, t);
        true
    }

    /// Moves the velocities by `t dv`.
    fn go(&mut self, dv: &[f64], t: f64) {
        self.v.iter_mut().zip(dv).for_each(|(v, d)| *v += t * d);
        self.u = self.problem.speeds(&self.v);
        self.evaluate();
    }

    /// Goes along `dv` as far as that makes `v - Jᵀ p` smaller, or else a little.
    fn slide(&mut self, dv: &[f64]) -> bool {
        if dv.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let size = |iterate: &Self| iterate.gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (v, before) = (self.v.clone(), size(self));
        let (mut t, mut best) = (1.0, (f64::INFINITY, 1.0));
        for _ in 0..TRIES {
            self.v.copy_from_slice(&v);
            self.go(dv, t);
            let after = size(self);
            if after <= (1.0 - 0.1 * t) * before {
                return true;
            }
            if after < best.0 {
                best = (after, t);
            }
            t *= 0.5;
        }
        self.v.copy_from_slice(&v);
        self.go(dv, best.1);
        true
    }

    /// Goes over to the non-associated law, or back to the convex one with the slips as they are.
    pub(super) fn follow(&mut self, non_associated: bool) {
        self.non_associated = non_associated;
        self.correction = self.corrections();
        self.moved = f64::INFINITY;
        self.evaluate();
    }

    /// Starts again from these impulses.
    pub(super) fn restart(&mut self, y: Vec<[f64; 3]>) {
        self.v = self.problem.motion(&y);
        self.u = self.problem.speeds(&self.v);
        self.y = y;
        self.drift.clear();
        self.slips.clear();
        self.correction = self.corrections();
        self.evaluate();
    }

    /// How far to go along a direction: the whole step where that is nearly the minimum.
    fn length(&self, dv: &[f64], du: &[[f64; 3]]) -> f64 {
        let start: f64 = self.gradient.iter().zip(dv).map(|(g, d)| g * d).sum();
        let end = self.slope_at(1.0, dv, du);
        if end <= -0.25 * start {
            return 1.0;
        }
        // the slope grows along the way: a zero lies between
        let ((mut a, mut fa), (mut b, mut fb)) = ((0.0, start), (1.0, end));
        let mut t = 1.0;
        for _ in 0..20 {
            let secant = a - fa * (b - a) / (fb - fa);
            t = secant.max(a + 0.05 * (b - a)).min(b - 0.05 * (b - a));
            let f = self.slope_at(t, dv, du);
            if f.abs() <= -0.1 * start {
                break;
            }
            if f < 0.0 {
                (a, fa) = (t, f);
            } else {
                (b, fb) = (t, f);
            }
        }
        t
    }

    /// What is wrong with the present velocities.
    pub(super) fn errors(&self, next_correction: &[f64]) -> Errors {
        let (mut inner, mut proximal, mut slip) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (c, at) in self.at.iter().enumerate() {
            let g = self.problem.times(c, &self.gradient);
            inner = g.iter().fold(inner, |m, x| m.max(x.abs()));
            let r = self.epsilon * self.scale[c];
            let (p, y) = (&at.p, &self.y[c]);
            proximal = p.iter().zip(y).fold(proximal, |m, (p, y)| m.max(r * (p - y).abs()));
            // slip only matters where something presses, and the non-associated law knows it
            if p[0] > 0.0 && !self.non_associated {
                slip = slip.max((next_correction[c] - self.correction[c]).abs());
            }
        }
        Errors { inner, proximal, slip }
    }

    /// Largest speed that a contact would have without impulses, or has.
    pub(super) fn largest_speed(&self) -> f64 {
        self.u.iter().enumerate().fold(0.0_f64, |m, (c, u)| {
            self.problem.b(c).iter().chain(u).fold(m, |m, x| m.max(x.abs()))
        })
    }

    /// The present impulses.
    pub(super) fn impulses(&self) -> Vec<[f64; 3]> {
        self.at.iter().map(|a| a.p).collect()
    }

    /// A larger proximal parameter, and the velocities of the impulses of this round; false where there is as
    /// much as at first.
    pub(super) fn increase_parameter(&mut self) -> bool {
        if self.epsilon >= FIRST {
            return false;
        }
        self.epsilon = (10.0 * self.epsilon).min(FIRST);
        let y = self.y.clone();
        self.restart(y);
        true
    }

    /// A smaller one, for rounds that gain little.
    pub(super) fn decrease_parameter(&mut self) {
        let softer = self.epsilon;
        self.epsilon = (0.1 * softer).max(EXACT * FIRST);
        // what drifts does so faster
        let ratio = softer / self.epsilon;
        self.drift.iter_mut().flatten().for_each(|x| *x *= ratio);
    }
}
