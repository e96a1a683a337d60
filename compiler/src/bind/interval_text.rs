//! Intervals whose text names its units: `'1 day 02:30'`, `'2 hours'`, `'1 year 6 months'`, as PostgreSQL writes them.
//!
//! Months and days never meet in one interval: a text with both is refused.

use super::interval::{interval_type, scaled};
use feldc_value::{IntervalUnit, SqlType, Value};

/// Why a text is no interval.
#[derive(Debug, PartialEq)]
pub enum Fault {
    /// Not numbers with units, or too large.
    Unreadable,
    /// Years or months beside smaller units.
    Mixed,
}

const SECOND: i64 = 1_000_000;

enum Part {
    Months(i64),
    Micros(i64),
}

/// What one of a unit is, by its name or abbreviation.
fn unit(name: &str) -> Option<Part> {
    use Part::{Micros, Months};
    Some(match name.to_lowercase().as_str() {
        "millennium" | "millennia" | "millenniums" => Months(12_000),
        "century" | "centuries" => Months(1200),
        "decade" | "decades" => Months(120),
        "year" | "years" | "yr" | "yrs" | "y" => Months(12),
        "quarter" | "quarters" => Months(3),
        "month" | "months" | "mon" | "mons" => Months(1),
        "week" | "weeks" | "w" => Micros(7 * 86_400 * SECOND),
        "day" | "days" | "d" => Micros(86_400 * SECOND),
        "hour" | "hours" | "hr" | "hrs" | "h" => Micros(3600 * SECOND),
        "minute" | "minutes" | "min" | "mins" | "m" => Micros(60 * SECOND),
        "second" | "seconds" | "sec" | "secs" | "s" => Micros(SECOND),
        "millisecond" | "milliseconds" | "msec" | "msecs" | "ms" => Micros(1000),
        "microsecond" | "microseconds" | "usec" | "usecs" | "us" => Micros(1),
        _ => return None,
    })
}

/// The type and the value of the interval that a text denotes.
pub fn parse(text: &str) -> Result<(SqlType, Value), Fault> {
    let words = words(text);
    let mut words = words.as_slice();
    let ago = matches!(words.last(), Some(last) if last.eq_ignore_ascii_case("ago"));
    if ago {
        words = &words[..words.len() - 1];
    }
    let (mut months, mut micros, mut long, mut short) = (0i64, 0i64, false, false);
    while let Some(first) = words.first() {
        let (part, rest) = match words.get(1).and_then(|name| unit(name)) {
            Some(Part::Months(size)) => (scaled(first, size).map(Part::Months), &words[2..]),
            Some(Part::Micros(size)) => (scaled(first, size).map(Part::Micros), &words[2..]),
            None => (clock(first).map(Part::Micros), &words[1..]),
        };
        match part.ok_or(Fault::Unreadable)? {
            Part::Months(count) => {
                long = true;
                months = months.checked_add(count).ok_or(Fault::Unreadable)?;
            }
            Part::Micros(count) => {
                short = true;
                micros = micros.checked_add(count).ok_or(Fault::Unreadable)?;
            }
        }
        words = rest;
    }
    let sign = if ago { -1 } else { 1 };
    match (long, short) {
        (true, true) => Err(Fault::Mixed),
        (false, false) => Err(Fault::Unreadable),
        (true, false) => {
            let months = i32::try_from(sign * months).map_err(|_| Fault::Unreadable)?;
            Ok((interval_type(IntervalUnit::Year, IntervalUnit::Month), Value::IntervalLong(months)))
        }
        (false, true) => {
            let micros = micros.checked_mul(sign).ok_or(Fault::Unreadable)?;
            Ok((interval_type(IntervalUnit::Day, IntervalUnit::Second), Value::IntervalShort(micros)))
        }
    }
}

/// Numbers and names, which need no space between them: `1d 12h`.
fn words(text: &str) -> Vec<&str> {
    let mut words = vec![];
    for word in text.split_whitespace() {
        let digits = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
        words.extend([&word[..digits], &word[digits..]].into_iter().filter(|word| !word.is_empty()));
    }
    words
}

/// `h:mm` or `h:mm:ss.f`, a sign before it.
fn clock(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let parts: Vec<&str> = digits.split(':').collect();
    if !(2..=3).contains(&parts.len()) || parts.iter().any(|part| !part.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let below_sixty =
        |part: &str| part.split('.').next().and_then(|whole| whole.parse::<u8>().ok()).is_some_and(|n| n < 60);
    let whole = parts[..2].iter().all(|part| !part.contains('.'));
    if !whole || !parts[1..].iter().all(|part| below_sixty(part)) {
        return None;
    }
    let mut total = 0i64;
    for (part, size) in parts.iter().zip([3600 * SECOND, 60 * SECOND, SECOND]) {
        total = total.checked_add(scaled(part, size)?)?;
    }
    Some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> Option<i64> {
        match parse(text) {
            Ok((SqlType::IntervalShort { .. }, Value::IntervalShort(micros))) => Some(micros / 1000),
            _ => None,
        }
    }

    fn long(text: &str) -> Option<i32> {
        match parse(text) {
            Ok((SqlType::IntervalLong { .. }, Value::IntervalLong(months))) => Some(months),
            _ => None,
        }
    }

    #[test]
    fn numbers_with_units() {
        assert_eq!(short("1 day"), Some(86_400_000));
        assert_eq!(short(" 2 hours 30 minutes "), Some(9_000_000));
        assert_eq!(short("1d12h"), None);
        assert_eq!(short("1d 12h"), Some(129_600_000));
        assert_eq!(short("1 day 02:03:04.5"), Some(93_784_500));
        assert_eq!(short("-00:00:01.25"), Some(-1250));
        assert_eq!(short("1.5 minutes"), Some(90_000));
        assert_eq!(short("3 days ago"), Some(-259_200_000));
        assert_eq!(short("-1 week +2 days"), Some(-432_000_000));
        assert_eq!(long("1 year 6 months"), Some(18));
        assert_eq!(long("1.5 years"), Some(18));
        assert_eq!(long("-2 mons"), Some(-2));
    }

    #[test]
    fn what_is_no_interval() {
        assert_eq!(parse("1 month 1 day"), Err(Fault::Mixed));
        for text in [
            "",
            "ago",
            "5",
            "day",
            "1 fortnight",
            "1:75",
            "1:2:3:4",
            "one day",
            "99999999999999 years",
            "0.3 months",
            "1:é",
        ] {
            assert_eq!(parse(text), Err(Fault::Unreadable), "{text}");
        }
    }
}
