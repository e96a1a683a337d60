//! DECIMAL arithmetic: exact results or an error, never a float in between.
//!
//! A DECIMAL(p, s) is an `i128` of units of 10^-s. Result types follow the SQL standard's derivation, capped at 38 digits
//! with the scale kept (for a quotient at least six digits of it). Operands of at most 64 bits take a fast path; only
//! intermediates past `i128` use [`crate::wide`].

use crate::decimal_text::decimal_text;
use crate::error::{DIVISION_BY_ZERO, NUMERIC_OUT_OF_RANGE};
use crate::function::Signature;
use crate::text_form::shown;
use crate::wide::{Wide, power_of_ten};
use crate::{SqlError, SqlType, decimal};

pub const MAX_PRECISION: u8 = 38;

/// Scale kept for a quotient when its integer digits need most of the 38.
const MIN_QUOTIENT_SCALE: u8 = 6;

/// Rounding of dropped digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    TowardZero,
    HalfAwayFromZero,
    HalfEven,
    Floor,
    Ceiling,
}

/// Precision and scale of a DECIMAL (or integer) type; other types cannot come here.
#[inline]
pub fn shape(ty: SqlType) -> (u8, u8) {
    match ty {
        SqlType::Decimal { precision, scale } => (precision, scale),
        other => other.digits().unwrap_or((MAX_PRECISION, 0)),
    }
}

#[inline]
fn scale(ty: SqlType) -> u8 {
    shape(ty).1
}

/// DECIMAL with precision and scale capped at 38.
fn capped(precision: u16, scale: u16) -> SqlType {
    let precision = precision.clamp(1, u16::from(MAX_PRECISION)) as u8;
    SqlType::Decimal { precision, scale: scale.min(u16::from(MAX_PRECISION)) as u8 }
}

fn pair(arguments: &[SqlType]) -> [u16; 4] {
    let (p1, s1) = shape(arguments.first().copied().unwrap_or(SqlType::Null));
    let (p2, s2) = shape(arguments.get(1).copied().unwrap_or(SqlType::Null));
    [p1, s1, p2, s2].map(u16::from)
}

/// Type of a sum or difference: one more digit than the wider operand.
pub fn sum_type(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let [p1, s1, p2, s2] = pair(arguments);
    let scale = s1.max(s2);
    Ok(capped(p1.saturating_sub(s1).max(p2.saturating_sub(s2)) + scale + 1, scale))
}

/// Type of a product: digits and scales add up.
pub fn product_type(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let [p1, s1, p2, s2] = pair(arguments);
    Ok(capped(p1 + p2, s1 + s2))
}

/// Type of a quotient: `p1 - s1 + s2` integer digits and scale `max(6, s1 + p2 + 1)`; when they exceed 38 together, the
/// scale yields, down to six.
pub fn quotient_type(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let [p1, s1, p2, s2] = pair(arguments);
    let max = u16::from(MAX_PRECISION);
    let integer = p1.saturating_sub(s1) + s2;
    let wanted = (s1 + p2 + 1).max(u16::from(MIN_QUOTIENT_SCALE));
    let scale = wanted.min(max.saturating_sub(integer).max(u16::from(MIN_QUOTIENT_SCALE)));
    Ok(capped(integer + scale, scale))
}

/// Type of a remainder: no more integer digits than either operand.
pub fn remainder_type(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let [p1, s1, p2, s2] = pair(arguments);
    let scale = s1.max(s2);
    Ok(capped(p1.saturating_sub(s1).min(p2.saturating_sub(s2)) + scale, scale))
}

/// Type of CEIL, FLOOR, ROUND, TRUNCATE to an integer: rounding may carry into one more digit.
pub fn integral_type(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let [p, s, ..] = pair(arguments);
    Ok(capped(p.saturating_sub(s) + u16::from(s > 0), 0))
}

/// Type of ROUND(x, d): the scale stays, since d may vary by row; rounding may carry into one more digit.
pub fn rounded_type(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let [p, s, ..] = pair(arguments);
    Ok(capped(p + 1, s))
}

/// Checks a value against the digits of its type.
#[inline]
pub fn fit(value: Option<i128>, ty: SqlType) -> Result<i128, SqlError> {
    let (precision, _) = shape(ty);
    match value {
        Some(value) if value.unsigned_abs() < power_of_ten(precision) as u128 => Ok(value),
        Some(value) => Err(too_wide(&decimal_text(value, scale(ty)), ty)),
        None => Err(SqlError::new(NUMERIC_OUT_OF_RANGE, format!("a result does not fit {ty}"))),
    }
}

