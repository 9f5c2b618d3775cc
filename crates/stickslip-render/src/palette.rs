//! Few colors for many: median cut (Heckbert 1982).

use crate::Picture;

/// Bits kept of each channel while counting.
const BITS: u32 = 5;
const BINS: usize = 1 << (3 * BITS);

/// Colors of a film, at most 255, and the nearest one to each of [`BINS`] colors.
pub(crate) struct Palette {
    pub colors: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// Colors that are counted together, with how often each occurs.
struct Cluster {
    members: Vec<(usize, u64)>,
}

fn bin(pixel: &[u8]) -> usize {
    let part = |v: u8| usize::from(v >> (8 - BITS));
    part(pixel[0]) << (2 * BITS) | part(pixel[1]) << BITS | part(pixel[2])
}

/// Channel `c` of a bin.
fn channel(bin: usize, c: u32) -> u64 {
    (bin >> ((2 - c) * BITS) & ((1 << BITS) - 1)) as u64
}

impl Cluster {
    /// The widest channel and how wide it is, times how many pixels it stands for.
    fn spread(&self) -> (u32, u64) {
        let width = |c: u32| {
            let values = self.members.iter().map(|m| channel(m.0, c));
            values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
        };
        let widest = (0..3).max_by_key(|&c| (width(c), c == 1)).unwrap_or(0);
        let count: u64 = self.members.iter().map(|m| m.1).sum();
        // By width first: a few pixels of a color of their own matter more than shades of gray.
        (widest, width(widest) * width(widest) * count.isqrt())
    }

    /// Two halves along a channel, with as many pixels each as can be.
    fn halves(mut self, c: u32) -> [Self; 2] {
        self.members.sort_by_key(|m| (channel(m.0, c), m.0));
        let total: u64 = self.members.iter().map(|m| m.1).sum();
        let (mut sum, mut at) = (0, 0);
        while at + 1 < self.members.len() && (at == 0 || 2 * sum < total) {
            sum += self.members[at].1;
            at += 1;
        }
        let upper = self.members.split_off(at);
        [self, Self { members: upper }]
    }
}

impl Palette {
    /// Colors for these pictures.
    pub fn of(pictures: &[Picture]) -> Self {
        // Count and sum of the pixels of each bin: the color is the mean, not the bin's middle.
        let mut counts = vec![(0_u64, [0_u64; 3]); BINS];
        for pixel in pictures.iter().flat_map(|p| p.pixels.chunks_exact(3)) {
            let entry = &mut counts[bin(pixel)];
            entry.0 += 1;
            (0..3).for_each(|c| entry.1[c] += u64::from(pixel[c]));
        }
        let members = (0..BINS).filter(|&b| counts[b].0 > 0).map(|b| (b, counts[b].0)).collect();
        let mut clusters = vec![Cluster { members }];
        while clusters.len() < 255 {
            let spreads = clusters.iter().map(Cluster::spread).enumerate();
            let Some((k, (c, spread))) = spreads.max_by_key(|(k, s)| (s.1, usize::MAX - k)) else {
                break;
            };
            if spread == 0 {
                break;
            }
            let [a, b] = clusters.swap_remove(k).halves(c);
            clusters.extend([a, b]);
        }
        let mean = |cluster: &Cluster| {
            let count: u64 = cluster.members.iter().map(|m| m.1).sum();
            [0, 1, 2].map(|c| {
                let sum: u64 = cluster.members.iter().map(|m| counts[m.0].1[c]).sum();
                ((sum + count / 2) / count.max(1)) as u8
            })
        };
        let colors: Vec<[u8; 3]> = clusters.iter().map(mean).collect();
        let nearest = (0..BINS).map(|b| nearest(&colors, b)).collect();
        Self { colors, nearest }
    }

    /// Index of the color for a pixel.
    pub fn index(&self, pixel: &[u8]) -> u8 {
        self.nearest[bin(pixel)]
    }
}

/// The color nearest to the middle of a bin; the eye sees green best and blue worst.
fn nearest(colors: &[[u8; 3]], bin: usize) -> u8 {
    let half = 1 << (7 - BITS);
    let value = |c: u32| (channel(bin, c) << (8 - BITS)) as i64 + half;
    let far = |color: &[u8; 3]| {
        let d = |c: u32| (i64::from(color[c as usize]) - value(c)).pow(2);
        2 * d(0) + 4 * d(1) + d(2)
    };
    (0..colors.len()).min_by_key(|&k| far(&colors[k])).unwrap_or(0) as u8
}
