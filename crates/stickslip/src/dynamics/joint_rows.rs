//! The rows of the joints, motors included.
//!
//! ```text
//! bilateral   Gbᵀ nu + C p = t          p free:      locked freedoms, motors without force limit
//! bounded     Gᵀ nu + C p + c  ⟂  p     l <= p <= u: limits, friction, motors with force limit
//! ```
//!
//! - locked freedom: `C = 0`, `t = -gain psi / h` (gain 0 without Baumgarte), or whatever ends the
//!   step with `psi = 0` (shake);
//! - limit: `0 <= p ⟂ (q - lower) / h + q' >= 0`, and the like at the upper end;
//! - friction: `|p| <= h f ⟂ q'`;
//! - velocity motor: `|p| <= h f ⟂ q' - v`;
//! - position motor: its force `k (q* - q - h q') - d q'` at the end of the step, solved for `q'`:
//!   `q' + p / (h (h k + d)) = k (q* - q) / (h k + d)`. No gain is too stiff for it;
//! - armature m: `q' + p / m = q'` of the start;
//! - springs and bushings between bodies: as a position motor (`element_rows.rs`).

use super::{
    AddedConstraints, BilateralRow, JacobianBlock, JointTree, MassMatrix, RowBlocks, RowGroup,
    element_rows, one_joint::OneJoint,
};
use crate::{
    frame::Frame,
    model::{JointId, Model, Motion},
    motion::StepMotion,
    stabilize::{self, JointTarget},
    state::{State, scatter},
};
use stickslip_geometry::tolerance::TOUCH;

/// Other path: part of a joint's error that Baumgarte's method takes back in one step. One would be the
/// fastest, but feeds the error of the linearisation back as speed; a fifth settles smoothly.
pub const BAUMGARTE: f64 = 0.2;

/// A row with bounds: `lower <= p <= upper ⟂ Gᵀ nu + compliance p + constant`.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundedRow {
    /// The joint.
    pub joint: JointId,
    /// Which of the joint's rows, for the names of unknowns.
    pub place: usize,
    /// The bodies it touches that forces move.
    pub blocks: RowBlocks,
    /// Constant part.
    pub constant: f64,
    /// How much it gives way per impulse.
    pub compliance: f64,
    /// Smallest impulse \[N s or N m s\].
    pub lower: f64,
    /// Largest impulse.
    pub upper: f64,
}

impl BoundedRow {
    /// Whether it is the row of a motor.
    pub fn is_motor(&self) -> bool {
        self.place == MOTOR
    }

    /// Whether it is the row of a limit.
    pub fn is_limit(&self) -> bool {
        self.lower == 0.0 && self.upper == f64::INFINITY
    }

    /// `Gᵀ nu`.
    fn rate(&self, width: usize, nu: &[f64]) -> f64 {
        let of = |b: &JacobianBlock| -> f64 {
            b.value.iter().zip(&nu[b.dof..b.dof + width]).map(|(g, v)| g * v).sum()
        };
        self.blocks.iter().map(of).sum()
    }
}

/// Layout: the place of a motor's row.
pub(super) const MOTOR: usize = usize::MAX;

/// All rows of the joints at one instant.
#[derive(Clone, Debug, Default)]
pub struct JointRows {
    /// Bilateral rows, joint by joint, then those of force elements.
    pub groups: Vec<RowGroup>,
    /// The joint of each group, as far as it has one.
    pub joints: Vec<JointId>,
    /// Rows with bounds.
    pub bounded: Vec<BoundedRow>,
}

impl JointRows {
    /// None yet, with room for those of all joints.
    fn with_room(model: &Model) -> Self {
        let n = model.joints().len();
        let (groups, joints) = (Vec::with_capacity(n), Vec::with_capacity(n));
        Self { groups, joints, bounded: Vec::new() }
    }