pub fn too_wide(text: &str, ty: SqlType) -> SqlError {
    SqlError::new(NUMERIC_OUT_OF_RANGE, format!("{} does not fit {ty}", shown(text)))
}

pub fn division_by_zero() -> SqlError {
    SqlError::new(DIVISION_BY_ZERO, "division by zero")
}

/// The value at another scale, exact or rounded; `None` past `i128`.
#[inline]
pub fn rescale(value: i128, from: u8, to: u8, rounding: Rounding) -> Option<i128> {
    match to >= from {
        true if to == from => Some(value),
        true => value.checked_mul(power_of_ten(to - from)),
        false => Some(divide(value, power_of_ten(from - to), rounding)),
    }
}

/// Quotient of `i128`s with rounding; the divisor is positive.
#[inline]
fn divide(value: i128, divisor: i128, rounding: Rounding) -> i128 {
    let (quotient, rest) = match (i64::try_from(value), i64::try_from(divisor)) {
        (Ok(value), Ok(divisor)) => (i128::from(value / divisor), i128::from(value % divisor)),
        _ => (value / divisor, value % divisor),
    };
    // The distance to the half decides without doubling, which could overflow.
    let half = rest.unsigned_abs().cmp(&(divisor - rest.abs()).unsigned_abs());
    let away = match rounding {
        Rounding::TowardZero => false,
        Rounding::HalfAwayFromZero => half.is_ge(),
        Rounding::HalfEven => half.is_gt() || (half.is_eq() && quotient % 2 != 0),
        Rounding::Floor => rest < 0,
        Rounding::Ceiling => rest > 0,
    };
    quotient + if away && rest != 0 { value.signum() } else { 0 }
}

/// `a + b` where both are brought to the result's scale; exact even when an intermediate passes `i128`.
#[inline]
fn sum(a: i128, b: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let to = scale(signature.result);
    let (up_a, up_b) = (to - scale(signature.arguments[0]), to - scale(signature.arguments[1]));
    let scaled = |value: i128, up: u8| if up == 0 { Some(value) } else { value.checked_mul(power_of_ten(up)) };
    let narrow = scaled(a, up_a).zip(scaled(b, up_b)).and_then(|(a, b)| a.checked_add(b));
    let result = narrow.or_else(|| {
        let wide = |value: i128, up: u8| Wide::product(value, power_of_ten(up));
        wide(a, up_a).plus(wide(b, up_b)).to_i128()
    });
    fit(result, signature.result)
}

#[inline]
pub fn add(a: i128, b: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    sum(a, b, signature)
}

#[inline]
pub fn subtract(a: i128, b: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    sum(a, -b, signature)
}

#[inline]
pub fn multiply(a: i128, b: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    let (sa, sb) = (scale(signature.arguments[0]), scale(signature.arguments[1]));
    let drop = sa + sb - scale(signature.result);
    let narrow = match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b),
    };
    let result = match narrow {
        Some(product) if drop == 0 => Some(product),
        Some(product) => Some(divide(product, power_of_ten(drop), Rounding::TowardZero)),
        None => Wide::product(a, b).div_rem(power_of_ten(drop)).0.to_i128(),
    };
    fit(result, signature.result)
}

/// Digits past the result's scale are cut off.
#[inline]
pub fn divide_decimal(a: i128, b: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    match quotient(a, b, signature)? {
        Some(result) => Ok(result),
        None => Err(division_by_zero()),
    }
}

/// NULL for a zero divisor.
pub fn div_null(a: i128, b: i128, signature: &Signature<'_>) -> Result<Option<i128>, SqlError> {
    quotient(a, b, signature)
}

#[inline]
fn quotient(a: i128, b: i128, signature: &Signature<'_>) -> Result<Option<i128>, SqlError> {
    if b == 0 {
        return Ok(None);
    }
    // a/10^sa over b/10^sb in units of 10^-s is a * 10^(s + sb - sa) / b.
    let up = i32::from(scale(signature.result)) + i32::from(scale(signature.arguments[1]))
        - i32::from(scale(signature.arguments[0]));
    let result = if up < 0 {
        // Dividing twice cuts the same digits as dividing by the product.
        Some(a / power_of_ten(up.unsigned_abs() as u8) / b)
    } else {
        let narrow = if up <= 38 { a.checked_mul(power_of_ten(up as u8)) } else { None };
        match narrow {
            Some(scaled) => match (i64::try_from(scaled), i64::try_from(b)) {
                (Ok(scaled), Ok(b)) => Some(i128::from(scaled) / i128::from(b)),
                _ => Some(scaled / b),
            },
            None => Wide::from(a).scale_up(up as u32).and_then(|scaled| scaled.div_rem(b).0.to_i128()),
        }
    };
    fit(result, signature.result).map(Some)
}

