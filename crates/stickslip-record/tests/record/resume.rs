use stickslip::Simulator;
use stickslip_record::{RecordOptions, Recorder, Recording, RunInfo};

use crate::support::{Scratch, boxes, pendulum, planar};

/// Going on from any recorded step gives the same bits as never having stopped.
fn check(make: fn() -> Simulator, solver: &str) {
    let fresh = || {
        let mut sim = make();
        sim.settings.solver = solver.into();
        Simulator::new(sim.model, sim.state, sim.settings).unwrap()
    };
    let mut sim = fresh();
    let file = Scratch::new(&format!(
        "resume-{solver}-{}-{}.h5",
        sim.model.bodies().len(),
        sim.model.joints().len()
    ));
    let options = RecordOptions { checkpoint_every: 7, ..RecordOptions::default() };
    let recorder = Recorder::attach(&file.0, &mut sim, &RunInfo::default(), options).unwrap();
    let mut states = vec![sim.state.clone()];
    for _ in 0..60 {
        sim.step().unwrap();
        states.push(sim.state.clone());
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    for from in [0, 1, 13, 14, 33, 49] {
        let mut again = fresh();
        recording.resume(&mut again, from).unwrap();
        while again.state.step < 60 {
            assert_eq!(again.state, states[again.state.step as usize], "from {from}");
            again.step().unwrap();
        }
        assert_eq!(again.state, states[60], "{solver} from {from}");
    }
    let error = recording.resume(&mut fresh(), 61).unwrap_err().to_string();
    assert!(error.contains("61") && error.contains("60"), "{error}");
}

#[test]
fn a_resumed_run_is_the_run() {
    check(|| boxes(6), "auto");
    check(planar, "auto");
    check(pendulum, "auto");
}

/// An iterative solver starts from its last solution, which must come back too.
#[test]
fn the_memory_of_the_solver_is_restored() {
    check(|| boxes(6), "pgs");
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
