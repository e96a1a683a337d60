//! SQL types, scalar values and the function library.
//!
//! This is the floor of the runtime: the compiler's front end, the engine, the interpreter and generated code all
//! speak these types. It knows no rows (that is the engine's), no SQL text and no I/O.

pub mod error;
pub mod function;
pub mod types;
pub mod value;

pub use error::{EvalError, SqlError, SqlState};
pub use types::{ColumnType, IntervalUnit, SqlType};
pub use value::{Text, Value};
