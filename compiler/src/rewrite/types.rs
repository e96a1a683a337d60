//! Brings types up to date after a rewrite: a column that became nullable, or no longer is, changes the expressions
//! that read it.

use super::form::reference;
use super::walk::take;
use crate::plan::{Column, ColumnId, Plan, ViewColumn};
use feldc_value::ColumnType;
use std::collections::BTreeMap;

type Types = BTreeMap<ColumnId, ColumnType>;

/// Gives every column reference the type its column has, and every expression the nullability that follows.
/// The declared columns of projections keep their types: they may be nullable over an expression that is not.
pub fn retype(plan: &mut Plan) {
    plan.children_mut().into_iter().for_each(retype);
    let types = inputs(plan);
    for expr in plan.expressions_mut() {
        expr.update_nullability(&|id| types.get(&id).copied());
    }
    match plan {
        Plan::Project { columns, .. } => {
            columns.iter_mut().for_each(|(column, expr)| column.ty.nullable |= expr.ty.nullable);
        }
        Plan::Aggregate { keys, .. } => {
            for (column, id) in keys {
                column.ty = types.get(id).copied().unwrap_or(column.ty);
            }
        }
        Plan::Union { inputs, columns } => align(inputs.iter_mut().collect(), columns),
        Plan::SetDifference { left, right, columns, .. } | Plan::SetIntersection { left, right, columns, .. } => {
            align(vec![left, right], columns);
        }
        _ => (),
    }
}

/// Gives the inputs of a set operation exactly the types of its columns.
fn align(inputs: Vec<&mut Plan>, columns: &mut [Column]) {
    for input in &inputs {
        for (own, column) in input.columns().iter().zip(&mut *columns) {
            column.ty.nullable |= own.ty.nullable;
        }
    }
    for input in inputs {
        let wanted = input.columns().into_iter().zip(&*columns).map(|(own, column)| Column { ty: column.ty, ..own });
        widen(input, wanted.collect());
    }
}

/// The view's plan with exactly the types of its SQL columns.
pub fn fit(plan: &mut Plan, view: &[ViewColumn]) {
    let shown = |own: &Column| view.iter().find(|column| column.id == own.id);
    let wanted = plan.columns().into_iter().map(|own| match shown(&own) {
        Some(column) => Column { ty: column.ty, ..own },
        None => own,
    });
    let wanted = wanted.collect();
    widen(plan, wanted);
}

fn widen(plan: &mut Plan, wanted: Vec<Column>) {
    let columns = plan.columns();
    if columns == wanted {
        return;
    }
    let columns = wanted.into_iter().zip(&columns).map(|(wanted, own)| (wanted, reference(own))).collect();
    *plan = Plan::Project { input: Box::new(take(plan)), columns };
}

/// The types of the columns that this node's expressions may read.
fn inputs(plan: &Plan) -> Types {
    let children = plan.children();
    children.iter().flat_map(|child| child.columns()).map(|column| (column.id, column.ty)).collect()
}
