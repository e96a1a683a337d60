//! The SQL types of columns and expressions.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Fields of an interval type, most significant first, e.g. `DAY TO SECOND`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum IntervalUnit {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

/// A part of a type that lives as long as the process: types are `Copy` and stand in constants. There are only as many as
/// programs name, so those read from a file are leaked.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part<T: ?Sized + 'static>(pub &'static T);

impl<T: ?Sized> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Part<T> {}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Part<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: ?Sized> std::ops::Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> Part<T> {
    pub fn new(part: T) -> Part<T> {
        Part(Box::leak(Box::new(part)))
    }
}

impl<T> Part<[T]> {
    pub fn list(parts: Vec<T>) -> Part<[T]> {
        Part(Box::leak(parts.into_boxed_slice()))
    }
}

impl Part<str> {
    pub fn name(text: &str) -> Part<str> {
        Part(Box::leak(text.to_string().into_boxed_str()))
    }
}

impl<T: ?Sized + Serialize> Serialize for Part<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Part<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Part::new)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Part<[T]> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Part::list)
    }
}

impl<'de> Deserialize<'de> for Part<str> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Part::name(&text))
    }
}

/// A field of a ROW type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RowField {
    pub name: Part<str>,
    #[serde(flatten)]
    pub columntype: ColumnType,
}

/// A SQL type without its nullability.
///
/// Native representation in kernels (also the payload of [`crate::Value`]): BOOLEAN `bool`; integers `i8`..`i64` and `u8`..`u64`;
/// DECIMAL an `i128` of units of 10^-scale; REAL `f32`; DOUBLE `f64`; CHAR and VARCHAR `Cow<str>` ([`crate::Text`]); BINARY
/// and VARBINARY `Cow<[u8]>` ([`crate::Bytes`]); DATE `i32` days since 1970-01-01; TIME `i64` nanoseconds since midnight;
/// TIMESTAMP `i64` microseconds since 1970-01-01 without zone, WITH TIME ZONE in UTC; short intervals `i64` microseconds; long
/// intervals `i32` months; UUID `u128`; ARRAY, MAP, ROW and VARIANT a [`crate::Value`] ([`crate::Nested`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SqlType {
    /// The type of a bare NULL literal; never the type of a stored column.
    Null,
    Boolean,
    TinyInt,
    SmallInt,
    Integer,
    BigInt,
    UTinyInt,
    USmallInt,
    UInteger,
    UBigInt,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Real,
    Double,
    /// Blank-padded to `length` Unicode characters.
    Char {
        length: u32,
    },
    /// At most `length` Unicode characters; `None` is unlimited.
    Varchar {
        length: Option<u32>,
    },
    /// Padded with zero bytes to `length` bytes.
    Binary {
        length: u32,
    },
    /// At most `length` bytes; `None` is unlimited.
    Varbinary {
        length: Option<u32>,
    },
    Date,
    Time,
    Timestamp,
    /// TIMESTAMP WITH TIME ZONE: an instant; the zone of its text is not kept.
    TimestampTz,
    /// Day-time interval from `from` to `to` (DAY..SECOND), microseconds.
    IntervalShort {
        from: IntervalUnit,
        to: IntervalUnit,
    },
    /// Year-month interval from `from` to `to` (YEAR..MONTH), months.
    IntervalLong {
        from: IntervalUnit,
        to: IntervalUnit,
    },
    Uuid,
    /// Elements may be NULL.
    Array(Part<SqlType>),
    /// Key and value, which both may be NULL; entries are in the order of their keys, which differ.
    Map(Part<(SqlType, SqlType)>),
    Row(Part<[RowField]>),
    /// Any value with its type, or the null of JSON.
    Variant,
}

impl SqlType {
    pub const VARCHAR: SqlType = SqlType::Varchar { length: None };
    pub const VARBINARY: SqlType = SqlType::Varbinary { length: None };

    pub fn array(element: SqlType) -> SqlType {
        SqlType::Array(Part::new(element))
    }

    pub fn map(key: SqlType, value: SqlType) -> SqlType {
        SqlType::Map(Part::new((key, value)))
    }

    pub fn row(fields: Vec<RowField>) -> SqlType {
        SqlType::Row(Part::list(fields))
    }

    pub fn is_text(self) -> bool {
        matches!(self, SqlType::Char { .. } | SqlType::Varchar { .. })
    }

    pub fn is_binary(self) -> bool {
        matches!(self, SqlType::Binary { .. } | SqlType::Varbinary { .. })
    }

