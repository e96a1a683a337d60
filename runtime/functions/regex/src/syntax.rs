//! How the text of a pattern is read.

use crate::similar;
use feldc_value::SqlError;
use feldc_value::error::{INVALID_ARGUMENT, INVALID_REGULAR_EXPRESSION};
use regex::{Regex, RegexBuilder};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Regexp {
        ignore_case: bool,
        /// `^` and `$` match at line breaks too.
        lines: bool,
        /// `.` matches line breaks too.
        dot_all: bool,
        /// Blanks and comments in the pattern do not count.
        verbose: bool,
    },
    /// The pattern of SIMILAR TO.
    Similar { escape: Option<char> },
}

impl Syntax {
    pub const PLAIN: Syntax = Syntax::Regexp { ignore_case: false, lines: false, dot_all: false, verbose: false };

    /// By letters; a later one overrides an earlier.
    pub fn flags(letters: &str) -> Result<Syntax, SqlError> {
        let (mut ignore_case, mut lines, mut dot_all, mut verbose) = (false, false, false, false);
        for letter in letters.chars() {
            match letter {
                'i' => ignore_case = true,
                'c' => ignore_case = false,
                'm' => lines = true,
                's' => dot_all = true,
                'x' => verbose = true,
                other => {
                    let message = format!("'{other}' is no flag of a regular expression: write i, c, m, s or x");
                    return Err(SqlError::new(INVALID_ARGUMENT, message));
                }
            }
        }
        Ok(Syntax::Regexp { ignore_case, lines, dot_all, verbose })
    }

    pub fn compile(self, pattern: &str) -> Result<Regex, SqlError> {
        let compiled = match self {
            Syntax::Regexp { ignore_case, lines, dot_all, verbose } => RegexBuilder::new(pattern)
                .case_insensitive(ignore_case)
                .multi_line(lines)
                .dot_matches_new_line(dot_all)
                .ignore_whitespace(verbose)
                .build(),
            Syntax::Similar { escape } => Regex::new(&similar::translated(pattern, escape)?),
        };
        compiled.map_err(|error| refused(pattern, &reason(&error)))
    }
}

pub fn refused(pattern: &str, reason: &str) -> SqlError {
    let shown: String = pattern.chars().take(60).collect();
    let more = if shown.len() < pattern.len() { "..." } else { "" };
    let message = format!("'{shown}{more}' is not a valid regular expression: {reason}");
    SqlError::new(INVALID_REGULAR_EXPRESSION, message)
}

/// In one line, without the picture of the place.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large when compiled".to_string(),
        error => {
            let text = error.to_string();
            let last = text.lines().next_back().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(pattern: &str) -> String {
        let error = Syntax::PLAIN.compile(pattern).unwrap_err();
        assert_eq!(error.code, INVALID_REGULAR_EXPRESSION);
        error.message.into_owned()
    }

    #[test]
    fn what_is_wrong_with_a_pattern_is_said_in_one_line() {
        assert_eq!(message("("), "'(' is not a valid regular expression: unclosed group");
        assert!(message(&format!("{}(", "\u{3042}".repeat(100))).len() < 300);
        assert!(message("\\w{5000}{5000}").ends_with("too large when compiled"));
        assert!(message(&"(".repeat(1000)).contains("not a valid"));
    }

    #[test]
    fn flags_are_letters() {
        assert_eq!(Syntax::flags(""), Ok(Syntax::PLAIN));
        assert_eq!(Syntax::flags("ic"), Ok(Syntax::PLAIN));
        assert_eq!(Syntax::flags("g").unwrap_err().code, INVALID_ARGUMENT);
        assert!(Syntax::flags("i").unwrap().compile("straSSE").unwrap().is_match("STRASSE"));
        assert!(Syntax::flags("sx").unwrap().compile("a . b").unwrap().is_match("a\nb"));
        assert!(Syntax::flags("m").unwrap().compile("^b$").unwrap().is_match("a\nb"));
    }
}
