//! Aggregate calls: how they are written, and the query they belong to.

use super::scope::Clause;
use super::set_function::{self, Written, result_type};
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{AggregateCall, Expr, Span};
use sqlparser::ast::{
    self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments, NullTreatment,
};

/// Aggregates and window functions of the dialect that are still to come.
const LATER: &[&str] = &[
    "RANK",
    "DENSE_RANK",
    "ROW_NUMBER",
    "LAG",
    "LEAD",
    "FIRST_VALUE",
    "LAST_VALUE",
    "NTH_VALUE",
    "NTILE",
    "PERCENT_RANK",
    "CUME_DIST",
];

pub fn is_later(name: &str) -> bool {
    LATER.contains(&name)
}

impl Binder<'_> {
    pub(super) fn aggregate(&mut self, name: &str, function: &ast::Function, span: Span) -> Bound<Expr> {
        let written = self.written_aggregate(name, function, Clause::AggregateArgument, span)?;
        let level = self.owner(&written);
        self.check_aggregate_allowed(level, span)?;
        if let (Some(entry), [argument]) = (bits_of_bytes(name), &written.arguments[..])
            && argument.ty.ty.is_binary()
        {
            let ty = argument.ty.ty;
            let call = self.set_function(Written { name: "ARRAY_AGG", nulls: false, ..written })?;
            let values = self.add_aggregate(level, name, call, span);
            let bits = self.call(entry, vec![values], span)?;
            return self.cast(bits, ty, span);
        }
        let call = self.set_function(written)?;
        let result = self.add_aggregate(level, name, call, span);
        self.of_array(name, result, span)
    }

    /// The call with its arguments bound as parts of `clause`.
    pub(super) fn written_aggregate<'n>(
        &mut self,
        name: &'n str,
        function: &ast::Function,
        clause: Clause,
        span: Span,
    ) -> Bound<Written<'n>> {
        let FunctionArguments::List(list) = &function.args else {
            return self.wrong_arguments(name, span);
        };
        let mut nulls = function.null_treatment;
        let mut keys: Vec<&ast::OrderByExpr> = function.within_group.iter().collect();
        for clause in &list.clauses {
            match clause {
                FunctionArgumentClause::OrderBy(order) if keys.is_empty() => keys.extend(order),
                FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => nulls = Some(*treatment),
                _ => return self.unsupported(format!("this form of arguments of {name}"), span),
            }
        }
        if nulls.is_some() && !matches!(name, "ARRAY_AGG" | "JSON_AGG" | "JSON_ARRAYAGG") {
            return self.unsupported(format!("IGNORE NULLS and RESPECT NULLS of {name}"), span);
        }
        let nulls = nulls != Some(NullTreatment::IgnoreNulls);
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let mut arguments = vec![];
        let mut star = false;
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => arguments.push(expr),
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => star = true,
                _ => return self.wrong_arguments(name, span),
            }
        }
        if star && (name != "COUNT" || distinct || !arguments.is_empty()) {
            return self.wrong_arguments(name, span);
        }
        let Some(top) = self.scopes.len().checked_sub(1) else {
            let error = Diagnostic::error(code::GROUPING_ERROR, "aggregates are not allowed here", span);
            return self.fail(error);
        };
        let around = std::mem::replace(&mut self.scopes[top].clause, clause);
        let bound = self.exprs(&arguments);
        let order = keys.into_iter().map(|key| Ok((self.expr(&key.expr)?, self.order_direction(key)?))).collect();
        let filter = function.filter.as_deref().map(|filter| {
            let filter = self.expr(filter)?;
            self.condition(filter, "FILTER")
        });
        self.scopes[top].clause = around;
        let (arguments, order, filter): (_, Bound<Vec<_>>, _) = (bound?, order, filter.transpose()?);
        Ok(Written { name, arguments, order: order?, filter, distinct, nulls, span })
    }

    pub(super) fn wrong_arguments<T>(&mut self, name: &str, span: Span) -> Bound<T> {
        let error = Diagnostic::error(code::UNDEFINED_FUNCTION, format!("{name} is called with wrong arguments"), span);
        self.fail(error.help(set_function::usage(name)))
    }

    /// The level of the query whose rows the aggregate ranges over: the innermost whose columns it uses, as the standard
    /// has it; its own query when it uses none.
    pub(super) fn owner(&self, written: &Written) -> usize {
        let order = written.order.iter().map(|(key, _)| key);
        let exprs = written.arguments.iter().chain(order).chain(&written.filter);
        let ids = exprs.flat_map(Expr::free_columns).collect();
        (0..self.scopes.len()).rev().find(|level| self.scopes[*level].defines(&ids)).unwrap_or(self.scopes.len() - 1)
    }

    /// The result's column in the query at `level`; the same call twice is computed once.
    pub(super) fn add_aggregate(&mut self, level: usize, name: &str, call: AggregateCall, span: Span) -> Expr {
        let same = self.scopes[level].aggregates.iter().find(|(_, other)| same_call(other, &call));
        if let Some((column, _)) = same {
            return Expr::column(column.id, column.ty, span);
        }
        let ty = result_type(&call, self.scopes[level].scalar);
        let column = self.fresh_column(&name.to_lowercase(), ty);
        let expr = Expr::column(column.id, ty, span);
        self.scopes[level].aggregates.push((column, call));
        expr
    }
}

/// The library's entry that combines the bits of an array of bytes.
fn bits_of_bytes(name: &str) -> Option<&'static str> {
    match name {
        "BIT_AND" => Some("BYTES AND"),
        "BIT_OR" => Some("BYTES OR"),
        "BIT_XOR" => Some("BYTES XOR"),
        _ => None,
    }
}

fn same_call(a: &AggregateCall, b: &AggregateCall) -> bool {
    a.function == b.function
        && a.distinct == b.distinct
        && a.order == b.order
        && a.arguments.len() == b.arguments.len()
        && a.arguments.iter().zip(&b.arguments).all(|(a, b)| super::group::same(a, b))
}
