//! A detector of the user's own decides what may touch: bodies of a pair that it leaves out pass
//! through each other, whatever the formulation.

use stickslip::{
    BodyId, Dimension, Model, Settings, Simulator, State,
    collide::{Candidates, CollideError, CollisionDetector, Contact, Exact, Query},
    formulate::FORMULATIONS,
    geometry::{Solid, Vec3},
    model::BodyInit,
    registry::names,
};

use super::scene::{G, cube, ground, simulate, square, up};

/// The detector `exact` without one pair of bodies.
#[derive(Default)]
struct LeavesOut {
    exact: Exact,
    pair: Option<[BodyId; 2]>,
    /// Whether it also answers for formulations that start from pairs, or has that derived from
    /// its contacts.
    answers_pairs: bool,
}

impl CollisionDetector for LeavesOut {
    fn name(&self) -> &'static str {
        "leaves-out"
    }

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        let mut contacts = self.exact.detect(model, state, query)?;
        contacts.retain(|c| Some([c.a.body, c.b.body]) != self.pair);
        Ok(contacts)
    }

    fn candidates(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
        found: &mut Candidates,
    ) -> Result<(), CollideError> {
        if self.answers_pairs {
            self.exact.candidates(model, state, query, found)?;
            found.pairs.retain(|[a, b]| Some([a.0, b.0]) != self.pair);
            found.contacts.retain(|c| Some([c.a.body, c.b.body]) != self.pair);
            return Ok(());
        }
        found.clear();
        self.detect(model, state, query)?.into_iter().for_each(|c| found.add(model, c));
        found.sort();
        Ok(())
    }
}

/// An obstacle, a body that moves towards it, and for how many steps.
struct Case {
    what: &'static str,
    dimension: Dimension,
    bodies: fn() -> [BodyInit; 2],
    steps: usize,
}

const CASES: [Case; 5] = [
    Case {
        what: "a box on a box",
        dimension: Dimension::Three,
        bodies: || [cube(1.0).fixed(), cube(0.5).at(Vec3::Z * 0.8)],
        steps: 60,
    },
    Case {
        what: "a square on a square",
        dimension: Dimension::Two,
        bodies: || [square(1.0).fixed(), square(0.5).at(Vec3::Y * 0.8)],
        steps: 60,
    },
    Case {
        what: "a box on the ground",
        dimension: Dimension::Three,
        bodies: || [ground(Dimension::Three), cube(0.5).at(Vec3::Z * 0.3)],
        steps: 60,
    },
    Case {
        what: "a ball on a box",
        dimension: Dimension::Three,
        bodies: || [cube(1.0).fixed(), ball(0.25).at(Vec3::Z * 0.8)],
        steps: 60,
    },
    Case {
        what: "a bullet and a thin wall",
        dimension: Dimension::Three,
        bodies: || {
            let wall = Solid::cuboid(Vec3::new(2.0, 2.0, 0.05)).unwrap();
            [BodyInit::new(&wall).fixed(), cube(0.04).at(Vec3::Z * 0.7).velocity(Vec3::Z * -100.0)]
        },
        steps: 3,
    },
];

fn ball(radius: f64) -> BodyInit {
    BodyInit::new(&Solid::sphere(radius).unwrap())
}

/// Height of the body at the end, and the most substeps that a step was cut into.
fn height(case: &Case, formulation: &str, detector: LeavesOut, obstacle: bool) -> (f64, usize) {
    let settings = Settings { formulation: formulation.into(), ..Settings::default() };
    let [still, moving] = (case.bodies)();
    let far = if obstacle { still } else { ball(0.1).fixed().at(Vec3::X * 1e3) };
    let gravity = up(case.dimension) * -G;
    let mut sim: Simulator = simulate(case.dimension, gravity, vec![far, moving], settings);
    sim.pipeline.detector = Box::new(detector);
    let mut substeps = 0;
    for _ in 0..case.steps {
        substeps = sim.step().unwrap().substeps.max(substeps);
    }
    (sim.state.pose(BodyId::new(1)).position.dot(up(case.dimension)), substeps)
}

/// The body flies as if the obstacle were not there; with the pair it is stopped.
#[test]
fn bodies_of_a_pair_left_out_pass_through_each_other() {
    let pair = Some([BodyId::new(0), BodyId::new(1)]);
    for case in &CASES {
        for formulation in names(FORMULATIONS) {
            let told = format!("{}, {formulation}", case.what);
            let (free, _) = height(case, formulation, LeavesOut::default(), false);
            assert!(free < -0.5, "{told}: {free}");
            for answers_pairs in [false, true] {
                let detector = LeavesOut { pair, answers_pairs, ..Default::default() };
                let (passed, substeps) = height(case, formulation, detector, true);
                // In substeps the scheme falls by less: its error is h² g / 2 for each step of h.
                let error = if substeps == 0 { 1e-9 } else { 0.5 * G * 1e-4 * case.steps as f64 };
                assert!((passed - free).abs() < error, "{told}: {passed}, free {free}");
                assert!(substeps < 100, "{told}: a step in {substeps}");
            }
            // A method that only corrects what has happened may lose a bullet.
            if case.steps > 3 {
                let (stopped, _) = height(case, formulation, LeavesOut::default(), true);
                assert!(stopped > 0.2, "{told}: {stopped}");
            }
        }
    }
}

/// The detector `exact`, with a skin around all bodies.
#[derive(Default)]
struct Skin {
    exact: Exact,
    /// \[m\]
    thickness: f64,
}

impl CollisionDetector for Skin {
    fn name(&self) -> &'static str {
        "skin"
    }

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        let mut query = query.clone();
        query.reach.iter_mut().for_each(|reach| *reach += self.thickness);
        let mut contacts = self.exact.detect(model, state, &query)?;
        contacts.iter_mut().for_each(|c| c.gap -= self.thickness);
        Ok(contacts)
    }
}

/// A capsule that tips over lies on the skin of the ground: a detector that does not say that it is exact is
/// believed also where bodies turn. Gaps at the end of a step were once taken from the shapes themselves, as long
/// as the setting `detector` had its default.
#[test]
fn gaps_of_a_detector_of_ones_own_are_believed() {
    let thickness = 0.02;
    let capsule =
        BodyInit::new(&Solid::capsule(0.1, 0.4).unwrap()).at(Vec3::Z * 0.33).spin(Vec3::Y * 2.0);
    let settings = Settings::default();
    let bodies = vec![ground(Dimension::Three), capsule];
    let mut sim: Simulator = simulate(Dimension::Three, Vec3::Z * -G, bodies, settings);
    sim.pipeline.detector = Box::new(Skin { thickness, ..Default::default() });
    for _ in 0..100 {
        sim.step().unwrap();
        let pose = sim.state.pose(BodyId::new(1));
        let axis = pose.orientation * Vec3::Z;
        let lowest = pose.position.z - 0.2 * axis.z.abs() - 0.1;
        let time = sim.state.time;
        assert!(lowest > 0.5 * thickness, "{lowest} m above the ground at {time} s");
    }
}
