//! The evaluation-error stream: rows that failed, as data, with weights like any other row.

use crate::{Batch, Layout, row};
use feldc_value::{ColumnType, EvalError, SqlType, Value};
use std::fmt::Write;

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
        write_json(&mut metadata, column.ty, value);
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
        write_json(&mut text, column.ty, &value);
    }
    text.push(')');
    text
}

/// Numbers, truth values and NULL as themselves, all else as text.
fn write_json(out: &mut String, ty: SqlType, value: &Value) {
    let written = match value {
        Value::Null => write!(out, "null"),
        Value::Boolean(value) => write!(out, "{value}"),
        Value::TinyInt(value) => write!(out, "{value}"),
        Value::SmallInt(value) => write!(out, "{value}"),
        Value::Integer(value) => write!(out, "{value}"),
        Value::BigInt(value) => write!(out, "{value}"),
        Value::Real(value) if value.is_finite() => write!(out, "{value:?}"),
        Value::Double(value) if value.is_finite() => write!(out, "{value:?}"),
        Value::Real(value) => write!(out, "\"{value}\""),
        Value::Double(value) => write!(out, "\"{value}\""),
        Value::Decimal(units) => write_decimal(out, ty, *units),
        Value::Text(text) => write_json_text(out, text),
        Value::Date(count) | Value::IntervalLong(count) => write!(out, "{count}"),
        Value::Time(count) | Value::Timestamp(count) | Value::IntervalShort(count) => write!(out, "{count}"),
    };
    written.expect("a String takes all that is written");
}

fn write_decimal(out: &mut String, ty: SqlType, units: i128) -> std::fmt::Result {
    let scale = match ty {
        SqlType::Decimal { scale, .. } => usize::from(scale),
        _ => 0,
    };
    let digits = format!("{:0width$}", units.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if units < 0 { "-" } else { "" };
    match scale {
        0 => write!(out, "{sign}{whole}"),
        _ => write!(out, "{sign}{whole}.{fraction}"),
    }
}

fn write_json_text(out: &mut String, text: &str) -> std::fmt::Result {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{character}")?,
            '\n' => out.push_str("\\n"),
            '\0'..' ' => write!(out, "\\u{:04x}", character as u32)?,
            _ => out.push(character),
        }
    }
    out.push('"');
    Ok(())
}
