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
//!   `q' + p / (h (h k + d)) = k (q* - q) / (h k + d)`. No gain is too stiff for it.

use super::{Frame, JacobianBlock, JointTree, MassMatrix, RowGroup, tree::BilateralRow};
use crate::{
    model::{Freedom, Joint, JointId, JointKind, JointRow, Model, Motion, Motor, MotorTarget},
    state::{State, scatter},
};

/// Part of a joint's error that Baumgarte's method takes back in one step. One would be the
/// fastest, but feeds the error of the linearisation back as speed; a fifth settles smoothly.
pub const BAUMGARTE: f64 = 0.2;

/// Rounds of the stabilisation `shake`; each gains a factor of about the angle turned in a step.
const SHAKE_ROUNDS: usize = 40;

/// A row with bounds: `lower <= p <= upper ⟂ Gᵀ nu + compliance p + constant`.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundedRow {
    /// The joint.
    pub joint: JointId,
    /// Which of the joint's rows, for the names of unknowns.
    pub place: usize,
    /// The bodies it touches that forces move.
    pub blocks: Vec<JacobianBlock>,
    /// Constant part.
    pub constant: f64,
    /// How much it gives way per impulse.
    pub compliance: f64,
    /// Smallest impulse \[N s or N m s\].
    pub lower: f64,
    /// Largest impulse.
    pub upper: f64,
}

/// All rows of the joints at one instant.
#[derive(Clone, Debug, Default)]
pub struct JointRows {
    /// Bilateral rows, joint by joint.
    pub groups: Vec<RowGroup>,
    /// The joint of each group.
    pub joints: Vec<JointId>,
    /// Rows with bounds.
    pub bounded: Vec<BoundedRow>,
}

impl JointRows {
    /// Rows at the start of the step.
    pub fn new(frame: &Frame) -> Self {
        let gain = if frame.settings.stabilization == "baumgarte" { BAUMGARTE } else { 0.0 };
        let mut rows = Self::default();
        for id in frame.model.joint_ids() {
            let (model, state, h) = (frame.model, frame.state, frame.h);
            let work = Work { model, state, h, id, driven: true };
            let mut group = work.locked(|row| -gain / h * row.value);
            work.coordinates(&mut group, &mut rows.bounded);
            rows.push(id, group);
        }
        rows
    }

    /// Rows that bring every error to zero in one unit of time, bodies of prescribed motion
    /// standing still. Limits that are passed count as locked.
    pub fn closing(model: &Model, state: &State) -> Self {
        let mut rows = Self::default();
        for id in model.joint_ids() {
            let work = Work { model, state, h: 1.0, id, driven: false };
            let mut group = work.locked(|row| -row.value);
            work.passed_limits(&mut group);
            rows.push(id, group);
        }
        rows
    }

    /// Rows of accelerations that keep the locked freedoms as they are:
    /// `Gbᵀ a = -d/dt(Gbᵀ) nu`.
    pub fn accelerating(model: &Model, state: &State) -> Self {
        let mut rows = Self::default();
        for id in model.joint_ids() {
            let work = Work { model, state, h: 1.0, id, driven: false };
            rows.push(id, work.locked(|row| -row.bias));
        }
        rows
    }

    /// Whether any coordinate is beyond its limits.
    pub fn passes_limits(model: &Model, state: &State) -> bool {
        model.joint_ids().any(|id| {
            let mut group = RowGroup::default();
            Work { model, state, h: 1.0, id, driven: false }.passed_limits(&mut group);
            !group.rows.is_empty()
        })
    }