/// The sign is the dividend's.
#[inline]
pub fn remainder(a: i128, b: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    if b == 0 {
        return Err(division_by_zero());
    }
    let to = scale(signature.result);
    let (up_a, up_b) = (to - scale(signature.arguments[0]), to - scale(signature.arguments[1]));
    let narrow = a.checked_mul(power_of_ten(up_a)).zip(b.checked_mul(power_of_ten(up_b)));
    let result = match narrow {
        Some((a, b)) => Some(a % b),
        // A divisor past i128 exceeds every 38-digit dividend at the same scale, unless that one was scaled up as well,
        // which cannot be: one of the scales is the result's.
        None if b.checked_mul(power_of_ten(up_b)).is_none() => Some(a),
        None => Some(Wide::product(a, power_of_ten(up_a)).div_rem(b).1),
    };
    fit(result, signature.result)
}

#[inline]
pub fn negate(a: i128) -> i128 {
    -a
}

#[inline]
pub fn abs(a: i128) -> i128 {
    a.abs()
}

#[inline]
fn to_integral(a: i128, signature: &Signature<'_>, rounding: Rounding) -> Result<i128, SqlError> {
    fit(rescale(a, scale(signature.arguments[0]), scale(signature.result), rounding), signature.result)
}

pub fn ceil(a: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    to_integral(a, signature, Rounding::Ceiling)
}

pub fn floor(a: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    to_integral(a, signature, Rounding::Floor)
}

/// Halves go away from zero.
pub fn round(a: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    to_integral(a, signature, Rounding::HalfAwayFromZero)
}

pub fn truncate(a: i128, signature: &Signature<'_>) -> Result<i128, SqlError> {
    to_integral(a, signature, Rounding::TowardZero)
}

/// Rounds at `digits` after the point (before it when negative), keeping the scale.
fn at_digits(a: i128, digits: i32, signature: &Signature<'_>, rounding: Rounding) -> Result<i128, SqlError> {
    let drop = i64::from(scale(signature.arguments[0])) - i64::from(digits);
    let result = match drop {
        ..=0 => Some(a),
        1..=38 => {
            let unit = power_of_ten(drop as u8);
            divide(a, unit, rounding).checked_mul(unit)
        }
        _ => Some(0),
    };
    fit(result, signature.result)
}

/// Halves go away from zero.
pub fn round_to(a: i128, digits: i32, signature: &Signature<'_>) -> Result<i128, SqlError> {
    at_digits(a, digits, signature, Rounding::HalfAwayFromZero)
}

/// Halves go to the even neighbour.
pub fn bround_to(a: i128, digits: i32, signature: &Signature<'_>) -> Result<i128, SqlError> {
    at_digits(a, digits, signature, Rounding::HalfEven)
}

pub fn truncate_to(a: i128, digits: i32, signature: &Signature<'_>) -> Result<i128, SqlError> {
    at_digits(a, digits, signature, Rounding::TowardZero)
}

/// -1, 0 or 1 as a DECIMAL(1, 0).
pub fn sign(a: i128) -> i128 {
    a.signum()
}

/// Type of SIGN.
pub fn sign_type(_: &[SqlType]) -> Result<SqlType, SqlError> {
    Ok(SqlType::Decimal { precision: 1, scale: 0 })
}

