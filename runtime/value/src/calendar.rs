//! The proleptic Gregorian calendar on plain integers: days since 1970-01-01, microseconds, nanoseconds.

use crate::SqlError;
use crate::error::DATETIME_OVERFLOW;

pub const MICROS_PER_MILLI: i64 = 1_000;
pub const MICROS_PER_SECOND: i64 = 1_000_000;
pub const MICROS_PER_MINUTE: i64 = 60 * MICROS_PER_SECOND;
pub const MICROS_PER_HOUR: i64 = 60 * MICROS_PER_MINUTE;
pub const MICROS_PER_DAY: i64 = 24 * MICROS_PER_HOUR;
pub const NANOS_PER_MICRO: i64 = 1_000;
pub const NANOS_PER_SECOND: i64 = 1_000_000_000;
pub const NANOS_PER_DAY: i64 = 86_400 * NANOS_PER_SECOND;

/// 0001-01-01 and 9999-12-31, the bounds of DATE and TIMESTAMP, in days.
pub const MIN_DAY: i32 = -719_162;
pub const MAX_DAY: i32 = 2_932_896;

const DAYS_PER_400_YEARS: i64 = 146_097;

/// A day of the calendar; months and days count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Civil {
    pub year: i32,
    pub month: u8,
    pub day: u8,
}

/// Counts years from March, so that the leap day ends a year, in eras of 400 years from 0000-03-01.
#[inline]
pub fn civil(days: i32) -> Civil {
    let from_era = i64::from(days) + 719_468;
    let era = from_era.div_euclid(DAYS_PER_400_YEARS);
    let day_of_era = from_era.rem_euclid(DAYS_PER_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Civil { year: year as i32, month: month as u8, day: day as u8 }
}

/// Days since 1970-01-01 of a valid or overflowing day (day 0 is the last day of the month before).
#[inline]
pub fn days(year: i32, month: u8, day: i32) -> i32 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * DAYS_PER_400_YEARS + day_of_era - 719_468) as i32
}

