//! Functions of character data. Positions and lengths count Unicode characters from 1.

use crate::text;

#[inline]
pub fn concat2(a: &str, b: &str) -> String {
    let mut result = String::with_capacity(a.len() + b.len());
    result.push_str(a);
    result.push_str(b);
    result
}

#[inline]
pub fn concat(parts: &[&str]) -> String {
    parts.concat()
}

/// NULL for a NULL separator; NULL parts are left out.
pub fn concat_ws(separator: Option<&str>, parts: &[Option<&str>]) -> Option<String> {
    let parts: Vec<&str> = parts.iter().copied().flatten().collect();
    Some(parts.join(separator?))
}

pub fn upper(text: &str) -> String {
    text.to_uppercase()
}

pub fn lower(text: &str) -> String {
    text.to_lowercase()
}

/// Capitalizes what follows a start for which `continues` is false.
fn capitalize(text: &str, continues: impl Fn(char) -> bool) -> String {
    let mut result = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match inside {
            true => result.extend(c.to_lowercase()),
            false => result.extend(c.to_uppercase()),
        }
        inside = continues(c);
    }
    result
}

/// Words are runs of letters and digits.
pub fn initcap(text: &str) -> String {
    capitalize(text, char::is_alphanumeric)
}

/// Words are separated by white space.
pub fn initcap_spaces(text: &str) -> String {
    capitalize(text, |c| !c.is_whitespace())
}

#[inline]
pub fn char_length(text: &str) -> i32 {
    // No text of this system reaches 2^31 characters: rows are addressed with 32 bits.
    text.chars().count() as i32
}

pub fn octet_length(text: &str) -> i32 {
    text.len() as i32
}

/// BIGINT, since eight times the bytes of a text may pass INTEGER.
pub fn bit_length(text: &str) -> i64 {
    i64::from(octet_length(text)) * 8
}

/// Byte offset behind the first `count` characters.
fn offset(text: &str, count: usize) -> usize {
    match text.is_ascii() {
        true => count.min(text.len()),
        false => text.char_indices().nth(count).map_or(text.len(), |(offset, _)| offset),
    }
}

#[inline]
pub fn substring_from(text: &str, from: i64) -> &str {
    &text[offset(text, usize::try_from(from - i64::from(from > 0)).unwrap_or(0))..]
}

/// Characters `from` to `from + length - 1`, of which those before the first do not exist; nothing for a negative length.
#[inline]
pub fn substring(text: &str, from: i64, length: i64) -> &str {
    let (first, end) = (from.max(1), from.saturating_add(length.max(0)));
    let start = offset(text, (first - 1) as usize);
    let rest = &text[start..];
    &rest[..offset(rest, usize::try_from(end.saturating_sub(first)).unwrap_or(0))]
}

/// The position from 1 that a position means which counts from the end where it is negative, and no further than to the start.
fn from_end(text: &str, from: i64) -> i64 {
    match from {
        0.. => from.max(1),
        _ => (i64::from(char_length(text)).saturating_add(from)).max(0) + 1,
    }
}

pub fn substr_from(text: &str, from: i64) -> &str {
    substring_from(text, from_end(text, from))
}

/// So many characters from a position on; nothing for a negative length.
pub fn substr(text: &str, from: i64, length: i64) -> &str {
    substring(text, from_end(text, from), length)
}

/// The first characters; nothing for a negative count.
pub fn left(text: &str, count: i64) -> &str {
    &text[..offset(text, usize::try_from(count).unwrap_or(0))]
}

/// The last characters; nothing for a negative count.
pub fn right(text: &str, count: i64) -> &str {
    let count = usize::try_from(count).unwrap_or(0);
    &text[offset(text, text.chars().count().saturating_sub(count))..]
}

/// Removes any of `characters` from both ends.
pub fn trim_both<'a>(characters: &str, text: &'a str) -> &'a str {
    text.trim_matches(|c| characters.contains(c))
}

pub fn trim_leading<'a>(characters: &str, text: &'a str) -> &'a str {
    text.trim_start_matches(|c| characters.contains(c))
}

