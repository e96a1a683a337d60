//! GROUP BY: expressions over the rows of FROM become expressions over keys and aggregates.

use super::coerce::null;
use super::grouping::{Grouping, GroupingMark};
use super::scope::ScopeColumn;
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{AggregateCall, Column, ColumnId, Expr, ExprKind, Plan, Span};
use feldc_value::{ColumnType, Value};
use std::collections::BTreeSet;

/// Columns of compared subqueries count from here, far from those of any program.
const NUMBERED_AFRESH: u32 = 1 << 31;

/// Equal expressions, wherever they stand and however their subqueries number their own columns.
pub fn same(a: &Expr, b: &Expr) -> bool {
    fn without_places(expr: &Expr) -> Expr {
        let mut copy = expr.fresh(&mut { NUMBERED_AFRESH });
        copy.for_each_mut(&mut |expr| {
            expr.span = Span::default();
            if let ExprKind::Subquery { plan, .. } = &mut expr.kind {
                forget_calls(plan);
            }
        });
        copy
    }
    a.alike(b, &|a, b| without_places(a) == without_places(b))
}

/// Forgets the places of aggregate calls.
fn forget_calls(plan: &mut Plan) {
    if let Plan::Aggregate { aggregates, .. } = plan {
        aggregates.iter_mut().for_each(|(_, call)| call.span = Span::default());
    }
    plan.children_mut().into_iter().for_each(forget_calls);
}

/// The grouped query's keys: each grouping expression with its column after grouping.
pub struct Groups {
    keys: Vec<(Expr, Column)>,
    /// Columns that FROM offers: none may be used outside keys and aggregates.
    inputs: BTreeSet<ColumnId>,
    /// Keys may be NULL that the rows have not so: some set leaves them out.
    widened: bool,
}

