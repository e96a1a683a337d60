//! DATE_TRUNC, TIMESTAMP_TRUNC, TIME_TRUNC, FLOOR(x TO unit) and CEIL(x TO unit): one function for each unit and type, named
//! `DATE_TRUNC YEAR`, `FLOOR TO YEAR` and so on.
//!
//! Weeks start on Sunday. The truncations put the first year of a century at 1 (1901, 2001), FLOOR and CEIL at 0 (1900, 2000):
//! so do existing programs expect it.

use crate::calendar::{
    MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MILLI, MICROS_PER_MINUTE, MICROS_PER_SECOND, NANOS_PER_DAY,
    NANOS_PER_MICRO, NANOS_PER_SECOND, check_day, check_timestamp, civil, day_of, days, midnight, out_of_range,
    weekday,
};
use crate::function::Function;
use crate::{SqlError, truncate};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Millennium,
    Century,
    Decade,
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

/// Microseconds of a unit of fixed length up to a day.
fn micros(unit: Unit) -> i64 {
    match unit {
        Unit::Hour => MICROS_PER_HOUR,
        Unit::Minute => MICROS_PER_MINUTE,
        Unit::Second => MICROS_PER_SECOND,
        Unit::Millisecond => MICROS_PER_MILLI,
        Unit::Microsecond | Unit::Nanosecond => 1,
        _ => MICROS_PER_DAY,
    }
}

fn years(unit: Unit) -> i32 {
    match unit {
        Unit::Millennium => 1000,
        Unit::Century => 100,
        Unit::Decade => 10,
        _ => 1,
    }
}

/// The first day of the unit around a day; `origin` is the year that starts a century.
#[inline]
fn floor_day(unit: Unit, day: i32, origin: i32) -> Result<i32, SqlError> {
    let date = civil(day);
    let first = match unit {
        Unit::Millennium | Unit::Century => {
            let size = years(unit);
            days((date.year - origin).div_euclid(size) * size + origin, 1, 1)
        }
        Unit::Decade => days(date.year.div_euclid(10) * 10, 1, 1),
        Unit::Year => days(date.year, 1, 1),
        Unit::Quarter => days(date.year, (date.month - 1) / 3 * 3 + 1, 1),
        Unit::Month => days(date.year, date.month, 1),
        Unit::Week => day.saturating_sub(weekday(day)),
        _ => day,
    };
    check_day(i64::from(first))
}

/// The first day of the next unit after a unit's first day.
fn next_day(unit: Unit, first: i32) -> Result<i32, SqlError> {
    let date = civil(first);
    let next = match unit {
        Unit::Quarter | Unit::Month => {
            let month = date.month + if unit == Unit::Quarter { 3 } else { 1 };
            if month > 12 { days(date.year + 1, month - 12, 1) } else { days(date.year, month, 1) }
        }
        Unit::Week => first + 7,
        Unit::Day => first + 1,
        _ => days(date.year + years(unit), 1, 1),
    };
    check_day(i64::from(next))
}

#[inline]
fn ceil_day(unit: Unit, day: i32) -> Result<i32, SqlError> {
    // The unit around year 1 may start before the calendar does; its end does not.
    let first = floor_day(unit, day, 0).or_else(|error| match unit {
        Unit::Millennium | Unit::Century | Unit::Decade => Ok(days(0, 1, 1)),
        _ => Err(error),
    })?;
    if first == day { Ok(day) } else { next_day(unit, first) }
}

#[inline]
fn floor_timestamp(unit: Unit, timestamp: i64, origin: i32) -> Result<i64, SqlError> {
    match unit {
        Unit::Hour | Unit::Minute | Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond => {
            check_timestamp(timestamp.checked_sub(timestamp.rem_euclid(micros(unit))))
        }
        _ => floor_day(unit, day_of(timestamp), origin).map(midnight),
    }
}

