//! [`OrderedIndex`]: rows in byte order, for the first or last row of a key and for ranges.
//!
//! New rows gather in a small ordered buffer and then in a spine of sorted runs. A row's weight is the sum over all runs,
//! so a search looks into each (some two per doubling of the size) and steps over rows whose sum is not positive. Steps over
//! such garbage are counted, and when they add up to half the rows everything is merged: garbage costs each deletion a
//! constant, wherever it lies and however often the same place is searched.

use super::Trace;
use super::run::Run;
use super::spine::Spine;
use crate::{Batch, Layout};
use std::collections::BTreeMap;
use std::ops::Bound;

/// Rows that gather before they become a run; larger deltas become one at once.
const BUFFERED: usize = 128;

/// Fewer steps over garbage than this do not count.
const MIN_WASTED: usize = 1 << 12;

#[derive(Debug)]
pub struct OrderedIndex {
    layout: Layout,
    key: usize,
    stride: Option<usize>,
    buffer: BTreeMap<Vec<u8>, i64>,
    spine: Spine,
    /// Was no row ever inserted with a negative weight? Then all weights are positive.
    insert_only: bool,
    /// Steps over garbage since the last full merge.
    wasted: usize,
}

impl OrderedIndex {
    /// An index of rows of `layout`, whose keys are the first `key` columns.
    pub fn new(layout: &Layout, key: usize) -> OrderedIndex {
        OrderedIndex {
            layout: layout.clone(),
            key,
            stride: layout.stride(),
            buffer: BTreeMap::new(),
            spine: Spine::default(),
            insert_only: true,
            wasted: 0,
        }
    }

    /// Are all weights positive, as far as the index knows?
    pub fn is_insert_only(&self) -> bool {
        self.insert_only
    }

    /// Adds a sorted, consolidated delta.
    pub fn insert_run(&mut self, delta: &Batch) {
        self.insert_only &= delta.is_plain() || delta.iter().all(|(_, weight)| weight > 0);
        self.spine.pay(delta.len());
        if delta.len() >= BUFFERED {
            return self.spine.insert(Run::of(delta));
        }
        for (row, weight) in delta.iter() {
            match self.buffer.get_mut(row) {
                None => _ = self.buffer.insert(row.to_vec(), weight),
                Some(sum) => {
                    *sum = sum.wrapping_add(weight);
                    if *sum == 0 {
                        self.buffer.remove(row);
                    }
                }
            }
        }
        if self.buffer.len() >= BUFFERED {
            let bytes = self.buffer.keys().map(Vec::len).sum();
            let mut run = Run::with_capacity(self.stride, self.buffer.len(), bytes);
            self.buffer.iter().for_each(|(row, weight)| run.push(row, *weight));
            self.buffer.clear();
            self.spine.insert(run);
        }
    }

    /// The first row of positive weight that is not before `from` and begins with `prefix`.
    /// `from` begins with `prefix` too.
    pub fn first_from(&mut self, from: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
        let mut found = None;
        let wasted = self.scan(from, prefix, |row, weight| {
            if weight > 0 {
                found = Some(row.to_vec());
            }
            weight <= 0
        });
        self.waste(wasted);
        found
    }

    /// The last row of positive weight that is not after `to` and begins with `prefix`. `to` begins with `prefix` too.
    pub fn last_to(&mut self, to: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
        let mut found = None;
        let wasted = self.scan_back(to, prefix, |row, weight| {
            if weight > 0 {
                found = Some(row.to_vec());
            }
            weight <= 0
        });
        self.waste(wasted);
        found
    }

    /// Calls `more` with the rows of positive weight that begin with `prefix` and their weights, in order, until it returns
    /// false.
    pub fn first_rows(&mut self, prefix: &[u8], more: impl FnMut(&[u8], i64) -> bool) {
        self.rows_from(prefix, prefix, more);
    }

    /// As [`OrderedIndex::first_rows`], from `from` on, which begins with `prefix`.
    pub fn rows_from(&mut self, from: &[u8], prefix: &[u8], more: impl FnMut(&[u8], i64) -> bool) {
        let wasted = present(more, |more| self.scan(from, prefix, more));
        self.waste(wasted);
    }

    /// Likewise from `to` backwards.
    pub fn rows_to(&mut self, to: &[u8], prefix: &[u8], more: impl FnMut(&[u8], i64) -> bool) {
        let wasted = present(more, |more| self.scan_back(to, prefix, more));
        self.waste(wasted);
    }

