//! LIKE and ILIKE: `%` stands for any characters, `_` for one. Without ESCAPE no character is special beside these.
//!
//! No backtracking over more than one `%`: the leftmost match of the part behind a `%` is as good as any later one.

use crate::error::INVALID_ESCAPE;
use crate::{SqlError, like};

/// Length in bytes of the start of `text` that a part without `%` matches.
fn prefix(text: &str, part: &str) -> Option<usize> {
    if !part.contains('_') {
        return text.starts_with(part).then_some(part.len());
    }
    let mut rest = text.chars();
    for wanted in part.chars() {
        let found = rest.next()?;
        if wanted != '_' && wanted != found {
            return None;
        }
    }
    Some(text.len() - rest.as_str().len())
}

/// End of the leftmost match of a part without `%`.
fn find(text: &str, part: &str) -> Option<usize> {
    if !part.contains('_') {
        return text.find(part).map(|start| start + part.len());
    }
    text.char_indices().find_map(|(start, _)| prefix(&text[start..], part).map(|length| start + length))
}

/// Does a part without `%` match the end of `text`?
fn ends_with(text: &str, part: &str) -> bool {
    if !part.contains('_') {
        return text.ends_with(part);
    }
    let start = text.char_indices().rev().nth(part.chars().count() - 1);
    start.is_some_and(|(start, _)| prefix(&text[start..], part).is_some())
}

#[inline]
pub fn like(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('%');
    let first = parts.next().unwrap_or("");
    let Some(length) = prefix(text, first) else { return false };
    let mut rest = &text[length..];
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match find(rest, part) {
            Some(end) => rest = &rest[end..],
            None => return false,
        }
    }
    ends_with(rest, last)
}

/// One element of a pattern whose escapes are resolved.
#[derive(Clone, Copy, PartialEq)]
enum Token {
    Any,
    One,
    Literal(char),
}

fn invalid_escape(message: &'static str) -> SqlError {
    SqlError::new(INVALID_ESCAPE, message)
}

/// An escaped character stands for itself.
fn tokens(pattern: &str, escape: &str) -> Result<Vec<Token>, SqlError> {
    let mut characters = escape.chars();
    let (Some(escape), None) = (characters.next(), characters.next()) else {
        return Err(invalid_escape("ESCAPE needs exactly one character"));
    };
    let mut tokens = Vec::with_capacity(pattern.len());
    let mut pattern = pattern.chars();
    while let Some(c) = pattern.next() {
        tokens.push(match c {
            _ if c == escape => match pattern.next() {
                Some(c) => Token::Literal(c),
                None => return Err(invalid_escape("a LIKE pattern must not end with its escape character")),
            },
            '%' => Token::Any,
            '_' => Token::One,
            c => Token::Literal(c),
        });
    }
    Ok(tokens)
}

/// On a mismatch the last `%` takes one more character.
fn matches(text: &str, tokens: &[Token]) -> bool {
    let mut rest = text.chars();
    let mut at = 0;
    let mut last_any: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        let token = tokens.get(at).copied();
        if token == Some(Token::Any) {
            at += 1;
            last_any = Some((at, rest.clone()));
            continue;
        }
        let before = rest.clone();
        let matched = match (token, rest.next()) {
            (None, None) => return true,
            (Some(Token::One), Some(_)) => true,
            (Some(Token::Literal(wanted)), Some(found)) => wanted == found,
            _ => false,
        };
        if matched {
            at += 1;
            continue;
        }
        // Out of text: no longer `%` can help.
        if before.as_str().is_empty() {
            return false;
        }
        let Some((behind, start)) = &mut last_any else { return false };
        start.next();
        at = *behind;
        rest = start.clone();
    }
}

pub fn like_escape(text: &str, pattern: &str, escape: &str) -> Result<bool, SqlError> {
    Ok(matches(text, &tokens(pattern, escape)?))
}

/// LIKE that ignores case.
pub fn ilike(text: &str, pattern: &str) -> bool {
    like(&text.to_lowercase(), &pattern.to_lowercase())
}

pub fn ilike_escape(text: &str, pattern: &str, escape: &str) -> Result<bool, SqlError> {
    let lower = tokens(pattern, escape)?.into_iter().flat_map(|token| match token {
        Token::Literal(c) => c.to_lowercase().map(Token::Literal).collect(),
        other => vec![other],
    });
    Ok(matches(&text.to_lowercase(), &lower.collect::<Vec<_>>()))
}

functions! { pub static FUNCTIONS:
    "LIKE" (VARCHAR, VARCHAR) -> BOOLEAN = like::like, Strict {}, "Does the text match the pattern?";
    "LIKE" (VARCHAR, VARCHAR, VARCHAR) -> BOOLEAN = like::like_escape, Strict {fallible}, "Does the text match the pattern with an escape character?";
    "ILIKE" (VARCHAR, VARCHAR) -> BOOLEAN = like::ilike, Strict {}, "Does the text match the pattern, whatever the case?";
    "ILIKE" (VARCHAR, VARCHAR, VARCHAR) -> BOOLEAN = like::ilike_escape, Strict {fallible}, "Does the text match the pattern with an escape character, whatever the case?";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (text, pattern, expected) in [
            ("hawkeye", "h%", true),
            ("hawkeye", "h%eye", true),
            ("hawkeye", "H%", false),
            ("indio", "in__o", true),
            ("indio", "in_o", false),
            ("foo", "_%", true),
            ("", "_%", false),
            ("foo", "%___", true),
            ("foo", "%____", false),
            ("jack", "%____%", true),
            ("special packages requests", "%special%requests%", true),
            ("aab", "%ab", true),
            ("a", "a%a", false),
            ("かわいい", "か_%い", true),
            ("", "", true),
            ("x", "", false),
        ] {
            assert_eq!(like(text, pattern), expected, "{text} LIKE {pattern}");
            assert_eq!(like_escape(text, pattern, "#"), Ok(expected), "{text} LIKE {pattern} ESCAPE #");
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(like_escape("h%wkeye", "h#%%", "#"), Ok(true));
        assert_eq!(like_escape("h%wkeye", "h#%", "#"), Ok(false));
        assert_eq!(like_escape("i_dio", "i$_nd_o", "$"), Ok(false));
        assert_eq!(like_escape("a#b", "a##b", "#"), Ok(true));
        assert_eq!(like_escape("a", "a#", "#").unwrap_err().code, INVALID_ESCAPE);
        assert_eq!(like_escape("a", "a", "").unwrap_err().code, INVALID_ESCAPE);
        assert_eq!(ilike_escape("H%X", "h#%x", "#"), Ok(true));
        assert!(ilike("hawkeye", "H%Eye"));
    }

    #[test]
    fn both_matchers_agree_on_all_short_patterns() {
        let words = |alphabet: &[char], length: u32| {
            let n = alphabet.len();
            (0..n.pow(length))
                .map(|mut code| {
                    (0..length)
                        .map(|_| {
                            let c = alphabet[code % n];
                            code /= n;
                            c
                        })
                        .collect::<String>()
                })
                .collect::<Vec<_>>()
        };
        let patterns: Vec<String> = (0..5).flat_map(|length| words(&['a', 'ß', '%', '_'], length)).collect();
        for text in (0..5).flat_map(|length| words(&['a', 'ß'], length)) {
            for pattern in &patterns {
                assert_eq!(Ok(like(&text, pattern)), like_escape(&text, pattern, "#"), "{text} LIKE {pattern}");
            }
        }
    }
}