    /// Rows of velocities that keep the locked freedoms as they are.
    pub fn keeping(model: &Model, state: &State) -> Self {
        let mut rows = Self::default();
        for id in model.joint_ids() {
            let work = Work { model, state, h: 1.0, id, driven: true };
            rows.push(id, work.locked(|_| 0.0));
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

    /// Impulses of the bilateral rows that keep the joints as they are, corrections left aside.
    pub(super) fn pull(&self, model: &Model, tree: &JointTree, free: &[f64]) -> Vec<f64> {
        let width = model.dimension().dof();
        let lack: Vec<f64> = self.bilateral().map(|row| -row.times(width, free)).collect();
        let mut impulses = vec![0.0; lack.len()];
        let mut velocities = vec![0.0; free.len()];
        tree.solve(&mut velocities, Some(&lack), Some(&mut impulses));
        impulses
    }

    /// Adds to the free velocities what the joints ask for. With the stabilisation `shake` they
    /// ask for the poses at the end of the step: the impulses act along the rows of its start,
    /// and are iterated until no error is left at its end.
    pub(super) fn hold(&self, frame: &Frame, tree: &JointTree, free: &mut [f64]) {
        let (model, state, h) = (frame.model, frame.state, frame.h);
        let mut add = |lack: &[f64], nu: &mut [f64]| {
            let mut change = vec![0.0; nu.len()];
            tree.solve(&mut change, Some(lack), None);
            nu.iter_mut().zip(change).for_each(|(v, x)| *v += x);
        };
        add(&self.lack(model.dimension().dof(), free), free);
        if frame.settings.stabilization != "shake" {
            return;
        }
        let mut before = f64::INFINITY;
        for _ in 0..SHAKE_ROUNDS {
            let psi = self.end_errors(model, state, free, h);
            let error = psi.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // Down to round-off, or no longer getting better (too far in one step).
            if error <= 1e-15 || error >= 0.9 * before {
                break;
            }
            before = error;
            add(&psi.iter().map(|x| -x / h).collect::<Vec<_>>(), free);
        }
    }

    /// Errors of the rows after a step of velocities `nu`; zero for rows that drive.
    fn end_errors(&self, model: &Model, state: &State, nu: &[f64], h: f64) -> Vec<f64> {
        let mut end = state.clone();
        scatter(model, nu, &mut end);
        for id in model.ids().filter(|&id| model.body(id).motion != Motion::Static) {
            let twist = *end.twist(id);
            end.advance(model.dimension(), id, &twist, h);
        }
        let mut psi = Vec::new();
        for (id, group) in self.joints.iter().zip(&self.groups) {
            let first = psi.len();
            psi.extend(model.joint_errors(&end, *id).iter().map(|row| row.value));
            psi.extend(model.gear_error(&end, *id));
            psi.resize(first + group.rows.len(), 0.0);
        }
        psi
    }

    /// `t - Gbᵀ nu`: what the velocities lack.
    pub fn lack(&self, width: usize, nu: &[f64]) -> Vec<f64> {
        self.bilateral().map(|row| row.target - row.times(width, nu)).collect()
    }
}

/// What the rows of one joint are made from.
struct Work<'a> {
    model: &'a Model,
    state: &'a State,
    h: f64,
    id: JointId,
    /// Whether bodies of prescribed motion move.
    driven: bool,
}

impl Work<'_> {
    fn joint(&self) -> &Joint {
        self.model.joint(self.id)
    }

