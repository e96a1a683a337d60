//! Operators on the bits of integers, in two's complement. As in PostgreSQL a shift counts modulo the width of its
//! operand (32 bits for the narrower types, which are shifted as INTEGER), and bits shifted out are lost.

use crate::bits;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// The four signed widths.
pub trait Bits:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    fn left(self, places: i32) -> Self;
    fn right(self, places: i32) -> Self;
    /// How many bits are 1.
    fn ones(self) -> u32;
}

macro_rules! bits {
    ($($native:ident as $shifted:ident),+) => {
        $(impl Bits for $native {
            #[inline]
            fn left(self, places: i32) -> Self {
                $shifted::from(self).wrapping_shl(places.cast_unsigned()) as $native
            }

            #[inline]
            fn right(self, places: i32) -> Self {
                $shifted::from(self).wrapping_shr(places.cast_unsigned()) as $native
            }

            #[inline]
            fn ones(self) -> u32 {
                self.count_ones()
            }
        })+
    };
}

bits!(i8 as i32, i16 as i32, i32 as i32, i64 as i64);

#[inline]
pub fn and<T: Bits>(a: T, b: T) -> T {
    a & b
}

#[inline]
pub fn or<T: Bits>(a: T, b: T) -> T {
    a | b
}

#[inline]
pub fn xor<T: Bits>(a: T, b: T) -> T {
    a ^ b
}

#[inline]
pub fn not<T: Bits>(a: T) -> T {
    !a
}

#[inline]
pub fn shift_left<T: Bits>(a: T, places: i32) -> T {
    a.left(places)
}

#[inline]
pub fn shift_right<T: Bits>(a: T, places: i32) -> T {
    a.right(places)
}

/// At most 64.
#[inline]
pub fn count<T: Bits>(a: T) -> i32 {
    a.ones().cast_signed()
}

macro_rules! integers {
    ($list:ident $kind:ident $native:ident) => {
        functions! { static $list:
            "&" ($kind, $kind) -> $kind = bits::and::<$native>, Strict {}, "The bits that both have.";
            "|" ($kind, $kind) -> $kind = bits::or::<$native>, Strict {}, "The bits that one of them has.";
            "#" ($kind, $kind) -> $kind = bits::xor::<$native>, Strict {}, "The bits that only one of them has.";
            "~" ($kind) -> $kind = bits::not::<$native>, Strict {}, "Every bit turned over.";
            "<<" ($kind, INTEGER) -> $kind = bits::shift_left::<$native>, Strict {}, "The bits some places further left, modulo the width; zeros fill.";
            ">>" ($kind, INTEGER) -> $kind = bits::shift_right::<$native>, Strict {}, "The bits some places further right, modulo the width; the sign fills.";
            "BITAND" ($kind, $kind) -> $kind = bits::and::<$native>, Strict {}, "The bits that both have.";
            "BITOR" ($kind, $kind) -> $kind = bits::or::<$native>, Strict {}, "The bits that one of them has.";
            "BITXOR" ($kind, $kind) -> $kind = bits::xor::<$native>, Strict {}, "The bits that only one of them has.";
            "BITNOT" ($kind) -> $kind = bits::not::<$native>, Strict {}, "Every bit turned over.";
            "BIT_COUNT" ($kind) -> INTEGER = bits::count::<$native>, Strict {}, "How many bits are 1.";
        }
    };
}

integers!(TINYINTS TINYINT i8);
integers!(SMALLINTS SMALLINT i16);
integers!(INTEGERS INTEGER i32);
integers!(BIGINTS BIGINT i64);

/// Narrow types first: the binder takes the first entry that fits.
pub static FAMILIES: &[&[crate::function::Function]] = &[TINYINTS, SMALLINTS, INTEGERS, BIGINTS];

#[cfg(test)]
mod tests {
    use super::*;

    // Values of PostgreSQL 15.
    #[test]
    fn bits_of_two() {
        assert_eq!((and(6, 3), or(5, 2), xor(5, 3), not(0i64)), (2, 7, 6, -1));
        assert_eq!((and(-1i8, i8::MIN), xor(-1i16, i16::MAX)), (i8::MIN, i16::MIN));
        assert_eq!((count(-1i8), count(i64::MIN), count(0i32), count(7i16)), (8, 1, 0, 3));
    }

    #[test]
    fn shifts() {
        assert_eq!((shift_left(1, 3), shift_left(1, 31), shift_left(1, 32)), (8, i32::MIN, 1));
        assert_eq!((shift_left(1, -1), shift_right(-8, 1), shift_right(i64::MIN, 63)), (i32::MIN, -4, -1));
        assert_eq!((shift_left(1i16, 17), shift_left(1i16, 15), shift_left(1i8, 7)), (0, i16::MIN, i8::MIN));
        assert_eq!((shift_left(1i64, 64), shift_right(1i64, i32::MIN)), (1, 1));
    }
}
