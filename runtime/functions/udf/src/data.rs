//! Between the native values of kernels, values inside others, and the types of users' functions.

use feldc_value::{SqlError, Value};

/// A Rust type of parameters and results.
pub trait Data: Sized {
    /// What a kernel passes: a plain value, or a reference into the row.
    type Lent<'a>;
    /// What a kernel gets.
    type Made;

    fn take(lent: Self::Lent<'_>) -> Result<Self, SqlError>;

    /// # Errors
    /// When the value is none of its SQL type.
    fn give(self) -> Result<Self::Made, SqlError>;

    /// The same of a value inside another.
    fn from_value(value: &Value) -> Result<Self, SqlError>;

    /// # Errors
    /// When the value is none of its SQL type.
    fn into_value(self) -> Result<Value, SqlError>;
}

/// An argument as the function's parameter has it.
///
/// # Errors
/// When it is no value of the parameter's type, for example a MAP with a NULL among its keys.
pub fn take<T: Data>(lent: T::Lent<'_>) -> Result<T, SqlError> {
    T::take(lent)
}

/// A value of another type than the signature says, which only a fault of ours can cause.
pub fn mismatch() -> SqlError {
    SqlError::new("XX000", "a function in Rust was called with a value of another type (a fault of feldc)")
}

impl<T: Data> Data for Option<T> {
    type Lent<'a> = Option<T::Lent<'a>>;
    type Made = Option<T::Made>;

    #[inline]
    fn take(lent: Self::Lent<'_>) -> Result<Self, SqlError> {
        lent.map(T::take).transpose()
    }

    #[inline]
    fn give(self) -> Result<Self::Made, SqlError> {
        self.map(T::give).transpose()
    }

    fn from_value(value: &Value) -> Result<Self, SqlError> {
        if value.is_null() { Ok(None) } else { T::from_value(value).map(Some) }
    }

    fn into_value(self) -> Result<Value, SqlError> {
        self.map_or(Ok(Value::Null), T::into_value)
    }
}

/// A type that a kernel passes by value. `$take` and `$give` are between it and the native type; `$give` may fail.
macro_rules! plain {
    ($($parameters:tt)*) => { $crate::data::plain_of!([] $($parameters)*); };
}

macro_rules! plain_of {
    ([$($generic:tt)*] $ty:ty, $native:ty, $variant:ident, $take:expr, $give:expr) => {
        impl<$($generic)*> $crate::Data for $ty {
            type Lent<'a> = $native;
            type Made = $native;

            #[inline]
            fn take(lent: $native) -> Result<Self, feldc_value::SqlError> {
                Ok($take(lent))
            }

            #[inline]
            fn give(self) -> Result<$native, feldc_value::SqlError> {
                $give(self)
            }

            fn from_value(value: &feldc_value::Value) -> Result<Self, feldc_value::SqlError> {
                match value {
                    feldc_value::Value::$variant(value) => Ok($take(*value)),
                    _ => Err($crate::data::mismatch()),
                }
            }

            fn into_value(self) -> Result<feldc_value::Value, feldc_value::SqlError> {
                self.give().map(feldc_value::Value::$variant)
            }
        }
    };
}

pub(crate) use {plain, plain_of};

macro_rules! same {
    ($($ty:ty: $variant:ident),*) => { $(plain!($ty, $ty, $variant, |value| value, Ok);)* };
}

same!(bool: Boolean, i8: TinyInt, i16: SmallInt, i32: Integer, i64: BigInt);
same!(u8: UTinyInt, u16: USmallInt, u32: UInteger, u64: UBigInt);
