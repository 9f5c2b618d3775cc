//! The detector "exact": every feature pair within reach, from the exact geometry.

use rayon::prelude::*;
use stickslip_geometry::{Convex, Shape};

use super::{
    CollideError, CollisionDetector, Contact, Query,
    broad::BroadPhase,
    check_query,
    pairs::{
        Sink, ball, half_space, polygon_polygon,
        polytope_polytope::{self, Scratch, Solid},
    },
    placed::{Placed, World},
    settings::{ExactSettings, Rules},
};
use crate::{
    model::{BodyId, Model},
    state::State,
};

/// Pairs per unit of work; the same for any number of threads.
const CHUNK: usize = 32;

/// Finds every vertex-face and edge-edge pair (vertex-side in 2D) within reach, and the nearest
/// points of smooth shapes.
#[derive(Default)]
pub struct Exact {
    settings: ExactSettings,
    world: World,
    broad: BroadPhase,
    scratch: Scratch,
    pool: Option<(usize, rayon::ThreadPool)>,
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

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        check_query(model, query)?;
        let rules = self.settings.rules();
        let Self { settings, world, broad, scratch, pool } = self;
        world.update(model, state)?;
        let pairs = broad.pairs(model, world, &query.reach);
        let narrow = Narrow { model, placed: &world.placed, reach: &query.reach, rules };
        let mut contacts = vec![];
        let pool = match query.threads {
            1 => None,
            threads if pairs.len() > settings.parallel_pairs => pool_of(pool, threads),
            _ => None,
        };
        match pool {
            None => narrow.all(pairs, scratch, &mut contacts)?,
            Some(pool) => {
                let found: Vec<_> = pool.install(|| {
                    let chunk = |c: &[[u32; 2]]| {
                        let mut own = vec![];
                        narrow.all(c, &mut Scratch::default(), &mut own).map(|()| own)
                    };
                    pairs.par_chunks(CHUNK).map(chunk).collect()
                });
                for chunk in found {
                    contacts.append(&mut chunk?);
                }
            }
        }
        Ok(contacts)
    }
}

/// The pool with that many threads (0: all cores), made when first needed; `None` where the
/// system refuses threads, which costs time and nothing else.
fn pool_of(
    pool: &mut Option<(usize, rayon::ThreadPool)>,
    threads: usize,
) -> Option<&rayon::ThreadPool> {
    if pool.as_ref().is_none_or(|p| p.0 != threads) {
        let made = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
        *pool = Some((threads, made));
    }
    pool.as_ref().map(|p| &p.1)
}

/// The narrow phase of one step.
struct Narrow<'a> {
    model: &'a Model,
    placed: &'a [Placed],
    reach: &'a [f64],
    rules: Rules,
}

impl<'a> Narrow<'a> {
    fn all(
        &self,
        pairs: &[[u32; 2]],
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        pairs.iter().try_for_each(|&[i, j]| {
            self.pair([&self.placed[i as usize], &self.placed[j as usize]], scratch, out)
        })
    }

    fn convex(&self, placed: &Placed) -> &'a Convex {
        let Shape::Parts(parts) = &self.model.body(placed.body).shape;
        &parts[placed.part as usize].convex
    }

    fn pair(
        &self,
        [a, b]: [&Placed; 2],
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        let reach = self.reach[a.body.index()] + self.reach[b.body.index()];
        let (x, y) = (self.convex(a), self.convex(b));
        match (x, y) {
            (Convex::Polytope(p), Convex::Polytope(q)) => {
                let solids = [Solid { shape: p, placed: a }, Solid { shape: q, placed: b }];
                let sink = &mut Sink::new(a, b, out);
                polytope_polytope::contacts(solids, reach, &self.rules, scratch, sink);
            }
            (Convex::Polygon(_), Convex::Polygon(_)) => {
                polygon_polygon::contacts([a, b], reach, &self.rules, &mut Sink::new(a, b, out));
            }
            (Convex::HalfSpace, _) => {
                half_space::contacts(a, (y, b), reach, &mut Sink::new(a, b, out));
            }
            (_, Convex::HalfSpace) => {
                half_space::contacts(b, (x, a), reach, &mut Sink::new(b, a, out));
            }
            (Convex::Ball { radius }, _) => {
                ball::contacts(a, *radius, (y, b), reach, &mut Sink::new(a, b, out));
            }
            (_, Convex::Ball { radius }) => {
                ball::contacts(b, *radius, (x, a), reach, &mut Sink::new(b, a, out));
            }
            _ => return Err(self.unsupported(a.body, b.body)),
        }
        Ok(())
    }

    fn unsupported(&self, a: BodyId, b: BodyId) -> CollideError {
        CollideError::Unsupported {
            detector: "exact",
            a: self.model.body(a).name.clone(),
            b: self.model.body(b).name.clone(),
            reason: "one is flat and the other is solid".into(),
        }
    }
}
