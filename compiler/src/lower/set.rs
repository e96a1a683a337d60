//! EXCEPT and INTERSECT. With set semantics: distinct left rows by absence or presence of an equal right row.
//!
//! Rows are equal when all columns are not distinct, so the key is the whole row in one encoding on both sides. The
//! right side needs no distinct: presence of a key already means at least one row.

use super::expr::is_leaf;
use super::flow::{Feed, FlowColumn, FlowOp};
use super::join::Key;
use super::relation::Rel;
use super::{Lowering, Unsupported};
use crate::plan::{Column, Expr, ExprKind, Plan};

impl Lowering<'_> {
    pub(super) fn set_operation(
        &mut self,
        left: &Plan,
        right: &Plan,
        columns: &[Column],
        anti: bool,
    ) -> Result<Rel, Unsupported> {
        let (left_columns, right_columns) = (left.columns(), right.columns());
        let left_unique = self.has_unique_key(left);
        let left = self.plan(left)?;
        let left = if left_unique { left } else { self.distinct(left, &left_columns)? };
        let right = self.plan(right)?;
        let reference =
            |column: &Column| Expr { kind: ExprKind::Column(column.id), ty: column.ty, span: self.flow.span };
        let pairs = left_columns.iter().zip(&right_columns).map(|(l, r)| (reference(l), reference(r)));
        let mut keys = vec![];
        for (l, r) in pairs {
            keys.push(Key::new(left.resolve(&l)?, right.resolve(&r)?, true));
        }
        let (left_keys, right_keys) = Key::sides(&keys);
        let left_index = self.arrange(&left, vec![], &left_keys)?;
        let right_index = self.arrange(&right, vec![], &right_keys)?;
        let semi = FlowOp::Semi { left: left_index.node, right: right_index.node, anti };
        let node = self.flow.add(semi, vec![]);
        let exprs = left_columns.iter().map(|column| left_index.columns[&column.id].clone());
        debug_assert!(left_index.columns.values().all(is_leaf));
        Ok(Rel { feed: Feed::of(node), columns: columns.iter().map(|c| c.id).zip(exprs).collect() })
    }

    /// EXCEPT ALL is the positive part of the difference, INTERSECT ALL what EXCEPT ALL leaves of the left side.
    pub(super) fn bag_operation(
        &mut self,
        left: &Plan,
        right: &Plan,
        columns: &[Column],
        except: bool,
    ) -> Result<Rel, Unsupported> {
        let (left_columns, right_columns) = (left.columns(), right.columns());
        let left = self.plan(left)?;
        let left = self.materialize(left, &left_columns);
        let right = self.plan(right)?;
        let left = (left.feed.clone(), left.all(&left_columns)?);
        let right = (right.feed.clone(), right.all(&right_columns)?);
        let rest = self.minus([left.clone(), right], columns, true);
        if except {
            return Ok(rest);
        }
        let rest = (rest.feed.clone(), rest.all(columns)?);
        Ok(self.minus([left, rest], columns, false))
    }

    fn minus(&mut self, inputs: [(Feed, Vec<Expr>); 2], columns: &[Column], positive: bool) -> Rel {
        let types = columns.iter().map(|column| FlowColumn { ty: column.ty, expr: None }).collect();
        let node = self.flow.add(FlowOp::Minus { inputs, positive }, types);
        Rel::of(self, node, columns)
    }
}
