//! Signed integers of 256 bits as sign and magnitude: the intermediates of DECIMAL arithmetic that outgrow `i128`.
//!
//! Only the slow path comes here, so the operations are the plain ones.

/// 10^n for n up to 38, the most that `u128` holds.
pub const POWERS_OF_TEN: [u128; 39] = {
    let mut powers = [1; 39];
    let mut n = 1;
    while n < 39 {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// 10^n as `i128`; n is at most 38.
#[inline]
pub const fn power_of_ten(n: u8) -> i128 {
    POWERS_OF_TEN[n as usize] as i128
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    negative: bool,
    high: u128,
    low: u128,
}

impl Wide {
    /// The exact product.
    pub fn product(a: i128, b: i128) -> Wide {
        let (low, high) = widening_product(a.unsigned_abs(), b.unsigned_abs());
        Wide { negative: (a < 0) != (b < 0), high, low }
    }

    /// Times 10^n; `None` when 256 bits do not hold it.
    pub fn scale_up(self, n: u32) -> Option<Wide> {
        let mut result = self;
        let mut left = n;
        while left > 0 {
            let step = left.min(38);
            result = result.times(POWERS_OF_TEN[step as usize])?;
            left -= step;
        }
        Some(result)
    }

    fn times(self, factor: u128) -> Option<Wide> {
        let (low, carry) = widening_product(self.low, factor);
        let (high, overflow) = widening_product(self.high, factor);
        if overflow != 0 {
            return None;
        }
        Some(Wide { negative: self.negative, high: high.checked_add(carry)?, low })
    }

    /// The exact sum of operands of fewer than 255 bits, which all sums of scaled DECIMALs are.
    pub fn plus(self, other: Wide) -> Wide {
        if self.negative == other.negative {
            let (low, carry) = self.low.overflowing_add(other.low);
            let high = self.high.wrapping_add(other.high).wrapping_add(u128::from(carry));
            return Wide { negative: self.negative, high, low };
        }
        let (large, small) = match (self.high, self.low) >= (other.high, other.low) {
            true => (self, other),
            false => (other, self),
        };
        let (low, borrow) = large.low.overflowing_sub(small.low);
        let high = large.high.wrapping_sub(small.high).wrapping_sub(u128::from(borrow));
        Wide { negative: large.negative, high, low }
    }

    /// Quotient toward zero and remainder with the dividend's sign; the divisor is not zero.
    pub fn div_rem(self, divisor: i128) -> (Wide, i128) {
        let by = divisor.unsigned_abs();
        let (quotient_high, mut quotient_low) = (self.high / by, 0u128);
        let mut rest = self.high % by;
        // Bit by bit: `rest` may need 129 bits after the shift, hence the carry.
        for bit in (0..128).rev() {
            let carry = rest >> 127 == 1;
            rest = rest << 1 | (self.low >> bit & 1);
            if carry || rest >= by {
                rest = rest.wrapping_sub(by);
                quotient_low |= 1 << bit;
            }
        }
        let quotient = Wide { negative: self.negative != (divisor < 0), high: quotient_high, low: quotient_low };
        let rest = if self.negative { (rest as i128).wrapping_neg() } else { rest as i128 };
        (quotient, rest)
    }

    /// `None` when the value needs more than 127 bits.
    pub fn to_i128(self) -> Option<i128> {
        let magnitude = i128::try_from(self.low).ok().filter(|_| self.high == 0)?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    pub fn is_zero(self) -> bool {
        self.high == 0 && self.low == 0
    }

    pub fn is_negative(self) -> bool {
        self.negative && !self.is_zero()
    }
}

impl From<i128> for Wide {
    fn from(value: i128) -> Wide {
        Wide { negative: value < 0, high: 0, low: value.unsigned_abs() }
    }
}

/// (low, high) halves of the product of two 128-bit numbers, by 64-bit digits.
fn widening_product(a: u128, b: u128) -> (u128, u128) {
    const MASK: u128 = u64::MAX as u128;
    let (a1, a0) = (a >> 64, a & MASK);
    let (b1, b0) = (b >> 64, b & MASK);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let (cross, carry) = (a0 * b1).overflowing_add(middle & MASK);
    debug_assert!(!carry);
    let high = a1 * b1 + (middle >> 64) + (cross >> 64);
    (cross << 64 | low & MASK, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    fn big(wide: Wide) -> BigInt {
        let magnitude: BigInt = (BigInt::from(wide.high) << 128u32) + BigInt::from(wide.low);
        if wide.negative { -magnitude } else { magnitude }
    }

    /// Values of every length, from a fixed sequence.
    fn numbers() -> Vec<i128> {
        let mut seed = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835u128;
        let mut numbers = vec![0, 1, -1, i128::MAX, i128::MIN + 1, power_of_ten(38), -power_of_ten(19)];
        for step in 0..60u32 {
            seed = seed.wrapping_mul(0xda94_2042_e4dd_58b5_da94_2042_e4dd_58b5).wrapping_add(1);
            numbers.push((seed as i128) >> (step * 2));
        }
        numbers
    }

    #[test]
    fn arithmetic_is_as_exact_as_big_integers() {
        for &a in &numbers() {
            for &b in &numbers() {
                let product = Wide::product(a, b);
                assert_eq!(big(product), BigInt::from(a) * BigInt::from(b));
                let sum = product.plus(Wide::from(a));
                assert_eq!(big(sum), big(product) + BigInt::from(a));
                if b != 0 {
                    let (quotient, rest) = sum.div_rem(b);
                    assert_eq!(big(quotient), big(sum) / BigInt::from(b));
                    assert_eq!(BigInt::from(rest), big(sum) % BigInt::from(b));
                }
            }
        }
    }

    #[test]
    fn scaling_reports_overflow() {
        assert_eq!(Wide::from(3).scale_up(40).map(big), Some(BigInt::from(3) * BigInt::from(10u8).pow(40)));
        assert_eq!(Wide::from(power_of_ten(38)).scale_up(40), None);
    }
}
