//! TO_CHAR of times.

use crate::template::{Case, Field, Part, Token, tokens};
use crate::to_char;
use feldc_value::calendar::{
    Civil, MICROS_PER_SECOND, check_day, check_timestamp, civil, day_of, day_of_year, iso_week, midnight, time_of,
    weekday,
};
use feldc_value::day_name::{day_of_date, month_of_date};
use feldc_value::error::INVALID_ARGUMENT;
use feldc_value::{SqlError, functions};

/// Bytes of the longest template: what it writes is some ten times as long.
pub const LONGEST: usize = 1 << 16;

pub const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// Days from the first Julian day to 1970.
pub const JULIAN_EPOCH: i64 = 2_440_588;

struct Moment {
    day: i32,
    date: Civil,
    /// Microseconds since midnight.
    time: i64,
}

fn in_case(text: &str, case: Case) -> String {
    match case {
        Case::Upper => text.to_uppercase(),
        Case::Capital => text.to_string(),
        Case::Lower => text.to_lowercase(),
    }
}

/// The first letters of an English name.
fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

/// A number with leading zeros, unless they are not wanted.
fn number(value: i64, width: usize, part: Part) -> String {
    let width = if part.padded { width } else { 0 };
    format!("{value:0width$}{}", part.ordinal.map_or(String::new(), |case| in_case(ending(value), case)))
}

