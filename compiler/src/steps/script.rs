//! Step scripts: a program, then steps of input rows and expected changes, as text.
//!
//! ```text
//! program
//! CREATE TABLE t (k BIGINT, v BIGINT);
//! CREATE VIEW s AS SELECT k, SUM(v) AS total FROM t GROUP BY k;
//! step
//! t  +1 (1, 10)
//! ----
//! s  +1 (1, 10)
//! ```
//!
//! `program FILE` names a program's file, relative to the script. `step at TIMESTAMP` sets the clock for the step. A step without
//! `----` is not compared. An evaluation error under `SET on_error = 'fail'` is the line `stopped: MESSAGE`. Lines that
//! begin with `#` and empty lines below the first `step` mean nothing.

use super::session::{Session, StepFault};
use super::{Change, Relation};
use feldc_pipeline::relation::find;
use feldc_value::{SqlType, Value, text_form};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The text of the program, and the number of its first line in the script.
    Inline {
        text: String,
        line: usize,
    },
    File {
        path: String,
        line: usize,
    },
}

#[derive(Clone, Debug)]
pub struct Script {
    pub program: Source,
    pub steps: Vec<Step>,
    /// The text, each line with its end.
    lines: Vec<String>,
}

/// A line that says something, and its number.
#[derive(Clone, Debug)]
struct Line {
    number: usize,
    text: String,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// The line of `step`.
    pub line: usize,
    /// The time of the step in microseconds since 1970.
    pub at: Option<i64>,
    input: Vec<Line>,
    expected: Option<Expected>,
}

#[derive(Clone, Debug)]
struct Expected {
    rows: Vec<Line>,
    /// Positions of the lines between `----` and the next step.
    range: Range<usize>,
}

/// What makes a script one that cannot be run: where and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFault {
    pub line: usize,
    pub message: String,
}

fn fault(line: usize, message: impl Into<String>) -> ScriptFault {
    ScriptFault { line, message: message.into() }
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepResult {
    /// The line of `step`.
    pub line: usize,
    /// Lines as in a diff: ` ` expected and there, `-` expected only, `+` there only.
    pub diff: Vec<(char, String)>,
    /// What the step gave, as lines of a script.
    pub actual: Vec<String>,
}

impl StepResult {
    pub fn passed(&self) -> bool {
        self.diff.iter().all(|(mark, _)| *mark == ' ')
    }
}

impl Script {
    /// # Errors
    /// The first line that has no place in a script.
    pub fn parse(text: &str) -> Result<Script, ScriptFault> {
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_string).collect();
        let mut program: Option<Source> = None;
        let mut steps: Vec<Step> = vec![];
        for (at, line) in lines.iter().enumerate() {
            let (number, line) = (at + 1, line.trim_end());
            if let Some(step) = step_line(line, number) {
                program
                    .as_ref()
                    .ok_or_else(|| fault(number, "the first line of a script is `program` or `program FILE`"))?;
                steps.push(step?);
                continue;
            }
            let meaningless = line.is_empty() || line.starts_with('#');
            match (steps.last_mut(), &mut program) {
                (Some(step), _) => step.take(at, line, meaningless)?,
                (None, Some(Source::Inline { text, .. })) => *text += &format!("{line}\n"),
                (None, _) if meaningless => (),
                (None, None) if line == "program" => {
                    program = Some(Source::Inline { text: String::new(), line: number + 1 });
                }
                (None, None) if line.starts_with("program ") => {
                    program = Some(Source::File { path: line["program ".len()..].trim().into(), line: number });
                }
                (None, None) => return Err(fault(number, "the first line of a script is `program` or `program FILE`")),
                (None, Some(Source::File { .. })) => {
                    return Err(fault(
                        number,
                        "expected `step` behind `program FILE`; a program in the script itself stands below a line `program`",
                    ));
                }
            }
        }
        let program =
            program.ok_or_else(|| fault(1, "the script is empty; its first line is `program` or `program FILE`"))?;
        if steps.is_empty() {
            return Err(fault(lines.len(), "the script has no `step`"));
        }
        Ok(Script { program, steps, lines })
    }

    /// Runs the script's steps through a new session of its program.
    ///
    /// # Errors
    /// When a line does not fit the program, or the session breaks.
    pub fn run(&self, session: &mut Session) -> Result<Vec<StepResult>, ScriptFault> {
        self.steps.iter().map(|step| step.run(session)).collect()
    }

    /// The script's text with what the steps gave in place of what was expected, where these differ. Comments stay.
    pub fn accepted(&self, results: &[StepResult]) -> String {
        let mut text = String::new();
        let mut copied = 0;
        for (step, result) in self.steps.iter().zip(results).filter(|(_, result)| !result.passed()) {
            let Some(expected) = &step.expected else { continue };
            let at = expected.rows.first().map_or(expected.range.start, |row| row.number - 1);
            let end = if self.lines[expected.range.start - 1].ends_with("\r\n") { "\r\n" } else { "\n" };
            text.extend(self.lines[copied..at].iter().map(String::as_str));
            if !text.ends_with('\n') {
                text += end;
            }
            result.actual.iter().for_each(|row| text += &format!("{row}{end}"));
            let is_row = |at: &usize| expected.rows.iter().any(|row| row.number == at + 1);
            text.extend((at..expected.range.end).filter(|at| !is_row(at)).map(|at| self.lines[at].as_str()));
            copied = expected.range.end;
        }
        text.extend(self.lines[copied..].iter().map(String::as_str));
        text
    }
}

