//! The `json` input format: raw rows, insert/delete/update events, weighted rows; one by one or in arrays.

use super::record::{Change, Record};
use super::resume::{Shape, resume};
use super::{Parsed, Parser, RECORD_BYTES_MAX, REJECTED_BYTES_MAX, Rejected};
use crate::schema::Table;
use feldc_value::json_cursor::{Cursor, Fault, Kind, unescape};
use feldc_value::json_text::{NotRead, read_value};
use memchr::{memchr, memchr_iter, memrchr};

/// The envelope of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpdateFormat {
    /// `{"column": value, ...}` or `[value, ...]`: each an insertion.
    Raw,
    /// `{"insert": row}`, `{"delete": row or key}`, `{"update": row}`.
    #[default]
    InsertDelete,
    /// `{"weight": n, "data": row}`.
    Weighted,
}

/// The settings of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonInput {
    pub update_format: UpdateFormat,
    /// Events stand in JSON arrays.
    pub array: bool,
    /// `lines: single`: a record never spans lines, so a broken one never costs its neighbour.
    pub single_line: bool,
}

/// Below this size an unfinished record is tried again with every chunk; above it only when it may have ended or has
/// doubled, so that a huge record costs linear time.
const RETRY_BYTES: usize = 1 << 20;

/// See [`JsonInput`].
pub struct JsonParser {
    settings: JsonInput,
    event: EventReader,
    /// Text not yet taken; its first byte has the offset `offset` and stands on line `line`.
    buffer: Vec<u8>,
    offset: u64,
    line: u64,
    /// Inside an array of events (only with `array`).
    in_array: bool,
    /// Length of the buffer when the record at its start was last found unfinished.
    tried: usize,
    /// Inside a record that was given up for its length.
    discarding: bool,
}

impl JsonParser {
    pub fn new(table: &Table, settings: JsonInput) -> JsonParser {
        JsonParser {
            settings,
            event: EventReader::new(table, settings.update_format),
            buffer: Vec::new(),
            offset: 0,
            line: 1,
            in_array: false,
            tried: 0,
            discarding: false,
        }
    }

    fn worth_trying(&self) -> bool {
        let end = self.buffer.iter().rev().find(|byte| !byte.is_ascii_whitespace());
        self.tried < RETRY_BYTES || self.buffer.len() >= self.tried * 2 || matches!(end, Some(b'}' | b']'))
    }

