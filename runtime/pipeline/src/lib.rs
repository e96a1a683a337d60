//! Everything between the engine and the world: connectors, formats, the controller, the HTTP server.
//!
//! [`glue`] is the one door for generated code and for the compiler's interpreter.

pub mod glue;
pub mod schema;
