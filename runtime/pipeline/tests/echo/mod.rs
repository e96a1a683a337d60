//! Programs without a compiler: every table is passed on as the view beside it. A row whose bytes hold the word `boom`
//! fails to evaluate.

// The example has its schema from a file, the process tests leave the program to the example.
#![allow(dead_code)]

use feldc_pipeline::glue::{Batch, Builder, Errors, Layout, Program, SqlError, map_rows};
use feldc_pipeline::schema::{Field, Schema, Table, View};
use feldc_value::{ColumnType, SqlType};
use serde_json::Value;
use std::sync::Arc;

fn field(name: &str, ty: SqlType, nullable: bool) -> Field {
    let columntype = ColumnType::new(ty, nullable);
    Field { name: name.to_owned(), case_sensitive: false, columntype, default: None }
}

/// `t (k BIGINT NOT NULL, v VARCHAR, d DECIMAL(12, 2))` as the materialized view `tv`;
/// `u (id INTEGER PRIMARY KEY, name VARCHAR)` as the view `uv`.
pub fn schema(t: Value, tv: Value, fail_on_error: bool) -> Schema {
    let fields = vec![
        field("k", SqlType::BigInt, false),
        field("v", SqlType::VARCHAR, true),
        field("d", SqlType::Decimal { precision: 12, scale: 2 }, true),
    ];
    let keyed = vec![field("id", SqlType::Integer, false), field("name", SqlType::VARCHAR, true)];
    let table = |name: &str, fields: &[Field], physical: &[usize], primary_key: &[usize], connectors: Value| Table {
        name: name.to_owned(),
        case_sensitive: false,
        fields: fields.to_vec(),
        physical: physical.to_vec(),
        primary_key: primary_key.to_vec(),
        materialized: false,
        connectors,
    };
    let view = |name: &str, fields: &[Field], physical: &[usize], materialized: bool, connectors: Value| View {
        name: name.to_owned(),
        case_sensitive: false,
        fields: fields.to_vec(),
        physical: physical.to_vec(),
        materialized,
        connectors,
        indexes: Vec::new(),
    };
    Schema {
        tables: vec![table("t", &fields, &[0, 2, 1], &[], t), table("u", &keyed, &[0, 1], &[0], Value::Null)],
        views: vec![view("tv", &fields, &[0, 2, 1], true, tv), view("uv", &keyed, &[0, 1], false, Value::Null)],
        fail_on_error,
    }
}

pub fn program(schema: Schema) -> Program {
    let shared = Arc::new(schema);
    let schema = shared.clone();
    Program { schema: shared, build: Arc::new(move |builder| build(&schema, builder)) }
}

fn build(schema: &Schema, builder: &mut Builder) {
    for (table, view) in schema.tables.iter().zip(&schema.views) {
        let types = table.physical.iter().map(|&position| table.fields[position].columntype);
        let layout = Layout::new(types.collect());
        let rows = match table.primary_key.len() {
            0 => builder.table(&table.name, layout.clone(), false),
            key => builder.keyed_table(&table.name, layout.clone(), key),
        };
        let kernel = Box::new(|input: &Batch, out: &mut Batch, errors: &mut Errors| {
            map_rows(input, out, errors, |row, buffer| {
                if row.windows(4).any(|word| word == b"boom") {
                    return Err(SqlError::new("22012", "division by zero").at(3, 14));
                }
                buffer.extend_from_slice(row);
                Ok(true)
            });
        });
        let mapped = builder.map(rows, layout, &view.name, kernel);
        builder.output(&view.name, mapped, view.materialized);
    }
}
