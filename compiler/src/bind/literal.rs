//! Literals: numbers by how they are written, text, dates and times.

use super::coerce::{boolean, null};
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::binary::parse_hex;
use feldc_value::cast::cast_function;
use feldc_value::function::Signature;
use feldc_value::temporal_text::parse_timestamp;
use feldc_value::{ColumnType, SqlType, Value};
use sqlparser::ast;

/// Digits that a DECIMAL holds.
const DIGITS_MAX: usize = 38;

impl Binder<'_> {
    pub(super) fn literal(&mut self, value: &ast::Value, negative: bool, span: Span) -> Bound<Expr> {
        match value {
            ast::Value::Number(digits, _) => self.number(digits, negative, span),
            ast::Value::SingleQuotedString(text) => Ok(text_value(text, span)),
            ast::Value::DollarQuotedString(text) => Ok(text_value(&text.value, span)),
            ast::Value::Boolean(value) => Ok(boolean(*value, span)),
            ast::Value::Null => Ok(null(SqlType::Null, span)),
            ast::Value::HexStringLiteral(digits) => match parse_hex(digits) {
                Some(bytes) => {
                    let ty = SqlType::Varbinary { length: Some(bytes.len().max(1) as u32) };
                    Ok(Expr::literal(Value::binary(bytes), ColumnType::new(ty, false), span))
                }
                None => {
                    let error = Diagnostic::error(code::SYNTAX_ERROR, "x'...' takes pairs of hexadecimal digits", span);
                    self.fail(error.help("write two digits for each byte, for example x'0aff'"))
                }
            },
            ast::Value::Placeholder(_) => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, "a program has no parameters", span);
                self.fail(error.help("write the value itself"))
            }
            other => self.unsupported(format!("the literal {other}"), span),
        }
    }

    /// Whole numbers are INTEGER, BIGINT or DECIMAL, the first that holds them; with a point DECIMAL; with an exponent
    /// DOUBLE.
    fn number(&mut self, digits: &str, negative: bool, span: Span) -> Bound<Expr> {
        let signed = if negative { format!("-{digits}") } else { digits.to_string() };
        let literal = |value, ty| Ok(Expr::literal(value, ColumnType::new(ty, false), span));
        if digits.contains(['e', 'E']) {
            return match signed.parse::<f64>() {
                Ok(value) if value.is_finite() => literal(Value::Double(value), SqlType::Double),
                _ => self.fail(Diagnostic::error("22003", format!("{signed} is out of range for DOUBLE"), span)),
            };
        }
        if let Ok(value) = signed.parse::<i32>() {
            return literal(Value::Integer(value), SqlType::Integer);
        }
        if let Ok(value) = signed.parse::<i64>() {
            return literal(Value::BigInt(value), SqlType::BigInt);
        }
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let unscaled = format!("{whole}{fraction}");
        let unscaled = unscaled.trim_start_matches('0');
        let precision = unscaled.len().max(fraction.len()).max(1);
        if precision > DIGITS_MAX {
            let error = Diagnostic::error("22003", format!("a number of {precision} digits is too long"), span);
            return self.fail(error.help("a DECIMAL has at most 38 digits; with an exponent (1e0) it is a DOUBLE"));
        }
        match if unscaled.is_empty() { Ok(0) } else { unscaled.parse::<i128>() } {
            Ok(units) => {
                let ty = SqlType::Decimal { precision: precision as u8, scale: fraction.len() as u8 };
                literal(Value::Decimal(if negative { -units } else { units }), ty)
            }
            Err(_) => self.fail(Diagnostic::error(code::SYNTAX_ERROR, format!("{digits} is not a number"), span)),
        }
    }

    /// `x AT TIME ZONE zone`.
    pub(super) fn at_time_zone(&mut self, time: &ast::Expr, zone: &ast::Expr, span: Span) -> Bound<Expr> {
        let time = self.expr(time)?;
        let zone = self.expr(zone)?;
        self.call("AT TIME ZONE", vec![time, zone], span)
    }

    /// What a zone is called is known now, so that a wrong name is an error of the program.
    fn instant_in_zone(&mut self, clock: Expr, zone: &str, span: Span) -> Bound<Expr> {
        let instant = self.call("AT TIME ZONE", vec![clock, text_value(zone, span)], span)?;
        match instant.kind {
            ExprKind::Literal(_) => Ok(instant),
            _ => {
                let headline =
                    format!("invalid TIMESTAMP WITH TIME ZONE literal: '{zone}' is not the name of a time zone");
                let error = Diagnostic::error(code::SYNTAX_ERROR, headline, span);
                self.fail(error.help("write for example TIMESTAMP WITH TIME ZONE '2024-02-29 14:30:00 Europe/Paris'"))
            }
        }
    }

    /// DATE '2024-02-29' and the like: text that must be a value of the type.
    pub(super) fn typed_string(&mut self, typed: &ast::TypedString, span: Span) -> Bound<Expr> {
        let ty = self.data_type(&typed.data_type, span)?;
        let text = match &typed.value.value {
            ast::Value::SingleQuotedString(text) => text,
            ast::Value::DollarQuotedString(text) => &text.value,
            other => return self.unsupported(format!("the literal {} {other}", typed.data_type), span),
        };
        let Ok(Some(function)) = cast_function(SqlType::VARCHAR, ty) else {
            return Ok(text_value(text, span));
        };
        let signature = Signature { arguments: &[SqlType::VARCHAR], result: ty };
        match (function.call)(&[Value::text(text.as_str())], &signature) {
            Ok(value) => Ok(Expr::literal(value, ColumnType::new(ty, false), span)),
            Err(_) if ty == SqlType::TimestampTz && clock_and_zone(text).is_some() => {
                let Some((clock, zone)) = clock_and_zone(text) else { return Err(Reported) };
                let clock = Expr::literal(Value::Timestamp(clock), ColumnType::new(SqlType::Timestamp, false), span);
                self.instant_in_zone(clock, zone, span)
            }
            Err(error) => {
                let headline = format!("invalid {ty} literal: {error}");
                let form = match ty {
                    SqlType::Date => "write DATE 'year-month-day', for example DATE '2024-02-29'",
                    SqlType::Time => "write for example TIME '14:30:00'",
                    SqlType::Uuid => "write 32 hexadecimal digits, perhaps with hyphens",
                    SqlType::Timestamp | SqlType::TimestampTz => "write for example TIMESTAMP '2024-02-29 14:30:00'",
                    _ => "correct the text",
                };
                self.fail(Diagnostic::error(error.code, headline, span).help(form))
            }
        }
    }
}

/// A time without an offset, in microseconds, and the name of a zone behind it.
fn clock_and_zone(text: &str) -> Option<(i64, &str)> {
    let (clock, zone) = text.trim().rsplit_once(' ')?;
    let has_offset =
        clock.get(10..).is_some_and(|time| time.contains(['+', '-']) || time.ends_with(['Z', 'z', 'C', 'c']));
    let is_name = zone.starts_with(|c: char| c.is_ascii_alphabetic()) && !has_offset;
    parse_timestamp(clock).filter(|_| is_name).map(|clock| (clock, zone))
}

pub fn text_value(text: &str, span: Span) -> Expr {
    Expr::literal(Value::text(text), ColumnType::new(SqlType::VARCHAR, false), span)
}
