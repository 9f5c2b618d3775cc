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

/// Ground: the surface of a half-space, with a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    /// Its surface is the plane z = 0 of this frame.
    pub pose: Pose,
    /// Where it fades out around, in its own frame \[m\].
    pub middle: [f64; 2],
    /// Nearness as [`View::plane`].
    pub plane: [f64; 3],
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
        let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
        let back = self.background(x as usize, y as usize);
        let at = |x: f64, y: f64| {
            let near = ground.plane[0] + ground.plane[1] * x + ground.plane[2] * y;
            (self.view.flat || near > 0.0).then(|| self.view.world(x, y, near))
        };
        let Some(p) = at(x, y) else { return back };
        let own = ground.pose.inverse_point(p);
        let far = (own.x - ground.middle[0]).hypot(own.y - ground.middle[1]);
        let shown = 1.0 - smoothstep(0.3 * self.reach, self.reach, far);
        if shown <= 0.0 {
            return back;
        }
        // How far the next pixels are, in the frame of the ground.
        let step = |q: Option<Vec3>| match q {
            Some(q) => ground.pose.inverse_vector(q - p),
            None => Vec3::splat(self.reach),
        };
        let (right, down) = (step(at(x + 1.0, y)), step(at(x, y + 1.0)));
        let slope = [right.x.abs() + down.x.abs(), right.y.abs() + down.y.abs()];
        let line = self.grid([own.x, own.y], slope);
        let plain = mix(self.theme.ground, self.theme.grid, line);
        let normal = ground.pose.vector(Vec3::Z);
        let lit = self.shadow.map_or(1.0, |s| s.light(p, normal));
        let dim = 1.0 - self.theme.shadow * (1.0 - lit);
        mix(back, plain.map(|c| c * dim), shown as f32)
    }

    /// How much of a line of the grid is here, 0 to 1; `slope` is a pixel in either direction.
    fn grid(&self, p: [f64; 2], slope: [f64; 2]) -> f32 {
        let lines = |size: f64, width: f64| {
            let one = |i: usize| {
                let (x, slope) = (p[i] / size, (slope[i] / size).max(1e-9));
                let d = (x - x.round()).abs() / slope;
                let fade = 1.0 - smoothstep(0.25, 0.7, slope);
                (1.0 - smoothstep(width - 0.5, width + 0.5, d)) * fade
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
        let length = dx.hypot(dy).max(1e-9);
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
