//! FORMAT: a text with places for others, as in PostgreSQL. `%s` stands for the next argument, `%L` for it as a literal of
//! SQL, `%%` for a percent sign; between them may stand the argument's number with `$`, `-` for the left, and a width.

use crate::error::{INVALID_ARGUMENT, clipped};
use crate::pad::{MAX_LENGTH, too_long};
use crate::text::char_length;
use crate::{SqlError, format};
use std::borrow::Cow;

#[cold]
fn refused(reason: impl Into<Cow<'static, str>>) -> SqlError {
    SqlError::new(INVALID_ARGUMENT, reason)
}

/// One place of a format.
struct Place {
    /// From 1; without number the argument after the last one.
    argument: Option<usize>,
    left: bool,
    width: usize,
    form: char,
}

/// The digits at the start as a number. A number that is too large is larger than anything is long.
fn number(rest: &str) -> (Option<usize>, &str) {
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match digits {
        0 => (None, rest),
        _ => (Some(rest[..digits].parse().unwrap_or(usize::MAX)), &rest[digits..]),
    }
}

/// The place behind a percent sign, and what follows it.
fn place(rest: &str) -> Result<(Place, &str), SqlError> {
    let (argument, behind) = match number(rest) {
        (Some(0), behind) if behind.starts_with('$') => return Err(refused("arguments of FORMAT count from 1")),
        (number, behind) => match behind.strip_prefix('$') {
            Some(behind) if number.is_some() => (number, behind),
            _ => (None, rest),
        },
    };
    let behind_flags = behind.trim_start_matches('-');
    let (width, behind_width) = number(behind_flags);
    let mut characters = behind_width.chars();
    let form =
        characters.next().ok_or_else(|| refused("the format ends within a place: write %% for a percent sign"))?;
    let place = Place { argument, left: behind_flags.len() < behind.len(), width: width.unwrap_or(0), form };
    Ok((place, characters.as_str()))
}

pub fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    match text.contains('\\') {
        true => format!("E'{}'", quoted.replace('\\', "\\\\")),
        false => format!("'{quoted}'"),
    }
}

pub fn nullable_literal(text: Option<&str>) -> String {
    text.map_or_else(|| "NULL".to_string(), literal)
}

pub fn format(format: Option<&str>, arguments: &[Option<&str>]) -> Result<Option<String>, SqlError> {
    let Some(mut rest) = format else { return Ok(None) };
    let mut out = String::with_capacity(rest.len());
    let mut last = 0;
    while let Some((before, behind)) = rest.split_once('%') {
        out.push_str(before);
        let (place, behind) = place(behind)?;
        rest = behind;
        if place.form == '%' {
            out.push('%');
            continue;
        }
        last = place.argument.unwrap_or(last + 1);
        let argument = arguments.get(last - 1).ok_or_else(|| refused("FORMAT has fewer arguments than places"))?;
        let shown = match place.form {
            's' => Cow::Borrowed(argument.unwrap_or("")),
            'L' => Cow::Owned(nullable_literal(*argument)),
            other => return Err(refused(clipped(format!("'%{other}' is no place of FORMAT: write %s, %L or %%")))),
        };
        let blanks = place.width.saturating_sub(char_length(&shown).unsigned_abs() as usize);
        if out.len().saturating_add(shown.len()).saturating_add(blanks) > MAX_LENGTH {
            return Err(too_long());
        }
        let (front, behind) = if place.left { (0, blanks) } else { (blanks, 0) };
        out.extend(std::iter::repeat_n(' ', front));
        out.push_str(&shown);
        out.extend(std::iter::repeat_n(' ', behind));
    }
    out.push_str(rest);
    Ok(Some(out))
}

pub fn format_alone(format: Option<&str>) -> Result<Option<String>, SqlError> {
    self::format(format, &[])
}

functions! { pub static FUNCTIONS:
    "FORMAT" (VARCHAR) -> VARCHAR = format::format_alone, Custom {fallible}, "The text with %% as a percent sign.";
    "FORMAT" (VARCHAR; VARCHAR) -> VARCHAR = format::format, Custom {fallible}, "The text with arguments in the places %s, or %L as literals; %2$s is the second, %-9s has a width.";
    "QUOTE_LITERAL" (VARCHAR) -> VARCHAR = format::literal, Strict {}, "The text as a literal of SQL.";
    "QUOTE_NULLABLE" (VARCHAR) -> VARCHAR = format::nullable_literal, Never {}, "The text as a literal of SQL, or the word NULL.";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, arguments: &[&str]) -> String {
        let arguments: Vec<Option<&str>> = arguments.iter().map(|text| Some(*text)).collect();
        match format(Some(template), &arguments) {
            Ok(text) => text.unwrap(),
            Err(error) => error.message.into_owned(),
        }
    }

    // Values of PostgreSQL 15.
    #[test]
    fn places() {
        assert_eq!(check("Hello %s, %s!%%", &["World", "い"]), "Hello World, い!%");
        assert_eq!(check("%2$s %1$s %s|%5s|%-5s|%1$3s", &["a", "b", "い", "d"]), "b a b|    い|d    |  a");
        assert_eq!(check("%L %L", &["O'Reilly", "a\\b"]), "'O''Reilly' E'a\\\\b'");
        assert_eq!(format(Some("[%s][%L]"), &[None, None]), Ok(Some("[][NULL]".into())));
        assert_eq!((format(None, &[Some("a")]), check("", &["a"])), (Ok(None), String::new()));
    }

    #[test]
    fn bad_formats() {
        assert_eq!(check("%s", &[]), "FORMAT has fewer arguments than places");
        assert_eq!(check("%x", &["a"]), "'%x' is no place of FORMAT: write %s, %L or %%");
        for bad in ["%", "%1$", "%0$s", "%-", "%99999999999999999999$s", "%99999999999999999999s", "%$s"] {
            assert!(format(Some(bad), &[Some("a")]).is_err(), "{bad}");
        }
    }
}
