//! The `csv` output format: one line per row of a delta, the weight as the last value.

use super::render::{Columns, write_plain};
use super::{Encoded, Encoder};
use feldc_engine::Batch;

/// Writes a delta as lines, deletions first.
pub struct CsvEncoder {
    columns: Columns,
    delimiter: u8,
    offsets: Vec<Option<usize>>,
}

impl CsvEncoder {
    pub fn new(columns: Columns, delimiter: u8) -> CsvEncoder {
        CsvEncoder { columns, delimiter, offsets: Vec::new() }
    }

    fn write_row(&mut self, row: &[u8], weight: i64, out: &mut String) {
        self.columns.locate(row, &mut self.offsets);
        for (ty, offset) in self.columns.types.iter().zip(&self.offsets) {
            if let Some(at) = *offset {
                let start = out.len();
                write_plain(ty.ty, row, at, out);
                if ty.ty.is_text() {
                    quote(self.delimiter, start, out);
                }
            }
            out.push(char::from(self.delimiter));
        }
        out.push_str(&weight.to_string());
        out.push('\n');
    }
}

/// Puts the value from `start` on in quotes where a reader would misread it.
fn quote(delimiter: u8, start: usize, out: &mut String) {
    let special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if out.as_bytes()[start..].iter().any(|byte| special(*byte)) {
        let value = out.split_off(start).replace('"', "\"\"");
        out.extend(["\"", &value, "\""]);
    }
}

impl Encoder for CsvEncoder {
    fn encode(&mut self, delta: &Batch, out: &mut String) -> Encoded {
        let mut encoded = Encoded::default();
        for deletions in [true, false] {
            for (row, weight) in delta.iter().filter(|(_, weight)| (*weight < 0) == deletions) {
                self.write_row(row, weight, out);
                encoded.records += 1;
            }
        }
        encoded
    }
}
