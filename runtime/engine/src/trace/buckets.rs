//! An open-addressing table from key hashes to block references; the keys themselves lie elsewhere.
//!
//! Linear probing over words of 32 hash bits and a 32-bit reference. The home of a hash is its share of the capacity, so
//! words lie in hash order (but for displacement): growth is one sequential pass that reads no key, by any factor.

use super::arena::Ref;
use super::huge_pages;
use super::prefetch::prefetch;

#[derive(Debug, Default)]
pub struct Buckets {
    /// `hash << 32 | reference`; 0 is empty.
    words: Vec<u64>,
    len: usize,
}

/// Where a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Found(usize),
    /// An empty word, fit for the key.
    Vacant(usize),
}

#[inline]
fn pack(hash: u32, block: Ref) -> u64 {
    u64::from(hash) << 32 | u64::from(block)
}

impl Buckets {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.words.len() as u64) >> 32) as usize
    }

    /// Makes room for `additional` keys, so that a following [`Buckets::find`] yields places fit for insertion.
    #[inline]
    pub fn reserve(&mut self, additional: usize) {
        let needed = self.len + additional;
        if self.words.len() * 4 < needed * 5 {
            self.grow(needed);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        let capacity = (needed * 5 / 4 + 1).max(self.words.len() * 3 / 2).max(8);
        let old = std::mem::replace(&mut self.words, vec![0; capacity]);
        huge_pages::advise(&self.words);
        for word in old.into_iter().filter(|&word| word != 0) {
            let mut at = self.home((word >> 32) as u32);
            while self.words[at] != 0 {
                at = if at + 1 == capacity { 0 } else { at + 1 };
            }
            self.words[at] = word;
        }
    }

    /// Fetches the words a search for `hash` will read.
    #[inline]
    pub fn prefetch(&self, hash: u32) {
        prefetch(&self.words, self.home(hash));
    }

    /// The first reference with this hash, unchecked: a guess for prefetching.
    #[inline]
    pub fn guess(&self, hash: u32) -> Option<Ref> {
        let home = self.home(hash);
        let near = self.words.get(home..)?;
        near.iter().take(4).find(|&&word| (word >> 32) as u32 == hash && word != 0).map(|&word| word as Ref)
    }

    /// Searches for the key with this hash that `same` recognises.
    #[inline]
    pub fn find(&self, hash: u32, mut same: impl FnMut(Ref) -> bool) -> Place {
        let mut at = self.home(hash);
        let words = &self.words[..];
        if words.is_empty() {
            return Place::Vacant(0);
        }
        loop {
            let word = words[at];
            if word == 0 {
                return Place::Vacant(at);
            }
            if (word >> 32) as u32 == hash && same(word as Ref) {
                return Place::Found(at);
            }
            at += 1;
            if at == words.len() {
                at = 0;
            }
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> Ref {
        self.words[at] as Ref
    }

    /// Fills the vacant place `at` (found since the last [`Buckets::reserve`]).
    #[inline]
    pub fn fill(&mut self, at: usize, hash: u32, block: Ref) {
        debug_assert!(self.words[at] == 0 && block != 0);
        self.words[at] = pack(hash, block);
        self.len += 1;
    }

    /// The key's block has moved.
    #[inline]
    pub fn replace(&mut self, at: usize, block: Ref) {
        self.words[at] = self.words[at] >> 32 << 32 | u64::from(block);
    }

    /// Empties the place `at`, moving later words of the same cluster back so that no search ends too early.
    pub fn remove(&mut self, at: usize) {
        let capacity = self.words.len();
        let mut hole = at;
        let mut next = at;
        loop {
            next = if next + 1 == capacity { 0 } else { next + 1 };
            let word = self.words[next];
            if word == 0 {
                break;
            }
            // `next` may move to `hole` when its home does not lie behind the hole (cyclically).
            let home = self.home((word >> 32) as u32);
            let displacement = (next + capacity - home) % capacity;
            let distance = (next + capacity - hole) % capacity;
            if distance <= displacement {
                self.words[hole] = word;
                hole = next;
            }
        }
        self.words[hole] = 0;
        self.len -= 1;
    }

    /// All references with their hashes, in table order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Ref)> + '_ {
        self.words.iter().filter(|&&word| word != 0).map(|&word| ((word >> 32) as u32, word as Ref))
    }

    /// Rewrites every reference.
    pub fn map_refs(&mut self, mut moved: impl FnMut(Ref) -> Ref) {
        for word in self.words.iter_mut().filter(|word| **word != 0) {
            *word = pack((*word >> 32) as u32, moved(*word as Ref));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::hash::hash32;
    use std::collections::BTreeMap;

    /// Keys are small numbers, hashed badly on purpose so that clusters wrap around the end.
    fn bad_hash(key: u32) -> u32 {
        if key % 3 == 0 { u32::MAX - key % 2 } else { hash32(&key.to_le_bytes()) }
    }

    #[test]
    fn agrees_with_a_map() {
        let mut buckets = Buckets::default();
        let mut model = BTreeMap::new();
        let mut state = 1u64;
        for step in 0..20_000u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let key = (state >> 40) as u32 % 300 + 1;
            buckets.reserve(1);
            let place = buckets.find(bad_hash(key), |block| block == key);
            match (place, model.contains_key(&key)) {
                (Place::Found(at), true) => {
                    buckets.remove(at);
                    model.remove(&key);
                }
                (Place::Vacant(at), false) => {
                    buckets.fill(at, bad_hash(key), key);
                    model.insert(key, ());
                }
                (place, known) => panic!("step {step}: {place:?}, in model {known}"),
            }
        }
        assert_eq!(buckets.len(), model.len());
        let refs: BTreeMap<u32, ()> = buckets.iter().map(|(_, block)| (block, ())).collect();
        assert_eq!(refs, model);
    }
}
