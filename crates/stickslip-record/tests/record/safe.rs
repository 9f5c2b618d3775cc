//! Nothing that is on the disk gets lost, and damaged files are told.

use std::{path::Path, process::Command};

use hdf5_metno::File;
use stickslip::{
    BodyInit, Dimension, ModelBuilder, Simulator,
    geometry::{Solid, Vec3},
    model::{Mortar, PairOverride},
};
use stickslip_record::{
    RecordError, RecordOptions, Recorder, Recording, RunInfo, export, replay::html, write_whole,
};

use crate::support::{Scratch, boxes, settings};

/// One test at a time: programs that a test starts inherit the locks of files that others have open.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A recording of some steps, finished and closed.
fn record(path: &Path, steps: u64) {
    let mut sim = boxes(3);
    let info = RunInfo { scene: "# scene of the test\n".into(), ..RunInfo::default() };
    let recorder = Recorder::attach(path, &mut sim, &info, RecordOptions::default()).unwrap();
    for _ in 0..steps {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
}

/// A file without its seal, as a killed run leaves it.
fn unseal(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let end = bytes.len() - 24;
    assert_eq!(&bytes[end..end + 8], b"STICKEND");
    std::fs::write(path, &bytes[..end]).unwrap();
}

#[test]
fn a_second_writer_is_refused_and_nothing_is_lost() {
    let _alone = alone();
    let file = Scratch::new("two.h5");
    let mut sim = boxes(2);
    let options = RecordOptions::default();
    let info = RunInfo::default();
    let recorder = Recorder::attach(&file.0, &mut sim, &info, options.clone()).unwrap();
    (0..5).for_each(|_| assert!(sim.step().is_ok()));
    recorder.flush().unwrap();
    let mut other = boxes(2);
    let error = Recorder::attach(&file.0, &mut other, &info, options.clone()).err().unwrap();
    assert!(error.to_string().contains("two.h5: it is being written"), "{error}");
    (0..5).for_each(|_| assert!(sim.step().is_ok()));
    recorder.finish().unwrap();
    drop((recorder, sim));
    assert_eq!(Recording::open(&file.0).unwrap().rows(), 11);
    // Once it is closed it may be replaced.
    drop(Recorder::attach(&file.0, &mut other, &info, options).unwrap());
    drop(other);
    assert_eq!(Recording::open(&file.0).unwrap().rows(), 1);
}

/// Every flipped bit of a finished recording is noticed before HDF5 sees the file.
#[test]
fn a_changed_bit_is_told() {
    let _alone = alone();
    let file = Scratch::new("bits.h5");
    record(&file.0, 20);
    let bytes = std::fs::read(&file.0).unwrap();
    assert_eq!(Recording::open(&file.0).unwrap().rows(), 21);
    let seed: u64 = 20261116;
    let mut random = seed;
    for _ in 0..300 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // The mark of the seal itself is not part of what it vouches for.
        let at = (random >> 33) as usize % (bytes.len() - 24);
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (random >> 61);
        std::fs::write(&file.0, &changed).unwrap();
        let error = Recording::open(&file.0).err().unwrap_or_else(|| panic!("seed {seed}: {at}"));
        let said = error.to_string();
        assert!(said.contains("bits.h5") && said.contains("damaged"), "seed {seed}: {said}");
    }
}

/// Other programs read a sealed file as any other.
#[test]
fn hdf5_does_not_mind_the_seal() {
    let _alone = alone();
    let file = Scratch::new("sealed.h5");
    record(&file.0, 3);
    let time = File::open(&file.0).unwrap().dataset("trajectory/time").unwrap();
    assert_eq!(time.read_raw::<f64>().unwrap().len(), 4);
}

#[test]
fn text_that_is_none_is_no_text() {
    let _alone = alone();
    let file = Scratch::new("text.h5");
    record(&file.0, 2);
    unseal(&file.0);
    let mut bytes = std::fs::read(&file.0).unwrap();
    let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|w| w == what);
    let at = find(&bytes, b"# scene of the test").unwrap();
    bytes[at + 3] = 0xFF;
    std::fs::write(&file.0, &bytes).unwrap();
    let scene = Recording::open(&file.0).unwrap().scene();
    assert!(scene.contains('\u{fffd}'), "{scene:?}");
    let at = find(&bytes, b"\"shapes\"").unwrap();
    bytes[at + 3] = 0xFF;
    std::fs::write(&file.0, &bytes).unwrap();
    let error = Recording::open(&file.0).err().unwrap().to_string();
    assert!(error.contains("text.h5") && error.contains("model"), "{error}");
}

