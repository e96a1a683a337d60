//! Pushes a domain down groupings and aggregates.

use super::super::form::*;
use super::super::walk::substitute;
use super::dependent::{Bounds, Pushed, can_fail, equate, over_nothing};
use super::joins::joined;
use super::marked;
use super::unnest::Unnest;
use crate::plan::{AggregateCall, Column, ColumnId, Expr, JoinKind, Plan};
use feldc_engine::AggregateFunction;
use feldc_value::ColumnType;

impl Unnest<'_> {
    /// GROUP BY: the domain's columns join the keys.
    pub(super) fn group(
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
        let arguments = || aggregates.iter().flat_map(|(_, call)| &call.arguments);
        // The overflow of a sum over a group that nobody asks for is not counted: it reaches no row.
        let fails = arguments().any(|argument| argument.fallible())
            || aggregates.iter().any(|(_, call)| call.function == AggregateFunction::Single);
        let eliminate = eliminate && !fails;
        let wanted = arguments().flat_map(|argument| self.read(argument)).collect();
        let pushed = self.push(input, eliminate);
        let pushed = self.cover(pushed, &wanted, eliminate);
        let with = self.substitution(&pushed.bound);
        for argument in aggregates.iter_mut().flat_map(|(_, call)| &mut call.arguments) {
            substitute(argument, &with);
        }
        pushed
    }

    /// Aggregates without GROUP BY have a row for every value of the domain, also where there is nothing to aggregate.
    pub(super) fn scalar(
        &mut self,
        input: Plan,
        mut aggregates: Vec<(Column, AggregateCall)>,
        eliminate: bool,
    ) -> Pushed {
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
            for argument in &mut call.arguments {
                let column = Column { id: self.cx.fresh.id(), name: "argument".to_string(), ty: argument.ty };
                let padded = ColumnType::new(argument.ty.ty, true);
                let read = Expr::column(column.id, padded, argument.span);
                arguments.push((column, std::mem::replace(argument, read)));
            }
            if call.function == AggregateFunction::CountStar {
                call.function = AggregateFunction::Count;
                call.arguments.push(Expr::column(mark.id, boolean(true), call.span));
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
}
