//! `distinct`: each row whose accumulated weight is positive, once.
//!
//! Not linear, so it keeps the integral of its input: an index whose key is the whole row, and whose presence delta is
//! the result. Cost: one probe for each changed row. Law: distinct ∘ distinct = distinct.

use super::index::settled;
use super::{Operator, Step};
use crate::trace::PointIndex;
use crate::{Layout, StreamId};

pub struct Distinct {
    input: StreamId,
    output: StreamId,
    rows: PointIndex,
}

impl Distinct {
    pub fn new(input: StreamId, output: StreamId, layout: &Layout) -> Distinct {
        Distinct { input, output, rows: PointIndex::new(layout, layout.columns().len()) }
    }
}

impl Operator for Distinct {
    fn eval(&mut self, step: &mut Step) {
        let mut presence = step.streams.take(self.output);
        for delta in step.streams.read(self.input) {
            self.rows.update(delta, &mut presence);
        }
        step.streams.put(self.output, settled(presence));
    }
}
