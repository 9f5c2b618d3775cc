//! The parts of all bodies at their places in the world: boxes of all, corners and normals of those
//! that are near something.

use std::sync::Arc;

use stickslip_geometry::{Aabb, Convex, Mat3, Part, Polytope, Pose, Quat, Shape, TriMesh, Vec3};

use super::{CollideError, gjk::Corners};
use crate::{
    model::{BodyId, Dimension, Model},
    state::State,
};

/// A part of a body, in the world frame.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    /// The body.
    pub body: BodyId,
    /// Which part of it.
    pub part: u32,
    /// Pose of the part in the world.
    pub pose: Pose,
    /// Corners, of polytopes and polygons \[m\].
    pub vertices: Vec<Vec3>,
    /// Unit outward normals of faces (3D) or sides (2D); of a half-space its own.
    pub normals: Vec<Vec3>,
    /// A box around it \[m\], the smallest one unless it has many corners; infinite for half-spaces.
    pub bounds: Aabb,
    /// What was placed; `None` for a surface.
    convex: Option<Convex>,
    /// Whether corners and normals are at their places.
    featured: bool,
}

/// The parts of all bodies that can touch anything, by body, then part.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// The parts; buffers are kept from step to step.
    pub placed: Vec<Placed>,
    /// The scene, and where the bodies are whose parts were placed.
    scene: Option<Arc<()>>,
    poses: Vec<Pose>,
}

impl World {
    /// Moves everything to the poses of `state`.
    pub fn update(&mut self, model: &Model, state: &State) -> Result<(), CollideError> {
        let mut n = 0;
        if self.scene.as_ref().is_none_or(|scene| !Arc::ptr_eq(scene, &model.token)) {
            self.scene = Some(Arc::clone(&model.token));
            self.poses.clear();
            self.poses.resize(model.bodies().len(), Pose::new(Vec3::NAN, Quat::IDENTITY));
        }
        for id in model.ids().filter(|&id| model.body(id).collides) {
            let pose = state.pose(id);
            // Most bodies of many scenes never move.
            if self.poses[id.index()] == *pose {
                n += model.body(id).shape.parts().len().max(1);
                continue;
            }
            self.poses[id.index()] = *pose;
            if !(pose.position.is_finite() && pose.orientation.is_finite()) {
                let body = model.body(id).name.clone();
                return Err(CollideError::NotFinite { body, position: pose.position });
            }
            match &model.body(id).shape {
                Shape::Parts(parts) => {
                    for (k, part) in parts.iter().enumerate() {
                        let slot = self.slot(n);
                        (slot.body, slot.part) = (id, k as u32);
                        slot.place(&part.convex, pose.compose(&part.pose), model.dimension());
                        n += 1;
                    }
                }
                Shape::Surface(mesh) => {
                    let slot = self.slot(n);
                    (slot.body, slot.part, slot.pose) = (id, 0, *pose);
                    slot.place_surface(mesh);
                    n += 1;
                }
            }
        }
        self.placed.truncate(n);
        Ok(())
    }

    /// Places corners and normals of the parts of these pairs.
    pub fn place_features(&mut self, pairs: &[[u32; 2]]) {
        for &k in pairs.iter().flatten() {
            self.placed[k as usize].place_features();
        }
    }

    fn slot(&mut self, n: usize) -> &mut Placed {
        if n == self.placed.len() {
            self.placed.push(Placed {
                body: BodyId::new(0),
                part: 0,
                pose: Pose::IDENTITY,
                vertices: vec![],
                normals: vec![],
                bounds: Aabb::EMPTY,
                convex: None,
                featured: false,
            });
        }
        &mut self.placed[n]
    }
}

