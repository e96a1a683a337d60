//! CONVERT_TIMEZONE and AT TIME ZONE: the clock of one zone to that of another.

use crate::convert;
use feldc_value::calendar::{check_day, check_timestamp, civil, day_of, time_of};
use feldc_value::error::{INVALID_ARGUMENT, clipped};
use feldc_value::{SqlError, functions};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// A zone by its name, whatever its case.
fn zone(name: &str) -> Result<TimeZone, SqlError> {
    TimeZone::get(name).map_err(|_| {
        let message = format!("'{name}' is not the name of a time zone: write for example Europe/Paris or UTC");
        SqlError::new(INVALID_ARGUMENT, clipped(message))
    })
}

#[cold]
fn outside() -> SqlError {
    SqlError::new(INVALID_ARGUMENT, "the timestamp is outside of what time zones are known for")
}

/// The instant, in microseconds of UTC, at which the zone's clock shows a time. As in PostgreSQL: of a time that is shown
/// twice the second instant; a time that is skipped is read as if the clock had not been set forward.
fn instant(zone: &TimeZone, micros: i64) -> Result<i64, SqlError> {
    let (date, time) = (civil(check_day(i64::from(day_of(micros)))?), time_of(micros));
    let part = |unit: i64, size: i64| (time / unit % size) as i8;
    let local = DateTime::new(
        date.year as i16,
        date.month as i8,
        date.day as i8,
        part(3_600_000_000, 24),
        part(60_000_000, 60),
        part(1_000_000, 60),
        (time % 1_000_000 * 1000) as i32,
    )
    .map_err(|_| outside())?;
    let offset = match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { before, .. } => before,
        AmbiguousOffset::Fold { after, .. } => after,
    };
    Ok(micros - i64::from(offset.seconds()) * 1_000_000)
}

/// What the zone's clock shows at an instant.
fn clock(zone: &TimeZone, micros: i64) -> Result<i64, SqlError> {
    let instant = Timestamp::from_microsecond(micros).map_err(|_| outside())?;
    check_timestamp(Some(micros + i64::from(zone.to_offset(instant).seconds()) * 1_000_000))
}

pub fn convert(from: &str, to: &str, micros: i64) -> Result<i64, SqlError> {
    let (from, to) = (zone(from)?, zone(to)?);
    clock(&to, instant(&from, micros)?)
}

/// What the zone's clock shows at an instant, both in microseconds.
pub fn at_zone(instant: i64, to: &str) -> Result<i64, SqlError> {
    clock(&zone_or_offset(to)?, instant)
}

/// The instant at which the zone's clock shows a time, both in microseconds.
pub fn from_zone(micros: i64, from: &str) -> Result<i64, SqlError> {
    check_timestamp(Some(instant(&zone_or_offset(from)?, micros)?))
}

/// A zone by its name, or by its distance from UTC to the east, `+05:30`.
fn zone_or_offset(name: &str) -> Result<TimeZone, SqlError> {
    let offset = name.starts_with(['+', '-']).then(|| parse_offset(name)).flatten();
    match offset {
        Some(seconds) => Offset::from_seconds(seconds).map(TimeZone::fixed).map_err(|_| outside()),
        None => zone(name),
    }
}

/// `±HH`, `±HHMI` or `±HH:MI`, in seconds.
fn parse_offset(text: &str) -> Option<i32> {
    let (sign, digits) = (if text.starts_with('-') { -1 } else { 1 }, text.get(1..)?);
    let (hours, minutes) = match digits.len() {
        2 => (digits, "00"),
        4 => (digits.get(..2)?, digits.get(2..)?),
        5 if digits.as_bytes()[2] == b':' => (digits.get(..2)?, digits.get(3..)?),
        _ => return None,
    };
    let number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<i32>().ok());
    let (hours, minutes) = (number(hours)??, number(minutes)??);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

functions! { pub static FUNCTIONS:
    "AT TIME ZONE" (TIMESTAMPTZ, VARCHAR) -> TIMESTAMP = convert::at_zone, Strict {fallible}, "What the clock of a zone shows at an instant.";
    "AT TIME ZONE" (TIMESTAMP, VARCHAR) -> TIMESTAMPTZ = convert::from_zone, Strict {fallible}, "The instant at which the clock of a zone shows a time.";
    "CONVERT_TIMEZONE" (VARCHAR, VARCHAR, TIMESTAMP) -> TIMESTAMP = convert::convert, Strict {fallible}, "What the clock of the second zone shows when that of the first shows a time.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::calendar::{MAX_DAY, MIN_DAY, midnight};
    use feldc_value::temporal_text::parse_timestamp;

    // The first is a value of the peer's tests, the others are PostgreSQL's 15.
    #[test]
    fn clocks() {
        for (from, to, before, after) in [
            ("America/New_York", "America/Los_Angeles", "2008-03-05 12:25:29", "2008-03-05 09:25:29"),
            ("America/New_York", "UTC", "2024-11-03 01:30:00", "2024-11-03 06:30:00"),
            ("America/New_York", "UTC", "2024-03-10 02:30:00", "2024-03-10 07:30:00"),
            ("america/new_york", "utc", "2150-07-01 00:00:00.000001", "2150-07-01 04:00:00.000001"),
            ("UTC", "Europe/Paris", "1900-01-01 00:00:00", "1900-01-01 00:09:21"),
            ("Asia/Kathmandu", "Pacific/Apia", "2011-12-30 12:00:00", "2011-12-29 20:15:00"),
        ] {
            let at = |text| parse_timestamp(text).unwrap();
            assert_eq!(convert(from, to, at(before)), Ok(at(after)), "{from} {to} {before}");
        }
    }

    #[test]
    fn instants() {
        let at = |text| parse_timestamp(text).unwrap();
        // Of PostgreSQL's documentation.
        assert_eq!(from_zone(at("2001-02-16 20:38:40"), "America/Denver"), Ok(at("2001-02-17 03:38:40")));
        assert_eq!(at_zone(at("2001-02-17 01:38:40"), "America/Denver"), Ok(at("2001-02-16 18:38:40")));
        assert_eq!(at_zone(at("2024-01-01 00:00:00"), "+05:30"), Ok(at("2024-01-01 05:30:00")));
        assert_eq!(from_zone(at("2024-01-01 00:00:00"), "-0930"), Ok(at("2024-01-01 09:30:00")));
        for zone in ["+5", "+24", "+05:60", "-é1", "+", "Nowhere"] {
            assert_eq!(at_zone(0, zone).unwrap_err().code, INVALID_ARGUMENT, "{zone}");
        }
        assert!(from_zone(i64::MIN, "UTC").is_err() && at_zone(i64::MAX, "+01").is_err());
    }

    #[test]
    fn unknown_zones_and_times_at_the_ends() {
        for (from, to) in [("Nowhere/City", "UTC"), ("UTC", ""), ("UTC", "+05"), ("UTC", "../UTC"), ("\0", "UTC")] {
            assert_eq!(convert(from, to, 0).unwrap_err().code, INVALID_ARGUMENT);
        }
        assert!(convert(&"x".repeat(1 << 20), "UTC", 0).unwrap_err().message.len() < 1000);
        let (first, last) = (midnight(MIN_DAY), midnight(MAX_DAY + 1) - 1);
        assert_eq!(convert("UTC", "UTC", first), Ok(first));
        assert!(convert("Asia/Tokyo", "UTC", first).is_err() && convert("UTC", "Asia/Tokyo", last).is_err());
        for extreme in [i64::MIN, i64::MAX] {
            assert!(convert("UTC", "Asia/Tokyo", extreme).is_err());
        }
    }
}
