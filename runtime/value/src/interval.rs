//! Arithmetic of DATE, TIME, TIMESTAMP and intervals.
//!
//! Month arithmetic clamps to the last day of the month. A DATE with a short interval stays a DATE: what is left of the interval
//! after whole days is dropped. TIME wraps around midnight and is untouched by months.

use crate::calendar::{
    MICROS_PER_DAY, NANOS_PER_DAY, NANOS_PER_MICRO, add_months, check_day, check_timestamp, day_of, midnight,
    months_between, time_of,
};
use crate::coerce::common_of;
use crate::decimal::division_by_zero;
use crate::error::DATETIME_OVERFLOW;
use crate::{SqlError, interval};

#[cold]
fn overflow() -> SqlError {
    SqlError::new(DATETIME_OVERFLOW, "an interval is too large")
}

#[inline]
pub fn timestamp_plus_short(timestamp: i64, micros: i64) -> Result<i64, SqlError> {
    check_timestamp(timestamp.checked_add(micros))
}

#[inline]
pub fn timestamp_minus_short(timestamp: i64, micros: i64) -> Result<i64, SqlError> {
    check_timestamp(timestamp.checked_sub(micros))
}

pub fn timestamp_plus_long(timestamp: i64, months: i32) -> Result<i64, SqlError> {
    Ok(midnight(add_months(day_of(timestamp), months)?) + time_of(timestamp))
}

pub fn timestamp_minus_long(timestamp: i64, months: i32) -> Result<i64, SqlError> {
    timestamp_plus_long(timestamp, months.checked_neg().ok_or_else(overflow)?)
}

#[inline]
pub fn date_plus_short(date: i32, micros: i64) -> Result<i32, SqlError> {
    check_day(i64::from(date) + micros / MICROS_PER_DAY)
}

#[inline]
pub fn date_minus_short(date: i32, micros: i64) -> Result<i32, SqlError> {
    check_day(i64::from(date) - micros / MICROS_PER_DAY)
}

#[inline]
pub fn date_plus_days(date: i32, days: i32) -> Result<i32, SqlError> {
    check_day(i64::from(date) + i64::from(days))
}

pub fn days_plus_date(days: i32, date: i32) -> Result<i32, SqlError> {
    date_plus_days(date, days)
}

#[inline]
pub fn date_minus_days(date: i32, days: i32) -> Result<i32, SqlError> {
    check_day(i64::from(date) - i64::from(days))
}

/// The days from `b` to `a`.
#[inline]
pub fn days_between(a: i32, b: i32) -> i32 {
    a.saturating_sub(b)
}

pub fn date_plus_long(date: i32, months: i32) -> Result<i32, SqlError> {
    add_months(date, months)
}

pub fn date_minus_long(date: i32, months: i32) -> Result<i32, SqlError> {
    add_months(date, months.checked_neg().ok_or_else(overflow)?)
}

#[inline]
pub fn time_plus_short(time: i64, micros: i64) -> i64 {
    (time % NANOS_PER_DAY + micros % MICROS_PER_DAY * NANOS_PER_MICRO).rem_euclid(NANOS_PER_DAY)
}

#[inline]
pub fn time_minus_short(time: i64, micros: i64) -> i64 {
    (time % NANOS_PER_DAY - micros % MICROS_PER_DAY * NANOS_PER_MICRO).rem_euclid(NANOS_PER_DAY)
}

#[inline]
pub fn time_plus_long(time: i64, _months: i32) -> i64 {
    time
}

pub fn short_plus_timestamp(micros: i64, timestamp: i64) -> Result<i64, SqlError> {
    timestamp_plus_short(timestamp, micros)
}

pub fn long_plus_timestamp(months: i32, timestamp: i64) -> Result<i64, SqlError> {
    timestamp_plus_long(timestamp, months)
}

pub fn short_plus_date(micros: i64, date: i32) -> Result<i32, SqlError> {
    date_plus_short(date, micros)
}

pub fn long_plus_date(months: i32, date: i32) -> Result<i32, SqlError> {
    date_plus_long(date, months)
}

