//! Casts that are inserted, asked or unasked, so that types agree exactly.

use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::cast::{FAMILIES, cast_function};
use feldc_value::function::{Function, Returns};
use feldc_value::{ColumnType, SqlType, Value, common_type};

impl Binder<'_> {
    /// CAST(expr AS to), for any pair of types that has a cast.
    pub(super) fn cast(&mut self, expr: Expr, to: SqlType, span: Span) -> Bound<Expr> {
        if expr.ty.ty == to {
            return Ok(expr);
        }
        if expr.ty.ty == SqlType::Null {
            return Ok(null(to, expr.span));
        }
        let function = match cast_function(expr.ty.ty, to) {
            Ok(Some(function)) => function,
            Ok(None) => match same_value(&expr, to) {
                Some(function) => function,
                None => return Ok(relabelled(expr, to)),
            },
            Err(error) => {
                let error = Diagnostic::error(error.code, error.message.to_string(), span);
                return self.fail(error.help(instead_of_cast(expr.ty.ty, to)));
            }
        };
        let nullable = function.nullable(&[expr.ty.nullable]);
        let kind = ExprKind::Call { function, arguments: vec![expr] };
        Ok(self.fold(Expr { kind, ty: ColumnType::new(to, nullable), span }))
    }

    /// The type in which two operands meet in a comparison. As the peer does, text takes the type of what it meets.
    pub(super) fn meet(&self, a: &Expr, b: &Expr) -> Option<SqlType> {
        match (text_literal(a), text_literal(b)) {
            (Some(text), None) => literal_meets(text, b.ty.ty),
            (None, Some(text)) => literal_meets(text, a.ty.ty),
            _ => meet_types(a.ty.ty, b.ty.ty),
        }
    }

    /// The common type of alternatives: CASE, COALESCE, IN lists, UNION, VALUES. Reports the first that does not fit.
    pub(super) fn common(&mut self, exprs: &[Expr], what: &str) -> Bound<SqlType> {
        // Literals in quotes adapt to the others; alone they are VARCHAR.
        let firm: Vec<&Expr> = exprs.iter().filter(|e| text_literal(e).is_none()).collect();
        let mut ty = SqlType::Null;
        let mut first: Option<&Expr> = None;
        for expr in firm.iter().copied().chain(exprs.iter().filter(|e| text_literal(e).is_some())) {
            let common = match text_literal(expr) {
                Some(_) if ty == SqlType::Null => Some(SqlType::VARCHAR),
                Some(_) if ty.is_text() => common_type(ty, expr.ty.ty),
                Some(_) => Some(ty),
                None => common_type(ty, expr.ty.ty),
            };
            match common {
                Some(common) => ty = common,
                None => {
                    let headline = format!("{what} have no common type: {ty} and {}", expr.ty.ty);
                    let mut error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, expr.span)
                        .label(format!("{}", expr.ty.ty));
                    if let Some(first) = first.filter(|first| first.span != expr.span) {
                        error = error.also(first.span, format!("{}", first.ty.ty));
                    }
                    return self.fail(error.help(format!("cast one of them, for example CAST(... AS {ty})")));
                }
            }
            if expr.ty.ty != SqlType::Null {
                first.get_or_insert(expr);
            }
        }
        Ok(ty)
    }

    /// All cast to their common type.
    pub(super) fn unify(&mut self, exprs: Vec<Expr>, what: &str) -> Bound<(SqlType, Vec<Expr>)> {
        let ty = self.common(&exprs, what)?;
        let mut cast = vec![];
        for expr in exprs {
            let span = expr.span;
            cast.push(self.cast(expr, ty, span)?);
        }
        Ok((ty, cast))
    }

    /// A search condition: BOOLEAN, or NULL.
    pub(super) fn condition(&mut self, expr: Expr, what: &str) -> Bound<Expr> {
        match expr.ty.ty {
            SqlType::Boolean => Ok(expr),
            SqlType::Null => Ok(null(SqlType::Boolean, expr.span)),
            _ if text_literal(&expr).is_some() => {
                let span = expr.span;
                self.cast(expr, SqlType::Boolean, span)
            }
            ty => {
                let headline = format!("{what} must be BOOLEAN, not {ty}");
                let error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, expr.span).label(format!("{ty}"));
                self.fail(error.help("write a comparison, for example ... <> 0"))
            }
        }
    }
}

