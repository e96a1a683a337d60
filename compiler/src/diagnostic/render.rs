//! Diagnostics as text: the source lines with the labels under them.

use super::{Diagnostic, Severity, Source};
use std::borrow::Cow;
use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// ANSI escapes for a terminal.
    Colour,
}

const TAB_WIDTH: usize = 4;
/// Source lines wider than this are cut around the label.
const LINE_WIDTH_MAX: usize = 160;

/// All diagnostics in the order of their places, separated by empty lines; ends in a line end unless empty.
pub fn render(diagnostics: &[Diagnostic], file: &str, text: &str, style: Style) -> String {
    let source = Source::new(text);
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.primary.span);
    let rendered: Vec<String> = sorted.into_iter().map(|d| render_one(d, file, &source, style)).collect();
    rendered.join("\n")
}

/// A label to draw: where, how and what.
struct Mark<'a> {
    start: usize,
    end: usize,
    line: u32,
    column: u32,
    primary: bool,
    text: &'a str,
}

fn render_one(diagnostic: &Diagnostic, file: &str, source: &Source<'_>, style: Style) -> String {
    let mut marks: Vec<Mark<'_>> = std::iter::once((&diagnostic.primary, true))
        .chain(diagnostic.labels.iter().map(|label| (label, false)))
        .filter(|(label, _)| label.span.line > 0)
        .map(|(label, primary)| Mark {
            start: label.span.start as usize,
            end: label.span.end as usize,
            line: label.span.line,
            column: label.span.column,
            primary,
            text: &label.text,
        })
        .collect();
    marks.sort_by_key(|mark| (mark.line, mark.column, !mark.primary));
    let gutter = marks.last().map_or(1, |mark| mark.line.to_string().len());

    let (word, tint) = match diagnostic.severity {
        Severity::Error => ("error", "\x1b[1;31m"),
        Severity::Warning => ("warning", "\x1b[1;33m"),
        Severity::Note => ("note", "\x1b[1;36m"),
    };
    let paint = |text: &str, tint: &str| match style {
        Style::Plain => text.to_string(),
        Style::Colour => format!("{tint}{text}\x1b[0m"),
    };
    let mut out = String::new();
    let code = if diagnostic.code.is_empty() { String::new() } else { format!("[{}]", diagnostic.code) };
    let _ = writeln!(out, "{}: {}", paint(&format!("{word}{code}"), tint), printable(&diagnostic.headline));
    let span = diagnostic.primary.span;
    if span.line > 0 {
        let _ = writeln!(out, "{:gutter$} --> {file}:{}:{}", "", span.line, span.column);
    } else {
        let _ = writeln!(out, "{:gutter$} --> {file}", "");
    }
    let mut shown = 0;
    for mark in &marks {
        let line = source.line(mark.line);
        let view = View::new(line, mark, source.line_start(mark.line));
        // A cut line shows another part for each label, so it is shown again.
        if shown != mark.line || view.cut {
            let _ = writeln!(out, "{}", format!(" {:>gutter$} | {}", mark.line, view.text).trim_end());
        }
        shown = mark.line;
        let symbol = if mark.primary { "^" } else { "-" };
        let under = format!("{} {}", symbol.repeat(view.width), printable(mark.text));
        let under = paint(under.trim_end(), if mark.primary { tint } else { "\x1b[1;34m" });
        let _ = writeln!(out, " {:gutter$} | {:indent$}{under}", "", "", indent = view.indent);
    }
    for note in &diagnostic.notes {
        let _ = writeln!(out, " {:gutter$} = note: {}", "", printable(note));
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, " {:gutter$} = help: {}", "", printable(help));
    }
    out
}

/// Without the line ends and escapes that a quoted name may hold: they would be taken for ours.
fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(char::is_control) {
        true => Cow::Owned(text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()),
        false => Cow::Borrowed(text),
    }
}

/// A source line as shown: tabs as blanks, cut around the label when very long.
struct View {
    text: String,
    indent: usize,
    width: usize,
    cut: bool,
}

