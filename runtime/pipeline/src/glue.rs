//! The one door: all that generated code and the interpreter name of the runtime.

use crate::schema::Schema;
use std::process::ExitCode;
use std::sync::Arc;

pub use feldc_engine::{Aggregate, AggregateFunction, Batch, Builder, Errors, IndexId, Layout, Side, StreamId};

/// A program ready to run: its schema and the function that builds its circuit on each worker.
#[derive(Clone)]
pub struct Program {
    pub schema: Arc<Schema>,
    pub build: Arc<dyn Fn(&mut Builder) + Send + Sync>,
}

/// `main` of a pipeline binary: reads the process's arguments, runs until told to stop, returns the exit code.
pub fn run(_program: Program, _arguments: &[String]) -> ExitCode {
    todo!()
}
