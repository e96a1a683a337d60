//! A relation while it is lowered: a source, and filters and projections over it that are not yet part of any node.
//!
//! Projections are substituted into what reads them, so a chain of them costs one kernel, a filter below guards
//! expressions above, and what nothing reads is never computed.

use super::expr::{self, canonical, is_leaf, size, substitute};
use super::flow::{Feed, FlowColumn, FlowId, FlowOp, Source};
use super::{Lowering, Unsupported, internal};
use crate::plan::{Column, ColumnId, Expr, ExprKind};
use std::collections::BTreeMap;

/// Expressions that would grow beyond this many nodes by substitution are computed in a kernel of their own:
/// substitution alone could double them at every level of nesting.
const MAX_SIZE: usize = 200;

#[derive(Clone, Debug)]
pub(super) struct Rel {
    pub feed: Feed,
    /// The definition of each plan column over the feed's source.
    pub columns: BTreeMap<ColumnId, Expr>,
}

impl Rel {
    /// A node read as it is: plan column `n` is the node's column `n`.
    pub fn of(cx: &Lowering, node: FlowId, columns: &[Column]) -> Rel {
        let columns = columns.iter().enumerate().map(|(n, column)| (column.id, cx.flow.slot(node, n))).collect();
        Rel { feed: Feed::of(node), columns }
    }

    /// The expression over the feed's source.
    pub fn resolve(&self, expr: &Expr) -> Result<Expr, Unsupported> {
        substitute(expr, &self.columns).map_err(|id| missing(id, expr))
    }

    pub fn column(&self, column: &Column) -> Result<Expr, Unsupported> {
        let found = self.columns.get(&column.id).cloned();
        found.ok_or_else(|| {
            internal(format!("column {} (c{}) has no definition", column.name, column.id.0), Default::default())
        })
    }

    pub fn all(&self, columns: &[Column]) -> Result<Vec<Expr>, Unsupported> {
        columns.iter().map(|column| self.column(column)).collect()
    }

    /// Does reading the relation evaluate nothing?
    fn plain(&self) -> bool {
        matches!(self.feed.source, Source::Node(_))
            && self.feed.filters.is_empty()
            && self.columns.values().all(is_leaf)
    }
}

pub(super) fn missing(id: ColumnId, expr: &Expr) -> Unsupported {
    internal(format!("column c{} is not among its input's columns", id.0), expr.span)
}

impl Lowering<'_> {
    /// The same relation, computed once for several readers. `order` comes first in the node's columns.
    pub(super) fn materialize(&mut self, rel: Rel, order: &[Column]) -> Rel {
        if rel.plain() { rel } else { self.materialize_with(rel, order, &[]).0 }
    }

    /// As `materialize`, with further expressions over the relation's source computed in the same kernel.
    pub(super) fn materialize_with(&mut self, rel: Rel, order: &[Column], further: &[Expr]) -> (Rel, Vec<Expr>) {
        let mut exprs: Vec<Expr> = vec![];
        let mut positions: BTreeMap<String, usize> = BTreeMap::new();
        let ordered = order.iter().filter_map(|column| rel.columns.get(&column.id));
        let all = ordered.chain(rel.columns.values()).chain(further);
        for definition in all.filter(|definition| !is_constant(definition)) {
            positions.entry(canonical(definition)).or_insert_with(|| {
                exprs.push(definition.clone());
                exprs.len() - 1
            });
        }
        let columns = exprs.into_iter().map(FlowColumn::of).collect();
        let node = self.flow.add(FlowOp::Map(rel.feed), columns);
        let read = |definition: &Expr| match positions.get(&canonical(definition)) {
            Some(&position) => self.flow.slot(node, position),
            None => definition.clone(),
        };
        let columns = rel.columns.iter().map(|(id, definition)| (*id, read(definition))).collect();
        (Rel { feed: Feed::of(node), columns }, further.iter().map(read).collect())
    }

    pub(super) fn filter(&mut self, rel: Rel, predicate: &Expr) -> Result<Rel, Unsupported> {
        let mut rel = self.bounded(rel, std::iter::once(predicate))?;
        let resolved = rel.resolve(predicate)?;
        if !resolved.fallible() {
            rel.feed.filters.push(resolved);
            return Ok(rel);
        }
        for conjunct in Expr::in_order(predicate.conjuncts()) {
            let conjunct = rel.resolve(conjunct)?;
            rel.feed.filters.push(conjunct);
        }
        Ok(rel)
    }

    pub(super) fn project(&mut self, rel: Rel, columns: &[(Column, Expr)]) -> Result<Rel, Unsupported> {
        let rel = self.bounded(rel, columns.iter().map(|(_, expr)| expr))?;
        let mut defined = BTreeMap::new();
        for (column, expr) in columns {
            defined.insert(column.id, rel.resolve(expr)?);
        }
        Ok(Rel { feed: rel.feed, columns: defined })
    }

    /// The relation, materialized if the expressions would grow too large over it.
    fn bounded<'e>(&mut self, rel: Rel, exprs: impl Iterator<Item = &'e Expr>) -> Result<Rel, Unsupported> {
        for expr in exprs {
            let used = expr::columns(expr);
            let grown = used.iter().filter_map(|id| rel.columns.get(id)).map(size).max().unwrap_or(0);
            if grown > 1 && size(&rel.resolve(expr)?) > MAX_SIZE {
                return Ok(self.materialize(rel, &[]));
            }
        }
        Ok(rel)
    }
}

/// The same wherever it is evaluated.
pub(super) fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_))
}
