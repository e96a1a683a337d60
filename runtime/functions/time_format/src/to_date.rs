//! TO_DATE and TO_TIMESTAMP: times read by a template. As in PostgreSQL blanks before a field are passed over, a separator
//! of the template stands for one or no separator of the text, and what follows the last field is not looked at.

use crate::template::{Field, Part, Token, tokens};
use crate::to_char::{JULIAN_EPOCH, LONGEST, ROMAN};
use crate::to_date;
use feldc_value::calendar::{
    MICROS_PER_SECOND, check_day, check_timestamp, checked_days, days, is_leap, midnight, weekday,
};
use feldc_value::day_name::{day_of_date, month_of_date};
use feldc_value::error::{DATETIME_OVERFLOW, INVALID_ARGUMENT, INVALID_DATETIME, clipped};
use feldc_value::{SqlError, functions};

/// The fields that were read.
#[derive(Default)]
struct Fields {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    week_of_year: Option<i64>,
    week_of_month: Option<i64>,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    iso_weekday: Option<i64>,
    iso_day_of_year: Option<i64>,
    julian: Option<i64>,
    hour: i64,
    of_twelve: bool,
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    micros: i64,
    second_of_day: Option<i64>,
}

fn mismatch(text: &str, template: &str) -> SqlError {
    SqlError::new(INVALID_DATETIME, clipped(format!("'{text}' does not match the template '{template}'")))
}

fn impossible(text: &str) -> SqlError {
    SqlError::new(
        DATETIME_OVERFLOW,
        clipped(format!("'{text}' is no day from 0001-01-01 to 9999-12-31, or no time of it")),
    )
}

/// The number at the start, of so many digits at most, and the number of its digits.
fn number<'a>(rest: &mut &'a str, digits: usize) -> Option<(i64, &'a str)> {
    let length = rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
    let (written, behind) = rest.split_at(length);
    *rest = behind;
    Some((written.parse().ok()?, written))
}

