//! Variances, covariances and regressions from scratch: deviations from the mean, as fractions of integers.
//!
//! With n rows of sum S, n·x − S is n times the deviation of x and an integer; the engine instead keeps sums of squares.
//! Fractions become floats by way of their decimal digits, which the standard library rounds.

use super::aggregate::narrow;
use super::order::whole;
use feldc_value::{SqlError, SqlType, Statistic, Value, error};
use num_bigint::{BigInt, Sign};

/// Decimal places of a root, and twice as many of a quotient: enough to round the least of floats by.
const PLACES: u32 = 1900;

/// The statistic of rows without NULL: of x alone, or of y and x.
pub fn statistic(
    statistic: Statistic,
    rows: &[Vec<Value>],
    argument: SqlType,
    result: SqlType,
) -> Result<Value, SqlError> {
    use Statistic::*;
    let n = BigInt::from(rows.len());
    let sample = matches!(statistic, VarSamp | StddevSamp | CovarSamp);
    if sample && rows.len() < 2 {
        return Ok(Value::Null);
    }
    let column = |at: usize| rows.iter().map(|row| units(&row[at])).collect::<Option<Vec<BigInt>>>();
    let second = usize::from(!statistic.single());
    let (Some(ys), Some(xs)) = (column(0), column(second)) else {
        return Ok(float(f64::NAN, result));
    };
    let (sum_y, sum_x): (BigInt, BigInt) = (ys.iter().sum(), xs.iter().sum());
    let deviations = |values: &[BigInt], sum: &BigInt| values.iter().map(|v| &n * v - sum).collect::<Vec<_>>();
    let (dy, dx) = (deviations(&ys, &sum_y), deviations(&xs, &sum_x));
    let product = |a: &[BigInt], b: &[BigInt]| a.iter().zip(b).map(|(a, b)| a * b).sum::<BigInt>();
    // Each is n² times the sum of the products of the deviations.
    let (xx, yy, xy) = (product(&dx, &dx), product(&dy, &dy), product(&dx, &dy));
    let unit = |power: u32| unit(argument).pow(power);
    let squared = &n * &n;
    let spread = if sample { &n - 1 } else { n.clone() };
    if result.is_integer() {
        return integers(statistic, &ys, &xs, result);
    }
    let zero = BigInt::ZERO;
    let (numerator, denominator, root) = match statistic {
        VarPop | VarSamp => (xx, squared * spread * unit(2), false),
        StddevPop | StddevSamp => (xx, squared * spread * unit(2), true),
        CovarPop | CovarSamp => (xy, squared * spread * unit(2), false),
        RegrSxx => (xx, squared * unit(2), false),
        RegrSyy => (yy, squared * unit(2), false),
        RegrSxy => (xy, squared * unit(2), false),
        Corr if xx == zero || yy == zero => return Ok(Value::Null),
        RegrSlope | RegrIntercept | RegrR2 if xx == zero => return Ok(Value::Null),
        RegrR2 if yy == zero => return Ok(float(1.0, result)),
        RegrSlope => (xy, xx, false),
        RegrIntercept => (sum_y * &xx - sum_x * xy, n * xx * unit(1), false),
        RegrR2 => (xy.pow(2), xx * yy, false),
        Corr if xy.sign() == Sign::Minus => {
            let positive = nearest(xy.pow(2), xx * yy, true, result);
            return Ok(float(-positive, result));
        }
        Corr => (xy.pow(2), xx * yy, true),
    };
    if result.is_float() {
        return Ok(float(nearest(numerator, denominator, root, result), result));
    }
    let scale = if let SqlType::Decimal { scale, .. } = result { u32::from(scale) } else { 0 };
    let ten = BigInt::from(10);
    let value = match root {
        true => (numerator * ten.pow(2 * scale) / denominator).sqrt(),
        false => numerator * ten.pow(scale) / denominator,
    };
    fit(value, result)
}

