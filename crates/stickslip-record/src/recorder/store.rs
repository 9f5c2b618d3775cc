//! The growing datasets of a recording.

use hdf5_metno::{File, Result};
use stickslip::{Dimension, Model, Simulator, State, memory::Memory};

use super::{
    column::{Column, Packed},
    inputs::Inputs,
    joints,
};
use crate::{
    replay::ContactRow,
    series::{COUNT, SERIES},
    view::quaternion,
};

/// Rows of scalars per chunk: small enough to be rewritten often.
const SCALAR_CHUNK: usize = 512;
/// Rows of contacts per chunk.
const CONTACT_CHUNK: usize = 1024;
/// Poses and velocities held back at most \[bytes\].
const FLUSH_BYTES: usize = 2 << 20;
/// Contacts per body that room is made for at first.
const CONTACTS: usize = 4;
/// Aim for the size of a block of positions \[bytes\]..
const BLOCK_BYTES: usize = 16 << 10;
/// .. and its rows: those of bodies at rest repeat within one, and compress.
const BLOCK_ROWS: [usize; 2] = [4, 256];

/// All columns.
pub(super) struct Store {
    time: Column<f64>,
    step: Column<u64>,
    last_h: Column<f64>,
    position: Packed,
    orientation: Packed,
    velocity: Packed,
    angular_velocity: Packed,
    instant_spin: Option<Packed>,
    angle: Option<Packed>,
    joint_angles: Option<Packed>,
    broken: Option<Packed>,
    joints: Vec<Packed>,
    series: Vec<Column<f64>>,
    contacts: Contacts,
    checkpoints: Checkpoints,
    inputs: Inputs,
    /// Rows after which a flush is due, however little time has passed: a bound on memory.
    pub limit: usize,
}

struct Contacts {
    start: Column<u64>,
    point: Column<f32>,
    normal: Column<f32>,
    force: Column<f32>,
    gap: Column<f32>,
    friction: Column<f32>,
    pair: Column<u32>,
    kind: Column<u8>,
}

struct Checkpoints {
    step: Column<u64>,
    start: Column<u64>,
    key: Column<u64>,
    value: Column<f64>,
    /// Words of the stages, one after the other, and where those of each stage end.
    words: Column<u64>,
    words_end: Column<u64>,
}

impl Store {
    pub fn create(file: &File, simulator: &Simulator, level: u8) -> Result<Self> {
        let model: &Model = &simulator.model;
        let (n, n_joints) = (model.bodies().len(), model.joints().len());
        let n_bonds = simulator.state.broken.len();
        let block = (BLOCK_BYTES / (24 * n)).clamp(BLOCK_ROWS[0], BLOCK_ROWS[1]);
        let group = file.create_group("trajectory")?;
        let tail = file.create_group("tail")?;
        let scalar = |name: &str| Column::create(&group, name, &[], SCALAR_CHUNK);
        let groups = [&group, &tail];
        let vector =
            |name: &str, width: usize| Packed::create(groups, name, &[n, width], block, level);
        let planar = model.dimension() == Dimension::Two;
        let scalars = file.create_group("series")?;
        let series = SERIES
            .iter()
            .map(|s| Column::create(&scalars, s.name, &[], SCALAR_CHUNK))
            .collect::<Result<_>>()?;
        Ok(Self {
            time: scalar("time")?,
            step: Column::create(&group, "step", &[], SCALAR_CHUNK)?,
            last_h: scalar("last_h")?,
            position: vector("position", 3)?,
            orientation: vector("orientation", 4)?,
            velocity: vector("velocity", 3)?,
            angular_velocity: vector("angular_velocity", 3)?,
            instant_spin: (!planar)
                .then(|| Packed::create(groups, "instant_spin", &[n], block, level))
                .transpose()?,
            angle: planar
                .then(|| Packed::create(groups, "angle", &[n], block, level))
                .transpose()?,
            joint_angles: (n_joints > 0)
                .then(|| Packed::create(groups, "joint_angles", &[n_joints, 3], block, level))
                .transpose()?,
            broken: (n_bonds > 0)
                .then(|| Packed::create(groups, "broken", &[n_bonds], block, level))
                .transpose()?,
            joints: joints::columns(groups, n_joints, block, level)?,
            series,
            contacts: Contacts::create(file)?,
            checkpoints: Checkpoints::create(file)?,
            inputs: Inputs::create(file, &simulator.state)?,
            limit: (FLUSH_BYTES / (104 * n)).max(4 * block),
        })
    }