    /// Rows at the start of the step.
    pub fn new(frame: &Frame) -> Self {
        let gain = match stabilize::target(&frame.settings.stabilization) {
            JointTarget::Reduced => BAUMGARTE,
            JointTarget::Kept | JointTarget::Closed => 0.0,
        };
        let mut rows = Self::with_room(frame.model);
        for id in frame.model.joint_ids() {
            let (model, state, h) = (frame.model, frame.state, frame.h);
            let work = OneJoint { model, state, h, id, driven: true, added: frame.added };
            let mut group = work.locked(|row| -gain / h.max(frame.settings.step) * row.value);
            work.coordinates(&mut group, &mut rows.bounded);
            rows.push(id, group);
        }
        // They come last, so that the joints keep their numbers.
        rows.groups.extend(element_rows::groups(frame.model, frame.state, frame.h));
        rows
    }

    /// The rows with bounds anew: all that constraints added after a rejected trial change.
    pub(super) fn renew_bounded(&mut self, frame: &Frame) {
        self.bounded.clear();
        let Frame { model, state, h, added, .. } = *frame;
        for id in model.joint_ids() {
            let work = OneJoint { model, state, h, id, driven: true, added };
            work.coordinates(&mut RowGroup::default(), &mut self.bounded);
        }
    }

    /// Rows that bring every error to zero in one unit of time, bodies of prescribed motion
    /// standing still. Limits that are passed count as locked.
    pub fn closing(model: &Model, state: &State) -> Self {
        let mut rows = Self::with_room(model);
        for id in model.joint_ids() {
            let work = OneJoint::alone(model, state, id, false);
            let mut group = work.locked(|row| -row.value);
            work.passed_limits(&mut group);
            rows.push(id, group);
        }
        rows
    }

    /// Rows of accelerations that keep the locked freedoms as they are:
    /// `Gbᵀ a = -d/dt(Gbᵀ) nu`.
    pub fn accelerating(model: &Model, state: &State) -> Self {
        let mut rows = Self::with_room(model);
        for id in model.joint_ids() {
            let work = OneJoint::alone(model, state, id, false);
            let mut group = work.locked(|row| -row.bias);
            work.resisting_rotor(|row| -row.bias, &mut group);
            rows.push(id, group);
        }
        rows
    }

    /// Rows of accelerations, with one more for every coordinate driven at a given acceleration
    /// (the first of its joint), and the numbers of these; the armature of such a joint is left out.
    pub fn driven(
        model: &Model,
        state: &State,
        wanted: &[(JointId, f64)],
    ) -> (Self, Vec<Option<usize>>) {
        let (mut rows, mut count, mut places) =
            (Self::with_room(model), 0, vec![None; wanted.len()]);
        for id in model.joint_ids() {
            let work = OneJoint::alone(model, state, id, false);
            let mut group = work.locked(|row| -row.bias);
            if !wanted.iter().any(|w| w.0 == id) {
                work.resisting_rotor(|row| -row.bias, &mut group);
            }
            for (place, &(_, a)) in places.iter_mut().zip(wanted).filter(|(_, w)| w.0 == id) {
                if let Some(row) = model.joint_coordinates(state, id).first() {
                    *place = Some(count + group.rows.len());
                    group.rows.push(work.bilateral(row, a - row.bias, 0.0));
                }
            }
            count += group.rows.len();
            rows.push(id, group);
        }
        (rows, places)
    }

    /// Joints whose limits were left out of the rows because they looked far away, and which the
    /// velocities `nu` would pass.
    pub fn overlooked(frame: &Frame, nu: &[f64]) -> Vec<JointId> {
        let Frame { model, state, h, added, .. } = *frame;
        let width = model.dimension().dof();
        let passes = |row: &BoundedRow| row.constant + row.rate(width, nu) < 0.0;
        let left_out = |&id: &JointId| {
            let work = OneJoint { model, state, h, id, driven: true, added };
            work.far_limits().iter().any(passes)
        };
        model.joint_ids().filter(left_out).collect()
    }

