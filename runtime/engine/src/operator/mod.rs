//! Operators: nodes that read deltas from streams and write the delta of one stream.
//!
//! How a step runs. Each stream that some operator computes owns a *slot*, one [`Batch`]. Nodes run in the order in
//! which the builder made them; a node none of whose inputs has rows is skipped, so an empty delta costs one length
//! check. At the end of the step the slots are emptied but keep their memory: a step in steady state allocates nothing.
//!
//! A stream is a list of slots: the union of streams is the concatenation of their lists, made when the circuit is
//! built, and costs nothing in a step. So an operator reads its input as a few batches and treats them as one Z-set:
//! rows may come unsorted, more than once, and with weights that cancel.

pub(crate) mod aggregate;
pub(crate) mod constant;
pub(crate) mod distinct;
pub(crate) mod exchange;
pub(crate) mod index;
pub(crate) mod join;
pub(crate) mod keyed_table;
pub(crate) mod map;
pub(crate) mod negate;
pub(crate) mod output;
pub(crate) mod positive;
pub mod range_join;
pub(crate) mod semi;
pub(crate) mod table;
pub(crate) mod top_k;
pub mod unnest;

use crate::trace::PointIndex;
use crate::{Batch, Errors, IndexId, StreamId};
use keyed_table::KeyedRows;

/// One node of a worker's circuit.
pub trait Operator: Send {
    /// Called once in each step in which some input has rows; nodes that make rows of nothing (constants, aggregates
    /// without GROUP BY) also in the first step. Reads its inputs with [`Streams::read`], writes its output between [`Streams::take`] and [`Streams::put`].
    fn eval(&mut self, step: &mut Step);
}

/// What the operators of one worker share during a step.
pub struct Step {
    /// From 0.
    pub number: u64,
    pub streams: Streams,
    /// All indexes of the circuit, by [`IndexId`]. Several nodes read one; only its `update` node changes it.
    pub indexes: Vec<PointIndex>,
    pub errors: Errors,
    /// The rows for each table of this step, taken by the table's node.
    pub(crate) tables: Vec<Batch>,
    /// The contents of the keyed tables, by number of the table; empty for others.
    pub(crate) keyed: Vec<KeyedRows>,
    /// What each output node hands to the sink.
    pub(crate) views: Vec<Batch>,
}

impl Step {
    /// Is this the first step since the start (not of a restored state)?
    pub fn is_first(&self) -> bool {
        self.number == 0
    }

    pub fn index(&mut self, index: IndexId) -> &mut PointIndex {
        &mut self.indexes[index.0 as usize]
    }
}

/// The deltas of one step.
#[derive(Default)]
pub struct Streams {
    slots: Vec<Batch>,
    /// For each stream, the slots whose rows make it up.
    parts: Vec<Vec<usize>>,
    /// Slots that hold memory from outside in this step.
    foreign: Vec<usize>,
}

impl Streams {
    /// The stream's rows, as the non-empty batches that make it up.
    #[inline]
    pub fn read(&self, stream: StreamId) -> impl Iterator<Item = &Batch> + '_ {
        let slots = self.parts[stream.0 as usize].iter().map(|slot| &self.slots[*slot]);
        slots.filter(|batch| !batch.is_empty())
    }

    /// All rows of the stream with their weights.
    #[inline]
    pub fn rows(&self, stream: StreamId) -> impl Iterator<Item = (&[u8], i64)> + '_ {
        self.read(stream).flat_map(|batch| batch.iter())
    }

    #[inline]
    pub fn is_empty(&self, stream: StreamId) -> bool {
        self.parts[stream.0 as usize].iter().all(|slot| self.slots[*slot].is_empty())
    }

    /// Number of rows (not of distinct ones) that the stream has in this step.
    pub fn len(&self, stream: StreamId) -> usize {
        self.read(stream).map(Batch::len).sum()
    }

    /// The batch an operator writes its output to: empty, with the memory of earlier steps. `put` it back even when
    /// nothing was written. `stream` is one that [`Streams::add`] made, not a union.
    #[inline]
    pub fn take(&mut self, stream: StreamId) -> Batch {
        let slot = self.slot(stream);
        let stride = self.slots[slot].stride();
        std::mem::replace(&mut self.slots[slot], Batch::new(stride))
    }

    #[inline]
    pub fn put(&mut self, stream: StreamId, batch: Batch) {
        let slot = self.slot(stream);
        self.slots[slot] = batch;
    }

    /// As [`Streams::put`] of a batch that comes from outside the circuit, as the next step's will: its memory is not kept.
    pub fn put_foreign(&mut self, stream: StreamId, batch: Batch) {
        let slot = self.slot(stream);
        self.foreign.push(slot);
        self.slots[slot] = batch;
    }

    #[inline]
    fn slot(&self, stream: StreamId) -> usize {
        self.parts[stream.0 as usize][0]
    }

    /// A new stream with a slot of its own, for rows of `stride` bytes.
    pub fn add(&mut self, stride: Option<usize>) -> StreamId {
        self.slots.push(Batch::new(stride));
        self.add_parts(vec![self.slots.len() - 1])
    }

    /// A new stream that is the sum of others.
    pub fn add_union(&mut self, inputs: &[StreamId]) -> StreamId {
        let parts = inputs.iter().flat_map(|stream| self.parts[stream.0 as usize].iter().copied());
        let parts = parts.collect();
        self.add_parts(parts)
    }

    fn add_parts(&mut self, parts: Vec<usize>) -> StreamId {
        self.parts.push(parts);
        StreamId((self.parts.len() - 1) as u32)
    }

    /// Empties all slots, keeping memory that a step of the same size would need again.
    pub(crate) fn clear(&mut self) {
        for slot in self.foreign.drain(..) {
            self.slots[slot] = Batch::new(self.slots[slot].stride());
        }
        self.slots.iter_mut().for_each(recycle);
    }
}

/// Forgets the rows, and the memory unless a step of the same size would need it again.
pub(crate) fn recycle(batch: &mut Batch) {
    match batch.capacity() <= KEPT_BYTES.max(4 * batch.byte_len()) {
        true => batch.clear(),
        false => *batch = Batch::new(batch.stride()),
    }
}

/// Buffers up to this many bytes are always kept between steps; larger ones while steps need their size.
const KEPT_BYTES: usize = 1 << 20;
