//! Data and measuring of the side-by-side benchmarks: the same rows, in the same order and batches, for every engine.

pub mod measure;
pub mod micro;
pub mod tpch;

pub use measure::{Meter, Report};
