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

/// A SQL type without its nullability.
///
/// Native representation in kernels (also the payload of [`crate::Value`]): BOOLEAN `bool`; integers `i8`..`i64`;
/// DECIMAL an `i128` of units of 10^-scale; REAL `f32`; DOUBLE `f64`; CHAR and VARCHAR `Cow<str>` ([`crate::Text`]);
/// DATE `i32` days since 1970-01-01; TIME `i64` nanoseconds since midnight; TIMESTAMP `i64` microseconds since
/// 1970-01-01 without zone; short intervals `i64` microseconds; long intervals `i32` months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SqlType {
    /// The type of a bare NULL literal; never the type of a stored column.
    Null,
    Boolean,
    TinyInt,
    SmallInt,
    Integer,
    BigInt,
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
    Date,
    Time,
    Timestamp,
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
}

impl SqlType {
    pub const VARCHAR: SqlType = SqlType::Varchar { length: None };

    pub fn is_text(self) -> bool {
        matches!(self, SqlType::Char { .. } | SqlType::Varchar { .. })
    }

    pub fn is_integer(self) -> bool {
        matches!(self, SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt)
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
        (self.is_text() && other.is_text()) || std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// Digits before and after the decimal point of an integer or DECIMAL type.
    pub fn digits(self) -> Option<(u8, u8)> {
        match self {
            SqlType::TinyInt => Some((3, 0)),
            SqlType::SmallInt => Some((5, 0)),
            SqlType::Integer => Some((10, 0)),
            SqlType::BigInt => Some((19, 0)),
            SqlType::Decimal { precision, scale } => Some((precision.saturating_sub(scale), scale)),
            _ => None,
        }
    }

    /// Bytes of the order-preserving encoding without the NULL tag; `None` for types of variable width.
    pub fn fixed_width(self) -> Option<usize> {
        match self {
            SqlType::Null => Some(0),
            SqlType::Boolean | SqlType::TinyInt => Some(1),
            SqlType::SmallInt => Some(2),
            SqlType::Integer | SqlType::Real | SqlType::Date | SqlType::IntervalLong { .. } => Some(4),
            SqlType::Decimal { precision, .. } if precision > 18 => Some(16),
            SqlType::BigInt
            | SqlType::Decimal { .. }
            | SqlType::Double
            | SqlType::Time
            | SqlType::Timestamp
            | SqlType::IntervalShort { .. } => Some(8),
            SqlType::Char { .. } | SqlType::Varchar { .. } => None,
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