    /// Calls `each` with the rows from `from` on and before `until`, and their weights, in order.
    pub fn range(&mut self, from: &[u8], until: Option<&[u8]>, mut each: impl FnMut(&[u8], i64)) {
        let mut wasted = 0;
        self.scan(from, &[], |row, weight| {
            if until.is_some_and(|until| row >= until) {
                return false;
            }
            match weight {
                0 => wasted += 1,
                _ => each(row, weight),
            }
            true
        });
        self.waste(wasted);
    }

    fn waste(&mut self, steps: usize) {
        self.wasted += steps;
        if self.wasted > MIN_WASTED && self.wasted > self.spine.runs().map(Run::len).sum::<usize>() / 2 {
            self.spine.compact();
            self.wasted = 0;
        }
    }

    /// Calls `more` with the rows from `from` on that begin with `prefix` and their accumulated weights, in order, until
    /// it returns false. Returns the number of calls that returned true.
    fn scan(&self, from: &[u8], prefix: &[u8], mut more: impl FnMut(&[u8], i64) -> bool) -> usize {
        let mut runs: Vec<(&Run, usize)> =
            self.spine.runs().map(|run| (run, run.lower_bound(from))).filter(|(run, at)| *at < run.len()).collect();
        let mut buffered = self.buffer.range::<[u8], _>((Bound::Included(from), Bound::Unbounded)).peekable();
        let mut steps = 0;
        loop {
            let in_runs = runs.iter().map(|(run, at)| run.row(*at)).min();
            let in_buffer = buffered.peek().map(|(row, _)| &row[..]);
            let Some(row) = in_runs.into_iter().chain(in_buffer).min() else { return steps };
            if !row.starts_with(prefix) {
                return steps;
            }
            let mut weight = 0i64;
            runs.retain_mut(|(run, at)| {
                if run.row(*at) == row {
                    weight = weight.wrapping_add(run.weight(*at));
                    *at += 1;
                }
                *at < run.len()
            });
            if in_buffer == Some(row) {
                weight = weight.wrapping_add(buffered.next().map_or(0, |(_, weight)| *weight));
            }
            if !more(row, weight) {
                return steps;
            }
            steps += 1;
        }
    }

    /// As `scan`, from `to` backwards.
    fn scan_back(&self, to: &[u8], prefix: &[u8], mut more: impl FnMut(&[u8], i64) -> bool) -> usize {
        // The position is one behind the row.
        let mut runs: Vec<(&Run, usize)> =
            self.spine.runs().map(|run| (run, run.upper_bound(to))).filter(|(_, end)| *end > 0).collect();
        let mut buffered = self.buffer.range::<[u8], _>((Bound::Unbounded, Bound::Included(to))).rev().peekable();
        let mut steps = 0;
        loop {
            let in_runs = runs.iter().map(|(run, end)| run.row(*end - 1)).max();
            let in_buffer = buffered.peek().map(|(row, _)| &row[..]);
            let Some(row) = in_runs.into_iter().chain(in_buffer).max() else { return steps };
            if !row.starts_with(prefix) {
                return steps;
            }
            let mut weight = 0i64;
            runs.retain_mut(|(run, end)| {
                if run.row(*end - 1) == row {
                    weight = weight.wrapping_add(run.weight(*end - 1));
                    *end -= 1;
                }
                *end > 0
            });
            if in_buffer == Some(row) {
                weight = weight.wrapping_add(buffered.next().map_or(0, |(_, weight)| *weight));
            }
            if !more(row, weight) {
                return steps;
            }
            steps += 1;
        }
    }
}

/// Scans for the rows of positive weight; returns how many others were stepped over.
fn present(
    mut more: impl FnMut(&[u8], i64) -> bool,
    scan: impl FnOnce(&mut dyn FnMut(&[u8], i64) -> bool) -> usize,
) -> usize {
    let mut wasted = 0;
    scan(&mut |row, weight| {
        if weight > 0 {
            return more(row, weight);
        }
        wasted += 1;
        true
    });
    wasted
}

impl Trace for OrderedIndex {
    fn insert(&mut self, delta: &Batch) {
        self.insert_run(&delta.clone().consolidated());
    }

