//! Operators: comparisons (of rows too), arithmetic, AND and OR.

use super::coerce::null;
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::parse::period::PERIOD;
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, BinaryOperator};

/// The registry's name of a comparison operator.
pub fn comparison_name(op: &BinaryOperator) -> Option<&'static str> {
    Some(match op {
        BinaryOperator::Eq => "=",
        BinaryOperator::NotEq => "<>",
        BinaryOperator::Lt => "<",
        BinaryOperator::LtEq => "<=",
        BinaryOperator::Gt => ">",
        BinaryOperator::GtEq => ">=",
        BinaryOperator::Spaceship => "<=>",
        _ => return None,
    })
}

/// PostgreSQL's operators that match a pattern: the registry's function, its flags, and whether the answer is turned over.
fn pattern_match(op: &BinaryOperator) -> Option<(&'static str, Option<&'static str>, bool)> {
    Some(match op {
        BinaryOperator::PGRegexMatch => ("RLIKE", None, false),
        BinaryOperator::PGRegexNotMatch => ("RLIKE", None, true),
        BinaryOperator::PGRegexIMatch => ("REGEXP_LIKE", Some("i"), false),
        BinaryOperator::PGRegexNotIMatch => ("REGEXP_LIKE", Some("i"), true),
        BinaryOperator::PGLikeMatch => ("LIKE", None, false),
        BinaryOperator::PGNotLikeMatch => ("LIKE", None, true),
        BinaryOperator::PGILikeMatch => ("ILIKE", None, false),
        BinaryOperator::PGNotILikeMatch => ("ILIKE", None, true),
        _ => return None,
    })
}

/// The operands of ROW(a, b), (a, b).
pub fn row_operands(expr: &ast::Expr) -> Option<Vec<&ast::Expr>> {
    match expr {
        ast::Expr::Tuple(items) => Some(items.iter().collect()),
        ast::Expr::Nested(inner) => row_operands(inner),
        ast::Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case("row") => {
            let ast::FunctionArguments::List(list) = &function.args else { return None };
            list.args
                .iter()
                .map(|argument| match argument {
                    ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Some(expr),
                    _ => None,
                })
                .collect()
        }
        _ => None,
    }
}

