//! A table without key: a multiset of rows.
//!
//! Its delta is what the input says, except that a row which is not there cannot be deleted: when the contents are
//! kept, such a deletion becomes an error row instead. When they are not, deltas are trusted and pass through at no
//! cost. State: a weight for each distinct row, if stored. Law: no stored row ever has a negative weight.

use super::{Operator, Step};
use crate::trace::PointIndex;
use crate::trace::hash::hash32;
use crate::{Batch, Layout, StreamId};
use feldc_value::SqlError;

/// SQLSTATE "no data": the row to delete is not there.
const NO_DATA: &str = "02000";

/// Hands the input over as it is.
pub struct Trusted {
    table: usize,
    output: StreamId,
    /// Is what the table is handed the caller's own batch, rather than a share of it?
    whole: bool,
}

impl Trusted {
    pub fn new(table: usize, output: StreamId, whole: bool) -> Trusted {
        Trusted { table, output, whole }
    }
}

impl Operator for Trusted {
    fn eval(&mut self, step: &mut Step) {
        let rows = &mut step.tables[self.table];
        if self.whole {
            let rows = std::mem::replace(rows, Batch::new(rows.stride()));
            return step.streams.put_foreign(self.output, rows);
        }
        // A swap keeps the memory of both batches in use.
        let mut out = step.streams.take(self.output);
        std::mem::swap(&mut out, rows);
        step.streams.put(self.output, out);
    }
}

/// Keeps the contents and refuses deletions of absent rows.
pub struct Stored {
    table: usize,
    output: StreamId,
    layout: Layout,
    contents: PointIndex,
    /// Working space: the hashes of the rows, so that the index can ask for memory ahead.
    hashes: Vec<u32>,
}

impl Stored {
    pub fn new(table: usize, output: StreamId, layout: &Layout) -> Stored {
        let contents = PointIndex::new(layout, layout.columns().len());
        Stored { table, output, layout: layout.clone(), contents, hashes: Vec::new() }
    }
}

impl Operator for Stored {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        let events = &step.tables[self.table];
        self.hashes.clear();
        self.hashes.extend(events.iter().map(|(row, _)| hash32(row)));
        for (at, (row, weight)) in events.iter().enumerate() {
            self.contents.prefetch(&self.hashes, at);
            let missing = match weight {
                0.. => 0,
                _ => (-weight - self.contents.weight(row)).max(0),
            };
            let accepted = weight + missing;
            if accepted != 0 {
                self.contents.add(row, accepted);
                out.push(row, accepted);
            }
            if missing > 0 {
                step.errors.push(&refusal(&self.layout, row).at(0, 0), row, missing);
            }
        }
        step.streams.put(self.output, out);
    }
}

#[cold]
fn refusal(layout: &Layout, row: &[u8]) -> SqlError {
    let row = crate::errors::row_text(layout, row);
    SqlError::new(NO_DATA, format!("cannot delete {row}: the table holds no such row"))
}
