//! DECIMAL from and to text, digit by digit: no float in between, 38 digits survive.

use crate::decimal::{MAX_PRECISION, Rounding};
use crate::wide::power_of_ten;

/// All digits of the scale, e.g. `-0.50`.
pub fn decimal_text(value: i128, scale: u8) -> String {
    let mut text = String::new();
    write_decimal(value, scale, &mut text);
    text
}

/// Appends [`decimal_text`].
pub fn write_decimal(value: i128, scale: u8, out: &mut String) {
    use std::fmt::Write;
    let sign = if value < 0 { "-" } else { "" };
    let magnitude = value.unsigned_abs();
    let unit = power_of_ten(scale) as u128;
    // Writing to a String cannot fail.
    let _ = match scale {
        0 => write!(out, "{sign}{magnitude}"),
        _ => write!(out, "{sign}{}.{:0width$}", magnitude / unit, magnitude % unit, width = usize::from(scale)),
    };
}

/// Appends the value without the zeros that end its fraction, e.g. `1500` for 1500.00.
pub fn write_trimmed_decimal(value: i128, scale: u8, out: &mut String) {
    let (mut value, mut scale) = (value, scale);
    while scale > 0 && value % 10 == 0 {
        (value, scale) = (value / 10, scale - 1);
    }
    write_decimal(value, scale, out);
}

/// Why a text is no number of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDecimal {
    Malformed,
    OutOfRange,
}

/// Reads `[+-]digits[.digits][e[+-]digits]` as units of 10^-scale of at most `precision` digits. Digits past the scale
/// are rounded.
pub fn parse_decimal(text: &str, precision: u8, scale: u8, rounding: Rounding) -> Result<i128, NotDecimal> {
    let (negative, unsigned) = split_sign(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if integer.is_empty() && fraction.is_empty() {
        return Err(NotDecimal::Malformed);
    }
    let digits = || integer.bytes().chain(fraction.bytes());
    if !digits().all(|digit| digit.is_ascii_digit()) {
        return Err(NotDecimal::Malformed);
    }
    let leading_zeros = digits().take_while(|digit| *digit == b'0').count();
    let significant = digits().count() - leading_zeros;
    if significant == 0 {
        return Ok(0);
    }
    // How many significant digits stand before the unit of the result.
    let kept = integer.len() as i64 - leading_zeros as i64 + exponent + i64::from(scale);
    if kept > i64::from(MAX_PRECISION) {
        return Err(NotDecimal::OutOfRange);
    }
    let value = match kept {
        ..=-1 => round_up_from_nothing(rounding, negative),
        _ => {
            let significant_digits = || digits().skip(leading_zeros);
            let padded = significant_digits().chain(std::iter::repeat(b'0')).take(kept as usize);
            let value = padded.fold(0, |value, digit| value * 10 + i128::from(digit - b'0'));
            value + i128::from(rounds_up(significant_digits().skip(kept as usize), value, rounding, negative))
        }
    };
    match value < power_of_ten(precision) {
        true => Ok(if negative { -value } else { value }),
        false => Err(NotDecimal::OutOfRange),
    }
}

/// The unit when rounding outward, for a value below a tenth of it.
fn round_up_from_nothing(rounding: Rounding, negative: bool) -> i128 {
    i128::from(matches!((rounding, negative), (Rounding::Floor, true) | (Rounding::Ceiling, false)))
}

/// Do the dropped digits carry into the kept magnitude?
fn rounds_up(mut dropped: impl Iterator<Item = u8>, kept: i128, rounding: Rounding, negative: bool) -> bool {
    let Some(first) = dropped.next() else { return false };
    let rest = dropped.any(|digit| digit != b'0');
    let nothing = first == b'0' && !rest;
    match rounding {
        Rounding::TowardZero => false,
        Rounding::HalfAwayFromZero => first >= b'5',
        Rounding::HalfEven => first > b'5' || (first == b'5' && (rest || kept % 2 == 1)),
        Rounding::Floor => negative && !nothing,
        Rounding::Ceiling => !negative && !nothing,
    }
}

pub(crate) fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Exponents that no 38-digit number survives are clamped, not refused: the value is zero or out of range.
fn parse_exponent(text: &str) -> Result<i64, NotDecimal> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(NotDecimal::Malformed);
    }
    let magnitude = digits.bytes().fold(0i64, |e, digit| (e * 10 + i64::from(digit - b'0')).min(1 << 40));
    Ok(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, precision: u8, scale: u8, expected: Result<&str, NotDecimal>) {
        let got = parse_decimal(text, precision, scale, Rounding::HalfEven).map(|value| decimal_text(value, scale));
        assert_eq!(got.as_deref(), expected.as_ref().map(|text| *text), "{text}");
    }

    #[test]
    fn texts_become_units() {
        check("1.50", 5, 2, Ok("1.50"));
        check("-.5", 5, 1, Ok("-0.5"));
        check("+12.", 5, 0, Ok("12"));
        check("1e3", 5, 1, Ok("1000.0"));
        check("12345e-4", 5, 2, Ok("1.23"));
        check("0.000", 1, 0, Ok("0"));
        check("-99999999999999999999999999999999999999", 38, 0, Ok("-99999999999999999999999999999999999999"));
        check("0e99999999999999999999", 1, 0, Ok("0"));
        check("1e-99999999999999999999", 1, 0, Ok("0"));
    }

    #[test]
    fn halves_go_to_the_even_digit() {
        check("0.125", 5, 2, Ok("0.12"));
        check("0.135", 5, 2, Ok("0.14"));
        check("0.1250001", 5, 2, Ok("0.13"));
        check("0.5", 5, 0, Ok("0"));
        check("1.5", 5, 0, Ok("2"));
        check("0.05", 5, 0, Ok("0"));
    }

    #[test]
    fn bad_texts_are_told_apart() {
        for text in ["", "-", ".", "1.2.3", "abc", "1e", "0x10", "1 2", "--1", "NaN"] {
            check(text, 10, 2, Err(NotDecimal::Malformed));
        }
        check("100", 2, 0, Err(NotDecimal::OutOfRange));
        check("99.995", 4, 2, Err(NotDecimal::OutOfRange));
        check("1e400", 38, 0, Err(NotDecimal::OutOfRange));
    }

    #[test]
    fn trimming_stops_at_the_point() {
        let mut out = String::new();
        write_trimmed_decimal(150_000, 2, &mut out);
        write_trimmed_decimal(-150, 3, &mut out);
        write_trimmed_decimal(100, 0, &mut out);
        assert_eq!(out, "1500-0.15100");
    }
}
