//! 192-bit sums: products of a DECIMAL of up to 38 digits and a weight, added up without overflow.

/// A two's complement number; arithmetic wraps, so that additions and withdrawals cancel in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wide {
    low: u128,
    high: i64,
}

/// Bytes of a stored [`Wide`].
pub const WIDE: usize = 24;

impl From<i128> for Wide {
    fn from(value: i128) -> Wide {
        Wide { low: value as u128, high: if value < 0 { -1 } else { 0 } }
    }
}

impl Wide {
    pub fn product(value: i128, weight: i64) -> Wide {
        let (magnitude, factor) = (value.unsigned_abs(), u128::from(weight.unsigned_abs()));
        let low_part = (magnitude & u128::from(u64::MAX)) * factor;
        let high_part = (magnitude >> 64) * factor;
        let (low, carry) = low_part.overflowing_add(high_part << 64);
        let product = Wide { low, high: (high_part >> 64) as i64 + i64::from(carry) };
        if (value < 0) == (weight < 0) { product } else { product.negated() }
    }

    pub fn plus(self, other: Wide) -> Wide {
        let (low, carry) = self.low.overflowing_add(other.low);
        Wide { low, high: self.high.wrapping_add(other.high).wrapping_add(i64::from(carry)) }
    }

    fn negated(self) -> Wide {
        let (low, carry) = (!self.low).overflowing_add(1);
        Wide { low, high: (!self.high).wrapping_add(i64::from(carry)) }
    }

    /// The value, when 128 bits hold it.
    pub fn narrow(self) -> Option<i128> {
        let value = self.low as i128;
        (self.high == if value < 0 { -1 } else { 0 }).then_some(value)
    }

    /// The quotient truncated toward zero, when 128 bits hold it.
    pub fn divided(self, divisor: u64) -> Option<i128> {
        if let Some(value) = self.narrow() {
            return value.checked_div(i128::from(divisor));
        }
        let magnitude = if self.high < 0 { self.negated() } else { self };
        let divisor = u128::from(divisor);
        // Schoolbook division by 64-bit digits; the remainder is always below the divisor.
        let high = u128::from(magnitude.high as u64);
        let middle = (high.checked_rem(divisor)? << 64) | magnitude.low >> 64;
        let lowest = ((middle % divisor) << 64) | (magnitude.low & u128::from(u64::MAX));
        let upper = ((high / divisor) << 64).checked_add(middle / divisor)?;
        let quotient = Wide { low: (upper << 64) | (lowest / divisor), high: (upper >> 64) as i64 };
        if self.high < 0 { quotient.negated().narrow() } else { quotient.narrow() }
    }

    pub fn to_bytes(self) -> [u8; WIDE] {
        let mut bytes = [0; WIDE];
        bytes[..16].copy_from_slice(&self.low.to_le_bytes());
        bytes[16..].copy_from_slice(&self.high.to_le_bytes());
        bytes
    }

    /// # Panics
    /// When there are fewer than [`WIDE`] bytes.
    pub fn from_bytes(bytes: &[u8]) -> Wide {
        let low = u128::from_le_bytes(bytes[..16].try_into().expect("sixteen bytes"));
        Wide { low, high: i64::from_le_bytes(bytes[16..WIDE].try_into().expect("eight bytes")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIG: i128 = 99_999_999_999_999_999_999_999_999_999_999_999_999;

    #[test]
    fn products_and_sums_agree_with_small_arithmetic() {
        for value in [0, 1, -1, 7, -(1 << 70), 1 << 70] {
            for weight in [1, -1, 3, -1000] {
                let product = Wide::product(value, weight);
                assert_eq!(product.narrow(), Some(value * i128::from(weight)));
                assert_eq!(product.plus(Wide::from(-5)).narrow(), Some(value * i128::from(weight) - 5));
                assert_eq!(Wide::from_bytes(&product.to_bytes()), product);
            }
        }
    }

    #[test]
    fn sums_beyond_128_bits_come_back() {
        for sign in [1, -1] {
            let sum = Wide::product(sign * BIG, 1_000_000);
            assert_eq!(sum.narrow(), None);
            assert_eq!(sum.divided(1_000_000), Some(sign * BIG));
            assert_eq!(sum.divided(3_000_000), Some(sign * BIG / 3));
            assert_eq!(sum.divided(1), None);
            assert_eq!(sum.plus(Wide::product(sign * BIG, -999_999)).narrow(), Some(sign * BIG));
        }
    }

    #[test]
    fn division_truncates_toward_zero() {
        assert_eq!(Wide::from(-7).divided(2), Some(-3));
        assert_eq!(Wide::from(7).divided(2), Some(3));
        assert_eq!(Wide::from(7).divided(0), None);
    }
}
