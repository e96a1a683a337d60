//! A pull reader over JSON text that hands out numbers as the text they were written in.
//!
//! Strict RFC 8259 grammar. It tells text that is wrong from text that merely ends too early, so that a record may be
//! read again once more bytes have arrived. Nothing is converted: columns decide what a number means.

use memchr::memchr2;

/// Deeper nesting than this is refused, so that no input exhausts the stack of a later reader.
const DEPTH_MAX: usize = 128;

/// Why a value could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text ends within the value.
    Incomplete,
    /// The text cannot be JSON from [`Cursor::at`] on.
    Syntax(&'static str),
}

/// What the next value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

/// A position in JSON text.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { text, at }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is not white space, without taking it.
    #[inline]
    pub fn peek(&mut self) -> Result<u8, Fault> {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                _ => return Ok(byte),
            }
        }
        Err(Fault::Incomplete)
    }

    #[inline]
    pub fn kind(&mut self) -> Result<Kind, Fault> {
        match self.peek()? {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::String),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b't' | b'f' => Ok(Kind::Boolean),
            b'n' => Ok(Kind::Null),
            _ => Err(Fault::Syntax("expected a JSON value")),
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8, otherwise: &'static str) -> Result<(), Fault> {
        if self.peek()? != byte {
            return Err(Fault::Syntax(otherwise));
        }
        self.at += 1;
        Ok(())
    }

    /// Enters an object; `false` when it is empty, which takes it whole.
    pub fn enter_object(&mut self) -> Result<bool, Fault> {
        self.expect(b'{', "expected an object")?;
        self.not_closed_by(b'}')
    }

    /// Enters an array; `false` when it is empty, which takes it whole.
    pub fn enter_array(&mut self) -> Result<bool, Fault> {
        self.expect(b'[', "expected an array")?;
        self.not_closed_by(b']')
    }

    fn not_closed_by(&mut self, close: u8) -> Result<bool, Fault> {
        let open = self.peek()? != close;
        self.at += usize::from(!open);
        Ok(open)
    }

    /// A key of an object with its colon: the bytes between the quotes, escapes as written.
    #[inline]
    pub fn key(&mut self) -> Result<&'a [u8], Fault> {
        if self.peek()? != b'"' {
            return Err(Fault::Syntax("expected a key in double quotes"));
        }
        let key = self.raw_string()?;
        self.expect(b':', "expected \":\" after the key")?;
        Ok(key)
    }

    /// After an item of an object: does another follow? Takes the comma or the closing brace.
    #[inline]
    pub fn next_in_object(&mut self) -> Result<bool, Fault> {
        self.next_item(b'}', "expected \",\" or \"}\"")
    }

    /// After an item of an array: does another follow? Takes the comma or the closing bracket.
    #[inline]
    pub fn next_in_array(&mut self) -> Result<bool, Fault> {
        self.next_item(b']', "expected \",\" or \"]\"")
    }

    #[inline]
    fn next_item(&mut self, close: u8, otherwise: &'static str) -> Result<bool, Fault> {
        let byte = self.peek()?;
        if byte != b',' && byte != close {
            return Err(Fault::Syntax(otherwise));
        }
        self.at += 1;
        Ok(byte == b',')
    }

    pub fn null(&mut self) -> Result<(), Fault> {
        self.peek()?;
        self.word("null")
    }

    pub fn boolean(&mut self) -> Result<bool, Fault> {
        let value = self.peek()? == b't';
        self.word(if value { "true" } else { "false" })?;
        Ok(value)
    }

    fn word(&mut self, word: &'static str) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        match word.as_bytes().starts_with(rest) {
            true => Err(Fault::Incomplete),
            false => Err(Fault::Syntax("expected null, true or false")),
        }
    }

    /// The text of a number, checked against the grammar.
    #[inline]
    pub fn number(&mut self) -> Result<&'a str, Fault> {
        self.peek()?;
        let start = self.at;
        self.at += usize::from(self.text[start] == b'-');
        match self.byte()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.skip_digits(),
            _ => return Err(Fault::Syntax("expected a digit")),
        }
        if self.byte()? == b'.' {
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.byte()?, b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.byte()?, b'+' | b'-'));
            self.some_digits()?;
        }
        // A number is known to be whole only by the byte behind it.
        if self.byte()?.is_ascii_alphanumeric() {
            return Err(Fault::Syntax("unexpected character in a number"));
        }
        std::str::from_utf8(&self.text[start..self.at]).map_err(|_| Fault::Syntax("expected a digit"))
    }

    #[inline]
    fn byte(&self) -> Result<u8, Fault> {
        self.text.get(self.at).copied().ok_or(Fault::Incomplete)
    }

    #[inline]
    fn skip_digits(&mut self) {
        self.at += self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }

    fn some_digits(&mut self) -> Result<(), Fault> {
        if !self.byte()?.is_ascii_digit() {
            return Err(Fault::Syntax("expected a digit"));
        }
        self.skip_digits();
        Ok(())
    }

    /// The content of a string as written, between its quotes.
    #[inline]
    pub fn raw_string(&mut self) -> Result<&'a [u8], Fault> {
        self.expect(b'"', "expected a string")?;
        let start = self.at;
        let mut from = start;
        loop {
            let Some(found) = memchr2(b'"', b'\\', &self.text[from..]) else {
                self.check_control(start, self.text.len())?;
                return Err(Fault::Incomplete);
            };
            let end = from + found;
            if self.text[end] == b'"' {
                self.check_control(start, end)?;
                self.at = end + 1;
                return Ok(&self.text[start..end]);
            }
            match self.text.get(end + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u') => from = end + 2,
                Some(_) => {
                    self.at = end;
                    return Err(Fault::Syntax("unknown escape in a string"));
                }
                None => return Err(Fault::Incomplete),
            }
        }
    }

    /// A raw line break in a string is how a missing quote shows: found on the line where it happened.
    #[inline]
    fn check_control(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        match self.text[start..end].iter().position(|&byte| byte < 0x20) {
            None => Ok(()),
            Some(place) => {
                self.at = start + place;
                Err(Fault::Syntax("control character in a string (is a quote missing?)"))
            }
        }
    }

    /// Takes one value of any kind without looking at it; numbers are not evaluated.
    pub fn skip_value(&mut self) -> Result<(), Fault> {
        let mut closers: Vec<u8> = Vec::new();
        loop {
            let opened = match self.kind()? {
                Kind::Null => self.null().map(|()| None),
                Kind::Boolean => self.boolean().map(|_| None),
                Kind::Number => self.number().map(|_| None),
                Kind::String => self.raw_string().map(|_| None),
                Kind::Array => self.enter_array().map(|open| open.then_some(b']')),
                Kind::Object => self.enter_object().map(|open| open.then_some(b'}')),
            }?;
            if let Some(closer) = opened {
                closers.push(closer);
                if closers.len() > DEPTH_MAX {
                    return Err(Fault::Syntax("JSON is nested too deeply (limit 128)"));
                }
            } else if !self.close(&mut closers)? {
                return Ok(());
            }
            if closers.last() == Some(&b'}') {
                self.key()?;
            }
        }
    }

    /// After a whole value: closes what ends here; `false` when nothing is open any more.
    fn close(&mut self, closers: &mut Vec<u8>) -> Result<bool, Fault> {
        while let Some(&closer) = closers.last() {
            match closer {
                b'}' if self.next_in_object()? => return Ok(true),
                b']' if self.next_in_array()? => return Ok(true),
                _ => closers.pop(),
            };
        }
        Ok(false)
    }
}

