//! The last step's solution as the first guess of this one.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// Remembers unknowns by name.
#[derive(Clone, Debug, Default)]
pub struct WarmStart {
    keys: Vec<u64>,
    z: Vec<f64>,
}

impl WarmStart {
    /// The guess for unknowns of these names; zero for those not seen in the last step, and no
    /// guess at all when nothing is known.
    pub fn guess(&self, keys: &[u64]) -> Vec<f64> {
        // mostly the same contacts as in the last step, in the same order
        if keys == self.keys {
            return self.z.clone();
        }
        // looked up, never iterated: the order of the map does not matter
        let last: HashMap<u64, f64, BuildHasherDefault<Mixed>> =
            self.keys.iter().copied().zip(self.z.iter().copied()).collect();
        let mut known = false;
        let guess = keys
            .iter()
            .map(|key| match last.get(key) {
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
    pub fn remember(&mut self, keys: Vec<u64>, z: &[f64]) {
        self.keys = keys;
        self.z.clear();
        self.z.extend_from_slice(z);
    }

    /// Names and values, in their order, for saving.
    pub fn entries(&self) -> Vec<(u64, f64)> {
        self.keys.iter().copied().zip(self.z.iter().copied()).collect()
    }

    /// From what [`WarmStart::entries`] gave.
    pub fn from_entries(entries: impl IntoIterator<Item = (u64, f64)>) -> Self {
        let (keys, z) = entries.into_iter().unzip();
        Self { keys, z }
    }

    /// Forgets everything, as after a jump of the state.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Keys are mixed when they are made, and need no hashing of their own.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.0 = self.0.rotate_left(8) ^ u64::from(b));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
