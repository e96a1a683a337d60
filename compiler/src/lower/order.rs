//! The physical column order: key columns, then columns of fixed width, then the others; ties in logical order.

use crate::plan::{Table, View};
use feldc_value::ColumnType;

/// Sorts columns of fixed width before the others.
pub(super) fn fixed_first(mut columns: Vec<usize>, ty: impl Fn(usize) -> ColumnType) -> Vec<usize> {
    columns.sort_by_key(|&column| ty(column).fixed_width().is_none());
    columns
}

/// For each physical column of a table's rows its SQL position.
pub(super) fn table_order(table: &Table) -> Vec<usize> {
    let rest = (0..table.columns.len()).filter(|position| !table.primary_key.contains(position)).collect();
    [table.primary_key.clone(), fixed_first(rest, |position| table.columns[position].ty)].concat()
}

/// For each physical column of a view's rows its SQL position.
pub(super) fn view_order(view: &View) -> Vec<usize> {
    fixed_first((0..view.columns.len()).collect(), |position| view.columns[position].ty)
}
