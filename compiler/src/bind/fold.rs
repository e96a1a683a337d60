//! Constant folding: a call of a deterministic function over literals becomes its value.

use super::Binder;
use crate::plan::{Expr, ExprKind};

impl Binder<'_> {
    /// The expression, evaluated if it is a constant call. One that fails is left for run time, when it may be guarded.
    pub(super) fn fold(&mut self, expr: Expr) -> Expr {
        match expr.constant_call() {
            Some(value) => {
                let ty = feldc_value::ColumnType::new(expr.ty.ty, value.is_null());
                Expr { kind: ExprKind::Literal(value), ty, ..expr }
            }
            None => expr,
        }
    }
}
