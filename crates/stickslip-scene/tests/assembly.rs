//! Parts that fit: nut and bolt, gears, pegs in holes, as the comments of the scenes promise.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::f64::consts::{PI, TAU};

use stickslip::{Simulator, geometry::Vec3, oracle};
use stickslip_scene::{Override, Scene};

/// The built-in scene, with changes; drift must show.
fn open(scene: &str, sets: &[String]) -> Simulator {
    let sets = sets.iter().map(String::as_str).chain(["sleep=false", "threads=1"]);
    let sets: Vec<Override> = sets.map(|s| Override::parse(s).unwrap()).collect();
    let scene = Scene::open(scene, &sets).unwrap_or_else(|e| panic!("{e}"));
    Simulator::new(scene.model, scene.state, scene.settings).unwrap()
}

/// Steps so often; the largest true overlap, measured after every twentieth step \[m\].
fn run(sim: &mut Simulator, steps: usize) -> f64 {
    let mut deepest = 0.0_f64;
    for k in 0..steps {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0, "step {}: {:?}", report.step, report.solves);
        if k % 20 == 0 {
            deepest = deepest.max(oracle::measure(&sim.model, &sim.state).depth);
        }
    }
    deepest
}

fn place(sim: &Simulator, body: &str) -> Vec3 {
    sim.state.pose(sim.model.find(body).unwrap()).position
}

/// Angle about z \[rad\], in -pi .. pi.
fn angle(sim: &Simulator, body: &str) -> f64 {
    let q = sim.state.pose(sim.model.find(body).unwrap()).orientation;
    2.0 * q.z.atan2(q.w)
}

/// Three turns lower the nut by three pitches, whatever the wedges of the threads are between: after
/// each turn every part is where another was.
#[test]
fn a_nut_goes_down_by_the_pitch_of_each_turn() {
    for (scene, pitch) in [("nut-and-bolt", 2e-3), ("nut-m8", 1.25e-3), ("nut-m4", 0.7e-3)] {
        let mut sim = open(scene, &[]);
        // Once round takes 200 steps, after a start of 60.
        run(&mut sim, 80);
        let start = place(&sim, "nut");
        for turn in 1..=3 {
            let deepest = run(&mut sim, 200);
            let down = (start - place(&sim, "nut")).z;
            let expected = pitch * f64::from(turn);
            assert!((down / expected - 1.0).abs() < 1e-10, "{scene}, turn {turn}: {down}");
            assert!(deepest < 1e-9, "{scene}, turn {turn}: overlap {deepest}");
        }
    }
}

/// A nut that nothing holds runs down where friction is below the lead, and stays where it is above:
/// tan = pitch / (2 pi r), with r between the crest of the nut's thread and the end of its flank, and the
/// chords of twelve sides in place of the arc.
#[test]
fn a_nut_is_self_locking_above_the_angle_of_friction() {
    let lead = |radius: f64| 2e-3 / (24.0 * radius * (PI / 12.0).sin());
    let (least, most) = (lead(7.8e-3), lead(6.6e-3));
    for (mu, moves) in [(0.95 * least, true), (1.05 * most, false)] {
        let mut sets: Vec<String> =
            ["bolt", "nut"].iter().map(|b| format!("body.{b}.friction={mu}")).collect();
        sets.push("joint.spindle.motor.max_force=1e-12".into());
        let mut sim = open("nut-and-bolt", &sets);
        run(&mut sim, 20);
        let start = angle(&sim, "nut");
        run(&mut sim, 60);
        let turned = start - angle(&sim, "nut");
        match moves {
            true => assert!(turned > 1e-3, "mu = {mu}: {turned} rad"),
            false => assert!(turned.abs() < 1e-9, "mu = {mu}: {turned} rad"),
        }
    }
}

/// The driven gear turns by half of the driver, the other way: to round-off from tooth to tooth, and
/// between by less than six facets are off an involute.
#[test]
fn gears_keep_their_ratio() {
    let mut sim = open("gears", &[]);
    let mut deepest = run(&mut sim, 40);
    // The driver turns by a tooth in ten steps.
    let lag = |sim: &Simulator| (angle(sim, "driven") + 0.5 * angle(sim, "driver")).rem_euclid(PI);
    let start = lag(&sim);
    for step in 1..=100 {
        deepest = deepest.max(run(&mut sim, 1));
        let off = (lag(&sim) - start + 0.5 * PI).rem_euclid(PI) - 0.5 * PI;
        let limit = if step % 10 == 0 { 1e-10 } else { 3e-4 };
        assert!(off.abs() < limit, "step {step}: {off} rad");
    }
    assert!(deepest < 1e-7, "{deepest}");
}

