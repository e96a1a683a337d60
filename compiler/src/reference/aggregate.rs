//! Aggregate functions over the rows of one group, computed from scratch.

use super::order::{compare, same, whole};
use feldc_engine::AggregateFunction;
use feldc_value::{ColumnType, SqlError, SqlType, Value, error};

/// The result of a function over the argument's values in one group (`None`: COUNT(*), then `count` rows).
/// `argument` and `result` are the SQL types; SUM and AVG fail when the final value does not fit.
pub fn aggregate(
    function: AggregateFunction,
    mut values: Vec<Value>,
    distinct: bool,
    argument: SqlType,
    result: ColumnType,
) -> Result<Value, SqlError> {
    if function == AggregateFunction::Single {
        return match &values[..] {
            [] => Ok(Value::Null),
            [value] => Ok(value.clone()),
            _ => Err(SqlError::new(error::CARDINALITY_VIOLATION, "a scalar subquery returned more than one row")),
        };
    }
    if function == AggregateFunction::CountStar {
        return Ok(Value::BigInt(values.len() as i64));
    }
    values.retain(|value| !value.is_null());
    values.sort_by(compare);
    if distinct {
        values.dedup_by(|a, b| same(std::slice::from_ref(a), std::slice::from_ref(b)));
    }
    let truths = || values.iter().map(|value| *value == Value::Boolean(true));
    match function {
        AggregateFunction::Count => Ok(Value::BigInt(values.len() as i64)),
        _ if values.is_empty() => Ok(Value::Null),
        AggregateFunction::Min => Ok(values[0].clone()),
        AggregateFunction::Max => Ok(values[values.len() - 1].clone()),
        AggregateFunction::Every => Ok(Value::Boolean(truths().all(|truth| truth))),
        AggregateFunction::Some => Ok(Value::Boolean(truths().any(|truth| truth))),
        AggregateFunction::Sum => total(&values, 1, argument, result.ty),
        AggregateFunction::Avg => total(&values, values.len() as i128, argument, result.ty),
        AggregateFunction::CountStar | AggregateFunction::Single => unreachable!("handled above"),
    }
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

fn narrow(value: i128, ty: SqlType) -> Option<Value> {
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
    let mut partials: Vec<f64> = vec![];
    let mut special = 0.0;
    for mut x in floats {
        if !x.is_finite() {
            special += x;
            continue;
        }
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
    if special != 0.0 || special.is_nan() { special } else { rounded(&partials) }
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
    }

    #[test]
    fn a_sum_may_pass_the_range_but_not_end_outside() {
        let sum = |values: &[i32]| {
            let values = values.iter().map(|v| Value::Integer(*v)).collect();
            aggregate(AggregateFunction::Sum, values, false, SqlType::Integer, ColumnType::new(SqlType::Integer, true))
        };
        assert_eq!(sum(&[i32::MAX, 1, -2]), Ok(Value::Integer(i32::MAX - 1)));
        assert_eq!(sum(&[i32::MAX, 1]).unwrap_err().code, error::NUMERIC_OUT_OF_RANGE);
        assert_eq!(sum(&[]), Ok(Value::Null));
    }
}
