//! The exactly rounded sum of weighted floats.
//!
//! A finite DOUBLE is an integer number of units of 2^-1074, so a sum of them with integer weights is an integer, kept in
//! full. Sums therefore form an abelian group: the order of additions does not matter, a retraction leaves no trace, and
//! the result is rounded once: 1e16 + 1 - 1e16 = 1.

use crate::limbs::{LIMB_BITS, Limbs, negated, sign};
use serde::{Deserialize, Serialize};

const MANTISSA_BITS: u32 = 52;
const EXPONENT_MASK: u64 = 0x7ff;

/// Equal sums are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ExactSum {
    /// In units of 2^-1074.
    units: Limbs,
    nans: i64,
    positive_infinities: i64,
    negative_infinities: i64,
}

/// How a sum between two floats is rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    NearestEven,
    /// To the neighbour with an odd last bit, so that a second rounding to a narrower float is the only one that counts.
    ToOdd,
}

impl ExactSum {
    pub fn new() -> ExactSum {
        ExactSum::default()
    }

    /// Adds `weight` copies of a value (takes them away when negative). REALs are added as the DOUBLEs they are.
    pub fn add(&mut self, value: f64, weight: i64) {
        if value.is_nan() {
            self.nans = self.nans.wrapping_add(weight);
        } else if value == f64::INFINITY {
            self.positive_infinities = self.positive_infinities.wrapping_add(weight);
        } else if value == f64::NEG_INFINITY {
            self.negative_infinities = self.negative_infinities.wrapping_add(weight);
        } else if value != 0.0 && weight != 0 {
            self.add_finite(value, weight);
        }
    }

    fn add_finite(&mut self, value: f64, weight: i64) {
        let bits = value.to_bits();
        let exponent = (bits >> MANTISSA_BITS & EXPONENT_MASK) as u32;
        let fraction = bits & ((1 << MANTISSA_BITS) - 1);
        // Subnormals lack the leading one and have the exponent of the least normal numbers.
        let mantissa = fraction | u64::from(exponent > 0) << MANTISSA_BITS;
        let shift = exponent.max(1) - 1;
        // 53 bits times 64 bits, with a sign.
        let magnitude = i128::from(mantissa) * i128::from(weight);
        let product = if value < 0.0 { -magnitude } else { magnitude };
        let (place, bit) = (shift / LIMB_BITS, shift % LIMB_BITS);
        let low = (product as u128) << bit;
        let high = product >> (127 - bit) >> 1;
        self.units.add(place, &[low as u64, (low >> LIMB_BITS) as u64, high as u64]);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &ExactSum) {
        self.units.add(other.units.lowest, &other.units.limbs);
        self.nans = self.nans.wrapping_add(other.nans);
        self.positive_infinities = self.positive_infinities.wrapping_add(other.positive_infinities);
        self.negative_infinities = self.negative_infinities.wrapping_add(other.negative_infinities);
    }

    /// Does the sum equal the empty sum in every respect?
    pub fn is_zero(&self) -> bool {
        *self == ExactSum::default()
    }

    /// The sum as a DOUBLE, rounded to nearest, ties to even; NaN where a NaN or both infinities are in it.
    pub fn result(&self) -> f64 {
        self.rounded(Rounding::NearestEven)
    }

    /// The sum as a REAL, rounded once.
    pub fn result_real(&self) -> f32 {
        self.rounded(Rounding::ToOdd) as f32
    }

