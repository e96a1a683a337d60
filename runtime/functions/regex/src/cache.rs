//! Patterns compiled once: a pattern in a program is a constant, or one of few.

use crate::syntax::Syntax;
use feldc_value::SqlError;
use regex::Regex;
use std::cell::RefCell;

/// Patterns that a thread remembers. One that is read from data and differs in each row is compiled in each row.
const REMEMBERED: usize = 16;

struct Entry {
    syntax: Syntax,
    pattern: String,
    compiled: Result<Regex, SqlError>,
}

thread_local! {
    /// The last used first.
    static PATTERNS: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

/// What `f` makes of the compiled pattern, or why it does not compile.
pub fn with<T>(syntax: Syntax, pattern: &str, f: impl FnOnce(&Regex) -> T) -> Result<T, SqlError> {
    PATTERNS.with_borrow_mut(|entries| {
        match entries.iter().position(|entry| entry.pattern == pattern && entry.syntax == syntax) {
            Some(0) => (),
            Some(at) => entries[..=at].rotate_right(1),
            None => {
                entries.truncate(REMEMBERED - 1);
                let compiled = syntax.compile(pattern);
                entries.insert(0, Entry { syntax, pattern: pattern.to_string(), compiled });
            }
        }
        entries[0].compiled.as_ref().map(f).map_err(SqlError::clone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered() -> Vec<String> {
        PATTERNS.with_borrow(|entries| entries.iter().map(|entry| entry.pattern.clone()).collect())
    }

    #[test]
    fn the_last_patterns_are_remembered() {
        for pattern in ["a", "b", "c", "a"] {
            assert_eq!(with(Syntax::PLAIN, pattern, |regex| regex.is_match(pattern)), Ok(true));
        }
        assert_eq!(remembered(), ["a", "c", "b"]);
        for number in 0..100 {
            assert_eq!(with(Syntax::PLAIN, &number.to_string(), |regex| regex.is_match("x")), Ok(false));
        }
        assert_eq!(remembered().len(), REMEMBERED);
    }

    #[test]
    fn the_same_text_is_another_pattern_in_another_syntax() {
        assert_eq!(with(Syntax::PLAIN, "a.", |regex| regex.is_match("ab")), Ok(true));
        assert_eq!(with(Syntax::Similar { escape: None }, "a.", |regex| regex.is_match("ab")), Ok(false));
    }
}
