//! CAST: which conversion leads from one type to another.

use crate::decimal::shape;
use crate::error::CANNOT_COERCE;
use crate::function::{Function, Returns, kind};
use crate::{SqlError, SqlType, binary, convert, nested, text_form, uuid};

/// The function that casts `from` to `to`; `None` when the native value needs no change.
///
/// Error 42846 when there is no such cast.
pub fn cast_function(from: SqlType, to: SqlType) -> Result<Option<&'static Function>, SqlError> {
    if is_unchanged(from, to) {
        return Ok(None);
    }
    if from.is_nested() || to.is_nested() {
        return nested_cast(from, to).map(Some);
    }
    let countable =
        |interval: SqlType, number: SqlType| !interval.is_interval() || !number.is_numeric() || has_one_unit(interval);
    let lossless = is_lossless(from, to);
    let mut candidates = FAMILIES.iter().copied().flatten().filter(|function| {
        function.parameters[0].accepts(from) && matches!(function.returns, Returns::Is(ty) if ty.same_family(to))
    });
    // Where a type pair has two functions, the one that cannot fail stands first.
    let function = match lossless {
        true => candidates.next(),
        false => candidates.next_back(),
    };
    match function.filter(|_| countable(from, to) && countable(to, from)) {
        Some(function) => Ok(Some(function)),
        None => Err(SqlError::new(CANNOT_COERCE, format!("cannot cast {from} to {to}"))),
    }
}

fn nested_cast(from: SqlType, to: SqlType) -> Result<&'static Function, SqlError> {
    let none = || SqlError::new(CANNOT_COERCE, format!("cannot cast {from} to {to}"));
    if !nested::castable(from, to) {
        return Err(none());
    }
    let fits = |function: &&Function| match (function.parameters[0], function.returns) {
        (_, Returns::Is(ty)) if to == SqlType::Variant => ty == SqlType::Variant,
        (parameter, Returns::Is(ty)) if from == SqlType::Variant => parameter.accepts(from) && ty == kind::ANY,
        (parameter, Returns::Is(ty)) => parameter.accepts(from) && ty.same_family(to),
        _ => false,
    };
    nested::CASTS.iter().find(fits).ok_or_else(none)
}

/// A number counts the units of an interval only when there is one.
fn has_one_unit(interval: SqlType) -> bool {
    match interval {
        SqlType::IntervalShort { from, to } | SqlType::IntervalLong { from, to } => from == to,
        _ => false,
    }
}

/// Has the native value the same meaning in both types?
fn is_unchanged(from: SqlType, to: SqlType) -> bool {
    use SqlType::*;
    match (from, to) {
        (Null, _) => true,
        _ if from == to => true,
        (Char { .. } | Varchar { .. }, Varchar { length: None }) => true,
        (Char { length } | Varchar { length: Some(length) }, Varchar { length: Some(limit) }) => length <= limit,
        (Binary { .. } | Varbinary { .. }, Varbinary { length: None }) => true,
        (Varbinary { length: Some(length) }, Varbinary { length: Some(limit) }) => length <= limit,
        (Binary { length }, Varbinary { length: Some(limit) }) => length <= limit,
        (Decimal { precision: p1, scale: s1 }, Decimal { precision: p2, scale: s2 }) => s1 == s2 && p1 <= p2,
        (IntervalShort { .. }, IntervalShort { .. }) | (IntervalLong { .. }, IntervalLong { .. }) => true,
        _ => false,
    }
}

/// Does an exact number type hold every value of another?
fn is_lossless(from: SqlType, to: SqlType) -> bool {
    match (from.digits(), to) {
        (Some((integer, scale)), SqlType::Decimal { .. }) => {
            let (to_precision, to_scale) = shape(to);
            scale <= to_scale && integer <= to_precision.saturating_sub(to_scale)
        }
        _ => true,
    }
}

