//! Dates, times and intervals between text and their integers.
//!
//! An impossible date, trailing text or an unknown zone is an error, never a guess.

use super::scalar::quoted;
use std::io::Write;

const DAY_MICROS: i64 = 86_400_000_000;

/// `YYYY-MM-DD`: days since 1970-01-01.
pub fn date(text: &str) -> Result<i32, String> {
    let wrong = || format!("{} is not a DATE; write YYYY-MM-DD", quoted(text));
    let (days, rest) = read_date(text).ok_or_else(wrong)?;
    if rest.is_empty() { Ok(days) } else { Err(wrong()) }
}

/// `HH:MM:SS[.fraction]`: nanoseconds since midnight.
pub fn time(text: &str) -> Result<i64, String> {
    let wrong = || format!("{} is not a TIME; write HH:MM:SS[.fraction]", quoted(text));
    let (nanos, rest) = read_time(text).ok_or_else(wrong)?;
    if rest.is_empty() { Ok(nanos) } else { Err(wrong()) }
}

/// `YYYY-MM-DD[ HH:MM:SS[.fraction]]` or RFC 3339 (an offset is converted to UTC): microseconds since 1970-01-01.
pub fn timestamp(text: &str) -> Result<i64, String> {
    let wrong = || format!("{} is not a TIMESTAMP; write YYYY-MM-DD HH:MM:SS[.fraction] or RFC 3339", quoted(text));
    let (days, rest) = read_date(text).ok_or_else(wrong)?;
    let midnight = i64::from(days) * DAY_MICROS;
    if rest.is_empty() {
        return Ok(midnight);
    }
    let clock = rest.strip_prefix([' ', 'T', 't']).ok_or_else(wrong)?;
    let (nanos, zone) = read_time(clock).ok_or_else(wrong)?;
    let offset = read_offset(zone.trim_start()).ok_or_else(wrong)?;
    Ok(midnight + nanos / 1000 - offset)
}

fn digits(text: &str, count: usize) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    let value = digits
        .bytes()
        .try_fold(0i64, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))?;
    Some((value, rest))
}

fn read_date(text: &str) -> Option<(i32, &str)> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let valid = (1..=12).contains(&month) && day >= 1 && day <= days_in(year, month);
    valid.then(|| (days_from_civil(year, month, day), rest))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Proleptic Gregorian calendar, years from March so that the leap day comes last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era - 719_468) as i32
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Hours and minutes, seconds optional, up to nine digits of fraction.
fn read_time(text: &str) -> Option<(i64, &str)> {
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => digits(rest, 2)?,
        None => (0, rest),
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let whole = ((hour * 60 + minute) * 60 + second) * 1_000_000_000;
    let Some(rest) = rest.strip_prefix('.') else { return Some((whole, rest)) };
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return None;
    }
    let (fraction, _) = digits(rest, length.min(9))?;
    Some((whole + fraction * 10i64.pow(9 - length.min(9) as u32), &rest[length..]))
}

/// Microseconds east of UTC: empty, `Z`, `+HH:MM`, `+HHMM` or `+HH`.
fn read_offset(text: &str) -> Option<i64> {
    if text.is_empty() || text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match text.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, rest) = digits(&text[1..], 2)?;
    let (minutes, rest) = match rest.strip_prefix(':').unwrap_or(rest) {
        "" => (0, ""),
        rest => digits(rest, 2)?,
    };
    (rest.is_empty() && hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes) * 60_000_000)
}

/// Whole microseconds as `[-]D HH:MM:SS[.fraction]`, the day part optional; or a plain number of microseconds.
pub fn interval_short(text: &str) -> Result<i64, String> {
    let wrong = || format!("{} is not an interval; write [-]DAYS HH:MM:SS[.fraction]", quoted(text));
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (days, clock) = match rest.split_once(' ') {
        Some((days, clock)) => (days.parse::<u32>().map_err(|_| wrong())?, clock),
        None => (0, rest),
    };
    let nanos = time(clock).map_err(|_| wrong())?;
    Ok(sign * (i64::from(days) * DAY_MICROS + nanos / 1000))
}

