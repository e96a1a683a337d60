//! Byte blocks of any size in one buffer, named by 32-bit references; freed blocks are reused through a list per size.

use super::pages::Pages;

/// A block: its offset in units of [`UNIT`] bytes. 0 is never a block.
pub type Ref = u32;

pub const UNIT: usize = 8;

/// Sizes are the multiples of 8 up to 128, then four steps for each doubling: the slack of a block is below 25 %.
const SMALL_CLASSES: usize = 16;
const CLASSES: usize = SMALL_CLASSES + 4 * 25;

/// A size class of blocks.
pub type Class = u8;

/// The class of blocks that hold `len` bytes.
#[inline]
pub fn class_of(len: usize) -> Class {
    if len <= UNIT * SMALL_CLASSES {
        return (len.saturating_sub(1) / UNIT) as Class;
    }
    // 2^doubling < len <= 2^(doubling + 1), in quarters of 2^doubling.
    let doubling = (len - 1).ilog2();
    let quarter = (len - 1 - (1 << doubling)) >> (doubling - 2);
    (SMALL_CLASSES + 4 * (doubling as usize - 7) + quarter) as Class
}

/// The bytes of a block of this class.
#[inline]
pub fn class_bytes(class: Class) -> usize {
    let class = class as usize;
    if class < SMALL_CLASSES {
        return UNIT * (class + 1);
    }
    let (doubling, quarter) = (7 + (class - SMALL_CLASSES) / 4, (class - SMALL_CLASSES) % 4);
    (1 << doubling) + ((quarter + 1) << (doubling - 2))
}

#[derive(Debug)]
pub struct Arena {
    bytes: Pages,
    /// Head of the list of free blocks of each class; a free block begins with the next one's reference.
    free: [Ref; CLASSES],
    free_bytes: usize,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { bytes: Pages::default(), free: [0; CLASSES], free_bytes: 0 }
    }
}

impl Arena {
    /// A block of the class; its content is unspecified.
    ///
    /// # Panics
    /// When the arena would exceed 32 GiB.
    #[inline]
    pub fn allocate(&mut self, class: Class) -> Ref {
        let size = class_bytes(class);
        let head = self.free[class as usize];
        if head != 0 {
            self.free[class as usize] = u32_at(&self.bytes, head as usize * UNIT);
            self.free_bytes -= size;
            return head;
        }
        let start = self.bytes.len().max(UNIT);
        let block = Ref::try_from(start / UNIT);
        let block = block.expect("the state of one operator on one worker exceeds 32 GiB: run with more workers");
        self.bytes.extend_to(start + size);
        block
    }

    pub fn release(&mut self, block: Ref, class: Class) {
        let start = block as usize * UNIT;
        self.bytes[start..start + 4].copy_from_slice(&self.free[class as usize].to_le_bytes());
        self.free[class as usize] = block;
        self.free_bytes += class_bytes(class);
    }

    /// Everything from the block's start to the arena's end.
    #[inline]
    pub fn tail(&self, block: Ref) -> &[u8] {
        &self.bytes[block as usize * UNIT..]
    }

    #[inline]
    pub fn tail_mut(&mut self, block: Ref) -> &mut [u8] {
        &mut self.bytes[block as usize * UNIT..]
    }

    /// Copies the first `len` bytes of one block to another.
    pub fn copy(&mut self, from: Ref, to: Ref, len: usize) {
        let from = from as usize * UNIT;
        self.bytes.copy_within(from..from + len, to as usize * UNIT);
    }

    /// Asks the processor to fetch the block's first bytes.
    #[inline]
    pub fn prefetch(&self, block: Ref) {
        self.prefetch_at(block, 0);
    }

    /// Asks the processor to fetch the block's bytes at an offset.
    #[inline]
    pub fn prefetch_at(&self, block: Ref, offset: usize) {
        super::prefetch::prefetch(&self.bytes, block as usize * UNIT + offset);
    }

    /// Bytes of all blocks, free ones included.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of the free blocks.
    pub fn free_bytes(&self) -> usize {
        self.free_bytes
    }
}

#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

#[inline]
pub fn i64_at(bytes: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_cover_every_length_tightly() {
        for len in 1..100_000usize {
            let size = class_bytes(class_of(len));
            assert!(len <= size && size.is_multiple_of(UNIT), "{len} -> {size}");
            assert!(size <= len + 7 || size * 4 <= len * 5, "{len} -> {size}");
        }
        assert!((class_of(u32::MAX as usize) as usize) < CLASSES);
        assert_eq!(class_of(0), 0);
    }

    #[test]
    fn freed_blocks_come_back() {
        let mut arena = Arena::default();
        let blocks: Vec<Ref> = (0..10).map(|_| arena.allocate(class_of(100))).collect();
        let len = arena.byte_len();
        for &block in &blocks {
            arena.tail_mut(block)[..100].fill(1);
            arena.release(block, class_of(97));
        }
        assert_eq!(arena.free_bytes(), 10 * 104);
        for _ in 0..10 {
            arena.allocate(class_of(99));
        }
        assert_eq!((arena.byte_len(), arena.free_bytes()), (len, 0));
    }
}
