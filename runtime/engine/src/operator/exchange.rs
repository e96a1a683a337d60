//! `exchange`: moves each row to the worker that owns its key.
//!
//! Linear: a Z-set is cut into one part for each worker, and each worker adds up the parts it gets. With one worker
//! there is no such node. In a step that can feed the node every worker sends every other exactly one message, empty or
//! not; in other steps nobody sends anything. The tables that have rows, known to all, decide which it is.

use super::{Step, recycle};
use crate::trace::hash::hash64;
use crate::worker::peers::Peers;
use crate::{Batch, Key, StreamId};
use std::sync::Arc;

pub struct Exchange {
    input: StreamId,
    output: StreamId,
    key: Key,
    /// Emptied batches of earlier steps: each worker gets as many as it sends.
    spare: Vec<Batch>,
}

impl Exchange {
    pub fn new(input: StreamId, output: StreamId, key: Key) -> Exchange {
        Exchange { input, output, key, spare: Vec::new() }
    }

    /// Sends each other worker its part and keeps the own.
    pub fn send(&mut self, step: &mut Step, peers: &mut Peers) {
        let out = step.streams.take(self.output);
        let stride = out.stride();
        let mut fresh = || self.spare.pop().unwrap_or_else(|| Batch::new(stride));
        let mut parts: Vec<Batch> = (1..peers.count()).map(|_| fresh()).collect();
        parts.insert(peers.own(), out);
        for batch in step.streams.read(self.input) {
            deal(batch, &self.key, &mut parts);
        }
        step.streams.put(self.output, std::mem::take(&mut parts[peers.own()]));
        peers.send(step.number, self.output.0, parts.into_iter().map(Arc::new));
    }

    /// Adds the parts of the others to the own.
    pub fn receive(&mut self, step: &mut Step, peers: &mut Peers) {
        let mut own = step.streams.take(self.output);
        peers.receive(step.number, self.output.0, |batch| {
            own.append(&batch);
            if let Some(mut batch) = Arc::into_inner(batch) {
                recycle(&mut batch);
                self.spare.push(batch);
            }
        });
        step.streams.put(self.output, own);
    }
}

/// Appends the rows of `batch` that `own`, out of `count` workers, owns.
pub fn deal_own(batch: &Batch, key: &Key, own: usize, count: usize, part: &mut Batch) {
    for (row, weight) in batch.iter() {
        if owner(key.of(row), count) == own {
            part.push(row, weight);
        }
    }
}

/// Appends each row of `batch` to the part of the worker that owns its key.
pub fn deal(batch: &Batch, key: &Key, parts: &mut [Batch]) {
    let workers = parts.len();
    for (row, weight) in batch.iter() {
        let worker = match key.columns() {
            0 => 0,
            _ => owner(key.of(row), workers),
        };
        parts[worker].push(row, weight);
    }
}

/// The worker, out of at most 65536, that owns a key. Takes bits of the hash that the hash tables do not use, or each
/// worker would fill only a part of its tables.
#[inline]
pub fn owner(key: &[u8], workers: usize) -> usize {
    ((hash64(key) & 0xffff) as usize * workers) >> 16
}