    /// Room for all rows between two flushes.
    pub fn reserve(&mut self, bodies: usize) {
        let rows = self.limit + 1;
        self.packed().for_each(|p| p.reserve(rows));
        self.contacts.reserve(CONTACTS * rows * bodies);
    }

    pub fn push(&mut self, state: &State, scalars: &[f64; COUNT], contacts: &[ContactRow]) {
        self.time.push([state.time]);
        self.step.push([state.step]);
        self.last_h.push([state.last_h]);
        for (pose, twist) in state.q.iter().zip(&state.nu) {
            self.position.push(pose.position.to_array());
            self.orientation.push(quaternion(pose));
            self.velocity.push(twist.linear.to_array());
            self.angular_velocity.push(twist.angular.to_array());
        }
        if let Some(flags) = &mut self.instant_spin {
            flags.push(state.instant_spin.iter().map(|&fast| f64::from(u8::from(fast))));
        }
        if let Some(angle) = &mut self.angle {
            angle.push(state.angle.iter().copied());
        }
        if let Some(angles) = &mut self.joint_angles {
            angles.push(state.joint_angles.iter().flatten().copied());
        }
        if let Some(broken) = &mut self.broken {
            broken.push(state.broken.iter().map(|&b| f64::from(u8::from(b))));
        }
        for (column, &value) in self.series.iter_mut().zip(scalars) {
            column.push([value]);
        }
        self.contacts.push(contacts);
    }

    /// The joints of the row pushed last.
    pub fn push_joints(&mut self, row: [Vec<f64>; 5]) {
        for (column, numbers) in self.joints.iter_mut().zip(row) {
            column.push(numbers);
        }
    }

    /// What the stages remember after a step.
    pub fn checkpoint(&mut self, step: u64, memory: &Memory) {
        let c = &mut self.checkpoints;
        c.step.push([step]);
        c.key.push(memory.unknowns.iter().map(|u| u.0));
        c.value.push(memory.unknowns.iter().map(|u| u.1));
        c.start.push([c.key.len() as u64]);
        let mut ends = [0; 2];
        for (end, words) in ends.iter_mut().zip([&memory.formulation, &memory.integrator]) {
            c.words.push(words.iter().copied());
            *end = c.words.len() as u64;
        }
        c.words_end.push(ends);
    }

    /// What came from outside before a step: its `start` against the end of the `last`.
    pub fn push_inputs(&mut self, step: u64, last: &State, start: &State) {
        self.inputs.push(step, last, start);
    }

    pub fn rows(&self) -> usize {
        self.time.len()
    }

    fn packed(&mut self) -> impl Iterator<Item = &mut Packed> {
        [&mut self.position, &mut self.orientation, &mut self.velocity, &mut self.angular_velocity]
            .into_iter()
            .chain(self.instant_spin.as_mut())
            .chain(self.angle.as_mut())
            .chain(self.joint_angles.as_mut())
            .chain(self.broken.as_mut())
            .chain(&mut self.joints)
    }

    /// Bytes that the next flush will write at most.
    pub fn bytes(&mut self) -> usize {
        let vectors: usize = self.packed().map(|p| p.bytes()).sum();
        let scalars = self.series.iter().map(Column::bytes).sum::<usize>() + 3 * self.time.bytes();
        let rest = self.contacts.bytes() + self.checkpoints.bytes() + self.inputs.bytes();
        vectors + scalars + rest
    }