    /// Takes all whole records of the buffer; with `last` also its unfinished end.
    fn run(&mut self, parsed: &mut Parsed, last: bool) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut taken = 0;
        while let Some(start) = self.record_start(&buffer, &mut taken, parsed, last) {
            match self.record(&buffer, start, parsed, last) {
                Some(end) => taken = end,
                None => break,
            }
        }
        self.buffer = buffer;
        self.advance(taken);
        self.tried = self.buffer.len();
        if self.tried > RECORD_BYTES_MAX {
            self.give_up(parsed);
        }
    }

    /// The start of the next record behind white space and, with `array`, brackets and commas. These are taken for good,
    /// while blanks stay: they tell how deep the record is indented.
    fn record_start(&mut self, text: &[u8], taken: &mut usize, parsed: &mut Parsed, last: bool) -> Option<usize> {
        let mut at = *taken;
        loop {
            let Some(&byte) = text.get(at) else {
                *taken += memrchr(b'\n', &text[*taken..]).map_or(0, |place| place + 1);
                return None;
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    at += 1;
                    continue;
                }
                b'[' if self.settings.array && !self.in_array => (self.in_array, at) = (true, at + 1),
                b']' if self.in_array => (self.in_array, at) = (false, at + 1),
                b',' if self.in_array => at += 1,
                // A byte order mark at the start of a file.
                0xef if self.offset == 0 && at == 0 && text.starts_with(b"\xef\xbb\xbf") => at += 3,
                _ if self.settings.array && !self.in_array => {
                    let end = resume(text, at, self.shape(), last)?;
                    self.reject(text, at..end, "expected an array of events (\"array\": true)".to_owned(), parsed);
                    at = end;
                }
                _ => return Some(at),
            }
            *taken = at;
        }
    }

    fn shape(&self) -> Shape {
        Shape { single_line: self.settings.single_line, array: self.settings.array }
    }

    /// Takes or rejects the record at `start`: the place behind it, or `None` when it needs more text.
    fn record(&mut self, text: &[u8], start: usize, parsed: &mut Parsed, last: bool) -> Option<usize> {
        let line_end = match self.settings.single_line {
            true => memchr(b'\n', &text[start..]).map(|length| start + length + 1).or(last.then_some(text.len()))?,
            false => text.len(),
        };
        let mut cursor = Cursor::new(&text[..line_end], start);
        let read = self.event.read(&mut cursor, parsed);
        let fault = match read {
            Ok(Ok(())) => return self.whole(text, start, cursor.at(), line_end, parsed),
            Ok(Err(reason)) => {
                self.reject(text, start..cursor.at(), reason, parsed);
                return Some(cursor.at());
            }
            Err(fault) => fault,
        };
        let reason = match fault {
            Fault::Incomplete if line_end == text.len() && !last => return None,
            Fault::Incomplete if self.settings.single_line => "the line ends within the record".to_owned(),
            Fault::Incomplete => "the input ends within the record".to_owned(),
            Fault::Syntax(reason) => format!("not JSON at byte {} of the record: {reason}", cursor.at() - start),
        };
        let end = resume(text, start, self.shape(), last)?;
        self.reject(text, start..end, reason, parsed);
        Some(end)
    }

    /// A record was taken. On a line of its own nothing may follow it.
    fn whole(&mut self, text: &[u8], start: usize, end: usize, line_end: usize, parsed: &mut Parsed) -> Option<usize> {
        let rest = &text[end..line_end];
        if self.settings.single_line && !self.in_array && !rest.iter().all(u8::is_ascii_whitespace) {
            self.reject(text, end..line_end, format!("text behind the record at byte {}", end - start), parsed);
            return Some(line_end);
        }
        Some(end)
    }

    fn reject(&self, text: &[u8], place: std::ops::Range<usize>, reason: String, parsed: &mut Parsed) {
        let record = text[place.clone()].trim_ascii_end();
        parsed.rejected.push(Rejected {
            offset: self.offset + place.start as u64,
            line: self.line + memchr_iter(b'\n', &text[..place.start]).count() as u64,
            bytes: record[..record.len().min(REJECTED_BYTES_MAX)].to_vec(),
            reason,
        });
    }

    fn advance(&mut self, taken: usize) {
        self.line += memchr_iter(b'\n', &self.buffer[..taken]).count() as u64;
        self.offset += taken as u64;
        self.buffer.drain(..taken);
    }

    fn give_up(&mut self, parsed: &mut Parsed) {
        let reason = format!("the record is longer than {RECORD_BYTES_MAX} bytes");
        self.reject(&self.buffer, 0..self.buffer.len(), reason, parsed);
        self.advance(self.buffer.len());
        (self.tried, self.discarding) = (0, true);
    }

    /// The rest of a record given up lasts to the end of the line.
    fn discard<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(end) = memchr(b'\n', bytes) else {
            self.offset += bytes.len() as u64;
            return &[];
        };
        self.offset += end as u64;
        self.discarding = false;
        &bytes[end..]
    }
}

impl Parser for JsonParser {
    fn parse(&mut self, bytes: &[u8], parsed: &mut Parsed) {
        let bytes = if self.discarding { self.discard(bytes) } else { bytes };
        self.buffer.extend_from_slice(bytes);
        if self.worth_trying() {
            self.run(parsed, false);
        }
    }

    fn finish(&mut self, parsed: &mut Parsed) {
        self.run(parsed, true);
        if self.in_array {
            let end = self.buffer.len();
            self.reject(&self.buffer, end..end, "the input ends within an array of events".to_owned(), parsed);
            self.in_array = false;
        }
    }
}

/// Reads events for one table.
pub struct EventReader {
    format: UpdateFormat,
    pub record: Record,
    scratch: String,
}

impl EventReader {
    pub fn new(table: &Table, format: UpdateFormat) -> EventReader {
        EventReader { format, record: Record::new(table), scratch: String::new() }
    }

    /// Takes one event. `Err`: the text is not JSON or not whole. `Ok(Err)`: it is JSON that the table cannot take; the
    /// cursor stands behind it.
    pub fn read(&mut self, cursor: &mut Cursor<'_>, parsed: &mut Parsed) -> Result<Result<(), String>, Fault> {
        self.record.begin();
        let change = match self.format {
            UpdateFormat::Raw => {
                self.row(cursor)?;
                Change::Weight(1)
            }
            UpdateFormat::InsertDelete => self.insert_delete(cursor)?,
            UpdateFormat::Weighted => self.weighted(cursor)?,
        };
        Ok(self.record.finish(change, parsed))
    }

