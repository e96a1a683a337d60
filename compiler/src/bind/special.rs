//! Function calls: plain ones, and those with syntax or units of their own.

use super::coerce::null;
use super::expr::attempt;
use super::unnest::is_table_function;
use super::variant_lambda::is_variant_lambda;
use super::{Binder, Bound, aggregate, set_function};
use crate::diagnostic::{Diagnostic, code};
use crate::library::overloads;
use crate::parse::dialect::{BETWEEN_SYMMETRIC, INTERVAL_QUALIFIER};
use crate::parse::nested::{IS_EMPTY, MAP_LITERAL};
use crate::plan::{Expr, Span};
use feldc_value::{ColumnType, SqlType, Value};
use sqlparser::ast::{
    self, CeilFloorKind, DateTimeField, FunctionArg, FunctionArgExpr, FunctionArguments, TrimWhereField,
};

/// Functions that take a unit among their arguments, and the registry's first word for them.
const WITH_UNIT: &[(&str, &str)] = &[
    ("TIMESTAMPDIFF", "TIMESTAMPDIFF"),
    ("DATEDIFF", "TIMESTAMPDIFF"),
    ("TIMESTAMPADD", "TIMESTAMPADD"),
    ("DATEADD", "TIMESTAMPADD"),
    ("DATE_TRUNC", "DATE_TRUNC"),
    ("TIMESTAMP_TRUNC", "TIMESTAMP_TRUNC"),
    ("TIME_TRUNC", "TIME_TRUNC"),
    ("DATE_PART", "EXTRACT"),
];

/// Beginnings of names of functions of the dialect that are still to come.
const LATER: &[&str] = &["CONNECTOR_METADATA", "UNNEST", "TUMBLE", "HOP", "SESSION", "UUID"];

/// Entries of the library that only the binder and the rewrites call, with types that they know; and names of operators.
const INTERNAL: &[&str] = &["FIELD", "JSON_AS", "SELECTED", "AT_MOST_ONE", "CAST", "NEG"];

/// Is this a function of the dialect that this version lacks?
pub fn is_later(name: &str) -> bool {
    LATER.iter().any(|beginning| name.to_uppercase().starts_with(beginning))
}

