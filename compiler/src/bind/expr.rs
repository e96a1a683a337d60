//! Expressions: one arm per form of the syntax.

use super::coerce::{boolean, null};
use super::{Binder, Bound, DEPTH_MAX};
use crate::diagnostic::{Diagnostic, code};
use crate::parse::dialect::is_connective;
use crate::parse::rewrite_tokens::ANY_OF;
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::{ColumnType, SqlType, Value};
use sqlparser::ast::{self, CastKind, UnaryOperator};

impl Binder<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Bound<Expr> {
        self.depth += 1;
        let result = if self.depth > DEPTH_MAX { self.too_deep() } else { self.expr_inner(expr) };
        self.depth -= 1;
        let result = result?;
        self.check_levels(result.ty.ty, result.span)?;
        Ok(result)
    }

    pub(super) fn exprs(&mut self, exprs: &[&ast::Expr]) -> Bound<Vec<Expr>> {
        let bound: Vec<Bound<Expr>> = exprs.iter().map(|expr| self.expr(expr)).collect();
        bound.into_iter().collect()
    }

    fn too_deep<T>(&mut self) -> Bound<T> {
        let error = Diagnostic::error(code::TOO_COMPLEX, "expression nests too deeply", self.statement);
        self.fail(error.help(format!("at most {DEPTH_MAX} operators may nest: compute a part in a subquery")))
    }

    fn expr_inner(&mut self, expr: &ast::Expr) -> Bound<Expr> {
        let span = self.span_of(expr);
        match expr {
            ast::Expr::Nested(inner) => self.expr(inner),
            ast::Expr::Identifier(ident) => self.identifier(ident),
            ast::Expr::CompoundIdentifier(parts) => self.compound(parts, span),
            ast::Expr::Value(value) => self.literal(&value.value, false, span),
            ast::Expr::TypedString(typed) => self.typed_string(typed, span),
            ast::Expr::Interval(interval) => self.interval(interval, span),
            ast::Expr::UnaryOp { op, expr } => self.unary(op, expr, span),
            ast::Expr::BinaryOp { op, .. } if is_connective(op) => self.chain(expr, op, span),
            ast::Expr::BinaryOp { left, op, right } => self.binary(left, op, right, span),
            ast::Expr::IsNull(operand) => self.is_null(operand, span),
            ast::Expr::IsNotNull(operand) => {
                let test = self.is_null(operand, span)?;
                self.not(test, span)
            }
            ast::Expr::IsTrue(operand) => self.truth("IS TRUE", operand, span),
            ast::Expr::IsNotTrue(operand) => self.truth("IS NOT TRUE", operand, span),
            ast::Expr::IsFalse(operand) => self.truth("IS FALSE", operand, span),
            ast::Expr::IsNotFalse(operand) => self.truth("IS NOT FALSE", operand, span),
            ast::Expr::IsUnknown(operand) => self.truth("IS UNKNOWN", operand, span),
            ast::Expr::IsNotUnknown(operand) => self.truth("IS NOT UNKNOWN", operand, span),
            ast::Expr::IsDistinctFrom(left, right) => self.distinct_from("IS DISTINCT FROM", left, right, span),
            ast::Expr::IsNotDistinctFrom(left, right) => self.distinct_from("IS NOT DISTINCT FROM", left, right, span),
            ast::Expr::Between { expr, negated, low, high } => {
                let test = self.between(expr, low, high, span)?;
                self.negate_if(*negated, test, span)
            }
            ast::Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                self.like("LIKE", *negated, expr, pattern, escape_char.as_deref(), span)
            }
            ast::Expr::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.like("ILIKE", *negated, expr, pattern, escape_char.as_deref(), span)
            }
            ast::Expr::RLike { negated, expr, pattern, .. } => self.like("RLIKE", *negated, expr, pattern, None, span),
            ast::Expr::SimilarTo { negated, expr, pattern, escape_char } => {
                self.like("SIMILAR TO", *negated, expr, pattern, escape_char.as_deref(), span)
            }
            ast::Expr::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref(), span)
            }
            ast::Expr::Cast { kind, expr, data_type, format: None } => {
                if let (ast::DataType::Interval { fields: None, .. }, ast::Expr::Value(value)) = (data_type, &**expr)
                    && let ast::Value::SingleQuotedString(text) = &value.value
                {
                    return self.interval_with_units(text, span);
                }
                let ty = self.data_type(data_type, span);
                let operand = self.expr(expr)?;
                let cast = self.explicit_cast(operand, ty?, span)?;
                Ok(match kind {
                    CastKind::Cast | CastKind::DoubleColon => cast,
                    CastKind::TryCast | CastKind::SafeCast => attempt(cast),
                })
            }
            ast::Expr::Exists { subquery, negated } => {
                let test = self.exists(subquery, span)?;
                self.negate_if(*negated, test, span)
            }
            ast::Expr::Subquery(query) => self.scalar_subquery(query, span),
            ast::Expr::In { expr, target, negated, global: false } => {
                let test = match target {
                    ast::InTarget::List(list) => self.in_list(expr, list, span)?,
                    ast::InTarget::Subquery(query) => self.in_subquery(expr, query, span)?,
                    _ => return self.unsupported("IN over anything but a list or a subquery", span),
                };
                self.negate_if(*negated, test, span)
            }
            ast::Expr::AnyOp { left, compare_op, right, .. } => {
                self.quantified(left, compare_op, right, crate::plan::Quantifier::Any, span)
            }
            ast::Expr::AllOp { left, compare_op, right } => {
                self.quantified(left, compare_op, right, crate::plan::Quantifier::All, span)
            }
            ast::Expr::Function(function) => self.function(function, span),
            ast::Expr::Extract { field, expr, .. } => self.extract(field, expr, span),
            ast::Expr::Ceil { expr, field } => self.round_to("CEIL", expr, field, span),
            ast::Expr::Floor { expr, field } => self.round_to("FLOOR", expr, field, span),
            ast::Expr::Position { expr, r#in } => self.plain_call("POSITION", &[expr, r#in], span),
            ast::Expr::Substring { expr, substring_from, substring_for, shorthand, .. } => {
                let name = if *shorthand { "SUBSTR" } else { "SUBSTRING" };
                self.substring(name, expr, substring_from.as_deref(), substring_for.as_deref(), span)
            }
            ast::Expr::Trim { trim_where, trim_what, expr, trim_characters } => {
                let what = match trim_characters.as_deref() {
                    None => trim_what.as_deref(),
                    Some([what]) => Some(what),
                    Some(_) => return self.unsupported("TRIM with more than one text of characters", span),
                };
                self.trim(trim_where.as_ref(), what, expr, span)
            }
            ast::Expr::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                let mut arguments: Vec<&ast::Expr> = vec![expr, overlay_what, overlay_from];
                arguments.extend(overlay_for.as_deref());
                self.plain_call("OVERLAY", &arguments, span)
            }
            ast::Expr::Tuple(items) => {
                let items = self.exprs(&items.iter().collect::<Vec<_>>())?;
                self.row(items, span)
            }
            ast::Expr::Array(array) => {
                let items = self.exprs(&array.elem.iter().collect::<Vec<_>>())?;
                if items.is_empty() {
                    let ty = ColumnType::new(SqlType::array(SqlType::Null), false);
                    return Ok(Expr::literal(Value::array([]), ty, span));
                }
                self.call("ARRAY", items, span)
            }
            ast::Expr::AtTimeZone { timestamp, time_zone } => self.at_time_zone(timestamp, time_zone, span),
            ast::Expr::CompoundFieldAccess { root, access_chain } => self.access(root, access_chain, span),
            other => self.unknown_form(other, span),
        }
    }

    fn unknown_form(&mut self, expr: &ast::Expr, span: Span) -> Bound<Expr> {
        let what = match expr {
            ast::Expr::Struct { .. } => "a STRUCT literal",
            ast::Expr::Lambda(_) => "a lambda",
            ast::Expr::JsonAccess { .. } => "access by a JSON path",
            ast::Expr::Collate { .. } => "COLLATE",
            ast::Expr::Like { .. } | ast::Expr::ILike { .. } => "LIKE ANY",
            ast::Expr::Convert { .. } => "CONVERT",
            ast::Expr::Cast { .. } => "CAST with FORMAT",
            ast::Expr::GroupingSets(_) | ast::Expr::Cube(_) | ast::Expr::Rollup(_) => "GROUPING SETS",
            _ => "this form of expression",
        };
        self.unsupported(what, span)
    }

    fn identifier(&mut self, ident: &ast::Ident) -> Bound<Expr> {
        let name = self.name(ident);
        // PI and the like are written without parentheses.
        let constant = ident.quote_style.is_none() && matches!(name.text.as_str(), "pi" | "now" | "user");
        if constant && !self.in_sight(&name.text) {
            return self.call_without_parentheses(&name.text, name.span);
        }
        self.resolve(None, &name)
    }

    fn in_sight(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.columns.iter().any(|column| column.bare && column.name == name))
    }

    fn compound(&mut self, parts: &[ast::Ident], span: Span) -> Bound<Expr> {
        match parts {
            [table, column] if !self.is_field(table) => {
                let (table, column) = (self.name(table), self.name(column));
                self.resolve(Some(&table), &column)
            }
            _ => self.path(parts, span),
        }
    }

    fn unary(&mut self, op: &UnaryOperator, operand: &ast::Expr, span: Span) -> Bound<Expr> {
        match (op, operand) {
            (UnaryOperator::Minus, ast::Expr::Value(value)) if matches!(value.value, ast::Value::Number(..)) => {
                self.literal(&value.value, true, span)
            }
            (UnaryOperator::Minus, _) => self.plain_call("NEG", &[operand], span),
            (UnaryOperator::Plus, _) => {
                let operand = self.expr(operand)?;
                match operand.ty.ty {
                    ty if ty.is_numeric() || ty.is_interval() || ty == SqlType::Null => Ok(operand),
                    ty => {
                        let headline = format!("unary + does not exist for {ty}");
                        self.fail(Diagnostic::error(code::UNDEFINED_FUNCTION, headline, span))
                    }
                }
            }
            (UnaryOperator::Not, _) => {
                let operand = self.expr(operand)?;
                let operand = self.condition(operand, "the operand of NOT")?;
                self.not(operand, span)
            }
            (UnaryOperator::BitwiseNot, _) => self.plain_call("~", &[operand], span),
            (other, _) => self.unsupported(format!("the operator {other}"), span),
        }
    }

    pub(super) fn not(&mut self, operand: Expr, span: Span) -> Bound<Expr> {
        self.call("NOT", vec![operand], span)
    }

    pub(super) fn negate_if(&mut self, negated: bool, test: Expr, span: Span) -> Bound<Expr> {
        if negated { self.not(test, span) } else { Ok(test) }
    }

    pub(super) fn plain_call(&mut self, name: &str, arguments: &[&ast::Expr], span: Span) -> Bound<Expr> {
        let arguments = self.exprs(arguments)?;
        self.call(name, arguments, span)
    }

    fn is_null(&mut self, operand: &ast::Expr, span: Span) -> Bound<Expr> {
        // As with the peer, a row that is written out is a value, whatever its columns are.
        if let Some(items) = super::operator::row_operands(operand) {
            self.exprs(&items)?;
            return Ok(super::coerce::boolean(false, span));
        }
        let operand = self.expr(operand)?;
        // A key that some grouping set leaves out will be NULL there.
        match self.scopes.iter().any(|scope| scope.by_sets) {
            true => Ok(null_test(operand, span)),
            false => Ok(is_null(operand, span)),
        }
    }

    fn truth(&mut self, name: &str, operand: &ast::Expr, span: Span) -> Bound<Expr> {
        let operand = self.expr(operand)?;
        let operand = self.condition(operand, &format!("the operand of {name}"))?;
        self.call(name, vec![operand], span)
    }

    fn distinct_from(&mut self, name: &str, left: &ast::Expr, right: &ast::Expr, span: Span) -> Bound<Expr> {
        if let (Some(left), Some(right)) = (super::operator::row_operands(left), super::operator::row_operands(right)) {
            let (left, right) = (self.exprs(&left)?, self.exprs(&right)?);
            return self.compare_rows(name, left, right, span);
        }
        let (left, right) = self.both(left, right)?;
        self.compare(name, left, right, span)
    }

    fn between(&mut self, operand: &ast::Expr, low: &ast::Expr, high: &ast::Expr, span: Span) -> Bound<Expr> {
        let [operand, low, high] = self.three(operand, low, high)?;
        self.between_bound(operand, low, high, span)
    }

    pub(super) fn three(&mut self, a: &ast::Expr, b: &ast::Expr, c: &ast::Expr) -> Bound<[Expr; 3]> {
        let (a, b, c) = (self.expr(a), self.expr(b), self.expr(c));
        Ok([a?, b?, c?])
    }

    pub(super) fn between_bound(&mut self, operand: Expr, low: Expr, high: Expr, span: Span) -> Bound<Expr> {
        let again = self.fresh_expr(&operand)?;
        let from = self.compare(">=", operand, low, span)?;
        let to = self.compare("<=", again, high, span)?;
        Ok(self.and(vec![from, to], span))
    }

    fn like(
        &mut self,
        name: &str,
        negated: bool,
        operand: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
        span: Span,
    ) -> Bound<Expr> {
        let mut arguments = vec![operand, pattern];
        arguments.extend(escape);
        let test = self.plain_call(name, &arguments, span)?;
        self.negate_if(negated, test, span)
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        span: Span,
    ) -> Bound<Expr> {
        let operand = operand.map(|operand| self.expr(operand)).transpose();
        let mut tests = vec![];
        let mut results = vec![];
        for when in conditions {
            let test = match &operand {
                Ok(None) if values(&when.condition).is_some() => {
                    let headline = "WHEN with several values in a CASE without an operand";
                    let error = Diagnostic::error(code::SYNTAX_ERROR, headline, self.span_of(&when.result));
                    self.fail(error.help("write CASE x WHEN 1, 2 THEN ..., or join conditions by OR"))
                }
                Ok(None) => self.expr(&when.condition).and_then(|test| self.condition(test, "a condition of CASE")),
                Ok(Some(operand)) => self.equals_one_of(operand, &when.condition),
                Err(reported) => Err(*reported),
            };
            tests.push(test);
            results.push(self.expr(&when.result));
        }
        if let Some(otherwise) = otherwise {
            results.push(self.expr(otherwise));
        }
        let tests = tests.into_iter().collect::<Bound<Vec<Expr>>>()?;
        let results = results.into_iter().collect::<Bound<Vec<Expr>>>()?;
        self.case_of(tests, results, span)
    }

    /// Does the operand of CASE equal the value of a WHEN, or one of several?
    fn equals_one_of(&mut self, operand: &Expr, written: &ast::Expr) -> Bound<Expr> {
        let values = values(written).unwrap_or_else(|| vec![written]);
        let span = self.span_of(values[0]);
        let mut tests = vec![];
        for value in self.exprs(&values)? {
            let (place, operand) = (value.span, self.fresh_expr(operand)?);
            tests.push(self.compare("=", operand, value, place)?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { self.or(tests, span) })
    }

    /// CASE from bound parts: one result more than tests is the ELSE.
    pub(super) fn case_of(&mut self, tests: Vec<Expr>, results: Vec<Expr>, span: Span) -> Bound<Expr> {
        let (ty, mut results) = self.unify(results, "the results of CASE")?;
        let otherwise = (results.len() > tests.len()).then(|| results.pop()).flatten().map(Box::new);
        let nullable = otherwise.as_ref().is_none_or(|e| e.ty.nullable) || results.iter().any(|e| e.ty.nullable);
        let branches = tests.into_iter().zip(results).collect();
        Ok(Expr { kind: ExprKind::Case { branches, otherwise }, ty: ColumnType::new(ty, nullable), span })
    }

    pub(super) fn coalesce(&mut self, operands: Vec<Expr>, span: Span) -> Bound<Expr> {
        let (ty, mut operands) = self.unify(operands, "the operands of COALESCE")?;
        if operands.len() == 1 {
            return Ok(operands.remove(0));
        }
        let nullable = operands.iter().all(|operand| operand.ty.nullable);
        Ok(Expr { kind: ExprKind::Coalesce(operands), ty: ColumnType::new(ty, nullable), span })
    }

    pub(super) fn in_list(&mut self, operand: &ast::Expr, list: &[ast::Expr], span: Span) -> Bound<Expr> {
        let rows = row_list(operand, list);
        let mut tests = vec![];
        if let Some((left, rows)) = rows {
            let left = self.exprs(&left)?;
            for row in rows {
                let right = self.exprs(&row)?;
                let left = left.iter().map(|expr| self.fresh_expr(expr)).collect::<Bound<Vec<Expr>>>()?;
                tests.push(self.compare_rows("=", left, right, span)?);
            }
        } else {
            let operand = self.expr(operand);
            let items: Vec<Bound<Expr>> = list.iter().map(|item| self.expr(item)).collect();
            let operand = operand?;
            for item in items {
                let item = item?;
                let left = self.fresh_expr(&operand)?;
                tests.push(self.compare("=", left, item, span)?);
            }
        }
        match tests.is_empty() {
            true => Ok(boolean(false, span)),
            false => Ok(self.or(tests, span)),
        }
    }

    fn explicit_cast(&mut self, operand: Expr, ty: SqlType, span: Span) -> Bound<Expr> {
        match operand.ty.ty {
            SqlType::Null => Ok(null(ty, span)),
            _ => self.cast(operand, ty, span),
        }
    }
}

