//! Expressions: three-valued logic, guards, subqueries evaluated anew for every row.

use super::order::same;
use super::{Evaluation, Row, Scope, ids};
use crate::plan::{Expr, ExprKind, Plan, Quantifier, SubqueryKind};
use feldc_value::function::{Function, Signature};
use feldc_value::{EvalError, SqlError, SqlType, Value, error};

impl Evaluation<'_> {
    pub(super) fn value(&mut self, expr: &Expr, scope: &Scope) -> Result<Value, EvalError> {
        match &expr.kind {
            ExprKind::Column(id) => Ok(scope.get(*id)),
            ExprKind::Literal(value) => Ok(value.clone()),
            ExprKind::Slot(_) => Ok(Value::Null), // never in a plan
            ExprKind::Call { function, arguments } => {
                let values: Result<Vec<Value>, _> = arguments.iter().map(|a| self.value(a, scope)).collect();
                call(function, arguments, &values?, expr)
            }
            ExprKind::And(operands) => self.connective(operands, scope, false),
            ExprKind::Or(operands) => self.connective(operands, scope, true),
            ExprKind::IsNull(operand) => Ok(Value::Boolean(self.value(operand, scope)?.is_null())),
            ExprKind::Case { branches, otherwise } => {
                for (condition, result) in branches {
                    if self.value(condition, scope)? == Value::Boolean(true) {
                        return self.value(result, scope);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |expr| self.value(expr, scope))
            }
            ExprKind::Coalesce(operands) => {
                for operand in operands {
                    let value = self.value(operand, scope)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Ok(Value::Null)
            }
            ExprKind::Try(operand) => Ok(self.value(operand, scope).unwrap_or(Value::Null)),
            ExprKind::Each { collection, parameter, body } => {
                let Value::Array(elements) = self.value(collection, scope)? else { return Ok(Value::Null) };
                let mut made = vec![];
                for element in elements.iter() {
                    self.parameters.push((*parameter, element.clone()));
                    let value = self.value(body, scope);
                    self.parameters.pop();
                    made.push(value?);
                }
                Ok(Value::array(made))
            }
            ExprKind::Parameter(parameter) => {
                let known = self.parameters.iter().rev().find(|(number, _)| number == parameter);
                Ok(known.map_or(Value::Null, |(_, value)| value.clone()))
            }
            ExprKind::Subquery { kind, plan } => self.subquery(kind, plan, expr, scope),
        }
    }

    /// AND (`absorbing` false) or OR (`absorbing` true).
    fn connective(&mut self, operands: &[Expr], scope: &Scope, absorbing: bool) -> Result<Value, EvalError> {
        let mut result = Value::Boolean(!absorbing);
        for operand in operands {
            match self.value(operand, scope)? {
                Value::Boolean(value) if value == absorbing => return Ok(Value::Boolean(absorbing)),
                Value::Null => result = Value::Null,
                _ => (),
            }
        }
        Ok(result)
    }

    fn subquery(&mut self, kind: &SubqueryKind, plan: &Plan, expr: &Expr, scope: &Scope) -> Result<Value, EvalError> {
        match kind {
            SubqueryKind::Scalar => self.scalar(plan, expr, scope),
            SubqueryKind::Exists => Ok(Value::Boolean(!self.rows(without_select_list(plan), Some(scope)).is_empty())),
            SubqueryKind::In { operands } => {
                let values: Result<Row, _> = operands.iter().map(|operand| self.value(operand, scope)).collect();
                let (values, rows) = (values?, self.rows(plan, Some(scope)));
                Ok(any(rows.iter().map(|row| equal(&values, row))))
            }
            SubqueryKind::Quantified { operand, comparison, quantifier } => {
                let value = self.value(operand, scope)?;
                let rows = self.rows(plan, Some(scope));
                let types = [operand.ty.ty, plan.columns()[0].ty.ty];
                let signature = Signature { arguments: &types, result: SqlType::Boolean };
                let outcomes: Result<Vec<Value>, SqlError> =
                    rows.iter().map(|row| (comparison.call)(&[value.clone(), row[0].clone()], &signature)).collect();
                let outcomes = outcomes.map_err(|error| error.at(expr.span.line, expr.span.column))?;
                Ok(match quantifier {
                    Quantifier::Any => any(outcomes.into_iter()),
                    Quantifier::All => negate(any(outcomes.into_iter().map(negate))),
                })
            }
        }
    }

    fn scalar(&mut self, plan: &Plan, expr: &Expr, scope: &Scope) -> Result<Value, EvalError> {
        if let Some(row) = self.one_row(plan, scope)? {
            return Ok(row[0].clone());
        }
        match &self.rows(plan, Some(scope))[..] {
            [] => Ok(Value::Null),
            [row] => Ok(row[0].clone()),
            _ => Err(SqlError::new(error::CARDINALITY_VIOLATION, "a scalar subquery returned more than one row")
                .at(expr.span.line, expr.span.column)),
        }
    }

    /// The row of an aggregate without GROUP BY below projections, which belong to the enclosing expression.
    fn one_row(&mut self, plan: &Plan, scope: &Scope) -> Result<Option<Row>, EvalError> {
        match plan {
            Plan::Project { input, columns } => {
                let Some(row) = self.one_row(input, scope)? else { return Ok(None) };
                let inner = Scope { columns: &ids(input), row: &row, outer: Some(scope) };
                let row: Result<Row, _> = columns.iter().map(|(_, expr)| self.value(expr, &inner)).collect();
                row.map(Some)
            }
            Plan::Aggregate { scalar: true, aggregates, .. } => match self.rows(plan, Some(scope)).pop() {
                Some(row) => Ok(Some(row)),
                None => Ok(Some(self.over_nothing(aggregates))),
            },
            _ => Ok(None),
        }
    }
}

/// EXISTS does not evaluate the select list.
fn without_select_list(plan: &Plan) -> &Plan {
    match plan {
        Plan::Project { input, .. } | Plan::Distinct { input } => without_select_list(input),
        _ => plan,
    }
}

fn call(function: &Function, arguments: &[Expr], values: &[Value], expr: &Expr) -> Result<Value, EvalError> {
    let types: Vec<SqlType> = arguments.iter().map(|argument| argument.ty.ty).collect();
    let signature = Signature { arguments: &types, result: expr.ty.ty };
    (function.call)(values, &signature).map_err(|error| error.at(expr.span.line, expr.span.column))
}

/// Three-valued equality of rows.
fn equal(left: &[Value], right: &[Value]) -> Value {
    let mut unknown = false;
    for (a, b) in left.iter().zip(right) {
        if a.is_null() || b.is_null() {
            unknown = true;
        } else if !same(std::slice::from_ref(a), std::slice::from_ref(b)) {
            return Value::Boolean(false);
        }
    }
    if unknown { Value::Null } else { Value::Boolean(true) }
}

fn any(mut outcomes: impl Iterator<Item = Value>) -> Value {
    let mut result = Value::Boolean(false);
    let found = outcomes.any(|outcome| {
        if outcome.is_null() {
            result = Value::Null;
        }
        outcome == Value::Boolean(true)
    });
    if found { Value::Boolean(true) } else { result }
}

fn negate(value: Value) -> Value {
    match value {
        Value::Boolean(value) => Value::Boolean(!value),
        other => other,
    }
}
