//! The state of `proximal-newton` and its steps.

use super::law::{Law, Projected};
use super::system::{System, Unit};
use crate::linalg::block_cholesky::{BlockCholesky, Weights};

/// Impulses below this part of the largest count as none.
const NOISE: f64 = 1e-13;
/// Resistance against the inverse mass that a contact feels: at first, and at the least.
const FIRST: f64 = 1e-1;
const LEAST: f64 = 1e-4;

/// Errors, as speeds of contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    /// How far the velocities are from those that the impulses give.
    pub(super) inner: f64,
    /// `r (p - y)`: what the resistance still holds back.
    pub(super) rest: f64,
    /// How much the slips have changed.
    pub(super) slip: f64,
}

impl Errors {
    /// The largest.
    pub(super) fn worst(&self) -> f64 {
        // a NaN anywhere must not be hidden by max
        self.inner.max(self.rest).max(self.slip) + 0.0 * (self.inner + self.rest + self.slip)
    }
}

/// The state of the iteration.
pub(super) struct Work<'a> {
    system: &'a System,
    cholesky: BlockCholesky,
    /// Resistance over the inverse mass.
    epsilon: f64,
    y: Vec<[f64; 3]>,
    /// `mu s` of every unit.
    shift: Vec<f64>,
    v: Vec<f64>,
    /// `J v + b`.
    u: Vec<[f64; 3]>,
    at: Vec<Projected>,
    gradient: Vec<f64>,
    /// Slopes that the factor holds, and its epsilon.
    factored: Vec<[f64; 9]>,
    factored_epsilon: f64,
    pub(super) factorizations: usize,
    /// Largest change of a contact's velocity in the last step.
    pub(super) moved: f64,
    /// Impulses below this are round-off.
    noise: f64,
    /// Slips taken and found in the last round, and the factor it had.
    slips: Option<(Vec<f64>, Vec<f64>, usize)>,
    /// What the last round added to y.
    drift: Vec<[f64; 3]>,
}

impl Weights for Work<'_> {
    fn size(&self, c: usize) -> usize {
        self.system.units[c].columns.len()
    }

    fn block(&self, c: usize, out: &mut [f64]) -> bool {
        let unit = &self.system.units[c];
        let (slope, inverse) = (&self.at[c].slope, 1.0 / self.resistance(unit));
        if slope.iter().all(|x| *x == 0.0) {
            return false;
        }
        let (m, d) = (unit.columns.len(), unit.dim());
        for a in 0..m {
            let mut t = [0.0; 3];
            for (r, t) in t.iter_mut().enumerate().take(d) {
                *t = (0..d).map(|k| slope[3 * r + k] * unit.j[k * m + a]).sum::<f64>() * inverse;
            }
            let column = &mut out[a * m..(a + 1) * m];
            for (row, t) in unit.j.chunks_exact(m).zip(t) {
                column.iter_mut().zip(row).for_each(|(x, j)| *x += j * t);
            }
        }
        true
    }
}

impl<'a> Work<'a> {
    pub(super) fn new(system: &'a System, y: Vec<[f64; 3]>) -> Self {
        let sets: Vec<&[usize]> = system.units.iter().map(|u| u.columns.as_slice()).collect();
        let v = system.motion(&y);
        let u = system.speeds(&v);
        let n = system.units.len();
        let mut work = Self {
            system,
            cholesky: BlockCholesky::new(system.velocities, &sets),
            epsilon: FIRST,
            y,
            shift: vec![0.0; n],
            v,
            u,
            at: vec![Projected::default(); n],
            gradient: vec![],
            factored: vec![],
            factored_epsilon: 0.0,
            factorizations: 0,
            moved: f64::INFINITY,
            noise: 0.0,
            slips: None,
            drift: vec![],
        };
        work.shift = work.shifts();
        work.evaluate();
        work
    }

    fn resistance(&self, unit: &Unit) -> f64 {
        let soft = match unit.law {
            Law::Interval { compliance, .. } => compliance,
            _ => 0.0,
        };
        self.epsilon * unit.scale + soft
    }

