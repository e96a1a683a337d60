//! `output`: hands a view's delta to the sink, sorted and consolidated.
//!
//! Each worker sorts its own share, in parallel; the sink ([`crate::worker::sink`]) merges the shares. No state here.

use super::{Operator, Step};
use crate::{Batch, StreamId};

pub struct Output {
    input: StreamId,
    view: usize,
}

impl Output {
    pub fn new(input: StreamId, view: usize) -> Output {
        Output { input, view }
    }
}

impl Operator for Output {
    fn eval(&mut self, step: &mut Step) {
        let mut rows = Batch::new(step.views[self.view].stride());
        for batch in step.streams.read(self.input) {
            rows.append(batch);
        }
        step.views[self.view] = rows.consolidated();
    }
}