macro_rules! from_integer {
    ($list:ident $kind:ident $native:ident $to_text:ident) => {
        functions! { static $list:
            "CAST" ($kind) -> BOOLEAN = convert::int_to_bool::<$native>, Strict {}, "Is the number not zero?";
            "CAST" ($kind) -> DECIMAL = convert::int_to_wide_decimal::<$native>, Strict {typed monotone}, "The same number.";
            "CAST" ($kind) -> DECIMAL = convert::int_to_decimal::<$native>, Strict {typed fallible monotone}, "The same number; an error when it does not fit.";
            "CAST" ($kind) -> REAL = convert::int_to_float::<$native, f32>, Strict {monotone}, "The nearest float.";
            "CAST" ($kind) -> DOUBLE = convert::int_to_float::<$native, f64>, Strict {monotone}, "The nearest float.";
            "CAST" ($kind) -> VARCHAR = convert::$to_text, Strict {typed}, "Decimal digits.";
            "CAST" ($kind) -> VARBINARY = binary::from_int::<$native>, Strict {typed}, "Big-endian.";
            "CAST" ($kind) -> TIMESTAMP = convert::int_to_timestamp::<$native>, Strict {fallible monotone}, "Milliseconds since 1970, to the second.";
            "CAST" ($kind) -> SHORT = convert::int_to_short::<$native>, Strict {typed fallible monotone}, "So many units of the interval.";
            "CAST" ($kind) -> LONG = convert::int_to_long::<$native>, Strict {typed fallible monotone}, "So many units of the interval.";
        }
    };
}

from_integer!(TINYINTS TINYINT i8 tinyint_to_text);
from_integer!(SMALLINTS SMALLINT i16 smallint_to_text);
from_integer!(INTEGERS INTEGER i32 integer_to_text);
from_integer!(BIGINTS BIGINT i64 bigint_to_text);
from_integer!(UTINYINTS UTINYINT u8 utinyint_to_text);
from_integer!(USMALLINTS USMALLINT u16 usmallint_to_text);
from_integer!(UINTEGERS UINTEGER u32 uinteger_to_text);
from_integer!(UBIGINTS UBIGINT u64 ubigint_to_text);