    /// [`closing`](Self::closing) as a change in which rotors of joints resist.
    pub(crate) fn closing_with_rotors(model: &Model, state: &State) -> Self {
        let mut rows = Self::closing(model, state);
        for (&id, group) in rows.joints.iter().zip(&mut rows.groups) {
            OneJoint::alone(model, state, id, false).resisting_rotor(|_| 0.0, group);
        }
        rows
    }

    /// Whether any coordinate is beyond its limits.
    pub fn passes_limits(model: &Model, state: &State) -> bool {
        model.joint_ids().any(|id| {
            let mut group = RowGroup::default();
            OneJoint::alone(model, state, id, false).passed_limits(&mut group);
            !group.rows.is_empty()
        })
    }

    /// Whether a coordinate of one of these joints is beyond its limits by more than round-off.
    pub fn any_passed(
        model: &Model,
        state: &State,
        mut ids: impl Iterator<Item = JointId>,
    ) -> bool {
        ids.any(|id| OneJoint::alone(model, state, id, false).gaps().iter().any(|g| g.1 < -TOUCH))
    }

    /// Rows of velocities that keep the locked freedoms as they are; rotors of joints resist a change.
    pub fn keeping(model: &Model, state: &State) -> Self {
        let mut rows = Self::with_room(model);
        for id in model.joint_ids() {
            let work = OneJoint::alone(model, state, id, true);
            let mut group = work.locked(|_| 0.0);
            work.resisting_rotor(|row| model.row_rate(state, model.joint(id), row), &mut group);
            rows.push(id, group);
        }
        rows
    }

    fn push(&mut self, id: JointId, group: RowGroup) {
        if !group.rows.is_empty() {
            self.groups.push(group);
            self.joints.push(id);
        }
    }

    /// The rows factorised; `None` where there are none.
    pub fn tree(&self, model: &Model, mass: &MassMatrix) -> Option<JointTree> {
        let (width, n_dof) = (model.dimension().dof(), model.n_dof());
        (!self.groups.is_empty()).then(|| JointTree::new(mass, width, n_dof, &self.groups))
    }

    /// All bilateral rows, in the order of their numbers.
    pub fn bilateral(&self) -> impl Iterator<Item = &BilateralRow> {
        self.groups.iter().flat_map(|g| &g.rows)
    }

    /// Impulses of the bilateral rows that keep the joints as they are, corrections left aside, and drives
    /// where they are; a rotor goes on turning.
    pub(super) fn pull(&self, model: &Model, tree: &JointTree, free: &[f64]) -> Vec<f64> {
        let width = model.dimension().dof();
        let mut residual: Vec<f64> = Vec::with_capacity(tree.n_rows());
        for (k, group) in self.groups.iter().enumerate() {
            let turns = self.joints.get(k).is_some_and(|&id| model.joint(id).armature > 0.0);
            let goal = |row: &BilateralRow| match turns && row.compliance > 0.0 {
                true => row.target,
                false => 0.0,
            };
            residual.extend(group.rows.iter().map(|row| goal(row) - row.times(width, free)));
        }
        let mut impulses = vec![0.0; residual.len()];
        let mut velocities = vec![0.0; free.len()];
        tree.solve(&mut velocities, Some(&residual), Some(&mut impulses));
        impulses
    }

