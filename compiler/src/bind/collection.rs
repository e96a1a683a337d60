//! Collections of many rows: ARRAY(query), MAP(query), and what JSON_AGG, MAP_AGG and their like make of an ARRAY_AGG.

use super::coerce::null;
use super::expr::is_null;
use super::order::Order;
use super::query::{OutColumn, Query, unnamed};
use super::set_function::{Written, result_type};
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, ExprKind, Plan, Span, SubqueryKind};
use feldc_engine::Direction;
use feldc_value::{ColumnType, Part, RowField, SqlType, Value, nested};
use sqlparser::ast;

impl Binder<'_> {
    /// `ARRAY(query)` and `MAP(query)`.
    pub(super) fn collection_of_query(&mut self, name: &str, query: &ast::Query, span: Span) -> Bound<Expr> {
        let collected = match name {
            "ARRAY" => {
                let (query, order) = self.query_in_order(query, true)?;
                self.check_size(span)?;
                let element = self.element_of(&query.columns, span)?;
                self.array_of("ARRAY_AGG", query, vec![element], &order, span)?
            }
            "MAP" => {
                let query = self.query(query)?;
                if query.columns.len() != 2 {
                    let headline = format!("the query of a MAP has two columns, not {}", query.columns.len());
                    let error = Diagnostic::error(code::SYNTAX_ERROR, headline, span);
                    return self.fail(error.help("select the keys and the values"));
                }
                let entry = query.columns.iter().map(|column| Expr::column(column.id, column.ty, span)).collect();
                self.array_of("MAP_AGG", query, entry, &Order::default(), span)?
            }
            _ => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, format!("{name} takes no query"), span);
                return self
                    .fail(error.help(format!("write the query in parentheses of its own: {name}((SELECT ...))")));
            }
        };
        let collected = self.of_array(if name == "MAP" { "MAP_AGG" } else { name }, collected, span)?;
        let empty = match name {
            "MAP" => nested::map([]),
            _ => Value::array([]),
        };
        let empty = Expr::literal(empty, ColumnType::new(collected.ty.ty, false), span);
        self.coalesce(vec![collected, empty], span)
    }

    /// The only column, or a row of several, with their names if those differ.
    fn element_of(&mut self, columns: &[OutColumn], span: Span) -> Bound<Expr> {
        let mut fields = vec![];
        let mut values = vec![];
        for (at, column) in columns.iter().enumerate() {
            let value = Expr::column(column.id, column.ty, span);
            let value = if column.ty.ty == SqlType::Null { self.cast(value, SqlType::VARCHAR, span)? } else { value };
            let repeated = columns.iter().filter(|other| other.name == column.name).count() > 1;
            let name = if repeated { unnamed(at) } else { column.name.clone() };
            fields.push(RowField { name: Part::name(&name), columntype: value.ty });
            values.push(value);
        }
        match values.len() {
            1 => Ok(values.remove(0)),
            _ => self.row_as(values, SqlType::row(fields), span),
        }
    }

    /// The aggregate over all rows of the query.
    fn array_of(&mut self, name: &str, query: Query, arguments: Vec<Expr>, order: &Order, span: Span) -> Bound<Expr> {
        let made = query.plan.columns();
        let key = |id| made.iter().find(|column| column.id == id).map(|column| Expr::column(id, column.ty, span));
        let order: Vec<(Expr, Direction)> =
            order.keys.iter().filter_map(|order| Some((key(order.column)?, order.direction))).collect();
        let written = Written { name, arguments, order, filter: None, distinct: false, nulls: true, span };
        let call = self.set_function(written)?;
        let column = self.fresh_column("collected", result_type(&call, true));
        let ty = column.ty;
        let plan = Plan::Aggregate {
            input: Box::new(query.plan),
            keys: vec![],
            aggregates: vec![(column, call)],
            scalar: true,
        };
        Ok(Expr { kind: ExprKind::Subquery { kind: SubqueryKind::Scalar, plan: Box::new(plan) }, ty, span })
    }

    /// The entry of a map; NULL without a key.
    pub(super) fn entry(&mut self, name: &str, mut arguments: Vec<Expr>, span: Span) -> Bound<Expr> {
        for argument in &mut arguments {
            if argument.ty.ty == SqlType::Null || (name != "MAP_AGG" && argument.ty.ty.is_numeric()) {
                *argument = self.cast(argument.clone(), SqlType::VARCHAR, span)?;
            }
        }
        let key = self.fresh_expr(&arguments[0])?;
        let entry = self.row(arguments, span)?;
        if !key.ty.nullable {
            return Ok(entry);
        }
        let none = null(entry.ty.ty, span);
        self.case_of(vec![is_null(key, span)], vec![none, entry], span)
    }

    /// What an aggregate makes of the array of its values.
    pub(super) fn of_array(&mut self, name: &str, array: Expr, span: Span) -> Bound<Expr> {
        match name {
            "JSON_AGG" | "JSON_ARRAYAGG" => self.cast(array, SqlType::Variant, span),
            "MAP_AGG" => self.call("MAP_FROM_ENTRIES", vec![array], span),
            "JSON_OBJECT_AGG" | "JSON_OBJECTAGG" => {
                let map = self.call("MAP_FROM_ENTRIES", vec![array], span)?;
                self.cast(map, SqlType::Variant, span)
            }
            _ => Ok(array),
        }
    }
}