    fn insert_delete(&mut self, cursor: &mut Cursor<'_>) -> Result<Change, Fault> {
        if !self.is_object(cursor, "expected {\"insert\": row}, {\"delete\": row} or {\"update\": row}")? {
            return Ok(Change::Weight(1));
        }
        match cursor.enter_object()? {
            true => self.operations(cursor),
            false => Ok(self.no_operation()),
        }
    }

    /// The rest of an event's object, for a caller that has taken its first keys: the cursor stands before a key.
    pub fn changes(&mut self, cursor: &mut Cursor<'_>) -> Result<Change, Fault> {
        self.record.begin();
        self.operations(cursor)
    }

    fn operations(&mut self, cursor: &mut Cursor<'_>) -> Result<Change, Fault> {
        let mut change = None;
        loop {
            let key = cursor.key()?;
            match operation(key) {
                Some(next) if cursor.kind()? != Kind::Null => {
                    if change.replace(next).is_some() {
                        self.record.fail("an event holds one of insert, delete and update".to_owned());
                    }
                    if next == Change::Weight(-1) {
                        self.record.begin_key_only();
                    }
                    self.row(cursor)?;
                }
                _ => cursor.skip_value()?,
            }
            if !cursor.next_in_object()? {
                return Ok(change.unwrap_or_else(|| self.no_operation()));
            }
        }
    }

    fn no_operation(&mut self) -> Change {
        self.record.fail("the event has none of insert, delete and update".to_owned());
        Change::Weight(1)
    }

    fn weighted(&mut self, cursor: &mut Cursor<'_>) -> Result<Change, Fault> {
        let (mut weight, mut data) = (None, false);
        if !self.is_object(cursor, "expected {\"weight\": n, \"data\": row}")? {
            return Ok(Change::Weight(1));
        }
        let mut more = cursor.enter_object()?;
        while more {
            match cursor.key()? {
                b"weight" if cursor.kind()? == Kind::Number => weight = cursor.number()?.parse::<i64>().ok(),
                b"data" if !data => {
                    self.row(cursor)?;
                    data = true;
                }
                _ => cursor.skip_value()?,
            }
            more = cursor.next_in_object()?;
        }
        if !data || weight.is_none() {
            self.record.fail("expected {\"weight\": n, \"data\": row} with a whole number n".to_owned());
        }
        Ok(Change::Weight(weight.unwrap_or(1)))
    }

    /// Skips what is no object and rejects the record for it.
    fn is_object(&mut self, cursor: &mut Cursor<'_>, expected: &str) -> Result<bool, Fault> {
        if cursor.kind()? == Kind::Object {
            return Ok(true);
        }
        cursor.skip_value()?;
        self.record.fail(expected.to_owned());
        Ok(false)
    }

    /// A row: an object of columns by name, or an array of all columns in SQL order.
    pub fn row(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        match cursor.kind()? {
            Kind::Object => self.named(cursor),
            Kind::Array => self.positional(cursor),
            _ => {
                cursor.skip_value()?;
                self.record.fail("expected a row: an object of columns or an array of values".to_owned());
                Ok(())
            }
        }
    }

    fn named(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let mut more = cursor.enter_object()?;
        while more {
            let key = cursor.key()?;
            let position = match memchr(b'\\', key) {
                None => self.record.find(key),
                Some(_) => match unescape(key, &mut self.scratch) {
                    Ok(key) => self.record.find(key.as_bytes()),
                    Err(_) => None,
                },
            };
            match position {
                Some(position) => self.value(position, cursor)?,
                None => cursor.skip_value()?,
            }
            more = cursor.next_in_object()?;
        }
        Ok(())
    }

    fn positional(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let columns = self.record.columns();
        let mut count = 0;
        let mut more = cursor.enter_array()?;
        while more {
            match count < columns {
                true => self.value(count, cursor)?,
                false => cursor.skip_value()?,
            }
            count += 1;
            more = cursor.next_in_array()?;
        }
        if count != columns {
            self.record.fail(format!("{count} values for {columns} columns"));
        }
        Ok(())
    }

