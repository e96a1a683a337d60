//! Messages to the person who runs the pipeline, on standard error.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// How much is said: each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// What failed.
    Error,
    /// What may surprise.
    Warn,
    /// Where the server listens, how the pipeline ends.
    Info,
    /// Every request and connector event.
    Debug,
}

static LEVEL: AtomicU8 = AtomicU8::new(Level::Info as u8);

/// Sets what is said from now on.
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Says one line.
pub fn say(level: Level, message: fmt::Arguments<'_>) {
    if level as u8 <= LEVEL.load(Ordering::Relaxed) {
        use std::io::Write;
        // Nobody may be listening; that is no reason to fail.
        let _ = writeln!(std::io::stderr().lock(), "feldc: {message}");
    }
}
