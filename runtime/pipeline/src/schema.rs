//! What a pipeline knows of its program: tables, views, their columns and connectors. The compiler writes it as JSON;
//! formats and the server are driven by it.

use feldc_value::ColumnType;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// In the order of `Builder::table` and `Builder::keyed_table` calls.
    pub tables: Vec<Table>,
    /// In the order of `Builder::output` calls (LOCAL views are not outputs and are absent).
    pub views: Vec<View>,
    /// `SET on_error = 'fail'`: an evaluation error stops the pipeline instead of becoming a row of `error_view`.
    pub fail_on_error: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub name: String,
    /// Written in double quotes: matched exactly.
    pub case_sensitive: bool,
    /// In SQL order.
    pub fields: Vec<Field>,
    /// The row layout the engine expects: for each physical column the SQL position of its field.
    pub physical: Vec<usize>,
    /// SQL positions of the primary key's fields, in key order (a prefix of `physical`); empty without key.
    pub primary_key: Vec<usize>,
    pub materialized: bool,
    /// The `connectors` property: a JSON array, `[]` when absent.
    pub connectors: serde_json::Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub name: String,
    pub case_sensitive: bool,
    pub fields: Vec<Field>,
    /// For each physical column of the output rows the SQL position of its field.
    pub physical: Vec<usize>,
    pub materialized: bool,
    pub connectors: serde_json::Value,
    /// Declared indexes (CREATE INDEX): name and SQL positions of their columns.
    pub indexes: Vec<(String, Vec<usize>)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    pub case_sensitive: bool,
    pub columntype: ColumnType,
    /// DEFAULT, evaluated at compile time, as the text that CAST(text AS type) reads; `None` without DEFAULT.
    pub default: Option<String>,
}
