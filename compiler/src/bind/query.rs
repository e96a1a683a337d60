//! Queries: WITH, set operations, VALUES, and the clauses after them.

use super::coerce::null;
use super::from::From;
use super::order::Order;
use super::scope::{Clause, Scope, ScopeColumn};
use super::select::is_distinct_on;
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Column, ColumnId, Expr, Plan, Span};
use feldc_engine::Window;
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, SetExpr, SetOperator, SetQuantifier};

/// Queries may stand inside queries so deep.
const QUERIES_MAX: usize = 150;

/// A bound query.
#[derive(Clone, Debug)]
pub struct Query {
    pub plan: Plan,
    pub columns: Vec<OutColumn>,
}

/// A column of a query's result, in order; names may repeat.
#[derive(Clone, Debug)]
pub struct OutColumn {
    pub name: String,
    pub quoted: bool,
    pub id: ColumnId,
    pub ty: ColumnType,
}

impl Query {
    /// The query as an item of FROM, without a correlation name.
    pub fn into_from(self) -> From {
        let columns = self
            .columns
            .into_iter()
            .map(|column| ScopeColumn {
                table: None,
                name: column.name,
                quoted: column.quoted,
                expr: Expr::column(column.id, column.ty, Span::default()),
                bare: true,
            })
            .collect();
        From { plan: self.plan, columns, incomplete: false }
    }
}

/// A common table expression in sight; without a query if it failed.
#[derive(Debug)]
pub struct Cte {
    pub name: String,
    pub query: Option<Query>,
}

