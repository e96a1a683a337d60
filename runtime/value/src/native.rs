//! Between [`Value`] and the native types of kernels: how the interpreter calls the functions of the library.

use crate::{SqlError, SqlType, Value};
use std::borrow::Cow;
use std::slice::Iter;

/// SQLSTATE of a disagreement between a call and its signature, which only a fault of ours can cause.
const INTERNAL: &str = "XX000";

/// A native type that arguments of functions have.
pub trait FromValue<'a>: Sized {
    /// `None` when the value is of another type (NULL included).
    fn from_value(value: &'a Value) -> Option<Self>;
}

/// A native type that results of functions have.
pub trait IntoValue {
    /// The value as one of this SQL type: an `i64`, for one, may be a BIGINT or a TIMESTAMP.
    fn into_value(self, ty: SqlType) -> Option<Value>;
}

macro_rules! native {
    ($native:ty: $pattern:pat => $payload:expr; $($ty:pat => $value:expr),+) => {
        impl FromValue<'_> for $native {
            #[inline]
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    $pattern => Some(*$payload),
                    _ => None,
                }
            }
        }

        impl IntoValue for $native {
            #[inline]
            fn into_value(self, ty: SqlType) -> Option<Value> {
                match ty {
                    $($ty => Some($value(self)),)+
                    _ => None,
                }
            }
        }
    };
}

native!(bool: Value::Boolean(v) => v; SqlType::Boolean => Value::Boolean);
native!(i8: Value::TinyInt(v) => v; SqlType::TinyInt => Value::TinyInt);
native!(i16: Value::SmallInt(v) => v; SqlType::SmallInt => Value::SmallInt);
native!(i32: Value::Integer(v) | Value::Date(v) | Value::IntervalLong(v) => v;
    SqlType::Integer => Value::Integer, SqlType::Date => Value::Date, SqlType::IntervalLong { .. } => Value::IntervalLong);
native!(i64: Value::BigInt(v) | Value::Time(v) | Value::Timestamp(v) | Value::IntervalShort(v) => v;
    SqlType::BigInt => Value::BigInt, SqlType::Time => Value::Time, SqlType::Timestamp => Value::Timestamp,
    SqlType::IntervalShort { .. } => Value::IntervalShort);
native!(i128: Value::Decimal(v) => v; SqlType::Decimal { .. } => Value::Decimal);
native!(f32: Value::Real(v) => v; SqlType::Real => Value::Real);
native!(f64: Value::Double(v) => v; SqlType::Double => Value::Double);

impl<'a> FromValue<'a> for &'a str {
    #[inline]
    fn from_value(value: &'a Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl IntoValue for &str {
    fn into_value(self, ty: SqlType) -> Option<Value> {
        ty.is_text().then(|| Value::text(self))
    }
}

impl IntoValue for String {
    fn into_value(self, ty: SqlType) -> Option<Value> {
        ty.is_text().then(|| Value::text(self))
    }
}

impl IntoValue for Cow<'_, str> {
    fn into_value(self, ty: SqlType) -> Option<Value> {
        ty.is_text().then(|| Value::text(self))
    }
}

/// The next argument as a native value.
pub fn plain<'a, T: FromValue<'a>>(values: &mut Iter<'a, Value>) -> Result<T, SqlError> {
    values.next().and_then(T::from_value).ok_or_else(mismatch)
}

/// The next argument as a native value or NULL.
pub fn optional<'a, T: FromValue<'a>>(values: &mut Iter<'a, Value>) -> Result<Option<T>, SqlError> {
    match values.next() {
        Some(Value::Null) => Ok(None),
        Some(value) => T::from_value(value).map(Some).ok_or_else(mismatch),
        None => Err(mismatch()),
    }
}

/// All further arguments, for the repeated parameter.
pub fn plain_rest<'a, T: FromValue<'a>>(values: &mut Iter<'a, Value>) -> Result<Vec<T>, SqlError> {
    values.map(|value| T::from_value(value).ok_or_else(mismatch)).collect()
}

/// All further arguments, for the repeated parameter.
pub fn optional_rest<'a, T: FromValue<'a>>(values: &mut Iter<'a, Value>) -> Result<Vec<Option<T>>, SqlError> {
    let mut rest = Vec::with_capacity(values.len());
    while values.len() > 0 {
        rest.push(optional(values)?);
    }
    Ok(rest)
}

/// The result of a function that never yields NULL.
pub fn plain_result<T: IntoValue>(result: T, ty: SqlType) -> Result<Value, SqlError> {
    result.into_value(ty).ok_or_else(mismatch)
}

/// The result of a function that may yield NULL.
pub fn optional_result<T: IntoValue>(result: Option<T>, ty: SqlType) -> Result<Value, SqlError> {
    match result {
        Some(result) => plain_result(result, ty),
        None => Ok(Value::Null),
    }
}

fn mismatch() -> SqlError {
    SqlError::new(
        INTERNAL,
        "a function was called with values of other types than its signature says (a fault of ours)",
    )
}
