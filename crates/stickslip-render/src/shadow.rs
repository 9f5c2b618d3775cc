//! What the light reaches: its own view of the scene, far away and orthographic.

use stickslip::geometry::Vec3;

use crate::{
    Camera, Lens,
    camera::View,
    frames::in_bands,
    raster::{One, Samples},
    triangles::{BAND, Triangles},
};

/// Towards the light; that of the viewer.
pub(crate) const LIGHT: Vec3 = Vec3::new(-0.5, -1.0, 1.35);

/// Rows and columns of the map.
const SIDE: usize = 2048;

/// The nearness to the light of the first thing on each of its rays.
pub(crate) struct Shadow {
    view: View,
    near: Vec<f32>,
    /// A column of the map \[m\].
    texel: f64,
}

/// The light's view of a ball around `middle`.
pub(crate) fn light_view(middle: Vec3, radius: f64) -> View {
    let light = LIGHT.normalize();
    let lens = Lens::Orthographic { height: 2.0 * radius };
    let camera = |target| Camera { position: target + light * radius, target, up: Vec3::Z, lens };
    // Whole columns and rows only, so that the edges of shadows do not crawl while it moves.
    let view = View::new(&camera(middle), SIDE, SIDE);
    let whole = |x: f64| (x * view.scale).round() / view.scale;
    let (x, y) = (view.right.dot(middle), view.up.dot(middle));
    let target = middle + view.right * (whole(x) - x) + view.up * (whole(y) - y);
    View::new(&camera(target), SIDE, SIDE)
}

/// Collects what the light sees.
pub(crate) fn collect(view: &View) -> Triangles<'_> {
    Triangles::new(view, SIDE, SIDE)
}

impl Shadow {
    pub fn new(view: View, triangles: &Triangles<'_>, threads: usize) -> Self {
        let mut near = vec![f32::NEG_INFINITY; SIDE * SIDE];
        let scratch = || Samples::new(SIDE, 1);
        in_bands((&mut near, SIDE * BAND), threads, scratch, |samples, band, out| {
            if triangles.bands[band].is_empty() {
                return;
            }
            samples.begin(band * BAND, BAND);
            for &t in &triangles.bands[band] {
                samples.triangle::<One>(&triangles.all[t as usize], 0);
            }
            out.copy_from_slice(samples.nearness());
        });
        Self { texel: 1.0 / view.scale, view, near }
    }

    /// Part of the light that reaches a point of a surface with normal `n`, 0 to 1.
    pub fn light(&self, p: Vec3, n: Vec3) -> f32 {
        // A little off the surface, lest it shade itself.
        let [x, y, near] = self.view.screen(self.view.see(p + n * (1.5 * self.texel)));
        let near = (near + 0.6 * self.texel) as f32;
        // Weights of three by three samples around the point.
        let (x, y) = (x - 1.0, y - 1.0);
        let most = (SIDE - 3) as f64;
        if !(x >= 0.0 && y >= 0.0 && x < most && y < most) {
            return 1.0;
        }
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = ((x - i as f64) as f32, (y - j as f64) as f32);
        let lit = |di: usize, dj: usize| self.near[(j + dj) * SIDE + i + di] <= near;
        let first = lit(0, 0);
        if lit(2, 0) == first && lit(0, 2) == first && lit(2, 2) == first && lit(1, 1) == first {
            return f32::from(u8::from(first));
        }
        let (wx, wy) = ([1.0 - fx, 1.0, fx], [1.0 - fy, 1.0, fy]);
        let mut sum = 0.0;
        for (dj, wy) in wy.iter().enumerate() {
            for (di, wx) in wx.iter().enumerate() {
                if lit(di, dj) {
                    sum += wx * wy;
                }
            }
        }
        sum * 0.25
    }
}
