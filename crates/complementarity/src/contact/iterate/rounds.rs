//! What a round of `proximal-newton` begins with: new impulses, new slips, and the velocities that
//! go with them.

use super::{Iterate, TRIES};

/// Rounds for which a drift must go on to be a steady one.
const STEADY: f64 = 2.5;

impl Iterate<'_> {
    /// The impulses of the next round. Where redundant contacts contradict each other a little,
    /// the impulses drift from one to the other by the same small amount in every round, until
    /// one of them lets go: as many such rounds are taken at once as no contact notices.
    pub(in crate::contact) fn next_impulses(&mut self) -> Vec<[f64; 3]> {
        let drift = self.drift();
        let (largest, longest) = self.steadiness(&drift);
        let at = |c: usize, t: f64| -> [f64; 3] {
            std::array::from_fn(|i| self.y[c][i] + t * drift[c][i])
        };
        let law = |c: usize| self.problem.law(c);
        let allowed = |t: f64| {
            let large = |c: usize| drift[c].iter().any(|x| x.abs() > 1e-2 * largest);
            (0..self.y.len()).filter(|&c| large(c)).all(|c| {
                let y = at(c, t);
                let size = y.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let p = law(c).project(y).p;
                p.iter().zip(y).all(|(p, y)| (p - y).abs() <= 1e-6 * size)
            })
        };
        let mut t = 1.0;
        while 2.0 * t <= longest && allowed(2.0 * t) {
            t *= 2.0;
        }
        let y = (0..self.y.len()).map(|c| law(c).project(at(c, t)).p).collect();
        self.drift = drift;
        y
    }

    /// What this round would add to y.
    fn drift(&self) -> Vec<[f64; 3]> {
        let part = |c: usize, i: usize| self.at[c].p[i] - self.y[c][i];
        (0..self.y.len()).map(|c| std::array::from_fn(|i| part(c, i))).collect()
    }

    /// The largest entry of a drift, and for how many rounds it can be taken to go on as it did in
    /// the last: what is not steady about it must stay below it.
    fn steadiness(&self, drift: &[[f64; 3]]) -> (f64, f64) {
        let largest = drift.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut change = f64::INFINITY;
        if self.drift.len() == drift.len() {
            let pairs = drift.iter().flatten().zip(self.drift.iter().flatten());
            change = pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        }
        (largest, (largest / change.max(1e-9 * largest)).min(1e9))
    }

    /// Whether the impulses drift steadily: more and more rounds are then taken at once.
    pub(in crate::contact) fn drifts(&self) -> bool {
        self.steadiness(&self.drift()).1 > STEADY
    }

    /// The slips of the next round: those found, or where several rounds went by with hardly a
    /// contact changing its state, where the sequence is heading (Anderson 1965).
    pub(in crate::contact) fn next_slips(&mut self, found: Vec<f64>) -> Vec<f64> {
        if self.slips_factor + 1 < self.factorizations {
            self.slips.clear();
        }
        self.slips_factor = self.factorizations;
        if self.slips.len() > TRIES {
            self.slips.remove(0);
        }
        self.slips.push((self.correction.clone(), found));
        extrapolate(&self.slips)
    }

    /// Takes new impulses or slips, and moves the velocities to where the minimum goes as long as
    /// every contact stays as it is.
    pub(in crate::contact) fn round(
        &mut self,
        y: Option<Vec<[f64; 3]>>,
        correction: Option<Vec<f64>>,
    ) {
        let mut push = vec![[0.0; 3]; self.y.len()];
        for c in 0..self.problem.len() {
            let (hard, inverse) = (self.epsilon * self.scale[c], 1.0 / self.proximal_parameter(c));
            let mut q = [0.0; 3];
            if let Some(y) = &y {
                (0..self.problem.dim(c))
                    .for_each(|i| q[i] = (y[c][i] - self.y[c][i]) * hard * inverse);
            }
            if let Some(correction) = &correction {
                q[0] -= (correction[c] - self.correction[c]) * inverse;
            }
            let slope = &self.at[c].slope;
            for (i, x) in push[c].iter_mut().enumerate() {
                *x = (0..3).map(|k| slope[3 * i + k] * q[k]).sum();
            }
        }
        if let Some(y) = y {
            self.y = y;
        }
        if let Some(correction) = correction {
            self.correction = correction;
        }
        if self.is_factored() {
            let mut dv = self.problem.motion(&push);
            dv.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d -= g);
            self.solve(&mut dv);
            self.v.iter_mut().zip(&dv).for_each(|(v, d)| *v += d);
            self.u = self.problem.speeds(&self.v);
        }
        self.evaluate();
    }
}

/// Where a sequence `(x, g(x))` of a nearly linear g is heading: the combination of the `g(x)` for
/// which that of `g(x) - x` is smallest.
fn extrapolate(rounds: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let Some(((x, g), before)) = rounds.split_last() else { return vec![] };
    let mut next = g.clone();
    let change = |i: usize| g[i] - x[i];
    // differences to the last round
    let m = before.len();
    let step = |k: usize, i: usize| change(i) - (before[k].1[i] - before[k].0[i]);
    let mut a = vec![0.0; m * m];
    let mut c = vec![0.0; m];
    for k in 0..m {
        c[k] = (0..g.len()).map(|i| step(k, i) * change(i)).sum();
        for l in 0..=k {
            let dot: f64 = (0..g.len()).map(|i| step(k, i) * step(l, i)).sum();
            (a[k * m + l], a[l * m + k]) = (dot, dot);
        }
    }
    let trace = (0..m).map(|k| a[k * m + k]).fold(0.0, f64::max);
    // not positive in this sense only where it is zero or NaN
    if trace.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return next;
    }
    (0..m).for_each(|k| a[k * m + k] += 1e-12 * trace);
    let lu = crate::linalg::lu::Lu::new(m, a);
    lu.solve(&mut c);
    for (k, gamma) in c.iter().enumerate().filter(|e| e.1.is_finite()) {
        let old = &before[k].1;
        next.iter_mut().zip(g.iter().zip(old)).for_each(|(n, (g, o))| *n -= gamma * (g - o));
    }
    next.iter_mut().for_each(|s| *s = s.max(0.0));
    next
}