functions! { static BETWEEN_INTEGERS:
    "CAST" (TINYINT) -> SMALLINT = convert::widen::<i8, i16>, Strict {monotone}, "The same number.";
    "CAST" (TINYINT) -> INTEGER = convert::widen::<i8, i32>, Strict {monotone}, "The same number.";
    "CAST" (TINYINT) -> BIGINT = convert::widen::<i8, i64>, Strict {monotone}, "The same number.";
    "CAST" (TINYINT) -> UTINYINT = convert::narrow::<i8, u8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (TINYINT) -> USMALLINT = convert::narrow::<i8, u16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (TINYINT) -> UINTEGER = convert::narrow::<i8, u32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (TINYINT) -> UBIGINT = convert::narrow::<i8, u64>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (SMALLINT) -> TINYINT = convert::narrow::<i16, i8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (SMALLINT) -> INTEGER = convert::widen::<i16, i32>, Strict {monotone}, "The same number.";
    "CAST" (SMALLINT) -> BIGINT = convert::widen::<i16, i64>, Strict {monotone}, "The same number.";
    "CAST" (SMALLINT) -> UTINYINT = convert::narrow::<i16, u8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (SMALLINT) -> USMALLINT = convert::narrow::<i16, u16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (SMALLINT) -> UINTEGER = convert::narrow::<i16, u32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (SMALLINT) -> UBIGINT = convert::narrow::<i16, u64>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (INTEGER) -> TINYINT = convert::narrow::<i32, i8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (INTEGER) -> SMALLINT = convert::narrow::<i32, i16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (INTEGER) -> BIGINT = convert::widen::<i32, i64>, Strict {monotone}, "The same number.";
    "CAST" (INTEGER) -> UTINYINT = convert::narrow::<i32, u8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (INTEGER) -> USMALLINT = convert::narrow::<i32, u16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (INTEGER) -> UINTEGER = convert::narrow::<i32, u32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (INTEGER) -> UBIGINT = convert::narrow::<i32, u64>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (BIGINT) -> TINYINT = convert::narrow::<i64, i8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (BIGINT) -> SMALLINT = convert::narrow::<i64, i16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (BIGINT) -> INTEGER = convert::narrow::<i64, i32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (BIGINT) -> UTINYINT = convert::narrow::<i64, u8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (BIGINT) -> USMALLINT = convert::narrow::<i64, u16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (BIGINT) -> UINTEGER = convert::narrow::<i64, u32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (BIGINT) -> UBIGINT = convert::narrow::<i64, u64>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UTINYINT) -> TINYINT = convert::narrow::<u8, i8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UTINYINT) -> SMALLINT = convert::widen::<u8, i16>, Strict {monotone}, "The same number.";
    "CAST" (UTINYINT) -> INTEGER = convert::widen::<u8, i32>, Strict {monotone}, "The same number.";
    "CAST" (UTINYINT) -> BIGINT = convert::widen::<u8, i64>, Strict {monotone}, "The same number.";
    "CAST" (UTINYINT) -> USMALLINT = convert::widen::<u8, u16>, Strict {monotone}, "The same number.";
    "CAST" (UTINYINT) -> UINTEGER = convert::widen::<u8, u32>, Strict {monotone}, "The same number.";
    "CAST" (UTINYINT) -> UBIGINT = convert::widen::<u8, u64>, Strict {monotone}, "The same number.";
    "CAST" (USMALLINT) -> TINYINT = convert::narrow::<u16, i8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (USMALLINT) -> SMALLINT = convert::narrow::<u16, i16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (USMALLINT) -> INTEGER = convert::widen::<u16, i32>, Strict {monotone}, "The same number.";
    "CAST" (USMALLINT) -> BIGINT = convert::widen::<u16, i64>, Strict {monotone}, "The same number.";
    "CAST" (USMALLINT) -> UTINYINT = convert::narrow::<u16, u8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (USMALLINT) -> UINTEGER = convert::widen::<u16, u32>, Strict {monotone}, "The same number.";
    "CAST" (USMALLINT) -> UBIGINT = convert::widen::<u16, u64>, Strict {monotone}, "The same number.";
    "CAST" (UINTEGER) -> TINYINT = convert::narrow::<u32, i8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UINTEGER) -> SMALLINT = convert::narrow::<u32, i16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UINTEGER) -> INTEGER = convert::narrow::<u32, i32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UINTEGER) -> BIGINT = convert::widen::<u32, i64>, Strict {monotone}, "The same number.";
    "CAST" (UINTEGER) -> UTINYINT = convert::narrow::<u32, u8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UINTEGER) -> USMALLINT = convert::narrow::<u32, u16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UINTEGER) -> UBIGINT = convert::widen::<u32, u64>, Strict {monotone}, "The same number.";
    "CAST" (UBIGINT) -> TINYINT = convert::narrow::<u64, i8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UBIGINT) -> SMALLINT = convert::narrow::<u64, i16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UBIGINT) -> INTEGER = convert::narrow::<u64, i32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UBIGINT) -> BIGINT = convert::narrow::<u64, i64>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UBIGINT) -> UTINYINT = convert::narrow::<u64, u8>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UBIGINT) -> USMALLINT = convert::narrow::<u64, u16>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
    "CAST" (UBIGINT) -> UINTEGER = convert::narrow::<u64, u32>, Strict {fallible monotone}, "The same number; an error when it does not fit.";
}

