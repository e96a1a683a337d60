//! [`PointIndex`]: rows found by their key through a hash table, in no order.
//!
//! Each key has one block in an arena: the key's bytes once, then the rest of each of its rows, one after another. So
//! a probe costs one miss in the table and one in the arena, and the rows of a key are read without further misses.
//! Weights are kept only in blocks where one differs from 1. When a key has many rows its block holds only the number of
//! an index of its own, whose keys are the rows: no change walks more than some hundred rows.
//!
//! An index whose key is the whole row counts rows: `distinct` is nothing but its presence delta.

mod block;
mod large;

use super::Trace;
use super::arena::{self, Arena, Ref};
use super::buckets::{Buckets, Place};
use super::hash::hash32;
use crate::{Batch, Layout};
use block::{Form, LARGE, NEGATIVE, Record, WEIGHTED};
use large::Large;

/// A block with more rows and more bytes than this becomes a [`Large`].
const SMALL_ROWS: usize = 64;
const SMALL_BYTES: usize = 1024;

/// How many rows ahead of the one at work the table's words and the arena's blocks are fetched.
const AHEAD_TABLE: usize = 16;
const AHEAD_BLOCK: usize = 8;

/// Less garbage than this is never worth compacting.
const MIN_GARBAGE: usize = 1 << 20;

#[derive(Debug)]
pub struct PointIndex {
    /// For the lengths of keys that vary; none in the index of a large key, where the key is the row.
    layout: Option<(Layout, usize)>,
    form: Form,
    buckets: Buckets,
    arena: Arena,
    large: Vec<Option<Box<Large>>>,
    /// The empty places of `large`.
    vacant: Vec<u32>,
    hashes: Vec<u32>,
    /// The rows of the delta at work that changed their key's presence: did it come?
    changes: Vec<(usize, bool)>,
}

/// The rows of one key.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    index: &'a PointIndex,
    block: Ref,
}

impl PointIndex {
    /// An index of rows of `layout` by their first `key` columns.
    pub fn new(layout: &Layout, key: usize) -> PointIndex {
        let key_width = layout.prefix_stride(key);
        let rest_width = match key == layout.columns().len() {
            true => Some(0),
            false => layout.stride().zip(key_width).map(|(row, key)| row - key),
        };
        PointIndex::with_form(Some((layout.clone(), key)), Form { key_width, rest_width })
    }

