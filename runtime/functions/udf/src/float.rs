//! REAL and DOUBLE with an order: NaN is equal to itself and greatest.

use crate::data::plain;
use feldc_value::compare::SqlOrd;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Deref, Div, Mul, Neg, Sub};

macro_rules! float {
    ($name:ident, $native:ty, $variant:ident) => {
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name($native);

        impl $name {
            pub const fn new(value: $native) -> Self {
                $name(value)
            }

            pub fn into_inner(self) -> $native {
                self.0
            }
        }

        impl From<$native> for $name {
            fn from(value: $native) -> Self {
                $name(value)
            }
        }

        impl From<$name> for $native {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl Deref for $name {
            type Target = $native;

            fn deref(&self) -> &$native {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.order(other.0)
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                // What is equal hashes equally: both zeros, all NaNs.
                let value = if self.0.is_nan() { <$native>::NAN } else { self.0 + 0.0 };
                value.to_bits().hash(state);
            }
        }

        impl Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                $name(self.0 + other.0)
            }
        }

        impl Sub for $name {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                $name(self.0 - other.0)
            }
        }

        impl Mul for $name {
            type Output = Self;

            fn mul(self, other: Self) -> Self {
                $name(self.0 * other.0)
            }
        }

        impl Div for $name {
            type Output = Self;

            fn div(self, other: Self) -> Self {
                $name(self.0 / other.0)
            }
        }

        impl Neg for $name {
            type Output = Self;

            fn neg(self) -> Self {
                $name(-self.0)
            }
        }

        plain!($name, $native, $variant, $name, |value: Self| Ok(value.0));
    };
}

float!(F32, f32, Real);
float!(F64, f64, Double);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn floats_have_the_order_of_sql() {
        let mut values = [f64::NAN, 1.5, f64::INFINITY, -0.0, -1.0].map(F64::new);
        values.sort();
        let sorted: Vec<String> = values.iter().map(F64::to_string).collect();
        assert_eq!(sorted, ["-1", "-0", "1.5", "inf", "NaN"]);
        let set: HashSet<F64> = [0.0, -0.0, f64::NAN, -f64::NAN].map(F64::new).into();
        assert_eq!(set.len(), 2);
        assert_eq!((F64::new(1.5) * F64::new(2.0)).into_inner(), 3.0);
    }
}
