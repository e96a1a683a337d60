//! The SQL order of values of one type: NULL lowest, NaN greatest, -0.0 equal to 0.0.

use feldc_engine::Direction;
use feldc_value::{Value, nested};
use std::cmp::Ordering;

pub fn compare(left: &Value, right: &Value) -> Ordering {
    use Value::*;
    match (left, right) {
        (Null, Null) => Ordering::Equal,
        (Null, _) => Ordering::Less,
        (_, Null) => Ordering::Greater,
        (Boolean(a), Boolean(b)) => a.cmp(b),
        (Decimal(a), Decimal(b)) => a.cmp(b),
        (Real(a), Real(b)) => floats((*a).into(), (*b).into()),
        (Double(a), Double(b)) => floats(*a, *b),
        (Text(a), Text(b)) => a.cmp(b),
        _ => match (whole(left), whole(right)) {
            // Integers of one width behind different names.
            (Some(a), Some(b)) => a.cmp(&b),
            _ => nested::order(left, right),
        },
    }
}

/// As ORDER BY compares.
pub(super) fn compare_directed(left: &Value, right: &Value, direction: Direction) -> Ordering {
    match (left.is_null(), right.is_null()) {
        (false, false) if direction.descending => compare(right, left),
        (false, false) => compare(left, right),
        (true, true) => Ordering::Equal,
        (left_null, _) if left_null == direction.nulls_first => Ordering::Less,
        _ => Ordering::Greater,
    }
}

pub fn compare_rows(left: &[Value], right: &[Value]) -> Ordering {
    let columns = left.iter().zip(right).map(|(a, b)| compare(a, b));
    columns.fold(Ordering::Equal, Ordering::then)
}

pub(super) fn same(left: &[Value], right: &[Value]) -> bool {
    compare_rows(left, right).is_eq()
}

fn floats(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => (a + 0.0).total_cmp(&(b + 0.0)),
        (a_nan, b_nan) => a_nan.cmp(&b_nan),
    }
}

/// The integer inside a value of an integer, date, time or interval type.
pub(super) fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::TinyInt(v) => Some((*v).into()),
        Value::SmallInt(v) => Some((*v).into()),
        Value::UTinyInt(v) => Some((*v).into()),
        Value::USmallInt(v) => Some((*v).into()),
        Value::UInteger(v) => Some((*v).into()),
        Value::UBigInt(v) => Some((*v).into()),
        Value::Integer(v) | Value::Date(v) | Value::IntervalLong(v) => Some((*v).into()),
        Value::BigInt(v) | Value::Time(v) | Value::Timestamp(v) | Value::IntervalShort(v) => Some((*v).into()),
        Value::Decimal(v) => Some(*v),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_lowest_and_nan_greatest() {
        let mut values =
            [Value::Double(f64::NAN), Value::Double(0.0), Value::Null, Value::Double(-1.0), Value::Double(1e300)];
        values.sort_by(compare);
        assert!(values[0].is_null() && values[1] == Value::Double(-1.0));
        assert!(matches!(values[4], Value::Double(v) if v.is_nan()));
        assert!(compare(&Value::Double(-0.0), &Value::Double(0.0)).is_eq());
    }
}
