//! Where reading goes on after a record that is not JSON.
//!
//! A record that closes on its own line ends there. Otherwise the next line that looks like the start of a record does
//! it: one that opens an object or array no deeper indented than the broken record, so that the inner lines of a
//! pretty-printed record are not taken for records.

use memchr::memchr;

/// How records lie in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// One record on each line.
    pub single_line: bool,
    /// Records are elements of an array.
    pub array: bool,
}

/// The place behind the broken record that begins at `start`; `None` when more text is needed. `last`: no more comes.
pub fn resume(text: &[u8], start: usize, shape: Shape, last: bool) -> Option<usize> {
    let line_end = memchr(b'\n', &text[start..]).map(|length| start + length);
    if !shape.single_line
        && let Some(end) = closing(&text[start..line_end.unwrap_or(text.len())])
    {
        return Some(start + end);
    }
    let unknown = last.then_some(text.len());
    let Some(mut line_end) = line_end else { return unknown };
    if shape.single_line {
        return Some(line_end + 1);
    }
    let depth = indentation(text, start);
    loop {
        let line = line_end + 1;
        let Some(indent) = text[line..].iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) else {
            return unknown;
        };
        let opens = match text[line + indent] {
            b'{' | b'[' => true,
            b',' | b']' => shape.array,
            _ => false,
        };
        if opens && indent <= depth {
            return Some(line + indent);
        }
        match memchr(b'\n', &text[line..]) {
            Some(length) => line_end = line + length,
            None => return unknown,
        }
    }
}

/// Blanks between the start of the line and the record; 0 when something else stands there.
fn indentation(text: &[u8], start: usize) -> usize {
    let blanks = text[..start].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match start.checked_sub(blanks + 1).map(|before| text[before]) {
        None | Some(b'\n' | b'\r') => blanks,
        Some(_) => 0,
    }
}

/// The place behind the bracket that closes the one `line` begins with, whatever stands between.
fn closing(line: &[u8]) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (place, &byte) in line.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => (),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(place + 1);
                }
            }
            _ if depth == 0 => return None,
            _ => (),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, array: bool, rest: &str) {
        let shape = Shape { single_line: false, array };
        let at = resume(text.as_bytes(), 0, shape, true).unwrap();
        assert_eq!(&text[at..], rest);
    }

    #[test]
    fn goes_on_at_the_next_record() {
        check("{\"a\":oops} {\"a\":2}", false, " {\"a\":2}");
        check("{\"a\":1\n{\"a\":2}\n", false, "{\"a\":2}\n");
        check("{\"a\":\"}\n{\"a\":2}\n", false, "{\"a\":2}\n");
        check("{\n \"a\": oops,\n \"b\": {\n }\n}\n{\"a\":2}", false, "{\"a\":2}");
        check("{\"a\":oops},{\"a\":2}]", true, ",{\"a\":2}]");
        check("oops\n{\"a\":2}", false, "{\"a\":2}");
        check("oops", false, "");
    }

    #[test]
    fn waits_for_the_line_to_end() {
        let shape = Shape { single_line: false, array: false };
        assert_eq!(resume(b"{\"a\":1,,", 0, shape, false), None);
        assert_eq!(resume(b"{\"a\":1,,\n  ", 0, shape, false), None);
    }
}