pub fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month from 1 to 12.
pub fn month_length(year: i32, month: u8) -> u8 {
    match month {
        2 => 28 + u8::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day, or `None` when there is no such day from 0001-01-01 to 9999-12-31.
pub fn checked_days(year: i64, month: i64, day: i64) -> Option<i32> {
    let year = i32::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
    let month = u8::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    let day = u8::try_from(day).ok().filter(|day| (1..=month_length(year, month)).contains(day))?;
    Some(days(year, month, i32::from(day)))
}

/// Sunday 0 to Saturday 6.
#[inline]
pub fn weekday(days: i32) -> i32 {
    (i64::from(days) + 4).rem_euclid(7) as i32
}

/// From 1.
#[inline]
pub fn day_of_year(days: i32) -> i32 {
    days.saturating_sub(self::days(civil(days).year, 1, 1)) + 1
}

/// Year and week (from 1) by ISO 8601: weeks start on Monday and belong to the year that holds their Thursday.
pub fn iso_week(days: i32) -> (i32, i32) {
    let thursday = days.saturating_sub((weekday(days) + 6) % 7 - 3);
    (civil(thursday).year, (day_of_year(thursday) - 1) / 7 + 1)
}

/// Adds months; a day past the end of its month becomes the last day.
pub fn add_months(days: i32, months: i32) -> Result<i32, SqlError> {
    let from = civil(days);
    let month = i64::from(from.year) * 12 + i64::from(from.month) - 1 + i64::from(months);
    let (year, month) = (month.div_euclid(12), month.rem_euclid(12) as u8 + 1);
    if !(1..=9999).contains(&year) {
        return Err(out_of_range());
    }
    let day = from.day.min(month_length(year as i32, month));
    Ok(self::days(year as i32, month, i32::from(day)))
}

/// Checks that a day count stays within DATE.
#[inline]
pub fn check_day(days: i64) -> Result<i32, SqlError> {
    if (i64::from(MIN_DAY)..=i64::from(MAX_DAY)).contains(&days) { Ok(days as i32) } else { Err(out_of_range()) }
}

/// Checks that microseconds since 1970 stay within TIMESTAMP.
#[inline]
pub fn check_timestamp(micros: Option<i64>) -> Result<i64, SqlError> {
    const FIRST: i64 = MIN_DAY as i64 * MICROS_PER_DAY;
    const LAST: i64 = (MAX_DAY as i64 + 1) * MICROS_PER_DAY - 1;
    micros.filter(|micros| (FIRST..=LAST).contains(micros)).ok_or_else(out_of_range)
}

/// The day of a timestamp.
#[inline]
pub fn day_of(micros: i64) -> i32 {
    micros.div_euclid(MICROS_PER_DAY) as i32
}

/// Microseconds since midnight.
#[inline]
pub fn time_of(micros: i64) -> i64 {
    micros.rem_euclid(MICROS_PER_DAY)
}

/// Midnight of a day as a timestamp; saturates for days far outside DATE.
#[inline]
pub fn midnight(days: i32) -> i64 {
    i64::from(days).saturating_mul(MICROS_PER_DAY)
}

/// Whole months from one timestamp to another, toward zero.
pub fn months_between(from: i64, to: i64) -> i64 {
    let (first, last) = (civil(day_of(from)), civil(day_of(to)));
    let index = |c: Civil| i64::from(c.year) * 12 + i64::from(c.month);
    let months = index(last) - index(first);
    let rest = (last.day, time_of(to)).cmp(&(first.day, time_of(from)));
    match months {
        1.. if rest.is_lt() => months - 1,
        ..=-1 if rest.is_gt() => months + 1,
        _ => months,
    }
}

pub fn out_of_range() -> SqlError {
    SqlError::new(DATETIME_OVERFLOW, "the result is outside the years 0001 to 9999")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Datelike, NaiveDate};

    #[test]
    fn every_day_is_as_chrono_has_it() {
        let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        for day in (MIN_DAY..=MAX_DAY).step_by(13) {
            let expected = epoch + chrono::Duration::days(i64::from(day));
            let got = civil(day);
            assert_eq!(
                (got.year, u32::from(got.month), u32::from(got.day)),
                (expected.year(), expected.month(), expected.day())
            );
            assert_eq!(days(got.year, got.month, i32::from(got.day)), day);
            assert_eq!(weekday(day) as u32, expected.weekday().num_days_from_sunday());
            assert_eq!(day_of_year(day) as u32, expected.ordinal());
            assert_eq!(iso_week(day), (expected.iso_week().year(), expected.iso_week().week() as i32));
        }
    }

    #[test]
    fn the_bounds_are_the_first_and_last_day() {
        assert_eq!(civil(MIN_DAY), Civil { year: 1, month: 1, day: 1 });
        assert_eq!(civil(MAX_DAY), Civil { year: 9999, month: 12, day: 31 });
        assert!(check_day(i64::from(MAX_DAY) + 1).is_err());
        assert!(check_timestamp(None).is_err());
    }

    #[test]
    fn impossible_days_are_refused() {
        assert_eq!(checked_days(2023, 2, 29), None);
        assert_eq!(checked_days(0, 1, 1), None);
        assert_eq!(checked_days(2024, 13, 1), None);
        assert_eq!(checked_days(1970, 1, 1), Some(0));
    }

    #[test]
    fn months_clamp_to_the_last_day() {
        let day = |y, m, d| days(y, m, d);
        assert_eq!(add_months(day(2024, 1, 31), 1), Ok(day(2024, 2, 29)));
        assert_eq!(add_months(day(2024, 1, 31), -2), Ok(day(2023, 11, 30)));
        assert!(add_months(day(9999, 12, 1), 1).is_err());
    }

    #[test]
    fn months_count_only_when_whole() {
        let at = |y, m, d, micros: i64| midnight(days(y, m, d)) + micros;
        assert_eq!(months_between(at(2024, 1, 31, 1), at(2024, 3, 31, 0)), 1);
        assert_eq!(months_between(at(2000, 3, 28, 0), at(2000, 2, 29, 0)), 0);
        assert_eq!(months_between(at(1991, 3, 28, 0), at(2000, 2, 29, 0)), 107);
        assert_eq!(months_between(at(2004, 3, 29, 0), at(2005, 3, 28, 0)), 11);
        assert_eq!(months_between(at(2021, 12, 31, 0), at(2021, 1, 1, 0)) / 12, 0);
    }
}
