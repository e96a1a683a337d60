//! `semi` and `anti`: the rows of a delta whose key is present in an index, or absent from it.
//!
//! Each is half of an operator: Δ(a ⋉ b) = Δa ⋉ b + z⁻¹I(a) ⋈ Δkeys(b), where the second term is a join of b's presence
//! delta with a's index. Cost: one probe for each row. State: none but the index. Law: semi + anti = identity.

use super::{Operator, Step};
use crate::trace::hash::hash32;
use crate::{IndexId, Key, StreamId};

pub struct Semi {
    delta: StreamId,
    index: IndexId,
    delta_key: Key,
    output: StreamId,
    /// Are rows kept whose key is present (semi), or those whose key is absent (anti)?
    keep_present: bool,
    hashes: Vec<u32>,
}

impl Semi {
    pub fn new(delta: StreamId, index: IndexId, delta_key: Key, output: StreamId, keep_present: bool) -> Semi {
        Semi { delta, index, delta_key, output, keep_present, hashes: Vec::new() }
    }
}

impl Operator for Semi {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        let index = &step.indexes[self.index.0 as usize];
        for delta in step.streams.read(self.delta) {
            self.hashes.clear();
            self.hashes.extend(delta.iter().map(|(row, _)| hash32(self.delta_key.of(row))));
            for (at, (row, weight)) in delta.iter().enumerate() {
                index.prefetch(&self.hashes, at);
                if index.is_present(self.hashes[at], self.delta_key.of(row)) == self.keep_present {
                    out.push(row, weight);
                }
            }
        }
        step.streams.put(self.output, out);
    }
}
