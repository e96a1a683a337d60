//! The domain of a dependent join: the distinct values its right side takes from its left side.

use super::super::Context;
use super::super::form::{attempt, column_of, conjunction, filter, is_unit, reference};
use super::super::walk::copy;
use super::dependent::{Bound, Pushed, equate};
use crate::plan::{Column, ColumnId, Expr, JoinKind, Plan};
use std::collections::{BTreeMap, BTreeSet};

pub struct Domain {
    /// Has at least the rows of the left side for which the right side is to be evaluated.
    source: Plan,
    /// The columns of the left side that the right side reads.
    pub columns: BTreeMap<ColumnId, Column>,
}

impl Domain {
    /// The part of the left side that gives the domain of what can fail.
    pub fn part<'a>(left: &'a Plan, right: &Plan, guards: &[Expr]) -> &'a Plan {
        let own: BTreeSet<ColumnId> = left.columns().iter().map(|column| column.id).collect();
        let needed = guards.iter().flat_map(Expr::free_columns).chain(right.free_columns());
        let needed = needed.filter(|id| own.contains(id)).collect();
        narrow(left, &needed, false)
    }

    /// The values of `columns` in the rows of `left` for which all guards hold; `safe`: more of them do no harm.
    pub fn new(left: &Plan, columns: BTreeMap<ColumnId, Column>, guards: &[Expr], safe: bool) -> Domain {
        let needed = guards.iter().flat_map(Expr::free_columns).chain(columns.keys().copied()).collect();
        let source = filter(narrow(left, &needed, safe).clone(), guards.iter().cloned().map(attempt).collect());
        Domain { source, columns }
    }

    /// The distinct values of some of the columns, under new names.
    pub fn values(&self, wanted: &BTreeSet<ColumnId>, cx: &mut Context) -> Pushed {
        let (source, renamed) = copy(&self.source, &mut cx.fresh);
        let (mut columns, mut bound) = (vec![], BTreeMap::new());
        for column in wanted.iter().filter_map(|id| self.columns.get(id)) {
            let own = Column { id: *renamed.get(&column.id).unwrap_or(&column.id), ..column.clone() };
            let value = cx.fresh.like(column);
            bound.insert(column.id, Bound { column: value.clone(), strict: false });
            columns.push((value, reference(&own)));
        }
        let plan = Plan::Distinct { input: Box::new(Plan::Project { input: Box::new(source), columns }) };
        Pushed { plan, bound }
    }

    /// Gives a relation the domain's columns that it lacks: its rows once for each fitting value.
    pub fn cover(&self, pushed: Pushed, wanted: &BTreeSet<ColumnId>, exact: bool, cx: &mut Context) -> Pushed {
        if wanted.iter().all(|id| pushed.bound.contains_key(id)) {
            return pushed;
        }
        let wanted: BTreeSet<ColumnId> = match exact {
            true => self.columns.keys().copied().collect(),
            false => wanted.iter().chain(pushed.bound.keys()).copied().collect(),
        };
        let values = self.values(&wanted, cx);
        if is_unit(&pushed.plan) {
            return values;
        }
        let on = equate(&pushed.bound, &values.bound);
        let plan = Plan::Join {
            kind: JoinKind::Inner,
            left: Box::new(pushed.plan),
            right: Box::new(values.plan),
            on: conjunction(on),
        };
        let mut bound = values.bound;
        bound.extend(pushed.bound);
        Pushed { plan, bound }
    }
}

/// The smallest part of the left side that has these columns and all its rows. (The subqueries of one operator are
/// joined to its input one after the other; the domain of the third need not contain the first. The same domain for
/// all of them is computed once.)
fn narrow<'a>(plan: &'a Plan, needed: &BTreeSet<ColumnId>, safe: bool) -> &'a Plan {
    let has = |plan: &Plan| {
        let columns = plan.columns();
        needed.iter().all(|id| columns.iter().any(|column| column.id == *id))
    };
    match plan {
        Plan::Join { kind: JoinKind::Semi | JoinKind::Anti, left, .. } if safe => narrow(left, needed, safe),
        Plan::Join { kind: JoinKind::Left, left, .. } if has(left) => narrow(left, needed, safe),
        Plan::Project { input, columns } => {
            let passes = |(column, expr): &(Column, Expr)| match needed.contains(&column.id) {
                true => column_of(expr) == Some(column.id),
                false => !expr.fallible(),
            };
            if columns.iter().all(passes) { narrow(input, needed, safe) } else { plan }
        }
        _ => plan,
    }
}
