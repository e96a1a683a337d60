//! Expressions while plan columns become slots: substitution, canonical text, small constructors.

use crate::circuit::print::Shown;
use crate::plan::{ColumnId, Expr, ExprKind, Span};
use feldc_value::function::Nulls;
use feldc_value::{ColumnType, SqlType, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Replaces each plan column by its definition. `Err` names a column that has none.
pub(super) fn substitute(expr: &Expr, columns: &BTreeMap<ColumnId, Expr>) -> Result<Expr, ColumnId> {
    if let ExprKind::Column(id) = expr.kind {
        let definition = columns.get(&id).ok_or(id)?.clone();
        // A bare slot keeps the place where it is written; a computed one the place of its own text.
        return Ok(match definition.kind {
            ExprKind::Slot(_) => Expr { span: expr.span, ..definition },
            _ => definition,
        });
    }
    map_children(expr, &mut |child| substitute(child, columns))
}

/// Replaces each slot by `f(slot, its expression)`.
pub(super) fn map_slots(expr: &Expr, f: &mut impl FnMut(usize, &Expr) -> Expr) -> Expr {
    if let ExprKind::Slot(slot) = expr.kind {
        return f(slot, expr);
    }
    match map_children(expr, &mut |child| Ok::<_, std::convert::Infallible>(map_slots(child, f))) {
        Ok(expr) => expr,
        Err(never) => match never {},
    }
}

/// The expression over mapped children, its type narrowed to NOT NULL where the new children allow it.
pub(super) fn map_children<E>(expr: &Expr, f: &mut impl FnMut(&Expr) -> Result<Expr, E>) -> Result<Expr, E> {
    let mut all = |operands: &[Expr]| operands.iter().map(&mut *f).collect::<Result<Vec<_>, E>>();
    let kind = match &expr.kind {
        ExprKind::Call { function, arguments } => ExprKind::Call { function, arguments: all(arguments)? },
        ExprKind::And(operands) => ExprKind::And(all(operands)?),
        ExprKind::Or(operands) => ExprKind::Or(all(operands)?),
        ExprKind::Coalesce(operands) => ExprKind::Coalesce(all(operands)?),
        ExprKind::IsNull(operand) => ExprKind::IsNull(Box::new(f(operand)?)),
        ExprKind::Try(operand) => ExprKind::Try(Box::new(f(operand)?)),
        ExprKind::Each { collection, parameter, body } => {
            ExprKind::Each { collection: Box::new(f(collection)?), parameter: *parameter, body: Box::new(f(body)?) }
        }
        ExprKind::Case { branches, otherwise } => {
            let mut mapped = vec![];
            for (condition, result) in branches {
                mapped.push((f(condition)?, f(result)?));
            }
            let otherwise = otherwise.as_ref().map(|otherwise| f(otherwise).map(Box::new)).transpose()?;
            ExprKind::Case { branches: mapped, otherwise }
        }
        leaf => leaf.clone(),
    };
    let mut result = Expr { kind, ty: expr.ty, span: expr.span };
    result.ty.nullable = result.ty.nullable && may_be_null(&result);
    Ok(result)
}

/// Can the value be NULL, by the expression's own null rule over the types of its children?
fn may_be_null(expr: &Expr) -> bool {
    let any = |operands: &[Expr]| operands.iter().any(|operand| operand.ty.nullable);
    match &expr.kind {
        ExprKind::Call { function, arguments } => match function.nulls {
            Nulls::Strict | Nulls::Custom => any(arguments),
            Nulls::StrictToOption | Nulls::CustomToOption => true,
            Nulls::Never => false,
        },
        ExprKind::And(operands) | ExprKind::Or(operands) => any(operands),
        ExprKind::IsNull(_) => false,
        ExprKind::Case { branches, otherwise } => {
            branches.iter().any(|(_, result)| result.ty.nullable)
                || otherwise.as_ref().is_none_or(|otherwise| otherwise.ty.nullable)
        }
        ExprKind::Coalesce(operands) => operands.iter().all(|operand| operand.ty.nullable),
        ExprKind::Each { collection, .. } => collection.ty.nullable,
        _ => expr.ty.nullable,
    }
}

/// The same text for expressions that always give the same value: types are in it, spans are not.
pub(super) fn canonical(expr: &Expr) -> String {
    let mut text = String::new();
    write_canonical(expr, &mut text);
    text
}

fn write_canonical(expr: &Expr, text: &mut String) {
    match &expr.kind {
        ExprKind::Call { function, arguments } => {
            text.push_str(function.path);
            text.push(' ');
            text.push_str(function.name);
            write_all(arguments, text);
        }
        ExprKind::And(operands) => write_named("and", operands, text),
        ExprKind::Or(operands) => write_named("or", operands, text),
        ExprKind::Coalesce(operands) => write_named("coalesce", operands, text),
        ExprKind::IsNull(operand) => write_named("is_null", std::slice::from_ref(&**operand), text),
        ExprKind::Try(operand) => write_named("try", std::slice::from_ref(&**operand), text),
        ExprKind::Each { collection, parameter, body } => {
            text.push_str(&format!("each p{parameter} ("));
            write_canonical(collection, text);
            text.push_str("->");
            write_canonical(body, text);
            text.push(')');
        }
        ExprKind::Case { branches, otherwise } => {
            text.push_str("case(");
            for (condition, result) in branches {
                write_canonical(condition, text);
                text.push_str("->");
                write_canonical(result, text);
                text.push(';');
            }
            if let Some(otherwise) = otherwise {
                write_canonical(otherwise, text);
            }
            text.push(')');
        }
        ExprKind::Literal(value) => text.push_str(&format!("{value:?}")),
        _ => text.push_str(&Shown(expr).to_string()),
    }
    text.push_str(&format!(":{}", expr.ty));
}

fn write_named(name: &str, operands: &[Expr], text: &mut String) {
    text.push_str(name);
    write_all(operands, text);
}

fn write_all(operands: &[Expr], text: &mut String) {
    text.push('(');
    for operand in operands {
        write_canonical(operand, text);
        text.push(',');
    }
    text.push(')');
}

/// Number of nodes of the tree.
pub(super) fn size(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(size).sum::<usize>()
}

/// The plan columns that are read.
pub(super) fn columns(expr: &Expr) -> BTreeSet<ColumnId> {
    let mut found: BTreeSet<ColumnId> = expr.children().into_iter().flat_map(columns).collect();
    if let ExprKind::Column(id) = expr.kind {
        found.insert(id);
    }
    found
}

pub(super) fn is_leaf(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Slot(_) | ExprKind::Literal(_) | ExprKind::Parameter(_))
}

