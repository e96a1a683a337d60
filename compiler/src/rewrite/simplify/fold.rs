//! Constant folding of expressions. What can fail stays, unless SQL would not evaluate it.

use super::super::form::{conjunction, disjunction, is_never, is_true, null, truth};
use crate::plan::{Expr, ExprKind};
use feldc_value::Value;

pub fn fold(expr: &mut Expr) {
    expr.children_mut().into_iter().for_each(fold);
    let nothing = truth(false);
    let mut whole = std::mem::replace(expr, nothing);
    *expr = match &mut whole.kind {
        ExprKind::And(operands) => {
            let operands = decided(std::mem::take(operands), false);
            Expr { span: whole.span, ..conjunction(operands) }
        }
        ExprKind::Or(operands) => {
            let operands = decided(std::mem::take(operands), true);
            Expr { span: whole.span, ..disjunction(operands) }
        }
        ExprKind::Case { .. } => fold_case(whole),
        ExprKind::Coalesce(operands) => {
            operands.retain(|operand| !is_null_literal(operand));
            if let Some(certain) = operands.iter().position(|operand| !operand.ty.nullable) {
                operands.truncate(certain + 1);
            }
            match operands.len() {
                0 => null(whole.ty.ty, whole.span),
                // One of another type carries the type.
                1 if operands[0].ty.ty == whole.ty.ty => operands.remove(0),
                _ => whole,
            }
        }
        ExprKind::IsNull(operand) => match &operand.kind {
            ExprKind::Literal(value) => truth(value.is_null()),
            _ if !operand.ty.nullable && !operand.fallible() => truth(false),
            _ => whole,
        },
        ExprKind::Call { .. } => fold_call(whole),
        _ => whole,
    };
}

fn is_null_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Value::Null))
}

fn is_literal(expr: &Expr, value: bool) -> bool {
    if value { is_true(expr) } else { is_never(expr) && !is_null_literal(expr) }
}

/// The operands of AND (`absorbing` false) or OR (`absorbing` true) that still matter.
fn decided(operands: Vec<Expr>, absorbing: bool) -> Vec<Expr> {
    let mut kept: Vec<Expr> = vec![];
    for operand in operands {
        // Nested connectives of one kind are one.
        let nested = match operand.kind {
            ExprKind::And(nested) if !absorbing => nested,
            ExprKind::Or(nested) if absorbing => nested,
            _ => vec![operand],
        };
        for operand in nested {
            if is_literal(&operand, absorbing) {
                // Later operands are not evaluated, and the earlier ones do not change the result.
                while kept.last().is_some_and(|last| !last.fallible()) {
                    kept.pop();
                }
                kept.push(operand);
                return kept;
            }
            if !is_literal(&operand, !absorbing) {
                kept.push(operand);
            }
        }
    }
    kept
}

fn fold_case(mut whole: Expr) -> Expr {
    let ExprKind::Case { branches, otherwise } = &mut whole.kind else { return whole };
    let mut kept = vec![];
    for (condition, result) in std::mem::take(branches) {
        if is_never(&condition) {
            continue;
        }
        if is_true(&condition) {
            *otherwise = Some(Box::new(result));
            break;
        }
        kept.push((condition, result));
    }
    if kept.is_empty() {
        return otherwise.take().map_or_else(|| null(whole.ty.ty, whole.span), |result| *result);
    }
    *branches = kept;
    whole
}

/// A call over literals is its value, unless it fails: then a row that meets it fails.
fn fold_call(whole: Expr) -> Expr {
    match whole.constant_call() {
        Some(value) => {
            let ty = feldc_value::ColumnType::new(whole.ty.ty, value.is_null());
            Expr::literal(value, ty, whole.span)
        }
        None => whole,
    }
}
