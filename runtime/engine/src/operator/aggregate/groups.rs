//! The groups of an aggregate: a hash table from key bytes to a state of fixed size, which remembers the groups that a
//! step touches and the state they had before.

use crate::trace::arena::{Arena, Class, Ref, class_of, u32_at};
use crate::trace::buckets::{Buckets, Place};

/// A block: number among the touched groups (u32), state, then the key (its length before it when that varies).
const STATE: usize = 4;

const AHEAD_TABLE: usize = 16;
const AHEAD_BLOCK: usize = 8;

/// Less garbage than this is never worth compacting.
const MIN_GARBAGE: usize = 1 << 20;

#[derive(Debug)]
pub struct Groups {
    key_width: Option<usize>,
    state_len: usize,
    buckets: Buckets,
    arena: Arena,
    touched: Vec<Ref>,
    /// The states of the touched groups before the step, one after another.
    old: Vec<u8>,
}

impl Groups {
    /// `key_width`: bytes of every key, when that is constant.
    pub fn new(key_width: Option<usize>, state_len: usize) -> Groups {
        let (buckets, arena) = (Buckets::default(), Arena::default());
        Groups { key_width, state_len, buckets, arena, touched: Vec::new(), old: Vec::new() }
    }

    /// Fetches what the rows behind the one `at` work will need.
    #[inline]
    pub fn prefetch(&self, hashes: &[u32], at: usize) {
        if let Some(&hash) = hashes.get(at + AHEAD_TABLE) {
            self.buckets.prefetch(hash);
        }
        if let Some(block) = hashes.get(at + AHEAD_BLOCK).and_then(|&hash| self.buckets.guess(hash)) {
            self.prefetch_block(block);
        }
    }

    /// A block often lies on two lines: its end holds the key, its start the state.
    #[inline]
    fn prefetch_block(&self, block: Ref) {
        self.arena.prefetch(block);
        self.arena.prefetch_at(block, STATE + self.state_len);
    }

    /// The group of a key, touched; made with a state of zeros if it is new.
    #[inline]
    pub fn touch(&mut self, hash: u32, key: &[u8]) -> Ref {
        self.buckets.reserve(1);
        let block = match self.buckets.find(hash, |block| self.key(block) == key) {
            Place::Found(at) => self.buckets.get(at),
            Place::Vacant(at) => {
                let block = self.create(key);
                self.buckets.fill(at, hash, block);
                block
            }
        };
        let bytes = self.arena.tail_mut(block);
        // The number is left from an earlier step unless the list agrees.
        if self.touched.get(u32_at(bytes, 0) as usize) != Some(&block) {
            bytes[..STATE].copy_from_slice(&(self.touched.len() as u32).to_le_bytes());
            self.old.extend_from_slice(&bytes[STATE..STATE + self.state_len]);
            self.touched.push(block);
        }
        block
    }

    /// The group of a key that was touched in this step.
    pub fn find(&self, hash: u32, key: &[u8]) -> Option<Ref> {
        match self.buckets.find(hash, |block| self.key(block) == key) {
            Place::Found(at) => Some(self.buckets.get(at)),
            Place::Vacant(_) => None,
        }
    }

    fn block_len(&self, key: &[u8]) -> usize {
        STATE + self.state_len + key.len() + if self.key_width.is_some() { 0 } else { 4 }
    }

    fn class(&self, block: Ref) -> Class {
        class_of(self.block_len(self.key(block)))
    }

    #[cold]
    fn create(&mut self, key: &[u8]) -> Ref {
        let len = self.block_len(key);
        let block = self.arena.allocate(class_of(len));
        let bytes = self.arena.tail_mut(block);
        bytes[..STATE + self.state_len].fill(0);
        if self.key_width.is_none() {
            let width = u32::try_from(key.len()).expect("a key exceeds 4 GiB");
            bytes[STATE + self.state_len..][..4].copy_from_slice(&width.to_le_bytes());
        }
        bytes[len - key.len()..len].copy_from_slice(key);
        block
    }