/// `step` or `step at TIMESTAMP`; `None` for other lines.
fn step_line(line: &str, number: usize) -> Option<Result<Step, ScriptFault>> {
    let time = match line.strip_prefix("step")? {
        "" => None,
        rest => Some(rest.strip_prefix(" at ")?.trim()),
    };
    let at = time.map(|time| {
        let time = time.strip_prefix('\'').and_then(|time| time.strip_suffix('\'')).unwrap_or(time);
        match text_form::parse_value(time, SqlType::Timestamp) {
            Ok(Value::Timestamp(micros)) => Ok(micros),
            _ => Err(fault(number, format!("{time} is no timestamp; write `step at 2024-01-31 12:00:00`"))),
        }
    });
    let step = |at| Step { line: number, at, input: vec![], expected: None };
    Some(at.transpose().map(step))
}

impl Step {
    fn take(&mut self, at: usize, line: &str, meaningless: bool) -> Result<(), ScriptFault> {
        let row = Line { number: at + 1, text: line.to_string() };
        match &mut self.expected {
            Some(_) if line == "----" => {
                return Err(fault(at + 1, "a second `----` in one step; the next step begins with `step`"));
            }
            None if line == "----" => self.expected = Some(Expected { rows: vec![], range: at + 1..at + 1 }),
            None if meaningless => (),
            None => self.input.push(row),
            Some(expected) => {
                expected.range.end = at + 1;
                if !meaningless {
                    expected.rows.push(row);
                }
            }
        }
        Ok(())
    }

    fn run(&self, session: &mut Session) -> Result<StepResult, ScriptFault> {
        if let Some(at) = self.at {
            session.set_time(at).map_err(|message| fault(self.line, message))?;
        }
        let read = |line: &Line, relations: &[Relation], what: &str| {
            parse_change(&line.text, relations, what).map_err(|message| fault(line.number, message))
        };
        let input: Result<Vec<Change>, _> =
            self.input.iter().map(|line| read(line, session.tables(), "table")).collect();
        let mut compared = Comparison::default();
        match session.step(&input?) {
            Ok(changes) => {
                for change in changes {
                    compared.actual(print_change(&change, session.views()), change.weight);
                }
            }
            Err(StepFault::Stopped(reason)) => compared.actual((usize::MAX, vec![], format!("{STOPPED}{reason}")), 1),
            Err(StepFault::Broken(reason)) => return Err(fault(self.line, reason)),
        }
        let actual = compared.lines(|counts| counts.actual);
        let Some(expected) = &self.expected else {
            return Ok(StepResult { line: self.line, diff: vec![], actual });
        };
        for line in &expected.rows {
            if line.text.starts_with(STOPPED) {
                compared.expected((usize::MAX, vec![], line.text.clone()), 1);
                continue;
            }
            let change = read(line, session.views(), "view")?;
            compared.expected(print_change(&change, session.views()), change.weight);
        }
        Ok(StepResult { line: self.line, diff: compared.diff(), actual })
    }
}

/// An expected line for the end of a program with `SET on_error = 'fail'`.
const STOPPED: &str = "stopped: ";

/// Where a line stands: position of its view, encoded row; and its text without weight, which is what is compared: a value
/// in JSON does not tell all that its bytes do.
type Place = (usize, Vec<u8>, String);

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    expected: i64,
    actual: i64,
}

#[derive(Default)]
struct Comparison {
    counts: BTreeMap<(usize, String), (Vec<u8>, Counts)>,
}

