//! feldc: compiles a SQL program (tables, views, connectors) to a native incremental pipeline.
//!
//! Phases, each a folder that knows the tree it takes and the tree it gives; only `driver` sees them all:
//! parse -> bind -> rewrite -> lower -> incremental -> emit | interpret.
#![forbid(unsafe_code)]

pub mod bind;
pub mod build;
pub mod circuit;
pub mod diagnostic;
pub mod driver;
pub mod emit;
pub mod format;
pub mod incremental;
pub mod interpret;
pub mod library;
pub mod lower;
pub mod package;
pub mod parse;
pub mod plan;
pub mod reference;
pub mod rewrite;
pub mod steps;
