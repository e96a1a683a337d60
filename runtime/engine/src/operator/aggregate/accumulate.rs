//! The linear accumulators: adding a batch of rows, one accumulator after the other.

use super::column::{Column, Number};
use super::groups::Groups;
use super::plan::{Accumulator, Kind};
use super::statistics::units;
use super::wide::{WIDE, Wide};
use crate::trace::arena::{Ref, i64_at, u32_at};
use crate::{Batch, row};
use feldc_value::{ExactSum, Moments};
use std::ops::Range;

/// Sums of all groups that are kept out of line as their size varies, by numbers.
#[derive(Debug, Default)]
pub struct Kept<T> {
    /// Number n is at n - 1.
    sums: Vec<T>,
    vacant: Vec<u32>,
}

impl<T: Default> Kept<T> {
    fn create(&mut self) -> u32 {
        self.vacant.pop().unwrap_or_else(|| {
            self.sums.push(T::default());
            u32::try_from(self.sums.len()).expect("fewer groups than bytes")
        })
    }

    /// None for number 0.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.sums.get((number as usize).checked_sub(1)?)
    }

    /// The sum whose number is at this place of a state, which is made if there is none yet.
    fn at(&mut self, state: &mut [u8], at: usize) -> &mut T {
        let mut number = u32_at(state, at);
        if number == 0 {
            number = self.create();
            state[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        &mut self.sums[number as usize - 1]
    }

    pub fn release(&mut self, number: u32) {
        self.sums[number as usize - 1] = T::default();
        self.vacant.push(number);
    }
}

pub type FloatSums = Kept<ExactSum>;

#[derive(Debug, Default)]
pub struct Sums {
    pub floats: FloatSums,
    pub moments: Kept<Moments>,
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
    pub fn add(&self, rows: &Batch, range: Range<usize>, blocks: &[Ref], groups: &mut Groups, sums: &mut Sums) {
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
                    sums.floats.at(state, at + 8).add(f64::from(row::$get(row, start)), weight);
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
            Kind::Xor(number) => each(column, rows, blocks, groups, |state, row, start, weight| {
                if weight & 1 == 1 {
                    let bits = i64_at(state, at) ^ integer(number, row, start);
                    state[at..at + 8].copy_from_slice(&bits.to_le_bytes());
                }
            }),
            Kind::Ones(number) => each(column, rows, blocks, groups, |state, row, start, weight| {
                let bits = integer(number, row, start);
                (0..number.bits())
                    .filter(|bit| bits >> bit & 1 == 1)
                    .for_each(|bit| add_i64(state, at + 8 * bit, weight));
            }),
            Kind::Moments(number) => each(column, rows, blocks, groups, |state, row, start, weight| {
                let value = units(number, row, start);
                let Some(second) = &self.second else { return sums.moments.at(state, at).add(value, weight) };
                if let Some(start) = second.value_at(row) {
                    sums.moments.at(state, at).add_pair(value, units(number, row, start), weight);
                }
            }),
        }
    }
}

/// An integer of up to 64 bits as a word, with its sign if it has one.
#[inline]
fn integer(number: Number, row: &[u8], start: usize) -> i64 {
    match number {
        Number::I8 => row::get_i8(row, start).into(),
        Number::I16 => row::get_i16(row, start).into(),
        Number::I32 => row::get_i32(row, start).into(),
        Number::U8 => row::get_u8(row, start).into(),
        Number::U16 => row::get_u16(row, start).into(),
        Number::U32 => row::get_u32(row, start).into(),
        Number::U64 => row::get_u64(row, start).cast_signed(),
        _ => row::get_i64(row, start),
    }
}

impl FloatSums {
    /// Writes the present result into a state, to be compared with the one before. A sum of nothing goes.
    pub fn finish(&mut self, state: &mut [u8], at: usize) {
        let number = u32_at(state, at + 8);
        let Some(sum) = self.get(number) else { return };
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
