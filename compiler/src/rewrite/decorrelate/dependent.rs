//! Dependent joins: the domain of the left side's values is pushed down the right side until nothing there reads
//! the left side, then both are joined on the domain's columns.
//!
//! `L ⋈dep R = L ⋈ (D ⋈dep R)` on D's columns, with D the distinct values of the columns of L that R reads. Where
//! R equates a column of its own with a column of D, that column serves as D's, and D itself is not needed; unless
//! an expression that can fail would then be evaluated for values that L does not have.

use super::super::Context;
use super::super::form::*;
use super::super::walk::{Substitution, fallible, substitute};
use super::domain::Domain;
use super::marked;
use crate::plan::{AggregateCall, Column, ColumnId, Expr, JoinKind, Plan};
use feldc_engine::AggregateFunction;
use feldc_value::{ColumnType, Value};
use std::collections::{BTreeMap, BTreeSet};

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
fn over_nothing(column: &Column, call: &AggregateCall, padded: bool) -> Expr {
    let value = Expr::column(column.id, ColumnType::new(column.ty.ty, padded || column.ty.nullable), call.span);
    match call.function {
        AggregateFunction::Count | AggregateFunction::CountStar => {
            let zero = Expr::literal(Value::BigInt(0), ColumnType::new(column.ty.ty, false), call.span);
            coalesce(vec![value, zero])
        }
        _ => value,
    }
}

fn can_fail(call: &AggregateCall) -> bool {
    matches!(call.function, AggregateFunction::Sum | AggregateFunction::Avg | AggregateFunction::Single)
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

struct Unnest<'a> {
    domain: Domain,
    cx: &'a mut Context,
}

