//! DATE, TIME, TIMESTAMP and intervals from and to text.
//!
//! Reading guesses nothing: an impossible day, an unknown zone or trailing text gives `None`.

use crate::IntervalUnit::{self, Day, Hour, Minute, Month, Second, Year};
use crate::calendar::{
    MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND, NANOS_PER_MICRO, NANOS_PER_SECOND,
    check_timestamp, checked_days, civil, day_of, midnight, time_of,
};
use std::fmt::Write;

/// A cursor over ASCII text.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.bytes.first() == Some(&byte);
        if found {
            self.bytes = &self.bytes[1..];
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// A number of `least` to `most` digits, not followed by another digit.
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let count = self.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count < least || count > most {
            return None;
        }
        let value = self.bytes[..count].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        self.bytes = &self.bytes[count..];
        Some(value)
    }

    /// An optional `.digits` as units of 10^-places; further digits are cut off.
    fn fraction(&mut self, places: usize) -> Option<i64> {
        if !self.eat(b'.') {
            return Some(0);
        }
        let count = self.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return None;
        }
        let digits = self.bytes[..count].iter().copied().chain(std::iter::repeat(b'0')).take(places);
        let value = digits.fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        self.bytes = &self.bytes[count..];
        Some(value)
    }

    fn end(&self) -> Option<()> {
        self.bytes.is_empty().then_some(())
    }

    /// `YYYY-MM-DD`; month and day may have one digit.
    fn date(&mut self) -> Option<i32> {
        let year = self.number(4, 4)?;
        self.expect(b'-')?;
        let month = self.number(1, 2)?;
        self.expect(b'-')?;
        checked_days(year, month, self.number(1, 2)?)
    }

    /// `HH:MM[:SS[.f]]` in nanoseconds.
    fn time(&mut self) -> Option<i64> {
        let hour = self.number(1, 2).filter(|hour| *hour < 24)?;
        self.expect(b':')?;
        let minute = self.number(2, 2).filter(|minute| *minute < 60)?;
        let (mut second, mut nanos) = (0, 0);
        if self.eat(b':') {
            second = self.number(2, 2).filter(|second| *second < 60)?;
            nanos = self.fraction(9)?;
        }
        Some(((hour * 60 + minute) * 60 + second) * NANOS_PER_SECOND + nanos)
    }

    /// An optional `Z`, `UTC`, `±HH`, `±HHMM` or `±HH:MM`, in microseconds to subtract.
    fn offset(&mut self) -> Option<i64> {
        while self.eat(b' ') {}
        if self.bytes.is_empty() {
            return Some(0);
        }
        if self.eat(b'Z') || self.eat(b'z') {
            return Some(0);
        }
        if self.bytes.eq_ignore_ascii_case(b"UTC") {
            self.bytes = &[];
            return Some(0);
        }
        let sign = if self.eat(b'+') { 1 } else { self.expect(b'-').map(|()| -1)? };
        let digits = self.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (hours, minutes) = match digits {
            4 => self.number(4, 4).map(|both| (both / 100, both % 100))?,
            _ => {
                let hours = self.number(2, 2)?;
                (hours, if self.eat(b':') { self.number(2, 2)? } else { 0 })
            }
        };
        (hours < 24 && minutes < 60).then_some(sign * (hours * MICROS_PER_HOUR + minutes * MICROS_PER_MINUTE))
    }
}

/// Blanks around the text are allowed.
fn reader(text: &str) -> Reader<'_> {
    Reader { bytes: text.trim().as_bytes() }
}

/// Reads `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> Option<i32> {
    let mut reader = reader(text);
    let day = reader.date()?;
    reader.end()?;
    Some(day)
}

/// Reads `HH:MM[:SS[.fffffffff]]`.
pub fn parse_time(text: &str) -> Option<i64> {
    let mut reader = reader(text);
    let nanos = reader.time()?;
    reader.end()?;
    Some(nanos)
}

/// Reads `YYYY-MM-DD[ HH:MM[:SS[.ffffff]]][offset]`, also with `T` between day and time (RFC 3339). With an offset the
/// result is in UTC; digits past microseconds are cut off.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let mut reader = reader(text);
    let day = reader.date()?;
    let separated = match reader.eat(b'T') || reader.eat(b't') {
        true => true,
        false => {
            let before = reader.bytes.len();
            while reader.eat(b' ') {}
            before > reader.bytes.len()
        }
    };
    if !separated {
        reader.end()?;
        return Some(midnight(day));
    }
    let micros = reader.time()? / NANOS_PER_MICRO;
    let offset = reader.offset()?;
    reader.end()?;
    check_timestamp(Some(midnight(day) + micros - offset)).ok()
}

