//! Between [`Value`] and the native types of kernels: how the interpreter calls the functions of the library.

use crate::{Nested, SqlError, SqlType, Value};
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
native!(i64: Value::BigInt(v) | Value::Time(v) | Value::Timestamp(v) | Value::TimestampTz(v) | Value::IntervalShort(v) => v;
    SqlType::BigInt => Value::BigInt, SqlType::Time => Value::Time, SqlType::Timestamp => Value::Timestamp,
    SqlType::TimestampTz => Value::TimestampTz, SqlType::IntervalShort { .. } => Value::IntervalShort);
native!(u8: Value::UTinyInt(v) => v; SqlType::UTinyInt => Value::UTinyInt);
native!(u16: Value::USmallInt(v) => v; SqlType::USmallInt => Value::USmallInt);
native!(u32: Value::UInteger(v) => v; SqlType::UInteger => Value::UInteger);
native!(u64: Value::UBigInt(v) => v; SqlType::UBigInt => Value::UBigInt);
native!(u128: Value::Uuid(v) => v; SqlType::Uuid => Value::Uuid);
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

impl<'a> FromValue<'a> for &'a [u8] {
    #[inline]
    fn from_value(value: &'a Value) -> Option<Self> {
        match value {
            Value::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for &'a Value {
    #[inline]
    fn from_value(value: &'a Value) -> Option<Self> {
        match value {
            Value::Array(_) | Value::Map(_) | Value::Row(_) | Value::Variant(_) => Some(value),
            _ => None,
        }
    }
}

impl IntoValue for &[u8] {
    fn into_value(self, ty: SqlType) -> Option<Value> {
        ty.is_binary().then(|| Value::binary(self))
    }
}

impl IntoValue for Vec<u8> {
    fn into_value(self, ty: SqlType) -> Option<Value> {
        ty.is_binary().then(|| Value::binary(self))
    }
}

impl IntoValue for Cow<'_, [u8]> {
    fn into_value(self, ty: SqlType) -> Option<Value> {
        ty.is_binary().then(|| Value::binary(self))
    }
}

impl IntoValue for &Value {
    fn into_value(self, ty: SqlType) -> Option<Value> {
        ty.is_nested().then(|| self.clone())
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

/// A native type that generated code takes out of a [`Value`].
pub trait Unbox: Sized {
    /// `None` when the value is of another type (NULL included).
    fn unbox(value: Value) -> Option<Self>;
}

macro_rules! unbox_plain {
    ($($native:ty),+) => {
        $(impl Unbox for $native {
            #[inline]
            fn unbox(value: Value) -> Option<Self> {
                Self::from_value(&value)
            }
        })+
    };
}

unbox_plain!(bool, i8, i16, i32, i64, i128, u8, u16, u32, u64, u128, f32, f64);

impl Unbox for Cow<'_, str> {
    fn unbox(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Cow::Owned(text.into_string())),
            _ => None,
        }
    }
}

impl Unbox for Cow<'_, [u8]> {
    fn unbox(value: Value) -> Option<Self> {
        match value {
            Value::Binary(bytes) => Some(Cow::Owned(bytes.into_vec())),
            _ => None,
        }
    }
}

impl Unbox for Nested {
    fn unbox(value: Value) -> Option<Self> {
        (!value.is_null()).then_some(Nested(value))
    }
}

/// The native value of a result that may be NULL.
#[inline]
pub fn unbox<T: Unbox>(value: Value) -> Option<T> {
    T::unbox(value)
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
