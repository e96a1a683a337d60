//! The registry of SQL functions: each is written once, as a plain Rust function, with one entry here.
//!
//! From the entry follow the binder's overloads, the call that generated code makes (`path`) and the call that the
//! interpreter makes (`call`). Entries are written with the macro `functions!`:
//!
//! ```text
//! functions! { pub static FUNCTIONS:
//!     "UPPER" (VARCHAR) -> VARCHAR = text::upper, Strict {}, "Upper case.";
//!     "CONCAT_WS" (VARCHAR; VARCHAR) -> VARCHAR = text::concat_ws, Custom {}, "...";   // the last parameter repeats
//!     "+" (DECIMAL, DECIMAL) -> (derived decimal::sum_type) = decimal::add, Strict {typed fallible}, "...";
//! }
//! ```
//!
//! The macro calls the named function, so an entry whose path, parameter count, NULL rule or flags disagree with the
//! function does not compile.
//!
//! Families that stand on heavy crates are crates of their own below `runtime/functions/`, with a list like these: a
//! program's crate depends on those whose functions it calls, and no other program builds them.

use crate::{SqlError, SqlType, Value};

/// The library that every generated crate has at hand: this crate.
pub const CORE: &str = "feldc_value";

/// The library of functions that a program brings along, in Rust: its own crate. Only compiled code can call them.
pub const PROGRAM: &str = "crate";

/// What a parameter accepts. The binder picks the first entry of a name whose parameters all accept their
/// arguments exactly, else the first that accepts them after implicit casts (integer widening, integer to
/// DECIMAL, DECIMAL to DOUBLE, text literal to the parameter's type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// Exactly this type (a DECIMAL parameter accepts any precision and scale, a text parameter any length, an interval
    /// parameter any units of its kind: `SqlType::Decimal { precision: 38, scale: 0 }`, `SqlType::VARCHAR` and so on
    /// stand for those families).
    Is(SqlType),
    /// Any type, the same for every `Same` parameter of the entry after unification to the common type.
    Same,
    /// Any type at all.
    Any,
}

impl Param {
    /// Does an argument of this type fit without a cast?
    pub fn accepts(self, ty: SqlType) -> bool {
        match self {
            Param::Is(parameter) => ty == SqlType::Null || parameter.same_family(ty),
            Param::Same | Param::Any => true,
        }
    }
}

/// How the result type follows from the argument types.
#[derive(Clone, Copy)]
pub enum Returns {
    Is(SqlType),
    /// The type of argument `n` (from 0).
    Argument(usize),
    /// Computed, e.g. DECIMAL arithmetic by the standard's derivation.
    Derived(fn(&[SqlType]) -> Result<SqlType, SqlError>),
    /// Computed with the types that the arguments are cast to first, e.g. the element to the array's elements.
    Shaped(fn(&[SqlType]) -> Result<Shape, SqlError>),
}

/// What a call of a function over nested values takes and gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub arguments: Vec<SqlType>,
    pub result: SqlType,
}

/// How NULL arguments act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nulls {
    /// NULL if any argument is NULL; the Rust function takes plain values and returns a plain value.
    Strict,
    /// As `Strict` on the way in, and the Rust function returns `Option`: the result is always nullable.
    StrictToOption,
    /// The Rust function takes `Option`s and returns a plain value: the result is never NULL (IS DISTINCT FROM).
    Never,
    /// The Rust function takes `Option`s and returns `Option`: the result is nullable if any argument is.
    Custom,
    /// As `Custom`, and the result is always nullable.
    CustomToOption,
}

/// Argument and result types of one call: DECIMAL functions read precision and scale from here.
/// Generated code passes it as a constant, so that with inlining the scales are compile-time numbers.
#[derive(Clone, Copy, Debug)]
pub struct Signature<'a> {
    pub arguments: &'a [SqlType],
    pub result: SqlType,
}

