//! Drops what nothing reads: columns, aggregates, left joins that only could add columns.
//!
//! An unused expression that could fail is dropped too; then its failures are not reported.

use super::Context;
use super::facts::Facts;
use super::form::{column_of, is_true, is_unit, keep, unit};
use super::walk::{Substitution, ids, substitute};
use crate::plan::{Column, ColumnId, Expr, ExprKind, JoinKind, Plan};
use std::collections::BTreeSet;

type Wanted = BTreeSet<ColumnId>;

pub fn run(plan: Plan, cx: &mut Context) -> Plan {
    let wanted: Wanted = cx.shown.iter().copied().collect();
    let plan = prune(plan, &wanted, &cx.facts);
    let columns: Vec<Column> = plan.columns().into_iter().filter(|column| wanted.contains(&column.id)).collect();
    keep(plan, &columns)
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
