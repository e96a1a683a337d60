//! The conversions behind CAST, one plain function for each pair of native types; `cast` lists them.
//!
//! Numbers lose digits toward zero (98.6 becomes 98) and fail when they do not fit. Numbers and TIMESTAMP convert through
//! milliseconds since 1970. Text is read by [`crate::text_form`].

use crate::arithmetic::Integer;
use crate::calendar::{
    MICROS_PER_MILLI, MICROS_PER_SECOND, NANOS_PER_DAY, NANOS_PER_MICRO, check_timestamp, day_of, midnight,
    out_of_range, time_of,
};
use crate::decimal::{Rounding, fit, rescale, shape, too_wide};
use crate::decimal_text::{NotDecimal, parse_decimal};
use crate::error::NUMERIC_OUT_OF_RANGE;
use crate::float::Float;
use crate::function::Signature;
use crate::temporal_text::unit_micros;
use crate::text::{char_length, left};
use crate::wide::power_of_ten;
use crate::{IntervalUnit, SqlError, SqlType, text_form};
use std::borrow::Cow;

#[cold]
fn out_of(value: impl std::fmt::Display, ty: &str) -> SqlError {
    SqlError::new(NUMERIC_OUT_OF_RANGE, format!("{value} does not fit {ty}"))
}

#[inline]
fn scale(ty: SqlType) -> u8 {
    shape(ty).1
}

#[inline]
pub fn widen<A: Into<B>, B>(value: A) -> B {
    value.into()
}

#[inline]
pub fn narrow<A: Integer, B: Integer>(value: A) -> Result<B, SqlError> {
    let wide: i128 = value.into();
    B::try_from(wide).map_err(|_| out_of(value, B::TYPE))
}

#[inline]
pub fn int_to_decimal<A: Integer>(value: A, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let wide: i128 = value.into();
    match wide.checked_mul(power_of_ten(scale(signature.result))) {
        Some(scaled) => fit(Some(scaled), signature.result),
        None => Err(out_of(value, &signature.result.to_string())),
    }
}

/// For a DECIMAL that holds every integer of the type.
#[inline]
pub fn int_to_wide_decimal<A: Integer>(value: A, signature: &Signature<'_>) -> i128 {
    let wide: i128 = value.into();
    wide * power_of_ten(scale(signature.result))
}

#[inline]
pub fn decimal_to_int<B: Integer>(value: i128, signature: &Signature<'_>) -> Result<B, SqlError> {
    let whole = value / power_of_ten(scale(signature.arguments[0]));
    B::try_from(whole).map_err(|_| out_of(whole, B::TYPE))
}

#[inline]
pub fn decimal_to_decimal(value: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let (from, to) = (scale(signature.arguments[0]), scale(signature.result));
    fit(rescale(value, from, to, Rounding::TowardZero), signature.result)
}

/// For a DECIMAL with at least as many digits before and after the point.
#[inline]
pub fn decimal_to_wider_decimal(value: i128, signature: &Signature<'_>) -> i128 {
    value * power_of_ten(scale(signature.result).saturating_sub(scale(signature.arguments[0])))
}

/// Correctly rounded.
pub fn decimal_to_double(value: i128, signature: &Signature<'_>) -> f64 {
    /// Powers of ten up to here and integers up to 2^53 are exact, so one division rounds once.
    const EXACT: u8 = 22;
    let scale = scale(signature.arguments[0]);
    if value.unsigned_abs() <= 1 << 53 && scale <= EXACT {
        return value as f64 / 10f64.powi(i32::from(scale));
    }
    format!("{value}e-{scale}").parse().unwrap_or(f64::NAN)
}

/// Correctly rounded.
pub fn decimal_to_real(value: i128, signature: &Signature<'_>) -> f32 {
    let scale = scale(signature.arguments[0]);
    format!("{value}e-{scale}").parse().unwrap_or(f32::NAN)
}

/// The nearest float; a BIGINT past 2^53 may round.
#[inline]
pub fn int_to_float<A: Integer, B: Float>(value: A) -> B {
    // Through i128, from which both widths round once.
    let wide: i128 = value.into();
    B::from_integer(wide)
}

