//! A batch: rows with weights, in arrival order unless said otherwise.

use crate::Errors;
use feldc_value::EvalError;

/// Rows laid end to end in one buffer. Weights are kept only when some differ from +1.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    data: Vec<u8>,
    /// End offset of each row; not kept when `stride` is known.
    ends: Vec<u32>,
    stride: Option<usize>,
    len: usize,
    /// Empty while every weight is +1.
    weights: Vec<i64>,
}

impl Batch {
    pub fn new(stride: Option<usize>) -> Batch {
        Batch { stride, ..Batch::default() }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The buffer behind the rows: a kernel appends one row's bytes, then calls [`Batch::commit`] or
    /// [`Batch::rollback`].
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.data
    }

    /// Makes the bytes appended since the last commit a row of this weight (not 0).
    pub fn commit(&mut self, _weight: i64) {
        todo!()
    }

    /// Forgets the bytes appended since the last commit.
    pub fn rollback(&mut self) {
        todo!()
    }

    pub fn push(&mut self, row: &[u8], weight: i64) {
        self.data.extend_from_slice(row);
        self.commit(weight);
    }

    pub fn row(&self, _index: usize) -> &[u8] {
        todo!()
    }

    pub fn weight(&self, index: usize) -> i64 {
        self.weights.get(index).copied().unwrap_or(1)
    }

    /// The rows with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], i64)> + '_ {
        (0..self.len).map(|index| (self.row(index), self.weight(index)))
    }

    /// The same Z-set sorted by row bytes, equal rows added up, zero weights gone.
    pub fn consolidated(self) -> Batch {
        todo!()
    }
}

/// The loop of every native map kernel: `row_kernel(row, out)` appends a result row's bytes and returns `Ok(true)`, or
/// drops the row with `Ok(false)`; a failed row goes to `errors`.
#[inline(always)]
pub fn map_rows(
    input: &Batch,
    out: &mut Batch,
    errors: &mut Errors,
    mut row_kernel: impl FnMut(&[u8], &mut Vec<u8>) -> Result<bool, EvalError>,
) {
    for (row, weight) in input.iter() {
        match row_kernel(row, out.buffer()) {
            Ok(true) => out.commit(weight),
            Ok(false) => out.rollback(),
            Err(error) => {
                out.rollback();
                errors.push(&error, row, weight);
            }
        }
    }
}