pub fn short_plus_time(micros: i64, time: i64) -> i64 {
    time_plus_short(time, micros)
}

pub fn long_plus_time(_months: i32, time: i64) -> i64 {
    time
}

/// Microseconds from `b` to `a`.
#[inline]
pub fn timestamp_minus_timestamp(a: i64, b: i64) -> i64 {
    a.saturating_sub(b)
}

/// Whole months from `b` to `a`, toward zero.
pub fn timestamp_minus_timestamp_long(a: i64, b: i64) -> i32 {
    // TIMESTAMPs span fewer than 120,000 months.
    months_between(b, a) as i32
}

#[inline]
pub fn date_minus_date(a: i32, b: i32) -> i64 {
    midnight(a).saturating_sub(midnight(b))
}

pub fn date_minus_date_long(a: i32, b: i32) -> i32 {
    timestamp_minus_timestamp_long(midnight(a), midnight(b))
}

#[inline]
pub fn time_minus_time(a: i64, b: i64) -> i64 {
    a.saturating_sub(b) / NANOS_PER_MICRO
}

#[inline]
pub fn short_plus_short(a: i64, b: i64) -> Result<i64, SqlError> {
    a.checked_add(b).ok_or_else(overflow)
}

#[inline]
pub fn short_minus_short(a: i64, b: i64) -> Result<i64, SqlError> {
    a.checked_sub(b).ok_or_else(overflow)
}

#[inline]
pub fn long_plus_long(a: i32, b: i32) -> Result<i32, SqlError> {
    a.checked_add(b).ok_or_else(overflow)
}

#[inline]
pub fn long_minus_long(a: i32, b: i32) -> Result<i32, SqlError> {
    a.checked_sub(b).ok_or_else(overflow)
}

pub fn short_times_int(a: i64, b: i64) -> Result<i64, SqlError> {
    a.checked_mul(b).ok_or_else(overflow)
}

pub fn int_times_short(a: i64, b: i64) -> Result<i64, SqlError> {
    short_times_int(b, a)
}

pub fn long_times_int(a: i32, b: i64) -> Result<i32, SqlError> {
    i64::from(a).checked_mul(b).and_then(|months| i32::try_from(months).ok()).ok_or_else(overflow)
}

pub fn int_times_long(a: i64, b: i32) -> Result<i32, SqlError> {
    long_times_int(b, a)
}

pub fn short_over_int(a: i64, b: i64) -> Result<i64, SqlError> {
    if b == 0 { Err(division_by_zero()) } else { a.checked_div(b).ok_or_else(overflow) }
}

pub fn long_over_int(a: i32, b: i64) -> Result<i32, SqlError> {
    match b {
        0 => Err(division_by_zero()),
        _ => i32::try_from(i64::from(a) / b).map_err(|_| overflow()),
    }
}

/// NULL where the part is not defined or does not fit.
pub fn short_div_null(a: i64, b: i64) -> Option<i64> {
    a.checked_div(b)
}

/// NULL where the part is not defined or does not fit.
pub fn long_div_null(a: i32, b: i64) -> Option<i32> {
    i64::from(a).checked_div(b).and_then(|months| i32::try_from(months).ok())
}

/// Cuts a float off to whole microseconds or months.
fn whole(value: f64, bound: f64) -> Result<f64, SqlError> {
    if value.abs() < bound { Ok(value.trunc()) } else { Err(overflow()) }
}

pub fn short_times_double(a: i64, b: f64) -> Result<i64, SqlError> {
    Ok(whole(a as f64 * b, 9.2e18)? as i64)
}

pub fn double_times_short(a: f64, b: i64) -> Result<i64, SqlError> {
    short_times_double(b, a)
}

pub fn short_over_double(a: i64, b: f64) -> Result<i64, SqlError> {
    if b == 0.0 { Err(division_by_zero()) } else { Ok(whole(a as f64 / b, 9.2e18)? as i64) }
}

pub fn long_times_double(a: i32, b: f64) -> Result<i32, SqlError> {
    Ok(whole(f64::from(a) * b, 2_147_483_648.0)? as i32)
}

