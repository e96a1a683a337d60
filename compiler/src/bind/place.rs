//! Places of syntax nodes. sqlparser computes a node's span from all its parts, which recurses as deep as a chain is
//! long and leaves out brackets; here only the ends are looked at.

use super::Binder;
use crate::plan::Span;
use sqlparser::ast::{self, Expr, InTarget, SetExpr, Spanned, TableFactor};

impl Binder<'_> {
    /// The place of a small syntax node; the statement's where sqlparser kept none.
    pub(super) fn span(&self, node: &impl Spanned) -> Span {
        self.source.convert(node.span()).unwrap_or(self.statement)
    }

    pub(super) fn span_of(&self, expr: &Expr) -> Span {
        let mut first = expr;
        while let Expr::BinaryOp { left, .. } = first {
            first = left;
        }
        match expr {
            Expr::BinaryOp { right, .. } => self.span_to(self.span_of(first), right),
            Expr::Nested(inner) => self.span_of(inner),
            Expr::Subquery(query) => self.query_span(query),
            Expr::Exists { subquery, .. } => self.query_span(subquery),
            Expr::In { expr, target, .. } => match target {
                InTarget::List(list) => {
                    list.last().map_or(self.span_of(expr), |last| self.span_to(self.span_of(expr), last))
                }
                _ => self.span_of(expr),
            },
            Expr::Function(function) => self.to_closing_parenthesis(self.span(&function.name)),
            Expr::Case { case_token, end_token, .. } => {
                let (case, end) = (self.source.convert(case_token.0.span), self.source.convert(end_token.0.span));
                let case = case.unwrap_or(self.statement);
                Span { end: end.map_or(case.end, |end| end.end), ..case }
            }
            Expr::Between { expr, high, .. } => self.span_to(self.span_of(expr), high),
            Expr::Like { expr, pattern, .. }
            | Expr::ILike { expr, pattern, .. }
            | Expr::RLike { expr, pattern, .. }
            | Expr::SimilarTo { expr, pattern, .. } => self.span_to(self.span_of(expr), pattern),
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.span_to(self.span_of(left), right)
            }
            Expr::UnaryOp { expr, .. }
            | Expr::IsNull(expr)
            | Expr::IsNotNull(expr)
            | Expr::IsTrue(expr)
            | Expr::IsNotTrue(expr)
            | Expr::IsFalse(expr)
            | Expr::IsNotFalse(expr)
            | Expr::IsUnknown(expr)
            | Expr::IsNotUnknown(expr)
            | Expr::AnyOp { left: expr, .. }
            | Expr::AllOp { left: expr, .. }
            | Expr::Cast { expr, .. }
            | Expr::Extract { expr, .. }
            | Expr::Ceil { expr, .. }
            | Expr::Floor { expr, .. }
            | Expr::Position { expr, .. }
            | Expr::Substring { expr, .. }
            | Expr::Trim { expr, .. }
            | Expr::Overlay { expr, .. } => self.span_of(expr),
            Expr::Interval(interval) => self.span_of(&interval.value),
            Expr::Tuple(items) => match items.as_slice() {
                [first, .., last] => self.span_to(self.span_of(first), last),
                _ => self.statement,
            },
            other => self.span(other),
        }
    }

    fn span_to(&self, start: Span, last: &Expr) -> Span {
        Span { end: self.span_of(last).end.max(start.end), ..start }
    }

    /// From a function's name to the `)` of its arguments, if they follow.
    fn to_closing_parenthesis(&self, name: Span) -> Span {
        let bytes = self.source.text.as_bytes();
        let mut at = name.end as usize;
        let mut depth = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return Span { end: at as u32 + 1, ..name },
                b')' => depth -= 1,
                quote @ (b'\'' | b'"') => {
                    at += bytes[at + 1..].iter().position(|other| other == quote).map_or(0, |length| length + 1);
                }
                byte if depth == 0 && !byte.is_ascii_whitespace() => return name,
                _ => (),
            }
            at += 1;
        }
        name
    }

    pub(super) fn query_span(&self, query: &ast::Query) -> Span {
        self.set_expr_span(&query.body)
    }

    /// Where the first query of a chain starts.
    pub(super) fn set_expr_span(&self, body: &SetExpr) -> Span {
        let mut first = body;
        while let SetExpr::SetOperation { left, .. } = first {
            first = left;
        }
        match first {
            SetExpr::Select(select) => self.source.convert(select.select_token.0.span).unwrap_or(self.statement),
            SetExpr::Query(query) => self.query_span(query),
            SetExpr::Values(values) => {
                let cell = values.rows.first().and_then(|row| row.content.first());
                cell.map_or(self.statement, |cell| self.span_of(cell))
            }
            _ => self.statement,
        }
    }

    pub(super) fn factor_span(&self, factor: &TableFactor) -> Span {
        match factor {
            TableFactor::Table { name, .. } | TableFactor::Function { name, .. } => self.span(name),
            TableFactor::Derived { subquery, .. } => self.query_span(subquery),
            TableFactor::NestedJoin { table_with_joins, .. } => self.factor_span(&table_with_joins.relation),
            TableFactor::Pivot { table, .. } | TableFactor::Unpivot { table, .. } => self.factor_span(table),
            _ => self.statement,
        }
    }
}
