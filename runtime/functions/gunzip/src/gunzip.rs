//! Decompression. What comes out is bounded: a few bytes can stand for gigabytes.

use crate::gunzip;
use feldc_value::error::INVALID_ARGUMENT;
use feldc_value::pad::{MAX_LENGTH, too_long};
use feldc_value::{SqlError, functions};
use flate2::read::MultiGzDecoder;
use std::io::Read;

fn wrong(message: &'static str) -> SqlError {
    SqlError::new(INVALID_ARGUMENT, message)
}

/// The text in all members of a file in the format of gzip, one after the other.
pub fn gunzip(bytes: &[u8]) -> Result<String, SqlError> {
    let mut out = vec![];
    let decoder = MultiGzDecoder::new(bytes);
    decoder
        .take(MAX_LENGTH as u64 + 1)
        .read_to_end(&mut out)
        .map_err(|_| wrong("the bytes are not in the format of gzip, or they are cut off or damaged"))?;
    if out.len() > MAX_LENGTH {
        return Err(too_long());
    }
    String::from_utf8(out).map_err(|_| wrong("the decompressed bytes are not text in UTF-8"))
}

functions! { pub static FUNCTIONS:
    "GUNZIP" (VARBINARY) -> VARCHAR = gunzip::gunzip, Strict {fallible}, "The text in UTF-8 that bytes in the format of gzip hold.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(vec![], Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn texts() {
        // The example of the peer's documentation.
        let bytes = feldc_value::binary::parse_hex("1f8b08000000000000ff4b4bcd49492d4a0400218115ac07000000").unwrap();
        assert_eq!(gunzip(&bytes).as_deref(), Ok("feldera"));
        assert_eq!(gunzip(&[zipped("é".as_bytes()), zipped(b"")].concat()).as_deref(), Ok("é"));
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        let whole = zipped(b"some text");
        for bytes in
            [&b""[..], b"text", &whole[..whole.len() - 1], &zipped(&[0xff]), &zipped(&vec![b'a'; MAX_LENGTH + 1])]
        {
            assert_eq!(gunzip(bytes).unwrap_err().code, INVALID_ARGUMENT);
        }
    }
}
