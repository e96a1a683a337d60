//! Integer arithmetic: checked; quotients truncate toward zero, remainders have the dividend's sign.

use crate::SqlError;
use crate::arithmetic;
use crate::decimal::{Rounding, division_by_zero};
use crate::error::NUMERIC_OUT_OF_RANGE;

/// The four widths, signed and unsigned.
pub trait Integer: Copy + PartialEq + std::fmt::Display + TryFrom<i128> + Into<i128> {
    const ZERO: Self;
    /// As in error messages.
    const TYPE: &'static str;

    fn plus(self, other: Self) -> Option<Self>;
    fn minus(self, other: Self) -> Option<Self>;
    fn times(self, other: Self) -> Option<Self>;
    fn over(self, other: Self) -> Option<Self>;
    fn rest(self, other: Self) -> Self;
    fn opposite(self) -> Option<Self>;
    fn magnitude(self) -> Option<Self>;
    fn signum(self) -> Self;
}

macro_rules! integer {
    ($($native:ident $name:literal: $magnitude:expr, $signum:expr;)+) => {
        $(impl Integer for $native {
            const ZERO: Self = 0;
            const TYPE: &'static str = $name;

            #[inline]
            fn plus(self, other: Self) -> Option<Self> {
                self.checked_add(other)
            }

            #[inline]
            fn minus(self, other: Self) -> Option<Self> {
                self.checked_sub(other)
            }

            #[inline]
            fn times(self, other: Self) -> Option<Self> {
                self.checked_mul(other)
            }

            #[inline]
            fn over(self, other: Self) -> Option<Self> {
                self.checked_div(other)
            }

            #[inline]
            fn rest(self, other: Self) -> Self {
                self.wrapping_rem(other)
            }

            #[inline]
            fn opposite(self) -> Option<Self> {
                self.checked_neg()
            }

            #[inline]
            fn magnitude(self) -> Option<Self> {
                $magnitude(self)
            }

            #[inline]
            fn signum(self) -> Self {
                $signum(self)
            }
        })+
    };
}

integer! {
    i8 "TINYINT": i8::checked_abs, i8::signum;
    i16 "SMALLINT": i16::checked_abs, i16::signum;
    i32 "INTEGER": i32::checked_abs, i32::signum;
    i64 "BIGINT": i64::checked_abs, i64::signum;
    u8 "TINYINT UNSIGNED": Some, |value: u8| value.min(1);
    u16 "SMALLINT UNSIGNED": Some, |value: u16| value.min(1);
    u32 "INTEGER UNSIGNED": Some, |value: u32| value.min(1);
    u64 "BIGINT UNSIGNED": Some, |value: u64| value.min(1);
}

#[cold]
fn overflow<T: Integer>(a: T, operator: &str, b: T) -> SqlError {
    SqlError::new(NUMERIC_OUT_OF_RANGE, format!("{a} {operator} {b} does not fit {}", T::TYPE))
}

#[inline]
pub fn add<T: Integer>(a: T, b: T) -> Result<T, SqlError> {
    a.plus(b).ok_or_else(|| overflow(a, "+", b))
}

#[inline]
pub fn subtract<T: Integer>(a: T, b: T) -> Result<T, SqlError> {
    a.minus(b).ok_or_else(|| overflow(a, "-", b))
}

#[inline]
pub fn multiply<T: Integer>(a: T, b: T) -> Result<T, SqlError> {
    a.times(b).ok_or_else(|| overflow(a, "*", b))
}

#[inline]
pub fn divide<T: Integer>(a: T, b: T) -> Result<T, SqlError> {
    match b == T::ZERO {
        true => Err(division_by_zero()),
        false => a.over(b).ok_or_else(|| overflow(a, "/", b)),
    }
}

/// NULL where the quotient is not defined or does not fit.
#[inline]
pub fn div_null<T: Integer>(a: T, b: T) -> Option<T> {
    if b == T::ZERO { None } else { a.over(b) }
}

