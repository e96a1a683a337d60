//! The generated crate of `sql/group.sql` (`cargo xtask bench` writes it).

#[path = "../../generated/group/src/circuit.rs"]
pub mod circuit;
#[path = "../../generated/group/src/kernels.rs"]
pub mod kernels;

pub const SCHEMA: &str = include_str!("../../generated/group/src/schema.json");
