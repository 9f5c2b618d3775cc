//! Triangles in the picture: clipped, projected, snapped to a fine grid.

use stickslip::geometry::Vec3;

use crate::camera::View;

/// Steps of the grid in a pixel: corners are whole numbers of it, so that two triangles with a
/// common side share it without gap or overlap.
pub(crate) const GRID: i64 = 256;

/// Rows that are drawn together.
pub(crate) const BAND: usize = 16;

/// A triangle ready to be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// Corners \[1/256 pixel\], such that the side functions are positive inside.
    pub x: [i32; 3],
    pub y: [i32; 3],
    /// Nearness `n0 + nx X + ny Y` \[pixels\].
    pub plane: [f64; 3],
    /// Normals of the surface at the corners, weighted for their perspective.
    pub normals: [[f32; 3]; 3],
    pub material: u32,
    /// Bit `i`: the side from corner `i` to the next is drawn as an edge.
    pub sides: u8,
}

impl Triangle {
    /// Twice the area \[1/256² pixels\].
    pub fn area(&self) -> i64 {
        let d = |v: &[i32; 3], i: usize| i64::from(v[i]) - i64::from(v[0]);
        d(&self.x, 1) * d(&self.y, 2) - d(&self.y, 1) * d(&self.x, 2)
    }
}

/// A corner before it is projected.
#[derive(Clone, Copy, Debug)]
struct Corner {
    /// Camera coordinates.
    at: Vec3,
    /// World frame.
    normal: Vec3,
    /// The side that begins here is drawn.
    side: bool,
}

/// Collects the triangles of a picture, in the order they were added, for each band of rows.
pub(crate) struct Triangles<'a> {
    view: &'a View,
    size: [usize; 2],
    /// `n . c + k >= 0` inside.
    planes: Vec<(Vec3, f64)>,
    pub all: Vec<Triangle>,
    /// Indices of the triangles that touch each band.
    pub bands: Vec<Vec<u32>>,
}

/// Triangles reach at most this many pictures beyond the border.
const GUARD: f64 = 4.0;

impl<'a> Triangles<'a> {
    pub fn new(view: &'a View, width: usize, height: usize) -> Self {
        let reach = |side: usize| GUARD * side as f64 / view.scale;
        let (rx, ry) = (reach(width), reach(height));
        let sides = [(Vec3::X, rx), (Vec3::NEG_X, rx), (Vec3::Y, ry), (Vec3::NEG_Y, ry)];
        let mut planes: Vec<(Vec3, f64)> = match view.flat {
            true => sides.to_vec(),
            false => sides.map(|(n, r)| (n + Vec3::Z * r, 0.0)).to_vec(),
        };
        if !view.flat {
            planes.insert(0, (Vec3::Z, -view.near));
        }
        let bands = vec![Vec::new(); height.div_ceil(BAND)];
        Self { view, size: [width, height], planes, all: Vec::new(), bands }
    }

    /// Adds a triangle of the world; `normals` in world frame; the back of a closed shape is left
    /// out, that of others is seen from behind.
    pub fn add(
        &mut self,
        points: [Vec3; 3],
        normals: [Vec3; 3],
        (material, sides): (u32, u8),
        closed: bool,
    ) {
        let at = points.map(|p| self.view.see(p));
        // Camera coordinates are left-handed: what faces the eye has its normal along the ray.
        let across = (at[1] - at[0]).cross(at[2] - at[0]);
        let facing = if self.view.flat { across.z } else { across.dot(at[0]) };
        if (closed && facing <= 0.0) || !facing.is_finite() {
            return;
        }
        let turn = if facing < 0.0 { -1.0 } else { 1.0 };
        let corner =
            |i: usize| Corner { at: at[i], normal: normals[i] * turn, side: sides >> i & 1 == 1 };
        let corners = [corner(0), corner(1), corner(2)];
        let inside = |c: &Corner| self.planes.iter().all(|(n, k)| n.dot(c.at) + k >= 0.0);
        if corners.iter().all(inside) {
            self.project(corners, material);
            return;
        }
        let clipped = self.clip(&corners);
        for i in 1..clipped.len().saturating_sub(1) {
            let mut fan = [clipped[0], clipped[i], clipped[i + 1]];
            fan[0].side &= i == 1;
            fan[2].side &= i + 2 == clipped.len();
            self.project(fan, material);
        }
    }