/// `[-]Y-M`: months.
pub fn interval_long(text: &str) -> Result<i32, String> {
    let wrong = || format!("{} is not an interval; write [-]YEARS-MONTHS", quoted(text));
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1i64, rest),
        None => (1, text),
    };
    let (years, months) = rest.split_once('-').ok_or_else(wrong)?;
    let years: u32 = years.parse().map_err(|_| wrong())?;
    let months: u8 = months.parse().map_err(|_| wrong())?;
    i32::try_from(sign * (i64::from(years) * 12 + i64::from(months))).map_err(|_| wrong())
}

pub fn write_date(days: i32, out: &mut Vec<u8>) {
    let (year, month, day) = civil_from_days(i64::from(days));
    let sign = if year < 0 { "-" } else { "" };
    write(out, format_args!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs()));
}

pub fn write_time(nanos: i64, out: &mut Vec<u8>) {
    write_clock(nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000), 9, out);
}

pub fn write_timestamp(micros: i64, out: &mut Vec<u8>) {
    write_date(micros.div_euclid(DAY_MICROS) as i32, out);
    out.push(b' ');
    let clock = micros.rem_euclid(DAY_MICROS);
    write_clock(clock / 1_000_000, clock % 1_000_000, 6, out);
}

pub fn write_interval_short(micros: i64, out: &mut Vec<u8>) {
    let size = micros.unsigned_abs();
    let (days, clock) = (size / DAY_MICROS as u64, (size % DAY_MICROS as u64) as i64);
    let sign = if micros < 0 { "-" } else { "" };
    match days {
        0 => write(out, format_args!("{sign}")),
        _ => write(out, format_args!("{sign}{days} ")),
    }
    write_clock(clock / 1_000_000, clock % 1_000_000, 6, out);
}

pub fn write_interval_long(months: i32, out: &mut Vec<u8>) {
    let sign = if months < 0 { "-" } else { "" };
    write(out, format_args!("{sign}{}-{}", months.unsigned_abs() / 12, months.unsigned_abs() % 12));
}

fn write_clock(seconds: i64, fraction: i64, width: usize, out: &mut Vec<u8>) {
    write(out, format_args!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
    if fraction != 0 {
        let digits = format!("{fraction:0width$}");
        write(out, format_args!(".{}", digits.trim_end_matches('0')));
    }
}

/// Writing to memory does not fail.
fn write(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dates_round_trip() {
        for days in [-719_528, -1, 0, 59, 60, 11_016, 19_782, 2_932_896] {
            let text = shown(|out| write_date(days, out));
            assert_eq!(date(&text), Ok(days), "{text}");
        }
        assert_eq!(date("2024-02-29"), Ok(19_782));
        for wrong in ["2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "2024-01-01x", "", "2024-01-0ä"] {
            assert!(date(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn timestamps_accept_sql_and_rfc_3339() {
        let noon = 19_782 * DAY_MICROS + 12 * 3_600_000_000;
        for text in
            ["2024-02-29 12:00:00", "2024-02-29T12:00:00Z", "2024-02-29T14:30:00+02:30", "2024-02-29T07:00:00-0500"]
        {
            assert_eq!(timestamp(text), Ok(noon), "{text}");
        }
        assert_eq!(shown(|out| write_timestamp(noon + 1_500, out)), "2024-02-29 12:00:00.0015");
        assert_eq!(shown(|out| write_timestamp(-1, out)), "1969-12-31 23:59:59.999999");
        for wrong in ["2024-02-29 24:00:00", "2024-02-29 12:00:00 CET", "2024-02-29 12:00:00+25", "12:00:00"] {
            assert!(timestamp(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_keep_nanoseconds() {
        assert_eq!(time("23:59:59.123456789"), Ok(86_399_123_456_789));
        assert_eq!(shown(|out| write_time(86_399_123_456_789, out)), "23:59:59.123456789");
        assert_eq!(shown(|out| write_time(60_000_000_000, out)), "00:01:00");
    }

    #[test]
    fn intervals_round_trip() {
        for micros in [0, 1, -1, 90_061_000_001, -90_061_000_001] {
            assert_eq!(interval_short(&shown(|out| write_interval_short(micros, out))), Ok(micros));
        }
        for months in [0, 1, -1, 25, -25] {
            assert_eq!(interval_long(&shown(|out| write_interval_long(months, out))), Ok(months));
        }
    }
}
