//! Window functions: ROW_NUMBER, RANK, DENSE_RANK, aggregates of whole partitions, and windows by name.

use super::coerce::boolean;
use super::group::same;
use super::order::ASCENDING;
use super::scope::Clause;
use super::set_function::{self, result_type};
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::plan::{AggregateCall, Column, ColumnId, Expr, ExprKind, JoinKind, OrderKey, Plan, Span};
use feldc_engine::{Direction, Rank, Window};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, FunctionArguments, NamedWindowExpr, WindowFrameBound, WindowFrameUnits, WindowType};

/// SQLSTATE "windowing error".
const WINDOWING_ERROR: &str = "42P20";

/// A call of a window function over the rows of a query, after those are grouped.
#[derive(Clone, Debug)]
pub struct WindowCall {
    function: WindowFunction,
    partition: Vec<Expr>,
}

#[derive(Clone, Debug)]
enum WindowFunction {
    Rank(Rank, Vec<(Expr, Direction)>),
    /// Over all rows of the partition.
    Aggregate(AggregateCall),
}

impl WindowCall {
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let own: Vec<&mut Expr> = match &mut self.function {
            WindowFunction::Rank(_, order) => order.iter_mut().map(|(expr, _)| expr).collect(),
            WindowFunction::Aggregate(call) => call.arguments.iter_mut().collect(),
        };
        self.partition.iter_mut().chain(own)
    }
}

/// Aggregates over the partitions by the same expressions.
struct Partition {
    by: Vec<Expr>,
    aggregates: Vec<(Column, AggregateCall)>,
}

