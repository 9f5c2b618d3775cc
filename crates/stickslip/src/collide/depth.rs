//! How deep two convex parts are in each other, as far as the loop itself must know it. The judge of a run
//! (`geometry::overlap`) has measures of its own and shares nothing with these.
//!
//! ```text
//! depth(A, B) = min over unit n of  max_A n·x - min_B n·x
//! ```
//!
//! A ball is a thick point, a capsule a thick segment; the thickness is added in the end. Parts that are
//! apart are minus their distance deep, by GJK. Of those that overlap, polytopes are measured along the
//! normals of their faces and of pairs of edges, polygons along those of their sides, and what is round by a
//! polytope that grows inside the set of differences `a - b` where the origin is nearest to its surface
//! (van den Bergen 2001). A part with a hole is its hull where that is left sooner than the hole's wall.

use stickslip_geometry::{Convex, Dimension, Pose, Vec3, gauss::Facing, tolerance::ROUND_OFF};

use super::{
    gjk::{Corners, Placement},
    pairs::wedges::{self, Wedges},
};

/// Signed depth of two convex parts \[m\]; if they are farther apart than `enough`, any value below
/// `-enough`. Two half-spaces have no depth.
pub(crate) fn of_parts(
    dimension: Dimension,
    [p, q]: [&Convex; 2],
    poses: &[Pose; 2],
    enough: f64,
) -> f64 {
    if let Some((k, bored)) = wedges::outer([p, q]) {
        let hull = of_parts(dimension, [p.hull(), q.hull()], poses, enough);
        let [own, other] = if k == 0 { [0, 1] } else { [1, 0] };
        let part = [p, q][other].hull();
        let wall = Wedges { bored, pose: &poses[own], other: (part, &poses[other]) };
        let near = hull >= -enough && part.is_bounded();
        return if near { hull.min(-wall.nearest().1) } else { hull };
    }
    let (Some((a, thick_a)), Some((b, thick_b))) = (Corners::core(p), Corners::core(q)) else {
        return match (p.is_bounded(), q.is_bounded()) {
            (false, true) => below(dimension, &poses[0], (q, &poses[1])),
            (true, false) => below(dimension, &poses[1], (p, &poses[0])),
            _ => 0.0,
        };
    };
    let thick = thick_a + thick_b;
    let placement = Placement::new([a, b], [&poses[0], &poses[1]]);
    if let Some(distance) = placement.distance_up_to(enough + thick) {
        return thick - distance;
    }
    thick
        + match (p, q) {
            (Convex::Polytope(p), Convex::Polytope(q)) => {
                -Facing::default().separation([(p, &poses[0]), (q, &poses[1])])
            }
            _ if dimension == Dimension::Two => along_sides(&placement, [p, q]),
            _ => penetration(&placement),
        }
}

/// How far a part reaches below the plane of a half-space \[m\].
fn below(dimension: Dimension, plane: &Pose, (part, at): (&Convex, &Pose)) -> f64 {
    let normal = plane.vector(dimension.half_space_normal());
    normal.dot(plane.position - part.support(at, -normal))
}

/// Depth of two overlapping planar cores: points and polygons.
fn along_sides(placement: &Placement, parts: [&Convex; 2]) -> f64 {
    let sides = |k: usize| match parts[k] {
        Convex::Polygon(p) => &p.normals[..],
        _ => &[],
    };
    let of_a = sides(0).iter().copied();
    let of_b = sides(1).iter().map(|&n| -(placement.rotation * n));
    let depths = of_a.chain(of_b).map(|n| -placement.separation(n));
    depths.reduce(f64::min).unwrap_or(0.0)
}

/// Other path: relative accuracy of a growing polytope.
const FINE: f64 = 1e-3;
/// Other path: its corners at the most.
const CORNERS: usize = 100;

/// How far the origin is from the surface of the set of differences that it lies in \[m\], from above;
/// zero if the set is flat.
fn penetration(placement: &Placement) -> f64 {
    least(|n| placement.difference(-n)).map_or(0.0, |found| found.1)
}

/// The direction along which a convex set reaches least far from the origin, and how far that is \[m\], from
/// above; the origin lies in the set or near it. `farthest` is a point of the set that is farthest along a
/// direction; it is asked a hundred times at the most. `None` if the set is flat.
pub(super) fn least(farthest: impl Fn(Vec3) -> Vec3) -> Option<(Vec3, f64)> {
    let mut inside = Growing::new(&farthest)?;
    let mut best = (Vec3::Z, f64::INFINITY);
    loop {
        let (normal, least) = inside.nearest()?;
        let next = farthest(normal);
        let most = normal.dot(next);
        if most < best.1 {
            best = (normal, most);
        }
        let close = most - least <= FINE * most.abs();
        if close || inside.points.len() >= CORNERS || !inside.add(next) {
            return Some(best);
        }
    }
}

/// A polytope that takes in one point after the other.
struct Growing {
    points: Vec<Vec3>,
    faces: Vec<Face>,
    /// Lengths below this are round-off \[m\].
    small: f64,
}

/// Counterclockwise from outside.
struct Face {
    corners: [usize; 3],
    normal: Vec3,
    /// Height of the face over the origin \[m\].
    height: f64,
}

