//! Pushes a domain down a plan: filters, projections, set operations here; joins and groupings next door.

use super::super::Context;
use super::super::form::*;
use super::super::walk::{Substitution, fallible, substitute};
use super::dependent::{Bound, Bounds, Pushed};
use super::domain::Domain;
use crate::plan::{Column, ColumnId, Expr, Plan};
use feldc_value::ColumnType;
use std::collections::{BTreeMap, BTreeSet};

/// The dependent join being removed: its domain, pushed down the right side operator by operator.
pub struct Unnest<'a> {
    pub(super) domain: Domain,
    pub(super) cx: &'a mut Context,
}

impl<'a> Unnest<'a> {
    /// With the left side's columns; `None` when the right side reads none of them.
    pub(super) fn new(
        left: &Plan,
        right: &Plan,
        guards: &[Expr],
        cx: &'a mut Context,
    ) -> Option<(Unnest<'a>, Vec<Column>)> {
        let (columns, free) = (left.columns(), right.free_columns());
        let read: BTreeMap<ColumnId, Column> = columns
            .iter()
            .filter(|column| free.contains(&column.id))
            .map(|column| (column.id, column.clone()))
            .collect();
        if read.is_empty() {
            return None;
        }
        // A guard only matters to what can fail.
        let safe = !fallible(right);
        let guards = if safe { &[] } else { guards };
        Some((Unnest { domain: Domain::new(left, read, guards, safe), cx }, columns))
    }

    /// The columns of the domain that an expression reads.
    pub(super) fn read(&self, expr: &Expr) -> BTreeSet<ColumnId> {
        expr.free_columns().into_iter().filter(|id| self.domain.columns.contains_key(id)).collect()
    }

    /// What stands for the domain's columns in expressions. On a row that belongs to no value the result does not
    /// matter, but its type does.
    pub(super) fn substitution(&self, bound: &Bounds) -> Substitution {
        let value = |(id, bound): (&ColumnId, &Bound)| {
            let value = reference(&bound.column);
            match self.domain.columns.get(id) {
                Some(column) if value.ty.nullable && !column.ty.nullable => {
                    (*id, coalesce(vec![value, zero(column.ty.ty)]))
                }
                _ => (*id, value),
            }
        };
        bound.iter().map(value).collect()
    }

    pub(super) fn cover(&mut self, pushed: Pushed, wanted: &BTreeSet<ColumnId>, eliminate: bool) -> Pushed {
        self.domain.cover(pushed, wanted, !eliminate, self.cx)
    }

    /// `eliminate`: nothing above can fail, so that values which the domain does not have do no harm.
    pub(super) fn push(&mut self, plan: Plan, eliminate: bool) -> Pushed {
        let free = plan.free_columns();
        if self.domain.columns.keys().all(|id| !free.contains(id)) {
            return Pushed { plan, bound: Bounds::new() };
        }
        match plan {
            Plan::Filter { input, predicate } => self.filter(*input, predicate, eliminate),
            Plan::Project { input, columns } => self.project(*input, columns, eliminate),
            Plan::Join { kind, left, right, on } => self.join(kind, *left, *right, on, eliminate),
            Plan::Aggregate { input, aggregates, scalar: true, .. } => self.scalar(*input, aggregates, eliminate),
            Plan::Aggregate { input, keys, aggregates, .. } => self.group(*input, keys, aggregates, eliminate),
            Plan::Distinct { input } => {
                let columns = input.columns();
                let pushed = self.push(*input, eliminate);
                let Pushed { plan, bound } = exactly(pushed, &columns);
                Pushed { plan: Plan::Distinct { input: Box::new(plan) }, bound }
            }
            Plan::TopK { input, mut partition, order, window, ranked } => {
                let Pushed { plan, bound } = self.push(*input, eliminate);
                // The first rows for each value of the domain: its columns join the partition.
                for bound in bound.values() {
                    if !partition.contains(&bound.column.id) {
                        partition.push(bound.column.id);
                    }
                }
                Pushed { plan: Plan::TopK { input: Box::new(plan), partition, order, window, ranked }, bound }
            }
            Plan::Unnest { input, arrays, elements, ordinality, outer } => {
                let Pushed { plan, bound } = self.push(*input, eliminate);
                Pushed { plan: Plan::Unnest { input: Box::new(plan), arrays, elements, ordinality, outer }, bound }
            }
            Plan::Union { inputs, columns } => {
                self.combine(inputs, columns, eliminate, &mut |inputs, columns| Plan::Union { inputs, columns })
            }
            Plan::SetDifference { left, right, all, columns } => {
                self.combine(vec![*left, *right], columns, eliminate, &mut |inputs, columns| {
                    let [left, right] = pair(inputs);
                    Plan::SetDifference { left, right, all, columns }
                })
            }
            Plan::SetIntersection { left, right, all, columns } => {
                self.combine(vec![*left, *right], columns, eliminate, &mut |inputs, columns| {
                    let [left, right] = pair(inputs);
                    Plan::SetIntersection { left, right, all, columns }
                })
            }
            // Leaves read nothing, and dependent joins inside are gone already.
            plan => Pushed { plan, bound: Bounds::new() },
        }
    }

    pub(super) fn filter(&mut self, input: Plan, predicate: Expr, eliminate: bool) -> Pushed {
        let eliminate = eliminate && !predicate.fallible();
        let mut pushed = self.push(input, eliminate);
        let mut conditions = conjuncts(predicate);
        if eliminate {
            conditions.retain(|condition| !self.serves(condition, &mut pushed));
        }
        let wanted = conditions.iter().flat_map(|condition| self.read(condition)).collect();
        let mut pushed = self.cover(pushed, &wanted, eliminate);
        let with = self.substitution(&pushed.bound);
        conditions.iter_mut().for_each(|condition| substitute(condition, &with));
        pushed.plan = filter(pushed.plan, conditions);
        pushed
    }

