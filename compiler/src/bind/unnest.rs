//! UNNEST in FROM: the elements of arrays and the entries of maps as rows.

use super::from::From;
use super::query::unnamed;
use super::scope::{Clause, Scope, ScopeColumn};
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::parse::Name;
use crate::plan::{Column, Expr, ExprKind, JoinKind, Plan, Span};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr};

/// Functions in FROM, and the library's entries that give their rows as an array.
const ARRAYS: &[(&str, &str)] = &[
    ("GENERATE_SERIES", "SEQUENCE"),
    ("REGEXP_MATCHES", "REGEXP MATCHES"),
    ("REGEXP_SPLIT_TO_TABLE", "REGEXP_SPLIT_TO_ARRAY"),
];

/// Is it a function that stands in FROM alone?
pub fn is_table_function(name: &str) -> bool {
    ARRAYS.iter().any(|(known, _)| *known == name)
}

impl Binder<'_> {
    /// `UNNEST(a, ...) [WITH ORDINALITY]`, or a function whose array's elements are the rows; `None` for another function.
    pub(super) fn table_function(
        &mut self,
        name: &ast::ObjectName,
        arguments: &[FunctionArg],
        ordinality: bool,
        alias: Option<&ast::TableAlias>,
        visible: &[ScopeColumn],
        span: Span,
    ) -> Bound<Option<From>> {
        let function = name.to_string().to_uppercase();
        let array = ARRAYS.iter().find(|(name, _)| *name == function).map(|(_, array)| *array);
        if array.is_none() && function != "UNNEST" {
            return Ok(None);
        }
        let mut written = vec![];
        for argument in arguments {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => written.push(expr),
                _ => return self.unsupported(format!("this form of arguments of {function}"), span),
            }
        }
        let bound = self.within(Scope::new(visible.to_vec(), Clause::From), |binder| {
            let arguments = binder.exprs(&written)?;
            match array {
                None => Ok(arguments),
                Some(array) => Ok(vec![binder.call(array, arguments, span)?]),
            }
        });
        let from = self.unnest(bound.0?, ordinality, alias.map(|alias| self.name(&alias.name)), span)?;
        self.aliased(from, alias, None, span).map(Some)
    }

    fn unnest(&mut self, collections: Vec<Expr>, ordinality: bool, alias: Option<Name>, span: Span) -> Bound<From> {
        let (mut arrays, mut elements) = (vec![], vec![]);
        for collection in collections {
            let array = match collection.ty.ty {
                SqlType::Map(_) => self.call("MAP_ENTRIES", vec![collection], span)?,
                _ => collection,
            };
            let SqlType::Array(element) = array.ty.ty else {
                let headline = format!("UNNEST takes an ARRAY or a MAP, not {}", array.ty.ty);
                return self.fail(Diagnostic::error(code::DATATYPE_MISMATCH, headline, array.span));
            };
            let ty = if *element == SqlType::Null { SqlType::VARCHAR } else { *element };
            let place = array.span;
            let array = self.cast(array, SqlType::array(ty), place)?;
            let column = self.fresh_column("array", array.ty);
            arrays.push((column, array));
            elements.push(self.fresh_column("element", ColumnType::new(ty, true)));
        }
        let number = ordinality.then(|| self.fresh_column("ordinality", ColumnType::new(SqlType::Integer, false)));
        let mut columns = vec![];
        for element in &elements {
            self.element_columns(element, &mut columns, span)?;
        }
        if let (Some(alias), [only]) = (alias, columns.as_mut_slice())
            && only.name == unnamed(0)
        {
            (only.name, only.quoted) = (alias.text, alias.quoted);
        }
        if let Some(number) = &number {
            columns.push(scope_column("ordinality", Expr::column(number.id, number.ty, span)));
        }
        let ids = arrays.iter().map(|(column, _)| column.id).collect();
        let input = Plan::Project { input: Box::new(From::nothing().plan), columns: arrays };
        let plan = Plan::Unnest { input: Box::new(input), arrays: ids, elements, ordinality: number, outer: false };
        Ok(From { plan, columns, incomplete: false })
    }

    /// An element's own column, or those of its fields.
    fn element_columns(&mut self, element: &Column, columns: &mut Vec<ScopeColumn>, span: Span) -> Bound<()> {
        let value = Expr::column(element.id, element.ty, span);
        match element.ty.ty {
            SqlType::Row(fields) => {
                for (at, field) in fields.iter().enumerate() {
                    let value = self.field_at(value.clone(), at, span)?;
                    columns.push(scope_column(field.name.0, value));
                }
            }
            _ => columns.push(scope_column(&unnamed(columns.len()), value)),
        }
        Ok(())
    }
}

fn scope_column(name: &str, expr: Expr) -> ScopeColumn {
    ScopeColumn { table: None, name: name.to_string(), quoted: false, expr, bare: true }
}

/// A join with the elements of arrays of its left side's rows needs no join. `None` for any other join.
pub fn joined(kind: JoinKind, left: &Plan, right: &Plan, on: &Expr) -> Option<Plan> {
    let Plan::Unnest { input, arrays, elements, ordinality, outer: false } = right else { return None };
    let Plan::Project { input: unit, columns: made } = &**input else { return None };
    let outer = match kind {
        JoinKind::Inner => false,
        JoinKind::Left if matches!(on.kind, ExprKind::Literal(feldc_value::Value::Boolean(true))) => true,
        _ => return None,
    };
    if !matches!(&**unit, Plan::Values { rows, columns } if rows.len() == 1 && columns.is_empty()) {
        return None;
    }
    let kept = left.columns().into_iter().map(|column| {
        let expr = Expr::column(column.id, column.ty, on.span);
        (column, expr)
    });
    let input = Plan::Project { input: Box::new(left.clone()), columns: kept.chain(made.iter().cloned()).collect() };
    let padded =
        |column: &Column| Column { ty: ColumnType::new(column.ty.ty, outer || column.ty.nullable), ..column.clone() };
    let plan = Plan::Unnest {
        input: Box::new(input),
        arrays: arrays.clone(),
        elements: elements.clone(),
        ordinality: ordinality.as_ref().map(padded),
        outer,
    };
    Some(match &on.kind {
        ExprKind::Literal(feldc_value::Value::Boolean(true)) => plan,
        _ => Plan::Filter { input: Box::new(plan), predicate: on.clone() },
    })
}
