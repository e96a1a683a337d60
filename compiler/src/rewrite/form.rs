//! Small forms the rewrites build and take apart: conjunctions, equalities, literals, pass-through projections.

use crate::library::overloads;
use crate::plan::{Column, ColumnId, Expr, ExprKind, Plan, Span};
use feldc_value::function::Function;
use feldc_value::{ColumnType, SqlType, Value};

pub fn boolean(nullable: bool) -> ColumnType {
    ColumnType::new(SqlType::Boolean, nullable)
}

pub fn truth(value: bool) -> Expr {
    Expr::literal(Value::Boolean(value), boolean(false), Span::default())
}

pub fn null(ty: SqlType, span: Span) -> Expr {
    Expr::literal(Value::Null, ColumnType::new(ty, true), span)
}

pub fn is_true(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Value::Boolean(true)))
}

/// FALSE or NULL: a search condition that no row meets.
pub fn is_never(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Value::Boolean(false) | Value::Null))
}

/// Some value of a type.
pub fn zero(ty: SqlType) -> Expr {
    Expr::literal(Value::zero(ty), ColumnType::new(ty, ty == SqlType::Null), Span::default())
}

/// A reference to a column, at no place of the program's text.
pub fn reference(column: &Column) -> Expr {
    Expr::column(column.id, column.ty, Span::default())
}

pub fn column_of(expr: &Expr) -> Option<ColumnId> {
    match expr.kind {
        ExprKind::Column(id) => Some(id),
        _ => None,
    }
}

/// The operands of nested ANDs, in text order, without TRUE.
pub fn conjuncts(expr: Expr) -> Vec<Expr> {
    match expr.kind {
        ExprKind::And(operands) => operands.into_iter().flat_map(conjuncts).collect(),
        ExprKind::Literal(Value::Boolean(true)) => vec![],
        _ => vec![expr],
    }
}

pub fn conjunction(mut operands: Vec<Expr>) -> Expr {
    match operands.len() {
        0 => truth(true),
        1 => operands.remove(0),
        _ => {
            let (nullable, span) = (operands.iter().any(|o| o.ty.nullable), operands[0].span);
            Expr { kind: ExprKind::And(operands), ty: boolean(nullable), span }
        }
    }
}

pub fn disjunction(mut operands: Vec<Expr>) -> Expr {
    match operands.len() {
        0 => truth(false),
        1 => operands.remove(0),
        _ => {
            let (nullable, span) = (operands.iter().any(|o| o.ty.nullable), operands[0].span);
            Expr { kind: ExprKind::Or(operands), ty: boolean(nullable), span }
        }
    }
}

pub fn is_null(operand: Expr) -> Expr {
    let span = operand.span;
    Expr { kind: ExprKind::IsNull(Box::new(operand)), ty: boolean(false), span }
}

pub fn not(operand: Expr) -> Expr {
    let (ty, span) = (operand.ty, operand.span);
    call("NOT", vec![operand], ty, span)
}

pub fn is_not_null(operand: Expr) -> Expr {
    not(is_null(operand))
}

/// NULL where the operand fails.
pub fn attempt(operand: Expr) -> Expr {
    if !operand.fallible() {
        return operand;
    }
    let (ty, span) = (ColumnType::new(operand.ty.ty, true), operand.span);
    Expr { kind: ExprKind::Try(Box::new(operand)), ty, span }
}

pub fn case(branches: Vec<(Expr, Expr)>, otherwise: Expr) -> Expr {
    let nullable = otherwise.ty.nullable || branches.iter().any(|(_, result)| result.ty.nullable);
    let (ty, span) = (ColumnType::new(otherwise.ty.ty, nullable), otherwise.span);
    Expr { kind: ExprKind::Case { branches, otherwise: Some(Box::new(otherwise)) }, ty, span }
}

/// The first overload of `name` that takes these types as they are.
pub fn function(name: &str, types: &[SqlType]) -> &'static Function {
    let mut found = overloads(name);
    let accepts = |function: &Function| {
        function.parameters.len() == types.len() && function.parameters.iter().zip(types).all(|(p, t)| p.accepts(*t))
    };
    found.find(|function| accepts(function)).unwrap_or_else(|| panic!("the registry has no {name} over {types:?}"))
}

pub fn call(name: &str, arguments: Vec<Expr>, ty: ColumnType, span: Span) -> Expr {
    let types: Vec<SqlType> = arguments.iter().map(|argument| argument.ty.ty).collect();
    Expr { kind: ExprKind::Call { function: function(name, &types), arguments }, ty, span }
}

/// A comparison by its SQL name (`=`, `<`, ...).
pub fn compare(name: &str, left: Expr, right: Expr) -> Expr {
    let (nullable, span) = (left.ty.nullable || right.ty.nullable, left.span);
    call(name, vec![left, right], boolean(nullable), span)
}

/// Equality under which NULL equals NULL; plain `=` where neither side can be NULL.
pub fn same(left: Expr, right: Expr) -> Expr {
    if !left.ty.nullable && !right.ty.nullable {
        return compare("=", left, right);
    }
    let span = left.span;
    call("IS NOT DISTINCT FROM", vec![left, right], boolean(false), span)
}

/// The sides of a conjunct `left = right`.
pub fn equality(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Call { function, arguments } if function.name == "=" => match &arguments[..] {
            [left, right] => Some((left, right)),
            _ => None,
        },
        _ => None,
    }
}

/// Likewise for `IS NOT DISTINCT FROM`.
pub fn null_safe_equality(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Call { function, arguments } if function.name == "IS NOT DISTINCT FROM" => match &arguments[..] {
            [left, right] => Some((left, right)),
            _ => None,
        },
        _ => None,
    }
}

/// The operand of NOT.
pub fn negated(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call { function, arguments } if function.name == "NOT" => arguments.first(),
        _ => None,
    }
}

pub fn filter(input: Plan, conditions: Vec<Expr>) -> Plan {
    match conditions.is_empty() {
        true => input,
        false => Plan::Filter { input: Box::new(input), predicate: conjunction(conditions) },
    }
}

/// Exactly these columns of the input, under the same ids.
pub fn keep(input: Plan, columns: &[Column]) -> Plan {
    if input.columns().iter().map(|column| column.id).eq(columns.iter().map(|column| column.id)) {
        return input;
    }
    let columns = columns.iter().map(|column| (column.clone(), reference(column))).collect();
    Plan::Project { input: Box::new(input), columns }
}

/// The input's columns and more.
pub fn extend(input: Plan, more: Vec<(Column, Expr)>) -> Plan {
    if more.is_empty() {
        return input;
    }
    let columns = input.columns().iter().map(|column| (column.clone(), reference(column))).chain(more).collect();
    Plan::Project { input: Box::new(input), columns }
}

/// One row without columns.
pub fn unit() -> Plan {
    Plan::Values { rows: vec![vec![]], columns: vec![] }
}

pub fn is_unit(plan: &Plan) -> bool {
    matches!(plan, Plan::Values { rows, columns } if columns.is_empty() && rows.len() == 1)
}

pub fn coalesce(operands: Vec<Expr>) -> Expr {
    let nullable = operands.iter().all(|operand| operand.ty.nullable);
    let (ty, span) = (ColumnType::new(operands[0].ty.ty, nullable), operands[0].span);
    Expr { kind: ExprKind::Coalesce(operands), ty, span }
}
