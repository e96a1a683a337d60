//! One kernel from filters and outputs: an expression that occurs several times is evaluated once and named.
//!
//! A `let` stands before the first step that uses it. One that can fail is named only at a place where its first use
//! would be evaluated in any case: never out of a CASE branch, a later operand of AND, OR, COALESCE, or a TRY.

use super::expr::{canonical, is_leaf, slot};
use crate::circuit::{Kernel, KernelStep};
use crate::plan::{Expr, ExprKind};
use feldc_value::{ColumnType, Value};
use std::collections::HashMap;

/// `slots`: the number of input columns.
pub(super) fn build(filters: &[Expr], outputs: &[Expr], slots: usize) -> Kernel {
    let mut naming = Naming { slots, ..Naming::default() };
    filters.iter().chain(outputs).for_each(|expr| naming.count(expr));
    for filter in filters.iter().filter(|filter| !matches!(filter.kind, ExprKind::Literal(Value::Boolean(true)))) {
        let filter = naming.rewrite(filter, true);
        naming.steps.push(KernelStep::Filter(filter));
    }
    let outputs = outputs.iter().map(|output| naming.rewrite(output, true)).collect();
    Kernel { steps: naming.steps, outputs }
}

#[derive(Default)]
struct Naming {
    counts: HashMap<String, usize>,
    named: HashMap<String, (usize, ColumnType)>,
    steps: Vec<KernelStep>,
    slots: usize,
}

impl Naming {
    /// Counts occurrences; what stands inside a repeated expression counts once.
    fn count(&mut self, expr: &Expr) {
        if is_leaf(expr) {
            return;
        }
        let count = self.counts.entry(canonical(expr)).or_default();
        *count += 1;
        if *count == 1 {
            expr.children().into_iter().for_each(|child| self.count(child));
        }
    }

    /// `always`: the expression is evaluated whenever its step is.
    fn rewrite(&mut self, expr: &Expr, always: bool) -> Expr {
        if is_leaf(expr) {
            return expr.clone();
        }
        let name = canonical(expr);
        if let Some(&(position, ty)) = self.named.get(&name) {
            return slot(position, ty, expr.span);
        }
        let repeated = self.counts.get(&name).is_some_and(|&count| count > 1);
        let rewritten = self.rewrite_children(expr, always);
        if !repeated || (expr.fallible() && !always) {
            return rewritten;
        }
        let (position, ty) = (self.slots, expr.ty);
        self.slots += 1;
        self.steps.push(KernelStep::Let(rewritten));
        self.named.insert(name, (position, ty));
        slot(position, ty, expr.span)
    }

    fn rewrite_children(&mut self, expr: &Expr, always: bool) -> Expr {
        let mut result = expr.clone();
        let (first, later) = match expr.kind {
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Coalesce(_) | ExprKind::Case { .. } => (always, false),
            ExprKind::Try(_) => (false, false),
            _ => (always, always),
        };
        for (position, child) in result.children_mut().into_iter().enumerate() {
            *child = self.rewrite(child, if position == 0 { first } else { later });
        }
        result
    }
}
