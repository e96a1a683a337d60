//! `--stdio`: rows in and changes out as lines of JSON over a pipe, one step for each commit.
//!
//! ```text
//! -> {"table":"t","insert":{"k":1}}     an insertion; also "delete" and, on keyed tables, "update"
//! -> {"commit":7}                       all rows since the last commit are one step
//! <- {"view":"v","delete":{"n":1}}      the changes of every view: one line for each unit of weight,
//! <- {"view":"v","insert":{"n":2}}      deletions before insertions
//! <- {"committed":7}                    or {"error":"..."}
//! ```
//!
//! In views' rows bytes are hexadecimal digits and VARIANTs the text of their JSON.
//!
//! Each commit has exactly one answer, the last of its lines. Lines that cannot be taken are skipped and make that answer
//! an error naming the first of them; the other rows of the commit are applied and their changes printed. A failed
//! evaluation under `SET on_error = 'fail'` is an error answer without changes, and the last one: the program has
//! stopped and the session ends. Otherwise failed rows are the changes of the view `error_view`.

use crate::format::json_input::{EventReader, UpdateFormat};
use crate::format::json_output::JsonRows;
use crate::format::render::{Columns, ERROR_VIEW};
use crate::format::{Parsed, patch};
use crate::glue::Program;
use crate::relation;
use feldc_engine::{Batch, Layout, Runtime, StepInput, StepOutput};
use feldc_value::error::clipped;
use feldc_value::json::json_string;
use feldc_value::json_cursor::{Cursor, Fault, Kind, unescape};
use std::io::{self, BufRead, Write};

/// Output is written whenever this many bytes have gathered, and at every commit.
const WRITE_BYTES: usize = 1 << 20;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The input ended.
    Done,
    /// The program had stopped on a failed evaluation.
    Failed,
}

/// Answers `input` until it ends.
///
/// # Errors
/// When reading or writing fails.
pub fn serve(program: &Program, workers: usize, mut input: impl BufRead, mut output: impl Write) -> io::Result<End> {
    let mut session = Session::new(program, workers);
    let (mut line, mut number) = (Vec::new(), 0u64);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        if session.line(&line, number, &mut output)? {
            output.flush()?;
        }
        if session.stopped.is_some() {
            break;
        }
    }
    if session.waiting() > 0 {
        eprintln!(
            "feldc: {} rows behind the last commit were not applied; end the input with a commit",
            session.waiting()
        );
    }
    Ok(if session.stopped.is_some() { End::Failed } else { End::Done })
}

struct Input {
    name: String,
    case_sensitive: bool,
    reader: EventReader,
    parsed: Parsed,
    layout: Layout,
    /// Columns of the primary key.
    key: usize,
}

/// An event in the usual order of its keys.
enum Usual {
    Row(usize),
    Commit(Vec<u8>),
}

/// The table an event names, or why there is none such, and the text of a commit's number.
type Names = (Option<Result<usize, String>>, Option<Vec<u8>>);

struct Session {
    runtime: Runtime,
    fail_on_error: bool,
    inputs: Vec<Input>,
    views: Vec<Printer>,
    errors: Printer,
    /// The table named last: mostly the next one, too.
    last: usize,
    /// Why the first line since the last commit could not be taken.
    refused: Option<String>,
    stopped: Option<String>,
    out: String,
}

impl Session {
    fn new(program: &Program, workers: usize) -> Session {
        let schema = &program.schema;
        let build = program.build.clone();
        let inputs = schema.tables.iter().map(|table| {
            let layout = relation::table_layout(table);
            Input {
                name: table.name.clone(),
                case_sensitive: table.case_sensitive,
                reader: EventReader::new(table, UpdateFormat::InsertDelete),
                parsed: Parsed { rows: Batch::new(layout.stride()), ..Parsed::default() },
                layout,
                key: table.primary_key.len(),
            }
        });
        Session {
            inputs: inputs.collect(),
            views: schema.views.iter().map(|view| Printer::new(&view.name, Columns::of_view(view))).collect(),
            errors: Printer::new(ERROR_VIEW, Columns::of_errors()),
            fail_on_error: schema.fail_on_error,
            runtime: Runtime::new(workers, move |builder| build(builder)),
            last: 0,
            refused: None,
            stopped: None,
            out: String::new(),
        }
    }

    fn waiting(&self) -> usize {
        self.inputs.iter().map(|input| input.parsed.rows.len() + input.parsed.patches.len()).sum()
    }

