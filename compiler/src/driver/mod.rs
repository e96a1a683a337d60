//! Runs the phases in order. The only room that sees them all.

pub mod cli;
mod connectors;
pub mod explain;

use crate::circuit::Circuit;
use crate::diagnostic::{self, Diagnostic};
use crate::plan::Program;
use crate::{bind, incremental, interpret, lower, parse, rewrite};
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
    /// The program as a circuit that walks expression trees: starts without rustc.
    pub fn interpreted(&self) -> glue::Program {
        interpret::program(self.circuit.clone(), self.schema.clone())
    }
}

/// Compiles `text`; `file` names it in messages.
///
/// # Errors
/// All diagnostics found, rendered.
pub fn compile(file: &str, text: &str) -> Result<Compiled, String> {
    let (program, warnings) = front(file, text)?;
    let program = rewrite::rewrite(program);
    let circuit = incremental::compile(&program).map_err(|fault| render(file, text, &[unsupported(&fault)]))?;
    let schema = lower::schema(&program);
    let problems = connectors::check(&program, &schema);
    if !problems.is_empty() {
        return Err(render(file, text, &problems));
    }
    Ok(Compiled { program, circuit: Arc::new(circuit), schema, warnings })
}

/// Parses and binds.
pub fn front(file: &str, text: &str) -> Result<(Program, String), String> {
    let (statements, mut diagnostics) = parse::parse(text);
    match bind::bind(&statements, text) {
        Ok((program, warnings)) if diagnostics.is_empty() => Ok((program, render(file, text, &warnings))),
        Ok(_) => Err(render(file, text, &diagnostics)),
        Err(found) => {
            diagnostics.extend(found);
            Err(render(file, text, &diagnostics))
        }
    }
}

fn render(file: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    diagnostic::render(diagnostics, file, text)
}
