//! The value of an aggregate from the state of its group.
//!
//! Sums are exact here; only a final value that does not fit its type is an error, and another row may heal it.

use super::accumulate::{f64_at, i128_at, real_at};
use super::extreme::{Texts, extreme};
use super::plan::{Kind, Output, ROWS, Value};
use super::wide::Wide;
use super::{percentile, statistics};
use crate::layout::skip_column;
use crate::row;
use crate::trace::arena::i64_at;
use feldc_value::error::{CARDINALITY_VIOLATION, LIMIT_EXCEEDED, NUMERIC_OUT_OF_RANGE};
use feldc_value::{ColumnType, EvalError, Outcome, SqlError, SqlType};

impl Output {
    /// Appends the column of this aggregate.
    #[inline]
    pub fn write(&self, state: &[u8], texts: &Texts, out: &mut Vec<u8>) -> Result<(), EvalError> {
        let result = self.aggregate.result;
        match self.value {
            Value::Count(at) => self.put_exact(Some(i128::from(i64_at(state, at))), out)?,
            Value::Sum { count, .. } if i64_at(state, count) <= 0 => put_null(result, out),
            Value::Sum { kind: Kind::FloatSum(_), sum, average: false, .. } if result.ty == SqlType::Real => {
                put_tag(result, out);
                row::put_f32(out, real_at(state, sum));
            }
            Value::Sum { kind: Kind::FloatSum(_), sum, count, average, .. } => {
                let divisor = if average { i64_at(state, count) as f64 } else { 1.0 };
                self.put_float(f64_at(state, sum) / divisor, out)?;
            }
            Value::Sum { kind, sum, count, average, argument } => {
                let sum = match kind {
                    Kind::WideSum => Wide::from_bytes(&state[sum..]),
                    _ => Wide::from(i128_at(state, sum)),
                };
                let divisor = if average { i64_at(state, count).unsigned_abs() } else { 1 };
                self.put_quotient(sum, divisor, argument, out)?;
            }
            Value::Single { .. } if i64_at(state, ROWS) > 1 => return Err(self.too_many_rows()),
            Value::Extreme { at, width } | Value::Single { at, width } => match extreme(state, at, width, texts) {
                None => put_null(result, out),
                Some(value) => {
                    put_tag(result, out);
                    out.extend_from_slice(value);
                }
            },
            Value::Behind { at, width, before, value } => match extreme(state, at, width, texts) {
                None => put_null(result, out),
                Some(found) => {
                    let start = before.into_iter().flatten().fold(0, |start, column| skip_column(column, found, start));
                    if !value.nullable {
                        put_tag(result, out);
                    }
                    out.extend_from_slice(&found[start..]);
                }
            },
            Value::Derived(at) => match statistics::value_at(state, at) {
                Outcome::Null => put_null(result, out),
                Outcome::Exact(value) => self.put_exact(Some(value), out)?,
                Outcome::Float(value) => self.put_float(value, out)?,
                Outcome::OutOfRange => return Err(self.out_of_range()),
            },
            Value::Collected(at) if state[at + 4] != 0 => {
                let message = format!("the result of {} exceeds 1 GiB", self.aggregate.function.name());
                return Err(self.error(SqlError::new(LIMIT_EXCEEDED, message)));
            }
            Value::Collected(at) => match extreme(state, at, None, texts) {
                None => put_null(result, out),
                Some(text) => {
                    put_tag(result, out);
                    out.extend_from_slice(text);
                }
            },
            // There is a result where there is a value.
            Value::Interpolated(at) => match extreme(state, at + percentile::FIXED, Some(8), texts) {
                None => put_null(result, out),
                Some(_) => self.put_float(f64_at(state, at + 8), out)?,
            },
            Value::Xor { count, .. } | Value::Bits { count, .. } if i64_at(state, count) <= 0 => put_null(result, out),
            Value::Xor { at, number, .. } => {
                self.put_exact(Some(number.extended(i64_at(state, at).cast_unsigned())), out)?;
            }
            Value::Bits { at, count, number, all } => {
                let wanted = if all { i64_at(state, count) } else { 1 };
                let set = (0..number.bits()).filter(|bit| i64_at(state, at + 8 * bit) >= wanted);
                let bits = set.fold(0u64, |bits, bit| bits | 1 << bit);
                self.put_exact(Some(number.extended(bits)), out)?;
            }
            Value::Every { yes, no } => put_truth(result, truth(state, no, false).or(truth(state, yes, true)), out),
            Value::Some { yes, no } => put_truth(result, truth(state, yes, true).or(truth(state, no, false)), out),
            Value::Null => put_null(result, out),
        }
        Ok(())
    }

