//! BINARY and VARBINARY: conversions and functions over bytes. Positions count bytes from 1.

use crate::arithmetic::Integer;
use crate::error::INVALID_TEXT;
use crate::function::Signature;
use crate::pad::{MAX_LENGTH, too_long};
use crate::{SqlError, SqlType, binary};
use std::borrow::Cow;
use std::fmt::Write;

/// The bytes cut or padded with zeros at their end to a type.
pub fn fit(bytes: Cow<'_, [u8]>, ty: SqlType) -> Cow<'_, [u8]> {
    let (least, most) = match ty {
        SqlType::Binary { length } => (length as usize, length as usize),
        SqlType::Varbinary { length: Some(length) } => (0, length as usize),
        _ => return bytes,
    };
    match bytes.len() {
        length if length > most => match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..most]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(most);
                Cow::Owned(bytes)
            }
        },
        length if length < least => {
            let mut bytes = bytes.into_owned();
            bytes.resize(least, 0);
            Cow::Owned(bytes)
        }
        _ => bytes,
    }
}

pub fn cast<'a>(bytes: &'a [u8], signature: &Signature<'_>) -> Cow<'a, [u8]> {
    fit(Cow::Borrowed(bytes), signature.result)
}

/// UTF-8.
pub fn from_text<'a>(text: &'a str, signature: &Signature<'_>) -> Cow<'a, [u8]> {
    fit(Cow::Borrowed(text.as_bytes()), signature.result)
}

/// Big-endian, cut or padded on the left when the length is fixed.
pub fn from_int<A: Integer>(value: A, signature: &Signature<'_>) -> Vec<u8> {
    let wide: i128 = value.into();
    let bytes = wide.to_be_bytes();
    let own = &bytes[bytes.len() - size_of::<A>()..];
    match signature.result {
        SqlType::Varbinary { length: Some(length) } if (length as usize) < own.len() => {
            own[own.len() - length as usize..].to_vec()
        }
        SqlType::Binary { length } => {
            let length = length as usize;
            let mut fitted = vec![0; length.saturating_sub(own.len())];
            fitted.extend_from_slice(&own[own.len().saturating_sub(length)..]);
            fitted
        }
        result => fit(Cow::Borrowed(own), result).into_owned(),
    }
}

pub fn write_hex(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

pub fn to_hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    write_hex(bytes, &mut out);
    out
}

pub fn to_text(bytes: &[u8], signature: &Signature<'_>) -> String {
    crate::convert::fit_text(Cow::Owned(to_hex(bytes)), signature.result).into_owned()
}

/// The bytes that pairs of hexadecimal digits denote.
pub fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |digit: u8| char::from(digit).to_digit(16);
    digits.chunks(2).map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect()
}

pub fn from_hex(text: &str) -> Result<Vec<u8>, SqlError> {
    parse_hex(text).ok_or_else(|| {
        SqlError::new(INVALID_TEXT, format!("'{}' is not pairs of hexadecimal digits", crate::text_form::shown(text)))
    })
}

pub fn length(bytes: &[u8]) -> i32 {
    bytes.len() as i32
}

pub fn concat(a: &[u8], b: &[u8]) -> Result<Vec<u8>, SqlError> {
    if a.len() + b.len() > MAX_LENGTH {
        return Err(too_long());
    }
    Ok([a, b].concat())
}

/// The first bytes; none for a negative count.
pub fn left(bytes: &[u8], count: i64) -> Cow<'_, [u8]> {
    let count = usize::try_from(count).unwrap_or(0).min(bytes.len());
    Cow::Borrowed(&bytes[..count])
}

pub fn right(bytes: &[u8], count: i64) -> Cow<'_, [u8]> {
    let count = usize::try_from(count).unwrap_or(0).min(bytes.len());
    Cow::Borrowed(&bytes[bytes.len() - count..])
}

pub fn substring_from(bytes: &[u8], start: i64) -> Cow<'_, [u8]> {
    let before = usize::try_from(start.saturating_sub(1)).unwrap_or(0).min(bytes.len());
    Cow::Borrowed(&bytes[before..])
}

/// So many bytes from a position on; a position before the first is the first, nothing for a negative length.
pub fn substring(bytes: &[u8], start: i64, length: i64) -> Cow<'_, [u8]> {
    let rest = bytes.len().min(usize::try_from(start.saturating_sub(1)).unwrap_or(0));
    let length = usize::try_from(length).unwrap_or(0).min(bytes.len() - rest);
    Cow::Borrowed(&bytes[rest..rest + length])
}

/// Where the first bytes stand in the second, from 1; 0 where they do not.
pub fn position(part: &[u8], bytes: &[u8]) -> i32 {
    if part.is_empty() {
        return 1;
    }
    bytes.windows(part.len()).position(|window| window == part).map_or(0, |at| at as i32 + 1)
}

pub fn overlay(bytes: &[u8], new: &[u8], start: i64) -> Result<Vec<u8>, SqlError> {
    overlay_for(bytes, new, start, new.len() as i64)
}

/// `length` bytes from `start` on replaced; nothing is when they start before the first.
pub fn overlay_for(bytes: &[u8], new: &[u8], start: i64, length: i64) -> Result<Vec<u8>, SqlError> {
    if start < 1 {
        return Ok(bytes.to_vec());
    }
    let place = |at: i64| usize::try_from(at.saturating_sub(1)).unwrap_or(0).min(bytes.len());
    let (from, to) = (place(start), place(start.saturating_add(length.max(0))));
    concat(&concat(&bytes[..from], new)?, &bytes[to.max(from)..])
}

