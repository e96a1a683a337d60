//! The generated crate of `sql/filter.sql` (`cargo xtask bench` writes it).

#[path = "../../generated/filter/src/circuit.rs"]
pub mod circuit;
#[path = "../../generated/filter/src/kernels.rs"]
pub mod kernels;

pub const SCHEMA: &str = include_str!("../../generated/filter/src/schema.json");
