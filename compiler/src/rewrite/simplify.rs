//! Simplifies expressions and operators where that is proven to change nothing: constants, redundant DISTINCT, outer
//! joins whose padded rows are dropped anyway.

mod fold;

use super::Context;
use super::facts::Facts;
use super::form::{is_never, is_true, keep, negated};
use super::walk::ids;
use crate::plan::{AggregateCall, Column, ColumnId, Expr, ExprKind, JoinKind, Plan};
use feldc_engine::AggregateFunction;
use feldc_value::function::Nulls;
use std::collections::BTreeSet;

/// Columns of which a NULL makes the operators above drop the row.
type Needed = BTreeSet<ColumnId>;

pub fn run(plan: Plan, cx: &mut Context) -> Plan {
    simplify(plan, &Needed::new(), &cx.facts)
}

fn simplify(mut plan: Plan, needed: &Needed, facts: &Facts) -> Plan {
    plan.expressions_mut().into_iter().for_each(fold::fold);
    let inner = |plan: Box<Plan>, needed: &Needed| Box::new(simplify(*plan, needed, facts));
    match plan {
        Plan::Table { .. } | Plan::View { .. } | Plan::Values { .. } | Plan::Apply { .. } => plan,
        Plan::Filter { input, predicate } if is_true(&predicate) => simplify(*input, needed, facts),
        Plan::Filter { predicate, input } if is_never(&predicate) => {
            Plan::Values { rows: vec![], columns: input.columns() }
        }
        Plan::Filter { input, predicate } => {
            let needed = needed.union(&rejected(&predicate)).copied().collect();
            Plan::Filter { input: inner(input, &needed), predicate }
        }
        Plan::Project { input, columns } => {
            let below = columns.iter().filter(|(column, _)| needed.contains(&column.id));
            let below = below.flat_map(|(_, expr)| strict_columns(expr)).collect();
            Plan::Project { input: inner(input, &below), columns }
        }
        Plan::Join { kind, left, right, on } => join(kind, *left, *right, on, needed, facts),
        Plan::Aggregate { input, keys, mut aggregates, scalar } => {
            aggregates.iter_mut().for_each(|(_, call)| count_rows(call));
            let below = keys.iter().filter(|(column, _)| needed.contains(&column.id)).map(|(_, id)| *id).collect();
            Plan::Aggregate { input: inner(input, &below), keys, aggregates, scalar }
        }
        Plan::Distinct { input } => {
            let input = inner(input, needed);
            if facts.keys(&input).is_empty() { Plan::Distinct { input } } else { *input }
        }
        // A row that is dropped above still takes its place among the first.
        Plan::TopK { input, partition, order, window, ranked } => {
            Plan::TopK { input: inner(input, &Needed::new()), partition, order, window, ranked }
        }
        Plan::Unnest { input, arrays, elements, ordinality, outer } => {
            Plan::Unnest { input: inner(input, needed), arrays, elements, ordinality, outer }
        }
        Plan::Union { inputs, columns } => {
            let below = |input: &Plan| by_position(&columns, input, needed);
            let inputs = inputs.into_iter().map(|input| {
                let needed = below(&input);
                simplify(input, &needed, facts)
            });
            Plan::Union { inputs: inputs.collect(), columns }
        }
        Plan::SetDifference { left, right, all, columns } => {
            let (left, right) = (inner(left, &Needed::new()), inner(right, &Needed::new()));
            Plan::SetDifference { left, right, all, columns }
        }
        Plan::SetIntersection { left, right, all, columns } => {
            let (left, right) = (inner(left, &Needed::new()), inner(right, &Needed::new()));
            Plan::SetIntersection { left, right, all, columns }
        }
    }
}

fn by_position(columns: &[Column], input: &Plan, needed: &Needed) -> Needed {
    let own = input.columns();
    let pairs = columns.iter().zip(own);
    pairs.filter(|(column, _)| needed.contains(&column.id)).map(|(_, own)| own.id).collect()
}

