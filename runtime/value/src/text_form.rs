//! The text form of values: what CAST to VARCHAR writes and CAST from text reads.

use crate::convert::{fit_text, text_to_decimal, text_to_int};
use crate::decimal_text::write_decimal;
use crate::error::{INVALID_DATETIME, INVALID_TEXT, NUMERIC_OUT_OF_RANGE, SqlState};
use crate::float::Float;
use crate::function::Signature;
use crate::temporal_text::{
    Fraction, parse_date, parse_long_interval, parse_short_interval, parse_time, parse_timestamp, write_date,
    write_long_interval, write_short_interval, write_time, write_timestamp,
};
use crate::{SqlError, SqlType, Value, decimal};
use std::borrow::Cow;
use std::fmt::Write;
use std::str::FromStr;

/// The text of a value of a type, without quotes; `NULL` for NULL.
pub fn format_value(value: &Value, ty: SqlType) -> String {
    let mut out = String::new();
    write_value(value, ty, &mut out);
    out
}

/// Appends [`format_value`].
pub fn write_value(value: &Value, ty: SqlType, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match value {
        Value::Null => write!(out, "NULL"),
        Value::Boolean(value) => write!(out, "{}", if *value { "TRUE" } else { "FALSE" }),
        Value::TinyInt(value) => write!(out, "{value}"),
        Value::SmallInt(value) => write!(out, "{value}"),
        Value::Integer(value) => write!(out, "{value}"),
        Value::BigInt(value) => write!(out, "{value}"),
        Value::Decimal(value) => {
            write_decimal(*value, decimal::shape(ty).1, out);
            Ok(())
        }
        Value::Real(value) => write_float(*value, out),
        Value::Double(value) => write_float(*value, out),
        Value::UTinyInt(value) => write!(out, "{value}"),
        Value::USmallInt(value) => write!(out, "{value}"),
        Value::UInteger(value) => write!(out, "{value}"),
        Value::UBigInt(value) => write!(out, "{value}"),
        Value::Text(text) => write!(out, "{text}"),
        Value::Binary(bytes) => {
            crate::binary::write_hex(bytes, out);
            Ok(())
        }
        Value::Uuid(uuid) => {
            crate::uuid::write(*uuid, out);
            Ok(())
        }
        Value::TimestampTz(micros) => {
            write_timestamp(*micros, out);
            write!(out, "+00:00")
        }
        Value::Array(_) | Value::Map(_) | Value::Row(_) | Value::Variant(_) => {
            crate::json::json_value(value, ty, out);
            Ok(())
        }
        Value::Date(days) => {
            write_date(*days, out);
            Ok(())
        }
        Value::Time(nanos) => {
            write_time(*nanos, Fraction::Full, out);
            Ok(())
        }
        Value::Timestamp(micros) => {
            write_timestamp(*micros, out);
            Ok(())
        }
        Value::IntervalShort(micros) => {
            match ty {
                SqlType::IntervalShort { from, to } => write_short_interval(*micros, from, to, out),
                _ => write_short_interval(*micros, crate::IntervalUnit::Day, crate::IntervalUnit::Second, out),
            }
            Ok(())
        }
        Value::IntervalLong(months) => {
            match ty {
                SqlType::IntervalLong { from, to } => write_long_interval(*months, from, to, out),
                _ => write_long_interval(*months, crate::IntervalUnit::Year, crate::IntervalUnit::Month, out),
            }
            Ok(())
        }
    };
}

/// The shortest digits that read back as the same float, with a point; `NaN`, `Infinity`, `-Infinity`.
pub fn write_float<T: Float>(value: T, out: &mut String) -> std::fmt::Result {
    let wide = value.wide();
    match wide {
        _ if wide.is_nan() => write!(out, "NaN"),
        _ if wide.is_infinite() => write!(out, "{}Infinity", if wide < 0.0 { "-" } else { "" }),
        _ => write!(out, "{value:?}"),
    }
}

pub fn float_text<T: Float>(value: T) -> String {
    let mut out = String::new();
    let _ = write_float(value, &mut out);
    out
}