    /// First half of a flush: all that a row consists of, but for its number. At the `end` also
    /// blocks that are not full.
    pub fn write_data(&mut self, end: bool) -> Result<()> {
        self.packed().try_for_each(|p| if end { p.write_all() } else { p.write_blocks() })?;
        self.contacts.write()?;
        self.series.iter_mut().try_for_each(Column::write)?;
        self.checkpoints.write()?;
        self.inputs.write()?;
        self.last_h.write()?;
        self.time.write()
    }

    /// Second half, once the first is in the file: the tails, and the numbers of the steps, which
    /// tell a reader how many rows are complete.
    pub fn write_steps(&mut self) -> Result<()> {
        self.packed().try_for_each(|p| p.write_tail())?;
        self.step.write()
    }
}

impl Contacts {
    fn create(file: &File) -> Result<Self> {
        let group = file.create_group("contacts")?;
        let vector = |name: &str| Column::create(&group, name, &[3], CONTACT_CHUNK);
        let number = |name: &str| Column::create(&group, name, &[], CONTACT_CHUNK);
        let mut start = Column::create(&group, "start", &[], SCALAR_CHUNK)?;
        start.push([0]);
        Ok(Self {
            start,
            point: vector("point")?,
            normal: vector("normal")?,
            force: vector("force")?,
            gap: number("gap")?,
            friction: number("friction")?,
            pair: Column::create(&group, "pairs", &[2], CONTACT_CHUNK)?,
            kind: Column::create(&group, "kind", &[], CONTACT_CHUNK)?,
        })
    }

    fn reserve(&mut self, rows: usize) {
        let single = [&mut self.point, &mut self.normal, &mut self.force];
        single.into_iter().for_each(|c| c.reserve(rows));
        self.gap.reserve(rows);
        self.friction.reserve(rows);
        self.pair.reserve(rows);
        self.kind.reserve(rows);
    }

    fn push(&mut self, rows: &[ContactRow]) {
        for row in rows {
            self.point.push(row.point);
            self.normal.push(row.normal);
            self.force.push(row.force);
            self.gap.push([row.gap]);
            self.friction.push([row.friction]);
            self.pair.push(row.pair);
            self.kind.push([row.kind]);
        }
        self.start.push([self.kind.len() as u64]);
    }

    fn bytes(&self) -> usize {
        3 * self.point.bytes() + 2 * self.gap.bytes() + self.pair.bytes() + 2 * self.start.bytes()
    }

    fn write(&mut self) -> Result<()> {
        self.point.write()?;
        self.normal.write()?;
        self.force.write()?;
        self.gap.write()?;
        self.friction.write()?;
        self.pair.write()?;
        self.kind.write()?;
        self.start.write()
    }
}

impl Checkpoints {
    fn create(file: &File) -> Result<Self> {
        let group = file.create_group("checkpoints")?;
        let mut start = Column::create(&group, "start", &[], SCALAR_CHUNK)?;
        start.push([0]);
        Ok(Self {
            step: Column::create(&group, "step", &[], SCALAR_CHUNK)?,
            start,
            key: Column::create(&group, "key", &[], CONTACT_CHUNK)?,
            value: Column::create(&group, "value", &[], CONTACT_CHUNK)?,
            words: Column::create(&group, "words", &[], CONTACT_CHUNK)?,
            words_end: Column::create(&group, "words_end", &[2], SCALAR_CHUNK)?,
        })
    }

    fn bytes(&self) -> usize {
        2 * self.key.bytes() + 4 * self.start.bytes() + self.words.bytes()
    }

    fn write(&mut self) -> Result<()> {
        self.key.write()?;
        self.value.write()?;
        self.words.write()?;
        self.words_end.write()?;
        self.start.write()?;
        self.step.write()
    }
}
