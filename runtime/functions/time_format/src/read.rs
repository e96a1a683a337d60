//! PARSE_DATE, PARSE_TIME and PARSE_TIMESTAMP: NULL for a text that does not match the format, an error for a format that
//! does not determine a value.

use crate::specification::{items, refused};
use crate::{moment, read};
use chrono::format::{ParseErrorKind, ParseResult, Parsed, parse};
use feldc_value::{SqlError, functions};

/// The value of the fields that were read.
fn value<T>(
    function: &str,
    format: &str,
    text: &str,
    resolve: impl FnOnce(&Parsed) -> ParseResult<T>,
) -> Result<Option<T>, SqlError> {
    let mut fields = Parsed::new();
    if parse(&mut fields, text, items(function, format)?.iter()).is_err() {
        return Ok(None);
    }
    match resolve(&fields) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ParseErrorKind::NotEnough => {
            let missing = format!("does not determine a {}", function.trim_start_matches("PARSE_"));
            Err(refused(function, format, &missing))
        }
        Err(_) => Ok(None),
    }
}

pub fn date(format: &str, text: &str) -> Result<Option<i32>, SqlError> {
    Ok(value("PARSE_DATE", format, text, Parsed::to_naive_date)?.and_then(moment::to_date))
}

pub fn time(format: &str, text: &str) -> Result<Option<i64>, SqlError> {
    Ok(value("PARSE_TIME", format, text, Parsed::to_naive_time)?.and_then(moment::to_time))
}

/// In UTC, to which a text with an offset is converted.
pub fn timestamp(format: &str, text: &str) -> Result<Option<i64>, SqlError> {
    let resolve = |fields: &Parsed| match fields.offset() {
        Some(_) => fields.to_datetime().map(|time| time.naive_utc()),
        None => fields.to_naive_datetime_with_offset(0),
    };
    Ok(value("PARSE_TIMESTAMP", format, text, resolve)?.and_then(moment::to_timestamp))
}

functions! { pub static FUNCTIONS:
    "PARSE_DATE" (VARCHAR, VARCHAR) -> DATE = read::date, StrictToOption {fallible}, "The day that a text names by a format; NULL where the text does not match.";
    "PARSE_TIME" (VARCHAR, VARCHAR) -> TIME = read::time, StrictToOption {fallible}, "The time of day that a text names by a format; NULL where the text does not match.";
    "PARSE_TIMESTAMP" (VARCHAR, VARCHAR) -> TIMESTAMP = read::timestamp, StrictToOption {fallible}, "The timestamp that a text names by a format; NULL where the text does not match.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::error::INVALID_ARGUMENT;
    use feldc_value::temporal_text::{parse_date, parse_time, parse_timestamp};

    // Values of the peer's tests, up to the blank line.
    #[test]
    fn days() {
        for (format, text, expected) in [
            ("%Y-%m-%d", "2020-10-01", Some("2020-10-01")),
            (" %Y-%m-%d", "   2020-10-01", Some("2020-10-01")),
            ("%A %b %e %Y", "Thursday Dec 25 2008", Some("2008-12-25")),
            ("%x", "12/25/08", Some("2008-12-25")),
            ("%Y%m%d", "20081225", Some("2008-12-25")),
            ("%Y %A %b %e", "Thursday Dec 25 2008", None),
            //
            ("%A %b %e %Y", "Friday Dec 25 2008", None),
            ("%Y-%m-%d", "2023-02-29", None),
            ("%Y-%m-%d", "2020-10-01 ", None),
            ("%Y-%m-%d", "", None),
            ("%Y-%m-%d", "+12345-01-01", None),
            ("%Y-%m-%d", "0000-01-01", None),
            ("%Y/%j", "2024/366", Some("2024-12-31")),
            ("か%Y年%m月%d日", "か2024年02月29日", Some("2024-02-29")),
        ] {
            let expected = expected.map(|text| parse_date(text).unwrap());
            assert_eq!(date(format, text), Ok(expected), "{format} {text}");
        }
    }

    #[test]
    fn clocks() {
        let at = |text| Ok(Some(parse_time(text).unwrap()));
        assert_eq!(time("%T", "07:30:00"), at("07:30:00"));
        assert_eq!(time("%I:%M %p", "12:05 am"), at("00:05:00"));
        assert_eq!(time("%H:%M:%S%.f", "07:30:00.123456789"), at("07:30:00.123456789"));
        assert_eq!(time("%T", "07:30:60"), at("07:31:00"));
        for (format, text) in [("%S:%I:%M", "07:30:00"), ("%I:%M", "07:30:00"), ("%T", "23:59:60"), ("%T", "24:00:00")]
        {
            assert_eq!(time(format, text), Ok(None), "{format} {text}");
        }
    }

    #[test]
    fn timestamps() {
        let at = |text| Ok(Some(parse_timestamp(text).unwrap()));
        assert_eq!(timestamp("%a %b %e %H:%M:%S %Y", "Thu Dec 25 07:30:00 2008"), at("2008-12-25 07:30:00"));
        assert_eq!(timestamp("%F %T %z", "2024-01-01 00:30:00 +0100"), at("2023-12-31 23:30:00"));
        assert_eq!(timestamp("%s", "86399"), at("1970-01-01 23:59:59"));
        assert_eq!(timestamp("%F %T", "2016-12-31 23:59:60"), at("2017-01-01 00:00:00"));
        assert_eq!(timestamp("%F %T%.f", "1969-12-31 23:59:59.9999999"), at("1969-12-31 23:59:59.999999"));
        assert_eq!(timestamp("%F %T %z", "0001-01-01 00:00:00 +0100"), Ok(None));
        assert_eq!(timestamp("%s", "99999999999999999999"), Ok(None));
    }

    #[test]
    fn formats_that_say_too_little() {
        let error = timestamp("%a %b %e %I:%M:%S %Y", "Thu Dec 25 07:30:00 2008").unwrap_err();
        let expected = "invalid format in PARSE_TIMESTAMP: '%a %b %e %I:%M:%S %Y' does not determine a TIMESTAMP";
        assert_eq!((error.code, &*error.message), (INVALID_ARGUMENT, expected));
        assert!(date("%m-%d", "12-25").is_err() && time("%H", "7").is_err() && date("", "").is_err());
        assert!(date("%", "x").is_err() && time("%E", "").is_err());
    }
}
