//! `negate`: the same rows with opposite weights. Linear, no state. Law: a + negate(a) = 0.

use super::{Operator, Step};
use crate::StreamId;

pub struct Negate {
    input: StreamId,
    output: StreamId,
}

impl Negate {
    pub fn new(input: StreamId, output: StreamId) -> Negate {
        Negate { input, output }
    }
}

impl Operator for Negate {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        for batch in step.streams.read(self.input) {
            out.append(batch);
        }
        step.streams.put(self.output, out.negated());
    }
}
