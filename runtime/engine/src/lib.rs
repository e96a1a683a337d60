//! The incremental engine: byte rows, Z-sets, traces, operators, circuits and workers.
//!
//! Knows no SQL text and no I/O protocol. A circuit is built through [`Builder`], by generated code or by the
//! interpreter, and run by [`Runtime`].

#![deny(unsafe_code)]

pub mod batch;
pub mod builder;
pub mod errors;
pub mod layout;
pub mod nested;
pub mod operator;
pub mod row;
pub mod runtime;
#[cfg(test)]
mod testing;
pub mod trace;
mod worker;

pub use batch::Batch;
pub use builder::{Aggregate, AggregateFunction, Builder, Fraction, IndexId, JoinKernel, MapKernel, Side, StreamId};
pub use errors::Errors;
pub use layout::{Key, Layout};
pub use operator::range_join::{Bound, Bounds};
pub use operator::top_k::{Direction, Rank, Window};
pub use runtime::{Runtime, StepInput, StepOutput};
