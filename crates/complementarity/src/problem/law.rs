//! Projection onto the impulses that one contact allows, and its derivative.

use super::ring::{Ring, ring};
use crate::residual::ROUND_OFF;

/// Which impulses the rows of a block allow. Impulses are in N s (of unit mass), speeds in m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// One row with an impulse between bounds; a contact without friction is
    /// [`Law::FRICTIONLESS`], an equation has infinite bounds.
    Interval {
        /// Least impulse; `-inf` allowed.
        lower: f64,
        /// Largest impulse; `+inf` allowed.
        upper: f64,
        /// The row gives way: `compliance * p` is added to its speed. 0 for a hard row.
        compliance: f64,
    },
    /// Coulomb's cone: `|p_t| <= mu p_n`. Two rows (normal, tangent) in the plane, three in space.
    Disc {
        /// Coefficient of friction.
        mu: f64,
    },
    /// A friction pyramid: `p_t` lies in `mu p_n` times the regular polygon that has its first
    /// corner on the first tangent row. Three rows; in the plane two rows and two corners.
    Polygon {
        /// Coefficient of friction, measured to the corners.
        mu: f64,
        /// Number of corners: 2 with one tangent row, 3 or more with two.
        corners: usize,
    },
}

/// A projected point and the derivative of the projection, row-major with three columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Projected {
    pub(crate) p: [f64; 3],
    pub(crate) slope: [f64; 9],
}

const ZERO: Projected = Projected { p: [0.0; 3], slope: [0.0; 9] };
/// Layout: the slope of a contact that sticks.
const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

impl Law {
    /// A contact without friction: one row that pushes and never pulls.
    pub const FRICTIONLESS: Self =
        Self::Interval { lower: 0.0, upper: f64::INFINITY, compliance: 0.0 };

    /// Nearest allowed impulse to `q`, with the derivative of that.
    pub(crate) fn project(&self, q: [f64; 3]) -> Projected {
        match *self {
            Self::Interval { lower, upper, .. } => {
                let inside = q[0] > lower && q[0] < upper;
                let mut out = ZERO;
                out.p[0] = q[0].max(lower).min(upper);
                out.slope[0] = f64::from(u8::from(inside));
                out
            }
            // in the plane the two are the same
            Self::Disc { mu } | Self::Polygon { mu, corners: ..=2 } => disc(mu, q),
            Self::Polygon { mu, corners } => polygon(mu, corners, q),
        }
    }

    /// The impulse at `q` by the non-associated law (Alart and Curnier 1991): the normal part is projected
    /// alone, and the tangential part into what that allows. It needs no slip speed, but its
    /// derivative is not symmetric.
    pub(crate) fn slide(&self, q: [f64; 3]) -> Projected {
        match *self {
            Self::Interval { .. } => self.project(q),
            _ if q[0] <= 0.0 => ZERO,
            Self::Disc { mu } | Self::Polygon { mu, corners: ..=2 } => slide_disc(mu, q),
            Self::Polygon { mu, corners } => slide_polygon(mu, corners, q),
        }
    }

    /// The impulse `q` with its tangential part cut to what its normal part allows: the nearest one.
    #[inline]
    pub(crate) fn cut(&self, q: [f64; 3]) -> [f64; 3] {
        match *self {
            Self::Disc { mu } | Self::Polygon { mu, corners: ..=2 } if q[0] > 0.0 => {
                let (square, radius) = (q[1] * q[1] + q[2] * q[2], mu * q[0]);
                if square <= radius * radius {
                    return q;
                }
                let k = radius / square.sqrt();
                [q[0], k * q[1], k * q[2]]
            }
            Self::Polygon { mu, corners } if q[0] > 0.0 => cut_polygon(mu, corners, q),
            _ => self.slide(q).p,
        }
    }

    /// Whether the law allows the impulse `q`.
    #[inline]
    pub(crate) fn allows(&self, q: [f64; 3]) -> bool {
        match *self {
            Self::Interval { lower, upper, .. } => q[0] >= lower && q[0] <= upper,
            Self::Disc { mu } | Self::Polygon { mu, corners: ..=2 } => {
                q[0] >= 0.0 && q[1] * q[1] + q[2] * q[2] <= mu * mu * q[0] * q[0]
            }
            Self::Polygon { mu, corners } => {
                let (square, radius) = (q[1] * q[1] + q[2] * q[2], mu * q[0]);
                if q[0] < 0.0 || square > radius * radius {
                    return false;
                }
                let ring = ring(corners);
                // inside the circle that the polygon holds
                let inner = radius * ring.half_cos;
                square <= inner * inner || {
                    let [cos, sin] = ring.middles[ring.edge([q[1], q[2]])];
                    q[1] * cos + q[2] * sin <= inner
                }
            }
        }
    }

