//! feldc: compiles a SQL program (tables, views, connectors) to a native incremental pipeline.
//!
//! Phases, each a folder that knows the tree it takes and the tree it gives; only `driver` sees them all:
//! parse -> bind -> rewrite -> lower -> incremental -> emit | interpret.
#![forbid(unsafe_code)]

pub mod circuit;
pub mod plan;
