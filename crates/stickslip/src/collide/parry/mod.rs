//! The detector "parry": contact manifolds of the parry library, made fit for exact solvers.
//!
//! Manifolds hold a few points per pair along one normal, so that every contact is primary. Two
//! habits of the library are undone here: the nearest point that it adds, without feature, to
//! manifolds which already have it, and the points that it finds once for each of the triangles
//! which share an edge.

mod outline;
mod plane;
mod space;

use std::sync::Arc;

use stickslip_geometry::{Aabb, Convex, Vec3};

use super::{
    CollideError, CollisionDetector, Contact, Feature, Query,
    broad::BroadPhase,
    check_query,
    pairs::{Found, Sink},
    placed::{Geometry, Placed, World},
};
use crate::{
    model::{Dimension, Model},
    state::State,
};

/// Contact manifolds by the parry library.
#[derive(Default)]
pub struct Parry {
    world: World,
    broad: BroadPhase,
    shapes: Shapes,
}

impl CollisionDetector for Parry {
    fn name(&self) -> &'static str {
        "parry"
    }

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        check_query(model, query)?;
        self.world.update(model, state)?;
        let Self { world, broad, shapes } = self;
        let mut contacts = vec![];
        for &pair in broad.pairs(model, world, &query.reach) {
            let placed = pair.map(|k| &world.placed[k as usize]);
            let [a, b] = placed.map(|p| p.geometry(model));
            let reach = placed.iter().map(|p| query.reach[p.body.index()]).sum();
            shapes.ensure(pair[0], a, model.dimension());
            shapes.ensure(pair[1], b, model.dimension());
            if !shapes.contacts(pair, placed, [a, b], reach, &mut contacts) {
                let [a, b] = placed.map(|p| model.body(p.body).name.clone());
                let reason = "the library has no method for this pair".into();
                return Err(CollideError::Unsupported { detector: "parry", a, b, reason });
            }
        }
        Ok(contacts)
    }
}

/// A shape of the library.
enum Made {
    Space(space::Made),
    Plane(plane::Made),
    /// The library refused it.
    None,
}

/// Shapes of the library for the parts of a world, made when first needed.
#[derive(Default)]
pub(crate) struct Shapes {
    made: Vec<Option<(Convex, Made)>>,
}

impl Shapes {
    /// Makes the shape of part `k` of the world, unless it is there already.
    pub fn ensure(&mut self, k: u32, geometry: Geometry, dimension: Dimension) {
        let Geometry::Convex(convex) = geometry else { return };
        let k = k as usize;
        if self.made.len() <= k {
            self.made.resize_with(k + 1, || None);
        }
        if self.made[k].as_ref().is_some_and(|m| same(&m.0, convex)) {
            return;
        }
        let made = match dimension {
            Dimension::Two => plane::make(convex).map_or(Made::None, Made::Plane),
            Dimension::Three => space::make(convex).map_or(Made::None, Made::Space),
        };
        self.made[k] = Some((convex.clone(), made));
    }

    fn get(&self, k: u32) -> &Made {
        let made = self.made.get(k as usize).and_then(Option::as_ref);
        made.map_or(&Made::None, |m| &m.1)
    }

    /// Contacts of a pair of parts closer than `reach` \[m\]; false if there is no method for it.
    pub fn contacts(
        &self,
        pair: [u32; 2],
        placed: [&Placed; 2],
        geometry: [Geometry; 2],
        reach: f64,
        out: &mut Vec<Contact>,
    ) -> bool {
        let mut points = vec![];
        let poses = placed.map(|p| &p.pose);
        let made = pair.map(|k| self.get(k));
        let done = match (made, geometry) {
            ([Made::Space(x), Made::Space(y)], _) => {
                space::contacts([x, y], poses, reach, &mut points)
            }
            ([Made::Plane(x), Made::Plane(y)], _) => {
                plane::contacts([x, y], poses, reach, &mut points)
            }
            ([Made::Space(x), _], [_, Geometry::Surface(mesh)]) => {
                space::surface((x, placed[0]), (mesh, poses[1]), reach, &mut points)
            }
            ([_, Made::Space(y)], [Geometry::Surface(mesh), _]) => {
                let done = space::surface((y, placed[1]), (mesh, poses[0]), reach, &mut points);
                points.iter_mut().for_each(Point::swap);
                done
            }
            _ => false,
        };
        emit(&mut points, reach, &mut Sink::new(placed[0], placed[1], out));
        done
    }
}

/// Whether a shape made for `a` serves for `b`.
fn same(a: &Convex, b: &Convex) -> bool {
    match (a, b) {
        (Convex::Polytope(p), Convex::Polytope(q)) => Arc::ptr_eq(p, q),
        (Convex::Polygon(p), Convex::Polygon(q)) => Arc::ptr_eq(p, q),
        _ => a == b,
    }
}

/// A point of a manifold, world frame.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Features; `None` for the nearest points, which the library adds without a name.
    features: Option<[Feature; 2]>,
    points: [Vec3; 2],
    normal: Vec3,
    gap: f64,
}

impl Point {
    fn swap(&mut self) {
        self.points.swap(0, 1);
        self.normal = -self.normal;
        if let Some(features) = &mut self.features {
            features.swap(0, 1);
        }
    }

    /// Whether both say the same: one normal, one place. Lengths relative to `size` \[m\].
    fn repeats(&self, other: &Self, size: f64) -> bool {
        self.normal.dot(other.normal) > 1.0 - 1e-9
            && self.points[0].distance(other.points[0]) <= 1e-7 * size
            && self.points[1].distance(other.points[1]) <= 1e-7 * size
    }
}

/// Reports the points within reach, each once.
fn emit(points: &mut Vec<Point>, reach: f64, sink: &mut Sink) {
    points.retain(|p| {
        let finite = p.normal.is_finite() && p.points[0].is_finite() && p.points[1].is_finite();
        finite && p.gap <= reach && (p.normal.length() - 1.0).abs() < 1e-6
    });
    let bounds = Aabb::of(points.iter().map(|p| p.points[0]));
    let size = (bounds.max - bounds.min).max_element().max(reach);
    let mut kept: Vec<Point> = vec![];
    for (k, p) in points.iter().enumerate() {
        let nameless = p.features.is_none();
        // The nearest points are worth keeping only where they are nearer than all named ones.
        let redundant = nameless
            && points.iter().enumerate().any(|(l, q)| {
                let named = q.features.is_some() || l < k;
                named && p.normal.dot(q.normal) > 1.0 - 1e-9 && q.gap <= p.gap + 1e-9 * size
            });
        if !redundant && !kept.iter().any(|q| p.repeats(q, size)) {
            kept.push(*p);
        }
    }
    if kept.len() > 4 {
        kept = outline::corners(&kept, size);
    }
    for (k, p) in kept.iter().enumerate() {
        sink.push(&Found {
            features: p.features.unwrap_or([Feature::Smooth(k as u32); 2]),
            points: p.points,
            normal: p.normal,
            gap: p.gap,
            applicability: 1.0,
            primary: true,
        });
    }
}
