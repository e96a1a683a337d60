//! Texts and bytes.

use crate::exchange::{Answer, Argument, Element, check_length};
use feldc_value::{SqlError, Value};
use std::fmt;
use std::ops::Deref;

/// CHAR and VARCHAR of any length; a result is fitted to the declared length as CAST does it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SqlString(String);

impl SqlString {
    /// The empty text.
    pub fn new() -> SqlString {
        SqlString::default()
    }

    /// A copy of a text.
    pub fn from_ref(text: &str) -> SqlString {
        SqlString(text.to_string())
    }

    /// The text.
    pub fn str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for SqlString {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for SqlString {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SqlString {
    fn from(text: &str) -> SqlString {
        SqlString(text.to_string())
    }
}

impl From<String> for SqlString {
    fn from(text: String) -> SqlString {
        SqlString(text)
    }
}

impl From<SqlString> for String {
    fn from(text: SqlString) -> String {
        text.0
    }
}

impl fmt::Display for SqlString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Argument<&str> for SqlString {
    #[inline]
    fn argument(native: &str) -> Result<Self, SqlError> {
        Ok(SqlString(native.to_string()))
    }
}

impl Answer for SqlString {
    type Native = String;

    #[inline]
    fn answer(self) -> Result<String, SqlError> {
        check_length(self.0.len()).map(|()| self.0)
    }
}

impl Element for SqlString {
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Text(text) = value { Some(SqlString(text.to_string())) } else { None }
    }

    fn to_value(self) -> Result<Value, SqlError> {
        self.answer().map(Value::text)
    }
}

/// BINARY and VARBINARY of any length; a result is fitted to the declared length as CAST does it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteArray(Vec<u8>);

impl ByteArray {
    /// A copy of bytes.
    pub fn new(bytes: &[u8]) -> ByteArray {
        ByteArray(bytes.to_vec())
    }

    /// Takes the bytes.
    pub fn from_vec(bytes: Vec<u8>) -> ByteArray {
        ByteArray(bytes)
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, owned.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

impl Deref for ByteArray {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for ByteArray {
    fn from(bytes: Vec<u8>) -> ByteArray {
        ByteArray(bytes)
    }
}

impl From<&[u8]> for ByteArray {
    fn from(bytes: &[u8]) -> ByteArray {
        ByteArray(bytes.to_vec())
    }
}

impl Argument<&[u8]> for ByteArray {
    #[inline]
    fn argument(native: &[u8]) -> Result<Self, SqlError> {
        Ok(ByteArray(native.to_vec()))
    }
}

impl Answer for ByteArray {
    type Native = Vec<u8>;

    #[inline]
    fn answer(self) -> Result<Vec<u8>, SqlError> {
        check_length(self.0.len()).map(|()| self.0)
    }
}

impl Element for ByteArray {
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Binary(bytes) = value { Some(ByteArray(bytes.to_vec())) } else { None }
    }

    fn to_value(self) -> Result<Value, SqlError> {
        self.answer().map(Value::binary)
    }
}
