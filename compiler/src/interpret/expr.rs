//! Expressions prepared for evaluation over decoded values: no search, no allocation for types while rows pass.

use crate::plan::{Expr, ExprKind, Span};
use feldc_value::function::{Function, Signature};
use feldc_value::{EvalError, SqlError, SqlType, Value, error};

/// Expressions nest as deep as the program's longest chain of operators; this much is kept free for each level.
const STACK: usize = 64 << 10;

pub(super) enum Code {
    Slot(usize),
    Literal(Value),
    Call(Box<Call>),
    And(Vec<Code>),
    Or(Vec<Code>),
    IsNull(Box<Code>),
    Case {
        branches: Vec<(Code, Code)>,
        otherwise: Option<Box<Code>>,
    },
    Coalesce(Vec<Code>),
    Try(Box<Code>),
    /// The body for each element, which is the last slot while it runs.
    Each(Box<Code>, Box<Code>),
    /// The slot at this distance from the last: the element of the body so many levels out.
    Parameter(usize),
    /// A column or subquery that an earlier phase should have replaced.
    Misplaced(Span),
}

pub(super) struct Call {
    function: &'static Function,
    arguments: Vec<Code>,
    types: Vec<SqlType>,
    result: SqlType,
    span: Span,
}

impl Code {
    pub fn new(expr: &Expr) -> Code {
        Code::inside(expr, &[])
    }

    /// `parameters`: those of the bodies around, the outermost first.
    fn inside(expr: &Expr, parameters: &[u32]) -> Code {
        let new = |expr: &Expr| Code::inside(expr, parameters);
        let all = |exprs: &[Expr]| exprs.iter().map(new).collect();
        match &expr.kind {
            ExprKind::Slot(slot) => Code::Slot(*slot),
            ExprKind::Literal(value) => Code::Literal(value.clone()),
            ExprKind::Call { function, arguments } => Code::Call(Box::new(Call {
                function,
                arguments: all(arguments),
                types: arguments.iter().map(|argument| argument.ty.ty).collect(),
                result: expr.ty.ty,
                span: expr.span,
            })),
            ExprKind::And(operands) => Code::And(all(operands)),
            ExprKind::Or(operands) => Code::Or(all(operands)),
            ExprKind::IsNull(operand) => Code::IsNull(Box::new(new(operand))),
            ExprKind::Case { branches, otherwise } => Code::Case {
                branches: branches.iter().map(|(when, then)| (new(when), new(then))).collect(),
                otherwise: otherwise.as_ref().map(|otherwise| Box::new(new(otherwise))),
            },
            ExprKind::Coalesce(operands) => Code::Coalesce(all(operands)),
            ExprKind::Try(operand) => Code::Try(Box::new(new(operand))),
            ExprKind::Each { collection, parameter, body } => {
                let inner = [parameters, &[*parameter]].concat();
                Code::Each(Box::new(new(collection)), Box::new(Code::inside(body, &inner)))
            }
            ExprKind::Parameter(parameter) => match parameters.iter().rev().position(|known| known == parameter) {
                Some(distance) => Code::Parameter(distance),
                None => Code::Misplaced(expr.span),
            },
            ExprKind::Column(_) | ExprKind::Subquery { .. } => Code::Misplaced(expr.span),
        }
    }