    #[inline]
    fn value(&mut self, position: usize, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        if !self.record.wants(position) {
            return cursor.skip_value();
        }
        let ty = self.record.ty(position);
        let kind = cursor.kind()?;
        if kind != Kind::Null && (ty.is_nested() || (ty.is_binary() && kind == Kind::Array)) {
            return self.nested(position, cursor);
        }
        match kind {
            Kind::Number if ty.is_numeric() => self.record.put_text(position, cursor.number()?),
            Kind::String => match unescape(cursor.raw_string()?, &mut self.scratch) {
                Ok(text) => self.record.put_text(position, text),
                Err(reason) => self.record.fail_column(position, reason),
            },
            Kind::Null => {
                cursor.null()?;
                self.record.put_null(position);
            }
            Kind::Boolean if ty == feldc_value::SqlType::Boolean => {
                let text = if cursor.boolean()? { "true" } else { "false" };
                self.record.put_text(position, text);
            }
            other => {
                cursor.skip_value()?;
                let found = format!("{other:?}").to_lowercase();
                self.record.fail_column(position, &format!("expected {ty}, found a JSON {found}"));
            }
        }
        Ok(())
    }

    fn nested(&mut self, position: usize, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let mut start = cursor.clone();
        match read_value(cursor, self.record.ty(position)) {
            Ok(value) => self.record.put_value(position, &value),
            Err(NotRead::Fault(fault)) => return Err(fault),
            Err(NotRead::Unfit(reason)) => {
                start.skip_value()?;
                *cursor = start;
                self.record.fail_column(position, &reason);
            }
        }
        Ok(())
    }
}

