//! A detector of one's own in the loop: balls above the plane z = 0, and nothing else. Copy this.

use stickslip::{
    BodyId, BodyInit, Dimension, Model, ModelBuilder, Settings, Simulator, State,
    collide::{CollideError, CollisionDetector, Contact, Feature, Query, Role, Side},
    geometry::{Solid, Vec3},
};

const RADIUS: f64 = 0.2;

struct BallsOnFloor {
    floor: BodyId,
}

impl CollisionDetector for BallsOnFloor {
    fn name(&self) -> &'static str {
        "balls-on-floor"
    }

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        let mut contacts = Vec::new();
        for ball in model.ids().filter(|&id| id != self.floor) {
            let low = state.pose(ball).position - Vec3::Z * RADIUS;
            // Open gaps belong in the list too: a formulation must know them before they close.
            if low.z > query.reach[ball.index()] {
                continue;
            }
            let side = |body, point| Side { body, part: 0, feature: Feature::Smooth(0), point };
            contacts.push(Contact {
                a: side(self.floor, low.with_z(0.0)),
                b: side(ball, low),
                normal: Vec3::Z,
                gap: low.z,
                applicability: 1.0,
                role: Role::Primary,
            });
        }
        Ok(contacts)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = ModelBuilder::new(Dimension::Three);
    let floor = scene.add(BodyInit::new(&Solid::half_space(Vec3::Z)?))?;
    let ball = scene.add(BodyInit::new(&Solid::sphere(RADIUS)?).at(Vec3::Z))?;
    let (model, state) = scene.build();
    let settings = Settings { formulation: "stewart-trinkle".into(), ..Settings::default() };
    let mut sim = Simulator::new(model, state, settings)?;
    sim.pipeline.detector = Box::new(BallsOnFloor { floor });
    for _ in 0..100 {
        sim.step()?;
    }
    let z = sim.state.pose(ball).position.z;
    assert!((z - RADIUS).abs() < 1e-9, "the ball rests on the floor, but z = {z}");
    println!("the ball rests at z = {z:.6} m");
    Ok(())
}
