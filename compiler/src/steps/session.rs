//! A running program that takes one step at a time, with rows as values, and keeps what its views hold.

use super::piped::{Piped, through_pipe};
use super::{Change, Relation};
use feldc_engine::{Batch, Runtime, StepInput};
use feldc_pipeline::glue::Program;
use feldc_pipeline::relation::first_error;
use feldc_pipeline::schema::Schema;
use feldc_value::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// With several workers, small steps then run in one thread, larger ones in several, some from their middle on.
const ROWS_FOR_THREADS: usize = 5;

/// What does the steps.
enum Runner {
    InProcess(Box<Runtime>),
    Native(Piped),
}

/// The changed rows of a step: position in [`Session::views`], encoded row, weight.
pub(super) type Deltas = Vec<(usize, Vec<u8>, i64)>;

/// Why a step has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepFault {
    /// An evaluation failed under `SET on_error = 'fail'`: the program's own doing.
    Stopped(String),
    /// The rows or the pipeline are not what they should be.
    Broken(String),
}

impl fmt::Display for StepFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepFault::Stopped(reason) => write!(f, "the program stopped: {reason}"),
            StepFault::Broken(reason) => f.write_str(reason),
        }
    }
}

pub struct Session {
    runner: Runner,
    tables: Vec<Relation>,
    /// The views, then the view of errors.
    views: Vec<Relation>,
    /// What each of `views` holds, by encoded row; a negative weight is kept to be seen.
    contents: Vec<BTreeMap<Vec<u8>, i64>>,
    fail_on_error: bool,
    stopped: Option<StepFault>,
}

impl Session {
    /// A program that runs in this process.
    pub fn new(program: &Program, workers: usize) -> Session {
        let build = program.build.clone();
        let runtime = Runtime::new(workers, move |builder| build(builder)).rows_for_threads(ROWS_FOR_THREADS);
        Session::of(&program.schema, Runner::InProcess(Box::new(runtime)))
    }

    /// A pipeline binary, talked to over pipes.
    ///
    /// # Errors
    /// When it does not start.
    pub fn native(schema: &Schema, binary: &Path, workers: usize) -> Result<Session, String> {
        Ok(Session::of(schema, Runner::Native(Piped::start(schema, binary, workers)?)))
    }

    fn of(schema: &Schema, runner: Runner) -> Session {
        let views: Vec<Relation> = schema.views.iter().map(Relation::of_view).chain([Relation::of_errors()]).collect();
        Session {
            runner,
            tables: schema.tables.iter().map(Relation::of_table).collect(),
            contents: vec![BTreeMap::new(); views.len()],
            views,
            fail_on_error: schema.fail_on_error,
            stopped: None,
        }
    }

    pub fn tables(&self) -> &[Relation] {
        &self.tables
    }

    /// The views, then the view of errors.
    pub fn views(&self) -> &[Relation] {
        &self.views
    }

    /// A row as the views of this session would have it, which a pipe makes plainer.
    pub fn as_given(&self, relation: &Relation, row: Vec<u8>) -> Vec<u8> {
        match &self.runner {
            Runner::InProcess(_) => row,
            Runner::Native(_) => through_pipe(relation, &row),
        }
    }

    /// One step with these rows; the views' deltas, in view order, rows sorted; then the errors'.
    ///
    /// # Errors
    /// When the program stops or has stopped, a row is of no table, or the native pipeline does not answer.
    pub fn step(&mut self, changes: &[Change]) -> Result<Vec<Change>, StepFault> {
        if let Some(stopped) = &self.stopped {
            return Err(stopped.clone());
        }
        let inputs = self.inputs(changes).map_err(StepFault::Broken)?;
        let deltas = match &mut self.runner {
            Runner::InProcess(runtime) => step_in_process(runtime, inputs, self.fail_on_error),
            Runner::Native(piped) => piped.step(&inputs),
        };
        let deltas = deltas.inspect_err(|fault| self.stopped = Some(fault.clone()))?;
        let change = |(view, row, weight): (usize, Vec<u8>, i64)| {
            add(&mut self.contents[view], &row, weight);
            let relation = &self.views[view];
            Change { relation: relation.name.clone(), row: relation.decode(&row), weight }
        };
        Ok(deltas.into_iter().map(change).collect())
    }

