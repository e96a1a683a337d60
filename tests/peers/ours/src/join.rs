//! The generated crate of `sql/join.sql` (`cargo xtask bench` writes it).

#[path = "../../generated/join/src/circuit.rs"]
pub mod circuit;
#[path = "../../generated/join/src/kernels.rs"]
pub mod kernels;

pub const SCHEMA: &str = include_str!("../../generated/join/src/schema.json");
