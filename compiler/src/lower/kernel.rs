//! One kernel from filters and outputs: an expression that occurs several times is evaluated once and named.
//!
//! A `let` stands before the first step that uses it. One that can fail is named only where some use in that step is
//! evaluated in any case: never only in a CASE branch, a later operand of AND, OR, COALESCE, or a TRY.

use super::expr::{is_leaf, map_children, slot};
use crate::circuit::print::Shown;
use crate::circuit::{Kernel, KernelStep};
use crate::plan::{Expr, ExprKind};
use feldc_value::{ColumnType, Value};
use std::collections::HashMap;
use std::convert::Infallible;

/// `slots`: the number of input columns.
pub(super) fn build(filters: &[Expr], outputs: &[Expr], slots: usize) -> Kernel {
    let mut naming = Naming { slots, ..Naming::default() };
    for expr in filters.iter().chain(outputs) {
        naming.classify(expr);
        naming.count(expr);
    }
    for filter in filters.iter().filter(|filter| !matches!(filter.kind, ExprKind::Literal(Value::Boolean(true)))) {
        naming.name_all(std::slice::from_ref(filter));
        let filter = naming.rewrite(filter);
        naming.steps.push(KernelStep::Filter(filter));
    }
    naming.name_all(outputs);
    let outputs = outputs.iter().map(|output| naming.rewrite(output)).collect();
    Kernel { steps: naming.steps, outputs }
}

#[derive(Default)]
struct Naming {
    /// Equal expressions, spans aside, have one class; found by address, since the expressions stay where they are.
    class_of: HashMap<*const Expr, usize>,
    classes: HashMap<String, usize>,
    /// By class.
    counts: HashMap<usize, usize>,
    named: HashMap<usize, (usize, ColumnType)>,
    steps: Vec<KernelStep>,
    slots: usize,
}

impl Naming {
    fn classify(&mut self, expr: &Expr) -> usize {
        let children: Vec<usize> = expr.children().into_iter().map(|child| self.classify(child)).collect();
        let head = match &expr.kind {
            ExprKind::Call { function, .. } => format!("{} {}", function.path, function.name),
            ExprKind::And(_) => "and".to_string(),
            ExprKind::Or(_) => "or".to_string(),
            ExprKind::Coalesce(_) => "coalesce".to_string(),
            ExprKind::IsNull(_) => "is null".to_string(),
            ExprKind::Try(_) => "try".to_string(),
            ExprKind::Each { parameter, .. } => format!("each {parameter}"),
            ExprKind::Case { otherwise, .. } => format!("case {}", otherwise.is_some()),
            ExprKind::Literal(value) => format!("{value:?}"),
            _ => Shown(expr).to_string(),
        };
        let next = self.classes.len();
        let class = *self.classes.entry(format!("{head} {children:?} {}", expr.ty)).or_insert(next);
        self.class_of.insert(std::ptr::from_ref(expr), class);
        class
    }

    fn class(&self, expr: &Expr) -> usize {
        self.class_of[&std::ptr::from_ref(expr)]
    }

    /// Counts occurrences; what stands inside a repeated expression counts once.
    fn count(&mut self, expr: &Expr) {
        if is_leaf(expr) {
            return;
        }
        let class = self.class(expr);
        let count = self.counts.entry(class).or_default();
        *count += 1;
        if *count == 1 {
            let outside = if matches!(expr.kind, ExprKind::Each { .. }) { 1 } else { usize::MAX };
            expr.children().into_iter().take(outside).for_each(|child| self.count(child));
        }
    }

    /// Adds the `let`s of a step.
    fn name_all(&mut self, step: &[Expr]) {
        step.iter().for_each(|expr| self.name(expr, true));
    }

    /// `always`: the expression is evaluated whenever its step is.
    fn name(&mut self, expr: &Expr, always: bool) {
        if is_leaf(expr) || self.named.contains_key(&self.class(expr)) {
            return;
        }
        let (first, later) = match expr.kind {
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Coalesce(_) | ExprKind::Case { .. } => (always, false),
            ExprKind::Try(_) => (false, false),
            _ => (always, always),
        };
        // What a body computes stands for one element, and is no value of the row.
        let outside = if matches!(expr.kind, ExprKind::Each { .. }) { 1 } else { usize::MAX };
        for (position, child) in expr.children().into_iter().take(outside).enumerate() {
            self.name(child, if position == 0 { first } else { later });
        }
        let class = self.class(expr);
        let repeated = self.counts.get(&class).is_some_and(|&count| count > 1);
        if repeated && (always || !expr.fallible()) {
            let value = self.rewrite(expr);
            self.named.insert(class, (self.slots, value.ty));
            self.steps.push(KernelStep::Let(value));
            self.slots += 1;
        }
    }

    /// The expression with named ones read from their slots.
    fn rewrite(&self, expr: &Expr) -> Expr {
        if is_leaf(expr) {
            return expr.clone();
        }
        if let Some(&(position, ty)) = self.named.get(&self.class(expr)) {
            return slot(position, ty, expr.span);
        }
        match map_children(expr, &mut |child| Ok::<_, Infallible>(self.rewrite(child))) {
            Ok(expr) => expr,
            Err(never) => match never {},
        }
    }
}