#[inline]
fn ceil_timestamp(unit: Unit, timestamp: i64) -> Result<i64, SqlError> {
    match unit {
        Unit::Hour | Unit::Minute | Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond => {
            let size = micros(unit);
            check_timestamp(timestamp.checked_add((size - timestamp.rem_euclid(size)) % size))
        }
        _ => {
            let day = day_of(timestamp);
            let day = if midnight(day) == timestamp { i64::from(day) } else { i64::from(day) + 1 };
            ceil_day(unit, check_day(day)?).map(midnight)
        }
    }
}

/// Nanoseconds of a unit of a clock.
fn nanos(unit: Unit) -> i64 {
    match unit {
        Unit::Hour => 3600 * NANOS_PER_SECOND,
        Unit::Minute => 60 * NANOS_PER_SECOND,
        Unit::Second => NANOS_PER_SECOND,
        Unit::Millisecond => 1000 * NANOS_PER_MICRO,
        Unit::Microsecond => NANOS_PER_MICRO,
        _ => 1,
    }
}

#[inline]
fn floor_time(unit: Unit, time: i64) -> i64 {
    time - time % nanos(unit)
}

fn ceil_time(unit: Unit, time: i64) -> Result<i64, SqlError> {
    let size = nanos(unit);
    let up = (size - time.rem_euclid(size)) % size;
    time.checked_add(up).filter(|time| *time < NANOS_PER_DAY).ok_or_else(out_of_range)
}

macro_rules! unit {
    ($module:ident $unit:ident date $trunc:literal $timestamp_trunc:literal $floor:literal $ceil:literal) => {
        pub mod $module {
            use super::{SqlError, Unit, ceil_day, floor_day, truncate};

            #[inline]
            pub fn date(days: i32) -> Result<i32, SqlError> {
                floor_day(Unit::$unit, days, 1)
            }

            pub fn floor_date(days: i32) -> Result<i32, SqlError> {
                floor_day(Unit::$unit, days, 0)
            }

            pub fn ceil_date(days: i32) -> Result<i32, SqlError> {
                ceil_day(Unit::$unit, days)
            }

            functions! { pub static DATES:
                $trunc (DATE) -> DATE = truncate::$module::date, Strict {fallible monotone}, "The first day of the unit.";
                $floor (DATE) -> DATE = truncate::$module::floor_date, Strict {fallible monotone}, "The first day of the unit.";
                $ceil (DATE) -> DATE = truncate::$module::ceil_date, Strict {fallible monotone}, "The day itself when it starts a unit, else the first day of the next.";
            }

            unit! { @timestamp $module $unit $trunc $timestamp_trunc $floor $ceil }
        }
    };
    ($module:ident $unit:ident timestamp $trunc:literal $timestamp_trunc:literal $floor:literal $ceil:literal $time_trunc:literal) => {
        pub mod $module {
            use super::{SqlError, Unit, ceil_time, floor_time, truncate};

            #[inline]
            pub fn time(nanos: i64) -> i64 {
                floor_time(Unit::$unit, nanos)
            }

            pub fn ceil_time_of_day(nanos: i64) -> Result<i64, SqlError> {
                ceil_time(Unit::$unit, nanos)
            }

            functions! { pub static TIMES:
                $time_trunc (TIME) -> TIME = truncate::$module::time, Strict {monotone}, "The start of the unit.";
                $floor (TIME) -> TIME = truncate::$module::time, Strict {monotone}, "The start of the unit.";
                $ceil (TIME) -> TIME = truncate::$module::ceil_time_of_day, Strict {fallible monotone}, "The time itself when it starts a unit, else the start of the next.";
            }

            unit! { @timestamp $module $unit $trunc $timestamp_trunc $floor $ceil }
        }
    };
    (@timestamp $module:ident $unit:ident $trunc:literal $timestamp_trunc:literal $floor:literal $ceil:literal) => {
        use super::{ceil_timestamp, floor_timestamp};

        #[inline]
        pub fn timestamp(micros: i64) -> Result<i64, SqlError> {
            floor_timestamp(Unit::$unit, micros, 1)
        }

        pub fn floor_of_timestamp(micros: i64) -> Result<i64, SqlError> {
            floor_timestamp(Unit::$unit, micros, 0)
        }

        pub fn ceil_of_timestamp(micros: i64) -> Result<i64, SqlError> {
            ceil_timestamp(Unit::$unit, micros)
        }

        functions! { pub static TIMESTAMPS:
            $trunc (TIMESTAMP) -> TIMESTAMP = truncate::$module::timestamp, Strict {fallible monotone}, "The start of the unit.";
            $timestamp_trunc (TIMESTAMP) -> TIMESTAMP = truncate::$module::timestamp, Strict {fallible monotone}, "The start of the unit.";
            $floor (TIMESTAMP) -> TIMESTAMP = truncate::$module::floor_of_timestamp, Strict {fallible monotone}, "The start of the unit.";
            $ceil (TIMESTAMP) -> TIMESTAMP = truncate::$module::ceil_of_timestamp, Strict {fallible monotone}, "The time itself when it starts a unit, else the start of the next.";
        }
    };
}

