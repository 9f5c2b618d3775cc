//! Opening of a recording: attributes and the description of the scene.

use std::{fmt::Debug, hint::black_box, path::Path, time::Instant};

use hdf5_metno::{
    File, H5Type, Location, Result,
    types::{FixedAscii, FixedUnicode, VarLenUnicode},
};
use serde_json::json;
use stickslip::{Settings, Simulator, oracle};

use super::{
    FEW, RecordOptions, RunInfo, Writer, iteration_log::SharedLog, joints, room::Room, store::Store,
};
use crate::{
    FORMAT, RecordError, VERSION, seal::SealAtEnd, series, view::ViewModel, whole::temporary_name,
};

/// Entries of half a node of the trees that find chunks. Twice as many blocks fit before a node
/// must be split, the one change of the file that is not a single write.
const TREE_RANK: u32 = 64;

impl Writer {
    pub(super) fn create(
        path: &Path,
        simulator: &Simulator,
        info: &RunInfo,
        options: RecordOptions,
        log: SharedLog,
    ) -> std::result::Result<Self, RecordError> {
        keep_heap();
        if simulator.model.bodies().is_empty() {
            return Err(RecordError::NoBodies);
        }
        // Under another name at first: what is there stays until the new file can be opened.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let before = Before::hold(path)?;
        let part = Part(temporary_name(&target));
        let file = File::with_options()
            .with_fcpl(|p| p.istore_k(TREE_RANK))
            .create(&part.0)
            .map_err(|source| RecordError::File { path: path.into(), source })?;
        let run = &simulator.pipeline;
        let stages = [run.formulation.name(), run.solver.name()];
        let view = ViewModel::new(&info.name, &simulator.model, simulator.settings.step, stages);
        let description = serde_json::to_string(&view)?;
        let settings = settings_json(&simulator.settings).to_string();
        let fill = || -> Result<_> {
            head(&file, simulator, info, [&settings, &description])?;
            let store = Store::create(&file, simulator, options.compression)?;
            Ok((store, file.create_group("frames")?))
        };
        let room = Room::open(&part.0)?;
        let (mut store, frames) = fill().map_err(|source| RecordError::Hdf5 {
            path: path.into(),
            action: "write the head of the recording".into(),
            source,
        })?;
        store.reserve(simulator.model.bodies().len());
        let judged = options.penetration.unwrap_or(simulator.model.bodies().len() <= FEW);
        let depth = judged.then(|| oracle::measure(&simulator.model, &simulator.state).depth);
        let scalars = series::measure(&simulator.model, &simulator.state, None, depth);
        store.push(&simulator.state, &scalars, &[]);
        store.push_joints(joints::row(&simulator.model, &simulator.state, None));
        store.checkpoint(simulator.state.step, &run.memory());
        let mut writer = Self {
            path: path.into(),
            file,
            room,
            frames,
            store,
            options,
            settings: simulator.settings.clone(),
            log,
            last: simulator.state.clone(),
            touches: Vec::new(),
            unflushed: 1,
            last_flush: Instant::now(),
            frame_count: 0,
            sealed: false,
            stopped: None,
            seal: SealAtEnd { path: part.0.clone(), ready: false },
        };
        writer.flush(false)?;
        std::fs::rename(&part.0, &target)?;
        writer.seal.path = target;
        drop(before);
        Ok(writer)
    }
}

/// The attributes of a recording, and the lists of names.
fn head(
    file: &File,
    simulator: &Simulator,
    info: &RunInfo,
    [settings, description]: [&str; 2],
) -> Result<()> {
    text(file, "format", FORMAT)?;
    file.new_attr::<u32>().create("version")?.write_scalar(&VERSION)?;
    text(file, "scene", &info.scene)?;
    text(file, "name", &info.name)?;
    text(file, "revision", &info.revision)?;
    text(file, "settings", settings)?;
    text(file, "model", description)?;
    names(file, "bodies", simulator.model.bodies().iter().map(|b| b.name.as_str()))?;
    names(file, "joints", simulator.model.joints().iter().map(|j| j.name.as_str()))
}