#[inline]
pub fn float_to_int<A: Float, B: Integer>(value: A) -> Result<B, SqlError> {
    let whole = value.wide().trunc();
    // The cast saturates at the bounds of i128, far past BIGINT; NaN is told apart.
    match whole.is_nan() {
        true => Err(out_of("NaN", B::TYPE)),
        false => B::try_from(whole as i128).map_err(|_| out_of(text_form::float_text(value), B::TYPE)),
    }
}

/// By the shortest digits that denote the float, so that 2.3 becomes 2.3 and not 2.2999999.
pub fn float_to_decimal<A: Float>(value: A, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let (precision, scale) = shape(signature.result);
    let text = text_form::float_text(value);
    parse_decimal(&text, precision, scale, Rounding::TowardZero).map_err(|_| too_wide(&text, signature.result))
}

#[inline]
pub fn double_to_real(value: f64) -> f32 {
    value as f32
}

#[inline]
pub fn int_to_bool<A: Integer>(value: A) -> bool {
    value != A::ZERO
}

#[inline]
pub fn decimal_to_bool(value: i128) -> bool {
    value != 0
}

#[inline]
pub fn float_to_bool<A: Float>(value: A) -> bool {
    value != A::ZERO
}

/// Whole seconds of the milliseconds, as programs written for the peer expect; in microseconds.
fn whole_seconds(millis: i128) -> Result<i64, SqlError> {
    check_timestamp(i64::try_from(millis / 1000).ok().and_then(|seconds| seconds.checked_mul(MICROS_PER_SECOND)))
}

pub fn int_to_timestamp<A: Integer>(millis: A) -> Result<i64, SqlError> {
    whole_seconds(millis.into())
}

pub fn decimal_to_timestamp(millis: i128, signature: &Signature<'_>) -> Result<i64, SqlError> {
    let whole = rescale(millis, scale(signature.arguments[0]), 0, Rounding::TowardZero);
    whole.ok_or_else(out_of_range).and_then(whole_seconds)
}

pub fn float_to_timestamp<A: Float>(millis: A) -> Result<i64, SqlError> {
    let seconds = (millis.wide() / 1000.0).trunc();
    match seconds.is_nan() {
        true => Err(out_of_range()),
        false => check_timestamp((seconds as i64).checked_mul(MICROS_PER_SECOND)),
    }
}

pub fn timestamp_to_int<B: Integer>(micros: i64) -> Result<B, SqlError> {
    narrow(micros / MICROS_PER_MILLI)
}

pub fn timestamp_to_decimal(micros: i64, signature: &Signature<'_>) -> Result<i128, SqlError> {
    int_to_decimal(micros / MICROS_PER_MILLI, signature)
}

pub fn timestamp_to_float<B: Float>(micros: i64) -> B {
    int_to_float(micros / MICROS_PER_MILLI)
}

#[inline]
pub fn date_to_timestamp(days: i32) -> i64 {
    midnight(days)
}

#[inline]
pub fn timestamp_to_date(micros: i64) -> i32 {
    day_of(micros)
}

#[inline]
pub fn timestamp_to_time(micros: i64) -> i64 {
    time_of(micros) * NANOS_PER_MICRO
}

/// On 1970-01-01.
#[inline]
pub fn time_to_timestamp(nanos: i64) -> i64 {
    nanos.rem_euclid(NANOS_PER_DAY) / NANOS_PER_MICRO
}

/// The unit that an interval type of one unit counts.
fn unit(ty: SqlType) -> IntervalUnit {
    match ty {
        SqlType::IntervalShort { to, .. } | SqlType::IntervalLong { to, .. } => to,
        _ => IntervalUnit::Second,
    }
}

/// Whole units of an interval type of one unit.
pub fn short_to_int<B: Integer>(micros: i64, signature: &Signature<'_>) -> Result<B, SqlError> {
    narrow(micros / unit_micros(unit(signature.arguments[0])).max(1))
}

pub fn long_to_int<B: Integer>(months: i32, signature: &Signature<'_>) -> Result<B, SqlError> {
    let size = if unit(signature.arguments[0]) == IntervalUnit::Year { 12 } else { 1 };
    narrow(months / size)
}

/// Units with their fraction, cut off at the scale.
pub fn short_to_decimal(micros: i64, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let size = i128::from(unit_micros(unit(signature.arguments[0])).max(1));
    let scaled = i128::from(micros).checked_mul(power_of_ten(scale(signature.result))).map(|scaled| scaled / size);
    fit(scaled, signature.result)
}

