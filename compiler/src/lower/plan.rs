//! Plan operators except joins and set operations, each to its dataflow nodes.

use super::expr::{self, canonical};
use super::flow::{Feed, FlowAggregate, FlowColumn, FlowId, FlowOp};
use super::relation::{Rel, missing};
use super::unique::Unique;
use super::{Lowering, Unsupported, internal};
use crate::plan::{AggregateCall, Column, ColumnId, Expr, ExprKind, JoinKind, OrderKey, Plan, TableId};
use feldc_engine::Window;
use std::collections::BTreeMap;

impl Lowering<'_> {
    /// A subtree that is read in several places is lowered once and kept as a stream.
    pub(super) fn plan(&mut self, plan: &Plan) -> Result<Rel, Unsupported> {
        if matches!(plan, Plan::Table { .. } | Plan::View { .. }) || !self.classes.shared(plan) {
            return self.operator(plan);
        }
        let (class, columns) = (self.classes.of(plan), plan.columns());
        if !self.shared.contains_key(&class) {
            let rel = self.operator(plan)?;
            let rel = self.materialize(rel, &columns);
            let exprs = rel.all(&columns)?;
            self.shared.insert(class, (rel.feed, exprs));
        }
        let (feed, exprs) = &self.shared[&class];
        Ok(Self::renamed(feed, exprs, &columns))
    }

    fn operator(&mut self, plan: &Plan) -> Result<Rel, Unsupported> {
        match plan {
            Plan::Table { table, columns } => {
                let node = self.table(*table);
                Ok(Rel::of(self, node, columns))
            }
            Plan::View { view, columns } => match self.views.get(view) {
                Some((feed, exprs)) => Ok(Self::renamed(feed, exprs, columns)),
                None => Err(internal(format!("view {} is read before it is defined", view.0), self.flow.span)),
            },
            Plan::Values { rows, columns } => self.values(rows, columns),
            Plan::Filter { input, predicate } => {
                let input = self.plan(input)?;
                self.filter(input, predicate)
            }
            Plan::Project { input, columns } => {
                let input = self.plan(input)?;
                self.project(input, columns)
            }
            Plan::Join { kind, left, right, on } => {
                if *kind == JoinKind::Inner
                    && let Some(rel) = self.multiway(plan)?
                {
                    return Ok(rel);
                }
                let sides = (self.plan(left)?, self.plan(right)?);
                let unique = Unique { program: self.program, views: &self.view_keys };
                let unique = (unique.keys(left), unique.keys(right));
                self.join(*kind, sides, (&left.columns(), &right.columns()), on, unique)
            }
            Plan::Apply { on, .. } => Err(internal("a dependent join was not decorrelated".to_string(), on.span)),
            Plan::Aggregate { input, keys, aggregates, scalar } => {
                let input = self.plan(input)?;
                self.aggregate(input, keys, aggregates, *scalar)
            }
            Plan::Distinct { input } => {
                let rel = self.plan(input)?;
                match self.has_unique_key(input) {
                    true => Ok(rel),
                    false => self.distinct(rel, &input.columns()),
                }
            }
            Plan::TopK { input, partition, order, window, ranked } => {
                let rel = self.plan(input)?;
                self.top_k(rel, &input.columns(), (partition, order, *window), ranked.as_ref())
            }
            Plan::Unnest { input, arrays, elements, ordinality, outer } => {
                let rel = self.plan(input)?;
                let made: Vec<&Column> = elements.iter().chain(ordinality).collect();
                self.unnest(rel, &input.columns(), arrays, &made, *outer)
            }
            Plan::Union { inputs, columns } => self.union_all(inputs, columns),
            Plan::SetDifference { left, right, all: true, columns } => self.bag_operation(left, right, columns, true),
            Plan::SetIntersection { left, right, all: true, columns } => {
                self.bag_operation(left, right, columns, false)
            }
            Plan::SetDifference { left, right, columns, .. } => self.set_operation(left, right, columns, true),
            Plan::SetIntersection { left, right, columns, .. } => self.set_operation(left, right, columns, false),
        }
    }

    pub(super) fn has_unique_key(&self, plan: &Plan) -> bool {
        !Unique { program: self.program, views: &self.view_keys }.keys(plan).is_empty()
    }

    /// The input node of a table, with all its columns in SQL order.
    pub(super) fn table(&mut self, id: TableId) -> FlowId {
        let columns = self.program.tables[id.0].columns.iter();
        let columns = columns.map(|column| FlowColumn { ty: column.ty, expr: None }).collect();
        self.flow.add(FlowOp::Table(id), columns)
    }

    /// Literal rows are one constant; other rows are computed from a row without columns, so that a failing
    /// expression is an error row like everywhere else.
    fn values(&mut self, rows: &[Vec<Expr>], columns: &[Column]) -> Result<Rel, Unsupported> {
        let literal = |expr: &Expr| match &expr.kind {
            ExprKind::Literal(value) => Some(value.clone()),
            _ => None,
        };
        let constant: Option<Vec<_>> = rows.iter().map(|row| row.iter().map(literal).collect()).collect();
        if let Some(rows) = constant {
            let columns_of = |column: &Column| FlowColumn { ty: column.ty, expr: None };
            let node = self.flow.add(FlowOp::Constant(rows), columns.iter().map(columns_of).collect());
            return Ok(Rel::of(self, node, columns));
        }
        let unit = self.flow.add(FlowOp::Constant(vec![vec![]]), vec![]);
        let empty = Rel { feed: Feed::of(unit), columns: BTreeMap::new() };
        let mut inputs = vec![];
        for row in rows {
            let exprs = row.iter().map(|expr| empty.resolve(expr)).collect::<Result<Vec<_>, _>>()?;
            inputs.push((empty.feed.clone(), exprs));
        }
        Ok(self.union(inputs, columns))
    }

    pub(super) fn distinct(&mut self, rel: Rel, columns: &[Column]) -> Result<Rel, Unsupported> {
        let mut exprs: Vec<Expr> = vec![];
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut positions: BTreeMap<ColumnId, usize> = BTreeMap::new();
        for column in columns {
            let expr = rel.column(column)?;
            let position = *known.entry(canonical(&expr)).or_insert(exprs.len());
            positions.insert(column.id, position);
            if position == exprs.len() {
                exprs.push(expr);
            }
        }
        let node = self.flow.add(FlowOp::Distinct(rel.feed), exprs.into_iter().map(FlowColumn::of).collect());
        let columns = positions.into_iter().map(|(id, position)| (id, self.flow.slot(node, position))).collect();
        Ok(Rel { feed: Feed::of(node), columns })
    }

    /// The order begins after the partition's columns; what is equal within a partition orders nothing.
    fn top_k(
        &mut self,
        rel: Rel,
        columns: &[Column],
        (partition, order, window): (&[ColumnId], &[OrderKey], Window),
        ranked: Option<&Column>,
    ) -> Result<Rel, Unsupported> {
        let named = |id: &ColumnId| columns.iter().find(|column| column.id == *id);
        let missing = || internal("an order by a column that its input has not".to_string(), self.flow.span);
        let mut listed: Vec<&Column> = vec![];
        for id in partition {
            listed.push(named(id).ok_or_else(missing)?);
        }
        let (partition, mut directions, mut ties) = (listed.len(), vec![], window.ties);
        for (place, key) in order.iter().enumerate() {
            let column = named(&key.column).ok_or_else(missing)?;
            if listed.iter().all(|other| other.id != column.id) {
                listed.push(column);
                directions.push(key.direction);
            } else if window.ties.is_some_and(|columns| place < columns) {
                ties = ties.map(|columns| columns - 1);
            }
        }
        let rest = columns.iter().filter(|column| listed.iter().all(|other| other.id != column.id));
        let all: Vec<&Column> = listed.iter().copied().chain(rest).collect();
        let mut exprs = all
            .iter()
            .map(|column| Ok(FlowColumn::of(rel.column(column)?)))
            .collect::<Result<Vec<_>, Unsupported>>()?;
        exprs.extend(ranked.map(|ranked| FlowColumn { ty: ranked.ty, expr: None }));
        let op = FlowOp::TopK { feed: rel.feed, partition, order: directions, window: Window { ties, ..window } };
        let node = self.flow.add(op, exprs);
        let all = all.into_iter().chain(ranked).enumerate();
        let columns = all.map(|(n, column)| (column.id, self.flow.slot(node, n))).collect();
        Ok(Rel { feed: Feed::of(node), columns })
    }

    /// The elements and their number, then the input's columns.
    fn unnest(
        &mut self,
        rel: Rel,
        columns: &[Column],
        arrays: &[ColumnId],
        made: &[&Column],
        outer: bool,
    ) -> Result<Rel, Unsupported> {
        let missing = || internal("elements of an array that the input has not".to_string(), self.flow.span);
        let mut exprs = vec![];
        for id in arrays {
            let array = columns.iter().find(|column| column.id == *id).ok_or_else(missing)?;
            exprs.push(rel.column(array)?);
        }
        let mut all: Vec<FlowColumn> = made.iter().map(|column| FlowColumn { ty: column.ty, expr: None }).collect();
        for column in columns {
            all.push(FlowColumn::of(rel.column(column)?));
        }
        let op = FlowOp::Unnest { feed: rel.feed, arrays: exprs, made: made.len(), outer };
        let node = self.flow.add(op, all);
        let named = made.iter().copied().chain(columns).enumerate();
        let columns = named.map(|(n, column)| (column.id, self.flow.slot(node, n))).collect();
        Ok(Rel { feed: Feed::of(node), columns })
    }

    fn aggregate(
        &mut self,
        rel: Rel,
        keys: &[(Column, ColumnId)],
        aggregates: &[(Column, AggregateCall)],
        scalar: bool,
    ) -> Result<Rel, Unsupported> {
        let mut columns: Vec<FlowColumn> = vec![];
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut positions: BTreeMap<ColumnId, usize> = BTreeMap::new();
        for (column, id) in keys {
            let definition = rel.columns.get(id).cloned();
            let expr = definition.ok_or_else(|| {
                missing(*id, &Expr { kind: ExprKind::Column(*id), ty: column.ty, span: self.flow.span })
            })?;
            let position = *known.entry(canonical(&expr)).or_insert(columns.len());
            positions.insert(column.id, position);
            if position == columns.len() {
                columns.push(FlowColumn::of(expr));
            }
        }
        if aggregates.is_empty() && scalar {
            let unit = self.flow.add(FlowOp::Constant(vec![vec![]]), vec![]);
            return Ok(Rel { feed: Feed::of(unit), columns: BTreeMap::new() });
        }
        if aggregates.is_empty() {
            let node = self.flow.add(FlowOp::Distinct(rel.feed), columns);
            let columns = positions.into_iter().map(|(id, position)| (id, self.flow.slot(node, position))).collect();
            return Ok(Rel { feed: Feed::of(node), columns });
        }
        let key = columns.len();
        let mut calls = vec![];
        for (column, call) in aggregates {
            let arguments = call.arguments.iter().map(|argument| rel.resolve(argument)).collect::<Result<_, _>>()?;
            positions.insert(column.id, columns.len());
            columns.push(FlowColumn { ty: column.ty, expr: None });
            let AggregateCall { function, distinct, span, .. } = *call;
            let order = call.order.clone();
            calls.push(FlowAggregate { function, arguments, order, distinct, result: column.ty, span });
        }
        let node = self.flow.add(FlowOp::Aggregate { feed: rel.feed, key, aggregates: calls, scalar }, columns);
        let columns = positions.into_iter().map(|(id, position)| (id, self.flow.slot(node, position))).collect();
        Ok(Rel { feed: Feed::of(node), columns })
    }

    fn union_all(&mut self, inputs: &[Plan], columns: &[Column]) -> Result<Rel, Unsupported> {
        let mut feeds = vec![];
        for input in inputs {
            let rel = self.plan(input)?;
            let exprs = rel.all(&input.columns())?;
            feeds.push((rel.feed, exprs));
        }
        Ok(self.union(feeds, columns))
    }

    /// Adds the inputs; a column is nullable where any input's expression for it is.
    pub(super) fn union(&mut self, inputs: Vec<(Feed, Vec<Expr>)>, columns: &[Column]) -> Rel {
        let ty = |(position, column): (usize, &Column)| {
            let nullable = inputs.iter().any(|(_, exprs)| exprs[position].ty.nullable);
            FlowColumn { ty: feldc_value::ColumnType::new(column.ty.ty, nullable), expr: None }
        };
        let types = columns.iter().enumerate().map(ty).collect();
        let node = self.flow.add(FlowOp::Union(inputs), types);
        let read = |(n, column): (usize, &Column)| {
            (column.id, expr::slot(n, self.flow.nodes[node.0].columns[n].ty, self.flow.span))
        };
        Rel { feed: Feed::of(node), columns: columns.iter().enumerate().map(read).collect() }
    }
}
