//! The Gauss map of a polytope: which of its features face a direction.
//!
//! Every direction has a corner that reaches farthest along it. The corners of a convex polytope
//! have no local maximum but the global one, so a walk from neighbor to neighbor that always goes
//! up finds it; a table over the directions tells where to start, and the walk takes a step or two
//! whatever the number of corners.
//!
//! On the sphere of directions a face is a point, its normal, and an edge the arc between the
//! normals of its two faces. A tree over the arcs finds the features that face another polytope
//! (`facing.rs`).

mod facing;
mod tree;

use std::sync::OnceLock;

pub use self::facing::{Faced, Facing};

use self::tree::ArcTree;
use crate::{Aabb, Polytope, Pose, Vec3};

/// Speed: polytopes of up to this many corners are searched one by one.
const FEW: usize = 32;
/// Speed: corners equally far within the slack after which all are compared.
const PLATEAU: usize = 8;

/// The Gauss map of one polytope, in its own frame. Made when first asked for.
#[derive(Clone, Debug)]
pub struct GaussMap {
    /// Cells along one side of a cube around the directions.
    side: usize,
    /// A corner far along the middle of each cell.
    starts: Vec<u32>,
    /// By how much corners may be out of convex position \[m\].
    slack: f64,
    /// Distance of the farthest corner from the origin \[m\].
    radius: f64,
    /// The box around it \[m\].
    bounds: Aabb,
    tree: ArcTree,
}

/// Keeps a [`GaussMap`]; a copy starts without.
#[derive(Debug, Default)]
pub(crate) struct Kept(OnceLock<Box<GaussMap>>);

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Polytope {
    /// A vertex farthest along `direction`, as [`Polytope::support`] finds it, in time that hardly
    /// grows with the number of vertices. Of equal ones it is any; the same one every time.
    #[inline]
    pub fn extreme(&self, direction: Vec3) -> usize {
        match self.vertices.len() {
            0..=FEW => self.support(direction),
            _ => self.gauss_map().climb(self, direction),
        }
    }

    /// Whether [`Polytope::extreme`] climbs: there are too many vertices to compare them all.
    pub fn is_large(&self) -> bool {
        self.vertices.len() > FEW
    }

    /// The map, made at the first call. Vertices, faces and edges must not change afterwards.
    pub fn gauss_map(&self) -> &GaussMap {
        self.map.0.get_or_init(|| Box::new(GaussMap::new(self)))
    }
}

impl GaussMap {
    fn new(polytope: &Polytope) -> Self {
        let side = ((polytope.vertices.len() as f64 / 6.0).sqrt().ceil() as usize).clamp(1, 16);
        let lengths = polytope.vertices.iter().map(|v| v.length());
        let radius = lengths.fold(0.0, f64::max);
        let (slack, tree) = (slack(polytope), ArcTree::default());
        let bounds = Aabb::of(polytope.vertices.iter().copied());
        let mut map = Self { side, starts: vec![], slack, radius, bounds, tree };
        let mut from = 0;
        for cell in 0..6 * side * side {
            from = map.climb_from(polytope, from, map.middle(cell));
            map.starts.push(from as u32);
        }
        map.tree = ArcTree::new(polytope, |d| map.climb(polytope, d));
        map
    }

    /// The face whose normal is nearest to `direction`; the first of several.
    pub fn face_along(&self, polytope: &Polytope, direction: Vec3) -> usize {
        self.tree.face_along(polytope, direction)
    }

    /// Distance of the farthest corner from the origin of the polytope's frame \[m\].
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A box around the polytope at `pose` \[m\]: around its own box, turned, and around the ball of
    /// its radius; not the smallest one.
    pub fn loose_bounds(&self, pose: &Pose) -> Aabb {
        let r = pose.rotation();
        let middle = r * (0.5 * (self.bounds.min + self.bounds.max));
        let half = 0.5 * (self.bounds.max - self.bounds.min);
        let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        // Round-off must not cut off a corner.
        let reach = reach + Vec3::splat(1e-14 * self.radius);
        let ball = Vec3::splat(self.radius * (1.0 + 1e-14));
        let (low, high) = ((middle - reach).max(-ball), (middle + reach).min(ball));
        Aabb { min: pose.position + low, max: pose.position + high }
    }

    /// Direction of the middle of a cell.
    fn middle(&self, cell: usize) -> Vec3 {
        let n = self.side;
        let (face, u, v) = (cell / (n * n), cell / n % n, cell % n);
        let at = |k: usize| (2 * k + 1) as f64 / n as f64 - 1.0;
        let sign = if face % 2 == 0 { 1.0 } else { -1.0 };
        match face / 2 {
            0 => Vec3::new(sign, at(u), at(v)),
            1 => Vec3::new(at(u), sign, at(v)),
            _ => Vec3::new(at(u), at(v), sign),
        }
    }

    /// The cell of a direction.
    fn cell(&self, d: Vec3) -> usize {
        let size = d.abs();
        let (axis, u, v) = if size.x >= size.y && size.x >= size.z {
            (0, d.y, d.z)
        } else if size.y >= size.z {
            (1, d.x, d.z)
        } else {
            (2, d.x, d.y)
        };
        let n = self.side;
        // Conversion to integers takes what is below zero, or no number, to zero.
        let at = |x: f64| ((0.5 * (x / size[axis] + 1.0) * n as f64) as usize).min(n - 1);
        let face = 2 * axis + usize::from(d[axis] < 0.0);
        (face * n + at(u)) * n + at(v)
    }

    fn climb(&self, polytope: &Polytope, d: Vec3) -> usize {
        self.climb_from(polytope, self.starts[self.cell(d)] as usize, d)
    }

