//! The last step's solution as the first guess of this one.

use std::collections::HashMap;

/// Remembers unknowns by name. Looked up, never iterated: the order of the map does not matter.
#[derive(Clone, Debug, Default)]
pub struct WarmStart {
    last: HashMap<u64, f64>,
}

impl WarmStart {
    /// The guess for unknowns of these names; zero for those not seen in the last step, and no
    /// guess at all when nothing is known.
    pub fn guess(&self, keys: &[u64]) -> Vec<f64> {
        let mut known = false;
        let guess = keys
            .iter()
            .map(|key| match self.last.get(key) {
                Some(&z) => {
                    known = true;
                    z
                }
                None => 0.0,
            })
            .collect();
        if known { guess } else { Vec::new() }
    }

    /// Remembers a solution and forgets the one before.
    pub fn remember(&mut self, keys: &[u64], z: &[f64]) {
        self.last.clear();
        self.last.extend(keys.iter().copied().zip(z.iter().copied()));
    }

    /// Names and values, by name, for saving.
    pub fn entries(&self) -> Vec<(u64, f64)> {
        let mut entries: Vec<(u64, f64)> = self.last.iter().map(|(&k, &z)| (k, z)).collect();
        entries.sort_unstable_by_key(|e| e.0);
        entries
    }

    /// From what [`WarmStart::entries`] gave.
    pub fn from_entries(entries: impl IntoIterator<Item = (u64, f64)>) -> Self {
        Self { last: entries.into_iter().collect() }
    }

    /// Forgets everything, as after a jump of the state.
    pub fn forget(&mut self) {
        self.last.clear();
    }
}
