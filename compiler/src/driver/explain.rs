//! `feldc explain`: what each view computes, by which operators, with which keys and what state they keep.

use super::Compiled;
use super::cli::{self, Stop};
use super::state::{Kept, kept};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub const HELP: &str = "Examples:
  feldc explain program.sql
  feldc explain program.sql --format json | jq '.state[] | select(.rows_max == null)'
  feldc explain program.sql --deny unbounded-state > /dev/null   in continuous integration

Exit codes: 0 explained; 1 the program has errors, or what is denied; 2 wrong usage.";

#[derive(Args)]
pub struct ExplainArguments {
    file: PathBuf,
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Fail when the program has this
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Vec<Deny>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Deny {
    /// Operators whose state grows for as long as rows come
    UnboundedState,
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<ExitCode, Stop> {
    let compiled = cli::load(&arguments.file)?;
    match arguments.format {
        Format::Text => cli::print(format_args!("{}", explain(&compiled)))?,
        Format::Json => cli::print(format_args!("{:#}\n", explain_json(&compiled)))?,
    };
    let denied = arguments.deny.contains(&Deny::UnboundedState);
    match unbounded(&compiled, &arguments.file.display().to_string()).filter(|_| denied) {
        Some(message) => Err(cli::program_fault(message)),
        None => Ok(ExitCode::SUCCESS),
    }
}

pub fn explain(compiled: &Compiled) -> String {
    let mut text = String::from("plan\n");
    let _ = writeln!(text, "{}", compiled.program);
    text += "circuit, in the order of each step\n";
    let _ = writeln!(text, "{}", compiled.circuit);
    text += "state\n";
    let kept = kept(compiled);
    match kept.is_empty() {
        true => text += "  none: every operator is linear\n",
        false => kept.iter().for_each(|kept| text += &format!("  n{}: {}; {}\n", kept.node, kept.what, kept.bound())),
    }
    text
}

/// The same for programs: plan as lines of text, the operators with their inputs, the state.
fn explain_json(compiled: &Compiled) -> Value {
    let node = |(at, node): (usize, &crate::circuit::Node)| {
        json!({
            "node": at,
            "operator": node.op.name(),
            "inputs": node.op.inputs().iter().map(|input| input.0).collect::<Vec<_>>(),
            "text": node.to_string(),
            "columns": node.layout.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "view": node.view.and_then(|view| compiled.program.views.get(view.0)).map(|view| &view.name),
            "line": node.span.line,
            "column": node.span.column,
        })
    };
    let state = |kept: &Kept| {
        json!({
            "node": kept.node,
            "keeps": kept.what,
            "rows_max": kept.rows_max,
            "tables": kept.tables,
            "view": kept.view,
            "line": kept.span.line,
            "column": kept.span.column,
        })
    };
    json!({
        "schema": feldc_pipeline::published::published(&compiled.schema),
        "plan": compiled.program.to_string().lines().collect::<Vec<_>>(),
        "circuit": compiled.circuit.nodes.iter().enumerate().map(node).collect::<Vec<_>>(),
        "state": kept(compiled).iter().map(state).collect::<Vec<_>>(),
    })
}

/// The operators whose state nothing bounds, with places and remedies.
fn unbounded(compiled: &Compiled, file: &str) -> Option<String> {
    let kept = kept(compiled);
    let growing: Vec<&Kept> = kept.iter().filter(|kept| kept.rows_max.is_none()).collect();
    if growing.is_empty() {
        return None;
    }
    let count = cli::count(growing.len(), "operator");
    let mut text = format!("feldc: {count} of {file} may keep ever more (--deny unbounded-state)\n");
    for Kept { node, what, tables, view, span, .. } in growing {
        let owner = view.as_ref().map_or_else(String::new, |view| format!(" of view {view}"));
        text += &format!("  {file}:{}:{}: n{node}{owner} keeps {what}\n", span.line, span.column);
        text += &format!("      and grows with the distinct rows present in {}\n", tables.join(", "));
    }
    text += "  = note: rows leave this state when they are deleted from the tables; the language has no LATENESS yet, which would let go\n";
    text += "    of old rows by itself\n";
    let append_only = compiled.program.tables.iter().filter(|table| table.append_only);
    let names: Vec<&str> = append_only.map(|table| table.name.as_str()).collect();
    if !names.is_empty() {
        text += &format!("  = note: nothing is ever deleted from {} ('append_only')\n", names.join(", "));
    }
    text += "  = help: delete rows that are no longer needed, filter before joins and groups, or group by columns of few values\n";
    text +=
        "    (BOOLEAN, TINYINT, SMALLINT); aggregates without GROUP BY other than MIN, MAX and DISTINCT keep one row";
    Some(text)
}
