//! Reads a recording: numbers, frames, replays, and runs that go on from it.

mod frame;
mod inputs;
mod problem;
mod quantity;
mod resume;

use std::path::{Path, PathBuf};

use hdf5_metno::{Dataset, File, H5Type, Hyperslab, Selection, SliceOrIndex, types::VarLenUnicode};
use ndarray::IxDyn;

pub use frame::FrameData;

use crate::{
    FORMAT, RecordError, Replay, VERSION, probe,
    replay::ContactTable,
    series::{COUNT, SERIES},
    view::ViewModel,
};

/// A recording on disk. Rows that were not complete when a run was killed are left out.
pub struct Recording {
    path: PathBuf,
    file: File,
    model: ViewModel,
    time: Vec<f64>,
    step: Vec<u64>,
}

/// How much smaller numbers may get by compression, at most.
const RATIO: usize = 1100;

/// Rows to a chunk.
fn chunk_rows(set: &Dataset) -> usize {
    set.chunk().and_then(|c| c.first().copied()).unwrap_or(1).max(1)
}

/// The rows of the chunks that can be read. A run killed in the middle of a flush may leave the
/// newest chunks listed but beyond the end of the file as its header knows it; everything flushed
/// before is in the older ones.
fn readable_rows<T: H5Type>(set: &Dataset) -> Option<Vec<T>> {
    let (shape, chunk) = (set.shape(), chunk_rows(set));
    let mut rows = *shape.first()?;
    while rows > 0 {
        rows = (rows - 1) / chunk * chunk;
        let mut slices = vec![SliceOrIndex::from(0..rows)];
        slices.extend(shape.iter().skip(1).map(|_| SliceOrIndex::from(..)));
        let selection = Selection::from(Hyperslab::from(slices));
        if let Ok(data) = set.read_slice::<T, _, IxDyn>(selection) {
            return Some(data.into_raw_vec_and_offset().0);
        }
    }
    None
}