pub fn trim_trailing<'a>(characters: &str, text: &'a str) -> &'a str {
    text.trim_end_matches(|c| characters.contains(c))
}

pub fn trim(text: &str) -> &str {
    text.trim_matches(' ')
}

pub fn ltrim(text: &str) -> &str {
    text.trim_start_matches(' ')
}

pub fn rtrim(text: &str) -> &str {
    text.trim_end_matches(' ')
}

/// As `trim_both`, with the arguments in the other order.
pub fn btrim_of<'a>(text: &'a str, characters: &str) -> &'a str {
    trim_both(characters, text)
}

pub fn ltrim_of<'a>(text: &'a str, characters: &str) -> &'a str {
    trim_leading(characters, text)
}

pub fn rtrim_of<'a>(text: &'a str, characters: &str) -> &'a str {
    trim_trailing(characters, text)
}

/// 0 when `part` does not occur.
pub fn position(part: &str, text: &str) -> i32 {
    text.find(part).map_or(0, |offset| char_length(&text[..offset]) + 1)
}

pub fn reverse(text: &str) -> String {
    text.chars().rev().collect()
}

/// Part `n`, counted from 1, or from the end when negative; the whole text is the only part for an empty delimiter.
pub fn split_part<'a>(text: &'a str, delimiter: &str, n: i64) -> &'a str {
    let index = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
    let part = match (delimiter, n) {
        (_, 0) => None,
        ("", 1 | -1) => Some(text),
        ("", _) => None,
        (_, 1..) => text.split(delimiter).nth(index - 1),
        // From the end of the parts found from the start: overlapping delimiters split the same way.
        _ => {
            let parts = text.split(delimiter).count();
            parts.checked_sub(index).and_then(|index| text.split(delimiter).nth(index))
        }
    };
    part.unwrap_or("")
}

/// Code point of the first character; 0 for the empty text.
pub fn ascii(text: &str) -> i32 {
    text.chars().next().map_or(0, |c| c as i32)
}

/// The character of a code point; empty when there is none.
pub fn chr(code: i64) -> String {
    u32::try_from(code).ok().and_then(char::from_u32).map_or_else(String::new, String::from)
}

/// Replaces `length` characters from position `from`; before the first character nothing is replaced.
pub fn overlay(text: &str, placing: &str, from: i64, length: i64) -> String {
    if from < 1 {
        return text.to_string();
    }
    let start = offset(text, usize::try_from(from - 1).unwrap_or(usize::MAX));
    let rest = &text[start..];
    let end = offset(rest, usize::try_from(length).unwrap_or(0));
    [&text[..start], placing, &rest[end..]].concat()
}

/// Replaces as many characters as are placed.
pub fn overlay_from(text: &str, placing: &str, from: i64) -> String {
    overlay(text, placing, from, i64::from(char_length(placing)))
}

/// Replaces each character of `from` by the one at its place in `to`, or removes it when `to` is shorter.
pub fn translate(text: &str, from: &str, to: &str) -> String {
    let replacement = |c: char| match from.chars().position(|f| f == c) {
        Some(place) => to.chars().nth(place),
        None => Some(c),
    };
    text.chars().filter_map(replacement).collect()
}