impl Binder<'_> {
    pub(super) fn window_call(
        &mut self,
        name: &str,
        function: &ast::Function,
        over: &WindowType,
        span: Span,
    ) -> Bound<Expr> {
        let spec = match over {
            WindowType::WindowSpec(spec) => self.window_spec(spec)?,
            WindowType::NamedWindow(name) => self.named_window(name)?,
        };
        self.check_window_allowed(span)?;
        let windows = self.scopes.last().map_or(0, |scope| scope.windows.len());
        let partition = self.exprs(&spec.partition_by.iter().collect::<Vec<_>>())?;
        let (function, ty) = match rank(name) {
            Some(rank) => {
                self.check_rank_call(name, function, span)?;
                let order = spec.order_by.iter().map(|key| Ok((self.expr(&key.expr)?, self.order_direction(key)?)));
                let order = order.collect::<Bound<Vec<_>>>()?;
                (WindowFunction::Rank(rank, order), ColumnType::new(SqlType::BigInt, false))
            }
            None if set_function::is_aggregate(name) => {
                if !covers_partition(&spec) {
                    return self.unsupported("an aggregate over a part of its partition (ORDER BY or a frame)", span);
                }
                let written = self.written_aggregate(name, function, Clause::Select, span)?;
                let call = self.set_function(written)?;
                let ty = result_type(&call, partition.is_empty());
                (WindowFunction::Aggregate(call), ty)
            }
            None => {
                let what = "a window function (OVER) other than ROW_NUMBER, RANK, DENSE_RANK and aggregates";
                return self.unsupported(what, span);
            }
        };
        let column = self.fresh_column(&name.to_lowercase(), ty);
        let expr = Expr::column(column.id, ty, span);
        if let Some(scope) = self.scopes.last_mut() {
            if scope.windows.len() > windows {
                let error = Diagnostic::error(WINDOWING_ERROR, "window functions cannot be nested", span);
                return self.fail(error.help("compute the inner one in a subquery in FROM"));
            }
            scope.windows.push((column, WindowCall { function, partition }));
        }
        self.of_array(name, expr, span)
    }

    fn check_rank_call(&mut self, name: &str, function: &ast::Function, span: Span) -> Bound<()> {
        let plain = function.filter.is_none() && function.within_group.is_empty() && function.null_treatment.is_none();
        let no_arguments = match &function.args {
            FunctionArguments::List(list) => list.args.is_empty() && list.clauses.is_empty(),
            _ => false,
        };
        if plain && no_arguments {
            return Ok(());
        }
        let error = Diagnostic::error(code::UNDEFINED_FUNCTION, format!("{name} takes no argument"), span);
        self.fail(error.help(format!("write {name}() OVER (PARTITION BY ... ORDER BY ...)")))
    }

    /// Takes the windows of the clause WINDOW into the scope, each free of the names before it.
    pub(super) fn name_windows(&mut self, windows: &[ast::NamedWindowDefinition]) -> Bound<()> {
        for ast::NamedWindowDefinition(ident, window) in windows {
            let spec = match window {
                NamedWindowExpr::NamedWindow(other) => self.named_window(other)?,
                NamedWindowExpr::WindowSpec(spec) => self.window_spec(spec)?,
            };
            let name = self.name(ident);
            let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
            if scope.named_windows.iter().any(|(known, _)| *known == name.text) {
                let headline = format!("window \"{}\" is defined twice", name.text);
                return self.fail(Diagnostic::error(WINDOWING_ERROR, headline, name.span).help("rename one"));
            }
            scope.named_windows.push((name.text, spec));
        }
        Ok(())
    }

    fn named_window(&mut self, ident: &ast::Ident) -> Bound<ast::WindowSpec> {
        let name = self.name(ident);
        let known = self.scopes.last().map_or(&[][..], |scope| &scope.named_windows);
        if let Some((_, spec)) = known.iter().find(|(known, _)| *known == name.text) {
            return Ok(spec.clone());
        }
        let near = closest(&name.text, known.iter().map(|(name, _)| name.as_str())).map(str::to_string);
        let headline = format!("window \"{}\" does not exist", name.text);
        let error = Diagnostic::error(code::UNDEFINED_OBJECT, headline, name.span);
        self.fail(match near {
            Some(near) => error.help(format!("did you mean \"{near}\"?")),
            None => error.help(format!("add WINDOW {} AS (PARTITION BY ...) behind the query's HAVING", name.text)),
        })
    }

    /// The window with what it takes from the one it names (SQL:2016 7.15 syntax rule 10).
    fn window_spec(&mut self, spec: &ast::WindowSpec) -> Bound<ast::WindowSpec> {
        let Some(ident) = &spec.window_name else { return Ok(spec.clone()) };
        let base = self.named_window(ident)?;
        let name = self.name(ident);
        let repeated = if !spec.partition_by.is_empty() {
            "PARTITION BY"
        } else if !spec.order_by.is_empty() && !base.order_by.is_empty() {
            "ORDER BY"
        } else if base.window_frame.is_some() {
            "frame"
        } else {
            let order_by = if spec.order_by.is_empty() { base.order_by } else { spec.order_by.clone() };
            return Ok(ast::WindowSpec {
                window_name: None,
                order_by,
                partition_by: base.partition_by,
                ..spec.clone()
            });
        };
        let headline = format!("the {repeated} of window \"{}\" cannot be replaced", name.text);
        let error = Diagnostic::error(WINDOWING_ERROR, headline, name.span);
        self.fail(error.help("write the whole window in OVER (...)"))
    }

    pub(super) fn check_window_allowed(&mut self, span: Span) -> Bound<()> {
        let clause = self.scopes.last().map_or(Clause::From, |scope| scope.clause);
        if clause == Clause::Select {
            return Ok(());
        }
        let headline = format!("window functions are not allowed in {}", clause.name());
        let error = Diagnostic::error(WINDOWING_ERROR, headline, span);
        self.fail(error.help("write the condition in QUALIFY, or compute the function in a subquery in FROM"))
    }

    /// The plan with a column for each call.
    pub(super) fn windows(&mut self, mut plan: Plan, calls: Vec<(Column, WindowCall)>) -> Bound<Plan> {
        let rows: Vec<Column> = plan.columns();
        let mut partitions: Vec<Partition> = vec![];
        for (column, WindowCall { function, partition }) in calls {
            match function {
                WindowFunction::Rank(rank, order) => plan = self.ranked(plan, &rows, column, rank, partition, order),
                WindowFunction::Aggregate(call) => {
                    let like = |known: &&mut Partition| {
                        known.by.len() == partition.len() && known.by.iter().zip(&partition).all(|(a, b)| same(a, b))
                    };
                    match partitions.iter_mut().find(like) {
                        Some(known) => known.aggregates.push((column, call)),
                        None => partitions.push(Partition { by: partition, aggregates: vec![(column, call)] }),
                    }
                }
            }
        }
        for partition in partitions {
            plan = self.with_aggregates(plan, &rows, partition)?;
        }
        Ok(plan)
    }

    fn ranked(
        &mut self,
        plan: Plan,
        rows: &[Column],
        column: Column,
        rank: Rank,
        partition: Vec<Expr>,
        keys: Vec<(Expr, Direction)>,
    ) -> Plan {
        let mut computed: Vec<(Column, Expr)> = vec![];
        let partition = partition.into_iter().map(|expr| self.column_for(expr, rows, &mut computed)).collect();
        let mut order: Vec<OrderKey> = vec![];
        let mut compared = 0;
        for (expr, direction) in keys {
            let column = self.column_for(expr, rows, &mut computed);
            if order.iter().all(|key| key.column != column) {
                order.push(OrderKey { column, direction });
                compared += 1;
            }
        }
        // What the order leaves open, the whole row decides.
        for row in rows.iter().filter(|row| row.ty.ty != SqlType::Null) {
            if order.iter().all(|key| key.column != row.id) {
                order.push(OrderKey { column: row.id, direction: ASCENDING });
            }
        }
        let input = Box::new(with_columns(plan, computed));
        let window = Window { offset: 0, limit: None, ties: Some(compared), rank: Some(rank) };
        Plan::TopK { input, partition, order, window, ranked: Some(column) }
    }

    /// The rows joined with the aggregates of their partition.
    fn with_aggregates(&mut self, plan: Plan, rows: &[Column], partition: Partition) -> Bound<Plan> {
        self.check_size(self.statement)?;
        let mut computed: Vec<(Column, Expr)> = vec![];
        let by = partition.by.into_iter().map(|expr| (expr.ty, self.column_for(expr, rows, &mut computed)));
        let by: Vec<(ColumnType, ColumnId)> = by.collect();
        let left = with_columns(plan, computed);
        let keys = by.iter().map(|(ty, id)| (self.fresh_column("key", *ty), *id)).collect::<Vec<_>>();
        let grouped = Plan::Aggregate {
            input: Box::new(left.clone()),
            keys: keys.clone(),
            aggregates: partition.aggregates.clone(),
            scalar: keys.is_empty(),
        };
        let (right, names) = self.fresh_plan(&grouped);
        let mut equalities = vec![];
        for (key, id) in &keys {
            let sides = [*id, names[&key.id]].map(|id| Expr::column(id, key.ty, Span::default())).to_vec();
            equalities.push(self.call("IS NOT DISTINCT FROM", sides, self.statement)?);
        }
        let mut on = boolean(true, self.statement);
        if !equalities.is_empty() {
            on.kind = ExprKind::And(equalities);
        }
        let mut columns: Vec<(Column, Expr)> = left.columns().into_iter().map(pass).collect();
        for (column, _) in partition.aggregates {
            let expr = Expr::column(names[&column.id], column.ty, Span::default());
            columns.push((column, expr));
        }
        let joined = Plan::Join { kind: JoinKind::Inner, left: Box::new(left), right: Box::new(right), on };
        Ok(Plan::Project { input: Box::new(joined), columns })
    }

    /// The column that holds an expression, made if it is none of the rows' own.
    fn column_for(&mut self, expr: Expr, rows: &[Column], computed: &mut Vec<(Column, Expr)>) -> ColumnId {
        match expr.kind {
            ExprKind::Column(id) if rows.iter().any(|column| column.id == id) => id,
            _ => {
                let column = self.fresh_column("key", expr.ty);
                computed.push((column.clone(), expr));
                column.id
            }
        }
    }
}

