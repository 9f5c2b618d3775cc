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
mod options;
mod pairs;
mod parallel;
mod sizes;

use boxes::{Pour, Poured, pour};
use options::Options;
use stickslip::Dimension;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next();
    let options = Options::new(arguments);
    let number = |k: usize, default: f64| options.number(k, default);
    match name.as_deref() {
        Some("polygons") => boxes_table(Dimension::Two, &options),
        Some("polyhedra") => boxes_table(Dimension::Three, &options),
        Some("sizes") => sizes::plot(),
        Some("fuzz") => pairs::table(&options),
        Some("grasp") => grasp::table(number(0, 10.0) as u64, number(1, 1e-4)),
        Some("stack") => cost::drift(number(0, 60.0)),
        Some(kind @ ("cost" | "tower")) => {
            let names: Vec<&str> = options.plain.iter().skip(2).map(String::as_str).collect();
            let all = ["stewart-trinkle", "separation", "peg"];
            let chosen = if names.is_empty() { &all[..] } else { &names };
            let scene = if kind == "cost" { cost::pile } else { cost::tower };
            let bodies = scene(number(0, 20.0) as usize);
            cost::table(&bodies, number(1, 500.0) as u32, chosen, options.friction());
        }
        _ => println!("{USAGE}"),
    }
}

const USAGE: &str = "\
polygons|polyhedra [SEEDS] [SECONDS] [--formulation A,B] [--step H,H] [--threads N]
fuzz [PAIRS] [--from SEED --to SEED] [--formulation A,B] [--kind semi-implicit,default,implicit]
     [--dimension 2,3] [--friction none|linear|quadratic] [--each] [--threads N]
cost|tower [BODIES] [STEPS] [FORMULATIONS] [--friction none|linear|quadratic]
stack [SECONDS]
grasp [SEEDS] [STEP]
sizes";

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints a line for every step and formulation. All runs go side by side; the lines come in order.
fn boxes_table(dimension: Dimension, options: &Options) {
    let (seeds, duration) = (options.number(0, 10.0) as u64, options.number(1, 3.0));
    let bodies = (duration / if dimension == Dimension::Two { 0.25 } else { 0.5 }) as usize;
    let mut jobs = Vec::new();
    for (h, digits) in
        [(0.001, "0.001"), (0.002, "0.002"), (0.005, "0.005"), (0.01, "0.01"), (0.02, "0.02")]
    {
        for formulation in [
            "stewart-trinkle",
            "corrective",
            "separation",
            "separation-implicit",
            "peg",
            "peg-implicit",
        ] {
            if options.allows("formulation", formulation) && options.allows("step", digits) {
                let run = |seed| Pour { dimension, formulation, h, seed, bodies, duration };
                jobs.extend((1..=seeds).map(run));
            }
        }
    }
    println!(
        "| formulation | h | overlap, median | worst share | worst depth | failures | fallbacks | substeps | lost | ms/step |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut all = Vec::new();
    parallel::in_order(
        &jobs,
        options.threads(),
        |&run| pour(run),
        |run, met| {
            all.push(met);
            if run.seed == seeds {
                boxes_line(run, &std::mem::take(&mut all));
            }
        },
    );
}

fn boxes_line(Pour { formulation, h, .. }: &Pour, all: &[Poured]) {
    let worst = |f: fn(&Poured) -> f64| all.iter().map(f).fold(0.0, f64::max);
    let sum = |f: fn(&Poured) -> usize| all.iter().map(f).sum::<usize>();
    println!(
        "| `{formulation}` | {h} | {:.1e} | {:.1e} | {:.1e} | {} | {} | {} | {} | {:.3} |",
        median(all.iter().map(|p| p.overlap).collect()),
        worst(|p| p.share),
        worst(|p| p.depth),
        sum(|p| p.failures),
        sum(|p| p.fallbacks),
        sum(|p| p.substeps),
        sum(|p| p.lost),
        1e3 * all.iter().map(|p| p.seconds).sum::<f64>() / all.len() as f64,
    );
}
