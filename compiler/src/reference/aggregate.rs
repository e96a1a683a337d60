//! Aggregate functions over the rows of one group, computed from scratch.

use super::order::{compare, compare_directed, compare_rows, same, whole};
use super::statistics::statistic;
use crate::plan::AggregateCall;
use feldc_engine::AggregateFunction as F;
use feldc_value::{ColumnType, SqlError, SqlType, Value, error};
use std::cmp::{Ordering, Reverse};

/// The result of a call over its arguments in the rows of one group.
/// SUM, AVG and the like fail when the final value does not fit the result.
pub fn aggregate(call: &AggregateCall, rows: Vec<Vec<Value>>, result: ColumnType) -> Result<Value, SqlError> {
    computed(call, rows, result).map_err(|error| match error.code {
        error::NUMERIC_OUT_OF_RANGE => {
            SqlError::new(error.code, format!("{} does not fit {}", call.function.name(), result.ty))
        }
        _ => error,
    })
}

fn computed(call: &AggregateCall, mut rows: Vec<Vec<Value>>, result: ColumnType) -> Result<Value, SqlError> {
    match call.function {
        F::Single => {
            return match &rows[..] {
                [] => Ok(Value::Null),
                [row] => Ok(row[0].clone()),
                _ => Err(SqlError::new(error::CARDINALITY_VIOLATION, "a scalar subquery returned more than one row")),
            };
        }
        F::CountStar => return Ok(count(rows.len())),
        // The value may be NULL.
        F::ArgMin | F::ArgMax => {
            rows.retain(|row| !row[1].is_null());
            rows.sort_by(|a, b| compare_rows(&a[1..], &b[1..]).then_with(|| compare(&a[0], &b[0])));
            let chosen = if call.function == F::ArgMin { rows.first() } else { rows.last() };
            return Ok(chosen.map_or(Value::Null, |row| row[0].clone()));
        }
        F::StringAgg => return Ok(joined(call, rows)),
        F::ArrayAgg => return Ok(elements(call, rows)),
        _ => (),
    }
    rows.retain(|row| !row.iter().any(Value::is_null));
    rows.sort_by(|a, b| compare_rows(a, b));
    if call.distinct {
        rows.dedup_by(|a, b| same(a, b));
    }
    if call.function == F::Count {
        return Ok(count(rows.len()));
    }
    if rows.is_empty() {
        return Ok(Value::Null);
    }
    let argument = call.arguments.first().map_or(SqlType::Null, |argument| argument.ty.ty);
    if let F::Statistic(function) = call.function {
        return statistic(function, &rows, argument, result.ty);
    }
    let values: Vec<Value> = rows.into_iter().map(|mut row| row.swap_remove(0)).collect();
    let truths = || values.iter().map(|value| *value == Value::Boolean(true));
    let bits = |f: fn(i128, i128) -> i128| values.iter().filter_map(whole).reduce(f).and_then(|b| narrow(b, result.ty));
    match call.function {
        F::Min => Ok(values[0].clone()),
        F::Max => Ok(values[values.len() - 1].clone()),
        F::Every => Ok(Value::Boolean(truths().all(|truth| truth))),
        F::Some => Ok(Value::Boolean(truths().any(|truth| truth))),
        F::Sum => total(&values, 1, argument, result.ty),
        F::Avg => total(&values, values.len() as i128, argument, result.ty),
        F::BitAnd => Ok(bits(|a, b| a & b).unwrap_or(Value::Null)),
        F::BitOr => Ok(bits(|a, b| a | b).unwrap_or(Value::Null)),
        F::BitXor => Ok(bits(|a, b| a ^ b).unwrap_or(Value::Null)),
        F::Mode => {
            let runs = values.chunk_by(|a, b| compare(a, b).is_eq()).enumerate();
            let longest = runs.max_by_key(|(at, run)| (run.len(), Reverse(*at)));
            Ok(longest.map_or(Value::Null, |(_, run)| run[0].clone()))
        }
        F::PercentileCont(fraction) => Ok(interpolated(&in_order(values, call), fraction.value())),
        F::PercentileDisc(fraction) => {
            let values = in_order(values, call);
            let place = (fraction.value() * values.len() as f64).ceil() as usize;
            Ok(values[place.max(1) - 1].clone())
        }
        F::StringAgg | F::ArrayAgg | F::Count | F::CountStar | F::Single | F::ArgMin | F::ArgMax | F::Statistic(_) => {
            unreachable!("handled above")
        }
    }
}