impl<'a> Unnest<'a> {
    /// With the left side's columns; `None` when the right side reads none of them.
    fn new(left: &Plan, right: &Plan, guards: &[Expr], cx: &'a mut Context) -> Option<(Unnest<'a>, Vec<Column>)> {
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
    fn read(&self, expr: &Expr) -> BTreeSet<ColumnId> {
        expr.free_columns().into_iter().filter(|id| self.domain.columns.contains_key(id)).collect()
    }

    /// What stands for the domain's columns in expressions. On a row that belongs to no value the result does not
    /// matter, but its type does.
    fn substitution(&self, bound: &Bounds) -> Substitution {
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

    fn cover(&mut self, pushed: Pushed, wanted: &BTreeSet<ColumnId>, eliminate: bool) -> Pushed {
        self.domain.cover(pushed, wanted, !eliminate, self.cx)
    }

    /// `eliminate`: nothing above can fail, so that values which the domain does not have do no harm.
    fn push(&mut self, plan: Plan, eliminate: bool) -> Pushed {
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

    fn filter(&mut self, input: Plan, predicate: Expr, eliminate: bool) -> Pushed {
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

    fn join(&mut self, kind: JoinKind, left: Plan, right: Plan, on: Expr, eliminate: bool) -> Pushed {
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

    /// GROUP BY: the domain's columns join the keys.
    fn group(
        &mut self,
        input: Plan,
        mut keys: Vec<(Column, ColumnId)>,
        mut aggregates: Vec<(Column, AggregateCall)>,
        eliminate: bool,
    ) -> Pushed {
        let Pushed { plan, mut bound } = self.aggregate_input(input, &mut aggregates, eliminate);
        for bound in bound.values_mut() {
            match keys.iter().find(|(_, id)| *id == bound.column.id) {
                Some((column, _)) => bound.column = column.clone(),
                None => {
                    let key = self.cx.fresh.like(&bound.column);
                    keys.push((key.clone(), bound.column.id));
                    bound.column = key;
                }
            }
        }
        Pushed { plan: Plan::Aggregate { input: Box::new(plan), keys, aggregates, scalar: false }, bound }
    }

    fn aggregate_input(&mut self, input: Plan, aggregates: &mut [(Column, AggregateCall)], eliminate: bool) -> Pushed {
        let arguments = || aggregates.iter().filter_map(|(_, call)| call.argument.as_ref());
        // The overflow of a sum over a group that nobody asks for is not counted: it reaches no row.
        let fails = arguments().any(|argument| argument.fallible())
            || aggregates.iter().any(|(_, call)| call.function == AggregateFunction::Single);
        let eliminate = eliminate && !fails;
        let wanted = arguments().flat_map(|argument| self.read(argument)).collect();
        let pushed = self.push(input, eliminate);
        let pushed = self.cover(pushed, &wanted, eliminate);
        let with = self.substitution(&pushed.bound);
        for argument in aggregates.iter_mut().filter_map(|(_, call)| call.argument.as_mut()) {
            substitute(argument, &with);
        }
        pushed
    }

    /// Aggregates without GROUP BY have a row for every value of the domain, also where there is nothing to aggregate.
    fn scalar(&mut self, input: Plan, mut aggregates: Vec<(Column, AggregateCall)>, eliminate: bool) -> Pushed {
        let names: Vec<Column> = aggregates.iter().map(|(column, _)| column.clone()).collect();
        aggregates.iter_mut().for_each(|(column, _)| *column = self.cx.fresh.like(column));
        let fails = aggregates.iter().any(|(_, call)| can_fail(call));
        let (plan, values, bound) = match fails {
            true => self.group_all(input, aggregates, eliminate),
            false => self.group_then_pad(input, aggregates, eliminate),
        };
        let columns = names.into_iter().zip(values);
        let domain = bound.values().map(|bound| (bound.column.clone(), reference(&bound.column)));
        Pushed { plan: Plan::Project { input: Box::new(plan), columns: columns.chain(domain).collect() }, bound }
    }

    /// D ⟕ γ(R): the small relations are padded.
    fn group_then_pad(
        &mut self,
        input: Plan,
        aggregates: Vec<(Column, AggregateCall)>,
        eliminate: bool,
    ) -> (Plan, Vec<Expr>, Bounds) {
        let values = aggregates.iter().map(|(column, call)| over_nothing(column, call, true)).collect();
        let grouped = self.group(input, vec![], aggregates, eliminate);
        let all = self.all_values(&grouped.bound, eliminate);
        let on = equate(&all.bound, &grouped.bound);
        (joined(JoinKind::Left, all.plan, grouped.plan, on), values, all.bound)
    }

    /// γ(D ⟕ R): a group that fails has no row, and must not be taken for an empty one.
    fn group_all(
        &mut self,
        input: Plan,
        mut aggregates: Vec<(Column, AggregateCall)>,
        eliminate: bool,
    ) -> (Plan, Vec<Expr>, Bounds) {
        let pushed = self.aggregate_input(input, &mut aggregates, eliminate);
        let (plan, mark) = marked(pushed.plan, self.cx);
        // The arguments are columns before the padding: where one fails its row goes, not the group.
        let mut arguments = vec![];
        for (_, call) in &mut aggregates {
            let argument = match call.argument.take() {
                Some(argument) => {
                    let column = Column { id: self.cx.fresh.id(), name: "argument".to_string(), ty: argument.ty };
                    let padded = ColumnType::new(argument.ty.ty, true);
                    let read = Expr::column(column.id, padded, argument.span);
                    arguments.push((column, argument));
                    read
                }
                None => Expr::column(mark.id, boolean(true), call.span),
            };
            call.argument = Some(argument);
            if call.function == AggregateFunction::CountStar {
                call.function = AggregateFunction::Count;
            }
        }
        let plan = extend(plan, arguments);
        let all = self.all_values(&pushed.bound, eliminate);
        let on = equate(&all.bound, &pushed.bound);
        let plan = joined(JoinKind::Left, all.plan, plan, on);
        let values = aggregates.iter().map(|(column, call)| over_nothing(column, call, false)).collect();
        let (mut keys, mut bound) = (vec![], all.bound);
        for bound in bound.values_mut() {
            let key = self.cx.fresh.like(&bound.column);
            keys.push((key.clone(), bound.column.id));
            bound.column = key;
        }
        (Plan::Aggregate { input: Box::new(plan), keys, aggregates, scalar: false }, values, bound)
    }

    /// The domain itself, at least in these columns.
    fn all_values(&mut self, bound: &Bounds, eliminate: bool) -> Pushed {
        let wanted = bound.keys().copied().collect();
        self.cover(Pushed { plan: unit(), bound: Bounds::new() }, &wanted, eliminate)
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

fn joined(kind: JoinKind, left: Plan, right: Plan, on: Vec<Expr>) -> Plan {
    Plan::Join { kind, left: Box::new(left), right: Box::new(right), on: conjunction(on) }
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
fn settled(pushed: Pushed) -> Pushed {
    let loose = pushed.bound.values().filter(|bound| bound.strict && bound.column.ty.nullable);
    let conditions = loose.map(|bound| is_not_null(reference(&bound.column))).collect();
    Pushed { plan: filter(pushed.plan, conditions), bound: pushed.bound }
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