    fn rows(&self, key: &[u8], each: &mut dyn FnMut(&[u8], i64)) {
        self.scan(key, key, |row, weight| {
            if weight != 0 {
                each(row, weight);
            }
            true
        });
    }

    fn weight(&self, row: &[u8]) -> i64 {
        debug_assert!(self.layout.prefix_len(row, self.key) <= row.len());
        let in_run = |run: &Run| {
            let at = run.lower_bound(row);
            if at < run.len() && run.row(at) == row { run.weight(at) } else { 0 }
        };
        let buffered = self.buffer.get(row).copied().unwrap_or(0);
        self.spine.runs().map(in_run).fold(buffered, i64::wrapping_add)
    }

    fn bytes(&self) -> usize {
        self.spine.bytes() + self.buffer.keys().map(|row| row.capacity() + size_of::<(Vec<u8>, i64)>()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use feldc_value::{ColumnType, SqlType, Value};

    fn layout(types: [SqlType; 2]) -> Layout {
        Layout::new(types.iter().map(|ty| ColumnType::new(*ty, false)).collect())
    }

    fn row(layout: &Layout, key: usize, value: usize) -> Vec<u8> {
        let values = layout.columns().iter().zip([key, value]).map(|(column, n)| match column.ty {
            SqlType::BigInt => Value::BigInt(n as i64),
            _ => Value::text(format!("{n:03}")),
        });
        let mut row = Vec::new();
        layout.encode(&values.collect::<Vec<_>>(), &mut row);
        row
    }

    fn check(index: &mut OrderedIndex, model: &BTreeMap<Vec<u8>, i64>, probe: &[u8]) {
        let prefix = &probe[..index.layout.prefix_len(probe, 1)];
        let live = || model.iter().filter(|(row, weight)| **weight > 0 && row.starts_with(prefix)).map(|(row, _)| row);
        assert_eq!(index.weight(probe), model.get(probe).copied().unwrap_or(0));
        assert_eq!(index.first_from(probe, prefix).as_ref(), live().find(|row| row[..] >= *probe));
        assert_eq!(index.last_to(probe, prefix).as_ref(), live().rfind(|row| row[..] <= *probe));
        let mut rows = Vec::new();
        index.rows(prefix, &mut |row, weight| rows.push((row.to_vec(), weight)));
        let expected = model.iter().filter(|(row, weight)| **weight != 0 && row.starts_with(prefix));
        assert!(rows.iter().map(|(row, weight)| (row, weight)).eq(expected));
    }

    #[test]
    fn agrees_with_a_map() {
        for seed in 0..30 {
            let mut random = Random::new(seed);
            let layout =
                layout([[SqlType::BigInt, SqlType::BigInt], [SqlType::VARCHAR, SqlType::VARCHAR]][seed as usize % 2]);
            let mut index = OrderedIndex::new(&layout, 1);
            let mut model = BTreeMap::<Vec<u8>, i64>::new();
            for _ in 0..60 {
                let mut delta = Batch::new(layout.stride());
                let limit = [3, 400][random.below(2)];
                for _ in 0..random.below(limit) {
                    let row = row(&layout, random.below(4), random.below(300));
                    let weight = [1, 1, 2, -1][random.below(4)];
                    delta.push(&row, weight);
                    *model.entry(row).or_default() += weight;
                }
                index.insert(&delta);
                for _ in 0..5 {
                    let probe = row(&layout, random.below(5), random.below(310));
                    check(&mut index, &model, &probe);
                }
            }
        }
    }

    /// A minimum searched again and again behind a long stretch of cancelled rows: the stretch is merged away.
    #[test]
    fn garbage_before_the_first_row_goes_away() {
        let layout = layout([SqlType::BigInt, SqlType::BigInt]);
        let mut index = OrderedIndex::new(&layout, 1);
        let mut delta = Batch::new(layout.stride());
        (0..20_000).for_each(|n| delta.push(&row(&layout, 0, n), 1));
        index.insert(&delta);
        let mut delta = Batch::new(layout.stride());
        (0..9_000).for_each(|n| delta.push(&row(&layout, 0, n), -1));
        index.insert(&delta);
        let start = row(&layout, 0, 0);
        for _ in 0..10 {
            assert_eq!(index.first_from(&start, &start[..8]), Some(row(&layout, 0, 9_000)));
        }
        assert_eq!(index.spine.runs().map(Run::len).sum::<usize>(), 11_000);
    }
}
