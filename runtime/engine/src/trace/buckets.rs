//! An open-addressing table from key hashes to block references; the keys themselves lie elsewhere.
//!
//! Linear probing over words of 32 hash bits and a 32-bit reference. The home of a hash is its share of the capacity, so
//! growth reads no key and may be by any factor. A table that grows moves a few words at each insertion, so that no step
//! waits for all of them; meanwhile a search looks into the old table too.

use super::arena::Ref;
use super::huge_pages;
use super::prefetch::prefetch;

/// Words of the old table to move for each key that may be inserted. The new table fills up after 0.4 insertions for each old
/// word, so 2.5 would do.
const MOVED: usize = 8;

#[derive(Debug, Default)]
pub struct Buckets {
    table: Table,
    /// The table before it grew: what has not moved yet. Places in it count on behind those of `table`.
    old: Table,
    /// The next word of `old` to move: the start of a cluster or an empty word.
    next: usize,
    /// Words of `old` that are still to be looked at.
    left: usize,
}

/// Where a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Found(usize),
    /// An empty word, fit for the key.
    Vacant(usize),
}

/// Words `hash << 32 | reference`; 0 is empty.
#[derive(Debug, Default)]
struct Table {
    words: Vec<u64>,
    len: usize,
}

#[inline]
fn pack(hash: u32, block: Ref) -> u64 {
    u64::from(hash) << 32 | u64::from(block)
}

#[inline]
fn hash_of(word: u64) -> u32 {
    (word >> 32) as u32
}

impl Table {
    fn with_capacity(capacity: usize) -> Table {
        let mut words = vec![0; capacity];
        huge_pages::advise(&words);
        huge_pages::touch(&mut words);
        Table { words, len: 0 }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.words.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.words.len() { 0 } else { at + 1 }
    }

    #[inline]
    fn find(&self, hash: u32, mut same: impl FnMut(Ref) -> bool) -> Place {
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
            if hash_of(word) == hash && same(word as Ref) {
                return Place::Found(at);
            }
            at += 1;
            if at == words.len() {
                at = 0;
            }
        }
    }

    fn insert(&mut self, word: u64) {
        let mut at = self.home(hash_of(word));
        while self.words[at] != 0 {
            at = self.after(at);
        }
        self.words[at] = word;
        self.len += 1;
    }

    /// Empties the place `at`, moving later words of the same cluster back so that no search ends too early.
    fn remove(&mut self, at: usize) {
        let capacity = self.words.len();
        let (mut hole, mut next) = (at, at);
        loop {
            next = self.after(next);
            let word = self.words[next];
            if word == 0 {
                break;
            }
            // The word may move to the hole when its home does not lie behind the hole (cyclically).
            let displacement = (next + capacity - self.home(hash_of(word))) % capacity;
            let distance = (next + capacity - hole) % capacity;
            if distance <= displacement {
                self.words[hole] = word;
                hole = next;
            }
        }
        self.words[hole] = 0;
        self.len -= 1;
    }
}

