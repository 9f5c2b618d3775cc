//! The longer experiments behind `docs/evidence.md`: `cargo run --example evidence -- NAME`.
//!
//! `polygons`, `polyhedra`: box of polygons and of polyhedra, ten seeds, five steps.
//! `fuzz`: random pairs at random small distances, one step each.
//! `cost`, `tower`: processor time of a step of a pile of hulls, of a tower of cubes.
//! `stack`: drift of a staggered stack without friction.
//! `grasp`: errors of the 2D grasp against a fine run.
//! `sizes`: problem sizes, as a plot.

mod boxes;
mod cost;
#[allow(dead_code, reason = "the tests look at more of it")]
mod fuzz;
mod grasp;
mod sizes;

use boxes::{Pour, Poured, pour};
use stickslip::{Dimension, Settings};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: f64| {
        arguments.get(k).and_then(|a| a.parse::<f64>().ok()).unwrap_or(default)
    };
    match arguments.first().map(String::as_str) {
        Some(kind @ ("polygons" | "polyhedra")) => {
            let dimension = if kind == "polygons" { Dimension::Two } else { Dimension::Three };
            boxes_table(dimension, number(1, 10.0) as u64, number(2, 5.0), arguments.get(3));
        }
        Some("sizes") => sizes::plot(),
        Some("fuzz") => fuzz_table(number(1, 100_000.0) as u64, arguments.get(2)),
        Some("grasp") => grasp::table(number(1, 10.0) as u64, number(2, 1e-4)),
        Some("stack") => cost::drift(number(1, 60.0)),
        Some(kind @ ("cost" | "tower")) => {
            let names: Vec<&str> = arguments.iter().skip(3).map(String::as_str).collect();
            let all = ["stewart-trinkle", "separation", "peg"];
            let chosen = if names.is_empty() { &all[..] } else { &names };
            let scene = if kind == "cost" { cost::pile } else { cost::tower };
            cost::table(&scene(number(1, 20.0) as usize), number(2, 500.0) as u32, chosen);
        }
        _ => {
            println!(
                "polygons|polyhedra [SEEDS] [SECONDS] [FORMULATION], fuzz [PAIRS] [FORMULATION], cost|tower [BODIES] [STEPS] [FORMULATIONS], stack [SECONDS], grasp [SEEDS] [STEP] or sizes"
            );
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn boxes_table(dimension: Dimension, seeds: u64, duration: f64, only: Option<&String>) {
    let bodies = (duration / if dimension == Dimension::Two { 0.25 } else { 0.5 }) as usize;
    println!(
        "| formulation | h | overlap, median | worst share | worst depth | failures | fallbacks | substeps | lost | ms/step |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for h in [0.001, 0.002, 0.005, 0.01, 0.02] {
        for formulation in
            ["corrective", "separation", "separation-implicit", "peg", "peg-implicit"]
        {
            if only.is_some_and(|o| !formulation.starts_with(o.as_str())) {
                continue;
            }
            let all: Vec<Poured> = (1..=seeds)
                .map(|seed| pour(Pour { dimension, formulation, h, seed, bodies, duration }))
                .collect();
            let worst = |f: fn(&Poured) -> f64| all.iter().map(f).fold(0.0, f64::max);
            let sum = |f: fn(&Poured) -> usize| all.iter().map(f).sum::<usize>();
            println!(
                "| `{formulation}` | {h} | {:.1e} | {:.1e} | {:.1e} | {} | {} | {} | {} | {:.2} |",
                median(all.iter().map(|p| p.overlap).collect()),
                worst(|p| p.share),
                worst(|p| p.depth),
                sum(|p| p.failures),
                sum(|p| p.fallbacks),
                sum(|p| p.substeps),
                sum(|p| p.lost),
                1e3 * worst(|p| p.seconds),
            );
        }
    }
}

fn fuzz_table(pairs: u64, only: Option<&String>) {
    println!(
        "| formulation | dimension | pairs | overlap, worst | per turn², worst | above 1e-6 | unsolved |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, implicit, rotation_tolerance) in [
        ("separation", false, f64::INFINITY),
        ("separation", false, 1e-6),
        ("separation", true, 1e-6),
        ("peg", false, f64::INFINITY),
        ("peg", false, 1e-6),
        ("peg", true, 1e-6),
    ] {
        if only.is_some_and(|o| o != name) {
            continue;
        }
        for dimension in [Dimension::Two, Dimension::Three] {
            let settings = Settings {
                formulation: name.into(),
                implicit,
                rotation_tolerance,
                threads: 1,
                ..Settings::default()
            };
            let (mut n, mut worst, mut ratio, mut deep, mut unsolved) = (0, 0.0_f64, 0.0_f64, 0, 0);
            let mut bad = 0;
            for seed in 1..=pairs {
                let Some(met) = fuzz::pair(dimension, &settings, seed) else { continue };
                n += 1;
                if met.depth > worst {
                    (worst, bad) = (met.depth, seed);
                }
                ratio = ratio.max(met.depth / (met.turned * met.turned).max(1e-6));
                deep += usize::from(met.depth > 1e-6);
                if met.depth > 3e-6 && rotation_tolerance.is_finite() {
                    eprintln!("{name}, implicit {implicit}, {dimension:?}, seed {seed}: {met:?}");
                }
                unsolved += usize::from(!met.solved);
            }
            let kind = match (implicit, rotation_tolerance.is_finite()) {
                (true, _) => "implicit",
                (_, true) => "default",
                _ => "semi-implicit",
            };
            println!(
                "| `{name}`, {kind} | {dimension:?} | {n} | {worst:.1e} (seed {bad}) | {ratio:.1e} | {deep} | {unsolved} |"
            );
        }
    }
}
