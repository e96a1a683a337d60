//! The registry of SQL functions: each is written once, as a plain Rust function, with one entry here.
//!
//! From the entry follow the binder's overloads, the call that generated code makes (`path`) and the call that the
//! interpreter makes (`call`).

use crate::{SqlError, SqlType, Value};

/// What a parameter accepts. The binder picks the first entry of a name whose parameters all accept their
/// arguments exactly, else the first that accepts them after implicit casts (integer widening, integer to
/// DECIMAL, DECIMAL to DOUBLE, text literal to the parameter's type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// Exactly this type (a DECIMAL parameter accepts any precision and scale, a text parameter any length:
    /// `SqlType::Decimal { precision: 38, scale: 0 }` and `SqlType::VARCHAR` stand for those families).
    Is(SqlType),
    /// Any type, the same for every `Same` parameter of the entry after unification to the common type.
    Same,
    /// Any type at all.
    Any,
}

/// How the result type follows from the argument types.
#[derive(Clone, Copy)]
pub enum Returns {
    Is(SqlType),
    /// The type of argument `n` (from 0).
    Argument(usize),
    /// Computed, e.g. DECIMAL arithmetic by the standard's derivation.
    Derived(fn(&[SqlType]) -> Result<SqlType, SqlError>),
}

/// How NULL arguments act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// NULL if any argument is NULL; the Rust function takes plain values and returns a plain value.
    Strict,
    /// As `Strict` on the way in, and the Rust function returns `Option`: the result is always nullable.
    StrictToOption,
    /// The Rust function takes `Option`s and returns a plain value: the result is never NULL (IS DISTINCT FROM).
    Never,
    /// The Rust function takes `Option`s and returns `Option`: the result is nullable if any argument is.
    Custom,
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
    /// Path of the Rust function below `feldc_value`, e.g. `text::upper`.
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
    pub deterministic: bool,
    /// Non-decreasing in its first argument while the others are constant.
    pub monotone: bool,
    /// The interpreter's call; NULL handling per `nulls` is inside.
    pub call: fn(&[Value], &Signature<'_>) -> Result<Value, SqlError>,
    /// One sentence for `feldc functions`.
    pub doc: &'static str,
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
