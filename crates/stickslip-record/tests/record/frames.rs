use stickslip::{Settings, Simulator};
use stickslip_record::{FrameChoice, RecordOptions, Recorder, Recording, RunInfo};

use crate::support::{Scratch, boxes, pendulum, planar};

/// Frames hold exactly the datasets of Table 8.1, in its shapes, for the steps asked for.
#[test]
fn frames_are_those_of_the_table() {
    for mut sim in [boxes(2), planar()] {
        let file = Scratch::new("frames.h5");
        let frames = FrameChoice { every: Some(20), ranges: vec![33..=34] };
        let options = RecordOptions { frames, ..RecordOptions::default() };
        let recorder = Recorder::attach(&file.0, &mut sim, &RunInfo::default(), options).unwrap();
        let mut before = sim.state.clone();
        let mut contacts = 0;
        for k in 1..=45 {
            if k == 40 {
                before = sim.state.clone();
            }
            let report = sim.step().unwrap();
            if k == 40 {
                contacts = report.contacts;
            }
        }
        recorder.finish().unwrap();
        let recording = Recording::open(&file.0).unwrap();
        assert_eq!(recording.frames().unwrap(), [20, 33, 34, 40]);
        let frame = recording.frame(40).unwrap();
        let nb = 3;
        let shapes = [
            ("bodies/forces", [6 * nb, 1]),
            ("bodies/ids", [nb, 1]),
            ("bodies/inertia", [3 * nb, 3]),
            ("bodies/masses", [nb, 1]),
            ("bodies/positions", [3 * nb, 1]),
            ("bodies/quaternion", [4 * nb, 1]),
            ("bodies/velocities", [6 * nb, 1]),
            ("contacts/gap", [contacts, 1]),
            ("contacts/mu", [contacts, 2]),
            ("contacts/normals", [contacts, 3]),
            ("contacts/pairs", [contacts, 2]),
            ("contacts/points", [contacts, 3]),
            ("joints/bounds", [0, 2]),
            ("joints/jacobians", [0, 3]),
            ("joints/pairs", [0, 2]),
            ("joints/rows", [0, 3]),
            ("joints/violations", [0, 1]),
            ("solutions/friction_error", [1, 1]),
            ("solutions/iterations", [1, 1]),
            ("solutions/normal_error", [1, 1]),
            ("solutions/solution", [6 * nb, 1]),
            ("solutions/stick_or_slide", [contacts, 1]),
            ("step", [1, 1]),
        ];
        for (name, shape) in shapes {
            assert_eq!(frame.tables[name].0, shape, "{name}");
        }
        assert_eq!(frame.tables.len(), shapes.len() + 1, "only total_error is not in the list");
        assert!(!frame.numbers("solutions/total_error").is_empty());
        let positions: Vec<f64> = before.q.iter().flat_map(|p| p.position.to_array()).collect();
        assert_eq!(frame.numbers("bodies/positions"), positions);
        assert_eq!(frame.numbers("step"), [0.01]);
    }
}

/// What a frame says obeys the laws: weights, unit normals away from the first body, points at
/// the gap's distance, impulses within their cones up to the solver's error.
#[test]
fn numbers_of_a_frame_obey_the_laws() {
    let mut sim = boxes(2);
    let file = Scratch::new("laws.h5");
    let frames = FrameChoice { every: Some(1), ..FrameChoice::default() };
    let options = RecordOptions { frames, ..RecordOptions::default() };
    let recorder = Recorder::attach(&file.0, &mut sim, &RunInfo::default(), options).unwrap();
    for _ in 0..60 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    let mut touched = 0;
    for step in 1..=60 {
        let frame = recording.frame(step).unwrap();
        assert_eq!(frame.numbers("bodies/forces")[8], -9.81);
        let gaps = frame.numbers("contacts/gap");
        let points = frame.numbers("contacts/points");
        for (k, n) in frame.numbers("contacts/normals").chunks(3).enumerate() {
            let norm = n.iter().map(|x| x * x).sum::<f64>();
            assert!((norm - 1.0).abs() < 1e-12);
            let floor = frame.numbers("contacts/pairs")[2 * k] == 0.0;
            if floor {
                // The floor's point lies on it, below the box by the gap.
                assert!(n[2] == 1.0 && points[3 * k + 2].abs() < 1e-9 && gaps[k] > -1e-6);
            }
        }
        let solution = frame.numbers("solutions/solution");
        assert!(solution[..6].iter().all(|&v| v == 0.0), "the floor moves");
        // Gaps are held where the bodies end; the row is off by what a turn t leaves of r t² / 2.
        let turn = |v: &[f64]| 0.01 * v[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        let turn = solution.chunks(6).map(turn).fold(0.0, f64::max);
        let off = frame.numbers("solutions/normal_error")[0];
        assert!(off < 1e-6 + 0.5 * turn * turn, "step {step}: {off:e}, {turn} rad");
        let errors = frame.numbers("solutions/total_error");
        assert!(errors.last().is_none_or(|&e| e < 1e-6), "step {step}: {errors:?}");
        touched += frame.numbers("solutions/stick_or_slide").iter().filter(|&&s| s > 0.0).count();
    }
    assert!(touched > 0, "nothing ever touched");
}

/// Joints: velocities that the frame's own Jacobian allows, errors that stay small.
#[test]
fn velocities_after_the_step_obey_the_jacobian_of_the_joints() {
    // the velocities of that scheme obey the Jacobian of the step's start
    let Simulator { model, state, settings, .. } = pendulum();
    let [integrator, stabilization] = ["semi-implicit", "none"].map(String::from);
    let settings = Settings { integrator, stabilization, ..settings };
    let mut sim = Simulator::new(model, state, settings).unwrap();
    let file = Scratch::new("joints.h5");
    let frames = FrameChoice { every: Some(10), ..FrameChoice::default() };
    let options = RecordOptions { frames, ..RecordOptions::default() };
    let recorder = Recorder::attach(&file.0, &mut sim, &RunInfo::default(), options).unwrap();
    for _ in 0..30 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    assert_eq!(recording.model().joints.len(), 2);
    assert_eq!(recording.model().joints[0].bodies, [-1, 0]);
    for step in [10, 20, 30] {
        let frame = recording.frame(step).unwrap();
        assert_eq!(frame.numbers("joints/pairs"), [-1.0, 0.0, 0.0, 1.0]);
        assert_eq!(frame.numbers("joints/bounds")[2..], [-0.5, 0.5]);
        assert!(frame.numbers("joints/violations").iter().all(|&v| (0.0..0.05).contains(&v)));
        let (g, nu) = (frame.numbers("joints/jacobians"), frame.numbers("solutions/solution"));
        for (joint, place) in frame.numbers("joints/rows").chunks(3).enumerate() {
            assert_eq!((place[1], place[2]), (20.0, 5.0), "a revolute joint has five equations");
            for equation in 0..5 {
                let from = 3 * (place[0] as usize + 4 * equation);
                let rate: f64 = (0..12)
                    .map(|i| {
                        let body = frame.numbers("joints/pairs")[2 * joint + i / 6];
                        let v = if body < 0.0 { 0.0 } else { nu[6 * body as usize + i % 6] };
                        g[from + i] * v
                    })
                    .sum();
                assert!(rate.abs() < 1e-9, "step {step}, joint {joint}: {rate}");
            }
        }
    }
}
