//! Dependent joins: the domain of the left side's values is pushed down the right side until nothing there reads
//! the left side, then both are joined on the domain's columns.
//!
//! `L ⋈dep R = L ⋈ (D ⋈dep R)` on D's columns, with D the distinct values of the columns of L that R reads. Where
//! R equates a column of its own with a column of D, that column serves as D's, and D itself is not needed; unless
//! an expression that can fail would then be evaluated for values that L does not have.

use super::super::Context;
use super::super::form::*;
use super::super::share::is_large;
use super::super::walk::{Substitution, fallible};
use super::domain::Domain;
use super::unnest::Unnest;
use crate::plan::{AggregateCall, Column, ColumnId, Expr, JoinKind, Plan};
use feldc_engine::AggregateFunction;
use feldc_value::{ColumnType, Value};
use std::collections::BTreeMap;

/// The column that holds a column of the domain in a relation.
#[derive(Clone, Debug)]
pub struct Bound {
    pub column: Column,
    /// Rows with NULL here belong to no value of the domain: the column is compared with `=`.
    pub strict: bool,
}

pub type Bounds = BTreeMap<ColumnId, Bound>;

/// A relation for every value of the domain at once. A column of the domain that the relation does not depend on
/// has no column: the relation is the same for every value.
pub struct Pushed {
    pub plan: Plan,
    pub bound: Bounds,
}

/// `left` joined with what `right` is for each of its rows; `right` holds no dependent join and no subquery.
/// The result has the columns of the join, and for inner and left joins maybe others. Where a guard does not hold, the
/// partners of the row do not matter, and nothing that can fail is evaluated for it.
pub fn dependent_join(kind: JoinKind, left: Plan, right: Plan, on: Expr, guards: &[Expr], cx: &mut Context) -> Plan {
    let left = shared_left(left, &right, guards, cx);
    let Some((mut unnest, left_columns)) = Unnest::new(&left, &right, guards, cx) else {
        return Plan::Join { kind, left: Box::new(left), right: Box::new(right), on };
    };
    if let Plan::Aggregate { aggregates, scalar: true, .. } = &right
        && (kind == JoinKind::Inner || (kind == JoinKind::Left && is_true(&on)))
        && !aggregates.iter().any(|(_, call)| can_fail(call))
    {
        return join_one_row(left, right, on, guards, cx);
    }
    if kind == JoinKind::Inner {
        match right {
            // Evaluated for each pair here as there.
            Plan::Filter { input, predicate } => {
                let joined = dependent_join(kind, left, *input, truth(true), guards, cx);
                return filter(joined, [conjuncts(predicate), conjuncts(on)].concat());
            }
            Plan::Project { input, columns } => {
                let joined = dependent_join(kind, left, *input, truth(true), guards, cx);
                let own = left_columns.iter().map(|column| (column.clone(), reference(column))).collect();
                let projected = Plan::Project { input: Box::new(joined), columns: [own, columns].concat() };
                return filter(projected, conjuncts(on));
            }
            _ => (),
        }
    }
    let pushed = unnest.push(right, true);
    let on = [on_domain(&left_columns, &pushed.bound), conjuncts(on)].concat();
    Plan::Join { kind, left: Box::new(left), right: Box::new(pushed.plan), on: conjunction(on) }
}

/// The left side, made fit to be read a second time for its domain where that needs all of it.
fn shared_left(left: Plan, right: &Plan, guards: &[Expr], cx: &mut Context) -> Plan {
    let reads = left.columns().iter().any(|column| right.free_columns().contains(&column.id));
    if !reads || !fallible(right) || !is_large(Domain::part(&left, right, guards)) {
        return left;
    }
    cx.shared(left)
}

/// Likewise for aggregates without GROUP BY that cannot fail: every row has its one partner.
fn join_one_row(left: Plan, right: Plan, on: Expr, guards: &[Expr], cx: &mut Context) -> Plan {
    let columns = left.columns();
    let Plan::Aggregate { input, aggregates, .. } = right else { return left };
    let names: Vec<Column> = aggregates.iter().map(|(column, _)| column.clone()).collect();
    let inner = aggregates.into_iter().map(|(column, call)| (cx.fresh.like(&column), call)).collect::<Vec<_>>();
    let made: Vec<ColumnId> = inner.iter().map(|(column, _)| column.id).collect();
    let (plan, values) = join_aggregates(left, *input, inner, guards, cx);
    let own = columns.iter().map(|column| (column.clone(), reference(column)));
    let results = names.into_iter().zip(made).filter_map(|(name, id)| Some((name, values.get(&id)?.clone())));
    let columns = own.chain(results).collect();
    filter(Plan::Project { input: Box::new(plan), columns }, conjuncts(on))
}