    /// Appends the quotient, truncated toward zero; `argument` tells the scale of the sum.
    fn put_quotient(&self, sum: Wide, divisor: u64, argument: SqlType, out: &mut Vec<u8>) -> Result<(), EvalError> {
        let result = self.aggregate.result.ty;
        if result.is_float() {
            let units = sum.narrow().map_or(f64::NAN, |sum| sum as f64);
            return self.put_float(units / divisor as f64 / 10f64.powi(scale(argument)), out);
        }
        let shift = 10i128.checked_pow((scale(result) - scale(argument)).unsigned_abs());
        let quotient = match scale(result) - scale(argument) {
            0 => sum.divided(divisor),
            1.. => {
                let scaled = sum.narrow().zip(shift).and_then(|(sum, shift)| sum.checked_mul(shift));
                scaled.and_then(|sum| sum.checked_div(i128::from(divisor)))
            }
            _ => sum.divided(divisor).zip(shift).map(|(quotient, shift)| quotient / shift),
        };
        self.put_exact(quotient, out)
    }

    /// Appends a number in units of the result's scale; none is one of more than 128 bits.
    #[inline]
    fn put_exact(&self, value: Option<i128>, out: &mut Vec<u8>) -> Result<(), EvalError> {
        put_tag(self.aggregate.result, out);
        value.and_then(|value| put_number(self.aggregate.result.ty, value, out)).ok_or_else(|| self.out_of_range())
    }

    fn put_float(&self, value: f64, out: &mut Vec<u8>) -> Result<(), EvalError> {
        put_tag(self.aggregate.result, out);
        match self.aggregate.result.ty {
            SqlType::Real => row::put_f32(out, value as f32),
            SqlType::Double => row::put_f64(out, value),
            _ => return Err(self.out_of_range()),
        }
        Ok(())
    }

    #[cold]
    fn out_of_range(&self) -> EvalError {
        let (function, ty) = (self.aggregate.function, self.aggregate.result.ty);
        self.error(SqlError::new(NUMERIC_OUT_OF_RANGE, format!("{} does not fit {ty}", function.name())))
    }

    #[cold]
    fn too_many_rows(&self) -> EvalError {
        let message = "more than one row returned by a subquery used as an expression";
        self.error(SqlError::new(CARDINALITY_VIOLATION, message))
    }

    fn error(&self, error: SqlError) -> EvalError {
        error.at(self.aggregate.line, self.aggregate.column)
    }
}

fn scale(ty: SqlType) -> i32 {
    match ty {
        SqlType::Decimal { scale, .. } => i32::from(scale),
        _ => 0,
    }
}

fn truth(state: &[u8], count: usize, value: bool) -> Option<bool> {
    (i64_at(state, count) > 0).then_some(value)
}

fn put_tag(column: ColumnType, out: &mut Vec<u8>) {
    if column.nullable {
        row::put_tag(out);
    }
}

/// A column declared NOT NULL over no value gets zeros (the compiler declares it only where there is one).
fn put_null(column: ColumnType, out: &mut Vec<u8>) {
    match (column.nullable, column.ty.fixed_width()) {
        (true, width) => row::put_null(out, width.unwrap_or(0)),
        (false, Some(width)) => out.resize(out.len() + width, 0),
        (false, None) => row::put_text(out, ""),
    }
}

fn put_truth(column: ColumnType, value: Option<bool>, out: &mut Vec<u8>) {
    match value {
        None => put_null(column, out),
        Some(value) => {
            put_tag(column, out);
            row::put_bool(out, value);
        }
    }
}

/// Appends a number if it fits the type.
#[inline]
fn put_number(ty: SqlType, value: i128, out: &mut Vec<u8>) -> Option<()> {
    match ty {
        SqlType::TinyInt => row::put_i8(out, value.try_into().ok()?),
        SqlType::SmallInt => row::put_i16(out, value.try_into().ok()?),
        SqlType::Integer | SqlType::Date | SqlType::IntervalLong { .. } => row::put_i32(out, value.try_into().ok()?),
        SqlType::BigInt | SqlType::Time | SqlType::Timestamp | SqlType::TimestampTz | SqlType::IntervalShort { .. } => {
            row::put_i64(out, value.try_into().ok()?)
        }
        SqlType::UTinyInt => row::put_u8(out, value.try_into().ok()?),
        SqlType::USmallInt => row::put_u16(out, value.try_into().ok()?),
        SqlType::UInteger => row::put_u32(out, value.try_into().ok()?),
        SqlType::UBigInt => row::put_u64(out, value.try_into().ok()?),
        SqlType::Decimal { precision, .. } => {
            if value.unsigned_abs() >= 10u128.checked_pow(u32::from(precision))? {
                return None;
            }
            match i64::try_from(value) {
                Ok(value) if precision <= 18 => row::put_i64(out, value),
                _ => row::put_i128(out, value),
            }
        }
        SqlType::Real => row::put_f32(out, value as f32),
        SqlType::Double => row::put_f64(out, value as f64),
        _ => return None,
    }
    Some(())
}