pub fn double_times_long(a: f64, b: i32) -> Result<i32, SqlError> {
    long_times_double(b, a)
}

pub fn long_over_double(a: i32, b: f64) -> Result<i32, SqlError> {
    if b == 0.0 { Err(division_by_zero()) } else { Ok(whole(f64::from(a) / b, 2_147_483_648.0)? as i32) }
}

pub fn negate_short(a: i64) -> Result<i64, SqlError> {
    a.checked_neg().ok_or_else(overflow)
}

pub fn negate_long(a: i32) -> Result<i32, SqlError> {
    a.checked_neg().ok_or_else(overflow)
}

pub fn abs_short(a: i64) -> Result<i64, SqlError> {
    a.checked_abs().ok_or_else(overflow)
}

pub fn abs_long(a: i32) -> Result<i32, SqlError> {
    a.checked_abs().ok_or_else(overflow)
}

functions! { pub static FUNCTIONS:
    "+" (TIMESTAMP, SHORT) -> TIMESTAMP = interval::timestamp_plus_short, Strict {fallible monotone}, "A later time.";
    "+" (TIMESTAMP, LONG) -> TIMESTAMP = interval::timestamp_plus_long, Strict {fallible}, "The same time some months later.";
    "+" (DATE, SHORT) -> DATE = interval::date_plus_short, Strict {fallible monotone}, "A later day.";
    "+" (DATE, LONG) -> DATE = interval::date_plus_long, Strict {fallible monotone}, "The same day some months later.";
    "+" (TIME, SHORT) -> TIME = interval::time_plus_short, Strict {}, "A later time, around midnight.";
    "+" (TIME, LONG) -> TIME = interval::time_plus_long, Strict {monotone}, "The same time.";
    "+" (SHORT, TIMESTAMP) -> TIMESTAMP = interval::short_plus_timestamp, Strict {fallible monotone}, "A later time.";
    "+" (LONG, TIMESTAMP) -> TIMESTAMP = interval::long_plus_timestamp, Strict {fallible monotone}, "The same time some months later.";
    "+" (SHORT, DATE) -> DATE = interval::short_plus_date, Strict {fallible monotone}, "A later day.";
    "+" (LONG, DATE) -> DATE = interval::long_plus_date, Strict {fallible monotone}, "The same day some months later.";
    "+" (SHORT, TIME) -> TIME = interval::short_plus_time, Strict {}, "A later time, around midnight.";
    "+" (LONG, TIME) -> TIME = interval::long_plus_time, Strict {}, "The same time.";
    "+" (SHORT, SHORT) -> (derived common_of) = interval::short_plus_short, Strict {fallible monotone}, "Sum.";
    "+" (LONG, LONG) -> (derived common_of) = interval::long_plus_long, Strict {fallible monotone}, "Sum.";
    "+" (DATE, INTEGER) -> DATE = interval::date_plus_days, Strict {fallible monotone}, "So many days later.";
    "+" (INTEGER, DATE) -> DATE = interval::days_plus_date, Strict {fallible monotone}, "So many days later.";
    "-" (DATE, DATE) -> INTEGER = interval::days_between, Strict {monotone}, "Days between; the second argument is the earlier.";
    "-" (TIMESTAMP, TIMESTAMP) -> SHORT = interval::timestamp_minus_timestamp, Strict {monotone}, "Time between; the second argument is the earlier.";
    "-" (TIME, TIME) -> SHORT = interval::time_minus_time, Strict {monotone}, "Time between; the second argument is the earlier.";
    "-" (DATE, INTEGER) -> DATE = interval::date_minus_days, Strict {fallible monotone}, "So many days earlier.";
    "-" (TIMESTAMP, SHORT) -> TIMESTAMP = interval::timestamp_minus_short, Strict {fallible monotone}, "An earlier time.";
    "-" (TIMESTAMP, LONG) -> TIMESTAMP = interval::timestamp_minus_long, Strict {fallible}, "The same time some months earlier.";
    "-" (DATE, SHORT) -> DATE = interval::date_minus_short, Strict {fallible monotone}, "An earlier day.";
    "-" (DATE, LONG) -> DATE = interval::date_minus_long, Strict {fallible monotone}, "The same day some months earlier.";
    "-" (TIME, SHORT) -> TIME = interval::time_minus_short, Strict {}, "An earlier time, around midnight.";
    "-" (TIME, LONG) -> TIME = interval::time_plus_long, Strict {monotone}, "The same time.";
    "-" (SHORT, SHORT) -> (derived common_of) = interval::short_minus_short, Strict {fallible monotone}, "Difference.";
    "-" (LONG, LONG) -> (derived common_of) = interval::long_minus_long, Strict {fallible monotone}, "Difference.";
    "SUBTRACT SHORT" (TIMESTAMP, TIMESTAMP) -> SHORT = interval::timestamp_minus_timestamp, Strict {monotone}, "Time between; the second argument is the earlier.";
    "SUBTRACT SHORT" (DATE, DATE) -> SHORT = interval::date_minus_date, Strict {monotone}, "Days between; the second argument is the earlier.";
    "SUBTRACT SHORT" (TIME, TIME) -> SHORT = interval::time_minus_time, Strict {monotone}, "Time between; the second argument is the earlier.";
    "SUBTRACT LONG" (TIMESTAMP, TIMESTAMP) -> LONG = interval::timestamp_minus_timestamp_long, Strict {monotone}, "Whole months between; the second argument is the earlier.";
    "SUBTRACT LONG" (DATE, DATE) -> LONG = interval::date_minus_date_long, Strict {monotone}, "Whole months between; the second argument is the earlier.";
    "*" (SHORT, BIGINT) -> (argument 0) = interval::short_times_int, Strict {fallible}, "Multiple.";
    "*" (BIGINT, SHORT) -> (argument 1) = interval::int_times_short, Strict {fallible}, "Multiple.";
    "*" (LONG, BIGINT) -> (argument 0) = interval::long_times_int, Strict {fallible}, "Multiple.";
    "*" (BIGINT, LONG) -> (argument 1) = interval::int_times_long, Strict {fallible}, "Multiple.";
    "*" (SHORT, DOUBLE) -> (argument 0) = interval::short_times_double, Strict {fallible}, "Multiple, cut off to microseconds.";
    "*" (DOUBLE, SHORT) -> (argument 1) = interval::double_times_short, Strict {fallible}, "Multiple, cut off to microseconds.";
    "*" (LONG, DOUBLE) -> (argument 0) = interval::long_times_double, Strict {fallible}, "Multiple, cut off to months.";
    "*" (DOUBLE, LONG) -> (argument 1) = interval::double_times_long, Strict {fallible}, "Multiple, cut off to months.";
    "/" (SHORT, BIGINT) -> (argument 0) = interval::short_over_int, Strict {fallible}, "Part, truncated to microseconds.";
    "/" (LONG, BIGINT) -> (argument 0) = interval::long_over_int, Strict {fallible}, "Part, truncated to months.";
    "/" (SHORT, DOUBLE) -> (argument 0) = interval::short_over_double, Strict {fallible}, "Part, truncated to microseconds.";
    "/" (LONG, DOUBLE) -> (argument 0) = interval::long_over_double, Strict {fallible}, "Part, truncated to months.";
    "DIV_NULL" (SHORT, BIGINT) -> (argument 0) = interval::short_div_null, StrictToOption {}, "Part, truncated to microseconds; NULL for a zero divisor.";
    "DIV_NULL" (LONG, BIGINT) -> (argument 0) = interval::long_div_null, StrictToOption {}, "Part, truncated to months; NULL for a zero divisor.";
    "NEG" (SHORT) -> (argument 0) = interval::negate_short, Strict {fallible}, "Opposite.";
    "NEG" (LONG) -> (argument 0) = interval::negate_long, Strict {fallible}, "Opposite.";
    "ABS" (SHORT) -> (argument 0) = interval::abs_short, Strict {fallible}, "Absolute value.";
    "ABS" (LONG) -> (argument 0) = interval::abs_long, Strict {fallible}, "Absolute value.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{MICROS_PER_HOUR, MICROS_PER_MINUTE};
    use crate::temporal_text::{parse_date, parse_time, parse_timestamp};

    #[test]
    fn dates_drop_the_rest_of_a_day() {
        let day = |text| parse_date(text).unwrap();
        assert_eq!(date_plus_short(day("2024-01-01"), 2 * MICROS_PER_HOUR), Ok(day("2024-01-01")));
        assert_eq!(date_minus_short(day("2024-01-01"), 24 * MICROS_PER_HOUR), Ok(day("2023-12-31")));
        assert_eq!(date_minus_short(day("2024-01-01"), -MICROS_PER_MINUTE), Ok(day("2024-01-01")));
        assert_eq!(date_plus_long(day("2024-01-31"), 1), Ok(day("2024-02-29")));
        assert!(date_plus_short(day("9999-12-31"), MICROS_PER_DAY).is_err());
        assert!(date_minus_long(day("2024-01-31"), i32::MIN).is_err());
    }

    #[test]
    fn dates_count_days() {
        let day = |text| parse_date(text).unwrap();
        assert_eq!(date_plus_days(day("2024-02-28"), 2), Ok(day("2024-03-01")));
        assert_eq!(date_minus_days(day("2024-01-01"), 1), Ok(day("2023-12-31")));
        assert_eq!(days_between(day("0001-01-01"), day("9999-12-31")), -3_652_058);
        assert!(date_plus_days(day("9999-12-31"), 1).is_err() && date_minus_days(0, i32::MIN).is_err());
    }

    #[test]
    fn timestamps_clamp_months() {
        let at = |text| parse_timestamp(text).unwrap();
        let from = at("2024-01-31 10:23:45");
        assert_eq!(timestamp_plus_long(from, 10), Ok(at("2024-11-30 10:23:45")));
        assert_eq!(timestamp_minus_long(from, 100), Ok(at("2015-09-30 10:23:45")));
        assert_eq!(timestamp_minus_long(from, -100), Ok(at("2032-05-31 10:23:45")));
        assert_eq!(timestamp_minus_short(0, MICROS_PER_HOUR), Ok(at("1969-12-31 23:00:00")));
        assert!(timestamp_plus_short(from, i64::MAX).is_err());
    }

    #[test]
    fn times_wrap_at_midnight() {
        let at = |text| parse_time(text).unwrap();
        assert_eq!(time_plus_short(at("23:59:59"), MICROS_PER_MINUTE), at("00:00:59"));
        assert_eq!(time_minus_short(at("00:00:00"), 10 * MICROS_PER_MINUTE), at("23:50:00"));
        assert_eq!(time_plus_short(at("12:34:56"), i64::MAX / MICROS_PER_DAY * MICROS_PER_DAY), at("12:34:56"));
        assert_eq!(time_minus_time(at("12:00:00"), at("10:00:00")), 2 * MICROS_PER_HOUR);
    }

    #[test]
    fn multiples_are_checked() {
        assert_eq!(short_over_int(MICROS_PER_HOUR, 5), Ok(12 * MICROS_PER_MINUTE));
        assert!(short_over_int(1, 0).is_err());
        assert_eq!([2, 0].map(|part| short_div_null(MICROS_PER_HOUR, part)), [Some(30 * MICROS_PER_MINUTE), None]);
        assert_eq!([(17, 5), (17, 0), (i32::MIN, -1)].map(|(a, b)| long_div_null(a, b)), [Some(3), None, None]);
        assert!(short_over_int(i64::MIN, -1).is_err());
        assert!(long_over_int(i32::MIN, -1).is_err());
        assert!(long_times_int(i32::MAX, 2).is_err());
        assert_eq!(long_over_double(-32, 2.583), Ok(-12));
        assert_eq!(long_times_double(-32, 2.583), Ok(-82));
        assert!(short_times_double(1, f64::NAN).is_err());
    }
}
