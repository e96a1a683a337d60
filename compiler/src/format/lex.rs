//! Text to tokens that are slices of it. Quotes and comments are read as `parse` reads them; comments are tokens too.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// In double quotes.
    Name,
    Number,
    Text,
    /// An operator.
    Symbol,
    Comma,
    Semicolon,
    Dot,
    Open,
    Close,
    /// From `--` to the end of the line.
    LineComment,
    BlockComment,
}

#[derive(Clone, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Is there a blank or comment before it?
    pub spaced: bool,
    /// Line ends before it, or 2 at the start of the text.
    pub lines: usize,
    /// A word in upper case; set by [`super::keyword::mark`], like `space`.
    pub keyword: bool,
    /// To be printed behind a blank.
    pub space: bool,
}

impl Token<'_> {
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::LineComment | Kind::BlockComment)
    }

    /// A keyword of this spelling.
    pub fn is(&self, word: &str) -> bool {
        self.keyword && self.text.eq_ignore_ascii_case(word)
    }

    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// A word of this spelling, keyword or not.
    pub fn spells(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// Operators of several characters, the longest first.
const SYMBOLS: [&str; 20] = [
    "!~~*", "<=>", "->>", "!~~", "!~*", "~~*", "<>", "<=", ">=", "!=", "||", "::", "=>", "->", "<<", ">>", "!~", "~~",
    "~*", "==",
];

pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = vec![];
    let (mut at, mut lines, mut spaced) = (0, 2, true);
    // Types of MAP and ARRAY that are open.
    let mut types = 0usize;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() || first == '\u{feff}' {
            lines += usize::from(first == '\n');
            spaced = true;
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (kind, length) = match opens_type(&tokens, rest) {
            true => (Kind::Open, 1),
            false => token(rest, &tokens, types > 0),
        };
        types = match (kind, &rest[..length]) {
            (Kind::Open, "<") => types + 1,
            (Kind::Close, ">") => types - 1,
            (Kind::Semicolon, _) => 0,
            _ => types,
        };
        tokens.push(Token { kind, text: &rest[..length], spaced, lines, keyword: false, space: false });
        at += length;
        (lines, spaced) = (0, false);
    }
    tokens
}

/// Does `<` open the types of a MAP or ARRAY?
fn opens_type(tokens: &[Token<'_>], rest: &str) -> bool {
    rest.starts_with('<') && tokens.last().is_some_and(|token| token.spells("MAP") || token.spells("ARRAY"))
}

/// The length of a text between `$$` or `$name$`.
fn dollar_length(text: &str) -> Option<usize> {
    let name = text[1..].split('$').next()?;
    let is_name =
        name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    let mark = text.get(..name.len() + 2).filter(|_| is_name)?;
    Some(mark.len() + text[mark.len()..].find(mark)? + mark.len())
}

/// The kind and the length of the token at the start of a text that is not empty. `in_type`: `>` closes the types of a MAP.
fn token(text: &str, before: &[Token<'_>], in_type: bool) -> (Kind, usize) {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'-' if text.starts_with("--") => (Kind::LineComment, line_length(text)),
        b'/' if text.starts_with("/*") => (Kind::BlockComment, comment_length(bytes)),
        b'\'' => (Kind::Text, quoted_length(text, 0, '\'')),
        b'$' if dollar_length(text).is_some() => (Kind::Text, dollar_length(text).unwrap_or(1)),
        b'"' => (Kind::Name, quoted_length(text, 0, '"')),
        b',' => (Kind::Comma, 1),
        b';' => (Kind::Semicolon, 1),
        b'(' | b'[' => (Kind::Open, 1),
        b')' | b']' => (Kind::Close, 1),
        b'>' if in_type => (Kind::Close, 1),
        b'.' if !bytes.get(1).is_some_and(u8::is_ascii_digit) || follows_name(before) => (Kind::Dot, 1),
        b'.' | b'0'..=b'9' => (Kind::Number, number_length(bytes)),
        _ => word_or_symbol(text),
    }
}

/// `t.1` is no number.
fn follows_name(before: &[Token<'_>]) -> bool {
    before.last().is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Name | Kind::Close))
}

