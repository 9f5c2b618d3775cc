use stickslip::{State, geometry::Vec3};
use stickslip_record::{RecordOptions, Recorder, Recording, RunInfo, series::SERIES};

use crate::support::{Scratch, boxes, flying, pendulum, planar};

fn info(name: &str) -> RunInfo {
    RunInfo {
        name: name.into(),
        scene: "[simulation]\nstep = 0.01\n".into(),
        revision: "r1".into(),
    }
}

/// Every state of a run is in the file, to the last bit; 2D and 3D.
#[test]
fn states_come_back_bit_for_bit() {
    let scenes = [(boxes(5), "boxes"), (planar(), "planar"), (pendulum(), "pendulum")];
    for (mut sim, name) in scenes {
        let file = Scratch::new(&format!("round-{name}.h5"));
        let recorder =
            Recorder::attach(&file.0, &mut sim, &info(name), RecordOptions::default()).unwrap();
        let mut states: Vec<State> = vec![sim.state.clone()];
        for _ in 0..70 {
            sim.step().unwrap();
            states.push(sim.state.clone());
        }
        let summary = recorder.finish().unwrap();
        assert_eq!(summary.rows, 71);
        let recording = Recording::open(&file.0).unwrap();
        assert_eq!(recording.rows(), 71);
        assert_eq!(recording.scene(), "[simulation]\nstep = 0.01\n");
        assert_eq!(recording.settings().unwrap()["step"], 0.01);
        for state in &states {
            let mut read = states[0].clone();
            recording.restore(state.step, &mut read).unwrap();
            assert_eq!(&read, state);
        }
    }
}

#[test]
fn scalars_are_those_of_the_run() {
    let mut sim = boxes(3);
    let file = Scratch::new("scalars.h5");
    let recorder =
        Recorder::attach(&file.0, &mut sim, &info("boxes"), RecordOptions::default()).unwrap();
    let mut expected = vec![sim.state.energy(&sim.model)];
    let mut contacts = Vec::new();
    for _ in 0..40 {
        contacts.push(sim.step().unwrap().contacts as f64);
        expected.push(sim.state.energy(&sim.model));
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    assert_eq!(recording.series("energy").unwrap(), expected);
    assert_eq!(recording.series("contacts").unwrap()[1..], contacts);
    for info in SERIES {
        let values = recording.series(info.name).unwrap();
        assert_eq!(values.len(), 41, "{}", info.name);
        assert!(values[1..].iter().all(|v| v.is_finite()), "{}", info.name);
    }
    let error = recording.series("entropy").unwrap_err().to_string();
    assert!(error.contains("entropy") && error.contains("joint_error"), "{error}");
}

#[test]
fn bodies_are_found_by_name_and_quantities_by_theirs() {
    let mut sim = boxes(3);
    let file = Scratch::new("names.h5");
    let recorder =
        Recorder::attach(&file.0, &mut sim, &info("boxes"), RecordOptions::default()).unwrap();
    for _ in 0..10 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    assert_eq!(recording.body("box 2").unwrap(), 2);
    assert!(recording.body("box 9").unwrap_err().to_string().contains("box 3"));
    let (z, unit) = recording.quantity("position.z", Some("box 2")).unwrap();
    assert_eq!((z[10], unit), (sim.state.q[2].position.z, "m"));
    let (speed, _) = recording.quantity("velocity.norm", Some("box 2")).unwrap();
    assert!((speed[10] - sim.state.nu[2].linear.length()).abs() < 1e-15);
    // Free fall until the first contact.
    let (a, _) = recording.quantity("acceleration.z", Some("box 3")).unwrap();
    assert!(a[0].is_nan() && (a[1] + 9.81).abs() < 1e-9, "{}", a[1]);
    assert!(recording.quantity("position.q", Some("box 2")).is_err());
}

/// The contacts kept carry the weight of what rests.
#[test]
fn contact_forces_balance_the_weight() {
    let mut sim = boxes(1);
    sim.state.q[1].orientation = stickslip::geometry::Quat::IDENTITY;
    sim.state.q[1].position = Vec3::new(0.0, 0.0, 0.3);
    sim.state.nu[1] = Default::default();
    let file = Scratch::new("forces.h5");
    let recorder =
        Recorder::attach(&file.0, &mut sim, &info("box"), RecordOptions::default()).unwrap();
    for _ in 0..5 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let contacts = Recording::open(&file.0).unwrap().contacts().unwrap();
    for k in 1..=5 {
        let rows = contacts.frame(k);
        let lift: f32 = rows.iter().map(|c| c.force[2]).sum();
        assert!((lift - 9.81).abs() < 1e-4, "step {k}: {lift}");
        assert!(rows.iter().all(|c| c.pair == [0, 1] && c.point[2].abs() < 1e-6));
    }
}

/// Rows every so many steps, and no more than twice the size of the numbers in them.
#[test]
fn files_are_small_and_rows_as_often_as_asked() {
    let mut sim = flying(60);
    let file = Scratch::new("size.h5");
    let options = RecordOptions { every: 2, ..RecordOptions::default() };
    let recorder = Recorder::attach(&file.0, &mut sim, &info("boxes"), options).unwrap();
    for _ in 0..240 {
        sim.step().unwrap();
    }
    let summary = recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    assert_eq!(recording.steps().last(), Some(&240));
    assert_eq!(recording.rows(), 121);
    let contacts = recording.contacts().unwrap().kind.len();
    let raw = 121 * (61 * 13 + 21) * 8 + contacts * (11 * 4 + 8 + 1);
    println!("{} bytes in the file, {raw} in the numbers", summary.bytes);
    assert!(summary.bytes < 2 * raw as u64, "{} against {raw}", summary.bytes);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let file = Scratch::new("other.h5");
    std::fs::write(&file.0, "nothing of that kind").unwrap();
    assert!(Recording::open(&file.0).is_err());
    drop(hdf5_metno::File::create(&file.0).unwrap());
    let error = Recording::open(&file.0).err().unwrap().to_string();
    assert!(error.contains("format"), "{error}");
    let folder = std::path::Path::new("/no/such/folder/a.h5");
    let error = Recorder::create(folder, &boxes(1), &info("x"), RecordOptions::default());
    assert!(error.err().unwrap().to_string().contains("/no/such/folder/a.h5"));
}
