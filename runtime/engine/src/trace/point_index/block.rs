//! The form of a key's block in a [`super::PointIndex`]: a head, the key, then records (the rest of each row).
//!
//! A block always has at least one record, so a record of no bytes (the key is the whole row, the weight 1) needs none.

use crate::trace::arena::{Class, i64_at, u32_at};

/// Bytes used (u32), size class, flags; the key follows.
pub const HEAD: usize = 6;
const CLASS: usize = 4;
const FLAGS: usize = 5;

/// Every record begins with its weight (else all weights are 1).
pub const WEIGHTED: u8 = 1;
/// Some weight may be negative.
pub const NEGATIVE: u8 = 2;
/// In place of records stands the number of an index of its own.
pub const LARGE: u8 = 4;

/// What is the same in all blocks of an index: widths where they are constant. A varying part is preceded by its length.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub key_width: Option<usize>,
    pub rest_width: Option<usize>,
}

/// One row's part of a block, as offsets.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub start: usize,
    pub rest: usize,
    pub end: usize,
    pub weight: i64,
}

#[inline]
pub fn used(block: &[u8]) -> usize {
    u32_at(block, 0) as usize
}

#[inline]
pub fn set_used(block: &mut [u8], used: usize) {
    let used = u32::try_from(used).expect("the rows of one key in one block exceed 4 GiB");
    block[..4].copy_from_slice(&used.to_le_bytes());
}

#[inline]
pub fn class(block: &[u8]) -> Class {
    block[CLASS]
}

#[inline]
pub fn set_class(block: &mut [u8], class: Class) {
    block[CLASS] = class;
}

#[inline]
pub fn flags(block: &[u8]) -> u8 {
    block[FLAGS]
}

#[inline]
pub fn set_flags(block: &mut [u8], flags: u8) {
    block[FLAGS] = flags;
}

/// The flags of a block whose only weight is `weight`.
#[inline]
pub fn flags_of(weight: i64) -> u8 {
    (u8::from(weight != 1) * WEIGHTED) | (u8::from(weight < 0) * NEGATIVE)
}

impl Form {
    /// Bytes of head and key.
    #[inline]
    pub fn key_end(self, key: &[u8]) -> usize {
        HEAD + prefixed(self.key_width, key)
    }

    /// Bytes of a record.
    #[inline]
    pub fn record_len(self, flags: u8, rest: &[u8]) -> usize {
        prefixed(self.rest_width, rest) + if flags & WEIGHTED == 0 { 0 } else { 8 }
    }

    /// Where the key of a block starts and ends.
    #[inline]
    pub fn key_range(self, block: &[u8]) -> (usize, usize) {
        match self.key_width {
            Some(width) => (HEAD, HEAD + width),
            None => {
                let (len, start) = get_len(block, HEAD);
                (start, start + len)
            }
        }
    }

    #[inline]
    pub fn put_key(self, block: &mut [u8], key: &[u8]) {
        put(self.key_width, block, HEAD, key);
    }

    #[inline]
    pub fn put_record(self, block: &mut [u8], flags: u8, start: usize, rest: &[u8], weight: i64) {
        let mut at = start;
        if flags & WEIGHTED != 0 {
            block[at..at + 8].copy_from_slice(&weight.to_le_bytes());
            at += 8;
        }
        put(self.rest_width, block, at, rest);
    }

    #[inline]
    pub fn record(self, block: &[u8], flags: u8, start: usize) -> Record {
        let (weight, at) = match flags & WEIGHTED {
            0 => (1, start),
            _ => (i64_at(block, start), start + 8),
        };
        let (len, rest) = match self.rest_width {
            Some(width) => (width, at),
            None => get_len(block, at),
        };
        Record { start, rest, end: rest + len, weight }
    }

    /// The records of a block that is not [`LARGE`].
    #[inline]
    pub fn records(self, block: &[u8]) -> impl Iterator<Item = Record> + '_ {
        let (flags, used) = (flags(block), used(block));
        let mut next = Some(self.key_range(block).1);
        std::iter::from_fn(move || {
            let record = self.record(block, flags, next?);
            next = (record.end < used).then_some(record.end);
            Some(record)
        })
    }
}

#[inline]
fn prefixed(width: Option<usize>, bytes: &[u8]) -> usize {
    bytes.len() + if width.is_some() { 0 } else { len_len(bytes.len()) }
}

#[inline]
fn put(width: Option<usize>, block: &mut [u8], at: usize, bytes: &[u8]) {
    let start = at + if width.is_some() { 0 } else { put_len(block, at, bytes.len()) };
    block[start..start + bytes.len()].copy_from_slice(bytes);
}

/// A length takes one byte below 128, else four with the highest bit set.
#[inline]
fn len_len(len: usize) -> usize {
    if len < 128 { 1 } else { 4 }
}

#[inline]
fn put_len(block: &mut [u8], at: usize, len: usize) -> usize {
    if len < 128 {
        block[at] = len as u8;
        return 1;
    }
    assert!(len < 1 << 31, "a row exceeds 2 GiB");
    block[at..at + 4].copy_from_slice(&(len as u32 | 1 << 31).to_be_bytes());
    4
}

/// The length at `at` and the offset behind it.
#[inline]
fn get_len(block: &[u8], at: usize) -> (usize, usize) {
    let first = block[at];
    if first < 128 {
        return (first as usize, at + 1);
    }
    let word = u32::from_be_bytes(block[at..at + 4].try_into().expect("four bytes"));
    ((word & !(1 << 31)) as usize, at + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_one_and_of_four_bytes() {
        for len in [0, 1, 127, 128, 300, 70_000, (1 << 31) - 1] {
            let mut bytes = [0; 5];
            assert_eq!(put_len(&mut bytes, 1, len), len_len(len));
            assert_eq!(get_len(&bytes, 1), (len, 1 + len_len(len)));
        }
    }

    #[test]
    fn a_block_gives_back_its_records() {
        let form = Form { key_width: None, rest_width: None };
        let mut block = vec![0; 100];
        set_flags(&mut block, flags_of(-3));
        form.put_key(&mut block, b"key");
        let mut at = form.key_end(b"key");
        for (rest, weight) in [(&b"one"[..], -3), (b"", 1), (b"three", 7)] {
            form.put_record(&mut block, WEIGHTED, at, rest, weight);
            at += form.record_len(WEIGHTED, rest);
        }
        set_used(&mut block, at);
        let records: Vec<_> =
            form.records(&block).map(|record| (&block[record.rest..record.end], record.weight)).collect();
        assert_eq!(records, [(&b"one"[..], -3), (b"", 1), (b"three", 7)]);
        let (start, end) = form.key_range(&block);
        assert_eq!(&block[start..end], b"key");
    }
}