fn join(kind: JoinKind, left: Plan, right: Plan, on: Expr, needed: &Needed, facts: &Facts) -> Plan {
    let (left_ids, right_ids) = (ids(&left.columns()), ids(&right.columns()));
    let (needs_left, needs_right) = (!needed.is_disjoint(&left_ids), !needed.is_disjoint(&right_ids));
    match (kind, needs_left, needs_right) {
        (JoinKind::Left, _, true) | (JoinKind::Full, true, true) => {
            return join(JoinKind::Inner, left, right, on, needed, facts);
        }
        // Rows without a right partner go: what is left preserves the right side.
        (JoinKind::Full, false, true) => {
            let columns = [left.columns(), right.columns()].concat();
            let joined = join(JoinKind::Left, right, left, on, needed, facts);
            let names = joined.columns();
            let order: Vec<Column> =
                columns.iter().filter_map(|column| names.iter().find(|name| name.id == column.id)).cloned().collect();
            return keep(joined, &order);
        }
        (JoinKind::Full, true, false) => return join(JoinKind::Left, left, right, on, needed, facts),
        _ => (),
    }
    let matched = rejected(&on);
    let both: Needed = needed.union(&matched).copied().collect();
    let nothing = Needed::new();
    let (to_left, to_right) = match kind {
        JoinKind::Inner | JoinKind::Semi => (&both, &both),
        JoinKind::Left => (needed, &matched),
        JoinKind::Anti => (needed, &matched),
        JoinKind::Full => (&nothing, &nothing),
    };
    let left = simplify(left, &to_left.intersection(&left_ids).copied().collect(), facts);
    let mut right = simplify(right, &to_right.intersection(&right_ids).copied().collect(), facts);
    if let JoinKind::Semi | JoinKind::Anti = kind {
        // Presence is all that counts.
        while let Plan::Distinct { input } = right {
            right = *input;
        }
    }
    Plan::Join { kind, left: Box::new(left), right: Box::new(right), on }
}

/// COUNT(x) of an x that is never NULL counts rows.
fn count_rows(call: &mut AggregateCall) {
    let certain = |argument: &Expr| !argument.ty.nullable && !argument.fallible();
    if call.function == AggregateFunction::Count && !call.distinct && call.arguments.iter().all(certain) {
        call.function = AggregateFunction::CountStar;
        call.arguments.clear();
    }
}

/// Columns of which a NULL keeps the condition from being true.
fn rejected(condition: &Expr) -> Needed {
    match &condition.kind {
        ExprKind::And(operands) => operands.iter().flat_map(rejected).collect(),
        ExprKind::Or(operands) => operands.iter().map(rejected).reduce(common).unwrap_or_default(),
        ExprKind::Coalesce(operands) => match &operands[..] {
            [operand, last] if is_never(last) => rejected(operand),
            _ => Needed::new(),
        },
        // The result decides only where the condition is true.
        ExprKind::Case { branches, otherwise } if otherwise.as_ref().is_none_or(|expr| is_never(expr)) => branches
            .iter()
            .map(|(condition, result)| rejected(condition).union(&rejected(result)).copied().collect())
            .reduce(common)
            .unwrap_or_default(),
        ExprKind::Call { .. } => match negated(condition).map(|operand| &operand.kind) {
            Some(ExprKind::IsNull(operand)) => strict_columns(operand),
            _ => strict_columns(condition),
        },
        _ => strict_columns(condition),
    }
}

fn common(a: Needed, b: Needed) -> Needed {
    a.intersection(&b).copied().collect()
}

/// Columns of which a NULL makes the expression NULL.
fn strict_columns(expr: &Expr) -> Needed {
    match &expr.kind {
        ExprKind::Column(id) => Needed::from([*id]),
        ExprKind::Call { function, arguments } if matches!(function.nulls, Nulls::Strict | Nulls::StrictToOption) => {
            arguments.iter().flat_map(strict_columns).collect()
        }
        ExprKind::Try(operand) => strict_columns(operand),
        _ => Needed::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_shape;

    #[test]
    fn padded_rows_that_are_dropped_need_no_outer_join() {
        check_shape(
            "SELECT r.a, s.b FROM r FULL JOIN s ON r.a = s.a WHERE s.b > 0",
            "
            project a := a, b := b
              join left on (a = a)
                filter (b > 0)
                  table s
                project a := a
                  table r
            ",
        );
        check_shape(
            "SELECT r.a, s.b FROM r FULL JOIN s ON r.a = s.a WHERE r.b = s.b",
            "
            project a := a, b := b
              join inner on ((a = a) AND (b = b))
                table r
                table s
            ",
        );
    }

    #[test]
    fn distinct_over_a_key_is_nothing() {
        check_shape(
            "SELECT DISTINCT a, b FROM k WHERE b > 0",
            "
            project a := a, b := b
              filter (b > 0)
                table k
            ",
        );
    }
}