/// Reads a value of a type as CAST from text does; blanks around numbers, truth values and times are allowed.
///
/// Errors: 22P02 for what is no number or truth value, 22007 for what is no time, 22003 for what does not fit.
pub fn parse_value(text: &str, ty: SqlType) -> Result<Value, SqlError> {
    match ty {
        SqlType::Null => Err(cannot_convert(text, ty)),
        SqlType::Boolean => text_to_bool(text).map(Value::Boolean),
        SqlType::TinyInt => text_to_int(text).map(Value::TinyInt),
        SqlType::SmallInt => text_to_int(text).map(Value::SmallInt),
        SqlType::Integer => text_to_int(text).map(Value::Integer),
        SqlType::BigInt => text_to_int(text).map(Value::BigInt),
        SqlType::Decimal { .. } => text_to_decimal(text, &signature(ty)).map(Value::Decimal),
        SqlType::Real => text_to_real(text).map(Value::Real),
        SqlType::Double => text_to_double(text).map(Value::Double),
        SqlType::Char { .. } | SqlType::Varchar { .. } => Ok(Value::text(fit_text(Cow::Borrowed(text), ty))),
        SqlType::Date => text_to_date(text).map(Value::Date),
        SqlType::Time => text_to_time(text).map(Value::Time),
        SqlType::Timestamp => text_to_timestamp(text).map(Value::Timestamp),
        SqlType::UTinyInt => text_to_int(text).map(Value::UTinyInt),
        SqlType::USmallInt => text_to_int(text).map(Value::USmallInt),
        SqlType::UInteger => text_to_int(text).map(Value::UInteger),
        SqlType::UBigInt => text_to_int(text).map(Value::UBigInt),
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => {
            Ok(Value::binary(crate::binary::fit(Cow::Borrowed(text.as_bytes()), ty)))
        }
        SqlType::TimestampTz => text_to_timestamp_tz(text).map(Value::TimestampTz),
        SqlType::Uuid => crate::uuid::from_text(text).map(Value::Uuid),
        SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_) => Err(cannot_convert(text, ty)),
        SqlType::Variant => Ok(Value::variant(SqlType::VARCHAR, Value::text(text))),
        SqlType::IntervalShort { .. } => text_to_short(text, &signature(ty)).map(Value::IntervalShort),
        SqlType::IntervalLong { .. } => text_to_long(text, &signature(ty)).map(Value::IntervalLong),
    }
}

fn signature(result: SqlType) -> Signature<'static> {
    Signature { arguments: &[SqlType::VARCHAR], result }
}

/// The text in a message, cut where it grows too long to read.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    const LIMIT: usize = 100;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cold]
fn unreadable(code: SqlState, text: &str, ty: impl std::fmt::Display) -> SqlError {
    SqlError::new(code, format!("cannot convert '{}' to {ty}", shown(text)))
}

/// The text is no value of the type.
#[cold]
pub fn cannot_convert(text: &str, ty: SqlType) -> SqlError {
    unreadable(INVALID_TEXT, text, ty)
}

/// The text is no integer, or one that does not fit.
#[cold]
pub fn not_a_number(text: &str, ty: &str) -> SqlError {
    let digits = text.trim().trim_start_matches(['+', '-']);
    match !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        true => SqlError::new(NUMERIC_OUT_OF_RANGE, format!("'{}' does not fit {ty}", shown(text.trim()))),
        false => unreadable(INVALID_TEXT, text, ty),
    }
}

/// `true` or `false` in any case.
pub fn text_to_bool(text: &str) -> Result<bool, SqlError> {
    match text.trim() {
        text if text.eq_ignore_ascii_case("true") => Ok(true),
        text if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(cannot_convert(text, SqlType::Boolean)),
    }
}

/// A float, where only a written infinity may be infinite.
fn text_to_float<T: Float + FromStr>(text: &str, ty: SqlType) -> Result<T, SqlError> {
    let trimmed = text.trim();
    let value: T = trimmed.parse().map_err(|_| cannot_convert(text, ty))?;
    match value.wide().is_infinite() && trimmed.bytes().any(|byte| byte.is_ascii_digit()) {
        true => Err(SqlError::new(NUMERIC_OUT_OF_RANGE, format!("'{}' does not fit {ty}", shown(trimmed)))),
        false => Ok(value),
    }
}

pub fn text_to_real(text: &str) -> Result<f32, SqlError> {
    text_to_float(text, SqlType::Real)
}

pub fn text_to_double(text: &str) -> Result<f64, SqlError> {
    text_to_float(text, SqlType::Double)
}

