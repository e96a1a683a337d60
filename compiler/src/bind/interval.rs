//! Interval literals, and differences with units: `(a - b) DAY`.

use super::{Binder, Bound, interval_text};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, Span};
use feldc_value::{ColumnType, IntervalUnit, SqlType, Value};
use sqlparser::ast::{self, DateTimeField, Interval};

const MICROS_PER_SECOND: i64 = 1_000_000;

pub fn interval_type(from: IntervalUnit, to: IntervalUnit) -> SqlType {
    match is_long(from) {
        true => SqlType::IntervalLong { from, to },
        false => SqlType::IntervalShort { from, to },
    }
}

fn is_long(unit: IntervalUnit) -> bool {
    matches!(unit, IntervalUnit::Year | IntervalUnit::Month)
}

/// The unit whose interval a written field gives, and the months or microseconds of one of the field: a WEEK is seven days.
fn unit_of(field: &str) -> Option<(IntervalUnit, i64)> {
    let field = field.to_uppercase();
    let (unit, count) = match field.strip_suffix('S').unwrap_or(&field) {
        "YEAR" => (IntervalUnit::Year, 1),
        "QUARTER" => (IntervalUnit::Month, 3),
        "MONTH" => (IntervalUnit::Month, 1),
        "WEEK" => (IntervalUnit::Day, 7),
        "DAY" => (IntervalUnit::Day, 1),
        "HOUR" => (IntervalUnit::Hour, 1),
        "MINUTE" => (IntervalUnit::Minute, 1),
        "SECOND" => (IntervalUnit::Second, 1),
        "MILLISECOND" => return Some((IntervalUnit::Second, MICROS_PER_SECOND / 1000)),
        "MICROSECOND" => return Some((IntervalUnit::Second, 1)),
        _ => return None,
    };
    Some((unit, size(unit) * count))
}

/// Months of a long unit, microseconds of a short one.
fn size(unit: IntervalUnit) -> i64 {
    match unit {
        IntervalUnit::Year => 12,
        IntervalUnit::Month => 1,
        IntervalUnit::Day => 86_400 * MICROS_PER_SECOND,
        IntervalUnit::Hour => 3600 * MICROS_PER_SECOND,
        IntervalUnit::Minute => 60 * MICROS_PER_SECOND,
        IntervalUnit::Second => MICROS_PER_SECOND,
    }
}

/// `3`, `-1.5`: units times `size`; `None` when it is no number, does not fit or has a fraction of the smallest part.
pub fn scaled(number: &str, size: i64) -> Option<i64> {
    let number = number.trim();
    let (negative, digits) = match number.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !is_number(whole) || !is_number(fraction) || fraction.len() > 12 {
        return None;
    }
    let parsed = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<i128>().ok() };
    let scale = 10i128.pow(fraction.len() as u32);
    let value = parsed(whole)?.checked_mul(i128::from(size))?;
    let part = parsed(fraction)? * i128::from(size);
    // Digits below a microsecond are cut off; a fraction of a month has no meaning.
    if part % scale != 0 && size < MICROS_PER_SECOND {
        return None;
    }
    let total = value.checked_add(part / scale)?;
    i64::try_from(if negative { -total } else { total }).ok()
}

/// `1 02:03:04.5` for DAY TO SECOND, `1-6` for YEAR TO MONTH.
fn compound(text: &str, from: IntervalUnit, to: IntervalUnit) -> Option<i64> {
    use IntervalUnit::*;
    let text = text.trim();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut parts: Vec<&str> = vec![];
    let mut rest = text;
    if from == Day {
        let (day, time) = rest.split_once(char::is_whitespace)?;
        parts.push(day);
        rest = time.trim_start();
    }
    parts.extend(rest.split(if is_long(from) { '-' } else { ':' }));
    let units: Vec<IntervalUnit> =
        [Year, Month, Day, Hour, Minute, Second].into_iter().filter(|unit| (from..=to).contains(unit)).collect();
    if parts.len() != units.len() {
        return None;
    }
    let mut total = 0i64;
    for (at, (part, unit)) in parts.iter().zip(&units).enumerate() {
        let limit = match unit {
            Month => 12,
            Hour => 24,
            Minute | Second => 60,
            Year | Day => i64::MAX,
        };
        let whole: i64 = part.split('.').next()?.parse().ok()?;
        if part.starts_with(['-', '+']) || (at > 0 && whole >= limit) || (part.contains('.') && *unit != Second) {
            return None;
        }
        total = total.checked_add(scaled(part, size(*unit))?)?;
    }
    Some(if negative { -total } else { total })
}

