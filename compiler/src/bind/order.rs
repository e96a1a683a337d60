//! ORDER BY with LIMIT, OFFSET, FETCH and DISTINCT ON: which rows of a query are taken.
//!
//! Every order is made total: after the keys that are written come all columns of the result, ascending (DIALECT.md,
//! "Aggregates": ties are decided by full row order). Then the answer depends on nothing but the rows.

use super::query::Query;
use super::scope::{Clause, Scope, numbered};
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Column, ColumnId, Expr, ExprKind, OrderKey, Plan, Span};
use feldc_engine::{Direction, Window};
use feldc_value::{SqlType, Value};
use sqlparser::ast;

/// SQLSTATE "invalid row count in result offset clause" and "in limit clause".
const BAD_OFFSET: &str = "2201X";
const BAD_LIMIT: &str = "2201W";

/// The order by which rows are taken, in columns that the query's plan has (not all of them shown).
#[derive(Clone, Debug, Default)]
pub struct Order {
    pub keys: Vec<OrderKey>,
}

/// What a key of ORDER BY or DISTINCT ON names, before the query's columns exist.
pub enum Key {
    /// An item of the select list.
    Item(usize),
    Computed(Expr),
}

pub fn direction(options: &ast::OrderByOptions) -> Option<Direction> {
    let descending = match &options.sort {
        None | Some(ast::OrderBySort::Asc) => false,
        Some(ast::OrderBySort::Desc) => true,
        Some(_) => return None,
    };
    Some(Direction { descending, nulls_first: options.nulls_first.unwrap_or(!descending) })
}

pub const ASCENDING: Direction = Direction { descending: false, nulls_first: true };

