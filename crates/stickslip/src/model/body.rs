//! One body.

use stickslip_geometry::{Convex, Mat3, Shape, Vec3};

use super::Material;

/// Names a body within its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(u32);

impl BodyId {
    /// The body at that place of [`super::Model::bodies`].
    pub fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// Its place in [`super::Model::bodies`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What may move a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Forces and contacts.
    Dynamic,
    /// Only its own prescribed velocity; it pushes others and is not pushed.
    Kinematic,
    /// Nothing.
    Static,
}

/// A rigid body. Its frame sits at the centre of mass.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Geometry, in the body frame.
    pub shape: Shape,
    /// What may move it.
    pub motion: Motion,
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia about the centre of mass, body axes \[kg m²\]; in 2D only the (z, z) entry counts.
    pub inertia: Mat3,
    /// Surface.
    pub material: Material,
    /// Whether it can touch anything.
    pub collides: bool,
    /// Constant external force, world frame \[N\].
    pub force: Vec3,
    /// Constant external torque, world frame \[N m\].
    pub torque: Vec3,
    /// Color for the viewer, red green blue in 0..=1; `None` lets the viewer choose.
    pub color: Option<[f32; 3]>,
    /// Whether the viewer draws it.
    pub visible: bool,
    /// Largest distance of a point of the body from its centre of mass \[m\].
    pub radius: f64,
    /// A lower bound of the width of its thinnest convex part \[m\]; zero for a surface.
    pub thickness: f64,
}

impl Body {
    /// Whether its rotation changes nothing: it is a ball about its centre of mass.
    pub(crate) fn is_ball(&self) -> bool {
        let mut parts = self.shape.parts().iter();
        parts.all(|p| matches!(p.convex, Convex::Ball { .. }) && p.pose.position == Vec3::ZERO)
            && !self.shape.parts().is_empty()
    }
}
