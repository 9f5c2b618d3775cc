//! The narrow phase of the detector "exact": which file of [`super::pairs`] has the contacts of a pair.

use std::sync::Arc;

use rayon::prelude::*;
use stickslip_geometry::{Convex, TriMesh, Vec3};

use super::{
    CollideError, Contact,
    pairs::{
        Sink, ball, bored,
        capsule::{self, Capsule},
        half_space, least, polygon_polygon,
        polytope_polytope::{self, Scratch, Solid},
        revolution::Revolution,
        revolution_pairs::{self, Context},
        revolution_revolution,
        surface::{self, Surface},
        surface_round, wedges,
    },
    placed::{Geometry, Placed, World},
    settings::Rules,
};
use crate::{model::Model, parallel::Threads};

/// Speed: pairs per unit of work; the same for any number of threads.
const CHUNK: usize = 32;

/// The narrow phase of one step.
pub(super) struct Narrow<'a> {
    pub model: &'a Model,
    pub placed: &'a [Placed],
    pub reach: &'a [f64],
    pub rules: Rules,
    pub surfaces: &'a [Surface],
}

impl Narrow<'_> {
    /// The contacts of all pairs, in their order.
    pub fn run(
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
            (Convex::Bored(_), _) | (_, Convex::Bored(_)) => {
                return self.bored(convex, [a, b], reach, scratch, out);
            }
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

    /// Pairs with a bored part; of two of them the smaller one counts as full.
    fn bored(
        &self,
        [x, y]: [&Convex; 2],
        [a, b]: [&Placed; 2],
        reach: f64,
        scratch: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> bool {
        let mut hull = vec![];
        if !self.convex([x.hull(), y.hull()], [a, b], reach, scratch, &mut hull) {
            return false;
        }
        if let Some((k, bored)) = wedges::outer([x, y]) {
            let (own, other) = if k == 0 { (a, (y, b)) } else { (b, (x, a)) };
            let pair = bored::Pair {
                bored: (bored, own),
                other: (other.0.hull(), other.1),
                reach,
                rules: &self.rules,
            };
            pair.contacts(hull, out);
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
        // On a surface a bored part counts as full.
        let convex = convex.hull();
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
pub(super) fn prepare(
    model: &Model,
    world: &World,
    pairs: &[[u32; 2]],
    surfaces: &mut Vec<Surface>,
) {
    surfaces.retain(Surface::is_used);
    for &k in pairs.iter().flatten() {
        if let Geometry::Surface(mesh) = world.placed[k as usize].geometry(model)
            && !surfaces.iter().any(|s| s.is_of(mesh))
        {
            surfaces.push(Surface::new(mesh));
        }
    }
}