impl Buckets {
    pub fn len(&self) -> usize {
        self.table.len + self.old.len
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn bytes(&self) -> usize {
        (self.table.words.len() + self.old.words.len()) * size_of::<u64>()
    }

    /// Makes room for `additional` keys, so that a following [`Buckets::find`] yields places fit for insertion.
    #[inline]
    pub fn reserve(&mut self, additional: usize) {
        let needed = self.len() + additional;
        if self.table.words.len() * 4 < needed * 5 || self.left > 0 {
            self.grow(needed, additional);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, needed: usize, additional: usize) {
        if self.table.words.len() * 4 < needed * 5 {
            self.move_words(usize::MAX);
            let capacity = (needed * 5 / 4 + 1).max(self.table.words.len() * 3 / 2).max(8);
            self.old = std::mem::replace(&mut self.table, Table::with_capacity(capacity));
            self.left = self.old.words.len();
            // Behind an empty word a cluster can start; there is one, as tables are never full.
            self.next = self.old.words.iter().position(|&word| word == 0).unwrap_or(0);
        }
        self.move_words(MOVED.saturating_mul(additional));
    }

    /// Moves at least `budget` words of the old table, and only whole clusters: what is left remains searchable.
    fn move_words(&mut self, budget: usize) {
        let stop = self.left.saturating_sub(budget);
        while self.left > 0 {
            let word = std::mem::take(&mut self.old.words[self.next]);
            if word == 0 && self.left <= stop {
                return;
            }
            if word != 0 {
                self.table.insert(word);
                self.old.len -= 1;
            }
            self.next = self.old.after(self.next);
            self.left -= 1;
        }
        self.old = Table::default();
    }

    /// Fetches the words a search for `hash` will read.
    #[inline]
    pub fn prefetch(&self, hash: u32) {
        prefetch(&self.table.words, self.table.home(hash));
    }

    /// The first reference with this hash, unchecked: a guess for prefetching.
    #[inline]
    pub fn guess(&self, hash: u32) -> Option<Ref> {
        let near = self.table.words.get(self.table.home(hash)..)?;
        near.iter().take(4).find(|&&word| hash_of(word) == hash && word != 0).map(|&word| word as Ref)
    }

    /// Searches for the key with this hash that `same` recognises.
    #[inline]
    pub fn find(&self, hash: u32, mut same: impl FnMut(Ref) -> bool) -> Place {
        let place = self.table.find(hash, &mut same);
        if self.left == 0 || matches!(place, Place::Found(_)) {
            return place;
        }
        match self.old.find(hash, same) {
            Place::Found(at) => Place::Found(self.table.words.len() + at),
            Place::Vacant(_) => place,
        }
    }

    /// The table of a place, and the place in it.
    #[inline]
    fn resolve(&mut self, at: usize) -> (&mut Table, usize) {
        match at.checked_sub(self.table.words.len()) {
            None => (&mut self.table, at),
            Some(at) => (&mut self.old, at),
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> Ref {
        match at.checked_sub(self.table.words.len()) {
            None => self.table.words[at] as Ref,
            Some(at) => self.old.words[at] as Ref,
        }
    }

    /// Fills the vacant place `at` (found since the last [`Buckets::reserve`]).
    #[inline]
    pub fn fill(&mut self, at: usize, hash: u32, block: Ref) {
        debug_assert!(self.table.words[at] == 0 && block != 0);
        self.table.words[at] = pack(hash, block);
        self.table.len += 1;
    }

    /// The key's block has moved.
    #[inline]
    pub fn replace(&mut self, at: usize, block: Ref) {
        let (table, at) = self.resolve(at);
        table.words[at] = pack(hash_of(table.words[at]), block);
    }

    pub fn remove(&mut self, at: usize) {
        let (table, at) = self.resolve(at);
        table.remove(at);
    }

    /// All references with their hashes, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Ref)> + '_ {
        let words = self.table.words.iter().chain(&self.old.words);
        words.filter(|&&word| word != 0).map(|&word| (hash_of(word), word as Ref))
    }

    /// Rewrites every reference.
    pub fn map_refs(&mut self, mut moved: impl FnMut(Ref) -> Ref) {
        let words = self.table.words.iter_mut().chain(&mut self.old.words);
        for word in words.filter(|word| **word != 0) {
            *word = pack(hash_of(*word), moved(*word as Ref));
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
        if key.is_multiple_of(3) { u32::MAX - key % 2 } else { hash32(&key.to_le_bytes()) }
    }

    #[test]
    fn agrees_with_a_map() {
        let mut buckets = Buckets::default();
        let mut model = BTreeMap::new();
        let mut state = 1u64;
        for step in 0..20_000u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Now few keys, now many, so that the table grows with removals in between.
            let key = (state >> 40) as u32 % (300 + step / 4) + 1;
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
