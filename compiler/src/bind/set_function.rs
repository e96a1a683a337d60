//! Set functions (SQL:2016 10.9): what an aggregate's name computes of its arguments, and of which type.

use super::coerce::{boolean, null};
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{AggregateCall, Expr, ExprKind, Span};
use feldc_engine::{AggregateFunction as F, Direction, Fraction};
use feldc_value::{ColumnType, SqlType, Statistic, Value};

/// Names, with the function that computes them and its number of arguments.
const FUNCTIONS: &[(&str, F, usize)] = &[
    ("COUNT", F::Count, 1),
    ("COUNTIF", F::Count, 1),
    ("SUM", F::Sum, 1),
    ("AVG", F::Avg, 1),
    ("MIN", F::Min, 1),
    ("MAX", F::Max, 1),
    // Any will do; the least is the same one for any order of the rows.
    ("ANY_VALUE", F::Min, 1),
    ("EVERY", F::Every, 1),
    ("BOOL_AND", F::Every, 1),
    ("LOGICAL_AND", F::Every, 1),
    ("SOME", F::Some, 1),
    ("BOOL_OR", F::Some, 1),
    ("LOGICAL_OR", F::Some, 1),
    ("BIT_AND", F::BitAnd, 1),
    ("BIT_OR", F::BitOr, 1),
    ("BIT_XOR", F::BitXor, 1),
    ("MODE", F::Mode, 1),
    ("ARG_MIN", F::ArgMin, 2),
    ("ARG_MAX", F::ArgMax, 2),
    ("STDDEV", F::Statistic(Statistic::StddevSamp), 1),
    ("STDDEV_POP", F::Statistic(Statistic::StddevPop), 1),
    ("STDDEV_SAMP", F::Statistic(Statistic::StddevSamp), 1),
    ("VARIANCE", F::Statistic(Statistic::VarSamp), 1),
    ("VAR_POP", F::Statistic(Statistic::VarPop), 1),
    ("VAR_SAMP", F::Statistic(Statistic::VarSamp), 1),
    ("COVAR_POP", F::Statistic(Statistic::CovarPop), 2),
    ("COVAR_SAMP", F::Statistic(Statistic::CovarSamp), 2),
    ("CORR", F::Statistic(Statistic::Corr), 2),
    ("REGR_COUNT", F::Count, 2),
    ("REGR_AVGX", F::Avg, 2),
    ("REGR_AVGY", F::Avg, 2),
    ("REGR_SXX", F::Statistic(Statistic::RegrSxx), 2),
    ("REGR_SYY", F::Statistic(Statistic::RegrSyy), 2),
    ("REGR_SXY", F::Statistic(Statistic::RegrSxy), 2),
    ("REGR_SLOPE", F::Statistic(Statistic::RegrSlope), 2),
    ("REGR_INTERCEPT", F::Statistic(Statistic::RegrIntercept), 2),
    ("REGR_R2", F::Statistic(Statistic::RegrR2), 2),
    ("STRING_AGG", F::StringAgg, 2),
    ("LISTAGG", F::StringAgg, 2),
    ("ARRAY_AGG", F::ArrayAgg, 1),
    // An array of which `collection` makes something.
    ("JSON_AGG", F::ArrayAgg, 1),
    ("JSON_ARRAYAGG", F::ArrayAgg, 1),
    ("JSON_OBJECT_AGG", F::ArrayAgg, 2),
    ("JSON_OBJECTAGG", F::ArrayAgg, 2),
    ("MAP_AGG", F::ArrayAgg, 2),
    ("MEDIAN", F::PercentileCont(MIDDLE), 1),
    // The place is the argument; the values are those of WITHIN GROUP (ORDER BY ...).
    ("PERCENTILE_CONT", F::PercentileCont(MIDDLE), 1),
    ("PERCENTILE_DISC", F::PercentileDisc(MIDDLE), 1),
];

/// Stands for the place that is written.
const MIDDLE: Fraction = Fraction::HALF;

