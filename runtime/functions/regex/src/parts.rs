//! Parts of a text by a regular expression, as an array.

use crate::syntax::Syntax;
use crate::{cache, parts};
use feldc_value::boxed_functions;
use feldc_value::function::Signature;
use feldc_value::{SqlError, Value, variant};
use regex::Regex;

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
    let found = with(values, |text, regex| {
        let captures = regex.captures(text)?;
        let first = usize::from(captures.len() > 1);
        let groups = captures.iter().skip(first);
        Some(Value::array(groups.map(|group| group.map_or(Value::Null, |group| Value::text(group.as_str())))))
    })?;
    Ok(found.flatten().unwrap_or(Value::Null))
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
    "REGEXP_SPLIT_TO_ARRAY" (VARCHAR, VARCHAR) -> (shape variant::texts) = parts::split, Strict {fallible}, "The parts of the text between the matches.";
    "REGEXP_SPLIT_TO_ARRAY" (VARCHAR, VARCHAR, VARCHAR) -> (shape variant::texts) = parts::split, Strict {fallible}, "The parts of the text between the matches, with the flags of REGEXP_LIKE.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::SqlType;

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
    fn a_group_without_a_part_is_null() {
        let signature = Signature { arguments: &[], result: SqlType::Null };
        let found = first_match(&[Value::text("b"), Value::text("(a)?(b)")], &signature);
        assert_eq!(found, Ok(Value::array([Value::Null, Value::text("b")])));
        assert!(first_match(&[Value::text("b"), Value::text("(")], &signature).is_err());
    }
}
