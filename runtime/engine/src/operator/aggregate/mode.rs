//! MODE: the value that comes most often, and of several the least.
//!
//! A count for each value, and behind it an ordered index of (key, -count, value), whose first row of a key is its mode.
//! A changed row costs a probe, two insertions and, where it may become the mode, a seek.

use super::column::Part;
use super::extreme::{Ordered, Places, Texts};
use super::groups::Groups;
use crate::trace::PointIndex;
use crate::{Batch, Key, Layout, row};
use feldc_value::{ColumnType, SqlType};

pub struct Modes {
    part: Part,
    key: usize,
    counts: PointIndex,
    delta: Batch,
    ordered: Ordered,
}

impl Modes {
    /// `at`: where a state holds the mode's row behind the key.
    pub fn new(part: &Part, key: usize, at: usize) -> Modes {
        let columns = part.layout.columns();
        let count = ColumnType::new(SqlType::BigInt, false);
        let counted = Layout::new([&columns[..key], &[count], &columns[key..]].concat());
        let width = part.width().map(|width| width + 8);
        let places = Places { minimum: Some(at), maximum: None, width };
        Modes {
            key,
            counts: PointIndex::new(&part.layout, key + 1),
            delta: Batch::new(part.layout.stride()),
            ordered: Ordered::new(&counted, key, places),
            part: part.clone(),
        }
    }

    pub fn add(&mut self, rows: &Batch, key: &Key) {
        self.part.narrow(rows, |row| key.of(row), &mut self.delta);
    }

    pub fn finish(&mut self, groups: &mut Groups, texts: &mut Texts) {
        let stride = self.delta.stride();
        let delta = std::mem::replace(&mut self.delta, Batch::new(stride)).consolidated();
        for (row, change) in delta.iter() {
            let before = self.counts.add(row, change);
            let (key, value) = row.split_at(self.part.layout.prefix_len(row, self.key));
            for (count, weight) in [(before, -1), (before.wrapping_add(change), 1)] {
                if count > 0 {
                    let out = self.ordered.delta.buffer();
                    out.extend_from_slice(key);
                    row::put_i64(out, -count);
                    out.extend_from_slice(value);
                    self.ordered.delta.commit(weight);
                }
            }
        }
        self.ordered.finish(groups, texts);
    }
}
