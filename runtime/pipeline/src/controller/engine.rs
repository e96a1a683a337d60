//! The engine's thread: takes what waits, runs a step, hands the changes out.

use super::Shared;
use crate::format::render::{Columns, ERROR_VIEW};
use crate::format::{Parsed, Rejected, patch};
use crate::relation;
use crate::stdio::Printer;
use feldc_engine::{Batch, Builder, Runtime, StepInput, StepOutput, errors};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// What can be read from a pipeline: a view, or the view of evaluation errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    View(usize),
    Errors,
}

impl Relation {
    fn delta(self, output: &StepOutput) -> &Batch {
        match self {
            Relation::View(view) => &output.views[view],
            Relation::Errors => &output.errors,
        }
    }
}

/// A request that the engine answers between two steps.
pub enum Command {
    /// The contents of a relation; `None` when it is not kept.
    Contents(Relation, oneshot::Sender<Option<Batch>>),
    /// Sends the changes of a relation from now on, after its contents when `snapshot` asks for them.
    Attach { relation: Relation, snapshot: bool, backpressure: bool, to: mpsc::Sender<Update> },
}

/// What an attached reader gets.
pub enum Update {
    Snapshot(Batch),
    Step(Arc<StepOutput>),
}

struct Reader {
    relation: Relation,
    backpressure: bool,
    to: mpsc::Sender<Update>,
}

enum Work {
    Step(u64, Vec<(usize, Parsed)>),
    Command(Command),
    End,
}

/// How often a reader that keeps the engine waiting is looked at.
const READER_PAUSE: Duration = Duration::from_millis(1);

pub(super) struct Engine {
    shared: Arc<Shared>,
    until_complete: bool,
    readers: Vec<Reader>,
    /// The present evaluation errors: a row stays until its cause leaves.
    errors: BTreeMap<Box<[u8]>, i64>,
    print: Option<Print>,
}

struct Print {
    to: Box<dyn Write + Send>,
    views: Vec<Printer>,
    errors: Printer,
    out: String,
}

/// Marks the end even when the engine panics, so that nobody waits for it.
struct EndMark(Arc<Shared>);

impl Drop for EndMark {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        self.0.update(|state| state.commands.clear());
    }
}

impl Engine {
    pub fn new(shared: Arc<Shared>, until_complete: bool, print: Option<Box<dyn Write + Send>>) -> Engine {
        let views = &shared.schema.views;
        let print = print.map(|to| Print {
            to,
            views: views.iter().map(|view| Printer::new(&view.name, Columns::of_view(view))).collect(),
            errors: Printer::new(ERROR_VIEW, Columns::of_errors()),
            out: String::new(),
        });
        Engine { shared, until_complete, readers: Vec::new(), errors: BTreeMap::new(), print }
    }

    pub fn run(mut self, build: Arc<dyn Fn(&mut Builder) + Send + Sync>) {
        let _mark = EndMark(self.shared.clone());
        let mut runtime = Runtime::new(self.shared.workers, move |builder| build(builder));
        loop {
            let result = match self.next() {
                Work::Step(number, inputs) => {
                    let inputs = self.resolve(inputs, &runtime);
                    self.step(number, runtime.step(inputs))
                }
                Work::Command(command) => {
                    self.answer(command, &runtime);
                    Ok(())
                }
                Work::End => return,
            };
            if let Err(failure) = result {
                self.shared.update(|state| state.failure = Some(failure));
                return;
            }
        }
    }

