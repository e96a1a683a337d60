//! `map`: a fused chain of projections, filters and flat-maps, applied to each row of the delta.
//!
//! Linear, so the delta of the result is the result of the delta. No state. Law: map(a + b) = map(a) + map(b).

use super::{Operator, Step};
use crate::{MapKernel, StreamId};

pub struct Map {
    input: StreamId,
    output: StreamId,
    kernel: MapKernel,
}

impl Map {
    pub fn new(input: StreamId, output: StreamId, kernel: MapKernel) -> Map {
        Map { input, output, kernel }
    }
}

impl Operator for Map {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        for batch in step.streams.read(self.input) {
            (self.kernel)(batch, &mut out, &mut step.errors);
        }
        step.streams.put(self.output, out);
    }
}