/// The ending of an ordinal number.
pub fn ending(value: i64) -> &'static str {
    match (value % 10, value % 100 / 10) {
        (_, 1) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

/// A name with blanks behind it up to a width, unless they are not wanted.
fn name(text: &str, width: usize, part: Part) -> String {
    let width = if part.padded { width } else { 0 };
    format!("{:width$}", in_case(text, part.case))
}

fn with_dots(letters: &str, dots: bool, case: Case) -> String {
    let text = if dots { letters.chars().flat_map(|letter| [letter, '.']).collect() } else { letters.to_string() };
    // Neither has a form with a capital alone.
    in_case(&text, if case == Case::Lower { Case::Lower } else { Case::Upper })
}

fn shown(part: Part, moment: &Moment) -> String {
    let Moment { day, date, time } = moment;
    let seconds = time / MICROS_PER_SECOND;
    let year = i64::from(date.year);
    let last_digits = |year: i64, digits: u32| number(year % 10i64.pow(digits), digits as usize, part);
    let two = |value: i64| number(value, 2, part);
    match part.field {
        Field::Hour12 => two((seconds / 3600 + 11) % 12 + 1),
        Field::Hour24 => two(seconds / 3600),
        Field::Minute => two(seconds / 60 % 60),
        Field::Second => two(seconds % 60),
        Field::Fraction(digits) => {
            // A fraction's zeros are digits, not padding.
            let value = time % MICROS_PER_SECOND / 10i64.pow(6 - digits);
            number(value, digits as usize, Part { padded: true, ..part })
        }
        Field::SecondOfDay => number(seconds, 0, part),
        Field::Meridiem(dots) => with_dots(if seconds < 12 * 3600 { "AM" } else { "PM" }, dots, part.case),
        Field::Era(dots) => with_dots("AD", dots, part.case),
        Field::YearComma => format!("{},{}", year / 1000, number(year % 1000, 3, Part { padded: true, ..part })),
        Field::Year(digits) => last_digits(year, digits),
        Field::IsoYear(digits) => last_digits(i64::from(iso_week(*day).0), digits),
        Field::MonthName => name(month_of_date(*day), 9, part),
        Field::MonthShort => name(short(month_of_date(*day)), 0, part),
        Field::Month => two(i64::from(date.month)),
        Field::Roman => name(ROMAN[usize::from(date.month.clamp(1, 12)) - 1], 4, part),
        Field::DayName => name(day_of_date(*day), 9, part),
        Field::DayShort => name(short(day_of_date(*day)), 0, part),
        Field::DayOfYear => number(i64::from(day_of_year(*day)), 3, part),
        Field::IsoDayOfYear => {
            number(i64::from(iso_week(*day).1 - 1) * 7 + i64::from((weekday(*day) + 6) % 7) + 1, 3, part)
        }
        Field::Day => two(i64::from(date.day)),
        Field::Weekday => number(i64::from(weekday(*day)) + 1, 0, part),
        Field::IsoWeekday => number(i64::from((weekday(*day) + 6) % 7) + 1, 0, part),
        Field::WeekOfMonth => number((i64::from(date.day) - 1) / 7 + 1, 0, part),
        Field::WeekOfYear => two((i64::from(day_of_year(*day)) - 1) / 7 + 1),
        Field::IsoWeek => two(i64::from(iso_week(*day).1)),
        Field::Century => two((year + 99) / 100),
        Field::Julian => number(i64::from(*day) + JULIAN_EPOCH, 0, part),
        Field::Quarter => number((i64::from(date.month) + 2) / 3, 0, part),
        // There are no zones but UTC, which has no name here.
        Field::Zone => String::new(),
        Field::Offset | Field::OffsetHour => "+00".to_string(),
        Field::OffsetMinute => "00".to_string(),
    }
}

pub fn timestamp(timestamp: i64, template: &str) -> Result<String, SqlError> {
    let timestamp = check_timestamp(Some(timestamp))?;
    if template.len() > LONGEST {
        return Err(SqlError::new(INVALID_ARGUMENT, "the template of TO_CHAR is longer than 64 KiB"));
    }
    let day = day_of(timestamp);
    let moment = Moment { day, date: civil(day), time: time_of(timestamp) };
    let mut out = String::with_capacity(template.len() + 16);
    for token in tokens(template) {
        match token {
            Token::Part(part) => out.push_str(&shown(part, &moment)),
            Token::Text(character) => out.push(character),
        }
    }
    Ok(out)
}

pub fn date(day: i32, template: &str) -> Result<String, SqlError> {
    timestamp(midnight(check_day(i64::from(day))?), template)
}

functions! { pub static FUNCTIONS:
    "TO_CHAR" (DATE, VARCHAR) -> VARCHAR = to_char::date, Strict {fallible}, "A day by a template, e.g. 'YYYY-MM-DD' or 'FMDDth Month'.";
    "TO_CHAR" (TIMESTAMP, VARCHAR) -> VARCHAR = to_char::timestamp, Strict {fallible}, "A timestamp by a template, e.g. 'YYYY-MM-DD HH24:MI:SS.US'.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::temporal_text::parse_timestamp;

    // Values of PostgreSQL 15.
    #[test]
    fn templates() {
        for (time, template, expected) in [
            ("2006-01-02 15:04:05.003", "yyyy-mm-dd hh24:mi:ss.ms", "2006-01-02 15:04:05.003"),
            ("2024-02-29 00:05:09.123456", "HH12:MI:SS AM a.m. US FF2 SSSS", "12:05:09 AM a.m. 123456 12 309"),
            ("2024-02-29 13:00:00", "Day|DAY|dy|FMDay|D ID", "Thursday |THURSDAY |thu|Thursday|5 4"),
            ("2024-02-01 00:00:00", "Month|FMMONTH|mon|RM|FMrm|Q", "February |FEBRUARY|feb|II  |ii|1"),
            ("0987-12-31 00:00:00", "YYYY YYY YY Y Y,YYY CC FMYYYY", "0987 987 87 7 0,987 10 987"),
            ("2021-01-03 00:00:00", "IYYY-IW-ID IDDD DDD WW W J", "2020-53-7 371 003 01 1 2459218"),
            ("2024-03-02 00:00:00", "FMDDth DDTH FMMMth \"of YYYY\" YYYYth", "2nd 02ND 3rd of YYYY 2024th"),
            ("2024-03-12 00:00:00", "DDth BC b.c. TZH:TZM[TZ] か", "12th AD a.d. +00:00[] か"),
        ] {
            assert_eq!(timestamp(parse_timestamp(time).unwrap(), template).as_deref(), Ok(expected), "{template}");
        }
    }

    #[test]
    fn extremes() {
        assert!(timestamp(i64::MIN, "YYYY").is_err() && date(i32::MAX, "YYYY").is_err());
        assert!(date(0, &"MONTH".repeat(1 << 20)).is_err());
        assert_eq!(date(0, "").as_deref(), Ok(""));
    }
}
