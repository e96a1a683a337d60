//! `update`: an index takes in this step's delta and tells which keys came and went.
//!
//! z⁻¹ is a matter of order: nodes before this one see the integral of earlier steps, nodes after it this step's too.
//! Cost: one probe for each changed row. State: the index, which the step holds, as several nodes read it.
//! Law: the sum of all outputs is the set of keys whose rows' weights add up to more than 0.

use super::{Operator, Step};
use crate::{Batch, IndexId, StreamId};

pub struct Update {
    index: IndexId,
    input: StreamId,
    output: StreamId,
}

impl Update {
    /// The output's layout is the key columns.
    pub fn new(index: IndexId, input: StreamId, output: StreamId) -> Update {
        Update { index, input, output }
    }
}

impl Operator for Update {
    fn eval(&mut self, step: &mut Step) {
        let mut presence = step.streams.take(self.output);
        let index = &mut step.indexes[self.index.0 as usize];
        for delta in step.streams.read(self.input) {
            index.update(delta, &mut presence);
        }
        step.streams.put(self.output, settled(presence));
    }
}

/// Cancels what came and went within one step. An update replaces a row by another of the same key, in either order, and
/// what follows should not see the key go.
pub(super) fn settled(presence: Batch) -> Batch {
    let came = presence.iter().any(|(_, weight)| weight > 0);
    let went = !presence.is_plain() && presence.iter().any(|(_, weight)| weight < 0);
    if came && went { presence.consolidated() } else { presence }
}
