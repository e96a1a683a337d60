//! UUIDs: 128 bits with a text form (RFC 9562).

use crate::error::INVALID_TEXT;
use crate::function::Signature;
use crate::{SqlError, convert::fit_text};
use std::borrow::Cow;
use std::fmt::Write;

/// Digits in any case, in braces or not. As PostgreSQL does, hyphens may stand after each four digits, or nowhere.
pub fn parse(text: &str) -> Option<u128> {
    let digits = match text.strip_prefix('{') {
        Some(inner) => inner.strip_suffix('}')?,
        None => text,
    };
    let (mut value, mut count) = (0, 0);
    let mut hyphen_before = true;
    for character in digits.chars() {
        if character == '-' {
            if hyphen_before || count % 4 != 0 || count == 32 {
                return None;
            }
            hyphen_before = true;
            continue;
        }
        if count == 32 {
            return None;
        }
        value = value << 4 | u128::from(character.to_digit(16)?);
        count += 1;
        hyphen_before = false;
    }
    (count == 32).then_some(value)
}

pub fn write(value: u128, out: &mut String) {
    let [a, b, c, d, e] =
        [value >> 96, value >> 80 & 0xffff, value >> 64 & 0xffff, value >> 48 & 0xffff, value & ((1 << 48) - 1)];
    let _ = write!(out, "{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}");
}

pub fn from_text(text: &str) -> Result<u128, SqlError> {
    parse(text).ok_or_else(|| {
        SqlError::new(INVALID_TEXT, format!("cannot convert '{}' to UUID", crate::text_form::shown(text)))
    })
}

pub fn from_bytes(bytes: &[u8]) -> Result<u128, SqlError> {
    let whole: Result<[u8; 16], _> = bytes.try_into();
    let wrong = |_| SqlError::new(INVALID_TEXT, format!("a UUID has 16 bytes, not {}", bytes.len()));
    whole.map(u128::from_be_bytes).map_err(wrong)
}

pub fn to_text(value: u128, signature: &Signature<'_>) -> String {
    let mut out = String::with_capacity(36);
    write(value, &mut out);
    fit_text(Cow::Owned(out), signature.result).into_owned()
}

pub fn to_bytes(value: u128, signature: &Signature<'_>) -> Vec<u8> {
    crate::binary::fit(Cow::Owned(value.to_be_bytes().to_vec()), signature.result).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_uuids() {
        let canonical = "123e4567-e89b-12d3-a456-426655440000";
        let value = 0x123e4567_e89b_12d3_a456_426655440000;
        for text in [canonical, "{123E4567E89B12D3A456426655440000}", "123e-4567-e89b-12d3-a456-4266-5544-0000"] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        let bad = ["", "1-2-3-4-5", "123e456-7e89b-12d3-a456-426655440000", "{123e4567-e89b-12d3-a456-426655440000"];
        for text in
            bad.iter().copied().chain(["123e4567-e89b-12d3-a456-426655440000-", " 123e4567e89b12d3a456426655440000"])
        {
            assert_eq!(parse(text), None, "{text}");
        }
        let mut out = String::new();
        write(value, &mut out);
        assert_eq!(out, canonical);
        assert!(from_bytes(&[0; 17]).is_err());
    }
}