    fn with_form(layout: Option<(Layout, usize)>, form: Form) -> PointIndex {
        PointIndex {
            layout,
            form,
            buckets: Buckets::default(),
            arena: Arena::default(),
            large: Vec::new(),
            vacant: Vec::new(),
            hashes: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The number of keys that have rows.
    pub fn keys(&self) -> usize {
        self.buckets.len()
    }

    /// Bytes of the key columns at the start of `row`.
    #[inline]
    pub fn key_len(&self, row: &[u8]) -> usize {
        match (self.form.key_width, &self.layout) {
            (Some(width), _) => width,
            (None, Some((layout, key))) => layout.prefix_len(row, *key),
            (None, None) => row.len(),
        }
    }

    /// Adds a delta and appends to `presence` the keys that came (+1) or went (-1). A key that comes and goes within the
    /// delta may be there both times, but not when one follows the other, as in most updates.
    pub fn update(&mut self, delta: &Batch, presence: &mut Batch) {
        let mut hashes = std::mem::take(&mut self.hashes);
        let mut changes = std::mem::take(&mut self.changes);
        hashes.clear();
        hashes.extend(delta.iter().map(|(row, _)| hash32(&row[..self.key_len(row)])));
        for (at, (row, weight)) in delta.iter().enumerate() {
            self.prefetch(&hashes, at);
            let (key, rest) = row.split_at(self.key_len(row));
            let (before, after) = self.add_row(hashes[at], key, rest, weight);
            if before != after {
                // Two changes of one key that follow each other are opposite.
                let last = changes.pop_if(|(last, _)| hashes[*last] == hashes[at] && delta.row(*last).starts_with(key));
                if last.is_none() {
                    changes.push((at, after));
                }
            }
        }
        for (at, came) in changes.drain(..) {
            let row = delta.row(at);
            presence.push(&row[..self.key_len(row)], if came { 1 } else { -1 });
        }
        (self.hashes, self.changes) = (hashes, changes);
        self.compact_when_due();
    }

    /// Adds `weight` to one row and returns its weight before.
    pub fn add(&mut self, row: &[u8], weight: i64) -> i64 {
        let (key, rest) = row.split_at(self.key_len(row));
        let hash = hash32(key);
        let before = self.find(hash, key).map_or(0, |rows| rows.weight(rest));
        self.add_row(hash, key, rest, weight);
        self.compact_when_due();
        before
    }

    /// The accumulated weight of a row; 0 when it is absent.
    pub fn weight(&self, row: &[u8]) -> i64 {
        let (key, rest) = row.split_at(self.key_len(row));
        self.find(hash32(key), key).map_or(0, |rows| rows.weight(rest))
    }

    /// Fetches what the rows behind the one `at` work will need.
    #[inline]
    pub fn prefetch(&self, hashes: &[u32], at: usize) {
        if let Some(&hash) = hashes.get(at + AHEAD_TABLE) {
            self.buckets.prefetch(hash);
        }
        if let Some(block) = hashes.get(at + AHEAD_BLOCK).and_then(|&hash| self.buckets.guess(hash)) {
            self.arena.prefetch(block);
        }
    }

    /// The rows of the key with this hash, if it has any.
    #[inline]
    pub fn find(&self, hash: u32, key: &[u8]) -> Option<Rows<'_>> {
        match self.buckets.find(hash, |block| self.is_key(block, key)) {
            Place::Found(at) => Some(Rows { index: self, block: self.buckets.get(at) }),
            Place::Vacant(_) => None,
        }
    }

    /// Is the sum of the weights of the key's rows positive?
    #[inline]
    pub fn is_present(&self, hash: u32, key: &[u8]) -> bool {
        self.find(hash, key).is_some_and(|rows| self.present(rows.block))
    }

    #[inline]
    fn is_key(&self, block: Ref, key: &[u8]) -> bool {
        let bytes = self.arena.tail(block);
        let (start, end) = self.form.key_range(bytes);
        bytes[start..end] == *key
    }

    /// Adds `weight` to one row. Was the key present before, and is it after?
    #[inline]
    fn add_row(&mut self, hash: u32, key: &[u8], rest: &[u8], weight: i64) -> (bool, bool) {
        self.buckets.reserve(1);
        match self.buckets.find(hash, |block| self.is_key(block, key)) {
            Place::Vacant(at) => {
                let flags = block::flags_of(weight);
                let len = self.form.record_len(flags, rest);
                let block = self.new_block(key, flags, len);
                let start = self.form.key_end(key);
                self.form.put_record(self.arena.tail_mut(block), flags, start, rest, weight);
                self.buckets.fill(at, hash, block);
                (false, weight > 0)
            }
            Place::Found(at) => self.add_to(at, key, rest, weight),
        }
    }

    /// A block with the key, and `len` bytes behind it that count as used.
    fn new_block(&mut self, key: &[u8], flags: u8, len: usize) -> Ref {
        let used = self.form.key_end(key) + len;
        let class = arena::class_of(used);
        let block = self.arena.allocate(class);
        let bytes = self.arena.tail_mut(block);
        block::set_used(bytes, used);
        block::set_class(bytes, class);
        block::set_flags(bytes, flags);
        self.form.put_key(bytes, key);
        block
    }

    /// Adds to a row of the key at this place of the table.
    fn add_to(&mut self, at: usize, key: &[u8], rest: &[u8], weight: i64) -> (bool, bool) {
        let block = self.buckets.get(at);
        let before = self.present(block);
        let bytes = self.arena.tail(block);
        if block::flags(bytes) & LARGE != 0 {
            self.add_to_large(at, self.large_number(block), key, rest, weight);
        } else {
            let mut rows = 0;
            let mut records = self.form.records(bytes).inspect(|_| rows += 1);
            let found = records.find(|record| bytes[record.rest..record.end] == *rest);
            drop(records);
            match found.map(|record| (record, record.weight.wrapping_add(weight))) {
                None => self.append(at, rows, key, rest, weight),
                Some((record, 0)) if self.is_last(block, record) => {
                    self.drop_key(at);
                    return (before, false);
                }
                Some((record, 0)) => self.remove(at, record),
                Some((record, sum)) => self.set_weight(at, record, sum),
            }
        }
        let block = self.buckets.get(at);
        self.forget_negative(block);
        (before, self.present(block))
    }

    #[inline]
    fn present(&self, block: Ref) -> bool {
        let bytes = self.arena.tail(block);
        let flags = block::flags(bytes);
        if flags & LARGE != 0 {
            return self.large(self.large_number(block)).total > 0;
        }
        flags & NEGATIVE == 0 || self.form.records(bytes).fold(0i64, |sum, record| sum.wrapping_add(record.weight)) > 0
    }

    /// Clears the flag of negative weights when there are none any more.
    #[inline]
    fn forget_negative(&mut self, block: Ref) {
        let bytes = self.arena.tail(block);
        let flags = block::flags(bytes);
        if flags & (NEGATIVE | LARGE) == NEGATIVE && self.form.records(bytes).all(|record| record.weight >= 0) {
            block::set_flags(self.arena.tail_mut(block), flags & !NEGATIVE);
        }
    }

    fn append(&mut self, at: usize, rows: usize, key: &[u8], rest: &[u8], weight: i64) {
        let mut block = self.buckets.get(at);
        if block::flags(self.arena.tail(block)) & WEIGHTED == 0 && weight != 1 {
            block = self.make_weighted(at);
        }
        let bytes = self.arena.tail(block);
        let (used, flags) = (block::used(bytes), block::flags(bytes));
        if rows >= SMALL_ROWS && used >= SMALL_BYTES {
            let number = self.make_large(at, key);
            return self.add_to_large(at, number, key, rest, weight);
        }
        let end = used + self.form.record_len(flags, rest);
        if end > arena::class_bytes(block::class(bytes)) {
            block = self.resize(at, end);
        }
        let bytes = self.arena.tail_mut(block);
        self.form.put_record(bytes, flags, used, rest, weight);
        block::set_used(bytes, end);
        block::set_flags(bytes, flags | block::flags_of(weight) & NEGATIVE);
    }

    /// Moves a block to one that holds `len` bytes.
    fn resize(&mut self, at: usize, len: usize) -> Ref {
        let old = self.buckets.get(at);
        let class = arena::class_of(len);
        let new = self.arena.allocate(class);
        let (old_class, used) = (block::class(self.arena.tail(old)), block::used(self.arena.tail(old)));
        self.arena.copy(old, new, used);
        block::set_class(self.arena.tail_mut(new), class);
        self.arena.release(old, old_class);
        self.buckets.replace(at, new);
        new
    }

    /// Is this the only record of the block?
    fn is_last(&self, block: Ref, record: Record) -> bool {
        let bytes = self.arena.tail(block);
        record.end == block::used(bytes) && record.start == self.form.key_range(bytes).1
    }

    fn drop_key(&mut self, at: usize) {
        let block = self.buckets.get(at);
        let class = block::class(self.arena.tail(block));
        self.arena.release(block, class);
        self.buckets.remove(at);
    }

    fn remove(&mut self, at: usize, record: Record) {
        let bytes = self.arena.tail_mut(self.buckets.get(at));
        let (used, class) = (block::used(bytes), block::class(bytes));
        bytes.copy_within(record.end..used, record.start);
        let left = used - (record.end - record.start);
        block::set_used(bytes, left);
        if arena::class_bytes(class) > 2 * arena::class_bytes(arena::class_of(left)) {
            self.resize(at, left);
        }
    }

    fn set_weight(&mut self, at: usize, record: Record, weight: i64) {
        let mut block = self.buckets.get(at);
        let mut start = record.start;
        if block::flags(self.arena.tail(block)) & WEIGHTED == 0 {
            // Each record before this one grows by its weight.
            let before = self.form.records(self.arena.tail(block)).take_while(|other| other.start < start).count();
            block = self.make_weighted(at);
            start += 8 * before;
        }
        let bytes = self.arena.tail_mut(block);
        bytes[start..start + 8].copy_from_slice(&weight.to_le_bytes());
        let flags = block::flags(bytes) | block::flags_of(weight) & NEGATIVE;
        block::set_flags(bytes, flags);
    }

    /// Rewrites a block without weights as one with weights.
    fn make_weighted(&mut self, at: usize) -> Ref {
        let block = self.buckets.get(at);
        let old = self.arena.tail(block);
        let old = old[..block::used(old)].to_vec();
        let (start, end) = self.form.key_range(&old);
        let len: usize = self.form.records(&old).map(|record| record.end - record.start + 8).sum();
        let flags = block::flags(&old) | WEIGHTED;
        let new = self.new_block(&old[start..end], flags, len);
        let bytes = self.arena.tail_mut(new);
        let mut to = end;
        for record in self.form.records(&old) {
            let rest = &old[record.rest..record.end];
            self.form.put_record(bytes, flags, to, rest, 1);
            to += self.form.record_len(flags, rest);
        }
        self.arena.release(block, block::class(&old));
        self.buckets.replace(at, new);
        new
    }

    fn compact_when_due(&mut self) {
        let garbage = self.arena.free_bytes();
        if garbage < MIN_GARBAGE || garbage * 2 < self.arena.byte_len() {
            return;
        }
        let mut fresh = Arena::default();
        let old = &self.arena;
        self.buckets.map_refs(|block| {
            let bytes = old.tail(block);
            let used = block::used(bytes);
            let class = arena::class_of(used);
            let moved = fresh.allocate(class);
            let target = fresh.tail_mut(moved);
            target[..used].copy_from_slice(&bytes[..used]);
            block::set_class(target, class);
            moved
        });
        self.arena = fresh;
    }
}

impl Rows<'_> {
    /// Calls `each` with every row and its weight. `row` is working space.
    #[inline]
    pub fn for_each(&self, row: &mut Vec<u8>, mut each: impl FnMut(&[u8], i64)) {
        let index = self.index;
        let bytes = index.arena.tail(self.block);
        let (start, end) = index.form.key_range(bytes);
        row.clear();
        row.extend_from_slice(&bytes[start..end]);
        let mut with_rest = |rest: &[u8], weight| {
            row.truncate(end - start);
            row.extend_from_slice(rest);
            each(row, weight);
        };
        if block::flags(bytes) & LARGE != 0 {
            return index.large(index.large_number(self.block)).rows.for_each_key(with_rest);
        }
        for record in index.form.records(bytes) {
            with_rest(&bytes[record.rest..record.end], record.weight);
        }
    }

