//! The rows of one joint: locked freedoms, limits, friction, motors.

use super::{
    AddedConstraints, BilateralRow, BoundedRow, JacobianBlock, RowBlocks, RowGroup,
    joint_rows::MOTOR,
};
use crate::{
    model::{Freedom, Joint, JointId, JointKind, JointRow, Model, Motor, MotorTarget},
    state::State,
};

/// What the rows of one joint are made from.
pub(super) struct OneJoint<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) h: f64,
    pub(super) id: JointId,
    /// Whether bodies of prescribed motion move.
    pub(super) driven: bool,
    /// Limits to be enforced however far away they are.
    pub(super) added: &'a AddedConstraints,
}

/// One end of a coordinate's range.
struct LimitEnd {
    place: usize,
    /// Its rate is that of the gap.
    row: JointRow,
    /// How far away it is \[m or rad\].
    gap: f64,
}

/// Accelerations up to here are foreseen by the search for near limits \[m/s² or rad/s²\].
const SUDDEN: f64 = 100.0;

impl<'a> OneJoint<'a> {
    /// Over one unit of time, with no constraints added.
    pub(super) fn alone(model: &'a Model, state: &'a State, id: JointId, driven: bool) -> Self {
        Self { model, state, h: 1.0, id, driven, added: AddedConstraints::NONE }
    }

    fn joint(&self) -> &Joint {
        self.model.joint(self.id)
    }

