//! Statistics in the states of their groups: the moments are kept elsewhere, the values they give in the state itself, so
//! that a step sees which groups changed.

use super::accumulate::{Kept, i128_at};
use super::column::Number;
use super::groups::Groups;
use super::plan::{Accumulator, Derived, Kind};
use crate::row;
use crate::trace::arena::u32_at;
use feldc_value::{Moments, Outcome, Units};

/// Bytes of a value: what it is, then its bits.
pub const LEN: usize = 17;

const EXACT: u8 = 1;
const FLOAT: u8 = 2;
const OUT_OF_RANGE: u8 = 3;

/// The number in a row, in its own units; none is no finite one.
#[inline]
pub fn units(number: Number, row: &[u8], start: usize) -> Option<Units> {
    match number {
        Number::I8 => Some(i128::from(row::get_i8(row, start)).into()),
        Number::I16 => Some(i128::from(row::get_i16(row, start)).into()),
        Number::I32 => Some(i128::from(row::get_i32(row, start)).into()),
        Number::I64 => Some(i128::from(row::get_i64(row, start)).into()),
        Number::I128 => Some(row::get_i128(row, start).into()),
        Number::U8 => Some(i128::from(row::get_u8(row, start)).into()),
        Number::U16 => Some(i128::from(row::get_u16(row, start)).into()),
        Number::U32 => Some(i128::from(row::get_u32(row, start)).into()),
        Number::U64 => Some(i128::from(row::get_u64(row, start)).into()),
        Number::F32 => Units::of_float(row::get_f32(row, start).into()),
        Number::F64 => Units::of_float(row::get_f64(row, start)),
    }
}

/// Brings the values of all touched groups up to date.
pub fn finish<'a>(
    derived: &[Derived],
    accumulators: impl Iterator<Item = &'a Accumulator>,
    groups: &mut Groups,
    moments: &mut Kept<Moments>,
) {
    if derived.is_empty() {
        return;
    }
    let kept: Vec<usize> = accumulators.filter(|a| matches!(a.kind, Kind::Moments(_))).map(|a| a.at).collect();
    for number in 0.. {
        let Some(block) = groups.touched_at(number) else { break };
        let state = groups.state_mut(block);
        for value in derived {
            let of_group = moments.get(u32_at(state, value.moments));
            let outcome = of_group
                .map_or(Outcome::Null, |moments| moments.statistic(value.statistic, value.argument, value.result));
            state[value.at..value.at + LEN].copy_from_slice(&written(outcome));
        }
        for &at in &kept {
            let number = u32_at(state, at);
            if moments.get(number).is_some_and(Moments::is_zero) {
                moments.release(number);
                state[at..at + 4].fill(0);
            }
        }
    }
}

fn written(outcome: Outcome) -> [u8; LEN] {
    let (kind, bits) = match outcome {
        Outcome::Null => (0, 0),
        Outcome::Exact(value) => (EXACT, value),
        Outcome::Float(value) => (FLOAT, i128::from(value.to_bits())),
        Outcome::OutOfRange => (OUT_OF_RANGE, 0),
    };
    let mut bytes = [0; LEN];
    bytes[0] = kind;
    bytes[1..].copy_from_slice(&bits.to_le_bytes());
    bytes
}

/// The value at this place of a state.
pub fn value_at(state: &[u8], at: usize) -> Outcome {
    let bits = i128_at(state, at + 1);
    match state[at] {
        EXACT => Outcome::Exact(bits),
        FLOAT => Outcome::Float(f64::from_bits(bits as u64)),
        OUT_OF_RANGE => Outcome::OutOfRange,
        _ => Outcome::Null,
    }
}
