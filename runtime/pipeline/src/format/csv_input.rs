//! The `csv` input format: columns by position, each record an insertion.

use super::record::{Change, Record};
use super::{Parsed, Parser, RECORD_BYTES_MAX, REJECTED_BYTES_MAX, Rejected};
use crate::schema::Table;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::memchr_iter;

/// Which values lose the blanks around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trim {
    #[default]
    None,
    Headers,
    Fields,
    All,
}

/// The settings of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvInput {
    pub delimiter: u8,
    /// The first record is a header and skipped; columns go by position all the same.
    pub headers: bool,
    pub quote: u8,
    pub escape: Option<u8>,
    /// A quote inside a quoted value is written twice.
    pub double_quote: bool,
    /// Quotes have their meaning at all.
    pub quoting: bool,
    /// Lines beginning with this byte are skipped.
    pub comment: Option<u8>,
    /// Records may have more or fewer values than the table has columns.
    pub flexible: bool,
    pub trim: Trim,
}

impl Default for CsvInput {
    fn default() -> CsvInput {
        CsvInput {
            delimiter: b',',
            headers: false,
            quote: b'"',
            escape: None,
            double_quote: true,
            quoting: true,
            comment: None,
            flexible: true,
            trim: Trim::None,
        }
    }
}

/// See [`CsvInput`].
pub struct CsvParser {
    settings: CsvInput,
    reader: Box<Reader>,
    record: Record,
    skip_header: bool,
    /// The values of the record being read, unquoted, end to end.
    values: Vec<u8>,
    values_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
    /// The record being read began at `offset` on `line`; its text from earlier chunks (at most
    /// [`REJECTED_BYTES_MAX`]) is `carried`, its length so far `length`.
    offset: u64,
    line: u64,
    carried: Vec<u8>,
    length: usize,
    lines_inside: u64,
    /// The record was reported as too long and is read only to find its end.
    discarding: bool,
}

impl CsvParser {
    pub fn new(table: &Table, settings: CsvInput) -> CsvParser {
        let reader = ReaderBuilder::new()
            .delimiter(settings.delimiter)
            .quote(settings.quote)
            .escape(settings.escape)
            .double_quote(settings.double_quote)
            .quoting(settings.quoting)
            .comment(settings.comment)
            .build();
        let record = Record::new(table);
        CsvParser {
            skip_header: settings.headers,
            reader: Box::new(reader),
            values: vec![0; 1024],
            values_len: 0,
            ends: vec![0; record.columns() + 1],
            ends_len: 0,
            offset: 0,
            line: 1,
            carried: Vec::new(),
            length: 0,
            lines_inside: 0,
            discarding: false,
            record,
            settings,
        }
    }

    /// Reads on in `input`; `true` when a record ended within it. The first number is the bytes used.
    fn read(&mut self, input: &[u8], parsed: &mut Parsed) -> (usize, bool) {
        let mut used = 0;
        loop {
            let (result, read, written, ended) = self.reader.read_record(
                &input[used..],
                &mut self.values[self.values_len..],
                &mut self.ends[self.ends_len..],
            );
            used += read;
            self.values_len += written;
            self.ends_len += ended;
            match result {
                ReadRecordResult::OutputFull if self.values.len() >= RECORD_BYTES_MAX => self.give_up(parsed),
                ReadRecordResult::OutputFull => self.values.resize(self.values.len() * 2, 0),
                ReadRecordResult::OutputEndsFull if self.ends.len() >= RECORD_BYTES_MAX / 8 => self.give_up(parsed),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::InputEmpty | ReadRecordResult::End => return (used, false),
                ReadRecordResult::Record => return (used, true),
            }
            if used == input.len() {
                // An empty input would mean the end of the stream.
                return (used, false);
            }
        }
    }

    /// Drops what was read of a record without end, and goes on reading to its end.
    fn give_up(&mut self, parsed: &mut Parsed) {
        if !std::mem::replace(&mut self.discarding, true) {
            self.reject(format!("the record is longer than {RECORD_BYTES_MAX} bytes (is a quote missing?)"), parsed);
        }
        (self.values_len, self.ends_len) = (0, 0);
    }

    /// Remembers `text` as part of the record being read.
    fn carry(&mut self, text: &[u8]) {
        let text = match self.length {
            // Line ends before a record belong to no record.
            0 => {
                let record = &text[text.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count()..];
                let skipped = &text[..text.len() - record.len()];
                self.offset += skipped.len() as u64;
                self.line += memchr_iter(b'\n', skipped).count() as u64;
                record
            }
            _ => text,
        };
        let room = REJECTED_BYTES_MAX - self.carried.len();
        self.carried.extend_from_slice(&text[..text.len().min(room)]);
        self.length += text.len();
        self.lines_inside += memchr_iter(b'\n', text).count() as u64;
    }

    fn reject(&mut self, reason: String, parsed: &mut Parsed) {
        let bytes = self.carried.trim_ascii_end().to_vec();
        parsed.rejected.push(Rejected { offset: self.offset, line: self.line, bytes, reason });
    }

    /// The record just read is whole: takes or rejects it.
    fn take(&mut self, cut: bool, parsed: &mut Parsed) {
        if std::mem::take(&mut self.discarding) || std::mem::take(&mut self.skip_header) {
        } else if let Err(reason) = self.fill(cut).and_then(|()| self.record.finish(Change::Weight(1), parsed)) {
            self.reject(reason, parsed);
        }
        self.offset += self.length as u64;
        self.line += self.lines_inside;
        self.carried.clear();
        (self.length, self.lines_inside, self.values_len, self.ends_len) = (0, 0, 0, 0);
    }

