//! The last step's solution as the first guess of this one.

use std::collections::HashMap;

/// Remembers unknowns by name. Looked up, never iterated: the order of the map does not matter.
#[derive(Debug, Default)]
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

    /// Forgets everything, as after a jump of the state.
    pub fn forget(&mut self) {
        self.last.clear();
    }
}
