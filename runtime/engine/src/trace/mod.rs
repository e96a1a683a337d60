//! Integrals of streams, indexed: what stateful operators keep between steps.
//!
//! Two forms behind one trait. [`PointIndex`] is a hash table for access by whole key: joins, semi-joins, distinct.
//! [`OrderedIndex`] is a spine of sorted runs for access by order: minima, maxima, ranges.

pub mod arena;
pub mod buckets;
pub mod hash;
mod huge_pages;
pub mod ordered_index;
mod pages;
pub mod point_index;
mod prefetch;
mod run;
mod spine;

pub use ordered_index::OrderedIndex;
pub use point_index::PointIndex;

use crate::Batch;

/// An integral of a stream, found by the first bytes of its rows.
pub trait Trace {
    /// Adds a delta: weights of equal rows add up; rows whose weight becomes 0 are gone.
    fn insert(&mut self, delta: &Batch);

    /// Calls `each` with every row that begins with `key` (whole key columns) and its weight, never 0.
    fn rows(&self, key: &[u8], each: &mut dyn FnMut(&[u8], i64));

    /// The accumulated weight of a row; 0 when it is absent.
    fn weight(&self, row: &[u8]) -> i64;

    /// Is the sum of the weights of the rows that begin with `key` positive?
    fn contains_key(&self, key: &[u8]) -> bool {
        let mut total = 0i64;
        self.rows(key, &mut |_, weight| total = total.wrapping_add(weight));
        total > 0
    }

    /// Bytes of memory held, for the process's budget.
    fn bytes(&self) -> usize;
}
