//! The inputs' side: queues bounded in rows and bytes, the state of each connector, and the thread that drives it.

use super::Shared;
use super::engine::Command;
use crate::config::{InputConnector, Limits};
use crate::connector::{Input, Read};
use crate::format::{Parsed, Parser, Rejected};
use feldc_engine::Batch;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// How long a source without news sleeps before it is asked again.
const IDLE: Duration = Duration::from_millis(20);

/// So many messages of a connector are kept for `/stats`.
const MESSAGES_MAX: usize = 100;

/// Rows of one read, waiting for a step.
struct Chunk {
    parsed: Parsed,
    bytes: u64,
}

impl Chunk {
    fn records(&self) -> u64 {
        (self.parsed.rows.len() + self.parsed.patches.len()) as u64
    }
}

/// One input: a connector of the program, or the HTTP ingress of a table.
pub struct InputState {
    pub endpoint: String,
    pub table: usize,
    pub limits: Limits,
    pub labels: Vec<String>,
    start_after: Vec<String>,
    pub paused: bool,
    pub max_errors: Option<u64>,
    pub config: Value,
    queue: VecDeque<Chunk>,
    pub buffered_records: u64,
    pub buffered_bytes: u64,
    pub total_records: u64,
    pub total_bytes: u64,
    pub parse_errors: u64,
    pub messages: VecDeque<Rejected>,
    pub end_of_input: bool,
    pub failure: Option<String>,
    /// Where the connector is in its source.
    pub position: Value,
    /// Total of records that went into steps.
    pub taken: u64,
    /// After which step how many records had been taken, since the last completed step.
    history: VecDeque<(u64, u64)>,
}

impl InputState {
    pub fn of_connector(connector: &InputConnector) -> InputState {
        InputState {
            labels: connector.labels.clone(),
            start_after: connector.start_after.clone(),
            paused: connector.paused || !connector.start_after.is_empty(),
            max_errors: connector.max_errors,
            config: connector.shown.clone(),
            ..InputState::new(connector.endpoint.clone(), connector.table, connector.limits)
        }
    }

    pub fn of_http(table: usize, name: &str) -> InputState {
        InputState::new(format!("{name}.http-ingress"), table, Limits::default())
    }

    fn new(endpoint: String, table: usize, limits: Limits) -> InputState {
        InputState {
            endpoint,
            table,
            limits,
            labels: Vec::new(),
            start_after: Vec::new(),
            paused: false,
            max_errors: None,
            config: Value::Null,
            queue: VecDeque::new(),
            buffered_records: 0,
            buffered_bytes: 0,
            total_records: 0,
            total_bytes: 0,
            parse_errors: 0,
            messages: VecDeque::new(),
            end_of_input: false,
            failure: None,
            position: Value::Null,
            taken: 0,
            history: VecDeque::new(),
        }
    }

    pub fn is_full(&self) -> bool {
        self.buffered_records >= self.limits.queued_records || self.buffered_bytes >= self.limits.queued_bytes
    }

    pub fn is_over(&self) -> bool {
        self.end_of_input || self.failure.is_some()
    }

    /// The state of the connector as the contract draws it.
    pub fn status(&self) -> &'static str {
        match self {
            _ if self.failure.is_some() => "Failed",
            _ if self.end_of_input => "Ended",
            _ if self.paused => "Paused",
            _ if self.is_full() => "Backpressured",
            _ => "Running",
        }
    }

    /// Of completed steps only the last matters: older records were completed before.
    pub fn forget(&mut self, completed: Option<u64>) {
        while self.history.get(1).is_some_and(|(step, _)| Some(*step) <= completed) {
            self.history.pop_front();
        }
    }

    /// Records taken by steps up to `completed`.
    pub fn taken_until(&self, completed: Option<u64>) -> u64 {
        let before = self.history.iter().take_while(|(step, _)| Some(*step) <= completed).last();
        before.map_or(0, |(_, taken)| *taken)
    }

    fn enqueue(&mut self, chunk: Chunk) {
        let records = chunk.records();
        if records == 0 {
            return;
        }
        self.buffered_records += records;
        self.buffered_bytes += chunk.bytes;
        self.total_records += records;
        self.queue.push_back(chunk);
    }

    fn reject(&mut self, rejected: &[Rejected]) {
        self.parse_errors += rejected.len() as u64;
        for rejected in rejected {
            self.messages.push_back(rejected.clone());
            if self.messages.len() > MESSAGES_MAX {
                self.messages.pop_front();
            }
        }
        let Some(limit) = self.max_errors.filter(|limit| self.parse_errors > *limit) else { return };
        if let Some(last) = rejected.last() {
            let place = format!("at byte {}, line {}", last.offset, last.line);
            let endpoint = &self.endpoint;
            self.failure = Some(match limit {
                0 => format!(
                    "input {endpoint:?}: {} ({place}); \"on_error\" is \"stop\" or \"max_errors\" 0",
                    last.reason
                ),
                _ => {
                    format!("input {endpoint:?}: more than {limit} rejected records, the last {place}: {}", last.reason)
                }
            });
        }
    }
}

