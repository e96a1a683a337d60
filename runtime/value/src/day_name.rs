//! Names of days and months, and the last day of a month. English, whatever the machine's language.

use crate::calendar::{civil, day_of, days, month_length, weekday};
use crate::day_name;

/// From Sunday.
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub fn day_of_date(day: i32) -> &'static str {
    DAYS[weekday(day).rem_euclid(7) as usize]
}

pub fn day_of_timestamp(timestamp: i64) -> &'static str {
    day_of_date(day_of(timestamp))
}

pub fn month_of_date(day: i32) -> &'static str {
    MONTHS[usize::from(civil(day).month.clamp(1, 12)) - 1]
}

pub fn month_of_timestamp(timestamp: i64) -> &'static str {
    month_of_date(day_of(timestamp))
}

pub fn last_day_of_date(day: i32) -> i32 {
    let date = civil(day);
    days(date.year, date.month, i32::from(month_length(date.year, date.month)))
}

pub fn last_day_of_timestamp(timestamp: i64) -> i32 {
    last_day_of_date(day_of(timestamp))
}

functions! { pub static FUNCTIONS:
    "DAYNAME" (DATE) -> VARCHAR = day_name::day_of_date, Strict {}, "The weekday in English, e.g. Sunday.";
    "DAYNAME" (TIMESTAMP) -> VARCHAR = day_name::day_of_timestamp, Strict {}, "The weekday in English, e.g. Sunday.";
    "MONTHNAME" (DATE) -> VARCHAR = day_name::month_of_date, Strict {}, "The month in English, e.g. January.";
    "MONTHNAME" (TIMESTAMP) -> VARCHAR = day_name::month_of_timestamp, Strict {}, "The month in English, e.g. January.";
    "LAST_DAY" (DATE) -> DATE = day_name::last_day_of_date, Strict {monotone}, "The last day of the month.";
    "LAST_DAY" (TIMESTAMP) -> DATE = day_name::last_day_of_timestamp, Strict {monotone}, "The last day of the month.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{MAX_DAY, MIN_DAY, midnight};

    // Values of DuckDB 1.5.
    #[test]
    fn names_and_ends() {
        assert_eq!((day_of_date(0), month_of_date(0)), ("Thursday", "January"));
        assert_eq!((day_of_date(MIN_DAY), month_of_date(MIN_DAY)), ("Monday", "January"));
        assert_eq!((day_of_date(MAX_DAY), month_of_date(MAX_DAY)), ("Friday", "December"));
        assert_eq!(day_of_timestamp(midnight(0) - 1), "Wednesday");
        assert_eq!(last_day_of_date(days(2024, 2, 1)), days(2024, 2, 29));
        assert_eq!(last_day_of_date(days(1900, 2, 28)), days(1900, 2, 28));
        assert_eq!(last_day_of_date(MAX_DAY), MAX_DAY);
    }
}