/// STRING_AGG of text, separator, and what they are ordered by.
fn joined(call: &AggregateCall, rows: Vec<Vec<Value>>) -> Value {
    let rows = ordered(call, rows);
    let text = |value: &Value| if let Value::Text(text) = value { text.to_string() } else { String::new() };
    let all = rows.iter().map(|row| (text(&row[0]), text(&row[1])));
    let all = all.reduce(|(joined, first), (next, separator)| (format!("{joined}{separator}{next}"), first));
    all.map_or(Value::Null, |(joined, _)| Value::text(joined))
}

/// ARRAY_AGG of values as rows, and what they are ordered by.
fn elements(call: &AggregateCall, rows: Vec<Vec<Value>>) -> Value {
    let rows = ordered(call, rows);
    let value = |row: &Vec<Value>| if let Value::Row(fields) = &row[0] { fields[0].clone() } else { Value::Null };
    if rows.is_empty() { Value::Null } else { Value::array(rows.iter().map(value)) }
}

/// The rows whose first argument is known, by the keys at their ends.
fn ordered(call: &AggregateCall, mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    rows.retain(|row| !row[0].is_null());
    let values = call.arguments.len() - call.order.len();
    rows.sort_by(|a, b| {
        let keys = call.order.iter().zip(a[values..].iter().zip(&b[values..]));
        let by_keys = keys.map(|(direction, (a, b))| compare_directed(a, b, *direction));
        by_keys.fold(Ordering::Equal, Ordering::then).then_with(|| compare_rows(&a[..values], &b[..values]))
    });
    if call.distinct {
        rows.dedup_by(|a, b| same(a, b));
    }
    rows
}

/// The values as WITHIN GROUP orders them.
fn in_order(mut values: Vec<Value>, call: &AggregateCall) -> Vec<Value> {
    if call.order.first().is_some_and(|direction| direction.descending) {
        values.reverse();
    }
    values
}

fn interpolated(values: &[Value], fraction: f64) -> Value {
    let float = |at: usize| if let Some(Value::Double(value)) = values.get(at) { *value } else { f64::NAN };
    let place = fraction * (values.len() - 1) as f64;
    let (first, second) = (float(place.floor() as usize), float(place.ceil() as usize));
    Value::Double(if first == second { first } else { first + place.fract() * (second - first) })
}

fn count(rows: usize) -> Value {
    Value::BigInt(i64::try_from(rows).unwrap_or(i64::MAX))
}

/// The sum divided by `count`, truncated toward zero, in the result's type.
fn total(values: &[Value], count: i128, argument: SqlType, result: SqlType) -> Result<Value, SqlError> {
    if let SqlType::Real | SqlType::Double = argument {
        let value = exact_sum(values) / count as f64;
        return Ok(if result == SqlType::Real { Value::Real(value as f32) } else { Value::Double(value) });
    }
    let scale = |ty| if let SqlType::Decimal { scale, .. } = ty { scale } else { 0u8 };
    let sum = values.iter().try_fold(0i128, |sum, value| sum.checked_add(whole(value).unwrap_or(0)));
    let shift = 10i128.checked_pow(u32::from(scale(result).saturating_sub(scale(argument))));
    let value = sum.zip(shift).and_then(|(sum, shift)| sum.checked_mul(shift)).map(|sum| sum / count);
    value.and_then(|value| narrow(value, result)).ok_or_else(|| {
        SqlError::new(error::NUMERIC_OUT_OF_RANGE, format!("the result of an aggregate does not fit {result}"))
    })
}

