//! `feldc functions`: every function, operator and form with its parameters, result, NULL rule and meaning; and the page
//! `docs/functions.md`, which is the same list.

use crate::bind::forms::{self, FORMS};
use crate::diagnostic::closest;
use crate::library;
use feldc_value::SqlType;
use feldc_value::function::{Function, Nulls, Param};
use std::fmt::Write;

/// Of conditions that rewrites make; no program calls them.
const INTERNAL: &str = "conditions of rewrites";

/// Calls that mean the same.
struct Entry {
    /// What a user may look for, upper case.
    names: Vec<&'static str>,
    /// Calls, each with its result.
    calls: Vec<(String, String)>,
    nulls: &'static str,
    can_fail: bool,
    doc: &'static str,
}

struct Section {
    title: &'static str,
    entries: Vec<Entry>,
}

/// The forms of the binder, then the library, by family.
fn sections() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for form in FORMS {
        let entry = Entry {
            names: form.names.to_vec(),
            calls: vec![(written(form), form.result.to_string())],
            nulls: form.nulls,
            can_fail: false,
            doc: form.doc,
        };
        match sections.last_mut().filter(|section| section.title == form.family) {
            Some(section) => section.entries.push(entry),
            None => sections.push(Section { title: form.family, entries: vec![entry] }),
        }
    }
    for family in library::families().iter().filter(|family| family.title != INTERNAL) {
        let mut entries: Vec<Entry> = Vec::new();
        for function in family.functions() {
            let (name, nulls) = (looked_up(function), nulls(function));
            let signature = (call(function), result(function));
            let alike = |entry: &&mut Entry| {
                (entry.names[0], entry.doc, entry.nulls, entry.can_fail)
                    == (name, function.doc, nulls, function.fallible)
            };
            match entries.iter_mut().find(alike) {
                Some(entry) => entry.calls.push(signature),
                None => entries.push(Entry {
                    names: vec![name, function.name],
                    calls: vec![signature],
                    nulls,
                    can_fail: function.fallible,
                    doc: function.doc,
                }),
            }
        }
        sections.push(Section { title: family.title, entries });
    }
    sections
}

/// A form with its other names.
fn written(form: &forms::Form) -> String {
    let others: Vec<&str> = form.names.iter().copied().filter(|name| !form.call.contains(name)).collect();
    match others.is_empty() {
        true => form.call.to_string(),
        false => format!("{}; also {}", form.call, others.join(", ")),
    }
}

fn nulls(function: &Function) -> &'static str {
    match function.nulls {
        Nulls::Strict if function.parameters.is_empty() => "never",
        Nulls::Strict => "when an argument is",
        Nulls::StrictToOption => "when an argument is, and as said",
        Nulls::Never => "never",
        Nulls::Custom | Nulls::CustomToOption => "as said",
    }
}

/// The word that a user would look for: that of `EXTRACT YEAR` is EXTRACT.
fn looked_up(function: &Function) -> &'static str {
    match function.name.split_once(' ') {
        Some((first, _)) if !matches!(first, "IS" | "SIMILAR") => first,
        _ => function.name,
    }
}

fn type_name(ty: SqlType) -> String {
    match ty {
        SqlType::Decimal { .. } => "DECIMAL".to_string(),
        SqlType::IntervalShort { .. } => "INTERVAL DAY TO SECOND".to_string(),
        SqlType::IntervalLong { .. } => "INTERVAL YEAR TO MONTH".to_string(),
        other => other.to_string(),
    }
}

fn parameters(function: &Function) -> Vec<String> {
    let name = |parameter: &Param| match parameter {
        Param::Is(ty) => type_name(*ty),
        Param::Same | Param::Any => "any".to_string(),
    };
    function.parameters.iter().map(name).collect()
}

fn result(function: &Function) -> String {
    let types: Vec<SqlType> = function
        .parameters
        .iter()
        .map(|parameter| match parameter {
            Param::Is(ty) => *ty,
            Param::Same | Param::Any => SqlType::Null,
        })
        .collect();
    function.result_type(&types).map_or_else(|_| "as derived".to_string(), type_name)
}

/// A call as a program writes it, with types in the place of arguments.
fn call(function: &Function) -> String {
    let repeats = function.variadic.then(|| "...".to_string());
    written_call(function, &parameters(function).into_iter().chain(repeats).collect::<Vec<_>>(), &result(function))
}

/// A call as a program writes it; `result` is the type of a cast.
pub fn written_call(function: &Function, arguments: &[String], result: &str) -> String {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (first, rest) = function.name.split_once(' ').unwrap_or((function.name, ""));
    match (first, rest, arguments.as_slice()) {
        ("CAST", _, [from]) => format!("CAST({from} AS {result})"),
        ("EXTRACT", unit, [time]) => format!("EXTRACT({unit} FROM {time})"),
        ("TIMESTAMPDIFF" | "TIMESTAMPADD", unit, [a, b]) => format!("{first}({unit}, {a}, {b})"),
        ("DATE_TRUNC" | "TIMESTAMP_TRUNC" | "TIME_TRUNC", unit, [time]) => format!("{first}({time}, {unit})"),
        ("FLOOR" | "CEIL", to, [time]) if !to.is_empty() => format!("{first}({time} {to})"),
        ("TRIM", side, [what, text]) if !side.is_empty() => format!("TRIM({side} {what} FROM {text})"),
        ("SUBTRACT", "SHORT", [a, b]) => format!("({a} - {b}) DAY TO SECOND"),
        ("SUBTRACT", _, [a, b]) => format!("({a} - {b}) YEAR TO MONTH"),
        ("IS", _, [a]) => format!("{a} {}", function.name),
        ("LIKE" | "ILIKE" | "SIMILAR" | "IS", _, [a, b]) => format!("{a} {} {b}", function.name),
        ("LIKE" | "ILIKE" | "SIMILAR", _, [a, b, c]) => format!("{a} {} {b} ESCAPE {c}", function.name),
        ("[]", _, [a, b]) => format!("{a}[{b}]"),
        ("NEG", _, [a]) => format!("-{a}"),
        ("NOT", _, [a]) => format!("NOT {a}"),
        (symbol, _, [a]) if !symbol.starts_with(char::is_alphabetic) => format!("{symbol} {a}"),
        (symbol, _, [a, b]) if !symbol.starts_with(char::is_alphabetic) => format!("{a} {symbol} {b}"),
        _ => format!("{}({})", function.name, arguments.join(", ")),
    }
}

