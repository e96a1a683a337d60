//! SELECT: its clauses in the order of their meaning.

use super::from::From;
use super::group::same;
use super::grouping;
use super::order::{Key, Order};
use super::query::{OutColumn, Query, unnamed};
use super::scope::{Clause, Scope, ScopeColumn};
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::parse::Name;
use crate::plan::{ColumnId, Expr, OrderKey, Plan, Span};
use feldc_engine::{Direction, Window};
use sqlparser::ast::{self, SelectItem};

/// An item of the select list: written, or from `*`.
enum Item<'a> {
    Written(&'a ast::Expr, Option<Name>),
    Offered(ScopeColumn),
}

/// A bound item with its name.
pub struct Output {
    pub name: String,
    pub quoted: bool,
    pub expr: Expr,
}

impl Binder<'_> {
    /// `TABLE t`.
    pub(super) fn table_query(&mut self, name: &ast::Ident) -> Bound<Query> {
        let factor = ast::TableFactor::Table {
            name: ast::ObjectName::from(vec![name.clone()]),
            alias: None,
            args: None,
            with_hints: vec![],
            version: None,
            with_ordinality: false,
            partitions: vec![],
            json_path: None,
            sample: None,
            index_directives: vec![],
            inheritance: None,
        };
        let from = self.from(&[ast::TableWithJoins { relation: factor, joins: vec![] }]);
        if from.incomplete {
            return Err(Reported);
        }
        let outputs = from
            .columns
            .into_iter()
            .map(|column| Output { name: column.name, quoted: column.quoted, expr: column.expr })
            .collect();
        Ok(self.project(from.plan, outputs))
    }

    /// A SELECT and the order of its rows; the plan may have columns that only the order needs.
    pub(super) fn select(&mut self, select: &ast::Select, order: &[ast::OrderByExpr]) -> Bound<(Query, Order)> {
        let span = self.source.convert(select.select_token.0.span).unwrap_or(self.statement);
        self.check_select(select, span)?;
        let From { plan, columns, incomplete } = self.from(&select.from);
        let mut scope = Scope::new(columns, Clause::Select);
        scope.incomplete = incomplete;
        let (query, _) = self.within(scope, |binder| binder.select_over(select, order, plan, span));
        match incomplete {
            true => Err(Reported),
            false => query,
        }
    }

    fn check_select(&mut self, select: &ast::Select, span: Span) -> Bound<()> {
        let what = if select.top.is_some() {
            "TOP"
        } else if select.into.is_some() {
            "SELECT INTO"
        } else if !select.lateral_views.is_empty() {
            "LATERAL VIEW"
        } else if !select.connect_by.is_empty() {
            "CONNECT BY"
        } else if select.prewhere.is_some() || !select.cluster_by.is_empty() || !select.sort_by.is_empty() {
            "this clause of SELECT"
        } else {
            return Ok(());
        };
        self.unsupported(what, span)
    }

    fn select_over(
        &mut self,
        select: &ast::Select,
        order: &[ast::OrderByExpr],
        mut plan: Plan,
        span: Span,
    ) -> Bound<(Query, Order)> {
        let filter = self.filter_clause(select.selection.as_ref(), Clause::Where, "the condition of WHERE");
        let items = self.items(&select.projection)?;
        self.name_windows(&select.named_window)?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.scalar = grouping::may_be_one(&select.group_by);
            scope.by_sets = grouping::has_sets(&select.group_by);
        }
        let outputs = self.outputs(&items);
        let grouping = self.grouping(&select.group_by, &outputs);
        let having = self.filter_clause(select.having.as_ref(), Clause::Having, "the condition of HAVING");
        let (filter, grouping, having) = (filter?, grouping?, having?);
        let mut outputs = outputs.into_iter().collect::<Bound<Vec<Output>>>()?;
        let first_of_each = match &select.distinct {
            Some(ast::Distinct::On(exprs)) => self.order_keys(exprs.iter(), &outputs)?,
            _ => vec![],
        };
        let directions = order.iter().map(|key| self.order_direction(key)).collect::<Bound<Vec<Direction>>>()?;
        let ordered = self.order_keys(order.iter().map(|key| &key.expr), &outputs)?;
        let qualify = self.filter_clause(select.qualify.as_ref(), Clause::Select, "the condition of QUALIFY")?;
        let shown = outputs.len();
        let first_of_each = add_hidden(first_of_each, &mut outputs);
        let ordered = add_hidden(ordered, &mut outputs);
        if let Some(predicate) = filter {
            plan = Plan::Filter { input: Box::new(plan), predicate };
        }
        let Some(scope) = self.scopes.last_mut() else { return Err(Reported) };
        let aggregates = std::mem::take(&mut scope.aggregates);
        let marks = std::mem::take(&mut scope.grouping_marks);
        let mut windows = std::mem::take(&mut scope.windows);
        let columns = scope.columns.clone();
        let (mut having, mut qualify) = (having, qualify);
        let grouped = grouping::is_written(&select.group_by) || !aggregates.is_empty() || !marks.is_empty();
        if grouped || having.is_some() {
            let (grouped, groups) = self.group(plan, grouping, aggregates, marks, &columns)?;
            plan = grouped;
            let mut failed = false;
            for output in &mut outputs {
                match self.over_groups(output.expr.clone(), &groups, &columns) {
                    Ok(expr) => output.expr = expr,
                    Err(Reported) => failed = true,
                }
            }
            for expr in windows.iter_mut().flat_map(|(_, call)| call.exprs_mut()).chain(&mut qualify) {
                *expr = self.over_groups(expr.clone(), &groups, &columns)?;
            }
            having = match having.map(|having| self.over_groups(having, &groups, &columns)).transpose() {
                Ok(having) => having,
                Err(Reported) => return Err(Reported),
            };
            if failed {
                return Err(Reported);
            }
        }
        if let Some(predicate) = having {
            plan = Plan::Filter { input: Box::new(plan), predicate };
        }
        plan = self.windows(plan, windows)?;
        if let Some(predicate) = qualify {
            plan = Plan::Filter { input: Box::new(plan), predicate };
        }
        self.check_size(span)?;
        let order_span = order.first().map_or(span, |key| self.span_of(&key.expr));
        let mut query = self.project(plan, outputs);
        let column = |at: &usize| query.columns[*at].id;
        let partition: Vec<ColumnId> = first_of_each.iter().map(column).collect();
        let keys = ordered.iter().zip(directions).map(|(at, direction)| OrderKey { column: column(at), direction });
        let order = Order { keys: keys.collect() };
        let hidden = query.columns.len() > shown;
        query.columns.truncate(shown);
        match &select.distinct {
            Some(ast::Distinct::Distinct) if hidden => {
                let headline = "with DISTINCT, ORDER BY can only name items of the select list";
                let error = Diagnostic::error(code::INVALID_COLUMN_REFERENCE, headline, order_span);
                return self.fail(
                    error.help("a row of the result may stand for several of the query: add the item, or group"),
                );
            }
            Some(ast::Distinct::Distinct) => query.plan = Plan::Distinct { input: Box::new(query.plan) },
            Some(ast::Distinct::On(_)) => {
                self.top(&mut query, partition, &order, Window { offset: 0, limit: Some(1), ties: None, rank: None });
            }
            _ => (),
        }
        Ok((query, order))
    }

    /// What keys of ORDER BY and DISTINCT ON name: items of the select list, or expressions of their own.
    fn order_keys<'e>(&mut self, keys: impl Iterator<Item = &'e ast::Expr>, outputs: &[Output]) -> Bound<Vec<Key>> {
        let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
        let mut found = vec![];
        for key in keys {
            found.push(match self.named_item(key, &names)? {
                Some(at) => Key::Item(at),
                None => Key::Computed(self.expr(key)?),
            });
        }
        Ok(found)
    }

    pub(super) fn project(&mut self, plan: Plan, outputs: Vec<Output>) -> Query {
        let mut columns = vec![];
        let mut out = vec![];
        for Output { name, quoted, expr } in outputs {
            let column = self.fresh_column(&name, expr.ty);
            out.push(OutColumn { name, quoted, id: column.id, ty: column.ty });
            columns.push((column, expr));
        }
        Query { plan: Plan::Project { input: Box::new(plan), columns }, columns: out }
    }

    fn filter_clause(&mut self, condition: Option<&ast::Expr>, clause: Clause, what: &str) -> Bound<Option<Expr>> {
        let Some(condition) = condition else { return Ok(None) };
        self.clause(clause);
        let bound = self.expr(condition).and_then(|expr| self.condition(expr, what));
        self.clause(Clause::Select);
        bound.map(Some)
    }

    /// The select list with `*` written out.
    fn items<'a>(&mut self, projection: &'a [SelectItem]) -> Bound<Vec<Item<'a>>> {
        let mut items = vec![];
        for item in projection {
            match item {
                SelectItem::UnnamedExpr(expr) => {
                    items.push(Item::Written(expr, implied_name(expr).map(|i| self.name(i))))
                }
                SelectItem::ExprWithAlias { expr, alias } => items.push(Item::Written(expr, Some(self.name(alias)))),
                SelectItem::Wildcard(options) => {
                    let span = self.source.convert(options.wildcard_token.0.span).unwrap_or(self.statement);
                    let offered: Vec<ScopeColumn> = self.offered(None);
                    items.extend(self.star(offered, options, span)?);
                }
                SelectItem::QualifiedWildcard(ast::SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                    let name = self.single_name(name)?;
                    let offered = self.offered(Some(&name.text));
                    if offered.is_empty() && !self.scopes.last().is_some_and(|scope| scope.incomplete) {
                        let headline = format!("table \"{}\" is not in FROM", name.text);
                        return self.fail(Diagnostic::error(code::UNDEFINED_TABLE, headline, name.span));
                    }
                    items.extend(self.star(offered, options, name.span)?);
                }
                _ => return self.unsupported("this form of a select item", self.statement),
            }
        }
        Ok(items)
    }

    fn offered(&self, table: Option<&str>) -> Vec<ScopeColumn> {
        let columns = self.scopes.last().map_or(&[][..], |scope| &scope.columns);
        columns
            .iter()
            .filter(|column| match table {
                Some(table) => column.table.as_deref() == Some(table),
                None => column.bare,
            })
            .cloned()
            .collect()
    }

    /// `*` with EXCEPT or EXCLUDE; REPLACE puts an expression in a column's place.
    fn star<'a>(
        &mut self,
        offered: Vec<ScopeColumn>,
        options: &'a ast::WildcardAdditionalOptions,
        span: Span,
    ) -> Bound<Vec<Item<'a>>> {
        if offered.is_empty() && !self.scopes.last().is_some_and(|scope| scope.incomplete) {
            return self.fail(Diagnostic::error(code::SYNTAX_ERROR, "* needs a FROM clause with columns", span));
        }
        if options.opt_ilike.is_some() || options.opt_rename.is_some() || options.opt_alias.is_some() {
            return self.unsupported("* with ILIKE, RENAME or an alias", span);
        }
        let mut without: Vec<Name> = vec![];
        match &options.opt_exclude {
            Some(ast::ExcludeSelectItem::Single(name)) => without.push(self.single_name(name)?),
            Some(ast::ExcludeSelectItem::Multiple(names)) => {
                for name in names {
                    without.push(self.single_name(name)?);
                }
            }
            None => (),
        }
        if let Some(except) = &options.opt_except {
            without.push(self.name(&except.first_element));
            without.extend(except.additional_elements.iter().map(|ident| self.name(ident)));
        }
        let replaced: Vec<(Name, &ast::Expr)> = options.opt_replace.as_ref().map_or(vec![], |replace| {
            replace.items.iter().map(|item| (self.name(&item.column_name), &item.expr)).collect()
        });
        let complete = !self.scopes.last().is_some_and(|scope| scope.incomplete);
        for name in without.iter().chain(replaced.iter().map(|(name, _)| name)) {
            if complete && offered.iter().all(|column| column.name != name.text) {
                let headline = format!("column \"{}\" does not exist", name.text);
                let error = Diagnostic::error(code::UNDEFINED_COLUMN, headline, name.span);
                let near = closest(&name.text, offered.iter().map(|column| column.name.as_str()));
                return self.fail(super::suggest(error, near));
            }
        }
        Ok(offered
            .into_iter()
            .filter(|column| without.iter().all(|name| name.text != column.name))
            .map(|column| match replaced.iter().find(|(name, _)| name.text == column.name) {
                Some((name, expr)) => Item::Written(expr, Some(name.clone())),
                None => Item::Offered(column),
            })
            .collect())
    }

    /// Binds the select list; each alias is in sight to its right.
    fn outputs(&mut self, items: &[Item<'_>]) -> Vec<Bound<Output>> {
        self.clause(Clause::Select);
        let mut outputs = vec![];
        for (at, item) in items.iter().enumerate() {
            outputs.push(match item {
                Item::Offered(column) => {
                    Ok(Output { name: column.name.clone(), quoted: column.quoted, expr: column.expr.clone() })
                }
                Item::Written(expr, name) => {
                    let expr = self.expr(expr);
                    if let (Some(name), Some(scope)) = (name, self.scopes.last_mut()) {
                        scope.aliases.push((name.text.clone(), expr.clone().ok()));
                    }
                    expr.map(|expr| {
                        let (name, quoted) = output_name(name.as_ref(), at);
                        Output { name, quoted, expr }
                    })
                }
            });
        }
        outputs
    }
}

/// The positions of the keys among the outputs, to which expressions that are not there are added.
fn add_hidden(keys: Vec<Key>, outputs: &mut Vec<Output>) -> Vec<usize> {
    let mut position = |key| match key {
        Key::Item(at) => at,
        Key::Computed(expr) => outputs.iter().position(|output| same(&output.expr, &expr)).unwrap_or_else(|| {
            outputs.push(Output { name: "order".to_string(), quoted: false, expr });
            outputs.len() - 1
        }),
    };
    keys.into_iter().map(&mut position).collect()
}

pub fn is_distinct_on(select: &ast::Select) -> bool {
    matches!(select.distinct, Some(ast::Distinct::On(_)))
}

fn output_name(name: Option<&Name>, at: usize) -> (String, bool) {
    match name {
        Some(name) => (name.text.clone(), name.quoted),
        None => (unnamed(at), false),
    }
}

/// The name of an item without alias: that of the column it is.
fn implied_name(expr: &ast::Expr) -> Option<&ast::Ident> {
    match expr {
        ast::Expr::Identifier(ident) => Some(ident),
        ast::Expr::CompoundIdentifier(parts) => parts.last(),
        ast::Expr::Nested(inner) => implied_name(inner),
        _ => None,
    }
}
