//! Asks the operating system for large pages behind large state: a probe of a random place otherwise pays for a walk of
//! the page tables too. Does nothing where there is no such call.

// Measured on the aggregate of a million keys: a third of the CPU time.
#![allow(unsafe_code)]

/// Smaller memory is not worth the call.
const MIN_BYTES: usize = 4 << 20;

/// Writes to each page of memory that is all zeros and was never touched. A page that is read before it is written is backed
/// by a shared page first, and to replace that interrupts all processors that run threads of this process.
pub fn touch(memory: &mut [u64]) {
    const WORDS: usize = 4096 / size_of::<u64>();
    memory.iter_mut().step_by(WORDS).for_each(|word| *std::hint::black_box(word) = 0);
}

/// To be called whenever `memory` was allocated anew.
pub fn advise<T>(memory: &Vec<T>) {
    let bytes = memory.capacity() * size_of::<T>();
    advise_range(memory.as_ptr() as usize, bytes);
}

/// Likewise, for `len` bytes of the caller's from the address `start` on.
#[cfg(target_os = "linux")]
pub fn advise_range(start: usize, len: usize) {
    use std::ffi::{c_int, c_void};
    const MADV_HUGEPAGE: c_int = 14;
    const PAGE: usize = 4096;
    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }
    if len < MIN_BYTES {
        return;
    }
    let first = start.next_multiple_of(PAGE);
    let len = (start + len).saturating_sub(first) / PAGE * PAGE;
    // SAFETY: the range lies inside one live allocation, and this advice changes no content and no protection of it,
    // only the size of the pages that back it. A refusal (no such kernel, other page size) may be ignored.
    unsafe { madvise(first as *mut c_void, len, MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
pub fn advise_range(_start: usize, _len: usize) {}

#[cfg(test)]
mod tests {
    #[test]
    fn advised_memory_keeps_its_content() {
        let mut memory: Vec<u64> = (0..1 << 20).collect();
        super::advise(&memory);
        memory.push(1);
        super::advise(&memory);
        assert!(memory[..1 << 20].iter().enumerate().all(|(at, value)| at as u64 == *value));
        super::advise(&Vec::<u8>::new());
    }
}
