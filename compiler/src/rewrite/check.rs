//! Types after a rewrite: brings the nullability of expressions up to date, and checks that every column is found
//! where it is read, with its type.

use super::walk::{children_mut, expressions, expressions_mut, visit};
use crate::plan::{Column, ColumnId, Expr, ExprKind, Plan, Program};
use feldc_value::function::Nulls;
use feldc_value::{ColumnType, Value};
use std::collections::{BTreeMap, BTreeSet};

type Types = BTreeMap<ColumnId, ColumnType>;

/// Gives every column reference the type its column has, and every expression the nullability that follows.
/// Declared columns keep their types: they may be nullable over an expression that is not.
pub fn retype(plan: &mut Plan) {
    children_mut(plan).into_iter().for_each(retype);
    let types = inputs(plan);
    for expr in expressions_mut(plan) {
        retype_expr(expr, &types);
    }
    widen(plan, &types);
}

/// A column declared NOT NULL over something that became nullable would be a lie.
fn widen(plan: &mut Plan, types: &Types) {
    let wide = |column: &mut Column, from: ColumnType| column.ty.nullable |= from.nullable;
    match plan {
        Plan::Project { columns, .. } => columns.iter_mut().for_each(|(column, expr)| wide(column, expr.ty)),
        Plan::Aggregate { keys, .. } => {
            for (column, id) in keys {
                types.get(id).iter().for_each(|ty| wide(column, **ty));
            }
        }
        _ => (),
    }
}

/// The types of the columns that this node's expressions may read.
fn inputs(plan: &Plan) -> Types {
    let children = plan.children();
    children.iter().flat_map(|child| child.columns()).map(|column| (column.id, column.ty)).collect()
}

fn retype_expr(expr: &mut Expr, types: &Types) {
    for child in expr.children_mut() {
        retype_expr(child, types);
    }
    let any = |operands: &[Expr]| operands.iter().any(|operand| operand.ty.nullable);
    expr.ty.nullable = match &expr.kind {
        ExprKind::Column(id) => match types.get(id) {
            Some(ty) => ty.nullable,
            None => expr.ty.nullable,
        },
        ExprKind::Literal(value) => *value == Value::Null,
        ExprKind::Call { function, arguments } => match function.nulls {
            Nulls::Strict | Nulls::Custom => any(arguments),
            Nulls::StrictToOption => true,
            Nulls::Never => false,
        },
        ExprKind::And(operands) | ExprKind::Or(operands) => any(operands),
        ExprKind::IsNull(_) => false,
        ExprKind::Case { branches, otherwise } => {
            otherwise.as_ref().is_none_or(|otherwise| otherwise.ty.nullable)
                || branches.iter().any(|(_, result)| result.ty.nullable)
        }
        ExprKind::Coalesce(operands) => operands.iter().all(|operand| operand.ty.nullable),
        ExprKind::Try(operand) => operand.ty.nullable || operand.fallible(),
        ExprKind::Slot(_) | ExprKind::Subquery { .. } => expr.ty.nullable,
    };
}

/// Is the program well formed after decorrelation? The answer names the first fault.
pub fn check(program: &Program) -> Result<(), String> {
    for view in &program.views {
        check_plan(&view.plan).map_err(|fault| format!("view {}: {fault}", view.name))?;
        let made = view.plan.columns();
        for column in &view.columns {
            let found = made.iter().find(|made| made.id == column.id);
            let found = found.ok_or_else(|| format!("view {} has lost its column {}", view.name, column.name))?;
            if found.ty.ty != column.ty.ty || (found.ty.nullable && !column.ty.nullable) {
                return Err(format!("column {}.{} became {}", view.name, column.name, found.ty));
            }
        }
    }
    Ok(())
}

fn check_plan(plan: &Plan) -> Result<(), String> {
    let mut fault = None;
    visit(plan, &mut |node| {
        if fault.is_none() {
            fault = check_node(node).err();
        }
    });
    fault.map_or_else(|| unique(plan), Err)
}

fn check_node(plan: &Plan) -> Result<(), String> {
    if let Plan::Apply { .. } = plan {
        return Err("a dependent join is left".to_string());
    }
    let types = inputs(plan);
    for expr in expressions(plan) {
        check_expr(expr, &types)?;
    }
    match plan {
        Plan::Project { columns, .. } => {
            for (column, expr) in columns {
                fits(column, expr.ty)?;
            }
        }
        Plan::Aggregate { keys, .. } => {
            for (column, id) in keys {
                fits(column, *types.get(id).ok_or_else(|| format!("grouping column {} is not there", id.0))?)?;
            }
        }
        Plan::Union { columns, .. } | Plan::SetDifference { columns, .. } | Plan::SetIntersection { columns, .. } => {
            for input in plan.children() {
                let own = input.columns();
                if own.len() != columns.len() {
                    return Err(format!("{} columns meet {}", own.len(), columns.len()));
                }
                own.iter().zip(columns).try_for_each(|(own, column)| fits(column, own.ty))?;
            }
        }
        _ => (),
    }
    Ok(())
}

fn fits(column: &Column, ty: ColumnType) -> Result<(), String> {
    if column.ty.ty != ty.ty || (ty.nullable && !column.ty.nullable) {
        return Err(format!("column {}#{} is declared {} over {ty}", column.name, column.id.0, column.ty));
    }
    Ok(())
}

fn check_expr(expr: &Expr, types: &Types) -> Result<(), String> {
    match &expr.kind {
        ExprKind::Column(id) => {
            let ty = types.get(id).ok_or_else(|| format!("column {} is read where it is not", id.0))?;
            if *ty != expr.ty {
                return Err(format!("column {} is {ty}, read as {}", id.0, expr.ty));
            }
        }
        ExprKind::Slot(_) => return Err("a slot in a plan".to_string()),
        ExprKind::Subquery { .. } => return Err("a subquery is left".to_string()),
        _ => (),
    }
    expr.children().into_iter().try_for_each(|child| check_expr(child, types))
}

/// No column is made twice, except that a projection may pass one on under its own id.
fn unique(plan: &Plan) -> Result<(), String> {
    let mut made: BTreeSet<ColumnId> = BTreeSet::new();
    let mut fault = Ok(());
    visit(plan, &mut |node| {
        let own: Vec<ColumnId> = match node {
            Plan::Table { columns, .. } | Plan::View { columns, .. } | Plan::Values { columns, .. } => {
                columns.iter().map(|column| column.id).collect()
            }
            Plan::Aggregate { aggregates, .. } => aggregates.iter().map(|(column, _)| column.id).collect(),
            Plan::Union { columns, .. } => columns.iter().map(|column| column.id).collect(),
            _ => vec![],
        };
        for id in own {
            if !made.insert(id) {
                fault = Err(format!("column {} is made twice", id.0));
            }
        }
    });
    fault
}
