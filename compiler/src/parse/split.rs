//! Cuts a program at its `;`, so that an error in one statement does not hide the errors of the next.

use super::escaped;
use crate::diagnostic::{Diagnostic, Source, code};
use std::borrow::Cow;
use std::ops::Range;

/// Byte ranges of the statements, without the `;` and surrounding blanks and comments. A quote or comment that does
/// not end is reported and swallows the rest of the program.
pub fn split(source: &Source<'_>) -> (Vec<Range<usize>>, Vec<Diagnostic>) {
    let bytes = source.text.as_bytes();
    let mut statements = vec![];
    let mut errors = vec![];
    // First and last byte of the current statement that is neither blank nor comment.
    let mut content: Option<Range<usize>> = None;
    // A byte order mark is no text.
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    while at < bytes.len() {
        let (piece, end) = piece(bytes, at);
        match piece {
            Piece::Blank | Piece::LineComment => (),
            Piece::Content | Piece::Escaped => content = Some(content.map_or(at, |range| range.start)..end),
            Piece::Semicolon => statements.extend(content.take()),
            Piece::Unterminated(opening, what, closing) => {
                errors.push(unterminated(source, at, at + opening, what, closing));
                content = None;
            }
        }
        at = end;
    }
    statements.extend(content);
    (statements, errors)
}

/// The text with blanks for comments from `--` to a carriage return that stands alone, where sqlparser reads on to the
/// line feed. Every character keeps its place.
pub fn blank_comments(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if !bytes.contains(&b'\r') {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let (piece, end) = piece(bytes, at);
        if matches!(piece, Piece::LineComment) && bytes.get(end) == Some(&b'\r') && bytes.get(end + 1) != Some(&b'\n') {
            out += &text[copied..at];
            out.extend(text[at..end].chars().map(|_| ' '));
            copied = end;
        }
        at = end;
    }
    if copied == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[copied..]) }
}

/// The offsets of the quotes that open texts with escapes.
pub fn escaped_texts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let (mut quotes, mut at) = (vec![], 0);
    while at < bytes.len() {
        let (piece, end) = piece(bytes, at);
        if matches!(piece, Piece::Escaped) {
            quotes.push(at);
        }
        at = end;
    }
    quotes
}

enum Piece {
    Blank,
    /// From `--` up to the end of the line.
    LineComment,
    Content,
    /// A text with escapes, from its quote on.
    Escaped,
    Semicolon,
    /// Length of the opening mark, what it opens, and the missing mark.
    Unterminated(usize, &'static str, &'static str),
}

/// What stands at an offset, and the offset just after it.
fn piece(bytes: &[u8], at: usize) -> (Piece, usize) {
    let next = bytes.get(at + 1);
    let closed = |end: Option<usize>, piece, unterminated| match end {
        Some(end) => (piece, end),
        None => (unterminated, bytes.len()),
    };
    match bytes[at] {
        b'-' if next == Some(&b'-') => (Piece::LineComment, line_end(bytes, at)),
        b'/' if next == Some(&b'*') => {
            closed(comment_end(bytes, at + 2), Piece::Blank, Piece::Unterminated(2, "comment", "*/"))
        }
        b'\'' if escaped::opens(bytes, at) => {
            closed(escaped::end(bytes, at), Piece::Escaped, Piece::Unterminated(1, "text literal", "'"))
        }
        // A doubled quote inside is an end directly followed by a start.
        b'\'' => closed(find(bytes, at + 1, b'\''), Piece::Content, Piece::Unterminated(1, "text literal", "'")),
        b'"' => closed(find(bytes, at + 1, b'"'), Piece::Content, Piece::Unterminated(1, "quoted name", "\"")),
        b'$' if at == 0 || !is_word(bytes[at - 1]) => match dollar_tag(&bytes[at..]) {
            Some(tag) => closed(
                find_text(bytes, at + tag, &bytes[at..at + tag]),
                Piece::Content,
                Piece::Unterminated(tag, "text literal", "$ and the name between"),
            ),
            None => (Piece::Content, at + 1),
        },
        b';' => (Piece::Semicolon, at + 1),
        byte if byte.is_ascii_whitespace() => (Piece::Blank, at + 1),
        _ => (Piece::Content, at + 1),
    }
}

/// The offset of the next line feed or carriage return, or of the end.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'\n' | b'\r');
    bytes[from..].iter().position(ends).map_or(bytes.len(), |length| from + length)
}

/// The offset just after a comment whose text starts at `from`. Comments nest, as in the standard.
fn comment_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut open = 1;
    let mut at = from;
    while open > 0 {
        match bytes.get(at..at + 2)? {
            b"*/" => open -= 1,
            b"/*" => open += 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    Some(at)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// The length of the mark that opens a text in dollars: `$$` or `$name$`.
fn dollar_tag(bytes: &[u8]) -> Option<usize> {
    let name = bytes[1..].iter().take_while(|byte| **byte != b'$' && is_word(**byte)).count();
    let ends = bytes.get(1 + name) == Some(&b'$') && !bytes[1].is_ascii_digit();
    ends.then_some(name + 2)
}

/// The offset just after the next occurrence of a mark.
fn find_text(bytes: &[u8], from: usize, mark: &[u8]) -> Option<usize> {
    let rest = &bytes[from..];
    rest.windows(mark.len()).position(|window| window == mark).map(|length| from + length + mark.len())
}

/// The offset just after the next occurrence of `needle`.
fn find(bytes: &[u8], from: usize, needle: u8) -> Option<usize> {
    bytes[from..].iter().position(|byte| *byte == needle).map(|length| from + length + 1)
}

fn unterminated(source: &Source<'_>, start: usize, end: usize, what: &str, closing: &str) -> Diagnostic {
    Diagnostic::error(code::SYNTAX_ERROR, format!("{what} does not end"), source.span(start, end))
        .label("starts here")
        .help(format!("add the closing {closing}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let (ranges, errors) = split(&Source::new(text));
        assert_eq!(ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), expected);
        assert!(errors.is_empty());
    }

    #[test]
    fn quotes_and_comments_hide_semicolons() {
        check("a 'x;''y;' b; -- c;\n/* d; */ e \"f;\" ;;", &["a 'x;''y;' b", "e \"f;\""]);
        check("  -- only a comment", &[]);
        check("a /* 'b */ c", &["a /* 'b */ c"]);
        check("a /* ; /* ; */ ; */ b;/**/c/*/*/**/*/*/", &["a /* ; /* ; */ ; */ b", "c"]);
        check(r"a E'\';' b; e'\\'; fe'\'; c", &[r"a E'\';' b", r"e'\\'", r"fe'\'", "c"]);
        check("-- a;\rb; -- c;\r\nd -- e;", &["b", "d"]);
    }

    #[test]
    fn a_carriage_return_ends_a_comment() {
        assert_eq!(
            blank_comments("a -- é'\rb '-- c\r' -- d\r\ne /* -- \r */ --f"),
            "a      \rb '-- c\r' -- d\r\ne /* -- \r */ --f"
        );
        assert!(matches!(blank_comments("a -- b\nc"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_does_not_end_is_reported_where_it_starts() {
        let (ranges, errors) = split(&Source::new("a;\nb 'c;"));
        assert_eq!(ranges, vec![0..1]);
        assert_eq!((errors[0].primary.span.line, errors[0].primary.span.column), (2, 3));
        for text in ["/*", "/* /* */", "/*/"] {
            assert_eq!(split(&Source::new(text)).1.len(), 1);
        }
    }
}
