//! EXTRACT(unit FROM x): one function for each unit and type, named `EXTRACT YEAR` and so on. Results are BIGINT.
//!
//! Weeks and ISOYEAR are those of ISO 8601; DOW counts from Sunday 1, ISODOW from Monday 1; MILLISECOND, MICROSECOND and
//! NANOSECOND include the seconds; EPOCH is whole seconds since 1970, rounded down.

use crate::calendar::{
    MICROS_PER_HOUR, MICROS_PER_MILLI, MICROS_PER_MINUTE, MICROS_PER_SECOND, NANOS_PER_MICRO, NANOS_PER_SECOND, civil,
    day_of, day_of_year, iso_week, midnight, time_of, weekday,
};
use crate::extract;
use crate::function::Function;

/// What EXTRACT can take out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Millennium,
    Century,
    Decade,
    Year,
    IsoYear,
    Quarter,
    Month,
    Week,
    DayOfYear,
    DayOfWeek,
    IsoDayOfWeek,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Epoch,
}

/// Years in groups counted from 1: the first century is 1 to 100.
fn group(year: i32, size: i32) -> i64 {
    i64::from((year + size - 1).div_euclid(size))
}

#[inline]
fn of_day(unit: Unit, days: i32) -> i64 {
    let date = civil(days);
    match unit {
        Unit::Millennium => group(date.year, 1000),
        Unit::Century => group(date.year, 100),
        Unit::Decade => i64::from(date.year.div_euclid(10)),
        Unit::Year => i64::from(date.year),
        Unit::IsoYear => i64::from(iso_week(days).0),
        Unit::Quarter => (i64::from(date.month) + 2) / 3,
        Unit::Month => i64::from(date.month),
        Unit::Week => i64::from(iso_week(days).1),
        Unit::DayOfYear => i64::from(day_of_year(days)),
        Unit::DayOfWeek => i64::from(weekday(days)) + 1,
        Unit::IsoDayOfWeek => (i64::from(weekday(days)) + 6) % 7 + 1,
        Unit::Day => i64::from(date.day),
        Unit::Epoch => midnight(days) / MICROS_PER_SECOND,
        // The clock of midnight.
        Unit::Hour | Unit::Minute | Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond => 0,
    }
}

#[inline]
fn of_timestamp(unit: Unit, micros: i64) -> i64 {
    match unit {
        Unit::Hour | Unit::Minute | Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond => {
            of_time(unit, time_of(micros) * NANOS_PER_MICRO)
        }
        Unit::Epoch => micros.div_euclid(MICROS_PER_SECOND),
        _ => of_day(unit, day_of(micros)),
    }
}

#[inline]
fn of_time(unit: Unit, nanos: i64) -> i64 {
    let seconds = nanos / NANOS_PER_SECOND;
    let in_minute = nanos % (60 * NANOS_PER_SECOND);
    match unit {
        Unit::Hour => seconds / 3600,
        Unit::Minute => seconds / 60 % 60,
        Unit::Second => seconds % 60,
        Unit::Millisecond => in_minute / (NANOS_PER_MICRO * MICROS_PER_MILLI),
        Unit::Microsecond => in_minute / NANOS_PER_MICRO,
        Unit::Nanosecond => in_minute,
        _ => 0,
    }
}

/// All fields have the interval's sign.
#[inline]
fn of_short(unit: Unit, micros: i64) -> i64 {
    let in_minute = micros % MICROS_PER_MINUTE;
    match unit {
        Unit::Day => micros / (24 * MICROS_PER_HOUR),
        Unit::Hour => micros / MICROS_PER_HOUR % 24,
        Unit::Minute => micros / MICROS_PER_MINUTE % 60,
        Unit::Second => in_minute / MICROS_PER_SECOND,
        Unit::Millisecond => in_minute / MICROS_PER_MILLI,
        Unit::Microsecond => in_minute,
        Unit::Nanosecond => in_minute * NANOS_PER_MICRO,
        Unit::Epoch => micros / MICROS_PER_SECOND,
        _ => 0,
    }
}

/// All fields have the interval's sign; a year counts 365 days and 6 hours for EPOCH, a month 30 days, as PostgreSQL has it.
#[inline]
fn of_long(unit: Unit, months: i32) -> i64 {
    let (years, rest) = (i64::from(months / 12), i64::from(months % 12));
    match unit {
        Unit::Millennium => years / 1000,
        Unit::Century => years / 100,
        Unit::Decade => years / 10,
        Unit::Year => years,
        Unit::Quarter => rest / 3 + 1,
        Unit::Month => rest,
        Unit::Epoch => years * 31_557_600 + rest * 30 * 86_400,
        _ => 0,
    }
}

