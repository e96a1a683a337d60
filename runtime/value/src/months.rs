//! ADD_MONTHS and MONTHS_BETWEEN, in which the last day of a month stands for the last day of any month.

use crate::calendar::{Civil, MICROS_PER_DAY, civil, day_of, midnight, month_length, time_of};
use crate::day_name::last_day_of_date;
use crate::error::DATETIME_OVERFLOW;
use crate::{SqlError, calendar, months};

fn is_last(date: Civil) -> bool {
    date.day == month_length(date.year, date.month)
}

pub fn add_to_date(day: i32, count: i64) -> Result<i32, SqlError> {
    let too_many = || SqlError::new(DATETIME_OVERFLOW, format!("{count} months are too many to add"));
    let moved = calendar::add_months(day, i32::try_from(count).map_err(|_| too_many())?)?;
    Ok(if is_last(civil(day)) { last_day_of_date(moved) } else { moved })
}

pub fn add_to_timestamp(timestamp: i64, count: i64) -> Result<i64, SqlError> {
    Ok(midnight(add_to_date(day_of(timestamp), count)?) + time_of(timestamp))
}

/// From the second time to the first. Whole between equal days of the month and between last days, whatever the time of
/// day; else each day counts a thirty-first of a month.
pub fn between_timestamps(later: i64, earlier: i64) -> f64 {
    let (to, from) = (civil(day_of(later)), civil(day_of(earlier)));
    let months = f64::from((to.year - from.year) * 12 + i32::from(to.month) - i32::from(from.month));
    if to.day == from.day || (is_last(to) && is_last(from)) {
        return months;
    }
    let days = f64::from(i32::from(to.day) - i32::from(from.day));
    let part = (time_of(later) - time_of(earlier)) as f64 / MICROS_PER_DAY as f64;
    months + (days + part) / 31.0
}

pub fn between_dates(later: i32, earlier: i32) -> f64 {
    between_timestamps(midnight(later), midnight(earlier))
}

functions! { pub static FUNCTIONS:
    "ADD_MONTHS" (DATE, BIGINT) -> DATE = months::add_to_date, Strict {fallible monotone}, "The same day some months later; the last day of a month becomes a last day.";
    "ADD_MONTHS" (TIMESTAMP, BIGINT) -> TIMESTAMP = months::add_to_timestamp, Strict {fallible}, "The same time some months later; the last day of a month becomes a last day.";
    "MONTHS_BETWEEN" (DATE, DATE) -> DOUBLE = months::between_dates, Strict {}, "Months from the second day to the first; a part of a month counts in days of a thirty-first.";
    "MONTHS_BETWEEN" (TIMESTAMP, TIMESTAMP) -> DOUBLE = months::between_timestamps, Strict {}, "Months from the second time to the first; a part of a month counts in days of a thirty-first.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal_text::{parse_date, parse_timestamp};

    #[test]
    fn last_days_stay_last() {
        for (day, count, expected) in [
            ("2024-01-31", 1, "2024-02-29"),
            ("2024-02-29", 1, "2024-03-31"),
            ("2023-02-28", 12, "2024-02-29"),
            ("2024-02-28", 1, "2024-03-28"),
            ("2024-03-30", -1, "2024-02-29"),
        ] {
            assert_eq!(add_to_date(parse_date(day).unwrap(), count), Ok(parse_date(expected).unwrap()), "{day}");
        }
        assert!(add_to_date(0, i64::MAX).is_err() && add_to_date(0, -24_000).is_err());
        let at = |text| parse_timestamp(text).unwrap();
        assert_eq!(add_to_timestamp(at("2024-04-30 23:59:59.5"), 1), Ok(at("2024-05-31 23:59:59.5")));
    }

    // The examples that users of the function know.
    #[test]
    fn months() {
        let day = |text| parse_date(text).unwrap();
        assert!((between_dates(day("1995-02-02"), day("1995-01-01")) - 1.032_258_064_516_129).abs() < 1e-15);
        assert_eq!(between_dates(day("2024-02-29"), day("2024-01-31")), 1.0);
        assert_eq!(between_dates(day("2023-12-15"), day("2024-01-15")), -1.0);
        let at = |text| parse_timestamp(text).unwrap();
        let found = between_timestamps(at("1997-02-28 10:30:00"), at("1996-10-30 00:00:00"));
        assert!((found - 3.949_596_774_193_548_4).abs() < 1e-15, "{found}");
    }
}
