//! Runs a circuit at once: every node becomes the `Builder` call of the same name, with kernels that walk expression
//! trees. Operators and functions are those of native code, so results are the same bytes.

mod expr;
mod kernel;

use crate::circuit::{Circuit, Node, Op};
use crate::plan::{Expr, View};
use feldc_engine::{Batch, Builder, IndexId, Layout, Side, StreamId};
use feldc_pipeline::glue;
use feldc_pipeline::schema::Schema;
use feldc_value::{EvalError, Value};
use std::sync::Arc;

/// A circuit that passes [`crate::circuit::check`], ready to run. `views`: all of the program's, for error rows.
pub fn program(circuit: Arc<Circuit>, schema: Schema, views: &[View]) -> glue::Program {
    let schema = Arc::new(schema);
    let names: Vec<String> = views.iter().map(|view| view.name.clone()).collect();
    let table_names: Vec<String> = schema.tables.iter().map(|table| table.name.clone()).collect();
    let build = move |builder: &mut Builder| build(&circuit, &table_names, &names, builder);
    glue::Program { schema, build: Arc::new(build) }
}

/// The value of an expression that reads no column.
///
/// # Errors
/// The evaluation error, placed.
pub fn evaluate_constant(expr: &Expr) -> Result<Value, EvalError> {
    expr::Code::new(expr).evaluate(&[])
}

/// What a node is for the builder.
#[derive(Clone, Copy)]
enum Built {
    Stream(StreamId),
    Index(IndexId),
    Nothing,
}

fn build(circuit: &Circuit, tables: &[String], views: &[String], builder: &mut Builder) {
    let mut building = Building { circuit, tables, views, built: Vec::with_capacity(circuit.nodes.len()) };
    for node in &circuit.nodes {
        let built = building.node(node, builder);
        building.built.push(built);
    }
}

struct Building<'a> {
    circuit: &'a Circuit,
    tables: &'a [String],
    views: &'a [String],
    built: Vec<Built>,
}

impl Building<'_> {
    fn node(&self, node: &Node, builder: &mut Builder) -> Built {
        let layout = || Layout::new(node.layout.clone());
        let view = node.view.and_then(|view| self.views.get(view.0)).map_or("", String::as_str);
        let stream = match &node.op {
            Op::Table { table, stored } => builder.table(&self.tables[table.0], layout(), *stored),
            Op::KeyedTable { table, key } => builder.keyed_table(&self.tables[table.0], layout(), *key),
            Op::Constant { rows } => builder.constant(layout(), constant(&layout(), rows)),
            Op::Map { input, kernel } => {
                let kernel = kernel::map_kernel(kernel, self.columns(*input), &node.layout);
                builder.map(self.stream(*input), layout(), view, kernel)
            }
            Op::Union { inputs } => {
                let inputs: Vec<StreamId> = inputs.iter().map(|input| self.stream(*input)).collect();
                builder.union(&inputs)
            }
            Op::Negate { input } => builder.negate(self.stream(*input)),
            Op::Exchange { input, key } => builder.exchange(self.stream(*input), *key),
            Op::Index { input, key } => return Built::Index(builder.index(self.stream(*input), *key)),
            Op::Update { index } => builder.update(self.index(*index)),
            Op::Join { delta, index, delta_side, kernel } => {
                let (left, right) = match delta_side {
                    Side::Left => (*delta, *index),
                    Side::Right => (*index, *delta),
                };
                let kernel = kernel::join_kernel(kernel, self.columns(left), self.columns(right), &node.layout);
                builder.join(self.stream(*delta), self.index(*index), *delta_side, layout(), view, kernel)
            }
            Op::RangeJoin { left, right, key, left_bounds, right_bounds, kernel } => {
                let kernel = kernel::join_kernel(kernel, self.columns(*left), self.columns(*right), &node.layout);
                let sides = ((self.stream(*left), *left_bounds), (self.stream(*right), *right_bounds));
                builder.range_join(sides.0, sides.1, *key, layout(), view, kernel)
            }
            Op::Semi { delta, index } => builder.semi(self.stream(*delta), self.index(*index)),
            Op::Anti { delta, index } => builder.anti(self.stream(*delta), self.index(*index)),
            Op::Distinct { input } => builder.distinct(self.stream(*input)),
            Op::Positive { input } => builder.positive(self.stream(*input)),
            Op::Aggregate { input, key, aggregates, scalar } => {
                builder.aggregate(self.stream(*input), *key, aggregates.clone(), *scalar, view)
            }
            Op::TopK { input, partition, order, window } => {
                builder.top_k(self.stream(*input), *partition, order.clone(), *window)
            }
            Op::Unnest { input, arrays, ordinality, outer } => {
                builder.unnest(self.stream(*input), *arrays, *ordinality, *outer)
            }
            Op::Output { input, view, stored } => {
                builder.output(&self.views[view.0], self.stream(*input), *stored);
                return Built::Nothing;
            }
        };
        Built::Stream(stream)
    }

    fn columns(&self, id: crate::circuit::NodeId) -> &[feldc_value::ColumnType] {
        &self.circuit.nodes[id.0].layout
    }

    fn stream(&self, id: crate::circuit::NodeId) -> StreamId {
        match self.built[id.0] {
            Built::Stream(stream) => stream,
            Built::Index(_) | Built::Nothing => unreachable!("circuit::check: {id} is a stream"),
        }
    }

    fn index(&self, id: crate::circuit::NodeId) -> IndexId {
        match self.built[id.0] {
            Built::Index(index) => index,
            Built::Stream(_) | Built::Nothing => unreachable!("circuit::check: {id} is an index"),
        }
    }
}

fn constant(layout: &Layout, rows: &[Vec<Value>]) -> Batch {
    let mut batch = Batch::new(layout.stride());
    for row in rows {
        layout.encode(row, batch.buffer());
        batch.commit(1);
    }
    batch
}
