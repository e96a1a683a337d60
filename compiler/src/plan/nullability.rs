//! Which expressions may be NULL, from the columns that they read.

use super::{ColumnId, Expr, ExprKind};
use feldc_value::function::Nulls;
use feldc_value::{ColumnType, Value};

impl Expr {
    /// Gives the expression and its parts the nullability that follows from the columns, where `types` knows them.
    pub fn update_nullability(&mut self, types: &impl Fn(ColumnId) -> Option<ColumnType>) {
        for child in self.children_mut() {
            child.update_nullability(types);
        }
        let any = |operands: &[Expr]| operands.iter().any(|operand| operand.ty.nullable);
        self.ty.nullable = match &self.kind {
            ExprKind::Column(id) => types(*id).map_or(self.ty.nullable, |ty| ty.nullable),
            ExprKind::Literal(value) => *value == Value::Null,
            ExprKind::Call { function, arguments } => match function.nulls {
                Nulls::Strict | Nulls::Custom => any(arguments),
                Nulls::StrictToOption | Nulls::CustomToOption => true,
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
            ExprKind::Each { collection, .. } => collection.ty.nullable,
            ExprKind::Slot(_) | ExprKind::Parameter(_) | ExprKind::Subquery { .. } => self.ty.nullable,
        };
    }
}