macro_rules! to_integer {
    ($list:ident $kind:ident $native:ident) => {
        functions! { static $list:
            "CAST" (DECIMAL) -> $kind = convert::decimal_to_int::<$native>, Strict {typed fallible monotone}, "The number without its fraction.";
            "CAST" (REAL) -> $kind = convert::float_to_int::<f32, $native>, Strict {fallible monotone}, "The number without its fraction.";
            "CAST" (DOUBLE) -> $kind = convert::float_to_int::<f64, $native>, Strict {fallible monotone}, "The number without its fraction.";
            "CAST" (VARCHAR) -> $kind = convert::text_to_int::<$native>, Strict {fallible}, "The number that the text denotes.";
            "CAST" (TIMESTAMP) -> $kind = convert::timestamp_to_int::<$native>, Strict {fallible monotone}, "Milliseconds since 1970.";
            "CAST" (SHORT) -> $kind = convert::short_to_int::<$native>, Strict {typed fallible monotone}, "Whole units of the interval.";
            "CAST" (BOOLEAN) -> $kind = convert::widen::<bool, $native>, Strict {monotone}, "1 for TRUE, 0 for FALSE.";
            "CAST" (LONG) -> $kind = convert::long_to_int::<$native>, Strict {typed fallible monotone}, "Whole units of the interval.";
        }
    };
}

to_integer!(TO_TINYINTS TINYINT i8);
to_integer!(TO_SMALLINTS SMALLINT i16);
to_integer!(TO_INTEGERS INTEGER i32);
to_integer!(TO_BIGINTS BIGINT i64);
to_integer!(TO_UTINYINTS UTINYINT u8);
to_integer!(TO_USMALLINTS USMALLINT u16);
to_integer!(TO_UINTEGERS UINTEGER u32);
to_integer!(TO_UBIGINTS UBIGINT u64);

functions! { static NUMBERS:
    "CAST" (DECIMAL) -> DECIMAL = convert::decimal_to_wider_decimal, Strict {typed monotone}, "The same number.";
    "CAST" (DECIMAL) -> DECIMAL = convert::decimal_to_decimal, Strict {typed fallible monotone}, "The number cut off at the scale.";
    "CAST" (DECIMAL) -> BOOLEAN = convert::decimal_to_bool, Strict {}, "Is the number not zero?";
    "CAST" (DECIMAL) -> REAL = convert::decimal_to_real, Strict {typed monotone}, "The nearest float.";
    "CAST" (DECIMAL) -> DOUBLE = convert::decimal_to_double, Strict {typed monotone}, "The nearest float.";
    "CAST" (DECIMAL) -> VARCHAR = convert::decimal_to_text, Strict {typed}, "Digits, with all of the scale.";
    "CAST" (DECIMAL) -> TIMESTAMP = convert::decimal_to_timestamp, Strict {typed fallible monotone}, "Milliseconds since 1970, to the second.";
    "CAST" (DECIMAL) -> SHORT = convert::decimal_to_short, Strict {typed fallible monotone}, "So many units of the interval.";
    "CAST" (REAL) -> BOOLEAN = convert::float_to_bool::<f32>, Strict {}, "Is the number not zero?";
    "CAST" (REAL) -> DECIMAL = convert::float_to_decimal::<f32>, Strict {typed fallible monotone}, "The number as shown, cut off at the scale.";
    "CAST" (REAL) -> DOUBLE = convert::widen::<f32, f64>, Strict {monotone}, "The same number.";
    "CAST" (REAL) -> VARCHAR = convert::real_to_text, Strict {typed}, "The shortest digits that denote the number.";
    "CAST" (REAL) -> TIMESTAMP = convert::float_to_timestamp::<f32>, Strict {fallible monotone}, "Milliseconds since 1970, to the second.";
    "CAST" (DOUBLE) -> BOOLEAN = convert::float_to_bool::<f64>, Strict {}, "Is the number not zero?";
    "CAST" (DOUBLE) -> DECIMAL = convert::float_to_decimal::<f64>, Strict {typed fallible monotone}, "The number as shown, cut off at the scale.";
    "CAST" (DOUBLE) -> REAL = convert::double_to_real, Strict {monotone}, "The nearest REAL; Infinity past its range.";
    "CAST" (DOUBLE) -> VARCHAR = convert::double_to_text, Strict {typed}, "The shortest digits that denote the number.";
    "CAST" (DOUBLE) -> TIMESTAMP = convert::float_to_timestamp::<f64>, Strict {fallible monotone}, "Milliseconds since 1970, to the second.";
}

