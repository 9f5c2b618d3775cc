//! Piles of random polygons and polytopes: nothing overlaps, nothing fails, nothing explodes.

use stickslip::{
    BodyInit, Dimension,
    geometry::{Polygon, Quat, Solid, Vec3},
};

use super::scene::{EXACT, G, Met, Random, Wrong, cube, run, settings, simulate, square};

/// A box without a lid, its walls overlapping so that there are no cracks, and `n` random bodies that fall into it.
pub fn pile(formulation: &str, dimension: Dimension, h: f64, n: usize, seed: u64) -> (Met, usize) {
    let mut random = Random::new(seed);
    let flat = dimension == Dimension::Two;
    let block = |x: f64, y: f64, z: f64| {
        let solid = if flat { Solid::rectangle(x, z) } else { Solid::cuboid(Vec3::new(x, y, z)) };
        BodyInit::new(&solid.unwrap()).fixed().friction(0.0)
    };
    let place =
        |x: f64, y: f64, z: f64| if flat { Vec3::new(x, z, 0.0) } else { Vec3::new(x, y, z) };
    let mut bodies = vec![
        block(4.0, 4.0, 1.0).at(place(0.0, 0.0, -0.5)),
        block(1.0, 4.0, 8.0).at(place(-1.0, 0.0, 3.0)),
        block(1.0, 4.0, 8.0).at(place(1.0, 0.0, 3.0)),
    ];
    if !flat {
        bodies.push(block(1.5, 1.0, 8.0).at(place(0.0, -1.0, 3.0)));
        bodies.push(block(1.5, 1.0, 8.0).at(place(0.0, 1.0, 3.0)));
    }
    for i in 0..n {
        let points: Vec<Vec3> = (0..10).map(|_| random.vector() * 0.25).collect();
        let solid = match dimension {
            Dimension::Two => Solid::polygon(&Polygon::from_points(&points).unwrap().vertices),
            Dimension::Three => Solid::convex(&points),
        };
        let at = place(0.05 * random.signed(), 0.05 * random.signed(), 0.5 + 0.6 * i as f64);
        bodies.push(BodyInit::new(&solid.unwrap()).friction(0.0).at(at));
    }
    let gravity = if flat { -Vec3::Y } else { -Vec3::Z } * G;
    let fixed = bodies.len() - n;
    let mut sim = simulate(dimension, gravity, bodies, settings(formulation, h));
    let met = run(&mut sim, 1.0, 1);
    let height = |p: Vec3| if flat { p.y } else { p.z };
    let inside = |p: Vec3| p.x.abs() < 0.5 && height(p) > 0.0 && (flat || p.y.abs() < 0.5);
    let lost = sim.state.q[fixed..].iter().filter(|q| !inside(q.position)).count();
    (met, lost)
}

/// Six random bodies tumble into a box: every problem is solved, no body leaves, and what overlaps
/// is the error of a rotation that the step takes as linear, far less than what the corrective
/// method leaves.
#[test]
fn pile_stays_in_its_box() {
    let mut wrong = Wrong::default();
    for (dimension, h, n) in
        [(Dimension::Two, 0.002, 6), (Dimension::Two, 0.01, 6), (Dimension::Three, 0.002, 5)]
    {
        let bound = pile("corrective", dimension, h, n, 0).0.depth;
        let met = pile("peg", dimension, h, n, 0);
        let fine = met.0.failures == 0 && met.1 == 0 && met.0.depth < 0.2 * bound;
        wrong.check(fine, || format!("{dimension:?}, h {h}: {met:?}, corrective {bound}"));
    }
    wrong.none();
}

/// Bodies that overlap deeply at the start, as no bodies should, are driven apart: no panic, no
/// NaN, and whatever was given up is reported.
#[test]
fn deep_overlap_does_not_explode() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let body = || if dimension == Dimension::Two { square(1.0) } else { cube(1.0) };
        let bodies = vec![
            body().fixed(),
            body().at(Vec3::new(0.5, 0.45, 0.0)),
            body().at(Vec3::new(0.1, 0.9, 0.0)),
        ];
        let mut sim = simulate(dimension, Vec3::ZERO, bodies, settings("peg", 0.01));
        run(&mut sim, 0.5, 0);
        let far = sim.state.q.iter().all(|q| q.position.is_finite() && q.position.length() < 200.0);
        assert!(far, "{dimension:?}: {:?}", sim.state.q);
        let left = stickslip::oracle::measure(&sim.model, &sim.state).depth;
        assert!(left < 1e-6, "{dimension:?}: still {left} deep");
    }
}

/// A tetrahedron stands on an upside-down one of the same size, face on face and corner on corner
/// (thesis, figure 5.4): it stays, without friction.
#[test]
fn tetrahedra_stand_corner_on_corner() {
    for formulation in EXACT {
        let solid = Solid::tetrahedron(1.0).unwrap();
        let point = solid.shape.parts()[0].convex.clone();
        let stickslip::geometry::Convex::Polytope(p) = point else { panic!("no polytope") };
        // Turn a face of the lower one up and the same face of the upper one down.
        let n = p.faces[0].normal;
        let lower = Quat::from_rotation_arc(n, Vec3::Z);
        let mirror = Quat::from_axis_angle(
            lower
                * (p.vertices[p.faces[0].vertices[0] as usize] - n * p.faces[0].offset).normalize(),
            std::f64::consts::PI,
        );
        let height = p.faces[0].offset;
        let bodies = vec![
            BodyInit::new(&solid).friction(0.0).fixed().turned(lower),
            BodyInit::new(&solid).friction(0.0).turned(mirror * lower).at(Vec3::Z * (2.0 * height)),
        ];
        let start = Vec3::Z * (2.0 * height);
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(formulation, 0.01));
        let met = run(&mut sim, 1.0, 1);
        let off = sim.state.q[1].position.distance(start);
        assert!(
            off < 1e-9 && met.depth < 1e-9 && met.failures == 0,
            "{formulation}: {off:e}, {met:?}"
        );
    }
}
