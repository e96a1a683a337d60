//! SIMILAR TO: the pattern of the SQL standard, which the whole text must match. `%` stands for any characters, `_` for
//! one; an escaped quotation mark, which bounds the part that SUBSTRING takes, for nothing; `|`, `*`, `+`, `?`, `{m,n}`, `( )` and `[ ]` are those of regular expressions; all else is itself.

use crate::syntax::{Syntax, refused};
use crate::{cache, similar};
use feldc_value::error::INVALID_ESCAPE;
use feldc_value::{SqlError, functions};
use std::iter::Peekable;
use std::str::Chars;

/// Of characters, for `[:name:]`.
const CLASSES: &[&str] =
    &["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"];

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
    let (mut start, mut marks) = (out.len(), 0);
    while let Some(c) = rest.next() {
        let before = std::mem::replace(&mut repeatable, true);
        match c {
            _ if Some(c) == escape => match rest.next() {
                Some('"') => {
                    marks += 1;
                    if marks > 2 || !balanced(&out[start..]) {
                        return Err(refused(
                            pattern,
                            "it has more than two marks of a part, or one within parentheses",
                        ));
                    }
                    out.push_str(")(?:");
                    start = out.len();
                    repeatable = false;
                }
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
    if !balanced(&out[start..]) {
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
                if !CLASSES.contains(&class.as_str()) {
                    return Err(refused(pattern, &format!("[:{class}:] is no class of characters")));
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

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::error::INVALID_REGULAR_EXPRESSION;

    // Values of PostgreSQL 15.
    #[test]
    fn patterns() {
        for (text, pattern, expected) in [
            ("abc", "abc", true),
            ("abc", "a", false),
            ("abc", "%(b|d)%", true),
            ("abc", "(b|c)%", false),
            ("a\nc", "a_c", true),
            ("", "%", true),
            ("", "", true),
            ("aab", "a{2}b?", true),
            ("aaab", "a{1,2}b", false),
            ("a.c", "a.c", true),
            ("abc", "a.c", false),
            ("a^$", "a^$", true),
            ("x-]", "[a-z][]-]+", true),
            ("5é", "[[:digit:]][^a-z]", true),
            ("a<b> #~c", "a<b> #~c", true),
            ("a_c", "a\\_c", true),
            ("abc", "a\\_c", false),
            ("ab", "a|ab", true),
        ] {
            assert_eq!(similar(text, pattern), Ok(expected), "{text} {pattern}");
        }
        assert_eq!(similar_escape("a%", "a#%", "#"), Ok(true));
        assert_eq!(similar_escape("a\\", "a\\", ""), Ok(true));
        assert_eq!(similar_escape("foobar", "%い\"o_bい\"%", "い"), Ok(true));
        for (text, expected) in [("ab", true), ("xb", true), ("y", false), ("xy", true), ("b", false)] {
            assert_eq!(similar_escape(text, "a|x#\"b|y#\"", "#"), Ok(expected), "{text}");
        }
    }

    #[test]
    fn bad_patterns() {
        for pattern in
            ["(", ")", "a)(b", "*", "a|*", "[a", "a{", "a{,2}", "[[:nothing:]]", "a{2,1}", "(\\\"a)", "\\\"\\\"\\\""]
        {
            let found = similar("a", pattern).map_err(|error| error.code);
            assert_eq!(found, Err(INVALID_REGULAR_EXPRESSION), "{pattern}");
        }
        assert_eq!(similar("a", "a\\").unwrap_err().code, INVALID_ESCAPE);
        assert_eq!(similar_escape("a", "a", "ab").unwrap_err().code, INVALID_ESCAPE);
    }
}
