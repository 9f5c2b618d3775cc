//! Scenes in which bodies turn far in a step, or lie on edges and peaks: what random ones were found to go wrong in.
#![allow(clippy::unwrap_used)]

use stickslip::{Simulator, oracle};
use stickslip_scene::Scene;

/// The largest rise of the energy in a step, as a part of what it is, and the deepest overlap \[m\].
fn worst(text: &str, steps: usize) -> (f64, f64) {
    let scene = Scene::parse("soak", &format!("[simulation]\nthreads = 1\n{text}")).unwrap();
    let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
    let (mut rise, mut deep) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        let before = sim.state.energy(&sim.model);
        assert_eq!(sim.step().unwrap().solves.failures, 0);
        rise = rise.max((sim.state.energy(&sim.model) - before) / before);
        deep = deep.max(oracle::deepest(&sim.model, &sim.state).0);
    }
    (rise, deep)
}

const CHAIN: &str = "step = 0.0132
[[body]]\nshape = { type = \"plane\" }
[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 1 }\ndensity = 2580\nposition = [0, 0, 1]
[[body]]\nname = \"box\"\nshape = { type = \"box\", size = [0.8, 0.5, 0.6] }\nposition = [3, 0, 1.04]
velocity = [0, 177.5, 0]\nangular_velocity = [3.8, 3.5, 135]
[[joint]]\nbodies = [\"ball\", \"box\"]\ntype = \"spherical\"\nanchor = [1.5, 0, 1]\n";

const RIDGES: &str = "friction = \"quadratic\"
[[body]]\nstatic = true
shape = { type = \"heightfield\", heights = [[-0.083, -0.074, -0.021, -0.030, -0.018], [-0.064, -0.076, -0.003, -0.016, -0.005], [-0.088, -0.054, -0.033, -0.024, -0.008], [-0.042, -0.055, -0.090, -0.018, -0.002], [-0.008, -0.030, -0.059, -0.068, -0.020]], size = [1.42, 1.42] }
[[body]]\nshape = { type = \"compound\", parts = [{ type = \"box\", size = [0.155, 0.058, 0.058] }, { type = \"box\", size = [0.058, 0.058, 0.136], position = [0.048, 0, 0.087] }] }
position = [0.26, 0.28, 0.15]\norientation = { axis = [-0.65, 0.17, 0.56], angle = -0.44 }\nvelocity = [1.2, 1.7, 0.2]\n";

/// A box that whirls on a ball by 1.8 rad a step gained 5 % of its energy in one; an angle of two boxes that a
/// ridge caught three times what it had. Substeps in which bodies turn less, and motions that contacts may not
/// give are none.
#[test]
fn contacts_and_joints_give_no_energy_to_bodies_that_turn_far() {
    for (text, steps) in [(CHAIN, 40), (RIDGES, 60)] {
        let (rise, _) = worst(text, steps);
        assert!(rise < 0.01, "{rise}\n{text}");
    }
}

const ROOF: &str =
    "{ type = \"heightfield\", heights = [[-0.3, 0, -0.3], [-0.3, 0, -0.3]], size = [2, 2] }";
const EDGE: &str =
    "{ type = \"box\", size = [1.8, 1, 1.5] }\norientation = { axis = [1, 0, 0], angle = 0.7854 }";

/// A cylinder whose end lies on an edge touches it from where the edge enters the disc to where it leaves it. With
/// the deepest point alone it sank 0.3 m into a roof and 0.3 mm into the edge of a box.
#[test]
fn cylinders_lie_on_edges() {
    let scenes = [
        (ROOF, "[0.09, 0.17, 0.5]", "[-0.81, -0.94, 0.85], angle = -0.04"),
        (ROOF, "[-0.16, -0.16, 0.5]", "[-0.56, -0.08, 0.36], angle = -0.29"),
        (EDGE, "[-0.16, -0.16, 1.7]", "[-0.56, -0.08, 0.36], angle = -0.29"),
    ];
    for (under, position, turn) in scenes {
        let text = format!(
            "[[body]]\nstatic = true\nshape = {under}
[[body]]\nshape = {{ type = \"cylinder\", radius = 0.35, height = 0.43 }}
position = {position}\norientation = {{ axis = {turn} }}\n"
        );
        let (_, deep) = worst(&text, 80);
        assert!(deep < 1e-5 * 0.35, "{deep:e} m\n{text}");
    }
}

/// The peak of a heightfield that ridges and valleys lead to holds what falls on it. As a corner with valleys it
/// was left out, and went into the bodies.
#[test]
fn peaks_with_valleys_hold_bodies() {
    let shapes = [
        "{ type = \"box\", size = [0.6, 0.5, 0.3] }",
        "{ type = \"cylinder\", radius = 0.3, height = 0.3 }",
    ];
    for shape in shapes {
        let text = format!(
            "[[body]]\nstatic = true
shape = {{ type = \"heightfield\", heights = [[-0.5, -0.1, -0.5], [-0.1, 0, -0.1], [-0.5, -0.1, -0.5]], size = [2, 2] }}
[[body]]\nshape = {shape}\nposition = [0.02, 0.01, 0.3]\n"
        );
        let (_, deep) = worst(&text, 60);
        assert!(deep < 1e-5 * 0.3, "{deep:e} m\n{text}");
    }
}
