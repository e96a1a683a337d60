//! Writing and reading single columns of an encoded row (the encoding is described at [`crate::layout`]).
//!
//! Named by generated kernels through `glue`, and by formats. Offsets are in bytes from the row's start.

use feldc_value::Text;

pub fn put_bool(_out: &mut Vec<u8>, _value: bool) {
    todo!()
}
// Likewise put_i8, put_i16, put_i32, put_i64, put_i128, put_f32, put_f64, put_text(out, &str).

/// The tag of a non-NULL value of a nullable column; the value follows.
pub fn put_tag(_out: &mut Vec<u8>) {
    todo!()
}

/// A NULL of a column of `width` bytes without its tag; 0 for variable width.
pub fn put_null(_out: &mut Vec<u8>, _width: usize) {
    todo!()
}

/// Is the nullable column whose tag lies at `offset` NULL?
pub fn is_null(row: &[u8], offset: usize) -> bool {
    row[offset] == 0
}

pub fn get_bool(row: &[u8], offset: usize) -> bool {
    row[offset] != 0
}
// Likewise get_i8, get_i16, get_i32, get_i64, get_i128, get_f32, get_f64.

/// The text at `offset` (past any tag) and the offset behind its terminator.
pub fn get_text(_row: &[u8], _offset: usize) -> (Text<'_>, usize) {
    todo!()
}

/// The offset behind the terminator of the text at `offset`.
pub fn skip_text(_row: &[u8], _offset: usize) -> usize {
    todo!()
}
