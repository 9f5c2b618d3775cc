//! The detector "exact": every feature pair within reach, from the exact geometry.

use std::fmt;

use super::{
    Candidates, CollideError, CollisionDetector, Contact, PartId, Query,
    broad::BroadPhase,
    check_query,
    narrow::{self, Narrow},
    near::{self, Witnesses},
    pairs::{polytope_polytope::Scratch, surface::Surface},
    placed::World,
    settings::ExactSettings,
};
use crate::{model::Model, parallel::Threads, state::State};

/// Finds every vertex-face and edge-edge pair (vertex-side in 2D) within reach, and the nearest
/// points of smooth shapes.
#[derive(Default)]
pub struct Exact {
    settings: ExactSettings,
    world: World,
    broad: BroadPhase,
    scratch: Scratch,
    surfaces: Vec<Surface>,
    threads: Threads,
    /// Number of contacts in the last step.
    count: usize,
    /// Pairs of the broad phase with corners on both sides.
    cornered: Vec<[u32; 2]>,
    /// Pairs whose features the narrow phase is to find.
    narrow_pairs: Vec<[u32; 2]>,
    witnesses: Witnesses,
}

impl Exact {
    /// With other than the default settings.
    pub fn new(settings: ExactSettings) -> Result<Self, CollideError> {
        settings
            .validate()
            .map_err(|reason| CollideError::Settings { detector: "exact", reason })?;
        Ok(Self { settings, ..Self::default() })
    }
}

impl CollisionDetector for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        self.find_near(model, state, query)?;
        // As many as last time, and some.
        let mut contacts = Vec::with_capacity(self.count + self.count / 8 + 8);
        self.choose_near();
        self.narrow_phase(model, query, &mut contacts)?;
        self.count = contacts.len();
        Ok(contacts)
    }

    fn candidates(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
        found: &mut Candidates,
    ) -> Result<(), CollideError> {
        found.clear();
        self.find_near(model, state, query)?;
        found.pairs.extend(self.witnesses.pairs().filter(|p| p.1).map(|p| p.0));
        found.sort();
        self.narrow_phase(model, query, &mut found.contacts)
    }
}

impl fmt::Debug for Exact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Exact").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Exact {
    /// The contacts of these pairs of parts alone, the smaller body first.
    pub(crate) fn between(
        &mut self,
        (model, state): (&Model, &State),
        parts: &[[PartId; 2]],
        query: &Query,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        self.world.update(model, state)?;
        let Self { world, narrow_pairs, .. } = &mut *self;
        let place = |id: &PartId| {
            world.placed.binary_search_by_key(id, |p| (p.body, p.part)).ok().map(|k| k as u32)
        };
        narrow_pairs.clear();
        narrow_pairs.extend(parts.iter().filter_map(|[a, b]| Some([place(a)?, place(b)?])));
        self.narrow_phase(model, query, out)
    }

    /// Broad phase, and which pairs of parts with corners are near.
    fn find_near(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<(), CollideError> {
        check_query(model, query)?;
        self.world.update(model, state)?;
        let Self { settings, world, broad, threads, cornered, narrow_pairs, witnesses, .. } = self;
        let pairs = broad.pairs(model, world, &query.reach);
        cornered.clear();
        narrow_pairs.clear();
        for &pair in pairs {
            let smooth = pair.iter().any(|&k| world.placed[k as usize].corners().is_empty());
            if smooth { narrow_pairs.push(pair) } else { cornered.push(pair) }
        }
        let threads = chosen(threads, pairs.len() > settings.parallel_pairs, query.threads);
        let compare = |&pair: &[u32; 2]| compare(world, &query.reach, pair);
        witnesses.renew(cornered, compare, threads);
        Ok(())
    }

    /// Leaves near pairs and those without corners to the narrow phase, in the order of the broad
    /// phase.
    fn choose_near(&mut self) {
        let Self { broad, cornered, narrow_pairs, witnesses, .. } = self;
        let mut near = cornered.iter().zip(witnesses.pairs());
        let mut next = near.next();
        narrow_pairs.clear();
        narrow_pairs.extend(broad.found().iter().copied().filter(|pair| match next {
            Some((cornered, (_, is_near))) if cornered == pair => {
                next = near.next();
                is_near
            }
            _ => true,
        }));
    }

    /// The contacts of `narrow_pairs`.
    fn narrow_phase(
        &mut self,
        model: &Model,
        query: &Query,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        let Self { settings, world, scratch, surfaces, threads, narrow_pairs, .. } = self;
        world.place_features(narrow_pairs);
        narrow::prepare(model, world, narrow_pairs, surfaces);
        let (placed, reach, rules) = (&world.placed, &query.reach, settings.rules());
        let narrow = Narrow { model, placed, reach, rules, surfaces };
        let many = narrow_pairs.len() > settings.parallel_pairs;
        narrow.run(narrow_pairs, chosen(threads, many, query.threads), scratch, out)
    }
}

/// Two parts with corners, to be compared.
fn compare<'a>(world: &'a World, reach: &[f64], pair: [u32; 2]) -> near::Query<'a> {
    let [a, b] = pair.map(|k| &world.placed[k as usize]);
    near::Query {
        ids: [(a.body, a.part), (b.body, b.part)],
        parts: [a.corners(), b.corners()],
        poses: [&a.pose, &b.pose],
        reach: reach[a.body.index()] + reach[b.body.index()],
    }
}

/// That many threads where there is much to do; `None` for one.
fn chosen(threads: &mut Threads, many: bool, count: usize) -> Option<&Threads> {
    if !many {
        return None;
    }
    threads.choose(count);
    Some(&*threads).filter(|t| !t.is_one())
}