impl Binder<'_> {
    pub(super) fn interval(&mut self, interval: &Interval, span: Span) -> Bound<Expr> {
        let Some(leading) = &interval.leading_field else {
            return match &*interval.value {
                ast::Expr::Value(value) => match &value.value {
                    ast::Value::SingleQuotedString(text) => self.interval_with_units(text, span),
                    _ => self.needs_unit(span),
                },
                _ => self.needs_unit(span),
            };
        };
        let (from, one) = self.unit(leading, span)?;
        let (text, negative) = match interval_text(&interval.value) {
            Some(text) => text,
            None => return self.interval_of_expression(&interval.value, from, one, span),
        };
        let (ty, amount) = match &interval.last_field {
            None => (interval_type(from, from), scaled(&text, one)),
            Some(last) => {
                let to = self.unit(last, span)?.0;
                if to < from || is_long(from) != is_long(to) {
                    return self.mixed_units(leading, last, span);
                }
                let amount = if to == from { scaled(&text, one) } else { compound(&text, from, to) };
                (interval_type(from, to), amount)
            }
        };
        let amount = amount.and_then(|amount| if negative { amount.checked_neg() } else { Some(amount) });
        let value = match (ty, amount) {
            (SqlType::IntervalLong { .. }, Some(months)) => i32::try_from(months).ok().map(Value::IntervalLong),
            (_, Some(micros)) => Some(Value::IntervalShort(micros)),
            (_, None) => None,
        };
        match value {
            Some(value) => Ok(Expr::literal(value, ColumnType::new(ty, false), span)),
            None => {
                let error = Diagnostic::error("22007", format!("'{text}' is not a value of {ty}"), span);
                self.fail(error.help("write for example INTERVAL '90' DAY, INTERVAL '1 02:30:00' DAY TO SECOND"))
            }
        }
    }

    fn needs_unit<T>(&mut self, span: Span) -> Bound<T> {
        let error = Diagnostic::error(code::SYNTAX_ERROR, "an interval needs its unit", span);
        self.fail(error.help("write the unit after the value, or inside: INTERVAL '5' DAY, INTERVAL '5 days'"))
    }

    /// A text that names its units: `INTERVAL '1 day 2 hours'`, `'1 day 2 hours'::INTERVAL`.
    pub(super) fn interval_with_units(&mut self, text: &str, span: Span) -> Bound<Expr> {
        match interval_text::parse(text) {
            Ok((ty, value)) => Ok(Expr::literal(value, ColumnType::new(ty, false), span)),
            Err(interval_text::Fault::Mixed) => {
                let headline = format!("'{text}' mixes months and days in one interval");
                let error = Diagnostic::error(code::FEATURE_NOT_SUPPORTED, headline, span);
                self.fail(
                    error.help("add two intervals one after the other: t + INTERVAL '1' MONTH + INTERVAL '1' DAY"),
                )
            }
            Err(interval_text::Fault::Unreadable) if text.trim().parse::<f64>().is_ok() => self.needs_unit(span),
            Err(interval_text::Fault::Unreadable) => {
                let error = Diagnostic::error("22007", format!("'{text}' is not an interval"), span);
                self.fail(
                    error.help("write for example INTERVAL '90' DAY, INTERVAL '1 day 02:30:00', INTERVAL '2 hours'"),
                )
            }
        }
    }

    /// INTERVAL over a computed number: that many units.
    fn interval_of_expression(
        &mut self,
        value: &ast::Expr,
        unit: IntervalUnit,
        size_of_one: i64,
        span: Span,
    ) -> Bound<Expr> {
        let count = self.expr(value)?;
        if count.ty.ty.is_text() && size_of_one == size(unit) {
            return self.cast(count, interval_type(unit, unit), span);
        }
        let one = match is_long(unit) {
            true => Value::IntervalLong(size_of_one as i32),
            false => Value::IntervalShort(size_of_one),
        };
        let ty = interval_type(unit, unit);
        let one = Expr::literal(one, ColumnType::new(ty, false), span);
        let mut product = self.call("*", vec![one, count], span)?;
        product.ty.ty = ty;
        Ok(product)
    }

    pub(super) fn unit(&mut self, field: &DateTimeField, span: Span) -> Bound<(IntervalUnit, i64)> {
        match unit_of(&field.to_string()) {
            Some(unit) => Ok(unit),
            None => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, format!("{field} is not a unit of intervals"), span);
                self.fail(
                    error.help(
                        "units are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND",
                    ),
                )
            }
        }
    }

    fn mixed_units<T>(&mut self, from: impl std::fmt::Display, to: impl std::fmt::Display, span: Span) -> Bound<T> {
        let error = Diagnostic::error(code::SYNTAX_ERROR, format!("{from} TO {to} is not a range of units"), span);
        self.fail(error.help("a range goes from YEAR to MONTH, or downwards from DAY to SECOND"))
    }

    /// `(a - b) DAY TO SECOND`: `units` is "DAY TO SECOND".
    pub(super) fn difference(&mut self, operand: &ast::Expr, units: &str, span: Span) -> Bound<Expr> {
        let mut inner = operand;
        while let ast::Expr::Nested(nested) = inner {
            inner = nested;
        }
        let ast::Expr::BinaryOp { left, op: ast::BinaryOperator::Minus, right } = inner else {
            let error = Diagnostic::error(code::SYNTAX_ERROR, "units follow a difference of two times", span);
            return self.fail(error.help("write (a - b) DAY, or AS before an alias"));
        };
        let (from, to) = units.split_once(" TO ").unwrap_or((units, units));
        let (Some((from_unit, _)), Some((to_unit, _))) = (unit_of(from), unit_of(to)) else {
            return self.mixed_units(from, to, span);
        };
        if to_unit < from_unit || is_long(from_unit) != is_long(to_unit) {
            return self.mixed_units(from, to, span);
        }
        let (left, right) = self.both(left, right)?;
        let name = if is_long(from_unit) { "SUBTRACT LONG" } else { "SUBTRACT SHORT" };
        let left_is_text = super::coerce::text_literal(&left).is_some();
        let (left, right) = match (left_is_text, super::coerce::text_literal(&right).is_some()) {
            (true, false) => (self.cast_to(left, right.ty.ty)?, right),
            (false, true) => {
                let to = left.ty.ty;
                (left, self.cast_to(right, to)?)
            }
            _ => (left, right),
        };
        let mut difference = self.call(name, vec![left, right], span)?;
        difference.ty.ty = interval_type(from_unit, to_unit);
        Ok(difference)
    }

    fn cast_to(&mut self, expr: Expr, to: SqlType) -> Bound<Expr> {
        let span = expr.span;
        self.cast(expr, to, span)
    }
}