/// One overload of a SQL function.
pub struct Function {
    /// SQL name, upper case; operators by their symbol (`+`, `||`, `<=>`), unary minus as `NEG`.
    pub name: &'static str,
    /// The crate that holds the Rust function: [`CORE`], or one that only programs with a call of it depend on.
    pub library: &'static str,
    /// Path of the Rust function below its crate, e.g. `text::upper` or `compare::eq::<i64>`.
    pub path: &'static str,
    pub parameters: &'static [Param],
    /// The last parameter may repeat (interpreted and generated calls then pass a slice for it).
    pub variadic: bool,
    pub returns: Returns,
    pub nulls: Nulls,
    /// The Rust function takes `&Signature` as its last argument.
    pub typed: bool,
    /// The Rust function returns `Result<_, SqlError>`.
    pub fallible: bool,
    /// The Rust function is like `call`, but for NULL arguments, which are kept from it as `nulls` says: it takes and gives
    /// [`Value`]s, since its types are not known when it is compiled.
    pub boxed: bool,
    pub deterministic: bool,
    /// Non-decreasing in its first argument while the others are constant.
    pub monotone: bool,
    /// The interpreter's call; NULL handling per `nulls` is inside.
    pub call: fn(&[Value], &Signature<'_>) -> Result<Value, SqlError>,
    /// One sentence for `feldc functions`.
    pub doc: &'static str,
}

impl Function {
    /// The parameter that argument `index` (from 0) must fit: the last one repeats when variadic.
    pub fn parameter(&self, index: usize) -> Option<Param> {
        match self.parameters.get(index) {
            Some(parameter) => Some(*parameter),
            None if self.variadic => self.parameters.last().copied(),
            None => None,
        }
    }

    /// May the function be called with so many arguments?
    pub fn takes(&self, arguments: usize) -> bool {
        match self.variadic {
            true => arguments >= self.parameters.len(),
            false => arguments == self.parameters.len(),
        }
    }

    /// The result type of a call with arguments of these types.
    pub fn result_type(&self, arguments: &[SqlType]) -> Result<SqlType, SqlError> {
        match self.returns {
            Returns::Is(ty) => Ok(ty),
            Returns::Argument(index) => Ok(arguments.get(index).copied().unwrap_or(SqlType::Null)),
            Returns::Derived(derive) => derive(arguments),
            Returns::Shaped(derive) => derive(arguments).map(|shape| shape.result),
        }
    }

    /// Is the result of a call with arguments of these nullabilities nullable?
    pub fn nullable(&self, arguments: &[bool]) -> bool {
        match self.nulls {
            Nulls::Strict | Nulls::Custom => arguments.contains(&true),
            Nulls::StrictToOption | Nulls::CustomToOption => true,
            Nulls::Never => false,
        }
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}<{}>", self.name, self.path)
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        std::ptr::eq(self, other)
    }
}

/// The types that entries name. DECIMAL, VARCHAR, CHAR and the intervals stand for their whole families.
pub mod kind {
    use crate::{IntervalUnit, Part, SqlType};

    pub const BOOLEAN: SqlType = SqlType::Boolean;
    pub const TINYINT: SqlType = SqlType::TinyInt;
    pub const SMALLINT: SqlType = SqlType::SmallInt;
    pub const INTEGER: SqlType = SqlType::Integer;
    pub const BIGINT: SqlType = SqlType::BigInt;
    pub const DECIMAL: SqlType = SqlType::Decimal { precision: 38, scale: 0 };
    pub const REAL: SqlType = SqlType::Real;
    pub const DOUBLE: SqlType = SqlType::Double;
    pub const CHAR: SqlType = SqlType::Char { length: 1 };
    pub const VARCHAR: SqlType = SqlType::VARCHAR;
    pub const DATE: SqlType = SqlType::Date;
    pub const TIME: SqlType = SqlType::Time;
    pub const TIMESTAMP: SqlType = SqlType::Timestamp;
    pub const UTINYINT: SqlType = SqlType::UTinyInt;
    pub const USMALLINT: SqlType = SqlType::USmallInt;
    pub const UINTEGER: SqlType = SqlType::UInteger;
    pub const UBIGINT: SqlType = SqlType::UBigInt;
    pub const BINARY: SqlType = SqlType::Binary { length: 1 };
    pub const VARBINARY: SqlType = SqlType::VARBINARY;
    pub const TIMESTAMPTZ: SqlType = SqlType::TimestampTz;
    pub const UUID: SqlType = SqlType::Uuid;
    pub const VARIANT: SqlType = SqlType::Variant;
    /// ARRAY, MAP and ROW stand for their whole families.
    pub const ARRAY: SqlType = SqlType::Array(Part(ELEMENT));
    pub const MAP: SqlType = SqlType::Map(Part(ENTRY));
    pub const ROW: SqlType = SqlType::Row(Part(&[]));
    /// A parameter of any type; a result that the caller names.
    pub const ANY: SqlType = SqlType::Null;
    const ELEMENT: &SqlType = &SqlType::Null;
    const ENTRY: &(SqlType, SqlType) = &(SqlType::Null, SqlType::Null);
    /// Day-time intervals.
    pub const SHORT: SqlType = SqlType::IntervalShort { from: IntervalUnit::Day, to: IntervalUnit::Second };
    /// Year-month intervals.
    pub const LONG: SqlType = SqlType::IntervalLong { from: IntervalUnit::Year, to: IntervalUnit::Month };
}

