//! A table with a primary key: an upsert map from key to row.
//!
//! An event is an upsert of a row or a deletion by key. Each event alone decides what its key holds afterwards, so
//! within a step only the last event of a key counts, and the delta is at most -old +new for each key. Deleting an
//! absent key changes nothing. Cost: one probe for each event. State: the rows, by key.

use super::{Operator, Step};
use crate::trace::arena::{Arena, Ref, class_of, u32_at};
use crate::trace::buckets::{Buckets, Place};
use crate::trace::hash::hash32;
use crate::{Batch, Key, Layout, StreamId};

pub struct KeyedTable {
    table: usize,
    output: StreamId,
    key: Key,
}

impl KeyedTable {
    pub fn new(table: usize, output: StreamId, layout: &Layout, key: usize) -> KeyedTable {
        KeyedTable { table, output, key: Key::new(layout, key) }
    }
}

impl Operator for KeyedTable {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        step.keyed[self.table].apply(&step.tables[self.table], &self.key, &mut out);
        step.streams.put(self.output, out);
    }
}

/// The current row of each key. A block is `step u32, length u32, row`; the length of a key that holds no row (but was
/// decided in the current step) is [`GONE`], and its block holds the key's bytes.
#[derive(Default)]
pub(crate) struct KeyedRows {
    arena: Arena,
    buckets: Buckets,
    /// Number of the current step, from 1; a block with this number has been decided by a later event.
    step: u32,
    /// Hash, block and bytes in use of each key deleted in this step.
    gone: Vec<(u32, Ref, u32)>,
    /// Working space: the hashes of the events' keys.
    hashes: Vec<u32>,
}

const HEADER: usize = 8;
const GONE: u32 = u32::MAX;

/// How many events ahead of the one at work the words of the table and the blocks they name are asked for.
const AHEAD_TABLE: usize = 16;
const AHEAD_BLOCK: usize = 8;

impl KeyedRows {
    /// Applies the events in order and writes the net change.
    fn apply(&mut self, events: &Batch, key: &Key, out: &mut Batch) {
        self.next_step();
        self.buckets.reserve(events.len());
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(events.iter().map(|(row, _)| hash32(key.of(row))));
        // From the last event to the first: the first one met decides, the others of its key are too old.
        for (at, (row, weight)) in events.iter().enumerate().rev() {
            self.prefetch(&hashes[..at]);
            let key = key.of(row);
            match weight > 0 {
                true => self.upsert(hashes[at], key, row, out),
                false => self.delete(hashes[at], key, out),
            }
        }
        self.hashes = hashes;
        self.forget_gone();
    }

    /// Asks for the memory that events will need soon: `hashes` are those of the events still to come, last one next.
    #[inline]
    fn prefetch(&self, hashes: &[u32]) {
        if let Some(&hash) = hashes.len().checked_sub(AHEAD_TABLE).and_then(|at| hashes.get(at)) {
            self.buckets.prefetch(hash);
        }
        if let Some(&hash) = hashes.len().checked_sub(AHEAD_BLOCK).and_then(|at| hashes.get(at))
            && let Some(block) = self.buckets.guess(hash)
        {
            self.arena.prefetch(block);
        }
    }

    fn upsert(&mut self, hash: u32, key: &[u8], row: &[u8], out: &mut Batch) {
        match self.find(hash, key) {
            Place::Vacant(at) => {
                let block = self.store(row, row.len() as u32);
                self.buckets.fill(at, hash, block);
                out.push(row, 1);
            }
            Place::Found(at) => {
                let block = self.buckets.get(at);
                if self.is_decided(block) {
                    return;
                }
                let old = self.row(block);
                if old == row {
                    return self.mark(block);
                }
                out.push(old, -1);
                out.push(row, 1);
                self.replace(at, block, row);
            }
        }
    }

    fn delete(&mut self, hash: u32, key: &[u8], out: &mut Batch) {
        let block = match self.find(hash, key) {
            Place::Found(at) => {
                let block = self.buckets.get(at);
                if self.is_decided(block) {
                    return;
                }
                out.push(self.row(block), -1);
                block
            }
            Place::Vacant(at) => {
                // Earlier events of the key must find that it has been decided.
                let block = self.store(key, key.len() as u32);
                self.buckets.fill(at, hash, block);
                block
            }
        };
        let len = self.len(block);
        self.gone.push((hash, block, len));
        self.mark(block);
        self.arena.tail_mut(block)[4..HEADER].copy_from_slice(&GONE.to_le_bytes());
    }

    /// Removes the keys that hold no row at the end of the step.
    fn forget_gone(&mut self) {
        while let Some((hash, block, len)) = self.gone.pop() {
            if let Place::Found(at) = self.buckets.find(hash, |found| found == block) {
                self.buckets.remove(at);
            }
            self.arena.release(block, class_of(HEADER + len as usize));
        }
    }