fn text(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        let _ = writeln!(text, "{}{}", if text.is_empty() { "" } else { "\n" }, section.title);
        for entry in &section.entries {
            for (call, result) in &entry.calls {
                let _ = writeln!(text, "  {call} -> {result}");
            }
            let fails = if entry.can_fail { " Can fail." } else { "" };
            let _ = writeln!(text, "      {} NULL: {}.{fails}", entry.doc, entry.nulls);
        }
    }
    text
}

/// What `feldc functions [NAME]` prints: all, the entries of a name, or those whose names contain it; else what is wrong.
pub fn show(name: Option<&str>) -> Result<String, String> {
    let Some(name) = name else { return Ok(text(&sections())) };
    let wanted = name.trim().to_uppercase();
    let chosen = |fits: &dyn Fn(&str) -> bool| -> Vec<Section> {
        let keep = |entry: &Entry| entry.names.iter().any(|name| fits(name));
        let kept = sections()
            .into_iter()
            .map(|section| Section { entries: section.entries.into_iter().filter(keep).collect(), ..section });
        kept.filter(|section| !section.entries.is_empty()).collect()
    };
    let mut found = chosen(&|name| name == wanted);
    if found.is_empty() && !wanted.is_empty() {
        found = chosen(&|name| name.contains(&wanted));
    }
    if !found.is_empty() {
        return Ok(text(&found));
    }
    let names = library::names().filter(|name| name.starts_with(char::is_alphabetic) && !name.contains(' '));
    let near = closest(name.trim(), names.chain(forms::names()));
    let hint = near.map_or_else(|| "feldc functions lists all".to_string(), |near| format!("did you mean {near}?"));
    Err(format!("feldc: there is no function \"{}\"; {hint}", feldc_value::error::clipped(name.to_string())))
}

const HEAD: &str = "# Functions

Generated by `cargo xtask functions`; `feldc functions` prints the same.

The column *NULL* says when the result is NULL. A call marked *fails* has arguments for which it is not defined: the row
with such arguments goes to `error_view`, unless the call stands inside TRY_CAST or is guarded by CASE, COALESCE or AND.
A type in the place of an argument stands for its family: DECIMAL for every precision and scale, VARCHAR for every length
and for CHAR. Arguments of narrower types are cast unasked.
";

/// The page `docs/functions.md`.
pub fn page() -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut page = HEAD.to_string();
    for Section { title, entries } in sections() {
        let mut letters = title.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        let _ = write!(page, "\n## {first}{}\n\n", letters.as_str());
        page += "| call | result | NULL | |\n| --- | --- | --- | --- |\n";
        for entry in entries {
            let column = |part: fn(&(String, String)) -> &str, quote: &str| -> String {
                let lines: Vec<String> =
                    entry.calls.iter().map(|call| format!("{quote}{}{quote}", cell(part(call)))).collect();
                lines.join("<br>")
            };
            let (calls, results) = (column(|(call, _)| call, "`"), column(|(_, result)| result, ""));
            let fails = if entry.can_fail { " *Fails.*" } else { "" };
            let _ = writeln!(page, "| {calls} | {results} | {} | {}{fails} |", cell(entry.nulls), cell(entry.doc));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &[&str]) {
        let shown = show(Some(name)).unwrap_or_else(|message| message);
        for line in expected {
            assert!(shown.contains(line), "{line}\nis not in\n{shown}");
        }
    }

    #[test]
    fn by_name() {
        check("upper", &["text\n  UPPER(VARCHAR) -> VARCHAR\n      Upper case. NULL: when an argument is.\n"]);
        check("DIV_NULL", &["DIV_NULL(DECIMAL, DECIMAL) -> DECIMAL", "NULL: when an argument is, and as said."]);
        check("extract", &["EXTRACT(YEAR FROM DATE) -> BIGINT", "DATE_PART(unit, x)"]);
        check("||", &["  VARCHAR || VARCHAR -> VARCHAR\n"]);
        check("ifnull", &["COALESCE(x, ...); also IFNULL, NVL -> the common type"]);
        check("sum", &["aggregates\n  SUM([DISTINCT] x)"]);
        check("cast", &["CAST(INTEGER AS BIGINT) -> BIGINT", "x::type"]);
        check("regexp_", &["REGEXP_LIKE", "REGEXP_REPLACE", "Can fail."]);
    }

    #[test]
    fn by_no_name() {
        assert_eq!(show(Some("UPER")), Err("feldc: there is no function \"UPER\"; did you mean UPPER?".to_string()));
        assert!(show(Some("Coalesec")).unwrap_err().ends_with("did you mean COALESCE?"));
        assert!(show(Some("")).unwrap_err().ends_with("lists all"));
        assert!(show(Some(&"x".repeat(100_000))).unwrap_err().len() < 1000);
        assert!(!show(None).unwrap().contains("AT_MOST_ONE"));
    }
}
