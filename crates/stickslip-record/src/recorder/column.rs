//! One dataset that grows row by row, written in blocks.

use hdf5_metno::{
    Dataset, Extent, Group, H5Type, Hyperslab, Result, Selection, SimpleExtents, SliceOrIndex,
};
use ndarray::{ArrayViewD, IxDyn};

/// A dataset with an unlimited first dimension, and the rows not yet in it.
pub(super) struct Column<T> {
    dataset: Dataset,
    trailing: Vec<usize>,
    rows: usize,
    buffer: Vec<T>,
}

impl<T: H5Type + Copy> Column<T> {
    /// `compression` `None` leaves the numbers as they are.
    pub fn create(
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

    /// Rows, written or not.
    pub fn len(&self) -> usize {
        self.rows + self.buffer.len() / self.width()
    }

    fn width(&self) -> usize {
        self.trailing.iter().product::<usize>().max(1)
    }

    /// Appends what is buffered.
    pub fn write(&mut self) -> Result<()> {
        let new = self.buffer.len() / self.width();
        if new == 0 {
            return Ok(());
        }
        let shape = |rows: usize| {
            let mut dims = vec![rows];
            dims.extend(&self.trailing);
            dims
        };
        self.dataset.resize(shape(self.rows + new))?;
        let block = ArrayViewD::from_shape(IxDyn(&shape(new)), &self.buffer)
            .map_err(|e| hdf5_metno::Error::from(e.to_string()))?;
        let mut slices = vec![SliceOrIndex::from(self.rows..self.rows + new)];
        slices.extend(self.trailing.iter().map(|_| SliceOrIndex::from(..)));
        self.dataset.write_slice(block, Selection::from(Hyperslab::from(slices)))?;
        self.rows += new;
        self.buffer.clear();
        Ok(())
    }
}
