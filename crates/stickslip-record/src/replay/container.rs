//! The bytes of `viewer/FORMAT.md`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Replay;
use crate::{RecordError, series::SERIES};

/// Above this many numbers the poses are stored in single precision, which no eye can tell.
const EXACT_NUMBERS: usize = 1 << 20;

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A whole recording, in a page.
    Recording,
    /// Live: the scene and its frames so far.
    Scene,
    /// Live: more frames.
    Frames,
}

/// Collects arrays and their directory.
#[derive(Default)]
struct Arrays {
    directory: Map<String, Value>,
    bytes: Vec<u8>,
}

impl Arrays {
    fn add<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        numbers: impl Iterator<Item = [u8; N]>,
    ) {
        let entry = json!({ "type": kind, "offset": self.bytes.len(), "shape": shape });
        self.directory.insert(name.to_owned(), entry);
        numbers.for_each(|n| self.bytes.extend(n));
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    fn double(&mut self, name: &str, shape: &[usize], data: impl Iterator<Item = f64>) {
        self.add(name, "f64", shape, data.map(f64::to_le_bytes));
    }

    fn single(&mut self, name: &str, shape: &[usize], data: impl Iterator<Item = f32>) {
        self.add(name, "f32", shape, data.map(f32::to_le_bytes));
    }

    fn whole(&mut self, name: &str, shape: &[usize], data: impl Iterator<Item = u32>) {
        self.add(name, "u32", shape, data.map(u32::to_le_bytes));
    }
}

#[derive(Serialize)]
struct Header<'a> {
    format: &'a str,
    version: u32,
    message: &'a str,
    #[serde(flatten)]
    model: Option<&'a crate::view::ViewModel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Vec<Value>>,
    arrays: Map<String, Value>,
}

impl Replay {
    /// The frames from `first` on, as a container.
    pub fn container(&self, message: Message, first: usize) -> Result<Vec<u8>, RecordError> {
        let first = first.min(self.frames());
        let mut arrays = Arrays::default();
        self.add_poses(&mut arrays, first);
        self.add_contacts(&mut arrays, first);
        let f = self.frames() - first;
        for (i, info) in SERIES.iter().enumerate() {
            let values = self.series[first..].iter().map(|row| row[i]);
            arrays.double(&format!("series/{}", info.name), &[f], values);
        }
        let scene = message != Message::Frames;
        let describe = |s: &crate::series::SeriesInfo| json!({ "name": s.name, "label": s.label, "unit": s.unit });
        let header = Header {
            format: "stickslip-replay",
            version: 1,
            message: match message {
                Message::Recording => "recording",
                Message::Scene => "scene",
                Message::Frames => "frames",
            },
            model: scene.then_some(&self.model),
            series: scene.then(|| SERIES.iter().map(describe).collect()),
            arrays: arrays.directory,
        };
        let mut text = serde_json::to_vec(&header)?;
        text.resize(text.len().next_multiple_of(8), b' ');
        let mut out = b"STICKSLP".to_vec();
        out.extend(1_u32.to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text);
        out.extend(arrays.bytes);
        Ok(out)
    }

    fn add_poses(&self, arrays: &mut Arrays, first: usize) {
        let (f, n) = (self.frames() - first, self.model.bodies.len());
        arrays.double("time", &[f], self.time[first..].iter().copied());
        arrays.whole("step", &[f], self.step[first..].iter().map(|&s| s as u32));
        let columns = [
            ("position", &self.position, 3),
            ("orientation", &self.orientation, 4),
            ("velocity", &self.velocity, 3),
            ("angular_velocity", &self.angular_velocity, 3),
        ];
        for (name, data, width) in columns {
            let (numbers, shape) = (&data[first * n * width..], [f, n, width]);
            if self.position.len() > EXACT_NUMBERS {
                arrays.single(name, &shape, numbers.iter().map(|&x| x as f32));
            } else {
                arrays.double(name, &shape, numbers.iter().copied());
            }
        }
    }

    fn add_contacts(&self, arrays: &mut Arrays, first: usize) {
        let table = &self.contacts;
        let skip = table.start[first] as usize;
        let c = table.kind.len() - skip;
        let starts = table.start[first..].iter().map(|&s| s - skip as u32);
        arrays.whole("contact_start", &[self.frames() - first + 1], starts);
        let vectors = [
            ("contact_point", &table.point),
            ("contact_normal", &table.normal),
            ("contact_force", &table.force),
        ];
        for (name, data) in vectors {
            arrays.single(name, &[c, 3], data[3 * skip..].iter().copied());
        }
        arrays.single("contact_gap", &[c], table.gap[skip..].iter().copied());
        arrays.single("contact_friction", &[c], table.friction[skip..].iter().copied());
        arrays.whole("contact_pair", &[c, 2], table.pair[2 * skip..].iter().copied());
        arrays.add("contact_kind", "u8", &[c], table.kind[skip..].iter().map(|&k| [k]));
    }
}
