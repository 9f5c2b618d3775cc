//! Walls of many bricks with the default settings.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use stickslip::{Simulator, geometry::Vec3};
use stickslip_scene::Scene;

/// Bricks of 0.25 x 0.12 x 0.07 m in running bond on a floor: whole ones, and halves at the ends of every
/// other course.
fn wall(bricks: usize, courses: usize) -> Simulator {
    let mut text = String::from(
        "[simulation]\nstep = 0.01\nsleep = false\nthreads = 1\n\
         [[body]]\nname = \"floor\"\nfriction = 0.6\nshape = { type = \"plane\" }\n",
    );
    let (l, w, h) = (0.25, 0.12, 0.07);
    for row in 0..courses {
        let z = (row as f64 + 0.5) * h;
        let shifted = row % 2 == 1;
        let mut put = |name: String, x: f64, l: f64| {
            writeln!(
                text,
                "[[body]]\nname = \"{name}\"\nfriction = 0.6\ndensity = 1800\nposition = [{x}, 0, {z}]\n\
                 shape = {{ type = \"box\", size = [{l}, {w}, {h}] }}"
            )
            .unwrap();
        };
        let whole = if shifted { bricks - 1 } else { bricks };
        let first = if shifted { l } else { 0.5 * l };
        for k in 0..whole {
            put(format!("brick-{row}-{k}"), first + k as f64 * l, l);
        }
        if shifted {
            put(format!("left-{row}"), 0.25 * l, 0.5 * l);
            put(format!("right-{row}"), (bricks as f64 - 0.25) * l, 0.5 * l);
        }
    }
    let scene = Scene::parse("wall.toml", &text).unwrap();
    Simulator::new(scene.model, scene.state, scene.settings).unwrap()
}

fn moved(sim: &Simulator, start: &[Vec3]) -> f64 {
    let way = sim.model.ids().zip(start).map(|(id, at)| sim.state.pose(id).position.distance(*at));
    way.fold(0.0, f64::max)
}

/// A thousand bricks stand still: the first step is solved to the last digit, and the others go on from it.
#[test]
fn a_wall_of_a_thousand_bricks_stands_still() {
    let mut sim = wall(40, 25);
    assert!(sim.model.bodies().len() > 1000);
    let start: Vec<Vec3> = sim.model.ids().map(|id| sim.state.pose(id).position).collect();
    for _ in 0..20 {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0, "step {}", report.step);
    }
    let way = moved(&sim, &start);
    assert!(way < 1e-9, "{way} m in 0.2 s");
}