/// Pegs with 0.5, 0.1 and 0.02 mm of clearance are guided in by the chamfer and end flat on the floor; one
/// that is thicker than the hole by 0.01 mm does not go in.
#[test]
fn square_pegs_go_in_if_they_fit() {
    for (side, fits) in [(9.5e-3, true), (9.9e-3, true), (9.98e-3, true), (10.01e-3, false)] {
        let size = format!("body.peg.shape.size=[{side}, {side}, 0.03]");
        let mut sim = open("square-peg", &[size]);
        let deepest = run(&mut sim, 500);
        let z = place(&sim, "peg").z;
        match fits {
            true => assert!((z - 0.015).abs() < 1e-9, "{side} m: {z}"),
            false => assert!(z > 0.02, "{side} m: {z}"),
        }
        assert!(deepest < 1e-7, "{side} m: overlap {deepest}");
    }
}

/// A ring of wedges around a round hole, as one body or each by itself, and a peg of `sides` (0: smooth)
/// over it, askew by some degrees.
fn round_hole(separate: bool, sides: usize, tilt: f64) -> String {
    let (count, hole, outer, depth, length, radius) = (32, 4.05e-3, 0.012, 0.02, 0.03, 3.993e-3);
    let mut text = String::from(
        "[simulation]\nstep = 0.002\nsleep = false\n[[body]]\nname = \"floor\"\nfriction = 0.1\n\
         shape = { type = \"plane\" }\n",
    );
    let half = PI / f64::from(count);
    let mut parts = vec![];
    for k in 0..count {
        let corner = |i: u32, r: f64, z: f64| {
            let (s, c) = (TAU * f64::from(k + i) / f64::from(count)).sin_cos();
            format!("[{}, {}, {z}]", c * r / half.cos(), s * r / half.cos())
        };
        let all: Vec<String> = (0..8)
            .map(|b| {
                let r = if b & 2 == 0 { hole } else { outer };
                corner(b & 1, r, if b & 4 == 0 { 0.0 } else { depth })
            })
            .collect();
        let part = format!("{{ type = \"convex\", points = [{}] }}", all.join(", "));
        if separate {
            // Centre of mass of a sector between two parallel sides.
            let at = 2.0 / 3.0 * (outer.powi(3) - hole.powi(3)) / (outer.powi(2) - hole.powi(2));
            let (s, c) = (TAU * (f64::from(k) + 0.5) / f64::from(count)).sin_cos();
            text += &format!(
                "[[body]]\nstatic = true\nfriction = 0.1\nshape = {part}\nposition = [{}, {}, {}]\n",
                c * at,
                s * at,
                0.5 * depth
            );
        }
        parts.push(part);
    }
    if !separate {
        text += &format!(
            "[[body]]\nstatic = true\nfriction = 0.1\nposition = [0, 0, {}]\n\
             shape = {{ type = \"compound\", parts = [{}] }}\n",
            0.5 * depth,
            parts.join(", ")
        );
    }
    let (s, c) = tilt.to_radians().sin_cos();
    let at = [0.5 * length * s, depth + 0.5 * length * c + radius * s + 1e-4];
    text + &format!(
        "[[body]]\nname = \"peg\"\nfriction = 0.1\ndensity = 7800\nposition = [{}, 0, {}]\n\
         orientation = {{ axis = [0, 1, 0], angle = {} }}\n\
         shape = {{ type = \"cylinder\", radius = {radius}, height = {length}, sides = {sides} }}\n",
        at[0],
        at[1],
        tilt.to_radians()
    )
}

/// A peg askew over a hole that it fits goes in, be it smooth or of 32 sides, and be the hole one body or
/// many: it ends upright on the floor.
#[test]
fn round_pegs_go_in_askew() {
    for (separate, sides, tilt) in
        [(true, 0, 1.0), (true, 0, 3.0), (false, 0, 3.0), (true, 32, 1.0), (true, 32, 3.0)]
    {
        let scene = Scene::parse("hole.toml", &round_hole(separate, sides, tilt)).unwrap();
        let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
        for _ in 0..300 {
            sim.step().unwrap();
        }
        let (z, what) = (place(&sim, "peg").z, (separate, sides, tilt));
        assert!((z - 0.015).abs() < 1e-7, "separate, sides, tilt {what:?}: {z}");
        assert!(oracle::measure(&sim.model, &sim.state).depth < 1e-7, "{what:?}");
    }
    let mut sim = open("round-peg", &[]);
    let deepest = run(&mut sim, 300);
    assert!((place(&sim, "peg").z - 0.015).abs() < 1e-9 && deepest < 1e-7);
}

/// Where a body is after some steps, from where it was; nothing may overlap.
fn way(sim: &mut Simulator, body: &str, steps: usize) -> Vec3 {
    let start = place(sim, body);
    let deepest = run(sim, steps);
    assert!(deepest < 1e-8, "{body}: overlap {deepest}");
    place(sim, body) - start
}

