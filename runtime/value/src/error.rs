//! What goes wrong while an expression is evaluated: errors as data, with SQLSTATE and position.

use std::borrow::Cow;
use std::fmt;

/// The five characters of a SQLSTATE (ISO/IEC 9075-2, clause 24), e.g. `22012`.
pub type SqlState = &'static str;

pub const NUMERIC_OUT_OF_RANGE: SqlState = "22003";
pub const DIVISION_BY_ZERO: SqlState = "22012";
pub const INVALID_TEXT: SqlState = "22P02";
pub const INVALID_DATETIME: SqlState = "22007";
pub const DATETIME_OVERFLOW: SqlState = "22008";
pub const INVALID_ARGUMENT: SqlState = "22023";
pub const INVALID_ESCAPE: SqlState = "22025";
pub const INVALID_WIDTH_BUCKET: SqlState = "2201G";
pub const INVALID_REGULAR_EXPRESSION: SqlState = "2201B";
pub const CANNOT_COERCE: SqlState = "42846";
pub const CARDINALITY_VIOLATION: SqlState = "21000";
pub const LIMIT_EXCEEDED: SqlState = "54000";
pub const NOT_NULL_VIOLATION: SqlState = "23502";

/// A part of a message without its middle when it is very long: it may quote what others wrote, of any length, and says
/// at both ends what it is about.
pub fn clipped(text: String) -> String {
    const HEAD: usize = 250;
    const TAIL: usize = 120;
    let start = text.char_indices().nth(HEAD);
    // Counted from the end, so that a text of any length is walked no further than what is shown.
    let end = text.char_indices().rev().nth(TAIL);
    match (start, end) {
        (Some((start, _)), Some((end, _))) if start < end => format!("{}...{}", &text[..start], &text[end..]),
        _ => text,
    }
}

/// A failed evaluation, not yet placed in the program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    pub code: SqlState,
    pub message: Cow<'static, str>,
}

impl SqlError {
    pub fn new(code: SqlState, message: impl Into<Cow<'static, str>>) -> SqlError {
        SqlError { code, message: message.into() }
    }

    /// Places the error at a line and a column of the program (both from 1).
    pub fn at(self, line: u32, column: u32) -> EvalError {
        EvalError { error: self, line, column }
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SqlError {}

/// A failed evaluation with the place of the expression in the program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    pub error: SqlError,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (SQLSTATE {}, line {} column {})", self.error.message, self.error.code, self.line, self.column)
    }
}

impl std::error::Error for EvalError {}

#[cfg(test)]
mod tests {
    use super::clipped;

    #[test]
    fn long_messages_lose_their_middle() {
        assert_eq!(clipped("é".repeat(370)), "é".repeat(370));
        let long = clipped(format!("\"{}\" is unknown", "é".repeat(100_000)));
        assert!(long.len() < 750 && long.starts_with("\"éé") && long.ends_with("éé\" is unknown"), "{long}");
    }
}