unit!(millennium Millennium date "DATE_TRUNC MILLENNIUM" "TIMESTAMP_TRUNC MILLENNIUM" "FLOOR TO MILLENNIUM" "CEIL TO MILLENNIUM");
unit!(century Century date "DATE_TRUNC CENTURY" "TIMESTAMP_TRUNC CENTURY" "FLOOR TO CENTURY" "CEIL TO CENTURY");
unit!(decade Decade date "DATE_TRUNC DECADE" "TIMESTAMP_TRUNC DECADE" "FLOOR TO DECADE" "CEIL TO DECADE");
unit!(year Year date "DATE_TRUNC YEAR" "TIMESTAMP_TRUNC YEAR" "FLOOR TO YEAR" "CEIL TO YEAR");
unit!(quarter Quarter date "DATE_TRUNC QUARTER" "TIMESTAMP_TRUNC QUARTER" "FLOOR TO QUARTER" "CEIL TO QUARTER");
unit!(month Month date "DATE_TRUNC MONTH" "TIMESTAMP_TRUNC MONTH" "FLOOR TO MONTH" "CEIL TO MONTH");
unit!(week Week date "DATE_TRUNC WEEK" "TIMESTAMP_TRUNC WEEK" "FLOOR TO WEEK" "CEIL TO WEEK");
unit!(day Day date "DATE_TRUNC DAY" "TIMESTAMP_TRUNC DAY" "FLOOR TO DAY" "CEIL TO DAY");
unit!(hour Hour timestamp "DATE_TRUNC HOUR" "TIMESTAMP_TRUNC HOUR" "FLOOR TO HOUR" "CEIL TO HOUR" "TIME_TRUNC HOUR");
unit!(minute Minute timestamp "DATE_TRUNC MINUTE" "TIMESTAMP_TRUNC MINUTE" "FLOOR TO MINUTE" "CEIL TO MINUTE" "TIME_TRUNC MINUTE");
unit!(second Second timestamp "DATE_TRUNC SECOND" "TIMESTAMP_TRUNC SECOND" "FLOOR TO SECOND" "CEIL TO SECOND" "TIME_TRUNC SECOND");
unit!(millisecond Millisecond timestamp "DATE_TRUNC MILLISECOND" "TIMESTAMP_TRUNC MILLISECOND" "FLOOR TO MILLISECOND" "CEIL TO MILLISECOND" "TIME_TRUNC MILLISECOND");
unit!(microsecond Microsecond timestamp "DATE_TRUNC MICROSECOND" "TIMESTAMP_TRUNC MICROSECOND" "FLOOR TO MICROSECOND" "CEIL TO MICROSECOND" "TIME_TRUNC MICROSECOND");
unit!(nanosecond Nanosecond timestamp "DATE_TRUNC NANOSECOND" "TIMESTAMP_TRUNC NANOSECOND" "FLOOR TO NANOSECOND" "CEIL TO NANOSECOND" "TIME_TRUNC NANOSECOND");

