//! Structures with known answers: by formula or from the literature, by the static program, and by
//! bisection of the simulator.

use std::f64::consts::PI;

use stickslip::{BodyInit, geometry::Vec3};
use stickslip_stability::Options;

use crate::{
    Context, ExperimentError, Report,
    masonry::{Point, arch, bisect, block, brick, ground, rests, scene, statics, tilted},
    report::number,
    scene::G,
};

/// A structure with one quantity `x` that makes it stand or fall.
struct Case {
    name: &'static str,
    /// What the quantity is, and where its critical value is from.
    quantity: &'static str,
    source: &'static str,
    /// The critical value.
    known: f64,
    /// To how much of it the literature gives it.
    digits: f64,
    /// Whether it stands for values above the critical one.
    above: bool,
    /// Bodies and gravity at a value.
    make: Make,
}

/// Bodies and gravity at a value of the quantity.
type Make = Box<dyn Fn(f64) -> Result<(Vec<BodyInit>, Vec3), ExperimentError> + Sync>;

const ROUGH: f64 = 0.7;
const DOWN: f64 = 0.0;

/// A block of `b` by `h` on the ground.
fn single(b: f64, h: f64, mu: f64) -> Result<Vec<BodyInit>, ExperimentError> {
    Ok(vec![ground(mu)?, brick("block", (0.0, 0.0), (b, h), mu)?])
}

/// A column of equal drums.
fn column(count: usize, mu: f64) -> Result<Vec<BodyInit>, ExperimentError> {
    let mut bodies = vec![ground(mu)?];
    for k in 0..count {
        let at = (0.0, 0.8 * k as f64);
        bodies.push(brick(&format!("drum-{}", k + 1), at, (1.0, 0.8), mu)?);
    }
    Ok(bodies)
}

/// Blocks of length 1 at the edge of a table, each beyond the one below by `x / (2 k)`.
fn overhang(count: usize, x: f64) -> Result<Vec<BodyInit>, ExperimentError> {
    let mut bodies = vec![brick("table", (-3.0, -1.0), (3.0, 1.0), ROUGH)?.fixed()];
    let mut end = 0.0;
    for k in (1..=count).rev() {
        end += x * 0.5 / k as f64;
        let at = (end - 1.0, 0.25 * (count - k) as f64);
        bodies.push(brick(&format!("block-{k}"), at, (1.0, 0.25), ROUGH)?);
    }
    Ok(bodies)
}

/// A block with a horizontal force at a height; the right side is forced.
fn pushed(height: f64, force: f64, mu: f64) -> Result<Vec<BodyInit>, ExperimentError> {
    let mut bodies = single(1.0, 2.0, mu)?;
    let body = &mut bodies[1].body;
    body.force = Vec3::X * force;
    body.torque = Vec3::Z * (-(height - 1.0) * force);
    Ok(bodies)
}

/// Part of a circular arch of mean radius 1 m with an angle of embrace, springing from joints of any slope.
fn segment(
    stones: usize,
    embrace: f64,
    thickness: f64,
    mu: f64,
) -> Result<Vec<BodyInit>, ExperimentError> {
    let at = |r: f64, k: f64| -> Point {
        let angle = 0.5 * PI + embrace * (0.5 - k / stones as f64);
        (r * angle.cos(), r * angle.sin())
    };
    let (inner, outer) = (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness);
    let piece = |name: &str, a: f64, b: f64| {
        block(name, &[at(inner, b), at(outer, b), at(outer, a), at(inner, a)], mu)
    };
    // supports: one stone more on each side, wider than the arch
    let support = |name: &str, joint: f64, away: f64| {
        let (p, q) = (at(inner - 0.05, joint), at(outer + 0.05, joint));
        let (dx, dy) = (0.3 * away * (q.1 - p.1), -0.3 * away * (q.0 - p.0));
        let mut corners = vec![p, q, (q.0 + dx, q.1 + dy), (p.0 + dx, p.1 + dy)];
        if away < 0.0 {
            corners.reverse();
        }
        Ok::<_, ExperimentError>(block(name, &corners, mu)?.fixed())
    };
    let mut bodies = vec![support("left", 0.0, -1.0)?, support("right", stones as f64, 1.0)?];
    for k in 0..stones {
        bodies.push(piece(&format!("stone-{}", k + 1), k as f64, k as f64 + 1.0)?);
    }
    Ok(bodies)
}

fn case(
    name: &'static str,
    (quantity, source): (&'static str, &'static str),
    (known, digits): (f64, f64),
    above: bool,
    make: Make,
) -> Case {
    Case { name, quantity, source, known, digits, above, make }
}

/// Round arches and a part of one.
fn arches() -> Vec<Case> {
    let down = tilted(DOWN);
    vec![
        case(
            "round arch, 27 stones",
            ("thickness / radius", "linear program"),
            (0.106_720_9, 1e-6),
            true,
            Box::new(move |t| Ok((arch(27, t, ROUGH)?, down))),
        ),
        case(
            "round arch, 201 stones",
            ("thickness / radius", "Milankovitch 1907; Ochsendorf 2006: 0.1075"),
            (0.1075, 1e-3),
            true,
            Box::new(move |t| Ok((arch(201, t, ROUGH)?, down))),
        ),
        case(
            "round arch, 27 stones, 0.2 R",
            ("friction", "springing joints: 0.30899"),
            (0.308_99, 1e-5),
            true,
            Box::new(move |mu| Ok((arch(27, 0.2, mu)?, down))),
        ),
        case(
            "arch of 157.5 degrees, 7 stones, 0.15 R",
            ("horizontal acceleration / g", "Oppenheim 1992: 0.37"),
            (0.37, 2e-2),
            false,
            Box::new(|a| {
                let embrace = 157.5_f64.to_radians();
                Ok((segment(7, embrace, 0.15, ROUGH)?, Vec3::new(a * G, -G, 0.0)))
            }),
        ),
    ]
}

