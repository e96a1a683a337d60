//! Variances, covariances and regressions (SQL:2016 10.9, "set functions") from exact sums.
//!
//! [`Moments`] holds the sums of x, y, x², y² and xy as integers of any size, so they form an abelian group: rows come and
//! go in any order and leave no drift. Every statistic is a rational function of them, or the root of one, and is computed
//! exactly and rounded once; what the textbook formula loses to cancellation in floats is not lost here.

use crate::limbs::{LIMB_BITS, Limbs};
use crate::{SqlType, decimal};
use num_bigint::{BigInt, BigUint, Sign};

/// DOUBLEs are integers in units of 2^-1074.
const FLOAT_UNIT: i64 = -1074;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Statistic {
    VarPop,
    VarSamp,
    StddevPop,
    StddevSamp,
    /// Of (y, x), as all from here on.
    CovarPop,
    CovarSamp,
    Corr,
    RegrSxx,
    RegrSyy,
    RegrSxy,
    RegrSlope,
    RegrIntercept,
    RegrR2,
}

impl Statistic {
    /// Is it of one variable?
    pub fn single(self) -> bool {
        use Statistic::{StddevPop, StddevSamp, VarPop, VarSamp};
        matches!(self, VarPop | VarSamp | StddevPop | StddevSamp)
    }

    /// Has one row a value?
    fn sampled(self) -> bool {
        matches!(self, Statistic::VarSamp | Statistic::StddevSamp | Statistic::CovarSamp)
    }
}

/// A number as an integer: ±magnitude · 2^shift.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    magnitude: u128,
    negative: bool,
    shift: u32,
}

impl From<i128> for Units {
    fn from(value: i128) -> Units {
        Units { magnitude: value.unsigned_abs(), negative: value < 0, shift: 0 }
    }
}

impl Units {
    /// In units of 2^-1074; none for NaN and infinities.
    pub fn of_float(value: f64) -> Option<Units> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        let fraction = bits & ((1 << 52) - 1);
        let mantissa = fraction | u64::from(exponent > 0) << 52;
        Some(Units { magnitude: mantissa.into(), negative: value < 0.0, shift: exponent.max(1) - 1 })
    }

    fn times(self, other: Units) -> [u64; 4] {
        multiply([self.magnitude as u64, (self.magnitude >> 64) as u64, 0, 0], other.magnitude)
    }
}

/// The product of a number below 2^192 and one below 2^128, as far as four limbs hold it.
fn multiply(left: [u64; 4], right: u128) -> [u64; 4] {
    let mut product = [0u64; 4];
    for (i, digit) in [right as u64, (right >> 64) as u64].into_iter().enumerate() {
        let mut carry = 0u128;
        for (j, limb) in left.into_iter().enumerate().take(4 - i) {
            let sum = u128::from(limb) * u128::from(digit) + u128::from(product[i + j]) + carry;
            product[i + j] = sum as u64;
            carry = sum >> 64;
        }
    }
    product
}

/// The sums of a group's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    rows: i64,
    /// Rows with a NaN or an infinity, which are in no sum.
    special: i64,
    x: Limbs,
    y: Limbs,
    xx: Limbs,
    yy: Limbs,
    xy: Limbs,
}

impl Moments {
    /// Adds `weight` copies of a value; none is not finite.
    pub fn add(&mut self, x: Option<Units>, weight: i64) {
        self.rows = self.rows.wrapping_add(weight);
        let Some(x) = x else {
            self.special = self.special.wrapping_add(weight);
            return;
        };
        add_to(&mut self.x, multiply([1, 0, 0, 0], x.magnitude), x.negative, x.shift, weight);
        add_to(&mut self.xx, x.times(x), false, 2 * x.shift, weight);
    }

    /// Likewise of a pair.
    pub fn add_pair(&mut self, y: Option<Units>, x: Option<Units>, weight: i64) {
        let (Some(y), Some(x)) = (y, x) else { return self.add(None, weight) };
        self.add(Some(x), weight);
        add_to(&mut self.y, multiply([1, 0, 0, 0], y.magnitude), y.negative, y.shift, weight);
        add_to(&mut self.yy, y.times(y), false, 2 * y.shift, weight);
        add_to(&mut self.xy, x.times(y), x.negative != y.negative, x.shift + y.shift, weight);
    }

    /// Is nothing left of what came?
    pub fn is_zero(&self) -> bool {
        *self == Moments::default()
    }

    /// The statistic over arguments of one type, in the result's type.
    pub fn statistic(&self, statistic: Statistic, argument: SqlType, result: SqlType) -> Outcome {
        if self.rows <= i64::from(statistic.sampled()) {
            return Outcome::Null;
        }
        if self.special != 0 {
            return Outcome::Float(f64::NAN);
        }
        let Some((fraction, unit)) = self.fraction(statistic, result.is_integer()) else { return Outcome::Null };
        fraction.in_units(unit, self.base(), argument).rounded(result)
    }