impl Binder<'_> {
    pub(super) fn function(&mut self, function: &ast::Function, span: Span) -> Bound<Expr> {
        let name = match function.name.0.as_slice() {
            [ast::ObjectNamePart::Identifier(ident)] => ident.value.to_uppercase(),
            _ => return self.unsupported(format!("a function name with a schema ({})", function.name), span),
        };
        if let Some(over) = &function.over {
            if let [ast::ObjectNamePart::Identifier(ident)] = function.name.0.as_slice()
                && self.is_user_aggregate(&self.name(ident).text)
            {
                let error = Diagnostic::unsupported("an aggregate of the program over a window (OVER)", span);
                return self.fail(error.help("compute it in a subquery with GROUP BY, and join that"));
            }
            return self.window_call(&name, function, over, span);
        }
        if let [ast::ObjectNamePart::Identifier(ident)] = function.name.0.as_slice()
            && self.is_user_function(&self.name(ident).text)
        {
            let own = self.name(ident).text;
            if self.is_user_aggregate(&own) {
                return self.user_aggregate(&own, function, span);
            }
            let arguments = self.plain_arguments(&name, function, span)?;
            let arguments = self.exprs(&arguments)?;
            return self.user_call(&own, arguments, span);
        }
        if let FunctionArguments::Subquery(query) = &function.args {
            return self.collection_of_query(&name, query, span);
        }
        if set_function::is_aggregate(&name) {
            return self.aggregate(&name, function, span);
        }
        if aggregate::is_later(&name) {
            return self.unsupported(format!("the aggregate {name}"), span);
        }
        if function.filter.is_some() {
            let error = Diagnostic::error(code::SYNTAX_ERROR, format!("{name} is not an aggregate"), span);
            return self.fail(error.help("FILTER goes with aggregates only"));
        }
        if matches!(function.args, FunctionArguments::None) {
            return self.call_without_parentheses(&name, span);
        }
        let plain = self.plain_arguments(&name, function, span)?;
        self.named_call(&name, &plain, span)
    }

    /// Arguments without names, DISTINCT and the like.
    fn plain_arguments<'e>(
        &mut self,
        name: &str,
        function: &'e ast::Function,
        span: Span,
    ) -> Bound<Vec<&'e ast::Expr>> {
        let arguments = match &function.args {
            FunctionArguments::None => return Ok(vec![]),
            FunctionArguments::List(list) if list.duplicate_treatment.is_none() && list.clauses.is_empty() => {
                &list.args
            }
            _ => return self.unsupported(format!("this form of arguments of {name}"), span),
        };
        let mut plain = vec![];
        for argument in arguments {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => plain.push(expr),
                _ => return self.unsupported(format!("this form of arguments of {name}"), span),
            }
        }
        Ok(plain)
    }

    fn named_call(&mut self, name: &str, arguments: &[&ast::Expr], span: Span) -> Bound<Expr> {
        if let Some(units) = name.strip_prefix(INTERVAL_QUALIFIER)
            && let [operand] = arguments
        {
            return self.difference(operand, units, span);
        }
        if let Some((_, first)) = WITH_UNIT.iter().find(|(written, _)| *written == name) {
            return self.call_with_unit(name, first, arguments, span);
        }
        match (name, arguments) {
            (BETWEEN_SYMMETRIC, [operand, low, high]) => self.between_symmetric(operand, low, high, span),
            ("GROUPING" | "GROUPING_ID" | "GROUP_ID", _) => self.grouping_mark(name, arguments, span),
            ("COALESCE" | "IFNULL" | "NVL", [_, ..]) => {
                let operands = self.exprs(arguments)?;
                self.coalesce(operands, span)
            }
            ("NULLIF", [left, right]) => self.nullif(left, right, span),
            ("IF", [test, then, otherwise]) => {
                let [test, then, otherwise] = self.three(test, then, otherwise)?;
                let test = self.condition(test, "the condition of IF")?;
                self.case_of(vec![test], vec![then, otherwise], span)
            }
            ("GREATEST" | "LEAST" | "GREATEST_IGNORE_NULLS" | "LEAST_IGNORE_NULLS", [_, ..]) => {
                let operands = self.exprs(arguments)?;
                let (_, operands) = self.unify(operands, &format!("the arguments of {name}"))?;
                self.call(name, operands, span)
            }
            ("DATE_ADD", [time, interval]) => self.plain_call("+", &[time, interval], span),
            ("DATE_SUB", [time, interval]) => self.plain_call("-", &[time, interval], span),
            ("NOW" | "CURRENT_TIMESTAMP" | "CURRENT_DATE" | "CURRENT_TIME" | "LOCALTIMESTAMP", _) => {
                self.unsupported(format!("the current time ({name})"), span)
            }
            // The peer's barrier for its optimizer, which changes nothing.
            ("BLACKBOX", [operand]) => self.expr(operand),
            ("AGE", _) => {
                let headline = "AGE would mix months and days in one interval";
                let error = Diagnostic::error(code::FEATURE_NOT_SUPPORTED, headline, span);
                self.fail(error.help("write (a - b) MONTH for the whole months between, or (a - b) DAY TO SECOND"))
            }
            ("ROW", _) => {
                let items = self.exprs(arguments)?;
                self.row(items, span)
            }
            (MAP_LITERAL, []) => Ok(Expr::literal(
                Value::Map([].into()),
                ColumnType::new(SqlType::map(SqlType::Null, SqlType::Null), false),
                span,
            )),
            (MAP_LITERAL, _) => self.plain_call("MAP", arguments, span),
            ("TRANSFORM" | "ARRAY_EXISTS" | "ARRAY_FILTER", [collection, ast::Expr::Lambda(lambda)]) => {
                self.higher_order(name, collection, lambda, span)
            }
            _ if is_table_function(name) => {
                let error = Diagnostic::error(code::FEATURE_NOT_SUPPORTED, format!("{name} stands outside FROM"), span);
                let help = match name {
                    "REGEXP_MATCHES" => "; REGEXP_MATCH gives the first match, REGEXP_LIKE says whether there is one",
                    _ => "",
                };
                self.fail(error.help(format!("it gives rows: write FROM t, {name}(...) AS r(x){help}")))
            }
            _ if is_variant_lambda(name) => self.variant_lambda(name, arguments, span),
            (IS_EMPTY, _) => self.plain_call("IS EMPTY", arguments, span),
            _ if self.types.contains_key(&name.to_lowercase()) => {
                let items = self.exprs(arguments)?;
                self.named_row(&name.to_lowercase(), items, span)
            }
            ("TRY_CAST" | "SAFE_CAST", [operand]) => self.expr(operand).map(attempt),
            ("ARRAY", []) => {
                let ty = ColumnType::new(SqlType::array(SqlType::Null), false);
                Ok(Expr::literal(Value::array([]), ty, span))
            }
            _ if INTERNAL.contains(&name) || name.contains(' ') => {
                let headline = format!("function {name} does not exist");
                self.fail(Diagnostic::error(code::UNDEFINED_FUNCTION, headline, span))
            }
            _ => self.plain_call(name, arguments, span),
        }
    }

    pub(super) fn call_without_parentheses(&mut self, name: &str, span: Span) -> Bound<Expr> {
        match name.to_uppercase().as_str() {
            "PI" => self.call("PI", vec![], span),
            "USER" => self.unsupported("USER", span),
            name => self.named_call(name, &[], span),
        }
    }

    fn between_symmetric(&mut self, a: &ast::Expr, low: &ast::Expr, high: &ast::Expr, span: Span) -> Bound<Expr> {
        let [operand, low, high] = self.three(a, low, high)?;
        let again = [self.fresh_expr(&operand)?, self.fresh_expr(&low)?, self.fresh_expr(&high)?];
        let upwards = self.between_bound(operand, low, high, span)?;
        let [operand, low, high] = again;
        let downwards = self.between_bound(operand, high, low, span)?;
        Ok(self.or(vec![upwards, downwards], span))
    }

    /// NULLIF(a, b): NULL where they are equal, else a.
    fn nullif(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Bound<Expr> {
        let (left, right) = self.both(left, right)?;
        let kept = self.fresh_expr(&left)?;
        let ty = if kept.ty.ty == SqlType::Null { SqlType::VARCHAR } else { kept.ty.ty };
        let equal = self.compare("=", left, right, span)?;
        self.case_of(vec![equal], vec![null(ty, span), kept], span)
    }

    pub(super) fn extract(&mut self, field: &DateTimeField, operand: &ast::Expr, span: Span) -> Bound<Expr> {
        let operand = self.expr(operand)?;
        self.unit_call("EXTRACT", &field.to_string(), vec![operand], span)
    }

    /// CEIL(x TO unit), FLOOR(x TO unit); without unit of a number.
    pub(super) fn round_to(
        &mut self,
        name: &str,
        operand: &ast::Expr,
        field: &CeilFloorKind,
        span: Span,
    ) -> Bound<Expr> {
        match field {
            CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => self.plain_call(name, &[operand], span),
            CeilFloorKind::DateTimeField(field) => {
                let operand = self.expr(operand)?;
                self.unit_call(&format!("{name} TO"), &field.to_string(), vec![operand], span)
            }
            CeilFloorKind::Scale(scale) => {
                let operand = self.expr(operand);
                let scale = self.literal(&scale.value, false, span);
                self.call(name, vec![operand?, scale?], span)
            }
        }
    }

    /// A call with a unit as its first or last argument, as a word or in quotes.
    fn call_with_unit(&mut self, name: &str, first: &str, arguments: &[&ast::Expr], span: Span) -> Bound<Expr> {
        let at = [0, arguments.len().saturating_sub(1)].into_iter().find(|at| {
            arguments.get(*at).and_then(|argument| unit_word(argument)).is_some_and(|u| has_unit(first, &u))
        });
        let Some(at) = at else {
            let error = Diagnostic::error(code::SYNTAX_ERROR, format!("{name} needs a unit"), span);
            return self.fail(error.help(format!("write the unit as a word, for example {}", example(first))));
        };
        let unit = unit_word(arguments[at]).unwrap_or_default();
        let others: Vec<&ast::Expr> =
            arguments.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, e)| *e).collect();
        let others = self.exprs(&others)?;
        self.unit_call(first, &unit, others, span)
    }

    fn unit_call(&mut self, first: &str, unit: &str, arguments: Vec<Expr>, span: Span) -> Bound<Expr> {
        let unit = normal_unit(unit);
        if !has_unit(first, &unit) {
            let headline = format!("{unit} is not a unit of {first}");
            let error = Diagnostic::error(code::INVALID_PARAMETER, headline, span);
            return self.fail(error.help("write for example YEAR, MONTH, DAY, HOUR, MINUTE or SECOND"));
        }
        // A text literal beside a unit is a time.
        let ty = if first == "TIME_TRUNC" { SqlType::Time } else { SqlType::Timestamp };
        let arguments = arguments
            .into_iter()
            .map(|argument| match super::coerce::text_literal(&argument) {
                Some(_) => {
                    let place = argument.span;
                    self.cast(argument, ty, place)
                }
                None => Ok(argument),
            })
            .collect::<Bound<Vec<Expr>>>()?;
        self.call(&format!("{first} {unit}"), arguments, span)
    }

    /// `name` is SUBSTRING or SUBSTR, which counts from the end where the position is negative.
    pub(super) fn substring(
        &mut self,
        name: &str,
        text: &ast::Expr,
        from: Option<&ast::Expr>,
        length: Option<&ast::Expr>,
        span: Span,
    ) -> Bound<Expr> {
        let text = self.expr(text)?;
        let from = match from {
            Some(from) => self.expr(from)?,
            None => super::coerce::integer(1, span),
        };
        let mut arguments = vec![text, from];
        if let Some(length) = length {
            arguments.push(self.expr(length)?);
        }
        self.call(name, arguments, span)
    }

    /// TRIM([LEADING | TRAILING | BOTH] [c] FROM s).
    pub(super) fn trim(
        &mut self,
        side: Option<&TrimWhereField>,
        what: Option<&ast::Expr>,
        text: &ast::Expr,
        span: Span,
    ) -> Bound<Expr> {
        let what = what.map(|what| self.expr(what)).transpose();
        let text = self.expr(text)?;
        let side = match side {
            Some(TrimWhereField::Leading) => "LEADING",
            Some(TrimWhereField::Trailing) => "TRAILING",
            _ => "BOTH",
        };
        let what = match what? {
            Some(what) => what,
            None if side == "BOTH" => return self.call("TRIM", vec![text], span),
            None => super::literal::text_value(" ", span),
        };
        self.call(&format!("TRIM {side}"), vec![what, text], span)
    }
}

