//! Plans: each node's bag of rows, by nested loops.

use super::aggregate::aggregate;
use super::order::{compare, compare_directed, compare_rows, same};
use super::{Evaluation, Row, Scope, ids};
use crate::plan::{AggregateCall, Column, ColumnId, Expr, JoinKind, OrderKey, Plan};
use feldc_engine::{AggregateFunction, Direction, Rank, Window};
use feldc_value::{EvalError, Value};
use std::cmp::Ordering;

impl Evaluation<'_> {
    /// The rows of a plan inside the enclosing queries' rows.
    pub(super) fn rows(&mut self, plan: &Plan, outer: Option<&Scope>) -> Vec<Row> {
        match plan {
            Plan::Table { table, .. } => self.tables[table.0].clone(),
            Plan::View { view, .. } => self.views[view.0].rows.clone(),
            Plan::Values { rows, .. } => {
                let none = Scope { columns: &[], row: &[], outer };
                rows.iter().filter_map(|row| self.row(row.iter(), &none)).collect()
            }
            Plan::Filter { input, predicate } => {
                let (columns, mut rows) = (ids(input), self.rows(input, outer));
                rows.retain(|row| self.holds(predicate, &Scope { columns: &columns, row, outer }));
                rows
            }
            Plan::Project { input, columns } => {
                let (names, rows) = (ids(input), self.rows(input, outer));
                let exprs = || columns.iter().map(|(_, expr)| expr);
                rows.iter().filter_map(|row| self.row(exprs(), &Scope { columns: &names, row, outer })).collect()
            }
            Plan::Join { kind, left, right, on } => {
                let others = self.rows(right, outer);
                self.join(*kind, left, right, on, outer, &mut |_, _| others.clone())
            }
            Plan::Apply { kind, left, right, on } => {
                self.join(*kind, left, right, on, outer, &mut |this, scope| this.rows(right, Some(scope)))
            }
            Plan::Aggregate { input, keys, aggregates, scalar } => {
                self.aggregate(input, keys, aggregates, *scalar, outer)
            }
            Plan::Distinct { input } => {
                let mut rows = self.rows(input, outer);
                rows.sort_by(|a, b| compare_rows(a, b));
                rows.dedup_by(|a, b| same(a, b));
                rows
            }
            Plan::TopK { input, partition, order, window, .. } => self.top_k(input, partition, order, *window, outer),
            Plan::Unnest { input, arrays, ordinality, outer: padded, .. } => {
                self.unnest(input, arrays, ordinality.is_some(), *padded, outer)
            }
            Plan::Union { inputs, .. } => inputs.iter().flat_map(|input| self.rows(input, outer)).collect(),
            Plan::SetDifference { left, right, all, .. } => self.set_operation(left, right, *all, false, outer),
            Plan::SetIntersection { left, right, all, .. } => self.set_operation(left, right, *all, true, outer),
        }
    }

    fn unnest(
        &mut self,
        input: &Plan,
        arrays: &[ColumnId],
        number: bool,
        padded: bool,
        outer: Option<&Scope>,
    ) -> Vec<Row> {
        let columns = input.columns();
        let positions: Vec<usize> =
            arrays.iter().filter_map(|id| columns.iter().position(|column| column.id == *id)).collect();
        let mut result = vec![];
        for row in self.rows(input, outer) {
            let list = |at: usize| match &row[at] {
                Value::Array(elements) => elements.to_vec(),
                _ => vec![],
            };
            let lists: Vec<Vec<Value>> = positions.iter().map(|at| list(*at)).collect();
            let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..longest {
                let elements = lists.iter().map(|list| list.get(at).cloned().unwrap_or(Value::Null));
                let number = number.then_some(Value::Integer(at as i32 + 1));
                result.push(row.iter().cloned().chain(elements).chain(number).collect());
            }
            if longest == 0 && padded {
                let nulls = lists.len() + usize::from(number);
                result.push(row.iter().cloned().chain(std::iter::repeat_n(Value::Null, nulls)).collect());
            }
        }
        result
    }

    /// One row of expressions, or `None` and a recorded error.
    fn row<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>, scope: &Scope) -> Option<Row> {
        let row: Result<Row, EvalError> = exprs.map(|expr| self.value(expr, scope)).collect();
        self.recorded(row)
    }

    fn recorded<T>(&mut self, result: Result<T, EvalError>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    fn holds(&mut self, condition: &Expr, scope: &Scope) -> bool {
        Expr::in_order(condition.conjuncts()).into_iter().all(|conjunct| {
            let value = self.value(conjunct, scope);
            self.recorded(value) == Some(Value::Boolean(true))
        })
    }

    fn join(
        &mut self,
        kind: JoinKind,
        left: &Plan,
        right: &Plan,
        on: &Expr,
        outer: Option<&Scope>,
        others: &mut dyn FnMut(&mut Self, &Scope) -> Vec<Row>,
    ) -> Vec<Row> {
        let (left_ids, right_ids) = (ids(left), ids(right));
        let columns = [&left_ids[..], &right_ids[..]].concat();
        let mut result = vec![];
        let mut matched: Vec<bool> = vec![];
        let mut last_others = vec![];
        for row in self.rows(left, outer) {
            let rows = others(self, &Scope { columns: &left_ids, row: &row, outer });
            matched.resize(rows.len(), false);
            let pairs: Vec<Row> = rows.iter().map(|other| [&row[..], &other[..]].concat()).collect();
            let hits: Vec<bool> =
                pairs.iter().map(|pair| self.holds(on, &Scope { columns: &columns, row: pair, outer })).collect();
            matched.iter_mut().zip(&hits).for_each(|(matched, hit)| *matched |= hit);
            let found = hits.contains(&true);
            match kind {
                JoinKind::Semi if found => result.push(row),
                JoinKind::Anti if !found => result.push(row),
                JoinKind::Left | JoinKind::Full if !found => {
                    result.push([row, vec![Value::Null; right_ids.len()]].concat());
                }
                JoinKind::Semi | JoinKind::Anti => (),
                _ => result.extend(pairs.into_iter().zip(&hits).filter(|(_, hit)| **hit).map(|(pair, _)| pair)),
            }
            last_others = rows;
        }
        if kind == JoinKind::Full {
            if matched.is_empty() {
                // No left row was there to ask for the right ones.
                let nothing = vec![Value::Null; left_ids.len()];
                last_others = others(self, &Scope { columns: &left_ids, row: &nothing, outer });
                matched.resize(last_others.len(), false);
            }
            let unmatched = last_others.into_iter().zip(matched).filter(|(_, matched)| !matched);
            result.extend(unmatched.map(|(row, _)| [vec![Value::Null; left_ids.len()], row].concat()));
        }
        result
    }

    fn aggregate(
        &mut self,
        input: &Plan,
        keys: &[(Column, ColumnId)],
        aggregates: &[(Column, AggregateCall)],
        scalar: bool,
        outer: Option<&Scope>,
    ) -> Vec<Row> {
        let columns = ids(input);
        // Each row as its key, then the arguments of all calls.
        let mut rows: Vec<(Row, Row)> = vec![];
        for row in self.rows(input, outer) {
            let scope = Scope { columns: &columns, row: &row, outer };
            let key = keys.iter().map(|(_, id)| scope.get(*id)).collect();
            let arguments = aggregates.iter().flat_map(|(_, call)| &call.arguments);
            if let Some(arguments) = self.row(arguments, &scope) {
                rows.push((key, arguments));
            }
        }
        rows.sort_by(|a, b| compare_rows(&a.0, &b.0));
        let mut groups: Vec<&[(Row, Row)]> = rows.chunk_by(|a, b| same(&a.0, &b.0)).collect();
        if scalar && groups.is_empty() {
            groups.push(&[]);
        }
        groups.into_iter().filter_map(|group| self.group(group, aggregates)).collect()
    }

    fn group(&mut self, group: &[(Row, Row)], aggregates: &[(Column, AggregateCall)]) -> Option<Row> {
        let mut row = group.first().map_or(vec![], |(key, _)| key.clone());
        let mut start = 0;
        for (column, call) in aggregates {
            let own = start..start + call.arguments.len();
            start = own.end;
            let values = group.iter().map(|(_, arguments)| arguments[own.clone()].to_vec()).collect();
            let result = aggregate(call, values, column.ty);
            row.push(self.recorded(result.map_err(|error| error.at(call.span.line, call.span.column)))?);
        }
        Some(row)
    }

    /// The row of aggregates without GROUP BY over no row.
    pub(super) fn over_nothing(&self, aggregates: &[(Column, AggregateCall)]) -> Row {
        let counts =
            |call: &AggregateCall| matches!(call.function, AggregateFunction::Count | AggregateFunction::CountStar);
        aggregates.iter().map(|(_, call)| if counts(call) { Value::BigInt(0) } else { Value::Null }).collect()
    }

    /// Every copy of a row takes a place of its own in the order of its partition.
    fn top_k(
        &mut self,
        input: &Plan,
        partition: &[ColumnId],
        order: &[OrderKey],
        window: Window,
        outer: Option<&Scope>,
    ) -> Vec<Row> {
        let columns = ids(input);
        let at = |id: &ColumnId| columns.iter().position(|column| column == id);
        let partition: Vec<usize> = partition.iter().filter_map(at).collect();
        let order: Vec<(usize, Direction)> =
            order.iter().filter_map(|key| Some((at(&key.column)?, key.direction))).collect();
        let group =
            |a: &Row, b: &Row| partition.iter().map(|&n| compare(&a[n], &b[n])).fold(Ordering::Equal, Ordering::then);
        let ordered = |a: &Row, b: &Row, keys: usize| {
            let places = order[..keys].iter().map(|&(n, direction)| compare_directed(&a[n], &b[n], direction));
            places.fold(Ordering::Equal, Ordering::then)
        };
        let mut rows = self.rows(input, outer);
        rows.sort_by(|a, b| group(a, b).then_with(|| ordered(a, b, order.len())).then_with(|| compare_rows(a, b)));
        let mut taken = vec![];
        for group in rows.chunk_by(|a, b| group(a, b).is_eq()) {
            if let Some(rank) = window.rank {
                let keys = window.ties.unwrap_or(order.len());
                taken.extend(
                    ranked(group, rank, |a, b| ordered(a, b, keys).is_eq()).filter(|row| in_window(row, window)),
                );
                continue;
            }
            let start = group.len().min(usize::try_from(window.offset).unwrap_or(usize::MAX));
            let limit = window.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
            let mut end = group.len().min(start.saturating_add(limit));
            if let Some(keys) = window.ties
                && end > start
            {
                while end < group.len() && ordered(&group[end - 1], &group[end], keys).is_eq() {
                    end += 1;
                }
            }
            taken.extend_from_slice(&group[start..end]);
        }
        taken
    }

    /// EXCEPT (`keep` false: rows that find no partner) or INTERSECT (`keep` true), each partner used once.
    fn set_operation(&mut self, left: &Plan, right: &Plan, all: bool, keep: bool, outer: Option<&Scope>) -> Vec<Row> {
        let (mut left, mut right) = (self.rows(left, outer), self.rows(right, outer));
        if !all {
            left.sort_by(|a, b| compare_rows(a, b));
            left.dedup_by(|a, b| same(a, b));
        }
        left.retain(|row| {
            let partner = right.iter().position(|other| same(row, other));
            partner.map(|position| right.swap_remove(position));
            partner.is_some() == keep
        });
        left
    }
}

/// The rows, sorted, each with its rank behind it.
fn ranked(group: &[Row], rank: Rank, tie: impl Fn(&Row, &Row) -> bool) -> impl Iterator<Item = Row> {
    let (mut first, mut groups) = (0, 0);
    group.iter().enumerate().map(move |(at, row)| {
        if at == 0 || !tie(&group[at - 1], row) {
            (first, groups) = (at, groups + 1);
        }
        let number = match rank {
            Rank::RowNumber => at + 1,
            Rank::Rank => first + 1,
            Rank::DenseRank => groups,
        };
        [&row[..], &[Value::BigInt(i64::try_from(number).unwrap_or(i64::MAX))]].concat()
    })
}

fn in_window(row: &Row, window: Window) -> bool {
    let Some(Value::BigInt(rank)) = row.last() else { return false };
    let rank = rank.unsigned_abs();
    rank > window.offset && window.limit.is_none_or(|limit| rank - window.offset <= limit)
}