functions! { pub static FUNCTIONS:
    "||" (VARCHAR, VARCHAR) -> VARCHAR = text::concat2, Strict {}, "Both texts, one after the other.";
    "CONCAT" (; VARCHAR) -> VARCHAR = text::concat, Strict {}, "All texts, one after the other; NULL if any is NULL.";
    "CONCAT_WS" (VARCHAR; VARCHAR) -> VARCHAR = text::concat_ws, Custom {}, "All texts that are not NULL, with the first argument between them.";
    "UPPER" (VARCHAR) -> VARCHAR = text::upper, Strict {}, "Upper case.";
    "LOWER" (VARCHAR) -> VARCHAR = text::lower, Strict {}, "Lower case.";
    "UCASE" (VARCHAR) -> VARCHAR = text::upper, Strict {}, "Upper case.";
    "LCASE" (VARCHAR) -> VARCHAR = text::lower, Strict {}, "Lower case.";
    "INITCAP" (VARCHAR) -> VARCHAR = text::initcap, Strict {}, "Words with a capital first letter, the rest in lower case.";
    "INITCAP_SPACES" (VARCHAR) -> VARCHAR = text::initcap_spaces, Strict {}, "As INITCAP, with words separated by white space only.";
    "CHAR_LENGTH" (VARCHAR) -> INTEGER = text::char_length, Strict {}, "Number of characters.";
    "CHARACTER_LENGTH" (VARCHAR) -> INTEGER = text::char_length, Strict {}, "Number of characters.";
    "LENGTH" (VARCHAR) -> INTEGER = text::char_length, Strict {}, "Number of characters.";
    "LEN" (VARCHAR) -> INTEGER = text::char_length, Strict {}, "Number of characters.";
    "OCTET_LENGTH" (VARCHAR) -> INTEGER = text::octet_length, Strict {}, "Number of bytes in UTF-8.";
    "BIT_LENGTH" (VARCHAR) -> BIGINT = text::bit_length, Strict {}, "Number of bits in UTF-8.";
    "SUBSTRING" (VARCHAR, BIGINT) -> VARCHAR = text::substring_from, Strict {}, "The text from a position on.";
    "SUBSTRING" (VARCHAR, BIGINT, BIGINT) -> VARCHAR = text::substring, Strict {}, "Some characters from a position on.";
    "SUBSTR" (VARCHAR, BIGINT) -> VARCHAR = text::substr_from, Strict {}, "The text from a position on, which counts from the end where it is negative.";
    "SUBSTR" (VARCHAR, BIGINT, BIGINT) -> VARCHAR = text::substr, Strict {}, "Some characters from a position on, which counts from the end where it is negative.";
    "LEFT" (VARCHAR, BIGINT) -> VARCHAR = text::left, Strict {}, "The first characters.";
    "RIGHT" (VARCHAR, BIGINT) -> VARCHAR = text::right, Strict {}, "The last characters.";
    "TRIM BOTH" (VARCHAR, VARCHAR) -> VARCHAR = text::trim_both, Strict {}, "The second text without any of the first's characters at its ends.";
    "TRIM LEADING" (VARCHAR, VARCHAR) -> VARCHAR = text::trim_leading, Strict {}, "The second text without any of the first's characters at its start.";
    "TRIM TRAILING" (VARCHAR, VARCHAR) -> VARCHAR = text::trim_trailing, Strict {}, "The second text without any of the first's characters at its end.";
    "TRIM" (VARCHAR) -> VARCHAR = text::trim, Strict {}, "Without blanks at the ends.";
    "BTRIM" (VARCHAR) -> VARCHAR = text::trim, Strict {}, "Without blanks at the ends.";
    "BTRIM" (VARCHAR, VARCHAR) -> VARCHAR = text::btrim_of, Strict {}, "The first text without any of the second's characters at its ends.";
    "LTRIM" (VARCHAR) -> VARCHAR = text::ltrim, Strict {}, "Without blanks at the start.";
    "RTRIM" (VARCHAR) -> VARCHAR = text::rtrim, Strict {}, "Without blanks at the end.";
    "LTRIM" (VARCHAR, VARCHAR) -> VARCHAR = text::ltrim_of, Strict {}, "The first text without any of the second's characters at its start.";
    "RTRIM" (VARCHAR, VARCHAR) -> VARCHAR = text::rtrim_of, Strict {}, "The first text without any of the second's characters at its end.";
    "TRANSLATE" (VARCHAR, VARCHAR, VARCHAR) -> VARCHAR = text::translate, Strict {}, "Characters of the second text replaced by those of the third.";
    "POSITION" (VARCHAR, VARCHAR) -> INTEGER = text::position, Strict {}, "Where the first text occurs in the second; 0 where it does not.";
    "REVERSE" (VARCHAR) -> VARCHAR = text::reverse, Strict {}, "The characters from last to first.";
    "SPLIT_PART" (VARCHAR, VARCHAR, BIGINT) -> VARCHAR = text::split_part, Strict {}, "One of the parts between delimiters.";
    "ASCII" (VARCHAR) -> INTEGER = text::ascii, Strict {}, "Code point of the first character.";
    "UNICODE" (VARCHAR) -> INTEGER = text::ascii, Strict {}, "Code point of the first character.";
    "CHR" (BIGINT) -> VARCHAR = text::chr, Strict {}, "The character of a code point.";
    "OVERLAY" (VARCHAR, VARCHAR, BIGINT) -> VARCHAR = text::overlay_from, Strict {}, "The first text with the second written over it from a position on.";
    "OVERLAY" (VARCHAR, VARCHAR, BIGINT, BIGINT) -> VARCHAR = text::overlay, Strict {}, "The first text with some characters replaced by the second text.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_by_position() {
        assert_eq!(substring("hello", 2, 3), "ell");
        assert_eq!(substring("🐍🐍い", 2, 9), "🐍い");
        assert_eq!(substring("hello", -1, 4), "he");
        assert_eq!(substring("string", 0, -2), "");
        assert_eq!(substring("string", i64::MAX, i64::MAX), "");
        assert_eq!(substring("string", i64::MIN, i64::MAX), "");
        assert_eq!(substring_from("hello", 3), "llo");
        assert_eq!((substr("Thomás", -3, 2), substr("Thomas", 2, -1), substr("abc", -9, 2)), ("má", "", "ab"));
        assert_eq!(
            (substr_from("Thomas", -2), substr_from("abc", 0), substr_from("abc", i64::MIN)),
            ("as", "abc", "abc")
        );
        assert_eq!(substring_from("hello", -3), "hello");
        assert_eq!(substring_from("hello", i64::MIN), "hello");
        assert_eq!((left("かわいい", 2), right("かわいい", 3)), ("かわ", "わいい"));
        assert_eq!((left("string", -2), right("string", -2)), ("", ""));
        assert_eq!(overlay("babosa", "ubb", 2, 4), "bubba");
        assert_eq!(overlay("123", "xyz", -1, 3), "123");
        assert_eq!(overlay_from("123", "xyz", 7), "123xyz");
    }

    #[test]
    fn parts_by_content() {
        assert_eq!(position("い", "かわいい"), 3);
        assert_eq!((position("", ""), position("x", "abc")), (1, 0));
        assert_eq!(split_part("abc~@~def~@~ghi", "~@~", 2), "def");
        assert_eq!(split_part("abc~@~def~@~ghi", "~@~", -3), "abc");
        assert_eq!(split_part("abc~@~def~@~ghi", "~@~", -4), "");
        assert_eq!(split_part("abc", "", 1), "abc");
        assert_eq!(split_part("abc", "b", i64::MIN), "");
        assert_eq!(trim_both("x", "xxsome Xsxx"), "some Xs");
        assert_eq!(trim_leading("yxz", "zzytest"), "test");
        assert_eq!(translate("12345", "143", "ax"), "a2x5");
    }

    #[test]
    fn cases() {
        assert_eq!(initcap("hi THOMAS-SON"), "Hi Thomas-Son");
        assert_eq!(initcap_spaces("hi THOMAS-SON"), "Hi Thomas-son");
        assert_eq!(initcap("h@pP√ "), "H@Pp√ ");
        assert_eq!(upper("straße"), "STRASSE");
    }

    #[test]
    fn joining() {
        assert_eq!(concat_ws(Some(","), &[Some("a"), None, Some("b")]).as_deref(), Some("a,b"));
        assert_eq!(concat_ws(None, &[Some("a")]), None);
        assert_eq!(concat(&["a", "", "b"]), "ab");
        assert_eq!((chr(-1), chr(0xD800), chr(65)), (String::new(), String::new(), "A".into()));
        assert_eq!(ascii("x"), 120);
    }
}