    /// The weight of the row that ends with `rest`.
    pub fn weight(&self, rest: &[u8]) -> i64 {
        let index = self.index;
        let bytes = index.arena.tail(self.block);
        if block::flags(bytes) & LARGE != 0 {
            let rows = &index.large(index.large_number(self.block)).rows;
            return rows.find(hash32(rest), rest).map_or(0, |row| row.weight(&[]));
        }
        let found = index.form.records(bytes).find(|record| bytes[record.rest..record.end] == *rest);
        found.map_or(0, |record| record.weight)
    }
}

impl Trace for PointIndex {
    fn insert(&mut self, delta: &Batch) {
        self.update(delta, &mut Batch::new(None));
    }

    fn rows(&self, key: &[u8], each: &mut dyn FnMut(&[u8], i64)) {
        if let Some(rows) = self.find(hash32(key), key) {
            rows.for_each(&mut Vec::new(), each);
        }
    }

    fn weight(&self, row: &[u8]) -> i64 {
        PointIndex::weight(self, row)
    }

    fn contains_key(&self, key: &[u8]) -> bool {
        self.is_present(hash32(key), key)
    }

    fn bytes(&self) -> usize {
        let large = self.large.iter().flatten().map(|large| size_of::<Large>() + large.rows.bytes());
        self.arena.byte_len() + self.buckets.bytes() + large.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use feldc_value::{ColumnType, SqlType, Value};
    use std::collections::BTreeMap;

    type Model = BTreeMap<Vec<u8>, i64>;

    fn layout(types: &[SqlType]) -> Layout {
        Layout::new(types.iter().map(|ty| ColumnType::new(*ty, false)).collect())
    }

    /// A row whose key is skewed: key 0 has most rows.
    fn random_row(layout: &Layout, random: &mut Random, rests: usize) -> Vec<u8> {
        let key = random.below(12) * random.below(3);
        let rest = random.below(if key == 0 { rests } else { 5 });
        let value = |ty: SqlType, n: usize| match ty {
            SqlType::BigInt => Value::BigInt(n as i64),
            _ => Value::text("x".repeat(n % 140) + &n.to_string()),
        };
        let values: Vec<Value> =
            layout.columns().iter().zip([key, rest, rest]).map(|(column, n)| value(column.ty, n)).collect();
        let mut row = Vec::new();
        layout.encode(&values, &mut row);
        row
    }

    fn check(index: &PointIndex, model: &Model) {
        let mut keys: BTreeMap<&[u8], Vec<(&[u8], i64)>> = BTreeMap::new();
        for (row, weight) in model {
            keys.entry(&row[..index.key_len(row)]).or_default().push((row, *weight));
            assert_eq!(index.weight(row), *weight);
        }
        assert_eq!(index.keys(), keys.len());
        for (key, rows) in keys {
            let mut found = BTreeMap::new();
            index.rows(key, &mut |row, weight| assert!(found.insert(row.to_vec(), weight).is_none()));
            assert!(found.iter().map(|(row, weight)| (&row[..], *weight)).eq(rows.iter().copied()));
            assert_eq!(index.contains_key(key), rows.iter().map(|row| row.1).sum::<i64>() > 0);
        }
    }

    /// Random deltas, transient negatives included, against a map; presence deltas add up to the present keys.
    fn against_a_map(seed: u64, layout: &Layout, key: usize, rests: usize) {
        let mut random = Random::new(seed);
        let mut index = PointIndex::new(layout, key);
        let mut model = Model::new();
        let mut present = Model::new();
        for step in 0..60 {
            let mut delta = Batch::new(layout.stride());
            // Steps alternate between growing and shrinking.
            let shrink = step % 20 > 11;
            for _ in 0..random.below(120) {
                let (row, weight) = match model.len() {
                    len if shrink && len > 0 => {
                        let (row, weight) = model.iter().nth(random.below(len)).expect("in range");
                        (row.clone(), -*weight)
                    }
                    _ => (random_row(layout, &mut random, rests), [1, 1, 1, 1, 2, -1][random.below(6)]),
                };
                delta.push(&row, weight);
                let sum = model.entry(row.clone()).or_default();
                *sum += weight;
                if *sum == 0 {
                    model.remove(&row);
                }
            }
            let mut presence = Batch::new(index.form.key_width);
            index.update(&delta, &mut presence);
            for (key, weight) in presence.iter() {
                *present.entry(key.to_vec()).or_default() += weight;
            }
            present.retain(|_, weight| *weight != 0);
            check(&index, &model);
            let mut totals = Model::new();
            for (row, weight) in &model {
                *totals.entry(row[..index.key_len(row)].to_vec()).or_default() += weight;
            }
            totals.retain(|_, total| *total > 0);
            assert!(totals.keys().eq(present.keys()) && present.values().all(|&weight| weight == 1), "seed {seed}");
        }
    }

    #[test]
    fn agrees_with_a_map() {
        const BIGINT: SqlType = SqlType::BigInt;
        const VARCHAR: SqlType = SqlType::VARCHAR;
        let layouts = [
            layout(&[BIGINT, BIGINT, VARCHAR]),
            layout(&[VARCHAR, BIGINT, VARCHAR]),
            layout(&[VARCHAR, BIGINT]),
            layout(&[BIGINT, BIGINT]),
        ];
        for seed in 0..6 {
            for layout in &layouts {
                for key in 0..=layout.columns().len() {
                    for rests in [5, 400] {
                        against_a_map(seed, layout, key, rests);
                    }
                }
            }
        }
    }

    #[test]
    fn memory_of_deleted_rows_is_used_again() {
        let layout = layout(&[SqlType::BigInt, SqlType::VARCHAR]);
        let mut index = PointIndex::new(&layout, 1);
        let mut peak = 0;
        for round in 0..30 {
            let mut delta = Batch::new(None);
            for n in 0..2_000 {
                let mut row = Vec::new();
                let text = "y".repeat(round * 7 + n % 5);
                layout.encode(&[Value::BigInt((round * 2_000 + n) as i64), Value::text(text)], &mut row);
                delta.push(&row, 1);
            }
            index.insert(&delta);
            index.insert(&delta.negated());
            peak = index.bytes().max(peak);
        }
        assert_eq!(index.keys(), 0);
        assert!(peak < 4 << 20, "{peak}");
    }
}
