//! The detector "exact": every feature pair within reach, from the exact geometry.

use std::sync::Arc;

use rayon::prelude::*;
use stickslip_geometry::{Convex, TriMesh, Vec3};

use super::{
    Candidates, CollideError, CollisionDetector, Contact, Query,
    broad::BroadPhase,
    check_query,
    near::{self, Witnesses},
    pairs::{
        Sink, ball,
        capsule::{self, Capsule},
        half_space, least, polygon_polygon,
        polytope_polytope::{self, Scratch, Solid},
        surface::{self, Surface},
        surface_round,
        turned::Turned,
        turned_pairs::{self, Context},
        turned_turned,
    },
    placed::{Geometry, Placed, World},
    settings::{ExactSettings, Rules},
};
use crate::{model::Model, state::State};

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
    surfaces: Vec<Surface>,
    pool: Option<(usize, rayon::ThreadPool)>,
    /// Number of contacts in the last step.
    count: usize,
    /// Pairs of the broad phase with and without corners on both sides.
    sorted: [Vec<[u32; 2]>; 2],
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

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        check_query(model, query)?;
        self.world.update(model, state)?;
        let pairs = self.broad.pairs(model, &self.world, &query.reach);
        self.world.place_features(pairs);
        // As many as last time, and some.
        let mut contacts = Vec::with_capacity(self.count + self.count / 8 + 8);
        let Self { settings, world, scratch, surfaces, pool, count, .. } = self;
        prepare(model, world, pairs, surfaces);
        let rules = settings.rules();
        let narrow = Narrow { model, placed: &world.placed, reach: &query.reach, rules, surfaces };
        let many = pairs.len() > settings.parallel_pairs;
        let pool = if many { pool_of(pool, query.threads) } else { None };
        narrow.run(pairs, pool, scratch, &mut contacts)?;
        *count = contacts.len();
        Ok(contacts)
    }

    fn candidates(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
        found: &mut Candidates,
    ) -> Result<(), CollideError> {
        check_query(model, query)?;
        found.clear();
        self.world.update(model, state)?;
        let pairs = self.broad.pairs(model, &self.world, &query.reach);
        let Self { settings, world, scratch, surfaces, pool, sorted, witnesses, .. } = self;
        let [with, without] = sorted;
        (with.clear(), without.clear());
        for &pair in pairs {
            let smooth = pair.iter().any(|&k| world.placed[k as usize].corners().is_empty());
            if smooth { without.push(pair) } else { with.push(pair) }
        }
        world.place_features(without);
        prepare(model, world, without, surfaces);
        let rules = settings.rules();
        let narrow = Narrow { model, placed: &world.placed, reach: &query.reach, rules, surfaces };
        let many = pairs.len() > settings.parallel_pairs;
        let pool = if many { pool_of(pool, query.threads) } else { None };
        witnesses.near(with, |pair| narrow.near(*pair), pool, &mut found.pairs);
        found.sort();
        narrow.run(without, pool, scratch, &mut found.contacts)
    }
}

/// The pool with that many threads (0: all cores), made when first needed; `None` for one thread, and
/// where the system refuses threads, which costs time and nothing else.
fn pool_of(
    pool: &mut Option<(usize, rayon::ThreadPool)>,
    threads: usize,
) -> Option<&rayon::ThreadPool> {
    if threads == 1 {
        return None;
    }
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
    surfaces: &'a [Surface],
}