pub(super) fn narrow(value: i128, ty: SqlType) -> Option<Value> {
    match ty {
        SqlType::TinyInt => value.try_into().ok().map(Value::TinyInt),
        SqlType::SmallInt => value.try_into().ok().map(Value::SmallInt),
        SqlType::Integer => value.try_into().ok().map(Value::Integer),
        SqlType::BigInt => value.try_into().ok().map(Value::BigInt),
        SqlType::UTinyInt => value.try_into().ok().map(Value::UTinyInt),
        SqlType::USmallInt => value.try_into().ok().map(Value::USmallInt),
        SqlType::UInteger => value.try_into().ok().map(Value::UInteger),
        SqlType::UBigInt => value.try_into().ok().map(Value::UBigInt),
        SqlType::Decimal { precision, .. } => {
            (value.unsigned_abs() < 10u128.pow(precision.into())).then_some(Value::Decimal(value))
        }
        SqlType::IntervalShort { .. } => value.try_into().ok().map(Value::IntervalShort),
        SqlType::IntervalLong { .. } => value.try_into().ok().map(Value::IntervalLong),
        _ => None,
    }
}

/// The sum of floats as if computed with unlimited precision and rounded once (Shewchuk, "Adaptive Precision
/// Floating-Point Arithmetic", 1997: a list of partial sums that do not overlap).
fn exact_sum(values: &[Value]) -> f64 {
    let floats = values.iter().map(|value| match value {
        Value::Real(v) => f64::from(*v),
        Value::Double(v) => *v,
        _ => 0.0,
    });
    let (floats, special): (Vec<f64>, Vec<f64>) = floats.partition(|x| x.is_finite());
    if !special.is_empty() {
        return special.iter().sum();
    }
    // Sums on the way to the result may pass the range, so large numbers are added as parts of their size.
    let (large, small): (Vec<f64>, Vec<f64>) = floats.iter().partition(|x| x.abs() >= 2f64.powi(960));
    let scale = 2f64.powi(64);
    let scaled = |values: &[f64]| values.iter().map(|x| x / scale).collect::<Vec<f64>>();
    match rounded(&partials(scaled(&large))) {
        0.0 => rounded(&partials(small)),
        _ => rounded(&partials(scaled(&floats))) * scale,
    }
}

/// Numbers that do not overlap, in increasing magnitude, with the same sum.
fn partials(values: Vec<f64>) -> Vec<f64> {
    let mut partials: Vec<f64> = vec![];
    for mut x in values {
        let mut kept = 0;
        for i in 0..partials.len() {
            let mut y = partials[i];
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                partials[kept] = low;
                kept += 1;
            }
            x = high;
        }
        partials.truncate(kept);
        partials.push(x);
    }
    partials
}

/// The sum of non-overlapping partials in increasing magnitude, rounded half to even.
fn rounded(partials: &[f64]) -> f64 {
    let mut rest = partials.to_vec();
    let Some(mut high) = rest.pop() else { return 0.0 };
    let mut low = 0.0;
    while let Some(y) = rest.pop() {
        let x = high;
        high = x + y;
        low = y - (high - x);
        if low != 0.0 {
            break;
        }
    }
    // What is left of the partials decides a tie.
    if let Some(next) = rest.last()
        && ((low < 0.0 && *next < 0.0) || (low > 0.0 && *next > 0.0))
    {
        let twice = low * 2.0;
        let up = high + twice;
        if twice == up - high {
            return up;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_sums_are_exact() {
        let values = [1e16, 1.0, -1e16].map(Value::Double);
        assert_eq!(exact_sum(&values), 1.0);
        let max = f64::MAX;
        assert_eq!(exact_sum(&[max, max, -max, 1.0, -max].map(Value::Double)), 1.0);
        assert_eq!(exact_sum(&[max, max, -max].map(Value::Double)), max);
        assert_eq!(exact_sum(&[max, max].map(Value::Double)), f64::INFINITY);
    }

    #[test]
    fn a_sum_may_pass_the_range_but_not_end_outside() {
        let sum = |values: &[i32]| {
            let rows = values.iter().map(|v| vec![Value::Integer(*v)]).collect();
            let ty = ColumnType::new(SqlType::Integer, true);
            let argument = crate::plan::Expr::literal(Value::Null, ty, Default::default());
            let (arguments, span) = (vec![argument], Default::default());
            let call = AggregateCall { function: F::Sum, arguments, order: vec![], distinct: false, span };
            aggregate(&call, rows, ty)
        };
        assert_eq!(sum(&[i32::MAX, 1, -2]), Ok(Value::Integer(i32::MAX - 1)));
        assert_eq!(sum(&[i32::MAX, 1]).unwrap_err().code, error::NUMERIC_OUT_OF_RANGE);
        assert_eq!(sum(&[]), Ok(Value::Null));
    }
}
