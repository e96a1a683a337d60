//! Comparisons, distinctness, GREATEST and LEAST, in the order of SQL.
//!
//! Text compares by bytes (CHAR as stored, with its blanks). A NaN equals itself and is the greatest float; -0.0 equals 0.0.
//! DECIMALs of different scales compare by value.

use crate::coerce::common_of;
use crate::compare;
use crate::decimal::{Rounding, fit, rescale, shape};
use crate::function::Signature;
use crate::wide::{Wide, power_of_ten};
use crate::{SqlError, SqlType, Value};
use std::cmp::Ordering;

/// Types in the order of SQL.
pub trait SqlOrd: Copy {
    fn order(self, other: Self) -> Ordering;
}

macro_rules! ordered {
    ($($native:ty),+) => {
        $(impl SqlOrd for $native {
            #[inline]
            fn order(self, other: Self) -> Ordering {
                self.cmp(&other)
            }
        })+
    };
}

ordered!(bool, i8, i16, i32, i64, i128, u8, u16, u32, u64, u128, &str, &[u8]);

macro_rules! ordered_float {
    ($($native:ty),+) => {
        $(impl SqlOrd for $native {
            #[inline]
            fn order(self, other: Self) -> Ordering {
                self.partial_cmp(&other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
        })+
    };
}

ordered_float!(f32, f64);

#[inline]
pub fn eq<T: SqlOrd>(a: T, b: T) -> bool {
    a.order(b).is_eq()
}

#[inline]
pub fn ne<T: SqlOrd>(a: T, b: T) -> bool {
    a.order(b).is_ne()
}

#[inline]
pub fn lt<T: SqlOrd>(a: T, b: T) -> bool {
    a.order(b).is_lt()
}

#[inline]
pub fn le<T: SqlOrd>(a: T, b: T) -> bool {
    a.order(b).is_le()
}

#[inline]
pub fn gt<T: SqlOrd>(a: T, b: T) -> bool {
    a.order(b).is_gt()
}

#[inline]
pub fn ge<T: SqlOrd>(a: T, b: T) -> bool {
    a.order(b).is_ge()
}

/// NULL is not distinct from NULL, and distinct from everything else.
#[inline]
pub fn distinct<T: SqlOrd>(a: Option<T>, b: Option<T>) -> bool {
    !not_distinct(a, b)
}

#[inline]
pub fn not_distinct<T: SqlOrd>(a: Option<T>, b: Option<T>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => eq(a, b),
        (a, b) => a.is_none() == b.is_none(),
    }
}

/// The greatest of at least one value.
#[inline]
pub fn greatest<T: SqlOrd>(values: &[T]) -> T {
    values.iter().copied().reduce(|a, b| if lt(a, b) { b } else { a }).expect("a call has at least one argument")
}

#[inline]
pub fn least<T: SqlOrd>(values: &[T]) -> T {
    values.iter().copied().reduce(|a, b| if gt(a, b) { b } else { a }).expect("a call has at least one argument")
}

/// The greatest of the values that are not NULL.
#[inline]
pub fn greatest_ignore_nulls<T: SqlOrd>(values: &[Option<T>]) -> Option<T> {
    values.iter().copied().flatten().reduce(|a, b| if lt(a, b) { b } else { a })
}

#[inline]
pub fn least_ignore_nulls<T: SqlOrd>(values: &[Option<T>]) -> Option<T> {
    values.iter().copied().flatten().reduce(|a, b| if gt(a, b) { b } else { a })
}

/// Compares DECIMALs of the scales that the signature gives.
#[inline]
fn decimal_order(a: i128, b: i128, signature: &Signature<'_>) -> Ordering {
    scaled_order(a, shape(signature.arguments[0]).1, b, shape(signature.arguments[1]).1)
}

#[inline]
fn scaled_order(a: i128, a_scale: u8, b: i128, b_scale: u8) -> Ordering {
    if a_scale == b_scale {
        return a.cmp(&b);
    }
    let scale = a_scale.max(b_scale);
    let (up_a, up_b) = (power_of_ten(scale - a_scale), power_of_ten(scale - b_scale));
    match a.checked_mul(up_a).zip(b.checked_mul(up_b)) {
        Some((a, b)) => a.cmp(&b),
        None => {
            let difference = Wide::product(a, up_a).plus(Wide::product(-b, up_b));
            if difference.is_negative() { Ordering::Less } else { Ordering::Greater }
        }
    }
}

#[inline]
pub fn eq_decimal(a: i128, b: i128, signature: &Signature<'_>) -> bool {
    decimal_order(a, b, signature).is_eq()
}

#[inline]
pub fn ne_decimal(a: i128, b: i128, signature: &Signature<'_>) -> bool {
    decimal_order(a, b, signature).is_ne()
}

#[inline]
pub fn lt_decimal(a: i128, b: i128, signature: &Signature<'_>) -> bool {
    decimal_order(a, b, signature).is_lt()
}

#[inline]
pub fn le_decimal(a: i128, b: i128, signature: &Signature<'_>) -> bool {
    decimal_order(a, b, signature).is_le()
}

#[inline]
pub fn gt_decimal(a: i128, b: i128, signature: &Signature<'_>) -> bool {
    decimal_order(a, b, signature).is_gt()
}

#[inline]
pub fn ge_decimal(a: i128, b: i128, signature: &Signature<'_>) -> bool {
    decimal_order(a, b, signature).is_ge()
}

#[inline]
pub fn distinct_decimal(a: Option<i128>, b: Option<i128>, signature: &Signature<'_>) -> bool {
    !not_distinct_decimal(a, b, signature)
}

#[inline]
pub fn not_distinct_decimal(a: Option<i128>, b: Option<i128>, signature: &Signature<'_>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => eq_decimal(a, b, signature),
        (a, b) => a.is_none() == b.is_none(),
    }
}

