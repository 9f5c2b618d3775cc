//! The longer experiments behind `docs/evidence.md`: `cargo run --example evidence -- NAME`.
//!
//! `polygons`, `polyhedra`: box of polygons and of polyhedra, ten seeds, five steps.

mod boxes;

use boxes::{Pour, Poured, pour};
use stickslip::Dimension;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: f64| {
        arguments.get(k).and_then(|a| a.parse::<f64>().ok()).unwrap_or(default)
    };
    match arguments.first().map(String::as_str) {
        Some("polygons") => boxes_table(Dimension::Two, number(1, 10.0) as u64, number(2, 5.0)),
        Some("polyhedra") => boxes_table(Dimension::Three, number(1, 10.0) as u64, number(2, 5.0)),
        _ => println!("one of: polygons, polyhedra; then the number of seeds and the seconds"),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn boxes_table(dimension: Dimension, seeds: u64, duration: f64) {
    let bodies = (duration / if dimension == Dimension::Two { 0.25 } else { 0.5 }) as usize;
    println!(
        "| formulation | h | overlap, median | worst share | worst depth | failures | fallbacks | substeps | lost | ms/step |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for h in [0.02, 0.01, 0.005, 0.002, 0.001] {
        for formulation in
            ["corrective", "peg", "peg-implicit", "separation", "separation-implicit"]
        {
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