    fn rounded(&self, rounding: Rounding) -> f64 {
        match (self.nans != 0, self.positive_infinities != 0, self.negative_infinities != 0) {
            (true, _, _) | (_, true, true) => return f64::NAN,
            (_, true, _) => return f64::INFINITY,
            (_, _, true) => return f64::NEG_INFINITY,
            _ => (),
        }
        let negative = sign(&self.units.limbs) != 0;
        let magnitude = if negative { negated(&self.units.limbs) } else { self.units.limbs.clone() };
        let Some(top) = magnitude.iter().rposition(|limb| *limb != 0) else { return 0.0 };
        // Bits of the magnitude, in its own limbs and above the unit of 2^-1074.
        let own_bits = (top as u32 + 1) * LIMB_BITS - magnitude[top].leading_zeros();
        let bits = own_bits + self.units.lowest * LIMB_BITS;
        let kept = MANTISSA_BITS + 1;
        // A number of at most 53 bits is its own encoding: subnormal, or with exponent 1.
        let dropped = bits.saturating_sub(kept);
        let below = self.units.lowest * LIMB_BITS;
        let (mantissa, rest) = match dropped >= below {
            true => take_bits(&magnitude, dropped - below),
            false => (take_bits(&magnitude, 0).0 << (below - dropped), Rest::Zero),
        };
        let up = match rounding {
            Rounding::NearestEven => rest == Rest::AboveHalf || (rest == Rest::Half && mantissa & 1 == 1),
            Rounding::ToOdd => rest != Rest::Zero && mantissa & 1 == 0,
        };
        // The leading one of the mantissa adds one to the exponent, a carry out of the mantissa another.
        let encoded = (u64::from(dropped) << MANTISSA_BITS) + mantissa + u64::from(up);
        let value = match encoded >> MANTISSA_BITS >= EXPONENT_MASK {
            true => f64::INFINITY,
            false => f64::from_bits(encoded),
        };
        if negative { -value } else { value }
    }
}

/// What lies below the bits that are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

