//! The contract of connectors, and the list of those built in.
//!
//! A transport moves bytes; a format makes rows of them (`crate::format`). Each connector is one small state machine,
//! driven by `crate::controller`:
//!
//! ```text
//!              start                    queue full
//!   Created ----------> Running <-----------------------> Backpressured
//!      |                 |  ^  |       queue has room
//!      | paused,    pause|  |  | end of input
//!      | start_after     v  |  +--------------------> Ended
//!      +--------------> Paused
//!                          (from any state) error --> Failed
//! ```
//!
//! An input has a position, the place behind the last byte it gave out. It is saved with the checkpoint that holds the
//! rows of those bytes, and [`Input::seek`] returns there. Guarantees: `file_input` is exactly-once when its file is not
//! rewritten; `file_output` starts its file anew at every start, so it holds each change of one run exactly once.

pub mod file_input;
pub mod file_output;
pub mod trivial;

use crate::config::Section;
use serde_json::Value;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// What an input gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Bytes were appended.
    Bytes,
    /// Nothing yet; ask again in a while.
    Idle,
    /// Nothing, now or later.
    End,
}

/// A source of bytes, read from a thread of its own.
pub trait Input: Send {
    /// Appends the next bytes to `buffer`. May block for a short time only, so that pause and stop are heard.
    ///
    /// # Errors
    /// Names the source and what was wanted from it; the connector is then Failed.
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<Read, String>;

    /// The place behind the last byte given out.
    fn position(&self) -> Value;

    /// Goes to a place that [`Input::position`] gave.
    ///
    /// # Errors
    /// When the source no longer has that place.
    fn seek(&mut self, position: &Value) -> Result<(), String>;
}

/// A sink of bytes, written from a thread of its own.
pub trait Output: Send {
    /// Writes the encoded changes of one step.
    ///
    /// # Errors
    /// Names the sink; the connector is then Failed and takes no more.
    fn write(&mut self, bytes: &[u8]) -> Result<(), String>;

    /// All that was written is now delivered.
    ///
    /// # Errors
    /// As for [`Output::write`].
    fn flush(&mut self) -> Result<(), String>;
}

/// What a transport gets to open itself.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// `transport.config` with references resolved: not for messages.
    pub config: &'a Value,
    /// The same as written, for messages.
    pub shown: &'a Value,
    /// Relative paths start here.
    pub base: &'a Path,
    pub files: &'a FilesInUse,
}

impl Opening<'_> {
    /// For messages: where a relative path starts.
    fn within(&self, shown: &str) -> String {
        match Path::new(shown).is_absolute() || self.base == Path::new(".") {
            true => String::new(),
            false => format!(" in {:?}", self.base),
        }
    }
}

/// The files that the connectors of one run have opened; inputs are opened before outputs.
#[derive(Debug, Default)]
pub struct FilesInUse(RefCell<Vec<PathBuf>>);

impl FilesInUse {
    /// Notes an open file; was it in use before? Links are followed; devices and pipes may be shared.
    pub fn note(&self, path: &Path) -> bool {
        match path.canonicalize() {
            Ok(path) if path.is_file() => {
                let mut paths = self.0.borrow_mut();
                let used = paths.contains(&path);
                paths.push(path);
                used
            }
            _ => false,
        }
    }
}

/// An input transport: its name, the keys of its `config`, and how to open it.
#[derive(Debug)]
pub struct InputTransport {
    pub name: &'static str,
    pub keys: &'static [&'static str],
    pub required: &'static [&'static str],
    pub needs_format: bool,
    /// Checks the values of `config`.
    pub check: fn(&mut Section<'_, '_>),
    pub open: fn(Opening<'_>) -> Result<Box<dyn Input>, String>,
}

/// An output transport.
#[derive(Debug)]
pub struct OutputTransport {
    pub name: &'static str,
    pub keys: &'static [&'static str],
    pub required: &'static [&'static str],
    pub needs_format: bool,
    pub check: fn(&mut Section<'_, '_>),
    pub open: fn(Opening<'_>) -> Result<Box<dyn Output>, String>,
}

pub const INPUTS: &[InputTransport] = &[file_input::TRANSPORT, trivial::EMPTY_INPUT];

pub const OUTPUTS: &[OutputTransport] = &[file_output::TRANSPORT, trivial::NULL_OUTPUT];

/// Transports that existing programs name and that are yet to come.
pub const LATER: &[&str] = &[
    "kafka_input",
    "kafka_output",
    "s2_input",
    "s2_output",
    "url_input",
    "s3_input",
    "postgres_input",
    "postgres_cdc_input",
    "postgres_output",
    "delta_table_input",
    "delta_table_output",
    "iceberg_input",
    "pub_sub_input",
    "nats_input",
    "redis_output",
    "dynamodb_output",
    "datagen",
    "nexmark",
];
