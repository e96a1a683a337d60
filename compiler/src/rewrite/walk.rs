//! What the passes share in walking plans beyond [`Plan`]'s own walks: fresh ids, copies, substitution.

use crate::plan::{Column, ColumnId, Expr, ExprKind, Plan, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Hands out column ids that the program does not use yet.
pub struct Fresh(u32);

impl Fresh {
    pub fn of(program: &Program) -> Fresh {
        let mut next = 0;
        for view in &program.views {
            visit(&view.plan, &mut |plan| next = plan.columns().iter().fold(next, |n, column| n.max(column.id.0 + 1)));
        }
        Fresh(next)
    }

    pub fn id(&mut self) -> ColumnId {
        self.0 += 1;
        ColumnId(self.0 - 1)
    }

    /// A new column with the name and type of `like`.
    pub fn like(&mut self, like: &Column) -> Column {
        Column { id: self.id(), ..like.clone() }
    }
}

/// The plan, leaving a placeholder behind.
pub fn take(plan: &mut Plan) -> Plan {
    std::mem::replace(plan, Plan::Values { rows: vec![], columns: vec![] })
}

/// Every node of the plan, the plans of subqueries included, parents first.
pub fn visit(plan: &Plan, act: &mut dyn FnMut(&Plan)) {
    act(plan);
    for expr in plan.expressions() {
        visit_subqueries(expr, &mut |inner| visit(inner, act));
    }
    for child in plan.children() {
        visit(child, act);
    }
}

fn visit_subqueries(expr: &Expr, act: &mut dyn FnMut(&Plan)) {
    if let ExprKind::Subquery { plan, .. } = &expr.kind {
        act(plan);
    }
    for child in expr.children() {
        visit_subqueries(child, act);
    }
}

pub fn ids(columns: &[Column]) -> BTreeSet<ColumnId> {
    columns.iter().map(|column| column.id).collect()
}

/// What stands in place of a column.
pub type Substitution = BTreeMap<ColumnId, Expr>;

/// Replaces columns by expressions, also inside the plans of subqueries.
pub fn substitute(expr: &mut Expr, with: &Substitution) {
    if with.is_empty() {
        return;
    }
    if let ExprKind::Column(id) = expr.kind
        && let Some(replacement) = with.get(&id)
    {
        *expr = replacement.clone();
        return;
    }
    if let ExprKind::Subquery { plan, .. } = &mut expr.kind {
        substitute_free(plan, with);
    }
    for child in expr.children_mut() {
        substitute(child, with);
    }
}

/// Replaces columns in every expression of a plan. (Grouping columns are always made by the plan itself.)
pub fn substitute_free(plan: &mut Plan, with: &Substitution) {
    for expr in plan.expressions_mut() {
        substitute(expr, with);
    }
    for child in plan.children_mut() {
        substitute_free(child, with);
    }
}

/// A copy whose own columns all have new ids; columns of enclosing queries stay. The map gives old id -> new id.
pub fn copy(plan: &Plan, fresh: &mut Fresh) -> (Plan, BTreeMap<ColumnId, ColumnId>) {
    plan.fresh(&mut fresh.0)
}

/// Is there an expression in this plan, its subqueries and inputs included, that can fail?
pub fn fallible(plan: &Plan) -> bool {
    let mut found = false;
    visit(plan, &mut |node| found |= node.expressions().iter().any(|expr| expr.fallible()));
    found
}