pub fn text_to_date(text: &str) -> Result<i32, SqlError> {
    parse_date(text).ok_or_else(|| unreadable(INVALID_DATETIME, text, SqlType::Date))
}

pub fn text_to_time(text: &str) -> Result<i64, SqlError> {
    parse_time(text).ok_or_else(|| unreadable(INVALID_DATETIME, text, SqlType::Time))
}

pub fn text_to_timestamp(text: &str) -> Result<i64, SqlError> {
    parse_timestamp(text).ok_or_else(|| unreadable(INVALID_DATETIME, text, SqlType::Timestamp))
}

/// An instant: without an offset the text is in UTC.
pub fn text_to_timestamp_tz(text: &str) -> Result<i64, SqlError> {
    parse_timestamp(text).ok_or_else(|| unreadable(INVALID_DATETIME, text, SqlType::TimestampTz))
}

pub fn text_to_short(text: &str, signature: &Signature<'_>) -> Result<i64, SqlError> {
    let parsed = match signature.result {
        SqlType::IntervalShort { from, to } => parse_short_interval(text, from, to),
        _ => None,
    };
    parsed.ok_or_else(|| unreadable(INVALID_DATETIME, text, signature.result))
}

pub fn text_to_long(text: &str, signature: &Signature<'_>) -> Result<i32, SqlError> {
    let parsed = match signature.result {
        SqlType::IntervalLong { from, to } => parse_long_interval(text, from, to),
        _ => None,
    };
    parsed.ok_or_else(|| unreadable(INVALID_DATETIME, text, signature.result))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, ty: SqlType, expected: &str) {
        let got = match parse_value(text, ty) {
            Ok(value) => format_value(&value, ty),
            Err(error) => format!("{}: {}", error.code, error.message),
        };
        assert_eq!(got, expected, "{text} as {ty}");
    }

    #[test]
    fn texts_become_values() {
        check(" TrUe ", SqlType::Boolean, "TRUE");
        check("1", SqlType::Boolean, "22P02: cannot convert '1' to BOOLEAN");
        check(" +12 ", SqlType::TinyInt, "12");
        check("abc", SqlType::Integer, "22P02: cannot convert 'abc' to INTEGER");
        check("4567890123456789", SqlType::Integer, "22003: '4567890123456789' does not fit INTEGER");
        check("1.5", SqlType::Integer, "22P02: cannot convert '1.5' to INTEGER");
        check(" 1.255 ", SqlType::Decimal { precision: 5, scale: 2 }, "1.26");
        check("x", SqlType::Decimal { precision: 5, scale: 2 }, "22P02: cannot convert 'x' to DECIMAL(5, 2)");
        check("1000", SqlType::Decimal { precision: 5, scale: 2 }, "22003: 1000 does not fit DECIMAL(5, 2)");
        check(" -INFINiTY ", SqlType::Double, "-Infinity");
        check("nan", SqlType::Real, "NaN");
        check("1e400", SqlType::Double, "22003: '1e400' does not fit DOUBLE");
        check("0.1", SqlType::Real, "0.1");
        check("2023-02-29", SqlType::Date, "22007: cannot convert '2023-02-29' to DATE");
        check("2024-02-02T10:00:00.120Z", SqlType::Timestamp, "2024-02-02 10:00:00.12");
        check("ab", SqlType::Char { length: 3 }, "ab ");
    }

    #[test]
    fn floats_show_a_point() {
        assert_eq!(float_text(196.0), "196.0");
        assert_eq!(float_text(-57681.18f32), "-57681.18");
        assert_eq!(float_text(f64::from(-57681.18f32)), "-57681.1796875");
        assert_eq!(float_text(1_592_749_424_123i64 as f32), "1592749500000.0");
        assert_eq!(float_text(f64::NEG_INFINITY), "-Infinity");
    }

    #[test]
    fn long_texts_are_cut_in_messages() {
        let message = parse_value(&"é".repeat(1000), SqlType::Date).unwrap_err().message;
        assert!(message.len() < 300 && message.contains("..."), "{message}");
        let decimal = SqlType::Decimal { precision: 5, scale: 2 };
        let message = parse_value(&"9".repeat(1000), decimal).unwrap_err().message;
        assert!(message.len() < 300 && message.contains("..."), "{message}");
    }
}