    /// Adds to the free velocities what the joints ask for. With the stabilization `shake` they
    /// ask for the poses at the end of the step: the impulses act along the rows of its start,
    /// and are iterated until no error is left at its end.
    pub(super) fn hold(&self, frame: &Frame, tree: &JointTree, free: &mut [f64]) {
        let (model, state, h) = (frame.model, frame.state, frame.h);
        let add = |residual: &[f64], nu: &mut [f64]| {
            let mut change = vec![0.0; nu.len()];
            tree.solve(&mut change, Some(residual), None);
            nu.iter_mut().zip(change).for_each(|(v, x)| *v += x);
        };
        add(&self.residual(model.dimension().dof(), free), free);
        if stabilize::target(&frame.settings.stabilization) != JointTarget::Closed {
            return;
        }
        let (mut before, mut end) = (f64::INFINITY, state.clone());
        // Each round gains a factor of about the angle turned in a step; this ends, since it must gain.
        loop {
            match frame.added.push.len() == free.len() {
                true => {
                    let pushed = free.iter().zip(&frame.added.push).map(|(v, x)| v + x);
                    go_ahead(model, state, (&pushed.collect::<Vec<_>>(), h), &mut end);
                }
                false => go_ahead(model, state, (free, h), &mut end),
            }
            let psi = self.errors(model, &end);
            let error = psi.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // Down to round-off, or no longer getting better (too far in one step).
            if error <= 1e-15 || error >= 0.9 * before {
                break;
            }
            before = error;
            add(&psi.iter().map(|x| -x / h).collect::<Vec<_>>(), free);
        }
    }

    /// The constraints to add where the motion found leaves joints open, or limits passed, at the
    /// end of the step although `shake` should have closed them; and by how much they are.
    pub fn left_open(frame: &Frame, motion: &StepMotion) -> Option<(AddedConstraints, f64)> {
        let Frame { model, state, h, settings, added, .. } = *frame;
        let closes = stabilize::target(&settings.stabilization) == JointTarget::Closed;
        if !closes || model.joints().is_empty() || motion.is_smooth() {
            return None;
        }
        let mechanism = frame.mechanism();
        let mut end = state.clone();
        go_ahead(model, state, (&motion.nu, h), &mut end);
        let psi = mechanism.joints.errors(model, &end);
        let mut error = psi.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let push = motion.nu.iter().zip(&mechanism.free).map(|(v, f)| v - f).collect();
        let mut bends = added.bends.clone();
        for row in mechanism.joints.bounded.iter().filter(|row| row.is_limit()) {
            let work = OneJoint::alone(model, &end, row.joint, true);
            let Some((_, gap)) = work.gaps().into_iter().find(|g| g.0 == row.place) else {
                continue;
            };
            error = error.max(-gap);
            let bend = gap / h - row.constant - row.rate(model.dimension().dof(), &motion.nu);
            match bends.iter_mut().find(|b| b.0 == row.joint && b.1 == row.place) {
                Some(known) => known.2 += bend,
                None => bends.push((row.joint, row.place, bend)),
            }
        }
        let more = AddedConstraints { push, bends, ..added.clone() };
        (error > TOUCH).then_some((more, error))
    }

    /// Errors of the rows at a state; zero for rows that drive.
    fn errors(&self, model: &Model, state: &State) -> Vec<f64> {
        let mut psi = Vec::new();
        for (id, group) in self.joints.iter().zip(&self.groups) {
            let first = psi.len();
            model.add_joint_errors(state, *id, &mut psi);
            psi.extend(model.gear_error(state, *id));
            psi.resize(first + group.rows.len(), 0.0);
        }
        // Force elements have no errors.
        psi.resize(self.bilateral().count(), 0.0);
        psi
    }

    /// `t - Gbᵀ nu`: the residual of the rows at velocities `nu`.
    pub fn residual(&self, width: usize, nu: &[f64]) -> Vec<f64> {
        self.bilateral().map(|row| row.target - row.times(width, nu)).collect()
    }
}

/// Takes `end`, a copy of `state` but for places and velocities, to the end of a step of velocities `nu`.
fn go_ahead(model: &Model, state: &State, (nu, h): (&[f64], f64), end: &mut State) {
    end.q.copy_from_slice(&state.q);
    end.angle.copy_from_slice(&state.angle);
    scatter(model, nu, end);
    for id in model.ids().filter(|&id| model.body(id).motion != Motion::Static) {
        let twist = *end.twist(id);
        end.advance(model.dimension(), id, &twist, h);
    }
}
