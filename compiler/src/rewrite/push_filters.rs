//! Moves search conditions toward the tables, and conditions over products into the joins.
//!
//! Only what cannot fail moves past a join, a grouping or another condition. What can fail keeps its place among the
//! conditions: it is evaluated after those that stood before it, for the rows they left over.

use super::Context;
use super::form::{column_of, conjunction, conjuncts, disjunction, filter};
use super::walk::{Substitution, ids, substitute};
use crate::plan::{Column, ColumnId, Expr, ExprKind, JoinKind, Plan};
use feldc_engine::Window;
use feldc_value::Value;
use std::collections::BTreeSet;

pub fn run(plan: Plan, _cx: &mut Context) -> Plan {
    push(plan, vec![])
}

/// `plan` restricted to the rows for which all conditions are true, evaluated in this order.
fn push(plan: Plan, conditions: Vec<Expr>) -> Plan {
    match plan {
        Plan::Filter { input, predicate } => push(*input, [factored(conjuncts(predicate)), conditions].concat()),
        Plan::Project { input, columns } => push_project(*input, columns, conditions),
        Plan::Join { kind: JoinKind::Inner, left, right, on } => push_inner(*left, *right, on, conditions),
        Plan::Join { kind, left, right, on } => push_outer(kind, *left, *right, on, conditions),
        Plan::Aggregate { input, keys, aggregates, scalar } => {
            let names: BTreeSet<ColumnId> = keys.iter().map(|(column, _)| column.id).collect();
            let moves = |c: &Expr| !scalar && !c.free_columns().is_empty() && c.free_columns().is_subset(&names);
            let (inner, outer) = split(conditions, moves);
            let with = keys.iter().map(|(column, id)| (column.id, Expr::column(*id, column.ty, Default::default())));
            let input = push(*input, renamed(inner, &with.collect()));
            filter(Plan::Aggregate { input: Box::new(input), keys, aggregates, scalar }, outer)
        }
        Plan::Distinct { input } => {
            let (inner, outer) = split(conditions, |_| true);
            filter(Plan::Distinct { input: Box::new(push(*input, inner)) }, outer)
        }
        Plan::TopK { input, partition, order, mut window, ranked } => {
            let rank = ranked.as_ref().map(|ranked| ranked.id);
            let (_, rest): (Vec<Expr>, Vec<Expr>) = conditions
                .into_iter()
                .partition(|condition| rank.is_some_and(|rank| narrows(condition, rank, &mut window)));
            let names: BTreeSet<ColumnId> = partition.iter().copied().collect();
            let (inner, outer) = split(rest, |c| !c.free_columns().is_empty() && c.free_columns().is_subset(&names));
            let input = Box::new(push(*input, inner));
            filter(Plan::TopK { input, partition, order, window, ranked }, outer)
        }
        Plan::Unnest { input, arrays, elements, ordinality, outer } => {
            let names: BTreeSet<ColumnId> = input.columns().iter().map(|column| column.id).collect();
            let (below, above) = split(conditions, |c| c.free_columns().is_subset(&names));
            let input = Box::new(push(*input, below));
            filter(Plan::Unnest { input, arrays, elements, ordinality, outer }, above)
        }
        Plan::Union { inputs, columns } => {
            let inputs = inputs.into_iter().map(|input| push_by_position(input, &columns, &conditions)).collect();
            Plan::Union { inputs, columns }
        }
        // σ(A − B) = σA − σB, and likewise for the intersection.
        Plan::SetDifference { left, right, all, columns } => {
            let (inner, outer) = split(conditions, |_| true);
            let left = Box::new(push_by_position(*left, &columns, &inner));
            let right = Box::new(push_by_position(*right, &columns, &inner));
            filter(Plan::SetDifference { left, right, all, columns }, outer)
        }
        Plan::SetIntersection { left, right, all, columns } => {
            let (inner, outer) = split(conditions, |_| true);
            let left = Box::new(push_by_position(*left, &columns, &inner));
            let right = Box::new(push_by_position(*right, &columns, &inner));
            filter(Plan::SetIntersection { left, right, all, columns }, outer)
        }
        plan => filter(plan.map_children(|child| push(child, vec![])), conditions),
    }
}