/// Which of the names starts the text; a longer one is tried before its abbreviation.
fn name(rest: &mut &str, names: impl Iterator<Item = (i64, &'static str)> + Clone) -> Option<i64> {
    let mut forms = names.clone().chain(names.map(|(number, name)| (number, name.get(..3).unwrap_or(name))));
    let starts =
        |name: &str| rest.as_bytes().get(..name.len()).is_some_and(|s| s.eq_ignore_ascii_case(name.as_bytes()));
    let (number, found) = forms.find(|(_, name)| starts(name))?;
    *rest = &rest[found.len()..];
    Some(number)
}

fn month_names() -> impl Iterator<Item = (i64, &'static str)> + Clone {
    (1u8..=12).map(|month| (i64::from(month), month_of_date(days(2000, month, 1))))
}

fn day_names() -> impl Iterator<Item = (i64, &'static str)> + Clone {
    // From a Sunday on.
    (3..10).map(|day| (i64::from(day), day_of_date(day)))
}

/// A year of which only the last digits are written: the one nearest to 2020.
fn near_2020(year: i64) -> i64 {
    match year {
        ..70 => year + 2000,
        70..100 => year + 1900,
        100..520 => year + 2000,
        520..1000 => year + 1000,
        _ => year,
    }
}

impl Fields {
    /// Reads a field; `limit` is the number of digits that belong to it, whatever follows. `None` for a mismatch.
    fn read(&mut self, part: Part, rest: &mut &str, alone: bool) -> Option<()> {
        // Digits that touch those of the next field belong to this one up to its width.
        let mut digits = |width: usize| number(rest, if alone { 18 } else { width });
        match part.field {
            Field::Hour12 => (self.hour, self.of_twelve) = (digits(2)?.0, true),
            Field::Hour24 => (self.hour, self.of_twelve) = (digits(2)?.0, false),
            Field::Minute => self.minute = digits(2)?.0,
            Field::Second => self.second = digits(2)?.0,
            Field::Fraction(width) => {
                let (_, written) = digits(width as usize)?;
                self.micros = format!("{written:0<6}").get(..6)?.parse().ok()?;
            }
            Field::SecondOfDay => self.second_of_day = Some(digits(5)?.0),
            Field::Meridiem(_) => {
                let found = [(0, "A.M."), (1, "P.M."), (0, "AM"), (1, "PM")];
                self.afternoon = Some(name(rest, found.into_iter())? == 1);
            }
            Field::Era(_) => {
                // A year before Christ is outside of DATE.
                let found = [(0, "B.C."), (1, "A.D."), (0, "BC"), (1, "AD")];
                (name(rest, found.into_iter())? == 1).then_some(())?;
            }
            Field::YearComma => {
                let thousands = digits(1)?.0;
                *rest = rest.strip_prefix(',')?;
                self.year = Some(thousands.checked_mul(1000)? + number(rest, 3)?.0);
            }
            Field::Year(4) => self.year = Some(digits(4)?.0),
            Field::Year(width) => self.year = Some(near_2020(digits(width as usize)?.0)),
            Field::IsoYear(4) => self.iso_year = Some(digits(4)?.0),
            Field::IsoYear(width) => self.iso_year = Some(near_2020(digits(width as usize)?.0)),
            Field::MonthName | Field::MonthShort => self.month = Some(name(rest, month_names())?),
            Field::Month => self.month = Some(digits(2)?.0),
            Field::Roman => {
                // The longest first: VIII starts with VII.
                let numerals = (1..=12).rev().map(|month: i64| (month, ROMAN[month as usize - 1]));
                let mut numerals: Vec<(i64, &'static str)> = numerals.collect();
                numerals.sort_by_key(|(_, numeral)| std::cmp::Reverse(numeral.len()));
                self.month = Some(name(rest, numerals.into_iter())?);
            }
            Field::DayName | Field::DayShort => _ = name(rest, day_names())?,
            Field::DayOfYear => self.day_of_year = Some(digits(3)?.0),
            Field::IsoDayOfYear => self.iso_day_of_year = Some(digits(3)?.0),
            Field::Day => self.day = Some(digits(2)?.0),
            // Says nothing that the other fields of the calendar do not say.
            Field::Weekday | Field::Quarter => _ = digits(1)?,
            Field::IsoWeekday => self.iso_weekday = Some(digits(1)?.0),
            Field::WeekOfMonth => self.week_of_month = Some(digits(1)?.0),
            Field::WeekOfYear => self.week_of_year = Some(digits(2)?.0),
            Field::IsoWeek => self.iso_week = Some(digits(2)?.0),
            Field::Julian => self.julian = Some(digits(7)?.0),
            Field::Century | Field::Zone | Field::Offset | Field::OffsetHour | Field::OffsetMinute => return None,
        }
        if part.ordinal.is_some() {
            *rest = rest.get(2..)?;
        }
        Some(())
    }

    /// `None` when there is no such day.
    fn date(&self) -> Option<i32> {
        let add = |day: i32, more: i64| check_day(i64::from(day) + more).ok();
        if let Some(julian) = self.julian {
            return check_day(julian - JULIAN_EPOCH).ok();
        }
        if let Some(year) = self.iso_year {
            let fourth = checked_days(year, 1, 4)?;
            let monday = i64::from((weekday(fourth) + 6) % 7);
            let (week, day) = (self.iso_week.unwrap_or(1), self.iso_weekday.unwrap_or(1));
            let place = self.iso_day_of_year.unwrap_or((week - 1).saturating_mul(7) + day) - 1;
            let valid = (0..371).contains(&place) && (1..=7).contains(&day) && (1..=53).contains(&week);
            return if valid { add(fourth, place - monday) } else { None };
        }
        let year = self.year?;
        let first_of_week = |week: i64| (week - 1).saturating_mul(7) + 1;
        let place = self.day_of_year.or(self.week_of_year.map(first_of_week));
        if let (Some(place), None) = (place, self.month) {
            let first = checked_days(year, 1, 1)?;
            let length = if is_leap(year as i32) { 366 } else { 365 };
            return if (1..=length).contains(&place) { add(first, place - 1) } else { None };
        }
        let day = self.day.or(self.week_of_month.map(first_of_week));
        checked_days(year, self.month.unwrap_or(1), day.unwrap_or(1))
    }

    /// Microseconds since midnight; `None` when the clock never shows that.
    fn time(&self) -> Option<i64> {
        if let Some(seconds) = self.second_of_day {
            return (0..=86_400).contains(&seconds).then(|| seconds * MICROS_PER_SECOND + self.micros);
        }
        let hour = match (self.of_twelve, self.afternoon) {
            (true, _) if !(1..=12).contains(&self.hour) => return None,
            (true, Some(true)) => self.hour % 12 + 12,
            (true, _) => self.hour % 12,
            (false, _) => self.hour,
        };
        let valid = (0..24).contains(&hour) && (0..60).contains(&self.minute) && (0..60).contains(&self.second);
        valid.then(|| ((hour * 60 + self.minute) * 60 + self.second) * MICROS_PER_SECOND + self.micros)
    }
}

fn read(text: &str, template: &str) -> Result<Fields, SqlError> {
    if template.len() > LONGEST {
        return Err(SqlError::new(INVALID_ARGUMENT, "the template is longer than 64 KiB"));
    }
    let tokens = tokens(template);
    let mut fields = Fields::default();
    let mut rest = text.trim_start();
    for (at, token) in tokens.iter().enumerate() {
        if rest.is_empty() {
            break;
        }
        match token {
            Token::Part(part) => {
                rest = rest.trim_start();
                let alone = !matches!(tokens.get(at + 1), Some(Token::Part(_)));
                fields.read(*part, &mut rest, alone).ok_or_else(|| mismatch(text, template))?;
            }
            Token::Text(wanted) => {
                let separates = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
                let skip = !separates(*wanted) || rest.starts_with(separates);
                let first = rest.chars().next().filter(|_| skip);
                rest = &rest[first.map_or(0, char::len_utf8)..];
            }
        }
    }
    Ok(fields)
}

pub fn date(text: &str, template: &str) -> Result<i32, SqlError> {
    let fields = read(text, template)?;
    fields.time().and(fields.date()).ok_or_else(|| impossible(text))
}

pub fn timestamp(text: &str, template: &str) -> Result<i64, SqlError> {
    let fields = read(text, template)?;
    let (day, time) = fields.date().zip(fields.time()).ok_or_else(|| impossible(text))?;
    check_timestamp(midnight(day).checked_add(time))
}

/// Seconds since 1970, to the nearest microsecond.
pub fn timestamp_of_epoch(seconds: f64) -> Result<i64, SqlError> {
    let micros = (seconds * MICROS_PER_SECOND as f64).round_ties_even();
    check_timestamp(Some(micros as i64).filter(|_| micros.is_finite()))
}

functions! { pub static FUNCTIONS:
    "TO_DATE" (VARCHAR, VARCHAR) -> DATE = to_date::date, Strict {fallible}, "The day that a text names by a template, e.g. 'DD Mon YYYY'.";
    "TO_TIMESTAMP" (VARCHAR, VARCHAR) -> TIMESTAMP = to_date::timestamp, Strict {fallible}, "The timestamp that a text names by a template, e.g. 'YYYY-MM-DD HH24:MI:SS'.";
    "TO_TIMESTAMP" (DOUBLE) -> TIMESTAMP = to_date::timestamp_of_epoch, Strict {fallible monotone}, "The timestamp some seconds after 1970.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::temporal_text::{parse_date, parse_timestamp};

    // Values of PostgreSQL 15.
    #[test]
    fn days() {
        for (text, template, expected) in [
            ("12/25/2022", "MM/DD/YYYY", "2022-12-25"),
            ("2022/12/25 15:24:33", "YYYY/MM/DD HH24:MI:SS", "2022-12-25"),
            ("2022-2-5", "YYYY-MM-DD", "2022-02-05"),
            ("dec/25/2022 and more", "Mon/DD/YYYY", "2022-12-25"),
            ("05 Dec 2000", "DD Mon YYYY", "2000-12-05"),
            ("20240229", "YYYYMMDD", "2024-02-29"),
            ("  2024   JUNE 7th", "YYYY MONTH DDth", "2024-06-07"),
            ("2000JUN", "YYYY///MON", "2000-06-01"),
            ("95-07", "YY-MM", "1995-07-01"),
            ("2024-060", "YYYY-DDD", "2024-02-29"),
            ("2021-53-7", "IYYY-IW-ID", "2022-01-09"),
            ("J2459218", "\"J\"J", "2021-01-03"),
            ("VIII 2,024", "RM Y,YYY", "2024-08-01"),
            ("2024-3", "YYYY-W", "2024-01-15"),
            ("2024-09", "YYYY-WW", "2024-02-26"),
        ] {
            assert_eq!(date(text, template), Ok(parse_date(expected).unwrap()), "{text} {template}");
        }
    }

    #[test]
    fn times() {
        for (text, template, expected) in [
            ("2024-01-02 03:04:05.678", "YYYY-MM-DD HH24:MI:SS.MS", "2024-01-02 03:04:05.678"),
            ("2024-01-02 12:30 pm", "YYYY-MM-DD HH:MI AM", "2024-01-02 12:30:00"),
            ("2024-01-02 12:30 a.m.", "YYYY-MM-DD HH:MI P.M.", "2024-01-02 00:30:00"),
            ("20240102030405", "YYYYMMDDHH24MISS", "2024-01-02 03:04:05"),
            ("2024 12:3", "YYYY SS:MS", "2024-01-01 00:00:12.3"),
            ("2024 86399", "YYYY SSSS", "2024-01-01 23:59:59"),
        ] {
            assert_eq!(timestamp(text, template), Ok(parse_timestamp(expected).unwrap()), "{text} {template}");
        }
        assert_eq!(timestamp_of_epoch(-0.5), Ok(-500_000));
        assert!(timestamp_of_epoch(f64::NAN).is_err() && timestamp_of_epoch(1e300).is_err());
    }

    #[test]
    fn what_does_not_match_or_is_no_time() {
        for (text, template) in [("abc", "YYYY"), ("2024-13x", "YYYY-MON"), ("2024//01", "YYYY/MM"), ("1 x", "YYYY AM")]
        {
            assert_eq!(date(text, template).unwrap_err().code, INVALID_DATETIME, "{text}");
        }
        for (text, template) in [
            ("2024-02-30", "YYYY-MM-DD"),
            ("0000-01-01", "YYYY-MM-DD"),
            ("", "YYYY"),
            ("12", "MM"),
            ("2023-366", "YYYY-DDD"),
            ("2024 25:00", "YYYY HH24:MI"),
            ("2024 13:00", "YYYY HH12:MI"),
            ("2024 00:10", "YYYY HH12:MI"),
            ("2024 12:34:60", "YYYY HH24:MI:SS"),
            ("99999999999999999999", "J"),
            ("2024 99", "IYYY IW"),
        ] {
            assert!(timestamp(text, template).is_err(), "{text} {template}");
        }
        assert!(date(&"9".repeat(1 << 20), &"Y".repeat(1 << 20)).is_err());
        assert!(date("か", "か").is_err() && date("2024か", "YYYYth").is_err());
    }
}
