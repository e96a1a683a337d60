//! A hint to the processor that memory will be read soon; does nothing where there is no stable intrinsic.

// A hint needs the intrinsic; measured on the aggregate of a million keys.
#![allow(unsafe_code)]

/// Fetches the cache line of `slice[index]`; any index is allowed.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint that never faults and changes no memory, whatever the address; the address is
        // computed with `wrapping_add`, which is defined for any index.
        unsafe { _mm_prefetch(slice.as_ptr().wrapping_add(index).cast::<i8>(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_index_is_harmless() {
        for index in [0, 1, 1 << 40, usize::MAX] {
            super::prefetch(&[1u64, 2], index);
            super::prefetch::<u8>(&[], index);
        }
    }
}
