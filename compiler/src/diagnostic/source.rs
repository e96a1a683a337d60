//! The program's text with its lines: from line and column (sqlparser's positions) to byte spans.

use crate::plan::Span;

/// Program text indexed by lines.
pub struct Source<'a> {
    pub text: &'a str,
    /// Byte offset of each line's first character.
    starts: Vec<usize>,
    /// Is every character one byte, so that columns are offsets?
    ascii: bool,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str) -> Source<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { text, starts, ascii: text.is_ascii() }
    }

    /// The line (from 1) without its line end; empty when there is no such line.
    pub fn line(&self, line: u32) -> &'a str {
        let Some(&start) = (line as usize).checked_sub(1).and_then(|index| self.starts.get(index)) else { return "" };
        let end = self.starts.get(line as usize).map_or(self.text.len(), |next| next - 1);
        self.text[start..end].trim_end_matches('\r')
    }

    /// Byte offset of the first character of the line (from 1).
    pub fn line_start(&self, line: u32) -> usize {
        (line as usize).checked_sub(1).and_then(|index| self.starts.get(index)).map_or(self.text.len(), |start| *start)
    }

    /// Byte offset of a line and a column in characters, both from 1; clamped to the text.
    pub fn offset(&self, line: u64, column: u64) -> usize {
        let Some(&start) = (line as usize).checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return self.text.len();
        };
        let rest = &self.text[start..self.starts.get(line as usize).copied().unwrap_or(self.text.len())];
        let column = (column as usize).saturating_sub(1);
        match self.ascii {
            true => start + column.min(rest.len()),
            false => start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at),
        }
    }

    /// Line and column (from 1, in characters) of a byte offset.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset).unwrap_or("");
        let column = if self.ascii { offset - start } else { before.chars().count() };
        (line as u32, column as u32 + 1)
    }

    /// The span between two byte offsets.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let (line, column) = self.position(start);
        Span { start: start as u32, end: end.max(start) as u32, line, column }
    }

    /// A span of the parser, or `None` where it kept none.
    pub fn convert(&self, span: sqlparser::tokenizer::Span) -> Option<Span> {
        (span.start.line != 0).then(|| {
            let start = self.offset(span.start.line, span.start.column);
            let end = self.offset(span.end.line, span.end.column).max(start);
            Span {
                start: start as u32,
                end: end as u32,
                line: span.start.line as u32,
                column: span.start.column as u32,
            }
        })
    }

    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_go_both_ways() {
        let source = Source::new("ab\nçé x\r\nlast");
        assert_eq!(source.offset(2, 4), 8);
        assert_eq!(source.position(8), (2, 4));
        assert_eq!(source.line(2), "çé x");
        assert_eq!(source.line(3), "last");
        assert_eq!(source.line(9), "");
    }
}
