//! Rank functions over windows: ROW_NUMBER, RANK, DENSE_RANK.

use super::order::ASCENDING;
use super::scope::Clause;
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Column, ColumnId, Expr, ExprKind, OrderKey, Plan, Span};
use feldc_engine::{Direction, Rank, Window};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, FunctionArguments, WindowType};

/// SQLSTATE "windowing error".
const WINDOWING_ERROR: &str = "42P20";

/// A call of a rank function over the rows of a query, before those are grouped.
#[derive(Clone, Debug)]
pub struct WindowCall {
    rank: Rank,
    partition: Vec<Expr>,
    order: Vec<(Expr, Direction)>,
}

impl WindowCall {
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.partition.iter_mut().chain(self.order.iter_mut().map(|(expr, _)| expr))
    }
}

impl Binder<'_> {
    pub(super) fn window_call(
        &mut self,
        name: &str,
        function: &ast::Function,
        over: &WindowType,
        span: Span,
    ) -> Bound<Expr> {
        let rank = match name {
            "ROW_NUMBER" => Rank::RowNumber,
            "RANK" => Rank::Rank,
            "DENSE_RANK" => Rank::DenseRank,
            _ => return self.unsupported("a window function (OVER) other than ROW_NUMBER, RANK, DENSE_RANK", span),
        };
        let WindowType::WindowSpec(spec) = over else {
            return self.unsupported("a named window", span);
        };
        if spec.window_name.is_some() || spec.window_frame.is_some() {
            return self.unsupported("a frame or a named window of a rank function", span);
        }
        let plain = function.filter.is_none() && function.within_group.is_empty() && function.null_treatment.is_none();
        let no_arguments = match &function.args {
            FunctionArguments::List(list) => list.args.is_empty() && list.clauses.is_empty(),
            _ => false,
        };
        if !plain || !no_arguments {
            let error = Diagnostic::error(code::UNDEFINED_FUNCTION, format!("{name} takes no argument"), span);
            return self.fail(error.help(format!("write {name}() OVER (PARTITION BY ... ORDER BY ...)")));
        }
        self.check_window_allowed(span)?;
        let windows = self.scopes.last().map_or(0, |scope| scope.windows.len());
        let partition = self.exprs(&spec.partition_by.iter().collect::<Vec<_>>())?;
        let mut order = vec![];
        for key in &spec.order_by {
            let direction = self.order_direction(key)?;
            order.push((self.expr(&key.expr)?, direction));
        }
        let ty = ColumnType::new(SqlType::BigInt, false);
        let column = self.fresh_column(&name.to_lowercase(), ty);
        let expr = Expr::column(column.id, ty, span);
        if let Some(scope) = self.scopes.last_mut() {
            if scope.windows.len() > windows {
                let error = Diagnostic::error(WINDOWING_ERROR, "window functions cannot be nested", span);
                return self.fail(error.help("compute the inner one in a subquery in FROM"));
            }
            scope.windows.push((column, WindowCall { rank, partition, order }));
        }
        Ok(expr)
    }

    fn check_window_allowed(&mut self, span: Span) -> Bound<()> {
        let clause = self.scopes.last().map_or(Clause::From, |scope| scope.clause);
        if clause == Clause::Select {
            return Ok(());
        }
        let headline = format!("window functions are not allowed in {}", clause.name());
        let error = Diagnostic::error(WINDOWING_ERROR, headline, span);
        self.fail(error.help("write the condition in QUALIFY, or compute the function in a subquery in FROM"))
    }

    /// The plan with a column for each call.
    pub(super) fn windows(&mut self, mut plan: Plan, calls: Vec<(Column, WindowCall)>) -> Plan {
        let rows: Vec<Column> = plan.columns();
        for (column, call) in calls {
            let mut computed: Vec<(Column, Expr)> = vec![];
            let partition: Vec<ColumnId> =
                call.partition.into_iter().map(|expr| self.column_for(expr, &rows, &mut computed)).collect();
            let mut order: Vec<OrderKey> = vec![];
            let mut compared = 0;
            for (expr, direction) in call.order {
                let column = self.column_for(expr, &rows, &mut computed);
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
            if !computed.is_empty() {
                let pass = |column: Column| {
                    let expr = Expr::column(column.id, column.ty, Span::default());
                    (column, expr)
                };
                let columns = plan.columns().into_iter().map(pass).chain(computed).collect();
                plan = Plan::Project { input: Box::new(plan), columns };
            }
            let window = Window { offset: 0, limit: None, ties: Some(compared), rank: Some(call.rank) };
            plan = Plan::TopK { input: Box::new(plan), partition, order, window, ranked: Some(column) };
        }
        plan
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