/// The file that a recording is to replace, locked until that is done.
struct Before(#[allow(dead_code)] Option<std::fs::File>);

impl Before {
    /// A recording that another run is writing is locked, by HDF5; it is not to be replaced.
    fn hold(path: &Path) -> std::result::Result<Self, RecordError> {
        let refuse =
            |reason: &str| RecordError::Format { path: path.into(), reason: reason.into() };
        let Ok(data) = std::fs::metadata(path) else { return Ok(Self(None)) };
        if !data.is_file() {
            return Err(refuse("it cannot be written: it is no plain file"));
        }
        let open = std::fs::File::options().append(true).open(path);
        let file = open.map_err(|e| refuse(&format!("it cannot be written: {e}")))?;
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                Err(refuse("it is being written by another run; choose another name"))
            }
            // A file system without locks cannot say.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(Self(Some(file))),
        }
    }
}

/// A temporary file, removed if it is still there at the end.
struct Part(std::path::PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A text attribute of any length; a second one of that name replaces the first.
pub(super) fn text(place: &Location, name: &str, value: &str) -> Result<()> {
    // HDF5 ends texts at a zero byte.
    let value: VarLenUnicode = value
        .replace('\0', " ")
        .parse()
        .map_err(|e| hdf5_metno::Error::from(format!("{name}: {e:?}")))?;
    if place.attr_names()?.iter().any(|known| known == name) {
        place.delete_attr(name)?;
    }
    place.new_attr::<VarLenUnicode>().create(name)?.write_scalar(&value)
}

/// Size of the block that is taken and given back at the start \[bytes\].
const HEAP: usize = 16 << 20;

/// The allocator of glibc gives free memory at the end of the heap back to the system when there is
/// more of it than twice the largest block that ever was mapped by itself and freed. Buffers of a
/// recording make the heap so uneven that a step's memory would go back and be fetched again at
/// every step, at several times the cost of recording itself. A large block, never touched, moves
/// that threshold; other allocators do not mind.
fn keep_heap() {
    drop(black_box(Vec::<u8>::with_capacity(HEAP)));
}

/// Longest name in a list \[bytes\]; the description of the scene has them whole.
const NAME: usize = 64;

/// A list of names, in the order of the columns; of fixed length, and plain ASCII where they are,
/// which every reader knows.
fn names<'a>(file: &File, name: &str, list: impl Iterator<Item = &'a str>) -> Result<()> {
    let short = |text: &str| {
        let mut ends = (0..=NAME.min(text.len())).rev();
        let end = ends.find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        text[..end].replace('\0', " ")
    };
    let list: Vec<String> = list.map(short).collect();
    match list.iter().all(|text| text.is_ascii()) {
        _ if list.is_empty() => Ok(()),
        true => texts(file, name, list.iter().map(FixedAscii::<NAME>::from_ascii)),
        false => texts(file, name, list.iter().map(|text| text.parse::<FixedUnicode<NAME>>())),
    }
}

fn texts<T: H5Type, E: Debug>(
    file: &File,
    name: &str,
    list: impl Iterator<Item = std::result::Result<T, E>>,
) -> Result<()> {
    let list: std::result::Result<Vec<T>, E> = list.collect();
    let list = list.map_err(|e| hdf5_metno::Error::from(format!("{name}: {e:?}")))?;
    file.new_dataset_builder().with_data(&list).create(name).map(|_| ())
}

/// The settings of a run as JSON, for people and scripts; the scene text is what restores them.
fn settings_json(settings: &Settings) -> serde_json::Value {
    json!({
        "step": settings.step,
        "duration": settings.duration,
        "formulation": settings.formulation,
        "solver": settings.solver,
        "detector": settings.detector,
        "friction": settings.friction,
        "friction_directions": settings.friction_directions,
        "epsilon": format!("{:?}", settings.epsilon),
        "impact": settings.impact,
        "problem_form": settings.problem_form,
        "gyroscopic": settings.gyroscopic,
        "integrator": settings.integrator,
        "stabilization": settings.stabilization,
        "accept_residual": settings.accept_residual,
        "accuracy": settings.accuracy,
        "sleep": settings.sleep,
        "separation": format!("{:?}", settings.separation),
    })
}
