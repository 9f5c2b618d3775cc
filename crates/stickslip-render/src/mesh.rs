//! Shapes as triangles.

use std::{collections::BTreeMap, sync::OnceLock};

use stickslip::geometry::Vec3;
use stickslip_record::view::ViewShape;

use crate::round;

/// A triangle of a shape, counter-clockwise from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facet {
    pub points: [Vec3; 3],
    /// Of the surface at the corners.
    pub normals: [Vec3; 3],
    /// Bit `i`: the side from corner `i` to the next is an edge of the shape.
    pub sides: u8,
}

/// The triangles of a shape, in its own frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub facets: Vec<Facet>,
    /// It has an inside, which is never seen.
    pub closed: bool,
}

impl Mesh {
    /// A flat convex face; `shown(i)` tells whether the side from corner `i` is drawn.
    pub fn face(&mut self, corners: &[Vec3], shown: impl Fn(usize) -> bool) {
        let normal = normal(corners);
        let n = corners.len();
        if n < 3 || normal == Vec3::ZERO {
            return;
        }
        for i in 1..n - 1 {
            let first = i == 1 && shown(0);
            let last = i + 2 == n && shown(n - 1);
            let sides = u8::from(first) | u8::from(shown(i)) << 1 | u8::from(last) << 2;
            let points = [corners[0], corners[i], corners[i + 1]];
            self.facets.push(Facet { points, normals: [normal; 3], sides });
        }
    }
}

/// Unit normal of a polygon by Newell's sum, which does not mind collinear corners.
fn normal(corners: &[Vec3]) -> Vec3 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.cross(*b)).sum::<Vec3>().normalize_or_zero()
}

/// Edges where faces meet at a smaller angle than this are not drawn \[cosine\].
const SMOOTH: f64 = 0.94;

/// Faces that share corners: an edge is drawn where they meet at an angle, or where one ends.
fn faces(points: &[Vec3], loops: &[Vec<u32>]) -> Mesh {
    let corner = |i: u32| points.get(i as usize).copied().unwrap_or(Vec3::ZERO);
    let corners: Vec<Vec<Vec3>> =
        loops.iter().map(|face| face.iter().map(|&i| corner(i)).collect()).collect();
    let normals: Vec<Vec3> = corners.iter().map(|face| normal(face)).collect();
    let side = |face: &[u32], i: usize| {
        let (a, b) = (face[i], face[(i + 1) % face.len()]);
        (a.min(b), a.max(b))
    };
    let mut meeting: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (f, face) in loops.iter().enumerate() {
        (0..face.len()).for_each(|i| meeting.entry(side(face, i)).or_default().push(f));
    }
    let mut mesh = Mesh::default();
    for (f, face) in loops.iter().enumerate() {
        mesh.face(&corners[f], |i| match meeting.get(&side(face, i)).map(Vec::as_slice) {
            Some(&[a, b]) => normals[a].dot(normals[b]) < SMOOTH,
            _ => true,
        });
    }
    mesh
}

/// Sides of a full circle, by how large it is drawn.
const SIDES: [usize; 4] = [12, 24, 48, 96];

/// A shape and its triangles, made when they are needed.
pub(crate) struct Shape {
    kind: ViewShape,
    planar: bool,
    meshes: [OnceLock<Mesh>; SIDES.len()],
    /// All of it is within this distance of its origin \[m\]; infinite for a half-space.
    pub radius: f64,
    /// Points whose hull holds it; none for a half-space.
    pub corners: Vec<Vec3>,
}

impl Shape {
    pub fn new(kind: &ViewShape, planar: bool) -> Self {
        let corners = corners(kind, planar);
        let radius = match kind {
            ViewShape::HalfSpace => f64::INFINITY,
            ViewShape::Ball { radius } => *radius,
            _ => corners.iter().map(|p| p.length()).fold(0.0, f64::max),
        };
        Self { kind: kind.clone(), planar, meshes: Default::default(), radius, corners }
    }

    pub fn is_half_space(&self) -> bool {
        matches!(self.kind, ViewShape::HalfSpace)
    }

    /// Its triangles, fine enough for a radius of that many pixels.
    pub fn mesh(&self, pixels: f64) -> &Mesh {
        let level = match (&self.kind, pixels) {
            (ViewShape::Polytope { .. } | ViewShape::Polygon { .. }, _) => 0,
            (ViewShape::Mesh { .. } | ViewShape::HalfSpace, _) => 0,
            (_, r) if r < 6.0 => 0,
            (_, r) if r < 24.0 => 1,
            (_, r) if r < 90.0 => 2,
            _ => 3,
        };
        self.meshes[level].get_or_init(|| self.build(SIDES[level]))
    }

