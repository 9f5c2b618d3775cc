//! Volumes of solids of revolution cut by other shapes, as integrals over discs:
//! `V = ∫ area(disc(r(z)) ∩ slice(z)) dz`, adaptive Gauss-Legendre between the kinks.

use crate::{Convex, Polytope, Pose, Vec3};

use super::disc;

/// Relative accuracy of an integral over exact slices, and over those of a stand-in.
const FINE: f64 = 1e-10;
const COARSE: f64 = 1e-6;
/// Corners beyond which the integral is not cut at each.
const MANY: usize = 24;

/// Volume shared with a polytope whose vertices are given in the frame of the solid.
pub(super) fn with_polytope(revolved: &Convex, polytope: &Polytope) -> f64 {
    volume_of(revolved, polytope, FINE)
}

/// The same with another solid of revolution, replaced by a polytope, at the pose `local`.
pub(super) fn with_revolved(revolved: &Convex, other: &Convex, local: &Pose) -> f64 {
    tessellated(other).map_or(0.0, |p| volume_of(revolved, &p.placed(local), COARSE))
}

fn volume_of(revolved: &Convex, polytope: &Polytope, accuracy: f64) -> f64 {
    let mut heights: Vec<f64> = polytope.vertices.iter().map(|v| v.z).collect();
    if heights.len() > MANY {
        // Among so many small kinks the refinement finds its way by itself.
        let bounds = crate::Aabb::of(polytope.vertices.iter().copied());
        heights = vec![bounds.min.z, bounds.max.z];
    }
    let outline = |z: f64| {
        let mut points = vec![];
        for e in &polytope.edges {
            let [a, b] = e.vertices.map(|v| polytope.vertices[v as usize]);
            if (a.z <= z) != (b.z <= z) {
                points.push(a.lerp(b, (z - a.z) / (b.z - a.z)));
            }
        }
        around(points)
    };
    let area = |z: f64| disc::with_polygon(revolved.radius_at(z), &outline(z));
    let reach = |z: f64| revolved.radius_at(z) + disc::depth_in_polygon(&outline(z));
    integrate(revolved, &heights, &Slices { area: &area, reach: &reach, accuracy })
}

/// Volume shared with a ball at `center` of the frame of the solid.
pub(super) fn with_ball(revolved: &Convex, center: Vec3, radius: f64) -> f64 {
    let distance = center.x.hypot(center.y);
    let other = |z: f64| (radius * radius - (z - center.z).powi(2)).max(0.0).sqrt();
    let area = |z: f64| disc::lens(revolved.radius_at(z), other(z), distance);
    let reach = |z: f64| revolved.radius_at(z) + other(z) - distance;
    let heights = [center.z - radius, center.z, center.z + radius];
    integrate(revolved, &heights, &Slices { area: &area, reach: &reach, accuracy: FINE })
}

/// Volume behind the plane `normal · x = offset` of the frame of the solid.
pub(super) fn with_half_space(revolved: &Convex, normal: Vec3, offset: f64) -> f64 {
    let across = normal.x.hypot(normal.y);
    // Height of the rim of the slice behind the plane, times `across`.
    let reach = |z: f64| across * revolved.radius_at(z) + offset - normal.z * z;
    let area = |z: f64| {
        let (r, behind) = (revolved.radius_at(z), reach(z));
        // A plane along the slice has all of it or nothing on its side.
        let height = if behind >= 2.0 * across * r { 2.0 * r } else { behind / across };
        disc::segment(r, height)
    };
    let level = if normal.z != 0.0 { offset / normal.z } else { 0.0 };
    let heights = [f64::NEG_INFINITY, level, f64::INFINITY];
    integrate(revolved, &heights, &Slices { area: &area, reach: &reach, accuracy: FINE })
}

/// Points of a convex outline in order about their middle.
fn around(mut points: Vec<Vec3>) -> Vec<Vec3> {
    let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let angle = |p: &Vec3| (p.y - middle.y).atan2(p.x - middle.x);
    points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    points
}

/// What both solids share at each height.
struct Slices<'a> {
    area: &'a dyn Fn(f64) -> f64,
    /// Signed depth of the two slices in each other: a concave function, positive where the
    /// area is.
    reach: &'a dyn Fn(f64) -> f64,
    /// Relative accuracy asked for.
    accuracy: f64,
}