/// An aggregate's call as it is written.
pub struct Written<'a> {
    pub name: &'a str,
    pub arguments: Vec<Expr>,
    /// ORDER BY among the arguments, or in WITHIN GROUP.
    pub order: Vec<(Expr, Direction)>,
    pub filter: Option<Expr>,
    pub distinct: bool,
    /// Do values that are NULL count? Only where the function asks.
    pub nulls: bool,
    pub span: Span,
}

pub fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, ..)| *name)
}

pub fn is_aggregate(name: &str) -> bool {
    names().any(|known| known == name)
}

/// How the function is called, for messages.
pub fn usage(name: &str) -> String {
    let arity = FUNCTIONS.iter().find(|(known, ..)| *known == name).map_or(1, |(.., arity)| *arity);
    match (name, arity) {
        ("STRING_AGG", _) => "write STRING_AGG(text, separator ORDER BY ...)".to_string(),
        ("ARRAY_AGG" | "JSON_AGG" | "JSON_ARRAYAGG", _) => format!("write {name}(x ORDER BY ...)"),
        ("MAP_AGG" | "JSON_OBJECT_AGG" | "JSON_OBJECTAGG", _) => format!("write {name}(key, value)"),
        ("LISTAGG", _) => "write LISTAGG(text, separator) WITHIN GROUP (ORDER BY ...)".to_string(),
        ("PERCENTILE_CONT" | "PERCENTILE_DISC", _) => format!("write {name}(0.5) WITHIN GROUP (ORDER BY x)"),
        ("ARG_MIN" | "ARG_MAX", _) => format!("write {name}(value, key)"),
        (_, 2) => format!("write {name}(y, x)"),
        _ => format!("write {name}(x) or {name}(DISTINCT x); only COUNT takes *"),
    }
}

