//! Datasets that grow row by row, and what keeps them whole when the run is killed.
//!
//! A compressed block is written once and never changed: overwriting one in place would leave
//! garbage if the run were killed in between. Rows that do not fill a block yet wait in a plain
//! dataset of fixed size, the tail, that is overwritten at every flush.

use hdf5_metno::{
    Dataset, Extent, Group, H5Type, Hyperslab, Result, Selection, SimpleExtents, SliceOrIndex,
};
use ndarray::{ArrayViewD, IxDyn};

/// A plain dataset with an unlimited first dimension; rows are written in place.
pub(super) struct Column<T> {
    dataset: Dataset,
    trailing: Vec<usize>,
    rows: usize,
    buffer: Vec<T>,
}

impl<T: H5Type + Copy> Column<T> {
    pub fn create(group: &Group, name: &str, trailing: &[usize], chunk: usize) -> Result<Self> {
        Self::make(group, name, trailing, chunk, None)
    }

    fn make(
        group: &Group,
        name: &str,
        trailing: &[usize],
        chunk_rows: usize,
        compression: Option<u8>,
    ) -> Result<Self> {
        let mut extents = vec![Extent::from(0..)];
        extents.extend(trailing.iter().map(|&n| Extent::from(n)));
        let mut chunk = vec![chunk_rows.max(1)];
        chunk.extend(trailing);
        let mut builder = group.new_dataset::<T>().chunk(chunk);
        if let Some(level) = compression {
            builder = builder.shuffle().deflate(level);
        }
        let dataset = builder.shape(SimpleExtents::from(extents)).create(name)?;
        Ok(Self { dataset, trailing: trailing.to_vec(), rows: 0, buffer: Vec::new() })
    }

    pub fn push(&mut self, numbers: impl IntoIterator<Item = T>) {
        self.buffer.extend(numbers);
    }

    /// Room for so many rows from the start: buffers that grow in the midst of a step's own memory
    /// make the allocator give that back and fetch it again at every step.
    pub fn reserve(&mut self, rows: usize) {
        self.buffer.reserve(rows * self.width());
    }

    /// Rows, written or not.
    pub fn len(&self) -> usize {
        self.rows + self.waiting()
    }

    /// Rows not yet written.
    fn waiting(&self) -> usize {
        self.buffer.len() / self.width()
    }

    /// Bytes not yet written.
    pub fn bytes(&self) -> usize {
        self.buffer.len() * size_of::<T>()
    }

    fn width(&self) -> usize {
        self.trailing.iter().product::<usize>().max(1)
    }

    fn shape(&self, rows: usize) -> Vec<usize> {
        let mut dims = vec![rows];
        dims.extend(&self.trailing);
        dims
    }

    fn put(&self, dataset: &Dataset, at: usize, data: &[T]) -> Result<()> {
        let rows = data.len() / self.width();
        let block = ArrayViewD::from_shape(IxDyn(&self.shape(rows)), data)
            .map_err(|e| hdf5_metno::Error::from(e.to_string()))?;
        let mut slices = vec![SliceOrIndex::from(at..at + rows)];
        slices.extend(self.trailing.iter().map(|_| SliceOrIndex::from(..)));
        dataset.write_slice(block, Selection::from(Hyperslab::from(slices)))
    }

    /// Appends what is buffered.
    pub fn write(&mut self) -> Result<()> {
        self.write_rows(self.waiting())
    }

    fn write_rows(&mut self, new: usize) -> Result<()> {
        if new == 0 {
            return Ok(());
        }
        let numbers = new * self.width();
        self.dataset.resize(self.shape(self.rows + new))?;
        self.put(&self.dataset, self.rows, &self.buffer[..numbers])?;
        self.rows += new;
        self.buffer.drain(..numbers);
        Ok(())
    }
}

/// A compressed column and its tail.
pub(super) struct Packed {
    column: Column<f64>,
    tail: Dataset,
    block: usize,
}

impl Packed {
    /// In `group`, with the tail under the same name in `tails`.
    pub fn create(
        [group, tails]: [&Group; 2],
        name: &str,
        trailing: &[usize],
        block: usize,
        level: u8,
    ) -> Result<Self> {
        let column = Column::make(group, name, trailing, block, Some(level))?;
        let extents: Vec<Extent> = column.shape(block).into_iter().map(Extent::from).collect();
        let shape = SimpleExtents::from(extents);
        let early = Some(hdf5_metno::plist::dataset_create::AllocTime::Early);
        let tail = tails.new_dataset::<f64>().alloc_time(early).shape(shape).create(name)?;
        Ok(Self { column, tail, block })
    }

    pub fn push(&mut self, numbers: impl IntoIterator<Item = f64>) {
        self.column.push(numbers);
    }

    pub fn reserve(&mut self, rows: usize) {
        self.column.reserve(rows);
    }

    pub fn bytes(&self) -> usize {
        self.column.bytes()
    }

    /// Appends the blocks that are full.
    pub fn write_blocks(&mut self) -> Result<()> {
        self.column.write_rows(self.column.waiting() / self.block * self.block)
    }

    /// Puts the other rows into the tail; they stay buffered for their block.
    pub fn write_tail(&self) -> Result<()> {
        match self.column.waiting() {
            0 => Ok(()),
            _ => self.column.put(&self.tail, 0, &self.column.buffer),
        }
    }

    /// At the end: appends what there is.
    pub fn write_all(&mut self) -> Result<()> {
        self.column.write()
    }
}