/// The function for a cast that leaves the native value as it is, so that the change of type is seen in the tree.
fn same_value(expr: &Expr, to: SqlType) -> Option<&'static Function> {
    if matches!(expr.kind, ExprKind::Literal(_)) {
        return None;
    }
    FAMILIES.iter().copied().flatten().find(|function| {
        function.parameters[0].accepts(expr.ty.ty)
            && matches!(function.returns, Returns::Is(ty) if ty.same_family(to))
            && to.same_family(expr.ty.ty)
    })
}

/// A literal of the other type; anything else in a COALESCE of one, which only carries the type.
fn relabelled(expr: Expr, to: SqlType) -> Expr {
    let (ty, span) = (ColumnType::new(to, expr.ty.nullable), expr.span);
    match expr.kind {
        ExprKind::Literal(_) => Expr { ty, ..expr },
        _ => Expr { kind: ExprKind::Coalesce(vec![expr]), ty, span },
    }
}

/// NULL of a type.
pub fn null(ty: SqlType, span: Span) -> Expr {
    Expr::literal(Value::Null, ColumnType::new(ty, true), span)
}

pub fn boolean(value: bool, span: Span) -> Expr {
    Expr::literal(Value::Boolean(value), ColumnType::new(SqlType::Boolean, false), span)
}

pub fn integer(value: i32, span: Span) -> Expr {
    Expr::literal(Value::Integer(value), ColumnType::new(SqlType::Integer, false), span)
}

pub fn text_literal(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(Value::Text(text)) if expr.ty.ty == SqlType::VARCHAR => Some(text),
        _ => None,
    }
}

/// A literal in quotes against a value of type `other`. Against CHAR(n) it is padded rather than the column stripped,
/// so that the column can be an index key as it is.
fn literal_meets(text: &str, other: SqlType) -> Option<SqlType> {
    match other {
        SqlType::Char { length } => Some(SqlType::Char { length: length.max(text.chars().count() as u32) }),
        SqlType::Varchar { .. } | SqlType::Null => Some(SqlType::VARCHAR),
        SqlType::IntervalShort { .. } | SqlType::IntervalLong { .. } => None,
        other => Some(other),
    }
}

fn meet_types(a: SqlType, b: SqlType) -> Option<SqlType> {
    match (a, b) {
        (SqlType::Char { length: a }, SqlType::Char { length: b }) => Some(SqlType::Char { length: a.max(b) }),
        _ if a.is_text() != b.is_text() && a != SqlType::Null && b != SqlType::Null => {
            let other = if a.is_text() { b } else { a };
            if other.is_interval() { None } else { Some(other) }
        }
        // Neither need fit the other: both fit a DECIMAL.
        _ if a.is_integer() && b.is_integer() && a.is_unsigned() != b.is_unsigned() => {
            let (signed, unsigned) = if a.is_unsigned() { (b, a) } else { (a, b) };
            let wider = signed.fixed_width() > unsigned.fixed_width();
            Some(if wider { signed } else { SqlType::Decimal { precision: 20, scale: 0 } })
        }
        (SqlType::Uuid, other) | (other, SqlType::Uuid) if other.is_binary() => Some(SqlType::Uuid),
        _ => common_type(a, b),
    }
}

/// What to write where there is no cast.
fn instead_of_cast(from: SqlType, to: SqlType) -> &'static str {
    match (from, to) {
        (SqlType::Boolean, to) if to.is_numeric() => "cast it to INTEGER first: 1 for TRUE, 0 for FALSE",
        (SqlType::Boolean, _) => "write CASE WHEN ... THEN ... ELSE ... END with a value for each truth value",
        (_, SqlType::Boolean) => "compare the value with something, or ask whether it IS NULL",
        _ if from.is_interval() || to.is_interval() => {
            "an interval of one unit, such as INTERVAL DAY, counts as a number"
        }
        _ if to.is_numeric() => {
            "take a part of the value: EXTRACT(YEAR FROM ...), or count days with a difference of dates"
        }
        _ => "if the value's text is meant, cast it to VARCHAR first",
    }
}
