//! The growing datasets of a recording.

use hdf5_metno::{File, Result};
use stickslip::{Dimension, Model, State};

use super::column::Column;
use crate::{
    replay::ContactRow,
    series::{COUNT, SERIES},
    view::quaternion,
};

/// Rows of scalars per chunk: small enough to be rewritten often.
const SCALAR_CHUNK: usize = 512;
/// Aim for the size of a block of positions \[bytes\].
const BLOCK_BYTES: usize = 128 << 10;

/// All columns.
pub(super) struct Store {
    time: Column<f64>,
    step: Column<u64>,
    last_h: Column<f64>,
    position: Column<f64>,
    orientation: Column<f64>,
    velocity: Column<f64>,
    angular_velocity: Column<f64>,
    angle: Option<Column<f64>>,
    series: Vec<Column<f64>>,
    contacts: Contacts,
    checkpoints: Checkpoints,
    /// Rows per block.
    pub block: usize,
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
}

impl Store {
    pub fn create(file: &File, model: &Model, level: u8) -> Result<Self> {
        let n = model.bodies().len();
        let block = (BLOCK_BYTES / (24 * n)).clamp(1, 256);
        let group = file.create_group("trajectory")?;
        let scalar = |name: &str| Column::create(&group, name, &[], SCALAR_CHUNK, None);
        let vector = |name: &str, width: usize| {
            Column::create(&group, name, &[n, width], block, Some(level))
        };
        let planar = model.dimension() == Dimension::Two;
        let scalars = file.create_group("series")?;
        let series = SERIES
            .iter()
            .map(|s| Column::create(&scalars, s.name, &[], SCALAR_CHUNK, None))
            .collect::<Result<_>>()?;
        Ok(Self {
            time: scalar("time")?,
            step: Column::create(&group, "step", &[], SCALAR_CHUNK, None)?,
            last_h: scalar("last_h")?,
            position: vector("position", 3)?,
            orientation: vector("orientation", 4)?,
            velocity: vector("velocity", 3)?,
            angular_velocity: vector("angular_velocity", 3)?,
            angle: planar
                .then(|| Column::create(&group, "angle", &[n], block, Some(level)))
                .transpose()?,
            series,
            contacts: Contacts::create(file, level)?,
            checkpoints: Checkpoints::create(file, level)?,
            block,
        })
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
        if let Some(angle) = &mut self.angle {
            angle.push(state.angle.iter().copied());
        }
        for (column, &value) in self.series.iter_mut().zip(scalars) {
            column.push([value]);
        }
        self.contacts.push(contacts);
    }

    /// The solver's memory after a step.
    pub fn checkpoint(&mut self, step: u64, keys: &[u64], values: &[f64]) {
        let c = &mut self.checkpoints;
        c.step.push([step]);
        c.key.push(keys.iter().copied());
        c.value.push(values.iter().copied());
        c.start.push([c.key.len() as u64]);
    }

    pub fn rows(&self) -> usize {
        self.time.len()
    }

    /// Appends all that is buffered: large columns first, and the step numbers last, so that a
    /// reader that trusts those finds the rest complete.
    pub fn write(&mut self) -> Result<()> {
        self.position.write()?;
        self.orientation.write()?;
        self.velocity.write()?;
        self.angular_velocity.write()?;
        self.angle.as_mut().map_or(Ok(()), Column::write)?;
        self.contacts.write()?;
        self.series.iter_mut().try_for_each(Column::write)?;
        self.checkpoints.write()?;
        self.last_h.write()?;
        self.time.write()?;
        self.step.write()
    }
}

impl Contacts {
    fn create(file: &File, level: u8) -> Result<Self> {
        let group = file.create_group("contacts")?;
        let chunk = 2048;
        let vector = |name: &str| Column::create(&group, name, &[3], chunk, Some(level));
        let number = |name: &str| Column::create(&group, name, &[], chunk, Some(level));
        let mut start = Column::create(&group, "start", &[], SCALAR_CHUNK, None)?;
        start.push([0]);
        Ok(Self {
            start,
            point: vector("point")?,
            normal: vector("normal")?,
            force: vector("force")?,
            gap: number("gap")?,
            friction: number("friction")?,
            pair: Column::create(&group, "pairs", &[2], chunk, Some(level))?,
            kind: Column::create(&group, "kind", &[], chunk, Some(level))?,
        })
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
    fn create(file: &File, level: u8) -> Result<Self> {
        let group = file.create_group("checkpoints")?;
        let mut start = Column::create(&group, "start", &[], SCALAR_CHUNK, None)?;
        start.push([0]);
        Ok(Self {
            step: Column::create(&group, "step", &[], SCALAR_CHUNK, None)?,
            start,
            key: Column::create(&group, "key", &[], 2048, Some(level))?,
            value: Column::create(&group, "value", &[], 2048, Some(level))?,
        })
    }

    fn write(&mut self) -> Result<()> {
        self.key.write()?;
        self.value.write()?;
        self.start.write()?;
        self.step.write()
    }
}