    /// Squares of the radii of the largest circle inside and of the smallest around the tangential impulses
    /// that a normal impulse of 1 allows, with a margin for round-off. A row of its own has none.
    pub(crate) fn circles(&self) -> [f64; 2] {
        let [inner, outer] = match *self {
            Self::Interval { .. } => [0.0; 2],
            Self::Disc { mu } | Self::Polygon { mu, corners: ..=2 } => [mu; 2],
            Self::Polygon { mu, corners } => [mu * ring(corners).half_cos, mu],
        };
        [inner * inner * (1.0 - ROUND_OFF), outer * outer * (1.0 + ROUND_OFF)]
    }

    /// The speed of slip that the law sees in the tangential velocity `u`: its length, or its
    /// part against the corner of the polygon that opposes it best.
    pub(crate) fn slip(&self, u: [f64; 3]) -> f64 {
        match *self {
            Self::Interval { .. } => 0.0,
            Self::Disc { .. } | Self::Polygon { corners: ..=2, .. } => u[1].hypot(u[2]),
            Self::Polygon { corners, .. } => {
                let ring = ring(corners);
                let k = ring.edge([-u[1], -u[2]]);
                let against = |k: usize| -(u[1] * ring.corners[k][0] + u[2] * ring.corners[k][1]);
                against(k).max(against((k + 1) % corners))
            }
        }
    }

    /// What a block with this law and so many rows lacks; `None` where it is sound.
    pub(crate) fn fault(&self, rows: usize) -> Option<&'static str> {
        let sound = |mu: f64| mu.is_finite() && mu >= 0.0;
        match *self {
            Self::Interval { lower, upper, compliance } => match rows {
                _ if !(lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY) => {
                    Some("its lower bound must not be above its upper bound")
                }
                _ if !sound(compliance) => Some("its compliance must be finite and not negative"),
                1 => None,
                _ => Some("a row between bounds is a block of one row"),
            },
            Self::Disc { mu } | Self::Polygon { mu, .. } if !sound(mu) => {
                Some("its coefficient of friction must be finite and not negative")
            }
            Self::Disc { .. } => match rows {
                2 | 3 => None,
                _ => Some("a friction disc needs a normal row and one or two tangent rows"),
            },
            Self::Polygon { corners, .. } => match (rows, corners) {
                (2, 2) | (3, 3..) => None,
                _ => Some(
                    "a friction polygon needs two corners with one tangent row, three or more with two",
                ),
            },
        }
    }

    /// Whether no impulse is at the edge of what is allowed.
    pub(crate) fn rests_at_zero(&self) -> bool {
        match *self {
            Self::Interval { lower, upper, .. } => lower == 0.0 || upper == 0.0,
            _ => true,
        }
    }

    /// Whether it may carry no impulse while it opens.
    #[inline]
    pub(crate) fn parts(&self) -> bool {
        !matches!(*self, Self::Interval { lower, .. } if lower != 0.0)
    }

    /// Coefficient of friction; 0 for a row of its own.
    pub fn mu(&self) -> f64 {
        match *self {
            Self::Interval { .. } => 0.0,
            Self::Disc { mu } | Self::Polygon { mu, .. } => mu,
        }
    }
}

fn disc(mu: f64, q: [f64; 3]) -> Projected {
    let length = q[1].hypot(q[2]);
    if length <= mu * q[0] {
        return Projected { p: q, slope: IDENTITY };
    }
    if mu * length <= -q[0] {
        return ZERO;
    }
    let (a, b) = (q[1] / length, q[2] / length);
    let share = 1.0 / (1.0 + mu * mu);
    let s = share * (q[0] + mu * length);
    let across = mu * s / length;
    let (m, mm) = (share * mu, share * mu * mu);
    let cross = (mm - across) * a * b;
    Projected {
        p: [s, mu * s * a, mu * s * b],
        slope: [
            share,
            m * a,
            m * b,
            m * a,
            mm * a * a + across * b * b,
            cross,
            m * b,
            cross,
            mm * b * b + across * a * a,
        ],
    }
}

