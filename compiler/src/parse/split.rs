//! Cuts a program at its `;`, so that an error in one statement does not hide the errors of the next.

use crate::diagnostic::{Diagnostic, Source, code};
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
        let (end, is_content) = match bytes[at] {
            b'-' if bytes.get(at + 1) == Some(&b'-') => (find(bytes, at, b"\n").unwrap_or(bytes.len()), false),
            b'/' if bytes.get(at + 1) == Some(&b'*') => match comment_end(bytes, at + 2) {
                Some(end) => (end, false),
                None => {
                    errors.push(unterminated(source, at, at + 2, "comment", "*/"));
                    content = None;
                    break;
                }
            },
            // A doubled quote inside is an end directly followed by a start.
            quote @ (b'\'' | b'"') => match find(bytes, at + 1, &[quote]) {
                Some(end) => (end, true),
                None => {
                    let what = if quote == b'"' { "quoted name" } else { "text literal" };
                    errors.push(unterminated(source, at, at + 1, what, if quote == b'"' { "\"" } else { "'" }));
                    content = None;
                    break;
                }
            },
            b';' => {
                statements.extend(content.take());
                at += 1;
                continue;
            }
            byte => (at + 1, !byte.is_ascii_whitespace()),
        };
        if is_content {
            content = Some(content.map_or(at, |range| range.start)..end);
        }
        at = end;
    }
    statements.extend(content);
    (statements, errors)
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

/// The offset just after the next occurrence of `needle`.
fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(needle.len()).position(|window| window == needle).map(|at| from + at + needle.len())
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