pub fn long_to_decimal(months: i32, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let size = if unit(signature.arguments[0]) == IntervalUnit::Year { 12 } else { 1 };
    int_to_decimal(months / size, signature)
}

pub fn int_to_short<A: Integer>(count: A, signature: &Signature<'_>) -> Result<i64, SqlError> {
    let wide: i128 = count.into();
    let micros = wide * i128::from(unit_micros(unit(signature.result)));
    i64::try_from(micros).map_err(|_| out_of(count, &signature.result.to_string()))
}

pub fn int_to_long<A: Integer>(count: A, signature: &Signature<'_>) -> Result<i32, SqlError> {
    let wide: i128 = count.into();
    let months = wide * if unit(signature.result) == IntervalUnit::Year { 12 } else { 1 };
    i32::try_from(months).map_err(|_| out_of(count, &signature.result.to_string()))
}

/// A fraction of a unit counts down to microseconds.
pub fn decimal_to_short(count: i128, signature: &Signature<'_>) -> Result<i64, SqlError> {
    let micros = count
        .checked_mul(i128::from(unit_micros(unit(signature.result))))
        .map(|micros| micros / power_of_ten(scale(signature.arguments[0])));
    micros
        .and_then(|micros| i64::try_from(micros).ok())
        .ok_or_else(|| out_of("the number", &signature.result.to_string()))
}

/// Cuts or pads a text to its type.
pub fn fit_text<'a>(text: Cow<'a, str>, ty: SqlType) -> Cow<'a, str> {
    let limit = match ty {
        SqlType::Char { length } | SqlType::Varchar { length: Some(length) } => length as usize,
        _ => return text,
    };
    let length = if text.is_ascii() { text.len() } else { char_length(&text) as usize };
    if length > limit {
        let kept = left(&text, limit as i64).len();
        return match text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[..kept]),
            Cow::Owned(mut text) => {
                text.truncate(kept);
                Cow::Owned(text)
            }
        };
    }
    match ty {
        SqlType::Char { .. } if length < limit => {
            let mut padded = text.into_owned();
            padded.extend(std::iter::repeat_n(' ', limit - length));
            Cow::Owned(padded)
        }
        _ => text,
    }
}

pub fn text_to_text<'a>(text: &'a str, signature: &Signature<'_>) -> Cow<'a, str> {
    fit_text(Cow::Borrowed(text), signature.result)
}

/// Any type to text. One function for each native type keeps calls monomorphic.
macro_rules! to_text {
    ($($name:ident $native:ty: $value:ident;)+) => {
        $(pub fn $name(value: $native, signature: &Signature<'_>) -> String {
            let mut out = String::new();
            text_form::write_value(&crate::Value::$value(value), signature.arguments[0], &mut out);
            fit_text(Cow::Owned(out), signature.result).into_owned()
        })+
    };
}

to_text! {
    bool_to_text bool: Boolean;
    tinyint_to_text i8: TinyInt;
    smallint_to_text i16: SmallInt;
    integer_to_text i32: Integer;
    bigint_to_text i64: BigInt;
    utinyint_to_text u8: UTinyInt;
    usmallint_to_text u16: USmallInt;
    uinteger_to_text u32: UInteger;
    ubigint_to_text u64: UBigInt;
    decimal_to_text i128: Decimal;
    real_to_text f32: Real;
    double_to_text f64: Double;
    date_to_text i32: Date;
    time_to_text i64: Time;
    timestamp_to_text i64: Timestamp;
    timestamp_tz_to_text i64: TimestampTz;
    short_to_text i64: IntervalShort;
    long_to_text i32: IntervalLong;
}

/// Text to an integer of any width: a sign and digits, with blanks around.
#[inline]
pub fn text_to_int<B: Integer + std::str::FromStr>(text: &str) -> Result<B, SqlError> {
    text.trim().parse().map_err(|_| text_form::not_a_number(text, B::TYPE))
}

