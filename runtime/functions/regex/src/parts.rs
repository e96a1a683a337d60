//! Parts of a text by a regular expression, as an array.

use crate::syntax::Syntax;
use crate::{cache, parts};
use feldc_value::boxed_functions;
use feldc_value::error::INVALID_ARGUMENT;
use feldc_value::function::{Shape, Signature};
use feldc_value::{SqlError, SqlType, Value, variant};
use regex::{Captures, Regex};

/// Text and pattern, and the compiled pattern with the flags that stand behind them.
fn with<T>(values: &[Value], f: impl FnOnce(&str, &Regex) -> T) -> Result<Option<T>, SqlError> {
    let (Value::Text(text), Value::Text(pattern)) = (&values[0], &values[1]) else { return Ok(None) };
    let syntax = match values.get(2) {
        Some(Value::Text(flags)) => Syntax::flags(flags)?,
        _ => Syntax::PLAIN,
    };
    cache::with(syntax, pattern, |regex| f(text, regex)).map(Some)
}

/// The groups of the first match, NULL for one without a part in it; the match itself when the pattern has no group. NULL
/// when nothing matches.
pub fn first_match(values: &[Value], _: &Signature<'_>) -> Result<Value, SqlError> {
    let found = with(values, |text, regex| Some(groups(&regex.captures(text)?)))?;
    Ok(found.flatten().unwrap_or(Value::Null))
}

fn groups(captures: &Captures<'_>) -> Value {
    let first = usize::from(captures.len() > 1);
    let groups = captures.iter().skip(first);
    Value::array(groups.map(|group| group.map_or(Value::Null, |group| Value::text(group.as_str()))))
}

/// What [`first_match`] gives, of the first match alone or with flag g of every match.
pub fn matches(values: &[Value], _: &Signature<'_>) -> Result<Value, SqlError> {
    let flags = if let Some(Value::Text(flags)) = values.get(2) { &**flags } else { "" };
    let most = if flags.contains('g') { usize::MAX } else { 1 };
    let values = [values[0].clone(), values[1].clone(), Value::text(flags.replace('g', ""))];
    let found = with(&values, |text, regex| {
        let found = regex.captures_iter(text).take(most);
        Value::array(found.map(|captures| groups(&captures)))
    })?;
    Ok(found.unwrap_or(Value::Null))
}

/// Every match, or what one of the groups, counted from 1, holds of each; NULL for a group without a part in a match.
pub fn extract_all(values: &[Value], _: &Signature<'_>) -> Result<Value, SqlError> {
    let group = if let Some(Value::BigInt(group)) = values.get(2) { *group } else { 0 };
    let found = with(&values[..2], |text, regex| {
        let group = usize::try_from(group).ok().filter(|group| *group < regex.captures_len())?;
        let part = |captures: Captures<'_>| captures.get(group).map_or(Value::Null, |part| Value::text(part.as_str()));
        Some(Value::array(regex.captures_iter(text).map(part)))
    })?;
    let missing = || SqlError::new(INVALID_ARGUMENT, format!("the regular expression has no group {group}"));
    found.map_or(Ok(Value::Null), |array| array.ok_or_else(missing))
}

pub fn grouped(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let arguments = vec![arguments[0], arguments[1], SqlType::BigInt];
    Ok(Shape { arguments, result: SqlType::array(SqlType::VARCHAR) })
}

pub fn lists(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(Shape { arguments: arguments.to_vec(), result: SqlType::array(SqlType::array(SqlType::VARCHAR)) })
}

/// The text between the matches. As in PostgreSQL an empty match at the ends of the text or right behind a match splits nothing.
pub fn split(values: &[Value], _: &Signature<'_>) -> Result<Value, SqlError> {
    let parts = with(values, |text, regex| {
        let (mut parts, mut from) = (vec![], 0);
        for found in regex.find_iter(text) {
            if found.is_empty() && (found.start() == from || found.end() == text.len()) {
                continue;
            }
            parts.push(Value::text(&text[from..found.start()]));
            from = found.end();
        }
        parts.push(Value::text(&text[from..]));
        Value::array(parts)
    })?;
    Ok(parts.unwrap_or(Value::Null))
}

