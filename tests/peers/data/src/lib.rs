//! Data of the benchmarks.
