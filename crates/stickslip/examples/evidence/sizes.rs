//! Sizes of PEG's problems against the standard model's (Williams 2014, eq. 4.52-4.55, figure 4.16),
//! as a plot in SVG on standard output.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    settings::ProblemForm,
};

/// Edges of the friction cone.
const DIRECTIONS: usize = 4;

/// Contacts and rows of the first step of `n` cubes that lie across the edge of a slab.
fn measured(formulation: &str, n: usize) -> Option<(usize, usize)> {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::Z * -9.81);
    let slab = BodyInit::new(&Solid::cuboid(Vec3::new(20.0, 60.0, 1.0)).ok()?);
    builder.add(slab.fixed().at(Vec3::new(-10.0, 0.0, -0.5))).ok()?;
    let cube = BodyInit::new(&Solid::cuboid(Vec3::splat(0.4)).ok()?);
    for i in 0..n {
        builder.add(cube.clone().at(Vec3::new(-0.2, i as f64, 0.2))).ok()?;
    }
    let (model, state) = builder.build();
    let settings = Settings {
        formulation: formulation.into(),
        problem_form: ProblemForm::Full,
        friction_directions: DIRECTIONS,
        ..Settings::default()
    };
    let report = Simulator::new(model, state, settings).ok()?.step().ok()?;
    // Without the six velocities of each cube: contact rows alone.
    let c = report.constraints;
    Some((c.unilateral + 2 * c.inter, report.solves.size - 6 * n))
}

/// Prints the plot: the standard model `n (2 + d)` (4.52), PEG with all contacts in I constraints of
/// two, `n + n / 2 (d + 1)` (4.53), and what `stewart-trinkle`, `lnc` and `peg` really write.
pub fn plot() {
    let (width, height, most) = (560.0, 380.0, 48.0);
    let rows = most * (2.0 + DIRECTIONS as f64);
    let x = |n: f64| 60.0 + n / most * (width - 90.0);
    let y = |r: f64| height - 45.0 - r / rows * (height - 75.0);
    println!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">"#
    );
    println!(r#"<rect width="{width}" height="{height}" fill="white"/>"#);
    let axes = [(0.0, rows), (most, 0.0)].map(|(n, r)| (x(n), y(r)));
    for (a, b) in axes {
        println!(r#"<path d="M{} {} L{a} {b}" stroke="black"/>"#, x(0.0), y(0.0));
    }
    for n in (0..=48).step_by(8) {
        println!(
            r#"<text x="{}" y="{}" text-anchor="middle">{n}</text>"#,
            x(f64::from(n)),
            y(0.0) + 16.0
        );
    }
    for r in (0..=288).step_by(48) {
        println!(
            r#"<text x="{}" y="{}" text-anchor="end">{r}</text>"#,
            x(0.0) - 6.0,
            y(f64::from(r)) + 4.0
        );
    }
    println!(
        r#"<text x="{}" y="{}" text-anchor="middle">contacts near corners</text>"#,
        x(most / 2.0),
        height - 8.0
    );
    println!(
        r#"<text x="14" y="20">rows of contact constraints, {DIRECTIONS} friction directions</text>"#
    );
    let d = DIRECTIONS as f64;
    for (slope, color, label, at) in [
        (2.0 + d, "#cc3311", "standard model (4.52)", 36.0),
        (1.0 + 0.5 * (d + 1.0), "#0077bb", "I constraints of two (4.53)", 36.0),
    ] {
        println!(
            r#"<path d="M{} {} L{} {}" stroke="{color}" stroke-width="2"/>"#,
            x(0.0),
            y(0.0),
            x(most),
            y(slope * most)
        );
        println!(
            r#"<text x="{}" y="{}" text-anchor="end" fill="{color}">{label}</text>"#,
            x(at),
            y(slope * at) - 8.0
        );
    }
    dots(x, y);
    println!("</svg>");
}

/// What the formulations really write.
fn dots(x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) {
    for (formulation, color) in
        [("stewart-trinkle", "#cc3311"), ("lnc", "#0077bb"), ("peg", "#009988")]
    {
        for n in 1..=6 {
            if let Some((contacts, size)) = measured(formulation, n) {
                let (cx, cy) = (x(contacts as f64), y(size as f64));
                println!(
                    r#"<circle cx="{cx:.1}" cy="{cy:.1}" r="4" fill="{color}"><title>{formulation}: {contacts} contacts, {size} rows</title></circle>"#
                );
                eprintln!("{formulation}, {n} cubes: {contacts} contacts, {size} rows");
            }
        }
    }
}
