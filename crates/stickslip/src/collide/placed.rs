//! The parts of all bodies at their places in the world, computed once per step.

use std::sync::Arc;

use stickslip_geometry::{Aabb, Convex, Mat3, Pose, Shape, TriMesh, Vec3};

use super::CollideError;
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
    /// The box around it \[m\]; infinite for half-spaces.
    pub bounds: Aabb,
}

/// The parts of all bodies that can touch anything, by body, then part.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// The parts; buffers are kept from step to step.
    pub placed: Vec<Placed>,
}

impl World {
    /// Moves everything to the poses of `state`.
    pub fn update(&mut self, model: &Model, state: &State) -> Result<(), CollideError> {
        let mut n = 0;
        for id in model.ids().filter(|&id| model.body(id).collides) {
            let pose = state.pose(id);
            if !(pose.position.is_finite() && pose.orientation.is_finite()) {
                let body = model.body(id).name.clone();
                return Err(CollideError::NotFinite { body, position: pose.position });
            }
            match &model.body(id).shape {
                Shape::Parts(parts) => {
                    for (k, part) in parts.iter().enumerate() {
                        let slot = self.slot(n);
                        (slot.body, slot.part) = (id, k as u32);
                        slot.pose = pose.compose(&part.pose);
                        slot.place(&part.convex, model.dimension());
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

    fn slot(&mut self, n: usize) -> &mut Placed {
        if n == self.placed.len() {
            self.placed.push(Placed {
                body: BodyId::new(0),
                part: 0,
                pose: Pose::IDENTITY,
                vertices: vec![],
                normals: vec![],
                bounds: Aabb::EMPTY,
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

    /// Bounds of a surface: the box around its turned box.
    fn place_surface(&mut self, mesh: &TriMesh) {
        self.vertices.clear();
        self.normals.clear();
        let b = mesh.bounds();
        let corner = |k: usize| {
            let pick = |bit: usize| if k >> bit & 1 == 1 { b.max[bit] } else { b.min[bit] };
            self.pose.point(Vec3::new(pick(0), pick(1), pick(2)))
        };
        self.bounds = Aabb::of((0..8).map(corner));
    }

    fn place(&mut self, convex: &Convex, dimension: Dimension) {
        self.vertices.clear();
        self.normals.clear();
        let (r, x) = (self.pose.rotation(), self.pose.position);
        match convex {
            Convex::Polytope(p) => {
                self.vertices.extend(p.vertices.iter().map(|&v| r * v + x));
                self.normals.extend(p.faces.iter().map(|f| r * f.normal));
                self.bounds = Aabb::of(self.vertices.iter().copied());
            }
            Convex::Polygon(p) => {
                self.vertices.extend(p.vertices.iter().map(|&v| r * v + x));
                self.normals.extend(p.normals.iter().map(|&n| r * n));
                self.bounds = Aabb::of(self.vertices.iter().copied());
            }
            Convex::HalfSpace => {
                self.normals.push(half_space_normal(&r, dimension));
                self.bounds = Aabb::ALL;
            }
            smooth => self.bounds = smooth.aabb(&self.pose),
        }
    }
}

/// Outward normal of a half-space: its frame's z in space, its y in the plane.
fn half_space_normal(r: &Mat3, dimension: Dimension) -> Vec3 {
    match dimension {
        Dimension::Two => r.y_axis,
        Dimension::Three => r.z_axis,
    }
}