/// The least value modulo -1 is 0, not an overflow.
#[inline]
pub fn remainder<T: Integer>(a: T, b: T) -> Result<T, SqlError> {
    if b == T::ZERO { Err(division_by_zero()) } else { Ok(a.rest(b)) }
}

#[inline]
pub fn negate<T: Integer>(a: T) -> Result<T, SqlError> {
    a.opposite().ok_or_else(|| SqlError::new(NUMERIC_OUT_OF_RANGE, format!("-({a}) does not fit {}", T::TYPE)))
}

#[inline]
pub fn abs<T: Integer>(a: T) -> Result<T, SqlError> {
    a.magnitude().ok_or_else(|| SqlError::new(NUMERIC_OUT_OF_RANGE, format!("ABS({a}) does not fit {}", T::TYPE)))
}

#[inline]
pub fn sign<T: Integer>(a: T) -> T {
    a.signum()
}

/// CEIL, FLOOR, ROUND and TRUNCATE of an integer.
#[inline]
pub fn same<T: Integer>(a: T) -> T {
    a
}

/// Rounds before the point when `digits` is negative.
fn at_digits<T: Integer>(a: T, digits: i32, rounding: Rounding) -> Result<T, SqlError> {
    let drop = match digits {
        0.. => return Ok(a),
        // No BIGINT, signed or not, reaches half of 10^20.
        ..=-20 => return Ok(T::ZERO),
        digits => digits.unsigned_abs(),
    };
    let unit = 10i128.pow(drop);
    let value: i128 = a.into();
    let (quotient, rest) = (value / unit, (value % unit).abs());
    let away = match rounding {
        Rounding::HalfAwayFromZero => rest * 2 >= unit,
        Rounding::HalfEven => rest * 2 > unit || (rest * 2 == unit && quotient % 2 != 0),
        _ => false,
    };
    let rounded = (quotient + if away { value.signum() } else { 0 }) * unit;
    T::try_from(rounded).map_err(|_| SqlError::new(NUMERIC_OUT_OF_RANGE, format!("{rounded} does not fit {}", T::TYPE)))
}

pub fn round_to<T: Integer>(a: T, digits: i32) -> Result<T, SqlError> {
    at_digits(a, digits, Rounding::HalfAwayFromZero)
}

pub fn bround_to<T: Integer>(a: T, digits: i32) -> Result<T, SqlError> {
    at_digits(a, digits, Rounding::HalfEven)
}

pub fn truncate_to<T: Integer>(a: T, digits: i32) -> Result<T, SqlError> {
    at_digits(a, digits, Rounding::TowardZero)
}