impl Narrow<'_> {
    /// The contacts of all pairs, in their order.
    fn run(
        &self,
        pairs: &[[u32; 2]],
        pool: Option<&rayon::ThreadPool>,
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        let Some(pool) = pool else { return self.all(pairs, scratch, out) };
        let found: Vec<_> = pool.install(|| {
            let chunk = |c: &[[u32; 2]]| {
                let mut own = vec![];
                self.all(c, &mut Scratch::default(), &mut own).map(|()| own)
            };
            pairs.par_chunks(CHUNK).map(chunk).collect()
        });
        for chunk in found {
            out.append(&mut chunk?);
        }
        Ok(())
    }

    /// Two parts with corners, to be compared.
    fn near(&self, pair: [u32; 2]) -> near::Query<'_> {
        let [a, b] = pair.map(|k| &self.placed[k as usize]);
        near::Query {
            ids: [(a.body, a.part), (b.body, b.part)],
            parts: [a.corners(), b.corners()],
            poses: [&a.pose, &b.pose],
            reach: self.reach[a.body.index()] + self.reach[b.body.index()],
        }
    }

    fn all(
        &self,
        pairs: &[[u32; 2]],
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        pairs.iter().try_for_each(|&pair| self.pair(pair, scratch, out))
    }

    fn pair(
        &self,
        pair: [u32; 2],
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        let placed @ [a, b] = pair.map(|k| &self.placed[k as usize]);
        let reach = self.reach[a.body.index()] + self.reach[b.body.index()];
        let geometry = placed.map(|p| p.geometry(self.model));
        let done = match geometry {
            [Geometry::Convex(x), Geometry::Convex(y)] => {
                self.convex([x, y], placed, reach, scratch, out)
            }
            [Geometry::Convex(x), Geometry::Surface(mesh)] => {
                self.surface((x, a), (mesh, b), reach, out)
            }
            [Geometry::Surface(mesh), Geometry::Convex(y)] => {
                self.surface((y, b), (mesh, a), reach, out)
            }
            [Geometry::Surface(_), Geometry::Surface(_)] => false,
        };
        if done {
            return Ok(());
        }
        let [a, b] = placed.map(|p| self.model.body(p.body).name.clone());
        let reason = "there is no method for this pair of shapes".into();
        Err(CollideError::Unsupported { detector: "exact", a, b, reason })
    }

    /// Two convex parts; false for those that have no method.
    fn convex(
        &self,
        convex: [&Convex; 2],
        [a, b]: [&Placed; 2],
        reach: f64,
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> bool {
        let [x, y] = convex;
        let rules = &self.rules;
        match (x, y) {
            (Convex::Polytope(p), Convex::Polytope(q)) => {
                let solids = [Solid { shape: p, placed: a }, Solid { shape: q, placed: b }];
                let sink = &mut Sink::new(a, b, out);
                polytope_polytope::contacts(solids, reach, rules, scratch, sink);
            }
            (Convex::Polygon(_), Convex::Polygon(_)) => {
                polygon_polygon::contacts([a, b], reach, rules, &mut Sink::new(a, b, out));
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
            (Convex::Capsule { half, radius }, Convex::Capsule { half: other, radius: thick }) => {
                let pair = [Capsule::new(a, *half, *radius), Capsule::new(b, *other, *thick)];
                capsule::capsules(pair, reach, rules, &mut Sink::new(a, b, out));
            }
            (Convex::Capsule { half, radius }, Convex::Polytope(q)) => {
                let own = Capsule::new(a, *half, *radius);
                capsule::polytope(own, (y, q, b), reach, rules, &mut Sink::new(a, b, out));
            }
            (Convex::Polytope(p), Convex::Capsule { half, radius }) => {
                let own = Capsule::new(b, *half, *radius);
                capsule::polytope(own, (x, p, a), reach, rules, &mut Sink::new(b, a, out));
            }
            _ => return self.turned(convex, [a, b], reach, out),
        }
        true
    }

    /// Pairs with a smooth cylinder or cone.
    fn turned(
        &self,
        [x, y]: [&Convex; 2],
        [a, b]: [&Placed; 2],
        reach: f64,
        out: &mut Vec<Contact>,
    ) -> bool {
        let rules = &self.rules;
        match (Turned::new(x, a), Turned::new(y, b)) {
            (Some(p), Some(q)) => {
                let sink = &mut Sink::new(a, b, out);
                turned_turned::contacts(
                    [&p, &q],
                    &mut Context { reach, rules, sink, found: [false; 2] },
                );
            }
            (Some(p), None) => {
                let sink = &mut Sink::new(a, b, out);
                return on_turned(
                    &p,
                    (y, b),
                    &mut Context { reach, rules, sink, found: [false; 2] },
                );
            }
            (None, Some(q)) => {
                let sink = &mut Sink::new(b, a, out);
                return on_turned(
                    &q,
                    (x, a),
                    &mut Context { reach, rules, sink, found: [false; 2] },
                );
            }
            (None, None) => return false,
        }
        true
    }

    /// A convex part on a surface; false for those that have no method.
    fn surface(
        &self,
        (convex, own): (&Convex, &Placed),
        (mesh, other): (&Arc<TriMesh>, &Placed),
        reach: f64,
        out: &mut Vec<Contact>,
    ) -> bool {
        let Some(surface) = self.surfaces.iter().find(|s| s.is_of(mesh)) else { return false };
        let on = (surface, other);
        let sink = &mut Sink::new(own, other, out);
        match convex {
            Convex::Polytope(shape) => {
                let solid = Solid { shape, placed: own };
                surface::polytope(solid, on, reach, &self.rules, sink);
            }
            Convex::Ball { radius } => surface_round::ball((own, *radius), on, reach, sink),
            Convex::Capsule { half, radius } => {
                surface_round::capsule((own, *half, *radius), on, reach, &self.rules, sink);
            }
            _ => match Turned::new(convex, own) {
                Some(turned) => {
                    let mut context =
                        Context { reach, rules: &self.rules, sink, found: [false; 2] };
                    turned_pairs::surface(&turned, on, &mut context);
                }
                None => return false,
            },
        }
        true
    }
}

/// A smooth cylinder or cone with a polytope or capsule.
fn on_turned(turned: &Turned, other: (&Convex, &Placed), context: &mut Context) -> bool {
    match other.0 {
        Convex::Polytope(shape) => {
            let solid = Solid { shape, placed: other.1 };
            turned_pairs::polytope(turned, &solid, context);
        }
        Convex::Capsule { .. } => turned_pairs::capsule(turned, other, context),
        _ => return false,
    }
    // Sides near an apex, rims that cut in: no feature tells.
    let [primary, sure] = context.found;
    if !sure {
        let seeds: Vec<Vec3> = other.1.normals.iter().map(|&n| -n).collect();
        let parts = [(turned.convex, turned.placed), other];
        if let Some(found) = least::contact(parts, &seeds, context.reach, primary) {
            context.sink.push(&found);
        }
    }
    true
}

/// Finds, once, the features of the surfaces that are near something.
fn prepare(model: &Model, world: &World, pairs: &[[u32; 2]], surfaces: &mut Vec<Surface>) {
    surfaces.retain(Surface::is_used);
    for &k in pairs.iter().flatten() {
        if let Geometry::Surface(mesh) = world.placed[k as usize].geometry(model)
            && !surfaces.iter().any(|s| s.is_of(mesh))
        {
            surfaces.push(Surface::new(mesh));
        }
    }
}