    fn fill(&mut self, cut: bool) -> Result<(), String> {
        let (found, columns) = (self.ends_len, self.record.columns());
        if cut && found < columns {
            return Err(format!("the input ends within the record: {found} values for {columns} columns"));
        }
        if !self.settings.flexible && found != columns {
            return Err(format!("{found} values for {columns} columns (\"flexible\" is false)"));
        }
        self.record.begin();
        let mut start = 0;
        for position in 0..found.min(columns) {
            let end = self.ends[position];
            let text = std::str::from_utf8(&self.values[start..end])
                .map_err(|_| format!("value {} is not valid UTF-8", position + 1))?;
            let text = if matches!(self.settings.trim, Trim::Fields | Trim::All) { text.trim() } else { text };
            match is_null(text) && !self.record.ty(position).is_text() {
                true => self.record.put_null(position),
                false => self.record.put_text(position, text),
            }
            start = end;
        }
        Ok(())
    }
}

fn is_null(text: &str) -> bool {
    text.is_empty() || text == "NULL" || text == "null"
}

impl Parser for CsvParser {
    fn parse(&mut self, bytes: &[u8], parsed: &mut Parsed) {
        let mut rest = bytes;
        if self.offset == 0 && self.length == 0 {
            rest = rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest);
        }
        while !rest.is_empty() {
            let (used, whole) = self.read(rest, parsed);
            self.carry(&rest[..used]);
            if whole {
                self.take(false, parsed);
            }
            rest = &rest[used..];
        }
    }

    /// A line end added to a whole record ends it; inside a quoted value it does not.
    fn finish(&mut self, parsed: &mut Parsed) {
        if self.length == 0 {
            return;
        }
        let (_, whole) = self.read(b"\n", parsed);
        if whole {
            self.take(true, parsed);
        } else if self.settings.comment.is_none_or(|comment| self.carried.first() != Some(&comment)) {
            self.reject("the input ends within a quoted value".to_owned(), parsed);
        }
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::{parse_split, table};

    fn check(settings: CsvInput, text: &str, rows: &[&str], rejected: &[(u64, &str)]) {
        let table = table(false);
        let (found, parsed) =
            parse_split(&table, || Box::new(CsvParser::new(&table, settings.clone())), text.as_bytes());
        assert_eq!(found, rows);
        let places: Vec<u64> = parsed.rejected.iter().map(|rejected| rejected.line).collect();
        assert_eq!(places, rejected.iter().map(|(line, _)| *line).collect::<Vec<_>>(), "{:?}", parsed.rejected);
        for (found, (_, part)) in parsed.rejected.iter().zip(rejected) {
            assert!(found.reason.contains(part), "{:?} has not {part:?}", found.reason);
            assert!(text.as_bytes()[found.offset as usize..].starts_with(&found.bytes), "{found:?}");
        }
    }

    #[test]
    fn values_by_position() {
        let text = "1,a,1.5,true,0.5\r\n\n2,\"x,\"\"y\"\"\nz\",,false,NULL\n3\n4,,null,true,NaN,extra\n";
        let rows = [
            "+1 1 \"a\" 150 true 0.5",
            "+1 2 \"x,\\\"y\\\"\\nz\" null false null",
            "+1 3 null null true null",
            "+1 4 \"\" null true NaN",
        ];
        check(CsvInput::default(), text, &rows, &[]);
    }

    #[test]
    fn settings() {
        let settings = CsvInput {
            delimiter: b'|',
            headers: true,
            quote: b'\'',
            escape: Some(b'\\'),
            double_quote: false,
            comment: Some(b'#'),
            flexible: false,
            trim: Trim::All,
            ..CsvInput::default()
        };
        let text = "k|v|d|b|q\n# 'comment\n 1 |'a\\'b'| 2 |true|\n2|x\n3|x||true|1";
        check(settings, text, &["+1 1 \"a'b\" 200 true null", "+1 3 \"x\" null true 1.0"], &[(4, "2 values for 5")]);
        let unquoted = CsvInput { quoting: false, ..CsvInput::default() };
        check(unquoted, "1,\"a,,true,\n", &["+1 1 \"\\\"a\" null true null"], &[]);
    }

    #[test]
    fn broken_records_are_told_and_cost_nothing_else() {
        let text = "1,a\nx,a\n,a\n3000000000000000000000,a\n5,a,,maybe\n6,b\n7,\"cut\noff";
        let rejected =
            [(2, "is not a number"), (3, "NULL is not allowed"), (4, "does not fit"), (5, "to BOOLEAN"), (7, "quoted")];
        check(CsvInput::default(), text, &["+1 1 \"a\" null true null", "+1 6 \"b\" null true null"], &rejected);
    }

    #[test]
    fn a_file_cut_within_a_record_is_told() {
        check(CsvInput::default(), "1,a,,true,\n2,b", &["+1 1 \"a\" null true null"], &[(2, "ends within the record")]);
        let whole = ["+1 1 \"a\" null true null", "+1 2 \"b\" null true 1.0"];
        check(CsvInput::default(), "1,a,,true,\n2,b,,true,1", &whole, &[]);
        check(CsvInput { comment: Some(b'#'), ..CsvInput::default() }, "# end", &[], &[]);
    }
}