    /// `mu s` at the present velocities.
    pub(super) fn shifts(&self) -> Vec<f64> {
        let units = self.system.units.iter().zip(&self.u);
        units.map(|(unit, u)| unit.law.mu() * unit.law.slip(*u).max(0.0)).collect()
    }

    /// The point that is projected, for velocities `u` of unit `c`.
    fn aim(&self, c: usize, u: &[f64; 3]) -> [f64; 3] {
        let unit = &self.system.units[c];
        // a soft row gives way by its whole impulse, not only by what y lacks
        let r = self.resistance(unit);
        let hard = self.epsilon * unit.scale;
        let inverse = 1.0 / r;
        let mut q = [0.0; 3];
        for i in 0..unit.dim() {
            q[i] = self.y[c][i] * (hard * inverse) - u[i] * inverse;
        }
        q[0] -= self.shift[c] * inverse;
        q
    }

    /// The impulse of unit `c` at velocities `u`, and its slope.
    fn project(&self, c: usize, u: &[f64; 3]) -> Projected {
        let (law, q) = (&self.system.units[c].law, self.aim(c, u));
        // what touches without pressing would flicker between its states by round-off
        if q.iter().all(|x| x.abs() <= self.noise) && law.rests_at_zero() {
            return Projected::default();
        }
        law.project(q)
    }

    /// Impulses and gradient at the present velocities.
    fn evaluate(&mut self) {
        for c in 0..self.u.len() {
            self.at[c] = self.project(c, &self.u[c]);
        }
        let p: Vec<[f64; 3]> = self.at.iter().map(|a| a.p).collect();
        let largest = p.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.noise = NOISE * largest;
        let motion = self.system.motion(&p);
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

    /// One Newton step with line search; false where the matrix cannot be factored.
    pub(super) fn step(&mut self) -> bool {
        let fresh = self.factored_epsilon != self.epsilon
            || self.factored.iter().zip(&self.at).any(|(old, new)| *old != new.slope);
        if fresh {
            let mut cholesky = std::mem::take(&mut self.cholesky);
            let sound = cholesky.factor(self);
            self.cholesky = cholesky;
            self.factorizations += 1;
            if !sound {
                return false;
            }
            self.factored = self.at.iter().map(|a| a.slope).collect();
            self.factored_epsilon = self.epsilon;
        }
        let mut dv: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        self.cholesky.solve(&mut dv);
        let du: Vec<[f64; 3]> = self.system.units.iter().map(|unit| unit.times(&dv)).collect();
        let t = self.length(&dv, &du);
        self.moved = du.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        self.v.iter_mut().zip(&dv).for_each(|(v, d)| *v += t * d);
        self.u = self.system.speeds(&self.v);
        self.evaluate();
        true
    }

    /// The impulses of the next round. Where redundant contacts contradict each other a little,
    /// the impulses drift from one to the other by the same small amount in every round, until
    /// one of them lets go: as many such rounds are taken at once as no contact notices.
    pub(super) fn next_impulses(&mut self) -> Vec<[f64; 3]> {
        let part = |c: usize, i: usize| self.at[c].p[i] - self.y[c][i];
        let drift: Vec<[f64; 3]> =
            (0..self.y.len()).map(|c| std::array::from_fn(|i| part(c, i))).collect();
        let largest = drift.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        let steady = self.drift.len() == drift.len() && {
            let pairs = drift.iter().flatten().zip(self.drift.iter().flatten());
            pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) <= 0.02 * largest
        };
        let at = |c: usize, t: f64| -> [f64; 3] {
            std::array::from_fn(|i| self.y[c][i] + t * drift[c][i])
        };
        let allowed = |t: f64| {
            (0..self.y.len()).all(|c| {
                let y = at(c, t);
                let size = y.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let p = self.system.units[c].law.project(y).p;
                p.iter().zip(y).all(|(p, y)| (p - y).abs() <= 1e-9 * size)
            })
        };
        let mut t = 1.0;
        while steady && t < 1e9 && allowed(2.0 * t) {
            t *= 2.0;
        }
        let y = (0..self.y.len()).map(|c| at(c, t)).collect();
        self.drift = drift;
        y
    }

