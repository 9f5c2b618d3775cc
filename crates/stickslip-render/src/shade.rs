//! The color of what is seen.

use stickslip::geometry::{Pose, Vec3};

use crate::{
    camera::View,
    shadow::{LIGHT, Shadow},
    theme::{Color, Theme, mix},
    triangles::{GRID, Triangle},
};

/// How a surface looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Material {
    pub color: Color,
    /// Lit and shaded; else its color is the same everywhere.
    pub lit: bool,
}

/// Ground: the surface of a half-space, with a grid. A pixel sees the point `e + r / nearness` of
/// its frame, where `r` is linear in the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    /// Its surface is the plane z = 0 of this frame.
    pose: Pose,
    normal: Vec3,
    /// Where it fades out around, in its own frame \[m\].
    middle: Vec3,
    /// Nearness as [`View::plane`].
    pub plane: [f64; 3],
    /// The eye, and the rays of the first pixel and from one to the next, in its frame.
    eye: Vec3,
    rays: [Vec3; 3],
}

impl Ground {
    pub fn new(view: &View, pose: &Pose, middle: Vec3) -> Self {
        let (normal, own) = (pose.vector(Vec3::Z), |d: Vec3| pose.inverse_vector(d));
        let (right, down) = (own(view.right) / view.scale, own(view.up) / -view.scale);
        let corner = right * -view.middle[0] + down * -view.middle[1];
        let first = if view.flat { corner } else { corner + own(view.forward) };
        Self {
            pose: *pose,
            normal,
            middle: pose.inverse_point(middle),
            plane: view.plane(pose.position, normal),
            eye: pose.inverse_point(view.eye),
            rays: [first, right, down],
        }
    }

    /// The point of a pixel in the frame of the ground, and how far the next pixels are there;
    /// none where the ground is behind the eye.
    fn at(&self, view: &View, x: f64, y: f64) -> Option<(Vec3, [f64; 2])> {
        let near = self.plane[0] + self.plane[1] * x + self.plane[2] * y;
        let ray = self.rays[0] + self.rays[1] * x + self.rays[2] * y;
        let (point, steps) = if view.flat {
            let forward = self.pose.inverse_vector(view.forward);
            let step = |k: usize| self.rays[k] - forward * self.plane[k];
            (self.eye + ray - forward * near, [step(1), step(2)])
        } else {
            if near <= 0.0 {
                return None;
            }
            let shift = ray / near;
            let step = |k: usize| (self.rays[k] - shift * self.plane[k]) / near;
            (self.eye + shift, [step(1), step(2)])
        };
        let slope = [0, 1].map(|c| steps[0][c].abs() + steps[1][c].abs());
        Some((point, slope))
    }
}

/// All that colors depend on.
pub(crate) struct Shader<'a> {
    pub view: &'a View,
    pub theme: &'a Theme,
    pub triangles: &'a [Triangle],
    pub materials: &'a [Material],
    pub grounds: &'a [Ground],
    pub shadow: Option<&'a Shadow>,
    /// Side of a cell of the grid, and how far the ground reaches \[m\].
    pub cell: f64,
    pub reach: f64,
    /// Draw edges of bodies.
    pub edges: bool,
    /// Draw a grid where nothing is (2D).
    pub paper: bool,
    /// Rows of the picture.
    pub rows: usize,
}

/// Half the width of an edge \[pixels\].
const EDGE: f64 = 1.0;

