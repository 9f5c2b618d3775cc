use stickslip::{
    Model, Simulator, State,
    formulate::FORMULATIONS,
    geometry::Vec3,
    hook::Hook,
    integrate::INTEGRATORS,
    model::{Motor, MotorTarget},
    registry::names,
};
use stickslip_record::{RecordOptions, Recorder, Recording, RunInfo};
use stickslip_scene::Scene;

use crate::support::{Scratch, boxes, pendulum, planar};

const STEPS: u64 = 48;

/// Going on from any recorded step gives the same bits as never having stopped, and as never
/// having been recorded.
fn check(name: &str, fresh: &dyn Fn() -> Simulator) {
    let mut plain = fresh();
    let mut states = vec![plain.state.clone()];
    for _ in 0..STEPS {
        plain.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        states.push(plain.state.clone());
    }
    let mut sim = fresh();
    let file = Scratch::new(&format!("resume-{name}.h5"));
    let options = RecordOptions { checkpoint_every: 7, ..RecordOptions::default() };
    let recorder = Recorder::attach(&file.0, &mut sim, &RunInfo::default(), options).unwrap();
    while sim.state.step < STEPS {
        sim.step().unwrap();
        assert_eq!(sim.state, states[sim.state.step as usize], "{name}: recording changed the run");
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    for from in [0, 1, 20, 21, 33] {
        let mut again = fresh();
        recording.resume(&mut again, from).unwrap_or_else(|e| panic!("{name} from {from}: {e}"));
        while again.state.step < STEPS {
            assert_eq!(again.state, states[again.state.step as usize], "{name} from {from}");
            again.step().unwrap();
        }
        assert_eq!(again.state, states[STEPS as usize], "{name} from {from}");
    }
    let error = recording.resume(&mut fresh(), STEPS + 1).unwrap_err().to_string();
    assert!(error.contains("49") && error.contains("48"), "{error}");
}

/// The same scene under other settings; `None` where they do not go together.
fn with(make: &dyn Fn() -> Simulator, change: &dyn Fn(&mut Simulator)) -> Option<Simulator> {
    let mut sim = make();
    change(&mut sim);
    let mut sim = Simulator::new(sim.model, sim.state, sim.settings).ok()?;
    let start = sim.state.clone();
    sim.step().ok()?;
    let Simulator { model, settings, .. } = sim;
    Simulator::new(model, start, settings).ok()
}

/// Bodies that touch from the first step on, so that the memory of contacts matters.
fn touching(make: fn() -> Simulator) -> Simulator {
    let mut sim = make();
    while sim.state.step < 25 {
        sim.step().unwrap();
    }
    sim.state.step = 0;
    sim.state.time = 0.0;
    Simulator::new(sim.model, sim.state, sim.settings).unwrap()
}

#[test]
fn every_formulation_in_3d() {
    for formulation in names(FORMULATIONS) {
        let make = || touching(|| boxes(3));
        let change = |sim: &mut Simulator| sim.settings.formulation = formulation.into();
        assert!(with(&make, &change).is_some(), "{formulation}");
        check(&format!("3d-{formulation}"), &|| with(&make, &change).unwrap());
    }
}

#[test]
fn every_formulation_in_2d() {
    for formulation in names(FORMULATIONS) {
        let make = || touching(planar);
        let change = |sim: &mut Simulator| sim.settings.formulation = formulation.into();
        assert!(with(&make, &change).is_some(), "{formulation}");
        check(&format!("2d-{formulation}"), &|| with(&make, &change).unwrap());
    }
}

/// Some remember the last step, as do the stabilizations' warm starts.
#[test]
fn every_integrator_and_joint_correction() {
    for integrator in names(INTEGRATORS) {
        for stabilization in ["none", "post-step", "shake", "baumgarte"] {
            let change = |sim: &mut Simulator| {
                sim.settings.integrator = integrator.into();
                sim.settings.stabilization = stabilization.into();
            };
            if with(&pendulum, &change).is_some() {
                let name = format!("joints-{integrator}-{stabilization}");
                check(&name, &|| with(&pendulum, &change).unwrap());
            }
        }
    }
    let penalty = |sim: &mut Simulator| {
        sim.settings.formulation = "penalty".into();
        sim.settings.integrator = "rk4".into();
    };
    check("penalty-rk4", &|| with(&|| touching(|| boxes(3)), &penalty).unwrap());
}

/// An iterative solver starts from its last solution, which must come back too.
#[test]
fn the_memory_of_the_solver_is_restored() {
    for solver in ["pgs", "proximal-newton"] {
        let change = |sim: &mut Simulator| {
            sim.settings.formulation = "stewart-trinkle".into();
            sim.settings.solver = solver.into();
        };
        check(&format!("memory-{solver}"), &|| with(&|| boxes(6), &change).unwrap());
    }
}

/// Robots, grippers and vehicles: motors with paths, limits, friction in joints.
#[test]
fn mechanisms_of_the_built_in_scenes() {
    for name in ["grasp-2d", "rolling-cart", "gripper", "four-bar", "differential-drive"] {
        check(name, &|| {
            let scene = Scene::open(name, &[]).unwrap();
            Simulator::new(scene.model, scene.state, scene.settings).unwrap()
        });
    }
}

/// Pushes and turns by rules that look at the clock, as a mouse would: no later run has it.
struct Meddler;

impl Hook for Meddler {
    fn before_step(&mut self, model: &Model, state: &mut State) {
        let phase = state.step as f64;
        if state.step % 3 == 1 {
            state.applied[1].force = Vec3::new(phase.sin(), 0.3, phase.cos());
            state.applied[1].torque = Vec3::new(0.0, phase.sin(), 0.1);
        }
        if state.step == 17 {
            state.nu[1].linear += Vec3::new(0.2, -0.1, 1.0);
        }
        if state.step % 10 == 4 && !model.joints().is_empty() {
            let target = MotorTarget::Velocity(phase.cos());
            state.motors[0] = Some(Motor::new(target, Some(40.0)));
        }
        if state.step == 28 && !model.joints().is_empty() {
            state.motors[0] = None;
        }
    }
}

/// Forces, velocities and aims that came from outside are simulated again from the file: the
/// run that made them is not needed.
#[test]
fn what_hooks_did_comes_back_without_them() {
    for (name, make) in [("boxes", (|| boxes(2)) as fn() -> Simulator), ("pendulum", pendulum)] {
        let mut sim = make();
        sim.pipeline.hooks.push(Box::new(Meddler));
        let file = Scratch::new(&format!("hooks-{name}.h5"));
        let recorder =
            Recorder::attach(&file.0, &mut sim, &RunInfo::default(), RecordOptions::default())
                .unwrap();
        let mut states = vec![sim.state.clone()];
        for _ in 0..STEPS {
            sim.step().unwrap();
            states.push(sim.state.clone());
        }
        recorder.finish().unwrap();
        let recording = Recording::open(&file.0).unwrap();
        for k in 0..=STEPS {
            let mut again = make();
            recording.resume(&mut again, k).unwrap_or_else(|e| panic!("{name} to {k}: {e}"));
            assert_eq!(again.state, states[k as usize], "{name} to {k}");
        }
        // With the same hook it goes on as the run did.
        let mut again = make();
        again.pipeline.hooks.push(Box::new(Meddler));
        recording.resume(&mut again, 19).unwrap();
        while again.state.step < STEPS {
            again.step().unwrap();
        }
        assert_eq!(again.state, states[STEPS as usize], "{name}");
    }
}

/// Another scene or other settings are noticed, not simulated on.
#[test]
fn a_different_run_is_refused() {
    let mut sim = boxes(3);
    let file = Scratch::new("different.h5");
    let recorder =
        Recorder::attach(&file.0, &mut sim, &RunInfo::default(), RecordOptions::default()).unwrap();
    for _ in 0..30 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    let error = recording.resume(&mut boxes(4), 10).unwrap_err().to_string();
    assert!(error.contains("4 bodies") || error.contains("scene 5"), "{error}");
    let mut other = boxes(3);
    other.settings.step = 0.02;
    let error = recording.resume(&mut other, 10).unwrap_err().to_string();
    assert!(error.contains("differently"), "{error}");
}

/// A checkpoint of a formulation with memory does not serve another one.
#[test]
fn the_memory_of_another_method_is_refused() {
    let penalty = |sim: &mut Simulator| sim.settings.formulation = "penalty".into();
    let make = || touching(|| boxes(2));
    let mut sim = with(&make, &penalty).unwrap();
    let file = Scratch::new("strange.h5");
    let options = RecordOptions { checkpoint_every: 1, ..RecordOptions::default() };
    let recorder = Recorder::attach(&file.0, &mut sim, &RunInfo::default(), options).unwrap();
    for _ in 0..40 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    // wherever the boxes touch, and the method remembers it
    let error = |k| recording.resume(&mut make(), k).err().map(|e| e.to_string());
    let errors: Vec<String> = (1..=40).filter_map(error).collect();
    assert!(errors.iter().any(|e| e.contains("formulate")), "{errors:?}");
}