/// The entries of all units.
pub static FAMILIES: &[&[Function]] = &[
    millennium::DATES,
    millennium::TIMESTAMPS,
    century::DATES,
    century::TIMESTAMPS,
    decade::DATES,
    decade::TIMESTAMPS,
    year::DATES,
    year::TIMESTAMPS,
    quarter::DATES,
    quarter::TIMESTAMPS,
    month::DATES,
    month::TIMESTAMPS,
    week::DATES,
    week::TIMESTAMPS,
    day::DATES,
    day::TIMESTAMPS,
    hour::TIMESTAMPS,
    hour::TIMES,
    minute::TIMESTAMPS,
    minute::TIMES,
    second::TIMESTAMPS,
    second::TIMES,
    millisecond::TIMESTAMPS,
    millisecond::TIMES,
    microsecond::TIMESTAMPS,
    microsecond::TIMES,
    nanosecond::TIMESTAMPS,
    nanosecond::TIMES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal_text::{parse_date, parse_time, parse_timestamp, write_date, write_timestamp};

    fn of_date(f: fn(i32) -> Result<i32, SqlError>, text: &str) -> String {
        let mut out = String::new();
        match f(parse_date(text).unwrap()) {
            Ok(day) => write_date(day, &mut out),
            Err(error) => out.push_str(error.code),
        }
        out
    }

    fn of_timestamp(f: fn(i64) -> Result<i64, SqlError>, text: &str) -> String {
        let mut out = String::new();
        match f(parse_timestamp(text).unwrap()) {
            Ok(micros) => write_timestamp(micros, &mut out),
            Err(error) => out.push_str(error.code),
        }
        out
    }

    #[test]
    fn days_go_to_the_start_of_their_unit() {
        assert_eq!(of_date(week::date, "1993-12-25"), "1993-12-19");
        assert_eq!(of_date(decade::date, "2019-12-25"), "2010-01-01");
        assert_eq!(of_date(century::date, "2000-08-10"), "1901-01-01");
        assert_eq!(of_date(century::date, "0002-02-04"), "0001-01-01");
        assert_eq!(of_date(millennium::date, "1970-03-20"), "1001-01-01");
        assert_eq!(of_date(century::floor_date, "2020-06-21"), "2000-01-01");
        assert_eq!(of_date(millennium::ceil_date, "2020-06-21"), "3000-01-01");
        assert_eq!(of_date(century::floor_date, "0002-02-04"), "22008");
        assert_eq!(of_date(century::ceil_date, "0002-02-04"), "0100-01-01");
        assert_eq!(of_date(year::ceil_date, "9999-02-04"), "22008");
    }

    #[test]
    fn timestamps_floor_toward_minus_infinity() {
        let at = "2020-06-21 14:23:44.123654";
        assert_eq!(of_timestamp(millisecond::timestamp, at), "2020-06-21 14:23:44.123");
        assert_eq!(of_timestamp(hour::timestamp, "1969-12-31 23:30:00"), "1969-12-31 23:00:00");
        assert_eq!(of_timestamp(quarter::ceil_of_timestamp, at), "2020-07-01 00:00:00");
        assert_eq!(of_timestamp(week::ceil_of_timestamp, at), "2020-06-28 00:00:00");
        assert_eq!(of_timestamp(day::ceil_of_timestamp, at), "2020-06-22 00:00:00");
        assert_eq!(of_timestamp(second::ceil_of_timestamp, at), "2020-06-21 14:23:45");
        assert_eq!(of_timestamp(microsecond::ceil_of_timestamp, at), at);
        assert_eq!(of_timestamp(month::ceil_of_timestamp, "2020-06-01 00:00:00.000001"), "2020-07-01 00:00:00");
        assert_eq!(of_timestamp(month::ceil_of_timestamp, "2020-06-01"), "2020-06-01 00:00:00");
    }

    #[test]
    fn clocks() {
        assert_eq!(minute::time(parse_time("12:34:56.78").unwrap()), parse_time("12:34:00").unwrap());
        assert_eq!(hour::ceil_time_of_day(parse_time("12:34:56.78").unwrap()), Ok(parse_time("13:00:00").unwrap()));
        assert!(hour::ceil_time_of_day(parse_time("23:34:56.78").unwrap()).is_err());
    }
}