functions! { static TIMES:
    "CAST" (DATE) -> TIMESTAMP = convert::date_to_timestamp, Strict {monotone}, "Midnight.";
    "CAST" (DATE) -> VARCHAR = convert::date_to_text, Strict {typed monotone}, "YYYY-MM-DD.";
    "CAST" (TIME) -> TIMESTAMP = convert::time_to_timestamp, Strict {monotone}, "The time on 1970-01-01.";
    "CAST" (TIME) -> VARCHAR = convert::time_to_text, Strict {typed}, "HH:MM:SS, with a fraction of nine digits unless it is zero.";
    "CAST" (TIMESTAMP) -> DATE = convert::timestamp_to_date, Strict {monotone}, "The day.";
    "CAST" (TIMESTAMP) -> TIME = convert::timestamp_to_time, Strict {}, "The time of day.";
    "CAST" (TIMESTAMP) -> DECIMAL = convert::timestamp_to_decimal, Strict {typed fallible monotone}, "Milliseconds since 1970.";
    "CAST" (TIMESTAMP) -> REAL = convert::timestamp_to_float::<f32>, Strict {monotone}, "Milliseconds since 1970.";
    "CAST" (TIMESTAMP) -> DOUBLE = convert::timestamp_to_float::<f64>, Strict {monotone}, "Milliseconds since 1970.";
    "CAST" (TIMESTAMP) -> VARCHAR = convert::timestamp_to_text, Strict {typed}, "YYYY-MM-DD HH:MM:SS, with a fraction where there is one.";
    "CAST" (TIMESTAMP) -> TIMESTAMPTZ = convert::widen::<i64, i64>, Strict {monotone}, "The instant with that time in UTC.";
    "CAST" (DATE) -> TIMESTAMPTZ = convert::date_to_timestamp, Strict {monotone}, "Midnight in UTC.";
    "CAST" (TIMESTAMPTZ) -> TIMESTAMP = convert::widen::<i64, i64>, Strict {monotone}, "The time in UTC.";
    "CAST" (TIMESTAMPTZ) -> DATE = convert::timestamp_to_date, Strict {monotone}, "The day in UTC.";
    "CAST" (TIMESTAMPTZ) -> TIME = convert::timestamp_to_time, Strict {}, "The time of day in UTC.";
    "CAST" (TIMESTAMPTZ) -> VARCHAR = convert::timestamp_tz_to_text, Strict {typed}, "YYYY-MM-DD HH:MM:SS in UTC, with a fraction where there is one, and +00:00.";
    "CAST" (SHORT) -> DECIMAL = convert::short_to_decimal, Strict {typed fallible monotone}, "Units of the interval.";
    "CAST" (SHORT) -> VARCHAR = convert::short_to_text, Strict {typed}, "The interval's fields with a sign.";
    "CAST" (LONG) -> DECIMAL = convert::long_to_decimal, Strict {typed fallible monotone}, "Whole units of the interval.";
    "CAST" (LONG) -> VARCHAR = convert::long_to_text, Strict {typed}, "The interval's fields with a sign.";
}

