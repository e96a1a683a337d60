//! Between the types that functions in Rust see and the values of kernels. What a function returns is checked: a value
//! outside its SQL type never reaches a row.

use feldc_value::error::LIMIT_EXCEEDED;
use feldc_value::{SqlError, Value};

/// The longest text that a function may return, in bytes.
pub const BYTES_MAX: usize = 1 << 30;

/// A type that an argument of the native type `N` becomes.
pub trait Argument<N>: Sized {
    /// The argument.
    ///
    /// # Errors
    /// When it holds NULL where the Rust type has no place for it.
    fn argument(native: N) -> Result<Self, SqlError>;
}

/// A type that a function returns.
pub trait Answer {
    /// What kernels compute with.
    type Native;

    /// The result as a native value.
    ///
    /// # Errors
    /// When it is no value of its SQL type: out of the range of the digits, of the years 0001 to 9999, of a day; or too long.
    fn answer(self) -> Result<Self::Native, SqlError>;
}

/// A type of elements of ARRAYs, of keys and values of MAPs and of fields of ROWs.
pub trait Element: Sized {
    /// None for a value of another type.
    fn from_value(value: &Value) -> Option<Self>;

    /// The value as it stands in a tree.
    ///
    /// # Errors
    /// As [`Answer::answer`].
    fn to_value(self) -> Result<Value, SqlError>;
}

/// The argument that the parameter's type asks for.
///
/// # Errors
/// As [`Argument::argument`].
#[inline]
pub fn given<N, T: Argument<N>>(native: N) -> Result<T, SqlError> {
    T::argument(native)
}

impl<N, T: Argument<N>> Argument<Option<N>> for Option<T> {
    #[inline]
    fn argument(native: Option<N>) -> Result<Self, SqlError> {
        native.map(T::argument).transpose()
    }
}

impl<T: Answer> Answer for Option<T> {
    type Native = Option<T::Native>;

    #[inline]
    fn answer(self) -> Result<Self::Native, SqlError> {
        self.map(T::answer).transpose()
    }
}

impl<T: Element> Element for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_value(value).map(Some) }
    }

    fn to_value(self) -> Result<Value, SqlError> {
        self.map_or(Ok(Value::Null), T::to_value)
    }
}

macro_rules! plain {
    ($($rust:ty: $variant:ident),+) => {$(
        impl Argument<$rust> for $rust {
            #[inline]
            fn argument(native: $rust) -> Result<Self, SqlError> {
                Ok(native)
            }
        }

        impl Answer for $rust {
            type Native = $rust;

            #[inline]
            fn answer(self) -> Result<$rust, SqlError> {
                Ok(self)
            }
        }

        impl Element for $rust {
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::$variant(value) = value { Some(*value) } else { None }
            }

            fn to_value(self) -> Result<Value, SqlError> {
                Ok(Value::$variant(self))
            }
        }
    )+};
}

plain!(bool: Boolean, i8: TinyInt, i16: SmallInt, i32: Integer, i64: BigInt, u8: UTinyInt, u16: USmallInt, u32: UInteger,
    u64: UBigInt);

/// The three ways of a type that wraps one native value of fixed width: the constructor, and the check of a result.
macro_rules! wrapper {
    ($({$(const $digits:ident),+})? $rust:ty: $native:ty, $variant:ident, $new:expr, $check:expr) => {
        impl $(<$(const $digits: usize),+>)? $crate::exchange::Argument<$native> for $rust {
            #[inline]
            fn argument(native: $native) -> Result<Self, SqlError> {
                Ok($new(native))
            }
        }

        impl $(<$(const $digits: usize),+>)? $crate::exchange::Answer for $rust {
            type Native = $native;

            #[inline]
            fn answer(self) -> Result<$native, SqlError> {
                $check(self)
            }
        }

        impl $(<$(const $digits: usize),+>)? $crate::exchange::Element for $rust {
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::$variant(value) = value { Some($new(*value)) } else { None }
            }

            fn to_value(self) -> Result<Value, SqlError> {
                $check(self).map(Value::$variant)
            }
        }
    };
}
pub(crate) use wrapper;

/// The rows of a group, each the ROW of an aggregate's arguments; NULL stands for no rows.
///
/// # Errors
/// As [`Argument::argument`].
pub fn rows<T: Element + Clone>(array: Option<&Value>) -> Result<Vec<T>, SqlError> {
    let rows: Option<crate::Array<T>> = given(array)?;
    Ok(rows.map(std::sync::Arc::unwrap_or_clone).unwrap_or_default())
}

/// Refuses what is too long for a row.
pub(crate) fn check_length(bytes: usize) -> Result<(), SqlError> {
    match bytes > BYTES_MAX {
        true => Err(SqlError::new(LIMIT_EXCEEDED, format!("the result has more than {BYTES_MAX} bytes"))),
        false => Ok(()),
    }
}
