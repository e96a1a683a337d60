//! The `json` output format: one `insert` or `delete` event per unit of weight.

use super::render::{Columns, write_json, write_plain};
use super::{DUPLICATES_MAX, Encoded, Encoder};
use feldc_engine::Batch;
use feldc_value::SqlType;
use feldc_value::json::json_string;

/// Writes rows of one view as JSON objects in SQL column order.
pub struct JsonRows {
    columns: Columns,
    /// `"name":` of each column.
    keys: Vec<String>,
    offsets: Vec<Option<usize>>,
    /// Bytes are written in hexadecimal digits and VARIANTs as the text of their JSON.
    texts: bool,
}

impl JsonRows {
    pub fn new(columns: Columns) -> JsonRows {
        let key = |name: &String| {
            let mut key = String::new();
            json_string(name, &mut key);
            key.push(':');
            key
        };
        JsonRows { keys: columns.names.iter().map(key).collect(), columns, offsets: Vec::new(), texts: false }
    }

    /// For readers that compare values: what JSON has no scalar for is one text.
    pub fn with_texts(columns: Columns) -> JsonRows {
        JsonRows { texts: true, ..JsonRows::new(columns) }
    }

    /// `{"column":value,...}`
    pub fn write_object(&mut self, row: &[u8], out: &mut String) {
        self.columns.locate(row, &mut self.offsets);
        out.push('{');
        for (position, (key, offset)) in self.keys.iter().zip(&self.offsets).enumerate() {
            if position > 0 {
                out.push(',');
            }
            out.push_str(key);
            match (self.columns.types[position].ty, offset) {
                (ty, Some(at)) if self.texts && (ty.is_binary() || ty == SqlType::Variant) => {
                    let mut text = String::new();
                    write_plain(ty, row, *at, &mut text);
                    json_string(&text, out);
                }
                (ty, offset) => write_json(ty, row, *offset, out),
            }
        }
        out.push('}');
    }

    /// `[value,...]`
    pub fn write_array(&mut self, row: &[u8], out: &mut String) {
        self.columns.locate(row, &mut self.offsets);
        out.push('[');
        for (position, offset) in self.offsets.iter().enumerate() {
            if position > 0 {
                out.push(',');
            }
            write_json(self.columns.types[position].ty, row, *offset, out);
        }
        out.push(']');
    }
}

/// Writes a delta as events. With `array` they stand in arrays of at most `buffer_size_records`, one to a line.
pub struct JsonEncoder {
    rows: JsonRows,
    array: bool,
    buffer_size_records: u64,
    in_array: u64,
    line: String,
}

impl JsonEncoder {
    pub fn new(columns: Columns, array: bool, buffer_size_records: u64) -> JsonEncoder {
        let buffer_size_records = buffer_size_records.max(1);
        JsonEncoder { rows: JsonRows::new(columns), array, buffer_size_records, in_array: 0, line: String::new() }
    }

    fn write_event(&mut self, out: &mut String) {
        match (self.array, self.in_array) {
            (true, 0) => out.push('['),
            (true, _) => out.push(','),
            (false, _) => (),
        }
        out.push_str(&self.line);
        if !self.array {
            out.push('\n');
            return;
        }
        self.in_array += 1;
        if self.in_array == self.buffer_size_records {
            self.end_array(out);
        }
    }

    fn end_array(&mut self, out: &mut String) {
        out.push_str("]\n");
        self.in_array = 0;
    }
}

impl Encoder for JsonEncoder {
    fn encode(&mut self, delta: &Batch, out: &mut String) -> Encoded {
        let mut encoded = Encoded::default();
        for deletions in [true, false] {
            for (row, weight) in delta.iter().filter(|(_, weight)| (*weight < 0) == deletions) {
                let count = copies(weight, &mut encoded);
                self.line.clear();
                self.line.push_str(if deletions { "{\"delete\":" } else { "{\"insert\":" });
                self.rows.write_object(row, &mut self.line);
                self.line.push('}');
                for _ in 0..count {
                    self.write_event(out);
                }
            }
        }
        if self.in_array > 0 {
            self.end_array(out);
        }
        encoded
    }
}

/// How many records a row of this weight becomes: none, and an error, when they would be too many.
pub fn copies(weight: i64, encoded: &mut Encoded) -> u64 {
    if weight.unsigned_abs() > DUPLICATES_MAX as u64 {
        encoded.errors.push(format!("a row of multiplicity {weight} was left out (limit {DUPLICATES_MAX})"));
        return 0;
    }
    encoded.records += weight.unsigned_abs();
    weight.unsigned_abs()
}