functions! { pub static FUNCTIONS:
    "+" (DECIMAL, DECIMAL) -> (derived sum_type) = decimal::add, Strict {typed fallible monotone}, "Sum.";
    "-" (DECIMAL, DECIMAL) -> (derived sum_type) = decimal::subtract, Strict {typed fallible monotone}, "Difference.";
    "*" (DECIMAL, DECIMAL) -> (derived product_type) = decimal::multiply, Strict {typed fallible}, "Product.";
    "/" (DECIMAL, DECIMAL) -> (derived quotient_type) = decimal::divide_decimal, Strict {typed fallible}, "Quotient, cut off at its scale.";
    "%" (DECIMAL, DECIMAL) -> (derived remainder_type) = decimal::remainder, Strict {typed fallible}, "Remainder with the dividend's sign.";
    "MOD" (DECIMAL, DECIMAL) -> (derived remainder_type) = decimal::remainder, Strict {typed fallible}, "Remainder with the dividend's sign.";
    "DIV_NULL" (DECIMAL, DECIMAL) -> (derived quotient_type) = decimal::div_null, StrictToOption {typed fallible}, "Quotient; NULL for a zero divisor.";
    "NEG" (DECIMAL) -> (argument 0) = decimal::negate, Strict {}, "Opposite.";
    "ABS" (DECIMAL) -> (argument 0) = decimal::abs, Strict {}, "Absolute value.";
    "SIGN" (DECIMAL) -> (derived sign_type) = decimal::sign, Strict {monotone}, "-1, 0 or 1.";
    "CEIL" (DECIMAL) -> (derived integral_type) = decimal::ceil, Strict {typed fallible monotone}, "The least integer not below.";
    "CEILING" (DECIMAL) -> (derived integral_type) = decimal::ceil, Strict {typed fallible monotone}, "The least integer not below.";
    "FLOOR" (DECIMAL) -> (derived integral_type) = decimal::floor, Strict {typed fallible monotone}, "The greatest integer not above.";
    "ROUND" (DECIMAL) -> (derived integral_type) = decimal::round, Strict {typed fallible monotone}, "The nearest integer, halves away from zero.";
    "ROUND" (DECIMAL, INTEGER) -> (derived rounded_type) = decimal::round_to, Strict {typed fallible monotone}, "Rounded to digits after the point, halves away from zero.";
    "BROUND" (DECIMAL, INTEGER) -> (derived rounded_type) = decimal::bround_to, Strict {typed fallible monotone}, "Rounded to digits after the point, halves to the even digit.";
    "TRUNCATE" (DECIMAL) -> (derived integral_type) = decimal::truncate, Strict {typed fallible monotone}, "Without the digits after the point.";
    "TRUNC" (DECIMAL) -> (derived integral_type) = decimal::truncate, Strict {typed fallible monotone}, "Without the digits after the point.";
    "TRUNCATE" (DECIMAL, INTEGER) -> (argument 0) = decimal::truncate_to, Strict {typed fallible monotone}, "Cut off after some digits.";
    "TRUNC" (DECIMAL, INTEGER) -> (argument 0) = decimal::truncate_to, Strict {typed fallible monotone}, "Cut off after some digits.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    fn ty(precision: u8, scale: u8) -> SqlType {
        SqlType::Decimal { precision, scale }
    }

    type Binary = fn(i128, i128, &Signature<'_>) -> Result<i128, SqlError>;
    type Derive = fn(&[SqlType]) -> Result<SqlType, SqlError>;

    fn call(f: Binary, derive: Derive, a: (i128, SqlType), b: (i128, SqlType)) -> Result<String, SqlError> {
        let arguments = [a.1, b.1];
        let result = derive(&arguments).unwrap();
        f(a.0, b.0, &Signature { arguments: &arguments, result }).map(|v| decimal_text(v, scale(result)))
    }

    #[test]
    fn result_types_follow_the_standard() {
        let derived = |derive: Derive, a, b| derive(&[a, b]).unwrap();
        assert_eq!(derived(sum_type, ty(10, 2), ty(8, 4)), ty(13, 4));
        assert_eq!(derived(product_type, ty(12, 2), ty(13, 2)), ty(25, 4));
        assert_eq!(derived(product_type, ty(38, 10), ty(38, 10)), ty(38, 20));
        assert_eq!(derived(quotient_type, ty(25, 3), ty(4, 1)), ty(31, 8));
        assert_eq!(derived(quotient_type, ty(38, 10), ty(4, 1)), ty(38, 9));
        assert_eq!(derived(quotient_type, ty(38, 10), ty(38, 10)), ty(38, 6));
        assert_eq!(derived(remainder_type, ty(10, 2), ty(5, 3)), ty(5, 3));
    }

    #[test]
    fn operations() {
        let d = |units, precision, scale| (units, ty(precision, scale));
        assert_eq!(call(divide_decimal, quotient_type, d(3456, 25, 3), d(12, 4, 1)), Ok("2.88000000".into()));
        assert_eq!(
            call(divide_decimal, quotient_type, d(360_000_000_000, 38, 10), d(1000, 4, 1)),
            Ok("0.360000000".into())
        );
        assert_eq!(call(divide_decimal, quotient_type, d(-7, 2, 0), d(3, 2, 0)), Ok("-2.333333".into()));
        assert_eq!(call(remainder, remainder_type, d(-75, 2, 1), d(2, 1, 0)), Ok("-1.5".into()));
        assert_eq!(call(remainder, remainder_type, d(500, 3, 2), d(3, 2, 1)), Ok("0.20".into()));
        assert_eq!(call(remainder, remainder_type, d(1, 2, 1), d(0, 2, 1)).unwrap_err().code, DIVISION_BY_ZERO);
        let max = power_of_ten(38) - 1;
        assert_eq!(call(add, sum_type, d(max, 38, 0), d(1, 1, 0)).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(call(subtract, sum_type, d(max, 38, 0), d(max, 38, 0)), Ok("0".into()));
        assert_eq!(call(multiply, product_type, d(max, 38, 38), d(max, 38, 38)).map(|t| t.len()), Ok(40));
    }

    #[test]
    fn random_operations_agree_with_big_integers() {
        let mut seed = 7u128;
        let mut next = || {
            seed = seed.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(99);
            seed
        };
        for _ in 0..20_000 {
            let mut operand = || {
                let precision = (next() >> 64) as u8 % 38 + 1;
                let scale = (next() >> 64) as u8 % (precision + 1);
                let digits = (next() >> 64) as u8 % (precision + 1);
                let value = (next() >> 1) as i128 % power_of_ten(digits);
                (if next() >> 127 == 1 { -value } else { value }, ty(precision, scale))
            };
            let (a, b) = (operand(), operand());
            let (sa, sb) = (u32::from(scale(a.1)), u32::from(scale(b.1)));
            let ten = |n: u32| BigInt::from(10u8).pow(n);
            let (big_a, big_b) = (BigInt::from(a.0), BigInt::from(b.0));
            let check = |f: Binary, derive: Derive, expected: &dyn Fn(u32) -> BigInt| {
                let arguments = [a.1, b.1];
                let result = derive(&arguments).unwrap();
                let got = f(a.0, b.0, &Signature { arguments: &arguments, result });
                let (precision, scale) = shape(result);
                let expected = expected(u32::from(scale));
                let fits = expected.magnitude() < ten(u32::from(precision)).magnitude();
                match got {
                    Ok(got) => assert_eq!(BigInt::from(got), expected, "{a:?} {b:?}"),
                    Err(error) => assert!(!fits, "{a:?} {b:?}: {error}"),
                }
            };
            check(add, sum_type, &|s| &big_a * ten(s - sa) + &big_b * ten(s - sb));
            check(subtract, sum_type, &|s| &big_a * ten(s - sa) - &big_b * ten(s - sb));
            check(multiply, product_type, &|s| &big_a * &big_b / ten(sa + sb - s));
            if b.0 != 0 {
                check(divide_decimal, quotient_type, &|s| &big_a * ten(s + sb) / (&big_b * ten(sa)));
                check(remainder, remainder_type, &|s| (&big_a * ten(s - sa)) % (&big_b * ten(s - sb)));
            }
        }
    }

    #[test]
    fn rounding() {
        let rounded = |text: &str, digits: i32, f: fn(i128, i32, &Signature<'_>) -> Result<i128, SqlError>| {
            let scale = text.split_once('.').map_or(0, |(_, fraction)| fraction.len() as u8);
            let value: i128 = text.replace('.', "").parse().unwrap();
            let arguments = [ty(10, scale), SqlType::Integer];
            let result = rounded_type(&arguments).unwrap();
            decimal_text(f(value, digits, &Signature { arguments: &arguments, result }).unwrap(), scale)
        };
        assert_eq!(rounded("15.5", 0, round_to), "16.0");
        assert_eq!(rounded("-15.5", -1, round_to), "-20.0");
        assert_eq!(rounded("1.25", 1, bround_to), "1.20");
        assert_eq!(rounded("15.25", -1, bround_to), "20.00");
        assert_eq!(rounded("25.55", -1, bround_to), "30.00");
        assert_eq!(rounded("-0.00123", 2, truncate_to), "0.00000");
        assert_eq!(rounded("11", -40, bround_to), "0");
        let one = [ty(3, 1)];
        let integral = Signature { arguments: &one, result: integral_type(&one).unwrap() };
        assert_eq!(floor(-7, &integral), Ok(-1));
        assert_eq!(ceil(991, &integral), Ok(100));
        assert_eq!(round(-25, &integral), Ok(-3));
    }
}
