//! Writing and reading single columns of an encoded row (the encoding is described at [`crate::layout`]).
//!
//! Named by generated kernels through `glue`, and by formats. Offsets are in bytes from the row's start. Reading at an
//! offset where no such column lies gives a wrong value or an index panic, never undefined behaviour.

use feldc_value::{Bytes, Text};

pub use crate::nested::{get_column as get_nested, put_column as put_nested};
use std::ffi::CStr;

#[inline]
pub fn put_bool(out: &mut Vec<u8>, value: bool) {
    out.push(u8::from(value));
}

#[inline(always)]
pub fn get_bool(row: &[u8], offset: usize) -> bool {
    row[offset] != 0
}

/// Big-endian with the sign bit flipped: unsigned byte order is then signed integer order.
macro_rules! integers {
    ($($put:ident $get:ident $signed:ty, $unsigned:ty;)*) => {$(
        #[inline(always)]
        pub fn $put(out: &mut Vec<u8>, value: $signed) {
            let flipped = value as $unsigned ^ <$signed>::MIN as $unsigned;
            out.extend_from_slice(&flipped.to_be_bytes());
        }

        #[inline(always)]
        pub fn $get(row: &[u8], offset: usize) -> $signed {
            let mut bytes = [0; size_of::<$signed>()];
            bytes.copy_from_slice(&row[offset..offset + size_of::<$signed>()]);
            (<$unsigned>::from_be_bytes(bytes) ^ <$signed>::MIN as $unsigned) as $signed
        }
    )*};
}

integers! {
    put_i8 get_i8 i8, u8;
    put_i16 get_i16 i16, u16;
    put_i32 get_i32 i32, u32;
    put_i64 get_i64 i64, u64;
    put_i128 get_i128 i128, u128;
}

/// Big-endian.
macro_rules! unsigned {
    ($($put:ident $get:ident $unsigned:ty;)*) => {$(
        #[inline(always)]
        pub fn $put(out: &mut Vec<u8>, value: $unsigned) {
            out.extend_from_slice(&value.to_be_bytes());
        }

        #[inline(always)]
        pub fn $get(row: &[u8], offset: usize) -> $unsigned {
            let mut bytes = [0; size_of::<$unsigned>()];
            bytes.copy_from_slice(&row[offset..offset + size_of::<$unsigned>()]);
            <$unsigned>::from_be_bytes(bytes)
        }
    )*};
}

unsigned! {
    put_u8 get_u8 u8;
    put_u16 get_u16 u16;
    put_u32 get_u32 u32;
    put_u64 get_u64 u64;
    put_u128 get_u128 u128;
}

/// IEEE bits, all flipped when negative, else the sign bit flipped. Every NaN is written as the one positive quiet
/// NaN, which is then the greatest value; -0.0 is written as 0.0.
macro_rules! floats {
    ($($put:ident $get:ident $float:ty, $bits:ty;)*) => {$(
        #[inline(always)]
        pub fn $put(out: &mut Vec<u8>, value: $float) {
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            let canonical = match value {
                _ if value.is_nan() => <$float>::NAN.abs(),
                _ if value == 0.0 => 0.0,
                _ => value,
            };
            let bits = canonical.to_bits();
            let ordered = if bits & SIGN != 0 { !bits } else { bits | SIGN };
            out.extend_from_slice(&ordered.to_be_bytes());
        }

        #[inline(always)]
        pub fn $get(row: &[u8], offset: usize) -> $float {
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            let mut bytes = [0; size_of::<$float>()];
            bytes.copy_from_slice(&row[offset..offset + size_of::<$float>()]);
            let ordered = <$bits>::from_be_bytes(bytes);
            <$float>::from_bits(if ordered & SIGN != 0 { ordered ^ SIGN } else { !ordered })
        }
    )*};
}

floats! {
    put_f32 get_f32 f32, u32;
    put_f64 get_f64 f64, u64;
}

/// Bytes 0x00 and 0x01 are written as 0x01 followed by the byte plus one; 0x00 ends the text.
const ESCAPE: u8 = 1;
const END: u8 = 0;

#[inline]
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

#[inline]
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.iter().all(|&byte| byte > ESCAPE) {
        out.extend_from_slice(bytes);
    } else {
        put_escaped(out, bytes);
    }
    out.push(END);
}

#[cold]
fn put_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            0..=ESCAPE => out.extend_from_slice(&[ESCAPE, byte + 1]),
            _ => out.push(byte),
        }
    }
}