/// An L into an L, three pins into three holes, a gear onto its shaft: each ends where the parts touch.
#[test]
fn parts_that_fit_drop_into_place() {
    let mut sim = open("l-peg", &[]);
    way(&mut sim, "peg", 300);
    assert!((place(&sim, "peg").z - 0.015).abs() < 1e-9, "{}", place(&sim, "peg"));

    let mut sim = open("connector", &[]);
    let moved = way(&mut sim, "plug", 250);
    // from 8.5 mm above the ground of the holes to 1 mm
    assert!((moved.z + 7.5e-3).abs() < 1e-9, "{moved}");
    let at = place(&sim, "plug");
    assert!(at.x.abs() < 5.001e-5 && at.y.abs() < 5.001e-5, "{at}");

    let mut sim = open("gear-on-shaft", &[]);
    way(&mut sim, "gear", 150);
    assert!((place(&sim, "gear").z - 4e-3).abs() < 1e-9, "{}", place(&sim, "gear"));
}

/// The tasks of the assembly benchmarks Factory and IndustReal that have no scene above: the rectangular peg
/// rests on the floor, the gear on the base, upright and in mesh.
#[test]
fn the_tasks_of_factory_end_in_place() {
    let mut sim = open("rectangular-peg", &[]);
    way(&mut sim, "peg", 250);
    assert!((place(&sim, "peg").z - 0.025).abs() < 1e-9, "{}", place(&sim, "peg"));

    let mut sim = open("factory-gears", &[]);
    way(&mut sim, "medium gear", 120);
    assert!((place(&sim, "medium gear").z - 5e-3).abs() < 1e-9, "{}", place(&sim, "medium gear"));
}

/// The slider rises by its play over the slope of the flanks, and slides against friction at both.
#[test]
fn a_dovetail_holds_and_slides() {
    let mut sim = open("dovetail", &[]);
    let rise = way(&mut sim, "slider", 25).z;
    assert!((rise - 1e-4).abs() < 1e-9, "{rise}");
    let slider = sim.model.find("slider").unwrap();
    let before = sim.state.twist(slider).linear.y;
    run(&mut sim, 25);
    let gained = sim.state.twist(slider).linear.y - before;
    let lean = 0.5_f64.atan();
    let right = 0.05 * (2.0 - 0.1 * (5.0 - 0.981) / lean.sin()) / 0.1;
    assert!((gained / right - 1.0).abs() < 1e-6, "{gained} against {right}");
}

/// A knob holds its piece after the play; a tongue brings its piece to rest on the shoulders.
#[test]
fn jigsaws_hold() {
    let mut sim = open("jigsaw", &[]);
    let moved = way(&mut sim, "piece", 200);
    assert!((moved.x - 5e-5).abs() < 1e-8 && (moved.z + 1e-3).abs() < 1e-9, "{moved}");

    let mut sim = open("jigsaw-2d", &[]);
    let moved = way(&mut sim, "piece", 300);
    // shoulders come down from 10 mm; the centre of the askew piece turns about itself
    assert!((moved.y + 10e-3).abs() < 1e-8, "{moved}");
    let x = place(&sim, "piece").x;
    assert!(x.abs() < 5.001e-5 && sim.state.angle[1].abs() < 1e-7, "{x}");
}

/// The jaws open and shut; then the tube stays on its pin against a pull.
#[test]
fn a_tube_snaps_onto_its_pin() {
    let mut sim = open("snap-fit", &[]);
    let down = -way(&mut sim, "press", 200).y;
    assert!((down - 0.01405).abs() < 1e-4, "{down}");
    let press = sim.model.find("press").unwrap();
    let start = place(&sim, "press");
    for _ in 0..100 {
        // 8 N push it down: 2 N up remain
        sim.state.applied[press.index()].force = Vec3::Y * 10.0;
        sim.step().unwrap();
    }
    assert!((place(&sim, "press") - start).length() < 5e-4, "{}", place(&sim, "press"));
}

/// How far the bolt is thrown in one turn of the key. Every step is solved.
fn turn_key(sim: &mut Simulator) -> f64 {
    let start = place(sim, "bolt").x;
    for _ in 0..500 {
        let report = sim.step().unwrap();
        assert!(report.solves.residual < 1e-8, "step {}: {}", report.step, report.solves.residual);
    }
    assert!(oracle::measure(&sim.model, &sim.state).depth < 1e-9);
    place(sim, "bolt").x - start
}

/// The bit throws the bolt to where its corner leaves the talon; a ward beside the notch stops the key.
#[test]
fn a_key_throws_the_bolt_if_it_fits() {
    let mut sim = open("lock", &[]);
    let bolt = sim.model.find("bolt").unwrap();
    let key = place(&sim, "key");
    let thrown = turn_key(&mut sim);
    // corner at (1, 12) mm from the axis, lower edge of the talon at 10 mm, its half width 1 mm
    let (left, speed) = (45e-6_f64.sqrt() + 1e-3, TAU * 0.01);
    let coasts = speed * speed * sim.model.body(bolt).mass / (2.0 * 0.5);
    let step = speed * 0.002;
    assert!(thrown > left - step && thrown < left + coasts + step, "{thrown} after {left}");
    assert!((place(&sim, "key") - key).length() < 1e-6);
    let mut sim = open("lock", &["body.ward.position=[-0.008, 0.002, 0]".into()]);
    let thrown = turn_key(&mut sim);
    assert!(thrown.abs() < 1e-9, "{thrown}");
}