impl Binder<'_> {
    /// Groups the plan by each of the sets.
    pub(super) fn group(
        &mut self,
        input: Plan,
        grouping: Grouping,
        aggregates: Vec<(Column, AggregateCall)>,
        marks: Vec<GroupingMark>,
        columns: &[ScopeColumn],
    ) -> Bound<(Plan, Groups)> {
        let inputs = input.columns().iter().map(|column| column.id).collect();
        let mut keys: Vec<(Expr, Column)> = vec![];
        for expr in grouping.keys {
            let name = key_name(&expr, columns);
            let column = self.fresh_column(&name, expr.ty);
            keys.push((expr, column));
        }
        let (input, sources) = self.key_columns(input, &keys);
        let scalar = keys.is_empty();
        let plan_keys = keys.iter().zip(sources).map(|((_, column), source)| (column.clone(), source)).collect();
        let plan = Plan::Aggregate { input: Box::new(input), keys: plan_keys, aggregates, scalar };
        let marks = self.mark_positions(marks, &keys)?;
        if let ([_], []) = (&grouping.sets[..], &marks[..]) {
            return Ok((plan, Groups { keys, inputs, widened: false }));
        }
        let plan = self.group_by_sets(&plan, &grouping.sets, &mut keys, &marks)?;
        Ok((plan, Groups { keys, inputs, widened: true }))
    }

    /// The keys of each GROUPING by their positions.
    fn mark_positions(
        &mut self,
        marks: Vec<GroupingMark>,
        keys: &[(Expr, Column)],
    ) -> Bound<Vec<(Column, Vec<usize>)>> {
        let mut found = vec![];
        for (column, exprs) in marks {
            let mut positions = vec![];
            for expr in exprs {
                let Some(at) = keys.iter().position(|(key, _)| same(key, &expr)) else {
                    let error = Diagnostic::error(code::GROUPING_ERROR, "not a key of GROUP BY", expr.span);
                    return self.fail(error.help("GROUPING asks which keys a row is grouped by: name one of them"));
                };
                positions.push(at);
            }
            found.push((column, positions));
        }
        Ok(found)
    }

    /// The union of the aggregate `whole` by each set of its keys, with NULL for the keys that are left out. The keys
    /// become the columns of the union.
    fn group_by_sets(
        &mut self,
        whole: &Plan,
        sets: &[BTreeSet<usize>],
        keys: &mut [(Expr, Column)],
        marks: &[(Column, Vec<usize>)],
    ) -> Bound<Plan> {
        let Plan::Aggregate { keys: whole_keys, aggregates, .. } = whole else { return Err(Reported) };
        for (at, (_, column)) in keys.iter_mut().enumerate() {
            let nullable = column.ty.nullable || sets.iter().any(|set| !set.contains(&at));
            *column = self.fresh_column(&column.name, ColumnType::new(column.ty.ty, nullable));
        }
        let mut inputs = vec![];
        for (number, set) in sets.iter().enumerate() {
            self.check_size(self.statement)?;
            let (mut grouped, names) = self.fresh_plan(whole);
            if let Plan::Aggregate { keys, scalar, .. } = &mut grouped {
                let mut at = 0..;
                keys.retain(|_| at.next().is_some_and(|at| set.contains(&at)));
                *scalar = set.is_empty();
            }
            let read = |column: &Column| Expr::column(names[&column.id], column.ty, Span::default());
            let mut row: Vec<(Column, Expr)> = vec![];
            for (at, ((own, _), (_, column))) in whole_keys.iter().zip(&*keys).enumerate() {
                let expr = if set.contains(&at) { read(own) } else { null(own.ty.ty, Span::default()) };
                row.push((column.clone(), expr));
            }
            row.extend(aggregates.iter().map(|(column, _)| (column.clone(), read(column))));
            for (column, positions) in marks {
                let mark = match positions.is_empty() {
                    // GROUP_ID() has no keys.
                    true => sets[..number].iter().filter(|earlier| *earlier == set).count() as i64,
                    false => positions.iter().fold(0, |bits, at| bits << 1 | i64::from(!set.contains(at))),
                };
                row.push((column.clone(), Expr::literal(Value::BigInt(mark), column.ty, Span::default())));
            }
            row.iter_mut().for_each(|(column, _)| column.id = self.fresh_id());
            inputs.push(Plan::Project { input: Box::new(grouped), columns: row });
        }
        let columns = keys.iter().map(|(_, column)| column).chain(aggregates.iter().map(|(column, _)| column));
        let columns = columns.chain(marks.iter().map(|(column, _)| column)).cloned().collect();
        Ok(Plan::Union { inputs, columns })
    }

    /// Computed keys get columns below the aggregate.
    fn key_columns(&mut self, input: Plan, keys: &[(Expr, Column)]) -> (Plan, Vec<ColumnId>) {
        let own: BTreeSet<ColumnId> = input.columns().iter().map(|column| column.id).collect();
        let mut computed: Vec<(Column, Expr)> = vec![];
        let mut sources = vec![];
        for (expr, column) in keys {
            match expr.kind {
                ExprKind::Column(id) if own.contains(&id) => sources.push(id),
                _ => {
                    let source = self.fresh_column(&column.name, expr.ty);
                    sources.push(source.id);
                    computed.push((source, expr.clone()));
                }
            }
        }
        if computed.is_empty() {
            return (input, sources);
        }
        let passed = input.columns().into_iter().map(|column| {
            let expr = Expr::column(column.id, column.ty, Span::default());
            (column, expr)
        });
        let columns = passed.chain(computed).collect();
        (Plan::Project { input: Box::new(input), columns }, sources)
    }

    /// The expression over the grouped rows; reports columns that are neither keys nor aggregated.
    pub(super) fn over_groups(&mut self, mut expr: Expr, groups: &Groups, columns: &[ScopeColumn]) -> Bound<Expr> {
        let mut missing: Vec<(ColumnId, Span)> = vec![];
        replace(&mut expr, groups, &mut missing);
        if groups.widened {
            expr.update_nullability(&|id| groups.keys.iter().find(|(_, key)| key.id == id).map(|(_, key)| key.ty));
        }
        let mut result = Ok(expr);
        for (id, span) in missing {
            let name = columns.iter().find(|column| column.expr.free_columns().contains(&id)).map(|column| {
                column.table.as_ref().map_or(column.name.clone(), |table| format!("{table}.{}", column.name))
            });
            let name = name.unwrap_or_else(|| "?".to_string());
            let headline = format!("column \"{name}\" must appear in GROUP BY or in an aggregate");
            let error = Diagnostic::error(code::GROUPING_ERROR, headline, span)
                .label("has many values in a group")
                .help(format!("add {name} to GROUP BY, or write for example MAX({name})"));
            result = Err(self.report(error));
        }
        result
    }
}

fn key_name(expr: &Expr, columns: &[ScopeColumn]) -> String {
    match &expr.kind {
        ExprKind::Column(id) => columns
            .iter()
            .find(|column| matches!(&column.expr.kind, ExprKind::Column(other) if other == id))
            .map_or("key".to_string(), |column| column.name.clone()),
        _ => "key".to_string(),
    }
}

/// Puts keys in place of grouping expressions, outermost first, and gathers other uses of input columns.
fn replace(expr: &mut Expr, groups: &Groups, missing: &mut Vec<(ColumnId, Span)>) {
    if let Some((_, column)) = groups.keys.iter().find(|(key, _)| same(key, expr)) {
        *expr = Expr::column(column.id, column.ty, expr.span);
        return;
    }
    if let ExprKind::Column(id) = expr.kind
        && groups.inputs.contains(&id)
    {
        missing.push((id, expr.span));
        return;
    }
    if let ExprKind::Subquery { plan, .. } = &mut expr.kind {
        replace_in_plan(plan, groups, missing);
    }
    for child in expr.children_mut() {
        replace(child, groups, missing);
    }
}

fn replace_in_plan(plan: &mut Plan, groups: &Groups, missing: &mut Vec<(ColumnId, Span)>) {
    // Keys of an inner grouping may be outer columns only through a projection, which is an expression.
    for expr in plan.expressions_mut() {
        replace(expr, groups, missing);
    }
    for child in plan.children_mut() {
        replace_in_plan(child, groups, missing);
    }
}