    /// The statistic as a fraction, and the power of the unit that it counts; none where it is undefined.
    /// `whole`: in the integers, where the quotient that is subtracted is truncated too, as in other systems that stay there.
    fn fraction(&self, statistic: Statistic, whole: bool) -> Option<(Fraction, i64)> {
        use Statistic::*;
        let base = self.base();
        let sum = |sum: &Limbs| big(sum, base);
        let product = |sum: &Limbs| big(sum, 2 * base);
        let n = BigInt::from(self.rows);
        // n times the sums of squares of deviations from the means.
        let deviations = |product: BigInt, a: &Limbs, b: &Limbs| match whole {
            true => &n * (product - sum(a) * sum(b) / &n),
            false => &n * product - sum(a) * sum(b),
        };
        let xx = || deviations(product(&self.xx), &self.x, &self.x);
        let yy = || deviations(product(&self.yy), &self.y, &self.y);
        let xy = || deviations(product(&self.xy), &self.x, &self.y);
        let population = || &n * &n;
        let sample = || &n * (&n - 1);
        let defined = |divisor: BigInt| (divisor.sign() != Sign::NoSign).then_some(divisor);
        Some(match statistic {
            VarPop => (Fraction::new(xx(), population()), 2),
            VarSamp => (Fraction::new(xx(), sample()), 2),
            StddevPop => (Fraction::new(xx(), population()).root(), 2),
            StddevSamp => (Fraction::new(xx(), sample()).root(), 2),
            CovarPop => (Fraction::new(xy(), population()), 2),
            CovarSamp => (Fraction::new(xy(), sample()), 2),
            RegrSxx => (Fraction::new(xx(), n), 2),
            RegrSyy => (Fraction::new(yy(), n), 2),
            RegrSxy => (Fraction::new(xy(), n), 2),
            RegrSlope => (Fraction::new(xy(), defined(xx())?), 0),
            RegrIntercept => {
                let (xx, xy) = (defined(xx())?, xy());
                let numerator = sum(&self.y) * &xx - sum(&self.x) * xy;
                (Fraction::new(numerator, n * xx), 1)
            }
            RegrR2 => {
                let (xx, yy) = (defined(xx())?, yy());
                match defined(yy) {
                    // A horizontal line fits exactly.
                    None => (Fraction::new(BigInt::from(1), BigInt::from(1)), 0),
                    Some(yy) => (Fraction::new(xy().pow(2), xx * yy), 0),
                }
            }
            Corr => {
                let (divisor, xy) = (defined(xx() * yy())?, xy());
                let negative = xy.sign() == Sign::Minus;
                let root = Fraction::new(xy.pow(2), divisor).root();
                (if negative { root.negated() } else { root }, 0)
            }
        })
    }

    /// The place from which all sums are counted: that of the products is twice as high.
    fn base(&self) -> u32 {
        let lowest = |sums: &[&Limbs]| sums.iter().filter(|sum| !sum.limbs.is_empty()).map(|sum| sum.lowest).min();
        let (sums, products) = (lowest(&[&self.x, &self.y]), lowest(&[&self.xx, &self.yy, &self.xy]));
        sums.into_iter().chain(products.map(|place| place / 2)).min().unwrap_or(0)
    }
}

/// Adds a magnitude below 2^254, times a weight, at a place in bits.
fn add_to(sum: &mut Limbs, magnitude: [u64; 4], negative: bool, shift: u32, weight: i64) {
    let factor = weight.unsigned_abs();
    let (place, bit) = (shift / LIMB_BITS, shift % LIMB_BITS);
    // Five limbs hold the product, one more the shift, and its top bit stays free for the sign.
    let mut limbs = [0u64; 6];
    let mut carry = 0u128;
    for (limb, digit) in limbs.iter_mut().zip(magnitude) {
        let total = u128::from(digit) * u128::from(factor) + carry;
        *limb = total as u64;
        carry = total >> LIMB_BITS;
    }
    limbs[4] = carry as u64;
    if bit > 0 {
        for at in (0..limbs.len()).rev() {
            let below = if at > 0 { limbs[at - 1] >> (LIMB_BITS - bit) } else { 0 };
            limbs[at] = limbs[at] << bit | below;
        }
    }
    if negative != (weight < 0) {
        let mut carry = true;
        for limb in &mut limbs {
            (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
        }
    }
    sum.add(place, &limbs);
}

fn big(sum: &Limbs, base: u32) -> BigInt {
    let bytes: Vec<u8> = sum.limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigInt::from_signed_bytes_le(&bytes) << (u64::from(sum.lowest.saturating_sub(base)) * u64::from(LIMB_BITS))
}

/// A statistic's value in some type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Null,
    /// In units of the result's scale, truncated toward zero.
    Exact(i128),
    /// Rounded to nearest once; a REAL is a DOUBLE here.
    Float(f64),
    /// No 128 bits hold it.
    OutOfRange,
}

