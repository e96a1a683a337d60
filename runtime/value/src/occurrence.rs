//! Where one text occurs in another, and how far two texts are apart.

use crate::error::INVALID_ARGUMENT;
use crate::text::{char_length, position};
use crate::{SqlError, occurrence};

#[inline]
pub fn starts_with(text: &str, start: &str) -> bool {
    text.starts_with(start)
}

#[inline]
pub fn ends_with(text: &str, end: &str) -> bool {
    text.ends_with(end)
}

#[inline]
pub fn contains(text: &str, part: &str) -> bool {
    text.contains(part)
}

/// POSITION with its arguments in the other order.
pub fn strpos(text: &str, part: &str) -> i32 {
    position(part, text)
}

/// What stands before some occurrence of the delimiter, or behind it when they are counted from the end.
pub fn substring_index<'a>(text: &'a str, delimiter: &str, count: i64) -> &'a str {
    // No text holds more occurrences than an address can count.
    let nth = |count: u64| usize::try_from(count - 1).unwrap_or(usize::MAX);
    match count {
        _ if count == 0 || delimiter.is_empty() => "",
        1.. => text.match_indices(delimiter).nth(nth(count.unsigned_abs())).map_or(text, |(at, _)| &text[..at]),
        _ => {
            let found = text.rmatch_indices(delimiter).nth(nth(count.unsigned_abs()));
            found.map_or(text, |(at, part)| &text[at + part.len()..])
        }
    }
}

/// Cells of the largest table that LEVENSHTEIN fills.
const MOST_CELLS: u64 = 1 << 24;

/// Characters to insert, delete or replace on the way from one text to the other.
pub fn levenshtein(a: &str, b: &str) -> Result<i32, SqlError> {
    if a == b {
        return Ok(0);
    }
    let cells = u64::from(char_length(a).unsigned_abs()) * u64::from(char_length(b).unsigned_abs());
    if cells > MOST_CELLS {
        return Err(SqlError::new(INVALID_ARGUMENT, "the texts are too long for LEVENSHTEIN"));
    }
    let b: Vec<char> = b.chars().collect();
    // Edits from the part of `a` before this row to each start of `b`.
    let mut row: Vec<i32> = (0..).take(b.len() + 1).collect();
    for c in a.chars() {
        let mut diagonal = row[0];
        row[0] += 1;
        for (at, other) in b.iter().enumerate() {
            let replaced = diagonal + i32::from(c != *other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(row[at + 1] + 1);
        }
    }
    Ok(row[b.len()])
}

functions! { pub static FUNCTIONS:
    "STARTS_WITH" (VARCHAR, VARCHAR) -> BOOLEAN = occurrence::starts_with, Strict {}, "Does the first text start with the second?";
    "ENDS_WITH" (VARCHAR, VARCHAR) -> BOOLEAN = occurrence::ends_with, Strict {}, "Does the first text end with the second?";
    "CONTAINS" (VARCHAR, VARCHAR) -> BOOLEAN = occurrence::contains, Strict {}, "Does the second text occur in the first?";
    "STRPOS" (VARCHAR, VARCHAR) -> INTEGER = occurrence::strpos, Strict {}, "Where the second text occurs in the first; 0 where it does not.";
    "INSTR" (VARCHAR, VARCHAR) -> INTEGER = occurrence::strpos, Strict {}, "Where the second text occurs in the first; 0 where it does not.";
    "SUBSTRING_INDEX" (VARCHAR, VARCHAR, BIGINT) -> VARCHAR = occurrence::substring_index, Strict {}, "The text before an occurrence of the second text, or behind it when the count is negative.";
    "SUBSTR_INDEX" (VARCHAR, VARCHAR, BIGINT) -> VARCHAR = occurrence::substring_index, Strict {}, "The text before an occurrence of the second text, or behind it when the count is negative.";
    "LEVENSHTEIN" (VARCHAR, VARCHAR) -> INTEGER = occurrence::levenshtein, Strict {fallible}, "Characters to insert, delete or replace on the way from one text to the other.";
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values of DuckDB 1.5, whose texts count characters too here.
    #[test]
    fn parts() {
        assert!(starts_with("かわいい", "かわ") && starts_with("a", "") && !starts_with("", "a"));
        assert!(ends_with("かわいい", "いい") && !ends_with("い", "いい"));
        assert!(contains("abc", "") && contains("abc", "bc") && !contains("abc", "cb"));
        assert_eq!((strpos("かわいい", "い"), strpos("abc", ""), strpos("", "a")), (3, 1, 0));
    }

    // Values of MySQL's manual.
    #[test]
    fn parts_by_count() {
        for (count, expected) in [(2, "www.mysql"), (-2, "mysql.com"), (0, ""), (3, "www.mysql.com"), (-1, "com")] {
            assert_eq!(substring_index("www.mysql.com", ".", count), expected, "{count}");
        }
        assert_eq!((substring_index("abc", "", 1), substring_index("", "x", i64::MIN)), ("", ""));
        assert_eq!(substring_index("いいか", "い", i64::MAX), "いいか");
    }

    #[test]
    fn distances() {
        for (a, b, expected) in [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("", "", 0), ("ab", "ba", 2)]
        {
            assert_eq!(levenshtein(a, b), Ok(expected), "{a} {b}");
        }
        assert_eq!(levenshtein("かわいい", "かわい"), Ok(1));
        let long = "a".repeat(1 << 20);
        assert_eq!(levenshtein(&long, &long), Ok(0));
        assert!(levenshtein(&long, &(long.clone() + "b")).is_err());
    }
}
