//! Tables and views by name, and what the engine needs to know of them.

use crate::schema::{Field, Schema, Table, View};
use crate::suggest;
use feldc_engine::{Batch, Layout, errors};
use feldc_value::Value;

/// The position of the relation called `name`: exact for one declared in double quotes, else in any case.
///
/// # Errors
/// A remedy to put behind "no table ...".
pub fn find<'a>(relations: impl Iterator<Item = (&'a str, bool)> + Clone, name: &str) -> Result<usize, String> {
    let exact = relations.clone().position(|(known, _)| known == name);
    let folded = || {
        let name = name.to_lowercase();
        relations.clone().position(|(known, case_sensitive)| !case_sensitive && known.to_lowercase() == name)
    };
    exact.or_else(folded).ok_or_else(|| match suggest::nearest(name, relations.clone().map(|(known, _)| known)) {
        Some(near) => format!("; did you mean {near:?}?"),
        None => match relations.map(|(known, _)| known).take(10).collect::<Vec<_>>() {
            known if known.is_empty() => "; the program has none".to_owned(),
            known => format!("; there are {}", known.join(", ")),
        },
    })
}

pub fn find_table(schema: &Schema, name: &str) -> Result<usize, String> {
    find(schema.tables.iter().map(|table| (table.name.as_str(), table.case_sensitive)), name)
}

pub fn find_view(schema: &Schema, name: &str) -> Result<usize, String> {
    find(schema.views.iter().map(|view| (view.name.as_str(), view.case_sensitive)), name)
}

fn layout(fields: &[Field], physical: &[usize]) -> Layout {
    Layout::new(physical.iter().map(|&position| fields[position].columntype).collect())
}

pub fn table_layout(table: &Table) -> Layout {
    layout(&table.fields, &table.physical)
}

pub fn view_layout(view: &View) -> Layout {
    layout(&view.fields, &view.physical)
}

/// The first row of an error delta as one sentence, for a program that stops on errors.
pub fn first_error(errors: &Batch) -> String {
    let Some((row, _)) = errors.iter().find(|(_, weight)| *weight > 0) else {
        return "an evaluation failed".to_owned();
    };
    let values = errors::layout().decode(row);
    let text = |position: usize| match values.get(position) {
        Some(Value::Text(text)) => text.to_string(),
        _ => String::new(),
    };
    let metadata: serde_json::Value = serde_json::from_str(&text(2)).unwrap_or_default();
    let place = match (metadata["line"].as_u64(), metadata["column"].as_u64()) {
        (Some(line), Some(column)) if line > 0 => format!(", line {line} column {column}"),
        _ => String::new(),
    };
    let code = metadata["sqlstate"].as_str().map(|code| format!("SQLSTATE {code}, ")).unwrap_or_default();
    format!("{} ({code}in {:?}{place})", text(1), text(0))
}
