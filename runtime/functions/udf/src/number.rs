//! REAL, DOUBLE and DECIMAL.

use crate::exchange::wrapper;
use feldc_value::compare::SqlOrd;
use feldc_value::decimal::Rounding;
use feldc_value::decimal_text::{decimal_text, parse_decimal};
use feldc_value::error::{INVALID_TEXT, NUMERIC_OUT_OF_RANGE};
use feldc_value::{SqlError, Value};
use std::cmp::Ordering;
use std::fmt;
use std::ops::AddAssign;
use std::str::FromStr;

macro_rules! float {
    ($name:ident, $native:ty, $variant:ident, $sql:literal) => {
        #[doc = concat!($sql, ", with the order of SQL: NaN equals itself and is the greatest, 0 equals -0.")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name(pub $native);

        impl $name {
            /// The number as SQL's.
            pub const fn new(value: $native) -> $name {
                $name(value)
            }

            /// The number as Rust's.
            pub const fn into_inner(self) -> $native {
                self.0
            }
        }

        impl From<$native> for $name {
            fn from(value: $native) -> $name {
                $name(value)
            }
        }

        impl From<$name> for $native {
            fn from(value: $name) -> $native {
                value.0
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &$name) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &$name) -> Ordering {
                self.0.order(other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: $name) {
                self.0 += other.0;
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        wrapper!($name: $native, $variant, $name, |number: $name| Ok(number.0));
    };
}

float!(F32, f32, Real, "REAL");
float!(F64, f64, Double, "DOUBLE");

/// DECIMAL(P, S): a whole number of units of 10^-S.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SqlDecimal<const P: usize, const S: usize>(i128);

impl<const P: usize, const S: usize> SqlDecimal<P, S> {
    /// Of a number of units of 10^-S; none when it has more than P digits.
    pub fn from_units(units: i128) -> Option<Self> {
        let limit = 10u128.checked_pow(P as u32)?;
        (units.unsigned_abs() < limit).then_some(SqlDecimal(units))
    }

    /// The number of units of 10^-S.
    pub const fn units(self) -> i128 {
        self.0
    }

    /// The nearest number; none when it is none or has more than P digits.
    pub fn from_f64(value: f64) -> Option<Self> {
        let units = (value * 10f64.powi(S as i32)).round();
        // Every DECIMAL is below 10^38, and so is an i128.
        if units.abs() < 1e38 { Self::from_units(units as i128) } else { None }
    }

    /// The nearest floating point number.
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

impl<const P: usize, const S: usize> AddAssign for SqlDecimal<P, S> {
    /// # Panics
    /// When the sum does not fit into 128 bits; one with too many digits is refused where it is returned.
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.checked_add(other.0).expect("the sum has too many digits");
    }
}

impl<const P: usize, const S: usize> fmt::Display for SqlDecimal<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal_text(self.0, S as u8))
    }
}

impl<const P: usize, const S: usize> FromStr for SqlDecimal<P, S> {
    type Err = SqlError;

    /// Digits beyond the scale are rounded, half away from zero.
    fn from_str(text: &str) -> Result<Self, SqlError> {
        let units = parse_decimal(text, P as u8, S as u8, Rounding::HalfAwayFromZero);
        let no_number = |_| SqlError::new(INVALID_TEXT, format!("{text:?} is no DECIMAL({P}, {S})"));
        units.map(SqlDecimal).map_err(no_number)
    }
}

fn check<const P: usize, const S: usize>(value: SqlDecimal<P, S>) -> Result<i128, SqlError> {
    let too_large =
        || SqlError::new(NUMERIC_OUT_OF_RANGE, format!("{value} has too many digits for DECIMAL({P}, {S})"));
    SqlDecimal::<P, S>::from_units(value.0).map(SqlDecimal::units).ok_or_else(too_large)
}

wrapper!({const P, const S} SqlDecimal<P, S>: i128, Decimal, SqlDecimal, check);

#[cfg(test)]
mod tests {
    use super::*;

    type Money = SqlDecimal<5, 2>;

    #[test]
    fn decimals_stay_within_their_digits() {
        assert_eq!(Money::from_units(99_999).map(SqlDecimal::units), Some(99_999));
        assert_eq!(Money::from_units(100_000), None);
        assert_eq!("12.345".parse::<Money>().unwrap().to_string(), "12.35");
        assert!("1234.5".parse::<Money>().is_err() && "x".parse::<Money>().is_err());
        assert_eq!(Money::from_f64(-1.005).unwrap().units(), -100);
        assert_eq!(Money::from_f64(f64::NAN), None);
        assert_eq!(Money::from_f64(1e300), None);
        assert_eq!(SqlDecimal::<38, 0>::from_units(10i128.pow(38)), None);
        assert_eq!(Money::from_units(-1).unwrap().to_f64(), -0.01);
    }

    #[test]
    fn floats_are_ordered_as_in_sql() {
        assert_eq!(F64(0.0), F64(-0.0));
        assert_eq!(F32(f32::NAN), F32(f32::NAN));
        assert!(F64(f64::NAN) > F64(f64::INFINITY));
    }
}