macro_rules! integers {
    ($list:ident $kind:ident $native:ident) => {
        functions! { static $list:
            "+" ($kind, $kind) -> $kind = arithmetic::add::<$native>, Strict {fallible monotone}, "Sum.";
            "-" ($kind, $kind) -> $kind = arithmetic::subtract::<$native>, Strict {fallible monotone}, "Difference.";
            "*" ($kind, $kind) -> $kind = arithmetic::multiply::<$native>, Strict {fallible}, "Product.";
            "/" ($kind, $kind) -> $kind = arithmetic::divide::<$native>, Strict {fallible}, "Quotient, truncated toward zero.";
            "%" ($kind, $kind) -> $kind = arithmetic::remainder::<$native>, Strict {fallible}, "Remainder with the dividend's sign.";
            "MOD" ($kind, $kind) -> $kind = arithmetic::remainder::<$native>, Strict {fallible}, "Remainder with the dividend's sign.";
            "DIV_NULL" ($kind, $kind) -> $kind = arithmetic::div_null::<$native>, StrictToOption {}, "Quotient; NULL for a zero divisor.";
            "NEG" ($kind) -> $kind = arithmetic::negate::<$native>, Strict {fallible}, "Opposite.";
            "ABS" ($kind) -> $kind = arithmetic::abs::<$native>, Strict {fallible}, "Absolute value.";
            "SIGN" ($kind) -> $kind = arithmetic::sign::<$native>, Strict {monotone}, "-1, 0 or 1.";
            "CEIL" ($kind) -> $kind = arithmetic::same::<$native>, Strict {monotone}, "The integer itself.";
            "CEILING" ($kind) -> $kind = arithmetic::same::<$native>, Strict {monotone}, "The integer itself.";
            "FLOOR" ($kind) -> $kind = arithmetic::same::<$native>, Strict {monotone}, "The integer itself.";
            "ROUND" ($kind) -> $kind = arithmetic::same::<$native>, Strict {monotone}, "The integer itself.";
            "TRUNCATE" ($kind) -> $kind = arithmetic::same::<$native>, Strict {monotone}, "The integer itself.";
            "TRUNC" ($kind) -> $kind = arithmetic::same::<$native>, Strict {monotone}, "The integer itself.";
            "ROUND" ($kind, INTEGER) -> $kind = arithmetic::round_to::<$native>, Strict {fallible monotone}, "Rounded to tens, hundreds, ... for negative digits.";
            "BROUND" ($kind, INTEGER) -> $kind = arithmetic::bround_to::<$native>, Strict {fallible monotone}, "Rounded to tens, hundreds, ..., halves to the even digit.";
            "TRUNCATE" ($kind, INTEGER) -> $kind = arithmetic::truncate_to::<$native>, Strict {fallible monotone}, "Cut off at tens, hundreds, ... for negative digits.";
            "TRUNC" ($kind, INTEGER) -> $kind = arithmetic::truncate_to::<$native>, Strict {fallible monotone}, "Cut off at tens, hundreds, ... for negative digits.";
        }
    };
}

integers!(TINYINTS TINYINT i8);
integers!(SMALLINTS SMALLINT i16);
integers!(INTEGERS INTEGER i32);
integers!(BIGINTS BIGINT i64);
integers!(UTINYINTS UTINYINT u8);
integers!(USMALLINTS USMALLINT u16);
integers!(UINTEGERS UINTEGER u32);
integers!(UBIGINTS UBIGINT u64);

/// Narrow types first: the binder takes the first entry that fits.
pub static FAMILIES: &[&[crate::function::Function]] =
    &[TINYINTS, SMALLINTS, INTEGERS, BIGINTS, UTINYINTS, USMALLINTS, UINTEGERS, UBIGINTS];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::DIVISION_BY_ZERO;

    #[test]
    fn overflow_is_an_error() {
        assert_eq!(add(100i8, 28).unwrap_err().message, "100 + 28 does not fit TINYINT");
        assert_eq!(multiply(i64::MAX, 2).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(divide(i32::MIN, -1).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(abs(i16::MIN).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(negate(i8::MIN).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(div_null(i32::MIN, -1), None);
    }

    #[test]
    fn division_truncates_toward_zero() {
        assert_eq!(divide(-7, 2), Ok(-3));
        assert_eq!(remainder(-7, 2), Ok(-1));
        assert_eq!(divide(7, -2), Ok(-3));
        assert_eq!(remainder(i64::MIN, -1), Ok(0));
        assert_eq!(remainder(8, 0).unwrap_err().code, DIVISION_BY_ZERO);
        assert_eq!(divide(8, 0).unwrap_err().code, DIVISION_BY_ZERO);
    }

    #[test]
    fn rounding_before_the_point() {
        assert_eq!(round_to(15, -1), Ok(20));
        assert_eq!(round_to(-15, -1), Ok(-20));
        assert_eq!(bround_to(25, -1), Ok(20));
        assert_eq!(bround_to(11, -4), Ok(0));
        assert_eq!(truncate_to(-5678, -2), Ok(-5600));
        assert_eq!(round_to(127i8, -1).unwrap_err().code, NUMERIC_OUT_OF_RANGE);
        assert_eq!(round_to(i64::MAX, i32::MIN), Ok(0));
    }
}
