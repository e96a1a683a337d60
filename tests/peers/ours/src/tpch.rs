//! The generated crate of `sql/tpch.sql` (`cargo xtask bench` writes it).

#[path = "../../generated/tpch/src/circuit.rs"]
pub mod circuit;
#[path = "../../generated/tpch/src/kernels.rs"]
pub mod kernels;

pub const SCHEMA: &str = include_str!("../../generated/tpch/src/schema.json");
