//! What a formulation finds: the velocities at the end of a step and the impulses behind them.

use stickslip_geometry::Vec3;

use crate::{collide::Contact, dynamics::AddedConstraints};

/// The result of a step's problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepMotion {
    /// Velocities at the end of the step, in the layout of the model.
    pub nu: Vec<f64>,
    /// Displacements over the step where they are not `h nu`: in the layout of the model, rotations
    /// as vectors \[m, rad\]. For
    /// [an integrator that evaluates forces](crate::integrate::Integrator::evaluates_forces).
    pub displacement: Option<Vec<f64>>,
    /// Velocities that the bodies keep at the end of the step where they are not `nu`: bodies that
    /// leave an overlap do so with `nu`, and do not fly on with it.
    pub after: Option<Vec<f64>>,
    /// Whether its forces act on bodies that overlap alone, as those of `corrective` and `penalty` do:
    /// the speed that undoes an overlap then stays.
    pub acts_on_overlap: bool,
    /// The contacts that were part of the problem, at the start of the step.
    pub contacts: Vec<Contact>,
    /// Impulses at these contacts.
    pub forces: Vec<ContactForce>,
    /// Impulses of the joint rows with bounds: limits, friction, motors.
    pub joint_impulses: Vec<f64>,
    /// Sizes.
    pub constraints: ConstraintCounts,
    /// How often constraints were given up because a problem had no solution (see [`Peg`](crate::formulate::Peg)).
    pub fallbacks: usize,
    /// Constraints of joints that its problem had in addition, after a rejected trial. The loop
    /// fills this in.
    pub added: AddedConstraints,
    /// Whether the passes ran out with bodies still overlapping: a shorter step may do better.
    pub unsettled: bool,
}

impl StepMotion {
    /// Whether nothing pushed: no contact, no limit, no motor with a force limit.
    pub fn is_smooth(&self) -> bool {
        self.forces.iter().all(|f| f.normal == 0.0 && f.friction == Vec3::ZERO)
            && self.joint_impulses.iter().all(|&p| p == 0.0)
    }
}

/// Impulse at one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Index among the contacts of the motion.
    pub contact: usize,
    /// What kind of constraint it belongs to.
    pub kind: ConstraintKind,
    /// Normal impulse on B along the contact normal \[N s\].
    pub normal: f64,
    /// Friction impulse on B \[N s\].
    pub friction: Vec3,
    /// Impulse of rolling and torsional friction on B \[N m s\].
    pub torque: Vec3,
}

/// Kinds of contact constraints (thesis 4.3-4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// One half-space, enforced by itself.
    Unilateral,
    /// Among several half-spaces of one feature.
    Inter,
    /// Across several features.
    Cross,
}

/// How many constraints of each kind a problem had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstraintCounts {
    /// Unilateral.
    pub unilateral: usize,
    /// Inter-contact.
    pub inter: usize,
    /// Cross-contact.
    pub cross: usize,
}
