//! Where the workers' shares of a view's delta become one delta, and where stored views keep their contents.

use super::circuit::ViewInfo;
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
#[derive(Default)]
struct Contents {
    weights: BTreeMap<Box<[u8]>, i64>,
}

impl Sink {
    pub fn new(view: &ViewInfo) -> Sink {
        let contents = view.stored.then(Contents::default);
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
        let present = contents.weights.iter().filter(|(_, weight)| **weight > 0);
        present.for_each(|(row, weight)| rows.push(row, *weight));
        Some(rows)
    }
}

/// The sum of sorted, consolidated batches, again so.
pub(crate) fn merge(shares: impl Iterator<Item = Batch>, stride: Option<usize>) -> Batch {
    let mut filled = shares.filter(|share| !share.is_empty());
    let Some(mut merged) = filled.next() else { return Batch::new(stride) };
    let mut alone = true;
    for share in filled {
        merged.append(&share);
        alone = false;
    }
    if alone { merged } else { merged.consolidated() }
}

impl Contents {
    fn apply(&mut self, delta: Batch, view: &str, layout: &Layout, errors: &mut Batch) -> Batch {
        // Nothing below zero before or after, which is nearly always so: readers see the delta itself.
        let mut seen = Batch::new(delta.stride());
        let mut differs = false;
        for (row, weight) in delta.iter() {
            let before = self.weights.get(row).copied().unwrap_or(0);
            let after = before + weight;
            match after {
                0 => self.weights.remove(row),
                _ => self.weights.insert(row.into(), after),
            };
            let missing = before.min(0) - after.min(0);
            if missing != 0 {
                differs = true;
                report(view, layout, row, missing, errors);
            }
            let change = after.max(0) - before.max(0);
            if change != 0 {
                seen.push(row, change);
            }
        }
        if differs { seen } else { delta }
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