/// The conjunction; `None` of nothing.
pub(super) fn and(mut operands: Vec<Expr>) -> Option<Expr> {
    match operands.len() {
        0 | 1 => operands.pop(),
        _ => {
            let ty = ColumnType::new(SqlType::Boolean, operands.iter().any(|operand| operand.ty.nullable));
            let span = operands[0].span;
            Some(Expr { kind: ExprKind::And(operands), ty, span })
        }
    }
}

pub(super) fn slot(slot: usize, ty: ColumnType, span: Span) -> Expr {
    Expr { kind: ExprKind::Slot(slot), ty, span }
}

pub(super) fn null(ty: SqlType, span: Span) -> Expr {
    Expr::literal(Value::Null, ColumnType::new(ty, true), span)
}

fn boolean(value: bool, span: Span) -> Expr {
    Expr::literal(Value::Boolean(value), ColumnType::new(SqlType::Boolean, false), span)
}

/// TRUE where `condition` is FALSE or unknown: the complement of a filter.
pub(super) fn not_true(condition: Expr) -> Expr {
    // The complement of the NULL test below is the test itself.
    if let ExprKind::Case { branches, .. } = &condition.kind
        && let [(test @ Expr { kind: ExprKind::IsNull(_), .. }, _)] = &branches[..]
        && condition == is_false_where(test.clone())
    {
        return test.clone();
    }
    is_false_where(condition)
}

fn is_false_where(condition: Expr) -> Expr {
    let span = condition.span;
    let branches = vec![(condition, boolean(false, span))];
    let otherwise = Some(Box::new(boolean(true, span)));
    Expr { kind: ExprKind::Case { branches, otherwise }, ty: ColumnType::new(SqlType::Boolean, false), span }
}

pub(super) fn is_not_null(operand: Expr) -> Expr {
    is_false_where(is_null(operand))
}

pub(super) fn is_null(operand: Expr) -> Expr {
    let (ty, span) = (ColumnType::new(SqlType::Boolean, false), operand.span);
    Expr { kind: ExprKind::IsNull(Box::new(operand)), ty, span }
}

/// NULL where the operand fails.
pub(super) fn attempt(operand: Expr) -> Expr {
    let (ty, span) = (ColumnType::new(operand.ty.ty, true), operand.span);
    Expr { kind: ExprKind::Try(Box::new(operand)), ty, span }
}

/// A NOT NULL expression for an operand of which NULLs were filtered away: COALESCE with a value that never shows.
pub(super) fn known_not_null(operand: Expr) -> Expr {
    if !operand.ty.nullable {
        return operand;
    }
    let (ty, span) = (ColumnType::new(operand.ty.ty, false), operand.span);
    let never = Expr::literal(Value::zero(ty.ty), ty, span);
    Expr { kind: ExprKind::Coalesce(vec![operand, never]), ty, span }
}
