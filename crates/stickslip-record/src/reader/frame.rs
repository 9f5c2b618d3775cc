//! Whole frames, as numbers.

use std::collections::BTreeMap;

use super::Recording;
use crate::RecordError;

/// One frame: the datasets of Table 8.1 by their path within it (`bodies/positions`), row by
/// row, and the step size as `step`. Counts and numbers of bodies are given as `f64` too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameData {
    /// Shape and numbers of each dataset.
    pub tables: BTreeMap<String, ([usize; 2], Vec<f64>)>,
}

impl FrameData {
    /// The numbers of a dataset; none where there is no such dataset.
    pub fn numbers(&self, path: &str) -> &[f64] {
        self.tables.get(path).map_or(&[], |(_, data)| data)
    }
}

impl Recording {
    /// Steps that have a whole frame, ascending.
    pub fn frames(&self) -> Result<Vec<u64>, RecordError> {
        let frames = self.file.group("frames").map_err(|e| self.broken("frames", e))?;
        let mut steps: Vec<u64> = match frames.member_names() {
            Ok(names) => names.iter().filter_map(|n| n.parse().ok()).collect(),
            // A run killed while it wrote one leaves a list that cannot be walked to its end: the
            // frames of the steps on record are asked for one by one.
            Err(_) => {
                let whole = |step: &u64| frames.group(&format!("{step:06}")).is_ok();
                self.steps().iter().copied().filter(whole).collect()
            }
        };
        steps.sort_unstable();
        Ok(steps)
    }

    /// The frame of a step.
    pub fn frame(&self, step: u64) -> Result<FrameData, RecordError> {
        let mut out = FrameData::default();
        let base = format!("frames/{step:06}");
        let mut read = || -> hdf5_metno::Result<()> {
            let group = self.file.group(&base)?;
            let mut sets = vec![("step".to_owned(), group.dataset("step")?)];
            for part in group.groups()? {
                let name = part.name();
                let short = name.rsplit('/').next().unwrap_or_default().to_owned();
                for set in part.datasets()? {
                    let leaf = set.name().rsplit('/').next().unwrap_or_default().to_owned();
                    sets.push((format!("{short}/{leaf}"), set));
                }
            }
            for (path, set) in sets {
                let shape = set.shape();
                if let Err(error) = self.plausible(&path, &set) {
                    return Err(hdf5_metno::Error::from(error.to_string()));
                }
                let shape =
                    [shape.first().copied().unwrap_or(0), shape.get(1).copied().unwrap_or(1)];
                let data = if shape[0] == 0 { Vec::new() } else { set.read_raw::<f64>()? };
                out.tables.insert(path, (shape, data));
            }
            Ok(())
        };
        read().map_err(|e| self.broken(&base, e))?;
        Ok(out)
    }
}
