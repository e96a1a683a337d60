//! A sum of integers of any size: two's complement in 64-bit limbs, with a place for the lowest.
//!
//! Equal sums are equal values: zero limbs at the bottom and copies of the sign at the top are not kept, so data of
//! similar size takes two or three limbs.

use serde::{Deserialize, Serialize};

pub const LIMB_BITS: u32 = u64::BITS;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limbs {
    /// Place of the lowest limb: it counts multiples of 2^(64 * lowest).
    pub lowest: u32,
    /// Lowest first; empty for zero.
    pub limbs: Vec<u64>,
}

impl Limbs {
    /// Adds a number in two's complement whose lowest limb has the given place.
    pub fn add(&mut self, place: u32, other: &[u64]) {
        if other.is_empty() {
            return;
        }
        if self.limbs.is_empty() {
            self.lowest = place;
        }
        if place < self.lowest {
            let missing = (self.lowest - place) as usize;
            self.limbs.splice(0..0, std::iter::repeat_n(0, missing));
            self.lowest = place;
        }
        let offset = (place - self.lowest) as usize;
        let own_sign = sign(&self.limbs);
        // One limb more takes the carry.
        self.limbs.resize(self.limbs.len().max(offset + other.len()) + 1, own_sign);
        let other_sign = sign(other);
        let mut carry = false;
        for (index, limb) in self.limbs[offset..].iter_mut().enumerate() {
            let addend = other.get(index).copied().unwrap_or(other_sign);
            let (partial, first) = limb.overflowing_add(addend);
            let (total, second) = partial.overflowing_add(u64::from(carry));
            (*limb, carry) = (total, first || second);
        }
        self.trim();
    }

    fn trim(&mut self) {
        let sign = sign(&self.limbs);
        while let [.., below, top] = self.limbs[..]
            && top == sign
            && below >> (LIMB_BITS - 1) == sign & 1
        {
            self.limbs.pop();
        }
        let zeros = self.limbs.iter().take_while(|limb| **limb == 0).count();
        self.limbs.drain(..zeros);
        self.lowest = if self.limbs.is_empty() { 0 } else { self.lowest + zeros as u32 };
    }
}

/// All ones for a negative number.
pub fn sign(limbs: &[u64]) -> u64 {
    match limbs.last() {
        Some(top) if top >> (LIMB_BITS - 1) == 1 => u64::MAX,
        _ => 0,
    }
}

pub fn negated(limbs: &[u64]) -> Vec<u64> {
    let mut carry = true;
    let negate = |limb: &u64| {
        let (negated, overflow) = (!limb).overflowing_add(u64::from(carry));
        carry = overflow;
        negated
    };
    limbs.iter().map(negate).collect()
}
