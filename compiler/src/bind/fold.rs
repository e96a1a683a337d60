//! Constant folding: a call of a deterministic function over literals becomes its value.

use super::Binder;
use crate::plan::{Expr, ExprKind};
use feldc_value::function::Signature;
use feldc_value::{SqlType, Value};

impl Binder<'_> {
    /// The expression, evaluated if it is a constant call. One that fails is left for run time, when it may be guarded.
    pub(super) fn fold(&mut self, expr: Expr) -> Expr {
        match constant_call(&expr) {
            Some(value) => {
                let ty = feldc_value::ColumnType::new(expr.ty.ty, value.is_null());
                Expr { kind: ExprKind::Literal(value), ty, ..expr }
            }
            None => expr,
        }
    }
}

fn constant_call(expr: &Expr) -> Option<Value> {
    let ExprKind::Call { function, arguments } = &expr.kind else { return None };
    if !function.deterministic {
        return None;
    }
    let values: Vec<Value> = arguments
        .iter()
        .map(|argument| match &argument.kind {
            ExprKind::Literal(value) => Some(value.clone()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let types: Vec<SqlType> = arguments.iter().map(|argument| argument.ty.ty).collect();
    let value = (function.call)(&values, &Signature { arguments: &types, result: expr.ty.ty }).ok()?;
    // A literal is small: text that a function multiplies is not.
    match &value {
        Value::Text(text) if text.len() > 1 << 16 => None,
        _ => Some(value),
    }
}