    /// Is the native value a tree of values?
    pub fn is_nested(self) -> bool {
        matches!(self, SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_) | SqlType::Variant)
    }

    pub fn is_integer(self) -> bool {
        matches!(self, SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt) || self.is_unsigned()
    }

    pub fn is_unsigned(self) -> bool {
        matches!(self, SqlType::UTinyInt | SqlType::USmallInt | SqlType::UInteger | SqlType::UBigInt)
    }

    pub fn is_decimal(self) -> bool {
        matches!(self, SqlType::Decimal { .. })
    }

    pub fn is_float(self) -> bool {
        matches!(self, SqlType::Real | SqlType::Double)
    }

    pub fn is_numeric(self) -> bool {
        self.is_integer() || self.is_decimal() || self.is_float()
    }

    pub fn is_interval(self) -> bool {
        matches!(self, SqlType::IntervalShort { .. } | SqlType::IntervalLong { .. })
    }

    /// The same type up to precision, scale, length, CHAR or VARCHAR, and the units of an interval of one kind: values of
    /// both have one native representation and any function for one takes the other.
    pub fn same_family(self, other: SqlType) -> bool {
        (self.is_text() && other.is_text())
            || (self.is_binary() && other.is_binary())
            || std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// Digits before and after the decimal point of an integer or DECIMAL type.
    pub fn digits(self) -> Option<(u8, u8)> {
        match self {
            SqlType::TinyInt => Some((3, 0)),
            SqlType::SmallInt => Some((5, 0)),
            SqlType::Integer => Some((10, 0)),
            SqlType::BigInt => Some((19, 0)),
            SqlType::UTinyInt => Some((3, 0)),
            SqlType::USmallInt => Some((5, 0)),
            SqlType::UInteger => Some((10, 0)),
            SqlType::UBigInt => Some((20, 0)),
            SqlType::Decimal { precision, scale } => Some((precision.saturating_sub(scale), scale)),
            _ => None,
        }
    }

    /// Bytes of the order-preserving encoding without the NULL tag; `None` for types of variable width.
    pub fn fixed_width(self) -> Option<usize> {
        match self {
            SqlType::Null => Some(0),
            SqlType::Boolean | SqlType::TinyInt | SqlType::UTinyInt => Some(1),
            SqlType::SmallInt | SqlType::USmallInt => Some(2),
            SqlType::Integer | SqlType::UInteger | SqlType::Real | SqlType::Date | SqlType::IntervalLong { .. } => {
                Some(4)
            }
            SqlType::Uuid => Some(16),
            SqlType::Decimal { precision, .. } if precision > 18 => Some(16),
            SqlType::BigInt
            | SqlType::UBigInt
            | SqlType::Decimal { .. }
            | SqlType::Double
            | SqlType::Time
            | SqlType::Timestamp
            | SqlType::TimestampTz
            | SqlType::IntervalShort { .. } => Some(8),
            SqlType::Char { .. }
            | SqlType::Varchar { .. }
            | SqlType::Binary { .. }
            | SqlType::Varbinary { .. }
            | SqlType::Array(_)
            | SqlType::Map(_)
            | SqlType::Row(_)
            | SqlType::Variant => None,
        }
    }
}

impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SqlType::Null => f.write_str("NULL"),
            SqlType::Boolean => f.write_str("BOOLEAN"),
            SqlType::TinyInt => f.write_str("TINYINT"),
            SqlType::SmallInt => f.write_str("SMALLINT"),
            SqlType::Integer => f.write_str("INTEGER"),
            SqlType::BigInt => f.write_str("BIGINT"),
            SqlType::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            SqlType::Real => f.write_str("REAL"),
            SqlType::Double => f.write_str("DOUBLE"),
            SqlType::Char { length } => write!(f, "CHAR({length})"),
            SqlType::Varchar { length: Some(length) } => write!(f, "VARCHAR({length})"),
            SqlType::Varchar { length: None } => f.write_str("VARCHAR"),
            SqlType::UTinyInt => f.write_str("TINYINT UNSIGNED"),
            SqlType::USmallInt => f.write_str("SMALLINT UNSIGNED"),
            SqlType::UInteger => f.write_str("INTEGER UNSIGNED"),
            SqlType::UBigInt => f.write_str("BIGINT UNSIGNED"),
            SqlType::Binary { length } => write!(f, "BINARY({length})"),
            SqlType::Varbinary { length: Some(length) } => write!(f, "VARBINARY({length})"),
            SqlType::Varbinary { length: None } => f.write_str("VARBINARY"),
            SqlType::TimestampTz => f.write_str("TIMESTAMP WITH TIME ZONE"),
            SqlType::Uuid => f.write_str("UUID"),
            SqlType::Variant => f.write_str("VARIANT"),
            SqlType::Array(element) => write!(f, "{} ARRAY", element.0),
            SqlType::Map(entry) => write!(f, "MAP<{}, {}>", entry.0.0, entry.0.1),
            SqlType::Row(fields) => {
                f.write_str("ROW(")?;
                for (position, field) in fields.iter().enumerate() {
                    write!(f, "{}{} {}", if position > 0 { ", " } else { "" }, field.name.0, field.columntype)?;
                }
                f.write_str(")")
            }
            SqlType::Date => f.write_str("DATE"),
            SqlType::Time => f.write_str("TIME"),
            SqlType::Timestamp => f.write_str("TIMESTAMP"),
            SqlType::IntervalShort { from, to } | SqlType::IntervalLong { from, to } => {
                let unit = |u: &IntervalUnit| format!("{u:?}").to_uppercase();
                match from == to {
                    true => write!(f, "INTERVAL {}", unit(from)),
                    false => write!(f, "INTERVAL {} TO {}", unit(from), unit(to)),
                }
            }
        }
    }
}

/// A type with its nullability: what a column or an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColumnType {
    #[serde(rename = "type")]
    pub ty: SqlType,
    pub nullable: bool,
}

impl ColumnType {
    pub const fn new(ty: SqlType, nullable: bool) -> ColumnType {
        ColumnType { ty, nullable }
    }

    /// Bytes of the encoding with the NULL tag, or `None` when the width varies.
    pub fn fixed_width(self) -> Option<usize> {
        self.ty.fixed_width().map(|width| width + usize::from(self.nullable))
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.ty, if self.nullable { "" } else { " NOT NULL" })
    }
}
