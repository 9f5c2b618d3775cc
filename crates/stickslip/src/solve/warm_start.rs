//! The last step's solution as the first guess of this one.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use stickslip_geometry::Vec3;

use crate::formulate::Name;

/// Remembers the impulses of contacts, and other unknowns by name.
#[derive(Clone, Debug, Default)]
pub struct WarmStart {
    keys: Vec<u64>,
    z: Vec<f64>,
    blocks: Vec<Block>,
    /// Length of the step that the impulses of the blocks are of \[s\].
    h: f64,
}

/// What a block of a contact problem was called, and its impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    key: u64,
    pair: u64,
    point: Vec3,
    /// World frame \[N s\].
    impulse: Vec3,
}

type Map<T> = HashMap<u64, T, BuildHasherDefault<Mixed>>;

impl WarmStart {
    /// The guess for unknowns of these names; zero for those not seen in the last step, and no
    /// guess at all when nothing is known.
    pub fn guess(&self, keys: &[u64]) -> Vec<f64> {
        // mostly the same contacts as in the last step, in the same order
        if keys == self.keys {
            return self.z.clone();
        }
        // looked up, never iterated: the order of the map does not matter
        let last: Map<f64> = self.keys.iter().copied().zip(self.z.iter().copied()).collect();
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

    /// The guess for the impulses of these blocks, along their own rows. A contact whose features
    /// were not in contact before takes what the nearest one of its pair leaves behind: where a
    /// corner passes an edge, the pair goes on pushing as it did.
    /// Forces go on, not impulses: a shorter step begins with less, `h` \[s\] against that of the last.
    pub fn guess_contacts(&self, names: &[Name], h: f64) -> Vec<[f64; 3]> {
        let mut guess = self.last_impulses(names);
        if h != self.h && self.h > 0.0 {
            guess.iter_mut().flatten().for_each(|p| *p *= h / self.h);
        }
        guess
    }

    fn last_impulses(&self, names: &[Name]) -> Vec<[f64; 3]> {
        if self.blocks.is_empty() {
            return Vec::new();
        }
        let same = names.len() == self.blocks.len()
            && names.iter().zip(&self.blocks).all(|(n, b)| n.key == b.key);
        if same {
            return names.iter().zip(&self.blocks).map(|(n, b)| n.along(b.impulse)).collect();
        }
        let mut impulses = vec![None; names.len()];
        let mut places: Map<usize> = names.iter().enumerate().map(|(i, n)| (n.key, i)).collect();
        let mut left: Vec<&Block> = Vec::new();
        for block in &self.blocks {
            match places.remove(&block.key) {
                Some(i) => impulses[i] = Some(block.impulse),
                None if block.impulse != Vec3::ZERO => left.push(block),
                None => {}
            }
        }
        let mut pairs: Map<Vec<usize>> = Map::default();
        if !left.is_empty() {
            for (i, name) in names.iter().enumerate() {
                pairs.entry(name.pair).or_default().push(i);
            }
        }
        for block in left {
            let Some(all) = pairs.get(&block.pair) else { continue };
            let distance = |&i: &usize| {
                (impulses[i].is_some(), (names[i].point - block.point).length_squared())
            };
            let nearer = |x: &&usize, y: &&usize| {
                let ((a, r), (b, s)) = (distance(x), distance(y));
                a.cmp(&b).then(r.total_cmp(&s)).then(x.cmp(y))
            };
            if let Some(&i) = all.iter().min_by(nearer) {
                impulses[i] = Some(impulses[i].unwrap_or(Vec3::ZERO) + block.impulse);
            }
        }
        if impulses.iter().all(Option::is_none) {
            return Vec::new();
        }
        names.iter().zip(impulses).map(|(n, p)| n.along(p.unwrap_or(Vec3::ZERO))).collect()
    }

    /// Remembers a solution and forgets the one before.
    pub fn remember(&mut self, keys: Vec<u64>, z: &[f64]) {
        self.blocks.clear();
        self.keys = keys;
        self.z.clear();
        self.z.extend_from_slice(z);
    }

    /// The same for contacts.
    pub fn remember_contacts(&mut self, names: &[Name], impulses: &[[f64; 3]], h: f64) {
        self.h = h;
        self.keys.clear();
        self.z.clear();
        self.blocks.clear();
        self.blocks.extend(names.iter().zip(impulses).map(|(name, p)| {
            let [a, b, c] = name.rows;
            let impulse = a * p[0] + b * p[1] + c * p[2];
            Block { key: name.key, pair: name.pair, point: name.point, impulse }
        }));
    }

    /// Remembers more contacts and their impulses over a step of `h` seconds; those known already stay as they are.
    pub fn add_contacts(&mut self, contacts: &[(Name, Vec3)], h: f64) {
        if self.h == 0.0 {
            self.h = h;
        }
        let scale = self.h / h;
        let known: Map<()> = self.blocks.iter().map(|block| (block.key, ())).collect();
        let new = contacts.iter().filter(|(name, _)| !known.contains_key(&name.key));
        self.blocks.extend(new.map(|(name, impulse)| {
            let Name { key, pair, point, .. } = *name;
            Block { key, pair, point, impulse: *impulse * scale }
        }));
    }

    /// Names and values, in their order, for saving; six for each contact follow the others.
    pub fn entries(&self) -> Vec<(u64, f64)> {
        let unknowns = self.keys.iter().copied().zip(self.z.iter().copied());
        let contacts = self.blocks.iter().flat_map(|b| {
            let (p, x) = (b.impulse, b.point);
            [(b.key, p.x), (b.key, p.y), (b.key, p.z), (b.pair, x.x), (b.pair, x.y), (b.pair, x.z)]
        });
        let separator = (!self.blocks.is_empty()).then_some((CONTACTS, self.h));
        unknowns.chain(separator).chain(contacts).collect()
    }

    /// From what [`WarmStart::entries`] gave.
    pub fn from_entries(entries: impl IntoIterator<Item = (u64, f64)>) -> Self {
        let all: Vec<(u64, f64)> = entries.into_iter().collect();
        let end = all.iter().position(|e| e.0 == CONTACTS).unwrap_or(all.len());
        let h = all.get(end).map_or(0.0, |e| e.1);
        let (keys, z) = all[..end].iter().copied().unzip();
        let (groups, _) = all.get(end + 1..).unwrap_or(&[]).as_chunks::<6>();
        let block = |g: &[(u64, f64); 6]| Block {
            key: g[0].0,
            pair: g[3].0,
            impulse: Vec3::new(g[0].1, g[1].1, g[2].1),
            point: Vec3::new(g[3].1, g[4].1, g[5].1),
        };
        Self { keys, z, blocks: groups.iter().map(block).collect(), h }
    }

    /// Forgets everything, as after a jump of the state.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Layout: marks where contacts begin among the saved entries: no key is even.
const CONTACTS: u64 = 2;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn name(key: u64, x: f64) -> Name {
        let rows = [Vec3::Z, Vec3::X, Vec3::Y];
        Name { key, pair: 11, point: Vec3::X * x, rows }
    }

    /// Impulses follow their features; what features lose stays with their pair, at the nearest
    /// contact, and saving changes nothing.
    #[test]
    fn a_pair_keeps_its_impulse_when_features_change() {
        let mut warm = WarmStart::default();
        warm.remember_contacts(
            &[name(3, 0.0), name(5, 1.0)],
            &[[2.0, 0.1, 0.0], [1.0, 0.0, 0.3]],
            0.01,
        );
        for warm in [warm.clone(), WarmStart::from_entries(warm.entries())] {
            let same = warm.guess_contacts(&[name(5, 1.0), name(3, 0.0)], 0.01);
            assert_eq!(same, [[1.0, 0.0, 0.3], [2.0, 0.1, 0.0]]);
            let moved = warm.guess_contacts(&[name(3, 0.0), name(7, 5.0), name(9, 1.1)], 0.01);
            assert_eq!(moved, [[2.0, 0.1, 0.0], [0.0; 3], [1.0, 0.0, 0.3]]);
            let half = warm.guess_contacts(&[name(3, 0.0), name(5, 1.0)], 0.005);
            assert_eq!(half, [[1.0, 0.05, 0.0], [0.5, 0.0, 0.15]]);
            let mut more = warm.clone();
            more.add_contacts(&[(name(3, 0.0), Vec3::Z), (name(13, 2.0), Vec3::Z * 4.0)], 0.005);
            let all = [name(3, 0.0), name(5, 1.0), name(13, 2.0)];
            let expected = [[2.0, 0.1, 0.0], [1.0, 0.0, 0.3], [8.0, 0.0, 0.0]];
            assert_eq!(more.guess_contacts(&all, 0.01), expected);
            let other = Name { pair: 13, ..name(9, 1.1) };
            assert!(warm.guess_contacts(&[other], 0.01).is_empty());
        }
    }
}
