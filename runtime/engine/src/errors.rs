//! The evaluation-error stream: rows that failed, as data, with weights like any other row.

use crate::{Batch, Layout, row};
use feldc_value::json::json_value;
use feldc_value::{ColumnType, EvalError, SqlType, Value};

/// Columns of the error stream: table_or_view_name, message, metadata (a JSON object text with `sqlstate`,
/// `line`, `column` and `row`, the failing row's values by position).
pub fn layout() -> Layout {
    Layout::new(vec![ColumnType::new(SqlType::VARCHAR, false); 3])
}

/// Whom a failure is blamed on, and how to read the rows that it hands in.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Name of the table or view.
    pub owner: String,
    /// Layout of a failing row; of the left and the right row for a join.
    pub layouts: Vec<Layout>,
}

/// Collects the error rows of one step of one worker.
#[derive(Debug, Default)]
pub struct Errors {
    pub batch: Batch,
    contexts: Vec<Context>,
    current: usize,
}

impl Errors {
    /// Adds the failure of an expression on `row` with the row's weight. The view and the row's layout are those of the
    /// running node, which the engine sets before it calls a kernel.
    #[cold]
    pub fn push(&mut self, error: &EvalError, row: &[u8], weight: i64) {
        self.push_rows(error, &[row], weight);
    }

    /// As [`Errors::push`] for a join: the pair of rows whose residual condition or projection failed.
    #[cold]
    pub fn push_pair(&mut self, error: &EvalError, left: &[u8], right: &[u8], weight: i64) {
        self.push_rows(error, &[left, right], weight);
    }

    fn push_rows(&mut self, error: &EvalError, rows: &[&[u8]], weight: i64) {
        let mut values = Vec::new();
        let mut owner = "";
        if let Some(context) = self.contexts.get(self.current) {
            owner = &context.owner;
            for (row, layout) in rows.iter().zip(&context.layouts) {
                values.extend(layout.columns().iter().copied().zip(layout.decode(row)));
            }
        }
        write_error(&mut self.batch, owner, error, &values, weight);
    }

    /// Registers whom to blame while a node runs; the result is for [`Errors::enter`].
    pub(crate) fn add_context(&mut self, context: Context) -> usize {
        self.contexts.push(context);
        self.contexts.len() - 1
    }

    /// From here on failures belong to this context.
    #[inline]
    pub(crate) fn enter(&mut self, context: usize) {
        self.current = context;
    }
}

/// Appends one row of the error stream.
pub(crate) fn write_error(
    out: &mut Batch,
    owner: &str,
    error: &EvalError,
    values: &[(ColumnType, Value)],
    weight: i64,
) {
    let mut metadata = format!(
        "{{\"sqlstate\":\"{}\",\"line\":{},\"column\":{},\"row\":[",
        error.error.code, error.line, error.column
    );
    for (position, (column, value)) in values.iter().enumerate() {
        if position > 0 {
            metadata.push(',');
        }
        json_value(value, column.ty, &mut metadata);
    }
    metadata.push_str("]}");
    row::put_text(out.buffer(), owner);
    row::put_text(out.buffer(), &error.error.message);
    row::put_text(out.buffer(), &metadata);
    out.commit(weight);
}

/// A row as text for a message: its values by position, as in the metadata.
pub(crate) fn row_text(layout: &Layout, row: &[u8]) -> String {
    let mut text = String::from("(");
    for (position, (column, value)) in layout.columns().iter().zip(layout.decode(row)).enumerate() {
        if position > 0 {
            text.push_str(", ");
        }
        json_value(&value, column.ty, &mut text);
    }
    text.push(')');
    text
}