/// Appends `YYYY-MM-DD`.
pub fn write_date(days: i32, out: &mut String) {
    let date = civil(days);
    let _ = write!(out, "{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

/// How many digits of a fraction are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fraction {
    /// As many as needed, none for zero.
    Trimmed,
    /// All of the type's precision, none for zero.
    Full,
}

fn write_fraction(fraction: i64, places: usize, form: Fraction, out: &mut String) {
    if fraction == 0 {
        return;
    }
    let _ = write!(out, ".{fraction:0places$}");
    if form == Fraction::Trimmed {
        out.truncate(out.trim_end_matches('0').len());
    }
}

fn write_clock(seconds: i64, out: &mut String) {
    let _ = write!(out, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/// Appends `HH:MM:SS[.f]`.
pub fn write_time(nanos: i64, form: Fraction, out: &mut String) {
    write_clock(nanos / NANOS_PER_SECOND, out);
    write_fraction(nanos % NANOS_PER_SECOND, 9, form, out);
}

/// Appends `YYYY-MM-DD HH:MM:SS[.f]` without zeros at the end of the fraction.
pub fn write_timestamp(micros: i64, out: &mut String) {
    write_date(day_of(micros), out);
    out.push(' ');
    let time = time_of(micros);
    write_clock(time / MICROS_PER_SECOND, out);
    write_fraction(time % MICROS_PER_SECOND, 6, Fraction::Trimmed, out);
}

/// Microseconds of one unit of a short interval.
pub fn unit_micros(unit: IntervalUnit) -> i64 {
    match unit {
        Year | Month => 0,
        Day => MICROS_PER_DAY,
        Hour => MICROS_PER_HOUR,
        Minute => MICROS_PER_MINUTE,
        Second => MICROS_PER_SECOND,
    }
}

/// Reads a year-month interval: `[+-]Y`, `[+-]M` or `[+-]Y-M` by its units; in months.
pub fn parse_long_interval(text: &str, from: IntervalUnit, to: IntervalUnit) -> Option<i32> {
    let mut reader = reader(text);
    let sign = if reader.eat(b'-') { -1 } else { 1 };
    if sign == 1 {
        reader.eat(b'+');
    }
    let leading = reader.number(1, 10)?;
    let months = match (from, to) {
        (Year, Year) => leading * 12,
        (Month, Month) => leading,
        _ => {
            reader.expect(b'-')?;
            leading * 12 + reader.number(1, 2).filter(|months| *months < 12)?
        }
    };
    reader.end()?;
    i32::try_from(sign * months).ok()
}

/// Reads a day-time interval, e.g. `[+-]D HH:MM:SS[.f]` for DAY TO SECOND; fields after the first are bounded (24 hours, 60
/// minutes and seconds); in microseconds.
pub fn parse_short_interval(text: &str, from: IntervalUnit, to: IntervalUnit) -> Option<i64> {
    let mut reader = reader(text);
    let negative = reader.eat(b'-');
    if !negative {
        reader.eat(b'+');
    }
    let mut micros = reader.number(1, 18)?.checked_mul(unit_micros(from))?;
    for unit in [Hour, Minute, Second].into_iter().filter(|unit| (from < *unit) && (*unit <= to)) {
        match unit {
            Hour => {
                reader.expect(b' ')?;
                while reader.eat(b' ') {}
            }
            _ => reader.expect(b':')?,
        }
        let bound = if unit == Hour { 24 } else { 60 };
        let field = reader.number(1, 2).filter(|field| *field < bound)?;
        micros = micros.checked_add(field * unit_micros(unit))?;
    }
    if to == Second {
        micros = micros.checked_add(reader.fraction(6)?)?;
    }
    reader.end()?;
    Some(if negative { -micros } else { micros })
}

/// Appends a year-month interval with its sign, e.g. `+1-10`; a single unit drops what is below it.
pub fn write_long_interval(months: i32, from: IntervalUnit, to: IntervalUnit, out: &mut String) {
    let _ = match (from, to) {
        (Year, Year) => write!(out, "{:+}", months / 12),
        (Month, Month) => write!(out, "{months:+}"),
        _ => {
            let sign = if months < 0 { '-' } else { '+' };
            write!(out, "{sign}{}-{:02}", months.unsigned_abs() / 12, months.unsigned_abs() % 12)
        }
    };
}

/// Appends a day-time interval with its sign, e.g. `+1 02:03:04.500000`, `-5:53`, `+26`: the first field in full, what is below
/// the last dropped. Seconds have six digits after the point, except a zero fraction of DAY TO SECOND.
pub fn write_short_interval(micros: i64, from: IntervalUnit, to: IntervalUnit, out: &mut String) {
    let magnitude = micros.unsigned_abs();
    let unit = |unit| unit_micros(unit).unsigned_abs();
    let leading = magnitude / unit(from);
    let nothing_shown = from == to && to != Second && leading == 0;
    out.push(if micros < 0 && !nothing_shown { '-' } else { '+' });
    let _ = write!(out, "{leading}");
    for field in [Hour, Minute, Second].into_iter().filter(|field| (from < *field) && (*field <= to)) {
        let bound = if field == Hour { 24 } else { 60 };
        let separator = if field == Hour { ' ' } else { ':' };
        let _ = write!(out, "{separator}{:02}", magnitude / unit(field) % bound);
    }
    let fraction = magnitude % unit(Second);
    if to == Second && (from != Day || fraction != 0) {
        let _ = write!(out, ".{fraction:06}");
    }
}

/// Appends a count with its unit, e.g. `-3 mons`, `1 day`.
fn write_count(count: i64, unit: &str, out: &mut String) {
    let _ = write!(out, "{count} {unit}{}", if count.abs() == 1 { "" } else { "s" });
}

/// Appends a year-month interval whole, whatever its units, as PostgreSQL spells it: `1 year 5 mons`, `-5 mons`, `0 mons`.
pub fn spell_long_interval(months: i32, out: &mut String) {
    let (years, months) = (i64::from(months / 12), i64::from(months % 12));
    if years != 0 {
        write_count(years, "year", out);
    }
    if months != 0 || years == 0 {
        out.push_str(if years != 0 { " " } else { "" });
        write_count(months, "mon", out);
    }
}

/// Appends a day-time interval whole, whatever its units, as PostgreSQL spells it: `1 day 02:34:56.789`, `-334 days`, `00:12:00`.
pub fn spell_short_interval(micros: i64, out: &mut String) {
    let (days, rest) = (micros / MICROS_PER_DAY, micros % MICROS_PER_DAY);
    if days != 0 {
        write_count(days, "day", out);
    }
    if rest != 0 || days == 0 {
        out.push_str(if days != 0 { " " } else { "" });
        out.push_str(if rest < 0 { "-" } else { "" });
        write_clock(rest.abs() / MICROS_PER_SECOND, out);
        write_fraction(rest.abs() % MICROS_PER_SECOND, 6, Fraction::Trimmed, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timestamp(text: &str) -> String {
        let mut out = String::new();
        match parse_timestamp(text) {
            Some(micros) => write_timestamp(micros, &mut out),
            None => out.push_str("error"),
        }
        out
    }

    #[test]
    fn timestamps() {
        for (text, expected) in [
            ("2024-02-29 12:34:56.78", "2024-02-29 12:34:56.78"),
            (" 2024-02-29 ", "2024-02-29 00:00:00"),
            ("2024-02-29T12:34:56Z", "2024-02-29 12:34:56"),
            ("2023-11-05 01:40-07:00", "2023-11-05 08:40:00"),
            ("2020-06-21T14:23:44.123654+00:00", "2020-06-21 14:23:44.123654"),
            ("2020-06-21 14:23:44 +0530", "2020-06-21 08:53:44"),
            ("2020-06-21 14:23:44 utc", "2020-06-21 14:23:44"),
            ("0001-01-01 00:00:00", "0001-01-01 00:00:00"),
            ("1969-12-31 23:59:59.5", "1969-12-31 23:59:59.5"),
            ("2024-01-01 10:00:00.1234569", "2024-01-01 10:00:00.123456"),
        ] {
            assert_eq!(timestamp(text), expected, "{text}");
        }
        for text in [
            "2023-02-29",
            "2024-01-01 25:00:00",
            "2024-01-01 10:00:00 Mars",
            "2024-01-01 10:00:00x",
            "2024-01-01T",
            "0001-01-01 00:00:00+01:00",
            "10:00:00",
            "2024-01-01 10:00:00.",
            "",
            "24-01-01",
            "2024-01-01 10:0",
            "２０２４-01-01",
        ] {
            assert_eq!(timestamp(text), "error", "{text}");
        }
    }

    #[test]
    fn dates_and_times() {
        assert_eq!(parse_date("1970-1-2"), Some(1));
        assert_eq!(parse_date("1970-01-02 00:00:00"), None);
        assert_eq!(parse_time("10:00"), Some(36_000 * NANOS_PER_SECOND));
        assert_eq!(parse_time("24:00:00"), None);
        let mut out = String::new();
        write_time(parse_time("14:23:44.456").unwrap(), Fraction::Full, &mut out);
        out.push(' ');
        write_time(parse_time("14:23:44.456").unwrap(), Fraction::Trimmed, &mut out);
        out.push(' ');
        write_time(0, Fraction::Full, &mut out);
        assert_eq!(out, "14:23:44.456000000 14:23:44.456 00:00:00");
    }

    fn short(text: &str, from: IntervalUnit, to: IntervalUnit) -> Option<String> {
        let mut out = String::new();
        write_short_interval(parse_short_interval(text, from, to)?, from, to, &mut out);
        Some(out)
    }

    #[test]
    fn short_intervals() {
        for (text, from, to, expected) in [
            ("1", Day, Day, Some("+1")),
            ("-1 02", Day, Hour, Some("-1 02")),
            ("-1 02:03", Day, Minute, Some("-1 02:03")),
            ("-1 02:03:04.5", Day, Second, Some("-1 02:03:04.500000")),
            ("3683 0:0:0", Day, Second, Some("+3683 00:00:00")),
            ("100:1", Hour, Minute, Some("+100:01")),
            ("88392:00:00", Hour, Second, Some("+88392:00:00.000000")),
            ("1:1.1", Minute, Second, Some("+1:01.100000")),
            ("-4.000", Second, Second, Some("-4.000000")),
            ("1 2", Day, Minute, None),
            ("1 2:03", Day, Hour, None),
            ("1 24", Day, Hour, None),
            ("1 +2:03", Day, Minute, None),
            ("99999999999999999999", Day, Day, None),
            ("999999999999999999", Day, Day, None),
        ] {
            assert_eq!(short(text, from, to).as_deref(), expected, "{text}");
        }
        let mut out = String::new();
        write_short_interval(-MICROS_PER_HOUR, Day, Day, &mut out);
        write_short_interval(26 * MICROS_PER_HOUR, Hour, Hour, &mut out);
        assert_eq!(out, "+0+26");
    }

    #[test]
    fn long_intervals() {
        let long = |text, from, to| {
            let mut out = String::new();
            write_long_interval(parse_long_interval(text, from, to)?, from, to, &mut out);
            Some(out)
        };
        assert_eq!(long("-1-10", Year, Month).as_deref(), Some("-1-10"));
        assert_eq!(long("22", Month, Month).as_deref(), Some("+22"));
        assert_eq!(long("-1", Year, Year).as_deref(), Some("-1"));
        assert_eq!(long("1-12", Year, Month), None);
        assert_eq!(long("1-2", Year, Year), None);
        assert_eq!(long("9999999999", Year, Year), None);
    }

    #[test]
    fn intervals_spelled_whole() {
        let long = |months| {
            let mut out = String::new();
            spell_long_interval(months, &mut out);
            out
        };
        assert_eq!([0, 1, 17, -5, -12].map(long), ["0 mons", "1 mon", "1 year 5 mons", "-5 mons", "-1 year"]);
        let short = |seconds: i64, micros: i64| {
            let mut out = String::new();
            spell_short_interval(seconds * MICROS_PER_SECOND + micros, &mut out);
            out
        };
        assert_eq!(short(0, 0), "00:00:00");
        assert_eq!(short(720, 0), "00:12:00");
        assert_eq!(short(95_696, 789_000), "1 day 02:34:56.789");
        assert_eq!(short(-334 * 86_400, 0), "-334 days");
        assert_eq!(short(-93_784, 0), "-1 day -02:03:04");
    }
}
