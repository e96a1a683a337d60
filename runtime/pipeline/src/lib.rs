//! Everything between the engine and the world: connectors, formats, the controller, the HTTP server.
//!
//! [`glue`] is the one door for generated code and for the compiler's interpreter.

pub mod command;
pub mod config;
pub mod connector;
pub mod controller;
pub mod format;
pub mod glue;
pub mod log;
pub mod published;
pub mod relation;
pub mod schema;
pub mod server;
pub mod stdio;
pub mod suggest;