impl Comparison {
    fn at(&mut self, (view, row, text): Place) -> &mut Counts {
        &mut self.counts.entry((view, text)).or_insert_with(|| (row, Counts::default())).1
    }

    fn actual(&mut self, place: Place, weight: i64) {
        self.at(place).actual += weight;
    }

    fn expected(&mut self, place: Place, weight: i64) {
        self.at(place).expected += weight;
    }

    /// In the order of views and rows.
    fn sorted(&self) -> Vec<(&str, Counts)> {
        let mut lines: Vec<_> =
            self.counts.iter().map(|((view, text), (row, counts))| (view, row, text, counts)).collect();
        lines.sort_by_key(|(view, row, ..)| (**view, (*row).clone()));
        lines.into_iter().map(|(_, _, text, counts)| (text.as_str(), *counts)).collect()
    }

    fn lines(&self, count: impl Fn(Counts) -> i64) -> Vec<String> {
        let lines = self.sorted().into_iter().filter(|(_, counts)| count(*counts) != 0);
        lines.map(|(text, counts)| weighted(text, count(counts))).collect()
    }

    fn diff(&self) -> Vec<(char, String)> {
        let mut diff = vec![];
        for (text, Counts { expected, actual }) in self.sorted() {
            match expected == actual {
                true if expected == 0 => (),
                true => diff.push((' ', weighted(text, expected))),
                false => {
                    let sides = [('-', expected), ('+', actual)].into_iter().filter(|(_, weight)| *weight != 0);
                    diff.extend(sides.map(|(mark, weight)| (mark, weighted(text, weight))));
                }
            }
        }
        diff
    }
}

/// The text of [`Place`] with its weight.
fn weighted(text: &str, weight: i64) -> String {
    match text.split_once('\0') {
        Some((name, row)) => format!("{name}  {weight:+} {row}"),
        None => text.to_string(),
    }
}

/// `NAME +1 (value, ...)`.
fn parse_change(line: &str, relations: &[Relation], what: &str) -> Result<Change, String> {
    let form = || format!("expected `{} +1 (value, ...)`, not: {line}", what.to_uppercase());
    let (name, rest, exact) = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map(|(name, rest)| (name, rest, true)),
        None => line.split_once(char::is_whitespace).map(|(name, rest)| (name, rest, false)),
    }
    .ok_or_else(form)?;
    let (weight, row) = rest.trim().split_once(char::is_whitespace).ok_or_else(form)?;
    let weight: i64 = weight.parse().map_err(|_| form())?;
    if weight == 0 {
        return Err("a weight of 0 is no change; write +1 for a row that comes, -1 for one that goes".into());
    }
    let names = relations.iter().map(|relation| (relation.name.as_str(), relation.case_sensitive || exact));
    let at = find(names, name).map_err(|help| format!("no {what} {name:?}{help}"))?;
    let row = relations[at].parse_row(row.trim())?;
    Ok(Change { relation: relations[at].name.clone(), row, weight })
}

/// The place of a change among those of its step, and its text.
fn print_change(change: &Change, relations: &[Relation]) -> Place {
    let at = relations.iter().position(|relation| relation.name == change.relation).unwrap_or(0);
    let bytes = relations[at].encode(&change.row);
    // As it is read back from its bytes: -0.0 is 0.0, CHAR is padded.
    let row = relations[at].print_row(&relations[at].decode(&bytes));
    (at, bytes, format!("{}\0{row}", print_name(&change.relation)))
}

/// A program's text as the head of a script.
pub fn program_lines(text: &str) -> String {
    let (text, end) = (text.trim_start_matches('\n'), if text.ends_with('\n') { "" } else { "\n" });
    format!("program\n{text}{end}")
}

/// A change as a line of a script.
pub fn print_line(change: &Change, relations: &[Relation]) -> String {
    weighted(&print_change(change, relations).2, change.weight)
}

