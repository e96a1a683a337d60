//! Functions over rows: the binder makes their calls and gives their types.

use crate::function::Signature;
use crate::{SqlError, Value, record};

pub fn constructor(values: &[Value], _: &Signature<'_>) -> Result<Value, SqlError> {
    Ok(Value::row(values.iter().cloned()))
}

/// The field at a position from 0.
pub fn field(values: &[Value], _: &Signature<'_>) -> Result<Value, SqlError> {
    let (Value::Row(fields), Value::Integer(at)) = (&values[0], &values[1]) else { return Ok(Value::Null) };
    Ok(usize::try_from(*at).ok().and_then(|at| fields.get(at)).cloned().unwrap_or(Value::Null))
}

boxed_functions! { pub static FUNCTIONS:
    "ROW" (; ANY) -> (is ANY) = record::constructor, Never {}, "The arguments as a row.";
    "FIELD" (ROW, INTEGER) -> (is ANY) = record::field, StrictToOption {}, "A field of a row, as r.field writes it.";
    "FIELD NOT NULL" (ROW, INTEGER) -> (is ANY) = record::field, Strict {}, "A field that is not NULL of a row that is not NULL.";
}
