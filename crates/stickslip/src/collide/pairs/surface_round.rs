//! Balls and capsules on a one-sided surface.

use stickslip_geometry::{Aabb, Vec3};

use super::{
    Found, Sink,
    nearest::core,
    surface::{Facet, Surface},
    vertex_face::point_segment,
};
use crate::collide::{Feature, placed::Placed, settings::Rules};

/// Where a facet is nearest to a point.
#[derive(Clone, Copy)]
struct Foot {
    point: Vec3,
    /// Bit k: the foot lies on the side from corner k to the next, and the point beyond it.
    beyond: u8,
    plane: u32,
    normal: Vec3,
}

/// Contacts of a ball with a surface: one for each plane, ridge or tip that is nearest to the
/// centre among what is around it.
pub(crate) fn ball(
    ball: (&Placed, f64),
    surface: (&Surface, &Placed),
    reach: f64,
    sink: &mut Sink,
) {
    let (placed, radius) = ball;
    let facets = surface.0.facets(&surface.1.pose, &placed.bounds.inflated(reach));
    around(placed.pose.position, radius, &facets, reach, |found| {
        sink.push(&Found { features: [Feature::Smooth(0), found.features[1]], ..*found });
    });
}

/// Contacts of a ball of that radius around `c`.
fn around(c: Vec3, radius: f64, facets: &[Facet], reach: f64, mut push: impl FnMut(&Found)) {
    let feet: Vec<Foot> = facets.iter().map(|f| foot(f, c)).collect();
    let size = radius + reach;
    let mut seen: Vec<Vec3> = vec![];
    for (foot, facet) in feet.iter().zip(facets) {
        let away = c - foot.point;
        if away.length() > size {
            continue;
        }
        let (normal, distance) = if foot.beyond == 0 {
            (foot.normal, foot.normal.dot(away))
        } else {
            // On a side or corner: it counts if all facets that share it have it nearest, which
            // fails in valleys and flat places, where one of them is nearer elsewhere.
            let shared = |other: &Facet| touches(other, foot.point, size);
            let nearer = feet
                .iter()
                .zip(facets)
                .any(|(f, other)| shared(other) && f.point.distance(foot.point) > 1e-9 * size);
            let Some(n) = away.try_normalize() else { continue };
            if nearer || n.dot(foot.normal) < 0.0 {
                continue;
            }
            (n, away.length())
        };
        if distance - radius > reach || seen.iter().any(|p| p.distance(foot.point) <= 1e-9 * size) {
            continue;
        }
        seen.push(foot.point);
        let feature = if foot.beyond == 0 {
            Feature::Face(foot.plane)
        } else {
            Feature::Edge(3 * facet.triangle + u32::from(foot.beyond.trailing_zeros() as u8))
        };
        push(&Found {
            features: [Feature::Smooth(0), feature],
            points: [c - normal * radius, c - normal * distance],
            normal: -normal,
            gap: distance - radius,
            applicability: 1.0,
            primary: true,
        });
    }
}

/// Whether the facet holds the point on its outline.
fn touches(facet: &Facet, p: Vec3, size: f64) -> bool {
    (0..3).any(|k| {
        let q = point_segment(facet.corners[k], facet.corners[(k + 1) % 3], p);
        q.distance(p) <= 1e-9 * size
    })
}

/// Nearest point of a triangle.
fn foot(facet: &Facet, c: Vec3) -> Foot {
    let (n, corners) = (facet.normal, &facet.corners);
    let mut beyond = 0;
    let mut best = (f64::INFINITY, Vec3::ZERO, 0);
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        if (b - a).cross(n).dot(c - a) > 0.0 {
            beyond |= 1 << k;
            let q = point_segment(a, b, c);
            let d = q.distance_squared(c);
            if d < best.0 {
                best = (d, q, 1 << k);
            }
        }
    }
    let (point, beyond) =
        if beyond == 0 { (c - n * n.dot(c - corners[0]), 0) } else { (best.1, best.2) };
    Foot { point, beyond, plane: facet.plane, normal: n }
}

/// Contacts of a capsule with a surface: its ends as balls, its inner points on ridges and tips.
pub(crate) fn capsule(
    capsule: (&Placed, f64, f64),
    surface: (&Surface, &Placed),
    reach: f64,
    rules: &Rules,
    sink: &mut Sink,
) {
    let (placed, half, radius) = capsule;
    let pose = &surface.1.pose;
    let facets = surface.0.facets(pose, &placed.bounds.inflated(reach));
    let ends = core(placed, half);
    let axis = placed.pose.vector(Vec3::Z);
    for (k, &c) in ends.iter().enumerate() {
        let outward = if k == 0 { -axis } else { axis };
        let near: Vec<Facet> = facets_near(&facets, c, radius + reach);
        around(c, radius, &near, reach, |found| {
            let applicability = found.normal.dot(outward);
            if applicability >= rules.applicable {
                let features = [Feature::Smooth(k as u32), found.features[1]];
                sink.push(&Found { features, applicability, ..*found });
            }
        });
    }
    let u = ends[1] - ends[0];
    let mut inner = |p: Vec3, q: Vec3, n: Vec3, feature: Feature, id: u32, applicability: f64| {
        let gap = n.dot(p - q) - radius;
        if gap <= reach && gap >= -radius && applicability >= rules.applicable {
            sink.push(&Found {
                features: [Feature::Smooth(2 + id), feature],
                points: [p - n * radius, q],
                normal: -n,
                gap,
                applicability,
                primary: true,
            });
        }
    };
    for ridge in surface.0.ridges(pose, &facets) {
        let (e, d) = (&ridge.segment, ridge.segment.tail - ends[0]);
        let n = u.cross(e.along);
        let nn = n.length_squared();
        if nn <= rules.parallel.powi(2) * u.length_squared() * e.along.length_squared() {
            continue;
        }
        let (s, t) = (d.cross(e.along).dot(n) / nn, d.cross(u).dot(n) / nn);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            let n = n.normalize();
            let n = if n.dot(e.normals[0] + e.normals[1]) < 0.0 { -n } else { n };
            let along = e.along.normalize_or_zero();
            let falls = n.dot(e.normals[0].cross(along)).max(n.dot(along.cross(e.normals[1])));
            let (p, q) = (ends[0] + u * s, e.tail + e.along * t);
            inner(p, q, n, Feature::Edge(ridge.id), ridge.id, -falls);
        }
    }
    for (id, v, neighbors) in surface.0.tips(pose, &facets) {
        let p = point_segment(ends[0], ends[1], v);
        let Some(n) = (p - v).try_normalize() else { continue };
        if p != ends[0] && p != ends[1] {
            let rises = |w: &Vec3| -n.dot((*w - v).normalize_or_zero());
            let applicability = neighbors.iter().map(rises).fold(1.0, f64::min);
            inner(p, v, n, Feature::Vertex(id), id, applicability);
        }
    }
}

fn facets_near(facets: &[Facet], c: Vec3, distance: f64) -> Vec<Facet> {
    let near = Aabb::of([c]).inflated(distance);
    facets.iter().filter(|f| Aabb::of(f.corners).overlaps(&near)).copied().collect()
}
