//! Which triangle is seen in each sample of a band of rows.

use crate::triangles::{BAND, GRID, Triangle};

/// Where the samples of a pixel are \[1/256 pixel\]: no two in one row or column.
pub(crate) trait Pattern {
    const SAMPLES: &'static [(i64, i64)];
}

/// Four samples, on a turned square.
pub(crate) struct Four;
/// Sixteen samples.
pub(crate) struct Sixteen;
/// The middle alone.
pub(crate) struct One;

impl Pattern for One {
    const SAMPLES: &'static [(i64, i64)] = &[(128, 128)];
}

impl Pattern for Four {
    const SAMPLES: &'static [(i64, i64)] = &[(96, 32), (224, 96), (32, 160), (160, 224)];
}

impl Pattern for Sixteen {
    const SAMPLES: &'static [(i64, i64)] = &[
        (8, 120),
        (24, 56),
        (40, 184),
        (56, 248),
        (72, 88),
        (88, 24),
        (104, 152),
        (120, 216),
        (136, 104),
        (152, 40),
        (168, 168),
        (184, 232),
        (200, 72),
        (216, 8),
        (232, 136),
        (248, 200),
    ];
}

/// Nothing is seen.
pub(crate) const NOTHING: u32 = u32::MAX;

/// The samples of a band.
pub(crate) struct Samples {
    width: usize,
    /// First row.
    top: usize,
    rows: usize,
    per_pixel: usize,
    near: Vec<f32>,
    /// What is seen: a number that the caller chose.
    pub seen: Vec<u32>,
}

/// The side functions of a triangle at a place: positive inside, changing by `dx` and `dy` for
/// each 1/256 pixel.
#[derive(Clone, Copy)]
struct Side {
    x: i64,
    y: i64,
    dx: i64,
    dy: i64,
    /// A sample on the side itself belongs to one of the two triangles that share it.
    least: i64,
}

impl Side {
    fn of(t: &Triangle, i: usize) -> Self {
        let j = (i + 1) % 3;
        let of = |v: i32| i64::from(v);
        let (dx, dy) = (of(t.y[i]) - of(t.y[j]), of(t.x[j]) - of(t.x[i]));
        let owns = dx > 0 || (dx == 0 && dy > 0);
        Self { x: of(t.x[i]), y: of(t.y[i]), dx, dy, least: i64::from(!owns) }
    }

    fn at(&self, x: i64, y: i64) -> i64 {
        self.dx * (x - self.x) + self.dy * (y - self.y)
    }

    /// Smallest and largest change over a square of that size.
    fn change(&self, size: i64) -> (i64, i64) {
        let (x, y) = (self.dx * size, self.dy * size);
        (x.min(0) + y.min(0), x.max(0) + y.max(0))
    }
}

/// Pixels in the side of a square that is tested at once.
const BLOCK: i64 = 8;

impl Samples {
    /// Room for bands of that width.
    pub fn new(width: usize, per_pixel: usize) -> Self {
        let count = width * BAND * per_pixel;
        let (near, seen) = (vec![f32::NEG_INFINITY; count], vec![NOTHING; count]);
        Self { width, top: 0, rows: BAND, per_pixel, near, seen }
    }

    /// Nothing is seen yet in that many rows from `top` on.
    pub fn begin(&mut self, top: usize, rows: usize) {
        (self.top, self.rows) = (top, rows.min(BAND));
        self.near.fill(f32::NEG_INFINITY);
        self.seen.fill(NOTHING);
    }

    /// The samples of a pixel, by its row in the band.
    pub fn pixel(&self, x: usize, row: usize) -> &[u32] {
        let i = (row * self.width + x) * self.per_pixel;
        &self.seen[i..i + self.per_pixel]
    }

    /// The nearness of every sample.
    pub fn nearness(&self) -> &[f32] {
        &self.near
    }

    /// What comes next is drawn over all that was.
    pub fn over(&mut self) {
        self.near.fill(f32::NEG_INFINITY);
    }

    /// A plane with that nearness, wherever it is in front of the eye.
    pub fn plane<P: Pattern>(&mut self, plane: [f64; 3], positive: bool, id: u32) {
        for row in 0..self.rows {
            let y = (self.top + row) as f64;
            for x in 0..self.width {
                let base = (row * self.width + x) * self.per_pixel;
                let n = plane[0] + plane[1] * x as f64 + plane[2] * y;
                for (s, (sx, sy)) in P::SAMPLES.iter().enumerate() {
                    let shift = plane[1] * *sx as f64 + plane[2] * *sy as f64;
                    let near = (n + shift / GRID as f64) as f32;
                    if near > self.near[base + s] && (!positive || near > 0.0) {
                        (self.near[base + s], self.seen[base + s]) = (near, id);
                    }
                }
            }
        }
    }