/// What a part is made of.
#[derive(Clone, Copy)]
pub(crate) enum Geometry<'m> {
    /// A convex piece.
    Convex(&'m Convex),
    /// A surface.
    Surface(&'m Arc<TriMesh>),
}

impl Placed {
    /// The part's geometry in the model that it was placed from.
    pub fn geometry<'m>(&self, model: &'m Model) -> Geometry<'m> {
        match &model.body(self.body).shape {
            Shape::Parts(parts) => Geometry::Convex(&parts[self.part as usize].convex),
            Shape::Surface(mesh) => Geometry::Surface(mesh),
        }
    }

    /// Its corners in its own frame; none for smooth shapes and surfaces.
    pub fn corners(&self) -> Corners<'_> {
        self.convex.as_ref().map_or(Corners::NONE, Corners::of)
    }

    /// Bounds of a surface: the box around its rotated box.
    fn place_surface(&mut self, mesh: &TriMesh) {
        (self.convex, self.featured) = (None, true);
        self.vertices.clear();
        self.normals.clear();
        self.bounds = rotated_box(&mesh.bounds(), &self.pose);
    }

    /// Bounds of a convex part; corners and normals follow where they are needed.
    fn place(&mut self, convex: &Convex, pose: Pose, dimension: Dimension) {
        let known = self.convex.as_ref().is_some_and(|c| is_same(c, convex));
        if known && self.pose == pose {
            return;
        }
        self.pose = pose;
        self.featured = false;
        self.vertices.clear();
        self.normals.clear();
        if !known {
            self.convex = Some(convex.clone());
        }
        let r = pose.rotation();
        match convex {
            // The narrow phase is exact; here a box that costs little is enough.
            Convex::Polytope(p) if p.is_large() => self.bounds = p.gauss_map().loose_bounds(&pose),
            Convex::Polytope(_) | Convex::Polygon(_) => {
                self.place_vertices(&r);
                self.bounds = Aabb::of(self.vertices.iter().copied());
            }
            Convex::HalfSpace => {
                self.normals.push(half_space_normal(&r, dimension));
                self.bounds = Aabb::ALL;
            }
            smooth => self.bounds = smooth.aabb(&pose),
        }
    }

    fn place_vertices(&mut self, r: &Mat3) {
        let x = self.pose.position;
        let vertices = match self.convex.as_ref().map(Convex::hull) {
            Some(Convex::Polytope(p)) => &p.vertices,
            Some(Convex::Polygon(p)) => &p.vertices,
            _ => return,
        };
        self.vertices.extend(vertices.iter().map(|&v| *r * v + x));
    }

    /// Corners and normals of a part whose bounds are known.
    fn place_features(&mut self) {
        if std::mem::replace(&mut self.featured, true) {
            return;
        }
        let r = self.pose.rotation();
        if self.vertices.is_empty() {
            self.place_vertices(&r);
        }
        match self.convex.as_ref().map(Convex::hull) {
            Some(Convex::Polytope(p)) => {
                self.normals.extend(p.faces.iter().map(|f| r * f.normal));
            }
            Some(Convex::Polygon(p)) => self.normals.extend(p.normals.iter().map(|&n| r * n)),
            _ => {}
        }
    }
}

/// Whether two convex parts are the very same.
fn is_same(a: &Convex, b: &Convex) -> bool {
    match (a, b) {
        (Convex::Polytope(p), Convex::Polytope(q)) => Arc::ptr_eq(p, q),
        (Convex::Polygon(p), Convex::Polygon(q)) => Arc::ptr_eq(p, q),
        (Convex::Polytope(_) | Convex::Polygon(_), _) => false,
        (_, Convex::Polytope(_) | Convex::Polygon(_)) => false,
        _ => a == b,
    }
}

/// The box around a polytope, from its support vertices along the axes.
fn extremes(p: &Polytope, r: &Mat3, x: Vec3) -> Aabb {
    let rows = r.transpose();
    let along = |axis: usize, sign: f64| {
        let local = p.vertices[p.extreme(rows.col(axis) * sign)];
        (*r * local + x)[axis]
    };
    let corner = |sign: f64| Vec3::new(along(0, sign), along(1, sign), along(2, sign));
    Aabb { min: corner(-1.0), max: corner(1.0) }
}

/// A box around the shape of a body that costs little, where the smallest one does not; `None` for
/// shapes of few corners.
pub(crate) fn loose_bounds(shape: &Shape, pose: &Pose, dimension: Dimension) -> Option<Aabb> {
    let large = |part: &Part| matches!(&part.convex, Convex::Polytope(p) if p.is_large());
    let around = |part: &Part| {
        let pose = pose.compose(&part.pose);
        match &part.convex {
            Convex::Polytope(p) if p.is_large() => p.gauss_map().loose_bounds(&pose),
            convex => convex.aabb_in(dimension, &pose),
        }
    };
    let parts = shape.parts();
    let union = || parts.iter().fold(Aabb::EMPTY, |b, p| b.union(&around(p)));
    parts.iter().any(large).then(union)
}

/// The box around the shape of a body at `pose` \[m\], at a cost that hardly grows with the number of
/// corners; around a surface, the box around its own box.
pub(crate) fn bounds(shape: &Shape, pose: &Pose, dimension: Dimension) -> Aabb {
    let around = |part: &Part| {
        let pose = pose.compose(&part.pose);
        match &part.convex {
            Convex::Polytope(p) if p.is_large() => extremes(p, &pose.rotation(), pose.position),
            convex => convex.aabb_in(dimension, &pose),
        }
    };
    match shape {
        Shape::Parts(parts) => parts.iter().fold(Aabb::EMPTY, |b, p| b.union(&around(p))),
        Shape::Surface(mesh) => rotated_box(&mesh.bounds(), pose),
    }
}

/// The box around a box that is rotated.
fn rotated_box(b: &Aabb, pose: &Pose) -> Aabb {
    let corner = |k: usize| {
        let pick = |bit: usize| if k >> bit & 1 == 1 { b.max[bit] } else { b.min[bit] };
        pose.point(Vec3::new(pick(0), pick(1), pick(2)))
    };
    Aabb::of((0..8).map(corner))
}

/// Outward normal of a half-space: its frame's z in space, its y in the plane.
fn half_space_normal(r: &Mat3, dimension: Dimension) -> Vec3 {
    match dimension {
        Dimension::Two => r.y_axis,
        Dimension::Three => r.z_axis,
    }
}
