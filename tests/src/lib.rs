//! What the suites share: a session that steps a program in this process, step scripts, random change streams.

pub mod process;
pub mod script;
pub mod session;
pub mod stream;

pub use session::{Change, Session};
