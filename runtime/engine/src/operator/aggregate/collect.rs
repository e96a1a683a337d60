//! STRING_AGG and ARRAY_AGG: the texts or elements of a group in an order, joined.
//!
//! All rows of key, order, text and separator in an ordered index, in the form of `top_k`. Cost: the group's rows for each
//! group that a step touches, since the result is a new text of that size anyway. An element comes as a ROW of one field,
//! whose encoding (`crate::nested`) is that of an element of an ARRAY: elements are joined as texts are.

use super::extreme::{Texts, set_extreme};
use super::groups::Groups;
use super::plan::Collected;
use crate::layout::skip_column;
use crate::operator::top_k::Form;
use crate::trace::OrderedIndex;
use crate::trace::hash::hash32;
use crate::{Batch, Key, nested, row};
use feldc_value::ColumnType;

/// Bytes in a state: the text (as an extreme of varying width), and whether it was too long.
pub const LEN: usize = 5;

/// The longest result.
const BYTES_MAX: usize = 1 << 30;

pub struct Collection {
    plan: Collected,
    key: usize,
    form: Form,
    index: OrderedIndex,
    delta: Batch,
    /// What the separator is, if there is one.
    separator: Option<ColumnType>,
    /// Working space.
    text: Vec<u8>,
}

impl Collection {
    pub fn new(plan: &Collected, key: usize) -> Collection {
        let layout = &plan.part.layout;
        let behind = &layout.columns()[key + plan.order.len()..];
        Collection {
            key,
            form: Form { layout: layout.clone(), partition: key, order: plan.order.clone() },
            index: OrderedIndex::new(layout, key),
            delta: Batch::new(layout.stride()),
            separator: behind.get(1).copied(),
            text: Vec::new(),
            plan: plan.clone(),
        }
    }

    pub fn add(&mut self, rows: &Batch, key: &Key) {
        self.plan.part.narrow(rows, |row| key.of(row), &mut self.delta);
    }

    /// Takes in the delta and joins the texts of its groups anew.
    pub fn finish(&mut self, groups: &mut Groups, texts: &mut Texts) {
        let stride = self.delta.stride();
        let mut delta = std::mem::replace(&mut self.delta, Batch::new(stride));
        if !self.form.plain() {
            let mut stored = Batch::new(stride);
            for (row, weight) in delta.iter() {
                self.form.store(row, stored.buffer());
                stored.commit(weight);
            }
            delta = stored;
        }
        let delta = delta.consolidated();
        self.index.insert_run(&delta);
        let mut start = 0;
        while start < delta.len() {
            let first = delta.row(start);
            let key = first[..self.form.layout.prefix_len(first, self.key)].to_vec();
            start += (start..delta.len()).take_while(|&at| delta.row(at).starts_with(&key)).count();
            let found = self.join(&key);
            if let Some(block) = groups.find(hash32(&key), &key) {
                let (state, at) = (groups.state_mut(block), self.plan.at);
                state[at + 4] = u8::from(found == Joined::TooLong);
                set_extreme(state, at, None, (found == Joined::Text).then_some(&self.text), texts);
            }
        }
    }

    /// Joins the texts of a key.
    fn join(&mut self, key: &[u8]) -> Joined {
        let Collection { form, index, text, plan, separator, .. } = self;
        text.clear();
        let mut found = Joined::Nothing;
        index.first_rows(key, |stored, weight| {
            let start = form.order_end(stored, plan.order.len());
            let end = row::skip_text(stored, start);
            let value = &stored[start..end - 1];
            let behind = match *separator {
                None => &[][..],
                Some(separator) if separator.nullable && row::is_null(stored, end) => &[][..],
                Some(separator) => {
                    &stored[end + usize::from(separator.nullable)..skip_column(separator, stored, end) - 1]
                }
            };
            for _ in 0..if plan.distinct { 1 } else { weight } {
                if found != Joined::Nothing {
                    text.extend_from_slice(behind);
                }
                text.extend_from_slice(value);
                found = if text.len() > BYTES_MAX { Joined::TooLong } else { Joined::Text };
                if found == Joined::TooLong {
                    return false;
                }
            }
            true
        });
        match separator {
            None => nested::put_end(text),
            Some(_) => text.push(0),
        }
        found
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Joined {
    Nothing,
    Text,
    TooLong,
}