    /// Takes one line; `true` when it was a commit.
    fn line(&mut self, line: &[u8], number: u64, output: &mut impl Write) -> io::Result<bool> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(false);
        }
        match self.event(line) {
            Ok(None) => Ok(false),
            Ok(Some(commit)) => {
                self.commit(&commit, output)?;
                Ok(true)
            }
            Err(reason) => {
                self.refused.get_or_insert_with(|| clipped(format!("line {number}: {reason}")));
                // Whoever sent a commit waits for an answer, though it was not well written.
                let commit = line.trim_ascii_start().starts_with(b"{\"commit\"");
                if commit {
                    self.commit(b"null", output)?;
                }
                Ok(commit)
            }
        }
    }

    /// The text of a commit's number, or `None` when the line was a row.
    fn event(&mut self, line: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let mut cursor = Cursor::new(line, 0);
        let read = self.read(line, &mut cursor);
        match read {
            Ok(result) if line[cursor.at()..].iter().all(u8::is_ascii_whitespace) => result,
            Ok(Err(reason)) => Err(reason),
            Ok(Ok(_)) => Err("text behind the JSON object; write one object on each line".to_owned()),
            Err(Fault::Incomplete) => Err("the line ends within the JSON object".to_owned()),
            Err(Fault::Syntax(reason)) => Err(format!("not JSON at byte {}: {reason}", cursor.at())),
        }
    }

    fn read(&mut self, line: &[u8], cursor: &mut Cursor<'_>) -> Result<Result<Option<Vec<u8>>, String>, Fault> {
        if cursor.kind()? != Kind::Object {
            cursor.skip_value()?;
            return Ok(Err("expected an object with \"table\" or \"commit\"".to_owned()));
        }
        // The usual order, `table` first, is read in one go.
        let mut ahead = cursor.clone();
        match self.usual_order(line, &mut ahead) {
            Ok(Some(Usual::Row(table))) => {
                *cursor = ahead;
                self.row(table, cursor)
            }
            Ok(Some(Usual::Commit(number))) => {
                *cursor = ahead;
                Ok(Ok(Some(number)))
            }
            // A fault is met again, at the same place.
            _ => self.read_any_order(line, cursor),
        }
    }

    /// Reads up to the second key when the first is `table`, the whole object when it holds `commit` alone.
    fn usual_order(&mut self, line: &[u8], cursor: &mut Cursor<'_>) -> Result<Option<Usual>, Fault> {
        if !cursor.enter_object()? {
            return Ok(None);
        }
        match cursor.key()? {
            b"table" if cursor.kind()? == Kind::String => {
                let found = self.table(cursor.raw_string()?);
                Ok(found.ok().filter(|_| matches!(cursor.next_in_object(), Ok(true))).map(Usual::Row))
            }
            b"commit" => {
                cursor.peek()?;
                let start = cursor.at();
                cursor.skip_value()?;
                let number = line[start..cursor.at()].to_vec();
                Ok(if cursor.next_in_object()? { None } else { Some(Usual::Commit(number)) })
            }
            _ => Ok(None),
        }
    }

    fn read_any_order(
        &mut self,
        line: &[u8],
        cursor: &mut Cursor<'_>,
    ) -> Result<Result<Option<Vec<u8>>, String>, Fault> {
        let mut ahead = cursor.clone();
        let named = self.names(line, &mut ahead);
        if named.is_err() {
            *cursor = ahead.clone(); // The place of the fault.
        }
        match named? {
            (Some(Ok(table)), None) => {
                cursor.enter_object()?;
                self.row(table, cursor)
            }
            (Some(Err(reason)), None) => {
                *cursor = ahead;
                Ok(Err(reason))
            }
            (None, commit @ Some(_)) => {
                *cursor = ahead;
                Ok(Ok(commit))
            }
            _ => {
                *cursor = ahead;
                Ok(Err("expected either \"table\" with a change, or \"commit\"".to_owned()))
            }
        }
    }

    /// What an object says of its table, or of a commit's number.
    fn names(&mut self, line: &[u8], cursor: &mut Cursor<'_>) -> Result<Names, Fault> {
        let (mut table, mut commit) = (None, None);
        let mut more = cursor.enter_object()?;
        while more {
            let key = cursor.key()?;
            let string = cursor.kind()? == Kind::String;
            let start = cursor.at();
            match key {
                b"table" if string => table = Some(self.table(cursor.raw_string()?)),
                _ => cursor.skip_value()?,
            }
            if key == b"commit" {
                commit = Some(line[start..cursor.at()].to_vec());
            }
            more = cursor.next_in_object()?;
        }
        Ok((table, commit))
    }

    fn table(&mut self, raw: &[u8]) -> Result<usize, String> {
        if self.inputs.get(self.last).is_some_and(|input| input.name.as_bytes() == raw) {
            return Ok(self.last);
        }
        let mut scratch = String::new();
        let name = unescape(raw, &mut scratch)?;
        let names = self.inputs.iter().map(|input| (input.name.as_str(), input.case_sensitive));
        self.last = relation::find(names, name).map_err(|help| format!("no table {name:?}{help}"))?;
        Ok(self.last)
    }

    /// The rest of an object whose `table` is known; the cursor stands inside it, before a key.
    fn row(&mut self, table: usize, cursor: &mut Cursor<'_>) -> Result<Result<Option<Vec<u8>>, String>, Fault> {
        let input = &mut self.inputs[table];
        let change = input.reader.changes(cursor)?;
        let taken = input.reader.record.finish(change, &mut input.parsed);
        Ok(taken.map(|()| None).map_err(|reason| format!("table {:?}: {reason}", input.name)))
    }

    /// The rows of the step. Updates of rows that are not there refuse the commit's answer, not its other rows.
    fn take(&mut self) -> Vec<StepInput> {
        let mut step = Vec::new();
        for (table, input) in self.inputs.iter_mut().enumerate() {
            let present = |key: &[u8]| self.runtime.keyed_row(table, key);
            if patch::resolve(&mut [&mut input.parsed], &input.layout, input.key, present) > 0 {
                let reason = format!("table {:?}: an update names a key that is not there", input.name);
                self.refused.get_or_insert(reason);
            }
            let rows = std::mem::replace(&mut input.parsed.rows, Batch::new(input.layout.stride()));
            if !rows.is_empty() {
                step.push(StepInput { table, rows });
            }
        }
        step
    }

    fn commit(&mut self, number: &[u8], output: &mut impl Write) -> io::Result<()> {
        let inputs = self.take();
        let refused = self.refused.take();
        if self.stopped.is_none() {
            let step = self.runtime.step(inputs);
            match self.fail_on_error && !step.errors.is_empty() {
                true => self.stopped = Some(relation::first_error(&step.errors)),
                false => self.print(&step, output)?,
            }
        }
        match self.stopped.as_ref().or(refused.as_ref()) {
            Some(reason) => {
                self.out.push_str("{\"error\":");
                json_string(reason, &mut self.out);
            }
            None => {
                self.out.push_str("{\"committed\":");
                self.out.push_str(&String::from_utf8_lossy(number));
            }
        }
        self.out.push_str("}\n");
        output.write_all(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }

    fn print(&mut self, step: &StepOutput, output: &mut impl Write) -> io::Result<()> {
        for (printer, delta) in self.views.iter_mut().zip(&step.views) {
            printer.print(delta, &mut self.out, output)?;
        }
        self.errors.print(&step.errors, &mut self.out, output)
    }
}