boxed_functions! { pub static FUNCTIONS:
    "REGEXP_MATCH" (VARCHAR, VARCHAR) -> (shape variant::texts) = parts::first_match, StrictToOption {fallible}, "What the groups of the first match hold, or the match when there is no group; NULL when nothing matches.";
    "REGEXP_MATCH" (VARCHAR, VARCHAR, VARCHAR) -> (shape variant::texts) = parts::first_match, StrictToOption {fallible}, "What the groups of the first match hold, or the match when there is no group, with the flags of REGEXP_LIKE; NULL when nothing matches.";
    "REGEXP MATCHES" (VARCHAR, VARCHAR) -> (shape parts::lists) = parts::matches, Strict {fallible}, "The array of REGEXP_MATCH for the first match, in an array: REGEXP_MATCHES in FROM.";
    "REGEXP MATCHES" (VARCHAR, VARCHAR, VARCHAR) -> (shape parts::lists) = parts::matches, Strict {fallible}, "The arrays of REGEXP_MATCH for the first match or with flag g for every match: REGEXP_MATCHES in FROM.";
    "REGEXP_EXTRACT_ALL" (VARCHAR, VARCHAR) -> (shape variant::texts) = parts::extract_all, Strict {fallible}, "Every match.";
    "REGEXP_EXTRACT_ALL" (VARCHAR, VARCHAR, BIGINT) -> (shape parts::grouped) = parts::extract_all, Strict {fallible}, "What a group holds of every match; group 0 is the match.";
    "REGEXP_SPLIT_TO_ARRAY" (VARCHAR, VARCHAR) -> (shape variant::texts) = parts::split, Strict {fallible}, "The parts of the text between the matches.";
    "REGEXP_SPLIT_TO_ARRAY" (VARCHAR, VARCHAR, VARCHAR) -> (shape variant::texts) = parts::split, Strict {fallible}, "The parts of the text between the matches, with the flags of REGEXP_LIKE.";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        call: fn(&[Value], &Signature<'_>) -> Result<Value, SqlError>,
        arguments: &[&str],
        expected: Option<&[&str]>,
    ) {
        let values: Vec<Value> = arguments.iter().map(|text| Value::text(*text)).collect();
        let expected = expected.map_or(Value::Null, |parts| Value::array(parts.iter().map(|part| Value::text(*part))));
        let signature = Signature { arguments: &[], result: SqlType::Null };
        assert_eq!(call(&values, &signature), Ok(expected), "{arguments:?}");
    }

    // Values of PostgreSQL's documentation, and of its rule for empty matches.
    #[test]
    fn parts_of_texts() {
        check(first_match, &["foobarbequebaz", "bar.*que"], Some(&["barbeque"]));
        check(first_match, &["foobarbequebaz", "(bar)(beque)"], Some(&["bar", "beque"]));
        check(first_match, &["abc", "x"], None);
        check(first_match, &["ABC", "b(c)", "i"], Some(&["C"]));
        check(split, &["hello world", r"\s+"], Some(&["hello", "world"]));
        check(split, &["foo", ""], Some(&["f", "o", "o"]));
        check(split, &[",a,,b,", ","], Some(&["", "a", "", "b", ""]));
        check(split, &["the quick", r"\s*"], Some(&["t", "h", "e", "q", "u", "i", "c", "k"]));
        check(split, &["aXbxc", "x", "i"], Some(&["a", "b", "c"]));
        check(split, &["", "a"], Some(&[""]));
    }

    #[test]
    fn every_match() {
        let signature = Signature { arguments: &[], result: SqlType::Null };
        let text = |text: &str| Value::text(text);
        let both = |call: fn(&[Value], &Signature<'_>) -> Result<Value, SqlError>, more: Value| {
            call(&[text("a1,ab"), text("([a-z])([0-9])?"), more], &signature)
        };
        let groups = |parts: [Option<&str>; 2]| Value::array(parts.map(|part| part.map_or(Value::Null, Value::text)));
        let list = [[Some("a"), Some("1")], [Some("a"), None], [Some("b"), None]].map(groups);
        assert_eq!(both(matches, text("g")), Ok(Value::array(list.clone())));
        assert_eq!(both(matches, text("")), Ok(Value::array(list[..1].to_vec())));
        assert_eq!(both(extract_all, Value::BigInt(2)), Ok(Value::array([text("1"), Value::Null, Value::Null])));
        assert_eq!(both(extract_all, Value::BigInt(0)), Ok(Value::array(["a1", "a", "b"].map(Value::text))));
        assert!(both(extract_all, Value::BigInt(3)).is_err() && both(extract_all, Value::BigInt(-1)).is_err());
        assert!(both(matches, text("q")).is_err());
    }

    #[test]
    fn a_group_without_a_part_is_null() {
        let signature = Signature { arguments: &[], result: SqlType::Null };
        let found = first_match(&[Value::text("b"), Value::text("(a)?(b)")], &signature);
        assert_eq!(found, Ok(Value::array([Value::Null, Value::text("b")])));
        assert!(first_match(&[Value::text("b"), Value::text("(")], &signature).is_err());
    }
}