    /// Does the condition equate a column of the domain with one of the input's own? That one then stands for it.
    fn serves(&mut self, condition: &Expr, pushed: &mut Pushed) -> bool {
        let Some((a, b)) = equality(condition) else { return false };
        for (own, outer) in [(a, b), (b, a)] {
            let Some(id) = column_of(outer) else { continue };
            let Some(column) = self.domain.columns.get(&id) else { continue };
            if pushed.bound.contains_key(&id) || own.ty.ty != column.ty.ty || own.fallible() {
                continue;
            }
            let made = pushed.plan.columns();
            if own.free_columns().is_empty()
                || !own.free_columns().iter().all(|id| made.iter().any(|column| column.id == *id))
            {
                continue;
            }
            let column = match column_of(own).and_then(|id| made.iter().find(|column| column.id == id)) {
                Some(column) => column.clone(),
                None => {
                    let column = Column { id: self.cx.fresh.id(), name: column.name.clone(), ty: own.ty };
                    let input = std::mem::replace(&mut pushed.plan, unit());
                    pushed.plan = extend(input, vec![(column.clone(), own.clone())]);
                    column
                }
            };
            pushed.bound.insert(id, Bound { column, strict: true });
            return true;
        }
        false
    }

    fn project(&mut self, input: Plan, mut columns: Vec<(Column, Expr)>, eliminate: bool) -> Pushed {
        let eliminate = eliminate && !columns.iter().any(|(_, expr)| expr.fallible());
        let pushed = self.push(input, eliminate);
        let wanted = columns.iter().flat_map(|(_, expr)| self.read(expr)).collect();
        let Pushed { plan, mut bound } = self.cover(pushed, &wanted, eliminate);
        let with = self.substitution(&bound);
        columns.iter_mut().for_each(|(_, expr)| substitute(expr, &with));
        for bound in bound.values_mut() {
            match columns.iter().find(|(_, expr)| column_of(expr) == Some(bound.column.id)) {
                Some((column, _)) => bound.column = column.clone(),
                None => columns.push((bound.column.clone(), reference(&bound.column))),
            }
        }
        Pushed { plan: Plan::Project { input: Box::new(plan), columns }, bound }
    }

    /// Operators that see their inputs' columns by position: the domain's columns come last, the same for all.
    fn combine(
        &mut self,
        inputs: Vec<Plan>,
        mut columns: Vec<Column>,
        eliminate: bool,
        build: &mut dyn FnMut(Vec<Plan>, Vec<Column>) -> Plan,
    ) -> Pushed {
        let names: Vec<Vec<Column>> = inputs.iter().map(Plan::columns).collect();
        let pushed: Vec<Pushed> = inputs.into_iter().map(|input| self.push(input, eliminate)).collect();
        let wanted: BTreeSet<ColumnId> = pushed.iter().flat_map(|pushed| pushed.bound.keys().copied()).collect();
        let cover = |pushed| settled(self.cover(pushed, &wanted, eliminate));
        let pushed: Vec<Pushed> = pushed.into_iter().map(cover).collect();
        let mut bound = Bounds::new();
        // In exact mode the inputs have the whole domain.
        for id in pushed[0].bound.keys().copied().collect::<Vec<_>>() {
            let all = || pushed.iter().filter_map(|pushed| pushed.bound.get(&id));
            let like = &pushed[0].bound[&id].column;
            let ty = ColumnType::new(like.ty.ty, all().any(|bound| bound.column.ty.nullable));
            let column = Column { ty, ..self.cx.fresh.like(like) };
            let strict = all().all(|bound| bound.strict);
            bound.insert(id, Bound { column, strict });
        }
        let aligned =
            pushed.into_iter().zip(names).map(|(pushed, names)| self.aligned(pushed, &names, &bound)).collect();
        columns.extend(bound.values().map(|bound| bound.column.clone()));
        Pushed { plan: build(aligned, columns), bound }
    }

    /// The named columns, then the domain's with exactly the types of `bound`.
    fn aligned(&mut self, pushed: Pushed, names: &[Column], bound: &Bounds) -> Plan {
        let own = names.iter().map(|column| (column.clone(), reference(column)));
        let domain = bound.iter().map(|(id, wanted)| {
            let column = self.cx.fresh.like(&wanted.column);
            (column, reference(&pushed.bound[id].column))
        });
        let columns = own.chain(domain).collect();
        Plan::Project { input: Box::new(pushed.plan), columns }
    }
}

fn pair(inputs: Vec<Plan>) -> [Box<Plan>; 2] {
    let mut inputs = inputs.into_iter().map(Box::new);
    let mut next = || inputs.next().unwrap_or_else(|| Box::new(unit()));
    [next(), next()]
}

/// Just the relation's own columns and the domain's.
fn exactly(pushed: Pushed, columns: &[Column]) -> Pushed {
    let mut wanted = columns.to_vec();
    for bound in pushed.bound.values() {
        // One column may serve as several of the domain's.
        if !wanted.iter().any(|column| column.id == bound.column.id) {
            wanted.push(bound.column.clone());
        }
    }
    Pushed { plan: keep(pushed.plan, &wanted), bound: pushed.bound }
}

/// Without the rows that belong to no value of the domain.
pub(super) fn settled(pushed: Pushed) -> Pushed {
    let loose = pushed.bound.values().filter(|bound| bound.strict && bound.column.ty.nullable);
    let conditions = loose.map(|bound| is_not_null(reference(&bound.column))).collect();
    Pushed { plan: filter(pushed.plan, conditions), bound: pushed.bound }
}