/// ±numerator / denominator · 2^twos, or the root of that.
#[derive(Debug)]
struct Fraction {
    negative: bool,
    numerator: BigUint,
    denominator: BigUint,
    twos: i64,
    root: bool,
}

impl Fraction {
    fn new(numerator: BigInt, denominator: BigInt) -> Fraction {
        let negative = (numerator.sign() == Sign::Minus) != (denominator.sign() == Sign::Minus);
        let (numerator, denominator) = (numerator.into_parts().1, denominator.into_parts().1);
        Fraction { negative, numerator, denominator, twos: 0, root: false }
    }

    fn root(self) -> Fraction {
        Fraction { root: true, ..self }
    }

    fn negated(self) -> Fraction {
        Fraction { negative: !self.negative, ..self }
    }

    /// Of a number of units of the arguments' type, multiplied `power` times, whose sums count from limb `base`.
    fn in_units(mut self, power: i64, base: u32, argument: SqlType) -> Fraction {
        let unit = i64::from(base) * i64::from(LIMB_BITS) + if argument.is_float() { FLOAT_UNIT } else { 0 };
        self.twos = power * unit;
        if let SqlType::Decimal { scale, .. } = argument {
            self.denominator *= BigUint::from(10u8).pow(u32::from(scale) * power as u32);
        }
        self
    }

    fn rounded(self, result: SqlType) -> Outcome {
        match result {
            SqlType::Double => Outcome::Float(self.nearest(53, FLOAT_UNIT)),
            SqlType::Real => Outcome::Float(self.nearest(24, -149)),
            _ => self.truncated(decimal::shape(result).1),
        }
    }

    fn truncated(self, scale: u8) -> Outcome {
        let digits = u32::from(scale) * if self.root { 2 } else { 1 };
        let numerator = (self.numerator * BigUint::from(10u8).pow(digits)) << self.twos.max(0);
        let quotient = numerator / (self.denominator << (-self.twos).max(0));
        // The root of a number and of its integer part have the same integer part.
        let value = BigInt::from(if self.root { quotient.sqrt() } else { quotient });
        let value = if self.negative { -value } else { value };
        i128::try_from(value).map_or(Outcome::OutOfRange, Outcome::Exact)
    }

    /// The nearest float with a mantissa of so many bits and no bit below 2^`least`; of two, the even one.
    fn nearest(self, mantissa: i64, least: i64) -> f64 {
        /// Bits of a quotient or root that are enough to round by; what follows only matters as not being nothing.
        const KEPT: i64 = 66;
        if self.numerator == BigUint::ZERO {
            return 0.0;
        }
        let wanted = if self.root { 2 * KEPT } else { KEPT };
        let mut up = wanted + self.denominator.bits() as i64 - self.numerator.bits() as i64;
        if self.root && (self.twos - up) % 2 != 0 {
            up += 1;
        }
        let numerator = self.numerator << up.max(0);
        let denominator = self.denominator << (-up).max(0);
        let mut value = &numerator / &denominator;
        let mut exact = &value * denominator == numerator;
        let mut exponent = self.twos - up;
        if self.root {
            let root = value.sqrt();
            exact &= root.pow(2) == value;
            (value, exponent) = (root, exponent / 2);
        }
        let dropped = (value.bits() as i64 - mantissa).max(least - exponent) as u64;
        let half = value.bit(dropped - 1);
        exact &= value.trailing_zeros().unwrap_or(0) >= dropped - 1;
        let kept = value >> dropped;
        let odd = kept.bit(0);
        let kept = u64::try_from(kept).unwrap_or(0) + u64::from(half && (odd || !exact));
        let magnitude = kept as f64 * power_of_two(exponent + dropped as i64);
        if self.negative { -magnitude } else { magnitude }
    }
}