/// The big-endian number of the first four bytes at most; NULL of none.
pub fn to_int(bytes: &[u8]) -> Option<i32> {
    let own = &bytes[..bytes.len().min(4)];
    (!own.is_empty()).then(|| own.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)).cast_signed())
}

pub fn to_utf8(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

pub fn common_length(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let length = |ty: &SqlType| match ty {
        SqlType::Binary { length } | SqlType::Varbinary { length: Some(length) } => Some(*length),
        _ => None,
    };
    let sum = arguments.iter().map(length).try_fold(0u32, |sum, length| sum.checked_add(length?));
    Ok(SqlType::Varbinary { length: sum })
}

functions! { pub static FUNCTIONS:
    "||" (VARBINARY, VARBINARY) -> (derived common_length) = binary::concat, Strict {fallible}, "Both one after the other.";
    "OCTET_LENGTH" (VARBINARY) -> INTEGER = binary::length, Strict {}, "Number of bytes.";
    "LENGTH" (VARBINARY) -> INTEGER = binary::length, Strict {}, "Number of bytes.";
    "LEFT" (VARBINARY, BIGINT) -> VARBINARY = binary::left, Strict {}, "The first bytes.";
    "RIGHT" (VARBINARY, BIGINT) -> VARBINARY = binary::right, Strict {}, "The last bytes.";
    "SUBSTRING" (VARBINARY, BIGINT) -> VARBINARY = binary::substring_from, Strict {}, "The bytes from a position on.";
    "SUBSTRING" (VARBINARY, BIGINT, BIGINT) -> VARBINARY = binary::substring, Strict {}, "So many bytes from a position on.";
    "SUBSTR" (VARBINARY, BIGINT) -> VARBINARY = binary::substring_from, Strict {}, "The bytes from a position on.";
    "SUBSTR" (VARBINARY, BIGINT, BIGINT) -> VARBINARY = binary::substring, Strict {}, "So many bytes from a position on.";
    "POSITION" (VARBINARY, VARBINARY) -> INTEGER = binary::position, Strict {}, "Where the first argument stands in the second; 0 where it does not.";
    "OVERLAY" (VARBINARY, VARBINARY, BIGINT) -> VARBINARY = binary::overlay, Strict {fallible}, "Bytes from a position on replaced.";
    "OVERLAY" (VARBINARY, VARBINARY, BIGINT, BIGINT) -> VARBINARY = binary::overlay_for, Strict {fallible}, "So many bytes from a position on replaced.";
    "TO_HEX" (VARBINARY) -> VARCHAR = binary::to_hex, Strict {}, "Two hexadecimal digits for each byte.";
    "FROM_HEX" (VARCHAR) -> VARBINARY = binary::from_hex, Strict {fallible}, "The bytes that pairs of hexadecimal digits denote.";
    "TO_INT" (VARBINARY) -> INTEGER = binary::to_int, StrictToOption {}, "The big-endian number of up to four bytes.";
    "BIN2UTF8" (VARBINARY) -> VARCHAR = binary::to_utf8, StrictToOption {}, "The text whose UTF-8 the bytes are; NULL when there is none.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_fit_their_type() {
        let fitted = |bytes: &[u8], ty| fit(Cow::Owned(bytes.to_vec()), ty).into_owned();
        assert_eq!(fitted(&[1], SqlType::Binary { length: 3 }), [1, 0, 0]);
        assert_eq!(fitted(&[1, 2, 3], SqlType::Varbinary { length: Some(2) }), [1, 2]);
        let int = |ty| from_int(0x0102i16, &Signature { arguments: &[SqlType::SmallInt], result: ty });
        assert_eq!(int(SqlType::Binary { length: 3 }), [0, 1, 2]);
        assert_eq!(int(SqlType::Binary { length: 1 }), [2]);
        assert_eq!(int(SqlType::VARBINARY), [1, 2]);
    }

    #[test]
    fn parts() {
        let bytes = [1, 2, 3, 4];
        assert_eq!(&*substring(&bytes, 2, 2), [2, 3]);
        assert_eq!(&*substring(&bytes, -1, 3), [1, 2, 3]);
        assert_eq!(&*substring(&bytes, i64::MIN, i64::MAX), bytes);
        assert!(substring(&bytes, 1, -1).is_empty() && substring(&bytes, i64::MAX, i64::MAX).is_empty());
        assert_eq!((&*left(&bytes, -1), &*right(&bytes, 9)), (&[][..], &bytes[..]));
        assert_eq!((position(&[3, 4], &bytes), position(&[4, 3], &bytes), position(&[], &bytes)), (3, 0, 1));
        assert_eq!(overlay(&bytes, &[9], 2), Ok(vec![1, 9, 3, 4]));
        assert_eq!(overlay_for(&bytes, &[9], 2, 9), Ok(vec![1, 9]));
        assert_eq!((overlay(&bytes, &[9], 0), overlay(&bytes, &[9], 9)), (Ok(bytes.to_vec()), Ok(vec![1, 2, 3, 4, 9])));
        assert_eq!(overlay_for(&[0x12, 0x34, 0x56, 0x78, 0x90], &[2, 3], 2, 3), Ok(vec![0x12, 2, 3, 0x90]));
        assert_eq!((to_int(&[1, 0]), to_int(&[]), to_int(&[255, 255, 255, 255, 7])), (Some(256), None, Some(-1)));
        assert_eq!((parse_hex("0aFf"), parse_hex("0"), parse_hex("0é")), (Some(vec![10, 255]), None, None));
    }
}
