//! Walks over the circuit: a node's inputs, a kernel's expressions and the slots they read.

use super::{Kernel, KernelStep, NodeId, Op};
use crate::plan::{Expr, ExprKind};
use std::collections::BTreeSet;

impl Op {
    /// The nodes this one reads, indexes included.
    pub fn inputs(&self) -> Vec<NodeId> {
        match self {
            Op::Table { .. } | Op::KeyedTable { .. } | Op::Constant { .. } => vec![],
            Op::Map { input, .. }
            | Op::Negate { input }
            | Op::Exchange { input, .. }
            | Op::Index { input, .. }
            | Op::Distinct { input }
            | Op::Positive { input }
            | Op::Aggregate { input, .. }
            | Op::TopK { input, .. }
            | Op::Unnest { input, .. }
            | Op::Output { input, .. } => vec![*input],
            Op::Update { index } => vec![*index],
            Op::Union { inputs } => inputs.clone(),
            Op::Join { delta, index, .. } | Op::Semi { delta, index } | Op::Anti { delta, index } => {
                vec![*delta, *index]
            }
            Op::RangeJoin { left, right, .. } => vec![*left, *right],
        }
    }

    /// Replaces each input by `f` of it.
    pub fn map_inputs(&mut self, mut f: impl FnMut(NodeId) -> NodeId) {
        match self {
            Op::Table { .. } | Op::KeyedTable { .. } | Op::Constant { .. } => (),
            Op::Map { input, .. }
            | Op::Negate { input }
            | Op::Exchange { input, .. }
            | Op::Index { input, .. }
            | Op::Distinct { input }
            | Op::Positive { input }
            | Op::Aggregate { input, .. }
            | Op::TopK { input, .. }
            | Op::Unnest { input, .. }
            | Op::Output { input, .. } => *input = f(*input),
            Op::Update { index } => *index = f(*index),
            Op::Union { inputs } => inputs.iter_mut().for_each(|input| *input = f(*input)),
            Op::Join { delta, index, .. } | Op::Semi { delta, index } | Op::Anti { delta, index } => {
                *delta = f(*delta);
                *index = f(*index);
            }
            Op::RangeJoin { left, right, .. } => {
                *left = f(*left);
                *right = f(*right);
            }
        }
    }

    /// The word the printer and messages use.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Table { .. } => "table",
            Op::KeyedTable { .. } => "keyed_table",
            Op::Constant { .. } => "constant",
            Op::Map { .. } => "map",
            Op::Union { .. } => "union",
            Op::Negate { .. } => "negate",
            Op::Exchange { .. } => "exchange",
            Op::Index { .. } => "index",
            Op::Update { .. } => "update",
            Op::Join { .. } => "join",
            Op::RangeJoin { .. } => "range_join",
            Op::Semi { .. } => "semi",
            Op::Anti { .. } => "anti",
            Op::Distinct { .. } => "distinct",
            Op::Positive { .. } => "positive",
            Op::Aggregate { .. } => "aggregate",
            Op::TopK { .. } => "top_k",
            Op::Unnest { .. } => "unnest",
            Op::Output { .. } => "output",
        }
    }
}

impl KernelStep {
    pub fn expr(&self) -> &Expr {
        match self {
            KernelStep::Let(expr) | KernelStep::Filter(expr) => expr,
        }
    }
}

impl Kernel {
    /// The steps' expressions and the outputs, in order of evaluation.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.steps.iter().map(KernelStep::expr).chain(&self.outputs)
    }

    /// All slots that are read, lets included.
    pub fn slots(&self) -> BTreeSet<usize> {
        let mut slots = BTreeSet::new();
        self.exprs().for_each(|expr| collect_slots(expr, &mut slots));
        slots
    }
}

/// Adds the slots that `expr` reads.
pub fn collect_slots(expr: &Expr, slots: &mut BTreeSet<usize>) {
    if let ExprKind::Slot(slot) = expr.kind {
        slots.insert(slot);
    }
    expr.children().into_iter().for_each(|child| collect_slots(child, slots));
}
