//! A native pipeline stepped over pipes with `--stdio`: rows as JSON lines, one step for each commit.

use super::Relation;
use super::session::{Deltas, StepFault, add};
use feldc_engine::{Batch, StepInput};
use feldc_pipeline::format::json_input::{JsonInput, JsonParser, UpdateFormat};
use feldc_pipeline::format::json_output::JsonRows;
use feldc_pipeline::format::render::Columns;
use feldc_pipeline::format::{Parsed, Parser};
use feldc_pipeline::schema::{Schema, Table};
use feldc_value::json::json_string;
use feldc_value::json_text::parse_variant;
use feldc_value::{SqlType, Value};
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

    /// `{"view":"v","insert":{...}}`.
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
        let (row, weight) = read_event(view, &format!("{{{event}")).ok_or_else(strange)?;
        Ok((at, row, weight))
    }
}

/// Reads `{"insert":{...}}` as a table with the relation's columns does. The text in a VARIANT is that of its JSON, an interval
/// is spelled as no table reads it.
fn read_event(relation: &Relation, event: &str) -> Option<(Vec<u8>, i64)> {
    let mut fields = relation.fields.clone();
    for field in fields.iter_mut().filter(|field| field.columntype.ty.is_interval()) {
        field.columntype.ty = SqlType::VARCHAR;
    }
    let table = Table {
        name: relation.name.clone(),
        case_sensitive: relation.case_sensitive,
        fields,
        // The columns have other widths than in the relation.
        physical: (0..relation.fields.len()).collect(),
        primary_key: vec![],
        materialized: false,
        connectors: serde_json::Value::Null,
    };
    let settings = JsonInput { update_format: UpdateFormat::InsertDelete, ..JsonInput::default() };
    let (mut parser, mut parsed) = (JsonParser::new(&table, settings), Parsed::default());
    let read = Relation::of_table(&table);
    parsed.rows = Batch::new(read.layout.stride());
    parser.parse(event.as_bytes(), &mut parsed);
    parser.finish(&mut parsed);
    let (row, weight) = parsed.rows.iter().next()?;
    let mut row = read.decode(row);
    for (value, field) in row.iter_mut().zip(&relation.fields) {
        match value {
            Value::Text(text) if field.columntype.ty.is_interval() => *value = interval(text, field.columntype.ty)?,
            Value::Variant(variant) => {
                if let Value::Text(text) = &variant.value
                    && let Some(read) = parse_variant(text)
                {
                    *value = read;
                }
            }
            _ => (),
        }
    }
    Some((relation.encode(&row), weight))
}

/// `1 year -2 mons`, `-3 days -01:30:00.5`.
fn interval(text: &str, ty: SqlType) -> Option<Value> {
    let (mut months, mut micros) = (0i64, 0i64);
    let mut words = text.split(' ');
    while let Some(word) = words.next() {
        if word.contains(':') {
            micros = micros.checked_add(clock(word)?)?;
            continue;
        }
        let count: i64 = word.parse().ok()?;
        let (sum, factor) = match words.next()?.trim_end_matches('s') {
            "year" => (&mut months, 12),
            "mon" => (&mut months, 1),
            "day" => (&mut micros, 86_400_000_000),
            _ => return None,
        };
        *sum = sum.checked_add(count.checked_mul(factor)?)?;
    }
    match ty {
        SqlType::IntervalLong { .. } => months.try_into().ok().map(Value::IntervalLong),
        _ => Some(Value::IntervalShort(micros)),
    }
}

/// `[-]HH:MM:SS[.ffffff]` in microseconds.
fn clock(text: &str) -> Option<i64> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut seconds = 0i64;
    for part in whole.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    let micros: i64 = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    Some(sign * seconds.checked_mul(1_000_000)?.checked_add(micros)?)
}

/// A row after its way through the pipe: JSON does not tell all types inside a VARIANT, nor NULL as the key of a MAP. A row that
/// does not come through stays as it is, and makes a difference.
pub fn through_pipe(relation: &Relation, row: &[u8]) -> Vec<u8> {
    let mut event = String::from("{\"insert\":");
    JsonRows::with_texts(Columns::new(&relation.fields, &relation.physical)).write_object(row, &mut event);
    read_event(relation, &(event + "}\n")).map_or_else(|| row.to_vec(), |(row, _)| row)
}

impl Drop for Piped {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.input = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::session::tests::session;

    #[test]
    fn rows_come_through_the_pipe() {
        let session = session(
            "CREATE TABLE t (a BIGINT NOT NULL, b TIMESTAMP, d DATE, x VARBINARY, v VARIANT);
             CREATE VIEW v AS SELECT b - TIMESTAMP '2024-01-01 00:00:00' AS s, (d - DATE '2024-01-01') MONTHS AS l, a, x, v FROM t;",
        );
        let view = &session.views()[0];
        for (s, l) in [(0, 0), (-1, -1), (90_061_000_001, 25), (-90_061_500_000, -25), (86_400_000_000, 12)] {
            let variant = Value::variant(SqlType::VARCHAR, Value::text("{\"a\": 1}"));
            let row = vec![
                Value::IntervalShort(s),
                Value::IntervalLong(l),
                Value::BigInt(s),
                Value::binary([0, 255]),
                variant,
            ];
            let bytes = view.encode(&row);
            assert_eq!(view.decode(&through_pipe(view, &bytes)), row);
        }
        let date = Value::variant(SqlType::Date, Value::Date(0));
        let row = |v| view.encode(&[Value::Null, Value::Null, Value::BigInt(1), Value::Null, v]);
        let text = Value::variant(SqlType::VARCHAR, Value::text("1970-01-01"));
        assert_eq!(through_pipe(view, &row(date)), row(text), "the type inside is lost");
    }
}
