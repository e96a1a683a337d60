//! REAL and DOUBLE arithmetic: IEEE 754, so division by zero gives Infinity or NaN.

use crate::float;

/// Both widths.
pub trait Float:
    Copy
    + PartialOrd
    + std::fmt::Debug
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Rem<Output = Self>
    + std::ops::Neg<Output = Self>
{
    const ZERO: Self;

    fn wide(self) -> f64;
    fn narrow(wide: f64) -> Self;
    fn from_integer(value: i128) -> Self;
    fn magnitude(self) -> Self;
}

macro_rules! float {
    ($($native:ident),+) => {
        $(impl Float for $native {
            const ZERO: Self = 0.0;

            #[inline]
            fn wide(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            fn narrow(wide: f64) -> Self {
                wide as $native
            }

            #[inline]
            fn from_integer(value: i128) -> Self {
                value as $native
            }

            #[inline]
            fn magnitude(self) -> Self {
                self.abs()
            }
        })+
    };
}

float!(f32, f64);

#[inline]
pub fn add<T: Float>(a: T, b: T) -> T {
    a + b
}

#[inline]
pub fn subtract<T: Float>(a: T, b: T) -> T {
    a - b
}

#[inline]
pub fn multiply<T: Float>(a: T, b: T) -> T {
    a * b
}

#[inline]
pub fn divide<T: Float>(a: T, b: T) -> T {
    a / b
}

#[inline]
pub fn div_null<T: Float>(a: T, b: T) -> Option<T> {
    if b == T::ZERO { None } else { Some(a / b) }
}

#[inline]
pub fn remainder<T: Float>(a: T, b: T) -> T {
    a % b
}

#[inline]
pub fn negate<T: Float>(a: T) -> T {
    -a
}

#[inline]
pub fn abs<T: Float>(a: T) -> T {
    a.magnitude()
}

/// -1, 0 or 1; NaN for NaN.
#[inline]
pub fn sign<T: Float>(a: T) -> T {
    let a = a.wide();
    T::narrow(if a.is_nan() || a == 0.0 { a } else { a.signum() })
}

#[inline]
pub fn ceil<T: Float>(a: T) -> T {
    T::narrow(a.wide().ceil())
}

#[inline]
pub fn floor<T: Float>(a: T) -> T {
    T::narrow(a.wide().floor())
}

#[inline]
pub fn round<T: Float>(a: T) -> T {
    T::narrow(a.wide().round())
}

#[inline]
pub fn truncate<T: Float>(a: T) -> T {
    T::narrow(a.wide().trunc())
}

/// Applies a rounding at `digits` after the point; a value whose scaling overflows has no such digits and stays.
fn at_digits<T: Float>(a: T, digits: i32, rounding: fn(f64) -> f64) -> T {
    let value = a.wide();
    let rounded = match digits {
        0 => rounding(value),
        1.. => {
            let unit = 10f64.powi(digits);
            let scaled = value * unit;
            if scaled.is_finite() && unit.is_finite() { rounding(scaled) / unit } else { value }
        }
        _ => {
            // Past the range of DOUBLE everything finite rounds to zero.
            let unit = 10f64.powi(digits.saturating_neg());
            if unit.is_finite() { rounding(value / unit) * unit } else { value * 0.0 }
        }
    };
    T::narrow(rounded)
}

pub fn round_to<T: Float>(a: T, digits: i32) -> T {
    at_digits(a, digits, f64::round)
}

pub fn bround_to<T: Float>(a: T, digits: i32) -> T {
    at_digits(a, digits, f64::round_ties_even)
}

pub fn truncate_to<T: Float>(a: T, digits: i32) -> T {
    at_digits(a, digits, f64::trunc)
}

#[inline]
pub fn is_nan<T: Float>(a: T) -> bool {
    a.wide().is_nan()
}

#[inline]
pub fn is_inf<T: Float>(a: T) -> bool {
    a.wide().is_infinite()
}

#[inline]
pub fn finite_or_null<T: Float>(a: T) -> Option<T> {
    Some(a).filter(|a| a.wide().is_finite())
}

macro_rules! floats {
    ($list:ident $kind:ident $native:ident) => {
        functions! { static $list:
            "+" ($kind, $kind) -> $kind = float::add::<$native>, Strict {monotone}, "Sum.";
            "-" ($kind, $kind) -> $kind = float::subtract::<$native>, Strict {monotone}, "Difference.";
            "*" ($kind, $kind) -> $kind = float::multiply::<$native>, Strict {}, "Product.";
            "/" ($kind, $kind) -> $kind = float::divide::<$native>, Strict {}, "Quotient; Infinity or NaN for a zero divisor.";
            "%" ($kind, $kind) -> $kind = float::remainder::<$native>, Strict {}, "Remainder with the dividend's sign.";
            "MOD" ($kind, $kind) -> $kind = float::remainder::<$native>, Strict {}, "Remainder with the dividend's sign.";
            "DIV_NULL" ($kind, $kind) -> $kind = float::div_null::<$native>, StrictToOption {}, "Quotient; NULL for a zero divisor.";
            "NEG" ($kind) -> $kind = float::negate::<$native>, Strict {}, "Opposite.";
            "ABS" ($kind) -> $kind = float::abs::<$native>, Strict {}, "Absolute value.";
            "SIGN" ($kind) -> $kind = float::sign::<$native>, Strict {monotone}, "-1, 0 or 1; NaN for NaN.";
            "CEIL" ($kind) -> $kind = float::ceil::<$native>, Strict {monotone}, "The least integer not below.";
            "CEILING" ($kind) -> $kind = float::ceil::<$native>, Strict {monotone}, "The least integer not below.";
            "FLOOR" ($kind) -> $kind = float::floor::<$native>, Strict {monotone}, "The greatest integer not above.";
            "ROUND" ($kind) -> $kind = float::round::<$native>, Strict {monotone}, "The nearest integer, halves away from zero.";
            "TRUNCATE" ($kind) -> $kind = float::truncate::<$native>, Strict {monotone}, "Without the digits after the point.";
            "TRUNC" ($kind) -> $kind = float::truncate::<$native>, Strict {monotone}, "Without the digits after the point.";
            "ROUND" ($kind, INTEGER) -> $kind = float::round_to::<$native>, Strict {}, "Rounded to digits after the point, halves away from zero.";
            "BROUND" ($kind, INTEGER) -> $kind = float::bround_to::<$native>, Strict {}, "Rounded to digits after the point, halves to the even digit.";
            "TRUNCATE" ($kind, INTEGER) -> $kind = float::truncate_to::<$native>, Strict {}, "Cut off after some digits.";
            "TRUNC" ($kind, INTEGER) -> $kind = float::truncate_to::<$native>, Strict {}, "Cut off after some digits.";
            "IS_NAN" ($kind) -> BOOLEAN = float::is_nan::<$native>, Strict {}, "Is the value not a number?";
            "IS_INF" ($kind) -> BOOLEAN = float::is_inf::<$native>, Strict {}, "Is the value an infinity?";
            "FINITE_OR_NULL" ($kind) -> $kind = float::finite_or_null::<$native>, StrictToOption {}, "The value; NULL for NaN and the infinities.";
        }
    };
}

floats!(REALS REAL f32);
floats!(DOUBLES DOUBLE f64);

/// Narrow types first: the binder takes the first entry that fits.
pub static FAMILIES: &[&[crate::function::Function]] = &[REALS, DOUBLES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_at_digits() {
        assert_eq!(round_to(-15.1f64, -1), -20.0);
        assert_eq!(round_to(15.5f64, 1), 15.5);
        assert_eq!(round_to(-38.2711234601246f64, 2), -38.27);
        assert_eq!(truncate_to(-5678.123451f64, 4), -5678.1234);
        assert_eq!(truncate_to(5678.123451f64, -3), 5000.0);
        assert_eq!(bround_to(11.25f64, 1), 11.2);
        assert_eq!(round_to(1.5e300f64, 300), 1.5e300);
        assert_eq!(round_to(1.5f64, i32::MIN), 0.0);
        assert_eq!(round_to(1.5f64, i32::MAX), 1.5);
        assert!(round_to(f64::INFINITY, 2).is_infinite());
    }

    #[test]
    fn signs_and_zero_divisors() {
        assert_eq!(sign(-3.5f32), -1.0);
        assert_eq!(sign(0.0f64), 0.0);
        assert!(sign(f64::NAN).is_nan());
        assert_eq!(div_null(1.0, 0.0), None);
        assert!(divide(0.0, 0.0f64).is_nan());
        assert_eq!(finite_or_null(f64::NAN), None);
    }
}
