//! DECIMAL.

use crate::data::plain_of;
use feldc_value::decimal::{Rounding, fit, rescale};
use feldc_value::decimal_text::{decimal_text, parse_decimal};
use feldc_value::{SqlError, SqlType};
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

/// A DECIMAL(P, S): a whole number of units of 10^-S, of at most P digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SqlDecimal<const P: usize, const S: usize>(i128);

impl<const P: usize, const S: usize> SqlDecimal<P, S> {
    const TYPE: SqlType = SqlType::Decimal { precision: P as u8, scale: S as u8 };

    /// `None` when it has more than P digits.
    pub fn from_units(units: i128) -> Option<Self> {
        fit(Some(units), Self::TYPE).ok().map(SqlDecimal)
    }

    /// As [`SqlDecimal::from_units`]; with too many digits the function that returns it fails.
    pub fn from_units_unchecked(units: i128) -> Self {
        SqlDecimal(units)
    }

    /// In units of 10^-S.
    pub fn units(self) -> i128 {
        self.0
    }

    /// With other digits; `None` when they are too few. Digits behind the new scale are rounded, half away from zero.
    pub fn cast<const Q: usize, const T: usize>(self) -> Option<SqlDecimal<Q, T>> {
        rescale(self.0, S as u8, T as u8, Rounding::HalfAwayFromZero).and_then(SqlDecimal::from_units)
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).and_then(Self::from_units)
    }

    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).and_then(Self::from_units)
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        // Rust reads decimal text exactly.
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

impl<const P: usize, const S: usize> fmt::Display for SqlDecimal<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&decimal_text(self.0, S as u8))
    }
}

/// Reads decimal text; digits behind the scale are rounded, half away from zero.
impl<const P: usize, const S: usize> FromStr for SqlDecimal<P, S> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = parse_decimal(text, P as u8, S as u8, Rounding::HalfAwayFromZero);
        units.map(SqlDecimal).map_err(|_| format!("{text:?} is no {}", Self::TYPE))
    }
}

/// A sum outside i128 stays as wide as it can be: the function that returns it fails.
impl<const P: usize, const S: usize> Add for SqlDecimal<P, S> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        SqlDecimal(self.0.saturating_add(other.0))
    }
}

impl<const P: usize, const S: usize> Sub for SqlDecimal<P, S> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        SqlDecimal(self.0.saturating_sub(other.0))
    }
}

impl<const P: usize, const S: usize> Mul<i64> for SqlDecimal<P, S> {
    type Output = Self;

    fn mul(self, factor: i64) -> Self {
        SqlDecimal(self.0.saturating_mul(factor.into()))
    }
}

impl<const P: usize, const S: usize> Neg for SqlDecimal<P, S> {
    type Output = Self;

    fn neg(self) -> Self {
        SqlDecimal(self.0.saturating_neg())
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => { $(
        impl<const P: usize, const S: usize> TryFrom<$integer> for SqlDecimal<P, S> {
            type Error = String;

            fn try_from(value: $integer) -> Result<Self, String> {
                let units = i128::try_from(value).ok().and_then(|value| rescale(value, 0, S as u8, Rounding::HalfAwayFromZero));
                units.and_then(Self::from_units).ok_or_else(|| format!("{value} does not fit {}", Self::TYPE))
            }
        }
    )* };
}

from_integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);

impl<const P: usize, const S: usize> TryFrom<f64> for SqlDecimal<P, S> {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        format!("{value}").parse()
    }
}

plain_of!([const P: usize, const S: usize] SqlDecimal<P, S>, i128, Decimal, SqlDecimal,
    |value: Self| -> Result<i128, SqlError> { fit(Some(value.0), Self::TYPE) });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let price: SqlDecimal<6, 2> = "12.345".parse().unwrap();
        assert_eq!((price.to_string().as_str(), price.units()), ("12.35", 1235));
        assert_eq!(price.cast::<5, 1>().map(|cast| cast.to_string()).as_deref(), Some("12.4"));
        assert_eq!(price.cast::<2, 1>(), None);
        assert_eq!(SqlDecimal::<6, 2>::try_from(9999i64).map(|d| d.units()), Ok(999_900));
        assert!(SqlDecimal::<6, 2>::try_from(10_000i64).is_err());
        assert_eq!(SqlDecimal::<6, 2>::try_from(-0.5).map(SqlDecimal::units), Ok(-50));
        assert!(SqlDecimal::<6, 2>::try_from(f64::NAN).is_err());
        assert_eq!((price.to_f64(), price.checked_add(price).map(SqlDecimal::units)), (12.35, Some(2470)));
    }
}
