use std::sync::{Arc, Mutex};

use stickslip::{
    Simulator,
    complementarity::{Problem, ProblemClass, solver::Watch},
    solve::{Solution, SolveError, Solver},
};
use stickslip_record::{FrameChoice, RecordOptions, Recorder, Recording, RunInfo};

use crate::support::{Scratch, boxes};

/// Keeps the problems it is asked to solve.
struct Spy {
    inner: Box<dyn Solver>,
    seen: Arc<Mutex<Vec<Problem>>>,
}

impl Solver for Spy {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        self.inner.accepts()
    }

    fn solve(&mut self, p: &Problem, z: &[f64], w: &mut dyn Watch) -> Result<Solution, SolveError> {
        self.seen.lock().unwrap().push(p.clone());
        self.inner.solve(p, z, w)
    }
}

/// The problem rebuilt from the file is the one that the run solved; another formulation writes
/// its own for the same frame.
#[test]
fn problems_come_back_under_any_formulation() {
    let make = |formulation: &str| {
        let mut sim = boxes(3);
        sim.settings.formulation = formulation.into();
        Simulator::new(sim.model, sim.state, sim.settings).unwrap()
    };
    let mut sim = make("stewart-trinkle");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let inner = stickslip::solve::registry::make("auto", &sim.settings.solver_options).unwrap();
    sim.pipeline.solver = Box::new(Spy { inner, seen: seen.clone() });
    let file = Scratch::new("problem.h5");
    let frames = FrameChoice { ranges: vec![40..=40], every: None };
    let options = RecordOptions { frames, ..RecordOptions::default() };
    let recorder = Recorder::attach(&file.0, &mut sim, &RunInfo::default(), options).unwrap();
    let mut first = Vec::new();
    for _ in 0..50 {
        seen.lock().unwrap().clear();
        sim.step().unwrap();
        first.push(seen.lock().unwrap().first().cloned());
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    for step in [38, 40, 50] {
        let problem = recording.subproblem(&mut make("stewart-trinkle"), step).unwrap();
        assert!(problem.is_some());
        assert_eq!(problem, first[step as usize - 1], "step {step}");
    }
    let other = recording.subproblem(&mut make("anitescu-potra"), 40).unwrap();
    assert!(other.is_some() && other != first[39]);
    assert!(recording.subproblem(&mut make("stewart-trinkle"), 60).is_err());
}