/// Single blocks.
fn blocks() -> Vec<Case> {
    let down = tilted(DOWN);
    vec![
        case(
            "block on a slope",
            ("tangent", "friction: Coulomb 1785"),
            (0.4, 1e-6),
            false,
            Box::new(|x| Ok((single(1.0, 1.0, 0.4)?, tilted(x.atan())))),
        ),
        case(
            "block on a tilting table",
            ("tangent", "b / h"),
            (0.25, 1e-6),
            false,
            Box::new(|x| Ok((single(0.5, 2.0, ROUGH)?, tilted(x.atan())))),
        ),
        case(
            "block, friction just above b / h, accelerated",
            ("acceleration / g", "b / h: Housner 1963"),
            (0.6, 1e-6),
            false,
            Box::new(|x| Ok((single(1.2, 2.0, 0.65)?, Vec3::new(x * G, -G, 0.0)))),
        ),
        case(
            "block pushed at its top",
            ("force / weight", "b / 2 h"),
            (0.25, 1e-6),
            false,
            Box::new(move |x| Ok((pushed(2.0, x * 2.0 * G, ROUGH)?, down))),
        ),
        case(
            "block pushed at its foot",
            ("force / weight", "friction"),
            (0.3, 1e-6),
            false,
            Box::new(move |x| Ok((pushed(0.0, x * 2.0 * G, 0.3)?, down))),
        ),
    ]
}

/// Blocks on each other.
fn piles() -> Vec<Case> {
    let down = tilted(DOWN);
    vec![
        case(
            "column of six drums, topples",
            ("tangent", "b / h of the whole"),
            (1.0 / 4.8, 1e-6),
            false,
            Box::new(|x| Ok((column(6, ROUGH)?, tilted(x.atan())))),
        ),
        case(
            "column of six drums, slides",
            ("tangent", "friction"),
            (0.15, 1e-6),
            false,
            Box::new(|x| Ok((column(6, 0.15)?, tilted(x.atan())))),
        ),
        case(
            "four blocks over an edge",
            ("overhang / (25 / 24)", "harmonic stack: Paterson and Zwick 2009"),
            (1.0, 1e-6),
            false,
            Box::new(move |x| Ok((overhang(4, x)?, down))),
        ),
    ]
}

/// The critical values by the program and by the simulator.
fn find(c: &Context, case: &Case) -> Result<(f64, f64), ExperimentError> {
    (c.note)(&format!("masonry-known: {}", case.name));
    let around = |x: f64, by: f64| ((1.0 - by) * x, (1.0 + by) * x);
    let program = bisect(around(case.known, 0.1), 1e-9 * case.known, |x| {
        let (bodies, gravity) = (case.make)(x)?;
        let found = statics(&scene(bodies, gravity, 0.01)?, &Options::default())?;
        Ok(found.stands == case.above)
    })?;
    let to = c.pick(1e-3, 2e-5) * program;
    let simulated = bisect(around(program, 0.005), to, |x| {
        let (bodies, gravity) = (case.make)(x)?;
        Ok(rests(c, &mut scene(bodies, gravity, 0.01)?)? == case.above)
    })?;
    Ok((program, simulated))
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "Blocks, columns, stacks and arches whose limit is known by formula or from the literature. The \
         static program of `stickslip stability` is bisected to 1e-9 of it, and the simulator, which \
         knows nothing of limits, to 1e-5: it is asked whether a structure moves.",
    );
    report.set("In the plane, h = 0.01 s, default settings.");
    report.set(
        "A structure falls if it moves by 1 mm in 8 s, or if its motion grows through 6 s; see `rests`.",
    );
    let mut all: Vec<Case> = [arches(), blocks(), piles()].into_iter().flatten().collect();
    if c.quick {
        all.retain(|case| !case.name.contains("201"));
    }
    let found = c.each(&all, |case| find(c, case))?;
    let (mut rows, mut known, mut near) = (Vec::new(), 0.0_f64, 0.0_f64);
    for (case, (program, simulated)) in all.iter().zip(&found) {
        let off = (program / case.known - 1.0).abs();
        known = known.max(off / case.digits);
        near = near.max((simulated / program - 1.0).abs());
        rows.push(vec![
            case.name.into(),
            case.quantity.into(),
            case.source.into(),
            format!("{:.7}", case.known),
            format!("{program:.7}"),
            format!("{simulated:.7}"),
            number((simulated / program - 1.0).abs()),
        ]);
    }
    let head =
        ["structure", "critical", "known from", "known", "program", "simulator", "they differ by"];
    report.table("known", "Critical values", &head, rows);
    report.claim(
        "The static program has the known answers, to 1e-6 or as far as they are printed.",
        format!("off by {} of that at most", number(known)),
        known < 1.0,
    );
    report.claim(
        "The simulator has the same, to 1e-4.",
        format!("off by {} at most", number(near)),
        near < c.pick(2e-3, 1e-4),
    );
    Ok(report)
}