fn smoothstep(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The nearest whole number; faster than `round`, which is a call into the library.
fn nearest(x: f64) -> f64 {
    (x + 0.5_f64.copysign(x)) as i64 as f64
}

impl Shader<'_> {
    /// Nothing is there.
    pub fn background(&self, x: usize, y: usize) -> Color {
        let t = y as f32 / self.rows.max(1) as f32;
        let plain = mix(self.theme.background, self.theme.horizon, (1.6 * t).min(1.0));
        if !self.paper {
            return plain;
        }
        let p = self.view.world(x as f64 + 0.5, y as f64 + 0.5, 0.0);
        let pixel = 1.0 / self.view.scale;
        mix(plain, self.theme.grid, 0.6 * self.grid([p.x, p.y], [pixel, pixel]))
    }

    /// Ground number `k`.
    pub fn ground(&self, k: usize, x: usize, y: usize) -> Color {
        let ground = &self.grounds[k];
        let seen = ground.at(self.view, x as f64 + 0.5, y as f64 + 0.5);
        let Some((own, slope)) = seen else { return self.background(x, y) };
        let far = own.distance(ground.middle.with_z(own.z));
        let shown = 1.0 - smoothstep(0.3 * self.reach, self.reach, far);
        if shown <= 0.0 {
            return self.background(x, y);
        }
        let line = self.grid([own.x, own.y], slope);
        let plain = mix(self.theme.ground, self.theme.grid, line);
        let lit = self.shadow.map_or(1.0, |s| s.light(ground.pose.point(own), ground.normal));
        let dim = 1.0 - self.theme.shadow * (1.0 - lit);
        let color = plain.map(|c| c * dim);
        if shown >= 1.0 { color } else { mix(self.background(x, y), color, shown as f32) }
    }

    /// How much of a line of the grid is here, 0 to 1; `slope` is a pixel in either direction.
    fn grid(&self, p: [f64; 2], slope: [f64; 2]) -> f32 {
        let lines = |size: f64, width: f64| {
            let one = |i: usize| {
                let (x, slope) = (p[i] / size, (slope[i] / size).max(1e-9));
                let d = (x - nearest(x)).abs();
                // Most pixels are on no line.
                if d >= (width + 0.5) * slope || slope >= 0.7 {
                    return 0.0;
                }
                let fade = 1.0 - smoothstep(0.25, 0.7, slope);
                (1.0 - smoothstep(width - 0.5, width + 0.5, d / slope)) * fade
            };
            one(0).max(one(1))
        };
        (0.26 * lines(self.cell, 0.6)).max(0.5 * lines(5.0 * self.cell, 0.8)) as f32
    }

    /// Triangle number `k` in a pixel.
    pub fn surface(&self, k: usize, x: usize, y: usize) -> Color {
        let t = &self.triangles[k];
        let material = &self.materials[t.material as usize];
        let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
        let sides = sides(t, x, y);
        let mut color = material.color;
        if material.lit {
            let near = t.plane[0] + t.plane[1] * x + t.plane[2] * y;
            let near = if self.view.flat { near } else { near.max(1e-9) };
            color = self.lit(color, self.view.world(x, y, near), normal(t, &sides));
        }
        if !self.edges || t.sides == 0 {
            return color;
        }
        let ink = mix(color.map(|c| 0.25 * c), self.theme.edge, 0.3);
        mix(color, ink, edge(t, &sides) as f32)
    }

    fn lit(&self, color: Color, p: Vec3, n: Vec3) -> Color {
        let light = LIGHT.normalize();
        let facing = n.dot(light);
        let sun = if facing <= 0.0 {
            0.0
        } else {
            facing as f32 * self.shadow.map_or(1.0, |s| s.light(p, n))
        };
        let sky = mix(self.theme.earth, self.theme.sky, (0.5 + 0.5 * n.z) as f32);
        // A soft highlight lets one see how a round surface is turned.
        let half = (light + self.view.back(p)).normalize_or_zero();
        let shine = if sun > 0.0 { n.dot(half).max(0.0).powi(24) as f32 * 0.10 } else { 0.0 };
        let theme = self.theme;
        [0, 1, 2].map(|i| {
            color[i] * (theme.ambient * sky[i] + theme.sun * sun) + shine * sun * theme.sun
        })
    }
}

/// Distances of a place from the three sides \[pixels\], positive inside, and their heights: the
/// distance of the corner opposite each side.
struct Sides {
    distance: [f64; 3],
    height: [f64; 3],
}

fn sides(t: &Triangle, x: f64, y: f64) -> Sides {
    let g = GRID as f64;
    let (tx, ty) = (t.x.map(|v| f64::from(v) / g), t.y.map(|v| f64::from(v) / g));
    let area = t.area() as f64 / (g * g);
    let mut out = Sides { distance: [0.0; 3], height: [0.0; 3] };
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (dx, dy) = (tx[j] - tx[i], ty[j] - ty[i]);
        // Many times faster than `hypot`, and pixels neither overflow nor vanish.
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        out.distance[i] = (dx * (y - ty[i]) - dy * (x - tx[i])) / length;
        out.height[i] = area / length;
    }
    out
}

/// How much of an edge is here, 0 to 1; small triangles have weaker ones.
fn edge(t: &Triangle, sides: &Sides) -> f64 {
    let mut most: f64 = 0.0;
    for i in (0..3).filter(|i| t.sides >> i & 1 == 1) {
        let near = 1.0 - smoothstep(EDGE - 0.6, EDGE + 0.6, sides.distance[i].abs());
        let size = 0.2 + 0.5 * smoothstep(2.0, 8.0, sides.height[i]);
        most = most.max(near * size);
    }
    most
}

/// The normal of the surface, between those of the corners.
fn normal(t: &Triangle, sides: &Sides) -> Vec3 {
    let mut n = [0.0; 3];
    for i in 0..3 {
        // Side i is opposite corner i + 2.
        let weight = (sides.distance[i] / sides.height[i].max(1e-9)).clamp(0.0, 1.0);
        let corner = t.normals[(i + 2) % 3];
        (0..3).for_each(|k| n[k] += weight * f64::from(corner[k]));
    }
    let first = t.normals[0].map(f64::from);
    Vec3::from(n).normalize_or(Vec3::from(first).normalize_or(Vec3::Z))
}
