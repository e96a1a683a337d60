//! Text to the bytes of one column: numbers go straight from their digits to the column's type.
//!
//! Shared by all text formats. `text` is the content without quotes; the result is the encoding without NULL tag.

use super::datetime;
use feldc_engine::row;
use feldc_value::SqlType;

/// Appends `text` read as `ty`. On error nothing is promised about the bytes appended, and the message says what is
/// wrong with the text, without naming the column.
pub fn put(ty: SqlType, text: &str, out: &mut Vec<u8>) -> Result<(), String> {
    let trimmed = text.trim();
    match ty {
        SqlType::Null => Err("a column cannot have the type of NULL".to_owned()),
        SqlType::Boolean => Ok(row::put_bool(out, boolean(trimmed)?)),
        SqlType::TinyInt => Ok(row::put_i8(out, integer(ty, trimmed)?)),
        SqlType::SmallInt => Ok(row::put_i16(out, integer(ty, trimmed)?)),
        SqlType::Integer => Ok(row::put_i32(out, integer(ty, trimmed)?)),
        SqlType::BigInt => Ok(row::put_i64(out, integer(ty, trimmed)?)),
        SqlType::Decimal { precision, scale } => {
            let units = decimal(trimmed, precision, scale)?;
            match ty.fixed_width() {
                Some(8) => row::put_i64(out, units as i64), // Fits: at most 18 digits.
                _ => row::put_i128(out, units),
            }
            Ok(())
        }
        SqlType::Real => Ok(row::put_f32(out, float(ty, trimmed, f32::is_infinite)?)),
        SqlType::Double => Ok(row::put_f64(out, float(ty, trimmed, f64::is_infinite)?)),
        SqlType::Char { length } => {
            let missing = fit(ty, text, length)?;
            match missing {
                0 => row::put_text(out, text),
                _ => row::put_text(out, &format!("{text}{}", " ".repeat(missing))),
            }
            Ok(())
        }
        SqlType::Varchar { length: Some(length) } => {
            fit(ty, text, length)?;
            Ok(row::put_text(out, text))
        }
        SqlType::Varchar { length: None } => Ok(row::put_text(out, text)),
        SqlType::Date => Ok(row::put_i32(out, datetime::date(trimmed)?)),
        SqlType::Time => Ok(row::put_i64(out, datetime::time(trimmed)?)),
        SqlType::Timestamp => Ok(row::put_i64(out, datetime::timestamp(trimmed)?)),
        SqlType::IntervalShort { .. } => Ok(row::put_i64(out, datetime::interval_short(trimmed)?)),
        SqlType::IntervalLong { .. } => Ok(row::put_i32(out, datetime::interval_long(trimmed)?)),
    }
}

/// How much of a rejected text a message shows.
const SHOWN: usize = 60;

/// `text` in quotes, shortened.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

fn boolean(text: &str) -> Result<bool, String> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Ok(true),
        _ if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(format!("{} is not a BOOLEAN; write true or false", quoted(text))),
    }
}

fn integer<T: TryFrom<i64>>(ty: SqlType, text: &str) -> Result<T, String> {
    let exact = match plain_i64(text) {
        Some(value) => value,
        None => match scaled(text, 0) {
            Some(Scaled { units, exact: true }) => i64::try_from(units).map_err(|_| too_large(ty, text))?,
            Some(Scaled { exact: false, .. }) => return Err(format!("{} is not a whole number", quoted(text))),
            None if is_number(text) => return Err(too_large(ty, text)),
            None => return Err(format!("{} is not a number of type {ty}", quoted(text))),
        },
    };
    T::try_from(exact).map_err(|_| too_large(ty, text))
}

fn too_large(ty: SqlType, text: &str) -> String {
    format!("{} does not fit {ty}", quoted(text))
}

