//! RLIKE and the REGEXP functions. Positions count characters from 1.

use crate::syntax::Syntax;
use crate::{cache, regexp};
use feldc_value::error::INVALID_ARGUMENT;
use feldc_value::pad::{MAX_LENGTH, too_long};
use feldc_value::text::char_length;
use feldc_value::{SqlError, functions};
use regex::{Match, Regex};

/// Does the pattern match a part of the text?
pub fn rlike(text: &str, pattern: &str) -> Result<bool, SqlError> {
    cache::with(Syntax::PLAIN, pattern, |regex| regex.is_match(text))
}

pub fn like_flags(text: &str, pattern: &str, flags: &str) -> Result<bool, SqlError> {
    cache::with(Syntax::flags(flags)?, pattern, |regex| regex.is_match(text))
}

/// Every match is replaced; `$1`, `${1}` and `${name}` in the replacement stand for what a group matched, `$$` for `$`.
pub fn replace(text: &str, pattern: &str, replacement: &str) -> Result<String, SqlError> {
    cache::with(Syntax::PLAIN, pattern, |regex| replace_all(text, regex, replacement))?
}

pub fn remove(text: &str, pattern: &str) -> Result<String, SqlError> {
    replace(text, pattern, "")
}

fn replace_all(text: &str, regex: &Regex, replacement: &str) -> Result<String, SqlError> {
    let groups = replacement.matches('$').count();
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for captures in regex.captures_iter(text) {
        let Some(whole) = captures.get(0) else { continue };
        out.push_str(&text[end..whole.start()]);
        // Groups lie inside the match.
        let most = groups.saturating_mul(whole.len()).saturating_add(replacement.len());
        if out.len().saturating_add(most) > MAX_LENGTH {
            return Err(too_long());
        }
        captures.expand(replacement, &mut out);
        end = whole.end();
    }
    out.push_str(&text[end..]);
    Ok(out)
}

/// Byte offset of a character's position; `None` past the end. The end itself is a position.
pub fn offset(text: &str, start: i64) -> Result<Option<usize>, SqlError> {
    let invalid = || SqlError::new(INVALID_ARGUMENT, "the start of a search must be 1 or more");
    let before = usize::try_from(start).ok().and_then(|start| start.checked_sub(1)).ok_or_else(invalid)?;
    Ok(text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(before))
}

/// The matches from an offset on; what stands before it is still seen by `^` and `\b`.
fn matches_from<'t>(regex: &Regex, text: &'t str, start: usize) -> impl Iterator<Item = Match<'t>> {
    let mut next = Some(start);
    std::iter::from_fn(move || {
        let found = regex.find_at(text, next?)?;
        next = match found.is_empty() {
            false => Some(found.end()),
            true => text[found.end()..].chars().next().map(|c| found.end() + c.len_utf8()),
        };
        Some(found)
    })
}

