//! Functions of whole numbers: divisors, multiples, factorials, and the bucket of a histogram that a number falls into.

use crate::arithmetic::{self, Integer};
use crate::decimal::{Rounding, divide_decimal, rescale, shape};
use crate::error::{INVALID_WIDTH_BUCKET, NUMERIC_OUT_OF_RANGE};
use crate::function::Signature;
use crate::{SqlError, number};

#[cold]
fn out_of(call: &str, ty: &str) -> SqlError {
    SqlError::new(NUMERIC_OUT_OF_RANGE, format!("{call} does not fit {ty}"))
}

fn divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn magnitude<T: Integer>(value: T) -> u128 {
    let wide: i128 = value.into();
    wide.unsigned_abs()
}

fn narrow<T: Integer>(value: Option<u128>, call: &str) -> Result<T, SqlError> {
    let value = value.and_then(|value| i128::try_from(value).ok()).and_then(|value| T::try_from(value).ok());
    value.ok_or_else(|| out_of(call, T::TYPE))
}

/// Never negative; 0 for two zeros.
pub fn gcd<T: Integer>(a: T, b: T) -> Result<T, SqlError> {
    narrow(Some(divisor(magnitude(a), magnitude(b))), "the result of GCD")
}

/// Never negative; 0 when one of them is.
pub fn lcm<T: Integer>(a: T, b: T) -> Result<T, SqlError> {
    let (a, b) = (magnitude(a), magnitude(b));
    let multiple = if a == 0 || b == 0 { Some(0) } else { (a / divisor(a, b)).checked_mul(b) };
    narrow(multiple, "the result of LCM")
}

/// Up to 33, whose factorial is the last of 38 digits.
pub fn factorial(n: i64) -> Result<i128, SqlError> {
    match n {
        ..0 => Err(SqlError::new(NUMERIC_OUT_OF_RANGE, "the factorial of a negative number is not defined")),
        0..=33 => Ok((1..=i128::from(n)).product()),
        _ => Err(out_of(&format!("FACTORIAL({n})"), "DECIMAL(38, 0)")),
    }
}

/// Quotient cut off to a whole number.
pub fn whole_quotient(a: i128, b: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    divide_decimal(a, b, signature)
}

/// Digits after the point, of the type.
pub fn scale(_value: i128, signature: &Signature<'_>) -> i32 {
    i32::from(shape(signature.arguments[0]).1)
}

/// Digits after the point that the value needs.
pub fn min_scale(value: i128, signature: &Signature<'_>) -> i32 {
    let (mut value, mut scale) = (value, scale(value, signature));
    while scale > 0 && value % 10 == 0 {
        (value, scale) = (value / 10, scale - 1);
    }
    scale
}

/// The digits of the two's complement, lower case.
pub fn integer_to_hex(value: i32) -> String {
    format!("{value:x}")
}

/// The digits of the two's complement, lower case.
pub fn bigint_to_hex(value: i64) -> String {
    format!("{value:x}")
}

