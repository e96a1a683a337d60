//! One program through every phase: what a child process does with its input, and the verdict that it sends back.

use feldc::driver::{self, fmt, fuzz};
use feldc::{circuit, emit, plan};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// The name of the program in messages.
const FILE: &str = "program.sql";

/// A fault: two inputs with equal keys show the same one, most likely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub key: String,
    pub text: String,
}

impl Finding {
    pub fn new(kind: &str, place: &str, text: impl Into<String>) -> Finding {
        Finding { key: format!("{kind}: {}", outline(place)), text: text.into() }
    }
}

/// What came of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The program has errors, as it should be told.
    Refused,
    Compiled,
    /// And its views hold what they ought to after some random rows.
    Ran,
    Fault(Finding),
}

impl Verdict {
    pub fn encode(&self) -> String {
        match self {
            Verdict::Refused => json!("refused"),
            Verdict::Compiled => json!("compiled"),
            Verdict::Ran => json!("ran"),
            Verdict::Fault(Finding { key, text }) => json!([key, text]),
        }
        .to_string()
    }

    pub fn decode(line: &str) -> Option<Verdict> {
        match serde_json::from_str(line).ok()? {
            Value::String(word) if word == "refused" => Some(Verdict::Refused),
            Value::String(word) if word == "compiled" => Some(Verdict::Compiled),
            Value::String(word) if word == "ran" => Some(Verdict::Ran),
            Value::Array(parts) => match parts.as_slice() {
                [Value::String(key), Value::String(text)] => {
                    Some(Verdict::Fault(Finding { key: key.clone(), text: text.clone() }))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Where the last panic was: what unwinds does not say.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Panics are findings: their places are kept, and nothing is printed.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
}

/// Compiles a program, emits its sources, lays it out and, when `seed` is one, feeds it random rows.
pub fn examine(text: &str, seed: Option<u64>) -> Verdict {
    let verdict = catch_unwind(AssertUnwindSafe(|| phases(text, seed)));
    verdict.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown cause");
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Verdict::Fault(Finding::new("panic", &format!("{place}: {message}"), format!("panic at {place}: {message}")))
    })
}

fn phases(text: &str, seed: Option<u64>) -> Verdict {
    let layout = fmt::laid_out(FILE, text);
    if let Err(message) = &layout
        && !message.contains("error[")
    {
        return Verdict::Fault(Finding::new("layout", message, message));
    }
    let compiled = match driver::compile(FILE, text) {
        Ok(compiled) => compiled,
        Err(messages) => return diagnostics_fault(&messages, true).map_or(Verdict::Refused, Verdict::Fault),
    };
    if let Some(fault) = diagnostics_fault(&compiled.warnings, false) {
        return Verdict::Fault(fault);
    }
    if let Err(rule) = plan::check::check(&compiled.program, false) {
        return Verdict::Fault(Finding::new("plan", &rule, format!("the plan breaks a rule: {rule}")));
    }
    if let Err(rule) = circuit::check::check(&compiled.circuit) {
        return Verdict::Fault(Finding::new("circuit", &rule, format!("the circuit breaks a rule: {rule}")));
    }
    let _printed = format!("{}{}", compiled.program, compiled.circuit);
    let sources = emit::emit_rust(&compiled.circuit, &compiled.schema, &compiled.program.views);
    for (path, source) in &sources.files {
        if let Some(line) = source.lines().find(|line| line.contains("internal error")) {
            return Verdict::Fault(Finding::new("sources", line, format!("{path}: {line}")));
        }
    }
    let Some(seed) = seed else { return Verdict::Compiled };
    match fuzz::first_difference(FILE, text, seed, 3) {
        None => Verdict::Ran,
        Some(difference) => {
            let kind = if difference.starts_with("internal error") { "run" } else { "difference" };
            let place = if kind == "run" { difference.clone() } else { what_differs(&difference) };
            Verdict::Fault(Finding::new(kind, &place, difference))
        }
    }
}

/// Of a difference: which failures are missing or too many, or that rows are.
fn what_differs(difference: &str) -> String {
    let mut kinds = BTreeSet::new();
    for line in difference.lines().map(str::trim) {
        let Some((side, what)) = line.split_once(" x ").filter(|(side, _)| side.starts_with(['m', 'e'])) else {
            continue;
        };
        let side = side.split(' ').next().unwrap_or_default();
        kinds.insert(match what.rsplit_once("(SQLSTATE ") {
            Some((_, code)) => format!("{side} {}", code.trim_end_matches(')')),
            None => format!("{side} rows"),
        });
    }
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}

/// Every message has a code, a place and a headline that says something; a refusal has an error.
fn diagnostics_fault(messages: &str, refused: bool) -> Option<Finding> {
    let fault = |why: &str, line: &str| Some(Finding::new(why, line, format!("{why}\n{messages}")));
    if refused && !messages.contains("error[") {
        return fault("a refusal without an error", "");
    }
    let mut lines = messages.lines().peekable();
    while let Some(line) = lines.next() {
        let is_error = line.starts_with("error");
        if !is_error && !line.starts_with("warning") && !line.starts_with("note:") {
            continue;
        }
        let (head, headline) = line.split_once(": ").unwrap_or((line, ""));
        let code = head.strip_prefix("error[").or_else(|| head.strip_prefix("warning["));
        let code = code.and_then(|code| code.strip_suffix(']'));
        if head != "note" && code.is_none_or(|code| code.len() != 5) {
            return fault("a message without a code", line);
        }
        if headline.trim().is_empty() {
            return fault("a message without a headline", line);
        }
        if code == Some("XX000") || line.contains("internal error") {
            return fault("an internal error", line);
        }
        let place = lines.peek().and_then(|next| next.trim_start().strip_prefix("--> program.sql:"));
        if place.is_none() && !is_whole_program(messages) {
            return fault("a message without a place", line);
        }
    }
    None
}

/// Of a program as a whole there is no place.
fn is_whole_program(messages: &str) -> bool {
    messages.contains("the program is longer")
}

/// A message without what differs from input to input: numbers and what stands in quotes.
fn outline(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in text.lines().next().unwrap_or_default().chars().take(300) {
        quoted ^= c == '"';
        let repeated = c.is_ascii_digit() && out.ends_with('0');
        if !quoted && !repeated {
            out.push(if c.is_ascii_digit() { '0' } else { c });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_of_programs() {
        let table = "CREATE TABLE t (a BIGINT);";
        assert_eq!(examine(&format!("{table} CREATE VIEW v AS SELECT a FROM t;"), None), Verdict::Compiled);
        assert_eq!(examine(&format!("{table} CREATE VIEW v AS SELECT SUM(a) FROM t;"), Some(1)), Verdict::Ran);
        assert_eq!(examine("CREATE VIEW v AS SELECT a FROM t;", Some(1)), Verdict::Refused);
        assert_eq!(examine("", Some(1)), Verdict::Ran);
    }

    #[test]
    fn messages_without_a_code_or_a_place_are_faults() {
        let key = |messages: &str| diagnostics_fault(messages, true).map(|finding| finding.key);
        assert_eq!(key("error[42601]: no\n --> program.sql:1:2\n 1 | SELECT\n"), None);
        assert_eq!(
            key("error[42601]: no \"x1\"\n --> program.sql\n").unwrap(),
            "a message without a place: error[0]: no \""
        );
        assert!(key("error: no\n --> program.sql:1:2\n").unwrap().starts_with("a refusal without an error"));
        assert!(key("error[XX000]: no\n --> program.sql:1:2\n").unwrap().starts_with("an internal error"));
    }

    #[test]
    fn differences_are_told_apart() {
        let difference =
            "after step 1, view v differs from its evaluation from scratch\n  missing 1 x (3, 'x')\n  extra 2 x (4)
view error_view differs from its evaluation from scratch\n  missing 1 x 7 does not fit (SQLSTATE 22003)";
        assert_eq!(what_differs(difference), "extra rows, missing 22003, missing rows");
        assert_eq!(what_differs("step 1 fails"), "");
    }

    #[test]
    fn verdicts_are_sent() {
        let fault = Verdict::Fault(Finding::new("panic", "a.rs:12", "text\n\"quoted\""));
        for verdict in [Verdict::Refused, Verdict::Compiled, Verdict::Ran, fault] {
            assert_eq!(Verdict::decode(&verdict.encode()), Some(verdict));
        }
        assert_eq!(Verdict::decode("nonsense"), None);
    }
}
