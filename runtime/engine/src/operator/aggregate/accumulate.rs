//! The linear accumulators: adding a batch of rows, one accumulator after the other.

use super::column::{Column, Number};
use super::groups::Groups;
use super::plan::{Accumulator, Kind};
use super::wide::{WIDE, Wide};
use crate::trace::arena::{Ref, i64_at, u32_at};
use crate::{Batch, row};
use feldc_value::ExactSum;
use std::ops::Range;

/// The exact sums of floats of all groups, out of line as their size varies.
#[derive(Debug, Default)]
pub struct FloatSums {
    /// Number n is at n - 1.
    sums: Vec<ExactSum>,
    vacant: Vec<u32>,
}

impl FloatSums {
    fn create(&mut self) -> u32 {
        self.vacant.pop().unwrap_or_else(|| {
            self.sums.push(ExactSum::default());
            u32::try_from(self.sums.len()).expect("fewer groups than bytes")
        })
    }

    fn release(&mut self, number: u32) {
        self.sums[number as usize - 1] = ExactSum::default();
        self.vacant.push(number);
    }
}

#[inline(always)]
pub fn add_i64(state: &mut [u8], at: usize, change: i64) {
    let sum = i64_at(state, at).wrapping_add(change);
    state[at..at + 8].copy_from_slice(&sum.to_le_bytes());
}

#[inline]
pub fn i128_at(state: &[u8], at: usize) -> i128 {
    i128::from_le_bytes(state[at..at + 16].try_into().expect("sixteen bytes"))
}

#[inline(always)]
fn add_i128(state: &mut [u8], at: usize, change: i128) {
    let sum = i128_at(state, at).wrapping_add(change);
    state[at..at + 16].copy_from_slice(&sum.to_le_bytes());
}

/// Calls `add` with the state of the group, the row, the offset of the value, and the weight, where it is not NULL.
#[inline(always)]
fn each(
    column: &Column,
    (rows, range): (&Batch, Range<usize>),
    blocks: &[Ref],
    groups: &mut Groups,
    mut add: impl FnMut(&mut [u8], &[u8], usize, i64),
) {
    for (at, &block) in range.zip(blocks) {
        let row = rows.row(at);
        if let Some(start) = column.value_at(row) {
            add(groups.state_mut(block), row, start, rows.weight(at));
        }
    }
}

impl Accumulator {
    /// Adds a range of rows, whose groups are `blocks`.
    pub fn add(&self, rows: &Batch, range: Range<usize>, blocks: &[Ref], groups: &mut Groups, floats: &mut FloatSums) {
        let (column, at, rows) = (&self.column, self.at, (rows, range));
        macro_rules! sum {
            ($get:ident) => {
                each(column, rows, blocks, groups, |state, row, start, weight| {
                    add_i128(state, at, i128::from(row::$get(row, start)) * i128::from(weight));
                })
            };
        }
        macro_rules! float_sum {
            ($get:ident) => {
                each(column, rows, blocks, groups, |state, row, start, weight| {
                    floats.add(state, at, f64::from(row::$get(row, start)), weight);
                })
            };
        }
        match self.kind {
            Kind::Count => each(column, rows, blocks, groups, |state, _, _, weight| add_i64(state, at, weight)),
            Kind::Truth(truth) => each(column, rows, blocks, groups, |state, row, start, weight| {
                if row::get_bool(row, start) == truth {
                    add_i64(state, at, weight);
                }
            }),
            Kind::Sum(Number::I8) => sum!(get_i8),
            Kind::Sum(Number::I16) => sum!(get_i16),
            Kind::Sum(Number::I32) => sum!(get_i32),
            Kind::Sum(Number::U8) => sum!(get_u8),
            Kind::Sum(Number::U16) => sum!(get_u16),
            Kind::Sum(Number::U32) => sum!(get_u32),
            Kind::Sum(Number::U64) => sum!(get_u64),
            Kind::Sum(_) => sum!(get_i64),
            Kind::WideSum => each(column, rows, blocks, groups, |state, row, start, weight| {
                let sum = Wide::from_bytes(&state[at..]).plus(Wide::product(row::get_i128(row, start), weight));
                state[at..at + WIDE].copy_from_slice(&sum.to_bytes());
            }),
            Kind::FloatSum(Number::F32) => float_sum!(get_f32),
            Kind::FloatSum(_) => float_sum!(get_f64),
        }
    }
}

impl FloatSums {
    fn add(&mut self, state: &mut [u8], at: usize, value: f64, weight: i64) {
        let mut number = u32_at(state, at + 8);
        if number == 0 {
            number = self.create();
            state[at + 8..at + 12].copy_from_slice(&number.to_le_bytes());
        }
        self.sums[number as usize - 1].add(value, weight);
    }

    /// Writes the present result into a state, to be compared with the one before. A sum of nothing goes.
    pub fn finish(&mut self, state: &mut [u8], at: usize) {
        let number = u32_at(state, at + 8);
        if number == 0 {
            return;
        }
        let sum = &self.sums[number as usize - 1];
        if sum.is_zero() {
            self.release(number);
            state[at..at + 16].fill(0);
        } else {
            state[at..at + 8].copy_from_slice(&sum.result().to_le_bytes());
            state[at + 12..at + 16].copy_from_slice(&sum.result_real().to_le_bytes());
        }
    }
}

/// The sum of a [`FloatSums::finish`]ed state, rounded once to REAL.
#[inline]
pub fn real_at(state: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(state, at + 12))
}

/// Likewise as DOUBLE.
#[inline]
pub fn f64_at(state: &[u8], at: usize) -> f64 {
    f64::from_bits(i64_at(state, at) as u64)
}
