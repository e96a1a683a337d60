//! Time as it passes: tumbling windows, TIMESTAMPDIFF and TIMESTAMPADD by unit, dates and times from their fields.

use crate::calendar::{
    MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MILLI, MICROS_PER_MINUTE, MICROS_PER_SECOND, NANOS_PER_MICRO,
    NANOS_PER_SECOND, check_day, check_timestamp, checked_days, midnight, months_between, out_of_range,
};
use crate::error::INVALID_ARGUMENT;
use crate::interval::{date_plus_long, time_plus_short, timestamp_plus_long};
use crate::{SqlError, window};

/// Start of the window of `size` microseconds around a timestamp, in a grid through `origin`; windows before 1970 as well.
#[inline]
pub fn tumble_from(timestamp: i64, size: i64, origin: i64) -> Result<i64, SqlError> {
    if size <= 0 {
        return Err(SqlError::new(INVALID_ARGUMENT, "the size of a window must be positive"));
    }
    let into = (i128::from(timestamp) - i128::from(origin)).rem_euclid(i128::from(size)) as i64;
    check_timestamp(timestamp.checked_sub(into))
}

#[inline]
pub fn tumble_start(timestamp: i64, size: i64) -> Result<i64, SqlError> {
    tumble_from(timestamp, size, 0)
}

#[inline]
pub fn tumble_end(timestamp: i64, size: i64) -> Result<i64, SqlError> {
    check_timestamp(tumble_from(timestamp, size, 0)?.checked_add(size))
}

pub fn tumble_end_from(timestamp: i64, size: i64, origin: i64) -> Result<i64, SqlError> {
    check_timestamp(tumble_from(timestamp, size, origin)?.checked_add(size))
}

/// Start of the window of a grid through `origin`, with the arguments as DATE_BIN has them.
pub fn date_bin(size: i64, timestamp: i64, origin: i64) -> Result<i64, SqlError> {
    tumble_from(timestamp, size, origin)
}

/// Whole periods between two timestamps, toward zero.
macro_rules! differences {
    ($($name:ident $time:ident $size:expr;)+) => {
        $(
            #[inline]
            pub fn $name(from: i64, to: i64) -> i64 {
                to.saturating_sub(from) / ($size)
            }

            #[inline]
            pub fn $time(from: i64, to: i64) -> i64 {
                to.saturating_sub(from) / ($size * NANOS_PER_MICRO)
            }
        )+
    };
}

differences! {
    weeks time_weeks 7 * MICROS_PER_DAY;
    days time_days MICROS_PER_DAY;
    hours time_hours MICROS_PER_HOUR;
    minutes time_minutes MICROS_PER_MINUTE;
    seconds time_seconds MICROS_PER_SECOND;
    milliseconds time_milliseconds MICROS_PER_MILLI;
    microseconds time_microseconds 1;
}

pub fn nanoseconds(from: i64, to: i64) -> Result<i64, SqlError> {
    to.saturating_sub(from).checked_mul(NANOS_PER_MICRO).ok_or_else(out_of_range)
}

pub fn time_nanoseconds(from: i64, to: i64) -> i64 {
    to.saturating_sub(from)
}

pub fn months(from: i64, to: i64) -> i64 {
    months_between(from, to)
}

pub fn quarters(from: i64, to: i64) -> i64 {
    months_between(from, to) / 3
}

pub fn years(from: i64, to: i64) -> i64 {
    months_between(from, to) / 12
}

/// Additions of a count of months.
macro_rules! month_additions {
    ($($name:ident $date:ident $months:literal;)+) => {
        $(
            pub fn $name(count: i64, timestamp: i64) -> Result<i64, SqlError> {
                timestamp_plus_long(timestamp, month_count(count, $months)?)
            }

            pub fn $date(count: i64, date: i32) -> Result<i32, SqlError> {
                date_plus_long(date, month_count(count, $months)?)
            }
        )+
    };
}

fn month_count(count: i64, months: i64) -> Result<i32, SqlError> {
    count.checked_mul(months).and_then(|months| i32::try_from(months).ok()).ok_or_else(out_of_range)
}

month_additions! {
    add_years add_years_to_date 12;
    add_quarters add_quarters_to_date 3;
    add_months add_months_to_date 1;
}

