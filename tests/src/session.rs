//! Runs a compiled program in this process, one step at a time, with rows as values.

use feldc::driver::{self, Compiled};
use feldc_engine::{Batch, Layout, Runtime, StepInput};
use feldc_pipeline::relation;
use feldc_pipeline::schema::Schema;
use feldc_value::Value;
use std::collections::BTreeMap;

/// One row of one relation, in SQL column order, with a weight: for a table what comes in, for a view what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub relation: String,
    pub row: Vec<Value>,
    pub weight: i64,
}

/// With several workers, small steps then run in one thread, larger ones in several, some from their middle on.
const ROWS_FOR_THREADS: usize = 5;

pub struct Session {
    pub compiled: Compiled,
    pub schema: Schema,
    runtime: Runtime,
    tables: Vec<Layout>,
    views: Vec<Layout>,
    /// The contents of each view and of `error_view` so far, by encoded row; a negative weight is kept to be seen.
    contents: Vec<BTreeMap<Vec<u8>, i64>>,
}

/// Values in physical order from values in SQL order.
fn permute(row: &[Value], physical: &[usize]) -> Vec<Value> {
    physical.iter().map(|&position| row[position].clone()).collect()
}

fn restore(values: Vec<Value>, physical: &[usize]) -> Vec<Value> {
    let mut row = vec![Value::Null; values.len()];
    for (value, &position) in values.into_iter().zip(physical) {
        row[position] = value;
    }
    row
}

impl Session {
    /// # Errors
    /// The rendered diagnostics of a program that does not compile.
    pub fn open(sql: &str, workers: usize) -> Result<Session, String> {
        let compiled = driver::compile("program.sql", sql)?;
        let program = compiled.interpreted();
        let schema = (*program.schema).clone();
        let build = program.build.clone();
        let runtime = Runtime::new(workers, move |builder| build(builder)).rows_for_threads(ROWS_FOR_THREADS);
        let tables = schema.tables.iter().map(relation::table_layout).collect();
        let views: Vec<Layout> = schema.views.iter().map(relation::view_layout).collect();
        let contents = vec![BTreeMap::new(); views.len() + 1];
        Ok(Session { compiled, schema, runtime, tables, views, contents })
    }

    fn table(&self, name: &str) -> usize {
        let found = self.schema.tables.iter().position(|table| table.name == name);
        found.unwrap_or_else(|| panic!("no table {name}"))
    }

    /// One step with these rows; the views' deltas, in view order, rows sorted; then the errors'.
    pub fn step(&mut self, changes: &[Change]) -> Vec<Change> {
        let mut inputs: Vec<StepInput> = Vec::new();
        for change in changes {
            let table = self.table(&change.relation);
            let layout = &self.tables[table];
            if inputs.last().is_none_or(|input| input.table != table) {
                inputs.push(StepInput { table, rows: Batch::new(layout.stride()) });
            }
            let rows = &mut inputs.last_mut().expect("just pushed").rows;
            layout.encode(&permute(&change.row, &self.schema.tables[table].physical), rows.buffer());
            rows.commit(change.weight);
        }
        let output = self.runtime.step(inputs);
        let mut deltas = Vec::new();
        for (position, (batch, view)) in output.views.iter().zip(&self.schema.views).enumerate() {
            for (row, weight) in batch.iter() {
                add(&mut self.contents[position], row, weight);
                let row = restore(self.views[position].decode(row), &view.physical);
                deltas.push(Change { relation: view.name.clone(), row, weight });
            }
        }
        let errors = feldc_engine::errors::layout();
        let last = self.contents.len() - 1;
        for (row, weight) in output.errors.iter() {
            add(&mut self.contents[last], row, weight);
            deltas.push(Change { relation: "error_view".into(), row: errors.decode(row), weight });
        }
        deltas
    }

    /// The contents of a view as the sum of its deltas.
    pub fn view(&self, name: &str) -> Vec<(Vec<Value>, i64)> {
        let found = self.schema.views.iter().position(|view| view.name == name);
        let position = found.unwrap_or_else(|| panic!("no view {name}"));
        let physical = &self.schema.views[position].physical;
        let decode = |row: &[u8]| restore(self.views[position].decode(row), physical);
        self.contents[position].iter().map(|(row, &weight)| (decode(row), weight)).collect()
    }

    /// The error view: (relation, message, metadata) with weights.
    pub fn errors(&self) -> Vec<(Vec<Value>, i64)> {
        let layout = feldc_engine::errors::layout();
        let last = self.contents.last().expect("the error view is always there");
        last.iter().map(|(row, &weight)| (layout.decode(row), weight)).collect()
    }
}

fn add(contents: &mut BTreeMap<Vec<u8>, i64>, row: &[u8], weight: i64) {
    let sum = contents.entry(row.to_vec()).or_insert(0);
    *sum += weight;
    if *sum == 0 {
        contents.remove(row);
    }
}
