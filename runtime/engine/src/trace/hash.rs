//! The hash of key bytes that all point structures share, and by which rows find their worker.
//!
//! Two 64 x 64 -> 128 bit multiplications, folded, for keys of up to 16 bytes; one more for every further 16. The seed is
//! fixed: all workers must agree on the owner of a key, and a program does the same work on every run.

const SEEDS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03, 0x8cb9_2ba7_2f3d_8dd7];

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    (product as u64) ^ ((product >> 64) as u64)
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

#[inline]
fn half(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |chunk| u64::from(u32::from_le_bytes(*chunk)))
}

/// 64 well-mixed bits of `bytes`.
#[inline]
pub fn hash64(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    // Spread over all bits, or a change of length could look like a change of one byte.
    let mut state = SEEDS[0] ^ (len as u64).wrapping_mul(SEEDS[2]);
    let (a, b) = match len {
        0 => (0, 0),
        1..4 => (u64::from(bytes[0]) << 8 | u64::from(bytes[len / 2]), u64::from(bytes[len - 1])),
        4..8 => (half(bytes, 0), half(bytes, len - 4)),
        8..=16 => (word(bytes, 0), word(bytes, len - 8)),
        _ => {
            for chunk in bytes[..len - 1].chunks_exact(16) {
                state = fold(word(chunk, 0) ^ state, word(chunk, 8) ^ SEEDS[1]);
            }
            (word(bytes, len - 16), word(bytes, len - 8))
        }
    };
    fold(fold(a ^ SEEDS[1], b ^ state), SEEDS[2])
}

/// The bits that the hash tables keep beside each reference. The choice of a worker must use the low bits of
/// [`hash64`] instead, or each worker would fill only a part of its tables.
#[inline]
pub fn hash32(bytes: &[u8]) -> u32 {
    (hash64(bytes) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_length_and_every_byte_counts() {
        let mut seen = BTreeSet::new();
        for len in 0..70 {
            let mut bytes = vec![7u8; len];
            assert!(seen.insert(hash64(&bytes)), "length {len}");
            for at in 0..len {
                bytes[at] = 8;
                assert!(seen.insert(hash64(&bytes)), "length {len}, byte {at}");
                bytes[at] = 7;
            }
        }
    }

    /// Consecutive keys in the row encoding differ only in their last bytes.
    #[test]
    fn consecutive_keys_spread_at_both_ends() {
        let (mut high, mut low) = ([0u32; 256], [0u32; 3]);
        for i in 0..65_536u64 {
            let hash = hash64(&i.to_be_bytes());
            high[(hash >> 56) as usize] += 1;
            low[(((hash & 0xffff) * 3) >> 16) as usize] += 1;
        }
        assert!(high.iter().all(|&count| (160..370).contains(&count)), "{high:?}");
        assert!(low.iter().all(|&count| (21_000..23_000).contains(&count)), "{low:?}");
    }
}