/// The polygon is its own mirror image across every line through a corner or the middle of an
/// edge, so the nearest point lies over the same edge as `q`, or at its nearer corner.
fn polygon(mu: f64, corners: usize, q: [f64; 3]) -> Projected {
    let ring = ring(corners);
    let kappa = mu * ring.half_cos;
    let inner = kappa * q[0];
    if inner >= 0.0 && q[1] * q[1] + q[2] * q[2] <= inner * inner {
        return Projected { p: q, slope: IDENTITY };
    }
    let along = |d: &[f64; 2]| q[1] * d[0] + q[2] * d[1];
    let k = ring.edge([q[1], q[2]]);
    let most = along(&ring.middles[k]);
    if most <= inner {
        return Projected { p: q, slope: IDENTITY };
    }
    // outward normal of the facet over this edge
    let [cos, sin] = ring.middles[k];
    let scale = 1.0 / (1.0 + kappa * kappa).sqrt();
    let normal = [-kappa * scale, cos * scale, sin * scale];
    let above = scale * (most - kappa * q[0]);
    let across = -sin * q[1] + cos * q[2];
    let foot: [f64; 3] = std::array::from_fn(|i| q[i] - above * normal[i]);
    if across.abs() <= mu * ring.half_sin * foot[0] {
        let slope = std::array::from_fn(|i| IDENTITY[i] - normal[i / 3] * normal[i % 3]);
        return Projected { p: foot, slope };
    }
    let [cos, sin] = ring.corners[if across >= 0.0 { (k + 1) % corners } else { k }];
    let scale = 1.0 / (1.0 + mu * mu).sqrt();
    let ray = [scale, mu * cos * scale, mu * sin * scale];
    let length = ray[0] * q[0] + ray[1] * q[1] + ray[2] * q[2];
    if length <= 0.0 {
        return ZERO;
    }
    Projected {
        p: ray.map(|r| r * length),
        slope: std::array::from_fn(|i| ray[i / 3] * ray[i % 3]),
    }
}

/// Alart and Curnier's law for a normal impulse of at least `q_n` and a tangential one in the disc
/// of that radius.
fn slide_disc(mu: f64, q: [f64; 3]) -> Projected {
    let (radius, length) = (mu * q[0], q[1].hypot(q[2]));
    if length <= radius {
        return Projected { p: q, slope: IDENTITY };
    }
    let (a, b) = (q[1] / length, q[2] / length);
    let k = radius / length;
    Projected {
        p: [q[0], radius * a, radius * b],
        slope: [1.0, 0.0, 0.0, mu * a, k * b * b, -k * a * b, mu * b, -k * a * b, k * a * a],
    }
}

/// Where the tangential part of an impulse is, seen from a polygon. All directions are those of the
/// middle of an edge or of a corner, (cos, sin).
enum Beside {
    /// In it.
    Inside,
    /// So far above an edge \[N s\]: the nearest point is on the edge.
    Edge([f64; 2], f64),
    /// The nearest point is a corner.
    Corner([f64; 2]),
}

/// Where `q` is seen from the regular polygon with corners at `radius`.
#[inline]
fn beside(ring: &Ring, radius: f64, q: [f64; 3]) -> Beside {
    let inner = radius * ring.half_cos;
    if q[1] * q[1] + q[2] * q[2] <= inner * inner {
        return Beside::Inside;
    }
    let k = ring.edge([q[1], q[2]]);
    let [cos, sin] = ring.middles[k];
    let above = q[1] * cos + q[2] * sin - inner;
    if above <= 0.0 {
        return Beside::Inside;
    }
    let across = -sin * q[1] + cos * q[2];
    if across.abs() <= radius * ring.half_sin {
        return Beside::Edge([cos, sin], above);
    }
    let next = if k + 1 < ring.corners.len() { k + 1 } else { 0 };
    Beside::Corner(ring.corners[if across >= 0.0 { next } else { k }])
}

/// The impulse of [`slide_polygon`] alone.
#[inline]
fn cut_polygon(mu: f64, corners: usize, q: [f64; 3]) -> [f64; 3] {
    let radius = mu * q[0];
    match beside(&ring(corners), radius, q) {
        Beside::Inside => q,
        Beside::Edge([cos, sin], above) => [q[0], q[1] - above * cos, q[2] - above * sin],
        Beside::Corner([cos, sin]) => [q[0], radius * cos, radius * sin],
    }
}

