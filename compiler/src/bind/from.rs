//! FROM: tables, views, subqueries and joins, and the columns they offer.

use super::coerce::boolean;
use super::scope::{Clause, Scope, ScopeColumn};
use super::{Binder, Bound, Relation, Reported};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::parse::Name;
use crate::plan::{Expr, ExprKind, JoinKind, Plan, Span};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, JoinConstraint, JoinOperator, TableFactor};

/// A relation under construction: its plan and the columns it offers.
pub struct From {
    pub plan: Plan,
    pub columns: Vec<ScopeColumn>,
    /// A part failed and is missing.
    pub incomplete: bool,
}

impl From {
    /// One row without columns: SELECT without FROM.
    pub fn nothing() -> From {
        From { plan: Plan::Values { rows: vec![vec![]], columns: vec![] }, columns: vec![], incomplete: false }
    }
}

/// How the inputs of a join are written; RIGHT is turned round only in the plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Inner,
    Left,
    Right,
    Full,
}

impl Binder<'_> {
    /// The items of FROM, crossed.
    pub(super) fn from(&mut self, items: &[ast::TableWithJoins]) -> From {
        let mut result: Option<From> = None;
        for item in items {
            let visible = result.as_ref().map_or(vec![], |from| from.columns.clone());
            let next = self.joins(item, &visible);
            result = Some(match result {
                None => next,
                Some(left) => {
                    let span = self.factor_span(&item.relation);
                    self.check_tables(&left, &next, span);
                    self.cross(left, next, span)
                }
            });
        }
        result.unwrap_or_else(From::nothing)
    }

    fn cross(&mut self, left: From, right: From, span: Span) -> From {
        let columns = left.columns.into_iter().chain(right.columns).collect();
        let incomplete = left.incomplete || right.incomplete;
        // The one row without columns is the unit of the cross product.
        if left.plan == From::nothing().plan {
            return From { plan: right.plan, columns, incomplete };
        }
        let plan = join_plan(JoinKind::Inner, left.plan, right.plan, boolean(true, span));
        From { plan, columns, incomplete }
    }

    /// A relation with its joins. `visible` are the columns to the left, for LATERAL.
    fn joins(&mut self, item: &ast::TableWithJoins, visible: &[ScopeColumn]) -> From {
        let mut left = self.factor(&item.relation, visible);
        for join in &item.joins {
            let sight: Vec<ScopeColumn> = visible.iter().chain(&left.columns).cloned().collect();
            let right = self.factor(&join.relation, &sight);
            let span = self.factor_span(&join.relation);
            self.check_tables(&left, &right, span);
            left = self.join(left, right, join, span);
        }
        left
    }

    /// Two relations of one name cannot be told apart.
    fn check_tables(&mut self, left: &From, right: &From, span: Span) {
        let taken = right
            .columns
            .iter()
            .filter_map(|column| column.table.as_ref())
            .find(|table| left.columns.iter().any(|column| column.table.as_ref() == Some(table)));
        if let Some(table) = taken.cloned() {
            let headline = format!("table name \"{table}\" is used twice in FROM");
            let error = Diagnostic::error(code::DUPLICATE_ALIAS, headline, span);
            self.report(error.help(format!("give one an alias: {table} AS {table}2")));
        }
    }

    fn join(&mut self, left: From, right: From, join: &ast::Join, span: Span) -> From {
        let (written, constraint) = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => (Written::Inner, constraint),
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (Written::Left, constraint),
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => (Written::Right, constraint),
            JoinOperator::FullOuter(constraint) => (Written::Full, constraint),
            JoinOperator::CrossJoin(JoinConstraint::None) | JoinOperator::CrossApply => {
                return self.cross(left, right, span);
            }
            other => {
                let what = match other {
                    JoinOperator::AsOf { .. } => "ASOF JOIN",
                    JoinOperator::OuterApply => "OUTER APPLY",
                    JoinOperator::CrossJoin(_) => "CROSS JOIN with a condition",
                    _ => "this kind of join",
                };
                self.report(Diagnostic::unsupported(what, span));
                return self.cross(left, right, span).incomplete();
            }
        };
        self.join_on(left, right, written, constraint, span)
    }

    fn join_on(&mut self, left: From, right: From, written: Written, constraint: &JoinConstraint, span: Span) -> From {
        let mut incomplete = left.incomplete || right.incomplete;
        let both: Vec<ScopeColumn> = left.columns.iter().chain(&right.columns).cloned().collect();
        let mut merged: Vec<(Name, Expr, Expr)> = vec![];
        let on = match constraint {
            JoinConstraint::On(condition) => {
                let mut scope = Scope::new(both, Clause::From);
                scope.incomplete = incomplete;
                self.within(scope, |binder| {
                    let on = binder.expr(condition)?;
                    binder.condition(on, "the condition of ON")
                })
                .0
            }
            JoinConstraint::Using(names) => {
                let names: Vec<Name> = names.iter().filter_map(|name| self.single_name(name).ok()).collect();
                self.merged_columns(&left, &right, names, incomplete).and_then(|pairs| {
                    merged = pairs;
                    self.merged_condition(&merged, span)
                })
            }
            JoinConstraint::Natural => {
                let names = natural_names(&left, &right, span);
                self.merged_columns(&left, &right, names, incomplete).and_then(|pairs| {
                    merged = pairs;
                    self.merged_condition(&merged, span)
                })
            }
            JoinConstraint::None if written == Written::Inner => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, "JOIN needs a condition", span);
                self.fail(error.help("add ON ..., or write CROSS JOIN"))
            }
            _ => self.fail(Diagnostic::error(code::SYNTAX_ERROR, "an outer join needs a condition", span)),
        };
        let on = on.unwrap_or_else(|Reported| {
            incomplete = true;
            boolean(true, span)
        });
        let columns = joined_columns(left.columns, right.columns, written, &mut merged);
        let columns = self.with_merged(columns, merged, written);
        let depends = dependent(&left.plan, &right.plan);
        if depends && matches!(written, Written::Right | Written::Full) {
            let headline = "LATERAL cannot refer to the padded side of a RIGHT or FULL JOIN";
            let error = Diagnostic::error(code::INVALID_COLUMN_REFERENCE, headline, span);
            self.report(error.help("write it as a LEFT JOIN"));
        }
        let plan = match written {
            Written::Inner => join_plan(JoinKind::Inner, left.plan, right.plan, on),
            Written::Left => join_plan(JoinKind::Left, left.plan, right.plan, on),
            Written::Right => join_plan(JoinKind::Left, right.plan, left.plan, on),
            Written::Full => join_plan(JoinKind::Full, left.plan, right.plan, on),
        };
        From { plan, columns, incomplete }
    }

    /// The two sides of each column of USING.
    fn merged_columns(
        &mut self,
        left: &From,
        right: &From,
        names: Vec<Name>,
        incomplete: bool,
    ) -> Bound<Vec<(Name, Expr, Expr)>> {
        let mut pairs = vec![];
        let mut failed = false;
        for name in names {
            let mut sides = vec![];
            for side in [left, right] {
                let mut scope = Scope::new(side.columns.clone(), Clause::From);
                scope.incomplete = incomplete;
                // Only the two sides are in sight, no outer query.
                let outer = std::mem::replace(&mut self.scopes, vec![scope]);
                sides.push(self.resolve(None, &name));
                self.scopes = outer;
            }
            match (sides.remove(0), sides.remove(0)) {
                (Ok(left), Ok(right)) => pairs.push((name, left, right)),
                _ => failed = true,
            }
        }
        if failed { Err(Reported) } else { Ok(pairs) }
    }

    fn merged_condition(&mut self, pairs: &[(Name, Expr, Expr)], span: Span) -> Bound<Expr> {
        let mut tests = vec![];
        for (name, left, right) in pairs {
            tests.push(self.compare("=", left.clone(), right.clone(), name.span)?);
        }
        match tests.is_empty() {
            true => Ok(boolean(true, span)),
            false => Ok(self.and(tests, span)),
        }
    }

    /// The columns of USING stand once, first; their two sides stay reachable by table name.
    fn with_merged(
        &mut self,
        columns: Vec<ScopeColumn>,
        merged: Vec<(Name, Expr, Expr)>,
        written: Written,
    ) -> Vec<ScopeColumn> {
        let mut result = vec![];
        for (name, left, right) in merged {
            let expr = match written {
                Written::Inner | Written::Left => left,
                Written::Right => right,
                Written::Full => match self.coalesce(vec![left, right], name.span) {
                    Ok(expr) => expr,
                    Err(Reported) => continue,
                },
            };
            result.push(ScopeColumn { table: None, name: name.text, quoted: name.quoted, expr, bare: true });
        }
        result.extend(columns);
        result
    }

    fn factor(&mut self, factor: &TableFactor, visible: &[ScopeColumn]) -> From {
        self.try_factor(factor, visible).unwrap_or_else(|Reported| From { incomplete: true, ..From::nothing() })
    }

    fn try_factor(&mut self, factor: &TableFactor, visible: &[ScopeColumn]) -> Bound<From> {
        let span = self.factor_span(factor);
        match factor {
            TableFactor::Table {
                name, alias, args: None, version: None, sample: None, with_ordinality: false, ..
            } => {
                let name = self.single_name(name)?;
                let from = self.relation(&name)?;
                self.aliased(from, alias.as_ref(), Some(&name), span)
            }
            TableFactor::Table { name, args: Some(arguments), with_ordinality, alias, .. } => {
                let from =
                    self.table_function(name, &arguments.args, *with_ordinality, alias.as_ref(), visible, span)?;
                from.map_or_else(|| self.unsupported(format!("the table function {name}"), span), Ok)
            }
            TableFactor::Function { name, args, with_ordinality, alias, .. } => {
                let from = self.table_function(name, args, *with_ordinality, alias.as_ref(), visible, span)?;
                from.map_or_else(|| self.unsupported(format!("the table function {name}"), span), Ok)
            }
            TableFactor::Derived { lateral, subquery, alias, sample: None } => {
                let query = match lateral {
                    true => self.within(Scope::new(visible.to_vec(), Clause::From), |binder| binder.query(subquery)).0,
                    false => self.query(subquery),
                };
                let from = query?.into_from();
                self.aliased(from, alias.as_ref(), None, span)
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let from = self.joins(table_with_joins, visible);
                match alias {
                    None => Ok(from),
                    Some(_) => self.aliased(from, alias.as_ref(), None, span),
                }
            }
            TableFactor::UNNEST { .. } => self.unsupported("UNNEST", span),
            TableFactor::Pivot { default_on_null: Some(_), .. } => self.unsupported("DEFAULT ON NULL", span),
            TableFactor::Pivot { table, aggregate_functions, value_column, value_source, alias, .. } => {
                let input = self.factor(table, visible);
                let query = self.pivot(input, aggregate_functions, value_column, value_source, span)?;
                self.aliased(query.into_from(), alias.as_ref(), None, span)
            }
            TableFactor::Unpivot { table, value, name, columns, null_inclusion, alias } => {
                let input = self.factor(table, visible);
                let query = self.unpivot(input, value, name, columns, null_inclusion.as_ref(), span)?;
                self.aliased(query.into_from(), alias.as_ref(), None, span)
            }
            TableFactor::MatchRecognize { .. } => self.unsupported("MATCH_RECOGNIZE", span),
            TableFactor::TableFunction { .. } => self.unsupported("TABLE(...)", span),
            _ => self.unsupported("this form of FROM", span),
        }
    }

    pub(super) fn single_name(&mut self, name: &ast::ObjectName) -> Bound<Name> {
        match name.0.as_slice() {
            [ast::ObjectNamePart::Identifier(ident)] => Ok(self.name(ident)),
            _ => {
                let span = self.span(name);
                self.unsupported(format!("a name with a schema ({name})"), span)
            }
        }
    }

    /// A name in FROM: a common table expression, else a table or view.
    fn relation(&mut self, name: &Name) -> Bound<From> {
        self.check_size(name.span)?;
        if let Some(at) = self.ctes.iter().rposition(|cte| cte.name == name.text) {
            let Some(query) = self.ctes[at].query.clone() else { return Err(Reported) };
            let (plan, names) = self.fresh_plan(&query.plan);
            let mut copy = super::query::Query { plan, columns: query.columns };
            for column in &mut copy.columns {
                column.id = names.get(&column.id).copied().unwrap_or(column.id);
            }
            return Ok(copy.into_from());
        }
        match self.relations.get(&name.text).map(|(relation, _)| *relation) {
            Some(Relation::Failed) => Err(Reported),
            Some(Relation::Table(id)) => {
                let described: Vec<(String, bool, ColumnType)> = self.program.tables[id.0]
                    .columns
                    .iter()
                    .map(|column| (column.name.clone(), column.case_sensitive, column.ty))
                    .collect();
                let (columns, offered) = self.scan(described, name);
                Ok(From { plan: Plan::Table { table: id, columns }, columns: offered, incomplete: false })
            }
            Some(Relation::View(id)) => {
                let described: Vec<(String, bool, ColumnType)> = self.program.views[id.0]
                    .columns
                    .iter()
                    .map(|column| (column.name.clone(), column.case_sensitive, column.ty))
                    .collect();
                let (columns, offered) = self.scan(described, name);
                Ok(From { plan: Plan::View { view: id, columns }, columns: offered, incomplete: false })
            }
            None => self.unknown_relation(name),
        }
    }

    fn scan(
        &mut self,
        described: Vec<(String, bool, ColumnType)>,
        table: &Name,
    ) -> (Vec<crate::plan::Column>, Vec<ScopeColumn>) {
        let mut columns = vec![];
        let mut offered = vec![];
        for (name, quoted, ty) in described {
            let column = self.fresh_column(&name, ty);
            let expr = Expr::column(column.id, ty, table.span);
            offered.push(ScopeColumn { table: Some(table.text.clone()), name, quoted, expr, bare: true });
            columns.push(column);
        }
        (columns, offered)
    }

    fn unknown_relation(&mut self, name: &Name) -> Bound<From> {
        if name.text == "error_view" {
            return self.unsupported("a view over error_view", name.span);
        }
        let headline = format!("table or view \"{}\" does not exist", name.text);
        let error = Diagnostic::error(code::UNDEFINED_TABLE, headline, name.span);
        let known = self.relations.keys().map(String::as_str).chain(self.ctes.iter().map(|cte| cte.name.as_str()));
        let near = closest(&name.text, known).map(str::to_string);
        let defined = near.as_ref().and_then(|near| self.relations.get(near)).map(|(_, span)| *span);
        let error = match defined {
            Some(span) => error.also(span, "a similar name"),
            None => error,
        };
        match near {
            Some(near) => self.fail(error.help(format!("write \"{near}\""))),
            None => self.fail(error.help("create it before this statement")),
        }
    }

    /// Gives a relation its correlation name and column names.
    pub(super) fn aliased(
        &mut self,
        mut from: From,
        alias: Option<&ast::TableAlias>,
        own: Option<&Name>,
        span: Span,
    ) -> Bound<From> {
        let table = alias.map(|alias| self.name(&alias.name)).or_else(|| own.cloned());
        let names: Vec<Name> = alias.map_or(vec![], |alias| alias.columns.iter().map(|c| self.name(&c.name)).collect());
        // What USING merged inside cannot be reached by the alias twice.
        if alias.is_some() {
            from.columns.retain(|column| column.bare);
        }
        if names.len() > from.columns.len() && !from.incomplete {
            let table = table.as_ref().map_or("the subquery".to_string(), |table| format!("\"{}\"", table.text));
            let headline = format!("{table} has {} columns, but {} names are given", from.columns.len(), names.len());
            return self.fail(Diagnostic::error(code::INVALID_COLUMN_REFERENCE, headline, span));
        }
        for (at, column) in from.columns.iter_mut().enumerate() {
            column.table = table.as_ref().map(|table| table.text.clone());
            if let Some(name) = names.get(at) {
                column.name = name.text.clone();
                column.quoted = name.quoted;
            }
        }
        Ok(from)
    }
}

