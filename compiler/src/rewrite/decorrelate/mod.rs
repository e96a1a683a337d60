//! Removes subqueries from expressions and dependent joins from plans, all of them.
//!
//! Every subquery becomes a join of the operator's input with the subquery's plan ([`subqueries`]), and every join
//! whose right side reads columns of its left side becomes an ordinary one ([`dependent`]), by the method of Neumann
//! and Kemper, "Unnesting Arbitrary Queries" (BTW 2015). Inner queries go first, so that one level is open at a time.

mod dependent;
mod domain;
mod groups;
mod joins;
mod subqueries;
mod unnest;

use super::Context;
use super::form::{conjuncts, extend, keep, truth, unit};
use super::walk::{copy, take};
use crate::plan::{Column, Expr, JoinKind, Plan};
use dependent::dependent_join;
use subqueries::Extraction;

/// The plan without [`ExprKind::Subquery`](crate::plan::ExprKind::Subquery) and [`Plan::Apply`], with the same columns (and maybe more).
pub fn run(plan: Plan, cx: &mut Context) -> Plan {
    match plan.map_children(|child| run(child, cx)) {
        Plan::Filter { input, predicate } => filter(*input, predicate, cx),
        Plan::Project { input, columns } => project(*input, columns, cx),
        Plan::Values { rows, columns } => values(rows, columns, cx),
        Plan::Join { kind, left, right, on } if on.has_subquery() => conditional_join(kind, *left, *right, on, cx),
        Plan::Apply { kind, left, right, on } => lateral(kind, *left, *right, on, cx),
        Plan::Aggregate { input, keys, mut aggregates, scalar } => {
            let mut extraction = Extraction::new(*input, cx);
            for argument in aggregates.iter_mut().flat_map(|(_, call)| &mut call.arguments) {
                extraction.replace(argument, &[]);
            }
            Plan::Aggregate { input: Box::new(extraction.plan), keys, aggregates, scalar }
        }
        plan => plan,
    }
}

/// WHERE, HAVING and the like. Conditions that cannot fail go first, the others keep their order: each subquery is
/// evaluated only for the rows that the conditions before it leave over.
fn filter(input: Plan, predicate: Expr, cx: &mut Context) -> Plan {
    if !predicate.has_subquery() {
        return Plan::Filter { input: Box::new(input), predicate };
    }
    let columns = input.columns();
    let (first, rest): (Vec<Expr>, Vec<Expr>) =
        conjuncts(predicate).into_iter().partition(|expr| !expr.has_subquery() && !expr.fallible());
    let mut plan = super::form::filter(input, first);
    let mut pending = vec![];
    for condition in rest {
        if !condition.has_subquery() {
            pending.push(condition);
            continue;
        }
        plan = super::form::filter(plan, std::mem::take(&mut pending));
        let mut extraction = Extraction::new(plan, cx);
        extraction.condition(condition);
        plan = extraction.plan;
    }
    keep(super::form::filter(plan, pending), &columns)
}

fn project(input: Plan, mut columns: Vec<(Column, Expr)>, cx: &mut Context) -> Plan {
    let mut extraction = Extraction::new(input, cx);
    for (_, expr) in &mut columns {
        extraction.replace(expr, &[]);
    }
    Plan::Project { input: Box::new(extraction.plan), columns }
}

/// Rows that read other relations are projections of the row without columns.
fn values(rows: Vec<Vec<Expr>>, columns: Vec<Column>, cx: &mut Context) -> Plan {
    let constant = |expr: &Expr| !expr.has_subquery() && expr.free_columns().is_empty();
    if rows.iter().flatten().all(constant) {
        return Plan::Values { rows, columns };
    }
    if let [row] = &rows[..] {
        return project(unit(), columns.into_iter().zip(row.iter().cloned()).collect(), cx);
    }
    let mut inputs = vec![];
    for row in rows {
        let own: Vec<Column> = columns.iter().map(|column| cx.fresh.like(column)).collect();
        inputs.push(project(unit(), own.into_iter().zip(row).collect(), cx));
    }
    Plan::Union { inputs, columns }
}

/// A join whose condition holds subqueries: the condition becomes a filter of the right side.
fn conditional_join(kind: JoinKind, left: Plan, right: Plan, on: Expr, cx: &mut Context) -> Plan {
    match kind {
        JoinKind::Inner => {
            let product = Plan::Join { kind, left: Box::new(left), right: Box::new(right), on: truth(true) };
            filter(product, on, cx)
        }
        JoinKind::Full => full_join(left, right, on, cx),
        JoinKind::Left | JoinKind::Semi | JoinKind::Anti => lateral(kind, left, right, on, cx),
    }
}

