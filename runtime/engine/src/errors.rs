//! The evaluation-error stream: rows that failed, as data, with weights like any other row.

use crate::{Batch, Layout};
use feldc_value::{ColumnType, EvalError, SqlType};

/// Columns of the error stream: table_or_view_name, message, metadata (a JSON object text with `sqlstate`,
/// `line`, `column` and `row`, the failing row's values by position).
pub fn layout() -> Layout {
    Layout::new(vec![ColumnType::new(SqlType::VARCHAR, false); 3])
}

/// Collects the error rows of one step of one worker.
#[derive(Debug, Default)]
pub struct Errors {
    pub batch: Batch,
}

impl Errors {
    /// Adds the failure of an expression on `row` with the row's weight. The view and the row's layout are those of the
    /// running node, which the engine sets before it calls a kernel.
    pub fn push(&mut self, _error: &EvalError, _row: &[u8], _weight: i64) {
        todo!()
    }
}