impl Binder<'_> {
    pub(super) fn set_function(&mut self, written: Written<'_>) -> Bound<AggregateCall> {
        let Written { name, mut arguments, order, filter, distinct, nulls, span } = written;
        let Some(&(_, mut function, arity)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            return self.wrong_arguments(name, span);
        };
        let mut directions = vec![];
        match (name, arguments.len()) {
            ("STRING_AGG" | "LISTAGG", _) => {
                (arguments, directions) = self.joined(name, arguments, order, distinct, span)?;
            }
            ("ARRAY_AGG" | "JSON_AGG" | "JSON_ARRAYAGG", 1) => {
                (arguments, directions) = self.elements(name, arguments.remove(0), order, distinct, nulls, span)?;
            }
            ("MAP_AGG" | "JSON_OBJECT_AGG" | "JSON_OBJECTAGG", 2) if order.is_empty() => {
                let entry = self.entry(name, arguments, span)?;
                (arguments, directions) = self.elements(name, entry, order, distinct, false, span)?;
            }
            ("PERCENTILE_CONT" | "PERCENTILE_DISC" | "MEDIAN", _) => {
                if distinct {
                    let error = Diagnostic::error(code::SYNTAX_ERROR, format!("{name} takes no DISTINCT"), span);
                    return self.fail(error.help("select the distinct values in a subquery in FROM"));
                }
                let place;
                (place, arguments, directions) = self.percentile(name, arguments, order, span)?;
                function = match function {
                    F::PercentileDisc(_) => F::PercentileDisc(place),
                    _ => F::PercentileCont(place),
                };
            }
            // MODE() WITHIN GROUP (ORDER BY x)
            ("MODE", 0) if order.len() == 1 => arguments.extend(order.into_iter().map(|(key, _)| key)),
            ("COUNT", 0) => function = F::CountStar,
            ("COUNT", _) if distinct => (),
            ("COUNT", 2..) => arguments = vec![none_is_null(arguments, boolean(true, span), span)],
            (_, given) if given != arity => return self.wrong_arguments(name, span),
            ("MODE", _) if distinct => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, "MODE takes no DISTINCT", span);
                return self.fail(error.help("each distinct value is as frequent as any other: write MIN(DISTINCT x)"));
            }
            _ => (),
        }
        arguments = self.set_function_arguments(name, function, arguments, span)?;
        // FILTER: the arguments where the condition holds, NULL elsewhere; rows are counted as a COUNT of true.
        if let Some(filter) = filter {
            if function == F::CountStar {
                (function, arguments) = (F::Count, vec![boolean(true, span)]);
            }
            let mut guarded = vec![];
            for (at, argument) in arguments.into_iter().enumerate() {
                guarded.push(match argument.kind {
                    ExprKind::Literal(_) if at > 0 => argument,
                    _ => when(self.fresh_expr(&filter)?, argument, span),
                });
            }
            arguments = guarded;
        }
        // COUNT of what is never NULL counts rows.
        if let (F::Count, false, [argument]) = (function, distinct, &arguments[..])
            && !argument.ty.nullable
            && !argument.fallible()
        {
            (function, arguments) = (F::CountStar, vec![]);
        }
        let matters =
            matches!(function, F::Count | F::Sum | F::Avg | F::BitXor | F::Statistic(_) | F::StringAgg | F::ArrayAgg);
        Ok(AggregateCall { function, arguments, order: directions, distinct: distinct && matters, span })
    }

    /// The arguments as the function takes them: checked, and cast where it needs that.
    fn set_function_arguments(
        &mut self,
        name: &str,
        function: F,
        mut arguments: Vec<Expr>,
        span: Span,
    ) -> Bound<Vec<Expr>> {
        match function {
            _ if name == "COUNTIF" => {
                let condition = self.condition(arguments.remove(0), "the argument of COUNTIF")?;
                return Ok(vec![when(condition, boolean(true, span), span)]);
            }
            _ if name == "REGR_COUNT" => {
                let (_, pair) = self.numbers(name, arguments)?;
                return Ok(vec![none_is_null(pair, boolean(true, span), span)]);
            }
            _ if name == "REGR_AVGX" || name == "REGR_AVGY" => {
                let (_, mut pair) = self.numbers(name, arguments)?;
                if name == "REGR_AVGX" {
                    pair.swap(0, 1);
                }
                let averaged = self.cast(pair.remove(0), SqlType::Double, span)?;
                return Ok(vec![none_is_null(pair, averaged, span)]);
            }
            F::Every | F::Some => {
                return Ok(vec![self.condition(arguments.remove(0), &format!("the argument of {name}"))?]);
            }
            F::Sum | F::Avg | F::Statistic(_) => return Ok(self.numbers(name, arguments)?.1),
            F::BitAnd | F::BitOr | F::BitXor => {
                let argument = arguments.remove(0);
                let argument = match argument.ty.ty {
                    SqlType::Null => self.cast(argument, SqlType::Integer, span)?,
                    ty if ty.is_integer() => argument,
                    ty => return self.wrong_type(name, "an integer or bytes", ty, argument.span, "BIGINT"),
                };
                return Ok(vec![argument]);
            }
            _ => (),
        }
        let mut typed = vec![];
        for argument in arguments {
            typed.push(match argument.ty.ty {
                SqlType::Null => self.cast(argument, SqlType::VARCHAR, span)?,
                _ => argument,
            });
        }
        // A row with a NULL key counts where no row has another key.
        if let (F::ArgMin | F::ArgMax, [_, key]) = (function, &typed[..])
            && key.ty.nullable
        {
            let last = super::expr::is_null(self.fresh_expr(key)?, span);
            let first = if function == F::ArgMax { self.call("NOT", vec![last], span)? } else { last };
            typed.insert(1, first);
        }
        Ok(typed)
    }

    /// The arguments of STRING_AGG: text, separator, and what they are ordered by, which is the text itself by default.
    fn joined(
        &mut self,
        name: &str,
        mut arguments: Vec<Expr>,
        mut order: Vec<(Expr, Direction)>,
        distinct: bool,
        span: Span,
    ) -> Bound<(Vec<Expr>, Vec<Direction>)> {
        if name == "LISTAGG" && arguments.len() == 1 {
            let ty = ColumnType::new(SqlType::VARCHAR, false);
            arguments.push(Expr::literal(Value::text(""), ty, span));
        }
        let [text, separator] = &arguments[..] else { return self.wrong_arguments(name, span) };
        if distinct {
            self.check_distinct_order(name, text, &order)?;
        }
        if order.is_empty() {
            order.push((self.fresh_expr(text)?, super::order::ASCENDING));
        }
        let (text, separator) = (text.clone(), separator.clone());
        let mut joined = vec![self.cast(text, SqlType::VARCHAR, span)?, self.cast(separator, SqlType::VARCHAR, span)?];
        let directions = self.aggregate_keys(order, &mut joined, span)?;
        Ok((joined, directions))
    }

    /// The arguments of ARRAY_AGG: the value as a ROW (NULL where it has no part), and what it is ordered by, if anything.
    fn elements(
        &mut self,
        name: &str,
        value: Expr,
        order: Vec<(Expr, Direction)>,
        distinct: bool,
        nulls: bool,
        span: Span,
    ) -> Bound<(Vec<Expr>, Vec<Direction>)> {
        if distinct {
            self.check_distinct_order(name, &value, &order)?;
        }
        let value = match value.ty.ty {
            SqlType::Null => self.cast(value, SqlType::VARCHAR, span)?,
            _ => value,
        };
        let missing = (!nulls && value.ty.nullable).then(|| self.fresh_expr(&value)).transpose()?;
        let mut element = self.row(vec![value], span)?;
        if let Some(value) = missing {
            let known = self.not(super::expr::is_null(value, span), span)?;
            element = when(known, element, span);
        }
        let mut arguments = vec![element];
        let directions = self.aggregate_keys(order, &mut arguments, span)?;
        Ok((arguments, directions))
    }

    /// With DISTINCT a value stands for several rows, which other keys would tell apart.
    fn check_distinct_order(&mut self, name: &str, value: &Expr, order: &[(Expr, Direction)]) -> Bound<()> {
        let Some((key, _)) = order.iter().find(|(key, _)| !super::group::same(key, value)) else { return Ok(()) };
        let headline = format!("with DISTINCT, {name} can only be ordered by its argument");
        let error = Diagnostic::error(code::INVALID_COLUMN_REFERENCE, headline, key.span);
        self.fail(error.help("a value may stand for several rows: leave out DISTINCT or the key"))
    }

    fn aggregate_keys(
        &mut self,
        order: Vec<(Expr, Direction)>,
        arguments: &mut Vec<Expr>,
        span: Span,
    ) -> Bound<Vec<Direction>> {
        let mut directions = vec![];
        for (key, direction) in order {
            directions.push(direction);
            arguments.push(match key.ty.ty {
                SqlType::Null => self.cast(key, SqlType::VARCHAR, span)?,
                _ => key,
            });
        }
        Ok(directions)
    }

    /// The place of a percentile, and its values with their order.
    fn percentile(
        &mut self,
        name: &str,
        mut arguments: Vec<Expr>,
        mut order: Vec<(Expr, Direction)>,
        span: Span,
    ) -> Bound<(Fraction, Vec<Expr>, Vec<Direction>)> {
        if arguments.len() != 1 || order.len() != usize::from(name != "MEDIAN") {
            return self.wrong_arguments(name, span);
        }
        let argument = arguments.remove(0);
        let (place, value, direction) = match order.pop() {
            None => (MIDDLE, argument, super::order::ASCENDING),
            Some((value, direction)) => (self.place(name, argument)?, value, direction),
        };
        let value = match (name, value.ty.ty) {
            ("PERCENTILE_DISC", SqlType::Null) => self.cast(value, SqlType::VARCHAR, span)?,
            ("PERCENTILE_DISC", _) => value,
            _ => {
                let number = self.numbers(name, vec![value])?.1.remove(0);
                self.cast(number, SqlType::Double, span)?
            }
        };
        Ok((place, vec![value], vec![direction]))
    }

    fn place(&mut self, name: &str, argument: Expr) -> Bound<Fraction> {
        let span = argument.span;
        let cast = self.cast(argument, SqlType::Double, span)?;
        match cast.kind {
            ExprKind::Literal(Value::Double(place)) if (0.0..=1.0).contains(&place) => Ok(Fraction::new(place)),
            _ => {
                let headline = format!("the place of {name} must be a constant from 0 to 1");
                let error = Diagnostic::error(code::INVALID_PARAMETER, headline, span);
                self.fail(error.help(usage(name)))
            }
        }
    }

    /// Numbers of one type, which is the first result.
    fn numbers(&mut self, name: &str, arguments: Vec<Expr>) -> Bound<(SqlType, Vec<Expr>)> {
        let mut numbers = vec![];
        for argument in arguments {
            let span = argument.span;
            numbers.push(match argument.ty.ty {
                SqlType::Null => self.cast(argument, SqlType::Integer, span)?,
                ty if ty.is_numeric() => argument,
                ty => return self.wrong_type(name, "a number", ty, span, "DECIMAL(38, 2)"),
            });
        }
        self.unify(numbers, &format!("the arguments of {name}"))
    }

    fn wrong_type<T>(&mut self, name: &str, wanted: &str, ty: SqlType, span: Span, cast: &str) -> Bound<T> {
        let headline = format!("{name} takes {wanted}, not {ty}");
        let error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, span).label(ty.to_string());
        self.fail(error.help(format!("cast it: {name}(CAST(... AS {cast}))")))
    }
}

