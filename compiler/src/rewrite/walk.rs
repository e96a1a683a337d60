//! Walks over plans and expressions: children, references, substitution and copies with fresh ids.

use crate::plan::{Column, ColumnId, Expr, ExprKind, Plan, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Hands out column ids that the program does not use yet.
pub struct Fresh(u32);

impl Fresh {
    pub fn of(program: &Program) -> Fresh {
        let mut next = 0;
        for view in &program.views {
            visit(&view.plan, &mut |plan| next = defined_here(plan).iter().fold(next, |n, id| n.max(id.0 + 1)));
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

pub fn children_mut(plan: &mut Plan) -> Vec<&mut Plan> {
    match plan {
        Plan::Table { .. } | Plan::View { .. } | Plan::Values { .. } => vec![],
        Plan::Filter { input, .. }
        | Plan::Project { input, .. }
        | Plan::Aggregate { input, .. }
        | Plan::Distinct { input } => vec![input],
        Plan::Join { left, right, .. }
        | Plan::Apply { left, right, .. }
        | Plan::SetDifference { left, right, .. }
        | Plan::SetIntersection { left, right, .. } => vec![left, right],
        Plan::Union { inputs, .. } => inputs.iter_mut().collect(),
    }
}

/// The plan with every child replaced by `change` of it.
pub fn map_children(mut plan: Plan, change: &mut dyn FnMut(Plan) -> Plan) -> Plan {
    for child in children_mut(&mut plan) {
        *child = change(take(child));
    }
    plan
}

/// The plan, leaving a placeholder behind.
pub fn take(plan: &mut Plan) -> Plan {
    std::mem::replace(plan, Plan::Values { rows: vec![], columns: vec![] })
}

/// The expressions of this node alone.
pub fn expressions(plan: &Plan) -> Vec<&Expr> {
    match plan {
        Plan::Values { rows, .. } => rows.iter().flatten().collect(),
        Plan::Filter { predicate, .. } => vec![predicate],
        Plan::Project { columns, .. } => columns.iter().map(|(_, expr)| expr).collect(),
        Plan::Join { on, .. } | Plan::Apply { on, .. } => vec![on],
        Plan::Aggregate { aggregates, .. } => {
            aggregates.iter().filter_map(|(_, call)| call.argument.as_ref()).collect()
        }
        _ => vec![],
    }
}

pub fn expressions_mut(plan: &mut Plan) -> Vec<&mut Expr> {
    match plan {
        Plan::Values { rows, .. } => rows.iter_mut().flatten().collect(),
        Plan::Filter { predicate, .. } => vec![predicate],
        Plan::Project { columns, .. } => columns.iter_mut().map(|(_, expr)| expr).collect(),
        Plan::Join { on, .. } | Plan::Apply { on, .. } => vec![on],
        Plan::Aggregate { aggregates, .. } => {
            aggregates.iter_mut().filter_map(|(_, call)| call.argument.as_mut()).collect()
        }
        _ => vec![],
    }
}

/// Every node of the plan, the plans of subqueries included, parents first.
pub fn visit(plan: &Plan, act: &mut dyn FnMut(&Plan)) {
    act(plan);
    for expr in expressions(plan) {
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

/// The columns that this node itself makes.
fn defined_here(plan: &Plan) -> Vec<ColumnId> {
    match plan {
        Plan::Filter { .. } | Plan::Distinct { .. } | Plan::Join { .. } | Plan::Apply { .. } => vec![],
        _ => plan.columns().iter().map(|column| column.id).collect(),
    }
}

/// The columns that an expression reads, those that its subqueries take from outside included.
pub fn uses(expr: &Expr) -> BTreeSet<ColumnId> {
    let mut out = BTreeSet::new();
    collect_uses(expr, &mut out);
    out
}

fn collect_uses(expr: &Expr, out: &mut BTreeSet<ColumnId>) {
    match &expr.kind {
        ExprKind::Column(id) => {
            out.insert(*id);
        }
        ExprKind::Subquery { plan, .. } => out.extend(free_columns(plan)),
        _ => (),
    }
    for child in expr.children() {
        collect_uses(child, out);
    }
}

/// The columns that a plan reads and does not make: those of enclosing queries.
pub fn free_columns(plan: &Plan) -> BTreeSet<ColumnId> {
    let (mut used, mut made) = (BTreeSet::new(), BTreeSet::new());
    visit(plan, &mut |node| {
        made.extend(defined_here(node));
        if let Plan::Aggregate { keys, .. } = node {
            used.extend(keys.iter().map(|(_, id)| *id));
        }
        for expr in expressions(node) {
            visit_columns(expr, &mut |id| {
                used.insert(id);
            });
        }
    });
    used.retain(|id| !made.contains(id));
    used
}

fn visit_columns(expr: &Expr, act: &mut dyn FnMut(ColumnId)) {
    if let ExprKind::Column(id) = expr.kind {
        act(id);
    }
    for child in expr.children() {
        visit_columns(child, act);
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
    for expr in expressions_mut(plan) {
        substitute(expr, with);
    }
    for child in children_mut(plan) {
        substitute_free(child, with);
    }
}

/// A copy whose own columns all have new ids; columns of enclosing queries stay. The map gives old id -> new id.
pub fn copy(plan: &Plan, fresh: &mut Fresh) -> (Plan, BTreeMap<ColumnId, ColumnId>) {
    let mut renamed = BTreeMap::new();
    visit(plan, &mut |node| {
        for id in defined_here(node) {
            renamed.entry(id).or_insert_with(|| fresh.id());
        }
    });
    let mut plan = plan.clone();
    rename(&mut plan, &renamed);
    (plan, renamed)
}

fn rename(plan: &mut Plan, to: &BTreeMap<ColumnId, ColumnId>) {
    let new = |id: &mut ColumnId| *id = *to.get(id).unwrap_or(id);
    match plan {
        Plan::Table { columns, .. }
        | Plan::View { columns, .. }
        | Plan::Values { columns, .. }
        | Plan::Union { columns, .. }
        | Plan::SetDifference { columns, .. }
        | Plan::SetIntersection { columns, .. } => columns.iter_mut().for_each(|column| new(&mut column.id)),
        Plan::Project { columns, .. } => columns.iter_mut().for_each(|(column, _)| new(&mut column.id)),
        Plan::Aggregate { keys, aggregates, .. } => {
            for (column, input) in keys {
                new(&mut column.id);
                new(input);
            }
            aggregates.iter_mut().for_each(|(column, _)| new(&mut column.id));
        }
        Plan::Filter { .. } | Plan::Distinct { .. } | Plan::Join { .. } | Plan::Apply { .. } => (),
    }
    for expr in expressions_mut(plan) {
        rename_in(expr, to);
    }
    for child in children_mut(plan) {
        rename(child, to);
    }
}

fn rename_in(expr: &mut Expr, to: &BTreeMap<ColumnId, ColumnId>) {
    match &mut expr.kind {
        ExprKind::Column(id) => *id = *to.get(id).unwrap_or(id),
        ExprKind::Subquery { plan, .. } => rename(plan, to),
        _ => (),
    }
    for child in expr.children_mut() {
        rename_in(child, to);
    }
}

/// Is there an expression in this plan, its subqueries and inputs included, that can fail?
pub fn fallible(plan: &Plan) -> bool {
    let mut found = false;
    visit(plan, &mut |node| found |= expressions(node).iter().any(|expr| expr.fallible()));
    found
}