    /// The blocks of a joint's row, and what bodies of prescribed motion add to its rate.
    fn blocks(&self, joint: &Joint, row: &JointRow) -> (RowBlocks, f64) {
        let (mut blocks, mut drive) = (RowBlocks::new(), 0.0);
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

    pub(super) fn bilateral(&self, row: &JointRow, speed: f64, compliance: f64) -> BilateralRow {
        let (blocks, drive) = self.blocks(self.joint(), row);
        BilateralRow { blocks, target: speed - drive, compliance }
    }

    /// Locked freedoms and gears, with the speed that `speed` gives each.
    pub(super) fn locked(&self, speed: impl Fn(&JointRow) -> f64) -> RowGroup {
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
        let mut out = BilateralRow { blocks: RowBlocks::new(), target: 0.0, compliance: 0.0 };
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
    pub(super) fn coordinates(&self, group: &mut RowGroup, bounded: &mut Vec<BoundedRow>) {
        let coordinates = self.model.joint_coordinates(self.state, self.id);
        let motor = self.motor_now();
        for (k, row) in coordinates.iter().enumerate() {
            let limits = self.limits(k);
            let (mut driven, first) = (false, group.rows.len());
            if let (0, Some(motor)) = (k, motor) {
                driven = self.motor(row, motor, limits, group, bounded);
                self.damper(row, motor, driven, group);
            }
            if k == 0 && !driven {
                self.rotor(row, group, first);
            }
            // A motor that keeps its speed whatever it takes has been told the limits.
            if !driven {
                let ends = self.limit_ends(k, row).into_iter().filter(|end| self.is_near(end));
                bounded.extend(ends.map(|end| self.limit_row(&end)));
            }
            let friction = self.joint().friction * self.h;
            if friction > 0.0 && !driven {
                let row = self.friction_row(k, row);
                bounded.push(self.bounded(3 + 4 * k, &row, 0.0, (-friction, friction)));
            }
        }
        let cone = self.cone_end().filter(|end| self.is_near(end));
        bounded.extend(cone.map(|end| self.limit_row(&end)));
    }

    /// Rows of the limits that [`OneJoint::coordinates`] leaves out because they are far away.
    pub(super) fn far_limits(&self) -> Vec<BoundedRow> {
        if !self.has_limits() {
            return Vec::new();
        }
        let coordinates = self.model.joint_coordinates(self.state, self.id);
        let rigid = self
            .motor_now()
            .is_some_and(|m| m.max_force.is_none() && matches!(m.target, MotorTarget::Velocity(_)));
        let mut ends: Vec<LimitEnd> = Vec::new();
        for (k, row) in coordinates.iter().enumerate().skip(usize::from(rigid)) {
            ends.extend(self.limit_ends(k, row));
        }
        ends.extend(self.cone_end());
        ends.iter().filter(|end| !self.is_near(end)).map(|end| self.limit_row(end)).collect()
    }

    fn has_limits(&self) -> bool {
        let limited = |f: &Freedom| matches!(f, Freedom::Limited(_));
        self.joint().range.is_some() || self.joint().freedoms.iter().any(limited)
    }

    /// How far away each limit is, by its place among the rows.
    pub(super) fn gaps(&self) -> Vec<(usize, f64)> {
        if !self.has_limits() {
            return Vec::new();
        }
        let coordinates = self.model.joint_coordinates(self.state, self.id);
        let ends = coordinates.iter().enumerate().flat_map(|(k, row)| self.limit_ends(k, row));
        ends.chain(self.cone_end()).map(|end| (end.place, end.gap)).collect()
    }

    /// The motor with its aim at the end of the step.
    fn motor_now(&self) -> Option<Motor> {
        let end = self.state.time + self.h;
        self.state.motors[self.id.index()].map(|m| self.joint().motor_at(m, end))
    }

    /// Whether the coming step might reach a limit. What it cannot foresee (an impact far from
    /// the joint) is found afterwards by [`JointRows::overlooked`](super::JointRows).
    fn is_near(&self, end: &LimitEnd) -> bool {
        let rate = self.model.row_rate(self.state, self.joint(), &end.row);
        end.gap <= self.h * (2.0 * rate.abs() + self.h * SUDDEN)
            || self.added.enforced.contains(&self.id)
    }

    fn limit_row(&self, end: &LimitEnd) -> BoundedRow {
        let bends = &self.added.bends;
        let bend = bends.iter().find(|b| b.0 == self.id && b.1 == end.place).map_or(0.0, |b| b.2);
        self.bounded(end.place, &end.row, end.gap / self.h + bend, (0.0, f64::INFINITY))
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

    /// The two ends of coordinate `k`.
    fn limit_ends(&self, k: usize, row: &JointRow) -> Vec<LimitEnd> {
        let Some([lower, upper]) = self.limits(k) else { return Vec::new() };
        let below = LimitEnd { place: 4 * k, row: *row, gap: row.value - lower };
        let above = LimitEnd { place: 1 + 4 * k, row: row.negated(), gap: upper - row.value };
        [below, above].into_iter().filter(|end| end.gap.is_finite()).collect()
    }

    /// The largest tilt of a spherical joint.
    fn cone_end(&self) -> Option<LimitEnd> {
        let (JointKind::Spherical, Some([_, most])) = (self.joint().kind, self.joint().range)
        else {
            return None;
        };
        let swing = self.model.joint_swing(self.state, self.id)?;
        Some(LimitEnd { place: 2, row: swing.negated(), gap: most - swing.value })
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
                let mut row = self.bounded(MOTOR, row, -speed, bounds);
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

    /// The damping of the joint itself beside a motor that keeps a velocity with a limited force.
    fn damper(&self, row: &JointRow, motor: Motor, driven: bool, group: &mut RowGroup) {
        let damping = self.joint().damping;
        if damping > 0.0 && !driven && matches!(motor.target, MotorTarget::Velocity(_)) {
            group.rows.push(self.bilateral(row, 0.0, 1.0 / (self.h * damping)));
        }
    }

    /// The armature: `G' nu + p / m = q' - h bias`, which is `p = -m h q''`: one row with the drive that gives way, if there is
    /// one: it is row `first` of the group. A joint has no more than six rows.
    fn rotor(&self, row: &JointRow, group: &mut RowGroup, first: usize) {
        let m = self.joint().armature;
        if m == 0.0 {
            return;
        }
        let alone = self.bilateral(row, self.drifting(row), 1.0 / m);
        match group.rows.get_mut(first) {
            Some(drive) => {
                let give = 1.0 / drive.compliance;
                drive.target = (give * drive.target + m * alone.target) / (give + m);
                drive.compliance = 1.0 / (give + m);
            }
            None => group.rows.push(alone),
        }
    }

    /// What a row must show at the end of the step for its coordinate not to accelerate.
    fn drifting(&self, row: &JointRow) -> f64 {
        self.model.row_rate(self.state, self.joint(), row) - self.h * row.bias
    }

    /// The mean force of the armature along the coordinate in a step that leads to the velocities `nu`.
    pub(super) fn rotor_force(&self, nu: &[f64]) -> f64 {
        let m = self.joint().armature;
        let coordinates = self.model.joint_coordinates(self.state, self.id);
        let Some(row) = coordinates.first().filter(|_| m > 0.0) else { return 0.0 };
        let out = self.bilateral(row, self.drifting(row), 0.0);
        m * (out.target - out.times(self.model.dimension().dof(), nu)) / self.h
    }

    /// The armature as a row `Gᵀ x + p / m = rate` of accelerations x (the rate is `-bias`), or of a change x of velocities
    /// or places: the smallest one in the metric of the masses turns the rotor as well.
    pub(super) fn resisting_rotor(&self, rate: impl Fn(&JointRow) -> f64, group: &mut RowGroup) {
        let m = self.joint().armature;
        if m > 0.0
            && let Some(row) = self.model.joint_coordinates(self.state, self.id).first()
        {
            group.rows.push(self.bilateral(row, rate(row), 1.0 / m));
        }
    }

    /// Limits that are passed, as rows that bring the coordinate back.
    pub(super) fn passed_limits(&self, group: &mut RowGroup) {
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