    /// The part in front of all planes (Sutherland and Hodgman).
    fn clip(&self, corners: &[Corner]) -> Vec<Corner> {
        let mut polygon = corners.to_vec();
        for (n, k) in &self.planes {
            let height = |c: &Corner| n.dot(c.at) + k;
            let mut kept = Vec::with_capacity(polygon.len() + 1);
            for (i, a) in polygon.iter().enumerate() {
                let b = &polygon[(i + 1) % polygon.len()];
                let (ha, hb) = (height(a), height(b));
                if ha >= 0.0 {
                    kept.push(*a);
                }
                if (ha >= 0.0) != (hb >= 0.0) {
                    let s = ha / (ha - hb);
                    // The side that begins here runs along the plane, if the polygon leaves it.
                    let side = a.side && hb >= 0.0;
                    let (at, normal) = (a.at.lerp(b.at, s), a.normal.lerp(b.normal, s));
                    kept.push(Corner { at, normal, side });
                }
            }
            polygon = kept;
        }
        polygon
    }

    fn project(&mut self, corners: [Corner; 3], material: u32) {
        let mut places = corners.map(|c| {
            let [x, y, near] = self.view.screen(c.at);
            let snap = |v: f64| (v * GRID as f64).round() as i32;
            (snap(x), snap(y), near, c)
        });
        let area = |p: &[(i32, i32, f64, Corner); 3]| {
            let d = |a: i32, b: i32| i64::from(a) - i64::from(b);
            d(p[1].0, p[0].0) * d(p[2].1, p[0].1) - d(p[1].1, p[0].1) * d(p[2].0, p[0].0)
        };
        let mut sides = places.map(|p| p.3.side);
        let mut twice = area(&places);
        if twice < 0 {
            places.swap(1, 2);
            // 0-1, 1-2, 2-0 become 0-2, 2-1, 1-0.
            sides.swap(0, 2);
            twice = -twice;
        }
        if twice == 0 {
            return;
        }
        let weight = |near: f64| if self.view.flat { 1.0 } else { near };
        let normal = |i: usize| (places[i].3.normal * weight(places[i].2)).to_array();
        let triangle = Triangle {
            x: [0, 1, 2].map(|i| places[i].0),
            y: [0, 1, 2].map(|i| places[i].1),
            plane: nearness(&places.map(|p| (p.0, p.1, p.2)), twice),
            normals: [0, 1, 2].map(|i| normal(i).map(|v| v as f32)),
            material,
            sides: [0, 1, 2].iter().map(|&i| u8::from(sides[i]) << i).sum(),
        };
        self.bin(triangle);
    }

    /// Lists the triangle in the bands that it may touch.
    fn bin(&mut self, triangle: Triangle) {
        let range = |v: &[i32; 3], side: usize| {
            let (low, high) = (v.iter().min().copied()?, v.iter().max().copied()?);
            let (low, high) = (i64::from(low).div_euclid(GRID), i64::from(high).div_euclid(GRID));
            let (low, high) = (low.max(0), high.min(side as i64 - 1));
            (low <= high).then_some((low as usize, high as usize))
        };
        let rows = range(&triangle.y, self.size[1]);
        let (Some((top, bottom)), Some(_)) = (rows, range(&triangle.x, self.size[0])) else {
            return;
        };
        let index = self.all.len() as u32;
        self.all.push(triangle);
        self.bands[top / BAND..=bottom / BAND].iter_mut().for_each(|band| band.push(index));
    }
}

/// The plane through three places with their nearness.
fn nearness(p: &[(i32, i32, f64); 3], twice: i64) -> [f64; 3] {
    let grid = GRID as f64;
    let (x, y) = (p.map(|c| f64::from(c.0) / grid), p.map(|c| f64::from(c.1) / grid));
    let area = twice as f64 / (grid * grid);
    let (d1, d2) = (p[1].2 - p[0].2, p[2].2 - p[0].2);
    let nx = (d1 * (y[2] - y[0]) - d2 * (y[1] - y[0])) / area;
    let ny = (d2 * (x[1] - x[0]) - d1 * (x[2] - x[0])) / area;
    [p[0].2 - nx * x[0] - ny * y[0], nx, ny]
}