    /// The value; an error is placed at the innermost call that failed.
    pub fn evaluate(&self, slots: &[Value]) -> Result<Value, EvalError> {
        match self {
            Code::Slot(slot) => Ok(slots[*slot].clone()),
            Code::Literal(value) => Ok(value.clone()),
            Code::Call(call) => stacker::maybe_grow(STACK, 1 << 20, || call.evaluate(slots)),
            Code::And(operands) => connect(operands, slots, false),
            Code::Or(operands) => connect(operands, slots, true),
            Code::IsNull(operand) => Ok(Value::Boolean(operand.evaluate(slots)?.is_null())),
            Code::Case { branches, otherwise } => {
                for (condition, result) in branches {
                    if condition.holds(slots)? {
                        return result.evaluate(slots);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |otherwise| otherwise.evaluate(slots))
            }
            Code::Coalesce(operands) => {
                for operand in operands {
                    let value = operand.evaluate(slots)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Ok(Value::Null)
            }
            Code::Try(operand) => Ok(operand.evaluate(slots).unwrap_or(Value::Null)),
            Code::Parameter(distance) => Ok(slots[slots.len() - 1 - distance].clone()),
            Code::Each(collection, body) => {
                let Value::Array(elements) = collection.evaluate(slots)? else { return Ok(Value::Null) };
                let mut inner = [slots, &[Value::Null]].concat();
                let mut made = Vec::with_capacity(elements.len());
                for element in elements.iter() {
                    inner[slots.len()] = element.clone();
                    made.push(body.evaluate(&inner)?);
                }
                Ok(Value::array(made))
            }
            Code::Misplaced(span) => {
                let message = "internal error: a column or subquery was left in the circuit";
                Err(SqlError::new(error::INVALID_ARGUMENT, message).at(span.line, span.column))
            }
        }
    }

    /// Is the value TRUE (neither FALSE nor unknown)?
    pub fn holds(&self, slots: &[Value]) -> Result<bool, EvalError> {
        Ok(self.evaluate(slots)? == Value::Boolean(true))
    }
}

impl Call {
    fn evaluate(&self, slots: &[Value]) -> Result<Value, EvalError> {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(argument.evaluate(slots)?);
        }
        let signature = Signature { arguments: &self.types, result: self.result };
        let placed = |error: SqlError| error.at(self.span.line, self.span.column);
        (self.function.call)(&arguments, &signature).map_err(placed)
    }
}

/// AND (`decided_by` false) and OR (true): the first operand of that value decides; else unknown if any is.
fn connect(operands: &[Code], slots: &[Value], decided_by: bool) -> Result<Value, EvalError> {
    let mut unknown = false;
    for operand in operands {
        match operand.evaluate(slots)? {
            Value::Boolean(value) if value == decided_by => return Ok(Value::Boolean(decided_by)),
            Value::Null => unknown = true,
            _ => (),
        }
    }
    Ok(if unknown { Value::Null } else { Value::Boolean(!decided_by) })
}

#[cfg(test)]
mod tests {
    use super::super::evaluate_constant;
    use crate::plan::{Expr, ExprKind, Program};
    use crate::{bind, parse};
    use feldc_value::Value;

    /// The value of an expression over no column, or its error with the column in the line `SELECT expression AS x`.
    fn evaluate(sql: &str) -> Result<Value, (&'static str, u32)> {
        let text = format!("CREATE VIEW v AS SELECT\n{sql} AS x;");
        let (program, _): (Program, _) = bind::bind(&parse::parse(&text).0, &text).unwrap();
        let plan = &program.views[0].plan;
        let crate::plan::Plan::Project { columns, .. } = plan else { panic!("{plan:?}") };
        evaluate_constant(&columns[0].1).map_err(|error| (error.error.code, error.column))
    }

    #[test]
    fn logic_is_three_valued_and_stops_when_known() {
        assert_eq!(evaluate("FALSE AND 1 / 0 = 1"), Ok(Value::Boolean(false)));
        assert_eq!(evaluate("TRUE OR 1 / 0 = 1"), Ok(Value::Boolean(true)));
        assert_eq!(evaluate("NULL AND FALSE"), Ok(Value::Boolean(false)));
        assert_eq!(evaluate("NULL OR FALSE"), Ok(Value::Null));
        assert_eq!(evaluate("NULL AND 1 / 0 = 1"), Err(("22012", 10)));
    }

    #[test]
    fn branches_that_are_not_taken_are_not_evaluated() {
        assert_eq!(evaluate("CASE WHEN 1 = 1 THEN 2 ELSE 1 / 0 END"), Ok(Value::Integer(2)));
        assert_eq!(evaluate("COALESCE(1, 1 / 0)"), Ok(Value::Integer(1)));
    }

    #[test]
    fn an_error_is_placed_at_the_innermost_call() {
        assert_eq!(evaluate("1 + 2 * (3 / 0)"), Err(("22012", 10)));
    }

    #[test]
    fn a_column_left_behind_is_an_error_and_no_panic() {
        let ty = feldc_value::ColumnType::new(feldc_value::SqlType::BigInt, true);
        let column = Expr { kind: ExprKind::Column(crate::plan::ColumnId(1)), ty, span: Default::default() };
        assert!(evaluate_constant(&column).is_err());
    }
}