/// The bytes of the text in UTF-8.
pub fn text_to_hex(text: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.bytes().flat_map(|byte| [byte >> 4, byte & 15]).map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

#[cold]
fn no_buckets(message: &'static str) -> SqlError {
    SqlError::new(INVALID_WIDTH_BUCKET, message)
}

fn check_count(count: i32) -> Result<(), SqlError> {
    if count <= 0 { Err(no_buckets("WIDTH_BUCKET needs at least one bucket")) } else { Ok(()) }
}

/// The bucket behind the last.
fn behind(count: i32) -> Result<i32, SqlError> {
    count.checked_add(1).ok_or_else(|| out_of("the result of WIDTH_BUCKET", "INTEGER"))
}

const SAME_BOUNDS: &str = "the bounds of WIDTH_BUCKET must differ";

/// Buckets count from 1 at `low`; 0 is before `low` and `count + 1` from `high` on. `low` may be above `high`.
pub fn width_bucket(operand: f64, low: f64, high: f64, count: i32) -> Result<i32, SqlError> {
    check_count(count)?;
    if operand.is_nan() || !low.is_finite() || !high.is_finite() {
        return Err(no_buckets("WIDTH_BUCKET needs finite bounds and a number"));
    }
    if low == high {
        return Err(no_buckets(SAME_BOUNDS));
    }
    let (before, after) = if low < high { (operand < low, operand >= high) } else { (operand > low, operand <= high) };
    if before {
        return Ok(0);
    }
    if after {
        return behind(count);
    }
    // Halved, the difference of the largest floats is finite.
    let part = (operand / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    // The cast cuts off; a part that was rounded up to 1 is still in the last bucket.
    Ok(((part * f64::from(count)) as i32).saturating_add(1).min(count))
}

/// As [`width_bucket`], exact.
pub fn width_bucket_decimal(
    operand: i128,
    low: i128,
    high: i128,
    count: i32,
    signature: &Signature<'_>,
) -> Result<i32, SqlError> {
    check_count(count)?;
    let scales = [0, 1, 2].map(|at| shape(signature.arguments[at]).1);
    let scale = scales.into_iter().max().unwrap_or(0);
    let too_large = || out_of("a difference in WIDTH_BUCKET", "DECIMAL(38)");
    let same = |value, at: usize| rescale(value, scales[at], scale, Rounding::TowardZero).ok_or_else(too_large);
    let (operand, low, high) = (same(operand, 0)?, same(low, 1)?, same(high, 2)?);
    if low == high {
        return Err(no_buckets(SAME_BOUNDS));
    }
    let (before, after) = if low < high { (operand < low, operand >= high) } else { (operand > low, operand <= high) };
    if before {
        return Ok(0);
    }
    if after {
        return behind(count);
    }
    let part = operand.abs_diff(low).checked_mul(u128::from(count.unsigned_abs())).ok_or_else(too_large)?;
    // Less than `count`, since the operand lies before `high`.
    Ok((part / high.abs_diff(low)) as i32 + 1)
}

functions! { pub static FUNCTIONS:
    "GCD" (INTEGER, INTEGER) -> INTEGER = number::gcd::<i32>, Strict {fallible}, "Greatest common divisor.";
    "GCD" (BIGINT, BIGINT) -> BIGINT = number::gcd::<i64>, Strict {fallible}, "Greatest common divisor.";
    "LCM" (INTEGER, INTEGER) -> INTEGER = number::lcm::<i32>, Strict {fallible}, "Least common multiple.";
    "LCM" (BIGINT, BIGINT) -> BIGINT = number::lcm::<i64>, Strict {fallible}, "Least common multiple.";
    "FACTORIAL" (BIGINT) -> DECIMAL = number::factorial, Strict {fallible}, "Product of the numbers from 1 on, up to 33.";
    "DIV" (TINYINT, TINYINT) -> TINYINT = arithmetic::divide::<i8>, Strict {fallible}, "Quotient, truncated toward zero.";
    "DIV" (SMALLINT, SMALLINT) -> SMALLINT = arithmetic::divide::<i16>, Strict {fallible}, "Quotient, truncated toward zero.";
    "DIV" (INTEGER, INTEGER) -> INTEGER = arithmetic::divide::<i32>, Strict {fallible}, "Quotient, truncated toward zero.";
    "DIV" (BIGINT, BIGINT) -> BIGINT = arithmetic::divide::<i64>, Strict {fallible}, "Quotient, truncated toward zero.";
    "DIV" (DECIMAL, DECIMAL) -> DECIMAL = number::whole_quotient, Strict {typed fallible}, "Quotient, truncated to a whole number.";
    "SCALE" (DECIMAL) -> INTEGER = number::scale, Strict {typed}, "Digits after the point, of the type.";
    "MIN_SCALE" (DECIMAL) -> INTEGER = number::min_scale, Strict {typed}, "Digits after the point that the value needs.";
    "TO_HEX" (INTEGER) -> VARCHAR = number::integer_to_hex, Strict {}, "Hexadecimal digits, of the two's complement below zero.";
    "TO_HEX" (BIGINT) -> VARCHAR = number::bigint_to_hex, Strict {}, "Hexadecimal digits, of the two's complement below zero.";
    "TO_HEX" (VARCHAR) -> VARCHAR = number::text_to_hex, Strict {}, "Hexadecimal digits of the bytes in UTF-8.";
    "WIDTH_BUCKET" (DECIMAL, DECIMAL, DECIMAL, INTEGER) -> INTEGER = number::width_bucket_decimal, Strict {typed fallible}, "Which of so many equal parts between two bounds the first argument falls into; 0 before and one more behind them.";
    "WIDTH_BUCKET" (DOUBLE, DOUBLE, DOUBLE, INTEGER) -> INTEGER = number::width_bucket, Strict {fallible}, "Which of so many equal parts between two bounds the first argument falls into; 0 before and one more behind them.";
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values of PostgreSQL 15.
    #[test]
    fn divisors_and_multiples() {
        assert_eq!((gcd(1071, 462), gcd(-10, 4), gcd(0, 0), gcd(0, -7)), (Ok(21), Ok(2), Ok(0), Ok(7)));
        assert_eq!((lcm(1071, 462), lcm(-3, 7), lcm(0, 5)), (Ok(23562), Ok(21), Ok(0)));
        assert_eq!(gcd(i64::MIN, 0).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(gcd(i64::MIN, i64::MIN).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(lcm(i64::MAX, i64::MAX - 1).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(lcm(i32::MAX, 2).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
    }

    #[test]
    fn factorials() {
        assert_eq!((factorial(0), factorial(20)), (Ok(1), Ok(2_432_902_008_176_640_000)));
        assert_eq!(factorial(33), Ok(8_683_317_618_811_886_495_518_194_401_280_000_000));
        assert!(factorial(34).is_err() && factorial(-1).is_err() && factorial(i64::MAX).is_err());
    }

    #[test]
    fn hexadecimal() {
        assert_eq!((integer_to_hex(255), bigint_to_hex(i64::MIN)), ("ff".into(), "8000000000000000".into()));
        assert_eq!((text_to_hex("a\nい"), text_to_hex("")), ("610ae38184".into(), String::new()));
        assert_eq!((integer_to_hex(-1), bigint_to_hex(-1)), ("ffffffff".into(), "f".repeat(16)));
    }

    #[test]
    fn buckets() {
        assert_eq!(width_bucket(5.35, 0.024, 10.06, 5), Ok(3));
        assert_eq!(width_bucket(0.0, 10.0, 0.0, 5), Ok(6));
        assert_eq!((width_bucket(10.0, 10.0, 0.0, 5), width_bucket(11.0, 10.0, 0.0, 5)), (Ok(1), Ok(0)));
        assert_eq!(width_bucket(f64::INFINITY, 0.0, 1.0, 4), Ok(5));
        assert_eq!(width_bucket(1e308, -1.7e308, 1.7e308, 10), Ok(8));
        assert!(width_bucket(f64::INFINITY, 0.0, 1.0, i32::MAX).is_err());
        for bad in [(f64::NAN, 0.0, 1.0, 1), (0.5, 1.0, 1.0, 1), (0.5, 0.0, f64::INFINITY, 1), (0.5, 0.0, 1.0, 0)] {
            assert_eq!(width_bucket(bad.0, bad.1, bad.2, bad.3).unwrap_err().code, INVALID_WIDTH_BUCKET);
        }
    }

    #[test]
    fn digits_after_the_point() {
        let decimal = |scale| crate::SqlType::Decimal { precision: 38, scale };
        let arguments = [decimal(4), decimal(1)];
        let signature = Signature { arguments: &arguments, result: decimal(0) };
        assert_eq!((scale(84_100, &signature), min_scale(84_100, &signature), min_scale(0, &signature)), (4, 2, 0));
        // -9.0000 over 0.4, and the largest over the least.
        assert_eq!(whole_quotient(-90_000, 4, &signature), Ok(-22));
        assert!(whole_quotient(1, 0, &signature).is_err());
        let signature = Signature { arguments: &[decimal(0), decimal(38)], result: decimal(0) };
        assert!(whole_quotient(10i128.pow(37), 1, &signature).is_err());
    }

    #[test]
    fn exact_buckets() {
        let decimal = |scale| crate::SqlType::Decimal { precision: 38, scale };
        let arguments = [decimal(2), decimal(3), decimal(0), crate::SqlType::Integer];
        let signature = Signature { arguments: &arguments, result: crate::SqlType::Integer };
        assert_eq!(width_bucket_decimal(535, 24, 10, 5, &signature), Ok(3));
        assert_eq!(width_bucket_decimal(300, 0, 10, 10, &signature), Ok(4));
        assert_eq!(width_bucket_decimal(299, 0, 10, 10, &signature), Ok(3));
        assert!(width_bucket_decimal(1, 0, 10i128.pow(37), 10, &signature).is_err());
    }
}