/// Additions of a count of units of fixed length.
macro_rules! additions {
    ($($name:ident $time:ident $size:expr;)+) => {
        $(
            pub fn $name(count: i64, timestamp: i64) -> Result<i64, SqlError> {
                check_timestamp(count.checked_mul($size).and_then(|micros| timestamp.checked_add(micros)))
            }

            pub fn $time(count: i64, time: i64) -> Result<i64, SqlError> {
                Ok(time_plus_short(time, count.checked_mul($size).ok_or_else(out_of_range)?))
            }
        )+
    };
}

additions! {
    add_weeks add_weeks_to_time 7 * MICROS_PER_DAY;
    add_days add_days_to_time MICROS_PER_DAY;
    add_hours add_hours_to_time MICROS_PER_HOUR;
    add_minutes add_minutes_to_time MICROS_PER_MINUTE;
    add_seconds add_seconds_to_time MICROS_PER_SECOND;
    add_milliseconds add_milliseconds_to_time MICROS_PER_MILLI;
    add_microseconds add_microseconds_to_time 1;
}

pub fn add_days_to_date(count: i64, date: i32) -> Result<i32, SqlError> {
    check_day(count.checked_add(i64::from(date)).ok_or_else(out_of_range)?)
}

pub fn add_weeks_to_date(count: i64, date: i32) -> Result<i32, SqlError> {
    add_days_to_date(count.checked_mul(7).ok_or_else(out_of_range)?, date)
}

/// NULL when there is no such day.
pub fn make_date(year: i64, month: i64, day: i64) -> Option<i32> {
    checked_days(year, month, day)
}

/// NULL when there is no such time; seconds may have a fraction, rounded to nanoseconds.
pub fn make_time(hour: i64, minute: i64, second: f64) -> Option<i64> {
    let fits = (0..24).contains(&hour) && (0..60).contains(&minute) && (0.0..60.0).contains(&second);
    let nanos = (second * NANOS_PER_SECOND as f64).round() as i64;
    (fits && nanos < 60 * NANOS_PER_SECOND).then(|| (hour * 60 + minute) * 60 * NANOS_PER_SECOND + nanos)
}

/// NULL when there is no such day or time; seconds may have a fraction, cut off to microseconds.
pub fn make_timestamp(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: f64) -> Option<i64> {
    Some(midnight(make_date(year, month, day)?) + make_time(hour, minute, second)? / NANOS_PER_MICRO)
}

