//! Bytes that grow without being copied: many of them lie in pages of their own, which the operating system moves by
//! changing page tables. A vector would hold two copies while it grows, and the step would wait for the copying.
//!
//! Where there are no such calls, memory is the allocator's.

#![allow(unsafe_code)]

use super::huge_pages;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// From this capacity on the bytes lie in pages of their own.
const MAPPED: usize = 1 << 20;

/// From this capacity on large pages are asked for.
const LARGE: usize = 16 << 20;

/// Bytes, all of them initialised.
#[derive(Debug)]
pub struct Pages {
    start: NonNull<u8>,
    len: usize,
    /// Bytes that may be written from `start` on; those behind the length are zeros.
    capacity: usize,
}

// SAFETY: the bytes belong to this value alone, like those of a vector.
unsafe impl Send for Pages {}
// SAFETY: likewise; who shares a reference can only read.
unsafe impl Sync for Pages {}

impl Default for Pages {
    fn default() -> Pages {
        Pages { start: NonNull::dangling(), len: 0, capacity: 0 }
    }
}

impl Pages {
    fn with_capacity(capacity: usize) -> Pages {
        let start = if capacity >= MAPPED { system::map(capacity) } else { zeroed(capacity) };
        Pages { start, len: 0, capacity }
    }

    /// Appends zeros up to a length that is not less than the present one.
    #[inline]
    pub fn extend_to(&mut self, len: usize) {
        debug_assert!(len >= self.len, "bytes are only added");
        if len > self.capacity {
            self.grow(len);
        }
        self.len = len;
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        let capacity = needed.max(2 * self.capacity).next_power_of_two().max(64);
        if self.capacity >= MAPPED {
            // SAFETY: `start` and `capacity` are those of a mapping that this value owns.
            self.start = unsafe { system::remap(self.start, self.capacity, capacity) };
            self.capacity = capacity;
        } else {
            let mut larger = Pages::with_capacity(capacity);
            larger.len = self.len;
            larger.copy_from_slice(self);
            std::mem::swap(self, &mut larger);
        }
        // The last large page counts whole, so there should be some.
        if self.capacity >= LARGE {
            huge_pages::advise_range(self.start.as_ptr() as usize, self.capacity);
        }
    }
}

impl Deref for Pages {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        // SAFETY: `len` bytes from `start` on are initialised and belong to this value.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Pages {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the value is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        match self.capacity {
            0 => (),
            // SAFETY: `start` came from `zeroed` with this capacity.
            1..MAPPED => unsafe { dealloc(self.start.as_ptr(), bytes(self.capacity)) },
            // SAFETY: `start` and `capacity` are those of a mapping that this value owns.
            _ => unsafe { system::unmap(self.start, self.capacity) },
        }
    }
}

fn bytes(capacity: usize) -> Layout {
    let Ok(layout) = Layout::from_size_align(capacity, 8) else { panic!("a state of {capacity} bytes") };
    layout
}

fn zeroed(capacity: usize) -> NonNull<u8> {
    // SAFETY: the capacity is not 0.
    let start = unsafe { alloc_zeroed(bytes(capacity)) };
    NonNull::new(start).unwrap_or_else(|| handle_alloc_error(bytes(capacity)))
}

#[cfg(target_os = "linux")]
mod system {
    use super::bytes;
    use std::alloc::handle_alloc_error;
    use std::ffi::{c_int, c_void};
    use std::ptr::NonNull;

    const PROT_READ_WRITE: c_int = 3;
    const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
    const MREMAP_MAYMOVE: c_int = 1;

    unsafe extern "C" {
        fn mmap(start: *mut c_void, len: usize, prot: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
        fn mremap(start: *mut c_void, len: usize, new: usize, flags: c_int, ...) -> *mut c_void;
        fn munmap(start: *mut c_void, len: usize) -> c_int;
    }

    /// Zeros.
    pub fn map(capacity: usize) -> NonNull<u8> {
        // SAFETY: a new private mapping touches no other memory.
        let start = unsafe { mmap(std::ptr::null_mut(), capacity, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
        checked(start, capacity)
    }

    /// The same bytes with zeros behind them.
    ///
    /// # Safety
    /// `start` is a mapping of `old` bytes, which the caller gives up.
    pub unsafe fn remap(start: NonNull<u8>, old: usize, capacity: usize) -> NonNull<u8> {
        // SAFETY: as promised.
        let start = unsafe { mremap(start.as_ptr().cast(), old, capacity, MREMAP_MAYMOVE) };
        checked(start, capacity)
    }

    /// # Safety
    /// `start` is a mapping of `capacity` bytes, which the caller gives up.
    pub unsafe fn unmap(start: NonNull<u8>, capacity: usize) {
        // SAFETY: as promised. It cannot fail for such a range.
        unsafe { munmap(start.as_ptr().cast(), capacity) };
    }

    /// The calls say -1 when there is no memory.
    fn checked(start: *mut c_void, capacity: usize) -> NonNull<u8> {
        let start = if start as isize == -1 { None } else { NonNull::new(start.cast()) };
        start.unwrap_or_else(|| handle_alloc_error(bytes(capacity)))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{bytes, zeroed};
    use std::alloc::dealloc;
    use std::ptr::NonNull;

    pub fn map(capacity: usize) -> NonNull<u8> {
        zeroed(capacity)
    }

    /// # Safety
    /// `start` came from [`map`] with `old` bytes; the caller gives it up.
    pub unsafe fn remap(start: NonNull<u8>, old: usize, capacity: usize) -> NonNull<u8> {
        let larger = zeroed(capacity);
        // SAFETY: both are of at least `old` bytes and distinct.
        unsafe { larger.copy_from_nonoverlapping(start, old) };
        // SAFETY: as promised.
        unsafe { unmap(start, old) };
        larger
    }

    /// # Safety
    /// `start` came from [`map`] with `capacity` bytes; the caller gives it up.
    pub unsafe fn unmap(start: NonNull<u8>, capacity: usize) {
        // SAFETY: as promised.
        unsafe { dealloc(start.as_ptr(), bytes(capacity)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_keep_their_values_and_new_ones_are_zeros() {
        let mut pages = Pages::default();
        assert!(pages.is_empty());
        for len in [1, 60, 64, 65, 5_000, MAPPED - 1, MAPPED, MAPPED + 1, 3 * MAPPED, 9 * MAPPED] {
            let before = pages.len();
            pages.extend_to(len);
            assert_eq!(pages.len(), len);
            assert!(pages[..before].iter().enumerate().all(|(at, byte)| *byte == at as u8 | 1));
            assert!(pages[before..].iter().all(|byte| *byte == 0));
            pages.iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8 | 1);
        }
        let moved = std::thread::spawn(move || pages.len()).join().expect("no panic");
        assert_eq!(moved, 9 * MAPPED);
    }
}
