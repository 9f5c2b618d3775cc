//! The dynamic answer: the simulator, from rest.

use stickslip::{
    BodyId, Model, Settings, Simulator, State, Twist,
    geometry::Vec3,
    hook::Hook,
    step::{SetupError, StepError},
};

use crate::report::{Dynamic, Moved};

/// A force at a point of a body, of constant direction.
#[derive(Clone, Copy, Debug)]
pub struct PointForce {
    pub body: BodyId,
    pub force: Vec3,
    /// Point in the body's frame \[m\].
    pub point: Vec3,
}

struct Apply(Vec<PointForce>);

impl Hook for Apply {
    fn before_step(&mut self, _model: &Model, state: &mut State) {
        for load in &self.0 {
            let arm = state.pose(load.body).vector(load.point);
            let applied = &mut state.applied[load.body.index()];
            applied.force += load.force;
            applied.torque += arm.cross(load.force);
        }
    }
}

/// A block rests if no point of it moved by more than this part of its radius.
const LIMIT: f64 = 1e-5;

/// Simulates the scene from rest for `time` seconds.
pub fn simulate(
    model: &Model,
    state: &State,
    settings: &Settings,
    time: f64,
    loads: Vec<PointForce>,
) -> Result<Dynamic, SetupError> {
    let mut start = state.clone();
    start.nu.fill(Twist::default());
    let mut sim = Simulator::new(model.clone(), start, settings.clone())?;
    if !loads.is_empty() {
        sim.pipeline.hooks.push(Box::new(Apply(loads)));
    }
    let steps = (time / settings.step).round().max(1.0) as u64;
    let mut run =
        || -> Result<(), StepError> { (0..steps).try_for_each(|_| sim.step().map(|_| ())) };
    let ended = run().err().map(|e| e.to_string());
    let (mut moved, mut farthest) = (Vec::new(), 0.0_f64);
    for id in model.ids().filter(|&id| model.dof(id).is_some()) {
        let (a, b) = (state.pose(id), sim.state.pose(id));
        let distance = (b.position - a.position).length();
        let turned = (b.orientation * a.orientation.conjugate()).normalize();
        let turned = 2.0 * turned.xyz().length().atan2(turned.w.abs());
        let radius = model.body(id).radius;
        let reach = distance + turned * radius;
        farthest = farthest.max(reach);
        if reach > LIMIT * radius {
            moved.push((reach, Moved { body: model.body(id).name.clone(), distance, turned }));
        }
    }
    moved.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(Dynamic {
        time: steps as f64 * settings.step,
        step: settings.step,
        moved: moved.into_iter().map(|m| m.1).collect(),
        limit: LIMIT,
        farthest,
        ended,
    })
}
