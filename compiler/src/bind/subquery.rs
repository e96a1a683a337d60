//! Subqueries in expressions: scalar, EXISTS, IN, ANY and ALL.

use super::coerce::{boolean, null};
use super::operator::{comparison_name, row_operands};
use super::query::Query;
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, ExprKind, Plan, Quantifier, Span, SubqueryKind};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, BinaryOperator};

impl Binder<'_> {
    pub(super) fn scalar_subquery(&mut self, query: &ast::Query, span: Span) -> Bound<Expr> {
        let query = self.query(query)?;
        self.check_columns(&query, 1, span)?;
        let ty = ColumnType::new(query.columns[0].ty.ty, true);
        let plan = Box::new(self.exact_plan(query, span)?);
        Ok(Expr { kind: ExprKind::Subquery { kind: SubqueryKind::Scalar, plan }, ty, span })
    }

    pub(super) fn exists(&mut self, query: &ast::Query, span: Span) -> Bound<Expr> {
        let plan = Box::new(self.query(query)?.plan);
        let ty = ColumnType::new(SqlType::Boolean, false);
        Ok(Expr { kind: ExprKind::Subquery { kind: SubqueryKind::Exists, plan }, ty, span })
    }

    pub(super) fn in_subquery(&mut self, operand: &ast::Expr, query: &ast::Query, span: Span) -> Bound<Expr> {
        let operands = match row_operands(operand) {
            Some(items) => self.exprs(&items),
            None => self.expr(operand).map(|operand| vec![operand]),
        };
        let query = self.query(query);
        let (operands, query) = (operands?, query?);
        self.in_query(operands, query, span)
    }

    /// `operands = ANY (query)`, both sides cast to common types.
    fn in_query(&mut self, operands: Vec<Expr>, query: Query, span: Span) -> Bound<Expr> {
        self.check_columns(&query, operands.len(), span)?;
        let (operands, query) = self.meet_query(operands, query, span)?;
        let nullable = operands.iter().any(|e| e.ty.nullable) || query.columns.iter().any(|c| c.ty.nullable);
        let plan = Box::new(self.exact_plan(query, span)?);
        let kind = ExprKind::Subquery { kind: SubqueryKind::In { operands }, plan };
        Ok(Expr { kind, ty: ColumnType::new(SqlType::Boolean, nullable), span })
    }

    /// Casts operands and the query's columns to the types in which they meet.
    fn meet_query(&mut self, operands: Vec<Expr>, query: Query, span: Span) -> Bound<(Vec<Expr>, Query)> {
        let mut cast = vec![];
        let mut types = vec![];
        for (operand, column) in operands.into_iter().zip(&query.columns) {
            let source = Expr::column(column.id, column.ty, span);
            let Some(ty) = self.meet(&operand, &source) else {
                let headline = format!("{} and {} cannot be compared", operand.ty.ty, column.ty.ty);
                let error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, operand.span);
                return self.fail(error.help("cast one side"));
            };
            let ty = if ty == SqlType::Null { SqlType::VARCHAR } else { ty };
            cast.push(self.meet_exactly(operand, ty)?);
            types.push(ColumnType::new(ty, column.ty.nullable));
        }
        let fits = query.columns.iter().zip(&types).all(|(column, ty)| column.ty == *ty);
        match fits {
            true => Ok((cast, query)),
            false => {
                let query =
                    self.project_with(query, &types, span, |binder, source, ty| binder.meet_exactly(source, ty))?;
                Ok((cast, query))
            }
        }
    }

    /// The value in the type in which it meets the other side, and of exactly that type.
    fn meet_exactly(&mut self, expr: Expr, ty: SqlType) -> Bound<Expr> {
        let span = expr.span;
        let trimmed = match (expr.ty.ty, ty) {
            (SqlType::Char { .. }, SqlType::Varchar { .. }) => self.meeting(expr, ty)?,
            _ => expr,
        };
        self.cast(trimmed, ty, span)
    }

    /// `x op ANY (...)`, `x op ALL (...)`.
    pub(super) fn quantified(
        &mut self,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
        quantifier: Quantifier,
        span: Span,
    ) -> Bound<Expr> {
        let mut inner = right;
        while let ast::Expr::Nested(nested) = inner {
            inner = nested;
        }
        let Some(name) = comparison_name(op) else {
            return self.unsupported(format!("{op} with ANY or ALL"), span);
        };
        let ast::Expr::Subquery(query) = inner else {
            return self.quantified_elements(left, name, inner, quantifier, span);
        };
        // = ANY is IN; <> ALL is NOT IN.
        match (name, quantifier) {
            ("=", Quantifier::Any) => return self.in_subquery(left, query, span),
            ("<>", Quantifier::All) => {
                let test = self.in_subquery(left, query, span)?;
                return self.not(test, span);
            }
            _ => (),
        }
        if let Some(items) = row_operands(left) {
            return self.quantified_rows(&items, name, query, quantifier, span);
        }
        let operand = self.expr(left);
        let query = self.query(query);
        let (operand, query) = (operand?, query?);
        self.check_columns(&query, 1, span)?;
        let (mut operands, query) = self.meet_query(vec![operand], query, span)?;
        let operand = operands.remove(0);
        let column = Expr::column(query.columns[0].id, query.columns[0].ty, span);
        // The overload that compares one value with the other.
        let ExprKind::Call { function, .. } = self.compare(name, column.clone(), column, span)?.kind else {
            return Ok(boolean(false, span));
        };
        let nullable = operand.ty.nullable || query.columns[0].ty.nullable;
        let plan = Box::new(self.exact_plan(query, span)?);
        let kind = SubqueryKind::Quantified { operand: Box::new(operand), comparison: function, quantifier };
        let ty = ColumnType::new(SqlType::Boolean, nullable);
        Ok(Expr { kind: ExprKind::Subquery { kind, plan }, ty, span })
    }

    /// Rows that compare as wanted decide, or else those of which it is unknown.
    fn quantified_rows(
        &mut self,
        items: &[&ast::Expr],
        comparison: &str,
        query: &ast::Query,
        quantifier: Quantifier,
        span: Span,
    ) -> Bound<Expr> {
        let operands = self.exprs(items);
        let query = self.query(query);
        let (operands, query) = (operands?, query?);
        self.check_columns(&query, operands.len(), span)?;
        let columns = query.columns.iter().map(|column| Expr::column(column.id, column.ty, span)).collect();
        let mut test = self.compare_rows(comparison, operands, columns, span)?;
        if quantifier == Quantifier::All {
            test = self.not(test, span)?;
        }
        let decided = quantifier == Quantifier::Any;
        let unknown = match test.ty.nullable {
            true => {
                let test = self.fresh_expr(&test)?;
                let is_null = Expr { kind: ExprKind::IsNull(Box::new(test)), ty: BOOLEAN, span };
                Some(self.fresh_expr(&exists_where(query.plan.clone(), is_null))?)
            }
            false => None,
        };
        let mut branches = vec![(exists_where(query.plan, test), boolean(decided, span))];
        branches.extend(unknown.map(|unknown| (unknown, null(SqlType::Boolean, span))));
        let nullable = branches.len() > 1;
        let kind = ExprKind::Case { branches, otherwise: Some(Box::new(boolean(!decided, span))) };
        Ok(Expr { kind, ty: ColumnType::new(SqlType::Boolean, nullable), span })
    }

    fn check_columns(&mut self, query: &Query, expected: usize, span: Span) -> Bound<()> {
        let found = query.columns.len();
        if found == expected {
            return Ok(());
        }
        let headline = match expected {
            1 => format!("a subquery here has one column, not {found}"),
            _ => format!("the subquery has {found} columns, the row before it {expected}"),
        };
        self.fail(Diagnostic::error(code::SYNTAX_ERROR, headline, span).help("select only the columns compared"))
    }

    /// The plan whose columns are exactly the query's, in order.
    fn exact_plan(&mut self, query: Query, span: Span) -> Bound<Plan> {
        let types: Vec<ColumnType> = query.columns.iter().map(|column| column.ty).collect();
        Ok(self.projected(query, &types, span)?.plan)
    }
}

const BOOLEAN: ColumnType = ColumnType::new(SqlType::Boolean, false);

fn exists_where(plan: Plan, predicate: Expr) -> Expr {
    let span = predicate.span;
    let plan = Box::new(Plan::Filter { input: Box::new(plan), predicate });
    Expr { kind: ExprKind::Subquery { kind: SubqueryKind::Exists, plan }, ty: BOOLEAN, span }
}
