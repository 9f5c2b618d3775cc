//! A hook is the way into the loop: a spring that holds a ball one metre up.

use stickslip::{
    BodyId, BodyInit, Dimension, Model, ModelBuilder, Settings, Simulator, State,
    geometry::{Solid, Vec3},
    hook::Hook,
};

struct Hover {
    ball: BodyId,
}

impl Hook for Hover {
    fn before_step(&mut self, model: &Model, state: &mut State) {
        let error = Vec3::Z - state.pose(self.ball).position;
        let weight = -model.gravity() * model.body(self.ball).mass;
        let force = weight + error * 20.0 - state.twist(self.ball).linear * 6.0;
        state.applied[self.ball.index()].force += force;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = ModelBuilder::new(Dimension::Three);
    scene.add(BodyInit::new(&Solid::half_space(Vec3::Z)?))?;
    let ball = scene.add(BodyInit::new(&Solid::sphere(0.2)?).at(Vec3::Z * 0.2))?;
    let (model, state) = scene.build();
    let mut sim = Simulator::new(model, state, Settings::default())?;
    sim.pipeline.hooks.push(Box::new(Hover { ball }));
    for _ in 0..300 {
        sim.step()?;
    }
    println!("after {:.1} s the ball is at {:.4}", sim.state.time, sim.state.pose(ball).position);
    Ok(())
}