/// `left` with the aggregates (no GROUP BY) of `input` for each of its rows, and what stands for their columns.
/// An aggregate that fails gives NULL.
pub fn join_aggregates(
    left: Plan,
    input: Plan,
    aggregates: Vec<(Column, AggregateCall)>,
    guards: &[Expr],
    cx: &mut Context,
) -> (Plan, Substitution) {
    let whole = Plan::Aggregate { input: Box::new(input), keys: vec![], aggregates: aggregates.clone(), scalar: true };
    let values = aggregates.iter().map(|(column, call)| (column.id, over_nothing(column, call, true))).collect();
    let left = shared_left(left, &whole, guards, cx);
    let Some((mut unnest, left_columns)) = Unnest::new(&left, &whole, guards, cx) else {
        let fails = aggregates.iter().any(|(_, call)| can_fail(call));
        let kind = if fails { JoinKind::Left } else { JoinKind::Inner };
        return (Plan::Join { kind, left: Box::new(left), right: Box::new(whole), on: truth(true) }, values);
    };
    let Plan::Aggregate { input, aggregates, .. } = whole else { return (left, values) };
    let grouped = unnest.group(*input, vec![], aggregates, true);
    let on = conjunction(on_domain(&left_columns, &grouped.bound));
    (Plan::Join { kind: JoinKind::Left, left: Box::new(left), right: Box::new(grouped.plan), on }, values)
}

/// The aggregate's column, with its value over no row in place of the padding of a missing group.
pub fn over_nothing(column: &Column, call: &AggregateCall, padded: bool) -> Expr {
    let value = Expr::column(column.id, ColumnType::new(column.ty.ty, padded || column.ty.nullable), call.span);
    match call.function {
        AggregateFunction::Count | AggregateFunction::CountStar => {
            let zero = Expr::literal(Value::BigInt(0), ColumnType::new(column.ty.ty, false), call.span);
            coalesce(vec![value, zero])
        }
        _ => value,
    }
}

pub fn can_fail(call: &AggregateCall) -> bool {
    use AggregateFunction::{Avg, Single, Statistic, Sum};
    matches!(call.function, Sum | Avg | Single | Statistic(_))
}

/// Conditions under which two relations speak of the same value of the domain.
pub fn equate(left: &Bounds, right: &Bounds) -> Vec<Expr> {
    let shared = left.iter().filter_map(|(id, a)| Some((a, right.get(id)?)));
    let condition = |(a, b): (&Bound, &Bound)| {
        let (strict, a, b) = (a.strict || b.strict, reference(&a.column), reference(&b.column));
        if strict { compare("=", a, b) } else { same(a, b) }
    };
    shared.map(condition).collect()
}

/// Likewise for the left side itself.
fn on_domain(left: &[Column], right: &Bounds) -> Vec<Expr> {
    let own = left.iter().map(|column| (column.id, Bound { column: column.clone(), strict: false })).collect();
    equate(&own, right)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_shape;

    #[test]
    fn a_lateral_aggregate_pads_what_has_no_group() {
        check_shape(
            "SELECT r.a, x.n FROM r, LATERAL (SELECT COUNT(*) AS n FROM s WHERE s.a = r.a) x",
            "
            project a := a, n := count
              project a := a, count := COALESCE(count, 0)
                join left on (a = a)
                  project a := a
                    table r
                  aggregate by [a := a] [count := COUNT(*)]
                    project a := a
                      table s
            ",
        );
    }

    #[test]
    fn a_lateral_query_is_a_join() {
        check_shape(
            "SELECT r.a, x.c FROM r, LATERAL (SELECT r.b + s.b AS c FROM s WHERE s.a = r.a) x",
            "
            project a := a, c := c
              project a := a, c := (b + b)
                join inner on (a = a)
                  table r
                  table s
            ",
        );
    }

    #[test]
    fn set_operations_compare_within_a_value() {
        check_shape(
            "SELECT * FROM r WHERE EXISTS (SELECT r.a EXCEPT SELECT a FROM s)",
            "
            project a := a, b := b
              join semi on IS NOT DISTINCT FROM(a, a)
                table r
                except (a BIGINT, a BIGINT)
                  project a := a, a := a
                    distinct
                      project a := a
                        table r
                  project a := a, a := a
                    join inner on TRUE
                      project a := a
                        table s
                      distinct
                        project a := a
                          table r
            ",
        );
    }
}
