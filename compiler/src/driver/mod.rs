//! Runs the phases in order. The only room that sees them all.

pub mod cli;
mod completion;
mod connectors;
pub mod explain;
pub mod fmt;
pub mod functions;
pub mod fuzz;
mod junit;
mod state;
pub mod test;
pub mod udf;

use crate::circuit::{self, Circuit};
use crate::diagnostic::{self, Diagnostic};
use crate::plan::Program;
use crate::{bind, emit, incremental, interpret, lower, parse, rewrite};
use feldc_pipeline::glue;
use feldc_pipeline::schema::Schema;
use std::sync::Arc;

/// Everything a program compiles to before it is emitted or interpreted.
pub struct Compiled {
    pub program: Program,
    pub circuit: Arc<Circuit>,
    pub schema: Schema,
    /// Rendered warnings and notes, empty when there are none.
    pub warnings: String,
}

impl Compiled {
    /// Why the program cannot be interpreted; `instead` is what else to do.
    pub fn only_native(&self, instead: &str) -> Option<String> {
        let called = emit::called_functions(&self.circuit);
        (!called.is_empty()).then(|| {
            let (noun, they) = if called.len() == 1 { ("function", "it is") } else { ("functions", "they are") };
            format!(
                "the program calls the {noun} {}, and {they} in Rust, which cannot be interpreted: {instead}",
                called.join(", ")
            )
        })
    }

    /// The program as a circuit that walks expression trees: starts without rustc.
    pub fn interpreted(&self) -> glue::Program {
        interpret::program(self.circuit.clone(), self.schema.clone(), &self.program.views)
    }
}

/// Compiles `text`; `file` names it in messages.
///
/// # Errors
/// All diagnostics found, rendered.
pub fn compile(file: &str, text: &str) -> Result<Compiled, String> {
    let (program, warnings) = front(file, text)?;
    let program = rewrite::rewrite(program);
    let circuit = circuit_of(&program).map_err(|fault| render(file, text, &[unsupported(&fault)]))?;
    let schema = lower::schema(&program);
    let problems = connectors::check(&program, &schema);
    if !problems.is_empty() {
        return Err(render(file, text, &problems));
    }
    Ok(Compiled { program, circuit: Arc::new(circuit), schema, warnings })
}

/// Parses and binds. A program that does not parse is not bound: what refers to a broken statement is no fault.
pub fn front(file: &str, text: &str) -> Result<(Program, String), String> {
    let (statements, faults) = parse::parse(text);
    if faults.iter().any(Diagnostic::is_error) {
        return Err(render(file, text, &faults));
    }
    let (program, warnings) = bind::bind(&statements, text).map_err(|faults| render(file, text, &faults))?;
    Ok((program, render(file, text, &[faults, warnings].concat())))
}

/// The statements as parsed, one after the other.
pub fn ast(text: &str) -> String {
    parse::parse(text).0.iter().map(|statement| format!("{statement}\n")).collect()
}

/// Lowers, makes incremental and checks the result: a circuit that breaks a rule is our fault and goes no further.
fn circuit_of(program: &Program) -> Result<Circuit, lower::Unsupported> {
    let circuit = incremental::incremental(&lower::lower(program)?);
    match circuit::check::check(&circuit) {
        Ok(()) => Ok(circuit),
        Err(rule) => Err(lower::internal(format!("the circuit breaks a rule: {rule}"), Default::default())),
    }
}

fn unsupported(fault: &lower::Unsupported) -> Diagnostic {
    Diagnostic::error(fault.code, &fault.message, fault.span).help(&fault.help)
}

fn render(file: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    diagnostic::render(diagnostics, file, text, diagnostic::Style::Plain)
}
