//! The selection of points and the shared volume against independent constructions.

use stickslip_geometry::{Convex, Dimension, Polytope, Pose, Quat, Vec3, overlap};

use super::{
    bottom::bottom,
    solid::{Placed, Prisms},
    volume::{Volume, VolumePoint, corners, shared},
};
use crate::{model::BodyId, testing::Random};
use std::sync::Arc;

fn point(x: f64, y: f64, depth: f64) -> VolumePoint {
    VolumePoint { id: 0, at: Vec3::new(x, y, -depth), depth }
}

/// Whether the polygon through `corners` holds p: by the number of edges that a ray crosses.
fn in_polygon(corners: &[[f64; 2]], p: [f64; 2]) -> bool {
    let mut inside = false;
    for k in 0..corners.len() {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        if (a[1] > p[1]) != (b[1] > p[1]) {
            let x = a[0] + (p[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1]);
            inside ^= p[0] < x;
        }
    }
    inside
}

/// The rule in words: from the deepest up, keep what lies outside the star-shaped polygon of the
/// points kept so far. The polygon is sorted anew for every point.
fn by_the_rule(points: &[VolumePoint]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points[j].depth.total_cmp(&points[i].depth));
    let origin = points[order[0]].at;
    let flat = |i: usize| [points[i].at.x - origin.x, points[i].at.y - origin.y];
    let mut kept = vec![order[0]];
    for &i in &order[1..] {
        let mut around: Vec<[f64; 2]> = kept[1..].iter().map(|&k| flat(k)).collect();
        around.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
        // Where the corners leave half a turn open, the deepest point itself is a corner there.
        let mut corners = Vec::new();
        for k in 0..around.len() {
            let (a, b) = (around[k], around[(k + 1) % around.len()]);
            corners.push(a);
            if a[0] * b[1] - a[1] * b[0] <= 0.0 {
                corners.push([0.0, 0.0]);
            }
        }
        if !in_polygon(&corners, flat(i)) {
            kept.push(i);
        }
    }
    kept
}

/// The search tree finds what the plain rule says, on random points in general position.
#[test]
fn selection_is_the_rule() {
    let mut random = Random::new(21);
    for round in 0..400 {
        let n = 1 + round % 40;
        let points: Vec<VolumePoint> = (0..n)
            .map(|_| point(random.signed(), random.signed(), random.signed().abs()))
            .collect();
        let mut found = bottom(Dimension::Three, Vec3::Z, &points);
        // The rule looks from above; tangents of the normal may turn the picture, not change it.
        let mut wanted = by_the_rule(&points);
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "seed 21, round {round}");
    }
}

/// The paper's figure 4: of a trapezoid sunk into the ground only the lower corners count, the
/// upper ones lie within their outline. And a point in the middle of a flat bottom adds nothing.
#[test]
fn points_above_the_bottom_are_left_out() {
    let lower = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| point(x, y, 0.3));
    let upper = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(x, y)| point(x, y, 0.0));
    let mut points = lower.to_vec();
    points.extend(upper);
    points.push(point(0.0, 0.0, 0.29));
    let mut found = bottom(Dimension::Three, Vec3::Z, &points);
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3]);
    // Straight walls: the upper corners lie exactly above the lower ones.
    points[4..8].copy_from_slice(&lower.map(|p| point(p.at.x, p.at.y, 0.0)));
    let mut found = bottom(Dimension::Three, Vec3::Z, &points);
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3]);
}

/// In the plane the outline is an interval.
#[test]
fn planar_selection_is_an_interval() {
    let at = |x: f64, depth: f64| VolumePoint { id: 0, at: Vec3::new(x, -depth, 0.0), depth };
    let points = [at(0.0, 0.5), at(0.2, 0.1), at(1.0, 0.4), at(0.6, 0.3), at(-0.1, 0.0)];
    let mut found = bottom(Dimension::Two, Vec3::Y, &points);
    found.sort_unstable();
    assert_eq!(found, [0, 2, 4]);
}

fn cuboid(size: Vec3, pose: Pose, body: usize) -> (Arc<Polytope>, Pose, BodyId) {
    (Arc::new(Polytope::cuboid(size).unwrap()), pose, BodyId::new(body))
}

fn volume(a: &(Arc<Polytope>, Pose, BodyId), b: &(Arc<Polytope>, Pose, BodyId)) -> Option<Volume> {
    let (x, y) = (Convex::Polytope(a.0.clone()), Convex::Polytope(b.0.clone()));
    let [x, y] = [(&x, a), (&y, b)].map(|(convex, part)| Placed {
        id: (part.2, 0),
        convex,
        pose: part.1,
        aabb: convex.aabb(&part.1),
    });
    shared(Dimension::Three, &mut Prisms::default(), &x, &y)
}

/// The corners found span exactly the volume that two boxes share: the hull of the points has the
/// volume that the overlap code computes by another way.
#[test]
fn points_span_the_shared_volume() {
    let mut random = Random::new(5);
    let mut met = 0;
    for round in 0..200 {
        let turn = |random: &mut Random| {
            Quat::from_axis_angle(
                random.vector(Dimension::Three).normalize(),
                3.0 * random.signed(),
            )
        };
        let a = cuboid(Vec3::new(1.0, 1.3, 0.8), Pose::new(Vec3::ZERO, turn(&mut random)), 0);
        let at = random.vector(Dimension::Three) * 0.8;
        let b = cuboid(Vec3::new(0.9, 0.7, 1.1), Pose::new(at, turn(&mut random)), 1);
        let [x, y] = [&a, &b].map(|part| Convex::Polytope(part.0.clone()));
        let true_volume = overlap::intersection_volume(Dimension::Three, &x, &a.1, &y, &b.1);
        assert_eq!(volume(&a, &b).is_some(), true_volume > 0.0, "seed 5, round {round}");
        if true_volume < 1e-6 {
            continue;
        }
        met += 1;
        let [p, q] = [&x, &y].map(|c| Placed {
            id: (BodyId::new(0), 0),
            convex: c,
            pose: if std::ptr::eq(c, &x) { a.1 } else { b.1 },
            aabb: stickslip_geometry::Aabb::ALL,
        });
        let mut prisms = Prisms::default();
        let [p, q] = [p, q].map(|part| prisms.facets(Dimension::Three, &part).unwrap());
        let points: Vec<Vec3> = corners(&p, &q).concat().into_iter().map(|c| c.1).collect();
        let hull = Polytope::from_points(&points).unwrap().mass_properties().volume;
        assert!((hull - true_volume).abs() < 1e-9, "seed 5, round {round}: {hull} {true_volume}");
    }
    assert!(met > 100);
}

/// Eq. 4: a box sunk a little into another is pushed out through the facet it came in by, and the
/// depth of its corners is how far they sank.
#[test]
fn normal_is_that_of_the_nearest_facet() {
    let floor = cuboid(Vec3::new(4.0, 4.0, 1.0), Pose::IDENTITY, 0);
    let at = Vec3::new(0.3, -0.2, 1.0 - 0.02);
    let block = cuboid(Vec3::ONE, Pose::new(at, Quat::from_rotation_z(0.3)), 1);
    let found = volume(&floor, &block).unwrap();
    assert!((found.normal - Vec3::Z).length() < 1e-15);
    let deepest = found.points.iter().map(|p| p.depth).fold(0.0, f64::max);
    assert!((deepest - 0.02).abs() < 1e-12);
    // The other way round the normal turns.
    let flipped = volume(&block, &floor).unwrap();
    assert!((flipped.normal + Vec3::Z).length() < 1e-15);
}
