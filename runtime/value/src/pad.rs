//! REPEAT, REPLACE, LPAD and RPAD: functions whose result may be far larger than their arguments, hence bounded.

use crate::error::INVALID_ARGUMENT;
use crate::text::{char_length, left};
use crate::{SqlError, pad};
use std::borrow::Cow;

/// Bytes of the longest text that these functions make.
pub const MAX_LENGTH: usize = 64 << 20;

#[cold]
pub fn too_long() -> SqlError {
    SqlError::new(INVALID_ARGUMENT, "the text would be longer than 64 MiB")
}

pub fn repeat(text: &str, count: i64) -> Result<String, SqlError> {
    let count = usize::try_from(count).unwrap_or(0);
    match text.len().checked_mul(count) {
        Some(0..=MAX_LENGTH) => Ok(text.repeat(count)),
        _ => Err(too_long()),
    }
}

/// Nothing is replaced when `from` is empty.
pub fn replace<'a>(text: &'a str, from: &str, to: &str) -> Result<Cow<'a, str>, SqlError> {
    if from.is_empty() || !text.contains(from) {
        return Ok(Cow::Borrowed(text));
    }
    if to.len() > from.len() {
        let grown = text.matches(from).count().saturating_mul(to.len() - from.len());
        if text.len().saturating_add(grown) > MAX_LENGTH {
            return Err(too_long());
        }
    }
    Ok(Cow::Owned(text.replace(from, to)))
}

/// `length` characters of repeated `fill`.
fn padding(fill: &str, length: usize) -> Result<String, SqlError> {
    // A character has at most four bytes.
    if length > MAX_LENGTH / 4 {
        return Err(too_long());
    }
    Ok(fill.chars().cycle().take(length).collect())
}

/// A longer text is cut off at its end.
pub fn lpad_with(text: &str, length: i64, fill: &str) -> Result<String, SqlError> {
    match usize::try_from(length.saturating_sub(i64::from(char_length(text)))) {
        Ok(missing) => Ok(padding(fill, missing)? + text),
        Err(_) => Ok(left(text, length).to_string()),
    }
}

/// A longer text is cut off at its end.
pub fn rpad_with(text: &str, length: i64, fill: &str) -> Result<String, SqlError> {
    match usize::try_from(length.saturating_sub(i64::from(char_length(text)))) {
        Ok(missing) => Ok(text.to_string() + &padding(fill, missing)?),
        Err(_) => Ok(left(text, length).to_string()),
    }
}

pub fn lpad(text: &str, length: i64) -> Result<String, SqlError> {
    lpad_with(text, length, " ")
}

pub fn rpad(text: &str, length: i64) -> Result<String, SqlError> {
    rpad_with(text, length, " ")
}

functions! { pub static FUNCTIONS:
    "REPEAT" (VARCHAR, BIGINT) -> VARCHAR = pad::repeat, Strict {fallible}, "The text many times; nothing for a negative count.";
    "REPLACE" (VARCHAR, VARCHAR, VARCHAR) -> VARCHAR = pad::replace, Strict {fallible}, "Every occurrence of the second text replaced by the third.";
    "LPAD" (VARCHAR, BIGINT) -> VARCHAR = pad::lpad, Strict {fallible}, "The text with blanks before it up to a length, or cut to that length.";
    "LPAD" (VARCHAR, BIGINT, VARCHAR) -> VARCHAR = pad::lpad_with, Strict {fallible}, "The text with a filling before it up to a length, or cut to that length.";
    "RPAD" (VARCHAR, BIGINT) -> VARCHAR = pad::rpad, Strict {fallible}, "The text with blanks behind it up to a length, or cut to that length.";
    "RPAD" (VARCHAR, BIGINT, VARCHAR) -> VARCHAR = pad::rpad_with, Strict {fallible}, "The text with a filling behind it up to a length, or cut to that length.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_fills_or_cuts() {
        assert_eq!(lpad_with("hi", 5, "xy"), Ok("xyxhi".into()));
        assert_eq!(rpad("hi", 4), Ok("hi  ".into()));
        assert_eq!(lpad_with("hello", 2, "x"), Ok("he".into()));
        assert_eq!(rpad_with("hi", 5, ""), Ok("hi".into()));
        assert_eq!(lpad("hi", -1), Ok("".into()));
    }

    #[test]
    fn occurrences_are_replaced() {
        assert_eq!(replace("yabadabadoo", "ba", "123").as_deref(), Ok("ya123da123doo"));
        assert_eq!(replace("abc", "", "x").as_deref(), Ok("abc"));
        assert_eq!(replace("いろい", "い", "").as_deref(), Ok("ろ"));
    }

    #[test]
    fn results_are_bounded() {
        let long = "a".repeat(1 << 20);
        assert_eq!(replace(&long, "a", &long).unwrap_err().code, INVALID_ARGUMENT);
        assert_eq!(replace(&long, "a", "b").map(|text| text.len()), Ok(1 << 20));
        assert_eq!(repeat("ab", 3), Ok("ababab".into()));
        assert_eq!(repeat("ab", -3), Ok("".into()));
        assert_eq!(repeat("ab", i64::MAX).unwrap_err().code, INVALID_ARGUMENT);
        assert_eq!(lpad("a", i64::MAX).unwrap_err().code, INVALID_ARGUMENT);
    }
}
