//! The detector "exact": every feature pair within reach, from the exact geometry.

use std::{fmt, sync::Arc};

use rayon::prelude::*;
use stickslip_geometry::{Convex, TriMesh, Vec3};

use super::{
    Candidates, CollideError, CollisionDetector, Contact, PartId, Query,
    broad::BroadPhase,
    check_query,
    near::{self, Witnesses},
    pairs::{
        Sink, ball,
        capsule::{self, Capsule},
        half_space, least, polygon_polygon,
        polytope_polytope::{self, Scratch, Solid},
        revolution::Revolution,
        revolution_pairs::{self, Context},
        revolution_revolution,
        surface::{self, Surface},
        surface_round,
    },
    placed::{Geometry, Placed, World},
    settings::{ExactSettings, Rules},
};
use crate::{model::Model, parallel::Threads, state::State};

/// Speed: pairs per unit of work; the same for any number of threads.
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
        prepare(model, world, narrow_pairs, surfaces);
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
        threads: Option<&Threads>,
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> Result<(), CollideError> {
        let Some(threads) = threads else { return self.all(pairs, scratch, out) };
        let found: Vec<_> = threads.run(|| {
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
            _ => return self.revolution(convex, [a, b], reach, out),
        }
        true
    }

    /// Pairs with a smooth cylinder or cone.
    fn revolution(
        &self,
        [x, y]: [&Convex; 2],
        [a, b]: [&Placed; 2],
        reach: f64,
        out: &mut Vec<Contact>,
    ) -> bool {
        let rules = &self.rules;
        match (Revolution::new(x, a), Revolution::new(y, b)) {
            (Some(p), Some(q)) => {
                let sink = &mut Sink::new(a, b, out);
                revolution_revolution::contacts(
                    [&p, &q],
                    &mut Context { reach, rules, sink, found: [false; 2] },
                );
            }
            (Some(p), None) => {
                let sink = &mut Sink::new(a, b, out);
                return on_revolution(
                    &p,
                    (y, b),
                    &mut Context { reach, rules, sink, found: [false; 2] },
                );
            }
            (None, Some(q)) => {
                let sink = &mut Sink::new(b, a, out);
                return on_revolution(
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
            _ => match Revolution::new(convex, own) {
                Some(revolved) => {
                    let mut context =
                        Context { reach, rules: &self.rules, sink, found: [false; 2] };
                    revolution_pairs::surface(&revolved, on, &mut context);
                }
                None => return false,
            },
        }
        true
    }
}

/// A smooth cylinder or cone with a polytope or capsule.
fn on_revolution(revolved: &Revolution, other: (&Convex, &Placed), context: &mut Context) -> bool {
    match other.0 {
        Convex::Polytope(shape) => {
            let solid = Solid { shape, placed: other.1 };
            revolution_pairs::polytope(revolved, &solid, context);
        }
        Convex::Capsule { .. } => revolution_pairs::capsule(revolved, other, context),
        _ => return false,
    }
    // Sides near an apex, rims that cut in: no feature tells.
    let [primary, sure] = context.found;
    if !sure {
        let seeds: Vec<Vec3> = other.1.normals.iter().map(|&n| -n).collect();
        let parts = [(revolved.convex, revolved.placed), other];
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