/// Everything behind the controller's one lock.
pub struct State {
    /// The pipeline as a whole is paused: no steps.
    pub paused: bool,
    pub draining: bool,
    pub failure: Option<String>,
    /// The connectors of the program, then the ingress of each table.
    pub inputs: Vec<InputState>,
    connectors: usize,
    workers: u64,
    /// Steps begun and steps whose changes were handed to the outputs.
    pub steps: u64,
    pub finished_steps: u64,
    pub processed_records: u64,
    pub processed_bytes: u64,
    pub error_rows: i64,
    pub(crate) commands: VecDeque<Command>,
}

impl State {
    pub fn new(inputs: Vec<InputState>, workers: u64, connectors: usize) -> State {
        State {
            paused: false,
            draining: false,
            failure: None,
            inputs,
            connectors,
            workers,
            steps: 0,
            finished_steps: 0,
            processed_records: 0,
            processed_bytes: 0,
            error_rows: 0,
            commands: VecDeque::new(),
        }
    }

    /// The position of a table's HTTP ingress among the inputs.
    pub fn ingress(&self, table: usize) -> usize {
        self.connectors + table
    }

    /// The connectors of the program, without HTTP.
    pub fn connectors(&self) -> &[InputState] {
        &self.inputs[..self.connectors]
    }

    /// Every connector has ended or failed, and nothing is queued anywhere.
    pub fn inputs_done(&self) -> bool {
        self.connectors().iter().all(InputState::is_over) && !self.has_rows()
    }

    pub fn has_rows(&self) -> bool {
        self.inputs.iter().any(|input| !input.queue.is_empty())
    }

    /// Takes the rows of the next step: whole chunks of every input up to its limit, in their order.
    pub(super) fn take(&mut self) -> Vec<(usize, Parsed)> {
        let mut step = Vec::new();
        let number = self.steps;
        for input in &mut self.inputs {
            let limits = input.limits;
            let most = limits.batch_records.unwrap_or(limits.worker_batch_records.saturating_mul(self.workers));
            let mut count = 0;
            while let Some(chunk) = input.queue.front() {
                let rows = chunk.records();
                if count > 0 && count + rows > most {
                    break;
                }
                count += rows;
                input.buffered_records -= rows;
                input.buffered_bytes -= chunk.bytes;
                self.processed_records += rows;
                self.processed_bytes += chunk.bytes;
                step.extend(input.queue.pop_front().map(|chunk| (input.table, chunk.parsed)));
            }
            if count > 0 {
                input.taken += count;
                input.history.push_back((number, input.taken));
            }
        }
        step
    }

    /// The step that took the record with this number (from 1) of an input; `None` while it is queued.
    pub fn step_of(&mut self, input: usize, record: u64, completed: Option<u64>) -> Option<u64> {
        let input = &mut self.inputs[input];
        input.forget(completed);
        if record > input.taken {
            return None;
        }
        let found = input.history.iter().find(|(_, taken)| *taken >= record);
        Some(found.map_or(0, |(step, _)| *step))
    }

    /// Starts the connectors whose `start_after` labels are all at their end.
    fn start_waiting(&mut self) {
        for index in 0..self.connectors {
            let waits_for = std::mem::take(&mut self.inputs[index].start_after);
            let labelled = |input: &InputState| input.labels.iter().any(|label| waits_for.contains(label));
            let ready = self.connectors().iter().filter(|input| labelled(input)).all(|input| input.end_of_input);
            match ready && !waits_for.is_empty() {
                true => self.inputs[index].paused = false,
                false => self.inputs[index].start_after = waits_for,
            }
        }
    }
}

