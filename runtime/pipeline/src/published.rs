//! The schema as users of this kind of system know it: `{inputs, outputs}` of relations, fields and column types.

use crate::schema::{Field, Schema, Table, View};
use feldc_value::{ColumnType, IntervalUnit, RowField, SqlType};
use serde_json::{Value, json};

/// The JSON of `feldc compile --emit=schema`.
pub fn published(schema: &Schema) -> Value {
    json!({
        "inputs": schema.tables.iter().map(input).collect::<Vec<_>>(),
        "outputs": schema.views.iter().map(output).collect::<Vec<_>>(),
    })
}

fn input(table: &Table) -> Value {
    let key = |&position: &usize| table.fields[position].name.clone();
    json!({
        "name": table.name,
        "case_sensitive": table.case_sensitive,
        "fields": table.fields.iter().map(field).collect::<Vec<_>>(),
        "primary_key": (!table.primary_key.is_empty()).then(|| table.primary_key.iter().map(key).collect::<Vec<_>>()),
        "materialized": table.materialized,
    })
}

fn output(view: &View) -> Value {
    json!({
        "name": view.name,
        "case_sensitive": view.case_sensitive,
        "fields": view.fields.iter().map(field).collect::<Vec<_>>(),
        "primary_key": null,
        "materialized": view.materialized,
    })
}

fn field(field: &Field) -> Value {
    json!({
        "name": field.name,
        "case_sensitive": field.case_sensitive,
        "columntype": column_type(field.columntype),
        "default": field.default,
        "lateness": null,
        "watermark": null,
        "unused": false,
    })
}

fn column_type(column: ColumnType) -> Value {
    let (precision, scale) = match column.ty {
        SqlType::Decimal { precision, scale } => (json!(precision), json!(scale)),
        SqlType::Char { length } => (json!(length), Value::Null),
        SqlType::Varchar { length } => (json!(length.map_or(-1, i64::from)), Value::Null),
        SqlType::Time => (json!(9), Value::Null),
        SqlType::Timestamp | SqlType::TimestampTz => (json!(6), Value::Null),
        SqlType::Binary { length } => (json!(length), Value::Null),
        SqlType::Varbinary { length } => (json!(length.map_or(-1, i64::from)), Value::Null),
        _ => (Value::Null, Value::Null),
    };
    let part = |ty: SqlType| column_type(ColumnType::new(ty, true));
    let (component, fields, key, value) = match column.ty {
        SqlType::Array(element) => (part(*element), Value::Null, Value::Null, Value::Null),
        SqlType::Map(entry) => (Value::Null, Value::Null, part(entry.0.0), part(entry.0.1)),
        SqlType::Row(fields) => (Value::Null, fields.iter().map(row_field).collect(), Value::Null, Value::Null),
        _ => (Value::Null, Value::Null, Value::Null, Value::Null),
    };
    json!({
        "type": type_name(column.ty),
        "nullable": column.nullable,
        "precision": precision,
        "scale": scale,
        "component": component,
        "fields": fields,
        "key": key,
        "value": value,
    })
}

fn row_field(field: &RowField) -> Value {
    json!({ "name": field.name.0, "columntype": column_type(field.columntype) })
}

fn type_name(ty: SqlType) -> String {
    match ty {
        SqlType::Decimal { .. } => "DECIMAL".into(),
        SqlType::Char { .. } => "CHAR".into(),
        SqlType::Varchar { .. } => "VARCHAR".into(),
        SqlType::UTinyInt => "UTINYINT".into(),
        SqlType::USmallInt => "USMALLINT".into(),
        SqlType::UInteger => "UINTEGER".into(),
        SqlType::UBigInt => "UBIGINT".into(),
        SqlType::Binary { .. } => "BINARY".into(),
        SqlType::Varbinary { .. } => "VARBINARY".into(),
        SqlType::TimestampTz => "TIMESTAMP_TZ".into(),
        SqlType::Array(_) => "ARRAY".into(),
        SqlType::Map(_) => "MAP".into(),
        SqlType::Row(_) => "STRUCT".into(),
        SqlType::IntervalShort { from, to } | SqlType::IntervalLong { from, to } => {
            let unit = |unit: IntervalUnit| format!("{unit:?}").to_uppercase();
            match from == to {
                true => format!("INTERVAL_{}", unit(from)),
                false => format!("INTERVAL_{}_{}", unit(from), unit(to)),
            }
        }
        plain => plain.to_string(),
    }
}
