//! Bodies and joints of one step, before any contact: what every formulation starts from.
//!
//! Formulations ask a mechanism for its free velocities and for `M⁻¹ G`, and need not know what
//! the generalised velocities are, nor that joints were eliminated along the tree.

use std::sync::{Arc, Mutex, PoisonError};

use super::{AddedConstraints, Jacobian, JointRows, JointTree, MassMatrix, geometric_stiffness};
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
    /// The free velocities if no joint held either.
    pub(super) unheld: Vec<f64>,
    /// Constraints of joints that rows and free velocities were made with.
    added: AddedConstraints,
}

/// The mechanism of a step: made when it is first asked for, and the same for all who ask in this trial.
/// Another trial takes over what added constraints do not change: masses, bilateral rows, their factors.
#[derive(Debug, Default)]
pub struct SharedMechanism(Mutex<Option<Arc<Mechanism>>>);

impl SharedMechanism {
    /// At the start of the step that all frames asked for have in common.
    pub(crate) fn of(&self, frame: &Frame) -> Arc<Mechanism> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = made.get_or_insert_with(|| Arc::new(Mechanism::new(frame)));
        if found.added != *frame.added {
            Arc::make_mut(found).take_in(frame);
        }
        Arc::clone(found)
    }
}

impl Mechanism {
    /// At the start of the step.
    fn new(frame: &Frame) -> Self {
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
        Self { mass, free, joints, tree, unheld, added: frame.added.clone() }
    }

    /// The same step with other added constraints.
    fn take_in(&mut self, frame: &Frame) {
        let Self { free, joints, tree, unheld, added, .. } = self;
        joints.renew_bounded(frame);
        free.clone_from(unheld);
        if let Some(tree) = tree {
            joints.hold(frame, tree, free);
        }
        added.clone_from(frame.added);
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