impl Shared {
    /// Queues what a parser made of `bytes` bytes of input `index`.
    pub fn push(&self, index: usize, parsed: &mut Parsed, bytes: u64) {
        let rejected = std::mem::take(&mut parsed.rejected);
        let whole = std::mem::take(parsed);
        let (endpoint, stride) = self.update(|state| {
            let workers = state.workers;
            let input = &mut state.inputs[index];
            input.total_bytes += bytes;
            input.reject(&rejected);
            let limits = input.limits;
            let most = limits.batch_records.unwrap_or(limits.worker_batch_records.saturating_mul(workers));
            let stride = self.layouts[input.table].stride();
            split(whole, most, stride, bytes).for_each(|chunk| input.enqueue(chunk));
            (input.endpoint.clone(), stride)
        });
        parsed.rows = Batch::new(stride);
        self.dead_letters.add(&endpoint, rejected);
    }

    /// An empty target for the parser of a table.
    pub fn parsed(&self, table: usize) -> Parsed {
        Parsed { rows: Batch::new(self.layouts[table].stride()), ..Parsed::default() }
    }

    /// Waits until the source may read on; `false` when it must not any more.
    fn may_read(&self, index: usize) -> bool {
        let mut state = self.lock();
        loop {
            let input = &state.inputs[index];
            if state.draining || input.failure.is_some() {
                return false;
            }
            if !state.paused && !input.paused && !input.is_full() {
                return true;
            }
            state = self.go.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    fn rest(&self) {
        let state = self.lock();
        drop(self.go.wait_timeout(state, IDLE));
    }
}

/// Rows in pieces of at most `most` rows; mostly that is one piece. Rows with patches between them stay together.
fn split(parsed: Parsed, most: u64, stride: Option<usize>, bytes: u64) -> impl Iterator<Item = Chunk> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if parsed.rows.len() <= most || !parsed.patches.is_empty() {
        return vec![Chunk { parsed, bytes }].into_iter();
    }
    let rows = parsed.rows;
    let each = bytes / rows.len().div_ceil(most) as u64;
    let mut pieces: Vec<Chunk> = Vec::new();
    for (index, (row, weight)) in rows.iter().enumerate() {
        if index % most == 0 {
            let parsed = Parsed { rows: Batch::new(stride), ..Parsed::default() };
            pieces.push(Chunk { parsed, bytes: each });
        }
        if let Some(piece) = pieces.last_mut() {
            piece.parsed.rows.push(row, weight);
        }
    }
    pieces.into_iter()
}

/// The thread of one input connector, from start to end.
pub(super) fn drive(shared: &Shared, index: usize, mut input: Box<dyn Input>, parser: Option<Box<dyn Parser>>) {
    let mut parser = parser;
    let mut parsed = shared.parsed(shared.lock().inputs[index].table);
    let mut buffer = Vec::new();
    while shared.may_read(index) {
        buffer.clear();
        let read = input.read(&mut buffer);
        match (&read, &mut parser) {
            (Ok(Read::Bytes), Some(parser)) => parser.parse(&buffer, &mut parsed),
            (Ok(Read::End), Some(parser)) => parser.finish(&mut parsed),
            _ => (),
        }
        shared.push(index, &mut parsed, buffer.len() as u64);
        let position = input.position();
        let over = shared.update(|state| {
            let input = &mut state.inputs[index];
            input.position = position;
            match read {
                Ok(Read::End) if input.failure.is_none() => input.end_of_input = true,
                Ok(_) => (),
                Err(ref reason) => input.failure = Some(format!("input {:?}: {reason}", input.endpoint)),
            }
            let over = input.is_over();
            state.start_waiting();
            over
        });
        if over {
            break;
        }
        if read == Ok(Read::Idle) {
            shared.rest();
        }
    }
    if let Some(failure) = &shared.lock().inputs[index].failure {
        crate::log::say(crate::log::Level::Error, format_args!("{failure}"));
    }
}
