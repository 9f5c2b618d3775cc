//! What stands, stands: no creep beyond round-off.

use stickslip::{
    BodyInit, Dimension,
    geometry::{Solid, Vec3},
};

use super::scene::{EXACT, G, Wrong, cube, run, settings, simulate, square, up};

const H: f64 = 0.01;

/// How far any body is from its start after `time` \[m\], and the solves that failed.
fn creep(
    formulation: &str,
    dimension: Dimension,
    bodies: &[BodyInit],
    [h, time]: [f64; 2],
) -> (f64, usize) {
    let setup = stickslip::Settings { friction_directions: 4, ..settings(formulation, h) };
    let mut sim = simulate(dimension, -up(dimension) * G, bodies.to_vec(), setup);
    let start = sim.state.clone();
    let met = run(&mut sim, time, 0);
    let off = sim.state.q.iter().zip(&start.q).map(|(a, b)| a.position.distance(b.position));
    (off.fold(0.0, f64::max), met.failures)
}

fn floor(dimension: Dimension) -> BodyInit {
    let solid = match dimension {
        Dimension::Two => Solid::rectangle(40.0, 1.0),
        Dimension::Three => Solid::cuboid(Vec3::new(40.0, 40.0, 1.0)),
    };
    BodyInit::new(&solid.unwrap()).fixed().at(up(dimension) * -0.5)
}

fn block(dimension: Dimension) -> BodyInit {
    if dimension == Dimension::Two { square(1.0) } else { cube(1.0) }
}

/// Boxes of these masses on each other.
fn tower(dimension: Dimension, masses: &[f64], mu: f64) -> Vec<BodyInit> {
    let mut bodies = vec![floor(dimension).friction(mu)];
    bodies.extend(
        masses.iter().enumerate().map(|(i, &m)| {
            block(dimension).mass(m).friction(mu).at(up(dimension) * (i as f64 + 0.5))
        }),
    );
    bodies
}

/// Thin plates that stand beside each other.
fn dominoes(dimension: Dimension) -> Vec<BodyInit> {
    let solid = match dimension {
        Dimension::Two => Solid::rectangle(0.1, 1.0),
        Dimension::Three => Solid::cuboid(Vec3::new(0.1, 0.5, 1.0)),
    };
    let plate = BodyInit::new(&solid.unwrap());
    let mut bodies = vec![floor(dimension)];
    bodies.extend(
        (0..20).map(|i| plate.clone().at(Vec3::X * (0.3 * i as f64) + up(dimension) * 0.5)),
    );
    bodies
}

/// A half-ring of fifteen wedges between fixed blocks, held by friction alone.
fn arch() -> Vec<BodyInit> {
    let n = 15;
    let mut bodies = vec![floor(Dimension::Two).friction(0.8)];
    for k in 0..n {
        let at = |i: usize, r: f64| {
            let t = std::f64::consts::PI * i as f64 / n as f64;
            Vec3::new(r * t.cos(), r * t.sin(), 0.0)
        };
        let corners = [at(k, 1.0), at(k, 1.4), at(k + 1, 1.4), at(k + 1, 1.0)];
        let center = polygon_center(&corners);
        let local = corners.map(|c| c - center);
        let stone = BodyInit::new(&Solid::polygon(&local).unwrap()).friction(0.8);
        bodies.push(stone.at(center));
    }
    bodies
}

/// Centre of mass of a polygon.
fn polygon_center(corners: &[Vec3]) -> Vec3 {
    let (mut area, mut sum) = (0.0, Vec3::ZERO);
    for (i, a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let cross = a.x * b.y - b.x * a.y;
        area += cross;
        sum += (*a + b) * cross;
    }
    sum / (3.0 * area)
}

/// Two cards that lean against each other, a third across two such pairs, and a pair on top.
fn card_house() -> Vec<BodyInit> {
    let (length, thick, lean) = (1.0, 0.02, 0.3_f64);
    let (s, c) = lean.sin_cos();
    let card = || BodyInit::new(&Solid::rectangle(thick, length).unwrap()).friction(0.8);
    // From the centre of a leaning card to where it touches its partner and the ground.
    let reach =
        Vec3::new(0.5 * thick * c + 0.5 * length * s, 0.5 * length * c - 0.5 * thick * s, 0.0);
    let foot = 0.5 * length * c + 0.5 * thick * s;
    let pair = |x: f64, y: f64| {
        [
            card().angle(-lean).at(Vec3::new(x - reach.x, y + foot, 0.0)),
            card().angle(lean).at(Vec3::new(x + reach.x, y + foot, 0.0)),
        ]
    };
    // The outer upper corner of a leaning card is its highest point.
    let top = foot + 0.5 * length * c + 0.5 * thick * s;
    let mut bodies = vec![floor(Dimension::Two).friction(0.8)];
    bodies.extend(pair(-0.5, 0.0));
    bodies.extend(pair(0.5, 0.0));
    let plank = BodyInit::new(&Solid::rectangle(2.0, thick).unwrap()).friction(0.8);
    bodies.push(plank.at(Vec3::Y * (top + 0.5 * thick)));
    bodies.extend(pair(0.0, top + thick));
    bodies
}

/// Stacks, dominoes, an arch and a card house do not creep.
#[test]
fn standing_scenes_stand() {
    let mut wrong = Wrong::default();
    let (two, three) = (Dimension::Two, Dimension::Three);
    let heavy = [1.0, 10.0, 100.0, 1000.0, 10000.0];
    for (name, dimension, bodies, steps) in [
        ("heavy on light", two, tower(two, &heavy, 0.5), 500),
        ("heavy on light", three, tower(three, &heavy, 0.5), 200),
        ("heavy on light, slick", three, tower(three, &heavy, 0.0), 200),
        ("tower of fifty", two, tower(two, &[1.0; 50], 0.5), 200),
        ("tower of fifty", three, tower(three, &[1.0; 50], 0.5), 20),
        ("dominoes", two, dominoes(two), 300),
        ("dominoes", three, dominoes(three), 100),
        ("arch", two, arch(), 300),
        ("card house", two, card_house(), 300),
    ] {
        for formulation in EXACT {
            let (off, failures) = creep(formulation, dimension, &bodies, [H, H * f64::from(steps)]);
            println!("{formulation}, {dimension:?}, {name}: {off:.1e} m in {steps} steps");
            wrong.check(off < 1e-9 && failures == 0, || {
                format!("{formulation}, {dimension:?}, {name}: crept {off:e}, {failures} failed")
            });
        }
    }
    wrong.none();
}

/// A cube that stands on another across its edge (thesis, figure 5.3) and one that stands corner on
/// corner, face on face: without friction they stay, by either model.
#[test]
fn cubes_across_edges_and_corners_stand() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for (name, at, stays) in [
            ("across an edge", Vec3::new(0.45, 0.0, 1.0), true),
            ("flush with an edge", Vec3::new(0.0, 0.0, 1.0), true),
            ("over a corner", Vec3::new(0.4, 0.45, 1.0), true),
            ("beyond an edge", Vec3::new(0.55, 0.0, 1.0), false),
        ] {
            let bodies = [cube(1.0).fixed(), cube(1.0).at(at)];
            let (off, failures) = creep(formulation, Dimension::Three, &bodies, [H, 1.0]);
            let fine = if stays { off < 1e-9 } else { off > 0.1 };
            wrong.check(fine && failures == 0, || {
                format!("{formulation}, {name}: moved {off:e}, {failures} failed")
            });
        }
    }
    wrong.none();
}