/// The best of DECIMALs of several scales, at the result's scale.
fn best_decimal(
    values: impl Iterator<Item = (i128, SqlType)>,
    better: Ordering,
    result: SqlType,
) -> Result<Option<i128>, SqlError> {
    let ordered = |a: (i128, SqlType), b: (i128, SqlType)| scaled_order(a.0, shape(a.1).1, b.0, shape(b.1).1);
    match values.reduce(|a, b| if ordered(b, a) == better { b } else { a }) {
        Some((value, ty)) => fit(rescale(value, shape(ty).1, shape(result).1, Rounding::TowardZero), result).map(Some),
        None => Ok(None),
    }
}

pub fn greatest_decimal(values: &[i128], signature: &Signature<'_>) -> Result<i128, SqlError> {
    let values = values.iter().copied().zip(signature.arguments.iter().copied());
    Ok(best_decimal(values, Ordering::Greater, signature.result)?.unwrap_or(0))
}

pub fn least_decimal(values: &[i128], signature: &Signature<'_>) -> Result<i128, SqlError> {
    let values = values.iter().copied().zip(signature.arguments.iter().copied());
    Ok(best_decimal(values, Ordering::Less, signature.result)?.unwrap_or(0))
}

pub fn greatest_decimal_ignore_nulls(
    values: &[Option<i128>],
    signature: &Signature<'_>,
) -> Result<Option<i128>, SqlError> {
    let values = values.iter().zip(signature.arguments).filter_map(|(value, ty)| Some((value.as_ref().copied()?, *ty)));
    best_decimal(values, Ordering::Greater, signature.result)
}

pub fn least_decimal_ignore_nulls(
    values: &[Option<i128>],
    signature: &Signature<'_>,
) -> Result<Option<i128>, SqlError> {
    let values = values.iter().zip(signature.arguments).filter_map(|(value, ty)| Some((value.as_ref().copied()?, *ty)));
    best_decimal(values, Ordering::Less, signature.result)
}

