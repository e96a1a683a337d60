//! FORMAT_DATE, FORMAT_TIME and FORMAT_TIMESTAMP.

use crate::specification::{items, refused};
use crate::{moment, write};
use chrono::format::{DelayedFormat, Item};
use feldc_value::calendar::day_of;
use feldc_value::{SqlError, functions};
use std::fmt::Write;
use std::vec::IntoIter;

/// The text, or an error when the format asks for a field that the value lacks.
fn text(
    function: &str,
    format: &str,
    missing: &str,
    display: impl FnOnce(IntoIter<Item<'_>>) -> DelayedFormat<IntoIter<Item<'_>>>,
) -> Result<String, SqlError> {
    let mut out = String::with_capacity(format.len() + 16);
    let written = write!(out, "{}", display(items(function, format)?.into_iter()));
    written.map_err(|_| refused(function, format, missing))?;
    Ok(out)
}

pub fn date(format: &str, day: i32) -> Result<String, SqlError> {
    let date = moment::from_date(day)?;
    text("FORMAT_DATE", format, "has fields that a DATE lacks", |items| date.format_with_items(items))
}

pub fn date_of_timestamp(format: &str, micros: i64) -> Result<String, SqlError> {
    date(format, day_of(micros))
}

pub fn time(format: &str, nanos: i64) -> Result<String, SqlError> {
    let time = moment::from_time(nanos)?;
    text("FORMAT_TIME", format, "has fields that a TIME lacks", |items| time.format_with_items(items))
}

pub fn timestamp(format: &str, micros: i64) -> Result<String, SqlError> {
    let time = moment::from_timestamp(micros)?;
    text("FORMAT_TIMESTAMP", format, "has fields that a TIMESTAMP lacks", |items| time.format_with_items(items))
}

functions! { pub static FUNCTIONS:
    "FORMAT_DATE" (VARCHAR, DATE) -> VARCHAR = write::date, Strict {fallible}, "A day by a format, e.g. '%Y-%m-%d'.";
    "FORMAT_DATE" (VARCHAR, TIMESTAMP) -> VARCHAR = write::date_of_timestamp, Strict {fallible}, "The day of a timestamp by a format, e.g. '%Y-%m-%d'.";
    "FORMAT_TIME" (VARCHAR, TIME) -> VARCHAR = write::time, Strict {fallible}, "A time of day by a format, e.g. '%H:%M:%S'.";
    "FORMAT_TIMESTAMP" (VARCHAR, TIMESTAMP) -> VARCHAR = write::timestamp, Strict {fallible}, "A timestamp by a format, e.g. '%Y-%m-%d %H:%M:%S'.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::error::{DATETIME_OVERFLOW, INVALID_ARGUMENT};
    use feldc_value::temporal_text::{parse_date, parse_time, parse_timestamp};

    // The first two are values of the peer's tests.
    #[test]
    fn days_and_clocks() {
        let day = |format, text| date(format, parse_date(text).unwrap());
        assert_eq!(day("%A %d %B %Y", "0001-02-28").as_deref(), Ok("Wednesday 28 February 0001"));
        assert_eq!(day("%d", "2004-07-14").as_deref(), Ok("14"));
        assert_eq!(day("%G-W%V-%u %j %% か", "2021-01-03").as_deref(), Ok("2020-W53-7 003 % か"));
        assert_eq!(day("", "2021-01-03").as_deref(), Ok(""));
        let clock = |format, text| time(format, parse_time(text).unwrap());
        assert_eq!(clock("%I:%M:%S%.3f %p", "13:30:25.575401234").as_deref(), Ok("01:30:25.575 PM"));
        let both = |format, text| timestamp(format, parse_timestamp(text).unwrap());
        assert_eq!(
            both("%F %T%.6f %z %Z %s", "1969-12-31 23:59:59.5").unwrap(),
            "1969-12-31 23:59:59.500000 +0000 UTC -1"
        );
        assert_eq!(date_of_timestamp("%F", -1).as_deref(), Ok("1969-12-31"));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        for refused in [date("%H", 0), date("%z", 0), time("%Y", 0), date("%Q!", 0), date("100%", 0), time("%z", 0)] {
            assert_eq!(refused.unwrap_err().code, INVALID_ARGUMENT);
        }
        assert_eq!(
            date("%H", 0).unwrap_err().message,
            "invalid format in FORMAT_DATE: '%H' has fields that a DATE lacks"
        );
        assert!(date(&"%c".repeat(1 << 20), 0).is_err());
        for bad in [date("%F", i32::MIN), time("%T", -1), time("%T", i64::MAX), timestamp("%F", i64::MIN)] {
            assert_eq!(bad.unwrap_err().code, DATETIME_OVERFLOW);
        }
    }
}
