//! SIMILAR TO: the pattern of the SQL standard, which the whole text must match. `%` stands for any characters, `_` for
//! one; `|`, `*`, `+`, `?`, `{m,n}`, `( )` and `[ ]` are those of regular expressions; all else is itself.

use crate::syntax::{Syntax, refused};
use crate::{cache, similar};
use feldc_value::error::INVALID_ESCAPE;
use feldc_value::{SqlError, functions};
use std::iter::Peekable;
use std::str::Chars;

/// As in PostgreSQL the backslash escapes when no ESCAPE is written.
pub fn similar(text: &str, pattern: &str) -> Result<bool, SqlError> {
    cache::with(Syntax::Similar { escape: Some('\\') }, pattern, |regex| regex.is_match(text))
}

/// The empty escape switches escapes off.
pub fn similar_escape(text: &str, pattern: &str, escape: &str) -> Result<bool, SqlError> {
    let mut characters = escape.chars();
    let (escape, None) = (characters.next(), characters.next()) else {
        return Err(SqlError::new(INVALID_ESCAPE, "ESCAPE needs at most one character"));
    };
    cache::with(Syntax::Similar { escape }, pattern, |regex| regex.is_match(text))
}

/// The regular expression for a pattern.
pub fn translated(pattern: &str, escape: Option<char>) -> Result<String, SqlError> {
    let mut out = String::from(r"(?s)\A(?:");
    let mut rest = pattern.chars().peekable();
    // Is there something that a quantifier could repeat?
    let mut repeatable = false;
    while let Some(c) = rest.next() {
        let before = std::mem::replace(&mut repeatable, true);
        match c {
            _ if Some(c) == escape => match rest.next() {
                Some(c) => literal(c, &mut out),
                None => return Err(SqlError::new(INVALID_ESCAPE, "a pattern must not end with its escape character")),
            },
            '%' => out.push_str("(?:.*)"),
            '_' => out.push('.'),
            '*' | '+' | '?' | '{' => {
                if !before {
                    return Err(refused(pattern, &format!("there is nothing before '{c}' to repeat")));
                }
                out.push(c);
                if c == '{' {
                    repetition(&mut rest, pattern, &mut out)?;
                }
                repeatable = false;
            }
            '(' | '|' => {
                out.push(c);
                repeatable = false;
            }
            ')' => out.push(')'),
            '[' => bracket(&mut rest, escape, pattern, &mut out)?,
            c => literal(c, &mut out),
        }
    }
    // A parenthesis that closes what was not opened must not close ours.
    if !balanced(&out[r"(?s)\A(?:".len()..]) {
        return Err(refused(pattern, "its parentheses do not match"));
    }
    out.push_str(r")\z");
    Ok(out)
}

fn literal(c: char, out: &mut String) {
    if !c.is_alphanumeric() && c.is_ascii() {
        out.push('\\');
    }
    // Escaped, line breaks and other control characters would be unknown escapes.
    match c.is_ascii_control() {
        true => out.push_str(&format!("x{:02x}", u32::from(c))),
        false if c == '<' || c == '>' || c == ' ' => {
            out.pop();
            out.push_str(&format!("\\x{:02x}", u32::from(c)));
        }
        false => out.push(c),
    }
}

/// The rest of `{m}`, `{m,}` or `{m,n}`.
fn repetition(rest: &mut Peekable<Chars<'_>>, pattern: &str, out: &mut String) -> Result<(), SqlError> {
    let mut inside = String::new();
    loop {
        match rest.next() {
            Some('}') => break,
            Some(c) if c.is_ascii_digit() || c == ',' => inside.push(c),
            _ => return Err(refused(pattern, "a repetition is written {m}, {m,} or {m,n}")),
        }
    }
    out.push_str(&inside);
    out.push('}');
    match inside.starts_with(|c: char| c.is_ascii_digit()) {
        true => Ok(()),
        false => Err(refused(pattern, "a repetition is written {m}, {m,} or {m,n}")),
    }
}

/// The rest of `[...]`: characters, ranges and `[:class:]`; a `]` in first place is itself.
fn bracket(
    rest: &mut Peekable<Chars<'_>>,
    escape: Option<char>,
    pattern: &str,
    out: &mut String,
) -> Result<(), SqlError> {
    let unclosed = || refused(pattern, "a bracket is not closed");
    out.push('[');
    if rest.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        let c = rest.next().ok_or_else(unclosed)?;
        match c {
            ']' if !first => break,
            _ if Some(c) == escape => literal(rest.next().ok_or_else(unclosed)?, out),
            '[' if rest.peek() == Some(&':') => {
                rest.next();
                let class: String = std::iter::from_fn(|| rest.next_if(char::is_ascii_alphabetic)).collect();
                if rest.next() != Some(':') || rest.next() != Some(']') {
                    return Err(refused(pattern, "a class of characters is written [:name:]"));
                }
                out.push_str(&format!("[:{class}:]"));
            }
            // Between two characters a range; at an end itself.
            '-' if !first && rest.peek() != Some(&']') => out.push('-'),
            c => literal(c, out),
        }
        first = false;
    }
    out.push(']');
    Ok(())
}

/// Does each parenthesis of a regular expression without `[(]` or `\(` meet another?
fn balanced(regex: &str) -> bool {
    let (mut depth, mut in_bracket, mut escaped) = (0i64, false, false);
    for c in regex.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_bracket = true,
            ']' => in_bracket = false,
            '(' if !in_bracket => depth += 1,
            ')' if !in_bracket => depth -= 1,
            _ => (),
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

functions! { pub static FUNCTIONS:
    "SIMILAR TO" (VARCHAR, VARCHAR) -> BOOLEAN = similar::similar, Strict {fallible}, "Does the whole text match the pattern of the SQL standard? The backslash escapes.";
    "SIMILAR TO" (VARCHAR, VARCHAR, VARCHAR) -> BOOLEAN = similar::similar_escape, Strict {fallible}, "Does the whole text match the pattern of the SQL standard with an escape character?";
}
