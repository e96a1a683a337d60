//! Text to the bytes of one column: numbers go straight from their digits to the column's type.
//!
//! Shared by all text formats. `text` is the content without quotes; the result is the encoding without NULL tag. What a
//! text means is decided where CAST from text is; here also whole numbers written as `1.0` or `1e2` are integers, and a
//! text that is too long for its column is refused, since cutting it would lose data in silence; only blanks at its end are
//! cut, as the SQL standard has it.

use feldc_engine::{nested, row};
use feldc_value::decimal::Rounding;
use feldc_value::decimal_text::parse_decimal;
use feldc_value::json_cursor::{Cursor, Fault};
use feldc_value::json_text::{NotRead, read_value};
use feldc_value::text_form::{
    text_to_bool, text_to_date, text_to_double, text_to_long, text_to_real, text_to_short, text_to_time,
    text_to_timestamp, text_to_timestamp_tz,
};
use feldc_value::{SqlError, SqlType, Value, binary, convert, function::Signature, uuid};

/// Appends `text` read as `ty`. On error nothing is promised about the bytes appended, and the message says what is
/// wrong with the text, without naming the column.
pub fn put(ty: SqlType, text: &str, out: &mut Vec<u8>) -> Result<(), String> {
    let signature = Signature { arguments: &[SqlType::VARCHAR], result: ty };
    match ty {
        SqlType::Null => return Err("a column cannot have the type of NULL".to_owned()),
        SqlType::Boolean => row::put_bool(out, text_to_bool(text).map_err(told)?),
        SqlType::TinyInt => row::put_i8(out, integer(ty, text)?),
        SqlType::SmallInt => row::put_i16(out, integer(ty, text)?),
        SqlType::Integer => row::put_i32(out, integer(ty, text)?),
        SqlType::BigInt => row::put_i64(out, integer(ty, text)?),
        SqlType::Decimal { .. } => {
            let units = convert::text_to_decimal(text, &signature).map_err(told)?;
            match ty.fixed_width() {
                Some(8) => row::put_i64(out, units as i64), // Fits: at most 18 digits.
                _ => row::put_i128(out, units),
            }
        }
        SqlType::Real => row::put_f32(out, text_to_real(text).map_err(told)?),
        SqlType::Double => row::put_f64(out, text_to_double(text).map_err(told)?),
        SqlType::Char { length } => match fit(ty, text, length)? {
            (text, 0) => row::put_text(out, text),
            (text, missing) => row::put_text(out, &format!("{text}{}", " ".repeat(missing))),
        },
        SqlType::Varchar { length: Some(length) } => row::put_text(out, fit(ty, text, length)?.0),
        SqlType::Varchar { length: None } => row::put_text(out, text),
        SqlType::Date => row::put_i32(out, text_to_date(text).map_err(told)?),
        SqlType::Time => row::put_i64(out, text_to_time(text).map_err(told)?),
        SqlType::Timestamp => row::put_i64(out, text_to_timestamp(text).map_err(told)?),
        SqlType::IntervalShort { .. } => row::put_i64(out, text_to_short(text, &signature).map_err(told)?),
        SqlType::IntervalLong { .. } => row::put_i32(out, text_to_long(text, &signature).map_err(told)?),
        SqlType::UTinyInt => row::put_u8(out, integer(ty, text)?),
        SqlType::USmallInt => row::put_u16(out, integer(ty, text)?),
        SqlType::UInteger => row::put_u32(out, integer(ty, text)?),
        SqlType::UBigInt => row::put_u64(out, integer(ty, text)?),
        SqlType::TimestampTz => row::put_i64(out, text_to_timestamp_tz(text).map_err(told)?),
        SqlType::Uuid => row::put_u128(out, uuid::from_text(text).map_err(told)?),
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => row::put_bytes(out, &bytes(text)?),
        SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_) | SqlType::Variant => {
            nested::put_column(out, &from_json(ty, text)?);
        }
    }
    Ok(())
}

#[cold]
fn told(error: SqlError) -> String {
    error.message.into_owned()
}

/// How much of a rejected text a message shows.
const SHOWN: usize = 60;

/// `text` in quotes, shortened.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}...'", &text[..end]),
        None => format!("'{text}'"),
    }
}

/// Bytes are written in hexadecimal digits, perhaps behind `\x` or `0x`.
fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.strip_prefix("\\x").or_else(|| text.strip_prefix("0x")).unwrap_or(text);
    let wrong = || format!("{} is not pairs of hexadecimal digits", quoted(text));
    // As with the peer, an input keeps bytes as they come; casts cut and pad them.
    binary::parse_hex(digits).ok_or_else(wrong)
}

/// A nested value is written as JSON.
fn from_json(ty: SqlType, text: &str) -> Result<Value, String> {
    let text = format!("{text}\n");
    let mut cursor = Cursor::new(text.as_bytes(), 0);
    let value = read_value(&mut cursor, ty).map_err(|reason| match reason {
        NotRead::Unfit(reason) => reason,
        NotRead::Fault(Fault::Incomplete) => format!("{} is JSON that ends too early", quoted(text.trim_end())),
        NotRead::Fault(Fault::Syntax(reason)) => format!("{} is not JSON: {reason}", quoted(text.trim_end())),
    })?;
    match (cursor.peek(), value) {
        (Ok(_), _) => Err(format!("{} has more than one JSON value", quoted(text.trim_end()))),
        (Err(_), Value::Null) => Err("null is not allowed here".to_owned()),
        (Err(_), value) => Ok(value),
    }
}

