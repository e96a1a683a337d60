//! A native pipeline stepped over pipes with `--stdio`: rows as JSON lines, one step for each commit.

use super::Relation;
use super::session::{Deltas, StepFault, add};
use feldc_engine::StepInput;
use feldc_pipeline::format::json_input::{JsonInput, JsonParser, UpdateFormat};
use feldc_pipeline::format::json_output::JsonRows;
use feldc_pipeline::format::render::Columns;
use feldc_pipeline::format::{Parsed, Parser};
use feldc_pipeline::schema::{Schema, Table};
use feldc_value::json::json_string;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    tables: Vec<(String, JsonRows)>,
    /// The views, then the view of errors.
    views: Vec<Relation>,
    fail_on_error: bool,
}

impl Piped {
    pub fn start(schema: &Schema, binary: &Path, workers: usize) -> Result<Piped, String> {
        let mut command = Command::new(binary);
        command.args(["--stdio", "--workers", &workers.to_string()]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.map_err(|error| format!("cannot start {}: {error}", binary.display()))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::new(output.ok_or("the pipeline has no standard output")?);
        let rows = |table: &Table| (table.name.clone(), JsonRows::new(Columns::new(&table.fields, &table.physical)));
        Ok(Piped {
            child,
            input,
            output,
            tables: schema.tables.iter().map(rows).collect(),
            views: schema.views.iter().map(Relation::of_view).chain([Relation::of_errors()]).collect(),
            fail_on_error: schema.fail_on_error,
        })
    }

    /// One step; the deltas in the order of an in-process step.
    pub fn step(&mut self, inputs: &[StepInput]) -> Result<Deltas, StepFault> {
        let mut text = String::new();
        for input in inputs {
            let (name, rows) = &mut self.tables[input.table];
            for (row, weight) in input.rows.iter() {
                let mut line = String::from("{\"table\":");
                json_string(name, &mut line);
                line += if weight < 0 { ",\"delete\":" } else { ",\"insert\":" };
                rows.write_object(row, &mut line);
                line += "}\n";
                (0..weight.unsigned_abs()).for_each(|_| text += &line);
            }
        }
        text += "{\"commit\":0}\n";
        let sent = self.input.as_mut().map(|input| input.write_all(text.as_bytes()).and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => self.answer(),
            Some(Err(error)) => Err(StepFault::Broken(format!("cannot write to the pipeline: {error}"))),
            None => Err(StepFault::Broken("the pipeline has no standard input".into())),
        }
    }

    /// The lines up to the answer to the commit.
    fn answer(&mut self) -> Result<Deltas, StepFault> {
        let mut changes: Vec<BTreeMap<Vec<u8>, i64>> = vec![BTreeMap::new(); self.views.len()];
        let mut line = String::new();
        loop {
            line.clear();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err(StepFault::Broken("the pipeline ended before it answered".into())),
                Ok(_) if line.starts_with("{\"committed\"") => break,
                Ok(_) if line.starts_with("{\"error\"") => return Err(self.refused(&line)),
                Ok(_) => {
                    let (view, row, weight) = self.change(&line).map_err(StepFault::Broken)?;
                    add(&mut changes[view], &row, weight);
                }
                Err(error) => return Err(StepFault::Broken(format!("cannot read from the pipeline: {error}"))),
            }
        }
        let rows = changes.into_iter().enumerate();
        Ok(rows.flat_map(|(view, rows)| rows.into_iter().map(move |(row, weight)| (view, row, weight))).collect())
    }

    /// `{"error":"..."}`: every row was well formed, so a program that may stop has stopped.
    fn refused(&self, line: &str) -> StepFault {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        let reason = answer["error"].as_str().unwrap_or(line).to_string();
        if self.fail_on_error { StepFault::Stopped(reason) } else { StepFault::Broken(reason) }
    }

    /// `{"view":"v","insert":{...}}`: the row is read as a table with the view's columns reads it.
    fn change(&self, line: &str) -> Result<(usize, Vec<u8>, i64), String> {
        let strange = || format!("the pipeline wrote a line that is no change of a view: {line}");
        let prefix = |view: &Relation| {
            let mut prefix = String::from("{\"view\":");
            json_string(&view.name, &mut prefix);
            prefix + ","
        };
        let mut views = self.views.iter().enumerate();
        let (at, view, event) = views
            .find_map(|(at, view)| line.strip_prefix(&prefix(view)).map(|event| (at, view, event)))
            .ok_or_else(strange)?;
        let table = Table {
            name: view.name.clone(),
            case_sensitive: view.case_sensitive,
            fields: view.fields.clone(),
            physical: view.physical.clone(),
            primary_key: vec![],
            materialized: false,
            connectors: serde_json::Value::Null,
        };
        let settings = JsonInput { update_format: UpdateFormat::InsertDelete, ..JsonInput::default() };
        let (mut parser, mut parsed) = (JsonParser::new(&table, settings), Parsed::default());
        parsed.rows = feldc_engine::Batch::new(view.layout.stride());
        parser.parse(format!("{{{event}").as_bytes(), &mut parsed);
        parser.finish(&mut parsed);
        let (row, weight) = parsed.rows.iter().next().ok_or_else(strange)?;
        Ok((at, row.to_vec(), weight))
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.input = None;
        let _ = self.child.wait();
    }
}
