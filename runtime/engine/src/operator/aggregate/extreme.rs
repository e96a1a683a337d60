//! MIN and MAX: the present extreme of each group in its state, and all arguments in an ordered index behind it.
//!
//! Let a group's minimum be m, and r the least row of its delta. All rows before m have no positive weight, so when r > m
//! the minimum stays, and otherwise it is the first row of positive weight from r on: one seek, for groups whose extreme is
//! really touched. While no row was ever withdrawn, it is r itself.

use super::groups::Groups;
use crate::trace::OrderedIndex;
use crate::trace::arena::{Arena, Ref, class_of, u32_at};
use crate::trace::hash::hash32;
use crate::{Batch, Layout};

/// Extremes of varying width, named by the states of their groups.
#[derive(Debug, Default)]
pub struct Texts {
    arena: Arena,
    /// No longer named by a state, but by the states before this step.
    replaced: Vec<Ref>,
}

impl Texts {
    pub fn get(&self, text: Ref) -> &[u8] {
        let bytes = self.arena.tail(text);
        &bytes[4..4 + u32_at(bytes, 0) as usize]
    }

    fn create(&mut self, value: &[u8]) -> Ref {
        let text = self.arena.allocate(class_of(value.len() + 4));
        let bytes = self.arena.tail_mut(text);
        let len = u32::try_from(value.len()).expect("a text exceeds 4 GiB");
        bytes[..4].copy_from_slice(&len.to_le_bytes());
        bytes[4..4 + value.len()].copy_from_slice(value);
        text
    }

    /// Ends a step: the states before it are forgotten.
    pub fn settle(&mut self) {
        for text in std::mem::take(&mut self.replaced) {
            let class = class_of(self.get(text).len() + 4);
            self.arena.release(text, class);
        }
    }
}

/// The extreme at `at` in a state: its value's bytes without tag.
pub fn extreme<'a>(state: &'a [u8], at: usize, width: Option<usize>, texts: &'a Texts) -> Option<&'a [u8]> {
    match width {
        Some(width) => (state[at] != 0).then(|| &state[at + 1..at + 1 + width]),
        None => match u32_at(state, at) {
            0 => None,
            text => Some(texts.get(text)),
        },
    }
}

pub fn set_extreme(state: &mut [u8], at: usize, width: Option<usize>, value: Option<&[u8]>, texts: &mut Texts) {
    match (width, value) {
        (Some(width), None) => state[at..at + 1 + width].fill(0),
        (Some(width), Some(value)) => {
            state[at] = 1;
            state[at + 1..at + 1 + width].copy_from_slice(value);
        }
        (None, value) => {
            let old = u32_at(state, at);
            if old != 0 {
                texts.replaced.push(old);
            }
            let new = value.map_or(0, |value| texts.create(value));
            state[at..at + 4].copy_from_slice(&new.to_le_bytes());
        }
    }
}

/// All arguments of one MIN, MAX or both.
#[derive(Debug)]
pub struct Ordered {
    index: OrderedIndex,
    layout: Layout,
    key: usize,
    places: Places,
    /// This step's rows of key and arguments, for [`Ordered::finish`].
    pub delta: Batch,
}

/// Where a state holds the extremes.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    pub minimum: Option<usize>,
    pub maximum: Option<usize>,
    /// Bytes of an extreme, if constant.
    pub width: Option<usize>,
}

impl Ordered {
    /// Of rows of `layout`, whose first `key` columns are the key.
    pub fn new(layout: &Layout, key: usize, places: Places) -> Ordered {
        let (index, delta) = (OrderedIndex::new(layout, key), Batch::new(layout.stride()));
        Ordered { index, layout: layout.clone(), key, places, delta }
    }

    /// Takes in the delta and brings the extremes of its groups up to date.
    pub fn finish(&mut self, groups: &mut Groups, texts: &mut Texts) {
        let stride = self.delta.stride();
        let delta = std::mem::replace(&mut self.delta, Batch::new(stride)).consolidated();
        self.index.insert_run(&delta);
        let key_len = |row: &[u8]| self.layout.prefix_len(row, self.key);
        let mut start = 0;
        while start < delta.len() {
            let first = delta.row(start);
            let key = &first[..key_len(first)];
            let more = (start + 1..delta.len()).take_while(|&at| delta.row(at).starts_with(key)).count();
            let last = delta.row(start + more);
            if let Some(block) = groups.find(hash32(key), key) {
                let state = groups.state_mut(block);
                if let Some(at) = self.places.minimum {
                    refresh(&mut self.index, state, at, self.places.width, texts, key, first, true);
                }
                if let Some(at) = self.places.maximum {
                    refresh(&mut self.index, state, at, self.places.width, texts, key, last, false);
                }
            }
            start += more + 1;
        }
    }
}

/// Brings one extreme up to date; `changed` is the row of the delta that is nearest to it.
#[allow(clippy::too_many_arguments)]
fn refresh(
    index: &mut OrderedIndex,
    state: &mut [u8],
    at: usize,
    width: Option<usize>,
    texts: &mut Texts,
    key: &[u8],
    changed: &[u8],
    minimum: bool,
) {
    let argument = &changed[key.len()..];
    let present = extreme(state, at, width, texts);
    if present.is_some_and(|present| if minimum { present < argument } else { present > argument }) {
        return;
    }
    let found = match (index.is_insert_only(), minimum) {
        (true, _) => Some(changed.to_vec()),
        (false, true) => index.first_from(changed, key),
        (false, false) => index.last_to(changed, key),
    };
    let value = found.as_ref().map(|row| &row[key.len()..]);
    if value != present {
        set_extreme(state, at, width, value, texts);
    }
}