/// The functions of one unit, in a module of its name, for the types that have it.
macro_rules! unit {
    ($module:ident $unit:ident $names:tt: $($ty:ident)+) => {
        pub mod $module {
            #[allow(unused_imports)]
            use super::{Unit, extract, of_day, of_long, of_short, of_time, of_timestamp};

            $(unit! { @function $ty $unit })+
            $(unit! { @entries $module $ty $names })+
        }
    };
    (@function date $unit:ident) => {
        #[inline]
        pub fn date(days: i32) -> i64 {
            of_day(Unit::$unit, days)
        }
    };
    (@function timestamp $unit:ident) => {
        #[inline]
        pub fn timestamp(micros: i64) -> i64 {
            of_timestamp(Unit::$unit, micros)
        }
    };
    (@function time $unit:ident) => {
        #[inline]
        pub fn time(nanos: i64) -> i64 {
            of_time(Unit::$unit, nanos)
        }
    };
    (@function short $unit:ident) => {
        #[inline]
        pub fn short(micros: i64) -> i64 {
            of_short(Unit::$unit, micros)
        }
    };
    (@function long $unit:ident) => {
        #[inline]
        pub fn long(months: i32) -> i64 {
            of_long(Unit::$unit, months)
        }
    };
    (@entries $module:ident date [$($name:literal)+]) => {
        functions! { pub static DATE:
            $($name (DATE) -> BIGINT = extract::$module::date, Strict {}, "A field of a day.";)+
        }
    };
    (@entries $module:ident timestamp [$($name:literal)+]) => {
        functions! { pub static TIMESTAMP:
            $($name (TIMESTAMP) -> BIGINT = extract::$module::timestamp, Strict {}, "A field of a timestamp.";)+
        }
    };
    (@entries $module:ident time [$($name:literal)+]) => {
        functions! { pub static TIME:
            $($name (TIME) -> BIGINT = extract::$module::time, Strict {}, "A field of a time of day.";)+
        }
    };
    (@entries $module:ident short [$($name:literal)+]) => {
        functions! { pub static SHORT:
            $($name (SHORT) -> BIGINT = extract::$module::short, Strict {}, "A field of a day-time interval.";)+
        }
    };
    (@entries $module:ident long [$($name:literal)+]) => {
        functions! { pub static LONG:
            $($name (LONG) -> BIGINT = extract::$module::long, Strict {}, "A field of a year-month interval.";)+
        }
    };
}

unit!(millennium Millennium ["EXTRACT MILLENNIUM" "MILLENNIUM"]: date timestamp long);
unit!(century Century ["EXTRACT CENTURY" "CENTURY"]: date timestamp long);
unit!(decade Decade ["EXTRACT DECADE" "DECADE"]: date timestamp long);
unit!(year Year ["EXTRACT YEAR" "YEAR"]: date timestamp long);
unit!(isoyear IsoYear ["EXTRACT ISOYEAR" "ISOYEAR"]: date timestamp);
unit!(quarter Quarter ["EXTRACT QUARTER" "QUARTER"]: date timestamp long);
unit!(month Month ["EXTRACT MONTH" "MONTH"]: date timestamp long);
unit!(week Week ["EXTRACT WEEK" "WEEK"]: date timestamp);
unit!(doy DayOfYear ["EXTRACT DOY" "DOY" "DAYOFYEAR"]: date timestamp);
unit!(dow DayOfWeek ["EXTRACT DOW" "DOW" "DAYOFWEEK"]: date timestamp);
unit!(isodow IsoDayOfWeek ["EXTRACT ISODOW" "ISODOW"]: date timestamp);
unit!(day Day ["EXTRACT DAY" "DAYOFMONTH" "DAY"]: date timestamp short);
unit!(hour Hour ["EXTRACT HOUR" "HOUR"]: date timestamp time short);
unit!(minute Minute ["EXTRACT MINUTE" "MINUTE"]: date timestamp time short);
unit!(second Second ["EXTRACT SECOND" "SECOND"]: date timestamp time short);
unit!(millisecond Millisecond ["EXTRACT MILLISECOND" "MILLISECOND"]: date timestamp time short);
unit!(microsecond Microsecond ["EXTRACT MICROSECOND" "MICROSECOND"]: date timestamp time short);
unit!(nanosecond Nanosecond ["EXTRACT NANOSECOND" "NANOSECOND"]: date timestamp time short);
unit!(epoch Epoch ["EXTRACT EPOCH" "EPOCH"]: date timestamp short long);