/// Memory is not asked for by what a file merely claims.
#[test]
fn extents_are_held_against_the_length_of_the_file() {
    let _alone = alone();
    for name in ["trajectory/time", "series/energy", "contacts/gap", "trajectory/step"] {
        let scratch = Scratch::new("extent.h5");
        record(&scratch.0, 2);
        unseal(&scratch.0);
        let file = File::open_rw(&scratch.0).unwrap();
        file.dataset(name).unwrap().resize(1_000_000_000_000_usize).unwrap();
        file.close().unwrap();
        let read = Recording::open(&scratch.0).and_then(|r| r.replay());
        let error = read.err().unwrap_or_else(|| panic!("{name} was read")).to_string();
        assert!(error.contains(name) && error.contains("1000000000000"), "{error}");
    }
}

#[test]
fn a_recording_without_rows_is_no_animation() {
    let _alone = alone();
    let scratch = Scratch::new("rows.h5");
    record(&scratch.0, 2);
    unseal(&scratch.0);
    let file = File::open_rw(&scratch.0).unwrap();
    file.dataset("trajectory/step").unwrap().resize(0).unwrap();
    file.close().unwrap();
    let replay = Recording::open(&scratch.0).unwrap().replay().unwrap();
    assert_eq!(replay.frames(), 0);
    assert!(matches!(export::gltf(&replay), Err(RecordError::Empty)));
    assert_eq!(export::csv(&replay).lines().count(), 1);
    assert!(html(&[replay]).is_ok());
}

const CHILD: &str = "STICKSLIP_WHOLE_CHILD";

/// Not a test of its own: writes more than the limit on the size of files allows.
#[test]
fn child() {
    let _alone = alone();
    let Ok(path) = std::env::var(CHILD) else { return };
    let error = write_whole(path.as_ref(), &vec![7; 1 << 20]).unwrap_err();
    println!("refused: {error}");
}

/// A full disk leaves what was there, and nothing half.
#[test]
fn a_full_disk_leaves_the_old_file() {
    let _alone = alone();
    let folder = std::env::temp_dir().join(format!("stickslip-whole-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("page.html");
    write_whole(&path, b"old").unwrap();
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact safe::child --nocapture";
    let this = std::env::current_exe().unwrap();
    let out =
        Command::new("sh").args(["-c", script]).arg(&this).env(CHILD, &path).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(said.contains("refused: "), "{said}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A run that spins fast goes on from its recording with the same bits.
#[test]
fn fast_bodies_resume() {
    let _alone = alone();
    let make = || {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let chip = Solid::cuboid(Vec3::new(1.0, 0.6, 0.1)).unwrap();
        let body = BodyInit::new(&chip).spin(Vec3::new(1.0, 130.0, 30.0));
        builder.add(body).unwrap();
        let (model, state) = builder.build();
        Simulator::new(model, state, settings(0.01)).unwrap()
    };
    let scratch = Scratch::new("fast.h5");
    let mut sim = make();
    let options = RecordOptions::default();
    let recorder = Recorder::attach(&scratch.0, &mut sim, &RunInfo::default(), options).unwrap();
    (0..27).for_each(|_| assert!(sim.step().is_ok()));
    recorder.finish().unwrap();
    assert!(sim.state.instant_spin[0], "the body is not fast");
    let mut again = make();
    Recording::open(&scratch.0).unwrap().resume(&mut again, 27).unwrap();
    assert_eq!(again.state, sim.state);
}

/// Mortar that broke is broken in a run that goes on from its recording.
#[test]
fn broken_mortar_resumes() {
    let _alone = alone();
    let make = || {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let cube = Solid::cuboid(Vec3::splat(1.0)).unwrap();
        let beam = builder.add(BodyInit::new(&cube).fixed()).unwrap();
        let brick = builder.add(BodyInit::new(&cube).at(-Vec3::Z)).unwrap();
        // the brick of 1 kg weighs 9.81 N
        let mortar = Some(Mortar { strength: 9.5, opening: Mortar::OPENING });
        builder.pair(beam, brick, PairOverride { mortar, ..PairOverride::default() });
        let (model, state) = builder.build();
        Simulator::new(model, state, settings(0.01)).unwrap()
    };
    let scratch = Scratch::new("mortar.h5");
    let mut sim = make();
    let options = RecordOptions::default();
    let recorder = Recorder::attach(&scratch.0, &mut sim, &RunInfo::default(), options).unwrap();
    (0..27).for_each(|_| assert!(sim.step().is_ok()));
    recorder.finish().unwrap();
    assert_eq!(sim.state.broken, [true]);
    let mut again = make();
    Recording::open(&scratch.0).unwrap().resume(&mut again, 27).unwrap();
    assert_eq!(again.state, sim.state);
}
