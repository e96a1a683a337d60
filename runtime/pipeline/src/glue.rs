//! The one door: all that generated code and the interpreter name of the runtime.

use crate::schema::Schema;
use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

pub use crate::config::{ConfigProblem, validate_connectors};
pub use feldc_engine::batch::map_rows;
pub use feldc_engine::{
    Aggregate, AggregateFunction, Batch, Bound, Bounds, Builder, Direction, Errors, Fraction, IndexId, Layout, Rank,
    Side, StreamId, Window, row,
};
pub use feldc_value::function::Signature;
pub use feldc_value::{
    self as value, Bytes, ColumnType, EvalError, IntervalUnit, Nested, Part, RowField, SqlError, SqlType, Statistic,
    Text, Value,
};

/// A program ready to run: its schema and the function that builds its circuit on each worker.
#[derive(Clone)]
pub struct Program {
    pub schema: Arc<Schema>,
    pub build: Arc<dyn Fn(&mut Builder) + Send + Sync>,
}

impl Program {
    /// The program of a generated crate; `schema_json` is what the compiler wrote beside the circuit.
    ///
    /// # Panics
    /// When `schema_json` is not a schema of this runtime's version, which no input to a pipeline can bring about.
    pub fn new(schema_json: &str, build: fn(&mut Builder)) -> Program {
        let schema: Schema = match serde_json::from_str(schema_json) {
            Ok(schema) => schema,
            Err(error) => panic!("schema.json was written by another version of feldc than this runtime's: {error}"),
        };
        Program { schema: Arc::new(schema), build: Arc::new(build) }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// The options that [`run`] takes, as lines of a help text.
pub fn options_help() -> String {
    crate::command::options_help()
}

/// The same as definitions, for the completion of words.
pub fn options() -> Vec<clap::Arg> {
    crate::command::options()
}

/// Is the word an option of [`run`] whose value is the next word (`--port`, `-p`)?
pub fn option_takes_value(word: &str) -> bool {
    crate::command::option_takes_value(word)
}

/// `main` of a pipeline binary: reads the arguments (the first is the name of the command, for messages), runs until
/// told to stop, returns the exit code: 0 done, 1 the pipeline failed, 2 wrong usage or configuration.
pub fn run(program: Program, arguments: &[String]) -> ExitCode {
    crate::command::run(program, arguments)
}