    /// Encoded keys are prefix-free, so a row that begins with the key's bytes has this key.
    fn find(&self, hash: u32, key: &[u8]) -> Place {
        self.buckets.find(hash, |block| self.arena.tail(block)[HEADER..].starts_with(key))
    }

    fn store(&mut self, row: &[u8], len: u32) -> Ref {
        let block = self.arena.allocate(class_of(HEADER + row.len()));
        self.write(block, row, len);
        block
    }

    fn write(&mut self, block: Ref, row: &[u8], len: u32) {
        let step = self.step;
        let bytes = &mut self.arena.tail_mut(block)[..HEADER + row.len()];
        bytes[..4].copy_from_slice(&step.to_le_bytes());
        bytes[4..HEADER].copy_from_slice(&len.to_le_bytes());
        bytes[HEADER..].copy_from_slice(row);
    }

    /// Puts `row` in the place of the row in `block`, in the same memory if its size class allows.
    fn replace(&mut self, at: usize, block: Ref, row: &[u8]) {
        let old_class = class_of(HEADER + self.len(block) as usize);
        if old_class == class_of(HEADER + row.len()) {
            return self.write(block, row, row.len() as u32);
        }
        self.arena.release(block, old_class);
        let block = self.store(row, row.len() as u32);
        self.buckets.replace(at, block);
    }

    /// The row of a key, between steps.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        match self.find(hash32(key), key) {
            Place::Found(at) => Some(self.row(self.buckets.get(at))),
            Place::Vacant(_) => None,
        }
    }

    fn len(&self, block: Ref) -> u32 {
        u32_at(self.arena.tail(block), 4)
    }

    fn row(&self, block: Ref) -> &[u8] {
        let tail = self.arena.tail(block);
        &tail[HEADER..HEADER + u32_at(tail, 4) as usize]
    }

    fn is_decided(&self, block: Ref) -> bool {
        u32_at(self.arena.tail(block), 0) == self.step
    }

    fn mark(&mut self, block: Ref) {
        let step = self.step;
        self.arena.tail_mut(block)[..4].copy_from_slice(&step.to_le_bytes());
    }

    /// When the numbers start again, no block may carry one from the last round.
    fn next_step(&mut self) {
        self.step = self.step.wrapping_add(1);
        if self.step == 0 {
            let blocks: Vec<Ref> = self.buckets.iter().map(|(_, block)| block).collect();
            blocks.into_iter().for_each(|block| self.mark(block));
            self.step = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use feldc_value::{ColumnType, SqlType, Value};
    use std::collections::BTreeMap;

    /// Random events over few keys against a map; keys and rows of fixed and of varying width.
    #[test]
    fn agrees_with_a_map() {
        let number = ColumnType::new(SqlType::Integer, false);
        let text = ColumnType::new(SqlType::VARCHAR, false);
        for columns in [vec![number, number, number], vec![number, number, text], vec![text, number, text]] {
            let layout = Layout::new(columns.clone());
            let key = Key::new(&layout, 2);
            let mut random = Random::new(columns.iter().filter(|column| **column == text).count() as u64);
            let mut rows = KeyedRows { step: u32::MAX - 100, ..KeyedRows::default() };
            let mut model = BTreeMap::<Vec<u8>, Vec<u8>>::new();
            for _ in 0..500 {
                let before = model.clone();
                let mut events = Batch::new(None);
                for _ in 0..random.below(12) {
                    let values: Vec<Value> = columns.iter().map(|column| value(*column, &mut random)).collect();
                    let row = encode(&layout, &values);
                    let key = key.of(&row).to_vec();
                    if random.below(3) == 0 {
                        events.push(&key, -1);
                        model.remove(&key);
                    } else {
                        events.push(&row, 1);
                        model.insert(key, row);
                    }
                }
                let mut out = Batch::new(layout.stride());
                rows.apply(&events, &key, &mut out);
                let mut expected = Batch::new(layout.stride());
                before
                    .values()
                    .filter(|row| !model.values().any(|now| now == *row))
                    .for_each(|row| expected.push(row, -1));
                model
                    .values()
                    .filter(|row| !before.values().any(|old| old == *row))
                    .for_each(|row| expected.push(row, 1));
                assert_eq!(out.len(), expected.len());
                assert_eq!(out.consolidated(), expected.consolidated());
                assert_eq!(rows.buckets.len(), model.len());
            }
        }
    }

    fn encode(layout: &Layout, values: &[Value]) -> Vec<u8> {
        let mut row = Vec::new();
        layout.encode(values, &mut row);
        row
    }

    fn value(column: ColumnType, random: &mut Random) -> Value {
        match column.ty {
            SqlType::Integer => Value::Integer(random.below(4) as i32),
            _ => Value::text("x".repeat(random.below(5) * random.below(5))),
        }
    }
}
