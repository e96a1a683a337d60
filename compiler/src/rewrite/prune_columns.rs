//! Drops what nothing reads: columns, aggregates, left joins that only could add columns.
//!
//! An unused expression that could fail is dropped too: it fails for no row, whether it stands in a derived table, a common
//! table expression or a local view.

use super::Context;
use super::facts::Facts;
use super::form::{column_of, is_true, is_unit, keep, unit};
use super::types;
use super::walk::{Substitution, ids, substitute, take};
use crate::plan::{Column, ColumnId, Expr, ExprKind, JoinKind, Plan, Program, ViewKind};
use std::collections::BTreeSet;

type Wanted = BTreeSet<ColumnId>;

pub fn run(plan: Plan, cx: &mut Context) -> Plan {
    let wanted: Wanted = cx.shown.iter().copied().collect();
    let plan = prune(plan, &wanted, &cx.facts);
    let columns: Vec<Column> = plan.columns().into_iter().filter(|column| wanted.contains(&column.id)).collect();
    keep(plan, &columns)
}

/// Drops the columns of local views that no later view reads, once [`run`] has dropped what each view by itself does not
/// need.
pub fn narrow_local_views(program: &mut Program) {
    let facts = Facts::of(program);
    let mut read: Vec<Option<BTreeSet<usize>>> = vec![None; program.views.len()];
    for at in (0..program.views.len()).rev() {
        let view = &mut program.views[at];
        match &read[at] {
            Some(positions) if view.kind == ViewKind::Local && view.indexes.is_empty() => {
                let columns = std::mem::take(&mut view.columns).into_iter().enumerate();
                view.columns = columns.filter(|(n, _)| positions.contains(n)).map(|(_, column)| column).collect();
                let wanted = view.columns.iter().map(|column| column.id).collect();
                view.plan = prune(take(&mut view.plan), &wanted, &facts);
                types::retype(&mut view.plan);
                types::fit(&mut view.plan, &view.columns);
            }
            // It stays whole.
            _ => read[at] = None,
        }
        add_read(&view.plan, None, &mut read);
    }
    program.views.iter_mut().for_each(|view| narrow(&mut view.plan, &read));
}

/// The positions of the columns that a pruned plan reads of each view. A projection picks its columns; any other operator
/// reads all.
fn add_read(plan: &Plan, picked: Option<&Wanted>, read: &mut [Option<BTreeSet<usize>>]) {
    if let Plan::View { view, columns } = plan {
        let picks = |column: &Column| picked.is_none_or(|wanted| wanted.contains(&column.id));
        let positions = columns.iter().enumerate().filter(|(_, column)| picks(column)).map(|(n, _)| n);
        read[view.0].get_or_insert_default().extend(positions);
    }
    let picked = match plan {
        Plan::Project { columns, .. } => Some(columns.iter().flat_map(|(_, expr)| expr.free_columns()).collect()),
        _ => None,
    };
    plan.children().into_iter().for_each(|child| add_read(child, picked.as_ref(), read));
}

/// The plan where narrowed views have the columns that are left.
fn narrow(plan: &mut Plan, left: &[Option<BTreeSet<usize>>]) {
    plan.children_mut().into_iter().for_each(|child| narrow(child, left));
    match plan {
        Plan::View { view, columns } => {
            if let Some(positions) = &left[view.0] {
                *columns = positions.iter().map(|n| columns[*n].clone()).collect();
            }
        }
        Plan::Project { input, columns } if matches!(**input, Plan::View { .. }) => {
            *plan = project(take(input), std::mem::take(columns));
        }
        _ => (),
    }
}

/// The plan with the wanted columns and maybe more of its own, in their order.
fn prune(plan: Plan, wanted: &Wanted, facts: &Facts) -> Plan {
    let boxed = |plan: Plan, wanted: &Wanted| Box::new(prune(plan, wanted, facts));
    match plan {
        Plan::Table { .. } | Plan::View { .. } => {
            let columns = plan.columns();
            keep(plan, &columns.into_iter().filter(|column| wanted.contains(&column.id)).collect::<Vec<_>>())
        }
        Plan::Values { rows, columns } => prune_values(rows, columns, wanted),
        Plan::Filter { input, predicate } => {
            let wanted = wanted.union(&predicate.free_columns()).copied().collect();
            Plan::Filter { input: boxed(*input, &wanted), predicate }
        }
        Plan::Project { input, mut columns } => {
            columns.retain(|(column, _)| wanted.contains(&column.id));
            let wanted = columns.iter().flat_map(|(_, expr)| expr.free_columns()).collect();
            project(prune(*input, &wanted, facts), columns)
        }
        Plan::Join { kind: JoinKind::Left, left, right, on } if idle(&left, &right, &on, wanted, facts) => {
            prune(*left, wanted, facts)
        }
        Plan::Join { kind, left, right, on } => {
            let wanted = wanted.union(&on.free_columns()).copied().collect();
            let (left, right) = (boxed(*left, &wanted), boxed(*right, &wanted));
            // All that was wanted of an aggregate was its one row.
            if kind == JoinKind::Inner && is_true(&on) && is_unit(&right) {
                return *left;
            }
            Plan::Join { kind, left, right, on }
        }
        // None is left after decorrelation; kept whole.
        Plan::Apply { .. } => plan,
        Plan::Aggregate { input, keys, mut aggregates, scalar } => {
            aggregates.retain(|(column, _)| wanted.contains(&column.id));
            if scalar && aggregates.is_empty() {
                return unit();
            }
            let arguments = aggregates.iter().flat_map(|(_, call)| &call.arguments);
            let wanted = arguments.flat_map(Expr::free_columns).chain(keys.iter().map(|(_, id)| *id)).collect();
            Plan::Aggregate { input: boxed(*input, &wanted), keys, aggregates, scalar }
        }
        Plan::Distinct { input } => {
            let all = ids(&input.columns());
            Plan::Distinct { input: boxed(*input, &all) }
        }
        Plan::TopK { input, partition, order, window, ranked } => {
            let named = partition.iter().copied().chain(order.iter().map(|key| key.column));
            let wanted = named.chain(wanted.iter().copied()).collect();
            Plan::TopK { input: boxed(*input, &wanted), partition, order, window, ranked }
        }
        // As many rows as the longest array has elements: all arrays count.
        Plan::Unnest { input, arrays, elements, ordinality, outer } => {
            let ordinality = ordinality.filter(|number| wanted.contains(&number.id));
            let wanted = arrays.iter().copied().chain(wanted.iter().copied()).collect();
            Plan::Unnest { input: boxed(*input, &wanted), arrays, elements, ordinality, outer }
        }
        Plan::Union { inputs, mut columns } => {
            let kept: Vec<bool> = columns.iter().map(|column| wanted.contains(&column.id)).collect();
            let select = |columns: Vec<Column>| -> Vec<Column> {
                columns.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(column, _)| column).collect()
            };
            let inputs = inputs.into_iter().map(|input| {
                let own = select(input.columns());
                keep(prune(input, &ids(&own), facts), &own)
            });
            let inputs = inputs.collect();
            columns.retain(|column| wanted.contains(&column.id));
            Plan::Union { inputs, columns }
        }
        // Rows are compared whole.
        Plan::SetDifference { left, right, all, columns } => {
            let [left, right] = [left, right].map(|side| whole(*side, facts));
            Plan::SetDifference { left, right, all, columns }
        }
        Plan::SetIntersection { left, right, all, columns } => {
            let [left, right] = [left, right].map(|side| whole(*side, facts));
            Plan::SetIntersection { left, right, all, columns }
        }
    }
}