fn word_or_symbol(text: &str) -> (Kind, usize) {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let length = text.find(|c: char| !part(c)).unwrap_or(text.len());
    if length == 0 {
        let symbol = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol)).map(|symbol| symbol.len());
        return (Kind::Symbol, symbol.or(text.chars().next().map(char::len_utf8)).unwrap_or(1));
    }
    // `x'00'`, `U&'...'`: the quotes belong to the word.
    let rest = &text[length..];
    let prefix = if length == 1 { text[..1].to_ascii_uppercase() } else { String::new() };
    match rest.as_bytes() {
        [b'\'', ..] if prefix == "E" => (Kind::Text, escaped_length(text.as_bytes(), length)),
        [b'\'', ..] if matches!(prefix.as_str(), "X" | "N" | "B" | "R") => {
            (Kind::Text, quoted_length(text, length, '\''))
        }
        [b'&', b'\'', ..] if prefix == "U" => (Kind::Text, quoted_length(text, length + 1, '\'')),
        [b'&', b'"', ..] if prefix == "U" => (Kind::Name, quoted_length(text, length + 1, '"')),
        _ => (Kind::Word, length),
    }
}

/// To the end of the line, without blanks at its end.
fn line_length(text: &str) -> usize {
    let line = text.split(['\n', '\r']).next().unwrap_or(text);
    line.trim_end().len()
}

/// Comments nest.
fn comment_length(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The length up to the closing quote of what opens at `start`; doubled quotes are inside.
fn quoted_length(text: &str, start: usize, quote: char) -> usize {
    let mut at = start + 1;
    loop {
        match text[at..].find(quote) {
            None => return text.len(),
            Some(found) if text[at + found + 1..].starts_with(quote) => at += found + 2,
            Some(found) => return at + found + 1,
        }
    }
}

/// Likewise of a text with escapes: a backslash takes the byte behind it along.
fn escaped_length(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match (text.get(at), text.get(at + 1)) {
            (None, _) => return text.len(),
            (Some(b'\\'), Some(_)) | (Some(b'\''), Some(b'\'')) => at += 2,
            (Some(b'\''), _) => return at + 1,
            _ => at += 1,
        }
    }
}

fn number_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            // The sign of an exponent, as in 1e-3; 0x1e-3 is a difference.
            let exponent = matches!(bytes[at], b'e' | b'E') && !bytes.starts_with(b"0x") && !bytes.starts_with(b"0X");
            let signed =
                matches!(bytes.get(at + 1), Some(b'+' | b'-')) && bytes.get(at + 2).is_some_and(u8::is_ascii_digit);
            at += if exponent && signed { 2 } else { 1 };
        }
        at
    };
    at = digits(at);
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokens(text).iter().map(|token| token.text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn tokens_are_slices() {
        check("a.b<=1.5e-3--x\n+.5", &["a", ".", "b", "<=", "1.5e-3", "--x", "+", ".5"]);
        check(
            "'it''s' \"a\"\"b\" U&'x' X'00' /* a /* b */ c */é1",
            &["'it''s'", "\"a\"\"b\"", "U&'x'", "X'00'", "/* a /* b */ c */", "é1"],
        );
        check(
            "MAP<INT, MAP<INT, INT>> a>>b",
            &["MAP", "<", "INT", ",", "MAP", "<", "INT", ",", "INT", ">", ">", "a", ">>", "b"],
        );
        check(
            "a!~~*b!~~c!~*d!~e~~*f~~g~*h~i",
            &["a", "!~~*", "b", "!~~", "c", "!~*", "d", "!~", "e", "~~*", "f", "~~", "g", "~*", "h", "~", "i"],
        );
        check(r"E'a\';''b'e'\\'x", &[r"E'a\';''b'", r"e'\\'", "x"]);
        check(r"E'open\'", &[r"E'open\'"]);
        check("'open", &["'open"]);
        check("/* open", &["/* open"]);
        check("0x1e-3 1e", &["0x1e", "-", "3", "1e"]);
    }
}
