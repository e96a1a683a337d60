//! Where the workers' shares of a view's delta become one delta, and where stored views keep their contents.

use super::circuit::ViewInfo;
use crate::trace::{OrderedIndex, Trace};
use crate::{Batch, Layout, errors};
use feldc_value::SqlError;
use std::collections::BTreeMap;

/// SQLSTATE "data exception": some row was taken away more often than it was added.
const NEGATIVE_MULTIPLICITY: &str = "22000";

pub(crate) struct Sink {
    name: String,
    layout: Layout,
    contents: Option<Contents>,
}

/// The rows of a stored view in order. A row may have been taken away more often than it was added (a table that trusts
/// its input was told to delete what it did not hold): its weight is then negative, and readers do not see it.
struct Contents {
    rows: OrderedIndex,
    /// Can rows have negative weight at all? If not, no row is searched for.
    signed: bool,
    /// The rows of negative weight, so that an insertion can tell without a search that it is not owed to one.
    owed: BTreeMap<Box<[u8]>, i64>,
}

impl Sink {
    pub fn new(view: &ViewInfo) -> Sink {
        let contents = view.stored.then(|| Contents::new(&view.layout, view.signed));
        Sink { name: view.name.clone(), layout: view.layout.clone(), contents }
    }

    /// Adds up the workers' shares, each sorted and consolidated, and applies them. The result is the change that
    /// readers see; rows that miss are reported to `errors`.
    pub fn absorb(&mut self, shares: impl Iterator<Item = Batch>, errors: &mut Batch) -> Batch {
        let delta = merge(shares, self.layout.stride());
        match &mut self.contents {
            Some(contents) if !delta.is_empty() => contents.apply(delta, &self.name, &self.layout, errors),
            _ => delta,
        }
    }

    /// The stored rows, sorted; `None` when the view is not stored.
    pub fn rows(&self) -> Option<Batch> {
        let contents = self.contents.as_ref()?;
        let mut rows = Batch::new(self.layout.stride());
        contents.rows.rows(&[], &mut |row, weight| {
            if weight > 0 {
                rows.push(row, weight);
            }
        });
        Some(rows)
    }
}

/// The sum of sorted, consolidated batches, again so. Most often each is all of some range of rows.
pub(crate) fn merge(shares: impl Iterator<Item = Batch>, stride: Option<usize>) -> Batch {
    let shares: Vec<Batch> = shares.filter(|share| !share.is_empty()).collect();
    let ordered = |pair: &[Batch]| pair[0].row(pair[0].len() - 1) < pair[1].row(0);
    if shares.windows(2).all(ordered) {
        let mut shares = shares.into_iter();
        let mut whole = shares.next().unwrap_or_else(|| Batch::new(stride));
        shares.for_each(|share| whole.append(&share));
        return whole;
    }
    Batch::merged(&shares.iter().map(|share| (share, 0..share.len())).collect::<Vec<_>>())
}

impl Contents {
    fn new(layout: &Layout, signed: bool) -> Contents {
        Contents { rows: OrderedIndex::new(layout, 0), signed, owed: BTreeMap::new() }
    }

    fn apply(&mut self, delta: Batch, view: &str, layout: &Layout, errors: &mut Batch) -> Batch {
        let exceptions = self.exceptions(&delta);
        self.rows.insert_run(&delta);
        if exceptions.is_empty() {
            return delta;
        }
        let mut seen = Batch::new(delta.stride());
        let mut exceptions = exceptions.into_iter().peekable();
        for (at, (row, weight)) in delta.iter().enumerate() {
            let change = match exceptions.next_if(|exception| exception.0 == at) {
                None => weight,
                Some((_, before)) => {
                    let after = before.wrapping_add(weight);
                    report(view, layout, row, before.min(0) - after.min(0), errors);
                    self.owe(row, after);
                    after.max(0) - before.max(0)
                }
            };
            if change != 0 {
                seen.push(row, change);
            }
        }
        seen
    }

    /// The positions of rows that are below zero before or after the delta, with their weights before it.
    fn exceptions(&self, delta: &Batch) -> Vec<(usize, i64)> {
        if !self.signed || delta.is_plain() && self.owed.is_empty() {
            return Vec::new();
        }
        let before = |row: &[u8], weight: i64| match weight > 0 {
            true => self.owed.get(row).copied().unwrap_or(0),
            false => self.rows.weight(row),
        };
        let rows = delta.iter().enumerate().map(|(at, (row, weight))| (at, before(row, weight), weight));
        rows.filter(|(_, before, weight)| *before < 0 || before.wrapping_add(*weight) < 0)
            .map(|(at, before, _)| (at, before))
            .collect()
    }

    fn owe(&mut self, row: &[u8], weight: i64) {
        match weight < 0 {
            true => self.owed.insert(row.into(), weight),
            false => self.owed.remove(row),
        };
    }
}

#[cold]
fn report(view: &str, layout: &Layout, row: &[u8], missing: i64, errors: &mut Batch) {
    let text = errors::row_text(layout, row);
    let message =
        format!("{text} was deleted more often than it was inserted: a table was told to delete a row it did not hold");
    let values: Vec<_> = layout.columns().iter().copied().zip(layout.decode(row)).collect();
    let error = SqlError::new(NEGATIVE_MULTIPLICITY, message).at(0, 0);
    errors::write_error(errors, view, &error, &values, missing);
}