/// The common case: up to 18 digits with an optional minus.
#[inline]
fn plain_i64(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// Units of 10^-scale; digits beyond the scale are cut off as CAST does.
fn decimal(text: &str, precision: u8, scale: u8) -> Result<i128, String> {
    let ty = SqlType::Decimal { precision, scale };
    match scaled(text, scale) {
        Some(Scaled { units, .. }) if units.unsigned_abs() < 10u128.pow(u32::from(precision.min(38))) => Ok(units),
        Some(_) => Err(too_large(ty, text)),
        None if is_number(text) => Err(too_large(ty, text)),
        None => Err(format!("{} is not a number of type {ty}", quoted(text))),
    }
}

struct Scaled {
    units: i128,
    /// No digit other than 0 was cut off.
    exact: bool,
}

/// Reads `[+-]digits[.digits][e[+-]digits]` as a whole number of 10^-scale; `None` when it is not such a text or the
/// number exceeds 128 bits.
fn scaled(text: &str, scale: u8) -> Option<Scaled> {
    let number = split_number(text)?;
    let shift = number.exponent.saturating_sub(number.fraction.len() as i64).saturating_add(i64::from(scale));
    let digits = number.whole.len() + number.fraction.len();
    let kept = match shift < 0 {
        true => digits.saturating_sub(usize::try_from(shift.unsigned_abs()).unwrap_or(usize::MAX)),
        false => digits,
    };
    let (mut units, mut exact) = (0i128, true);
    for (index, digit) in number.whole.bytes().chain(number.fraction.bytes()).enumerate() {
        match index < kept {
            true => units = units.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?,
            false => exact &= digit == b'0',
        }
    }
    for _ in 0..shift.max(0) {
        if units == 0 {
            break;
        }
        units = units.checked_mul(10)?;
    }
    Some(Scaled { units: if number.negative { -units } else { units }, exact })
}

struct Number<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

fn split_number(text: &str) -> Option<Number<'_>> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let valid = digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    valid.then_some(Number { negative, whole, fraction, exponent })
}

/// Saturates: an exponent of more than nine digits is as good as infinite.
fn read_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.trim_start_matches('0');
    let value = if size.len() > 9 { 1 << 40 } else { size.parse::<i64>().unwrap_or(0) };
    Some(if negative { -value } else { value })
}

fn is_number(text: &str) -> bool {
    split_number(text).is_some()
}

fn float<T: std::str::FromStr>(ty: SqlType, text: &str, infinite: fn(T) -> bool) -> Result<T, String>
where
    T: Copy,
{
    let value: T = text.parse().map_err(|_| format!("{} is not a number of type {ty}", quoted(text)))?;
    // "Infinity" is a value; 1e400 is a number that no DOUBLE holds.
    if infinite(value) && text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(too_large(ty, text));
    }
    Ok(value)
}

/// The number of characters missing to `length`; an error when the text is longer by more than blanks.
fn fit(ty: SqlType, text: &str, length: u32) -> Result<usize, String> {
    // A text has at most as many characters as bytes.
    let length = length as usize;
    if text.len() > length {
        let characters = text.chars().count();
        if characters > length {
            return Err(format!("a text of {characters} characters does not fit {ty}: {}", quoted(text)));
        }
        return Ok(length - characters);
    }
    Ok(length - text.chars().count())
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
        check(WIDE, "-1.239", Ok(Value::Decimal(-123)));
        check(WIDE, "1.5e1", Ok(Value::Decimal(1500)));
        check(WIDE, "1e-50", Ok(Value::Decimal(0)));
        check(WIDE, ".5", Ok(Value::Decimal(50)));
        check(WIDE, ".", Err("is not a number"));
        check(SqlType::Decimal { precision: 3, scale: 1 }, "100", Err("does not fit DECIMAL(3, 1)"));
        check(SqlType::Decimal { precision: 3, scale: 1 }, "-99.9", Ok(Value::Decimal(-999)));
    }

    #[test]
    fn floats_reject_what_overflows() {
        check(SqlType::Double, "1e400", Err("does not fit DOUBLE"));
        check(SqlType::Double, "-Infinity", Ok(Value::Double(f64::NEG_INFINITY)));
        check(SqlType::Double, "0.1", Ok(Value::Double(0.1)));
        check(SqlType::Real, "1e39", Err("does not fit REAL"));
        check(SqlType::Double, "one", Err("is not a number"));
    }

    #[test]
    fn text_lengths_count_characters() {
        check(SqlType::Char { length: 3 }, "äö", Ok(Value::text("äö ")));
        check(SqlType::Varchar { length: Some(2) }, "äö", Ok(Value::text("äö")));
        check(SqlType::Varchar { length: Some(2) }, "abc", Err("does not fit VARCHAR(2)"));
    }
}