pub fn is_null(operand: Expr, span: Span) -> Expr {
    if !operand.ty.nullable && !operand.fallible() {
        return boolean(false, span);
    }
    null_test(operand, span)
}

fn null_test(operand: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::IsNull(Box::new(operand)), ty: ColumnType::new(SqlType::Boolean, false), span }
}

/// NULL where the expression fails.
pub fn attempt(expr: Expr) -> Expr {
    if !expr.fallible() {
        return expr;
    }
    let (ty, span) = (ColumnType::new(expr.ty.ty, true), expr.span);
    Expr { kind: ExprKind::Try(Box::new(expr)), ty, span }
}

type Row<'a> = Vec<&'a ast::Expr>;

/// The parts of `(a, b) IN ((1, 2), (3, 4))`.
fn row_list<'a>(operand: &'a ast::Expr, list: &'a [ast::Expr]) -> Option<(Row<'a>, Vec<Row<'a>>)> {
    let left = super::operator::row_operands(operand)?;
    let rows = list.iter().map(super::operator::row_operands).collect::<Option<Vec<_>>>()?;
    Some((left, rows))
}

/// The values of a WHEN that has several.
fn values(expr: &ast::Expr) -> Option<Vec<&ast::Expr>> {
    let ast::Expr::Function(function) = expr else { return None };
    let ast::FunctionArguments::List(list) = &function.args else { return None };
    let value = |argument| match argument {
        &ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ref value)) => Some(value),
        _ => None,
    };
    (function.name.to_string() == ANY_OF).then(|| list.args.iter().map(value).collect::<Option<Vec<_>>>()).flatten()
}
