//! Real binaries on real files and sockets.

mod bad_input;
mod native;
mod quickstart;
mod tpch;
mod udf;
