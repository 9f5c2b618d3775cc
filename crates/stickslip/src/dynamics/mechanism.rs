//! Bodies and joints of one step, before any contact: what every formulation starts from.
//!
//! Formulations ask a mechanism for its free velocities and for `M⁻¹ G`, and need not know what
//! the generalised velocities are, nor that joints were eliminated along the tree.

use super::{Jacobian, JointRows, JointTree, MassMatrix, geometric_stiffness};
use crate::frame::Frame;

/// Masses, joints and the motion without contact.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// Masses at the start of the step; geometric stiffness may have been added.
    pub mass: MassMatrix,
    /// Velocities at the end of the step without contact; joints hold.
    pub free: Vec<f64>,
    /// Rows of the joints. Those with bounds are for the formulation to add to its problem.
    pub joints: JointRows,
    /// The bilateral rows factorised.
    pub tree: Option<JointTree>,
}

impl Mechanism {
    /// At the start of the step.
    pub fn new(frame: &Frame) -> Self {
        Self::with_unheld(frame).0
    }

    /// The same, with the velocities at the end of the step if no joint held either.
    pub(super) fn with_unheld(frame: &Frame) -> (Self, Vec<f64>) {
        let Frame { model, state, h, settings, .. } = *frame;
        let mut mass = MassMatrix::new(model, state);
        let pushed = model.pushed_by_held(state);
        let mut free = mass.free_velocity(model, &pushed, h, settings.gyroscopic);
        let joints = JointRows::new(frame);
        let mut tree = joints.tree(model, &mass);
        if let Some(found) = &tree {
            let pull = joints.pull(model, found, &free);
            if let Some(stiffer) =
                geometric_stiffness::added_to((model, state, h), &joints, &mass, &pull)
            {
                stiffer.carry_momentum(&mass, &mut free);
                mass = stiffer;
                tree = joints.tree(model, &mass);
            }
        }
        let unheld = free.clone();
        if let Some(tree) = &tree {
            joints.hold(frame, tree, &mut free);
        }
        (Self { mass, free, joints, tree }, unheld)
    }

    /// `M⁻¹ G` of rows, joints holding.
    pub fn weighted(&self, rows: &Jacobian) -> Jacobian {
        match &self.tree {
            Some(tree) => rows.weighted_by(tree, &self.mass),
            None => rows.weighted(&self.mass),
        }
    }

    /// `M⁻¹ f` in place of `f`: the change of velocities by generalised impulses, joints holding.
    pub fn respond(&self, f: &mut [f64]) {
        match &self.tree {
            Some(tree) => tree.solve(f, None, None),
            None => self.mass.solve(f),
        }
    }
}