/// The written value and whether a minus stands before it; `None` when it is computed.
fn interval_text(value: &ast::Expr) -> Option<(String, bool)> {
    match value {
        ast::Expr::Value(value) => match &value.value {
            ast::Value::SingleQuotedString(text) => Some((text.clone(), false)),
            ast::Value::Number(digits, _) => Some((digits.clone(), false)),
            _ => None,
        },
        ast::Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => {
            interval_text(expr).map(|(text, negative)| (text, !negative))
        }
        ast::Expr::UnaryOp { op: ast::UnaryOperator::Plus, expr } => interval_text(expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use IntervalUnit::*;

    #[test]
    fn values_of_one_unit() {
        assert_eq!(scaled("90", size(Day)), Some(90 * 86_400_000_000));
        assert_eq!(scaled(" -1.5 ", size(Second)), Some(-1_500_000));
        assert_eq!(scaled("1.5", size(Hour)), Some(5_400_000_000));
        assert_eq!(scaled("0.5", size(Year)), Some(6));
        assert_eq!(scaled("0.3", size(Month)), None);
        assert_eq!(scaled("1 day", size(Day)), None);
        assert_eq!(scaled("99999999999999999999", size(Day)), None);
    }

    #[test]
    fn values_of_several_units() {
        assert_eq!(compound("1 02:03:04.5", Day, Second), Some(93_784_500_000));
        assert_eq!(compound("-1-6", Year, Month), Some(-18));
        assert_eq!(compound("2:30", Hour, Minute), Some(9_000_000_000));
        assert_eq!(compound("2:75", Hour, Minute), None);
        assert_eq!(compound("2", Hour, Minute), None);
    }
}