functions! { static TEXTS:
    "CAST" (BOOLEAN) -> VARCHAR = convert::bool_to_text, Strict {typed}, "TRUE or FALSE.";
    "CAST" (VARCHAR) -> BOOLEAN = text_form::text_to_bool, Strict {fallible}, "true or false in any case.";
    "CAST" (VARCHAR) -> DECIMAL = convert::text_to_decimal, Strict {typed fallible}, "The number that the text denotes, halves rounded to the even digit.";
    "CAST" (VARCHAR) -> REAL = text_form::text_to_real, Strict {fallible}, "The float that the text denotes.";
    "CAST" (VARCHAR) -> DOUBLE = text_form::text_to_double, Strict {fallible}, "The float that the text denotes.";
    "CAST" (VARCHAR) -> VARCHAR = convert::text_to_text, Strict {typed}, "The text, cut off or padded to its type.";
    "CAST" (VARCHAR) -> DATE = text_form::text_to_date, Strict {fallible}, "YYYY-MM-DD.";
    "CAST" (VARCHAR) -> TIME = text_form::text_to_time, Strict {fallible}, "HH:MM:SS with an optional fraction.";
    "CAST" (VARCHAR) -> TIMESTAMP = text_form::text_to_timestamp, Strict {fallible}, "Day, time and optional offset, in UTC.";
    "CAST" (VARCHAR) -> TIMESTAMPTZ = text_form::text_to_timestamp_tz, Strict {fallible}, "Day, time and optional offset, in UTC without one.";
    "CAST" (VARCHAR) -> VARBINARY = binary::from_text, Strict {typed}, "The text in UTF-8.";
    "CAST" (VARCHAR) -> UUID = uuid::from_text, Strict {fallible}, "32 hexadecimal digits, perhaps with hyphens and braces.";
    "CAST" (VARBINARY) -> VARBINARY = binary::cast, Strict {typed}, "The bytes, cut off or padded to their type.";
    "CAST" (VARBINARY) -> VARCHAR = binary::to_text, Strict {typed}, "Two hexadecimal digits for each byte.";
    "CAST" (VARBINARY) -> UUID = uuid::from_bytes, Strict {fallible}, "Its 16 bytes.";
    "CAST" (UUID) -> VARCHAR = uuid::to_text, Strict {typed}, "Hexadecimal digits with hyphens.";
    "CAST" (UUID) -> VARBINARY = uuid::to_bytes, Strict {typed}, "Its 16 bytes.";
    "CAST" (VARCHAR) -> SHORT = text_form::text_to_short, Strict {typed fallible}, "The interval's fields.";
    "CAST" (VARCHAR) -> LONG = text_form::text_to_long, Strict {typed fallible}, "The interval's fields.";
}