/// In the integers every quotient is truncated, that of the squared sum and the count too.
fn integers(statistic: Statistic, ys: &[BigInt], xs: &[BigInt], result: SqlType) -> Result<Value, SqlError> {
    use Statistic::*;
    let n = BigInt::from(xs.len());
    let one_less = BigInt::from(xs.len().saturating_sub(1));
    let rest = |a: &[BigInt], b: &[BigInt]| {
        let products: BigInt = a.iter().zip(b).map(|(a, b)| a * b).sum();
        products - a.iter().sum::<BigInt>() * b.iter().sum::<BigInt>() / &n
    };
    let value = match statistic {
        VarPop => rest(xs, xs) / n,
        VarSamp => rest(xs, xs) / one_less,
        StddevPop => (rest(xs, xs) / n).sqrt(),
        StddevSamp => (rest(xs, xs) / one_less).sqrt(),
        CovarPop => rest(ys, xs) / n,
        CovarSamp => rest(ys, xs) / one_less,
        RegrSxx => rest(xs, xs),
        RegrSyy => rest(ys, ys),
        _ => rest(ys, xs),
    };
    fit(value, result)
}

fn fit(value: BigInt, ty: SqlType) -> Result<Value, SqlError> {
    i128::try_from(value).ok().and_then(|value| narrow(value, ty)).ok_or_else(|| {
        SqlError::new(error::NUMERIC_OUT_OF_RANGE, format!("the result of an aggregate does not fit {ty}"))
    })
}

/// As many units make one.
fn unit(ty: SqlType) -> BigInt {
    match ty {
        SqlType::Decimal { scale, .. } => BigInt::from(10).pow(scale.into()),
        SqlType::Real | SqlType::Double => BigInt::from(1) << 1074,
        _ => BigInt::from(1),
    }
}

fn units(value: &Value) -> Option<BigInt> {
    let float = match value {
        Value::Real(value) => f64::from(*value),
        Value::Double(value) => *value,
        other => return whole(other).map(BigInt::from),
    };
    if !float.is_finite() {
        return None;
    }
    // Multiplication by two is exact until the fraction is gone.
    let (mut scaled, mut shift) = (float, 0u32);
    while scaled.fract() != 0.0 {
        scaled *= 2.0;
        shift += 1;
    }
    let mut tens = 0u32;
    while scaled.abs() >= 2f64.powi(62) {
        scaled /= 2.0;
        tens += 1;
    }
    // What was halved had no fraction: the 53 bits of a float of 2^62 end far above one half.
    Some((BigInt::from(scaled as i64) << tens) << (1074 - shift))
}

fn float(value: f64, ty: SqlType) -> Value {
    if ty == SqlType::Real { Value::Real(value as f32) } else { Value::Double(value) }
}

/// The nearest float to a quotient (that is not negative if its root is meant).
fn nearest(numerator: BigInt, denominator: BigInt, root: bool, ty: SqlType) -> f64 {
    let (negative, numerator) = (numerator.sign() == Sign::Minus, numerator.magnitude().clone());
    let denominator = denominator.magnitude();
    let scaled = numerator * BigInt::from(10).pow(2 * PLACES).magnitude();
    let (quotient, rest) = (&scaled / denominator, &scaled % denominator);
    let (digits, after, more) = match root {
        true => {
            let found = quotient.sqrt();
            let exact = &found * &found == quotient && rest == Default::default();
            (found.to_string(), PLACES, !exact)
        }
        false => (quotient.to_string(), 2 * PLACES, rest != Default::default()),
    };
    // A last digit stands for all that was cut off.
    let text = format!("{}{digits}{}e-{}", if negative { "-" } else { "" }, u8::from(more), after + 1);
    match ty {
        SqlType::Real => text.parse::<f32>().map_or(f64::NAN, f64::from),
        _ => text.parse().unwrap_or(f64::NAN),
    }
}
