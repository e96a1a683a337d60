//! PIVOT and UNPIVOT in FROM: rows into columns by an aggregate for each, and columns into rows by a query for each.

use super::from::From;
use super::grouping::Grouping;
use super::query::Query;
use super::scope::{Clause, Scope, ScopeColumn};
use super::select::Output;
use super::set_function::is_aggregate;
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Column, ColumnId, Expr, ExprKind, Plan, Span};
use feldc_value::{ColumnType, SqlType, Value};
use sqlparser::ast::{
    self, BinaryOperator, FunctionArg, FunctionArgExpr, FunctionArguments, NullInclusion, PivotValueSource,
};
use std::collections::BTreeSet;

impl Binder<'_> {
    /// `input PIVOT (aggregates FOR axes IN (values))`: each aggregate for each value of the axes, grouped by the columns
    /// that are named in neither.
    pub(super) fn pivot(
        &mut self,
        input: From,
        aggregates: &[ast::ExprWithAlias],
        axes: &[ast::Expr],
        values: &PivotValueSource,
        span: Span,
    ) -> Bound<Query> {
        let PivotValueSource::List(values) = values else {
            return self.unsupported("PIVOT without a fixed list of values", span);
        };
        let From { plan, columns, incomplete } = input;
        let mut scope = Scope::new(columns, Clause::Select);
        (scope.incomplete, scope.scalar) = (incomplete, false);
        let bound = self.within(scope, |binder| binder.pivot_over(plan, aggregates, axes, values, span));
        bound.0
    }

    fn pivot_over(
        &mut self,
        plan: Plan,
        aggregates: &[ast::ExprWithAlias],
        axes: &[ast::Expr],
        values: &[ast::ExprWithAlias],
        span: Span,
    ) -> Bound<Query> {
        let offered = self.scopes.last().map_or(vec![], |scope| scope.columns.clone());
        let used = self.used_by_pivot(aggregates, axes)?;
        let kept: Vec<&ScopeColumn> =
            offered.iter().filter(|c| c.bare && c.expr.free_columns().is_disjoint(&used)).collect();
        if let Some(scope) = self.scopes.last_mut() {
            scope.scalar = kept.is_empty();
        }
        let mut outputs: Vec<Output> =
            kept.iter().map(|c| Output { name: c.name.clone(), quoted: c.quoted, expr: c.expr.clone() }).collect();
        for value in values {
            for aggregate in aggregates {
                let ast::Expr::Function(function) = &aggregate.expr else { continue };
                let mut call = function.clone();
                let here = self.axes_equal(axes, &value.expr, span)?;
                call.filter = Some(Box::new(match call.filter {
                    Some(filter) => and(*filter, here),
                    None => here,
                }));
                let expr = self.function(&call, self.pivoted_span(aggregate))?;
                let (name, quoted) = self.pivoted_name(value, aggregate);
                outputs.push(Output { name, quoted, expr });
            }
        }
        let keys: Vec<Expr> = kept.iter().map(|column| column.expr.clone()).collect();
        let grouping = Grouping { sets: vec![(0..keys.len()).collect()], keys };
        let calls = self.scopes.last_mut().map_or(vec![], |scope| std::mem::take(&mut scope.aggregates));
        let (grouped, groups) = self.group(plan, grouping, calls, vec![], &offered)?;
        for output in &mut outputs {
            output.expr = self.over_groups(output.expr.clone(), &groups, &offered)?;
        }
        self.check_size(span)?;
        Ok(self.project(grouped, outputs))
    }

    /// The columns that the aggregates and axes read.
    fn used_by_pivot(&mut self, aggregates: &[ast::ExprWithAlias], axes: &[ast::Expr]) -> Bound<BTreeSet<ColumnId>> {
        let mut used: BTreeSet<ColumnId> = BTreeSet::new();
        for axis in axes {
            used.extend(self.expr(axis)?.free_columns());
        }
        for aggregate in aggregates {
            let span = self.pivoted_span(aggregate);
            match &aggregate.expr {
                ast::Expr::Function(function) if is_aggregate(&function.name.to_string().to_uppercase()) => {
                    self.function(function, span)?;
                }
                _ => {
                    let error = Diagnostic::error(code::GROUPING_ERROR, "PIVOT computes aggregates only", span);
                    return self.fail(error.help("write for example PIVOT (MAX(x) FOR key IN (1, 2))"));
                }
            }
        }
        let calls = self.scopes.last_mut().map_or(vec![], |scope| std::mem::take(&mut scope.aggregates));
        used.extend(calls.iter().flat_map(|(_, call)| &call.arguments).flat_map(Expr::free_columns));
        Ok(used)
    }

    /// The parser gives the aggregate's name no place: its first argument has one.
    fn pivoted_span(&self, aggregate: &ast::ExprWithAlias) -> Span {
        if let ast::Expr::Function(function) = &aggregate.expr
            && let FunctionArguments::List(list) = &function.args
            && let [FunctionArg::Unnamed(FunctionArgExpr::Expr(first)), ..] = &list.args[..]
        {
            return self.span_of(first);
        }
        self.span_of(&aggregate.expr)
    }

    /// The condition that the axes have the value, or values in parentheses.
    fn axes_equal(&mut self, axes: &[ast::Expr], value: &ast::Expr, span: Span) -> Bound<ast::Expr> {
        let values: Vec<&ast::Expr> = match value {
            ast::Expr::Tuple(values) => values.iter().collect(),
            ast::Expr::Nested(value) => vec![value],
            value => vec![value],
        };
        if values.len() != axes.len() {
            let headline = format!("PIVOT compares {} column(s) with {} value(s)", axes.len(), values.len());
            let error = Diagnostic::error(code::SYNTAX_ERROR, headline, self.span_of(value));
            return self.fail(error.help("write a value for each column: FOR (a, b) IN ((1, 2), (3, 4))"));
        }
        let conditions = axes.iter().zip(values).map(|(axis, value)| match value {
            ast::Expr::Value(null) if null.value == ast::Value::Null => ast::Expr::IsNull(Box::new(axis.clone())),
            value => binary(axis.clone(), BinaryOperator::Eq, value.clone()),
        });
        match conditions.reduce(and) {
            Some(all) => Ok(all),
            None => self.unsupported("PIVOT without a column", span),
        }
    }

    /// The value's name or text, and behind it the aggregate's name if it has one.
    fn pivoted_name(&self, value: &ast::ExprWithAlias, aggregate: &ast::ExprWithAlias) -> (String, bool) {
        let (mut name, mut quoted) = match &value.alias {
            Some(alias) => (self.name(alias).text, self.name(alias).quoted),
            None => (value.expr.to_string(), true),
        };
        if let Some(alias) = &aggregate.alias {
            let alias = self.name(alias);
            name = format!("{name}_{}", alias.text);
            quoted |= alias.quoted;
        }
        (name, quoted)
    }

    /// `input UNPIVOT (values FOR label IN (columns))`: a row for each of the columns, with its label.
    pub(super) fn unpivot(
        &mut self,
        input: From,
        values: &ast::Expr,
        label: &ast::Ident,
        columns: &[ast::ExprWithAlias],
        nulls: Option<&NullInclusion>,
        span: Span,
    ) -> Bound<Query> {
        let From { plan, columns: offered, incomplete } = input;
        let names = identifiers(values);
        let mut rows: Vec<(Expr, Vec<Expr>)> = vec![];
        let mut scope = Scope::new(offered.clone(), Clause::Select);
        scope.incomplete = incomplete;
        let bound = self.within(scope, |binder| {
            for column in columns {
                let exprs = parts(&column.expr).into_iter().map(|expr| binder.expr(expr)).collect::<Bound<Vec<_>>>()?;
                let text = match &column.alias {
                    Some(alias) => binder.name(alias).text,
                    None => label_of(&column.expr),
                };
                rows.push((text_value(text, span), exprs));
            }
            Ok(())
        });
        bound.0?;
        if names.is_empty() || rows.iter().any(|(_, exprs)| exprs.len() != names.len()) {
            let error = Diagnostic::error(code::SYNTAX_ERROR, "UNPIVOT needs a column for each of its values", span);
            return self
                .fail(error.help("write UNPIVOT ((v, w) FOR label IN ((a, b) AS 'first', (c, d) AS 'second'))"));
        }
        for at in 0..names.len() {
            let exprs = rows.iter().map(|(_, exprs)| exprs[at].clone()).collect();
            let (_, unified) = self.unify(exprs, "the columns of UNPIVOT")?;
            rows.iter_mut().zip(unified).for_each(|((_, exprs), expr)| exprs[at] = expr);
        }
        let used: BTreeSet<ColumnId> = rows.iter().flat_map(|(_, exprs)| exprs).flat_map(Expr::free_columns).collect();
        let kept = offered.iter().filter(|c| c.bare && c.expr.free_columns().is_disjoint(&used));
        let mut shown: Vec<(String, bool, Vec<Expr>)> =
            kept.map(|c| (c.name.clone(), c.quoted, vec![c.expr.clone(); rows.len()])).collect();
        let label = self.name(label);
        shown.push((label.text, label.quoted, rows.iter().map(|(label, _)| label.clone()).collect()));
        for (at, name) in names.iter().enumerate() {
            let name = self.name(name);
            shown.push((name.text, name.quoted, rows.iter().map(|(_, exprs)| exprs[at].clone()).collect()));
        }
        let exclude = !matches!(nulls, Some(NullInclusion::IncludeNulls));
        self.rows_of_columns(plan, shown, exclude.then_some(names.len()), span)
    }

    /// The union of a query for each row of expressions; where the last columns are to hold something, those in which one
    /// of them is not NULL.
    fn rows_of_columns(
        &mut self,
        input: Plan,
        shown: Vec<(String, bool, Vec<Expr>)>,
        present: Option<usize>,
        span: Span,
    ) -> Bound<Query> {
        let count = shown.first().map_or(0, |(.., exprs)| exprs.len());
        let columns: Vec<Column> = shown
            .iter()
            .map(|(name, _, exprs)| {
                let nullable = exprs.iter().any(|expr| expr.ty.nullable);
                self.fresh_column(name, ColumnType::new(exprs[0].ty.ty, nullable))
            })
            .collect();
        let mut inputs = vec![];
        for row in 0..count {
            self.check_size(span)?;
            let exprs = columns.iter().zip(&shown).map(|(column, (.., exprs))| (column.clone(), exprs[row].clone()));
            let whole = Plan::Project { input: Box::new(input.clone()), columns: exprs.collect() };
            let mut copy = self.fresh_plan(&whole).0;
            if let Some(present) = present {
                copy = self.any_present(copy, present)?;
            }
            inputs.push(copy);
        }
        let offered = columns.iter().zip(&shown).map(|(column, (name, quoted, _))| Output {
            name: name.clone(),
            quoted: *quoted,
            expr: Expr::column(column.id, column.ty, span),
        });
        let offered = offered.collect();
        Ok(self.project(Plan::Union { inputs, columns }, offered))
    }

    fn any_present(&mut self, plan: Plan, last: usize) -> Bound<Plan> {
        let columns = plan.columns();
        let mut tests = vec![];
        for column in &columns[columns.len() - last..] {
            let read = Expr::column(column.id, column.ty, Span::default());
            let absent = super::expr::is_null(read, Span::default());
            tests.push(self.call("NOT", vec![absent], Span::default())?);
        }
        let predicate = match tests.len() {
            1 => tests.remove(0),
            _ => {
                Expr { kind: ExprKind::Or(tests), ty: ColumnType::new(SqlType::Boolean, false), span: Span::default() }
            }
        };
        Ok(Plan::Filter { input: Box::new(plan), predicate })
    }
}

