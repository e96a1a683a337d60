//! Checks the connectors' configuration at compile time, as the pipeline will read it.

use crate::diagnostic::Diagnostic;
use crate::plan::{Program, Span};
use feldc_pipeline::glue::validate_connectors;
use feldc_pipeline::schema::Schema;

pub fn check(program: &Program, schema: &Schema) -> Vec<Diagnostic> {
    let problems = validate_connectors(schema);
    problems
        .into_iter()
        .map(|problem| {
            let headline = format!("connector of \"{}\": {}", problem.relation, problem.message);
            let diagnostic = Diagnostic::error("22023", headline, span(program, &problem.relation))
                .label(format!("in {}", problem.path));
            match problem.help {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            }
        })
        .collect()
}

fn span(program: &Program, relation: &str) -> Span {
    let table = program.tables.iter().find(|table| table.name == relation).map(|table| table.span);
    let view = || program.views.iter().find(|view| view.name == relation).map(|view| view.span);
    table.or_else(view).unwrap_or_default()
}