/// The type of the call's column in a query with (`scalar`: without) GROUP BY.
pub fn result_type(call: &AggregateCall, scalar: bool) -> ColumnType {
    let Some(argument) = call.arguments.first() else { return ColumnType::new(SqlType::BigInt, false) };
    let nullable = scalar || call.arguments.iter().any(|argument| argument.ty.nullable);
    match (call.function, argument.ty.ty) {
        (F::Count | F::CountStar, _) => ColumnType::new(SqlType::BigInt, false),
        (F::ArrayAgg, SqlType::Row(fields)) => {
            let element = fields.first().map_or(SqlType::Null, |field| field.columntype.ty);
            ColumnType::new(SqlType::array(element), scalar || argument.ty.nullable)
        }
        // A sum of many has more digits than one of them.
        (F::Sum, SqlType::Decimal { scale, .. }) => {
            ColumnType::new(SqlType::Decimal { precision: 38, scale }, nullable)
        }
        // A statistic of too few rows is NULL.
        (F::Statistic(statistic), argument) => ColumnType::new(statistic_type(statistic, argument), true),
        (_, ty) => ColumnType::new(ty, nullable),
    }
}

fn statistic_type(statistic: Statistic, argument: SqlType) -> SqlType {
    use Statistic::{Corr, RegrIntercept, RegrR2, RegrSlope};
    match (statistic, argument) {
        (Corr | RegrSlope | RegrIntercept | RegrR2, _) => SqlType::Double,
        // A square has more digits than its root.
        (_, SqlType::Decimal { scale, .. }) => SqlType::Decimal { precision: 38, scale },
        (_, other) => other,
    }
}

/// CASE WHEN condition THEN value END.
fn when(condition: Expr, value: Expr, span: Span) -> Expr {
    let ty = ColumnType::new(value.ty.ty, true);
    Expr { kind: ExprKind::Case { branches: vec![(condition, value)], otherwise: None }, ty, span }
}

/// The value where no argument is NULL, else NULL: TRUE is what COUNT(a, b) counts.
pub fn none_is_null(arguments: Vec<Expr>, value: Expr, span: Span) -> Expr {
    let ty = ColumnType::new(value.ty.ty, true);
    arguments.into_iter().rev().fold(value, |value, argument| {
        let branches = vec![(super::expr::is_null(argument, span), null(ty.ty, span))];
        Expr { kind: ExprKind::Case { branches, otherwise: Some(Box::new(value)) }, ty, span }
    })
}