fn operation(key: &[u8]) -> Option<Change> {
    match key {
        b"insert" => Some(Change::Weight(1)),
        b"delete" => Some(Change::Weight(-1)),
        b"update" => Some(Change::Update),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::{parse_split, table};

    /// `rejected`: a part of the reason of each rejected record.
    fn check(update_format: UpdateFormat, array: bool, keyed: bool, text: &str, rows: &[&str], rejected: &[&str]) {
        let settings = JsonInput { update_format, array, single_line: false };
        check_with(settings, keyed, text.as_bytes(), rows, rejected);
    }

    fn check_with(settings: JsonInput, keyed: bool, text: &[u8], rows: &[&str], rejected: &[&str]) {
        let table = table(keyed);
        let (found, parsed) = parse_split(&table, || Box::new(JsonParser::new(&table, settings)), text);
        assert_eq!(found, rows);
        let reasons: Vec<&str> = parsed.rejected.iter().map(|rejected| rejected.reason.as_str()).collect();
        assert_eq!(reasons.len(), rejected.len(), "{reasons:?}");
        for (rejected, part) in parsed.rejected.iter().zip(rejected) {
            assert!(rejected.reason.contains(part), "{:?} has not {part:?}", rejected.reason);
            assert!(text[rejected.offset as usize..].starts_with(&rejected.bytes), "{rejected:?}");
        }
    }

    use UpdateFormat::{InsertDelete, Raw, Weighted};

    #[test]
    fn names_and_defaults() {
        let text = r#"{"k":1,"v":"a","d":12345678901234567890123456789012345.67,"b":false,"Q":0.1}
            {"K":"2","V":null,"D":"1.5"} {"extra":{"x":[1e999,-0]},"k":3,"q":7,"\u0076":"\"\u00e9\n"} [4,"x",null,true,1e2]"#;
        let rows = [
            "+1 1 \"a\" 1234567890123456789012345678901234567 false 0.1",
            "+1 2 null 150 true null",
            "+1 3 \"\\\"é\\n\" null true null",
            "+1 4 \"x\" null true 100.0",
        ];
        check(Raw, false, false, text, &rows, &[]);
    }

    #[test]
    fn values_that_do_not_fit_are_rejected() {
        let text = "{\"k\":9223372036854775808}\n{\"k\":1,\"Q\":1e400}\n{\"v\":\"x\"}\n{\"k\":null}\n{\"k\":1,\"v\":2}\n\
            {\"k\":1,\"k\":2}\n{\"k\":true}\n[1,2]\n7\n{\"k\":5}\n";
        let reasons = [
            "column \"k\": '9223372036854775808' does not fit BIGINT",
            "column \"Q\": '1e400' does not fit DOUBLE",
            "column \"k\" is missing",
            "column \"k\": NULL is not allowed",
            "column \"v\": expected VARCHAR, found a JSON number",
            "column \"k\": given twice",
            "column \"k\": expected BIGINT, found a JSON boolean",
            "column \"v\": expected VARCHAR, found a JSON number",
            "expected a row",
        ];
        check(Raw, false, false, text, &["+1 5 null null true null"], &reasons);
    }

    #[test]
    fn events() {
        let text = r#"{"insert":{"k":1}} {"delete":{"k":1},"insert":null} {"update":{"k":1}} {"upsert":{"k":1}} {}
            {"insert":{"k":1},"delete":{"k":2}}"#;
        let rows = ["+1 1 null null true null", "-1 1 null null true null"];
        check(InsertDelete, false, false, text, &rows, &["PRIMARY KEY", "none of", "none of", "one of"]);
    }

    #[test]
    fn keyed_tables_delete_by_key() {
        let text = r#"{"delete":{"k":1}} {"delete":{"k":1,"d":"oops","v":5}} {"update":{"k":1,"v":"x","d":1,"b":true,"Q":1}}
            {"update":{"v":"x"}} {"delete":{"v":"x"}}"#;
        let rows = ["-1 1 null null false null", "-1 1 null null false null", "+1 1 \"x\" 100 true 1.0"];
        check(InsertDelete, false, true, text, &rows, &["without key column \"k\"", "column \"k\" is missing"]);
    }

    #[test]
    fn updates_of_some_columns_are_patches() {
        let table = table(true);
        let mut parsed = Parsed::default();
        let mut parser = JsonParser::new(&table, JsonInput::default());
        parser.parse(b"{\"insert\":{\"k\":1}} {\"update\":{\"k\":1,\"b\":false}}", &mut parsed);
        let patch = &parsed.patches[0];
        let given: Vec<bool> = patch.columns.iter().map(Option::is_some).collect();
        assert_eq!((patch.after, given), (1, vec![true, false, true, false, false]));
    }

    #[test]
    fn weights() {
        let text = r#"[{"weight":3,"data":{"k":1}},{"data":{"k":2},"weight":-2},{"weight":0,"data":{"k":3}}]
            [] [{"weight":1.5,"data":{"k":4}},{"data":{"k":4}}]"#;
        let rows = ["+3 1 null null true null", "-2 2 null null true null"];
        check(Weighted, true, false, text, &rows, &["whole number", "whole number"]);
    }

    #[test]
    fn a_broken_record_costs_nothing_else() {
        let good = |k: u32| format!("+1 {k} null null true null");
        let rows = [good(1), good(3), good(5), good(7)];
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let text = "{\"k\":1}\n{\"k\":oops}\n{\"k\":3}\n{\"k\":4\n{\"k\":5}\n{\"k\":6,\"v\":\"x}\n{\"k\":7}\n{\"k\":8";
        check(Raw, false, false, text, &rows, &["not JSON", "not JSON", "control character", "ends within"]);
        let array = "[{\"k\":1},{\"k\":oops},{\"k\":3},\n{\"k\":4,\n{\"k\":5}\n,{\"k\":7}";
        check(Raw, true, false, array, &rows, &["not JSON", "not JSON", "within an array"]);
        let single = JsonInput { update_format: Raw, array: false, single_line: true };
        let lines = "{\"k\":1}\n{\"k\":2\n{\"k\":3} \n\n{\"k\":5} x\n{\"k\":7}";
        check_with(single, false, lines.as_bytes(), &rows, &["line ends within", "text behind"]);
        check_with(single, false, b"{\"k\":1,\"v\":\"\xff\"}\n", &[], &["not valid UTF-8"]);
    }

    #[test]
    fn places_are_bytes_and_lines() {
        let table = table(false);
        let mut parser = JsonParser::new(&table, JsonInput { update_format: Raw, ..JsonInput::default() });
        let mut parsed = Parsed::default();
        parser.parse("\u{feff}{\"k\":1}\n\n  {\"k\":[]}\n".as_bytes(), &mut parsed);
        let place = (parsed.rejected[0].offset, parsed.rejected[0].line, parsed.rejected[0].bytes.as_slice());
        assert_eq!(place, (14, 3, &b"{\"k\":[]}"[..]));
    }
}
