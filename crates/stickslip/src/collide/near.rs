//! Near pairs of convex parts, from step to step.
//!
//! What showed last time that two parts are apart or near mostly still does: a separating axis, or
//! two points. It is believed where it is clear; elsewhere the pair is compared anew from a start
//! that does not depend on the past, so that the answers depend on the present state alone.

use std::cmp::Ordering;

use rayon::prelude::*;
use stickslip_geometry::{Pose, Vec3, tolerance::MERGE};

use super::{
    PartId,
    gjk::{Corners, Placement, Witness},
};
use crate::parallel::Threads;

/// Speed: pairs below which one thread is faster.
const MANY: usize = if cfg!(test) { 8 } else { 512 };
/// Speed: pairs per unit of work, at least.
const CHUNK: usize = 64;

/// Two parts to compare, and where they are.
pub(crate) struct Query<'a> {
    pub ids: [PartId; 2],
    pub parts: [Corners<'a>; 2],
    pub poses: [&'a Pose; 2],
    /// Sum of the distances that their bodies reach \[m\].
    pub reach: f64,
}

/// What showed that a pair is near or not.
#[derive(Clone, Copy, Debug)]
struct Entry {
    ids: [PartId; 2],
    witness: Witness,
}

/// The witnesses of the last step, sorted as its pairs were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Witnesses {
    entries: Vec<Entry>,
    next: Vec<Entry>,
}

impl Witnesses {
    /// Compares the parts of all pairs, which are sorted by bodies, then parts, the smaller body
    /// first.
    pub fn renew<'a, P: Sync>(
        &mut self,
        pairs: &[P],
        query: impl Fn(&P) -> Query<'a> + Sync,
        threads: Option<&Threads>,
    ) {
        let Self { entries, next } = self;
        next.clear();
        let mut last = entries.iter().peekable();
        // The witnesses of the last step, or none.
        next.extend(pairs.iter().map(|pair| {
            let ids = query(pair).ids;
            while last.next_if(|e| order(&e.ids, &ids) == Ordering::Less).is_some() {}
            let known = last.peek().filter(|e| e.ids == ids);
            Entry { ids, witness: known.map_or(Witness::Points([Vec3::NAN; 2]), |e| e.witness) }
        }));
        let renew = |(entry, pair): (&mut Entry, &P)| {
            entry.witness = query(pair).compare(entry.witness);
        };
        match threads.filter(|t| !t.is_one() && pairs.len() > MANY) {
            None => next.iter_mut().zip(pairs).for_each(renew),
            Some(threads) => threads.run(|| {
                next.par_iter_mut().with_min_len(CHUNK).zip(pairs).for_each(renew);
            }),
        }
        std::mem::swap(entries, next);
    }

    /// For each pair, its parts and whether they are near.
    pub fn pairs(&self) -> impl Iterator<Item = ([PartId; 2], bool)> {
        self.entries.iter().map(|e| (e.ids, matches!(e.witness, Witness::Points(_))))
    }
}

/// The order of the broad phase.
fn order(x: &[PartId; 2], y: &[PartId; 2]) -> Ordering {
    let key = |[a, b]: &[PartId; 2]| (a.0, b.0, a.1, b.1);
    key(x).cmp(&key(y))
}

impl Query<'_> {
    /// Whether the parts are near, and why; `last` is what showed it in the last step.
    fn compare(&self, last: Witness) -> Witness {
        // Meshes are convex up to as much, and a witness must be clear of round-off.
        let limit = self.reach * (1.0 + MERGE);
        let placement = Placement::new(self.parts, self.poses);
        match last {
            Witness::Axis(n) if placement.separation(n) > limit * (1.0 + MERGE) => last,
            Witness::Points(points) if placement.distance(points) < limit * (1.0 - MERGE) => last,
            _ => placement.compare(limit),
        }
    }
}