/// Prints the changes of one view as lines.
pub struct Printer {
    rows: JsonRows,
    delete: String,
    insert: String,
    line: String,
}

impl Printer {
    pub fn new(name: &str, columns: Columns) -> Printer {
        let prefix = |operation: &str| {
            let mut prefix = "{\"view\":".to_owned();
            json_string(name, &mut prefix);
            prefix.push_str(&format!(",\"{operation}\":"));
            prefix
        };
        Printer {
            rows: JsonRows::with_texts(columns),
            delete: prefix("delete"),
            insert: prefix("insert"),
            line: String::new(),
        }
    }

    /// Gathers the lines of a delta in `out`, passing them on to `output` when they are many.
    ///
    /// # Errors
    /// When writing to `output` fails.
    pub fn print(&mut self, delta: &Batch, out: &mut String, output: &mut impl Write) -> io::Result<()> {
        for deletions in [true, false] {
            for (row, weight) in delta.iter().filter(|(_, weight)| (*weight < 0) == deletions) {
                self.line.clear();
                self.line.push_str(if deletions { &self.delete } else { &self.insert });
                self.rows.write_object(row, &mut self.line);
                self.line.push_str("}\n");
                for _ in 0..weight.unsigned_abs() {
                    out.push_str(&self.line);
                    if out.len() >= WRITE_BYTES {
                        output.write_all(out.as_bytes())?;
                        out.clear();
                    }
                }
            }
        }
        Ok(())
    }
}