/// The text of a raw string: borrowed when nothing is escaped, else unescaped into `scratch`.
pub fn unescape<'a>(raw: &'a [u8], scratch: &'a mut String) -> Result<&'a str, &'static str> {
    let text = std::str::from_utf8(raw).map_err(|_| "text is not valid UTF-8")?;
    if memchr::memchr(b'\\', raw).is_none() {
        return Ok(text);
    }
    scratch.clear();
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        scratch.push_str(plain);
        let (character, length) = unescape_one(escaped)?;
        scratch.push(character);
        rest = &escaped[length..];
    }
    scratch.push_str(rest);
    Ok(scratch)
}

/// The character of the escape whose text behind the backslash begins `escaped`, and how many bytes it takes.
fn unescape_one(escaped: &str) -> Result<(char, usize), &'static str> {
    let simple = match escaped.as_bytes().first() {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(&byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
        _ => return unescape_unicode(escaped),
    };
    Ok((simple, 1))
}

fn unescape_unicode(escaped: &str) -> Result<(char, usize), &'static str> {
    const WRONG: &str = "a \\u escape is not a Unicode character";
    let unit = |from: usize| {
        let digits = escaped.get(from..from + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        u32::from_str_radix(digits.ok_or(WRONG)?, 16).map_err(|_| WRONG)
    };
    let first = unit(1)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first).map(|character| (character, 5)).ok_or(WRONG);
    }
    let second = if escaped.get(5..7) == Some("\\u") { unit(7)? } else { 0 };
    if !(0xdc00..0xe000).contains(&second) {
        return Err(WRONG);
    }
    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    char::from_u32(code).map(|character| (character, 11)).ok_or(WRONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// serde_json is the judge of what is JSON.
    #[test]
    fn skipping_agrees_with_the_judge() {
        let texts = [
            r#"{}"#,
            r#"[]"#,
            r#"[1,2,{"a":[true,false,null]}]"#,
            r#"{"a":1e400,"b":"x\"y\\"}"#,
            r#"[-0.5E+10]"#,
            r#"[01]"#,
            r#"[1.]"#,
            r#"[.5]"#,
            r#"[-]"#,
            r#"[+1]"#,
            r#"{"a"}"#,
            r#"{"a":1,}"#,
            r#"[1 2]"#,
            r#"{a:1}"#,
            r#"["\x"]"#,
            "[\"a\nb\"]",
            r#"[tru]"#,
            r#"[nulll]"#,
            r#"{"a":{"b":{"c":[[[]]]}}}"#,
            r#"[1,]"#,
            r#"{]"#,
            r#"[12a]"#,
        ];
        for text in texts {
            let judge = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            let ours = cursor.skip_value().is_ok() && cursor.at() == text.len();
            assert_eq!(ours, judge, "{text}");
        }
    }

    #[test]
    fn every_prefix_is_incomplete() {
        let text = r#"{"a":[1.5e-3,"x\"yA",true,null,{"b":[]}],"c":-0}"#.as_bytes();
        for end in 0..text.len() {
            assert_eq!(Cursor::new(&text[..end], 0).skip_value(), Err(Fault::Incomplete), "{end}");
        }
        assert_eq!(Cursor::new(text, 0).skip_value(), Ok(()));
    }

    #[test]
    fn escapes_are_those_of_the_judge() {
        for raw in [
            r"plain",
            r"a\n\t\r\b\f\/\\\x",
            r#"\""#,
            r"\u00e9",
            r"\ud83d\ude00",
            r"\ud83d",
            r"\ude00",
            r"\u12",
            r"\u+123",
        ] {
            let judge: Option<String> = serde_json::from_str(&format!("\"{raw}\"")).ok();
            let mut scratch = String::new();
            assert_eq!(unescape(raw.as_bytes(), &mut scratch).ok(), judge.as_deref(), "{raw}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = "[".repeat(100_000);
        assert!(matches!(Cursor::new(deep.as_bytes(), 0).skip_value(), Err(Fault::Syntax(_))));
    }
}