/// `L ⟗ R = (L ⟕ R) ∪ (NULL, R ▷ L)`.
fn full_join(left: Plan, right: Plan, on: Expr, cx: &mut Context) -> Plan {
    let columns = Plan::Join {
        kind: JoinKind::Full,
        left: Box::new(left.clone()),
        right: Box::new(right.clone()),
        on: on.clone(),
    }
    .columns();
    let (kept, dropped) = (left.columns().len(), columns.len());
    // Each half is a copy, so that every column is made in one place.
    let mut half = |kind| {
        let whole = Plan::Join { kind, left: Box::new(left.clone()), right: Box::new(right.clone()), on: on.clone() };
        copy(&whole, &mut cx.fresh).0
    };
    let (matched, mut unmatched) = (half(JoinKind::Left), half(JoinKind::Left));
    let Plan::Join { left, right, on, .. } = &mut unmatched else { return matched };
    let (left, right, on) = (take(left), take(right), on.clone());
    let others = right.columns();
    let alone = lateral(JoinKind::Anti, right, left, on, cx);
    let padding = columns[..kept].iter().map(|column| {
        let null = super::form::null(column.ty.ty, Default::default());
        (cx.fresh.like(column), null)
    });
    let padding: Vec<(Column, Expr)> = padding.collect();
    let own = columns[kept..dropped].iter().zip(&others).map(|(column, other)| {
        let wide = cx.fresh.like(column);
        (wide, super::form::reference(other))
    });
    let own: Vec<(Column, Expr)> = own.collect();
    let alone = Plan::Project { input: Box::new(alone), columns: [padding, own].concat() };
    let names = matched.columns();
    let Plan::Join { left, right, on, .. } = matched else { return alone };
    let matched = keep(lateral(JoinKind::Left, *left, *right, on, cx), &names);
    let wide: Vec<(Column, Expr)> =
        columns.iter().zip(&names).map(|(c, n)| (cx.fresh.like(c), super::form::reference(n))).collect();
    let matched = Plan::Project { input: Box::new(matched), columns: wide };
    Plan::Union { inputs: vec![matched, alone], columns }
}

/// A dependent join as the user wrote it.
fn lateral(kind: JoinKind, left: Plan, right: Plan, on: Expr, cx: &mut Context) -> Plan {
    let columns = [left.columns(), if let JoinKind::Semi | JoinKind::Anti = kind { vec![] } else { right.columns() }];
    let plan = if !on.has_subquery() {
        dependent_join(kind, left, right, on, &[], cx)
    } else if kind == JoinKind::Inner {
        filter(dependent_join(kind, left, right, truth(true), &[], cx), on, cx)
    } else {
        dependent_join(kind, left, filter(right, on, cx), truth(true), &[], cx)
    };
    // The domain's columns end here; what is padded is seen by `columns`.
    let names: Vec<_> = columns.concat().iter().map(|column| column.id).collect();
    let wanted: Vec<Column> = plan.columns().into_iter().filter(|column| names.contains(&column.id)).collect();
    keep(plan, &wanted)
}

/// A column TRUE on every row of the input: NULL on the padded rows of an outer join.
fn marked(input: Plan, cx: &mut Context) -> (Plan, Column) {
    let mark = Column { id: cx.fresh.id(), name: "present".to_string(), ty: super::form::boolean(false) };
    let plan = extend(input, vec![(mark.clone(), truth(true))]);
    (plan, mark)
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_shape;

    #[test]
    fn exists_on_an_equality_is_a_semijoin() {
        check_shape(
            "SELECT * FROM r WHERE EXISTS (SELECT 1 FROM s WHERE s.a = r.a)",
            "
            project a := a, b := b
              join semi on (a = a)
                table r
                project a := a
                  table s
            ",
        );
    }

    #[test]
    fn a_subquery_two_deep_needs_no_domain() {
        check_shape(
            "SELECT * FROM r WHERE EXISTS (SELECT 1 FROM s WHERE EXISTS (SELECT 1 FROM k WHERE k.a = s.b AND k.b = r.b))",
            "
            project a := a, b := b
              join semi on (b = b)
                table r
                join inner on (b = a)
                  project b := b
                    table s
                  table k
            ",
        );
    }

    #[test]
    fn not_in_without_nulls_is_an_antijoin() {
        check_shape(
            "SELECT * FROM k WHERE a NOT IN (SELECT x.a FROM k x)",
            "
            project a := a, b := b
              join anti on (a = a)
                table k
                project a := a
                  table k
            ",
        );
    }

    #[test]
    fn a_condition_that_is_no_equality_joins_the_domain() {
        check_shape(
            "SELECT * FROM r WHERE EXISTS (SELECT 1 FROM s WHERE s.a = r.a AND s.b <> r.b)",
            "
            project a := a, b := b
              join semi on ((a = a) AND IS NOT DISTINCT FROM(b, b))
                table r
                join inner on ((a = a) AND (b <> b))
                  table s
                  distinct
                    project a := a, b := b
                      table r
            ",
        );
    }
}