fn has_unit(first: &str, unit: &str) -> bool {
    overloads(&format!("{first} {unit}")).next().is_some()
}

/// A word or text as a unit.
fn unit_word(expr: &ast::Expr) -> Option<String> {
    match expr {
        ast::Expr::Identifier(ident) if ident.quote_style.is_none() => Some(normal_unit(&ident.value)),
        ast::Expr::Value(value) => match &value.value {
            ast::Value::SingleQuotedString(text) => Some(normal_unit(text)),
            _ => None,
        },
        _ => None,
    }
}

/// The unit in the singular, without the prefix of ODBC.
fn normal_unit(unit: &str) -> String {
    let unit = unit.to_uppercase();
    let unit = unit.strip_prefix("SQL_TSI_").unwrap_or(&unit);
    match unit {
        "MILLENIUM" => "MILLENNIUM".to_string(),
        "CENTURIES" => "CENTURY".to_string(),
        "DAYOFWEEK" => "DOW".to_string(),
        "DAYOFYEAR" => "DOY".to_string(),
        "FRAC_SECOND" => "NANOSECOND".to_string(),
        unit => unit.strip_suffix('S').filter(|_| unit.len() > 3).unwrap_or(unit).to_string(),
    }
}

fn example(first: &str) -> &'static str {
    match first {
        "TIMESTAMPDIFF" => "TIMESTAMPDIFF(DAY, a, b)",
        "TIMESTAMPADD" => "TIMESTAMPADD(DAY, 1, a)",
        "EXTRACT" => "DATE_PART(DAY, a)",
        _ => "DATE_TRUNC(a, MONTH)",
    }
}
