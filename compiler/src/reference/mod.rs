//! What a program means, evaluated from scratch on bags of rows: the oracle of the test suites.
//!
//! Slow and plain on purpose. It shares nothing with the engine but the function registry: nested loops, subqueries
//! evaluated again for every row, no rewrite needed. It takes plans both before and after `rewrite`.
//!
//! Errors are data, as in a pipeline: a row whose evaluation fails gives no row and is recorded.
//! * Of a search or join condition, the conjuncts that cannot fail are evaluated first, then the others in text order; the
//!   first that is not TRUE ends it.
//! * A pair whose join condition fails is no match.
//! * A group whose aggregate fails gives no row. A scalar subquery over no row is NULL, so a scalar subquery over
//!   a failed aggregate is NULL too.
//! * What a scalar subquery computes from the row of an aggregate without GROUP BY belongs to the enclosing
//!   expression: when it fails, the enclosing row does.

mod aggregate;
mod expression;
mod order;
mod relation;
mod statistics;

pub use order::{compare, compare_rows};

use crate::plan::{ColumnId, Plan, Program};
use feldc_value::{EvalError, Value};

pub type Row = Vec<Value>;

/// The contents of a view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The SQL columns of each row, sorted; equal rows as often as they occur.
    pub rows: Vec<Row>,
    /// One for each failed evaluation. A subquery is evaluated again for each outer row, and so are its failures.
    pub errors: Vec<EvalError>,
}

/// The contents of every view, in the order of `program.views`, when the tables hold these rows (in the order of
/// `program.tables`, columns in SQL order, for keyed tables one row per key).
pub fn evaluate(program: &Program, tables: &[Vec<Row>]) -> Vec<Contents> {
    let mut views: Vec<Contents> = vec![];
    for view in &program.views {
        let mut evaluation = Evaluation { tables, views: &views, errors: vec![], parameters: vec![] };
        let ids: Vec<ColumnId> = view.plan.columns().iter().map(|column| column.id).collect();
        let rows = evaluation.rows(&view.plan, None);
        let pick = |row: &Row| -> Row {
            let scope = Scope { columns: &ids, row, outer: None };
            view.columns.iter().map(|column| scope.get(column.id)).collect()
        };
        let mut rows: Vec<Row> = rows.iter().map(pick).collect();
        rows.sort_by(|a, b| compare_rows(a, b));
        let errors = evaluation.errors;
        views.push(Contents { rows, errors });
    }
    views
}

/// The evaluation of one view.
struct Evaluation<'a> {
    tables: &'a [Vec<Row>],
    views: &'a [Contents],
    errors: Vec<EvalError>,
    /// The elements that lambdas around the current expression stand for.
    parameters: Vec<(u32, Value)>,
}

/// The columns an expression may name: those of its operator's input, then those of the enclosing queries.
#[derive(Clone, Copy)]
struct Scope<'a> {
    columns: &'a [ColumnId],
    row: &'a [Value],
    outer: Option<&'a Scope<'a>>,
}

impl Scope<'_> {
    fn get(&self, id: ColumnId) -> Value {
        match (self.columns.iter().position(|column| *column == id), self.outer) {
            (Some(position), _) => self.row[position].clone(),
            (None, Some(outer)) => outer.get(id),
            // `rewrite`'s checks exclude it.
            (None, None) => Value::Null,
        }
    }
}

/// The ids of a plan's columns.
fn ids(plan: &Plan) -> Vec<ColumnId> {
    plan.columns().iter().map(|column| column.id).collect()
}