impl View {
    fn new(line: &str, mark: &Mark<'_>, line_start: usize) -> View {
        // Each character with its first screen column.
        let mut column = 0;
        let mut cells: Vec<(char, usize)> = vec![];
        let (mut from, mut to) = (None, None);
        for (at, c) in line.char_indices() {
            if line_start + at >= mark.start && from.is_none() {
                from = Some(column);
            }
            if line_start + at >= mark.end && to.is_none() {
                to = Some(column);
            }
            cells.push((c, column));
            column += cell_width(c);
        }
        let from = from.unwrap_or(column);
        let to = to.unwrap_or(column).max(from + 1);
        let (first, last) = match column <= LINE_WIDTH_MAX {
            true => (0, column),
            false => {
                let first = from.saturating_sub(LINE_WIDTH_MAX / 3);
                (first, first + LINE_WIDTH_MAX)
            }
        };
        let mut text = String::new();
        let mut indent = from - first;
        if first > 0 {
            text.push_str("...");
            indent += 3;
        }
        for (c, at) in cells {
            if at >= first && at < last {
                match c {
                    '\t' => text.extend(std::iter::repeat_n(' ', TAB_WIDTH)),
                    c if c.is_control() => text.push('\u{fffd}'),
                    c => text.push(c),
                }
            }
        }
        if last < column {
            text.push_str("...");
        }
        View { text, indent, width: to.min(last.max(from + 1)) - from, cut: first > 0 || last < column }
    }
}

fn cell_width(c: char) -> usize {
    match c {
        '\t' => TAB_WIDTH,
        c if c.is_control() => 1,
        c => c.width().unwrap_or(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: &str) -> crate::plan::Span {
        let start = text.find(needle).unwrap();
        Source::new(text).span(start, start + needle.len())
    }

    #[test]
    fn the_page_of_the_house() {
        let text =
            "CREATE\n\n\n  amount DECIMAL(12, 2) NOT NULL,\n\n\n\n\nSELECT customer_id, SUM(amout) FROM purchases\n";
        let diagnostic = Diagnostic::error("42703", "column \"amout\" does not exist", at(text, "amout"))
            .label("not found in \"purchases\"")
            .also(at(text, "amount"), "a column with a similar name")
            .help("write \"amount\"");
        let expected = r#"error[42703]: column "amout" does not exist
  --> program.sql:9:25
 4 |   amount DECIMAL(12, 2) NOT NULL,
   |   ------ a column with a similar name
 9 | SELECT customer_id, SUM(amout) FROM purchases
   |                         ^^^^^ not found in "purchases"
   = help: write "amount"
"#;
        assert_eq!(render(&[diagnostic], "program.sql", text, Style::Plain), expected);
    }

    #[test]
    fn wide_characters_and_tabs_keep_the_marks_in_place() {
        let text = "\t'漢字', oops";
        let diagnostic = Diagnostic::error("42703", "x", at(text, "oops"));
        let expected = "error[42703]: x\n  --> f:1:8\n 1 |     '漢字', oops\n   |             ^^^^\n";
        assert_eq!(render(&[diagnostic], "f", text, Style::Plain), expected);
    }

    #[test]
    fn names_cannot_forge_lines() {
        let diagnostic = Diagnostic::error("42703", "column \"a\nerror[1]: b\x1b[0m\" does not exist", at("x", "x"));
        let shown = render(&[diagnostic], "f", "x", Style::Plain);
        assert!(
            shown.starts_with("error[42703]: column \"a\u{fffd}error[1]: b\u{fffd}[0m\" does not exist\n"),
            "{shown}"
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let text = format!("{}oops{}", "a".repeat(1000), "b".repeat(1000));
        let shown = render(&[Diagnostic::error("42703", "x", at(&text, "oops"))], "f", &text, Style::Plain);
        assert!(shown.lines().all(|line| line.len() < 200), "{shown}");
        assert!(shown.contains("^^^^\n"));
    }
}
