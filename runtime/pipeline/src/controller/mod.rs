//! The controller: from the queues of the inputs through steps of the engine to the queues of the outputs.
//!
//! The engine runs on a thread of its own and meets the rest only at queues: no async code, no socket and no file is
//! between two steps. Each connector has its thread; the HTTP server talks to [`Shared`].

pub mod dead_letters;
mod engine;
pub mod inputs;
pub mod outputs;
pub mod stats;

use crate::config::Connectors;
use crate::config::{InputFormat, OutputFormat};
use crate::connector::{FilesInUse, Input, Opening, Output};
use crate::format::{self, Encoder, Parser, csv_input::CsvParser, json_input::JsonParser};
use crate::format::{csv_output::CsvEncoder, json_output::JsonEncoder};
use crate::glue::Program;
use crate::relation;
use crate::schema::{Schema, Table};
use dead_letters::DeadLetters;
use engine::Engine;
pub use engine::{Command, Relation, Update, delta_of};
use feldc_engine::Layout;
use inputs::{InputState, State};
use outputs::OutputQueue;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;

/// What connectors, server and engine share.
pub struct Shared {
    pub schema: Arc<Schema>,
    pub workers: usize,
    /// How the rows of each table lie in their bytes.
    layouts: Vec<Layout>,
    state: Mutex<State>,
    /// Signalled when there may be work for the engine.
    work: Condvar,
    /// Signalled when a source may go on: room, start, stop.
    go: Condvar,
    /// The same, and progress, for async waiters.
    pub progress: Notify,
    pub outputs: Vec<Arc<OutputQueue>>,
    pub dead_letters: DeadLetters,
    /// Tells one life of the pipeline from another.
    pub incarnation: String,
    pub started: Instant,
    pub started_secs: u64,
    /// The engine has gone; nothing more will happen.
    pub over: AtomicBool,
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves counters at worst one chunk off.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `change` on the state and wakes everyone whom it may concern.
    pub fn update<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.work.notify_all();
        self.go.notify_all();
        self.progress.notify_waiters();
        result
    }

    /// The last step whose changes every output has delivered.
    pub fn completed_step(&self) -> Option<u64> {
        let initiated = self.lock().finished_steps.checked_sub(1);
        let outputs = self.outputs.iter().map(|output| output.completed());
        outputs.fold(initiated, |least, completed| least.min(completed))
    }

    /// Every finite input has ended, all its rows went through a step, and all outputs have the changes.
    pub fn is_complete(&self) -> bool {
        let steps = {
            let state = self.lock();
            if !state.inputs_done() || state.finished_steps == 0 || state.steps != state.finished_steps {
                return false;
            }
            state.finished_steps
        };
        self.outputs.iter().all(|output| output.completed() >= Some(steps - 1))
    }

    /// Asks for an orderly end: no more input is read, what is queued is processed and delivered.
    pub fn drain(&self) {
        self.update(|state| state.draining = true);
    }

    pub fn is_draining(&self) -> bool {
        self.lock().draining || self.over.load(Ordering::Acquire)
    }
}

/// How the controller is to be run.
pub struct Options<'a> {
    pub workers: usize,
    pub base: &'a Path,
    /// End when every finite input is processed.
    pub until_complete: bool,
    /// Also write all changes here, as the lines of `--stdio`.
    pub print: Option<Box<dyn std::io::Write + Send>>,
}

/// A running pipeline.
pub struct Controller {
    pub shared: Arc<Shared>,
    engine: JoinHandle<()>,
    sources: Vec<JoinHandle<()>>,
    sinks: Vec<JoinHandle<()>>,
}

