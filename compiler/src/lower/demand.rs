//! Which nodes and which of their columns are read, from the outputs backwards.

use super::flow::{Feed, Flow, FlowId, FlowOp, RIGHT, Source, leading};
use crate::circuit::walk::collect_slots;
use crate::plan::Expr;
use std::collections::BTreeSet;

pub(super) struct Demand {
    pub live: Vec<bool>,
    /// For each node the positions of its columns that rows must hold; for `Semi` see [`Flow::columns_of`].
    pub columns: Vec<BTreeSet<usize>>,
}

/// One pass from the last node to the first suffices, since inputs come before their consumers.
pub(super) fn demand(flow: &Flow) -> Demand {
    let count = flow.nodes.len();
    let mut demand = Demand { live: vec![false; count], columns: vec![BTreeSet::new(); count] };
    for position in (0..count).rev() {
        demand.node(flow, FlowId(position));
    }
    demand
}

impl Demand {
    fn node(&mut self, flow: &Flow, id: FlowId) {
        let node = &flow.nodes[id.0];
        if matches!(node.op, FlowOp::Output { .. } | FlowOp::Table(_)) {
            self.live[id.0] = true;
        }
        if !self.live[id.0] {
            return;
        }
        let all = 0..node.columns.len();
        match &node.op {
            FlowOp::Table(_) => self.columns[id.0].extend(all),
            FlowOp::Constant(_) => (),
            FlowOp::Map(feed) => self.kernel(flow, id, feed),
            FlowOp::Arrange { feed, key, range } => {
                self.columns[id.0].extend(0..leading(*key, *range));
                self.kernel(flow, id, feed);
            }
            FlowOp::Distinct(feed) | FlowOp::Output { feed, .. } => {
                self.columns[id.0].extend(all);
                self.kernel(flow, id, feed);
            }
            // Rows are compared whole.
            FlowOp::Minus { inputs, .. } => {
                self.columns[id.0].extend(all);
                for (feed, exprs) in inputs {
                    self.feed(feed, exprs.iter());
                }
            }
            FlowOp::TopK { feed, partition, order, .. } => {
                self.columns[id.0].extend(0..partition + order.len());
                self.kernel(flow, id, feed);
            }
            FlowOp::Unnest { feed, arrays, made, .. } => {
                self.columns[id.0].extend(0..*made);
                let others = self.columns[id.0].iter().flat_map(|&position| &node.columns[position].expr);
                let exprs: Vec<&Expr> = arrays.iter().chain(others).collect();
                self.feed(feed, exprs.into_iter());
            }
            FlowOp::Semi { left, right, .. } => {
                let read = self.columns[id.0].clone();
                self.columns[left.0].extend(read);
                (self.live[left.0], self.live[right.0]) = (true, true);
            }
            FlowOp::Union(inputs) => {
                let read = self.columns[id.0].clone();
                for (feed, exprs) in inputs {
                    self.feed(feed, read.iter().map(|&position| &exprs[position]));
                }
            }
            FlowOp::Aggregate { feed, key, aggregates, .. } => {
                self.columns[id.0].extend(0..*key);
                if self.columns[id.0].len() == *key {
                    // Nothing reads an aggregate, but the groups are read: one must stay.
                    self.columns[id.0].insert(*key);
                }
                let read = self.columns[id.0].clone();
                let keys = node.columns[..*key].iter().flat_map(|column| &column.expr);
                let called = read.iter().filter_map(|position| position.checked_sub(*key));
                let arguments = called.flat_map(|position| &aggregates[position].arguments);
                self.feed(feed, keys.chain(arguments));
            }
        }
    }

    fn kernel(&mut self, flow: &Flow, id: FlowId, feed: &Feed) {
        let read = self.columns[id.0].clone();
        let columns = &flow.nodes[id.0].columns;
        self.feed(feed, read.iter().flat_map(|&position| &columns[position].expr));
    }

    fn feed<'e>(&mut self, feed: &'e Feed, exprs: impl Iterator<Item = &'e Expr>) {
        let mut slots = BTreeSet::new();
        feed.filters.iter().chain(exprs).for_each(|expr| collect_slots(expr, &mut slots));
        match feed.source {
            Source::Node(node) => {
                self.live[node.0] = true;
                self.columns[node.0].extend(slots);
            }
            Source::Pair(left, right) | Source::Changes { delta: left, index: right, .. } => {
                (self.live[left.0], self.live[right.0]) = (true, true);
                let of_right = slots.split_off(&RIGHT);
                self.columns[left.0].extend(slots);
                self.columns[right.0].extend(of_right.into_iter().map(|slot| slot - RIGHT));
            }
        }
    }
}