impl Slices<'_> {
    /// The heights between `low` and `high` where the slices overlap. They may be few among
    /// many; the concave reach leads there.
    fn span(&self, mut low: f64, mut high: f64) -> Option<(f64, f64)> {
        let (bottom, top) = (low, high);
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let at = |low: f64, high: f64, share: f64| {
            let z = low + share * (high - low);
            (z, (self.reach)(z))
        };
        let mut left = at(low, high, 1.0 - golden);
        let mut right = at(low, high, golden);
        let mut inside = left;
        for _ in 0..70 {
            let best = if left.1 > right.1 { left } else { right };
            inside = if best.1 > inside.1 { best } else { inside };
            if left.1 > right.1 {
                (high, right) = (right.0, left);
                left = at(low, high, 1.0 - golden);
            } else {
                (low, left) = (left.0, right);
                right = at(low, high, golden);
            }
            // Well inside is good enough.
            if inside.1 > 0.0 && high - low < 1e-3 * (top - bottom) {
                break;
            }
        }
        if inside.1 <= 0.0 {
            return None;
        }
        Some((self.edge(inside.0, bottom), self.edge(inside.0, top)))
    }

    /// Where the overlap ends on the way from `inside` to `end`.
    fn edge(&self, mut inside: f64, end: f64) -> f64 {
        if (self.reach)(end) > 0.0 {
            return end;
        }
        let mut outside = end;
        for _ in 0..50 {
            let middle = 0.5 * (inside + outside);
            if (self.reach)(middle) > 0.0 {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    }
}

/// The integral over the heights where both are, cut at the kinks of either.
fn integrate(revolved: &Convex, heights: &[f64], slices: &Slices) -> f64 {
    let ends = |k: &[f64]| {
        k.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &z| (a.min(z), b.max(z)))
    };
    let own = revolved.kinks();
    let ((a, b), (c, d)) = (ends(&own), ends(heights));
    let (low, high) = (a.max(c), b.min(d));
    if low >= high {
        return 0.0;
    }
    let Some((low, high)) = slices.span(low, high) else { return 0.0 };
    let mut cuts: Vec<f64> =
        own.iter().chain(heights).copied().filter(|z| *z > low && *z < high).collect();
    cuts.extend([low, high]);
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let f = slices.area;
    let spans: Vec<(f64, f64, f64)> =
        cuts.windows(2).map(|w| (w[0], w[1], gauss(f, w[0], w[1]))).collect();
    let total: f64 = spans.iter().map(|s| s.2.abs()).sum();
    spans.iter().map(|&(a, b, whole)| refine(f, (a, b), whole, (slices.accuracy * total, 0))).sum()
}

/// Halves the span until both halves agree with the whole.
fn refine(
    f: &dyn Fn(f64) -> f64,
    (a, b): (f64, f64),
    whole: f64,
    (tolerance, level): (f64, u32),
) -> f64 {
    let middle = 0.5 * (a + b);
    let (left, right) = (gauss(f, a, middle), gauss(f, middle, b));
    if (left + right - whole).abs() <= tolerance || level >= 14 {
        return left + right;
    }
    let deeper = (0.5 * tolerance, level + 1);
    refine(f, (a, middle), left, deeper) + refine(f, (middle, b), right, deeper)
}

/// Five points of Gauss and Legendre.
fn gauss(f: &dyn Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let root = (10.0_f64 / 7.0).sqrt();
    let (inner, outer) = ((5.0 - 2.0 * root).sqrt() / 3.0, (5.0 + 2.0 * root).sqrt() / 3.0);
    let share = 13.0 * 70.0_f64.sqrt();
    let (near, far) = ((322.0 + share) / 900.0, (322.0 - share) / 900.0);
    let pair = |x: f64| f(middle - half * x) + f(middle + half * x);
    half * (128.0 / 225.0 * f(middle) + near * pair(inner) + far * pair(outer))
}

/// The polytope that stands in for a solid of revolution against another one. Its polygons have
/// the area of the circles they stand for, so its surface is partly inside, partly outside.
fn tessellated(convex: &Convex) -> Option<Polytope> {
    const SIDES: usize = 64;
    let angle = std::f64::consts::TAU / SIDES as f64;
    let wider = (angle / angle.sin()).sqrt();
    convex.tessellated(SIDES, wider)
}

/// A frame at `position` whose z runs along `axis`.
pub(super) fn frame(position: Vec3, axis: Vec3) -> Pose {
    Pose::new(position, crate::math::rotation_to(axis))
}