    fn build(&self, sides: usize) -> Mesh {
        let points = |all: &[[f64; 3]]| all.iter().map(|&p| Vec3::from(p)).collect::<Vec<_>>();
        match &self.kind {
            ViewShape::Polytope { vertices, faces: loops } => {
                Mesh { closed: true, ..faces(&points(vertices), loops) }
            }
            ViewShape::Mesh { vertices, triangles } => {
                let loops: Vec<Vec<u32>> = triangles.iter().map(|t| t.to_vec()).collect();
                faces(&points(vertices), &loops)
            }
            ViewShape::Polygon { vertices } => {
                let mut mesh = Mesh::default();
                mesh.face(&points(vertices), |_| true);
                mesh
            }
            ViewShape::Ball { radius } if self.planar => round::disc(*radius, sides),
            ViewShape::Ball { radius } => round::ball(*radius, sides),
            ViewShape::Capsule { half, radius } => round::capsule(*half, *radius, sides),
            ViewShape::Cylinder { half, radius } => round::cylinder(*half, *radius, sides),
            ViewShape::Cone { half, radius } => round::cone(*half, *radius, sides),
            ViewShape::HalfSpace => Mesh::default(),
        }
    }
}

fn corners(shape: &ViewShape, planar: bool) -> Vec<Vec3> {
    let (r, h) = match shape {
        ViewShape::Polytope { vertices, .. }
        | ViewShape::Polygon { vertices }
        | ViewShape::Mesh { vertices, .. } => {
            return vertices.iter().map(|&p| Vec3::from(p)).collect();
        }
        ViewShape::HalfSpace => return Vec::new(),
        ViewShape::Ball { radius } => (*radius, if planar { 0.0 } else { *radius }),
        ViewShape::Capsule { half, radius } => (*radius, half + radius),
        ViewShape::Cylinder { half, radius } | ViewShape::Cone { half, radius } => (*radius, *half),
    };
    let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
    let corner = |k: usize| Vec3::new(r * sign(k & 1), r * sign(k & 2), h * sign(k & 4));
    (0..8).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Area of a surface and volume inside, by the divergence theorem.
    fn measure(mesh: &Mesh) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for f in &mesh.facets {
            let [a, b, c] = f.points;
            let n = (b - a).cross(c - a);
            sums.0 += 0.5 * n.length();
            sums.1 += a.dot(n) / 6.0;
            // Normals look out, as the order of the corners does.
            assert!(f.normals.iter().all(|m| m.dot(n) > 0.0), "{f:?}");
        }
        sums
    }

    /// Fine meshes have the area and volume of what they stand for, with normals that look out.
    #[test]
    fn meshes_have_the_right_area_and_volume() {
        use std::f64::consts::PI;
        let (r, h) = (0.7_f64, 0.9_f64);
        let (slope, cap) = ((4.0 * h * h + r * r).sqrt(), 4.0 / 3.0 * PI * r * r * r);
        let (half, radius) = (h, r);
        let cases = [
            (ViewShape::Ball { radius }, 4.0 * PI * r * r, cap),
            (
                ViewShape::Cylinder { half, radius },
                2.0 * PI * r * (r + 2.0 * h),
                2.0 * PI * r * r * h,
            ),
            (ViewShape::Cone { half, radius }, PI * r * (r + slope), 2.0 / 3.0 * PI * r * r * h),
            (
                ViewShape::Capsule { half, radius },
                4.0 * PI * r * (r + h),
                cap + 2.0 * PI * r * r * h,
            ),
        ];
        for (shape, area, volume) in cases {
            let (a, v) = measure(Shape::new(&shape, false).mesh(1e3));
            // A polygon of n sides lacks 2π²/(3n²) of its circle's area; twice that is allowed.
            let close = |x: f64, y: f64| (x / y - 1.0).abs() < 3e-3;
            assert!(close(a, area) && close(v, volume), "{shape:?}: {a} {area}, {v} {volume}");
        }
    }

    /// A box shows its twelve edges, each from both faces, and no diagonal.
    #[test]
    fn a_box_has_twelve_edges() {
        let corner = |k: u32| [0, 1, 2].map(|b| f64::from(k >> b & 1));
        let vertices = (0..8).map(corner).collect();
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let faces = faces.map(|f| f.to_vec()).to_vec();
        let shape = Shape::new(&ViewShape::Polytope { vertices, faces }, false);
        let mesh = shape.mesh(10.0);
        assert_eq!(mesh.facets.len(), 12);
        let sides: u32 = mesh.facets.iter().map(|f| f.sides.count_ones()).sum();
        assert_eq!(sides, 24);
        let (area, volume) = measure(mesh);
        assert!((area - 6.0).abs() < 1e-12 && (volume - 1.0).abs() < 1e-12);
    }
}