/// The text at `offset` (past any tag) and the offset behind its terminator.
#[inline]
pub fn get_text(row: &[u8], offset: usize) -> (Text<'_>, usize) {
    let end = skip_text(row, offset);
    let written = &row[offset..end - 1];
    if written.contains(&ESCAPE) {
        return (Text::Owned(String::from_utf8_lossy(&unescaped(written)).into_owned()), end);
    }
    // Rows are written from `&str`, so this only fails when `offset` is wrong.
    let text = match std::str::from_utf8(written) {
        Ok(text) => Text::Borrowed(text),
        Err(_) => String::from_utf8_lossy(written),
    };
    (text, end)
}

/// The bytes at `offset` (past any tag) and the offset behind their end.
#[inline]
pub fn get_bytes(row: &[u8], offset: usize) -> (Bytes<'_>, usize) {
    let end = skip_text(row, offset);
    let written = &row[offset..end - 1];
    match written.contains(&ESCAPE) {
        true => (Bytes::Owned(unescaped(written)), end),
        false => (Bytes::Borrowed(written), end),
    }
}

#[cold]
fn unescaped(written: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            ESCAPE => bytes.extend(rest.next().map(|next| next.wrapping_sub(1))),
            _ => bytes.push(byte),
        }
    }
    bytes
}

/// The offset behind the terminator of the text, the bytes or the nested value at `offset`.
#[inline]
pub fn skip_text(row: &[u8], offset: usize) -> usize {
    let rest = &row[offset..];
    // No other byte of an encoded text is 0x00, so this is a search for a C string's end.
    match CStr::from_bytes_until_nul(rest) {
        Ok(text) => offset + text.count_bytes() + 1,
        Err(_) => panic!("row of {} bytes has no text ending behind offset {offset}", row.len()),
    }
}

/// The tag of a non-NULL value of a nullable column; the value follows.
#[inline(always)]
pub fn put_tag(out: &mut Vec<u8>) {
    out.push(1);
}

/// A NULL of a nullable column whose values take `width` bytes behind their tag; 0 for variable width.
#[inline(always)]
pub fn put_null(out: &mut Vec<u8>, width: usize) {
    out.resize(out.len() + 1 + width, 0);
}

/// Is the nullable column whose tag lies at `offset` NULL?
#[inline(always)]
pub fn is_null(row: &[u8], offset: usize) -> bool {
    row[offset] == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// `ascending` must be encoded in strictly ascending order and decode to itself.
    fn check<T: Debug + PartialEq + Copy>(ascending: &[T], put: fn(&mut Vec<u8>, T), get: fn(&[u8], usize) -> T) {
        let mut last = Vec::new();
        for &value in ascending {
            let mut row = vec![9];
            put(&mut row, value);
            assert!(last < row, "{value:?}");
            assert_eq!(get(&row, 1), value);
            last = row;
        }
    }

    #[test]
    fn integers() {
        check(&[i8::MIN, -1, 0, 1, i8::MAX], put_i8, get_i8);
        check(&[i16::MIN, -256, -1, 0, 255, 256, i16::MAX], put_i16, get_i16);
        check(&[i32::MIN, -65536, -1, 0, 1, i32::MAX], put_i32, get_i32);
        check(&[i64::MIN, -1, 0, 1, i64::MAX], put_i64, get_i64);
        check(&[i128::MIN, -(1 << 64), -1, 0, 1 << 64, i128::MAX], put_i128, get_i128);
    }

    #[test]
    fn floats() {
        check(&[f32::NEG_INFINITY, f32::MIN, -1.5, 0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY], put_f32, get_f32);
        check(&[f64::NEG_INFINITY, f64::MIN, -5e-324, 0.0, 5e-324, f64::MAX, f64::INFINITY], put_f64, get_f64);
        let bytes = |value| {
            let mut row = Vec::new();
            put_f64(&mut row, value);
            row
        };
        assert_eq!(bytes(-0.0), bytes(0.0));
        assert_eq!(bytes(-f64::NAN), bytes(f64::from_bits(0x7ff0_0000_0000_0001)));
        assert!(bytes(f64::INFINITY) < bytes(f64::NAN));
        assert!(get_f64(&bytes(f64::NAN), 0).is_nan());
    }

    #[test]
    fn texts() {
        let ascending =
            ["", "\0", "\0\0", "\0\u{1}", "\0a", "\u{1}", "\u{1}\0", "\u{2}", "a", "a\0", "a\u{1}", "aa", "é"];
        let mut last = Vec::new();
        for text in ascending {
            let mut row = vec![9, 9];
            put_text(&mut row, text);
            let end = row.len();
            assert!(last < row, "{text:?}");
            last = row.clone();
            row.extend([5, 0]);
            assert_eq!(get_text(&row, 2), (Text::Borrowed(text), end));
        }
    }
}