    /// Sets the clock of the next step, in microseconds since 1970.
    ///
    /// # Errors
    /// When the program does not read it.
    pub fn set_time(&mut self, _micros: i64) -> Result<(), String> {
        // The dialect has no NOW() yet, so no program does.
        Err("the program does not read the clock (it has no NOW()), so a step has no time; write `step`".into())
    }

    /// Batches of rows that stand next to each other for one table, in event order.
    fn inputs(&self, changes: &[Change]) -> Result<Vec<StepInput>, String> {
        let mut inputs: Vec<StepInput> = Vec::new();
        for change in changes {
            let table = self.tables.iter().position(|table| table.name == change.relation);
            let table = table.ok_or_else(|| format!("no table {}", change.relation))?;
            let relation = &self.tables[table];
            if inputs.last().is_none_or(|input| input.table != table) {
                inputs.push(StepInput { table, rows: Batch::new(relation.layout.stride()) });
            }
            if let Some(input) = inputs.last_mut() {
                input.rows.buffer().extend_from_slice(&relation.encode(&change.row));
                input.rows.commit(change.weight);
            }
        }
        Ok(inputs)
    }

    /// What one of [`Session::views`] holds: the sum of its deltas.
    pub fn contents(&self, view: usize) -> Vec<(Vec<Value>, i64)> {
        self.contents[view].iter().map(|(row, &weight)| (self.views[view].decode(row), weight)).collect()
    }

    /// The same as the engine's bytes.
    pub fn encoded(&self, view: usize) -> &BTreeMap<Vec<u8>, i64> {
        &self.contents[view]
    }

    /// The contents of a view by its name.
    ///
    /// # Panics
    /// When the program has no such view.
    pub fn view(&self, name: &str) -> Vec<(Vec<Value>, i64)> {
        let found = self.views.iter().position(|view| view.name == name);
        self.contents(found.unwrap_or_else(|| panic!("no view {name}")))
    }

    /// The error view: (relation, message, metadata) with weights.
    pub fn errors(&self) -> Vec<(Vec<Value>, i64)> {
        self.contents(self.views.len() - 1)
    }
}

fn step_in_process(runtime: &mut Runtime, inputs: Vec<StepInput>, fail_on_error: bool) -> Result<Deltas, StepFault> {
    let output = runtime.step(inputs);
    if fail_on_error && !output.errors.is_empty() {
        return Err(StepFault::Stopped(first_error(&output.errors)));
    }
    let batches = output.views.iter().chain([&output.errors]).enumerate();
    let changes = batches.flat_map(|(view, batch)| batch.iter().map(move |(row, weight)| (view, row.to_vec(), weight)));
    Ok(changes.collect())
}

pub(super) fn add(contents: &mut BTreeMap<Vec<u8>, i64>, row: &[u8], weight: i64) {
    let sum = contents.entry(row.to_vec()).or_insert(0);
    *sum += weight;
    if *sum == 0 {
        contents.remove(row);
    }
}

#[cfg(test)]
pub(in crate::steps) mod tests {
    use super::*;

    /// A session of a program's text, with one worker.
    pub fn session(sql: &str) -> Session {
        let compiled = crate::driver::compile("program.sql", sql).unwrap_or_else(|message| panic!("{message}"));
        Session::new(&compiled.interpreted(), 1)
    }

    fn change(relation: &str, value: i64, weight: i64) -> Change {
        Change { relation: relation.into(), row: vec![Value::BigInt(value)], weight }
    }

    #[test]
    fn deltas_add_up_to_contents() {
        let mut session = session("CREATE TABLE t (a BIGINT); CREATE VIEW v AS SELECT a + 1 AS b FROM t;");
        assert_eq!(session.step(&[change("t", 1, 2)]).unwrap(), [change("v", 2, 2)]);
        assert_eq!(session.step(&[change("t", 1, -1)]).unwrap(), [change("v", 2, -1)]);
        assert_eq!(session.view("v"), [(vec![Value::BigInt(2)], 1)]);
        assert!(session.step(&[change("s", 1, 1)]).is_err());
    }

    #[test]
    fn a_program_that_fails_on_errors_stops() {
        let sql = "SET on_error = 'fail'; CREATE TABLE t (a BIGINT); CREATE VIEW v AS SELECT 1 / a AS b FROM t;";
        let mut session = session(sql);
        for _ in 0..2 {
            let fault = session.step(&[change("t", 0, 1), change("t", 1, 1)]).unwrap_err();
            assert!(matches!(&fault, StepFault::Stopped(reason) if reason.starts_with("division by zero")), "{fault}");
        }
    }
}
