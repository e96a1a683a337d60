//! Keys with many rows: each has an index of its own, whose keys are the rows.

use super::block::{self, Form, LARGE};
use super::{AHEAD_BLOCK, PointIndex};
use crate::trace::arena::{self, Ref};
use crate::trace::hash::hash32;

/// A [`Large`] with fewer rows becomes a block again.
const LARGE_ROWS: usize = 16;

/// The rows of one key with many rows.
#[derive(Debug)]
pub(super) struct Large {
    pub(super) rows: PointIndex,
    /// The sum of the rows' weights.
    pub(super) total: i64,
}

impl PointIndex {
    pub(super) fn large_number(&self, block: Ref) -> u32 {
        let bytes = self.arena.tail(block);
        arena::u32_at(bytes, self.form.key_range(bytes).1)
    }

    pub(super) fn large(&self, number: u32) -> &Large {
        self.large[number as usize].as_ref().expect("a block names its own index only")
    }

    /// Moves the rows of a block to an index of their own.
    pub(super) fn make_large(&mut self, at: usize, key: &[u8]) -> u32 {
        let block = self.buckets.get(at);
        let bytes = self.arena.tail(block);
        let form = Form { key_width: self.form.rest_width, rest_width: Some(0) };
        let mut large = Large { rows: PointIndex::with_form(None, form), total: 0 };
        for record in self.form.records(bytes) {
            let rest = &bytes[record.rest..record.end];
            large.rows.add_row(hash32(rest), rest, &[], record.weight);
            large.total = large.total.wrapping_add(record.weight);
        }
        let number = self.vacant.pop().unwrap_or_else(|| {
            self.large.push(None);
            u32::try_from(self.large.len() - 1).expect("fewer keys than bytes")
        });
        self.large[number as usize] = Some(Box::new(large));
        let class = block::class(self.arena.tail(block));
        self.arena.release(block, class);
        let new = self.new_block(key, LARGE, size_of::<u32>());
        let end = self.form.key_end(key);
        self.arena.tail_mut(new)[end..end + 4].copy_from_slice(&number.to_le_bytes());
        self.buckets.replace(at, new);
        number
    }

    pub(super) fn add_to_large(&mut self, at: usize, number: u32, key: &[u8], rest: &[u8], weight: i64) {
        let large = self.large[number as usize].as_mut().expect("a block names its own index only");
        large.rows.add_row(hash32(rest), rest, &[], weight);
        large.total = large.total.wrapping_add(weight);
        large.rows.compact_when_due();
        if large.rows.keys() < LARGE_ROWS {
            self.make_small(at, number, key);
        }
    }

    /// Moves few rows back to a block.
    pub(super) fn make_small(&mut self, at: usize, number: u32, key: &[u8]) {
        let large = self.large[number as usize].take().expect("a block names its own index only");
        self.vacant.push(number);
        let mut rows: Vec<(Vec<u8>, i64)> = Vec::new();
        large.rows.for_each_key(|rest, weight| rows.push((rest.to_vec(), weight)));
        let flags = rows.iter().fold(0, |flags, (_, weight)| flags | block::flags_of(*weight));
        let len = rows.iter().map(|(rest, _)| self.form.record_len(flags, rest)).sum();
        let old = self.buckets.get(at);
        let class = block::class(self.arena.tail(old));
        self.arena.release(old, class);
        let new = self.new_block(key, flags, len);
        let mut start = self.form.key_end(key);
        for (rest, weight) in &rows {
            self.form.put_record(self.arena.tail_mut(new), flags, start, rest, *weight);
            start += self.form.record_len(flags, rest);
        }
        self.buckets.replace(at, new);
    }

    /// Calls `each` with every key and its weight, in an index whose key is the whole row.
    pub(super) fn for_each_key(&self, mut each: impl FnMut(&[u8], i64)) {
        let mut refs = self.buckets.iter().map(|(_, block)| block);
        loop {
            // The blocks lie in no order: they are fetched a few at a time.
            let chunk: [Option<Ref>; AHEAD_BLOCK] = std::array::from_fn(|_| refs.next());
            chunk.iter().flatten().for_each(|&block| self.arena.prefetch(block));
            for &block in chunk.iter().flatten() {
                let bytes = self.arena.tail(block);
                let (start, end) = self.form.key_range(bytes);
                each(&bytes[start..end], self.form.record(bytes, block::flags(bytes), end).weight);
            }
            if chunk[AHEAD_BLOCK - 1].is_none() {
                return;
            }
        }
    }
}
