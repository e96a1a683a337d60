//! Pushes a domain down joins.

use super::super::form::*;
use super::super::walk::substitute;
use super::dependent::{Bound, Bounds, Pushed, equate};
use super::marked;
use super::unnest::{Unnest, settled};
use crate::plan::{Column, ColumnId, Expr, JoinKind, Plan};
use feldc_value::ColumnType;

impl Unnest<'_> {
    pub(super) fn join(&mut self, kind: JoinKind, left: Plan, right: Plan, on: Expr, eliminate: bool) -> Pushed {
        if kind == JoinKind::Inner && !on.fallible() {
            let (outer, own): (Vec<Expr>, Vec<Expr>) =
                conjuncts(on.clone()).into_iter().partition(|condition| !self.read(condition).is_empty());
            if !outer.is_empty() {
                let joined = Plan::Join { kind, left: Box::new(left), right: Box::new(right), on: conjunction(own) };
                return self.filter(joined, conjunction(outer), eliminate);
            }
        }
        let eliminate = eliminate && !on.fallible();
        let (left, right) = (self.push(left, eliminate), self.push(right, eliminate));
        match kind {
            JoinKind::Inner => self.inner_join(left, right, on, eliminate),
            JoinKind::Full => self.full_join(left, right, on, eliminate),
            JoinKind::Semi
                if left.bound.is_empty() && self.read(&on).is_empty() && only_equates(&on, &left, &right) =>
            {
                semi_as_inner(left, right, on)
            }
            JoinKind::Left | JoinKind::Semi | JoinKind::Anti => self.one_sided_join(kind, left, right, on, eliminate),
        }
    }

    fn inner_join(&mut self, left: Pushed, right: Pushed, mut on: Expr, eliminate: bool) -> Pushed {
        let missing = self.read(&on).into_iter().filter(|id| !right.bound.contains_key(id)).collect();
        let left = self.cover(left, &missing, eliminate);
        let mut bound = right.bound.clone();
        for (id, own) in &left.bound {
            let strict = own.strict || bound.get(id).is_some_and(|other| other.strict);
            bound.insert(*id, Bound { column: own.column.clone(), strict });
        }
        substitute(&mut on, &self.substitution(&bound));
        let on = [equate(&left.bound, &right.bound), conjuncts(on)].concat();
        Pushed { plan: joined(JoinKind::Inner, left.plan, right.plan, on), bound }
    }

    /// A row of the left side is kept or padded for each value by itself, so the left side must have the value.
    fn one_sided_join(&mut self, kind: JoinKind, left: Pushed, right: Pushed, mut on: Expr, eliminate: bool) -> Pushed {
        let wanted = self.read(&on).into_iter().chain(right.bound.keys().copied()).collect();
        let left = self.cover(left, &wanted, eliminate);
        substitute(&mut on, &self.substitution(&left.bound));
        let on = [equate(&left.bound, &right.bound), conjuncts(on)].concat();
        Pushed { plan: joined(kind, left.plan, right.plan, on), bound: left.bound }
    }

    fn full_join(&mut self, left: Pushed, right: Pushed, mut on: Expr, eliminate: bool) -> Pushed {
        let both = left.bound.keys().chain(right.bound.keys()).copied().chain(self.read(&on)).collect();
        let (left, right) = (self.cover(left, &both, eliminate), self.cover(right, &both, eliminate));
        let (left, right) = (settled(left), settled(right));
        let names = [left.plan.columns(), right.plan.columns()].concat();
        substitute(&mut on, &self.substitution(&left.bound));
        let on = [equate(&left.bound, &right.bound), conjuncts(on)].concat();
        let (plan, mark) = marked(left.plan, self.cx);
        let plan = joined(JoinKind::Full, plan, right.plan, on);
        let present = is_not_null(reference(&Column { ty: boolean(true), ..mark }));
        let mut bound = Bounds::new();
        let mut values = vec![];
        for (id, a) in &left.bound {
            let b = &right.bound[id];
            let column = Column { ty: ColumnType::new(a.column.ty.ty, true), ..self.cx.fresh.like(&a.column) };
            let side = |bound: &Bound| Expr::column(bound.column.id, column.ty, Default::default());
            values.push((column.clone(), case(vec![(present.clone(), side(a))], side(b))));
            bound.insert(*id, Bound { column, strict: a.strict && b.strict });
        }
        let kept = plan.columns().into_iter().filter(|column| names.iter().any(|name| name.id == column.id));
        let columns = kept.map(|column| (column.clone(), reference(&column))).chain(values).collect();
        Pushed { plan: Plan::Project { input: Box::new(plan), columns }, bound }
    }
}

pub(super) fn joined(kind: JoinKind, left: Plan, right: Plan, on: Vec<Expr>) -> Plan {
    Plan::Join { kind, left: Box::new(left), right: Box::new(right), on: conjunction(on) }
}

/// Is the condition made of equalities between a column of the right side and something of the left?
fn only_equates(on: &Expr, left: &Pushed, right: &Pushed) -> bool {
    let (left, right) = (left.plan.columns(), right.plan.columns());
    let within =
        |expr: &Expr, columns: &[Column]| expr.free_columns().iter().all(|id| columns.iter().any(|c| c.id == *id));
    conjuncts(on.clone()).iter().all(|condition| {
        let sides = equality(condition).or(null_safe_equality(condition));
        sides.is_some_and(|(a, b)| {
            !condition.fallible()
                && [(a, b), (b, a)]
                    .iter()
                    .any(|(own, other)| column_of(own).is_some() && within(own, &right) && within(other, &left))
        })
    })
}

/// L ⋉ R where only R depends on the domain: L ⋈ δ(R), which finds the values instead of trying each of them.
fn semi_as_inner(left: Pushed, right: Pushed, on: Expr) -> Pushed {
    let used = on.free_columns();
    let domain = |id: &ColumnId| right.bound.values().any(|bound| bound.column.id == *id);
    let columns = right.plan.columns();
    let kept: Vec<Column> = columns.into_iter().filter(|c| used.contains(&c.id) || domain(&c.id)).collect();
    let partners = Plan::Distinct { input: Box::new(keep(right.plan, &kept)) };
    Pushed { plan: joined(JoinKind::Inner, left.plan, partners, conjuncts(on)), bound: right.bound }
}