impl Binder<'_> {
    /// A query as FROM, IN and views see it: no column has the type of a bare NULL.
    pub(super) fn query(&mut self, query: &ast::Query) -> Bound<Query> {
        let bound = self.query_as_written(query)?;
        Ok(self.without_null_type(bound))
    }

    fn query_as_written(&mut self, query: &ast::Query) -> Bound<Query> {
        let (mut query, _) = self.query_in_order(query, false)?;
        self.without_hidden(&mut query);
        Ok(query)
    }

    /// A query and the order of its rows; the plan may have columns that only the order needs. Without `wanted` the order
    /// is left out where it decides nothing.
    pub(super) fn query_in_order(&mut self, query: &ast::Query, wanted: bool) -> Bound<(Query, Order)> {
        if self.queries >= QUERIES_MAX {
            let error = Diagnostic::error(code::TOO_COMPLEX, "queries nest too deeply", self.statement);
            return self.fail(error.help("name an inner query as a view"));
        }
        self.queries += 1;
        let ctes = self.ctes.len();
        let result = self.query_inner(query, wanted);
        self.ctes.truncate(ctes);
        self.queries -= 1;
        result
    }

    fn query_inner(&mut self, query: &ast::Query, wanted: bool) -> Bound<(Query, Order)> {
        let place = self.query_span(query);
        if let Some(with) = &query.with {
            if with.recursive {
                let span = self.source.convert(with.with_token.0.span).unwrap_or(place);
                return self.unsupported("WITH RECURSIVE", span);
            }
            let outer = self.ctes.len();
            for cte in &with.cte_tables {
                self.common_table(cte, outer);
            }
        }
        let window = self.window(query, query.limit_clause.as_ref().map_or(place, |c| self.limit_span(c, place)));
        let first_of_each = matches!(&*query.body, SetExpr::Select(select) if is_distinct_on(select));
        let taken = wanted || first_of_each || !matches!(window, Ok(None));
        let order = if taken { self.order_exprs(query)? } else { &[] };
        let body = self.ordered(&query.body, order);
        let window = window?;
        if !query.locks.is_empty() || query.for_clause.is_some() || query.format_clause.is_some() {
            return self.unsupported("FOR and FORMAT clauses", place);
        }
        if !query.pipe_operators.is_empty() || query.settings.is_some() {
            return self.unsupported("pipe operators and SETTINGS", place);
        }
        if let (Some(order), false) = (&query.order_by, taken) {
            let first = match &order.kind {
                ast::OrderByKind::Expressions(exprs) => exprs.first().map(|order| self.span_of(&order.expr)),
                ast::OrderByKind::All(_) => None,
            };
            let span = first.unwrap_or(place);
            self.report(Diagnostic::note("ORDER BY without LIMIT has no effect in a view", span));
        }
        let (mut query, order) = body?;
        if let Some((window, ties)) = window {
            let window = Window { ties: ties.then_some(order.keys.len()), ..window };
            self.top(&mut query, vec![], &order, window);
        }
        Ok((query, order))
    }

    /// A query's body and the order of its rows.
    fn ordered(&mut self, body: &SetExpr, order: &[ast::OrderByExpr]) -> Bound<(Query, Order)> {
        if let SetExpr::Select(select) = body {
            return self.select(select, order);
        }
        let query = self.set_expr(body)?;
        let order = self.order_of_columns(&query, order)?;
        Ok((query, order))
    }

    fn limit_span(&self, clause: &ast::LimitClause, place: Span) -> Span {
        let span: Option<&ast::Expr> = match clause {
            ast::LimitClause::LimitOffset { limit, offset, .. } => {
                limit.as_ref().or_else(|| offset.as_ref().map(|offset| &offset.value))
            }
            ast::LimitClause::OffsetCommaLimit { offset, .. } => Some(offset),
        };
        span.map_or(place, |expr| self.span_of(expr))
    }

    /// Binds a CTE once, at its definition; every use is a copy. Those from `outer` on belong to the same WITH.
    fn common_table(&mut self, cte: &ast::Cte, outer: usize) {
        let name = self.name(&cte.alias.name);
        if self.ctes[outer..].iter().any(|other| other.name == name.text) {
            let headline = format!("WITH defines \"{}\" twice", name.text);
            self.report(
                Diagnostic::error(code::DUPLICATE_ALIAS, headline, name.span).help("give one of them another name"),
            );
        }
        let query = self.query(&cte.query).and_then(|mut query| {
            let names: Vec<_> = cte.alias.columns.iter().map(|column| self.name(&column.name)).collect();
            if names.len() > query.columns.len() {
                let headline =
                    format!("\"{}\" has {} columns, but {} names", name.text, query.columns.len(), names.len());
                return self.fail(Diagnostic::error(code::INVALID_COLUMN_REFERENCE, headline, name.span));
            }
            for (column, name) in query.columns.iter_mut().zip(names) {
                (column.name, column.quoted) = (name.text, name.quoted);
            }
            Ok(query)
        });
        self.ctes.push(Cte { name: name.text, query: query.ok() });
    }

    fn set_expr(&mut self, body: &SetExpr) -> Bound<Query> {
        match body {
            SetExpr::Select(select) => {
                let (mut query, _) = self.select(select, &[])?;
                self.without_hidden(&mut query);
                Ok(query)
            }
            SetExpr::Query(query) => self.query_as_written(query),
            SetExpr::SetOperation { .. } => self.set_operations(body),
            SetExpr::Values(values) => self.values(values),
            SetExpr::Table(table) => match (&table.table_name, &table.schema_name) {
                (Some(name), None) => self.table_query(name),
                _ => self.unsupported("a name with a schema", self.statement),
            },
            _ => self.unsupported("a statement inside a query", self.statement),
        }
    }

    /// A chain of set operations, which sqlparser nests to the left, from its first query on.
    fn set_operations(&mut self, body: &SetExpr) -> Bound<Query> {
        let mut steps = vec![];
        let mut first = body;
        while let SetExpr::SetOperation { left, op, set_quantifier, right } = first {
            steps.push((*op, *set_quantifier, &**right));
            first = left;
        }
        let mut result = self.set_expr(first);
        // Neighbours under UNION are gathered into one node.
        let mut gathered: Option<(bool, Vec<Query>)> = None;
        let mut nested = 0;
        for (op, quantifier, right) in steps.into_iter().rev() {
            let span = self.set_expr_span(right);
            let all = match quantifier {
                SetQuantifier::All => true,
                SetQuantifier::Distinct | SetQuantifier::None => false,
                _ => return self.unsupported("UNION BY NAME", span),
            };
            let right = self.set_expr(right);
            let (Ok(left), Ok(right)) = (result, right) else {
                // The other queries of the chain still report.
                result = Err(Reported);
                gathered = None;
                continue;
            };
            if op == SetOperator::Union {
                let fits = gathered.as_ref().is_some_and(|(same, _)| *same == all);
                let mut inputs = match gathered.take() {
                    Some((_, inputs)) if fits => inputs,
                    Some((all, inputs)) => vec![self.union(all, inputs, span)?],
                    None => vec![left],
                };
                self.check_widths(&inputs[0], &right, op, span)?;
                inputs.push(right);
                // While gathering, `result` only carries the shape.
                result = Ok(inputs[0].clone());
                gathered = Some((all, inputs));
                continue;
            }
            let left = match gathered.take() {
                Some((all, inputs)) => self.union(all, inputs, span)?,
                None => left,
            };
            nested += 1;
            if nested > QUERIES_MAX {
                let error = Diagnostic::error(code::TOO_COMPLEX, "too many set operations in a row", span);
                return self.fail(error.help("name a part of them as a view"));
            }
            self.check_widths(&left, &right, op, span)?;
            result = self.difference_or_intersection(op, all, left, right, span);
        }
        let result = result?;
        match gathered {
            Some((all, inputs)) => self.union(all, inputs, self.set_expr_span(first)),
            None => Ok(result),
        }
    }

    fn check_widths(&mut self, left: &Query, right: &Query, op: SetOperator, span: Span) -> Bound<()> {
        let (l, r) = (left.columns.len(), right.columns.len());
        if l == r {
            return Ok(());
        }
        let headline = format!("the queries of {op} have {l} and {r} columns");
        self.fail(Diagnostic::error(code::SYNTAX_ERROR, headline, span).label(format!("{r} columns, not {l}")))
    }

    fn union(&mut self, all: bool, inputs: Vec<Query>, span: Span) -> Bound<Query> {
        let names = inputs[0].columns.clone();
        let (types, inputs) = self.same_types(inputs, "the columns of UNION", span)?;
        let (columns, out) = self.result_columns(&names, &types);
        let plan = Plan::Union { inputs, columns };
        let plan = if all { plan } else { Plan::Distinct { input: Box::new(plan) } };
        Ok(Query { plan, columns: out })
    }

    fn difference_or_intersection(
        &mut self,
        op: SetOperator,
        all: bool,
        left: Query,
        right: Query,
        span: Span,
    ) -> Bound<Query> {
        let names = left.columns.clone();
        let what = format!("the columns of {op}");
        let (types, mut inputs) = self.same_types(vec![left, right], &what, span)?;
        let (columns, out) = self.result_columns(&names, &types);
        let (Some(right), Some(left)) = (inputs.pop(), inputs.pop()) else { return Err(Reported) };
        let (left, right) = (Box::new(left), Box::new(right));
        let plan = match op {
            SetOperator::Intersect => Plan::SetIntersection { left, right, all, columns },
            _ => Plan::SetDifference { left, right, all, columns },
        };
        Ok(Query { plan, columns: out })
    }

    fn result_columns(&mut self, names: &[OutColumn], types: &[ColumnType]) -> (Vec<Column>, Vec<OutColumn>) {
        let columns: Vec<Column> =
            names.iter().zip(types).map(|(named, ty)| self.fresh_column(&named.name, *ty)).collect();
        let out = names
            .iter()
            .zip(&columns)
            .map(|(named, column)| OutColumn { id: column.id, ty: column.ty, ..named.clone() })
            .collect();
        (columns, out)
    }

    /// The inputs projected to columns of exactly the same types, which are returned.
    fn same_types(&mut self, inputs: Vec<Query>, what: &str, span: Span) -> Bound<(Vec<ColumnType>, Vec<Plan>)> {
        let mut types = vec![];
        for at in 0..inputs[0].columns.len() {
            let columns: Vec<Expr> =
                inputs.iter().map(|input| Expr::column(input.columns[at].id, input.columns[at].ty, span)).collect();
            let ty = self.common(&columns, what)?;
            types.push(ColumnType::new(ty, columns.iter().any(|column| column.ty.nullable)));
        }
        let mut plans = vec![];
        for input in inputs {
            plans.push(self.projected(input, &types, span)?.plan);
        }
        Ok((types, plans))
    }

    /// The query with its columns cast to the types; unchanged when it has them already, in order.
    pub(super) fn projected(&mut self, query: Query, types: &[ColumnType], span: Span) -> Bound<Query> {
        let made = query.plan.columns();
        let fits = made.len() == types.len()
            && query
                .columns
                .iter()
                .zip(&made)
                .zip(types)
                .all(|((out, column), ty)| out.id == column.id && column.ty == *ty);
        if fits {
            return Ok(query);
        }
        self.project_with(query, types, span, |binder, source, ty| binder.cast(source, ty, span))
    }

    /// The query projected to the types, each column by `f`.
    pub(super) fn project_with(
        &mut self,
        query: Query,
        types: &[ColumnType],
        span: Span,
        mut f: impl FnMut(&mut Self, Expr, SqlType) -> Bound<Expr>,
    ) -> Bound<Query> {
        let mut columns = vec![];
        let mut out = vec![];
        for (column, ty) in query.columns.into_iter().zip(types) {
            let source = Expr::column(column.id, column.ty, span);
            let expr = f(self, source, ty.ty)?;
            // A cast that may yield NULL makes the column nullable whatever the others are.
            let made = self.fresh_column(&column.name, ColumnType::new(expr.ty.ty, ty.nullable || expr.ty.nullable));
            out.push(OutColumn { id: made.id, ty: made.ty, ..column });
            columns.push((made, expr));
        }
        Ok(Query { plan: Plan::Project { input: Box::new(query.plan), columns }, columns: out })
    }

    fn values(&mut self, values: &ast::Values) -> Bound<Query> {
        let width = values.rows.first().map_or(0, |row| row.content.len());
        let (rows, _) = self.within(Scope::new(vec![], Clause::From), |binder| {
            let mut rows: Vec<Bound<Vec<Expr>>> = vec![];
            for row in &values.rows {
                let exprs: Vec<&ast::Expr> = row.content.iter().collect();
                let bound = binder.exprs(&exprs);
                if row.content.len() != width {
                    let span = row.content.first().map_or(binder.statement, |first| binder.span_of(first));
                    let headline = format!("a row of VALUES has {} columns, the first has {width}", row.content.len());
                    rows.push(binder.fail(Diagnostic::error(code::SYNTAX_ERROR, headline, span)));
                } else {
                    rows.push(bound);
                }
            }
            rows.into_iter().collect::<Bound<Vec<Vec<Expr>>>>()
        });
        let mut rows = rows?;
        let mut types = vec![];
        for at in 0..width {
            let cells: Vec<Expr> = rows.iter().map(|row| row[at].clone()).collect();
            let (ty, cells) = self.unify(cells, "the values of a column")?;
            types.push(ColumnType::new(ty, cells.iter().any(|cell| cell.ty.nullable)));
            for (row, cell) in rows.iter_mut().zip(cells) {
                row[at] = cell;
            }
        }
        let names: Vec<OutColumn> = types
            .iter()
            .enumerate()
            .map(|(at, ty)| OutColumn { name: unnamed(at), quoted: false, id: ColumnId(0), ty: *ty })
            .collect();
        let plain = rows.iter().flatten().all(|cell| !cell.has_subquery() && cell.free_columns().is_empty());
        if plain {
            let (columns, out) = self.result_columns(&names, &types);
            return Ok(Query { plan: Plan::Values { rows, columns }, columns: out });
        }
        // Rows that use outer columns are projections, each of one row.
        let mut inputs = vec![];
        for row in rows {
            let columns =
                row.into_iter().zip(&types).map(|(cell, ty)| (self.fresh_column("value", *ty), cell)).collect();
            inputs.push(Plan::Project { input: Box::new(From::nothing().plan), columns });
        }
        let (columns, out) = self.result_columns(&names, &types);
        Ok(Query { plan: Plan::Union { inputs, columns }, columns: out })
    }

    /// Columns that are only NULL become VARCHAR.
    fn without_null_type(&mut self, query: Query) -> Query {
        if query.columns.iter().all(|column| column.ty.ty != SqlType::Null) {
            return query;
        }
        let mut columns = vec![];
        let mut out = vec![];
        for column in query.columns {
            let is_null = column.ty.ty == SqlType::Null;
            let expr = match is_null {
                true => null(SqlType::VARCHAR, self.statement),
                false => Expr::column(column.id, column.ty, self.statement),
            };
            let made = self.fresh_column(&column.name, expr.ty);
            out.push(OutColumn { id: made.id, ty: made.ty, ..column });
            columns.push((made, expr));
        }
        Query { plan: Plan::Project { input: Box::new(query.plan), columns }, columns: out }
    }
}

/// Name of a column that has none, by its position, as the peer names them.
pub fn unnamed(position: usize) -> String {
    format!("EXPR${position}")
}