impl Recording {
    /// Opens a recording.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        probe::check(path)?;
        Self::open_unseen(path)
    }

    /// Reads all that there is in a file, and forgets it: for the process that looks at files
    /// first, see [`probe`].
    pub fn look_through(path: &Path) -> Result<(), RecordError> {
        let recording = Self::open_unseen(path)?;
        let replay = recording.replay()?;
        replay.for_page();
        recording.settings()?;
        for step in recording.frames()? {
            recording.frame(step)?;
        }
        recording.inputs()?;
        for name in ["key", "value", "start", "step", "words", "words_end"] {
            let name = format!("checkpoints/{name}");
            if recording.file.link_exists(&name) {
                recording.numbers(&name, 0)?;
            }
        }
        Ok(())
    }

    fn open_unseen(path: &Path) -> Result<Self, RecordError> {
        let file =
            File::open(path).map_err(|source| RecordError::File { path: path.into(), source })?;
        let wrong = |reason: String| RecordError::Format { path: path.into(), reason };
        let text = |name: &str| -> Result<String, RecordError> {
            let read = || file.attr(name)?.read_scalar::<VarLenUnicode>();
            let text = read().map_err(|_| wrong(format!("it lacks the attribute {name}")))?;
            let text = String::from_utf8(text.as_bytes().to_vec());
            text.map_err(|_| wrong(format!("the attribute {name} is damaged: it is no text")))
        };
        if text("format")? != FORMAT {
            return Err(wrong(format!("it is not a {FORMAT}")));
        }
        let version = file.attr("version").and_then(|a| a.read_scalar::<u32>());
        match version {
            Ok(v) if v <= VERSION => {}
            Ok(v) => return Err(wrong(format!("it has version {v}, known is up to {VERSION}"))),
            Err(_) => return Err(wrong("it lacks the attribute version".into())),
        }
        let model: ViewModel = serde_json::from_str(&text("model")?)
            .map_err(|e| wrong(format!("the description of the scene is damaged: {e}")))?;
        model.check().map_err(wrong)?;
        let mut recording =
            Self { path: path.into(), file, model, time: Vec::new(), step: Vec::new() };
        recording.time = recording.numbers("trajectory/time", 0)?;
        recording.step = recording.whole("trajectory/step", 0)?;
        let rows = recording.complete_rows()?;
        recording.time.truncate(rows);
        recording.step.truncate(rows);
        Ok(recording)
    }

    /// Rows that every column has, and whose steps go up: a row that was extended but not yet
    /// filled when the run was killed reads as zeros.
    fn complete_rows(&self) -> Result<usize, RecordError> {
        let mut rows = self.step.len().min(self.time.len());
        rows = rows.min(self.length("trajectory/last_h")?);
        for name in ["position", "orientation", "velocity", "angular_velocity"] {
            let waiting = self.length(&format!("tail/{name}"))?;
            rows = rows.min(self.length(&format!("trajectory/{name}"))? + waiting);
        }
        for info in SERIES {
            rows = rows.min(self.length(&format!("series/{}", info.name))?);
        }
        rows = rows.min(self.length("contacts/start")?.saturating_sub(1));
        let rising = 1 + self.step.windows(2).take_while(|pair| pair[0] < pair[1]).count();
        Ok(rows.min(rising))
    }

    fn length(&self, name: &str) -> Result<usize, RecordError> {
        Ok(self.dataset(name)?.shape().first().copied().unwrap_or(0))
    }

    /// A dataset whose extent can be that of numbers in this file: memory is asked for by it.
    fn dataset(&self, name: &str) -> Result<Dataset, RecordError> {
        let set = self.file.dataset(name).map_err(|e| self.broken(name, e))?;
        self.plausible(name, &set)?;
        Ok(set)
    }

    fn plausible(&self, name: &str, set: &Dataset) -> Result<(), RecordError> {
        let product = |sizes: &[usize]| sizes.iter().try_fold(8_usize, |n, s| n.checked_mul(*s));
        let length = std::fs::metadata(&self.path).map_or(0, |m| m.len()) as usize;
        let mut most = length.saturating_mul(RATIO).saturating_add(1 << 20);
        if let Some(chunk) = set.chunk() {
            // One more than there are: a flush that was cut short.
            let chunks = set.num_chunks().unwrap_or(0) + 1;
            let listed = product(&chunk).and_then(|n| n.checked_mul(chunks));
            most = most.min(listed.unwrap_or(usize::MAX));
        }
        let shape = set.shape();
        match product(&shape) {
            Some(bytes) if bytes <= most => Ok(()),
            _ => {
                let reason = format!("it is damaged: {name} claims to hold {shape:?} numbers");
                Err(RecordError::Format { path: self.path.clone(), reason })
            }
        }
    }

    fn broken(&self, name: &str, source: hdf5_metno::Error) -> RecordError {
        RecordError::Hdf5 { path: self.path.clone(), action: format!("read {name}"), source }
    }

    /// All numbers of a dataset, cut to the complete rows when `width` is not zero.
    fn read<T: H5Type>(&self, name: &str, width: usize) -> Result<Vec<T>, RecordError> {
        let set = self.dataset(name)?;
        let mut data = match set.read_raw::<T>() {
            Ok(data) => data,
            Err(error) => readable_rows(&set).ok_or_else(|| self.broken(name, error))?,
        };
        if width > 0 {
            data.truncate(self.rows() * width);
        }
        Ok(data)
    }

    fn numbers(&self, name: &str, width: usize) -> Result<Vec<f64>, RecordError> {
        self.read(name, width)
    }

    fn whole(&self, name: &str, width: usize) -> Result<Vec<u64>, RecordError> {
        self.read(name, width)
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.file.attr(name).ok()?.read_scalar::<VarLenUnicode>().ok()?;
        Some(String::from_utf8_lossy(text.as_bytes()).into_owned())
    }

    /// The scene as the viewer draws it.
    pub fn model(&self) -> &ViewModel {
        &self.model
    }

    /// Text of the scene file; empty when the scene was made in code.
    pub fn scene(&self) -> String {
        self.text("scene").unwrap_or_default()
    }

    /// Settings of the run, as JSON.
    pub fn settings(&self) -> Result<serde_json::Value, RecordError> {
        Ok(serde_json::from_str(&self.text("settings").unwrap_or_else(|| "{}".into()))?)
    }

    /// Why the run failed, if it did.
    pub fn failure(&self) -> Option<String> {
        self.text("failure")
    }

    /// Number of rows, the initial state included.
    pub fn rows(&self) -> usize {
        self.step.len()
    }

    /// Time of every row \[s\].
    pub fn time(&self) -> &[f64] {
        &self.time
    }

    /// Step of every row.
    pub fn steps(&self) -> &[u64] {
        &self.step
    }

    /// Index of the body of that name.
    pub fn body(&self, name: &str) -> Result<usize, RecordError> {
        let known = |bodies: &[crate::view::ViewBody]| {
            bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>().join(", ")
        };
        self.model.bodies.iter().position(|b| b.name == name).ok_or_else(|| {
            RecordError::UnknownBody { name: name.into(), known: known(&self.model.bodies) }
        })
    }

    /// One scalar of [`SERIES`] for every row; NaN where it was not measured.
    pub fn series(&self, name: &str) -> Result<Vec<f64>, RecordError> {
        if !SERIES.iter().any(|s| s.name == name) {
            let known = SERIES.map(|s| s.name).join(", ");
            return Err(RecordError::UnknownQuantity { name: name.into(), known });
        }
        self.numbers(&format!("series/{name}"), 1)
    }

    /// `width` numbers of every body in every row: `position`, `orientation` (w, x, y, z),
    /// `velocity` or `angular_velocity`.
    pub fn trajectory(&self, name: &str) -> Result<Vec<f64>, RecordError> {
        let width = if name == "orientation" { 4 } else { 3 };
        self.packed(name, width * self.model.bodies.len())
    }

    /// A column whose last rows may still be in its tail, `width` numbers to a row.
    fn packed(&self, name: &str, width: usize) -> Result<Vec<f64>, RecordError> {
        let path = format!("trajectory/{name}");
        let set = self.dataset(&path)?;
        let (block, rows) = (chunk_rows(&set), self.rows());
        let mut data = self.numbers(&path, width)?;
        // A run killed in the middle of a flush may have made room for a block without having
        // put it there, which reads as zeros: only blocks that are listed count. The tail goes
        // on where the last block before that flush ends, and is not touched until the block is
        // in the file.
        let listed = set.num_chunks().unwrap_or(0) * block;
        if listed < rows || data.len() < rows * width {
            data.truncate(rows / block * block * width);
            data.extend(self.numbers(&format!("tail/{name}"), 0)?);
            data.truncate(rows * width);
        }
        if data.len() != rows * width {
            let (found, path) = (data.len(), self.path.clone());
            let reason = format!("it is damaged: {name} has {found} numbers, not {rows} x {width}");
            return Err(RecordError::Format { path, reason });
        }
        Ok(data)
    }

    /// The contacts kept for the viewer.
    pub fn contacts(&self) -> Result<ContactTable, RecordError> {
        let mut start: Vec<u32> =
            self.whole("contacts/start", 0)?.into_iter().map(|s| s as u32).collect();
        start.resize(self.rows() + 1, u32::MAX);
        let (mut pair, mut kind) =
            (self.read::<u32>("contacts/pairs", 0)?, self.read("contacts/kind", 0)?);
        // Starts go up, to no more than there is.
        let (mut last, most) = (0, kind.len() as u32);
        for s in &mut start {
            last = (*s).clamp(last, most.max(last));
            *s = last;
        }
        let n = last as usize;
        let single = |name: &str, width: usize| -> Result<Vec<f32>, RecordError> {
            let mut data = self.read::<f32>(name, 0)?;
            data.resize(n * width, 0.0);
            Ok(data)
        };
        pair.resize(2 * n, 0);
        kind.resize(n, 0);
        Ok(ContactTable {
            start,
            point: single("contacts/point", 3)?,
            normal: single("contacts/normal", 3)?,
            force: single("contacts/force", 3)?,
            gap: single("contacts/gap", 1)?,
            friction: single("contacts/friction", 1)?,
            pair,
            kind,
        })
    }

    /// The whole recording for the viewer.
    pub fn replay(&self) -> Result<Replay, RecordError> {
        let mut series = vec![[f64::NAN; COUNT]; self.rows()];
        for (i, info) in SERIES.iter().enumerate() {
            for (row, value) in series.iter_mut().zip(self.series(info.name)?) {
                row[i] = value;
            }
        }
        Ok(Replay {
            model: self.model.clone(),
            time: self.time.clone(),
            step: self.step.clone(),
            position: self.trajectory("position")?,
            orientation: self.trajectory("orientation")?,
            velocity: self.trajectory("velocity")?,
            angular_velocity: self.trajectory("angular_velocity")?,
            contacts: self.contacts()?,
            series,
        })
    }
}