/// The entries of all units.
pub static FAMILIES: &[&[Function]] = &[
    millennium::DATE,
    millennium::TIMESTAMP,
    millennium::LONG,
    century::DATE,
    century::TIMESTAMP,
    century::LONG,
    decade::DATE,
    decade::TIMESTAMP,
    decade::LONG,
    year::DATE,
    year::TIMESTAMP,
    year::LONG,
    isoyear::DATE,
    isoyear::TIMESTAMP,
    quarter::DATE,
    quarter::TIMESTAMP,
    quarter::LONG,
    month::DATE,
    month::TIMESTAMP,
    month::LONG,
    week::DATE,
    week::TIMESTAMP,
    doy::DATE,
    doy::TIMESTAMP,
    dow::DATE,
    dow::TIMESTAMP,
    isodow::DATE,
    isodow::TIMESTAMP,
    day::DATE,
    day::TIMESTAMP,
    day::SHORT,
    hour::DATE,
    hour::TIMESTAMP,
    hour::TIME,
    hour::SHORT,
    minute::DATE,
    minute::TIMESTAMP,
    minute::TIME,
    minute::SHORT,
    second::DATE,
    second::TIMESTAMP,
    second::TIME,
    second::SHORT,
    millisecond::DATE,
    millisecond::TIMESTAMP,
    millisecond::TIME,
    millisecond::SHORT,
    microsecond::DATE,
    microsecond::TIMESTAMP,
    microsecond::TIME,
    microsecond::SHORT,
    nanosecond::DATE,
    nanosecond::TIMESTAMP,
    nanosecond::TIME,
    nanosecond::SHORT,
    epoch::DATE,
    epoch::TIMESTAMP,
    epoch::SHORT,
    epoch::LONG,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal_text::{parse_date, parse_time, parse_timestamp};

    #[test]
    fn days() {
        let day = |text| parse_date(text).unwrap();
        assert_eq!(dow::date(day("2020-08-16")), 1);
        assert_eq!(dow::date(day("2020-08-11")), 3);
        assert_eq!(isodow::date(day("1957-06-13")), 4);
        assert_eq!(doy::date(day("2020-08-11")), 224);
        assert_eq!(week::date(day("2021-01-03")), 53);
        assert_eq!(isoyear::date(day("2021-01-03")), 2020);
        assert_eq!(century::date(day("2000-12-31")), 20);
        assert_eq!(century::date(day("0001-01-01")), 1);
        assert_eq!(millennium::date(day("1000-12-31")), 1);
        assert_eq!(decade::date(day("2020-08-11")), 202);
        assert_eq!(quarter::date(day("1957-04-09")), 2);
        assert_eq!(epoch::date(day("1957-04-09")), -401_760_000);
        assert_eq!(minute::date(day("2020-08-11")), 0);
    }

    #[test]
    fn clocks() {
        let time = parse_time("13:30:25.575401234").unwrap();
        assert_eq!((hour::time(time), minute::time(time), second::time(time)), (13, 30, 25));
        assert_eq!((millisecond::time(time), microsecond::time(time)), (25_575, 25_575_401));
        assert_eq!(nanosecond::time(time), 25_575_401_234);
        let before = parse_timestamp("1969-12-31 23:59:59.5").unwrap();
        assert_eq!((year::timestamp(before), second::timestamp(before)), (1969, 59));
        assert_eq!((millisecond::timestamp(before), epoch::timestamp(before)), (59_500, -1));
    }

    #[test]
    fn intervals_keep_their_sign() {
        assert_eq!(century::long(-1200), -1);
        assert_eq!(century::long(-99 * 12), 0);
        assert_eq!(decade::long(-99 * 12), -9);
        assert_eq!((year::long(-22), month::long(-22)), (-1, -10));
        assert_eq!((day::short(-26 * MICROS_PER_HOUR), hour::short(-26 * MICROS_PER_HOUR)), (-1, -2));
    }
}