    /// The blocks of a joint's row, and what bodies of prescribed motion add to its rate.
    fn blocks(&self, joint: &Joint, row: &JointRow) -> (Vec<JacobianBlock>, f64) {
        let (mut blocks, mut drive) = (Vec::with_capacity(2), 0.0);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(body) = joint.bodies[side] else { continue };
            let r = row.point - self.state.pose(body).position;
            let (force, torque) = (row.force * sign, (r.cross(row.force) + row.torque) * sign);
            match self.model.dof(body) {
                Some(dof) => {
                    let value = self.model.dimension().block(force, torque);
                    blocks.push(JacobianBlock { dof, value });
                }
                None if !self.driven => {}
                None => {
                    let twist = self.state.twist(body);
                    drive += force.dot(twist.linear) + torque.dot(twist.angular);
                }
            }
        }
        (blocks, drive)
    }

    fn bilateral(&self, row: &JointRow, speed: f64, compliance: f64) -> BilateralRow {
        let (blocks, drive) = self.blocks(self.joint(), row);
        BilateralRow { blocks, target: speed - drive, compliance }
    }

    /// Locked freedoms and gears, with the speed that `speed` gives each.
    fn locked(&self, speed: impl Fn(&JointRow) -> f64) -> RowGroup {
        let errors = self.model.joint_errors(self.state, self.id);
        let mut rows: Vec<BilateralRow> =
            errors.iter().map(|row| self.bilateral(row, speed(row), 0.0)).collect();
        if let JointKind::Gear { joints, ratio } = self.joint().kind {
            rows.push(self.gear(joints, ratio, speed));
        }
        rows.retain(|row| !row.blocks.is_empty());
        RowGroup { rows }
    }

    /// `q1' + ratio q2'`, blocks of one body added up.
    fn gear(
        &self,
        joints: [JointId; 2],
        ratio: f64,
        speed: impl Fn(&JointRow) -> f64,
    ) -> BilateralRow {
        let mut out = BilateralRow { blocks: Vec::new(), target: 0.0, compliance: 0.0 };
        let mut sum = JointRow { value: -self.joint().rest, ..JointRow::default() };
        for (id, factor) in joints.into_iter().zip([1.0, ratio]) {
            let coordinates = self.model.joint_coordinates(self.state, id);
            let Some(row) = coordinates.first() else { continue };
            sum.value += factor * row.value;
            sum.bias += factor * row.bias;
            let (blocks, drive) = self.blocks(self.model.joint(id), row);
            out.target -= factor * drive;
            for mut block in blocks {
                block.value.iter_mut().for_each(|x| *x *= factor);
                match out.blocks.iter_mut().find(|b| b.dof == block.dof) {
                    Some(b) => b.value.iter_mut().zip(block.value).for_each(|(s, x)| *s += x),
                    None => out.blocks.push(block),
                }
            }
        }
        out.target += speed(&sum);
        out
    }

    /// Motors, limits and friction of the coordinates.
    fn coordinates(&self, group: &mut RowGroup, bounded: &mut Vec<BoundedRow>) {
        let coordinates = self.model.joint_coordinates(self.state, self.id);
        let motor = self.state.motors[self.id.index()];
        for (k, row) in coordinates.iter().enumerate() {
            let limits = self.limits(k);
            let mut driven = false;
            if let (0, Some(motor)) = (k, motor) {
                driven = self.motor(row, motor, limits, group, bounded);
            }
            // A motor that keeps its speed whatever it takes has been told the limits.
            if !driven {
                self.limit_rows(k, row, limits, bounded);
            }
            let friction = self.joint().friction * self.h;
            if friction > 0.0 && !driven {
                let row = self.friction_row(k, row);
                bounded.push(self.bounded(3 + 4 * k, &row, 0.0, (-friction, friction)));
            }
        }
        if let (JointKind::Spherical, Some([_, most])) = (self.joint().kind, self.joint().range)
            && let Some(swing) = self.model.joint_swing(self.state, self.id)
        {
            let gap = (most - swing.value) / self.h;
            bounded.push(self.bounded(2, &swing.negated(), gap, (0.0, f64::INFINITY)));
        }
    }

    fn bounded(
        &self,
        place: usize,
        row: &JointRow,
        constant: f64,
        bounds: (f64, f64),
    ) -> BoundedRow {
        let (blocks, drive) = self.blocks(self.joint(), row);
        let (lower, upper) = bounds;
        let (joint, constant) = (self.id, constant + drive);
        BoundedRow { joint, place, blocks, constant, compliance: 0.0, lower, upper }
    }

    /// Limits of coordinate `k`.
    fn limits(&self, k: usize) -> Option<[f64; 2]> {
        let joint = self.joint();
        if joint.kind == JointKind::Distance {
            return joint.range;
        }
        match joint.coordinates(self.model.dimension()).nth(k).map(|i| joint.freedoms[i]) {
            Some(Freedom::Limited(limits)) => Some(limits),
            _ => None,
        }
    }

    fn limit_rows(
        &self,
        k: usize,
        row: &JointRow,
        limits: Option<[f64; 2]>,
        bounded: &mut Vec<BoundedRow>,
    ) {
        let Some([lower, upper]) = limits else { return };
        let unilateral = (0.0, f64::INFINITY);
        if lower.is_finite() {
            let gap = (row.value - lower) / self.h;
            bounded.push(self.bounded(4 * k, row, gap, unilateral));
        }
        if upper.is_finite() {
            let gap = (upper - row.value) / self.h;
            bounded.push(self.bounded(1 + 4 * k, &row.negated(), gap, unilateral));
        }
    }

    /// Friction about three free rotations acts about the axes of the frame: those of the
    /// coordinates are not orthogonal.
    fn friction_row(&self, k: usize, row: &JointRow) -> JointRow {
        let joint = self.joint();
        let turning = |i: &usize| *i >= 3;
        let dimension = self.model.dimension();
        let all = joint.coordinates(dimension).filter(turning).count() == 3;
        match joint.coordinates(dimension).nth(k).filter(turning) {
            Some(i) if all && joint.kind != JointKind::Distance => {
                let axis = joint.axis(i - 3);
                let torque = joint.bodies[0].map_or(axis, |a| self.state.pose(a).vector(axis));
                JointRow { torque, ..*row }
            }
            _ => *row,
        }
    }

    /// Adds the row of a motor; whether it fixes the speed whatever it takes.
    fn motor(
        &self,
        row: &JointRow,
        motor: Motor,
        limits: Option<[f64; 2]>,
        group: &mut RowGroup,
        bounded: &mut Vec<BoundedRow>,
    ) -> bool {
        let h = self.h;
        let (mut speed, compliance) = match motor.target {
            MotorTarget::Velocity(v) => (v, 0.0),
            MotorTarget::Position { position, stiffness, damping } => {
                let give = h * stiffness + damping;
                if give <= 0.0 {
                    return false;
                }
                (stiffness * (position - row.value) / give, 1.0 / (h * give))
            }
        };
        match motor.max_force {
            Some(force) => {
                let bounds = (-force * h, force * h);
                let mut row = self.bounded(3, row, -speed, bounds);
                row.place = usize::MAX;
                row.compliance = compliance;
                bounded.push(row);
                false
            }
            None => {
                let rigid = compliance == 0.0;
                if let (true, Some([lower, upper])) = (rigid, limits) {
                    speed = speed.min((upper - row.value) / h).max((lower - row.value) / h);
                }
                group.rows.push(self.bilateral(row, speed, compliance));
                rigid
            }
        }
    }

    /// Limits that are passed, as rows that bring the coordinate back.
    fn passed_limits(&self, group: &mut RowGroup) {
        for (k, row) in self.model.joint_coordinates(self.state, self.id).iter().enumerate() {
            let Some([lower, upper]) = self.limits(k) else { continue };
            let over = (row.value - upper).max(0.0) + (row.value - lower).min(0.0);
            if over != 0.0 {
                group.rows.push(self.bilateral(row, -over, 0.0));
            }
        }
        if let (JointKind::Spherical, Some([_, most])) = (self.joint().kind, self.joint().range)
            && let Some(swing) = self.model.joint_swing(self.state, self.id)
            && swing.value > most
        {
            group.rows.push(self.bilateral(&swing, most - swing.value, 0.0));
        }
    }
}