impl Binder<'_> {
    /// LIMIT, OFFSET and FETCH as a window with the number of tied keys still to be set, `None` when all rows are wanted.
    /// The second value: WITH TIES.
    pub(super) fn window(&mut self, query: &ast::Query, place: Span) -> Bound<Option<(Window, bool)>> {
        let (mut limit, mut offset) = (None, None);
        match &query.limit_clause {
            None => (),
            Some(ast::LimitClause::LimitOffset { limit: l, offset: o, limit_by }) => {
                if !limit_by.is_empty() {
                    return self.unsupported("LIMIT BY", place);
                }
                (limit, offset) = (l.as_ref(), o.as_ref().map(|offset| &offset.value));
            }
            Some(ast::LimitClause::OffsetCommaLimit { offset: o, limit: l }) => (limit, offset) = (Some(l), Some(o)),
        }
        let mut ties = false;
        let mut one = false;
        if let Some(fetch) = &query.fetch {
            if fetch.percent {
                return self.unsupported("FETCH of a percentage", place);
            }
            if limit.is_some() {
                let error = Diagnostic::error(code::SYNTAX_ERROR, "a query has LIMIT and FETCH", place);
                return self.fail(error.help("keep one of them: they mean the same"));
            }
            (limit, ties, one) = (fetch.quantity.as_ref(), fetch.with_ties, fetch.quantity.is_none());
        }
        if ties && query.order_by.is_none() {
            let error = Diagnostic::error(code::SYNTAX_ERROR, "WITH TIES needs an ORDER BY", place);
            return self.fail(error.help("say by which columns rows tie, or write ONLY"));
        }
        let offset = offset.map(|offset| self.row_count(offset, "OFFSET", BAD_OFFSET)).transpose()?.flatten();
        let limit = limit.map(|limit| self.row_count(limit, "LIMIT", BAD_LIMIT)).transpose()?.flatten();
        let window =
            Window { offset: offset.unwrap_or(0), limit: if one { Some(1) } else { limit }, ties: None, rank: None };
        Ok((window.limit.is_some() || window.offset > 0).then_some((window, ties)))
    }

    /// A constant number of rows; NULL for all.
    fn row_count(&mut self, expr: &ast::Expr, clause: &str, sqlstate: &'static str) -> Bound<Option<u64>> {
        let span = self.span_of(expr);
        let (bound, _) = self.within(Scope::new(vec![], Clause::From), |binder| binder.expr(expr));
        let bound = bound?;
        let ExprKind::Literal(value) = &bound.kind else {
            let error = Diagnostic::error(code::FEATURE_NOT_SUPPORTED, format!("{clause} is not a constant"), span);
            return self.fail(error.help("write a number, or filter by a rank that is computed in the query"));
        };
        let number: Option<i128> = match (value, bound.ty.ty) {
            (Value::Null, _) => return Ok(None),
            (Value::Decimal(units), SqlType::Decimal { scale: 0, .. }) => Some(*units),
            (Value::TinyInt(n), _) => Some((*n).into()),
            (Value::SmallInt(n), _) => Some((*n).into()),
            (Value::Integer(n), _) => Some((*n).into()),
            (Value::BigInt(n), _) => Some((*n).into()),
            _ => None,
        };
        match number {
            // More than there can be is all.
            Some(count @ 0..) => Ok(Some(u64::try_from(count).unwrap_or(u64::MAX))),
            Some(_) => {
                let error = Diagnostic::error(sqlstate, format!("{clause} must not be negative"), span);
                self.fail(error.help("write the number of rows, 0 or more"))
            }
            None => {
                let headline = format!("{clause} is a {}, not a whole number", bound.ty.ty);
                self.fail(
                    Diagnostic::error(code::DATATYPE_MISMATCH, headline, span).help("write a number without fraction"),
                )
            }
        }
    }

    /// The keys of ORDER BY; none for ORDER BY ALL, which is the order of the columns.
    pub(super) fn order_exprs<'q>(&mut self, query: &'q ast::Query) -> Bound<&'q [ast::OrderByExpr]> {
        let Some(order) = &query.order_by else { return Ok(&[]) };
        match &order.kind {
            ast::OrderByKind::Expressions(exprs) if order.interpolate.is_none() => Ok(exprs),
            ast::OrderByKind::All(options) if direction(options) == Some(ASCENDING) => Ok(&[]),
            _ => self.unsupported("this form of ORDER BY", self.query_span(query)),
        }
    }

    pub(super) fn order_direction(&mut self, order: &ast::OrderByExpr) -> Bound<Direction> {
        match direction(&order.options) {
            Some(direction) if order.with_fill.is_none() => Ok(direction),
            _ => self.unsupported("this form of ORDER BY", self.span_of(&order.expr)),
        }
    }

    /// The item that a key names by its position (`2`) or its name; `None` for other expressions.
    pub(super) fn named_item(&mut self, key: &ast::Expr, names: &[&str]) -> Bound<Option<usize>> {
        let span = self.span_of(key);
        match key {
            ast::Expr::Nested(inner) => self.named_item(inner, names),
            ast::Expr::Value(value) => {
                let ast::Value::Number(digits, _) = &value.value else { return Ok(None) };
                match digits.parse::<usize>().ok().and_then(|at| at.checked_sub(1)).filter(|at| *at < names.len()) {
                    Some(at) => Ok(Some(at)),
                    None => {
                        let headline = format!("ORDER BY position {digits} is not in the select list");
                        let error = Diagnostic::error(code::INVALID_COLUMN_REFERENCE, headline, span);
                        self.fail(error.help(format!("the select list has {} items", names.len())))
                    }
                }
            }
            ast::Expr::Identifier(ident) => {
                let name = self.name(ident);
                let mut found = (0..names.len()).filter(|at| names[*at] == name.text);
                let first = found.next();
                match found.next() {
                    None => Ok(first),
                    Some(_) => {
                        let headline = format!("\"{}\" names several items of the select list", name.text);
                        let error = Diagnostic::error(code::AMBIGUOUS_COLUMN, headline, span);
                        self.fail(error.help("order by the position of the item, or name the items differently"))
                    }
                }
            }
            _ => Ok(None),
        }
    }

    /// The item without a name that `column2` stands for.
    fn numbered_item(&self, key: &ast::Expr, names: &[&str]) -> Option<usize> {
        let ast::Expr::Identifier(ident) = key else { return None };
        let name = numbered(&self.name(ident).text)?;
        names.iter().position(|other| *other == name)
    }

    /// The order of a query whose result only has its columns: set operations, VALUES, a query in parentheses.
    pub(super) fn order_of_columns(&mut self, query: &Query, order: &[ast::OrderByExpr]) -> Bound<Order> {
        let names: Vec<&str> = query.columns.iter().map(|column| column.name.as_str()).collect();
        let mut keys = vec![];
        for key in order {
            let direction = self.order_direction(key)?;
            let named = self.named_item(&key.expr, &names)?;
            let Some(at) = named.or_else(|| self.numbered_item(&key.expr, &names)) else {
                let span = self.span_of(&key.expr);
                let headline = "this query can only be ordered by the columns of its result";
                let error = Diagnostic::error(code::FEATURE_NOT_SUPPORTED, headline, span);
                return self.fail(error.help("name a column or its position, or put a SELECT around the query"));
            };
            keys.push(OrderKey { column: query.columns[at].id, direction });
        }
        Ok(Order { keys })
    }

    /// The rows of the query in the window of the order, for each value of the partition.
    pub(super) fn top(&mut self, query: &mut Query, partition: Vec<ColumnId>, order: &Order, window: Window) {
        let mut keys: Vec<OrderKey> = vec![];
        let rest = query.columns.iter().filter(|column| column.ty.ty != SqlType::Null);
        let rest = rest.map(|column| OrderKey { column: column.id, direction: ASCENDING });
        for key in order.keys.iter().copied().chain(rest) {
            if keys.iter().all(|other| other.column != key.column) {
                keys.push(key);
            }
        }
        let input = std::mem::replace(&mut query.plan, Plan::Values { rows: vec![], columns: vec![] });
        query.plan = Plan::TopK { input: Box::new(input), partition, order: keys, window, ranked: None };
    }

    /// Drops the columns that only the order needed.
    pub(super) fn without_hidden(&mut self, query: &mut Query) {
        let made = query.plan.columns();
        let shown = |column: &Column| query.columns.iter().any(|out| out.id == column.id);
        if made.iter().all(shown) {
            return;
        }
        let pass = |column: Column| {
            let expr = Expr::column(column.id, column.ty, self.statement);
            (column, expr)
        };
        let columns = made.into_iter().filter(shown).map(pass).collect();
        let input = std::mem::replace(&mut query.plan, Plan::Values { rows: vec![], columns: vec![] });
        query.plan = Plan::Project { input: Box::new(input), columns };
    }
}
