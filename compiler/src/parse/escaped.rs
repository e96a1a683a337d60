//! Texts with escapes, `E'a\tb'`, as PostgreSQL has them: a backslash and what follows stand for a character or a byte.
//!
//! They become plain texts before sqlparser reads them, which knows no bytes beyond ASCII in them. Every character outside
//! keeps its place.

use std::collections::BTreeMap;
use std::ops::Range;

/// What an escaped text lacks: bytes of the text, what is wrong there, and what to write.
pub type Fault = (Range<usize>, &'static str, &'static str);

/// Does the quote at an offset open an escaped text? An E directly before it that ends no word.
pub fn opens(bytes: &[u8], quote: usize) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80;
    bytes.get(quote) == Some(&b'\'')
        && quote > 0
        && matches!(bytes[quote - 1], b'e' | b'E')
        && (quote == 1 || !is_word(bytes[quote - 2]))
}

/// The offset just after the escaped text that a quote opens.
pub fn end(bytes: &[u8], quote: usize) -> Option<usize> {
    let mut at = quote + 1;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'\\', _) => at += 2,
            (b'\'', Some(b'\'')) => at += 2,
            (b'\'', _) => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The text with each escaped text as a plain one of the same length, its contents hidden, and the contents by the offset of
/// their quote. `quotes` are the offsets of the quotes that open the escaped texts.
pub fn hide(text: &str, quotes: &[usize]) -> Result<(String, BTreeMap<usize, String>), Fault> {
    let (mut out, mut contents, mut copied) = (String::with_capacity(text.len()), BTreeMap::new(), 0);
    for &quote in quotes {
        let end = end(text.as_bytes(), quote).unwrap_or(text.len());
        out += &text[copied..quote - 1];
        out += " '";
        let inside = quote + 1..end.saturating_sub(1).max(quote + 1);
        // Line feeds stay, so that the lines behind keep their numbers.
        out.extend(text[inside.clone()].chars().map(|c| if c == '\n' { '\n' } else { 'x' }));
        out.push('\'');
        contents.insert(quote, unescape(text, inside)?);
        copied = end;
    }
    out += &text[copied..];
    Ok((out, contents))
}

/// The characters that a stretch of a text stands for.
fn unescape(text: &str, inside: Range<usize>) -> Result<String, Fault> {
    let mut reader = Reader { bytes: text.as_bytes(), at: inside.start, end: inside.end };
    let mut out = vec![];
    while let Some(byte) = reader.next() {
        match byte {
            b'\'' => {
                reader.next();
                out.push(b'\'');
            }
            b'\\' => reader.escape(&mut out)?,
            byte => out.push(byte),
        }
    }
    let fault = |what, help| Err((inside.clone(), what, help));
    if out.contains(&0) {
        return fault("a text cannot hold the character zero", "take the \\0 out");
    }
    match String::from_utf8(out) {
        Ok(text) => Ok(text),
        Err(_) => fault("the bytes of the text are not UTF-8", "write a character as \\u and four hexadecimal digits"),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied().filter(|_| self.at < self.end)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// The number of up to `most` digits; none when there is no digit.
    fn number(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut number = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(radix)) else { break };
            number = Some(number.unwrap_or(0) * radix + digit);
            self.at += 1;
        }
        number
    }

    /// What stands behind a backslash.
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let start = self.at - 1;
        let byte = match self.next() {
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => match self.number(16, 2) {
                Some(byte) => byte as u8,
                None => b'x',
            },
            Some(b'0'..=b'7') => {
                self.at -= 1;
                // As in PostgreSQL the ninth bit is lost.
                (self.number(8, 3).unwrap_or(0) & 0xff) as u8
            }
            Some(b'u') => return self.character(4, start, out),
            Some(b'U') => return self.character(8, start, out),
            Some(byte) => byte,
            None => b'\\',
        };
        out.push(byte);
        Ok(())
    }

    /// A character by its number, which two halves of UTF-16 may make up.
    fn character(&mut self, digits: usize, start: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut number = self.exactly(digits, start)?;
        if (0xd800..0xdc00).contains(&number) && self.bytes[self.at..self.end].starts_with(b"\\u") {
            self.at += 2;
            let low = self.exactly(4, start)?;
            if (0xdc00..0xe000).contains(&low) {
                number = 0x10000 + ((number - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        let fault = || (start..self.at, "no character has this number", "write \\u and the number of a character");
        let character = char::from_u32(number).ok_or_else(fault)?;
        out.extend(character.encode_utf8(&mut [0; 4]).bytes());
        Ok(())
    }

    fn exactly(&mut self, digits: usize, start: usize) -> Result<u32, Fault> {
        let from = self.at;
        let number = self.number(16, digits).filter(|_| self.at == from + digits);
        let help = "write \\uXXXX or \\UXXXXXXXX with hexadecimal digits; a backslash itself is \\\\";
        number.ok_or((start..self.at, "the escape of a character has too few digits", help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let quote = text.find('\'').unwrap();
        assert!(opens(text.as_bytes(), quote));
        let result = hide(text, &[quote]).map(|(_, contents)| contents[&quote].clone());
        assert_eq!(result, expected.map(str::to_string).map_err(|what| result_of(text, what)), "{text}");
    }

    /// The fault, with the place that it is given.
    fn result_of(text: &str, what: &str) -> Fault {
        let fault = hide(text, &[text.find('\'').unwrap()]).unwrap_err();
        assert_eq!(fault.1, what);
        fault
    }

    #[test]
    fn escapes() {
        check(r"E'a\tb\\c\'d''e\q'", Ok("a\tb\\c'd'eq"));
        check(r"e'\x41\101\x4\u00e9\U0001F40D'", Ok("AA\u{4}é🐍"));
        check(r"E'\xc3\xa9\303\251'", Ok("éé"));
        check(r"E'\uD83D\uDC0D'", Ok("🐍"));
        check(r"E'\xg'", Ok("xg"));
        check("E'é\n'", Ok("é\n"));
        check(r"E''", Ok(""));
    }

    #[test]
    fn faults() {
        check(r"E'\0'", Err("a text cannot hold the character zero"));
        check(r"E'\xff'", Err("the bytes of the text are not UTF-8"));
        check(r"E'\u12'", Err("the escape of a character has too few digits"));
        check(r"E'\ud800'", Err("no character has this number"));
        check(r"E'\ud800\u0041'", Err("no character has this number"));
        check(r"E'\U00110000'", Err("no character has this number"));
    }

    #[test]
    fn places_are_kept() {
        let text = "a E'\\'é\n;' b";
        assert_eq!(hide(text, &[3]).unwrap().0, "a  'xxx\nx' b");
        assert_eq!(end(text.as_bytes(), 3), Some(text.len() - 2));
        assert_eq!(end(br"E'\'", 1), None);
        assert!(!opens(b"name'", 4) && !opens(b"1e'", 2) && !opens(b"'", 0));
    }
}