pub fn text_to_decimal(text: &str, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let (precision, scale) = shape(signature.result);
    parse_decimal(text.trim(), precision, scale, Rounding::HalfEven).map_err(|reason| match reason {
        NotDecimal::Malformed => text_form::cannot_convert(text, signature.result),
        NotDecimal::OutOfRange => too_wide(text.trim(), signature.result),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(precision: u8, scale: u8) -> SqlType {
        SqlType::Decimal { precision, scale }
    }

    fn signature(from: &SqlType, to: SqlType) -> Signature<'_> {
        Signature { arguments: std::slice::from_ref(from), result: to }
    }

    #[test]
    fn numbers_lose_digits_toward_zero() {
        let d = decimal(5, 1);
        assert_eq!(decimal_to_int::<i32>(986, &signature(&d, SqlType::Integer)), Ok(98));
        assert_eq!(decimal_to_int::<i32>(-29, &signature(&d, SqlType::Integer)), Ok(-2));
        assert_eq!(float_to_int::<f64, i16>(32767.4), Ok(32767));
        assert!(float_to_int::<f64, i16>(32768.6).is_err());
        assert!(float_to_int::<f64, i64>(-9_223_372_036_854_780_000.0).is_err());
        assert!(float_to_int::<f64, i64>(f64::NAN).is_err());
        let from = decimal(8, 4);
        assert_eq!(decimal_to_decimal(29_999, &signature(&from, decimal(3, 2))), Ok(299));
        assert!(decimal_to_decimal(12_341_236, &signature(&from, decimal(6, 3))).is_err());
    }

    #[test]
    fn floats_become_the_decimal_they_show() {
        let from = SqlType::Double;
        assert_eq!(float_to_decimal(2.3, &signature(&from, decimal(10, 1))), Ok(23));
        assert_eq!(float_to_decimal(9.546812608597396, &signature(&from, decimal(5, 3))), Ok(9546));
        assert!(float_to_decimal(f64::INFINITY, &signature(&from, decimal(5, 3))).is_err());
        assert!(float_to_decimal(1e300, &signature(&from, decimal(38, 0))).is_err());
        let wide = decimal(38, 30);
        assert_eq!(decimal_to_double(power_of_ten(37) / 3, &signature(&wide, SqlType::Double)), 1e7 / 3.0);
        let narrow = decimal(5, 2);
        assert_eq!(decimal_to_double(-150, &signature(&narrow, SqlType::Double)), -1.5);
        assert_eq!(decimal_to_real(-150, &signature(&narrow, SqlType::Real)), -1.5);
    }

    #[test]
    fn timestamps_count_milliseconds() {
        assert_eq!(int_to_timestamp(1000), Ok(MICROS_PER_SECOND));
        assert_eq!(int_to_timestamp(1999), Ok(MICROS_PER_SECOND));
        assert_eq!(int_to_timestamp(-10), Ok(0));
        let cents =
            Signature { arguments: &[SqlType::Decimal { precision: 10, scale: 2 }], result: SqlType::Timestamp };
        assert_eq!(decimal_to_timestamp(1020, &cents), Ok(0));
        assert_eq!(decimal_to_timestamp(-200_050, &cents), Ok(-2 * MICROS_PER_SECOND));
        assert_eq!(timestamp_to_int::<i32>(1_234_000), Ok(1234));
        assert_eq!(float_to_timestamp(-57681.18f32), Ok(-57 * MICROS_PER_SECOND));
        assert!(float_to_timestamp(f64::NAN).is_err());
        assert!(int_to_timestamp(i64::MAX).is_err());
    }

    #[test]
    fn intervals_count_their_unit() {
        let seconds = SqlType::IntervalShort { from: IntervalUnit::Second, to: IntervalUnit::Second };
        assert_eq!(short_to_decimal(10_135_000, &signature(&seconds, decimal(10, 2))), Ok(1013));
        let years = SqlType::IntervalLong { from: IntervalUnit::Year, to: IntervalUnit::Year };
        assert_eq!(long_to_int::<i8>(12, &signature(&years, SqlType::TinyInt)), Ok(1));
    }

    #[test]
    fn texts_are_cut_and_padded() {
        let from = SqlType::VARCHAR;
        let char = |text, length| text_to_text(text, &signature(&from, SqlType::Char { length })).into_owned();
        assert_eq!(char("ab", 4), "ab  ");
        assert_eq!(char("かわいい", 2), "かわ");
        let varchar = SqlType::Varchar { length: Some(3) };
        assert_eq!(text_to_text("hello", &signature(&from, varchar)), "hel");
        assert_eq!(bool_to_text(true, &signature(&SqlType::Boolean, SqlType::Char { length: 6 })), "TRUE  ");
    }
}