    /// The slips of the next round: those found, or where two rounds went by with every contact
    /// in the same state, where the sequence is heading (Anderson's acceleration, depth one).
    pub(super) fn next_slips(&mut self, found: Vec<f64>) -> Vec<f64> {
        let taken = std::mem::take(&mut self.shift);
        let mut next = found.clone();
        if let Some((last_taken, last_found, factor)) = &self.slips
            && *factor == self.factorizations
        {
            let (mut top, mut bottom) = (0.0, 0.0);
            for c in 0..found.len() {
                let f = found[c] - taken[c];
                let d = f - (last_found[c] - last_taken[c]);
                top += f * d;
                bottom += d * d;
            }
            if bottom > 0.0 {
                let theta = (top / bottom).clamp(-3.0, 0.5);
                for c in 0..found.len() {
                    next[c] = (found[c] - theta * (found[c] - last_found[c])).max(0.0);
                }
            }
        }
        self.shift.clone_from(&taken);
        self.slips = Some((taken, found, self.factorizations));
        next
    }

    /// Takes new impulses or slips, and moves the velocities to where the minimum goes as long as
    /// every contact stays as it is.
    pub(super) fn round(&mut self, y: Option<Vec<[f64; 3]>>, shift: Option<Vec<f64>>) {
        let mut push = vec![[0.0; 3]; self.y.len()];
        for (c, unit) in self.system.units.iter().enumerate() {
            let (hard, inverse) = (self.epsilon * unit.scale, 1.0 / self.resistance(unit));
            let mut q = [0.0; 3];
            if let Some(y) = &y {
                (0..unit.dim()).for_each(|i| q[i] = (y[c][i] - self.y[c][i]) * hard * inverse);
            }
            if let Some(shift) = &shift {
                q[0] -= (shift[c] - self.shift[c]) * inverse;
            }
            let slope = &self.at[c].slope;
            for (i, x) in push[c].iter_mut().enumerate() {
                *x = (0..3).map(|k| slope[3 * i + k] * q[k]).sum();
            }
        }
        if let Some(y) = y {
            self.y = y;
        }
        if let Some(shift) = shift {
            self.shift = shift;
        }
        let same = self.factored_epsilon == self.epsilon
            && self.factored.iter().zip(&self.at).all(|(old, new)| *old == new.slope);
        if same {
            let mut dv = self.system.motion(&push);
            dv.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d -= g);
            self.cholesky.solve(&mut dv);
            self.v.iter_mut().zip(&dv).for_each(|(v, d)| *v += d);
            self.u = self.system.speeds(&self.v);
        }
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
    pub(super) fn errors(&self, next_shift: &[f64]) -> Errors {
        let (mut inner, mut rest, mut slip) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (c, unit) in self.system.units.iter().enumerate() {
            let g = unit.times(&self.gradient);
            inner = g.iter().fold(inner, |m, x| m.max(x.abs()));
            let r = self.epsilon * unit.scale;
            let (p, y) = (&self.at[c].p, &self.y[c]);
            rest = p.iter().zip(y).fold(rest, |m, (p, y)| m.max(r * (p - y).abs()));
            // slip only matters where something presses
            if p[0] > 0.0 {
                slip = slip.max((next_shift[c] - self.shift[c]).abs());
            }
        }
        Errors { inner, rest, slip }
    }

    /// Largest speed that a contact would have without impulses, or has.
    pub(super) fn largest_speed(&self) -> f64 {
        let units = self.system.units.iter().zip(&self.u);
        units.fold(0.0_f64, |m, (unit, u)| unit.b.iter().chain(u).fold(m, |m, x| m.max(x.abs())))
    }

    /// The present impulses.
    pub(super) fn impulses(&self) -> Vec<[f64; 3]> {
        self.at.iter().map(|a| a.p).collect()
    }

    /// Less resistance, for rounds that gain little.
    pub(super) fn stiffen(&mut self) {
        self.epsilon = (0.1 * self.epsilon).max(LEAST);
    }

    /// Unknowns of the problem for these impulses.
    pub(super) fn unknowns(&self, p: &[[f64; 3]]) -> Vec<f64> {
        self.system.unknowns(p, &self.system.speeds(&self.system.motion(p)))
    }
}