/// For exponents that a DOUBLE has, and infinity above.
fn power_of_two(exponent: i64) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022..1024 => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent - FLOAT_UNIT).max(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECIMAL: SqlType = SqlType::Decimal { precision: 38, scale: 2 };

    fn floats(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|value| moments.add(Units::of_float(*value), 1));
        moments
    }

    fn double(moments: &Moments, statistic: Statistic) -> Outcome {
        moments.statistic(statistic, SqlType::Double, SqlType::Double)
    }

    #[test]
    fn cancellation_loses_nothing() {
        let shifted = floats(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
        assert_eq!(double(&shifted, Statistic::VarSamp), Outcome::Float(30.0));
        assert_eq!(double(&shifted, Statistic::VarPop), Outcome::Float(22.5));
        assert_eq!(double(&shifted, Statistic::StddevSamp), Outcome::Float(30f64.sqrt()));
        assert_eq!(double(&floats(&[1e16, 1e16 + 2.0]), Statistic::VarPop), Outcome::Float(1.0));
    }

    #[test]
    fn extremes_of_the_range_are_rounded_once() {
        let wide = floats(&[f64::MAX, -f64::MAX]);
        assert_eq!(double(&wide, Statistic::StddevPop), Outcome::Float(f64::MAX));
        assert_eq!(double(&wide, Statistic::VarPop), Outcome::Float(f64::INFINITY));
        let tiny = floats(&[0.0, 5e-324]);
        assert_eq!(double(&tiny, Statistic::VarPop), Outcome::Float(0.0));
        // The half of the least float is a tie, and the even neighbour is zero; a little more is not.
        assert_eq!(double(&tiny, Statistic::StddevPop), Outcome::Float(0.0));
        assert_eq!(double(&tiny, Statistic::StddevSamp), Outcome::Float(5e-324));
        let single = floats(&[2.5]);
        assert_eq!(double(&single, Statistic::VarSamp), Outcome::Null);
        assert_eq!(double(&single, Statistic::VarPop), Outcome::Float(0.0));
        assert_eq!(double(&Moments::default(), Statistic::VarPop), Outcome::Null);
    }

    #[test]
    fn infinities_come_and_go() {
        let mut moments = floats(&[1.0, 3.0]);
        moments.add(None, 1);
        assert!(matches!(double(&moments, Statistic::VarPop), Outcome::Float(value) if value.is_nan()));
        moments.add(None, -1);
        assert_eq!(double(&moments, Statistic::VarPop), Outcome::Float(1.0));
        moments.add(Units::of_float(1.0), -1);
        moments.add(Units::of_float(3.0), -1);
        assert!(moments.is_zero());
    }

    #[test]
    fn integers_and_decimals_truncate() {
        let mut moments = Moments::default();
        [1, 4].into_iter().for_each(|value| moments.add(Some(Units::from(value)), 1));
        let integer = |statistic| moments.statistic(statistic, SqlType::Integer, SqlType::Integer);
        // 17 - 25 / 2, where 4.5 is exact.
        assert_eq!(integer(Statistic::VarSamp), Outcome::Exact(5));
        assert_eq!(integer(Statistic::StddevSamp), Outcome::Exact(2));
        // 0.01 and 0.04: 4.5e-4 and its root 0.0212...
        assert_eq!(moments.statistic(Statistic::VarSamp, DECIMAL, DECIMAL), Outcome::Exact(0));
        assert_eq!(moments.statistic(Statistic::StddevSamp, DECIMAL, DECIMAL), Outcome::Exact(2));
        let mut large = Moments::default();
        for value in [i128::MAX, i128::MIN + 1] {
            large.add(Some(Units::from(value)), i64::MAX / 2);
        }
        assert_eq!(large.statistic(Statistic::StddevPop, DECIMAL, DECIMAL), Outcome::Exact(i128::MAX));
        assert_eq!(large.statistic(Statistic::VarPop, DECIMAL, DECIMAL), Outcome::OutOfRange);
    }

    #[test]
    fn regression_of_a_line() {
        let mut moments = Moments::default();
        for x in 0..4 {
            moments.add_pair(Some(Units::from(10 - 3 * x)), Some(Units::from(x)), 2);
        }
        let float = |statistic| moments.statistic(statistic, SqlType::Integer, SqlType::Double);
        assert_eq!(float(Statistic::Corr), Outcome::Float(-1.0));
        assert_eq!(float(Statistic::RegrSlope), Outcome::Float(-3.0));
        assert_eq!(float(Statistic::RegrIntercept), Outcome::Float(10.0));
        assert_eq!(float(Statistic::RegrR2), Outcome::Float(1.0));
        assert_eq!(float(Statistic::CovarPop), Outcome::Float(-3.75));
        assert_eq!(float(Statistic::RegrSxx), Outcome::Float(10.0));
        let mut flat = Moments::default();
        (0..4).for_each(|x| flat.add_pair(Some(Units::from(7)), Some(Units::from(x)), 1));
        assert_eq!(flat.statistic(Statistic::RegrR2, SqlType::Integer, SqlType::Double), Outcome::Float(1.0));
        assert_eq!(flat.statistic(Statistic::Corr, SqlType::Integer, SqlType::Double), Outcome::Null);
    }
}