/// Match number `n` from a position on.
fn nth_match<T>(
    text: &str,
    pattern: &str,
    start: i64,
    n: i64,
    result: impl FnOnce(Match<'_>) -> T,
) -> Result<Option<T>, SqlError> {
    let invalid = || SqlError::new(INVALID_ARGUMENT, "the number of an occurrence must be 1 or more");
    let index = usize::try_from(n).ok().and_then(|n| n.checked_sub(1)).ok_or_else(invalid)?;
    let start = offset(text, start)?;
    cache::with(Syntax::PLAIN, pattern, |regex| matches_from(regex, text, start?).nth(index).map(result))
}

pub fn count(text: &str, pattern: &str) -> Result<i32, SqlError> {
    count_from(text, pattern, 1)
}

pub fn count_from(text: &str, pattern: &str, start: i64) -> Result<i32, SqlError> {
    count_flags(text, pattern, start, "")
}

pub fn count_flags(text: &str, pattern: &str, start: i64, flags: &str) -> Result<i32, SqlError> {
    let start = offset(text, start)?;
    // No text has 2^31 characters.
    cache::with(Syntax::flags(flags)?, pattern, |regex| {
        start.map_or(0, |start| matches_from(regex, text, start).count() as i32)
    })
}

/// 0 when there is no match.
pub fn position(text: &str, pattern: &str) -> Result<i32, SqlError> {
    position_of(text, pattern, 1, 1)
}

pub fn position_from(text: &str, pattern: &str, start: i64) -> Result<i32, SqlError> {
    position_of(text, pattern, start, 1)
}

pub fn position_of(text: &str, pattern: &str, start: i64, n: i64) -> Result<i32, SqlError> {
    let place = nth_match(text, pattern, start, n, |found| char_length(&text[..found.start()]) + 1)?;
    Ok(place.unwrap_or(0))
}

pub fn substring(text: &str, pattern: &str) -> Result<Option<String>, SqlError> {
    substring_of(text, pattern, 1, 1)
}

pub fn substring_from(text: &str, pattern: &str, start: i64) -> Result<Option<String>, SqlError> {
    substring_of(text, pattern, start, 1)
}

pub fn substring_of(text: &str, pattern: &str, start: i64, n: i64) -> Result<Option<String>, SqlError> {
    nth_match(text, pattern, start, n, |found| found.as_str().to_string())
}

/// NULL when nothing matches, or the group has no part in the match, or there is no such group.
pub fn extract_group(text: &str, pattern: &str, group: i64) -> Result<Option<String>, SqlError> {
    let invalid = || SqlError::new(INVALID_ARGUMENT, "the number of a group must be 0 or more");
    let group = usize::try_from(group).map_err(|_| invalid())?;
    cache::with(Syntax::PLAIN, pattern, |regex| {
        regex.captures(text).and_then(|captures| captures.get(group).map(|found| found.as_str().to_string()))
    })
}

functions! { pub static FUNCTIONS:
    "RLIKE" (VARCHAR, VARCHAR) -> BOOLEAN = regexp::rlike, Strict {fallible}, "Does the regular expression match a part of the text?";
    "REGEXP_LIKE" (VARCHAR, VARCHAR) -> BOOLEAN = regexp::rlike, Strict {fallible}, "Does the regular expression match a part of the text?";
    "REGEXP_LIKE" (VARCHAR, VARCHAR, VARCHAR) -> BOOLEAN = regexp::like_flags, Strict {fallible}, "As RLIKE with flags: i ignores case, c does not, m has ^ and $ match at lines, s has . match line breaks, x allows blanks in the pattern.";
    "REGEXP_REPLACE" (VARCHAR, VARCHAR) -> VARCHAR = regexp::remove, Strict {fallible}, "The text without any match.";
    "REGEXP_REPLACE" (VARCHAR, VARCHAR, VARCHAR) -> VARCHAR = regexp::replace, Strict {fallible}, "Every match replaced; $1 or ${name} in the replacement stands for a group.";
    "REGEXP_COUNT" (VARCHAR, VARCHAR) -> INTEGER = regexp::count, Strict {fallible}, "Number of matches.";
    "REGEXP_COUNT" (VARCHAR, VARCHAR, BIGINT) -> INTEGER = regexp::count_from, Strict {fallible}, "Number of matches from a position on.";
    "REGEXP_COUNT" (VARCHAR, VARCHAR, BIGINT, VARCHAR) -> INTEGER = regexp::count_flags, Strict {fallible}, "Number of matches from a position on, with the flags of REGEXP_LIKE.";
    "REGEXP_INSTR" (VARCHAR, VARCHAR) -> INTEGER = regexp::position, Strict {fallible}, "Where the first match starts; 0 when there is none.";
    "REGEXP_INSTR" (VARCHAR, VARCHAR, BIGINT) -> INTEGER = regexp::position_from, Strict {fallible}, "Where the first match from a position on starts; 0 when there is none.";
    "REGEXP_INSTR" (VARCHAR, VARCHAR, BIGINT, BIGINT) -> INTEGER = regexp::position_of, Strict {fallible}, "Where one of the matches from a position on starts; 0 when there is none.";
    "REGEXP_SUBSTR" (VARCHAR, VARCHAR) -> VARCHAR = regexp::substring, StrictToOption {fallible}, "The first match; NULL when there is none.";
    "REGEXP_SUBSTR" (VARCHAR, VARCHAR, BIGINT) -> VARCHAR = regexp::substring_from, StrictToOption {fallible}, "The first match from a position on; NULL when there is none.";
    "REGEXP_SUBSTR" (VARCHAR, VARCHAR, BIGINT, BIGINT) -> VARCHAR = regexp::substring_of, StrictToOption {fallible}, "One of the matches from a position on; NULL when there is none.";
    "REGEXP_EXTRACT" (VARCHAR, VARCHAR) -> VARCHAR = regexp::substring, StrictToOption {fallible}, "The first match; NULL when there is none.";
    "REGEXP_EXTRACT" (VARCHAR, VARCHAR, BIGINT) -> VARCHAR = regexp::extract_group, StrictToOption {fallible}, "What a group of the first match holds; NULL when there is none.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::error::INVALID_REGULAR_EXPRESSION;

    // Values of the peer's tests.
    #[test]
    fn replacing() {
        for (text, pattern, replacement, expected) in [
            ("a0b1c2d3", "a|d", "X", "X0b1c2X3"),
            ("deep fried", r"(?<first>\w+)\s+(?<second>\w+)", "${first}_$second", "deep_fried"),
            ("Springsteen, Bruce", r"([^,\s]+),\s+(\S+)", "$2 $1", "Bruce Springsteen"),
            ("abcdefghijabc", "abc(.)", "$$123xyz", "$123xyzefghijabc"),
            ("abc123", r"b(.*)(\d)", r"\$ $\", r"a\$ $\"),
            ("かわい", "", "-", "-か-わ-い-"),
            ("", "x*", "y", "y"),
        ] {
            assert_eq!(replace(text, pattern, replacement).as_deref(), Ok(expected), "{text} {pattern}");
        }
        assert_eq!(remove("1078910", "[^01]").as_deref(), Ok("1010"));
        assert_eq!(replace("x", "(", "").unwrap_err().code, INVALID_REGULAR_EXPRESSION);
    }

    #[test]
    fn replacements_are_bounded() {
        let long = "a".repeat(1 << 20);
        assert_eq!(replace(&long, "a", &long), Err(too_long()));
        assert_eq!(replace(&long, "a+", &"$0".repeat(1000)), Err(too_long()));
        assert_eq!(replace(&long, "a+", "$0$0").map(|text| text.len()), Ok(2 << 20));
    }

    // Values of PostgreSQL 15.
    #[test]
    fn finding() {
        assert_eq!(
            (rlike("string", "s..i.*"), rlike("hawkeye", "H.*"), rlike("", "")),
            (Ok(true), Ok(false), Ok(true))
        );
        assert_eq!((count("123123123123123", "(12)3"), count("abcabc", ""), count("", "")), (Ok(5), Ok(7), Ok(1)));
        assert_eq!((count_from("ABCABCAXYaxy", "A.", 3), count_from("abc", "b", 9)), (Ok(2), Ok(0)));
        assert_eq!(count_flags("ABCABCAXYaxy", "A.", 1, "i"), Ok(4));
        assert_eq!((position("number of your street", "o"), position("abc", "z")), (Ok(8), Ok(0)));
        assert_eq!(position_of("number of your street, town zip", "[^,]+", 1, 2), Ok(23));
        assert_eq!(position("かわいい", "い+"), Ok(3));
        assert_eq!(substring_of("foobarbaz", "b.", 1, 2), Ok(Some("ba".into())));
        assert_eq!(substring_from("foobarbaz", "^o", 2), Ok(None));
        assert_eq!(substring("foobarbaz", "q"), Ok(None));
        for bad in [position_from("a", "a", 0), position_of("a", "a", 1, 0), count_from("a", "a", i64::MIN)] {
            assert_eq!(bad.unwrap_err().code, INVALID_ARGUMENT);
        }
        assert_eq!(position_of("a", "a", i64::MAX, i64::MAX), Ok(0));
    }

    #[test]
    fn groups() {
        assert_eq!(extract_group("2024-02-29", r"(\d+)-(\d+)", 2), Ok(Some("02".into())));
        assert_eq!(extract_group("b", "(a)?b", 1), Ok(None));
        assert_eq!((extract_group("b", "b", 7), extract_group("b", "c", 0)), (Ok(None), Ok(None)));
        assert_eq!(extract_group("b", "b", -1).unwrap_err().code, INVALID_ARGUMENT);
    }
}
