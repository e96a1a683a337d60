//! A constant relation: its rows come once, in the first step.

use super::{Operator, Step};
use crate::{Batch, StreamId};

pub struct Constant {
    output: StreamId,
    rows: Batch,
}

impl Constant {
    pub fn new(output: StreamId, rows: Batch) -> Constant {
        Constant { output, rows }
    }
}

impl Operator for Constant {
    fn eval(&mut self, step: &mut Step) {
        step.streams.put(self.output, std::mem::take(&mut self.rows));
    }
}
