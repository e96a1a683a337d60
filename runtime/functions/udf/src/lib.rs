//! What a program's functions in Rust see: a type for each SQL type ([`number`], [`text`], [`time`], [`nested`]), the way
//! between those and the values of kernels ([`exchange`]), and the call itself, which lets no panic out ([`call`]).
//!
//! Only crates of programs with such functions depend on this one.
#![forbid(unsafe_code)]

pub mod call;
pub mod exchange;
pub mod nested;
pub mod number;
pub mod text;
pub mod time;

pub use nested::{Array, Map, Tup1, Tup2, Tup3, Tup4, Tup5, Tup6, Tup7, Tup8, Tup9, Tup10, Tup11, Tup12, Variant};
pub use number::{F32, F64, SqlDecimal};
pub use text::{ByteArray, SqlString};
pub use time::{Date, LongInterval, ShortInterval, Time, Timestamp, TimestampTz, Uuid};
