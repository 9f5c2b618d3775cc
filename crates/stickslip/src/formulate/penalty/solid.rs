//! Convex parts in the world, as the points, edges and facets that the penalty method works with.
//!
//! Smooth cylinders and cones are taken as prisms and pyramids of 32 sides; balls and capsules
//! stay what they are.

use std::{collections::BTreeMap, sync::Arc};

use stickslip_geometry::{
    Aabb, Convex, Dimension, PlacedHull, Polytope, Pose, Vec3, placed::HullKind,
};

use crate::{collide::PartId, model::Model, state::State};

/// Sides of the prism that stands for a smooth cylinder or cone.
const SIDES: usize = 32;

/// A part at its place.
pub(super) struct Placed<'a> {
    pub id: PartId,
    pub convex: &'a Convex,
    pub pose: Pose,
    pub aabb: Aabb,
}

/// All parts of all bodies that may touch something, by body.
pub(super) fn place<'a>(model: &'a Model, state: &State) -> Vec<Placed<'a>> {
    let dimension = model.dimension();
    let mut out = Vec::new();
    for id in model.ids().filter(|&id| model.body(id).collides) {
        for (k, part) in model.body(id).shape.parts().iter().enumerate() {
            let pose = state.pose(id).compose(&part.pose);
            let aabb = part.convex.aabb_in(dimension, &pose);
            out.push(Placed { id: (id, k as u32), convex: &part.convex, pose, aabb });
        }
    }
    out
}

/// Corners, edges and facets in the world.
#[derive(Clone, Debug, Default)]
pub(super) struct Facets {
    pub vertices: Vec<Vec3>,
    /// Ends, as indices of vertices.
    pub edges: Vec<[u32; 2]>,
    /// Outward unit normal and `normal · x` on the facet.
    pub planes: Vec<(Vec3, f64)>,
}

/// Prisms and pyramids made for smooth parts, kept for the run.
#[derive(Debug, Default)]
pub(super) struct Prisms(BTreeMap<PartId, Option<Convex>>);

impl Prisms {
    /// The part's corners, edges and facets; `None` for balls and capsules.
    pub fn facets(&mut self, dimension: Dimension, part: &Placed) -> Option<Facets> {
        match part.convex {
            Convex::Polytope(_) | Convex::Polygon(_) => of_hull(part.convex, part.pose),
            Convex::HalfSpace => {
                let n = part.pose.vector(dimension.half_space_normal());
                let planes = vec![(n, n.dot(part.pose.position))];
                Some(Facets { planes, ..Facets::default() })
            }
            Convex::Ball { .. } | Convex::Capsule { .. } => None,
            smooth => {
                let whole = |p: Polytope| Convex::Polytope(Arc::new(p));
                let make = || smooth.tessellated(SIDES, 1.0).map(whole);
                of_hull(self.0.entry(part.id).or_insert_with(make).as_ref()?, part.pose)
            }
        }
    }
}

fn of_hull(convex: &Convex, pose: Pose) -> Option<Facets> {
    let hull = PlacedHull::new(convex, pose)?;
    let edges = match &hull.kind {
        HullKind::Polytope(p) => p.edges.iter().map(|e| e.vertices).collect(),
        HullKind::Polygon(p) => {
            let n = p.vertices.len() as u32;
            (0..n).map(|k| [k, (k + 1) % n]).collect()
        }
    };
    Some(Facets { vertices: hull.vertices, edges, planes: hull.faces })
}
