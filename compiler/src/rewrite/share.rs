//! Parts of a plan that a rewrite needs more than once, as local views before the view they belong to.
//!
//! A plan is a tree: to read a part twice is to copy it, and a copy of what holds copies doubles with every level. A
//! local view is read by name. Lowering computes it once either way.

use super::Context;
use super::types::retype;
use super::walk::{copy, visit};
use crate::plan::{Column, Plan, View, ViewColumn, ViewId, ViewKind};

/// Plans of at most this many operators are copied: small ones are easier to improve where they stand.
const COPIED: usize = 12;

/// The shared parts of the view at work.
#[derive(Default)]
pub struct Shared {
    /// The view at work, without its plan.
    owner: Option<View>,
    /// The position of the first shared part in the program.
    first: usize,
    parts: Vec<View>,
}

impl Shared {
    /// `position`: the number of views before this one.
    pub fn start(&mut self, view: &View, position: usize) {
        let nothing = Plan::Values { rows: vec![], columns: vec![] };
        let owner = View { plan: nothing, columns: vec![], indexes: vec![], sql: String::new(), ..view.clone() };
        self.owner = Some(View { kind: ViewKind::Local, connectors: serde_json::Value::Null, ..owner });
        self.first = position;
    }

    /// Moves the parts to the program and gives their columns in `plan` the types that they have there.
    pub fn finish(&mut self, plan: &mut Plan, views: &mut Vec<View>) {
        for mut part in std::mem::take(&mut self.parts) {
            settle(&mut part.plan, views);
            retype(&mut part.plan);
            for (column, made) in part.columns.iter_mut().zip(part.plan.columns()) {
                column.ty = made.ty;
            }
            views.push(part);
        }
        settle(plan, views);
    }
}

impl Context {
    /// A view of the plan, or the plan itself if it reads rows from around it.
    pub fn shared(&mut self, plan: Plan) -> Plan {
        let Some(owner) = &self.shared.owner else { return plan };
        if !plan.free_columns().is_empty() {
            return plan;
        }
        let columns = plan.columns();
        let (plan, names) = copy(&plan, &mut self.fresh);
        let own = |column: &Column| names.get(&column.id).copied().unwrap_or(column.id);
        let shown = columns.iter().map(|column| ViewColumn {
            name: column.name.clone(),
            case_sensitive: true,
            id: own(column),
            ty: column.ty,
        });
        let part = View { columns: shown.collect(), plan, ..owner.clone() };
        let view = ViewId(self.shared.first + self.shared.parts.len());
        self.facts.insert_view(view, &part);
        self.sizes.insert_view(view, &part);
        self.shared.parts.push(part);
        Plan::View { view, columns }
    }
}

/// Should the plan be shared rather than copied?
pub fn is_large(plan: &Plan) -> bool {
    let mut operators = 0;
    visit(plan, &mut |_| operators += 1);
    operators > COPIED
}

/// Gives the columns of views the types that the views have.
fn settle(plan: &mut Plan, views: &[View]) {
    for_each_view(plan, &mut |view, columns| {
        for (column, source) in columns.iter_mut().zip(&views[view.0].columns) {
            column.ty = source.ty;
        }
    });
}

/// Follows views to the places where they are now.
pub fn renumber(plan: &mut Plan, places: &[ViewId]) {
    for_each_view(plan, &mut |view, _| *view = places[view.0]);
}

fn for_each_view(plan: &mut Plan, f: &mut impl FnMut(&mut ViewId, &mut [Column])) {
    if let Plan::View { view, columns } = plan {
        f(view, columns);
    }
    for expr in plan.expressions_mut() {
        in_subqueries(expr, f);
    }
    for child in plan.children_mut() {
        for_each_view(child, f);
    }
}

fn in_subqueries(expr: &mut crate::plan::Expr, f: &mut impl FnMut(&mut ViewId, &mut [Column])) {
    if let crate::plan::ExprKind::Subquery { plan, .. } = &mut expr.kind {
        for_each_view(plan, f);
    }
    for child in expr.children_mut() {
        in_subqueries(child, f);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::bound;

    /// Each condition may fail, so that the next one is only evaluated for the rows it leaves over.
    #[test]
    fn the_plan_does_not_double_with_each_subquery() {
        let size = |conditions: usize, word: &str| {
            let condition = |n: usize| format!("EXISTS (SELECT 1 FROM s WHERE s.a = r.a + {n})");
            let all = (0..conditions).map(condition).collect::<Vec<_>>().join(word);
            super::super::rewrite(bound(&format!("SELECT a FROM r WHERE {all}"))).to_string().len()
        };
        for word in [" AND ", " OR "] {
            let (small, large) = (size(10, word), size(40, word));
            assert!(large < 20 * small, "{word}: {small} and {large} bytes");
        }
    }
}