    /// The highest vertex along `d`, by a walk that starts at `from`.
    fn climb_from(&self, polytope: &Polytope, from: usize, d: Vec3) -> usize {
        let height = |k: usize| polytope.vertices[k].dot(d);
        let slack = self.slack * d.length();
        let (mut at, mut top) = (from, height(from));
        loop {
            let (before, mut level) = (at, 0);
            for &next in &polytope.neighbors[before] {
                let h = height(next as usize);
                if h > top {
                    (at, top) = (next as usize, h);
                }
                level += usize::from(h >= top - slack);
            }
            if at == before {
                // Faces are flat up to round-off, which must not end the walk on a lower corner.
                return if level == 0 { at } else { self.on_plateau(polytope, at, d) };
            }
        }
    }

    /// The highest of the vertices that are as high as `from` up to the slack.
    fn on_plateau(&self, polytope: &Polytope, from: usize, d: Vec3) -> usize {
        let height = |k: usize| polytope.vertices[k].dot(d);
        let (mut at, mut top) = (from, height(from));
        let low = top - self.slack * d.length();
        let (mut seen, mut count, mut next) = ([from; PLATEAU], 1, 0);
        while next < count {
            for &k in &polytope.neighbors[seen[next]] {
                let (k, h) = (k as usize, height(k as usize));
                if h < low || seen[..count].contains(&k) {
                    continue;
                }
                if count == PLATEAU {
                    return polytope.support(d);
                }
                (seen[count], count) = (k, count + 1);
                if h > top {
                    (at, top) = (k, h);
                }
            }
            next += 1;
        }
        at
    }
}

/// By how much corners may be off the plane of their face, or beyond that of a neighbor \[m\]; and
/// round-off.
fn slack(polytope: &Polytope) -> f64 {
    let mut off: f64 = 0.0;
    for face in &polytope.faces {
        let height = |&k: &u32| face.normal.dot(polytope.vertices[k as usize]) - face.offset;
        off = face.vertices.iter().fold(off, |m, k| m.max(height(k).abs()));
        for edge in &face.edges {
            let beside = polytope.edges[*edge as usize].faces;
            let corners = beside.iter().flat_map(|&f| &polytope.faces[f as usize].vertices);
            off = corners.fold(off, |m, k| m.max(height(k)));
        }
    }
    let bounds = Aabb::of(polytope.vertices.iter().copied());
    let extent = bounds.max.abs().max(bounds.min.abs()).max_element();
    4.0 * off + 1e-14 * extent
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;

    fn direction(rng: &mut StdRng) -> Vec3 {
        let mut one = || rng.random_range(-1.0..1.0);
        Vec3::new(one(), one(), one())
    }

    fn random_hull(rng: &mut StdRng, corners: usize) -> Polytope {
        let on_sphere = |_| direction(rng).normalize() * Vec3::new(1.0, 0.7, 0.2);
        let points: Vec<Vec3> = (0..corners).map(on_sphere).collect();
        Polytope::from_points(&points).unwrap()
    }

    fn check(polytope: &Polytope, d: Vec3, what: &str) {
        let (best, found) = (polytope.support(d), polytope.extreme(d));
        let [best, found] = [best, found].map(|k| polytope.vertices[k].dot(d));
        assert!(best - found <= 1e-15 * d.length(), "{what}, {d}: {found}, not {best}");
    }

    /// The walk ends where a comparison of all corners does: along random directions, along normals,
    /// where many corners are equally far, and along edges.
    #[test]
    fn extreme_vertices_are_those_of_brute_force() {
        for seed in 0..20 {
            let rng = &mut StdRng::seed_from_u64(seed);
            let count = rng.random_range(20..600);
            let hull = random_hull(rng, count);
            assert!(hull.is_large() == (hull.vertices.len() > FEW));
            for _ in 0..500 {
                check(&hull, direction(rng), &format!("seed {seed}"));
            }
            for (k, face) in hull.faces.iter().enumerate() {
                check(&hull, face.normal, &format!("seed {seed}, normal"));
                assert_eq!(hull.gauss_map().face_along(&hull, face.normal), k, "seed {seed}");
                let d = direction(rng);
                let found = hull.gauss_map().face_along(&hull, d);
                let best = hull.faces.iter().fold(-1e9, |m: f64, f| m.max(f.normal.dot(d)));
                assert_eq!(hull.faces[found].normal.dot(d), best, "seed {seed}, {d}");
            }
            for edge in &hull.edges {
                let [p, q] = edge.vertices.map(|k| hull.vertices[k as usize]);
                check(&hull, q - p, &format!("seed {seed}, edge"));
            }
            check(&hull, Vec3::ZERO, &format!("seed {seed}"));
            for _ in 0..50 {
                let turn = crate::Quat::from_scaled_axis(direction(rng) * 3.0);
                let pose = Pose::new(direction(rng) * 5.0, turn);
                let b = hull.gauss_map().loose_bounds(&pose);
                let points = hull.vertices.iter().map(|&v| pose.point(v));
                let inside = |v: Vec3| v.cmpge(b.min).all() && v.cmple(b.max).all();
                assert!(points.into_iter().all(inside), "seed {seed}");
            }
        }
    }

    /// Flat faces with hundreds of corners, and sides that are almost parallel.
    #[test]
    fn extreme_vertices_of_prisms_are_those_of_brute_force() {
        let prism = &Polytope::prism(1.0, 0.5, 300).unwrap();
        let rng = &mut StdRng::seed_from_u64(3);
        for d in [Vec3::Z, -Vec3::Z, Vec3::X, Vec3::new(1e-12, 0.0, 1.0)] {
            check(prism, d, "prism");
        }
        for _ in 0..500 {
            check(prism, direction(rng), "prism");
            check(prism, Vec3::Z + 1e-9 * direction(rng), "prism");
        }
    }
}