macro_rules! comparisons {
    ($list:ident $kind:ident $native:ty, $result:tt) => {
        functions! { static $list:
            "=" ($kind, $kind) -> BOOLEAN = compare::eq::<$native>, Strict {}, "Equal.";
            "<>" ($kind, $kind) -> BOOLEAN = compare::ne::<$native>, Strict {}, "Not equal.";
            "<" ($kind, $kind) -> BOOLEAN = compare::lt::<$native>, Strict {}, "Less.";
            "<=" ($kind, $kind) -> BOOLEAN = compare::le::<$native>, Strict {}, "Less or equal.";
            ">" ($kind, $kind) -> BOOLEAN = compare::gt::<$native>, Strict {monotone}, "Greater.";
            ">=" ($kind, $kind) -> BOOLEAN = compare::ge::<$native>, Strict {monotone}, "Greater or equal.";
            "IS DISTINCT FROM" ($kind, $kind) -> BOOLEAN = compare::distinct::<$native>, Never {}, "Not equal, where NULL equals NULL.";
            "IS NOT DISTINCT FROM" ($kind, $kind) -> BOOLEAN = compare::not_distinct::<$native>, Never {}, "Equal, where NULL equals NULL.";
            "<=>" ($kind, $kind) -> BOOLEAN = compare::not_distinct::<$native>, Never {}, "Equal, where NULL equals NULL.";
            "GREATEST" (; $kind) -> $result = compare::greatest::<$native>, Strict {}, "The greatest argument; NULL if any is NULL.";
            "LEAST" (; $kind) -> $result = compare::least::<$native>, Strict {}, "The least argument; NULL if any is NULL.";
            "GREATEST_IGNORE_NULLS" (; $kind) -> $result = compare::greatest_ignore_nulls::<$native>, Custom {}, "The greatest argument that is not NULL.";
            "LEAST_IGNORE_NULLS" (; $kind) -> $result = compare::least_ignore_nulls::<$native>, Custom {}, "The least argument that is not NULL.";
        }
    };
}

comparisons!(BOOLEANS BOOLEAN bool, (argument 0));
comparisons!(TINYINTS TINYINT i8, (argument 0));
comparisons!(SMALLINTS SMALLINT i16, (argument 0));
comparisons!(INTEGERS INTEGER i32, (argument 0));
comparisons!(BIGINTS BIGINT i64, (argument 0));
comparisons!(REALS REAL f32, (argument 0));
comparisons!(DOUBLES DOUBLE f64, (argument 0));
comparisons!(DATES DATE i32, (argument 0));
comparisons!(TIMES TIME i64, (argument 0));
comparisons!(TIMESTAMPS TIMESTAMP i64, (argument 0));
comparisons!(SHORTS SHORT i64, (derived common_of));
comparisons!(LONGS LONG i32, (derived common_of));
comparisons!(TEXTS VARCHAR &str, (derived common_of));
comparisons!(UTINYINTS UTINYINT u8, (argument 0));
comparisons!(USMALLINTS USMALLINT u16, (argument 0));
comparisons!(UINTEGERS UINTEGER u32, (argument 0));
comparisons!(UBIGINTS UBIGINT u64, (argument 0));
comparisons!(INSTANTS TIMESTAMPTZ i64, (argument 0));
comparisons!(BINARIES VARBINARY &[u8], (derived common_of));
comparisons!(UUIDS UUID u128, (argument 0));
comparisons!(ARRAYS ARRAY &Value, (argument 0));
comparisons!(MAPS MAP &Value, (argument 0));
comparisons!(ROWS ROW &Value, (argument 0));
comparisons!(VARIANTS VARIANT &Value, (argument 0));