    /// A triangle.
    pub fn triangle<P: Pattern>(&mut self, t: &Triangle, id: u32) {
        let pixels = |v: &[i32; 3], low: i64, high: i64| {
            let least = v.iter().copied().min().unwrap_or(0);
            let most = v.iter().copied().max().unwrap_or(-1);
            let (a, b) = (i64::from(least).div_euclid(GRID), i64::from(most).div_euclid(GRID));
            (a.max(low), b.min(high - 1))
        };
        let (left, right) = pixels(&t.x, 0, self.width as i64);
        let (top, bottom) = (self.top as i64, (self.top + self.rows) as i64);
        let (first, last) = pixels(&t.y, top, bottom);
        let sides = [0, 1, 2].map(|i| Side::of(t, i));
        let whole = sides.map(|s| s.change(BLOCK * GRID));
        let mut y = first;
        while y <= last {
            let mut x = left;
            while x <= right {
                let at = [0, 1, 2].map(|i| sides[i].at(x * GRID, y * GRID));
                let out = (0..3).any(|i| at[i] + whole[i].1 < sides[i].least);
                if !out {
                    let inside = (0..3).all(|i| at[i] + whole[i].0 >= sides[i].least);
                    let corner = (x, y, (x + BLOCK - 1).min(right), (y + BLOCK - 1).min(last));
                    self.block::<P>((t, id), corner, if inside { None } else { Some(&sides) });
                }
                x += BLOCK;
            }
            y += BLOCK;
        }
    }

    /// The pixels of a block; without sides, all its samples are inside.
    fn block<P: Pattern>(
        &mut self,
        (t, id): (&Triangle, u32),
        (x0, y0, x1, y1): (i64, i64, i64, i64),
        sides: Option<&[Side; 3]>,
    ) {
        let shift = |&(sx, sy): &(i64, i64)| {
            ((t.plane[1] * sx as f64 + t.plane[2] * sy as f64) / GRID as f64) as f32
        };
        for y in y0..=y1 {
            let row = (y as usize - self.top) * self.width;
            for x in x0..=x1 {
                let base = (row + x as usize) * self.per_pixel;
                let n = (t.plane[0] + t.plane[1] * x as f64 + t.plane[2] * y as f64) as f32;
                let at = sides.map(|s| [0, 1, 2].map(|i| s[i].at(x * GRID, y * GRID) - s[i].least));
                for (k, sample) in P::SAMPLES.iter().enumerate() {
                    if let (Some(at), Some(sides)) = (at, sides) {
                        let value =
                            |i: usize| at[i] + sides[i].dx * sample.0 + sides[i].dy * sample.1;
                        if (value(0) | value(1) | value(2)) < 0 {
                            continue;
                        }
                    }
                    let near = n + shift(sample);
                    if near > self.near[base + k] {
                        (self.near[base + k], self.seen[base + k]) = (near, id);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(x: [i32; 3], y: [i32; 3]) -> Triangle {
        let normals = [[0.0; 3]; 3];
        let mut t = Triangle { x, y, plane: [1.0, 0.0, 0.0], normals, material: 0, sides: 0 };
        if t.area() < 0 {
            t.x.swap(1, 2);
            t.y.swap(1, 2);
        }
        t
    }

    /// Triangles around a common corner cover every sample of their union once: no gap along the
    /// sides that they share, and no sample twice.
    #[test]
    fn neighbours_share_their_side_without_gap_or_overlap() {
        let ring: [(i32, i32); 7] = [
            (60, 40),
            (9000, 77),
            (12000, 1500),
            (9100, 3900),
            (5000, 4050),
            (700, 3800),
            (13, 2000),
        ];
        let middle = (5003, 2011);
        let mut count = vec![0; 48 * 16 * 16];
        for i in 0..7 {
            let (a, b) = (ring[i], ring[(i + 1) % 7]);
            let mut samples = Samples::new(48, 16);
            samples.begin(0, 16);
            let t = triangle([middle.0, a.0, b.0], [middle.1, a.1, b.1]);
            samples.triangle::<Sixteen>(&t, 1);
            let hits = samples.seen.iter().zip(&mut count);
            hits.for_each(|(&seen, n)| *n += usize::from(seen == 1));
        }
        assert!(count.iter().all(|&n| n <= 1), "a sample is covered twice");
        // The samples inside of the heptagon, by its area: each stands for 1/16 pixel.
        let area: i64 = (0..7)
            .map(|i| {
                let (a, b) = (ring[i], ring[(i + 1) % 7]);
                i64::from(a.0) * i64::from(b.1) - i64::from(b.0) * i64::from(a.1)
            })
            .sum();
        let (found, right) = (count.iter().sum::<usize>() as f64, area.abs() as f64 / 2.0 / 4096.0);
        assert!((found - right).abs() < 40.0, "{found} samples, {right} by area");
        // Around the corner that all share, nothing is missing.
        let (x, y) = (middle.0 as usize / 256, middle.1 as usize / 256);
        let i = (y * 48 + x) * 16;
        assert!(count[i..i + 16].iter().all(|&n| n == 1));
    }
}
