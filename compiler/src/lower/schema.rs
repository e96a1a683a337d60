//! What the pipeline must know of a program, in the order and with the row layouts of its circuit.

use super::order::{table_order, view_order};
use crate::plan::{Program, Table, View, ViewKind};
use feldc_pipeline::schema;

/// Tables in program order, then every view that is not LOCAL in program order, as the circuit has them.
pub fn schema(program: &Program) -> schema::Schema {
    let views = program.views.iter().filter(|view| view.kind != ViewKind::Local);
    schema::Schema {
        tables: program.tables.iter().map(table).collect(),
        views: views.map(view).collect(),
        fail_on_error: program.fail_on_error,
    }
}

fn table(table: &Table) -> schema::Table {
    let field = |column: &crate::plan::TableColumn| schema::Field {
        name: column.name.clone(),
        case_sensitive: column.case_sensitive,
        columntype: column.ty,
        default: column.default.clone(),
    };
    schema::Table {
        name: table.name.clone(),
        case_sensitive: table.case_sensitive,
        fields: table.columns.iter().map(field).collect(),
        physical: table_order(table),
        primary_key: table.primary_key.clone(),
        materialized: table.materialized,
        connectors: table.connectors.clone(),
    }
}

fn view(view: &View) -> schema::View {
    let field = |column: &crate::plan::ViewColumn| schema::Field {
        name: column.name.clone(),
        case_sensitive: column.case_sensitive,
        columntype: column.ty,
        default: None,
    };
    schema::View {
        name: view.name.clone(),
        case_sensitive: view.case_sensitive,
        fields: view.columns.iter().map(field).collect(),
        physical: view_order(view),
        materialized: view.kind == ViewKind::Materialized,
        connectors: view.connectors.clone(),
        indexes: view.indexes.clone(),
    }
}