functions! { static DECIMALS:
    "=" (DECIMAL, DECIMAL) -> BOOLEAN = compare::eq_decimal, Strict {typed}, "Equal.";
    "<>" (DECIMAL, DECIMAL) -> BOOLEAN = compare::ne_decimal, Strict {typed}, "Not equal.";
    "<" (DECIMAL, DECIMAL) -> BOOLEAN = compare::lt_decimal, Strict {typed}, "Less.";
    "<=" (DECIMAL, DECIMAL) -> BOOLEAN = compare::le_decimal, Strict {typed}, "Less or equal.";
    ">" (DECIMAL, DECIMAL) -> BOOLEAN = compare::gt_decimal, Strict {typed monotone}, "Greater.";
    ">=" (DECIMAL, DECIMAL) -> BOOLEAN = compare::ge_decimal, Strict {typed monotone}, "Greater or equal.";
    "IS DISTINCT FROM" (DECIMAL, DECIMAL) -> BOOLEAN = compare::distinct_decimal, Never {typed}, "Not equal, where NULL equals NULL.";
    "IS NOT DISTINCT FROM" (DECIMAL, DECIMAL) -> BOOLEAN = compare::not_distinct_decimal, Never {typed}, "Equal, where NULL equals NULL.";
    "<=>" (DECIMAL, DECIMAL) -> BOOLEAN = compare::not_distinct_decimal, Never {typed}, "Equal, where NULL equals NULL.";
    "GREATEST" (; DECIMAL) -> (derived common_of) = compare::greatest_decimal, Strict {typed fallible}, "The greatest argument; NULL if any is NULL.";
    "LEAST" (; DECIMAL) -> (derived common_of) = compare::least_decimal, Strict {typed fallible}, "The least argument; NULL if any is NULL.";
    "GREATEST_IGNORE_NULLS" (; DECIMAL) -> (derived common_of) = compare::greatest_decimal_ignore_nulls, Custom {typed fallible}, "The greatest argument that is not NULL.";
    "LEAST_IGNORE_NULLS" (; DECIMAL) -> (derived common_of) = compare::least_decimal_ignore_nulls, Custom {typed fallible}, "The least argument that is not NULL.";
}

/// Narrow types first: the binder takes the first entry that fits.
pub static FAMILIES: &[&[crate::function::Function]] = &[
    BOOLEANS, TINYINTS, SMALLINTS, INTEGERS, BIGINTS, UTINYINTS, USMALLINTS, UINTEGERS, UBIGINTS, DECIMALS, REALS,
    DOUBLES, DATES, TIMES, TIMESTAMPS, INSTANTS, SHORTS, LONGS, TEXTS, BINARIES, UUIDS, ARRAYS, MAPS, ROWS, VARIANTS,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_totally_ordered() {
        assert!(eq(f64::NAN, -f64::NAN));
        assert!(gt(f64::NAN, f64::INFINITY));
        assert!(eq(-0.0, 0.0));
        assert!(lt(f32::NEG_INFINITY, f32::NAN));
    }

    #[test]
    fn null_is_not_distinct_from_null() {
        assert!(not_distinct::<i64>(None, None));
        assert!(distinct(Some(1), None));
        assert!(!distinct(Some("a"), Some("a")));
    }

    #[test]
    fn decimals_compare_by_value() {
        let d = |precision, scale| SqlType::Decimal { precision, scale };
        let order = |a, ta, b, tb| decimal_order(a, b, &Signature { arguments: &[ta, tb], result: SqlType::Boolean });
        assert_eq!(order(150, d(5, 2), 15, d(5, 1)), Ordering::Equal);
        let max = power_of_ten(38) - 1;
        assert_eq!(order(max, d(38, 0), max, d(38, 38)), Ordering::Greater);
        assert_eq!(order(-max, d(38, 0), max, d(38, 38)), Ordering::Less);
        let arguments = [d(5, 2), d(5, 1)];
        let signature = Signature { arguments: &arguments, result: common_of(&arguments).unwrap() };
        assert_eq!(greatest_decimal(&[150, 20], &signature), Ok(200));
        assert_eq!(least_decimal_ignore_nulls(&[None, Some(20)], &signature), Ok(Some(200)));
        assert_eq!(least_decimal_ignore_nulls(&[None, None], &signature), Ok(None));
    }

    #[test]
    fn greatest_and_least() {
        assert_eq!(greatest(&[1, 3, 2]), 3);
        assert_eq!(least(&["b", "a"]), "a");
        assert_eq!(least_ignore_nulls(&[None, Some(2), Some(1)]), Some(1));
        assert_eq!(greatest_ignore_nulls::<i32>(&[None]), None);
    }
}