/// The same in the polygon: over an edge the impulse may move along it, at a corner it is fixed.
fn slide_polygon(mu: f64, corners: usize, q: [f64; 3]) -> Projected {
    let (ring, radius) = (ring(corners), mu * q[0]);
    match beside(&ring, radius, q) {
        Beside::Inside => Projected { p: q, slope: IDENTITY },
        Beside::Edge([cos, sin], above) => {
            let (p, kappa) = ([q[0], q[1] - above * cos, q[2] - above * sin], mu * ring.half_cos);
            let (ss, sc, cc) = (sin * sin, -sin * cos, cos * cos);
            Projected { p, slope: [1.0, 0.0, 0.0, kappa * cos, ss, sc, kappa * sin, sc, cc] }
        }
        Beside::Corner([cos, sin]) => Projected {
            p: [q[0], radius * cos, radius * sin],
            slope: [1.0, 0.0, 0.0, mu * cos, 0.0, 0.0, mu * sin, 0.0, 0.0],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn inside(law: &Law, p: [f64; 3]) -> bool {
        match *law {
            Law::Interval { lower, upper, .. } => p[0] >= lower && p[0] <= upper,
            Law::Disc { mu } => p[1].hypot(p[2]) <= mu * p[0] + 1e-12,
            Law::Polygon { mu, corners } => (0..corners).all(|k| {
                let half = std::f64::consts::PI / corners as f64;
                let angle = (2 * k + 1) as f64 * half;
                p[1] * angle.cos() + p[2] * angle.sin() <= mu * half.cos() * p[0] + 1e-12
            }),
        }
    }

    /// A projection onto a convex cone leaves a residual that is normal to the point and makes no
    /// acute angle with any other point of the cone.
    #[test]
    fn projections_are_nearest_points() {
        let mut seed = 5;
        let laws = [Law::Disc { mu: 0.6 }, Law::Polygon { mu: 0.6, corners: 40 }]
            .into_iter()
            .chain((3..9).map(|corners| Law::Polygon { mu: 1.3, corners }));
        for law in laws {
            for _ in 0..400 {
                let q: [f64; 3] = std::array::from_fn(|_| random(&mut seed));
                let p = law.project(q).p;
                assert!(inside(&law, p), "seed 5: {law:?} {q:?} {p:?}");
                let off: [f64; 3] = std::array::from_fn(|i| q[i] - p[i]);
                let dot = |x: [f64; 3]| off.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
                assert!(dot(p).abs() < 1e-12, "seed 5: {law:?} {q:?} {p:?}");
                for k in 0..720 {
                    let angle = f64::from(k) * std::f64::consts::TAU / 720.0;
                    let x = law.project([1.0, 3.0 * angle.cos(), 3.0 * angle.sin()]).p;
                    assert!(dot(x) <= 1e-12, "seed 5: {law:?} {q:?}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_derivatives() {
        let mut seed = 9;
        let laws = [Law::Disc { mu: 0.6 }, Law::Polygon { mu: 0.8, corners: 5 }];
        for (law, slides) in laws.iter().flat_map(|l| [(l, false), (l, true)]) {
            let of = |q| if slides { law.slide(q) } else { law.project(q) };
            for _ in 0..300 {
                let q: [f64; 3] = std::array::from_fn(|_| random(&mut seed));
                let slope = of(q).slope;
                for j in 0..3 {
                    let step = |h: f64| {
                        let mut x = q;
                        x[j] += h;
                        of(x).p
                    };
                    let (up, down) = (step(1e-6), step(-1e-6));
                    // a kink between the two would show as different one-sided slopes
                    let smooth = of(q).p;
                    for i in 0..3 {
                        let (r, l) = ((up[i] - smooth[i]) / 1e-6, (smooth[i] - down[i]) / 1e-6);
                        if (r - l).abs() < 1e-4 {
                            let found = slope[3 * i + j];
                            assert!((found - 0.5 * (r + l)).abs() < 1e-4, "seed 9: {law:?} {q:?}");
                        }
                    }
                }
            }
        }
    }

    /// The tangential part is cut as the non-associated law has it.
    #[test]
    fn a_cut_is_the_impulse_of_the_law() {
        let mut seed = 7;
        for law in [Law::Disc { mu: 0.6 }, Law::Polygon { mu: 0.8, corners: 5 }] {
            for _ in 0..300 {
                let q: [f64; 3] = std::array::from_fn(|_| random(&mut seed));
                let (p, expected) = (law.cut(q), law.slide(q).p);
                let same = p.iter().zip(expected).all(|(p, e)| (p - e).abs() < 1e-15);
                assert!(same, "seed 7: {law:?} {q:?} {p:?} {expected:?}");
            }
        }
    }

    /// `s = max_k (-d_k . u)`.
    #[test]
    fn slip_is_the_largest_over_the_corners() {
        let mut seed = 3;
        let law = Law::Polygon { mu: 0.5, corners: 7 };
        for _ in 0..200 {
            let u: [f64; 3] = std::array::from_fn(|_| random(&mut seed));
            let best = (0..7)
                .map(|k| {
                    let angle = f64::from(k) * std::f64::consts::TAU / 7.0;
                    -(u[1] * angle.cos() + u[2] * angle.sin())
                })
                .fold(f64::NEG_INFINITY, f64::max);
            assert!((law.slip(u) - best).abs() < 1e-12, "seed 3: {u:?}");
        }
    }
}