fn integer<T: TryFrom<i128>>(ty: SqlType, text: &str) -> Result<T, String> {
    let value = match text.parse::<i64>() {
        Ok(value) => value.into(),
        Err(_) => whole_number(ty, text.trim())?,
    };
    T::try_from(value).map_err(|_| format!("{} does not fit {ty}", quoted(text)))
}

/// A number with a point or an exponent that is whole all the same.
fn whole_number(ty: SqlType, text: &str) -> Result<i128, String> {
    let round = |rounding| parse_decimal(text, 38, 0, rounding).map_err(|reason| (reason, text));
    match (round(Rounding::Floor), round(Rounding::Ceiling)) {
        (Ok(below), Ok(above)) if below != above => Err(format!("{} is not a whole number", quoted(text))),
        (Ok(value), _) => Ok(value),
        (Err((feldc_value::decimal_text::NotDecimal::OutOfRange, text)), _) => {
            Err(format!("{} does not fit {ty}", quoted(text)))
        }
        (Err(_), _) => Err(format!("{} is not a number of type {ty}", quoted(text))),
    }
}

/// The text without blanks past `length` and the number of characters missing to it; an error when more than blanks is past it.
fn fit(ty: SqlType, text: &str, length: u32) -> Result<(&str, usize), String> {
    let length = length as usize;
    match text.char_indices().nth(length) {
        None => Ok((text, length - text.chars().count())),
        Some((end, _)) if text[end..].bytes().all(|byte| byte == b' ') => Ok((&text[..end], 0)),
        Some(_) => Err(format!("a text of {} characters does not fit {ty}: {}", text.chars().count(), quoted(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_engine::Layout;
    use feldc_value::{ColumnType, Value};

    fn check(ty: SqlType, text: &str, expected: Result<Value, &str>) {
        let mut row = Vec::new();
        let result =
            put(ty, text, &mut row).map(|()| Layout::new(vec![ColumnType::new(ty, false)]).decode(&row).remove(0));
        match (&result, &expected) {
            (Err(message), Err(part)) => assert!(message.contains(part), "{message}"),
            _ => assert_eq!(result, expected.map_err(str::to_owned), "{text} as {ty}"),
        }
    }

    const WIDE: SqlType = SqlType::Decimal { precision: 38, scale: 2 };

    #[test]
    fn integers_are_exact_or_rejected() {
        check(SqlType::TinyInt, "-128", Ok(Value::TinyInt(-128)));
        check(SqlType::TinyInt, "128", Err("does not fit TINYINT"));
        check(SqlType::BigInt, "9223372036854775807", Ok(Value::BigInt(i64::MAX)));
        check(SqlType::BigInt, "-9223372036854775808", Ok(Value::BigInt(i64::MIN)));
        check(SqlType::BigInt, "9223372036854775808", Err("does not fit BIGINT"));
        check(SqlType::BigInt, &"9".repeat(100), Err("does not fit BIGINT"));
        check(SqlType::Integer, "1.5", Err("not a whole number"));
        check(SqlType::Integer, "1e2", Ok(Value::Integer(100)));
        check(SqlType::Integer, "1e999999999999", Err("does not fit"));
        check(SqlType::Integer, "0e999999999999", Ok(Value::Integer(0)));
        check(SqlType::Integer, "", Err("is not a number"));
        check(SqlType::Integer, "0x10", Err("is not a number"));
    }

    #[test]
    fn decimals_keep_every_digit() {
        check(
            WIDE,
            "123456789012345678901234567890123456.78",
            Ok(Value::Decimal(12345678901234567890123456789012345678)),
        );
        check(WIDE, "1234567890123456789012345678901234567", Err("does not fit"));
        check(WIDE, "-1.2349", Ok(Value::Decimal(-123)));
        check(WIDE, "1.5e1", Ok(Value::Decimal(1500)));
        check(WIDE, "1e-50", Ok(Value::Decimal(0)));
        check(WIDE, ".5", Ok(Value::Decimal(50)));
        check(WIDE, ".", Err("cannot convert"));
        check(SqlType::Decimal { precision: 3, scale: 1 }, "100", Err("does not fit DECIMAL(3, 1)"));
        check(SqlType::Decimal { precision: 3, scale: 1 }, "-99.9", Ok(Value::Decimal(-999)));
    }

    #[test]
    fn floats_reject_what_overflows() {
        check(SqlType::Double, "1e400", Err("does not fit DOUBLE"));
        check(SqlType::Double, "-Infinity", Ok(Value::Double(f64::NEG_INFINITY)));
        check(SqlType::Double, "0.1", Ok(Value::Double(0.1)));
        check(SqlType::Real, "1e39", Err("does not fit REAL"));
        check(SqlType::Double, "one", Err("cannot convert"));
    }

    #[test]
    fn text_lengths_count_characters() {
        check(SqlType::Char { length: 3 }, "äö", Ok(Value::text("äö ")));
        check(SqlType::Varchar { length: Some(2) }, "äö", Ok(Value::text("äö")));
        check(SqlType::Varchar { length: Some(2) }, "abc", Err("does not fit VARCHAR(2)"));
        check(SqlType::Varchar { length: Some(2) }, "ä   ", Ok(Value::text("ä ")));
        check(SqlType::Char { length: 2 }, "äö  ", Ok(Value::text("äö")));
        check(SqlType::Char { length: 2 }, "ä ö", Err("a text of 3 characters does not fit CHAR(2)"));
    }
}
