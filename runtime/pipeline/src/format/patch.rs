//! Updates that name some columns only: the other columns come from the row that is there.
//!
//! The format cannot know that row, so such an update travels as a patch beside the rows and becomes a row just before
//! the step that takes it. What the same step did to the key before, counts.

use super::Parsed;
use feldc_engine::{Batch, Layout};
use std::collections::HashMap;

/// An update of some columns of a keyed table's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// How many rows of the batch come before it.
    pub after: usize,
    /// The encoding of each column in physical order, the key first; `None` keeps the present value.
    pub columns: Vec<Option<Vec<u8>>>,
}

impl Patch {
    fn key(&self, columns: usize) -> Vec<u8> {
        self.columns[..columns].iter().flatten().flatten().copied().collect()
    }

    /// Appends the row with this patch applied.
    fn apply(&self, layout: &Layout, row: &[u8], out: &mut Vec<u8>) {
        let mut start = 0;
        for (index, column) in self.columns.iter().enumerate() {
            let end = layout.prefix_len(row, index + 1);
            out.extend_from_slice(column.as_deref().unwrap_or(&row[start..end]));
            start = end;
        }
    }
}

/// Makes rows of the patches of one table's step. The parts of the step come in their order; those without patches are
/// left as they are. Returns how many updates found no row and were left out.
pub fn resolve(
    parts: &mut [&mut Parsed],
    layout: &Layout,
    key: usize,
    present: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> usize {
    let mut absent = 0;
    if parts.iter().all(|part| part.patches.is_empty()) {
        return absent;
    }
    // What this step did to each key so far.
    let mut changed: HashMap<Vec<u8>, Option<Vec<u8>>> = HashMap::new();
    for part in parts {
        let (rows, patches) = (std::mem::take(&mut part.rows), std::mem::take(&mut part.patches));
        let mut out = Batch::new(layout.stride());
        let mut patches = patches.iter().peekable();
        for index in 0..=rows.len() {
            while let Some(patch) = patches.next_if(|patch| patch.after == index) {
                let key = patch.key(key);
                let old = match changed.get(&key) {
                    Some(row) => row.clone(),
                    None => present(&key),
                };
                let Some(old) = old else {
                    absent += 1;
                    continue;
                };
                let mut new = Vec::with_capacity(old.len());
                patch.apply(layout, &old, &mut new);
                out.push(&new, 1);
                changed.insert(key, Some(new));
            }
            if index < rows.len() {
                let (row, weight) = (rows.row(index), rows.weight(index));
                out.push(row, weight);
                let key = row[..layout.prefix_len(row, key)].to_vec();
                changed.insert(key, (weight > 0).then(|| row.to_vec()));
            }
        }
        part.rows = out;
    }
    absent
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::{ColumnType, SqlType, Value};

    #[test]
    fn patches_see_what_came_before() {
        let column = |ty| ColumnType::new(ty, true);
        let layout = Layout::new(vec![column(SqlType::Integer), column(SqlType::VARCHAR), column(SqlType::Integer)]);
        let row = |k: i32, v: &str, n: i32| {
            let mut row = Vec::new();
            layout.encode(&[Value::Integer(k), Value::text(v), Value::Integer(n)], &mut row);
            row
        };
        let patch = |after: usize, k: i32, v: Option<&str>, n: Option<i32>| {
            let whole = row(k, v.unwrap_or(""), n.unwrap_or(0));
            let at = [layout.prefix_len(&whole, 1), layout.prefix_len(&whole, 2)];
            let columns = vec![
                Some(whole[..at[0]].to_vec()),
                v.map(|_| whole[at[0]..at[1]].to_vec()),
                n.map(|_| whole[at[1]..].to_vec()),
            ];
            Patch { after, columns }
        };
        let mut rows = Batch::new(layout.stride());
        rows.push(&row(1, "a", 1), 1);
        rows.push(&row(1, "", 0), -1);
        let patches = vec![
            patch(0, 2, Some("x"), None),
            patch(1, 1, None, Some(5)),
            patch(2, 1, None, Some(6)),
            patch(2, 2, None, Some(7)),
        ];
        let mut parsed = Parsed { rows, patches, rejected: Vec::new() };
        let present =
            |key: &[u8]| (key == &row(2, "", 0)[..layout.prefix_len(&row(2, "", 0), 1)]).then(|| row(2, "old", 9));
        assert_eq!(resolve(&mut [&mut parsed], &layout, 1, present), 1);
        let found: Vec<(Vec<u8>, i64)> = parsed.rows.iter().map(|(row, weight)| (row.to_vec(), weight)).collect();
        let expected = vec![
            (row(2, "x", 9), 1),
            (row(1, "a", 1), 1),
            (row(1, "a", 5), 1),
            (row(1, "", 0), -1),
            (row(2, "x", 7), 1),
        ];
        assert_eq!(found, expected);
    }
}