fn binary(left: ast::Expr, op: BinaryOperator, right: ast::Expr) -> ast::Expr {
    ast::Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn and(left: ast::Expr, right: ast::Expr) -> ast::Expr {
    let nested = |expr| ast::Expr::Nested(Box::new(expr));
    binary(nested(left), BinaryOperator::And, nested(right))
}

fn parts(expr: &ast::Expr) -> Vec<&ast::Expr> {
    match expr {
        ast::Expr::Tuple(parts) => parts.iter().collect(),
        ast::Expr::Nested(inner) => vec![inner],
        expr => vec![expr],
    }
}

/// The names in `v` or `(v, w)`; none when something else is written.
fn identifiers(expr: &ast::Expr) -> Vec<&ast::Ident> {
    let names: Option<Vec<&ast::Ident>> = parts(expr)
        .into_iter()
        .map(|part| match part {
            ast::Expr::Identifier(ident) => Some(ident),
            _ => None,
        })
        .collect();
    names.unwrap_or_default()
}

/// A column's own name is its label: unquoted ones in lower case, as everywhere.
fn label_of(expr: &ast::Expr) -> String {
    let name = |ident: &ast::Ident| match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
    };
    let names = parts(expr).into_iter().map(|part| match part {
        ast::Expr::Identifier(ident) => name(ident),
        ast::Expr::CompoundIdentifier(idents) => idents.last().map(name).unwrap_or_default(),
        other => other.to_string(),
    });
    names.collect::<Vec<_>>().join("_")
}

fn text_value(text: String, span: Span) -> Expr {
    Expr::literal(Value::text(text), ColumnType::new(SqlType::VARCHAR, false), span)
}