/// A projection, as one with a projection below that only renames, or none at all if it changes nothing.
fn project(input: Plan, mut columns: Vec<(Column, Expr)>) -> Plan {
    let leaf = |expr: &Expr| matches!(expr.kind, ExprKind::Column(_) | ExprKind::Literal(_));
    match input {
        Plan::Project { input, columns: inner } if inner.iter().all(|(_, expr)| leaf(expr)) => {
            let with: Substitution = inner.into_iter().map(|(column, expr)| (column.id, expr)).collect();
            columns.iter_mut().for_each(|(_, expr)| substitute(expr, &with));
            project(*input, columns)
        }
        input => {
            let passes = |((column, expr), own): (&(Column, Expr), &Column)| {
                column_of(expr) == Some(own.id) && column.id == own.id && column.ty == own.ty
            };
            let own = input.columns();
            match own.len() == columns.len() && columns.iter().zip(&own).all(passes) {
                true => input,
                false => Plan::Project { input: Box::new(input), columns },
            }
        }
    }
}

fn whole(plan: Plan, facts: &Facts) -> Box<Plan> {
    let all = ids(&plan.columns());
    Box::new(prune(plan, &all, facts))
}

fn prune_values(rows: Vec<Vec<Expr>>, columns: Vec<Column>, wanted: &Wanted) -> Plan {
    let positions: Vec<usize> = (0..columns.len()).filter(|n| wanted.contains(&columns[*n].id)).collect();
    let rows = rows.iter().map(|row| positions.iter().map(|n| row[*n].clone()).collect()).collect();
    Plan::Values { rows, columns: positions.iter().map(|n| columns[*n].clone()).collect() }
}

/// A left join that adds no wanted column and at most one partner changes nothing.
fn idle(left: &Plan, right: &Plan, on: &Expr, wanted: &Wanted, facts: &Facts) -> bool {
    let right_columns = right.columns();
    right_columns.iter().all(|column| !wanted.contains(&column.id)) && facts.one_partner(left, right, on)
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_shape;

    #[test]
    fn a_left_join_that_adds_nothing_goes() {
        check_shape(
            "SELECT r.a FROM r LEFT JOIN k ON r.a = k.a",
            "
            project a := a
              table r
            ",
        );
    }

    #[test]
    fn local_views_have_the_columns_that_are_read() {
        let sql = "CREATE TABLE t (a BIGINT, b BIGINT, c BIGINT);
            CREATE LOCAL VIEW x AS SELECT a, 1 / b AS d, c FROM t;
            CREATE LOCAL VIEW y AS SELECT c, a + 1 AS e, d FROM x;
            CREATE VIEW z AS SELECT e FROM y UNION ALL SELECT c FROM y;
            CREATE LOCAL VIEW w AS SELECT 1 / c AS f FROM t;
            CREATE VIEW n AS SELECT COUNT(*) AS n FROM w;";
        let program = crate::driver::compile("program.sql", sql).unwrap().program;
        let columns = |name: &str| {
            let view = program.views.iter().find(|view| view.name == name).unwrap();
            view.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(["x", "y", "z", "w", "n"].map(columns), [&["a", "c"][..], &["c", "e"], &["e"], &[], &["n"]]);
        assert!(!program.to_string().contains('/'), "{program}");
    }

    #[test]
    fn unused_aggregates_go() {
        check_shape(
            "SELECT x.n FROM (SELECT a, COUNT(*) AS n, SUM(b) AS t FROM r GROUP BY a) x",
            "
            project n := count
              aggregate by [a := a] [count := COUNT(*)]
                project a := a
                  table r
            ",
        );
    }
}
