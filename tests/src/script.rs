//! Step scripts: a program, then steps of input rows and expected deltas, as text.
//!
//! ```text
//! program
//! CREATE TABLE t (k BIGINT, v BIGINT); CREATE VIEW s AS SELECT k, SUM(v) AS total FROM t GROUP BY k;
//! step
//! t  +1 (1, 10)
//! ----
//! s  +1 (1, 10)
//! ```

use crate::{Change, Session};
use feldc_pipeline::schema::Field;
use feldc_value::{SqlType, Value};

#[derive(Debug, Default)]
pub struct Script {
    pub program: String,
    pub steps: Vec<Step>,
}

#[derive(Debug, Default)]
pub struct Step {
    pub input: Vec<String>,
    pub expected: Vec<String>,
}

impl Script {
    pub fn parse(text: &str) -> Script {
        let mut script = Script::default();
        let mut section = "";
        for line in text.lines() {
            match line.trim_end() {
                "program" => section = "program",
                "step" => {
                    section = "input";
                    script.steps.push(Step::default());
                }
                "----" => section = "expected",
                line if section == "program" => script.program += &format!("{line}\n"),
                "" => (),
                line if line.starts_with('#') => (),
                line => {
                    let step = script.steps.last_mut().expect("rows stand below `step`");
                    match section {
                        "input" => step.input.push(line.to_string()),
                        _ => step.expected.push(line.to_string()),
                    }
                }
            }
        }
        script
    }

    /// The script with the expectations replaced by what the program does: equal to the file's text when all is well.
    pub fn actual(&self, workers: usize) -> Result<String, String> {
        let mut session = Session::open(&self.program, workers)?;
        let mut text = format!("program\n{}", self.program);
        for step in &self.steps {
            text += "step\n";
            step.input.iter().for_each(|line| text += &format!("{line}\n"));
            text += "----\n";
            let input: Vec<Change> = step.input.iter().map(|line| parse_change(line, &session)).collect();
            for change in session.step(&input) {
                text += &format!("{}\n", print_change(&change, &session));
            }
        }
        Ok(text)
    }
}

fn parse_change(line: &str, session: &Session) -> Change {
    let bad = || panic!("not `TABLE +1 (value, ...)`: {line}");
    let Some((relation, rest)) = line.split_once(char::is_whitespace) else { bad() };
    let Some((weight, row)) = rest.trim().split_once(' ') else { bad() };
    let weight: i64 = weight.parse().unwrap_or_else(|_| bad());
    let table = session.schema.tables.iter().find(|table| table.name == relation).unwrap_or_else(|| bad());
    let words = split_values(row.trim());
    assert_eq!(words.len(), table.fields.len(), "{relation} has {} columns: {line}", table.fields.len());
    let row = words.iter().zip(&table.fields).map(|(word, field)| parse_word(word, field)).collect();
    Change { relation: relation.into(), row, weight }
}

/// The values between the parentheses; commas inside quotes do not count.
fn split_values(row: &str) -> Vec<String> {
    let inner = row.strip_prefix('(').and_then(|row| row.strip_suffix(')')).expect("a row stands in parentheses");
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in inner.chars() {
        quoted ^= character == '\'';
        match character {
            ',' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("never empty").push(character),
        }
    }
    words.iter().map(|word| word.trim().to_string()).collect()
}

fn parse_word(word: &str, field: &Field) -> Value {
    if word == "NULL" {
        return Value::Null;
    }
    let text = match word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')) {
        Some(quoted) => quoted.replace("''", "'"),
        None => word.to_string(),
    };
    let parsed = feldc_value::text_form::parse_value(&text, field.columntype.ty);
    parsed.unwrap_or_else(|error| panic!("{word} is no {}: {error}", field.columntype))
}

pub fn print_change(change: &Change, session: &Session) -> String {
    let view = session.schema.views.iter().find(|view| view.name == change.relation);
    let ty = |position: usize| view.map_or(SqlType::VARCHAR, |view| view.fields[position].columntype.ty);
    let words: Vec<String> =
        change.row.iter().enumerate().map(|(position, value)| print_value(value, ty(position))).collect();
    format!("{}  {:+} ({})", change.relation, change.weight, words.join(", "))
}

fn print_value(value: &Value, ty: SqlType) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        value => feldc_value::text_form::format_value(value, ty),
    }
}