/// Compares the condition a rank with a number? Then the window says so from now on.
fn narrows(condition: &Expr, rank: ColumnId, window: &mut Window) -> bool {
    let ExprKind::Call { function, arguments } = &condition.kind else { return false };
    let [left, right] = &arguments[..] else { return false };
    let (comparison, number) = match (column_of(left), column_of(right)) {
        (Some(id), _) if id == rank => (function.name, right),
        (_, Some(id)) if id == rank => (mirrored(function.name), left),
        _ => return false,
    };
    let ExprKind::Literal(Value::BigInt(number)) = number.kind else { return false };
    let upto = |number: i64| u64::try_from(number).unwrap_or(0);
    let (above, most) = match comparison {
        "<=" => (0, Some(upto(number))),
        "<" => (0, Some(upto(number.saturating_sub(1)))),
        "=" if number > 0 => (upto(number - 1), Some(upto(number))),
        "=" => (0, Some(0)),
        ">=" => (upto(number.saturating_sub(1)), None),
        ">" => (upto(number), None),
        _ => return false,
    };
    let end = window.limit.map(|limit| window.offset.saturating_add(limit));
    let end = [end, most].into_iter().flatten().min();
    window.offset = window.offset.max(above);
    window.limit = end.map(|end| end.saturating_sub(window.offset));
    true
}