    /// Waits for work. The first step runs at once, so that views over no input appear.
    fn next(&self) -> Work {
        let mut state = self.shared.lock();
        loop {
            if let Some(command) = state.commands.pop_front() {
                return Work::Command(command);
            }
            let may_step = !state.paused || state.draining;
            if may_step && (state.steps == 0 || state.has_rows()) {
                let inputs = state.take();
                state.steps += 1;
                let number = state.steps - 1;
                drop(state);
                self.shared.go.notify_all();
                self.shared.progress.notify_waiters();
                return Work::Step(number, inputs);
            }
            if state.draining || (self.until_complete && state.steps > 0 && state.inputs_done()) {
                return Work::End;
            }
            state = self.shared.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes rows of the updates of some columns; those of rows that are not there are dead letters.
    fn resolve(&self, mut inputs: Vec<(usize, Parsed)>, runtime: &Runtime) -> Vec<StepInput> {
        for (table, schema) in self.shared.schema.tables.iter().enumerate() {
            let mut parts: Vec<&mut Parsed> =
                inputs.iter_mut().filter(|(of, _)| *of == table).map(|(_, parsed)| parsed).collect();
            let present = |key: &[u8]| runtime.keyed_row(table, key);
            let absent = patch::resolve(&mut parts, &self.shared.layouts[table], schema.primary_key.len(), present);
            let reason = "the update names a key that is not there".to_owned();
            let rejected = Rejected { offset: 0, line: 0, bytes: Vec::new(), reason };
            self.shared.dead_letters.add(&schema.name, vec![rejected; absent]);
        }
        inputs.into_iter().map(|(table, parsed)| StepInput { table, rows: parsed.rows }).collect()
    }

    fn step(&mut self, number: u64, output: StepOutput) -> Result<(), String> {
        if self.shared.schema.fail_on_error && !output.errors.is_empty() {
            return Err(relation::first_error(&output.errors));
        }
        self.keep_errors(&output.errors);
        if let Some(print) = &mut self.print {
            print.step(&output).map_err(|error| format!("cannot write to standard output: {error}"))?;
        }
        let output = Arc::new(output);
        self.shared.outputs.iter().for_each(|queue| queue.push(number, &output));
        let readers = std::mem::take(&mut self.readers);
        self.readers = readers.into_iter().filter(|reader| self.offer(reader, &output)).collect();
        let error_rows = self.errors.values().sum();
        let completed = self.shared.completed_step();
        self.shared.update(|state| {
            state.finished_steps = number + 1;
            state.error_rows = error_rows;
            state.inputs.iter_mut().for_each(|input| input.forget(completed));
        });
        Ok(())
    }

    fn keep_errors(&mut self, delta: &Batch) {
        for (row, weight) in delta.iter() {
            let sum = self.errors.entry(row.into()).or_insert(0);
            *sum += weight;
            if *sum == 0 {
                self.errors.remove(row);
            }
        }
    }

    /// Sends a step to a reader; `false` when the reader has gone. Without backpressure a slow reader misses steps.
    fn offer(&self, reader: &Reader, output: &Arc<StepOutput>) -> bool {
        if reader.relation.delta(output).is_empty() {
            return !reader.to.is_closed();
        }
        loop {
            match reader.to.try_send(Update::Step(output.clone())) {
                Ok(()) => return true,
                Err(mpsc::error::TrySendError::Closed(_)) => return false,
                Err(mpsc::error::TrySendError::Full(_)) if !reader.backpressure || self.shared.is_draining() => {
                    return true;
                }
                Err(mpsc::error::TrySendError::Full(_)) => std::thread::sleep(READER_PAUSE),
            }
        }
    }

    fn answer(&mut self, command: Command, runtime: &Runtime) {
        match command {
            // A requester that has gone needs no answer.
            Command::Contents(relation, to) => drop(to.send(self.contents(relation, runtime))),
            Command::Attach { relation, snapshot, backpressure, to } => {
                if snapshot && let Some(contents) = self.contents(relation, runtime) {
                    drop(to.try_send(Update::Snapshot(contents)));
                }
                self.readers.push(Reader { relation, backpressure, to });
            }
        }
    }

    fn contents(&self, relation: Relation, runtime: &Runtime) -> Option<Batch> {
        match relation {
            Relation::View(view) => runtime.view(view),
            Relation::Errors => {
                let mut batch = Batch::new(errors::layout().stride());
                self.errors.iter().for_each(|(row, weight)| batch.push(row, *weight));
                Some(batch)
            }
        }
    }
}

impl Print {
    fn step(&mut self, output: &StepOutput) -> std::io::Result<()> {
        for (printer, delta) in self.views.iter_mut().zip(&output.views) {
            printer.print(delta, &mut self.out, &mut self.to)?;
        }
        self.errors.print(&output.errors, &mut self.out, &mut self.to)?;
        self.to.write_all(self.out.as_bytes())?;
        self.out.clear();
        self.to.flush()
    }
}

/// The changes of a relation in a step.
pub fn delta_of(relation: Relation, output: &StepOutput) -> &Batch {
    relation.delta(output)
}