/// All casts; the binder goes through [`cast_function`].
pub static FAMILIES: &[&[Function]] = &[
    BETWEEN_INTEGERS,
    TINYINTS,
    SMALLINTS,
    INTEGERS,
    BIGINTS,
    UTINYINTS,
    USMALLINTS,
    UINTEGERS,
    UBIGINTS,
    TO_TINYINTS,
    TO_SMALLINTS,
    TO_INTEGERS,
    TO_BIGINTS,
    TO_UTINYINTS,
    TO_USMALLINTS,
    TO_UINTEGERS,
    TO_UBIGINTS,
    NUMBERS,
    TIMES,
    TEXTS,
    nested::CASTS,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntervalUnit;
    use crate::function::Signature;
    use crate::text_form::{format_value, parse_value};

    const fn decimal(precision: u8, scale: u8) -> SqlType {
        SqlType::Decimal { precision, scale }
    }

    /// The text of a value of one type cast to another.
    fn cast(text: &str, from: SqlType, to: SqlType) -> String {
        let value = parse_value(text, from).unwrap();
        let result = match cast_function(from, to) {
            Ok(Some(function)) => (function.call)(&[value], &Signature { arguments: &[from], result: to }),
            Ok(None) => Ok(value),
            Err(error) => Err(error),
        };
        match result {
            Ok(value) => format_value(&value, to),
            Err(error) => format!("{}: {}", error.code, error.message),
        }
    }

    #[test]
    fn casts_of_each_kind() {
        use SqlType::*;
        let text = SqlType::VARCHAR;
        let seconds = IntervalShort { from: IntervalUnit::Second, to: IntervalUnit::Second };
        let hours = IntervalShort { from: IntervalUnit::Hour, to: IntervalUnit::Hour };
        let days_to_seconds = IntervalShort { from: IntervalUnit::Day, to: IntervalUnit::Second };
        for (value, from, to, expected) in [
            ("98.6", decimal(3, 1), Integer, "98"),
            ("-2.9", Double, BigInt, "-2"),
            ("300", Integer, TinyInt, "22003: 300 does not fit TINYINT"),
            ("100103123", Integer, decimal(10, 4), "22003: 100103123.0000 does not fit DECIMAL(10, 4)"),
            ("-13.4", decimal(3, 1), decimal(2, 1), "22003: -13.4 does not fit DECIMAL(2, 1)"),
            ("true", Boolean, text, "TRUE"),
            ("true", Boolean, Integer, "1"),
            ("false", Boolean, TinyInt, "0"),
            ("true", Boolean, decimal(2, 0), "42846: cannot cast BOOLEAN to DECIMAL(2, 0)"),
            ("true", Boolean, Double, "42846: cannot cast BOOLEAN to DOUBLE"),
            ("2024-01-01", Date, Integer, "42846: cannot cast DATE to INTEGER"),
            ("3", Integer, Boolean, "TRUE"),
            ("1000", Integer, Timestamp, "1970-01-01 00:00:01"),
            ("10:00:00", Time, Timestamp, "1970-01-01 10:00:00"),
            ("2020-06-21 14:23:44.123654", Timestamp, decimal(38, 0), "1592749424123"),
            ("2020-06-21 14:23:44.123654", Timestamp, Time, "14:23:44.123654000"),
            ("14:23:44.456", Time, text, "14:23:44.456000000"),
            ("10.135", seconds, decimal(10, 2), "10.13"),
            ("1 02:03:04.5", days_to_seconds, hours, "+26"),
            ("1 02:03:04.5", days_to_seconds, Integer, "42846: cannot cast INTERVAL DAY TO SECOND to INTEGER"),
            ("1", Real, seconds, "42846: cannot cast REAL to INTERVAL SECOND"),
            ("1.5", decimal(2, 1), seconds, "+1.500000"),
            ("3", Integer, hours, "+3"),
            ("hello", text, Varchar { length: Some(3) }, "hel"),
            ("ab", Char { length: 4 }, text, "ab  "),
            ("ab  ", text, Char { length: 3 }, "ab "),
            ("0.1", Real, Double, "0.10000000149011612"),
            ("1e300", Double, Real, "Infinity"),
        ] {
            assert_eq!(cast(value, from, to), expected, "{value} from {from} to {to}");
        }
    }

    #[test]
    fn casts_that_cannot_fail_say_so() {
        let fallible = |from, to| cast_function(from, to).unwrap().map(|function| function.fallible);
        assert_eq!(fallible(SqlType::Integer, decimal(12, 2)), Some(false));
        assert_eq!(fallible(SqlType::Integer, decimal(11, 2)), Some(true));
        assert_eq!(fallible(decimal(5, 2), decimal(7, 4)), Some(false));
        assert_eq!(fallible(decimal(5, 2), decimal(6, 4)), Some(true));
        assert_eq!(fallible(decimal(5, 2), decimal(6, 2)), None);
        assert_eq!(fallible(SqlType::TinyInt, SqlType::BigInt), Some(false));
        assert_eq!(fallible(SqlType::BigInt, SqlType::TinyInt), Some(true));
        assert_eq!(fallible(SqlType::VARCHAR, SqlType::Varchar { length: Some(5) }), Some(false));
        assert_eq!(fallible(SqlType::Varchar { length: Some(4) }, SqlType::Varchar { length: Some(5) }), None);
        assert_eq!(fallible(SqlType::Null, SqlType::Date), None);
    }

    #[test]
    fn every_implicit_cast_exists() {
        use SqlType::*;
        let types = [
            Boolean,
            TinyInt,
            SmallInt,
            Integer,
            BigInt,
            decimal(38, 0),
            decimal(5, 2),
            Real,
            Double,
            Char { length: 3 },
            SqlType::VARCHAR,
            Date,
            Time,
            Timestamp,
            crate::function::kind::SHORT,
            crate::function::kind::LONG,
        ];
        for from in types {
            for to in types.into_iter().filter(|to| crate::implicit_cast_allowed(from, *to)) {
                cast_function(from, to).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
}