fn mirrored(comparison: &'static str) -> &'static str {
    match comparison {
        "<=" => ">=",
        "<" => ">",
        ">=" => "<=",
        ">" => "<",
        same => same,
    }
}

/// Those that cannot fail and may move, and the rest, each in order.
fn split(conditions: Vec<Expr>, moves: impl Fn(&Expr) -> bool) -> (Vec<Expr>, Vec<Expr>) {
    conditions.into_iter().partition(|condition| !condition.fallible() && moves(condition))
}

fn renamed(mut conditions: Vec<Expr>, with: &Substitution) -> Vec<Expr> {
    conditions.iter_mut().for_each(|condition| substitute(condition, with));
    conditions
}

fn push_by_position(input: Plan, columns: &[Column], conditions: &[Expr]) -> Plan {
    let own = input.columns();
    let with = columns.iter().zip(&own).map(|(column, own)| (column.id, super::form::reference(own))).collect();
    push(input, renamed(conditions.to_vec(), &with))
}

fn push_project(input: Plan, columns: Vec<(Column, Expr)>, conditions: Vec<Expr>) -> Plan {
    let with: Substitution = columns.iter().map(|(column, expr)| (column.id, expr.clone())).collect();
    let safe = !columns.iter().any(|(_, expr)| expr.fallible());
    // A computed column is computed again in a condition below: only once for each condition that names it.
    let (inner, outer): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(|condition| {
        let read = condition.free_columns();
        let fallible = columns.iter().any(|(column, expr)| read.contains(&column.id) && expr.fallible());
        safe || (!condition.fallible() && !fallible)
    });
    let input = push(input, renamed(inner, &with));
    filter(Plan::Project { input: Box::new(input), columns }, outer)
}

fn push_inner(left: Plan, right: Plan, on: Expr, conditions: Vec<Expr>) -> Plan {
    let (left_ids, right_ids) = (ids(&left.columns()), ids(&right.columns()));
    let all = [factored(conjuncts(on)), conditions].concat();
    let only = |condition: &Expr, ids: &BTreeSet<ColumnId>| {
        !condition.free_columns().is_empty() && condition.free_columns().is_subset(ids)
    };
    let (to_left, rest) = split(all, |condition| only(condition, &left_ids));
    let (to_right, here) = split(rest, |condition| only(condition, &right_ids));
    Plan::Join {
        kind: JoinKind::Inner,
        left: Box::new(push(left, to_left)),
        right: Box::new(push(right, to_right)),
        on: conjunction(here),
    }
}

/// Left, full, semi- and antijoins: conditions on the left side's columns restrict the left side (not for FULL); what
/// the join condition asks of the right side alone restricts the right side (not for FULL).
fn push_outer(kind: JoinKind, left: Plan, right: Plan, on: Expr, conditions: Vec<Expr>) -> Plan {
    let (left_ids, right_ids) = (ids(&left.columns()), ids(&right.columns()));
    let one_sided = kind != JoinKind::Full;
    let moves = |condition: &Expr, ids: &BTreeSet<ColumnId>| {
        one_sided && !condition.free_columns().is_empty() && condition.free_columns().is_subset(ids)
    };
    let (to_left, above) = split(conditions, |condition| moves(condition, &left_ids));
    let (to_right, here) = split(conjuncts(on), |condition| moves(condition, &right_ids));
    let join = Plan::Join {
        kind,
        left: Box::new(push(left, to_left)),
        right: Box::new(push(right, to_right)),
        on: conjunction(here),
    };
    filter(join, above)
}

/// (a AND b) OR (a AND c) = a AND (b OR c): the equality inside such an OR is what joins two tables.
fn factored(conditions: Vec<Expr>) -> Vec<Expr> {
    conditions.into_iter().flat_map(factor).collect()
}

fn factor(condition: Expr) -> Vec<Expr> {
    let ExprKind::Or(operands) = &condition.kind else { return vec![condition] };
    let branches: Vec<Vec<Expr>> = operands.iter().cloned().map(conjuncts).collect();
    let shared = |candidate: &&Expr| {
        !candidate.fallible() && branches.iter().all(|branch| branch.iter().any(|other| alike(candidate, other)))
    };
    let mut common: Vec<Expr> = branches[0].iter().filter(shared).cloned().collect();
    if common.is_empty() {
        return vec![condition];
    }
    let rest = branches.into_iter().map(|branch| {
        conjunction(branch.into_iter().filter(|c| !common.iter().any(|shared| alike(shared, c))).collect())
    });
    let rest: Vec<Expr> = rest.collect();
    if !rest.iter().any(super::form::is_true) {
        common.push(disjunction(rest));
    }
    common
}

/// The same expression, wherever it stands in the text (no subquery is left by now).
fn alike(a: &Expr, b: &Expr) -> bool {
    a.alike(b, &|_, _| false)
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_shape;

    #[test]
    fn conditions_on_groups_go_below_the_grouping() {
        check_shape(
            "SELECT x.a, x.n FROM (SELECT a, COUNT(*) AS n FROM r GROUP BY a) x WHERE x.a > 0 AND x.n > 1",
            "
            project a := a, n := count
              filter (count > 1)
                aggregate by [a := a] [count := COUNT(*)]
                  filter (a > 0)
                    project a := a
                      table r
            ",
        );
    }

    #[test]
    fn what_can_fail_stays_behind_its_guard() {
        check_shape(
            "SELECT r.a FROM r JOIN s ON r.a = s.a WHERE r.b <> 0 AND r.a / r.b = 1 AND s.b = 1",
            "
            project a := a
              join inner on ((a = a) AND ((a / b) = 1))
                filter (b <> 0)
                  table r
                filter (b = 1)
                  table s
            ",
        );
    }

    #[test]
    fn an_equality_inside_or_joins() {
        check_shape(
            "SELECT r.a, s.b FROM r, s WHERE (r.a = s.a AND r.b = 1) OR (r.a = s.a AND s.b = 2)",
            "
            project a := a, b := b
              join inner on ((a = a) AND ((b = 1) OR (b = 2)))
                table r
                table s
            ",
        );
    }
}