/// The number without its lowest `count` bits (at most 64 bits remain), and what those were.
fn take_bits(limbs: &[u64], count: u32) -> (u64, Rest) {
    let limb = |index: usize| limbs.get(index).copied().unwrap_or(0);
    let (index, bit) = ((count / LIMB_BITS) as usize, count % LIMB_BITS);
    let both = u128::from(limb(index)) | u128::from(limb(index + 1)) << LIMB_BITS;
    let kept = (both >> bit) as u64;
    if count == 0 {
        return (kept, Rest::Zero);
    }
    let half_index = ((count - 1) / LIMB_BITS) as usize;
    let half_bit = (count - 1) % LIMB_BITS;
    let half = limb(half_index) >> half_bit & 1 == 1;
    let below = limb(half_index) & ((1 << half_bit) - 1) != 0 || limbs[..half_index].iter().any(|limb| *limb != 0);
    let rest = match (half, below) {
        (false, false) => Rest::Zero,
        (false, true) => Rest::BelowHalf,
        (true, false) => Rest::Half,
        (true, true) => Rest::AboveHalf,
    };
    (kept, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    /// The sum in units of 2^-1074, and its nearest float found by comparing neighbours.
    fn exact(values: &[(f64, i64)]) -> BigInt {
        values.iter().map(|(value, weight)| units(*value) * BigInt::from(*weight)).sum()
    }

    fn units(value: f64) -> BigInt {
        let bits = value.abs().to_bits();
        let exponent = (bits >> 52) as u32;
        let mantissa = (bits & ((1 << 52) - 1)) | u64::from(exponent > 0) << 52;
        let magnitude = BigInt::from(mantissa) << (exponent.max(1) - 1);
        if value < 0.0 { -magnitude } else { magnitude }
    }

    fn check(values: &[(f64, i64)]) {
        let mut sum = ExactSum::new();
        for (value, weight) in values {
            sum.add(*value, *weight);
        }
        let got = sum.result();
        let expected = exact(values);
        if got.is_infinite() {
            let limit = units(f64::MAX) + (BigInt::from(1) << (2098 - 54));
            assert!(BigInt::from(expected.magnitude().clone()) >= limit, "{values:?}");
            return;
        }
        let distance = |candidate: f64| BigInt::from((units(candidate) - &expected).magnitude().clone());
        for neighbour in [got.next_up(), got.next_down()].into_iter().filter(|n| n.is_finite()) {
            let (own, other) = (distance(got), distance(neighbour));
            assert!(own < other || (own == other && got.to_bits() & 1 == 0), "{values:?}: {got} or {neighbour}");
        }
    }

    /// Floats of every exponent and small and large weights, from a fixed sequence.
    fn sequence() -> impl FnMut() -> (f64, i64) {
        let mut seed = 1u64;
        let mut next = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        move || {
            let mut value = f64::from_bits(next());
            while !value.is_finite() {
                value = f64::from_bits(next());
            }
            // Half of the values are of similar size, as data are.
            if next().is_multiple_of(2) {
                value = (next() % 1_000_000) as f64 / 100.0 * if next().is_multiple_of(2) { 1.0 } else { -1.0 };
            }
            let weight = if next().is_multiple_of(4) { next() as i64 } else { (next() % 7) as i64 - 3 };
            (value, weight)
        }
    }

    #[test]
    fn sums_are_exactly_rounded() {
        let mut next = sequence();
        for length in 0..200 {
            for _ in 0..10 {
                let values: Vec<_> = (0..length % 12).map(|_| next()).collect();
                check(&values);
            }
        }
        check(&[(1e16, 1), (1.0, 1), (1e16, -1)]);
        check(&[(f64::MIN_POSITIVE / 4.0, 3)]);
        check(&[(1.0, 1), (f64::EPSILON / 2.0, 1)]);
        check(&[(1.0, 1), (f64::EPSILON / 2.0, 1), (5e-324, 1)]);
        check(&[(f64::MAX, 1), (f64::MAX, 1)]);
        check(&[(f64::MAX, i64::MAX), (f64::MAX, i64::MIN), (f64::MAX, 2)]);
    }

    #[test]
    fn order_does_not_matter_and_retractions_leave_no_trace() {
        let mut next = sequence();
        for _ in 0..200 {
            let values: Vec<_> = (0..20).map(|_| next()).collect();
            let (mut forward, mut backward) = (ExactSum::new(), ExactSum::new());
            values.iter().for_each(|(value, weight)| forward.add(*value, *weight));
            values.iter().rev().for_each(|(value, weight)| backward.add(*value, *weight));
            assert_eq!(forward, backward);
            let mut halves = ExactSum::new();
            for half in values.chunks(7) {
                let mut part = ExactSum::new();
                half.iter().for_each(|(value, weight)| part.add(*value, *weight));
                halves.merge(&part);
            }
            assert_eq!(forward, halves);
            values.iter().for_each(|(value, weight)| forward.add(*value, weight.wrapping_neg()));
            if values.iter().all(|(_, weight)| *weight != i64::MIN) {
                assert!(forward.is_zero(), "{forward:?}");
            }
        }
    }

    #[test]
    fn small_differences_survive() {
        let mut sum = ExactSum::new();
        sum.add(1e16, 1);
        sum.add(1.0, 1);
        sum.add(1e16, -1);
        assert_eq!(sum.result(), 1.0);
        assert_eq!(sum.units.limbs.len(), 1);
    }

    #[test]
    fn infinities_and_nan_come_and_go() {
        let mut sum = ExactSum::new();
        sum.add(2.5, 1);
        sum.add(f64::INFINITY, 1);
        assert_eq!(sum.result(), f64::INFINITY);
        sum.add(f64::NEG_INFINITY, 1);
        assert!(sum.result().is_nan());
        sum.add(f64::INFINITY, -1);
        assert_eq!(sum.result(), f64::NEG_INFINITY);
        sum.add(f64::NEG_INFINITY, -1);
        sum.add(f64::NAN, 2);
        assert!(sum.result().is_nan());
        sum.add(f64::NAN, -2);
        assert_eq!(sum.result(), 2.5);
    }

    #[test]
    fn reals_round_once() {
        let mut sum = ExactSum::new();
        // Just above the middle between two REALs: rounding to DOUBLE first would land on the middle and then on the even one.
        sum.add(1.0 + f64::from(f32::EPSILON) / 2.0, 1);
        sum.add(1e-30, 1);
        assert_eq!(sum.result_real(), 1.0 + f32::EPSILON);
        let mut large = ExactSum::new();
        large.add(f64::from(3e38f32), 2);
        assert_eq!(large.result_real(), f32::INFINITY);
        large.add(f64::from(3e38f32), -1);
        assert_eq!(large.result_real(), 3e38f32);
    }
}
