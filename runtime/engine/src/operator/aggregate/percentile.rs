//! PERCENTILE_CONT and PERCENTILE_DISC: the value at some place of a group's order.
//!
//! All values in an ordered index. A state remembers the value at the place (or the first of two) and the number of values
//! before it. A delta moves that number by the changes before the value and the place by at most their sum, so the value
//! is found by walking from the old one over as many rows as changed: a step costs a few seeks and its own rows, whatever
//! the size of the group.

use super::accumulate::add_i64;
use super::extreme::{Texts, extreme, set_extreme};
use super::groups::Groups;
use super::plan::{Percentiles, Point};
use crate::trace::OrderedIndex;
use crate::trace::arena::i64_at;
use crate::trace::hash::hash32;
use crate::{Batch, Key, row};

/// Bytes of a point in a state before the value: how many are before it (i64), and the interpolated result (f64).
pub const FIXED: usize = 16;

pub struct Ranks {
    plan: Percentiles,
    key: usize,
    width: Option<usize>,
    index: OrderedIndex,
    delta: Batch,
}

impl Ranks {
    pub fn new(plan: &Percentiles, key: usize) -> Ranks {
        let layout = &plan.part.layout;
        Ranks {
            key,
            width: plan.part.width(),
            index: OrderedIndex::new(layout, key),
            delta: Batch::new(layout.stride()),
            plan: plan.clone(),
        }
    }

    pub fn add(&mut self, rows: &Batch, key: &Key) {
        self.plan.part.narrow(rows, |row| key.of(row), &mut self.delta);
    }

    pub fn finish(&mut self, groups: &mut Groups, texts: &mut Texts) {
        let stride = self.delta.stride();
        let delta = std::mem::replace(&mut self.delta, Batch::new(stride)).consolidated();
        self.index.insert_run(&delta);
        let mut start = 0;
        while start < delta.len() {
            let first = delta.row(start);
            let key = &first[..self.plan.part.layout.prefix_len(first, self.key)];
            let end = start + (start..delta.len()).take_while(|&at| delta.row(at).starts_with(key)).count();
            let changes = || (start..end).map(|at| (delta.row(at), delta.weight(at)));
            if let Some(block) = groups.find(hash32(key), key) {
                let state = groups.state_mut(block);
                let change = changes().fold(0i64, |sum, (_, weight)| sum.wrapping_add(weight));
                add_i64(state, self.plan.count, change);
                let count = i64_at(state, self.plan.count);
                for point in &self.plan.points {
                    let place = point.at + FIXED;
                    // The row of the value so far, or where the rows of the key begin.
                    let from = [key, extreme(state, place, self.width, texts).unwrap_or_default()].concat();
                    let before = changes().take_while(|(row, _)| **row < from[..]);
                    let before = before.fold(i64_at(state, point.at), |sum, (_, weight)| sum.wrapping_add(weight));
                    let found = point.find(&mut self.index, key, from, before, count);
                    let (before, result) = found.as_ref().map_or((0, 0.0), |found| (found.before, found.result));
                    state[point.at..point.at + 8].copy_from_slice(&before.to_le_bytes());
                    state[point.at + 8..place].copy_from_slice(&result.to_le_bytes());
                    let value = found.as_ref().map(|found| &found.row[key.len()..]);
                    if extreme(state, place, self.width, texts) != value {
                        set_extreme(state, place, self.width, value, texts);
                    }
                }
            }
            start = end;
        }
    }
}

struct Found {
    row: Vec<u8>,
    /// Values before the row's.
    before: i64,
    /// Interpolated, where that is wanted.
    result: f64,
}

impl Point {
    /// The rank of the lower value among `count` in ascending order, and how far the result lies behind the value that
    /// comes first in the order on the way to the other.
    fn rank(&self, count: i64) -> (i64, f64) {
        let last = count - 1;
        if self.continuous {
            let place = self.fraction * last as f64;
            let (whole, part) = ((place.floor() as i64).min(last), place.fract());
            return match (self.descending, part > 0.0) {
                (false, _) => (whole, part),
                (true, false) => (last - whole, 0.0),
                (true, true) => (last - whole - 1, part),
            };
        }
        let rank = ((self.fraction * count as f64).ceil() as i64 - 1).clamp(0, last);
        (if self.descending { last - rank } else { rank }, 0.0)
    }

    /// Walks to the point's place, from a row that has `before` values before it.
    fn find(
        &self,
        index: &mut OrderedIndex,
        key: &[u8],
        mut from: Vec<u8>,
        mut before: i64,
        count: i64,
    ) -> Option<Found> {
        if count <= 0 {
            return None;
        }
        let (rank, part) = self.rank(count);
        if before > rank {
            let start = from.clone();
            index.rows_to(&start, key, |row, weight| {
                if row != start {
                    before -= weight;
                    from = row.to_vec();
                }
                before > rank
            });
        }
        let (mut found, mut next): (Option<Found>, Option<f64>) = (None, None);
        index.rows_from(&from, key, |row, weight| {
            let behind = before + weight;
            if found.is_none() && rank < behind {
                found = Some(Found { row: row.to_vec(), before, result: 0.0 });
            }
            if part > 0.0 && found.is_some() && rank + 1 < behind {
                next = Some(row::get_f64(row, key.len()));
            }
            before = behind;
            found.is_none() || (part > 0.0 && next.is_none())
        });
        let mut found = found?;
        if self.continuous {
            let low = row::get_f64(&found.row, key.len());
            found.result = self.between(low, next.unwrap_or(low), part);
        }
        Some(found)
    }

    fn between(&self, low: f64, high: f64, part: f64) -> f64 {
        match self.descending {
            _ if low == high || part == 0.0 => low,
            false => low + part * (high - low),
            true => high + part * (low - high),
        }
    }
}
