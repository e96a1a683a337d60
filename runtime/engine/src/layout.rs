//! The order-preserving row encoding: how the columns of a row lie in its bytes.
//!
//! A row is the concatenation of its columns' encodings, in physical order. Byte order of rows = SQL order of their
//! columns from left to right, ascending, NULL lowest.
//!
//! * A nullable column starts with a tag byte: 0 NULL, 1 not NULL. A NULL of fixed width keeps its width as zeros;
//!   a NULL of variable width is the tag alone.
//! * BOOLEAN one byte 0/1. Integers, DATE, TIME, TIMESTAMP, intervals: big-endian, sign bit flipped.
//! * DECIMAL: scaled `i64` when precision <= 18, else scaled `i128`, as integers.
//! * REAL, DOUBLE: IEEE bits, all flipped when negative, else the sign bit flipped; one NaN (greatest), no -0.0.
//! * CHAR, VARCHAR: UTF-8 with byte 0x00 written 0x01 0x01 and byte 0x01 written 0x01 0x02, then a terminator 0x00.

use feldc_value::{ColumnType, Value};

/// The columns of a stream's rows in physical order; the first `key` of them are the key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    columns: Vec<ColumnType>,
    // The engine adds derived facts: static offsets, constant stride, ...
}

impl Layout {
    pub fn new(columns: Vec<ColumnType>) -> Layout {
        Layout { columns }
    }

    pub fn columns(&self) -> &[ColumnType] {
        &self.columns
    }

    /// Bytes of every row when no column varies in width.
    pub fn stride(&self) -> Option<usize> {
        self.columns.iter().map(|column| column.fixed_width()).sum()
    }

    /// Bytes of the first `columns` columns of `row`.
    pub fn prefix_len(&self, _row: &[u8], _columns: usize) -> usize {
        todo!()
    }

    /// Appends the encoding of `values`, one per column.
    pub fn encode(&self, _values: &[Value], _out: &mut Vec<u8>) {
        todo!()
    }

    /// The values of all columns of `row`.
    pub fn decode(&self, _row: &[u8]) -> Vec<Value> {
        todo!()
    }
}