functions! { pub static FUNCTIONS:
    "TUMBLE_START" (TIMESTAMP, SHORT) -> TIMESTAMP = window::tumble_start, Strict {fallible monotone}, "Start of the window around a time.";
    "TUMBLE_START" (TIMESTAMP, SHORT, SHORT) -> TIMESTAMP = window::tumble_from, Strict {fallible monotone}, "Start of the window around a time, windows shifted by an offset.";
    "TUMBLE_END" (TIMESTAMP, SHORT) -> TIMESTAMP = window::tumble_end, Strict {fallible monotone}, "End of the window around a time.";
    "TUMBLE_END" (TIMESTAMP, SHORT, SHORT) -> TIMESTAMP = window::tumble_end_from, Strict {fallible monotone}, "End of the window around a time, windows shifted by an offset.";
    "DATE_BIN" (SHORT, TIMESTAMP, TIMESTAMP) -> TIMESTAMP = window::date_bin, Strict {fallible}, "Start of the window of a size around a time, in a grid through another time.";
    "TIMESTAMPDIFF YEAR" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::years, Strict {}, "Whole years from the first time to the second.";
    "TIMESTAMPDIFF QUARTER" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::quarters, Strict {}, "Whole quarters from the first time to the second.";
    "TIMESTAMPDIFF MONTH" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::months, Strict {}, "Whole months from the first time to the second.";
    "TIMESTAMPDIFF WEEK" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::weeks, Strict {}, "Whole weeks from the first time to the second.";
    "TIMESTAMPDIFF DAY" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::days, Strict {}, "Whole days from the first time to the second.";
    "TIMESTAMPDIFF HOUR" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::hours, Strict {}, "Whole hours from the first time to the second.";
    "TIMESTAMPDIFF MINUTE" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::minutes, Strict {}, "Whole minutes from the first time to the second.";
    "TIMESTAMPDIFF SECOND" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::seconds, Strict {}, "Whole seconds from the first time to the second.";
    "TIMESTAMPDIFF MILLISECOND" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::milliseconds, Strict {}, "Milliseconds from the first time to the second.";
    "TIMESTAMPDIFF MICROSECOND" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::microseconds, Strict {}, "Microseconds from the first time to the second.";
    "TIMESTAMPDIFF NANOSECOND" (TIMESTAMP, TIMESTAMP) -> BIGINT = window::nanoseconds, Strict {fallible}, "Nanoseconds from the first time to the second.";
    "TIMESTAMPDIFF WEEK" (TIME, TIME) -> BIGINT = window::time_weeks, Strict {}, "Whole weeks from the first time to the second.";
    "TIMESTAMPDIFF DAY" (TIME, TIME) -> BIGINT = window::time_days, Strict {}, "Whole days from the first time to the second.";
    "TIMESTAMPDIFF HOUR" (TIME, TIME) -> BIGINT = window::time_hours, Strict {}, "Whole hours from the first time to the second.";
    "TIMESTAMPDIFF MINUTE" (TIME, TIME) -> BIGINT = window::time_minutes, Strict {}, "Whole minutes from the first time to the second.";
    "TIMESTAMPDIFF SECOND" (TIME, TIME) -> BIGINT = window::time_seconds, Strict {}, "Whole seconds from the first time to the second.";
    "TIMESTAMPDIFF MILLISECOND" (TIME, TIME) -> BIGINT = window::time_milliseconds, Strict {}, "Milliseconds from the first time to the second.";
    "TIMESTAMPDIFF MICROSECOND" (TIME, TIME) -> BIGINT = window::time_microseconds, Strict {}, "Microseconds from the first time to the second.";
    "TIMESTAMPDIFF NANOSECOND" (TIME, TIME) -> BIGINT = window::time_nanoseconds, Strict {}, "Nanoseconds from the first time to the second.";
    "TIMESTAMPADD YEAR" (BIGINT, DATE) -> DATE = window::add_years_to_date, Strict {fallible}, "A day some years later.";
    "TIMESTAMPADD QUARTER" (BIGINT, DATE) -> DATE = window::add_quarters_to_date, Strict {fallible}, "A day some quarters later.";
    "TIMESTAMPADD MONTH" (BIGINT, DATE) -> DATE = window::add_months_to_date, Strict {fallible}, "A day some months later.";
    "TIMESTAMPADD WEEK" (BIGINT, DATE) -> DATE = window::add_weeks_to_date, Strict {fallible}, "A day some weeks later.";
    "TIMESTAMPADD DAY" (BIGINT, DATE) -> DATE = window::add_days_to_date, Strict {fallible}, "A day some days later.";
    "TIMESTAMPADD YEAR" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_years, Strict {fallible}, "A time some years later.";
    "TIMESTAMPADD QUARTER" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_quarters, Strict {fallible}, "A time some quarters later.";
    "TIMESTAMPADD MONTH" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_months, Strict {fallible}, "A time some months later.";
    "TIMESTAMPADD WEEK" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_weeks, Strict {fallible}, "A time some weeks later.";
    "TIMESTAMPADD DAY" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_days, Strict {fallible}, "A time some days later.";
    "TIMESTAMPADD HOUR" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_hours, Strict {fallible}, "A time some hours later.";
    "TIMESTAMPADD MINUTE" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_minutes, Strict {fallible}, "A time some minutes later.";
    "TIMESTAMPADD SECOND" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_seconds, Strict {fallible}, "A time some seconds later.";
    "TIMESTAMPADD MILLISECOND" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_milliseconds, Strict {fallible}, "A time some milliseconds later.";
    "TIMESTAMPADD MICROSECOND" (BIGINT, TIMESTAMP) -> TIMESTAMP = window::add_microseconds, Strict {fallible}, "A time some microseconds later.";
    "TIMESTAMPADD WEEK" (BIGINT, TIME) -> TIME = window::add_weeks_to_time, Strict {fallible}, "The same time.";
    "TIMESTAMPADD DAY" (BIGINT, TIME) -> TIME = window::add_days_to_time, Strict {fallible}, "The same time.";
    "TIMESTAMPADD HOUR" (BIGINT, TIME) -> TIME = window::add_hours_to_time, Strict {fallible}, "A time some hours later, around midnight.";
    "TIMESTAMPADD MINUTE" (BIGINT, TIME) -> TIME = window::add_minutes_to_time, Strict {fallible}, "A time some minutes later, around midnight.";
    "TIMESTAMPADD SECOND" (BIGINT, TIME) -> TIME = window::add_seconds_to_time, Strict {fallible}, "A time some seconds later, around midnight.";
    "TIMESTAMPADD MILLISECOND" (BIGINT, TIME) -> TIME = window::add_milliseconds_to_time, Strict {fallible}, "A time some milliseconds later, around midnight.";
    "TIMESTAMPADD MICROSECOND" (BIGINT, TIME) -> TIME = window::add_microseconds_to_time, Strict {fallible}, "A time some microseconds later, around midnight.";
    "MAKE_DATE" (BIGINT, BIGINT, BIGINT) -> DATE = window::make_date, StrictToOption {}, "Year, month, day; NULL when there is no such day.";
    "MAKE_TIME" (BIGINT, BIGINT, DOUBLE) -> TIME = window::make_time, StrictToOption {}, "Hour, minute, second; NULL when there is no such time.";
    "MAKE_TIMESTAMP" (BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, DOUBLE) -> TIMESTAMP = window::make_timestamp, StrictToOption {}, "Year to second; NULL when there is no such time.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal_text::{parse_date, parse_time, parse_timestamp};

    fn at(text: &str) -> i64 {
        parse_timestamp(text).unwrap()
    }

    #[test]
    fn windows_floor_toward_minus_infinity() {
        assert_eq!(tumble_start(at("1969-12-31 23:30:00"), MICROS_PER_HOUR), Ok(at("1969-12-31 23:00:00")));
        assert_eq!(tumble_end(at("1969-12-31 23:30:00"), MICROS_PER_HOUR), Ok(at("1970-01-01 00:00:00")));
        let shifted = tumble_from(at("2015-02-15 10:15:00"), 10 * MICROS_PER_MINUTE, 7 * MICROS_PER_MINUTE);
        assert_eq!(shifted, Ok(at("2015-02-15 10:07:00")));
        assert!(tumble_start(0, 0).is_err());
    }

    #[test]
    fn periods_count_when_whole() {
        assert_eq!(days(at("2006-01-10 14:30:28"), at("2006-01-12 14:30:27")), 1);
        assert_eq!(weeks(at("2006-01-10 14:30:28"), at("2006-01-24 14:30:27")), 1);
        assert_eq!(years(at("2002-05-01"), at("2001-01-01")), -1);
        assert_eq!(minutes(at("2001-02-01 12:59:59"), at("2001-05-01 12:58:59")), 128_159);
        let time = |text| parse_time(text).unwrap();
        assert_eq!(time_minutes(time("12:00:00"), time("10:00:00")), -120);
        assert_eq!(time_hours(time("14:23:44.456"), time("20:24:44.332")), 6);
    }

    #[test]
    fn additions_by_unit() {
        let day = |text| parse_date(text).unwrap();
        assert_eq!(add_months_to_date(-1, day("2000-03-28")), Ok(day("2000-02-28")));
        assert_eq!(add_weeks_to_date(12, day("2001-02-01")), Ok(day("2001-04-26")));
        assert_eq!(add_hours(2136, at("2001-02-01")), Ok(at("2001-05-01")));
        assert!(add_years(i64::MAX, 0).is_err());
        assert!(add_days_to_date(i64::MAX, 0).is_err());
    }

    #[test]
    fn fields_make_times_or_null() {
        assert_eq!(make_date(2023, 2, 29), None);
        assert_eq!(make_date(1, 1, 1), parse_date("0001-01-01"));
        assert_eq!(make_time(1, 2, 3.5), parse_time("01:02:03.5"));
        assert_eq!(make_time(-1, 2, 3.0), None);
        assert_eq!(make_time(1, 2, f64::NAN), None);
        assert_eq!(make_timestamp(2020, 1, 1, 22, 58, 59.0), Some(at("2020-01-01 22:58:59")));
    }
}