impl Growing {
    /// A tetrahedron of points that are farthest along some direction; `None` for a flat set.
    fn new(farthest: &impl Fn(Vec3) -> Vec3) -> Option<Self> {
        let axes = Vec3::AXES.map(|n| [farthest(n), farthest(-n)]);
        let width = |ends: &[Vec3; 2]| ends[0].distance(ends[1]);
        let [a, b] = axes.into_iter().max_by(|x, y| width(x).total_cmp(&width(y)))?;
        let small = ROUND_OFF * axes.iter().flatten().fold(0.0_f64, |m, p| m.max(p.length()));
        let along = (b - a).try_normalize()?;
        let off = |p: Vec3| (p - a).reject_from(along).length();
        let across = along.any_orthonormal_vector();
        let around = [across, -across, along.cross(across), -along.cross(across)].map(farthest);
        let c = around.into_iter().max_by(|p, q| off(*p).total_cmp(&off(*q)))?;
        let normal = (b - a).cross(c - a).try_normalize()?;
        let height = |p: Vec3| (p - a).dot(normal);
        let ends = [farthest(normal), farthest(-normal)];
        let d = ends.into_iter().max_by(|p, q| height(*p).abs().total_cmp(&height(*q).abs()))?;
        if off(c) <= small || height(d).abs() <= small {
            return None;
        }
        let mut out = Self { points: vec![a, b, c, d], faces: Vec::new(), small };
        let above = height(d) > 0.0;
        for [i, j, k] in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] {
            out.push(if above { [i, j, k] } else { [i, k, j] }).then_some(())?;
        }
        Some(out)
    }

    /// Adds a face; false if it has no area.
    fn push(&mut self, corners: [usize; 3]) -> bool {
        let [a, b, c] = corners.map(|k| self.points[k]);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return false };
        self.faces.push(Face { corners, normal, height: normal.dot(a) });
        true
    }

    /// The face nearest to the origin: its normal and height.
    fn nearest(&self) -> Option<(Vec3, f64)> {
        let nearest = self.faces.iter().min_by(|x, y| x.height.total_cmp(&y.height))?;
        Some((nearest.normal, nearest.height))
    }

    /// Takes in a point outside; false if it is not.
    fn add(&mut self, point: Vec3) -> bool {
        let mut edges: Vec<[usize; 2]> = Vec::new();
        let small = self.small;
        self.faces.retain(|face| {
            let hidden = face.normal.dot(point) - face.height <= small;
            if !hidden {
                let [a, b, c] = face.corners;
                edges.extend([[a, b], [b, c], [c, a]]);
            }
            hidden
        });
        let border = edges.iter().filter(|[a, b]| !edges.contains(&[*b, *a]));
        let border: Vec<[usize; 2]> = border.copied().collect();
        let new = self.points.len();
        self.points.push(point);
        let closed = !border.is_empty() && border.iter().all(|&[a, b]| self.push([a, b, new]));
        // A polytope of n corners has 2 n - 4 triangles (Euler). More are what round-off made of one, and double
        // with every point: three cones in a heap took minutes for a step (soak seed 313).
        closed && self.faces.len() <= 2 * self.points.len() - 4
    }
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::{Polygon, Polytope, Quat, Solid, overlap};

    use super::*;
    use crate::testing::Random;

    fn part(random: &mut Random, dimension: Dimension, kind: usize) -> Convex {
        let points: Vec<Vec3> = (0..9).map(|_| random.vector(dimension)).collect();
        let (half, radius) = (0.3 + 0.2 * random.signed(), 0.4 + 0.3 * random.signed());
        match (dimension, kind) {
            (Dimension::Two, 0) => Convex::Polygon(Polygon::from_points(&points).unwrap().into()),
            (_, 0) => Convex::Polytope(Polytope::from_points(&points).unwrap().into()),
            (_, 1) => Convex::Ball { radius },
            (_, 2) => Convex::HalfSpace,
            (_, 3) => Convex::Capsule { half, radius },
            (_, 4) => {
                Solid::cylinder(radius, 2.0 * half, 0).unwrap().shape.parts()[0].convex.clone()
            }
            (_, 5) => Solid::cone(radius, 2.0 * half, 0).unwrap().shape.parts()[0].convex.clone(),
            _ => Solid::tube(radius, 2.0 * radius, half).unwrap().shape.parts()[0].convex.clone(),
        }
    }

    /// The judge's depth, which is found in another way: of parts that overlap, touch or are apart.
    #[test]
    fn depths_are_those_of_the_judge() {
        let seed = 11;
        let mut random = Random::new(seed);
        for (dimension, kinds) in [(Dimension::Two, 3), (Dimension::Three, 7)] {
            for round in 0..4000 {
                let (k, l) = (round % kinds, round / kinds % kinds);
                if (k, l) == (2, 2) {
                    continue;
                }
                let parts = [k, l].map(|kind| part(&mut random, dimension, kind));
                let poses = [0.0, 0.8].map(|far| {
                    let turn = Quat::from_scaled_axis(random.spin(dimension) * 3.0);
                    Pose::new(random.vector(dimension) * far, turn)
                });
                let [p, q] = [&parts[0], &parts[1]];
                let found = of_parts(dimension, [p, q], &poses, f64::INFINITY);
                let judged = overlap::depth(dimension, p, &poses[0], q, &poses[1]);
                // What is round is known to a part of its core's depth.
                let thick: f64 = parts.iter().filter_map(|p| Some(Corners::core(p)?.1)).sum();
                let exact = k < 4 && l < 4 && judged < 0.0;
                let fine = if exact { 0.0 } else { 2.0 * FINE * (judged.abs() + thick) } + 1e-9;
                assert!(
                    (found - judged).abs() <= fine,
                    "seed {seed}, round {round}, {dimension:?}, kinds {k} {l}: {found} {judged}"
                );
                // As far apart as is asked for.
                let far = of_parts(dimension, [p, q], &poses, 0.1);
                let open = (judged + 0.1).abs() <= fine;
                assert!(open || (far < -0.1) == (judged < -0.1), "{round}: {far} {judged}");
            }
        }
    }
}