impl Controller {
    /// Opens all connectors and starts.
    ///
    /// # Errors
    /// When a connector cannot be opened or a thread cannot be started; nothing runs then.
    pub fn start(program: &Program, connectors: Connectors, options: Options<'_>) -> Result<Controller, String> {
        let schema = program.schema.clone();
        let files = FilesInUse::default();
        let inputs = open_inputs(&schema, &connectors, options.base, &files)?;
        let outputs = open_outputs(&schema, &connectors, options.base, &files)?;
        let queues = connectors.outputs.iter().map(|output| {
            let limit = output.queued_records;
            Arc::new(OutputQueue::new(output.endpoint.clone(), output.view, limit, output.shown.clone()))
        });
        let mut states: Vec<InputState> = connectors.inputs.iter().map(InputState::of_connector).collect();
        states.extend(schema.tables.iter().enumerate().map(|(table, schema)| InputState::of_http(table, &schema.name)));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let shared = Arc::new(Shared {
            workers: options.workers,
            layouts: schema.tables.iter().map(relation::table_layout).collect(),
            state: Mutex::new(State::new(states, options.workers as u64, connectors.inputs.len())),
            work: Condvar::new(),
            go: Condvar::new(),
            progress: Notify::new(),
            outputs: queues.collect(),
            dead_letters: DeadLetters::default(),
            incarnation: format!("{:x}-{:x}", now.as_nanos(), std::process::id()),
            started: Instant::now(),
            started_secs: now.as_secs(),
            over: AtomicBool::new(false),
            schema,
        });
        let engine = Engine::new(shared.clone(), options.until_complete, options.print);
        let build = program.build.clone();
        let engine = spawn("engine", move || engine.run(build))?;
        let mut sources = Vec::new();
        for (index, (input, parser)) in inputs.into_iter().enumerate() {
            let shared = shared.clone();
            sources.push(spawn("input", move || inputs::drive(&shared, index, input, parser))?);
        }
        let mut sinks = Vec::new();
        for (queue, (output, encoder)) in shared.outputs.iter().cloned().zip(outputs) {
            let shared = shared.clone();
            sinks.push(spawn("output", move || outputs::drive(&shared, &queue, output, encoder))?);
        }
        Ok(Controller { shared, engine, sources, sinks })
    }

    /// Waits until the pipeline has ended by itself, by [`Shared::drain`] or by a failure.
    ///
    /// # Errors
    /// Why it failed; connectors that failed count when the pipeline was to run until complete.
    pub fn wait(self) -> Result<(), String> {
        let engine = self.engine.join();
        self.shared.over.store(true, Ordering::Release);
        self.shared.update(|state| state.draining = true);
        self.shared.outputs.iter().for_each(|output| output.close());
        let threads = self.sources.into_iter().chain(self.sinks);
        let panicked = threads.map(JoinHandle::join).filter(Result::is_err).count();
        self.shared.progress.notify_waiters();
        if let Some(failure) = self.shared.lock().failure.clone() {
            return Err(failure);
        }
        if engine.is_err() || panicked > 0 {
            return Err("internal error: a thread of the pipeline panicked (see above)".to_owned());
        }
        let failed = self.shared.lock().inputs.iter().find_map(|input| input.failure.clone());
        let failed = failed.or_else(|| self.shared.outputs.iter().find_map(|output| output.failure()));
        failed.map_or(Ok(()), Err)
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, String> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(body).map_err(|error| format!("cannot start a thread for the {name}: {error}"))
}

type Source = (Box<dyn Input>, Option<Box<dyn Parser>>);
type Sink = (Box<dyn Output>, Option<Box<dyn Encoder>>);

fn open_inputs(
    schema: &Schema,
    connectors: &Connectors,
    base: &Path,
    files: &FilesInUse,
) -> Result<Vec<Source>, String> {
    let open = |input: &crate::config::InputConnector| {
        let opening = Opening { config: &input.config, shown: &input.shown, base, files };
        let opened = (input.transport.open)(opening).map_err(|error| format!("input {:?}: {error}", input.endpoint))?;
        Ok((opened, input.format.as_ref().map(|format| parser(&schema.tables[input.table], format))))
    };
    connectors.inputs.iter().map(open).collect()
}

fn open_outputs(
    schema: &Schema,
    connectors: &Connectors,
    base: &Path,
    files: &FilesInUse,
) -> Result<Vec<Sink>, String> {
    let open = |output: &crate::config::OutputConnector| {
        let opening = Opening { config: &output.config, shown: &output.shown, base, files };
        let opened =
            (output.transport.open)(opening).map_err(|error| format!("output {:?}: {error}", output.endpoint))?;
        let columns = format::render::Columns::of_view(&schema.views[output.view]);
        Ok((opened, output.format.as_ref().map(|format| encoder(columns, format))))
    };
    connectors.outputs.iter().map(open).collect()
}

/// A parser for rows of `table`.
pub fn parser(table: &Table, format: &InputFormat) -> Box<dyn Parser> {
    match format {
        InputFormat::Json(settings) => Box::new(JsonParser::new(table, *settings)),
        InputFormat::Csv(settings) => Box::new(CsvParser::new(table, settings.clone())),
    }
}

/// An encoder for rows of these columns.
pub fn encoder(columns: format::render::Columns, format: &OutputFormat) -> Box<dyn Encoder> {
    match format {
        OutputFormat::Json { array, buffer_size_records } => {
            Box::new(JsonEncoder::new(columns, *array, *buffer_size_records))
        }
        OutputFormat::Csv { delimiter } => Box::new(CsvEncoder::new(columns, *delimiter)),
    }
}
