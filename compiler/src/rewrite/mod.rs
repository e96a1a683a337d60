//! Logical rewrites: plan to plan, the same rows. Knows what SQL means, nothing of streams.
//!
//! After `rewrite` no [`Plan::Apply`] and no [`ExprKind::Subquery`](crate::plan::ExprKind::Subquery) is left, and
//! the condition of every semi- and antijoin is a conjunction of equalities (`=` or IS NOT DISTINCT FROM).
//! What can fail is never evaluated for a row for which SQL would not evaluate it.

mod decorrelate;
pub mod facts;
pub mod form;
mod order_joins;
mod prune_columns;
mod push_filters;
#[cfg(test)]
mod queries;
mod share;
mod simplify;
#[cfg(test)]
pub(crate) mod testing;
mod types;
pub mod walk;

use crate::plan::estimate::Sizes;
use crate::plan::{ColumnId, Plan, Program, View, ViewId};
use facts::Facts;
use share::Shared;
use walk::{Fresh, take};

/// What a pass may ask while it rewrites the plan of one view.
pub struct Context {
    pub fresh: Fresh,
    /// As of the start of the pass.
    pub facts: Facts,
    /// Likewise.
    pub sizes: Sizes,
    /// The columns that the view shows.
    pub shown: Vec<ColumnId>,
    /// Parts of the view's plan that are read more than once.
    pub shared: Shared,
}

struct Rewrite {
    name: &'static str,
    run: fn(Plan, &mut Context) -> Plan,
}

impl Rewrite {
    const fn new(name: &'static str, run: fn(Plan, &mut Context) -> Plan) -> Rewrite {
        Rewrite { name, run }
    }
}

const REWRITES: &[Rewrite] = &[
    Rewrite::new("decorrelate", decorrelate::run), // First: no later rewrite meets a subquery.
    Rewrite::new("simplify", simplify::run), // Before pushing: conditions move further once an outer join is inner.
    Rewrite::new("push_filters", push_filters::run), // Before ordering: what connects two inputs stands in a join.
    Rewrite::new("order_joins", order_joins::run), // Before pruning: it puts columns back into their order.
    Rewrite::new("prune_columns", prune_columns::run), // Last: it needs the final set of uses.
];

/// All rewrites.
pub fn rewrite(program: Program) -> Program {
    rewrite_with(program, &[])
}

/// All rewrites but the named ones. (`decorrelate` cannot be left out.)
pub fn rewrite_with(mut program: Program, disabled: &[&str]) -> Program {
    let mut fresh = Fresh::of(&program);
    for pass in REWRITES.iter().filter(|pass| pass.name == "decorrelate" || !disabled.contains(&pass.name)) {
        let (facts, sizes) = (Facts::of(&program), Sizes::of(&program));
        let mut cx = Context { fresh, facts, sizes, shown: vec![], shared: Shared::default() };
        let mut views: Vec<View> = vec![];
        // Where the views are that were there before the pass.
        let mut places: Vec<ViewId> = vec![];
        for mut view in std::mem::take(&mut program.views) {
            share::renumber(&mut view.plan, &places);
            cx.shown = view.columns.iter().map(|column| column.id).collect();
            cx.shared.start(&view, views.len());
            view.plan = (pass.run)(take(&mut view.plan), &mut cx);
            cx.shared.finish(&mut view.plan, &mut views);
            types::retype(&mut view.plan);
            types::fit(&mut view.plan, &view.columns);
            places.push(ViewId(views.len()));
            views.push(view);
        }
        program.views = views;
        fresh = cx.fresh;
        check(&program, pass.name);
    }
    if !disabled.contains(&"prune_columns") {
        prune_columns::narrow_local_views(&mut program);
        check(&program, "narrow_local_views");
    }
    program
}

/// In builds for development a rewrite that breaks a rule of plans shows at once.
fn check(program: &Program, rewrite: &str) {
    if cfg!(debug_assertions)
        && let Err(fault) = crate::plan::check::check(program, false)
    {
        panic!("after the rewrite {rewrite}: {fault}\n{program}");
    }
}

#[cfg(test)]
mod tests {
    use super::testing::check_law;

    #[test]
    fn decorrelation_keeps_the_rows() {
        check_law(0..3000, false, &["simplify", "push_filters", "order_joins", "prune_columns"]);
    }

    #[test]
    fn all_rewrites_keep_the_rows() {
        check_law(3000..9000, false, &[]);
    }

    #[test]
    fn guards_are_kept() {
        check_law(9000..12000, true, &["prune_columns"]);
    }
}
