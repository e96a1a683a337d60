//! One function for each digest.

use crate::digest;
use feldc_value::functions;
use md5::Digest;
use std::fmt::Write;
use xxhash_rust::xxh64::xxh64;

fn hexadecimal<D: Digest>(bytes: &[u8]) -> String {
    let digest = D::digest(bytes);
    let mut digits = String::with_capacity(2 * digest.len());
    for byte in digest.iter() {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

pub fn md5(text: &str) -> String {
    hexadecimal::<md5::Md5>(text.as_bytes())
}

pub fn sha1(text: &str) -> String {
    hexadecimal::<sha1::Sha1>(text.as_bytes())
}

pub fn sha224(text: &str) -> String {
    hexadecimal::<sha2::Sha224>(text.as_bytes())
}

pub fn sha256(text: &str) -> String {
    hexadecimal::<sha2::Sha256>(text.as_bytes())
}

pub fn sha384(text: &str) -> String {
    hexadecimal::<sha2::Sha384>(text.as_bytes())
}

pub fn sha512(text: &str) -> String {
    hexadecimal::<sha2::Sha512>(text.as_bytes())
}

pub fn md5_of_bytes(bytes: &[u8]) -> String {
    hexadecimal::<md5::Md5>(bytes)
}

pub fn sha1_of_bytes(bytes: &[u8]) -> String {
    hexadecimal::<sha1::Sha1>(bytes)
}

pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    hexadecimal::<sha2::Sha256>(bytes)
}

pub fn sha512_of_bytes(bytes: &[u8]) -> String {
    hexadecimal::<sha2::Sha512>(bytes)
}

pub fn xxhash_of_bytes(bytes: &[u8]) -> i64 {
    xxhash_of_bytes_seeded(bytes, 0)
}

pub fn xxhash_of_bytes_seeded(bytes: &[u8], seed: i64) -> i64 {
    xxh64(bytes, seed.cast_unsigned()).cast_signed()
}

/// The checksum of zip files.
pub fn crc32(text: &str) -> i64 {
    i64::from(crc32fast::hash(text.as_bytes()))
}

/// XXH64 of seed 0.
pub fn xxhash(text: &str) -> i64 {
    xxhash_seeded(text, 0)
}

/// XXH64, its 64 bits read as a signed number; so is the seed.
pub fn xxhash_seeded(text: &str, seed: i64) -> i64 {
    xxh64(text.as_bytes(), seed.cast_unsigned()).cast_signed()
}

functions! { pub static FUNCTIONS:
    "MD5" (VARCHAR) -> VARCHAR = digest::md5, Strict {}, "MD5 digest in hexadecimal digits.";
    "SHA1" (VARCHAR) -> VARCHAR = digest::sha1, Strict {}, "SHA-1 digest in hexadecimal digits.";
    "SHA224" (VARCHAR) -> VARCHAR = digest::sha224, Strict {}, "SHA-224 digest in hexadecimal digits.";
    "SHA256" (VARCHAR) -> VARCHAR = digest::sha256, Strict {}, "SHA-256 digest in hexadecimal digits.";
    "SHA384" (VARCHAR) -> VARCHAR = digest::sha384, Strict {}, "SHA-384 digest in hexadecimal digits.";
    "SHA512" (VARCHAR) -> VARCHAR = digest::sha512, Strict {}, "SHA-512 digest in hexadecimal digits.";
    "MD5" (VARBINARY) -> VARCHAR = digest::md5_of_bytes, Strict {}, "MD5 digest in hexadecimal digits.";
    "SHA1" (VARBINARY) -> VARCHAR = digest::sha1_of_bytes, Strict {}, "SHA-1 digest in hexadecimal digits.";
    "SHA256" (VARBINARY) -> VARCHAR = digest::sha256_of_bytes, Strict {}, "SHA-256 digest in hexadecimal digits.";
    "SHA512" (VARBINARY) -> VARCHAR = digest::sha512_of_bytes, Strict {}, "SHA-512 digest in hexadecimal digits.";
    "XXHASH" (VARBINARY) -> BIGINT = digest::xxhash_of_bytes, Strict {}, "XXH64 hash.";
    "XXHASH" (VARBINARY, BIGINT) -> BIGINT = digest::xxhash_of_bytes_seeded, Strict {}, "XXH64 hash with a seed.";
    "CRC32" (VARCHAR) -> BIGINT = digest::crc32, Strict {}, "CRC-32 checksum.";
    "XXHASH" (VARCHAR) -> BIGINT = digest::xxhash, Strict {}, "XXH64 hash.";
    "XXHASH" (VARCHAR, BIGINT) -> BIGINT = digest::xxhash_seeded, Strict {}, "XXH64 hash with a seed.";
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values of Python's hashlib, and of the peer's tests for XXHASH.
    #[test]
    fn digests() {
        assert_eq!(md5("Feldera"), "841afc2f65b5763600818ef42a56d7d1");
        assert_eq!(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(sha224("abc"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
        assert_eq!(sha256("かわいい"), "f161f8a1da3d9709b6a119b5218bb43561ca7d1adeaef280a41a78108900ce59");
        assert_eq!(
            sha384("abc"),
            concat!(
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed",
                "8086072ba1e7cc2358baeca134c825a7"
            )
        );
        assert_eq!(
            sha512(""),
            concat!(
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce",
                "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            )
        );
    }

    #[test]
    fn hashes() {
        assert_eq!(xxhash_seeded("abc", 2), 6_026_019_377_950_218_999);
        assert_eq!(xxhash_seeded("\u{1}\u{2}\u{3}", 2), 2_397_937_360_598_948_438);
        assert_eq!((crc32(""), crc32("abc"), crc32("かわいい")), (0, 891_568_578, 2_636_905_444));
        assert_eq!((xxhash(""), xxhash("abc")), (-1_205_034_819_632_174_695, 4_952_883_123_889_572_249));
        assert_eq!(xxhash(&"a".repeat(31)), -124_123_331_417_855_722);
        assert_eq!(xxhash(&"a".repeat(32)), -8_831_976_466_377_237_801);
        assert_eq!(xxhash(&"a".repeat(100)), 3_985_758_137_895_276_467);
    }
}