/// Length of a path without blanks.
#[doc(hidden)]
pub const fn tight_length(path: &str) -> usize {
    let (mut length, mut at) = (0, 0);
    while at < path.len() {
        length += (path.as_bytes()[at] != b' ') as usize;
        at += 1;
    }
    length
}

/// A path without the blanks that `stringify!` puts between its tokens.
#[doc(hidden)]
pub const fn tight<const LENGTH: usize>(path: &str) -> [u8; LENGTH] {
    let mut tight = [0; LENGTH];
    let (mut length, mut at) = (0, 0);
    while at < path.len() {
        if path.as_bytes()[at] != b' ' {
            tight[length] = path.as_bytes()[at];
            length += 1;
        }
        at += 1;
    }
    tight
}

/// Declares a list of [`Function`]s; the module's head shows the form.
#[macro_export]
macro_rules! functions {
    ($(#[$meta:meta])* $visibility:vis static $list:ident:
     $($name:literal ($($parameter:ident),* $(; $repeated:ident)?) -> $returns:tt = $path:path, $nulls:ident $flags:tt, $doc:expr;)*
    ) => {
        $(#[$meta])*
        $visibility static $list: &[$crate::function::Function] = &[$($crate::function::Function {
            name: $name,
            library: env!("CARGO_CRATE_NAME"),
            path: {
                const SPACED: &str = stringify!($path);
                const TIGHT: [u8; $crate::function::tight_length(SPACED)] = $crate::function::tight(SPACED);
                match std::str::from_utf8(&TIGHT) {
                    Ok(path) => path,
                    Err(_) => SPACED,
                }
            },
            parameters: &[
                $($crate::function::Param::Is($crate::function::kind::$parameter),)*
                $($crate::function::Param::Is($crate::function::kind::$repeated),)?
            ],
            variadic: false $(|| { let _ = $crate::function::kind::$repeated; true })?,
            returns: $crate::returns!($returns),
            nulls: $crate::function::Nulls::$nulls,
            typed: $crate::flag!(typed $flags),
            fallible: $crate::flag!(fallible $flags),
            boxed: false,
            deterministic: true,
            monotone: $crate::flag!(monotone $flags),
            call: {
                #[allow(unused_mut, unused_variables)]
                fn call(
                    arguments: &[$crate::Value],
                    signature: &$crate::function::Signature<'_>,
                ) -> Result<$crate::Value, $crate::SqlError> {
                    $crate::unless_null!($nulls, arguments);
                    let mut values = arguments.iter();
                    $crate::settle!($nulls, signature, $crate::settle_error!($flags $crate::invoke!(
                        $flags $path, signature
                        $(, $crate::argument!($nulls, values, $parameter))*
                        $(, $crate::repeated!($nulls, values, $repeated))?
                    )))
                }
                call
            },
            doc: $doc,
        }),*];
    };
}

/// Declares a list of [`Function`]s over values whose types are not known when they are compiled. After the parameters stands
/// the function that gives the [`Shape`] of a call, or `(is TYPE)`.
#[macro_export]
macro_rules! boxed_functions {
    ($(#[$meta:meta])* $visibility:vis static $list:ident:
     $($name:literal ($($parameter:ident),* $(; $repeated:ident)?) -> $returns:tt = $path:path, $nulls:ident $flags:tt, $doc:expr;)*
    ) => {
        $(#[$meta])*
        $visibility static $list: &[$crate::function::Function] = &[$($crate::function::Function {
            name: $name,
            library: env!("CARGO_CRATE_NAME"),
            path: {
                const SPACED: &str = stringify!($path);
                const TIGHT: [u8; $crate::function::tight_length(SPACED)] = $crate::function::tight(SPACED);
                match std::str::from_utf8(&TIGHT) {
                    Ok(path) => path,
                    Err(_) => SPACED,
                }
            },
            parameters: &[$($crate::boxed_parameter!($parameter),)* $($crate::boxed_parameter!($repeated),)?],
            variadic: false $(|| { let _ = $crate::function::kind::$repeated; true })?,
            returns: $crate::returns!($returns),
            nulls: $crate::function::Nulls::$nulls,
            typed: true,
            fallible: $crate::flag!(fallible $flags),
            boxed: true,
            deterministic: true,
            monotone: $crate::flag!(monotone $flags),
            call: {
                fn call(
                    arguments: &[$crate::Value],
                    signature: &$crate::function::Signature<'_>,
                ) -> Result<$crate::Value, $crate::SqlError> {
                    $crate::unless_null!($nulls, arguments);
                    $path(arguments, signature)
                }
                call
            },
            doc: $doc,
        }),*];
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! boxed_parameter {
    (ANY) => {
        $crate::function::Param::Any
    };
    ($kind:ident) => {
        $crate::function::Param::Is($crate::function::kind::$kind)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! returns {
    ((is $kind:ident)) => {
        $crate::function::Returns::Is($crate::function::kind::$kind)
    };
    ((shape $derive:path)) => {
        $crate::function::Returns::Shaped($derive)
    };
    ((argument $index:literal)) => {
        $crate::function::Returns::Argument($index)
    };
    ((derived $derive:path)) => {
        $crate::function::Returns::Derived($derive)
    };
    ($kind:ident) => {
        $crate::function::Returns::Is($crate::function::kind::$kind)
    };
}

/// Is the flag in the list?
#[doc(hidden)]
#[macro_export]
macro_rules! flag {
    (typed {typed $($rest:ident)*}) => { true };
    (fallible {fallible $($rest:ident)*}) => { true };
    (monotone {monotone $($rest:ident)*}) => { true };
    ($flag:ident {$other:ident $($rest:ident)*}) => { $crate::flag!($flag {$($rest)*}) };
    ($flag:ident {}) => { false };
}

/// Calls the function, with the signature when `typed`.
#[doc(hidden)]
#[macro_export]
macro_rules! invoke {
    ({typed $($rest:ident)*} $path:path, $signature:ident $(, $argument:expr)*) => { $path($($argument,)* $signature) };
    ({$other:ident $($rest:ident)*} $path:path, $signature:ident $(, $argument:expr)*) => {
        $crate::invoke!({$($rest)*} $path, $signature $(, $argument)*)
    };
    ({} $path:path, $signature:ident $(, $argument:expr)*) => { $path($($argument),*) };
}

/// Passes the error on when `fallible`.
#[doc(hidden)]
#[macro_export]
macro_rules! settle_error {
    ({fallible $($rest:ident)*} $call:expr) => { $call? };
    ({$other:ident $($rest:ident)*} $call:expr) => { $crate::settle_error!({$($rest)*} $call) };
    ({} $call:expr) => { $call };
}

#[doc(hidden)]
#[macro_export]
macro_rules! unless_null {
    (Never, $arguments:ident) => {};
    (Custom, $arguments:ident) => {};
    ($strict:ident, $arguments:ident) => {
        if $arguments.iter().any($crate::Value::is_null) {
            return Ok($crate::Value::Null);
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! argument {
    (Never, $values:ident, $parameter:ident) => {
        $crate::native::optional(&mut $values)?
    };
    (Custom, $values:ident, $parameter:ident) => {
        $crate::native::optional(&mut $values)?
    };
    ($strict:ident, $values:ident, $parameter:ident) => {
        $crate::native::plain(&mut $values)?
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! repeated {
    (Never, $values:ident, $parameter:ident) => {
        &$crate::native::optional_rest(&mut $values)?
    };
    (Custom, $values:ident, $parameter:ident) => {
        &$crate::native::optional_rest(&mut $values)?
    };
    ($strict:ident, $values:ident, $parameter:ident) => {
        &$crate::native::plain_rest(&mut $values)?
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! settle {
    (Strict, $signature:ident, $result:expr) => {
        $crate::native::plain_result($result, $signature.result)
    };
    (Never, $signature:ident, $result:expr) => {
        $crate::native::plain_result($result, $signature.result)
    };
    ($optional:ident, $signature:ident, $result:expr) => {
        $crate::native::optional_result($result, $signature.result)
    };
}