impl Binder<'_> {
    pub(super) fn binary(
        &mut self,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
        span: Span,
    ) -> Bound<Expr> {
        if let Some(name) = comparison_name(op) {
            if let (Some(left), Some(right)) = (row_operands(left), row_operands(right)) {
                let (left, right) = (self.exprs(&left)?, self.exprs(&right)?);
                return self.compare_rows(name, left, right, span);
            }
            let (left, right) = self.both(left, right)?;
            return self.compare(name, left, right, span);
        }
        if let BinaryOperator::Custom(name) = op
            && let Some(predicate) = name.strip_prefix(PERIOD)
        {
            return self.period_predicate(predicate, left, right, span);
        }
        if let Some((name, flags, negated)) = pattern_match(op) {
            let (text, pattern) = self.both(left, right)?;
            let mut arguments = vec![text, pattern];
            arguments.extend(flags.map(|flags| super::literal::text_value(flags, span)));
            let test = self.call(name, arguments, span)?;
            return self.negate_if(negated, test, span);
        }
        let name = match op {
            BinaryOperator::Plus => "+",
            BinaryOperator::Minus => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Modulo => "%",
            BinaryOperator::StringConcat => "||",
            BinaryOperator::BitwiseAnd => "&",
            BinaryOperator::BitwiseOr => "|",
            BinaryOperator::PGBitwiseXor => "#",
            BinaryOperator::PGBitwiseShiftLeft => "<<",
            BinaryOperator::PGBitwiseShiftRight => ">>",
            other => return self.unsupported(format!("the operator {other}"), span),
        };
        let (left, right) = self.both(left, right)?;
        self.arithmetic(name, left, right, span)
    }

    /// Binds both operands, so that both report.
    pub(super) fn both(&mut self, left: &ast::Expr, right: &ast::Expr) -> Bound<(Expr, Expr)> {
        let (left, right) = (self.expr(left), self.expr(right));
        Ok((left?, right?))
    }

    fn arithmetic(&mut self, name: &str, left: Expr, right: Expr, span: Span) -> Bound<Expr> {
        // As the peer does, text beside a number is read as a number of that type.
        let (l, r) = (left.ty.ty, right.ty.ty);
        let (left, right) = match name {
            "||" => (left, right),
            _ if l.is_text() && r.is_numeric() => {
                let place = left.span;
                (self.cast(left, r, place)?, right)
            }
            _ if l.is_numeric() && r.is_text() => {
                let place = right.span;
                (left, self.cast(right, l, place)?)
            }
            // Of two integers of which one has no sign the wider type is the result's.
            _ if l.is_integer() && r.is_integer() && l.is_unsigned() != r.is_unsigned() => {
                let ty = feldc_value::common_type(l, r).unwrap_or(l);
                let places = (left.span, right.span);
                (self.cast(left, ty, places.0)?, self.cast(right, ty, places.1)?)
            }
            _ => (left, right),
        };
        self.call(name, vec![left, right], span)
    }

    /// `left op right` after both are cast to the type in which they meet.
    pub(super) fn compare(&mut self, name: &str, left: Expr, right: Expr, span: Span) -> Bound<Expr> {
        let Some(ty) = self.meet(&left, &right) else {
            let headline = format!("{} and {} cannot be compared", left.ty.ty, right.ty.ty);
            let error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, span);
            return self.fail(error.help(format!("cast one side, for example CAST(... AS {})", left.ty.ty)));
        };
        if ty == SqlType::Null && name != "<=>" && !name.starts_with("IS ") {
            return Ok(null(SqlType::Boolean, span));
        }
        let ty = if ty == SqlType::Null { SqlType::Boolean } else { ty };
        let (left, right) = (self.meeting(left, ty)?, self.meeting(right, ty)?);
        self.call(name, vec![left, right], span)
    }

    /// The operand in the type in which it meets the other. DECIMALs compare across scales as they are.
    pub(super) fn meeting(&mut self, operand: Expr, ty: SqlType) -> Bound<Expr> {
        let place = operand.span;
        match ty {
            SqlType::Decimal { .. } if operand.ty.ty.is_decimal() => Ok(operand),
            SqlType::Decimal { .. } if operand.ty.ty.is_integer() => {
                let to = SqlType::Decimal { precision: super::call::digits(operand.ty.ty), scale: 0 };
                self.cast(operand, to, place)
            }
            SqlType::Varchar { .. } if matches!(operand.ty.ty, SqlType::Varchar { .. }) => Ok(operand),
            // The padding of a CHAR does not count where it meets text without padding.
            SqlType::Varchar { .. } if matches!(operand.ty.ty, SqlType::Char { .. }) => {
                self.call("TRIM TRAILING", vec![super::literal::text_value(" ", place), operand], place)
            }
            ty => self.cast(operand, ty, place),
        }
    }

    /// Rows compare column by column, from the left.
    pub(super) fn compare_rows(&mut self, name: &str, left: Vec<Expr>, right: Vec<Expr>, span: Span) -> Bound<Expr> {
        if left.len() != right.len() {
            let headline = format!("a row of {} columns is compared with one of {}", left.len(), right.len());
            return self.fail(Diagnostic::error(code::SYNTAX_ERROR, headline, span));
        }
        let pairs: Vec<(Expr, Expr)> = left.into_iter().zip(right).collect();
        match name {
            "=" | "<=>" | "IS NOT DISTINCT FROM" => {
                let mut equal = vec![];
                for (l, r) in pairs {
                    equal.push(self.compare(name, l, r, span)?);
                }
                Ok(self.and(equal, span))
            }
            "<>" | "IS DISTINCT FROM" => {
                let mut different = vec![];
                for (l, r) in pairs {
                    different.push(self.compare(name, l, r, span)?);
                }
                Ok(self.or(different, span))
            }
            _ => self.compare_rows_in_order(name, pairs, span),
        }
    }

    /// (a, b) < (c, d) is a < c OR (a = c AND b < d); the last column compares with the operator itself.
    fn compare_rows_in_order(&mut self, name: &str, pairs: Vec<(Expr, Expr)>, span: Span) -> Bound<Expr> {
        let strict = name.trim_end_matches('=');
        let last = pairs.len().saturating_sub(1);
        let mut result: Option<Expr> = None;
        for (at, (l, r)) in pairs.into_iter().enumerate().rev() {
            let (l2, r2) = (self.fresh_expr(&l)?, self.fresh_expr(&r)?);
            let test = self.compare(if at == last { name } else { strict }, l, r, span)?;
            result = Some(match result {
                None => test,
                Some(rest) => {
                    let equal = self.compare("=", l2, r2, span)?;
                    let tie = self.and(vec![equal, rest], span);
                    self.or(vec![test, tie], span)
                }
            });
        }
        Ok(result.unwrap_or_else(|| super::coerce::boolean(true, span)))
    }

    pub(super) fn and(&mut self, operands: Vec<Expr>, span: Span) -> Expr {
        connective(operands, span, true)
    }

    pub(super) fn or(&mut self, operands: Vec<Expr>, span: Span) -> Expr {
        connective(operands, span, false)
    }

    /// AND or OR over a chain that sqlparser nests to the left, however long.
    pub(super) fn chain(&mut self, expr: &ast::Expr, op: &BinaryOperator, span: Span) -> Bound<Expr> {
        let mut leaves = vec![];
        let mut rest = expr;
        while let ast::Expr::BinaryOp { left, op: same, right } = rest
            && same == op
        {
            leaves.push(&**right);
            rest = left;
        }
        leaves.push(rest);
        let mut operands = vec![];
        let mut failed = None;
        for leaf in leaves.into_iter().rev() {
            let operand = self.expr(leaf).and_then(|operand| self.condition(operand, &format!("an operand of {op}")));
            match operand {
                Ok(operand) => operands.push(operand),
                Err(reported) => failed = Some(reported),
            }
        }
        match failed {
            Some(reported) => Err(reported),
            None => Ok(connective(operands, span, *op == BinaryOperator::And)),
        }
    }
}

/// One flat AND or OR; operands of the same kind are taken in.
fn connective(operands: Vec<Expr>, span: Span, and: bool) -> Expr {
    let mut flat = vec![];
    for operand in operands {
        match operand.kind {
            ExprKind::And(inner) if and => flat.extend(inner),
            ExprKind::Or(inner) if !and => flat.extend(inner),
            _ => flat.push(operand),
        }
    }
    if flat.len() == 1 {
        return flat.remove(0);
    }
    let nullable = flat.iter().any(|operand| operand.ty.nullable);
    let kind = if and { ExprKind::And(flat) } else { ExprKind::Or(flat) };
    Expr { kind, ty: ColumnType::new(SqlType::Boolean, nullable), span }
}
