//! One contact by itself: impulses p with `u = W p + q` that obey its law.
//!
//! `q`, the speeds without its impulses, is never formed: with the present speeds `u` and impulses `p` the
//! impulses that hold the contact are `-W⁻¹ q = p - W⁻¹ u`.

use super::blocks::Block;
use crate::problem::Law;

/// Steps of a slide in one visit: the next sweep goes on from there. On piles two need as few sweeps
/// as twenty.
const SLIDES: usize = 2;

impl Block {
    /// Takes the impulses for the speeds `u` that the contact has with `p`; by how much they change.
    #[inline(always)]
    pub(super) fn renewed(&self, u: [f64; 3], p: &mut [f64; 3]) -> [f64; 3] {
        let next = self.next(u, *p);
        let change = [next[0] - p[0], next[1] - p[1], next[2] - p[2]];
        *p = next;
        change
    }

    #[inline(always)]
    fn next(&self, u: [f64; 3], p: [f64; 3]) -> [f64; 3] {
        if let Law::Interval { lower, upper, .. } = self.law {
            let n = p[0] - (u[0] + self.compliance * p[0]) * self.step[0];
            return [n.max(lower).min(upper), 0.0, 0.0];
        }
        let w = &self.w;
        if u[0] >= w[0] * p[0] + w[1] * p[1] + w[2] * p[2] {
            return [0.0; 3];
        }
        let i = &self.inverse;
        let stuck = [
            p[0] - (i[0] * u[0] + i[1] * u[1] + i[2] * u[2]),
            p[1] - (i[1] * u[0] + i[3] * u[1] + i[4] * u[2]),
            p[2] - (i[2] * u[0] + i[4] * u[1] + i[5] * u[2]),
        ];
        if self.allows(stuck) { stuck } else { self.slide(u, p) }
    }

    /// Whether the law of a contact with friction allows an impulse. The circles inside and around a friction polygon
    /// settle it for nearly all.
    #[inline(always)]
    pub(super) fn allows(&self, p: [f64; 3]) -> bool {
        let (square, [inner, outer]) = (p[1] * p[1] + p[2] * p[2], self.circles);
        let normal = p[0] * p[0];
        p[0] >= 0.0 && square <= outer * normal && (square <= inner * normal || self.law.allows(p))
    }

    /// The nearest impulse that the law allows.
    #[inline(always)]
    pub(super) fn nearest(&self, p: [f64; 3]) -> [f64; 3] {
        match self.law {
            Law::Interval { lower, upper, .. } => [p[0].max(lower).min(upper), 0.0, 0.0],
            _ if self.allows(p) => p,
            law => law.project(p).p,
        }
    }

    /// Normal and tangential impulse in turn, the one by its own row, the other by a step that is
    /// cut to what the law allows.
    #[inline(always)]
    fn slide(&self, mut u: [f64; 3], mut p: [f64; 3]) -> [f64; 3] {
        let (w, [normal, tangent]) = (&self.w, self.step);
        for _ in 0..SLIDES {
            let n = (p[0] - u[0] * normal).max(0.0);
            let more = n - p[0];
            let t = [p[1] - tangent * (u[1] + w[1] * more), p[2] - tangent * (u[2] + w[2] * more)];
            let next = self.law.cut([n, t[0], t[1]]);
            let d = [more, next[1] - p[1], next[2] - p[2]];
            u[0] += w[0] * d[0] + w[1] * d[1] + w[2] * d[2];
            u[1] += w[1] * d[0] + w[3] * d[1] + w[4] * d[2];
            u[2] += w[2] * d[0] + w[4] * d[1] + w[5] * d[2];
            p = next;
        }
        p
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Blocks;
    use super::*;
    use crate::problem::ContactProblem;

    const SEED: u64 = 7;

    fn random(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn block(law: Law, rows: &[f64]) -> Block {
        let mut problem = ContactProblem::new(3);
        problem.push(law, &[0, 1, 2], rows, [0.0; 3]).unwrap();
        let mut blocks = Blocks::default();
        blocks.fill(&problem, &[0], |v| v);
        blocks.list[0]
    }

    const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    /// The circles settle nothing that the law has otherwise, also on its edge and at its corners.
    #[test]
    fn circles_say_what_the_law_says() {
        let mut seed = SEED;
        let polygons = (3..20).map(|corners| Law::Polygon { mu: 0.6, corners });
        for law in polygons.chain([Law::Disc { mu: 0.6 }]) {
            let block = block(law, &UNIT);
            for k in 0..400 {
                let q = std::array::from_fn(|_| random(&mut seed));
                let p = if k % 2 == 0 { q } else { law.project(q).p };
                assert_eq!(block.allows(p), law.allows(p), "seed {SEED}: {law:?} {p:?}");
            }
        }
    }

    /// Impulses between bounds stay there wherever they are drawn to.
    #[test]
    fn bounds_hold() {
        let law = Law::Interval { lower: -0.2, upper: 0.3, compliance: 0.1 };
        let block = block(law, &[1.0, 0.5, 0.0]);
        for (p, expected) in [(-1.0, -0.2), (0.1, 0.1), (2.0, 0.3)] {
            assert_eq!(block.nearest([p, 0.0, 0.0]), [expected, 0.0, 0.0]);
        }
    }

    /// One visit solves a contact that sticks or parts: `u = W p + q` from any impulses before.
    #[test]
    fn a_visit_solves_what_sticks_or_parts() {
        let mut seed = SEED;
        let (mut stuck, mut parted) = (0, 0);
        for _ in 0..800 {
            let rows: [f64; 9] = std::array::from_fn(|i| UNIT[i] + 0.3 * random(&mut seed));
            let block = block(Law::Polygon { mu: 0.9, corners: 7 }, &rows);
            let mut p = block.law.project(std::array::from_fn(|_| random(&mut seed))).p;
            let q: [f64; 3] = std::array::from_fn(|_| random(&mut seed));
            let w = block.w;
            let full = [[w[0], w[1], w[2]], [w[1], w[3], w[4]], [w[2], w[4], w[5]]];
            let speeds = |p: &[f64; 3]| -> [f64; 3] {
                std::array::from_fn(|i| (0..3).map(|k| full[i][k] * p[k]).sum::<f64>() + q[i])
            };
            let before = p;
            let change = block.renewed(speeds(&p), &mut p);
            (0..3).for_each(|i| assert_eq!(change[i], p[i] - before[i]));
            let i = block.inverse;
            let holds = [[i[0], i[1], i[2]], [i[1], i[3], i[4]], [i[2], i[4], i[5]]];
            let held = holds.map(|row| -(0..3).map(|k| row[k] * q[k]).sum::<f64>());
            if q[0] >= 0.0 {
                parted += 1;
                assert_eq!(p, [0.0; 3], "seed {SEED}: {q:?}");
            } else if block.law.allows(held) {
                stuck += 1;
                let (u, allowed) = (speeds(&p), block.law.allows(p));
                assert!(u.iter().all(|u| u.abs() < 1e-12) && allowed, "seed {SEED}: {u:?} {p:?}");
            }
        }
        assert!(stuck > 40 && parted > 100, "{stuck} {parted}");
    }
}