fn rank(name: &str) -> Option<Rank> {
    match name {
        "ROW_NUMBER" => Some(Rank::RowNumber),
        "RANK" => Some(Rank::Rank),
        "DENSE_RANK" => Some(Rank::DenseRank),
        _ => None,
    }
}

/// Is the frame of each row its whole partition? Without ORDER BY all rows are peers of the current one.
fn covers_partition(spec: &ast::WindowSpec) -> bool {
    let Some(frame) = &spec.window_frame else { return spec.order_by.is_empty() };
    let peers = spec.order_by.is_empty() && !matches!(frame.units, WindowFrameUnits::Rows);
    let first = match frame.start_bound {
        WindowFrameBound::Preceding(None) => true,
        WindowFrameBound::CurrentRow => peers,
        _ => false,
    };
    let last = match frame.end_bound {
        Some(WindowFrameBound::Following(None)) => true,
        Some(WindowFrameBound::CurrentRow) | None => peers,
        _ => false,
    };
    first && last
}

fn with_columns(plan: Plan, computed: Vec<(Column, Expr)>) -> Plan {
    if computed.is_empty() {
        return plan;
    }
    let columns = plan.columns().into_iter().map(pass).chain(computed).collect();
    Plan::Project { input: Box::new(plan), columns }
}

fn pass(column: Column) -> (Column, Expr) {
    let expr = Expr::column(column.id, column.ty, Span::default());
    (column, expr)
}
