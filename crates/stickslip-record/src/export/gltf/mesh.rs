//! Shapes as triangles with flat normals, or smooth ones where they are round.

use std::f64::consts::PI;

use stickslip::geometry::Vec3;

use crate::view::ViewShape;

/// Pieces around a full circle.
const SIDES: usize = 32;

#[derive(Default)]
struct Soup {
    points: Vec<f32>,
    normals: Vec<f32>,
}

impl Soup {
    fn corner(&mut self, point: Vec3, normal: Vec3) {
        self.points.extend(point.to_array().map(|x| x as f32));
        self.normals.extend(normal.to_array().map(|x| x as f32));
    }

    /// A flat convex face, counter-clockwise from outside.
    fn face(&mut self, corners: &[Vec3]) {
        for i in 1..corners.len().saturating_sub(1) {
            let (a, b, c) = (corners[0], corners[i], corners[i + 1]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            if normal != Vec3::ZERO {
                [a, b, c].iter().for_each(|&p| self.corner(p, normal));
            }
        }
    }

    /// A band of revolution about z between two circles (radius, z), each with the normal
    /// (radial, z) along it.
    fn band(&mut self, ends: [(f64, f64); 2], normals: [(f64, f64); 2]) {
        let at = |(r, z): (f64, f64), i: usize| {
            let angle = 2.0 * PI * (i % SIDES) as f64 / SIDES as f64;
            Vec3::new(r * angle.cos(), r * angle.sin(), z)
        };
        for i in 0..SIDES {
            let quad = [(0, i), (0, i + 1), (1, i + 1), (1, i)];
            for triple in [[0, 1, 2], [0, 2, 3]] {
                let corners = triple.map(|k| quad[k]);
                let points = corners.map(|(e, j)| at(ends[e], j));
                if (points[1] - points[0]).cross(points[2] - points[0]) != Vec3::ZERO {
                    corners
                        .iter()
                        .zip(points)
                        .for_each(|(&(e, j), p)| self.corner(p, at(normals[e], j)));
                }
            }
        }
    }

    /// A profile of circles, smooth from one to the next.
    fn dome(&mut self, radius: f64, shift: f64, from: f64, to: f64) {
        let steps = SIDES / 4;
        let at = |k: usize| {
            let angle = from + (to - from) * k as f64 / steps as f64;
            ((radius * angle.cos(), radius * angle.sin() + shift), (angle.cos(), angle.sin()))
        };
        for k in 0..steps {
            let ((a, na), (b, nb)) = (at(k), at(k + 1));
            self.band([a, b], [na, nb]);
        }
    }
}

/// Corners and normals of the triangles; `ground` is the side of a drawn half-space \[m\].
pub(super) fn triangles(shape: &ViewShape, dimension: u8, ground: f64) -> (Vec<f32>, Vec<f32>) {
    let mut soup = Soup::default();
    let corner = |vertices: &[[f64; 3]], i: u32| {
        vertices.get(i as usize).map_or(Vec3::ZERO, |v| Vec3::from_array(*v))
    };
    match shape {
        ViewShape::Polytope { vertices, faces } => {
            for face in faces {
                let loop_: Vec<Vec3> = face.iter().map(|&i| corner(vertices, i)).collect();
                soup.face(&loop_);
            }
        }
        ViewShape::Mesh { vertices, triangles } => {
            triangles.iter().for_each(|t| soup.face(&t.map(|i| corner(vertices, i))));
        }
        ViewShape::Polygon { vertices } => {
            soup.face(&vertices.iter().map(|v| Vec3::from_array(*v)).collect::<Vec<_>>());
        }
        ViewShape::Ball { radius } if dimension == 2 => {
            soup.band([(*radius, 0.0), (0.0, 0.0)], [(0.0, 1.0); 2]);
        }
        ViewShape::Ball { radius } => {
            soup.dome(*radius, 0.0, -PI / 2.0, 0.0);
            soup.dome(*radius, 0.0, 0.0, PI / 2.0);
        }
        ViewShape::Capsule { half, radius } => {
            soup.dome(*radius, -half, -PI / 2.0, 0.0);
            soup.band([(*radius, -half), (*radius, *half)], [(1.0, 0.0); 2]);
            soup.dome(*radius, *half, 0.0, PI / 2.0);
        }
        ViewShape::Cylinder { half, radius } => {
            soup.band([(0.0, -half), (*radius, -half)], [(0.0, -1.0); 2]);
            soup.band([(*radius, -half), (*radius, *half)], [(1.0, 0.0); 2]);
            soup.band([(*radius, *half), (0.0, *half)], [(0.0, 1.0); 2]);
        }
        ViewShape::Cone { half, radius } => {
            let slope = (2.0 * half).hypot(*radius);
            let normal = (2.0 * half / slope, radius / slope);
            soup.band([(0.0, -half), (*radius, -half)], [(0.0, -1.0); 2]);
            soup.band([(*radius, -half), (0.0, *half)], [normal; 2]);
        }
        ViewShape::HalfSpace => {
            let s = ground;
            let square = [(-s, -s), (s, -s), (s, s), (-s, s)];
            let flat = |(x, y): (f64, f64)| match dimension {
                2 => Vec3::new(x, if y < 0.0 { -s } else { 0.0 }, 0.0),
                _ => Vec3::new(x, y, 0.0),
            };
            soup.face(&square.map(flat));
        }
    }
    (soup.points, soup.normals)
}
