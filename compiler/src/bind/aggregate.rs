//! Aggregate calls: their arguments, result types and the query they belong to.

use super::coerce::boolean;
use super::scope::Clause;
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{AggregateCall, Expr, ExprKind, Span};
use feldc_engine::AggregateFunction;
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArguments};

/// Names of the aggregates of this version.
pub const NAMES: &[&str] = &[
    "COUNT",
    "COUNTIF",
    "SUM",
    "AVG",
    "MIN",
    "MAX",
    "EVERY",
    "BOOL_AND",
    "LOGICAL_AND",
    "SOME",
    "BOOL_OR",
    "LOGICAL_OR",
];
/// Aggregates and window functions of the dialect that are still to come.
const LATER: &[&str] = &[
    "ARRAY_AGG",
    "ARG_MAX",
    "ARG_MIN",
    "BIT_AND",
    "BIT_OR",
    "BIT_XOR",
    "COVAR_POP",
    "COVAR_SAMP",
    "CORR",
    "MODE",
    "REGR_COUNT",
    "REGR_SXX",
    "REGR_SYY",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "VAR_POP",
    "VAR_SAMP",
    "VARIANCE",
    "STRING_AGG",
    "LISTAGG",
    "JSON_AGG",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "GROUPING",
    "GROUPING_ID",
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

pub fn is_aggregate(name: &str) -> bool {
    NAMES.contains(&name)
}

pub fn is_later(name: &str) -> bool {
    LATER.contains(&name)
}

impl Binder<'_> {
    pub(super) fn aggregate(&mut self, name: &str, function: &ast::Function, span: Span) -> Bound<Expr> {
        let FunctionArguments::List(list) = &function.args else {
            return self.wrong_arguments(name, span);
        };
        if !list.clauses.is_empty() || !function.within_group.is_empty() || function.null_treatment.is_some() {
            return self.unsupported(format!("ORDER BY and the like inside {name}"), span);
        }
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
        let clause = std::mem::replace(&mut self.scopes[top].clause, Clause::AggregateArgument);
        let bound = self.exprs(&arguments);
        let filter = function.filter.as_deref().map(|filter| {
            let filter = self.expr(filter)?;
            self.condition(filter, "FILTER")
        });
        self.scopes[top].clause = clause;
        let (arguments, filter) = (bound?, filter.transpose()?);
        let level = self.owner(&arguments, filter.as_ref());
        self.check_aggregate_allowed(level, span)?;
        let call = self.aggregate_call(name, arguments, filter, distinct, span)?;
        Ok(self.add_aggregate(level, name, call, span))
    }

    fn wrong_arguments<T>(&mut self, name: &str, span: Span) -> Bound<T> {
        let error = Diagnostic::error(code::UNDEFINED_FUNCTION, format!("{name} is called with wrong arguments"), span);
        self.fail(error.help(format!("write {name}(x) or {name}(DISTINCT x); only COUNT takes *")))
    }

    /// The level of the query whose rows the aggregate ranges over: the innermost whose columns it uses, as the standard
    /// has it; its own query when it uses none.
    fn owner(&self, arguments: &[Expr], filter: Option<&Expr>) -> usize {
        let ids = arguments.iter().chain(filter).flat_map(Expr::free_columns).collect();
        (0..self.scopes.len()).rev().find(|level| self.scopes[*level].defines(&ids)).unwrap_or(self.scopes.len() - 1)
    }

    fn aggregate_call(
        &mut self,
        name: &str,
        mut arguments: Vec<Expr>,
        filter: Option<Expr>,
        distinct: bool,
        span: Span,
    ) -> Bound<AggregateCall> {
        let function = match name {
            "COUNT" if arguments.is_empty() => AggregateFunction::CountStar,
            "COUNT" | "COUNTIF" => AggregateFunction::Count,
            "SUM" => AggregateFunction::Sum,
            "AVG" => AggregateFunction::Avg,
            "MIN" => AggregateFunction::Min,
            "MAX" => AggregateFunction::Max,
            "EVERY" | "BOOL_AND" | "LOGICAL_AND" => AggregateFunction::Every,
            _ => AggregateFunction::Some,
        };
        let mut argument = match (name, arguments.len()) {
            ("COUNT", 0) => None,
            (_, 1) => Some(arguments.remove(0)),
            ("COUNT", _) if distinct => return self.unsupported("COUNT(DISTINCT a, b)", span),
            ("COUNT", _) => Some(none_is_null(arguments, span)),
            _ => return self.wrong_arguments(name, span),
        };
        if let Some(present) = argument.take() {
            let present = self.aggregate_argument(name, function, present, span)?;
            argument = Some(present);
        }
        if name == "COUNTIF" {
            argument = argument.map(|condition| when(condition, boolean(true, span), span));
        }
        // FILTER: the argument where the condition holds, NULL elsewhere; rows are counted as a COUNT of true.
        let mut function = function;
        if let Some(filter) = filter {
            let counted = argument.unwrap_or_else(|| boolean(true, span));
            if function == AggregateFunction::CountStar {
                function = AggregateFunction::Count;
            }
            argument = Some(when(filter, counted, span));
        }
        // COUNT of what is never NULL counts rows.
        if function == AggregateFunction::Count
            && !distinct
            && argument.as_ref().is_some_and(|argument| !argument.ty.nullable && !argument.fallible())
        {
            (function, argument) = (AggregateFunction::CountStar, None);
        }
        let matters = matches!(function, AggregateFunction::Count | AggregateFunction::Sum | AggregateFunction::Avg);
        Ok(AggregateCall { function, argument, distinct: distinct && matters, span })
    }

    /// Checks the argument's type.
    fn aggregate_argument(
        &mut self,
        name: &str,
        function: AggregateFunction,
        argument: Expr,
        span: Span,
    ) -> Bound<Expr> {
        let ty = argument.ty.ty;
        match function {
            _ if name == "COUNTIF" => self.condition(argument, "the argument of COUNTIF"),
            AggregateFunction::Every | AggregateFunction::Some => {
                self.condition(argument, &format!("the argument of {name}"))
            }
            AggregateFunction::Sum | AggregateFunction::Avg if ty == SqlType::Null => {
                self.cast(argument, SqlType::Integer, span)
            }
            AggregateFunction::Sum | AggregateFunction::Avg if !ty.is_numeric() => {
                let headline = format!("{name} takes a number, not {ty}");
                let error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, argument.span).label(ty.to_string());
                self.fail(error.help(format!("cast it: {name}(CAST(... AS DECIMAL(38, 2)))")))
            }
            _ if ty == SqlType::Null => self.cast(argument, SqlType::VARCHAR, span),
            _ => Ok(argument),
        }
    }

    /// The result's column in the query at `level`; the same call twice is computed once.
    fn add_aggregate(&mut self, level: usize, name: &str, call: AggregateCall, span: Span) -> Expr {
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

fn result_type(call: &AggregateCall, scalar: bool) -> ColumnType {
    let Some(argument) = &call.argument else { return ColumnType::new(SqlType::BigInt, false) };
    let nullable = argument.ty.nullable || scalar;
    match (call.function, argument.ty.ty) {
        (AggregateFunction::Count | AggregateFunction::CountStar, _) => ColumnType::new(SqlType::BigInt, false),
        // A sum of many has more digits than one of them.
        (AggregateFunction::Sum, SqlType::Decimal { scale, .. }) => {
            ColumnType::new(SqlType::Decimal { precision: 38, scale }, nullable)
        }
        (_, ty) => ColumnType::new(ty, nullable),
    }
}

fn same_call(a: &AggregateCall, b: &AggregateCall) -> bool {
    a.function == b.function
        && a.distinct == b.distinct
        && match (&a.argument, &b.argument) {
            (None, None) => true,
            (Some(a), Some(b)) => super::group::same(a, b),
            _ => false,
        }
}

/// CASE WHEN condition THEN value END.
fn when(condition: Expr, value: Expr, span: Span) -> Expr {
    let ty = ColumnType::new(value.ty.ty, true);
    Expr { kind: ExprKind::Case { branches: vec![(condition, value)], otherwise: None }, ty, span }
}

/// TRUE where no argument is NULL, else NULL: what COUNT(a, b) counts.
fn none_is_null(arguments: Vec<Expr>, span: Span) -> Expr {
    let mut result = boolean(true, span);
    for argument in arguments.into_iter().rev() {
        let ty = ColumnType::new(SqlType::Boolean, true);
        let null = super::coerce::null(SqlType::Boolean, span);
        let branches = vec![(super::expr::is_null(argument, span), null)];
        result = Expr { kind: ExprKind::Case { branches, otherwise: Some(Box::new(result)) }, ty, span };
    }
    result
}
