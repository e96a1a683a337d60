//! A running circuit with rows pushed by table name, in SQL column order.

pub mod tpch;

use feldc_engine::{Batch, Builder, Layout, Runtime, StepInput, StepOutput};
use feldc_pipeline::schema::{Field, Schema, Table};
use feldc_value::{ColumnType, SqlType, Value};

pub struct Tables {
    schema: Schema,
    layouts: Vec<Layout>,
    pending: Vec<Batch>,
    runtime: Runtime,
    output: Option<StepOutput>,
}

fn layout(fields: &[Field], physical: &[usize]) -> Layout {
    Layout::new(physical.iter().map(|&position| fields[position].columntype).collect())
}

/// The value as a format would bring it: CHAR is blank-padded.
fn padded(value: &Value, column: ColumnType) -> Value {
    match (value, column.ty) {
        (Value::Text(text), SqlType::Char { length }) => Value::text(format!("{text:<width$}", width = length as usize)),
        _ => value.clone(),
    }
}

impl Tables {
    pub fn new(schema: &str, workers: usize, build: fn(&mut Builder)) -> Tables {
        let schema: Schema = serde_json::from_str(schema).expect("the compiler's schema");
        let layouts: Vec<Layout> = schema.tables.iter().map(|table| layout(&table.fields, &table.physical)).collect();
        let pending = layouts.iter().map(|layout| Batch::new(layout.stride())).collect();
        Tables { schema, layouts, pending, runtime: Runtime::new(workers, build), output: None }
    }

    pub fn push(&mut self, table: &str, row: &[Value], weight: i64) {
        let at = self.schema.tables.iter().position(|t| t.name == table).expect("a table of the program");
        self.push_at(at, row, weight);
    }

    pub fn push_at(&mut self, table: usize, row: &[Value], weight: i64) {
        let Table { physical, fields, .. } = &self.schema.tables[table];
        let values: Vec<Value> = physical.iter().map(|&at| padded(&row[at], fields[at].columntype)).collect();
        self.layouts[table].encode(&values, self.pending[table].buffer());
        self.pending[table].commit(weight);
    }

    /// Runs one step over what was pushed.
    pub fn step(&mut self) {
        let mut inputs = Vec::new();
        for (table, rows) in self.pending.iter_mut().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let rows = std::mem::replace(rows, Batch::new(self.layouts[table].stride()));
            inputs.push(StepInput { table, rows });
        }
        self.output = Some(self.runtime.step(inputs));
    }

    /// Σ weight · column over the last delta of a view.
    pub fn checksum(&self, view: usize, column: &str) -> i128 {
        let definition = &self.schema.views[view];
        let position = definition.fields.iter().position(|field| field.name == column).expect("a column of the view");
        let at = definition.physical.iter().position(|&other| other == position).expect("a physical column");
        let layout = layout(&definition.fields, &definition.physical);
        let offset = layout.offset(at);
        let ColumnType { ty, nullable } = definition.fields[position].columntype;
        let batch = &self.output.as_ref().expect("a step was run").views[view];
        let value = |row: &[u8]| match offset {
            Some(offset) if ty.fixed_width() == Some(8) => {
                feldc_engine::row::get_i64(row, offset + usize::from(nullable)) as i128
            }
            Some(offset) if ty.fixed_width() == Some(16) => {
                feldc_engine::row::get_i128(row, offset + usize::from(nullable))
            }
            Some(offset) if ty.fixed_width() == Some(4) => {
                i128::from(feldc_engine::row::get_i32(row, offset + usize::from(nullable)))
            }
            _ => panic!("{column} is no fixed-width number"),
        };
        batch.iter().map(|(row, weight)| value(row) * i128::from(weight)).sum()
    }

    /// Σ weight over the last delta of a view.
    pub fn weight(&self, view: usize) -> i128 {
        let batch = &self.output.as_ref().expect("a step was run").views[view];
        batch.iter().map(|(_, weight)| i128::from(weight)).sum()
    }
}
