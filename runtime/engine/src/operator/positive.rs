//! `positive`: each row as often as its accumulated weight says, if that is positive.
//!
//! The subtraction of bags: A EXCEPT ALL B is the positive part of A − B, and A INTERSECT ALL B is A − (A EXCEPT ALL B).
//! Not linear, so it keeps the integral of its input. Cost: one probe for each changed row. Law: the sum of all outputs is
//! the positive part of the sum of all inputs.

use super::index::settled;
use super::{Operator, Step};
use crate::trace::PointIndex;
use crate::{Layout, StreamId};

pub struct Positive {
    input: StreamId,
    output: StreamId,
    rows: PointIndex,
}

impl Positive {
    pub fn new(input: StreamId, output: StreamId, layout: &Layout) -> Positive {
        Positive { input, output, rows: PointIndex::new(layout, layout.columns().len()) }
    }
}

impl Operator for Positive {
    fn eval(&mut self, step: &mut Step) {
        let mut changes = step.streams.take(self.output);
        for (row, weight) in step.streams.rows(self.input) {
            let before = self.rows.add(row, weight);
            let change = before.wrapping_add(weight).max(0) - before.max(0);
            if change != 0 {
                changes.push(row, change);
            }
        }
        step.streams.put(self.output, settled(changes));
    }
}