impl From {
    fn incomplete(self) -> From {
        From { incomplete: true, ..self }
    }
}

/// A join, dependent where the right side uses columns of the left.
fn join_plan(kind: JoinKind, left: Plan, right: Plan, on: Expr) -> Plan {
    if let Some(plan) = super::unnest::joined(kind, &left, &right, &on) {
        return plan;
    }
    let depends = dependent(&left, &right);
    let (left, right) = (Box::new(left), Box::new(right));
    match depends {
        true => Plan::Apply { kind, left, right, on },
        false => Plan::Join { kind, left, right, on },
    }
}

fn dependent(left: &Plan, right: &Plan) -> bool {
    let free = right.free_columns();
    !free.is_empty() && left.columns().iter().any(|column| free.contains(&column.id))
}

/// Bare names on both sides, in the order of the left.
fn natural_names(left: &From, right: &From, span: Span) -> Vec<Name> {
    let mut names: Vec<Name> = vec![];
    for column in left.columns.iter().filter(|column| column.bare) {
        let common = right.columns.iter().any(|other| other.bare && other.name == column.name);
        if common && names.iter().all(|name| name.text != column.name) {
            names.push(Name { text: column.name.clone(), quoted: column.quoted, span });
        }
    }
    names
}

/// The columns after the join: nullable on padded sides, hidden behind their bare name where merged.
fn joined_columns(
    left: Vec<ScopeColumn>,
    right: Vec<ScopeColumn>,
    written: Written,
    merged: &mut [(Name, Expr, Expr)],
) -> Vec<ScopeColumn> {
    let pad_left = matches!(written, Written::Right | Written::Full);
    let pad_right = matches!(written, Written::Left | Written::Full);
    let prepare = |mut column: ScopeColumn, pad: bool| {
        if merged.iter().any(|(name, ..)| name.text == column.name) {
            column.bare = false;
        }
        if pad {
            pad_expr(&mut column.expr);
        }
        column
    };
    let columns = left
        .into_iter()
        .map(|column| prepare(column, pad_left))
        .chain(right.into_iter().map(|column| prepare(column, pad_right)))
        // A column merged before and merged again has no table to be reached by.
        .filter(|column| column.bare || column.table.is_some())
        .collect();
    for (_, l, r) in merged.iter_mut() {
        if pad_left {
            pad_expr(l);
        }
        if pad_right {
            pad_expr(r);
        }
    }
    columns
}

/// After padding every column may be NULL.
fn pad_expr(expr: &mut Expr) {
    expr.for_each_mut(&mut |expr| {
        if matches!(expr.kind, ExprKind::Column(_) | ExprKind::Coalesce(_)) || expr.ty.ty != SqlType::Null {
            expr.ty.nullable = true;
        }
    });
}
