//! One scalar of any SQL type, as the interpreter, literals and formats carry it.

use crate::SqlType;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// Character data in kernels: borrowed from a row where it can be.
pub type Text<'a> = Cow<'a, str>;

/// Bytes in kernels: borrowed from a row where they can be.
pub type Bytes<'a> = Cow<'a, [u8]>;

/// An ARRAY, MAP, ROW or VARIANT that a kernel owns.
#[derive(Clone, Debug)]
pub struct Nested(pub Value);

impl Default for Nested {
    fn default() -> Nested {
        Nested(Value::Null)
    }
}

impl Deref for Nested {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl From<Value> for Nested {
    fn from(value: Value) -> Nested {
        Nested(value)
    }
}

impl From<&Value> for Nested {
    fn from(value: &Value) -> Nested {
        Nested(value.clone())
    }
}

/// The value inside a VARIANT. Elements, keys and values inside it are VARIANTs again; a ROW becomes a MAP. A DECIMAL has the
/// least scale that it needs; CHAR is VARCHAR, BINARY is VARBINARY: equal values are equal variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// NULL for NULL, VARIANT for the null of JSON.
    pub ty: SqlType,
    pub value: Value,
}

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
    UTinyInt(u8),
    USmallInt(u16),
    UInteger(u32),
    UBigInt(u64),
    Decimal(i128),
    Real(f32),
    Double(f64),
    Text(Box<str>),
    Binary(Box<[u8]>),
    Date(i32),
    Time(i64),
    Timestamp(i64),
    TimestampTz(i64),
    IntervalShort(i64),
    IntervalLong(i32),
    Uuid(u128),
    Array(Arc<[Value]>),
    /// Entries in the order of their keys, which differ.
    Map(Arc<[(Value, Value)]>),
    Row(Arc<[Value]>),
    Variant(Arc<Variant>),
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
            SqlType::UTinyInt => Value::UTinyInt(0),
            SqlType::USmallInt => Value::USmallInt(0),
            SqlType::UInteger => Value::UInteger(0),
            SqlType::UBigInt => Value::UBigInt(0),
            SqlType::Decimal { .. } => Value::Decimal(0),
            SqlType::Real => Value::Real(0.0),
            SqlType::Double => Value::Double(0.0),
            SqlType::Char { .. } | SqlType::Varchar { .. } => Value::text(""),
            SqlType::Date => Value::Date(0),
            SqlType::Time => Value::Time(0),
            SqlType::Timestamp => Value::Timestamp(0),
            SqlType::IntervalShort { .. } => Value::IntervalShort(0),
            SqlType::IntervalLong { .. } => Value::IntervalLong(0),
            SqlType::TimestampTz => Value::TimestampTz(0),
            SqlType::Uuid => Value::Uuid(0),
            SqlType::Binary { length } => Value::binary(vec![0; length as usize]),
            SqlType::Varbinary { .. } => Value::binary([]),
            SqlType::Array(_) => Value::array([]),
            SqlType::Map(_) => Value::Map(Arc::new([])),
            SqlType::Row(fields) => Value::row(fields.iter().map(|field| match field.columntype.nullable {
                true => Value::Null,
                false => Value::zero(field.columntype.ty),
            })),
            SqlType::Variant => Value::variant(SqlType::Null, Value::Null),
        }
    }

    pub fn text(text: impl Into<Box<str>>) -> Value {
        Value::Text(text.into())
    }

    pub fn binary(bytes: impl Into<Box<[u8]>>) -> Value {
        Value::Binary(bytes.into())
    }

    pub fn array(elements: impl IntoIterator<Item = Value>) -> Value {
        Value::Array(elements.into_iter().collect())
    }

    pub fn row(fields: impl IntoIterator<Item = Value>) -> Value {
        Value::Row(fields.into_iter().collect())
    }

    pub fn variant(ty: SqlType, value: Value) -> Value {
        Value::Variant(Arc::new(Variant { ty, value }))
    }
}
