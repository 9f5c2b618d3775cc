//! The table of random pairs.

use stickslip::{Dimension, Settings};

use crate::{
    fuzz::{self, Met},
    options::Options,
    parallel,
};

/// Seeds that one thread does at a time.
const CHUNK: u64 = 250;

/// A line of the table.
struct Line {
    name: &'static str,
    kind: &'static str,
    dimension: Dimension,
    settings: Settings,
}

/// What the pairs of a line met.
#[derive(Default)]
struct Sum {
    pairs: usize,
    pushed: usize,
    held: usize,
    worst: f64,
    bad: u64,
    ratio: f64,
    gained: f64,
    above: [usize; LIMITS.len()],
    unsolved: usize,
    substeps: usize,
    fallbacks: usize,
}

/// Distance on their way, as a part of the smaller body, that lets bodies pass: more than turning
/// bodies come nearer between two looks.
const ROOM: f64 = 1e-3;
/// Depths that are counted, as a part of the smaller body.
const LIMITS: [f64; 3] = [1e-9, 1e-6, 3e-6];

impl Sum {
    fn add(&mut self, seed: u64, met: &Met) {
        self.pairs += 1;
        self.pushed += usize::from(met.pushed);
        self.held += usize::from(met.pushed && met.room > ROOM);
        if met.depth > self.worst {
            (self.worst, self.bad) = (met.depth, seed);
        }
        self.ratio = self.ratio.max(met.depth / (met.turned * met.turned).max(1e-6));
        self.gained = self.gained.max(met.gained);
        for (count, limit) in self.above.iter_mut().zip(LIMITS) {
            *count += usize::from(met.depth > limit);
        }
        self.unsolved += usize::from(!met.solved);
        self.substeps += met.substeps;
        self.fallbacks += met.fallbacks;
    }
}

/// Prints the table. Options: `--from`, `--to` (seeds), `--formulation`, `--kind` (semi-implicit,
/// default, implicit), `--dimension` (2, 3), `--friction` (none, linear, quadratic), `--threads`,
/// and `--each`, which prints every pair.
pub fn table(options: &Options) {
    let (from, to) = (
        options.get("from").unwrap_or(1),
        options.get("to").unwrap_or(options.number(0, 100_000.0) as u64),
    );
    let lines = lines(options);
    let starts = || (from..=to).step_by(CHUNK as usize);
    let jobs: Vec<(usize, u64)> =
        (0..lines.len()).flat_map(|line| starts().map(move |seed| (line, seed))).collect();
    println!(
        "| formulation | dimension | pairs | touching | held with room | overlap, worst | per turn², worst | energy gained, worst | above 1e-9 | above 1e-6 | above 3e-6 | unsolved | cuts | fallbacks |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut sum = Sum::default();
    parallel::in_order(
        &jobs,
        options.threads(),
        |&(line, first)| -> Vec<(u64, Met)> {
            let Line { dimension, settings, .. } = &lines[line];
            let seeds = first..=to.min(first + CHUNK - 1);
            seeds.filter_map(|s| Some((s, fuzz::pair(*dimension, settings, s)?))).collect()
        },
        |&(k, first), met| {
            let line = &lines[k];
            for (seed, met) in &met {
                sum.add(*seed, met);
                let limit = [1e-9, 3e-6][usize::from(line.kind == "default")];
                let shown = met.depth > limit && line.kind != "semi-implicit"
                    || !met.solved
                    || met.gained > 0.3
                    || met.pushed && met.room > ROOM;
                if options.has("each") || shown {
                    let Line { name, kind, dimension, .. } = line;
                    eprintln!("{name}, {kind}, {dimension:?}, seed {seed}: {met:?}");
                }
            }
            if first + CHUNK > to {
                print(line, &std::mem::take(&mut sum));
            }
        },
    );
}

fn lines(options: &Options) -> Vec<Line> {
    let friction = options.friction();
    let kinds = [
        ("semi-implicit", false, f64::INFINITY),
        ("default", false, 1e-6),
        ("implicit", true, 1e-6),
    ];
    let mut lines = Vec::new();
    for name in ["separation", "peg", "peg-whole", "peg-several", "lnc"] {
        let asked = match options.has("formulation") {
            true => options.allows("formulation", name),
            false => matches!(name, "separation" | "peg"),
        };
        for (kind, implicit, rotation_tolerance) in kinds {
            for (dimension, digit) in [(Dimension::Two, "2"), (Dimension::Three, "3")] {
                if !asked || !options.allows("kind", kind) || !options.allows("dimension", digit) {
                    continue;
                }
                let settings = Settings {
                    formulation: name.into(),
                    implicit,
                    rotation_tolerance,
                    friction,
                    threads: 1,
                    ..Settings::default()
                };
                lines.push(Line { name, kind, dimension, settings });
            }
        }
    }
    lines
}

fn print(line: &Line, sum: &Sum) {
    let Line { name, kind, dimension, .. } = line;
    let [round_off, loose, deep] = sum.above;
    println!(
        "| `{name}`, {kind} | {dimension:?} | {} | {} | {} | {:.1e} (seed {}) | {:.1e} | {:.1e} | {round_off} | {loose} | {deep} | {} | {} | {} |",
        sum.pairs,
        sum.pushed,
        sum.held,
        sum.worst,
        sum.bad,
        sum.ratio,
        sum.gained,
        sum.unsolved,
        sum.substeps,
        sum.fallbacks,
    );
}
