//! SQL types, scalar values and the function library.
//!
//! This is the floor of the runtime: the compiler's front end, the engine, the interpreter and generated code all
//! speak these types. It knows no rows (that is the engine's), no SQL text and no I/O.

pub mod error;
#[macro_use]
pub mod function;
pub mod native;
pub mod types;
pub mod value;

// The function library: plain Rust functions, each with one entry in the list at the foot of its file.
pub mod arithmetic;
pub mod array;
pub mod binary;
pub mod bits;
pub mod boolean;
pub mod byte_bits;
pub mod cast;
pub mod compare;
pub mod day_name;
pub mod decimal;
pub mod degrees;
pub mod extract;
pub mod float;
pub mod format;
pub mod guard;
pub mod interval;
pub mod like;
pub mod map;
pub mod math;
pub mod months;
pub mod nested;
pub mod number;
pub mod occurrence;
pub mod pad;
pub mod record;
pub mod text;
pub mod truncate;
pub mod uuid;
pub mod variant;
pub mod variant_tree;
pub mod window;

pub mod calendar;
pub mod coerce;
pub mod convert;
pub mod decimal_text;
pub mod exact_sum;
pub mod json;
pub mod json_cursor;
pub mod json_text;
pub mod limbs;
pub mod registry;
pub mod statistics;
pub mod temporal_text;
pub mod text_form;
pub mod wide;

pub use coerce::{common_type, implicit_cast_allowed};
pub use error::{EvalError, SqlError, SqlState};
pub use exact_sum::ExactSum;
pub use statistics::{Moments, Outcome, Statistic, Units};

pub use types::{ColumnType, IntervalUnit, Part, RowField, SqlType};
pub use value::{Bytes, Nested, Text, Value, Variant};