    #[inline]
    pub fn key(&self, block: Ref) -> &[u8] {
        let bytes = self.arena.tail(block);
        let start = STATE + self.state_len;
        match self.key_width {
            Some(width) => &bytes[start..start + width],
            None => &bytes[start + 4..start + 4 + u32_at(bytes, start) as usize],
        }
    }

    #[inline]
    pub fn state(&self, block: Ref) -> &[u8] {
        &self.arena.tail(block)[STATE..STATE + self.state_len]
    }

    #[inline]
    pub fn state_mut(&mut self, block: Ref) -> &mut [u8] {
        &mut self.arena.tail_mut(block)[STATE..STATE + self.state_len]
    }

    /// The groups touched since [`Groups::settle`], each with its state before.
    pub fn touched(&self) -> impl Iterator<Item = (Ref, &[u8])> + '_ {
        self.touched.iter().enumerate().map(|(at, &block)| {
            if let Some(&next) = self.touched.get(at + AHEAD_BLOCK) {
                self.prefetch_block(next);
            }
            (block, &self.old[at * self.state_len..][..self.state_len])
        })
    }

    /// The block of the touched group with this number.
    pub fn touched_at(&self, number: usize) -> Option<Ref> {
        self.touched.get(number).copied()
    }

    /// Removes a group.
    pub fn remove(&mut self, hash: u32, block: Ref) {
        let class = self.class(block);
        if let Place::Found(at) = self.buckets.find(hash, |other| other == block) {
            self.buckets.remove(at);
            self.arena.release(block, class);
        }
    }

    /// Ends a step: no group is touched any more.
    pub fn settle(&mut self) {
        self.touched.clear();
        self.old.clear();
        let garbage = self.arena.free_bytes();
        if garbage >= MIN_GARBAGE && garbage * 2 >= self.arena.byte_len() {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let mut fresh = Arena::default();
        let mut buckets = std::mem::take(&mut self.buckets);
        buckets.map_refs(|block| {
            let len = self.block_len(self.key(block));
            let moved = fresh.allocate(class_of(len));
            fresh.tail_mut(moved)[..len].copy_from_slice(&self.arena.tail(block)[..len]);
            moved
        });
        (self.buckets, self.arena) = (buckets, fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::hash::hash32;

    #[test]
    fn a_step_sees_old_states_and_touches_once() {
        for width in [Some(3), None] {
            let mut groups = Groups::new(width, 8);
            let first = groups.touch(hash32(b"abc"), b"abc");
            groups.state_mut(first)[0] = 1;
            groups.settle();
            let second = groups.touch(hash32(b"xyz"), b"xyz");
            assert_eq!(groups.touch(hash32(b"abc"), b"abc"), first);
            groups.state_mut(first)[0] = 2;
            groups.touch(hash32(b"abc"), b"abc");
            let touched: Vec<_> = groups.touched().map(|(block, old)| (block, groups.key(block), old[0])).collect();
            assert_eq!(touched, [(second, &b"xyz"[..], 0), (first, &b"abc"[..], 1)]);
            assert_eq!(groups.state(first)[0], 2);
        }
    }

    #[test]
    fn removed_groups_are_found_no_more() {
        let mut groups = Groups::new(None, 8);
        for n in 0..100_000u32 {
            let key = n.to_string();
            groups.touch(hash32(key.as_bytes()), key.as_bytes());
        }
        for n in (0..100_000u32).filter(|n| n % 10 != 0) {
            let key = n.to_string();
            let hash = hash32(key.as_bytes());
            let block = groups.find(hash, key.as_bytes()).expect("still there");
            groups.remove(hash, block);
        }
        let before = groups.arena.byte_len();
        groups.settle();
        assert!(groups.arena.byte_len() < before / 2);
        for n in 0..100_000u32 {
            let key = n.to_string();
            assert_eq!(groups.find(hash32(key.as_bytes()), key.as_bytes()).is_some(), n % 10 == 0);
        }
        assert_eq!(groups.buckets.len(), 10_000);
    }
}
