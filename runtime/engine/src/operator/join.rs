//! `join`: pairs each row of a delta with the rows of an index that have the same key.
//!
//! Half of a bilinear operator: Δ(a ⋈ b) = Δa ⋈ z⁻¹I(b) + I(a) ⋈ Δb, so a join is two of these nodes, and the place of
//! each among the updates of the indexes decides which has the delay. Weights multiply. Cost: one probe for each row of the
//! delta, one call of the kernel for each pair. State: none but the index.

use super::{Operator, Step};
use crate::trace::hash::hash32;
use crate::{Batch, Errors, IndexId, JoinKernel, Key, Side, StreamId};
use feldc_value::{EvalError, SqlError};

pub struct Join {
    delta: StreamId,
    index: IndexId,
    delta_key: Key,
    delta_side: Side,
    output: StreamId,
    kernel: JoinKernel,
    hashes: Vec<u32>,
    /// The index's row at work.
    stored: Vec<u8>,
}

impl Join {
    pub fn new(
        delta: StreamId,
        index: IndexId,
        delta_key: Key,
        delta_side: Side,
        output: StreamId,
        kernel: JoinKernel,
    ) -> Join {
        Join { delta, index, delta_key, delta_side, output, kernel, hashes: Vec::new(), stored: Vec::new() }
    }
}

/// Equal rows are counted in 63 bits. A pair that exceeds them is no result, and says so.
#[cold]
fn too_many() -> EvalError {
    SqlError::new("22003", "a row occurs more often than can be counted").at(0, 0)
}

/// Adds what the kernel makes of a pair, or its error. Weights multiply.
#[inline]
pub(super) fn pair(
    (left, right): (&[u8], &[u8]),
    (weight, other): (i64, i64),
    kernel: &mut JoinKernel,
    out: &mut Batch,
    errors: &mut Errors,
) {
    let Some(product) = weight.checked_mul(other) else {
        return errors.push_pair(&too_many(), left, right, weight.signum() * other.signum());
    };
    match kernel(left, right, out.buffer()) {
        Ok(true) => out.commit(product),
        Ok(false) => out.rollback(),
        Err(error) => {
            out.rollback();
            errors.push_pair(&error, left, right, product);
        }
    }
}

impl Operator for Join {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        let index = &step.indexes[self.index.0 as usize];
        let (errors, kernel, side) = (&mut step.errors, &mut self.kernel, self.delta_side);
        for delta in step.streams.read(self.delta) {
            self.hashes.clear();
            self.hashes.extend(delta.iter().map(|(row, _)| hash32(self.delta_key.of(row))));
            for (at, (row, weight)) in delta.iter().enumerate() {
                index.prefetch(&self.hashes, at);
                let Some(rows) = index.find(self.hashes[at], self.delta_key.of(row)) else { continue };
                rows.for_each(&mut self.stored, |stored, stored_weight| {
                    let (left, right) = match side {
                        Side::Left => (row, stored),
                        Side::Right => (stored, row),
                    };
                    pair((left, right), (weight, stored_weight), kernel, &mut out, errors);
                });
            }
        }
        step.streams.put(self.output, out);
    }
}
