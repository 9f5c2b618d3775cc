//! One contact by itself: impulses p with `u = W p + q` that obey its law.

use super::blocks::Block;
use crate::problem::Law;

/// Steps of a slide in one visit: the next sweep goes on from there. On piles two need as few sweeps
/// as twenty.
const SLIDES: usize = 2;

impl Block {
    /// Takes the impulses for the speeds `u` that the contact has with `p`; by how much they change.
    #[inline(always)]
    pub(super) fn renewed(&self, u: [f64; 3], p: &mut [f64; 3]) -> [f64; 3] {
        let w = &self.w;
        let q = [
            u[0] - (w[0] * p[0] + w[1] * p[1] + w[2] * p[2]) + self.compliance * p[0],
            u[1] - (w[1] * p[0] + w[3] * p[1] + w[4] * p[2]),
            u[2] - (w[2] * p[0] + w[4] * p[1] + w[5] * p[2]),
        ];
        let next = self.solve(q, *p);
        let change = [next[0] - p[0], next[1] - p[1], next[2] - p[2]];
        *p = next;
        change
    }

    /// The impulses for the speeds `q` that the contact has without them; `last` is a guess.
    #[inline]
    pub(super) fn solve(&self, q: [f64; 3], last: [f64; 3]) -> [f64; 3] {
        if let Law::Interval { lower, upper, .. } = self.law {
            return [(-q[0] * self.step[0]).max(lower).min(upper), 0.0, 0.0];
        }
        if q[0] >= 0.0 {
            return [0.0; 3];
        }
        let i = &self.inverse;
        let stuck = [
            -(i[0] * q[0] + i[1] * q[1] + i[2] * q[2]),
            -(i[1] * q[0] + i[3] * q[1] + i[4] * q[2]),
            -(i[2] * q[0] + i[4] * q[1] + i[5] * q[2]),
        ];
        if self.law.allows(stuck) { stuck } else { self.slide(q, last) }
    }

    /// Normal and tangential impulse in turn, the one by its own row, the other by a step that is
    /// cut to what the law allows.
    fn slide(&self, q: [f64; 3], mut p: [f64; 3]) -> [f64; 3] {
        let (w, [normal, tangent]) = (&self.w, self.step);
        for _ in 0..SLIDES {
            let n = (-(q[0] + w[1] * p[1] + w[2] * p[2]) * normal).max(0.0);
            let t = [
                p[1] - tangent * (q[1] + w[1] * n + w[3] * p[1] + w[4] * p[2]),
                p[2] - tangent * (q[2] + w[2] * n + w[4] * p[1] + w[5] * p[2]),
            ];
            p = self.law.cut([n, t[0], t[1]]);
        }
        p
    }
}
