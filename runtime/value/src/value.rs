//! One scalar of any SQL type, as the interpreter, literals and formats carry it.

use crate::SqlType;
use std::borrow::Cow;

/// Character data in kernels: borrowed from a row where it can be.
pub type Text<'a> = Cow<'a, str>;

/// A scalar. The SQL type stands beside it (a DECIMAL's scale, a CHAR's length are not repeated here);
/// payloads are those listed at [`crate::SqlType`]. The derived order is only for use inside one type,
/// and does not order floats as SQL does: compare encoded rows or use the comparison functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    TinyInt(i8),
    SmallInt(i16),
    Integer(i32),
    BigInt(i64),
    Decimal(i128),
    Real(f32),
    Double(f64),
    Text(Box<str>),
    Date(i32),
    Time(i64),
    Timestamp(i64),
    IntervalShort(i64),
    IntervalLong(i32),
}

impl Value {
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Some value of a type: 0, FALSE, the empty text, the epoch; NULL where there is no other.
    pub fn zero(ty: SqlType) -> Value {
        match ty {
            SqlType::Null => Value::Null,
            SqlType::Boolean => Value::Boolean(false),
            SqlType::TinyInt => Value::TinyInt(0),
            SqlType::SmallInt => Value::SmallInt(0),
            SqlType::Integer => Value::Integer(0),
            SqlType::BigInt => Value::BigInt(0),
            SqlType::Decimal { .. } => Value::Decimal(0),
            SqlType::Real => Value::Real(0.0),
            SqlType::Double => Value::Double(0.0),
            SqlType::Char { .. } | SqlType::Varchar { .. } => Value::text(""),
            SqlType::Date => Value::Date(0),
            SqlType::Time => Value::Time(0),
            SqlType::Timestamp => Value::Timestamp(0),
            SqlType::IntervalShort { .. } => Value::IntervalShort(0),
            SqlType::IntervalLong { .. } => Value::IntervalLong(0),
        }
    }

    pub fn text(text: impl Into<Box<str>>) -> Value {
        Value::Text(text.into())
    }
}
