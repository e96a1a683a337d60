//! REGEXP_REPLACE with flags or a place, which is PostgreSQL's: the first match alone is replaced unless a flag g or the
//! number 0 asks for all, and in the replacement `\1` to `\9` stand for groups, `\&` for the match, `\\` for a backslash.

use crate::regexp::offset;
use crate::syntax::Syntax;
use crate::{cache, substitute};
use feldc_value::error::INVALID_ARGUMENT;
use feldc_value::pad::{MAX_LENGTH, too_long};
use feldc_value::{SqlError, functions};
use regex::{Captures, Regex};

/// Which matches are replaced.
enum Which {
    All,
    /// From 0.
    One(usize),
}

pub fn replace_flags(text: &str, pattern: &str, replacement: &str, flags: &str) -> Result<String, SqlError> {
    let which = if flags.contains('g') { Which::All } else { Which::One(0) };
    replaced(text, pattern, replacement, 1, which, &flags.replace('g', ""))
}

pub fn replace_from(text: &str, pattern: &str, replacement: &str, start: i64) -> Result<String, SqlError> {
    replaced(text, pattern, replacement, start, Which::One(0), "")
}

pub fn replace_nth(text: &str, pattern: &str, replacement: &str, start: i64, n: i64) -> Result<String, SqlError> {
    replace_nth_flags(text, pattern, replacement, start, n, "")
}

pub fn replace_nth_flags(
    text: &str,
    pattern: &str,
    replacement: &str,
    start: i64,
    n: i64,
    flags: &str,
) -> Result<String, SqlError> {
    let which = match usize::try_from(n) {
        Ok(0) => Which::All,
        Ok(n) => Which::One(n - 1),
        Err(_) => return Err(SqlError::new(INVALID_ARGUMENT, "the number of an occurrence must be 0 or more")),
    };
    replaced(text, pattern, replacement, start, which, &flags.replace('g', ""))
}

fn replaced(
    text: &str,
    pattern: &str,
    replacement: &str,
    start: i64,
    which: Which,
    flags: &str,
) -> Result<String, SqlError> {
    let start = offset(text, start)?;
    cache::with(Syntax::flags(flags)?, pattern, |regex| match start {
        Some(start) => replace(text, regex, replacement, start, which),
        None => Ok(text.to_string()),
    })?
}

fn replace(text: &str, regex: &Regex, replacement: &str, start: usize, which: Which) -> Result<String, SqlError> {
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut next, mut seen) = (0, Some(start), 0);
    while let Some(captures) = next.and_then(|next| regex.captures_at(text, next)) {
        let Some(found) = captures.get(0) else { break };
        let wanted = match which {
            Which::All => true,
            Which::One(n) => n == seen,
        };
        if wanted {
            out.push_str(&text[copied..found.start()]);
            expand(replacement, &captures, &mut out)?;
            copied = found.end();
            if matches!(which, Which::One(_)) {
                break;
            }
        }
        seen += 1;
        // Behind an empty match the search goes on one character later.
        next = match found.is_empty() {
            false => Some(found.end()),
            true => text[found.end()..].chars().next().map(|c| found.end() + c.len_utf8()),
        };
    }
    out.push_str(&text[copied..]);
    Ok(out)
}

/// Appends the replacement for a match.
fn expand(replacement: &str, captures: &Captures<'_>, out: &mut String) -> Result<(), SqlError> {
    let mut characters = replacement.chars();
    while let Some(c) = characters.next() {
        let behind = characters.clone().next();
        let group = match (c, behind) {
            ('\\', Some('&')) => Some(0),
            ('\\', Some(digit @ '1'..='9')) => digit.to_digit(10),
            ('\\', Some('\\')) => {
                characters.next();
                out.push('\\');
                continue;
            }
            _ => None,
        };
        match group {
            Some(group) => {
                characters.next();
                out.push_str(captures.get(group as usize).map_or("", |group| group.as_str()));
            }
            None => out.push(c),
        }
        if out.len() > MAX_LENGTH {
            return Err(too_long());
        }
    }
    Ok(())
}

functions! { pub static FUNCTIONS:
    "REGEXP_REPLACE" (VARCHAR, VARCHAR, VARCHAR, VARCHAR) -> VARCHAR = substitute::replace_flags, Strict {fallible}, "The first match replaced, or with flag g every match; flags are those of REGEXP_LIKE, \\1 in the replacement stands for a group, \\& for the match.";
    "REGEXP_REPLACE" (VARCHAR, VARCHAR, VARCHAR, BIGINT) -> VARCHAR = substitute::replace_from, Strict {fallible}, "The first match from a position on replaced; \\1 in the replacement stands for a group.";
    "REGEXP_REPLACE" (VARCHAR, VARCHAR, VARCHAR, BIGINT, BIGINT) -> VARCHAR = substitute::replace_nth, Strict {fallible}, "One match from a position on replaced, or every match when its number is 0; \\1 in the replacement stands for a group.";
    "REGEXP_REPLACE" (VARCHAR, VARCHAR, VARCHAR, BIGINT, BIGINT, VARCHAR) -> VARCHAR = substitute::replace_nth_flags, Strict {fallible}, "One match from a position on replaced, or every match when its number is 0, with the flags of REGEXP_LIKE.";
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values of PostgreSQL 15.
    #[test]
    fn replacing() {
        assert_eq!(replace_flags("foobarbaz", "b..", "X", "").as_deref(), Ok("fooXbaz"));
        assert_eq!(replace_flags("foobarbaz", "B..", "X", "gi").as_deref(), Ok("fooXX"));
        assert_eq!(
            replace_flags("hello hello", "(he)(l)lo", "\\2\\1\\&\\\\$1\\0", "").as_deref(),
            Ok("lhehello\\$1\\0 hello")
        );
        assert_eq!(replace_from("A PostgreSQL function", "a|e|i|o|u", "X", 5).as_deref(), Ok("A PostgrXSQL function"));
        assert_eq!(replace_nth("A PostgreSQL function", "[aeiou]", "X", 1, 3).as_deref(), Ok("A PostgreSQL fXnction"));
        let all = replace_nth_flags("A PostgreSQL function", "a|e|i|o|u", "X", 1, 0, "i");
        assert_eq!(all.as_deref(), Ok("X PXstgrXSQL fXnctXXn"));
        assert_eq!(replace_flags("かわ", "", "-", "g").as_deref(), Ok("-か-わ-"));
        assert_eq!(replace_from("abc", "b", "X", 9).as_deref(), Ok("abc"));
    }

    #[test]
    fn what_is_refused() {
        assert!(replace_flags("a", "(", "", "").is_err() && replace_flags("a", "a", "", "q").is_err());
        assert!(replace_from("a", "a", "", 0).is_err() && replace_nth("a", "a", "", 1, -1).is_err());
        let long = "a".repeat(1 << 20);
        assert_eq!(replace_flags(&long, "a+", &"\\&".repeat(1000), ""), Err(too_long()));
        assert_eq!(replace_flags(&long, "a", &long, "g"), Err(too_long()));
    }
}