fn print_name(name: &str) -> String {
    let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if plain && !name.is_empty() { name.to_string() } else { format!("\"{name}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::session::tests::session;

    const PROGRAM: &str =
        "program\nCREATE TABLE t (k BIGINT, x VARCHAR); CREATE VIEW s AS SELECT x, SUM(k) AS k FROM t GROUP BY x;\n";

    fn run(text: &str) -> Result<(Script, Vec<StepResult>), ScriptFault> {
        let script = Script::parse(text)?;
        let Source::Inline { text, .. } = &script.program else { panic!("the program is inline") };
        let results = script.run(&mut session(text))?;
        Ok((script, results))
    }

    /// A script behind [`PROGRAM`], and its text when accepted.
    fn check(steps: &str, accepted: &str) {
        let text = format!("{PROGRAM}{steps}");
        let (script, results) = run(&text).unwrap_or_else(|fault| panic!("{fault:?}"));
        assert_eq!(script.accepted(&results), format!("{PROGRAM}{accepted}"));
        assert_eq!(steps == accepted, results.iter().all(StepResult::passed), "{results:?}");
    }

    fn check_fault(text: &str, line: usize, message: &str) {
        let fault = run(text).map(|(_, results)| results).unwrap_err();
        assert_eq!(fault.line, line, "{}", fault.message);
        assert!(fault.message.contains(message), "{}", fault.message);
    }

    #[test]
    fn steps_pass_however_they_are_spelled() {
        check("step\nt +1 (1,'a')\n----\nS +1 ('a',1)\n", "step\nt +1 (1,'a')\n----\nS +1 ('a',1)\n");
        check("step\nt +1 (1, NULL)\nstep\n----\n", "step\nt +1 (1, NULL)\nstep\n----\n");
        // Order does not matter.
        let rows = "step\nt +2 (1, 'a')\n\nt +1 (1, 'b')\n----\n# sums\ns +1 ('b', 1)\ns +1 ('a', 2)\n";
        check(rows, rows);
    }

    #[test]
    fn accepting_changes_the_rows_of_failed_steps_only() {
        check(
            "step\nt +1 (1, 'a')\n----\n# what comes\ns +1 ('a', 2)\n\n# more\nstep\n----\nstep\nt -1 (1, 'a')\n----",
            "step\nt +1 (1, 'a')\n----\n# what comes\ns  +1 ('a', 1)\n\n# more\nstep\n----\nstep\nt -1 (1, 'a')\n----\ns  -1 ('a', 1)\n",
        );
        check("step\r\nt +1 (1, 'a')\r\n----\r\n", "step\r\nt +1 (1, 'a')\r\n----\r\ns  +1 ('a', 1)\r\n");
    }

    #[test]
    fn differences_are_shown_beside_what_agrees() {
        let (_, results) =
            run(&format!("{PROGRAM}step\nt +1 (1, 'a')\nt +1 (3, 'b')\n----\ns +1 ('a', 2)\ns +1 ('b', 3)\n")).unwrap();
        let lines: Vec<String> = results[0].diff.iter().map(|(mark, line)| format!("{mark}{line}")).collect();
        assert_eq!(lines, ["+s  +1 ('a', 1)", "-s  +1 ('a', 2)", " s  +1 ('b', 3)"]);
    }

    #[test]
    fn a_program_may_stop() {
        let program =
            "program\nSET on_error = 'fail'; CREATE TABLE t (a BIGINT); CREATE VIEW v AS SELECT 1 / a AS b FROM t;\n";
        let (_, results) = run(&format!("{program}step\nt +1 (0)\n----\n")).unwrap();
        assert!(results[0].actual[0].starts_with("stopped: division by zero"), "{results:?}");
        let (_, results) = run(&format!("{program}step\nt +1 (0)\n----\n{}\n", results[0].actual[0])).unwrap();
        assert!(results[0].passed());
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_line() {
        check_fault("", 1, "empty");
        check_fault("step\n", 1, "`program`");
        check_fault("# nothing\nprogram a.sql\nrow\n", 3, "expected `step`");
        check_fault(PROGRAM, 2, "no `step`");
        check_fault(&format!("{PROGRAM}step\nt (1)\n"), 4, "expected `TABLE +1 (value, ...)`");
        check_fault(&format!("{PROGRAM}step\ntt +1 (1, 'a')\n"), 4, "no table \"tt\"");
        check_fault(&format!("{PROGRAM}step\nt +1 (1)\n"), 4, "t has 2 columns");
        check_fault(&format!("{PROGRAM}step\nt +0 (1, 'a')\n"), 4, "a weight of 0");
        check_fault(&format!("{PROGRAM}step\n----\nv +1 (1)\n"), 5, "no view \"v\"");
        check_fault(&format!("{PROGRAM}step\n----\n----\n"), 5, "a second `----`");
        check_fault(&format!("{PROGRAM}step at noon\n"), 3, "noon is no timestamp");
        check_fault(&format!("{PROGRAM}step at 2024-01-01 12:00:00\n"), 3, "does not read the clock");
    }
}
